//! `scythe_submit`: converts a C command to an action and its order.

use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicU64};

use scythe_abi::capi::{
    self as c, BufferHandle, BufferT, COMMAND_BARRIER, COMMAND_HOLD, COMMAND_ON_HOST,
    COMMAND_UNRECORDED, Command, EventHandle, EventT, QueueHandle, QueueT, Status, command_kind,
    requirement_flags,
};
use scythe_hal::{Cooperation, FunctorBytes, Hint, Place, Work};

use super::buffers::mode_from;
use super::edge;
use super::handles::{EventObject, get, give, put, share, slice, text};
use crate::copy::View;
use crate::event::Node;
use crate::graph::QueueOrder;
use crate::graph::body::{Candidate, Content, NodeKind, OwnedAccess, RepeatedTask};
use crate::graph::record::{RecordedEvent, Recorder, nodes_of, recorder_for};
use crate::launch::{Ranges, check_local_memory};
use crate::memory::Buffer;
use crate::memory::coherence::Access;
use crate::queue::{Action, Commit, HostCall, Known, Order, Queue};
use crate::registry::{self, Constants, Expected, ReadyKernel, Slot};
use crate::{Result, cooperation, invalid, settings, submission};

/// Submits a command. If the call succeeds, the runtime owns the context of a host task. If it
/// fails, the caller keeps the ownership.
///
/// # Safety
/// See [`super`]. The memory at the command's addresses must stay valid until the command has
/// completed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_submit(
    queue: QueueHandle,
    command: *const Command,
    event: *mut EventHandle,
) -> Status {
    edge(|| {
        // SAFETY: the caller guarantees that `command` is null or valid for reads.
        let command = unsafe { command.as_ref() }.ok_or_else(|| invalid("the command is null"))?;
        // SAFETY: the caller satisfies the contract of this function, which is that of `submit`.
        // The texts of the command are null or C strings.
        unsafe {
            submit(queue, command, event).map_err(|error| submission::explain(error, command))
        }
    })
}

