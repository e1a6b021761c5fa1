//! Unified shared memory.

use std::ffi::c_void;

use scythe_abi::capi::{ContextHandle, DeviceHandle, DeviceT, Status, usm_kind};
use scythe_hal::{UsmKind, fork};

use super::edge;
use super::handles::{check_out, get, give_static, put};
use crate::{Result, invalid};

fn kind_from(number: u32) -> Result<UsmKind> {
    Ok(match number {
        usm_kind::HOST => UsmKind::Host,
        usm_kind::DEVICE => UsmKind::Device,
        usm_kind::SHARED => UsmKind::Shared,
        _ => return Err(invalid(format!("allocation kind {number} is unknown, expected 0 to 2"))),
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_usm_alloc(
    context: ContextHandle,
    device: DeviceHandle,
    kind: u32,
    size: usize,
    align: usize,
    out: *mut *mut c_void,
) -> Status {
    edge(|| {
        check_out(out, "ptr")?;
        // SAFETY: the caller guarantees that `context` is null or a live handle.
        let context = unsafe { get(context) }?;
        // SAFETY: the caller guarantees that `device` is null or a live handle; devices are never
        // freed.
        let device = if device.is_null() { None } else { Some(unsafe { get::<DeviceT>(device) }?) };
        let ptr = context.alloc(device, kind_from(kind)?, size, align)?;
        // SAFETY: the caller guarantees that `out` is null or valid for a write.
        unsafe { put(out, "ptr", ptr) }
    })
}

/// # Safety
/// See [`super`]. No command may use the allocation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_usm_free(context: ContextHandle, ptr: *mut c_void) -> Status {
    if fork::is_lost() {
        // Destructors free memory, and must not fail. The process keeps it.
        return 0;
    }
    // SAFETY: the caller guarantees that `context` is null or a live handle, and that no command
    // uses the allocation.
    edge(|| unsafe { get(context)?.free(ptr) })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_usm_query(
    context: ContextHandle,
    ptr: *const c_void,
    kind: *mut u32,
    device: *mut DeviceHandle,
) -> Status {
    edge(|| {
        // SAFETY: the caller guarantees that `context` is null or a live handle.
        let found = unsafe { get(context) }?.query(ptr);
        if !kind.is_null() {
            // SAFETY: `kind` is not null, and the caller guarantees that it is then valid for a
            // write.
            unsafe { kind.write(found.map_or(usm_kind::UNKNOWN, |(kind, _)| kind as u32)) };
        }
        if !device.is_null() {
            // SAFETY: `device` is not null, and the caller guarantees that it is then valid for a
            // write.
            unsafe {
                device.write(found.map_or(std::ptr::null_mut(), |(_, device)| give_static(device)))
            };
        }
        Ok(())
    })
}

/// # Safety
/// See [`super`]. The memory must stay valid until it is unregistered.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_host_register(
    context: ContextHandle,
    ptr: *const c_void,
    size: usize,
    read_only: i32,
) -> Status {
    // SAFETY: the caller guarantees that `context` is null or a live handle, and that the memory
    // stays valid.
    edge(|| unsafe { get(context)?.register_host(ptr as usize, size, read_only != 0) })
}

/// # Safety
/// See [`super`]. No command may use the memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_host_unregister(
    context: ContextHandle,
    ptr: *const c_void,
) -> Status {
    // SAFETY: the caller guarantees that `context` is null or a live handle, and that no command
    // uses the memory.
    edge(|| unsafe { get(context)?.unregister_host(ptr as usize) })
}

/// # Safety
/// See [`super`]. The memory must stay valid until the call with `size` 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_host_prepare(
    context: ContextHandle,
    ptr: *const c_void,
    size: usize,
) -> Status {
    edge(|| {
        // SAFETY: the caller guarantees that `context` is null or a live handle, and that the
        // memory stays valid.
        unsafe { get(context)?.prepare_host(ptr as usize, size) };
        Ok(())
    })
}
