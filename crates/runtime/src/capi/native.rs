//! Conversion between native objects of drivers and objects of the runtime.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use scythe_abi::capi::{
    BufferHandle, ContextHandle, DeviceHandle, EventHandle, NativeKernelHandle,
    NativeProgramHandle, NativeSink, QueueHandle, Status, queue_flags,
};
use scythe_hal::{Kernel, NativeKind};

use super::handles::{
    EventObject, check_out, get, give, give_static, put, release, retain, share, text,
};
use super::{edge, edge_or};
use crate::context::Context;
use crate::event::Node;
use crate::memory::Buffer;
use crate::native_kernel::{DriverKernel, NativeKernel, NativeProgram};
use crate::platform::Runtime;
use crate::queue::Queue;
use crate::{Errc, Error, invalid, registry};

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_native_of_device(
    device: DeviceHandle,
    kind: u32,
    out: *mut *mut c_void,
) -> Status {
    edge(|| {
        check_out(out, "native")?;
        let kind = NativeKind::from_u32(kind).ok_or_else(|| {
            invalid(format!("native object kind {kind} is unknown, expected 0 to 2"))
        })?;
        // SAFETY: the caller guarantees that `out` is null or valid for a write and that `device`
        // is null or a live handle.
        unsafe { put(out, "native", get(device)?.interop()?.native(kind)?) }
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_native_of_queue(
    queue: QueueHandle,
    out: *mut *mut c_void,
) -> Status {
    edge(|| {
        check_out(out, "native")?;
        // SAFETY: the caller guarantees that `queue` is null or a live handle.
        let native = unsafe { get(queue) }?.native()?;
        // SAFETY: the caller guarantees that `out` is null or valid for a write.
        unsafe { put(out, "native", native) }
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_native_finish(queue: QueueHandle) -> Status {
    edge(|| {
        // SAFETY: the caller guarantees that `queue` is null or a live handle.
        unsafe { get(queue) }?.finish_native()
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_native_of_event(
    event: EventHandle,
    out: *mut *mut c_void,
) -> Status {
    edge(|| {
        check_out(out, "native")?;
        // SAFETY: the caller guarantees that `event` is null or a live handle.
        let node = unsafe { get(event) }?.node.clone().resolve();
        let native = node.event.native().map_err(|error| match error.code {
            Errc::BackendMismatch => Error::new(
                Errc::BackendMismatch,
                "the event has no native object: its command has not reached the driver yet, or \
                 runs on the host",
            ),
            _ => error,
        })?;
        // SAFETY: the caller guarantees that `out` is null or valid for a write.
        unsafe { put(out, "native", native) }
    })
}

/// # Safety
/// See [`super`]. `native` must be an event of the queue's driver, in the context of the queue's
/// device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_event_from_native(
    queue: QueueHandle,
    native: *mut c_void,
    out: *mut EventHandle,
) -> Status {
    edge(|| {
        check_out(out, "event")?;
        // SAFETY: the caller guarantees that `queue` is null or a live handle.
        let queue = unsafe { share(queue) }?;
        let origin = queue.device.backend_queue(false)?.origin;
        // SAFETY: the caller guarantees that `native` is a live event of the driver in the device's
        // context.
        let event = unsafe { queue.device.interop()?.event_from_native(native) }?;
        let object = Arc::new(EventObject { node: Node { event, origin }, queue, untimed: false });
        // SAFETY: the caller guarantees that `out` is null or valid for a write.
        unsafe { put(out, "event", give(object)) }
    })
}

/// # Safety
/// See [`super`]. The bytes at `ptr` must stay valid until the object is released.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_native_memory(
    queue: QueueHandle,
    ptr: *mut c_void,
    size: u64,
    out: *mut *mut c_void,
) -> Status {
    edge(|| {
        check_out(out, "native")?;
        if ptr.is_null() || size == 0 {
            return Err(invalid(format!(
                "cannot create a native memory object of {size} bytes at {ptr:p}: expected a size \
                 and an address that are not zero"
            )));
        }
        // SAFETY: the caller guarantees that `queue` is null or a live handle.
        let device = unsafe { get(queue) }?.device;
        let size = usize::try_from(size)
            .map_err(|_| invalid(format!("{size} bytes exceed the address space")))?;
        // SAFETY: the caller guarantees that `out` is null or valid for a write, and that the bytes
        // at `ptr` stay valid until the object is released.
        unsafe { put(out, "native", device.interop()?.native_memory(ptr, size)?) }
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_native_of_context(
    context: ContextHandle,
    out: *mut *mut c_void,
) -> Status {
    edge(|| {
        check_out(out, "native")?;
        // SAFETY: the caller guarantees that `out` is null or valid for a write and that `context`
        // is null or a live handle.
        unsafe { put(out, "native", get(context)?.to_native()?) }
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_native_context_of_queue(
    queue: QueueHandle,
    out: *mut *mut c_void,
) -> Status {
    edge(|| {
        check_out(out, "native")?;
        // SAFETY: the caller guarantees that `out` is null or valid for a write and that `queue` is
        // null or a live handle.
        unsafe { put(out, "native", get(queue)?.device.interop()?.native(NativeKind::Context)?) }
    })
}

/// # Safety
/// See [`super`]. It must be sound to call `sink` with `ctx`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_native_of_buffer(
    buffer: BufferHandle,
    queue: QueueHandle,
    sink: Option<NativeSink>,
    ctx: *mut c_void,
) -> Status {
    edge(|| {
        let sink = sink.ok_or_else(|| invalid("the sink of memory objects is null"))?;
        // SAFETY: the caller guarantees that `buffer` is null or a live handle.
        let buffer = unsafe { get(buffer) }?;
        let natives = match queue.is_null() {
            true => buffer.natives()?,
            // SAFETY: the caller guarantees that `queue` is null or a live handle.
            false => buffer.native(unsafe { get(queue) }?.device)?.into_iter().collect(),
        };
        for native in natives {
            // SAFETY: the caller provided the function to be called with `ctx`.
            unsafe { sink(ctx, native) };
        }
        Ok(())
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_native_of_kernel(
    context: ContextHandle,
    symbol: *const c_char,
    kernel: *mut *mut c_void,
    program: *mut *mut c_void,
) -> Status {
    edge(|| {
        // SAFETY: the caller guarantees that `context` is null or a live handle and that `symbol`
        // is null or a C string.
        let (context, symbol) = unsafe { (get(context)?, text(symbol, "kernel name")?) };
        let found = registry::kernel_of_symbol(
            symbol,
            registry::DeviceInContext { device: context.first(), context: context.id },
        )?;
        // SAFETY: the caller guarantees that `kernel` and `program` are null or valid for a write.
        unsafe { put_natives(&*found, kernel, program) }
    })
}

/// Writes the native kernel and its program to the addresses that are not null.
///
/// # Safety
/// Each address must be null or valid for a write.
unsafe fn put_natives(
    found: &dyn Kernel,
    kernel: *mut *mut c_void,
    program: *mut *mut c_void,
) -> crate::Result<()> {
    let made = (!program.is_null()).then(|| found.native_program()).transpose()?;
    if !kernel.is_null() {
        let native = found
            .native()
            .inspect_err(|_| made.into_iter().for_each(|made| found.release_native_program(made)));
        // SAFETY: `kernel` is not null, and the caller guarantees that it is then valid for a
        // write.
        unsafe { put(kernel, "kernel", native?) }?;
    }
    match made {
        // SAFETY: `program` is not null, and the caller guarantees that it is then valid for a
        // write.
        Some(made) => unsafe { put(program, "program", made) },
        None => Ok(()),
    }
}

/// # Safety
/// See [`super`]. `native` must be a live context of the backend's driver.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_context_from_native(
    backend: u32,
    native: *mut c_void,
    out: *mut ContextHandle,
) -> Status {
    edge(|| {
        check_out(out, "context")?;
        let all = Runtime::get()?.devices.iter().copied();
        let devices: Vec<_> =
            all.filter(|device| device.platform.backend.kind() as u32 == backend).collect();
        // SAFETY: the caller guarantees that `native` is a live context of the backend's driver.
        let context = unsafe { Context::from_native(&devices, native) }?;
        // SAFETY: the caller guarantees that `out` is null or valid for a write.
        unsafe { put(out, "context", give(Arc::new(context))) }
    })
}

/// # Safety
/// See [`super`]. `list` must be null or valid for `capacity` handles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_context_devices(
    context: ContextHandle,
    list: *mut DeviceHandle,
    capacity: u32,
    count: *mut u32,
) -> Status {
    edge(|| {
        // SAFETY: the caller guarantees that `context` is null or a live handle.
        let devices: Vec<_> = unsafe { get(context) }?.devices().collect();
        if !list.is_null() {
            for (index, device) in devices.iter().take(capacity as usize).enumerate() {
                // SAFETY: the caller guarantees that `list` has space for `capacity` handles, and
                // `index` is less.
                unsafe { list.add(index).write(give_static(*device)) };
            }
        }
        // SAFETY: the caller guarantees that `count` is null or valid for a write.
        unsafe { put(count, "count", devices.len() as u32) }
    })
}

/// # Safety
/// See [`super`]. `native` must be a live queue of the context's driver.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_queue_from_native(
    context: ContextHandle,
    native: *mut c_void,
    out: *mut QueueHandle,
    device: *mut DeviceHandle,
    flags: *mut u32,
) -> Status {
    edge(|| {
        check_out(out, "queue")?;
        check_out(device, "device")?;
        check_out(flags, "flags")?;
        // SAFETY: the caller guarantees that `context` is null or a live handle, and that `native`
        // is a live queue of its driver.
        let queue = unsafe { Queue::from_native(share(context)?, native) }?;
        let in_order = if queue.is_in_order() { queue_flags::IN_ORDER } else { 0 };
        let profiling = if queue.profiling { queue_flags::PROFILING } else { 0 };
        // SAFETY: the addresses are not null, and the caller guarantees that they are then valid
        // for a write.
        unsafe {
            put(flags, "flags", in_order | profiling)?;
            put(device, "device", give_static(queue.device.known_as()))?;
            put(out, "queue", give(queue))
        }
    })
}

/// # Safety
/// See [`super`]. `native` must be a live memory object of the context's driver.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_buffer_from_native(
    context: ContextHandle,
    native: *mut c_void,
    ready: EventHandle,
    out: *mut BufferHandle,
    size: *mut u64,
) -> Status {
    edge(|| {
        check_out(out, "buffer")?;
        check_out(size, "size")?;
        // SAFETY: the caller guarantees that `ready` is null or a live handle.
        let ready = if ready.is_null() { None } else { Some(unsafe { get(ready) }?.node.clone()) };
        // SAFETY: the caller guarantees that `context` is null or a live handle, and that `native`
        // is a live memory object of its driver.
        let buffer = unsafe { Buffer::from_native(get(context)?.first(), native, ready) }?;
        // SAFETY: the addresses are not null, and the caller guarantees that they are then valid
        // for a write.
        unsafe {
            put(size, "size", buffer.size)?;
            put(out, "buffer", give(Arc::new(buffer)))
        }
    })
}

/// # Safety
/// See [`super`]. `native` must be a live kernel of the context's driver.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_kernel_from_native(
    context: ContextHandle,
    native: *mut c_void,
    out: *mut NativeKernelHandle,
) -> Status {
    edge(|| {
        check_out(out, "kernel")?;
        // SAFETY: the caller guarantees that `context` is null or a live handle, and that `native`
        // is a live kernel of its driver.
        let kernel = NativeKernel::Driver(unsafe { DriverKernel::new(share(context)?, native) }?);
        // SAFETY: the caller guarantees that `out` is null or valid for a write.
        unsafe { put(out, "kernel", give(Arc::new(kernel))) }
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_native_kernel_retain(kernel: NativeKernelHandle) {
    // SAFETY: the caller guarantees that `kernel` is null or a live handle.
    unsafe { retain(kernel) };
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_native_kernel_release(kernel: NativeKernelHandle) {
    edge_or((), || {
        // SAFETY: the caller guarantees that `kernel` is null or a live handle with a reference
        // that the caller owns.
        unsafe { release(kernel) };
        Ok(())
    });
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_native_of_native_kernel(
    kernel: NativeKernelHandle,
    native: *mut *mut c_void,
    program: *mut *mut c_void,
) -> Status {
    // SAFETY: the caller guarantees that `kernel` is null or a live handle, and that `native` and
    // `program` are null or valid for a write.
    edge(|| unsafe { put_natives(&*get(kernel)?.any()?, native, program) })
}

/// # Safety
/// See [`super`]. `native` must be a live program of the context's driver.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_program_from_native(
    context: ContextHandle,
    native: *mut c_void,
    out: *mut NativeProgramHandle,
) -> Status {
    edge(|| {
        check_out(out, "program")?;
        // SAFETY: the caller guarantees that `context` is null or a live handle, and that `native`
        // is a live program of its driver.
        let program = unsafe { get(context)?.first().interop()?.program_from_native(native) }?;
        // SAFETY: the caller guarantees that `out` is null or valid for a write.
        unsafe { put(out, "program", give(Arc::new(NativeProgram(program)))) }
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_native_program_release(program: NativeProgramHandle) {
    edge_or((), || {
        // SAFETY: the caller guarantees that `program` is null or a live handle with a reference
        // that the caller owns.
        unsafe { release(program) };
        Ok(())
    });
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_native_of_program(
    program: NativeProgramHandle,
    out: *mut *mut c_void,
) -> Status {
    edge(|| {
        check_out(out, "native")?;
        // SAFETY: the caller guarantees that `out` is null or valid for a write and that `program`
        // is null or a live handle.
        unsafe { put(out, "native", get(program)?.0.native()?) }
    })
}