/// Submits a command.
///
/// # Safety
/// The contract is that of [`scythe_submit`].
unsafe fn submit(queue: QueueHandle, command: &Command, event: *mut EventHandle) -> Result<()> {
    // SAFETY: the caller guarantees that `queue` is null or a live handle.
    let target = unsafe { get::<QueueT>(queue) }?;
    let known = COMMAND_BARRIER | COMMAND_HOLD | COMMAND_ON_HOST | COMMAND_UNRECORDED;
    if command.flags & !known != 0 {
        return Err(invalid(format!(
            "command flags {:#x} contain unknown bits, expected 0 to 15",
            command.flags
        )));
    }
    let alone = command.flags == 0 && command.requirement_count == 0 && command.dep_count == 0;
    let fast = alone && !target.is_recording() && !settings::trace().commands;
    if fast && command.kind == command_kind::KERNEL {
        // SAFETY: `kind` determines that the union holds a kernel. The caller guarantees that
        // the addresses of the launch are valid.
        let node =
            unsafe { kernel_alone(&command.u.kernel, submission::place(&command.place), target) }?;
        // SAFETY: `queue` is not null, and the caller guarantees that it is live and that
        // `event` is null or valid for a write.
        return unsafe { put_event(node, queue, event) };
    }
    // SAFETY: the caller guarantees that `command.requirements` is null or valid for reads of
    // `command.requirement_count` values.
    let requirements =
        unsafe { slice(command.requirements, command.requirement_count, "requirements") }?;
    // SAFETY: the caller guarantees that the buffer handles are null or live.
    let accesses = unsafe { accesses(requirements, command.flags & COMMAND_ON_HOST != 0) }?;
    // SAFETY: the caller guarantees that `command.deps` is null or holds `command.dep_count`
    // handles that are null or live.
    let events = unsafe { events(slice(command.deps, command.dep_count, "deps")?) }?;
    let recorded = command.flags & COMMAND_UNRECORDED == 0
        && (target.is_recording() || events.iter().any(|e| RecordedEvent::of(e).is_some()));
    if recorded {
        // SAFETY: `queue` is not null, and the caller guarantees that it is live.
        let target = unsafe { share(queue) }?;
        if let Some(recorder) = recorder_for(&target, &events)? {
            // SAFETY: the caller satisfies the contract of `scythe_submit`.
            let node = unsafe { record(command, &target, &recorder, requirements, &events) }?;
            // SAFETY: as for other commands, below.
            return unsafe { put_event(node, queue, event) };
        }
    }
    if command.kind == command_kind::GRAPH {
        // SAFETY: `kind` determines that the union holds an executable graph, which the caller
        // guarantees to be null or live.
        let exec = unsafe { get::<c::GraphExecT>(command.u.graph) }?;
        let node = exec.launch(target, &events)?;
        // SAFETY: as for other commands, below.
        return unsafe { put_object(node, queue, event, !exec.profiling) };
    }
    // SAFETY: the caller transfers the functions and the context of a host task to the runtime.
    let (action, commit) = match unsafe { host_call(command) }? {
        Some((call, commit)) => (Action::HostTask(call), Some(commit)),
        // SAFETY: the caller satisfies the contract of `scythe_submit`.
        None => (unsafe { action(command, target) }?, None),
    };
    if settings::trace().commands {
        trace(command, &accesses, &events);
    }
    let barrier = command.flags & COMMAND_BARRIER != 0;
    let hold = command.flags & COMMAND_HOLD != 0;
    // SAFETY: the caller guarantees that the memory at the command's addresses stays valid
    // until the command has completed.
    let node = unsafe {
        target.submit(action, Order { accesses: &accesses, events: &events, barrier, hold })
    }?;
    if let Some(commit) = commit {
        commit.commit();
    }
    // SAFETY: `queue` is not null, and the caller guarantees that it is live and that `event`
    // is null or valid for a write.
    unsafe { put_event(node, queue, event) }
}

/// Writes a new event handle to `event`, if that is not null.
///
/// # Safety
/// The queue's handle must be live and reference-counted. `event` must be null or valid for a
/// write.
pub(super) unsafe fn put_event(
    node: Node,
    queue: QueueHandle,
    event: *mut EventHandle,
) -> Result<()> {
    // SAFETY: the caller satisfies the contract of `put_object`, which is the same.
    unsafe { put_object(node, queue, event, false) }
}

/// # Safety
/// As for [`put_event`].
unsafe fn put_object(
    node: Node,
    queue: QueueHandle,
    event: *mut EventHandle,
    untimed: bool,
) -> Result<()> {
    if event.is_null() {
        return Ok(());
    }
    // SAFETY: `event` is not null, so the caller guarantees that it is valid for a write, and that
    // `queue` is live and reference-counted.
    unsafe {
        let object = EventObject { node, queue: share(queue)?, untimed };
        put(event, "event", give(Arc::new(object)))
    }
}

/// Returns the call of a host task, or `None` for other commands.
///
/// # Safety
/// The runtime must be allowed to use the functions and the context of a host task.
unsafe fn host_call(command: &Command) -> Result<Option<(HostCall, Commit)>> {
    if command.kind != command_kind::HOST_TASK {
        return Ok(None);
    }
    // SAFETY: `kind` determines that the union holds a host task.
    let task = unsafe { command.u.host_task };
    match task.call {
        // SAFETY: the caller guarantees that the runtime may use the functions and the context.
        Some(call) => Ok(Some(unsafe { HostCall::new(call, task.destroy, task.ctx) })),
        None => Err(invalid("the function of the host task is null")),
    }
}

