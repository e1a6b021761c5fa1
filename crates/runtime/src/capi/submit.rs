//! `scythe_submit`: from a C command to an action with an order.

use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicU64};

use scythe_abi::capi::{
    self as c, BufferHandle, BufferT, COMMAND_BARRIER, COMMAND_HOLD, COMMAND_ON_HOST, Command,
    EventHandle, EventT, QueueHandle, QueueT, Status, command_kind, requirement_flags,
};
use scythe_hal::{self as hal, Hint, Work};

use super::buffers::mode_from;
use super::edge;
use super::handles::{EventObject, get, give, put, share, slice, text};
use crate::copy::View;
use crate::event::Node;
use crate::launch::{Ranges, check_local_memory};
use crate::memory::Buffer;
use crate::memory::coherence::Access;
use crate::native_kernel::Arguments;
use crate::queue::{Action, Commit, HostCall, Known, Order, Queue};
use crate::registry::{self, Constants, Expected, ReadyKernel, Slot};
use crate::{Result, invalid, settings};

/// A host task's context is the runtime's when the call succeeds, and stays the caller's when it
/// fails.
///
/// # Safety
/// See [`super`]; what the command's addresses point at stays valid until it has completed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_submit(
    queue: QueueHandle,
    command: *const Command,
    event: *mut EventHandle,
) -> Status {
    edge(|| {
        // SAFETY: passed on.
        let command = unsafe { command.as_ref() }.ok_or_else(|| invalid("the command is null"))?;
        // SAFETY: passed on.
        let target = unsafe { get::<QueueT>(queue) }?;
        if command.flags & !(COMMAND_BARRIER | COMMAND_HOLD | COMMAND_ON_HOST) != 0 {
            return Err(invalid(format!(
                "command flags {:#x} contain unknown bits, expected 0 to 7",
                command.flags
            )));
        }
        let alone = command.flags == 0 && command.requirement_count == 0 && command.dep_count == 0;
        if alone && command.kind == command_kind::KERNEL && !settings::trace().commands {
            // SAFETY: `kind` says which member holds; the rest is passed on.
            let node = unsafe { kernel_alone(&command.u.kernel, target) }?;
            // SAFETY: passed on.
            return unsafe { put_event(node, queue, event) };
        }
        // SAFETY: passed on.
        let requirements =
            unsafe { slice(command.requirements, command.requirement_count, "requirements") }?;
        // SAFETY: passed on.
        let accesses = unsafe { accesses(requirements, command.flags & COMMAND_ON_HOST != 0) }?;
        // SAFETY: passed on.
        let events = unsafe { events(slice(command.deps, command.dep_count, "deps")?) }?;
        // SAFETY: passed on.
        let (action, commit) = match unsafe { host_call(command) }? {
            Some((call, commit)) => (Action::HostTask(call), Some(commit)),
            // SAFETY: passed on.
            None => (unsafe { action(command, target) }?, None),
        };
        if settings::trace().commands {
            trace(command, &accesses, &events);
        }
        let barrier = command.flags & COMMAND_BARRIER != 0;
        let hold = command.flags & COMMAND_HOLD != 0;
        // SAFETY: passed on.
        let node = unsafe {
            target.submit(action, Order { accesses: &accesses, events: &events, barrier, hold })
        }?;
        if let Some(commit) = commit {
            commit.commit();
        }
        // SAFETY: passed on.
        unsafe { put_event(node, queue, event) }
    })
}

/// # Safety
/// The queue's handle is alive and counted; `event` is null or valid for a write.
pub(super) unsafe fn put_event(
    node: Node,
    queue: QueueHandle,
    event: *mut EventHandle,
) -> Result<()> {
    if event.is_null() {
        return Ok(());
    }
    // SAFETY: passed on; `event` is not null.
    unsafe { put(event, "event", give(Arc::new(EventObject { node, queue: share(queue)? }))) }
}

/// # Safety
/// A host task's functions and context are the runtime's to use.
unsafe fn host_call(command: &Command) -> Result<Option<(HostCall, Commit)>> {
    if command.kind != command_kind::HOST_TASK {
        return Ok(None);
    }
    // SAFETY: `kind` says which member holds.
    let task = unsafe { command.u.host_task };
    match task.call {
        // SAFETY: passed on.
        Some(call) => Ok(Some(unsafe { HostCall::new(call, task.destroy, task.ctx) })),
        None => Err(invalid("the function of the host task is null")),
    }
}

