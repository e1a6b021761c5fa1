//! Queues: the order of commands.
//!
//! A command waits for the events it names, for earlier commands that conflict on a buffer, on an
//! in-order queue for the command before, and behind a barrier for all commands before that.
//! [`Queue::submit`] finds these and hands the command to a backend.
//!
//! A queue remembers commands until they have completed; their failures become its asynchronous
//! errors. An error that passes from a command to those that wait for it is reported once.

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};

use scythe_abi::capi::{self, Destroy};
use scythe_hal::{self as hal, HostKernelWork, KernelWork, Work};

use crate::context::Context;
use crate::copy::{self, View, ViewPlace};
use crate::dispatch::{Job, Keep, Target, dispatch};
use crate::event::Node;
use crate::exit;
use crate::late_errors::{self, Listener};
use crate::launch::{Placed, find, launched_local_size, place_accessors};
use crate::memory::coherence::{Access, prepare, record};
use crate::memory::finish::in_host_task;
use crate::memory::{Place, submission};
use crate::platform::Device;
use crate::registry::ReadyKernel;
use crate::{Error, Result, device_global, invalid, lock};

/// A SYCL queue.
pub struct Queue {
    pub context: Arc<Context>,
    pub device: &'static Device,
    in_order: bool,
    pub profiling: bool,
    target: Target,
    /// Where host tasks and kernels of host mode go.
    host: Target,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Commands that may not have completed: of an in-order queue the last one, which stands for
    /// all.
    pending: Vec<Node>,
    /// Length at which completed commands are next looked for.
    prune_at: usize,
    barrier: Option<Node>,
    /// What the next command of an in-order queue waits for besides.
    external: Option<Node>,
    errors: Vec<Error>,
    /// Empty between submissions: spares an allocation for each.
    scratch: Vec<Node>,
    /// Launches that the program may well repeat.
    known: [Option<Known>; KNOWN],
}

/// How many commands a queue remembers before it looks for completed ones.
const REMEMBERED: usize = 1024;

/// How many commands under way a queue asks about in passing: a driver's answer costs about as much
/// as a launch.
const ASKED: usize = 16;

/// How many launches a queue remembers.
const KNOWN: usize = 4;

/// A launch that was found right, and its kernel as long as that lives. The same again is right
/// again.
pub struct Known {
    /// What the kernel's slot holds, which is one kernel in one generation of the registry.
    slot: (usize, u64),
    functor_size: u64,
    shape: u32,
    dims: u32,
    global_size: [u64; 3],
    local_size: [u64; 3],
    global_offset: [u64; 3],
    kernel: Weak<ReadyKernel>,
}

impl Known {
    pub fn new(slot: (usize, u64), launch: &capi::KernelLaunch, kernel: &Arc<ReadyKernel>) -> Self {
        let &capi::KernelLaunch {
            functor_size,
            shape,
            dims,
            global_size,
            local_size,
            global_offset,
            ..
        } = launch;
        let kernel = Arc::downgrade(kernel);
        Self { slot, functor_size, shape, dims, global_size, local_size, global_offset, kernel }
    }

    fn is_like(&self, slot: (usize, u64), launch: &capi::KernelLaunch) -> bool {
        self.slot == slot
            && (self.functor_size, self.shape, self.dims)
                == (launch.functor_size, launch.shape, launch.dims)
            && self.global_size == launch.global_size
            && self.local_size == launch.local_size
            && self.global_offset == launch.global_offset
    }

    /// Where it is remembered: entries, which slots hold, are allocations of their own.
    fn place((entry, _): (usize, u64)) -> usize {
        (entry >> 6) % KNOWN
    }
}

/// A command's own part, checked. Views are boxed to keep the others small.
pub enum Action<'a> {
    /// Only orders.
    Marker,
    /// `work` launches `kernel`; its functor's accessors have no addresses yet.
    Kernel {
        kernel: Arc<ReadyKernel>,
        work: Box<KernelWork>,
    },
    HostKernel(Box<HostKernelWork>),
    HostTask(HostCall),
    /// Work on plain addresses.
    Plain(Work),
    Copy {
        dst: Box<View<'a>>,
        src: Box<View<'a>>,
    },
    Fill {
        dst: Box<View<'a>>,
        pattern: Vec<u8>,
    },
    /// Makes the host copies of the command's buffers current.
    UpdateHost,
}

