//! Updates the copies of a buffer, and records accesses.
//!
//! Each command goes through two steps, in the order of submission. [`prepare`] returns the address
//! that the command uses and adds its dependencies. If the copy at the command's place is outdated,
//! it enqueues copies between devices. [`record`] then records the access. A copy is current as a
//! whole: before a write through a sub-buffer, the rest of the contents is updated too.
//!
//! Copies between places count as reads of the contents: they wait for the last write, and the next
//! write waits for them.

use std::ffi::c_void;
use std::sync::Arc;

use scythe_hal::{UsmKind, Work};
use scythe_trace::Span;

use super::track::Tracked;
use super::{
    Buffer, CopyStatus, DeviceCopy, Memory, MemoryLocation, Mode, State, Submission, submission,
};
use crate::dispatch::{Job, dispatch};
use crate::event::{Node, OwnEvent};
use crate::platform::Device;
use crate::{Result, lock, settings};

/// The alignment of device copies.
const DEVICE_ALIGNMENT: usize = 256;

/// The access of one command to one buffer.
#[derive(Clone, Copy)]
pub struct Access<'a> {
    pub buffer: &'a Buffer,
    pub mode: Mode,
    /// Whether earlier contents need not be kept.
    pub no_init: bool,
    /// Whether a host task receives the native object of the buffer.
    pub native: bool,
}

impl Access<'_> {
    /// Returns whether the command reads or keeps earlier bytes of the contents.
    fn needs_contents(&self) -> bool {
        let whole = self.buffer.size == self.buffer.memory().size;
        !(self.mode.writes() && self.no_init && whole)
    }
}

/// Returns the address of the buffer's first byte at `place`, and adds the dependencies of the
/// command to `deps`.
pub fn prepare(
    _turn: &Submission,
    access: &Access<'_>,
    place: MemoryLocation,
    deps: &mut Vec<Node>,
) -> Result<*mut u8> {
    prepare_by(access, place, false, deps)
}

fn prepare_by(
    access: &Access<'_>,
    place: MemoryLocation,
    by_host: bool,
    deps: &mut Vec<Node>,
) -> Result<*mut u8> {
    let memory = access.buffer.memory();
    let mut state = lock(&memory.state);
    let base = state.place(place, memory.size)?;
    if access.needs_contents() {
        state.make_current(place, memory.size)?;
    }
    state.tracker.conflicts(&access.buffer.bytes(), access.mode.writes(), by_host, deps);
    deps.extend(state.status(place).ready_node());
    Ok(base.wrapping_add(access.buffer.offset as usize))
}

/// Records the access of a command that waits for the dependencies from [`prepare`].
pub fn record(_turn: &Submission, access: &Access<'_>, place: MemoryLocation, node: &Node) {
    record_by(access, place, false, node);
}

fn record_by(access: &Access<'_>, place: MemoryLocation, by_host: bool, node: &Node) {
    let mut state = lock(&access.buffer.memory().state);
    let writes = access.mode.writes();
    if writes {
        state.has_contents = true;
        state.host_status.current = false;
        state.copies.iter_mut().for_each(|copy| copy.status.current = false);
        state.status(place).current = true;
    }
    state.tracker.add(Tracked {
        bytes: access.buffer.bytes(),
        writes,
        by_host,
        node: node.clone(),
    });
}

impl State {
    /// Returns the address of the copy at `place`. Allocates the copy if it does not exist.
    fn place(&mut self, place: MemoryLocation, size: u64) -> Result<*mut u8> {
        match place {
            MemoryLocation::Host => self.host_address(size),
            MemoryLocation::Device(device) => {
                if let Some(copy) = self.copies.iter().find(|copy| copy.device.id == device.id) {
                    return Ok(copy.ptr.cast());
                }
                let ptr =
                    device.hal.alloc(UsmKind::Device, (size as usize).max(1), DEVICE_ALIGNMENT)?;
                self.copies.push(DeviceCopy { device, ptr, status: CopyStatus::default() });
                Ok(ptr.cast())
            }
        }
    }

