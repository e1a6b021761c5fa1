//! The commands of graph nodes.
//!
//! A node has a [`Body`]: one or more candidates, one of which is active. Only nodes of dynamic
//! command groups have several. Updates change candidates in place. Executable graphs hold the
//! [`Content`] that was active when they were made or updated, so later changes do not affect them.

use std::ffi::c_void;
use std::sync::{Arc, Mutex};

use scythe_abi::capi::{self, Destroy};
use scythe_abi::launch::Shape;
use scythe_hal::{FunctorBytes, Place, Work};

use super::dynamic_local;
use super::exec::Flat;
use super::ranges::updated;
use crate::copy::View;
use crate::demangle::symbol_name;
use crate::launch::{Ranges, check_local_memory};
use crate::memory::coherence::Access;
use crate::memory::finish::in_host_task;
use crate::memory::{Buffer, Mode};
use crate::platform::Device;
use crate::registry::ReadyKernel;
use crate::{Result, invalid, lock};

/// `sycl::ext::oneapi::experimental::node_type`, with its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum NodeKind {
    Empty = 0,
    Subgraph = 1,
    Kernel = 2,
    Memcpy = 3,
    Memset = 4,
    Memfill = 5,
    Prefetch = 6,
    Memadvise = 7,
    Barrier = 8,
    HostTask = 9,
}

impl NodeKind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Subgraph => "subgraph",
            Self::Kernel => "kernel",
            Self::Memcpy => "memcpy",
            Self::Memset => "memset",
            Self::Memfill => "memfill",
            Self::Prefetch => "prefetch",
            Self::Memadvise => "memadvise",
            Self::Barrier => "ext_oneapi_barrier",
            Self::HostTask => "host_task",
        }
    }
}

/// The command of a node, in the form that a launch of the graph needs.
#[derive(Clone)]
pub enum Content {
    Marker,
    Kernel {
        kernel: Arc<ReadyKernel>,
        functor: FunctorBytes,
        ranges: Ranges,
        place: Option<Place>,
    },
    HostKernel {
        call: capi::HostKernel,
        functor: FunctorBytes,
        ranges: Ranges,
    },
    HostTask(Arc<RepeatedTask>),
    Plain(Work),
    Copy {
        dst: View<'static>,
        src: View<'static>,
    },
    Fill {
        dst: View<'static>,
        pattern: Vec<u8>,
    },
    UpdateHost,
    /// The nodes of an executable graph.
    Graph(Arc<Flat>),
}

// SAFETY: only commands use the addresses inside the content, in the order of the graph. The
// program guarantees that they are valid whenever the graph runs.
unsafe impl Send for Content {}
// SAFETY: shared contents are never changed, and the addresses are used as stated for `Send`.
unsafe impl Sync for Content {}

impl Content {
    /// Returns whether host code runs the command.
    pub fn is_on_host(&self) -> bool {
        matches!(self, Self::HostTask(_) | Self::HostKernel { .. } | Self::UpdateHost)
    }

    /// Returns a name for the kernel, by which kernels of two graphs are compared.
    pub fn kernel_name(&self) -> Option<String> {
        match self {
            Self::Kernel { kernel, .. } => Some(kernel.symbol().to_owned()),
            Self::HostKernel { call, .. } => Some(format!("{:#x}", *call as usize)),
            _ => None,
        }
    }
}

/// The function of a host task, which every launch of the graph calls.
pub struct RepeatedTask {
    call: unsafe extern "C" fn(*mut c_void),
    destroy: Option<Destroy>,
    context: *mut c_void,
}

// SAFETY: the program passed function and context for use by runtime threads. Launches of a graph
// do not overlap, so one thread at a time uses them.
unsafe impl Send for RepeatedTask {}
// SAFETY: only one thread at a time uses the context, as stated for `Send`.
unsafe impl Sync for RepeatedTask {}

impl RepeatedTask {
    /// # Safety
    /// It must be sound to call `call` with `context` any number of times, on any thread, and then
    /// `destroy` once.
    pub unsafe fn new(
        call: unsafe extern "C" fn(*mut c_void),
        destroy: Option<Destroy>,
        context: *mut c_void,
    ) -> Self {
        Self { call, destroy, context }
    }

    pub fn run(&self) {
        // SAFETY: the creator of the task allows any number of calls, and the context is alive.
        in_host_task(|| unsafe { (self.call)(self.context) });
    }
}

impl Drop for RepeatedTask {
    fn drop(&mut self) {
        if let Some(destroy) = self.destroy {
            // SAFETY: the creator of the task allows one call after all others.
            in_host_task(|| unsafe { destroy(self.context) });
        }
    }
}

/// The access of a node to a buffer, which the node keeps alive.
#[derive(Clone)]
pub struct OwnedAccess {
    pub buffer: Arc<Buffer>,
    pub mode: Mode,
    pub no_init: bool,
    pub native: bool,
}

