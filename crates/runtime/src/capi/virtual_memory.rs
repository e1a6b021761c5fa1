//! Virtual memory: reserved addresses, physical memory and mappings.

use std::ffi::c_void;
use std::sync::Arc;

use scythe_abi::capi::{ContextHandle, DeviceHandle, DeviceT, PhysicalHandle, PhysicalT, Status};

use super::handles::{check_out, get, give, put, release, retain, share};
use super::{edge, edge_or};
use crate::virtual_memory::{self, Physical, access_from};

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_virtual_granularity(
    context: ContextHandle,
    device: DeviceHandle,
    recommended: i32,
    out: *mut usize,
) -> Status {
    edge(|| {
        // SAFETY: the caller guarantees that `context` is null or a live handle.
        let context = unsafe { get(context) }?;
        // SAFETY: the caller guarantees that `device` is null or a live handle; devices are never
        // freed.
        let device = if device.is_null() { None } else { Some(unsafe { get::<DeviceT>(device) }?) };
        let unit = virtual_memory::granularity(context, device, recommended != 0)?;
        // SAFETY: the caller guarantees that `out` is null or valid for a write.
        unsafe { put(out, "granularity", unit) }
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_virtual_reserve(
    context: ContextHandle,
    start: *const c_void,
    size: usize,
    out: *mut *mut c_void,
) -> Status {
    edge(|| {
        check_out(out, "address")?;
        // SAFETY: the caller guarantees that `context` is null or a live handle.
        let at = virtual_memory::reserve(unsafe { get(context) }?, start as usize, size)?;
        // SAFETY: the caller guarantees that `out` is null or valid for a write.
        unsafe { put(out, "address", at as *mut c_void) }
    })
}

/// # Safety
/// See [`super`]. No command may use the range.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_virtual_free(
    context: ContextHandle,
    start: *const c_void,
    size: usize,
) -> Status {
    // SAFETY: the caller guarantees that `context` is null or a live handle, and that no command
    // uses the range.
    edge(|| unsafe { virtual_memory::unreserve(get(context)?, start as usize, size) })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_physical_create(
    context: ContextHandle,
    device: DeviceHandle,
    size: usize,
    out: *mut PhysicalHandle,
) -> Status {
    edge(|| {
        check_out(out, "physical memory")?;
        // SAFETY: the caller guarantees that `context` is null or a live handle.
        let context = unsafe { share(context) }?;
        // SAFETY: the caller guarantees that `device` is null or a live handle; devices are never
        // freed.
        let device = unsafe { get::<DeviceT>(device) }?;
        let memory = Arc::new(Physical::new(&context, device, size)?);
        // SAFETY: the caller guarantees that `out` is null or valid for a write.
        unsafe { put(out, "physical memory", give::<PhysicalT>(memory)) }
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_physical_retain(memory: PhysicalHandle) {
    // SAFETY: the caller guarantees that `memory` is null or a live handle.
    unsafe { retain(memory) };
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_physical_release(memory: PhysicalHandle) {
    edge_or((), || {
        // SAFETY: the caller guarantees that `memory` is null or a live handle with a reference
        // that the caller owns.
        unsafe { release(memory) };
        Ok(())
    });
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_physical_map(
    memory: PhysicalHandle,
    start: *const c_void,
    size: usize,
    offset: usize,
    access: u32,
) -> Status {
    edge(|| {
        // SAFETY: the caller guarantees that `memory` is null or a live handle.
        unsafe { get(memory) }?.map(start as usize, size, offset, access_from(access)?)
    })
}

/// # Safety
/// See [`super`]. No command may use the range.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_virtual_unmap(
    context: ContextHandle,
    start: *const c_void,
    size: usize,
) -> Status {
    // SAFETY: the caller guarantees that `context` is null or a live handle, and that no command
    // uses the range.
    edge(|| unsafe { virtual_memory::unmap(get(context)?, start as usize, size) })
}

/// # Safety
/// See [`super`]. No command may use the range.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_virtual_set_access(
    context: ContextHandle,
    start: *const c_void,
    size: usize,
    access: u32,
) -> Status {
    edge(|| {
        let access = access_from(access)?;
        // SAFETY: the caller guarantees that `context` is null or a live handle, and that no
        // command uses the range.
        unsafe { virtual_memory::set_access(get(context)?, start as usize, size, access) }
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_virtual_access(
    context: ContextHandle,
    start: *const c_void,
    size: usize,
    out: *mut u32,
) -> Status {
    edge(|| {
        // SAFETY: the caller guarantees that `context` is null or a live handle.
        let access = virtual_memory::access(unsafe { get(context) }?, start as usize, size)?;
        // SAFETY: the caller guarantees that `out` is null or valid for a write.
        unsafe { put(out, "access mode", access as u32) }
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_exported_alloc(
    context: ContextHandle,
    device: DeviceHandle,
    align: usize,
    size: usize,
    out: *mut *mut c_void,
) -> Status {
    edge(|| {
        check_out(out, "address")?;
        // SAFETY: the caller guarantees that `context` is null or a live handle.
        let context = unsafe { share(context) }?;
        // SAFETY: the caller guarantees that `device` is null or a live handle; devices are never
        // freed.
        let device = unsafe { get::<DeviceT>(device) }?;
        let at = virtual_memory::alloc_exported(&context, device, align, size)?;
        // SAFETY: the caller guarantees that `out` is null or valid for a write.
        unsafe { put(out, "address", at as *mut c_void) }
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_exported_handle(
    context: ContextHandle,
    device: DeviceHandle,
    ptr: *const c_void,
    out: *mut i32,
) -> Status {
    edge(|| {
        check_out(out, "file descriptor")?;
        // SAFETY: the caller guarantees that `context` is null or a live handle.
        let context = unsafe { get(context) }?;
        // SAFETY: the caller guarantees that `device` is null or a live handle; devices are never
        // freed.
        let device = unsafe { get::<DeviceT>(device) }?;
        let file = virtual_memory::export(context, device, ptr as usize)?;
        // SAFETY: the caller guarantees that `out` is null or valid for a write.
        unsafe { put(out, "file descriptor", file) }
    })
}

/// # Safety
/// See [`super`]. No command may use the memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_exported_free(
    context: ContextHandle,
    device: DeviceHandle,
    ptr: *const c_void,
) -> Status {
    edge(|| {
        // SAFETY: the caller guarantees that `context` is null or a live handle.
        let context = unsafe { get(context) }?;
        // SAFETY: the caller guarantees that `device` is null or a live handle; devices are never
        // freed.
        let device = unsafe { get::<DeviceT>(device) }?;
        // SAFETY: the caller guarantees that no command uses the memory.
        unsafe { virtual_memory::free_exported(context, device, ptr as usize) }
    })
}