/// Returns the accesses of a command. `on_host`: no access uses native memory of the device,
/// regardless of the accessors.
///
/// # Safety
/// The buffer handles must be null or live for `'a`.
unsafe fn accesses<'a>(requirements: &[c::Requirement], on_host: bool) -> Result<Vec<Access<'a>>> {
    requirements
        .iter()
        .map(|requirement| {
            // SAFETY: the caller guarantees that `requirement.buffer` is null or a live handle.
            let buffer = unsafe { get::<BufferT>(requirement.buffer) }?;
            let flags = requirement.flags;
            Ok(Access {
                buffer,
                mode: mode_from(requirement.mode)?,
                no_init: flags & requirement_flags::NO_INIT != 0,
                native: flags & requirement_flags::NATIVE != 0 && !on_host,
            })
        })
        .collect()
}

/// Returns an access that keeps its buffer.
///
/// # Safety
/// The buffer handle must be null or live.
pub(super) unsafe fn owned_access(
    requirement: &c::Requirement,
    on_host: bool,
) -> Result<OwnedAccess> {
    let flags = requirement.flags;
    Ok(OwnedAccess {
        // SAFETY: the caller guarantees that the handle is null or live.
        buffer: unsafe { share(requirement.buffer) }?,
        mode: mode_from(requirement.mode)?,
        no_init: flags & requirement_flags::NO_INIT != 0,
        native: flags & requirement_flags::NATIVE != 0 && !on_host,
    })
}

/// Records a command to a graph, and returns the event of its node.
///
/// # Safety
/// The contract is that of [`scythe_submit`], whenever the graph is launched.
unsafe fn record(
    command: &Command,
    queue: &Arc<Queue>,
    recorder: &Recorder,
    requirements: &[c::Requirement],
    events: &[Node],
) -> Result<Node> {
    let graph = &recorder.graph;
    if settings::trace().commands {
        settings::trace_line("commands", &format!("recording to graph {}", graph.id));
    }
    let mut accesses = Vec::new();
    for requirement in requirements {
        // SAFETY: the caller guarantees that the buffer handles are null or live.
        let access = unsafe { owned_access(requirement, command.flags & COMMAND_ON_HOST != 0) }?;
        OwnedAccess::merge(&mut accesses, &access);
    }
    if !accesses.is_empty() && !graph.options.buffers_outlive_graph {
        return Err(invalid(
            "a command of a graph uses a buffer, but the graph was created without \
             property::graph::assume_buffer_outlives_graph",
        ));
    }
    if !recorder.explicit && accesses.iter().any(|access| access.buffer.writes_back()) {
        return Err(invalid(
            "a command that is recorded to a graph uses a buffer that writes its contents back \
             when it is destroyed; call set_final_data(nullptr) or set_write_back(false) first",
        ));
    }
    let events = nodes_of(graph, events)?;
    let order = QueueOrder {
        barrier: command.flags & COMMAND_BARRIER != 0,
        hold: command.flags & COMMAND_HOLD != 0,
    };
    let is_barrier = order.barrier || order.hold;
    if recorder.explicit && is_barrier {
        return Err(invalid(
            "a barrier cannot be added to a graph with add; use an empty node with \
             property::node::depends_on_all_leaves",
        ));
    }
    // SAFETY: the caller satisfies the contract of `scythe_submit`.
    let content = unsafe { content(command, queue) }?;
    if let Content::Graph(flat) = &content {
        // The sub-graph's buffers are ordered like those of a command.
        flat.merge_accesses(&mut accesses);
    }
    let kind = match command.kind {
        command_kind::EMPTY if is_barrier => NodeKind::Barrier,
        command_kind::EMPTY => NodeKind::Empty,
        command_kind::KERNEL | command_kind::NATIVE_KERNEL => NodeKind::Kernel,
        command_kind::HOST_TASK => NodeKind::HostTask,
        // SAFETY: the union holds a memory command.
        command_kind::FILL if unsafe { command.u.memory.pattern_size } == 1 => NodeKind::Memset,
        command_kind::FILL | command_kind::FILL_VIEW => NodeKind::Memfill,
        command_kind::PREFETCH => NodeKind::Prefetch,
        command_kind::ADVISE => NodeKind::Memadvise,
        command_kind::GRAPH => NodeKind::Subgraph,
        _ => NodeKind::Memcpy,
    };
    let candidate = Candidate { kind, content: Arc::new(content), accesses, events };
    let index = graph.add(queue, candidate, order)?;
    Ok(RecordedEvent { graph: graph.clone(), index }.node())
}