/// A host task's function with its context, whose end it calls.
///
/// The context is the runtime's only once the submission has succeeded, and by then the task may
/// already have run: the later of the two, [`HostCall::drop`] and [`Commit::commit`], ends the
/// context. Without a commit nobody does.
pub struct HostCall {
    call: unsafe extern "C" fn(*mut c_void),
    shared: Arc<HostContext>,
}

/// The submitter's part of a [`HostCall`].
pub struct Commit(Arc<HostContext>);

struct HostContext {
    context: *mut c_void,
    destroy: Option<Destroy>,
    /// Set by the first of the two.
    one_done: AtomicBool,
}

// SAFETY: the program handed function and context over to be used by one runtime thread at a time;
// `one_done` decides whose turn the end is.
unsafe impl Send for HostContext {}
// SAFETY: as above.
unsafe impl Sync for HostContext {}

impl HostContext {
    fn arrive(&self) {
        if self.one_done.swap(true, Ordering::AcqRel)
            && let Some(destroy) = self.destroy
        {
            // SAFETY: called once, by the later of two, when the context is no longer used.
            in_host_task(|| unsafe { destroy(self.context) });
        }
    }
}

impl HostCall {
    /// # Safety
    /// `call` may be called once with `context`, on any thread, and `destroy` after that, once the
    /// submission that takes the call has been committed.
    pub unsafe fn new(
        call: unsafe extern "C" fn(*mut c_void),
        destroy: Option<Destroy>,
        context: *mut c_void,
    ) -> (Self, Commit) {
        let shared = Arc::new(HostContext { context, destroy, one_done: AtomicBool::new(false) });
        (Self { call, shared: shared.clone() }, Commit(shared))
    }

    fn run(self) {
        // SAFETY: `new`'s caller allows it; `self` is consumed, so that this is the only call.
        in_host_task(|| unsafe { (self.call)(self.shared.context) });
    }
}

impl Drop for HostCall {
    fn drop(&mut self) {
        self.shared.arrive();
    }
}

impl Commit {
    /// The submission has succeeded: the context is the runtime's.
    pub fn commit(self) {
        self.0.arrive();
    }
}

/// Everything of a command that orders it.
#[derive(Clone, Copy, Default)]
pub struct Order<'a> {
    pub accesses: &'a [Access<'a>],
    pub events: &'a [Node],
    /// Waits for everything submitted to the queue before, and holds up everything after.
    pub barrier: bool,
    /// Holds up everything after.
    pub hold: bool,
}

impl Queue {
    pub fn new(
        context: Arc<Context>,
        device: &'static Device,
        in_order: bool,
        profiling: bool,
    ) -> Result<Arc<Self>> {
        let device = context.actual(device).ok_or_else(|| {
            invalid(format!("device '{}' is not in the queue's context", device.name()))
        })?;
        let target = device.target(profiling)?;
        let own = if in_order { device.hal.create_in_order_queue(profiling)? } else { None };
        let target = own.map_or_else(|| target.clone(), |queue| Target { queue, ..target.clone() });
        Self::on(context, device, in_order, profiling, target)
    }

    /// A queue of the driver's that the program made itself.
    ///
    /// # Safety
    /// `native` is a queue of the driver, alive, of the context's own.
    pub unsafe fn from_native(context: Arc<Context>, native: hal::Native) -> Result<Arc<Self>> {
        let members: Vec<_> =
            context.devices().filter_map(|device| context.actual(device)).collect();
        for device in members {
            // SAFETY: passed on.
            if let Some(found) = unsafe { device.interop()?.queue_from_native(native) }? {
                let target = Target { queue: found.queue, ..device.target(false)? };
                return Self::on(context, device, found.in_order, found.profiling, target);
            }
        }
        Err(invalid(format!("no device of the context owns the native queue {native:p}")))
    }

