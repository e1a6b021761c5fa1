//! Queues, and the order of commands.
//!
//! A command waits for the events that it names and for earlier commands that conflict on a buffer.
//! On an in-order queue it also waits for the previous command, and after a barrier for all
//! commands before the barrier. [`Queue::submit`] determines these dependencies and passes the
//! command to a backend.
//!
//! A queue records commands until they have completed; their failures become its asynchronous
//! errors. An error that propagates from a command to the commands that wait for it is reported
//! once.

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};

use scythe_abi::capi::{self, Destroy};
use scythe_hal::{self as hal, HostKernelWork, HostWork, Keep, KernelWork, Priority, Work};
use scythe_trace::Span;

use crate::context::Context;
use crate::copy::{self, View, ViewPlace};
use crate::dispatch::{BackendQueue, HostBackendQueue, Job, dispatch};
use crate::event::{Node, OwnEvent};
use crate::exit;
use crate::graph::body::RepeatedTask;
use crate::graph::plan::Plan;
use crate::graph::record::Recorder;
use crate::late_errors::{self, Listener};
use crate::launch::{Placed, find, launched_local_size, place_accessors};
use crate::memory::coherence::{Access, prepare, record};
use crate::memory::finish::in_host_task;
use crate::memory::{MemoryLocation, submission};
use crate::platform::Device;
use crate::registry::ReadyKernel;
use crate::registry::{self, DeviceInContext};
use crate::{Error, Result, device_global, invalid, lock, timeline};

/// A SYCL queue.
pub struct Queue {
    pub context: Arc<Context>,
    pub device: &'static Device,
    in_order: bool,
    pub profiling: bool,
    backend_queue: BackendQueue,
    /// Where host tasks and kernels of host mode go.
    host: HostBackendQueue,
    state: Mutex<State>,
    /// Whether `recorder` is set, for a test without a lock.
    records: AtomicBool,
    /// The graph that receives the commands instead of a backend.
    recorder: Mutex<Option<Recorder>>,
}

#[derive(Default)]
struct State {
    /// Commands that may not have completed. An in-order queue only records the last one, which
    /// represents all of them.
    pending: Vec<Node>,
    /// The length of `pending` at which the next search for completed commands starts.
    prune_at: usize,
    barrier: Option<Node>,
    /// An additional dependency of the next command of an in-order queue.
    external: Option<Node>,
    errors: Vec<Error>,
    /// Empty between submissions. Reusing it avoids an allocation per submission.
    scratch: Vec<Node>,
    /// Recent launches, which the program may repeat.
    known: [Option<Known>; KNOWN],
}

/// The number of commands that a queue records before it searches for completed ones.
const REMEMBERED: usize = 1024;

/// The maximum number of running commands whose status a submission queries: a query to the driver
/// costs about as much as a launch.
const ASKED: usize = 16;

/// The number of recent launches that a queue records.
const KNOWN: usize = 4;

/// A launch that passed validation, with a weak reference to its kernel. An equal launch is valid
/// without another check.
pub struct Known {
    /// The contents of the kernel's slot, which identify one kernel in one generation of the
    /// registry.
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

    /// Returns the index of the record. Slots hold the addresses of entries, which are separate
    /// allocations.
    fn place((entry, _): (usize, u64)) -> usize {
        (entry >> 6) % KNOWN
    }
}

/// The specific part of a command, after validation. Views are boxed to keep the other variants
/// small.
pub enum Action<'a> {
    /// No work; the command only affects the order.
    Marker,
    /// A launch of `kernel` by `work`. The accessors of its functor have no addresses yet.
    Kernel {
        kernel: Arc<ReadyKernel>,
        work: Box<KernelWork>,
    },
    HostKernel(Box<HostKernelWork>),
    HostTask(HostCall),
    /// A host task of a graph.
    Repeated(Arc<RepeatedTask>),
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