/// Returns the command of a node. A failure leaves the context of a host task to the caller.
///
/// # Safety
/// The contract is that of [`record`].
unsafe fn content(command: &Command, queue: &Queue) -> Result<Content> {
    // SAFETY: the caller guarantees that the file of the place is null or a C string.
    let place = unsafe { submission::place(&command.place) };
    // SAFETY, for each access to the union: `kind` determines which member is valid.
    Ok(match command.kind {
        // SAFETY: the union holds a kernel, and the caller guarantees that its addresses are valid.
        command_kind::KERNEL => unsafe {
            let launch = &command.u.kernel;
            match (launch.host, checked_kernel(launch, queue)?) {
                (_, Launched::Kernel { kernel, functor, ranges }) => {
                    Content::Kernel { kernel, functor: FunctorBytes::new(functor), ranges, place }
                }
                (Some(call), Launched::OnHost(_)) => {
                    let functor =
                        slice(launch.functor.cast::<u8>(), launch.functor_size, "functor")?;
                    let functor = FunctorBytes::new(functor);
                    Content::HostKernel { call, functor, ranges: Ranges::new(launch)? }
                }
                (None, Launched::OnHost(_)) => Content::Marker,
            }
        },
        // SAFETY: the union holds a native kernel, and the caller guarantees that its addresses are
        // valid.
        command_kind::NATIVE_KERNEL => unsafe {
            let (kernel, functor, ranges) = checked_native(&command.u.native, queue)?;
            Content::Kernel { kernel, functor: FunctorBytes::new(&functor), ranges, place }
        },
        command_kind::HOST_TASK => {
            // SAFETY: the union holds a host task.
            let task = unsafe { command.u.host_task };
            let call = task.call.ok_or_else(|| invalid("the function of the host task is null"))?;
            // SAFETY: the caller lets the runtime call the functions of a recorded host task.
            let task = unsafe { RepeatedTask::new(call, task.destroy, task.ctx) };
            Content::HostTask(Arc::new(task))
        }
        command_kind::GRAPH => {
            // SAFETY: the union holds an executable graph, which the caller guarantees to be null
            // or live.
            let exec = unsafe { get::<c::GraphExecT>(command.u.graph) }?;
            if exec.context.id != queue.context.id || exec.device.id != queue.device.id {
                return Err(invalid("a sub-graph has another context or device than its graph"));
            }
            Content::Graph(exec.flat())
        }
        // SAFETY: the caller satisfies the contract of `record`, so the buffers live as long as
        // the node, which keeps them.
        _ => match unsafe { action(command, queue) }? {
            Action::Plain(work) => Content::Plain(work),
            Action::Copy { dst, src } if dst.is_plain() && src.is_plain() => {
                return Err(unsupported_2d());
            }
            Action::Fill { dst, .. } if dst.is_plain() => return Err(unsupported_2d()),
            Action::Copy { dst, src } => Content::Copy { dst: *dst, src: *src },
            Action::Fill { dst, pattern } => Content::Fill { dst: *dst, pattern },
            Action::UpdateHost => Content::UpdateHost,
            _ => Content::Marker,
        },
    })
}

fn unsupported_2d() -> crate::Error {
    invalid("the commands of sycl_ext_oneapi_memcpy2d cannot be used in a graph")
}

/// Returns the events of a command's dependencies. Null represents a completed event.
///
/// # Safety
/// The event handles must be null or live.
unsafe fn events(handles: &[EventHandle]) -> Result<Vec<Node>> {
    let given = handles.iter().filter(|handle| !handle.is_null());
    // SAFETY: the caller guarantees that `handle` is null or a live handle.
    given.map(|&handle| Ok(unsafe { get::<EventT>(handle) }?.node.clone())).collect()
}