    fn on(
        context: Arc<Context>,
        device: &'static Device,
        in_order: bool,
        profiling: bool,
        target: Target,
    ) -> Result<Arc<Self>> {
        let host = device.host().target(profiling)?;
        let state = Mutex::default();
        let queue = Arc::new(Self { context, device, in_order, profiling, target, host, state });
        exit::watch(Arc::downgrade(&queue));
        Ok(queue)
    }

    pub fn is_in_order(&self) -> bool {
        self.in_order
    }

    /// Orders a command and hands it on; returns its event without waiting.
    ///
    /// # Safety
    /// Addresses, functors and handles in `action` are valid as `abi.h` says, until the command has
    /// completed.
    pub unsafe fn submit(&self, action: Action<'_>, order: Order<'_>) -> Result<Node> {
        let (target, place) = match &action {
            Action::HostTask(_) | Action::HostKernel(_) => (&self.host, Place::Host),
            Action::UpdateHost => (&self.target, Place::Host),
            _ => (&self.target, Place::Device(self.device)),
        };
        let updates = matches!(action, Action::UpdateHost);
        let place = |access: &Access<'_>| match place {
            // What the task gets of the driver's is what must be current.
            Place::Host if access.native && !updates => {
                access.buffer.place(Place::Device(self.device), true)
            }
            place => access.buffer.place(place, false),
        };
        if order.accesses.is_empty() {
            // SAFETY: passed on.
            return unsafe { self.send(target, action, order, &[], Vec::new()) };
        }
        let turn = submission();
        let mut deps = Vec::new();
        let mut placed = Vec::with_capacity(order.accesses.len());
        for access in order.accesses {
            let address = prepare(&turn, access, place(access), &mut deps)?;
            placed.push(Placed { buffer: access.buffer, address });
        }
        // SAFETY: passed on; the copies at `placed` live until the commands recorded below have
        // completed.
        let node = unsafe { self.send(target, action, order, &placed, deps) }?;
        for access in order.accesses {
            record(&turn, access, place(access), &node);
        }
        Ok(node)
    }

    /// The short way for a kernel without accessors that names no events, and runs at least one
    /// work-item. `None`, without any effect, where it must be submitted. The queue remembers it as
    /// `known`.
    ///
    /// # Safety
    /// As for [`Queue::submit`].
    pub unsafe fn launch(
        &self,
        launch: &hal::Launch<'_>,
        known: Option<Known>,
    ) -> Option<Result<Node>> {
        let mut state = lock(&self.state);
        // SAFETY: passed on.
        let launched = unsafe { self.launch_behind(&mut state, launch) };
        if let (Some(Ok(_)), Some(known)) = (&launched, known) {
            let at = Known::place(known.slot);
            state.known[at] = Some(known);
        }
        launched
    }

    /// The same for a launch like one before, whose kernel the queue remembers, with this functor.
    /// `slot` is what its kernel's slot holds.
    ///
    /// # Safety
    /// As for [`Queue::submit`]; the functor is as large as the launch says.
    pub unsafe fn launch_again(
        &self,
        slot: (usize, u64),
        launch: &capi::KernelLaunch,
        functor: &[u8],
    ) -> Option<Result<Node>> {
        let mut state = lock(&self.state);
        let known =
            state.known[Known::place(slot)].as_ref().filter(|known| known.is_like(slot, launch))?;
        let kernel = known.kernel.upgrade()?;
        let capi::KernelLaunch { dims, global_size, global_offset, .. } = launch;
        let local_size = launched_local_size(launch);
        let lent = hal::Launch {
            kernel: &*kernel,
            functor,
            dims: *dims,
            global_size,
            local_size,
            global_offset,
        };
        // SAFETY: passed on.
        unsafe { self.launch_behind(&mut state, &lent) }
    }

    /// # Safety
    /// As for [`Queue::launch`].
    unsafe fn launch_behind(
        &self,
        state: &mut State,
        launch: &hal::Launch<'_>,
    ) -> Option<Result<Node>> {
        if state.barrier.is_some() || state.external.is_some() {
            return None;
        }
        let Target { queue, origin } = &self.target;
        let mut last = None;
        if self.in_order {
            if state.pending.len() > 1 || state.pending.iter().any(|node| node.origin != *origin) {
                return None;
            }
            last = state.pending.pop().map(|node| node.event);
        } else {
            state.collect(false);
        }
        // SAFETY: passed on; where the queue is in order, the command follows the last one.
        let launched = unsafe { queue.launch(launch, &mut last) };
        // Where it failed, the last one is as it was.
        let node = last.map(|event| Node { event, origin: *origin });
        state.pending.extend(node.clone());
        Some(launched?.and_then(|()| node.ok_or_else(|| invalid("a launch has no event"))))
    }

    /// # Safety
    /// As for [`Queue::submit`]; `deps` orders the command after those that conflict with it on
    /// `placed`.
    unsafe fn send(
        &self,
        target: &Target,
        action: Action<'_>,
        order: Order<'_>,
        placed: &[Placed<'_>],
        mut deps: Vec<Node>,
    ) -> Result<Node> {
        let (job, keep, rest) = make_job(action, placed)?;
        let mut state = lock(&self.state);
        if deps.capacity() == 0 {
            deps = std::mem::take(&mut state.scratch);
        }
        // An event that failed counts: the command fails with it, however late it is submitted.
        deps.extend(order.events.iter().filter(|event| event.outcome() != Some(Ok(()))).cloned());
        state.collect(self.in_order);
        if self.in_order || order.barrier {
            deps.extend(state.pending.iter().cloned());
        }
        deps.extend(state.barrier.clone());
        deps.extend(state.external.take());
        // SAFETY: the caller vouches for the addresses, and `deps` for the order.
        let mut sent = unsafe { dispatch(target, job, &mut deps, keep) };
        deps.clear();
        for (work, keep) in rest {
            let Ok(node) = &sent else { break };
            deps.push(node.clone());
            // SAFETY: as above; each step follows the one before.
            sent = unsafe { dispatch(target, Job::Plain(work), &mut deps, keep) };
            deps.clear();
        }
        state.scratch = deps;
        let node = sent?;
        if self.in_order || order.barrier {
            state.pending.clear();
        }
        state.pending.push(node.clone());
        if (order.barrier || order.hold) && !self.in_order {
            state.barrier = Some(node.clone());
        }
        Ok(node)
    }

    /// Waits until every command submitted so far has completed.
    pub fn wait(&self) {
        let (pending, external) = {
            let mut state = lock(&self.state);
            (state.pending.clone(), state.external.take())
        };
        if let Some(external) = external {
            // It has a queue of its own, whose error it is.
            let _ = external.event.wait();
        }
        for node in &pending {
            // How it ended is collected below.
            let _ = node.event.wait();
        }
        lock(&self.state).sweep(usize::MAX);
    }

    /// The last command of an in-order queue, or what was to come before the next one; `None` where
    /// it has completed and nothing is known of it any more.
    pub fn last(&self) -> Result<Option<Node>> {
        self.check_in_order("the last event")?;
        let state = lock(&self.state);
        Ok(state.external.clone().or_else(|| state.pending.last().cloned()))
    }

    /// Has the next command of an in-order queue wait for `event` besides, in place of what it was
    /// to wait for so far.
    pub fn set_external(&self, event: Option<Node>) -> Result<()> {
        self.check_in_order("an external event")?;
        lock(&self.state).external = event;
        Ok(())
    }

    fn check_in_order(&self, what: &str) -> Result<()> {
        match self.in_order {
            true => Ok(()),
            false => Err(invalid(format!(
                "only an in-order queue has {what}, but this queue is out of order; construct it \
                 with the in_order property"
            ))),
        }
    }

    /// Every command submitted so far has completed.
    pub fn is_empty(&self) -> bool {
        let mut state = lock(&self.state);
        state.sweep(usize::MAX);
        state.pending.is_empty()
    }

    /// The driver's own queue, with a count for the caller.
    pub fn native(&self) -> Result<hal::Native> {
        self.target.queue.native()
    }

    /// A backend has commands of this queue.
    pub fn is_busy(&self) -> bool {
        lock(&self.state).pending.iter().any(exit::is_with_backend)
    }

    /// Takes the errors of commands that have failed, oldest first.
    pub fn take_errors(&self) -> Vec<Error> {
        let mut state = lock(&self.state);
        state.sweep(usize::MAX);
        std::mem::take(&mut state.errors)
    }

    /// Gives all errors that nobody has taken to `listener`, those of commands under way when they
    /// come.
    pub fn leave_errors_to(&self, listener: Box<dyn Listener>) {
        let (errors, pending) = {
            let mut state = lock(&self.state);
            state.sweep(usize::MAX);
            (std::mem::take(&mut state.errors), state.pending.clone())
        };
        late_errors::listen(errors, pending, listener);
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        let pending = std::mem::take(&mut lock(&self.state).pending);
        device_global::keep_until_complete(self.context.id, &pending);
        exit::adopt(pending);
    }
}