/// The function of a host task and its context, which it destroys at the end.
///
/// The runtime owns the context only after the submission has succeeded, and the task may have run
/// before that. Therefore the later of [`HostCall::drop`] and [`Commit::commit`] destroys the
/// context. Without a commit, the runtime does not destroy it.
pub struct HostCall {
    call: unsafe extern "C" fn(*mut c_void),
    shared: Arc<HostContext>,
}

/// The submitter's part of a [`HostCall`].
pub struct Commit(Arc<HostContext>);

struct HostContext {
    context: *mut c_void,
    destroy: Option<Destroy>,
    /// Set by the first of the two calls.
    one_done: AtomicBool,
}

// SAFETY: the program passed function and context for use by one runtime thread at a time, and
// `one_done` determines which thread destroys the context.
unsafe impl Send for HostContext {}
// SAFETY: only one thread at a time uses the context, as stated for `Send`.
unsafe impl Sync for HostContext {}

impl HostContext {
    fn arrive(&self) {
        if self.one_done.swap(true, Ordering::AcqRel)
            && let Some(destroy) = self.destroy
        {
            // SAFETY: only the later of the two calls reaches this, so the context is destroyed
            // once and is no longer in use.
            in_host_task(|| unsafe { destroy(self.context) });
        }
    }
}

impl HostCall {
    /// Creates the call of a host task and its commit.
    ///
    /// # Safety
    /// It must be sound to call `call` once with `context`, on any thread. After that call and
    /// after the commit of the submission, it must be sound to call `destroy`.
    pub unsafe fn new(
        call: unsafe extern "C" fn(*mut c_void),
        destroy: Option<Destroy>,
        context: *mut c_void,
    ) -> (Self, Commit) {
        let shared = Arc::new(HostContext { context, destroy, one_done: AtomicBool::new(false) });
        (Self { call, shared: shared.clone() }, Commit(shared))
    }

    fn run(self) {
        // SAFETY: the caller of `new` allows one call, and `self` is consumed, so this is the only
        // one.
        in_host_task(|| unsafe { (self.call)(self.shared.context) });
    }
}

impl Drop for HostCall {
    fn drop(&mut self) {
        self.shared.arrive();
    }
}

impl Commit {
    /// Records that the submission has succeeded, so that the runtime owns the context.
    pub fn commit(self) {
        self.0.arrive();
    }
}

/// The properties of a command that determine its order.
#[derive(Clone, Copy, Default)]
pub struct Order<'a> {
    pub accesses: &'a [Access<'a>],
    pub events: &'a [Node],
    /// Whether the command waits for all earlier commands of the queue and delays all later ones.
    pub barrier: bool,
    /// Whether the command delays all later ones.
    pub hold: bool,
}

impl Queue {
    pub fn new(
        context: Arc<Context>,
        device: &'static Device,
        in_order: bool,
        profiling: bool,
        priority: Option<Priority>,
    ) -> Result<Arc<Self>> {
        let device = context.actual(device).ok_or_else(|| {
            invalid(format!("device '{}' is not in the queue's context", device.name()))
        })?;
        let backend_queue = device.backend_queue(profiling)?;
        let times = profiling || timeline::is_on();
        let mut own = match priority {
            Some(priority) => device.hal.create_queue_with_priority(in_order, times, priority)?,
            None => None,
        };
        if own.is_none() && in_order {
            own = device.hal.create_in_order_queue(times)?;
        }
        let backend_queue = own.map_or_else(
            || backend_queue.clone(),
            |queue| BackendQueue { queue, ..backend_queue.clone() },
        );
        let queue = Self::on(context, device, in_order, profiling, backend_queue)?;
        registry::load_early(DeviceInContext { device, context: queue.context.id });
        Ok(queue)
    }