/// Returns the action of any command except a host task.
///
/// # Safety
/// The contract is that of [`scythe_submit`].
unsafe fn action<'a>(command: &Command, queue: &Queue) -> Result<Action<'a>> {
    // SAFETY, for each access to the union: `kind` determines which member is valid.
    // SAFETY: the caller guarantees that the file of the place is null or a C string.
    let place = unsafe { submission::place(&command.place) };
    match command.kind {
        command_kind::EMPTY => Ok(Action::Marker),
        // SAFETY: the union holds a kernel, and the caller guarantees that its addresses are valid.
        command_kind::KERNEL => unsafe { kernel(&command.u.kernel, place, queue) },
        // SAFETY: the union holds a native kernel, and the caller guarantees that its addresses are
        // valid.
        command_kind::NATIVE_KERNEL => unsafe { native_kernel(&command.u.native, place, queue) },
        // SAFETY: the union holds a memory command, and the caller guarantees that its addresses
        // are valid.
        command_kind::MEMCPY => unsafe { memcpy(&command.u.memory) },
        // SAFETY: the union holds a memory command, and the caller guarantees that its addresses
        // are valid.
        command_kind::FILL => unsafe { fill(&command.u.memory) },
        // SAFETY: the union holds two views, and the caller guarantees that their buffer handles
        // are null or live.
        command_kind::COPY => unsafe {
            let copy = &command.u.copy;
            let dst = View::new("destination of a copy", &copy.dst, optional(copy.dst.buffer))?;
            let src = View::new("source of a copy", &copy.src, optional(copy.src.buffer))?;
            Ok(Action::Copy { dst: Box::new(dst), src: Box::new(src) })
        },
        // SAFETY: the union holds a fill, and the caller guarantees that its buffer handle is null
        // or live and that the pattern is null or valid for reads of one element.
        command_kind::FILL_VIEW => unsafe {
            let fill = &command.u.fill;
            let dst = View::new("destination of a fill", &fill.dst, optional(fill.dst.buffer))?;
            let pattern = slice(fill.pattern.cast::<u8>(), dst.elem_size() as u64, "pattern")?;
            Ok(Action::Fill { dst: Box::new(dst), pattern: pattern.to_vec() })
        },
        command_kind::UPDATE_HOST => {
            // SAFETY: the union holds two views.
            let buffer = unsafe { command.u.copy.src.buffer };
            // SAFETY: the caller guarantees that `command.requirements` is null or valid for reads
            // of `command.requirement_count` values.
            let required =
                unsafe { slice(command.requirements, command.requirement_count, "requirements") }?;
            if buffer.is_null() || !required.iter().any(|requirement| requirement.buffer == buffer)
            {
                return Err(invalid(
                    "update_host uses a buffer that the command group does not require: use an \
                     accessor of this command group",
                ));
            }
            Ok(Action::UpdateHost)
        }
        command_kind::PREFETCH | command_kind::ADVISE => {
            // SAFETY: the union holds a memory command.
            let memory = unsafe { &command.u.memory };
            if memory.dst.is_null() && memory.size > 0 {
                return Err(invalid(format!(
                    "prefetch or mem_advise of {} bytes at a null address",
                    memory.size
                )));
            }
            let size = usize::try_from(memory.size).map_err(|_| {
                invalid(format!(
                    "prefetch or mem_advise of {} bytes, which exceed the address space",
                    memory.size
                ))
            })?;
            let hint = match command.kind {
                command_kind::PREFETCH => Hint::Prefetch,
                _ => Hint::Advice(memory.advice),
            };
            Ok(Action::Plain(Work::Hint { ptr: memory.dst, size, hint }))
        }
        kind => Err(invalid(format!("command kind {kind} is unknown, expected 0 to 11"))),
    }
}

