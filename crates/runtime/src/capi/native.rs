//! Drivers' own objects behind the runtime's, and the other way round.

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
use crate::native_kernel::{NativeKernel, NativeProgram};
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
        // SAFETY: passed on.
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
        // SAFETY: passed on.
        let native = unsafe { get(queue) }?.native()?;
        // SAFETY: passed on.
        unsafe { put(out, "native", native) }
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
        // SAFETY: passed on.
        let node = unsafe { get(event) }?.node.clone().resolve();
        let native = node.event.native().map_err(|error| match error.code {
            Errc::BackendMismatch => Error::new(
                Errc::BackendMismatch,
                "the event has no native object: its command has not reached the driver yet, or \
                 runs on the host",
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
        let event = unsafe { queue.device.interop()?.event_from_native(native) }?;
        let object = Arc::new(EventObject { node: Node { event, origin }, queue });
        // SAFETY: passed on.
        unsafe { put(out, "event", give(object)) }
    })
}

/// # Safety
/// See [`super`]; the bytes at `ptr` stay valid until the object is released.
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
        // SAFETY: passed on.
        let device = unsafe { get(queue) }?.device;
        let size = usize::try_from(size)
            .map_err(|_| invalid(format!("{size} bytes exceed the address space")))?;
        // SAFETY: passed on.
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
        // SAFETY: passed on.
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
        // SAFETY: passed on.
        unsafe { put(out, "native", get(queue)?.device.interop()?.native(NativeKind::Context)?) }
    })
}

/// # Safety
/// See [`super`]; `sink` may be called with `ctx`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_native_of_buffer(
    buffer: BufferHandle,
    queue: QueueHandle,
    sink: Option<NativeSink>,
    ctx: *mut c_void,
) -> Status {
    edge(|| {
        let sink = sink.ok_or_else(|| invalid("the sink of memory objects is null"))?;
        // SAFETY: passed on.
        let buffer = unsafe { get(buffer) }?;
        let natives = match queue.is_null() {
            true => buffer.natives()?,
            // SAFETY: passed on.
            false => buffer.native(unsafe { get(queue) }?.device)?.into_iter().collect(),
        };
        for native in natives {
            // SAFETY: the caller gave the function for this.
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
        // SAFETY: passed on.
        let (context, symbol) = unsafe { (get(context)?, text(symbol, "kernel name")?) };
        let found = registry::kernel_of_symbol(
            symbol,
            registry::Place { device: context.first(), context: context.id },
        )?;
        // SAFETY: passed on.
        unsafe { put_natives(&*found, kernel, program) }
    })
}

/// Gives the driver's kernel and its program, each where there is a place for it.
///
/// # Safety
/// Each address is null or valid for a write.
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
        // SAFETY: passed on; the address is not null.
        unsafe { put(kernel, "kernel", native?) }?;
    }
    match made {
        // SAFETY: passed on; the address is not null.
        Some(made) => unsafe { put(program, "program", made) },
        None => Ok(()),
    }
}

/// # Safety
/// See [`super`]; `native` is a context of the backend's driver, alive.
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
        // SAFETY: passed on.
        let context = unsafe { Context::from_native(&devices, native) }?;
        // SAFETY: passed on.
        unsafe { put(out, "context", give(Arc::new(context))) }
    })
}

/// # Safety
/// See [`super`]; `list` is null or valid for `capacity` handles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_context_devices(
    context: ContextHandle,
    list: *mut DeviceHandle,
    capacity: u32,
    count: *mut u32,
) -> Status {
    edge(|| {
        // SAFETY: passed on.
        let devices: Vec<_> = unsafe { get(context) }?.devices().collect();
        if !list.is_null() {
            for (index, device) in devices.iter().take(capacity as usize).enumerate() {
                // SAFETY: fewer than `capacity`.
                unsafe { list.add(index).write(give_static(*device)) };
            }
        }
        // SAFETY: passed on.
        unsafe { put(count, "count", devices.len() as u32) }
    })
}

/// # Safety
/// See [`super`]; `native` is a queue of the context's driver, alive.
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
        // SAFETY: passed on.
        let queue = unsafe { Queue::from_native(share(context)?, native) }?;
        let in_order = if queue.is_in_order() { queue_flags::IN_ORDER } else { 0 };
        let profiling = if queue.profiling { queue_flags::PROFILING } else { 0 };
        // SAFETY: passed on.
        unsafe {
            put(flags, "flags", in_order | profiling)?;
            put(device, "device", give_static(queue.device.known_as()))?;
            put(out, "queue", give(queue))
        }
    })
}

/// # Safety
/// See [`super`]; `native` is a memory object of the context's driver, alive.
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
        // SAFETY: passed on.
        let ready = if ready.is_null() { None } else { Some(unsafe { get(ready) }?.node.clone()) };
        // SAFETY: passed on.
        let buffer = unsafe { Buffer::from_native(get(context)?.first(), native, ready) }?;
        // SAFETY: passed on.
        unsafe {
            put(size, "size", buffer.size)?;
            put(out, "buffer", give(Arc::new(buffer)))
        }
    })
}

/// # Safety
/// See [`super`]; `native` is a kernel of the context's driver, alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_kernel_from_native(
    context: ContextHandle,
    native: *mut c_void,
    out: *mut NativeKernelHandle,
) -> Status {
    edge(|| {
        check_out(out, "kernel")?;
        // SAFETY: passed on.
        let kernel = unsafe { NativeKernel::new(share(context)?, native) }?;
        // SAFETY: passed on.
        unsafe { put(out, "kernel", give(Arc::new(kernel))) }
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_native_kernel_retain(kernel: NativeKernelHandle) {
    // SAFETY: passed on.
    unsafe { retain(kernel) };
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_native_kernel_release(kernel: NativeKernelHandle) {
    edge_or((), || {
        // SAFETY: passed on.
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
    // SAFETY: passed on.
    edge(|| unsafe { put_natives(&*get(kernel)?.any()?, native, program) })
}

/// # Safety
/// See [`super`]; `native` is a program of the context's driver, alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_program_from_native(
    context: ContextHandle,
    native: *mut c_void,
    out: *mut NativeProgramHandle,
) -> Status {
    edge(|| {
        check_out(out, "program")?;
        // SAFETY: passed on.
        let program = unsafe { get(context)?.first().interop()?.program_from_native(native) }?;
        // SAFETY: passed on.
        unsafe { put(out, "program", give(Arc::new(NativeProgram(program)))) }
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_native_program_release(program: NativeProgramHandle) {
    edge_or((), || {
        // SAFETY: passed on.
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
        // SAFETY: passed on.
        unsafe { put(out, "native", get(program)?.0.native()?) }
    })
}