    /// Creates a queue from a native queue that the program created.
    ///
    /// # Safety
    /// `native` must be a live queue of the driver in the native context of `context`.
    pub unsafe fn from_native(context: Arc<Context>, native: hal::Native) -> Result<Arc<Self>> {
        let members: Vec<_> =
            context.devices().filter_map(|device| context.actual(device)).collect();
        for device in members {
            // SAFETY: the caller guarantees that `native` is a live queue of the driver in this
            // context.
            if let Some(found) = unsafe { device.interop()?.queue_from_native(native) }? {
                let backend_queue =
                    BackendQueue { queue: found.queue, ..device.backend_queue(false)? };
                return Self::on(context, device, found.in_order, found.profiling, backend_queue);
            }
        }
        Err(invalid(format!("no device of the context owns the native queue {native:p}")))
    }

    fn on(
        context: Arc<Context>,
        device: &'static Device,
        in_order: bool,
        profiling: bool,
        backend_queue: BackendQueue,
    ) -> Result<Arc<Self>> {
        let host = device.host().host_backend_queue(profiling)?;
        let queue = Arc::new(Self {
            context,
            device,
            in_order,
            profiling,
            backend_queue,
            host,
            state: Mutex::default(),
            records: AtomicBool::new(false),
            recorder: Mutex::default(),
        });
        exit::watch(Arc::downgrade(&queue));
        Ok(queue)
    }

    pub fn is_in_order(&self) -> bool {
        self.in_order
    }

    /// Makes a graph receive the commands of the queue.
    pub fn start_recording(&self, recorder: Recorder) -> Result<()> {
        let mut current = lock(&self.recorder);
        if current.is_some() {
            return Err(invalid("begin_recording: the queue is already recording to a graph"));
        }
        *current = Some(recorder);
        self.records.store(true, Ordering::Release);
        Ok(())
    }

    pub fn stop_recording(&self) {
        let stopped = lock(&self.recorder).take();
        self.records.store(false, Ordering::Release);
        drop(stopped);
    }

    /// Returns whether a graph receives the commands of the queue.
    pub fn is_recording(&self) -> bool {
        self.records.load(Ordering::Acquire)
    }

    /// Returns the graph that receives the commands of the queue.
    pub fn recorder(&self) -> Option<Recorder> {
        if self.is_recording() { lock(&self.recorder).clone() } else { None }
    }

    /// Launches the steps of a graph after `deps` and the commands that precede a command of the
    /// queue. Returns the event of the launch. `keep` makes an owner of what the steps use.
    ///
    /// # Safety
    /// The addresses in the steps must be valid until the launch has completed.
    pub unsafe fn send_plan(
        &self,
        plan: &Plan,
        mut deps: Vec<Node>,
        keep: &dyn Fn() -> Keep,
        profiling: bool,
    ) -> Result<Node> {
        deps.retain(|event| event.outcome() != Some(Ok(())));
        let mut state = lock(&self.state);
        state.collect(self.in_order);
        if self.in_order {
            deps.extend(state.pending.iter().cloned());
        }
        deps.extend(state.barrier.clone());
        deps.extend(state.external.take());
        let mut sent: Vec<Node> = Vec::with_capacity(plan.steps.len());
        let mut failure = None;
        let leaves = plan.leaves();
        for (index, step) in plan.steps.iter().enumerate() {
            // The last command of a launch keeps what all of its commands use.
            let kept = if leaves == [index] { keep() } else { None };
            let mut before = match step.deps.is_empty() {
                true => deps.clone(),
                false => step.deps.iter().map(|&step| sent[step].clone()).collect(),
            };
            // SAFETY: the caller vouches for the addresses, and `before` for the order.
            let node =
                unsafe { dispatch(step.job(&self.backend_queue, &self.host), &mut before, kept) };
            match node {
                Ok(node) => sent.push(node),
                Err(error) => {
                    failure = Some(error);
                    break;
                }
            }
        }
        if let Some(error) = failure {
            // The steps so far run, and the queue waits for them.
            for node in &sent {
                let kept = keep();
                node.event.on_complete(Box::new(move |_| drop(kept)));
            }
            state.pending.extend(sent);
            return Err(error);
        }
        let leaves: Vec<Node> = leaves.into_iter().map(|step| sent[step].clone()).collect();
        let mut node = match (&leaves[..], &sent[..]) {
            ([one], _) => one.clone(),
            _ => {
                let mut before = if leaves.is_empty() { deps } else { leaves };
                let marker = Job::Plain(&self.backend_queue, Work::Marker);
                // SAFETY: a marker has no addresses.
                unsafe { dispatch(marker, &mut before, keep()) }?
            }
        };
        if profiling && sent.len() > 1 {
            node = OwnEvent::spanning(sent, node);
        }
        if self.in_order {
            state.pending.clear();
        }
        state.pending.push(node.clone());
        Ok(node)
    }