impl State {
    /// Looks for completed commands: on an in-order queue for what is known of the last one, else
    /// now and then.
    fn collect(&mut self, in_order: bool) {
        if in_order {
            if self.pending.iter().any(|node| node.event.known_end().is_some()) {
                self.sweep(ASKED);
            }
        } else if self.pending.len() >= self.prune_at {
            self.sweep(ASKED);
            self.prune_at = (2 * self.pending.len()).max(REMEMBERED);
        }
    }

    /// Forgets completed commands and keeps their errors. Not more than `most` that are under way
    /// are asked, the oldest ones; of the others, what is known of them counts.
    fn sweep(&mut self, most: usize) {
        let (errors, mut running) = (&mut self.errors, 0);
        let outcome =
            |node: &Node, ask: bool| if ask { node.outcome() } else { node.event.known_end() };
        self.pending.retain(|node| match outcome(node, running < most) {
            None => {
                running += 1;
                true
            }
            Some(Ok(())) => false,
            Some(Err(error)) => {
                if !errors.contains(&error) {
                    errors.push(error);
                }
                false
            }
        });
        if self.barrier.as_ref().is_some_and(Node::is_complete) {
            self.barrier = None;
        }
    }
}

/// The first step with what it keeps, and more where one is not enough.
type Parts = (Job, Keep, Vec<(Work, Keep)>);