/// Returns the buffer behind a handle, or `None` for null.
///
/// # Safety
/// `handle` must be null or live for `'a`.
unsafe fn optional<'a>(handle: BufferHandle) -> Option<&'a Buffer> {
    // SAFETY: the caller guarantees that `handle` is null or live for `'a`, and it is the address
    // of a `Buffer`.
    unsafe { handle.cast::<Buffer>().as_ref() }
}

/// Returns the values of specialization constants that the launch contains.
///
/// # Safety
/// The addresses in the launch must be null or valid.
unsafe fn constants(launch: &c::KernelLaunch) -> Result<Constants> {
    if launch.constant_count == 0 {
        return Ok(Constants::default());
    }
    let mut values = Vec::new();
    for constant in
        // SAFETY: the caller guarantees that `launch.constants` is null or valid for reads of
        // `launch.constant_count` values.
        unsafe {
            slice(launch.constants, launch.constant_count, "specialization constants")
        }?
    {
        // SAFETY: the caller guarantees that the name is null or a C string and that the bytes are
        // null or valid for reads of `constant.size` bytes.
        let (name, bytes) = unsafe {
            (
                text(constant.name, "name of a specialization constant")?,
                slice(constant.bytes.cast::<u8>(), constant.size, "bytes")?,
            )
        };
        for symbol in registry::constant_symbols(name, constant.tu)? {
            values.push((symbol, bytes.to_vec()));
        }
    }
    values.sort();
    Ok(values.into())
}

/// Submits a kernel that depends only on the order of the queue, as most launches do. It uses the
/// fast path if possible.
///
/// # Safety
/// The contract is that of [`kernel`].
unsafe fn kernel_alone(
    launch: &c::KernelLaunch,
    place: Option<Place>,
    queue: &Queue,
) -> Result<Node> {
    let content = || slot_content(launch).filter(|_| launch.cooperation == c::cooperation::NONE);
    if let Some(slot) = content() {
        // SAFETY: the caller guarantees that the functor is null or valid for reads of
        // `functor_size` bytes.
        let functor =
            unsafe { slice(launch.functor.cast::<u8>(), launch.functor_size, "functor") }?;
        // SAFETY: the caller guarantees that the addresses in the functor are valid, and the slice
        // has the size that the launch states.
        if let Some(node) = unsafe { queue.launch_again(slot, launch, functor, place) } {
            return node;
        }
    }
    // SAFETY: the caller satisfies the contract of `kernel`.
    let action = match unsafe { checked_kernel(launch, queue) }? {
        Launched::OnHost(action) => action,
        Launched::Kernel { kernel, functor, ranges } => {
            let lent = ranges.launch(&kernel, functor, place);
            let alone = ranges.cooperation == Cooperation::None;
            if alone && !ranges.is_empty() && kernel.accessors().is_empty() {
                let known = content().map(|slot| Known::new(slot, launch, &kernel));
                // SAFETY: the caller guarantees that the addresses in the functor are valid.
                if let Some(node) = unsafe { queue.launch(&lent, known) } {
                    return node;
                }
            }
            Action::kernel(kernel, functor, &ranges, place)
        }
    };
    // SAFETY: the caller guarantees that the addresses in the functor are valid.
    unsafe { queue.submit(action, Order::default()) }
}

/// Returns the contents of the kernel's slot, if they are from this generation and the launch uses
/// default constants.
fn slot_content(launch: &c::KernelLaunch) -> Option<(usize, u64)> {
    slot(launch).filter(|_| launch.constant_count == 0 && launch.host.is_none())?.content()
}

/// Returns the slot in which the program lets the runtime cache the kernel.
fn slot(launch: &c::KernelLaunch) -> Option<Slot<'_>> {
    if launch.slot.is_null() {
        return None;
    }
    // SAFETY: the slot is static memory of the program that only the runtime reads and writes, and
    // both fields are aligned words.
    unsafe {
        Some(Slot {
            entry: AtomicPtr::from_ptr(&raw mut (*launch.slot).entry),
            generation: AtomicU64::from_ptr(&raw mut (*launch.slot).generation),
        })
    }
}