    /// Orders a command and passes it to a backend. Returns its event without waiting.
    ///
    /// # Safety
    /// Addresses, functors and handles in `action` must be valid, as `abi.h` specifies, until the
    /// command has completed.
    pub unsafe fn submit(&self, action: Action<'_>, order: Order<'_>) -> Result<Node> {
        let place = match &action {
            Action::HostTask(_)
            | Action::Repeated(_)
            | Action::HostKernel(_)
            | Action::UpdateHost => MemoryLocation::Host,
            _ => MemoryLocation::Device(self.device),
        };
        let updates = matches!(action, Action::UpdateHost);
        let place = |access: &Access<'_>| match place {
            // A host task that uses native memory needs the current data on the device.
            MemoryLocation::Host if access.native && !updates => {
                access.buffer.place(MemoryLocation::Device(self.device), true)
            }
            place => access.buffer.place(place, false),
        };
        if order.accesses.is_empty() {
            // SAFETY: the caller satisfies the contract of `send`.
            return unsafe { self.send(action, order, &[], Vec::new()) };
        }
        let turn = submission();
        let mut deps = Vec::new();
        let mut placed = Vec::with_capacity(order.accesses.len());
        for access in order.accesses {
            let address = prepare(&turn, access, place(access), &mut deps)?;
            placed.push(Placed { buffer: access.buffer, address });
        }
        // SAFETY: the caller satisfies the contract of `send`. The copies at `placed` live until
        // the commands recorded below have completed.
        let node = unsafe { self.send(action, order, &placed, deps) }?;
        for access in order.accesses {
            record(&turn, access, place(access), &node);
        }
        Ok(node)
    }

    /// Launches a kernel on the fast path. The kernel must have no accessors, must depend on no
    /// events, and must run at least one work-item. Returns `None`, without any effect, if the
    /// kernel must be submitted instead. On success, the queue records the launch as `known`.
    ///
    /// # Safety
    /// The contract is that of [`Queue::submit`].
    pub unsafe fn launch(
        &self,
        launch: &hal::LaunchView<'_>,
        known: Option<Known>,
    ) -> Option<Result<Node>> {
        let mut state = lock(&self.state);
        // SAFETY: the caller satisfies the contract of `launch`.
        let launched = unsafe { self.launch_behind(&mut state, launch) };
        if let (Some(Ok(_)), Some(known)) = (&launched, known) {
            let at = Known::place(known.slot);
            state.known[at] = Some(known);
        }
        launched
    }

    /// Repeats a launch whose kernel the queue has recorded, with this functor. `slot` is the
    /// contents of the kernel's slot.
    ///
    /// # Safety
    /// The contract is that of [`Queue::submit`]. In addition, the functor must have the size that
    /// the launch states.
    pub unsafe fn launch_again(
        &self,
        slot: (usize, u64),
        launch: &capi::KernelLaunch,
        functor: &[u8],
        place: Option<hal::Place>,
    ) -> Option<Result<Node>> {
        let mut state = lock(&self.state);
        let known =
            state.known[Known::place(slot)].as_ref().filter(|known| known.is_like(slot, launch))?;
        let kernel = known.kernel.upgrade()?;
        let capi::KernelLaunch { dims, global_size, global_offset, .. } = launch;
        let local_size = launched_local_size(launch);
        let lent = hal::LaunchView {
            kernel: &*kernel,
            functor,
            dims: *dims,
            global_size,
            local_size,
            global_offset,
            cooperation: hal::Cooperation::None,
            place,
        };
        // SAFETY: the caller satisfies the contract of `submit`, and an equal launch passed
        // validation before.
        unsafe { self.launch_behind(&mut state, &lent) }
    }

    /// Launches a kernel after the last command, if the queue is in order.
    ///
    /// # Safety
    /// The contract is that of [`Queue::launch`].
    unsafe fn launch_behind(
        &self,
        state: &mut State,
        launch: &hal::LaunchView<'_>,
    ) -> Option<Result<Node>> {
        if state.barrier.is_some() || state.external.is_some() || timeline::is_on() {
            return None;
        }
        let BackendQueue { queue, origin, .. } = &self.backend_queue;
        let mut last = None;
        if self.in_order {
            if state.pending.len() > 1 || state.pending.iter().any(|node| node.origin != *origin) {
                return None;
            }
            last = state.pending.pop().map(|node| node.event);
        } else {
            state.collect(false);
        }
        // SAFETY: the caller satisfies the contract of `launch`. On an in-order queue, the command
        // waits for the last one.
        let launched = unsafe { queue.launch(launch, &mut last) };
        // If the launch failed, `last` is unchanged.
        let node = last.map(|event| Node { event, origin: *origin });
        state.pending.extend(node.clone());
        Some(launched?.and_then(|()| node.ok_or_else(|| invalid("a launch has no event"))))
    }

    /// Creates the job of a command and dispatches it after its dependencies.
    ///
    /// # Safety
    /// The contract is that of [`Queue::submit`]. In addition, `deps` must contain the commands
    /// that conflict with this one on `placed`.
    unsafe fn send(
        &self,
        action: Action<'_>,
        order: Order<'_>,
        placed: &[Placed<'_>],
        mut deps: Vec<Node>,
    ) -> Result<Node> {
        let (job, keep, rest) = self.make_job(action, placed)?;
        let mut state = lock(&self.state);
        if deps.capacity() == 0 {
            deps = std::mem::take(&mut state.scratch);
        }
        // A failed event remains a dependency: the command fails with it, however late it is
        // submitted.
        let shown = timeline::is_on();
        let waits = |event: &&Node| shown || event.outcome() != Some(Ok(()));
        deps.extend(order.events.iter().filter(waits).cloned());
        if shown && self.in_order {
            deps.extend(state.pending.iter().cloned());
        }
        state.collect(self.in_order);
        if self.in_order || order.barrier {
            match &state.pending[..] {
                // The accesses of a command often conflict with those of the command before.
                [last] if deps.iter().any(|dep| dep.is_same(last)) => {}
                pending => deps.extend(pending.iter().cloned()),
            }
        }
        deps.extend(state.barrier.clone());
        deps.extend(state.external.take());
        // SAFETY: the caller vouches for the addresses, and `deps` for the order.
        let mut sent = unsafe { dispatch(job, &mut deps, keep) };
        deps.clear();
        for (work, keep) in rest {
            let Ok(node) = &sent else { break };
            deps.push(node.clone());
            // SAFETY: as above; each step follows the one before.
            sent = unsafe { dispatch(Job::Plain(&self.backend_queue, work), &mut deps, keep) };
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

    /// Makes the backend's work.
    fn make_job(&self, action: Action<'_>, placed: &[Placed<'_>]) -> Result<Parts<'_>> {
        let plain = |work| Job::Plain(&self.backend_queue, work);
        let alone = |job| Ok((job, None, Vec::new()));
        match action {
            Action::Marker | Action::UpdateHost => alone(plain(Work::Marker)),
            Action::Plain(work) => alone(plain(work)),
            Action::HostTask(task) => {
                let run = move || {
                    task.run();
                    Ok(())
                };
                alone(Job::Host(&self.host, HostWork::Task(Box::new(run))))
            }
            Action::Repeated(task) => {
                let run = move || {
                    task.run();
                    Ok(())
                };
                alone(Job::Host(&self.host, HostWork::Task(Box::new(run))))
            }
            Action::HostKernel(work) => alone(Job::Host(&self.host, HostWork::Kernel(work))),
            Action::Kernel { kernel, mut work } => {
                place_accessors(&mut work.functor, kernel.accessors(), kernel.symbol(), placed)?;
                alone(Job::Kernel { backend_queue: &self.backend_queue, work, kernel })
            }
            Action::Copy { dst, src } => {
                let steps = copy::copy(&dst, base(&dst, placed)?, &src, base(&src, placed)?)?;
                Ok((plain(steps.first.0), steps.first.1, steps.rest))
            }
            Action::Fill { dst, pattern } => {
                let steps = copy::fill(&dst, base(&dst, placed)?, pattern)?;
                Ok((plain(steps.first.0), steps.first.1, steps.rest))
            }
        }
    }

    /// Waits until every command submitted so far has completed.
    pub fn wait(&self) {
        let _wait = Span::wait("queue::wait");
        let (pending, external) = {
            let mut state = lock(&self.state);
            (state.pending.clone(), state.external.take())
        };
        if let Some(external) = external {
            // The event belongs to another queue, which reports its error.
            let _ = external.event.wait();
        }
        for node in &pending {
            // `sweep` below records the result.
            let _ = node.event.wait();
        }
        lock(&self.state).sweep(usize::MAX);
    }

    /// Returns the last command of an in-order queue, or the event that the next command must wait
    /// for. Returns `None` if the command has completed and the queue no longer records it.
    pub fn last(&self) -> Result<Option<Node>> {
        self.check_in_order("the last event")?;
        let state = lock(&self.state);
        Ok(state.external.clone().or_else(|| state.pending.last().cloned()))
    }

    /// Sets an additional dependency of the next command of an in-order queue. It replaces the
    /// previous one.
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

    /// Returns whether every command submitted so far has completed.
    pub fn is_empty(&self) -> bool {
        let mut state = lock(&self.state);
        state.sweep(usize::MAX);
        state.pending.is_empty()
    }

    /// Returns the native queue. The caller owns one reference.
    pub fn native(&self) -> Result<hal::Native> {
        self.backend_queue.queue.native()
    }

    /// Waits for the commands in the native queue.
    pub fn finish_native(&self) -> Result<()> {
        self.backend_queue.queue.finish_native()
    }

    /// Returns whether a backend is running commands of this queue.
    pub fn is_busy(&self) -> bool {
        lock(&self.state).pending.iter().any(exit::is_with_backend)
    }

    /// Removes and returns the errors of commands that have failed, the oldest first.
    pub fn take_errors(&self) -> Vec<Error> {
        let mut state = lock(&self.state);
        state.sweep(usize::MAX);
        std::mem::take(&mut state.errors)
    }

    /// Passes all errors that were not taken to `listener`, and the errors of pending commands as
    /// they occur.
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
        exit::adopt(self.device.id, pending);
    }
}

impl State {
    /// Removes completed commands. On an in-order queue it uses the known state of the last
    /// command; otherwise it searches from time to time.
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

    /// Removes completed commands and records their errors. It queries the status of at most `most`
    /// running commands, the oldest ones. For the others it only uses the known state.
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
type Parts<'a> = (Job<'a>, Keep, Vec<(Work, Keep)>);

/// Returns the address of a view's memory for the command.
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