impl OwnedAccess {
    pub fn borrow(&self) -> Access<'_> {
        Access { buffer: &self.buffer, mode: self.mode, no_init: self.no_init, native: self.native }
    }

    /// Adds an access to a list with one access for each buffer.
    pub fn merge(list: &mut Vec<Self>, access: &Self) {
        match list.iter_mut().find(|known| Arc::ptr_eq(&known.buffer, &access.buffer)) {
            Some(known) => {
                if known.mode != access.mode {
                    known.mode = Mode::ReadWrite;
                }
                known.no_init &= access.no_init;
                known.native |= access.native;
            }
            None => list.push(access.clone()),
        }
    }
}

/// An object of the program that a node keeps.
pub struct Kept {
    pub object: *mut c_void,
    pub destroy: Destroy,
}

// SAFETY: the program passed the object for one call of `destroy` on any thread.
unsafe impl Send for Kept {}
// SAFETY: the runtime does not access the object before the call of `destroy`.
unsafe impl Sync for Kept {}

impl Drop for Kept {
    fn drop(&mut self) {
        // SAFETY: the program passed the object for this call, which happens once.
        in_host_task(|| unsafe { (self.destroy)(self.object) });
    }
}

/// One of the commands that a node can run.
pub struct Candidate {
    pub kind: NodeKind,
    pub content: Arc<Content>,
    pub accesses: Vec<OwnedAccess>,
    /// The nodes of the events that the command waits for.
    pub events: Vec<usize>,
}

/// The candidates of a node. Nodes share the body of a dynamic command group.
#[derive(Default)]
pub struct Body {
    state: Mutex<BodyState>,
}

#[derive(Default)]
struct BodyState {
    candidates: Vec<Candidate>,
    active: usize,
    kept: Vec<Kept>,
}

impl Body {
    pub fn of(candidate: Candidate) -> Arc<Self> {
        let body = Self::default();
        body.add(candidate);
        Arc::new(body)
    }

    pub fn add(&self, candidate: Candidate) {
        lock(&self.state).candidates.push(candidate);
    }

    pub fn keep(&self, kept: Kept) {
        lock(&self.state).kept.push(kept);
    }

    /// Returns the active command.
    pub fn active(&self) -> (NodeKind, Arc<Content>, Vec<OwnedAccess>) {
        let state = lock(&self.state);
        match state.candidates.get(state.active) {
            Some(one) => (one.kind, one.content.clone(), one.accesses.clone()),
            None => (NodeKind::Empty, Arc::new(Content::Marker), Vec::new()),
        }
    }

    pub fn active_index(&self) -> usize {
        lock(&self.state).active
    }

    pub fn kind(&self) -> NodeKind {
        self.active().0
    }

    /// Calls `f` with the events and accesses of each candidate.
    pub fn each<R>(&self, mut f: impl FnMut(&[usize], &[OwnedAccess]) -> R) -> Vec<R> {
        let state = lock(&self.state);
        state.candidates.iter().map(|one| f(&one.events, &one.accesses)).collect()
    }

    /// Checks the commands of a dynamic command group.
    pub fn check_choice(&self) -> Result<()> {
        let state = lock(&self.state);
        let Some(first) = state.candidates.first() else {
            return Err(invalid("dynamic_command_group: the list of command groups is empty"));
        };
        for (index, one) in state.candidates.iter().enumerate() {
            if !matches!(one.kind, NodeKind::Kernel | NodeKind::HostTask) {
                return Err(invalid(format!(
                    "dynamic_command_group: command group {index} contains a command of type {}, \
                     expected a kernel or a host_task",
                    one.kind.name()
                )));
            }
            if one.kind != first.kind {
                return Err(invalid(format!(
                    "dynamic_command_group: command group {index} has type {}, but command group \
                     0 has type {}; all must have the same type",
                    one.kind.name(),
                    first.kind.name()
                )));
            }
        }
        Ok(())
    }

    pub fn activate(&self, index: usize) -> Result<()> {
        let mut state = lock(&self.state);
        let count = state.candidates.len();
        if index >= count {
            return Err(invalid(format!(
                "dynamic_command_group: index {index} is not valid, there are {count} command \
                 groups"
            )));
        }
        state.active = index;
        Ok(())
    }

    /// Replaces the ranges of the active kernel. `shape` and `dims` are those of the new ranges.
    pub fn set_ranges(
        &self,
        device: &Device,
        shape: Shape,
        dims: u32,
        sizes: [[u64; 3]; 3],
    ) -> Result<()> {
        let mut state = lock(&self.state);
        let active = state.active;
        let Some(one) = state.candidates.get_mut(active) else { return Err(no_kernel("update")) };
        let mut changed = (*one.content).clone();
        let (ranges, required) = match &mut changed {
            Content::Kernel { kernel, ranges, .. } => (ranges, kernel.work_group_size()),
            Content::HostKernel { ranges, .. } => (ranges, None),
            _ => {
                return Err(invalid(format!(
                    "update_range or update_nd_range of a node of type {}, expected a kernel",
                    one.kind.name()
                )));
            }
        };
        *ranges = updated(ranges, shape, dims, sizes, required, device)?;
        one.content = Arc::new(changed);
        Ok(())
    }

