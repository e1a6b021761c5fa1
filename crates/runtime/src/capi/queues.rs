//! Queues and events.

use std::ffi::c_void;

use scythe_abi::capi::{
    ContextHandle, Destroy, DeviceHandle, DeviceT, ErrorSink, EventHandle, QueueHandle, Status,
    profiling_param, queue_flags,
};

use super::handles::{check_out, get, give, put, release, retain, share};
use super::submit::put_event;
use super::{c_string, edge, edge_or};
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
        let known = queue_flags::IN_ORDER | queue_flags::PROFILING;
        if flags & !known != 0 {
            return Err(invalid(format!(
                "queue flags {flags:#x} contain unknown bits, expected a subset of {known:#x}"
            )));
        }
        // SAFETY: passed on.
        let context = unsafe { share(context) }?;
        // SAFETY: passed on; devices are never freed.
        let device = unsafe { get::<DeviceT>(device) }?;
        let (in_order, profiling) =
            (flags & queue_flags::IN_ORDER != 0, flags & queue_flags::PROFILING != 0);
        let queue = Queue::new(context, device, in_order, profiling)?;
        // SAFETY: passed on.
        unsafe { put(out, "queue", give(queue)) }
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_queue_retain(queue: QueueHandle) {
    // SAFETY: passed on.
    unsafe { retain(queue) };
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_queue_release(queue: QueueHandle) {
    edge_or((), || {
        // SAFETY: passed on.
        unsafe { release(queue) };
        Ok(())
    });
}

/// Failures of commands are no failure of the wait: `scythe_queue_drain_errors` hands them over.
///
/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_queue_wait(queue: QueueHandle) -> Status {
    edge(|| {
        // SAFETY: passed on.
        unsafe { get(queue) }?.wait();
        Ok(())
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_queue_is_empty(queue: QueueHandle) -> i32 {
    // SAFETY: passed on.
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
        // SAFETY: passed on.
        match unsafe { get(queue) }?.last()? {
            // SAFETY: passed on.
            Some(node) => unsafe { put_event(node, queue, out) },
            // SAFETY: passed on.
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
        // SAFETY: passed on.
        let node = if event.is_null() { None } else { Some(unsafe { get(event) }?.node.clone()) };
        // SAFETY: passed on.
        unsafe { get(queue) }?.set_external(node)
    })
}

/// # Safety
/// See [`super`]; `sink` may be called with `ctx`. It may call the runtime.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_queue_drain_errors(
    queue: QueueHandle,
    sink: Option<ErrorSink>,
    ctx: *mut c_void,
) {
    edge_or((), || {
        let sink = sink.ok_or_else(|| invalid("the error sink is null"))?;
        // SAFETY: passed on.
        for error in unsafe { get(queue) }?.take_errors() {
            // SAFETY: the caller gave the function for this.
            unsafe { sink(ctx, error.code as Status, c_string(&error.message).as_ptr()) };
        }
        Ok(())
    });
}

/// What is to hear of errors, until it is freed.
struct Sink {
    sink: ErrorSink,
    destroy: Destroy,
    ctx: *mut c_void,
}

// SAFETY: whoever gives the functions promises that they may be called on any thread, and the
// runtime never changes them.
unsafe impl Send for Sink {}
// SAFETY: as above.
unsafe impl Sync for Sink {}

impl Listener for Sink {
    fn error(&self, error: &Error) {
        // SAFETY: the function was given for this, and `destroy` has not been called.
        unsafe { (self.sink)(self.ctx, error.code as Status, c_string(&error.message).as_ptr()) };
    }

    fn end(&self) {
        // SAFETY: the function was given for this; it is called once, last.
        unsafe { (self.destroy)(self.ctx) };
    }
}

/// # Safety
/// See [`super`]; `sink` and `destroy` may be called with `ctx` on any thread, `destroy` once and
/// last. Where a pointer is null, nothing is called.
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
        // SAFETY: passed on.
        let queue = unsafe { get(queue) }?;
        queue.leave_errors_to(Box::new(Sink { sink, destroy, ctx }));
        Ok(())
    });
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_event_retain(event: EventHandle) {
    // SAFETY: passed on.
    unsafe { retain(event) };
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_event_release(event: EventHandle) {
    edge_or((), || {
        // SAFETY: passed on.
        unsafe { release(event) };
        Ok(())
    });
}

/// As [`scythe_queue_wait`], a failure of the command goes to its queue.
///
/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_event_wait(event: EventHandle) -> Status {
    edge(|| {
        // SAFETY: passed on.
        let event = unsafe { get(event) }?;
        // The queue still has the command, and collects its failure from there.
        let _ = event.node.event.wait();
        Ok(())
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_event_status(event: EventHandle) -> i32 {
    // SAFETY: passed on.
    edge_or(2, || Ok(unsafe { get(event) }?.node.event.status() as i32))
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
        // SAFETY: passed on.
        let event = unsafe { get(event) }?;
        if !event.queue.profiling {
            return Err(invalid(
                "the event has no profiling information: construct its queue with the \
                 enable_profiling property",
            ));
        }
        // The times of a command that failed are those of its failure.
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
        // SAFETY: passed on.
        unsafe { put(ns, "ns", value) }
    })
}