    /// Returns the status of a copy that [`State::place`] has created.
    fn status(&mut self, place: MemoryLocation) -> &mut CopyStatus {
        match place {
            MemoryLocation::Host => &mut self.host_status,
            MemoryLocation::Device(device) => {
                match self.copies.iter().position(|copy| copy.device.id == device.id) {
                    Some(at) => &mut self.copies[at].status,
                    None => &mut self.host_status,
                }
            }
        }
    }

    /// Copies the contents to `place` if another copy is newer.
    pub(super) fn make_current(&mut self, place: MemoryLocation, size: u64) -> Result<()> {
        if !self.has_contents || self.status(place).current {
            return Ok(());
        }
        if !self.host_status.current {
            let Some(from) = self.copies.iter().find(|copy| copy.status.current) else {
                return Ok(());
            };
            let (device, src) = (from.device, from.ptr);
            let dst: *mut c_void = self.host_address(size)?.cast();
            let node = self.copy(device, dst, src, size, MemoryLocation::Device(device))?;
            self.host_status = CopyStatus { current: true, ready: Some(node) };
        }
        if let MemoryLocation::Device(device) = place {
            let dst: *mut c_void = self.place(place, size)?.cast();
            let src: *mut c_void = self.host_address(size)?.cast();
            let node = self.copy(device, dst, src, size, MemoryLocation::Host)?;
            *self.status(place) = CopyStatus { current: true, ready: Some(node) };
        }
        Ok(())
    }

    /// Enqueues a copy of all contents between the host and `device`.
    fn copy(
        &mut self,
        device: &'static Device,
        dst: *mut c_void,
        src: *mut c_void,
        size: u64,
        from: MemoryLocation,
    ) -> Result<Node> {
        if settings::trace().memory {
            let direction = if matches!(from, MemoryLocation::Host) { "to" } else { "from" };
            settings::trace_line(
                "memory",
                &format!("copying {size} bytes {direction} {}", device.name()),
            );
        }
        let mut deps = Vec::new();
        self.tracker.conflicts(&(0..size), false, false, &mut deps);
        deps.extend(self.status(from).ready_node());
        let work = Work::Memcpy { dst, src, size: size as usize };
        // SAFETY: both copies have `size` bytes and live until the commands recorded in the tracker
        // have completed. `deps` orders earlier writes of the contents before this copy, and the
        // tracker orders later writes after it.
        let node =
            unsafe { dispatch(Job::Plain(&device.backend_queue(false)?, work), &mut deps, None) }?;
        self.tracker.add(Tracked {
            bytes: 0..size,
            writes: false,
            by_host: false,
            node: node.clone(),
        });
        Ok(node)
    }
}

impl CopyStatus {
    /// Returns the command that makes the copy current, until it has completed.
    fn ready_node(&mut self) -> Option<Node> {
        if self.ready.as_ref().is_some_and(Node::is_complete) {
            self.ready = None;
        }
        self.ready.clone()
    }
}

/// An access by the host program. Conflicting commands wait until it is dropped.
pub struct HostAccess {
    event: Arc<OwnEvent>,
    /// The program may use the address until then, even if the buffer is destroyed first.
    _memory: Arc<Memory>,
}

impl HostAccess {
    /// Waits for conflicting commands, and returns the address of the buffer's current contents. A
    /// failure of such a command is not an error here.
    pub fn begin(access: &Access<'_>) -> Result<(Self, *mut u8)> {
        let mut deps = Vec::new();
        let event = OwnEvent::new();
        let address = {
            let _turn = submission();
            let address = prepare_by(access, MemoryLocation::Host, true, &mut deps)?;
            record_by(access, MemoryLocation::Host, true, &event.node());
            address
        };
        let begun = Self { event, _memory: access.buffer.memory().clone() };
        let _wait = Span::wait("host accessor");
        for dep in deps {
            // The queue of a failed command reports the failure. The host sees the contents as they
            // are.
            let _ = dep.event.wait();
        }
        Ok((begun, address))
    }
}

impl Drop for HostAccess {
    fn drop(&mut self) {
        self.event.complete(Ok(()));
    }
}