/// Returns the action of a kernel launch.
///
/// # Safety
/// The addresses in the launch must be null or valid, and its functor must have the type of the
/// kernel.
unsafe fn kernel<'a>(
    launch: &c::KernelLaunch,
    place: Option<Place>,
    queue: &Queue,
) -> Result<Action<'a>> {
    // SAFETY: the caller satisfies the contract of `kernel`, which is that of `checked_kernel`.
    Ok(match unsafe { checked_kernel(launch, queue) }? {
        Launched::OnHost(action) => action,
        Launched::Kernel { kernel, functor, ranges } => {
            Action::kernel(kernel, functor, &ranges, place)
        }
    })
}

/// A launch that passed all checks.
enum Launched<'a> {
    OnHost(Action<'a>),
    Kernel { kernel: Arc<ReadyKernel>, functor: &'a [u8], ranges: Ranges },
}

/// Validates a kernel launch.
///
/// # Safety
/// The contract is that of [`kernel`].
unsafe fn checked_kernel<'a>(launch: &c::KernelLaunch, queue: &Queue) -> Result<Launched<'a>> {
    let device = if launch.host.is_some() { queue.device.host() } else { queue.device };
    let ranges = Ranges::new(launch)?;
    // SAFETY: the caller guarantees that the functor is null or valid for reads of `functor_size`
    // bytes.
    let functor = unsafe { slice(launch.functor.cast::<u8>(), launch.functor_size, "functor") }?;
    if let Some(call) = launch.host {
        ranges.check(device)?;
        cooperation::check_on_host(&ranges, device)?;
        return Ok(Launched::OnHost(Action::host_kernel(call, functor, &ranges)));
    }
    let expected = Expected { functor_size: launch.functor_size, shape: ranges.shape };
    // SAFETY: the caller guarantees that the addresses in the launch are null or valid.
    let constants = unsafe { constants(launch) }?;
    // A slot only caches kernels with default constants.
    let slot = slot(launch).filter(|_| constants.is_empty());
    let place = registry::DeviceInContext { device, context: queue.context.id };
    let known = slot
        .as_ref()
        .map(|slot| registry::remembered(slot, expected, place))
        .transpose()?
        .flatten();
    let kernel = match known {
        Some(kernel) => kernel,
        None => {
            // SAFETY: the caller guarantees that the name is null or a C string.
            let name = unsafe { text(launch.name, "kernel name") }?;
            registry::kernel(name, launch.tu, slot, expected, place, &constants)?
        }
    };
    ranges.check(device)?;
    if let Some(size) = kernel.work_group_size() {
        ranges.check_required(size)?;
    }
    check_local_memory(&kernel, functor, ranges.shape, device)?;
    cooperation::check(&kernel, functor, &ranges, device)?;
    Ok(Launched::Kernel { kernel, functor, ranges })
}

/// Returns the action of a native kernel launch.
///
/// # Safety
/// The addresses in the launch must be null or valid. Its kernel must be live and must accept these
/// arguments.
unsafe fn native_kernel<'a>(
    launch: &c::NativeLaunch,
    place: Option<Place>,
    queue: &Queue,
) -> Result<Action<'a>> {
    // SAFETY: the caller guarantees the validity of the addresses and of the kernel.
    let (ready, functor, ranges) = unsafe { checked_native(launch, queue) }?;
    Ok(Action::kernel(ready, &functor, &ranges, place))
}