/// Makes the backend's work.
fn make_job(action: Action<'_>, placed: &[Placed<'_>]) -> Result<Parts> {
    let plain = |work: Work| Ok((Job::Plain(work), None, Vec::new()));
    match action {
        Action::Marker | Action::UpdateHost => plain(Work::Marker),
        Action::Plain(work) => plain(work),
        Action::HostTask(task) => plain(Work::HostTask(Box::new(move || {
            task.run();
            Ok(())
        }))),
        Action::Kernel { kernel, mut work } => {
            place_accessors(&mut work.functor, kernel.accessors(), kernel.symbol(), placed)?;
            Ok((Job::Kernel { work, kernel }, None, Vec::new()))
        }
        Action::HostKernel(work) => plain(Work::HostKernel(work)),
        Action::Copy { dst, src } => {
            let steps = copy::copy(&dst, base(&dst, placed)?, &src, base(&src, placed)?)?;
            Ok((Job::Plain(steps.first.0), steps.first.1, steps.rest))
        }
        Action::Fill { dst, pattern } => {
            let steps = copy::fill(&dst, base(&dst, placed)?, pattern)?;
            Ok((Job::Plain(steps.first.0), steps.first.1, steps.rest))
        }
    }
}

/// Where a view's memory begins for the command.
fn base(view: &View<'_>, placed: &[Placed<'_>]) -> Result<*mut u8> {
    match view.place {
        ViewPlace::Address(ptr) => Ok(ptr),
        ViewPlace::Buffer(buffer) => find(placed, buffer).ok_or_else(|| {
            invalid(
                "a copy or fill uses a buffer that the command group does not require: use an \
                 accessor of this command group",
            )
        }),
    }
}