/// `on_host`: none is of the device's own memory, whatever the accessors are.
///
/// # Safety
/// The buffer handles are null or alive for `'a`.
unsafe fn accesses<'a>(requirements: &[c::Requirement], on_host: bool) -> Result<Vec<Access<'a>>> {
    requirements
        .iter()
        .map(|requirement| {
            // SAFETY: passed on.
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

/// # Safety
/// The event handles are null or alive. Null stands for an event that is complete.
unsafe fn events(handles: &[EventHandle]) -> Result<Vec<Node>> {
    let given = handles.iter().filter(|handle| !handle.is_null());
    // SAFETY: passed on.
    given.map(|&handle| Ok(unsafe { get::<EventT>(handle) }?.node.clone())).collect()
}

/// Everything but host tasks.
///
/// # Safety
/// As for [`scythe_submit`].
unsafe fn action<'a>(command: &Command, queue: &Queue) -> Result<Action<'a>> {
    // SAFETY, for each access to the union: `kind` says which member holds.
    match command.kind {
        command_kind::EMPTY => Ok(Action::Marker),
        // SAFETY: as above, and passed on.
        command_kind::KERNEL => unsafe { kernel(&command.u.kernel, queue) },
        // SAFETY: as above, and passed on.
        command_kind::NATIVE_KERNEL => unsafe { native_kernel(&command.u.native, queue) },
        // SAFETY: as above, and passed on.
        command_kind::MEMCPY => unsafe { memcpy(&command.u.memory) },
        // SAFETY: as above, and passed on.
        command_kind::FILL => unsafe { fill(&command.u.memory) },
        // SAFETY: as above, and passed on.
        command_kind::COPY => unsafe {
            let copy = &command.u.copy;
            let dst = View::new("destination of a copy", &copy.dst, optional(copy.dst.buffer))?;
            let src = View::new("source of a copy", &copy.src, optional(copy.src.buffer))?;
            Ok(Action::Copy { dst: Box::new(dst), src: Box::new(src) })
        },
        // SAFETY: as above, and passed on.
        command_kind::FILL_VIEW => unsafe {
            let fill = &command.u.fill;
            let dst = View::new("destination of a fill", &fill.dst, optional(fill.dst.buffer))?;
            let pattern = slice(fill.pattern.cast::<u8>(), dst.elem_size() as u64, "pattern")?;
            Ok(Action::Fill { dst: Box::new(dst), pattern: pattern.to_vec() })
        },
        command_kind::UPDATE_HOST => {
            // SAFETY: as above.
            let buffer = unsafe { command.u.copy.src.buffer };
            // SAFETY: passed on.
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
            // SAFETY: as above.
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
        kind => Err(invalid(format!("command kind {kind} is unknown, expected 0 to 10"))),
    }
}

/// # Safety
/// `handle` is null or alive for `'a`.
unsafe fn optional<'a>(handle: BufferHandle) -> Option<&'a Buffer> {
    // SAFETY: passed on.
    unsafe { handle.cast::<Buffer>().as_ref() }
}

/// The values of specialization constants that the launch brings.
///
/// # Safety
/// The launch's addresses are null or valid.
unsafe fn constants(launch: &c::KernelLaunch) -> Result<Constants> {
    if launch.constant_count == 0 {
        return Ok(Constants::default());
    }
    let mut values = Vec::new();
    for constant in
        // SAFETY: passed on.
        unsafe {
            slice(launch.constants, launch.constant_count, "specialization constants")
        }?
    {
        // SAFETY: passed on.
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

/// A kernel that waits for nothing but the queue's order, which most launches are: the short way
/// where there is one.
///
/// # Safety
/// As for [`kernel`].
unsafe fn kernel_alone(launch: &c::KernelLaunch, queue: &Queue) -> Result<Node> {
    let content = || slot_content(launch);
    if let Some(slot) = content() {
        // SAFETY: passed on.
        let functor =
            unsafe { slice(launch.functor.cast::<u8>(), launch.functor_size, "functor") }?;
        // SAFETY: passed on.
        if let Some(node) = unsafe { queue.launch_again(slot, launch, functor) } {
            return node;
        }
    }
    // SAFETY: passed on.
    let action = match unsafe { checked_kernel(launch, queue) }? {
        Launched::OnHost(action) => action,
        Launched::Kernel { kernel, functor, ranges } => {
            let Ranges { dims, global_size, local_size, global_offset, .. } = &ranges;
            let lent = hal::Launch {
                kernel: &*kernel,
                functor,
                dims: *dims,
                global_size,
                local_size,
                global_offset,
            };
            if !ranges.is_empty() && kernel.accessors().is_empty() {
                let known = content().map(|slot| Known::new(slot, launch, &kernel));
                // SAFETY: passed on.
                if let Some(node) = unsafe { queue.launch(&lent, known) } {
                    return node;
                }
            }
            Action::kernel(kernel, functor, &ranges)
        }
    };
    // SAFETY: passed on.
    unsafe { queue.submit(action, Order::default()) }
}

/// What the kernel's slot holds, where that is a kernel of this generation, and the launch has
/// default constants.
fn slot_content(launch: &c::KernelLaunch) -> Option<(usize, u64)> {
    slot(launch).filter(|_| launch.constant_count == 0 && launch.host.is_none())?.content()
}

/// Where the program lets the runtime remember the kernel.
fn slot(launch: &c::KernelLaunch) -> Option<Slot<'_>> {
    if launch.slot.is_null() {
        return None;
    }
    // SAFETY: the slot is static memory of the program, which only the runtime reads and writes;
    // both fields are aligned words.
    unsafe {
        Some(Slot {
            entry: AtomicPtr::from_ptr(&raw mut (*launch.slot).entry),
            generation: AtomicU64::from_ptr(&raw mut (*launch.slot).generation),
        })
    }
}

/// # Safety
/// The launch's addresses are null or valid; its functor is of the kernel's type.
unsafe fn kernel<'a>(launch: &c::KernelLaunch, queue: &Queue) -> Result<Action<'a>> {
    // SAFETY: passed on.
    Ok(match unsafe { checked_kernel(launch, queue) }? {
        Launched::OnHost(action) => action,
        Launched::Kernel { kernel, functor, ranges } => Action::kernel(kernel, functor, &ranges),
    })
}

/// A launch with all that can be wrong with it checked.
enum Launched<'a> {
    OnHost(Action<'a>),
    Kernel { kernel: Arc<ReadyKernel>, functor: &'a [u8], ranges: Ranges },
}

/// # Safety
/// As for [`kernel`].
unsafe fn checked_kernel<'a>(launch: &c::KernelLaunch, queue: &Queue) -> Result<Launched<'a>> {
    let device = if launch.host.is_some() { queue.device.host() } else { queue.device };
    let ranges = Ranges::new(launch)?;
    // SAFETY: passed on.
    let functor = unsafe { slice(launch.functor.cast::<u8>(), launch.functor_size, "functor") }?;
    if let Some(call) = launch.host {
        ranges.check(device)?;
        return Ok(Launched::OnHost(Action::host_kernel(call, functor, &ranges)));
    }
    let expected = Expected { functor_size: launch.functor_size, shape: ranges.shape };
    // SAFETY: passed on.
    let constants = unsafe { constants(launch) }?;
    // What a slot remembers has the defaults.
    let slot = slot(launch).filter(|_| constants.is_empty());
    let place = registry::Place { device, context: queue.context.id };
    let known = slot
        .as_ref()
        .map(|slot| registry::remembered(slot, expected, place))
        .transpose()?
        .flatten();
    let kernel = match known {
        Some(kernel) => kernel,
        None => {
            // SAFETY: passed on.
            let name = unsafe { text(launch.name, "kernel name") }?;
            registry::kernel(name, launch.tu, slot, expected, place, &constants)?
        }
    };
    ranges.check(device)?;
    if let Some(size) = kernel.work_group_size() {
        ranges.check_required(size)?;
    }
    check_local_memory(&kernel, functor, ranges.shape, device)?;
    Ok(Launched::Kernel { kernel, functor, ranges })
}

/// # Safety
/// The launch's addresses are null or valid; its kernel is alive, and takes such arguments.
unsafe fn native_kernel<'a>(launch: &c::NativeLaunch, queue: &Queue) -> Result<Action<'a>> {
    // SAFETY: passed on.
    let kernel = unsafe { get::<c::NativeKernelT>(launch.kernel) }?;
    let ranges = Ranges::of_native(launch)?;
    ranges.check(queue.device)?;
    // SAFETY: passed on.
    let args = unsafe { slice(launch.args, launch.arg_count, "args") }?;
    // SAFETY: passed on.
    let arguments = unsafe { Arguments::read(args) }?;
    let ready = kernel.with_arguments(queue.device, ranges.shape, &arguments)?;
    check_local_memory(&ready, &arguments.functor, ranges.shape, queue.device)?;
    Ok(Action::kernel(ready, &arguments.functor, &ranges))
}

/// # Safety
/// Non-null addresses are valid for `size` bytes.
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

/// # Safety
/// Non-null addresses are valid for `size` and `pattern_size` bytes.
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
    // SAFETY: passed on.
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
    const KINDS: [&str; 11] = [
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
    ];
    let mut line = KINDS.get(command.kind as usize).copied().unwrap_or("unknown").to_owned();
    if command.kind == command_kind::KERNEL {
        // SAFETY: `kind` says which member holds.
        let launch = unsafe { &command.u.kernel };
        let name = if launch.name.is_null() {
            Ok("(host)")
        } else {
            // SAFETY: the name was read before.
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