/// Validates the launch of a native kernel. Returns it with its arguments.
///
/// # Safety
/// As for [`native_kernel`].
unsafe fn checked_native(
    launch: &c::NativeLaunch,
    queue: &Queue,
) -> Result<(Arc<ReadyKernel>, Vec<u8>, Ranges)> {
    // SAFETY: the caller guarantees that the kernel is null or a live handle.
    let kernel = unsafe { get::<c::NativeKernelT>(launch.kernel) }?;
    let ranges = Ranges::of_native(launch)?;
    ranges.check(queue.device)?;
    // SAFETY: the caller guarantees that `launch.args` is null or valid for reads of
    // `launch.arg_count` values.
    let args = unsafe { slice(launch.args, launch.arg_count, "args") }?;
    // SAFETY: the caller guarantees that the address of each argument is null or valid for its
    // kind.
    let (ready, functor) = unsafe { kernel.bind(queue.device, &ranges, args) }?;
    check_local_memory(&ready, &functor, ranges.shape, queue.device)?;
    Ok((ready, functor, ranges))
}

/// Returns the action of a `memcpy`.
///
/// # Safety
/// Non-null addresses must be valid for `size` bytes.
unsafe fn memcpy<'a>(memory: &c::Memory) -> Result<Action<'a>> {
    let size = checked_size(memory)?;
    if size == 0 {
        return Ok(Action::Marker);
    }
    if memory.dst.is_null() || memory.src.is_null() {
        return Err(invalid(format!(
            "memcpy of {size} bytes from {:p} to {:p}",
            memory.src, memory.dst
        )));
    }
    Ok(Action::Plain(Work::Memcpy { dst: memory.dst, src: memory.src, size }))
}

/// Returns the action of a fill of memory.
///
/// # Safety
/// Non-null addresses must be valid for `size` and `pattern_size` bytes.
unsafe fn fill<'a>(memory: &c::Memory) -> Result<Action<'a>> {
    let size = checked_size(memory)?;
    if size == 0 {
        return Ok(Action::Marker);
    }
    let pattern_size = memory.pattern_size;
    if pattern_size == 0 || !memory.size.is_multiple_of(pattern_size) {
        return Err(invalid(format!(
            "fill of {size} bytes with a pattern of {pattern_size} bytes"
        )));
    }
    if memory.dst.is_null() {
        return Err(invalid(format!("fill of {size} bytes at a null address")));
    }
    // SAFETY: the caller guarantees that `memory.src` is null or valid for reads of `pattern_size`
    // bytes.
    let pattern = unsafe { slice(memory.src.cast::<u8>(), pattern_size, "pattern") }?.to_vec();
    let count = size / pattern.len();
    Ok(Action::Plain(Work::Fill { dst: memory.dst, pattern, count }))
}

fn checked_size(memory: &c::Memory) -> Result<usize> {
    usize::try_from(memory.size)
        .ok()
        .filter(|&size| size <= isize::MAX as usize)
        .ok_or_else(|| invalid(format!("{} bytes exceed the address space", memory.size)))
}

fn trace(command: &Command, accesses: &[Access<'_>], events: &[Node]) {
    const KINDS: [&str; 12] = [
        "nothing",
        "kernel",
        "host task",
        "memcpy",
        "fill",
        "copy",
        "fill of a buffer",
        "update of the host",
        "prefetch",
        "advice",
        "native kernel",
        "graph",
    ];
    let mut line = KINDS.get(command.kind as usize).copied().unwrap_or("unknown").to_owned();
    if command.kind == command_kind::KERNEL {
        // SAFETY: `kind` determines that the union holds a kernel.
        let launch = unsafe { &command.u.kernel };
        let name = if launch.name.is_null() {
            Ok("(host)")
        } else {
            // SAFETY: the caller of `scythe_submit` guarantees that a non-null name is a C string.
            unsafe { text(launch.name, "kernel name") }
        };
        line = format!(
            "kernel {} global {:?} local {:?}",
            name.unwrap_or("?"),
            launch.global_size,
            launch.local_size
        );
    }
    let (buffers, events) = (accesses.len(), events.len());
    settings::trace_line("commands", &format!("{line}, {buffers} buffer(s), {events} event(s)"));
}
