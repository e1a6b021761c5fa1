//! Queues and events.

use std::ffi::c_void;

use scythe_abi::capi::{
    ContextHandle, Destroy, DeviceHandle, DeviceT, ErrorSink, EventHandle, QueueHandle, Status,
    profiling_param, queue_flags,
};
use scythe_hal::Priority;
use scythe_trace::Span;

use super::handles::{
    check_out, get, give, put, release, retain, share, weak_lock, weak_release, weak_retain,
};
use super::submit::put_event;
use super::{edge, edge_or, message_of};
use crate::exit;
use crate::graph::record::RecordedEvent;
use crate::late_errors::Listener;
use crate::queue::Queue;
use crate::{Errc, Error, invalid};

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_queue_create(
    context: ContextHandle,
    device: DeviceHandle,
    flags: u32,
    out: *mut QueueHandle,
) -> Status {
    edge(|| {
        check_out(out, "queue")?;
        let known = queue_flags::IN_ORDER
            | queue_flags::PROFILING
            | queue_flags::PRIORITY_LOW
            | queue_flags::PRIORITY_HIGH;
        if flags & !known != 0 {
            return Err(invalid(format!(
                "queue flags {flags:#x} contain unknown bits, expected a subset of {known:#x}"
            )));
        }
        // SAFETY: the caller guarantees that `context` is null or a live handle.
        let context = unsafe { share(context) }?;
        // SAFETY: the caller guarantees that `device` is null or a live handle; devices are never
        // freed.
        let device = unsafe { get::<DeviceT>(device) }?;
        let (in_order, profiling) =
            (flags & queue_flags::IN_ORDER != 0, flags & queue_flags::PROFILING != 0);
        let priority = if flags & queue_flags::PRIORITY_HIGH != 0 {
            Some(Priority::High)
        } else {
            (flags & queue_flags::PRIORITY_LOW != 0).then_some(Priority::Low)
        };
        let queue = Queue::new(context, device, in_order, profiling, priority)?;
        // SAFETY: the caller guarantees that `out` is null or valid for a write.
        unsafe { put(out, "queue", give(queue)) }
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_queue_retain(queue: QueueHandle) {
    // SAFETY: the caller guarantees that `queue` is null or a live handle.
    unsafe { retain(queue) };
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_queue_release(queue: QueueHandle) {
    edge_or((), || {
        // SAFETY: the caller guarantees that `queue` is null or a live handle with a reference that
        // the caller owns.
        unsafe { release(queue) };
        Ok(())
    });
}

/// Waits for all commands of the queue. A failure of a command is not a failure of the wait:
/// `scythe_queue_drain_errors` reports it.
///
/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_queue_wait(queue: QueueHandle) -> Status {
    edge(|| {
        // SAFETY: the caller guarantees that `queue` is null or a live handle.
        let queue = unsafe { get(queue) }?;
        if queue.is_recording() {
            return Err(invalid(
                "queue::wait: the queue is recording commands to a graph; call end_recording first",
            ));
        }
        queue.wait();
        Ok(())
    })
}

/// Waits for all commands of all queues on the device, also of those that the program has
/// destroyed.
///
/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_device_wait(device: DeviceHandle) -> Status {
    edge(|| {
        // SAFETY: the caller guarantees that `device` is null or a live handle.
        exit::wait_for_device(unsafe { get::<DeviceT>(device) }?.id);
        Ok(())
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_queue_is_empty(queue: QueueHandle) -> i32 {
    // SAFETY: the caller guarantees that `queue` is null or a live handle.
    edge_or(0, || Ok(i32::from(unsafe { get(queue) }?.is_empty())))
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_queue_last_event(
    queue: QueueHandle,
    out: *mut EventHandle,
) -> Status {
    edge(|| {
        // SAFETY: the caller guarantees that `queue` is null or a live handle.
        match unsafe { get(queue) }?.last()? {
            // SAFETY: `get` has checked that `queue` is not null, and the caller guarantees that it
            // is live and that `out` is null or valid for a write.
            Some(node) => unsafe { put_event(node, queue, out) },
            // SAFETY: the caller guarantees that `out` is null or valid for a write.
            None => unsafe { put(out, "event", std::ptr::null_mut()) },
        }
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_queue_set_external_event(
    queue: QueueHandle,
    event: EventHandle,
) -> Status {
    edge(|| {
        // SAFETY: the caller guarantees that `event` is null or a live handle.
        let node = if event.is_null() { None } else { Some(unsafe { get(event) }?.node.clone()) };
        if node.as_ref().is_some_and(|node| RecordedEvent::of(node).is_some()) {
            return Err(RecordedEvent::error());
        }
        // SAFETY: the caller guarantees that `queue` is null or a live handle.
        unsafe { get(queue) }?.set_external(node)
    })
}

/// # Safety
/// See [`super`]. It must be sound to call `sink` with `ctx`. `sink` may call the runtime.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_queue_drain_errors(
    queue: QueueHandle,
    sink: Option<ErrorSink>,
    ctx: *mut c_void,
) {
    edge_or((), || {
        let sink = sink.ok_or_else(|| invalid("the error sink is null"))?;
        // SAFETY: the caller guarantees that `queue` is null or a live handle.
        for error in unsafe { get(queue) }?.take_errors() {
            // SAFETY: the caller provided the function to be called with `ctx`.
            unsafe { sink(ctx, error.code as Status, message_of(&error).as_ptr()) };
        }
        Ok(())
    });
}

/// A listener of errors that calls functions of the program.
struct Sink {
    sink: ErrorSink,
    destroy: Destroy,
    ctx: *mut c_void,
}

// SAFETY: the caller of `scythe_queue_leave_errors` guarantees that the functions can be called on
// any thread, and the runtime never modifies the fields.
unsafe impl Send for Sink {}
// SAFETY: the fields are never modified, and the functions can be called on any thread.
unsafe impl Sync for Sink {}

impl Listener for Sink {
    fn error(&self, error: &Error) {
        // SAFETY: the program provided the function for this call, and `destroy` has not been
        // called.
        unsafe { (self.sink)(self.ctx, error.code as Status, message_of(error).as_ptr()) };
    }

    fn end(&self) {
        // SAFETY: the program provided the function for this call, which is the last one and
        // happens once.
        unsafe { (self.destroy)(self.ctx) };
    }
}

/// # Safety
/// See [`super`]. It must be sound to call `sink` and `destroy` with `ctx` on any thread, `destroy`
/// once and last. If a function pointer is null, nothing is called.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_queue_leave_errors(
    queue: QueueHandle,
    sink: Option<ErrorSink>,
    destroy: Option<Destroy>,
    ctx: *mut c_void,
) {
    edge_or((), || {
        let sink = sink.ok_or_else(|| invalid("the error sink is null"))?;
        let destroy =
            destroy.ok_or_else(|| invalid("the function that frees the error sink is null"))?;
        // SAFETY: the caller guarantees that `queue` is null or a live handle.
        let queue = unsafe { get(queue) }?;
        queue.leave_errors_to(Box::new(Sink { sink, destroy, ctx }));
        Ok(())
    });
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_event_retain(event: EventHandle) {
    // SAFETY: the caller guarantees that `event` is null or a live handle.
    unsafe { retain(event) };
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_event_release(event: EventHandle) {
    edge_or((), || {
        // SAFETY: the caller guarantees that `event` is null or a live handle with a reference that
        // the caller owns.
        unsafe { release(event) };
        Ok(())
    });
}

/// # Safety
/// See [`super`]. The caller needs a reference or a weak reference.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_event_weak_retain(event: EventHandle) {
    // SAFETY: the caller guarantees that `event` is null or a handle with a reference of the
    // caller.
    unsafe { weak_retain(event) };
}

/// # Safety
/// See [`super`]. The caller must own the weak reference.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_event_weak_release(event: EventHandle) {
    // SAFETY: the caller guarantees that `event` is null or owns the weak reference.
    unsafe { weak_release(event) };
}

/// Adds a reference and returns 1 if the event still has one. Returns 0 otherwise.
///
/// # Safety
/// See [`super`]. The caller must own a weak reference.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_event_weak_lock(event: EventHandle) -> i32 {
    // SAFETY: the caller guarantees that `event` is null or owns a weak reference.
    i32::from(unsafe { weak_lock(event) })
}

/// Waits for the command of the event. As for [`scythe_queue_wait`], its queue reports a failure.
///
/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_event_wait(event: EventHandle) -> Status {
    edge(|| {
        // SAFETY: the caller guarantees that `event` is null or a live handle.
        let event = unsafe { get(event) }?;
        if RecordedEvent::of(&event.node).is_some() {
            return Err(RecordedEvent::error());
        }
        let _wait = Span::wait("event::wait");
        // The queue still records the command and collects its failure.
        let _ = event.node.event.wait();
        Ok(())
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_event_status(event: EventHandle) -> i32 {
    edge_or(-(Errc::Runtime as i32), || {
        // SAFETY: the caller guarantees that `event` is null or a live handle.
        let node = &unsafe { get(event) }?.node;
        Ok(match RecordedEvent::of(node) {
            Some(_) => {
                super::fail(&RecordedEvent::error());
                -(Errc::Invalid as i32)
            }
            None => node.event.status() as i32,
        })
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_event_profiling(
    event: EventHandle,
    param: u32,
    ns: *mut u64,
) -> Status {
    edge(|| {
        check_out(ns, "ns")?;
        // SAFETY: the caller guarantees that `event` is null or a live handle.
        let event = unsafe { get(event) }?;
        if RecordedEvent::of(&event.node).is_some() {
            return Err(RecordedEvent::error());
        }
        if event.untimed {
            return Err(invalid(
                "the event has no profiling information: make the executable graph with \
                 property::graph::enable_profiling",
            ));
        }
        if !event.queue.profiling {
            return Err(invalid(
                "the event has no profiling information: construct its queue with the \
                 enable_profiling property",
            ));
        }
        // The times of a failed command are those of its failure.
        let _ = event.node.event.wait();
        let times = event.node.event.times().ok_or_else(|| {
            Error::new(
                Errc::Profiling,
                "the command has no profiling information because it did not reach the device",
            )
        })?;
        let value = match param {
            profiling_param::SUBMIT => times.submit,
            profiling_param::START => times.start,
            profiling_param::END => times.end,
            _ => {
                return Err(invalid(format!(
                    "profiling parameter {param} is unknown, expected 0 to 2"
                )));
            }
        };
        // SAFETY: the caller guarantees that `ns` is null or valid for a write.
        unsafe { put(ns, "ns", value) }
    })
}
