//! Drivers' own objects behind the runtime's, and the other way round.

use std::ffi::c_void;
use std::sync::Arc;

use scythe_abi::capi::{DeviceHandle, EventHandle, QueueHandle, Status};
use scythe_hal::NativeKind;

use super::edge;
use super::handles::{EventObject, check_out, get, give, put, share};
use crate::event::Node;
use crate::{Errc, Error, invalid};

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_native_of_device(device: DeviceHandle, kind: u32, out: *mut *mut c_void) -> Status {
    edge(|| {
        check_out(out, "native")?;
        let kind = NativeKind::from_u32(kind)
            .ok_or_else(|| invalid(format!("kind {kind} of native objects is unknown, expected 0 to 2")))?;
        // SAFETY: passed on.
        unsafe { put(out, "native", get(device)?.hal.native(kind)?) }
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_native_of_queue(queue: QueueHandle, out: *mut *mut c_void) -> Status {
    edge(|| {
        check_out(out, "native")?;
        // SAFETY: passed on.
        let queue = unsafe { get(queue) }?;
        let native = queue.device.target(queue.profiling)?.queue.native()?;
        // SAFETY: passed on.
        unsafe { put(out, "native", native) }
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_native_of_event(event: EventHandle, out: *mut *mut c_void) -> Status {
    edge(|| {
        check_out(out, "native")?;
        // SAFETY: passed on.
        let node = unsafe { get(event) }?.node.clone().resolve();
        let native = node.event.native().map_err(|error| match error.code {
            Errc::BackendMismatch => Error::new(
                Errc::BackendMismatch,
                "the event has no object of a driver: its command has not reached one yet, or runs on the host",
            ),
            _ => error,
        })?;
        // SAFETY: passed on.
        unsafe { put(out, "native", native) }
    })
}

/// # Safety
/// See [`super`]; `native` is an event of the queue's driver, of the context that its device gives.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_event_from_native(
    queue: QueueHandle,
    native: *mut c_void,
    out: *mut EventHandle,
) -> Status {
    edge(|| {
        check_out(out, "event")?;
        // SAFETY: passed on.
        let queue = unsafe { share(queue) }?;
        let origin = queue.device.target(false)?.origin;
        // SAFETY: passed on.
        let event = unsafe { queue.device.hal.event_from_native(native) }?;
        let object = Arc::new(EventObject { node: Node { event, origin }, queue });
        // SAFETY: passed on.
        unsafe { put(out, "event", give(object)) }
    })
}

/// # Safety
/// See [`super`]; the bytes at `ptr` stay valid until the object is released.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_native_memory(
    device: DeviceHandle,
    ptr: *mut c_void,
    size: u64,
    out: *mut *mut c_void,
) -> Status {
    edge(|| {
        check_out(out, "native")?;
        if ptr.is_null() || size == 0 {
            return Err(invalid(format!("a memory object over {size} bytes at {ptr:p} cannot be made")));
        }
        // SAFETY: passed on.
        let device = unsafe { get(device) }?;
        let size = usize::try_from(size).map_err(|_| invalid(format!("{size} bytes are more than memory can hold")))?;
        // SAFETY: passed on.
        unsafe { put(out, "native", device.hal.native_memory(ptr, size)?) }
    })
}