    /// Replaces the bytes of argument `argument` of candidate `index`, a kernel. `access` is the
    /// buffer that an accessor among the new bytes uses.
    pub fn set_argument(
        &self,
        device: &Device,
        index: usize,
        argument: u32,
        bytes: &[u8],
        access: Option<OwnedAccess>,
    ) -> Result<()> {
        let mut state = lock(&self.state);
        let Some(one) = state.candidates.get_mut(index) else { return Err(no_kernel("argument")) };
        let mut changed = (*one.content).clone();
        let Content::Kernel { kernel, functor, ranges, .. } = &mut changed else {
            return Err(invalid(format!(
                "a dynamic_parameter is an argument of a node of type {}, expected a kernel of a \
                 device",
                one.kind.name()
            )));
        };
        let name = symbol_name(kernel.symbol());
        let Some(place) = kernel.argument(argument) else {
            return Err(invalid(format!(
                "dynamic_parameter: kernel '{name}' has {} arguments, so there is no argument \
                 {argument}",
                kernel.argument_count()
            )));
        };
        let size = place.size;
        if !kernel.is_accessor_row(argument) && size != bytes.len() as u64 {
            return Err(invalid(format!(
                "dynamic_parameter: argument {argument} of kernel '{name}' has {size} bytes, but \
                 the value has {} bytes",
                bytes.len()
            )));
        }
        if !functor.put(place.offset as usize, bytes) {
            return Err(invalid(format!(
                "dynamic_parameter: argument {argument} of kernel '{name}' lies outside its functor"
            )));
        }
        check_local_memory(kernel, functor.as_slice(), ranges.shape, device)?;
        let used = heads(kernel, functor);
        one.accesses.retain(|old| used.contains(&Arc::as_ptr(&old.buffer)));
        if let Some(access) = access {
            OwnedAccess::merge(&mut one.accesses, &access);
        }
        one.content = Arc::new(changed);
        Ok(())
    }

    /// Notes the commands for updates of the local memory that they use.
    pub fn note_dynamic_local(self: &Arc<Self>, device: &'static Device) -> Result<()> {
        let mut numbers = Vec::new();
        for one in &lock(&self.state).candidates {
            if let Content::Kernel { kernel, functor, .. } = &*one.content {
                let words = kernel.local_accessors().iter().filter_map(|&at| word(functor, at));
                numbers.extend(words.filter(|&word| dynamic_local::is_number(word)));
            }
        }
        if numbers.is_empty() {
            return Ok(());
        }
        for (number, words) in dynamic_local::note(Arc::downgrade(self), device, &numbers) {
            self.set_local(device, number, &words)?;
        }
        Ok(())
    }

    /// Replaces the words after `number` in the local accessors of all candidates.
    pub fn set_local(&self, device: &Device, number: u64, words: &[u8]) -> Result<()> {
        let mut state = lock(&self.state);
        for one in &mut state.candidates {
            let mut changed = (*one.content).clone();
            let Content::Kernel { kernel, functor, ranges, .. } = &mut changed else { continue };
            let holds = |at: &&usize| word(functor, **at) == Some(number);
            let places: Vec<usize> =
                kernel.local_accessors().iter().filter(holds).copied().collect();
            if places.is_empty() {
                continue;
            }
            for at in places {
                if !functor.put(at + 8, words) {
                    return Err(invalid(format!(
                        "update of local memory: kernel '{}' has another layout",
                        symbol_name(kernel.symbol())
                    )));
                }
            }
            check_local_memory(kernel, functor.as_slice(), ranges.shape, device)?;
            one.content = Arc::new(changed);
        }
        Ok(())
    }

    /// Describes the active command for messages.
    pub fn describe(&self) -> String {
        let (kind, content, _) = self.active();
        match &*content {
            Content::Kernel { kernel, .. } => {
                format!("{} {}", kind.name(), symbol_name(kernel.symbol()))
            }
            _ => kind.name().to_owned(),
        }
    }
}

fn no_kernel(what: &str) -> crate::Error {
    invalid(format!("{what}: the node has no command"))
}

/// Returns a word of a functor.
fn word(functor: &FunctorBytes, at: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(functor.as_slice().get(at..at + 8)?.try_into().ok()?))
}

/// Returns the buffers of the accessors in a functor.
fn heads(kernel: &ReadyKernel, functor: &FunctorBytes) -> Vec<*const Buffer> {
    let word = |offset: usize| {
        let bytes = functor.as_slice().get(offset + 8..offset + 16)?;
        Some(usize::from_ne_bytes(bytes.try_into().ok()?) as *const Buffer)
    };
    kernel.accessors().iter().filter_map(|&offset| word(offset)).collect()
}
