//! Buffers and host accesses.

use std::ffi::c_void;
use std::sync::Arc;

use scythe_abi::capi::{
    BufferDesc, BufferHandle, BufferT, Destroy, HostAccessHandle, Status, WriteBack, access_mode,
    buffer_flags,
};

use super::handles::{
    check_out, get, give, put, release, retain, weak_lock, weak_release, weak_retain,
};
use super::{edge, edge_or};
use crate::graph::record::check_host_access;
use crate::memory::coherence::{Access, HostAccess};
use crate::memory::{Buffer, CallbackContext, Destination, Initial, Mode};
use crate::{Errc, Error, Result, invalid};

/// Returns the access mode with this number.
pub fn mode_from(number: u32) -> Result<Mode> {
    Ok(match number {
        access_mode::READ => Mode::Read,
        access_mode::WRITE => Mode::Write,
        access_mode::READ_WRITE => Mode::ReadWrite,
        _ => {
            return Err(Error::new(
                Errc::Accessor,
                format!("access mode {number} is unknown, expected 0 to 2"),
            ));
        }
    })
}

/// # Safety
/// See [`super`]. `host_data` must live as long as the flags require.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_buffer_create(
    desc: *const BufferDesc,
    out: *mut BufferHandle,
) -> Status {
    edge(|| {
        check_out(out, "buffer")?;
        // SAFETY: the caller guarantees that `desc` is null or valid for a read.
        let desc =
            unsafe { desc.as_ref() }.ok_or_else(|| invalid("the buffer's description is null"))?;
        let known =
            buffer_flags::USE_HOST_PTR | buffer_flags::READ_ONLY_HOST | buffer_flags::COPY_HOST;
        if desc.flags & !known != 0 {
            let flags = desc.flags;
            return Err(invalid(format!(
                "buffer flags {flags:#x} contain unknown bits, expected a subset of {known:#x}"
            )));
        }
        if desc.elem_size == 0 || desc.size % desc.elem_size != 0 {
            return Err(invalid(format!(
                "the buffer size of {} bytes is not a multiple of the element size of {} bytes",
                desc.size, desc.elem_size
            )));
        }
        let copied = desc.flags & (buffer_flags::READ_ONLY_HOST | buffer_flags::COPY_HOST) != 0;
        let initial = if desc.host_data.is_null() || desc.size == 0 {
            Initial::None
        } else if copied {
            Initial::Copy(desc.host_data.cast_const().cast())
        } else {
            let only_copy = desc.flags & buffer_flags::USE_HOST_PTR != 0;
            Initial::Program { ptr: desc.host_data.cast(), only_copy }
        };
        // SAFETY: the caller guarantees that `host_data` is valid for `size` bytes, for as long as
        // the flags require.
        let buffer = unsafe { Buffer::new(desc.size, initial) }?;
        // SAFETY: the caller guarantees that `out` is null or valid for a write.
        unsafe { put(out, "buffer", give(Arc::new(buffer))) }
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_buffer_create_sub(
    parent: BufferHandle,
    offset: u64,
    size: u64,
    out: *mut BufferHandle,
) -> Status {
    edge(|| {
        check_out(out, "buffer")?;
        // SAFETY: the caller guarantees that `parent` is null or a live handle.
        let parent = unsafe { get::<BufferT>(parent) }?;
        let view = parent.view(offset, size)?;
        // SAFETY: the caller guarantees that `out` is null or valid for a write.
        unsafe { put(out, "buffer", give(Arc::new(view))) }
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_buffer_retain(buffer: BufferHandle) {
    // SAFETY: the caller guarantees that `buffer` is null or a live handle.
    unsafe { retain(buffer) };
}

/// # Safety
/// See [`super`]. The destination of the last release must be valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_buffer_release(buffer: BufferHandle) {
    edge_or((), || {
        // SAFETY: the caller guarantees that `buffer` is null or a live handle with a reference
        // that the caller owns.
        unsafe { release(buffer) };
        Ok(())
    });
}

/// # Safety
/// See [`super`]. The caller needs a reference or a weak reference.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_buffer_weak_retain(buffer: BufferHandle) {
    // SAFETY: the caller guarantees that `buffer` is null or a handle with a reference of the
    // caller.
    unsafe { weak_retain(buffer) };
}

/// # Safety
/// See [`super`]. The caller must own the weak reference.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_buffer_weak_release(buffer: BufferHandle) {
    // SAFETY: the caller guarantees that `buffer` is null or owns the weak reference.
    unsafe { weak_release(buffer) };
}

/// Adds a reference and returns 1 if the buffer still has one. Returns 0 otherwise.
///
/// # Safety
/// See [`super`]. The caller must own a weak reference.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_buffer_weak_lock(buffer: BufferHandle) -> i32 {
    // SAFETY: the caller guarantees that `buffer` is null or owns a weak reference.
    i32::from(unsafe { weak_lock(buffer) })
}

/// # Safety
/// See [`super`]. `dest` must be valid for the buffer's size until the last release. It must be
/// sound to call `callback` with `ctx` at the last release, and `destroy_ctx` once after `ctx` is
/// no longer used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_buffer_set_final(
    buffer: BufferHandle,
    dest: *mut c_void,
    callback: Option<WriteBack>,
    ctx: *mut c_void,
    destroy_ctx: Option<Destroy>,
) {
    edge_or((), || {
        let context = CallbackContext { ptr: ctx, destroy: destroy_ctx };
        let destination = match callback {
            Some(function) => Destination::Call { function, context },
            None if dest.is_null() => Destination::None,
            None => Destination::Address(dest.cast()),
        };
        // SAFETY: the caller guarantees that `buffer` is null or a live handle.
        unsafe { get::<BufferT>(buffer) }?.set_destination(destination)
    });
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_buffer_set_write_back(buffer: BufferHandle, on: i32) {
    // SAFETY: the caller guarantees that `buffer` is null or a live handle.
    edge_or((), || unsafe { get::<BufferT>(buffer) }?.set_write_back(on != 0));
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_buffer_host_address(
    buffer: BufferHandle,
    data: *mut *mut c_void,
) -> Status {
    edge(|| {
        // SAFETY: the caller guarantees that `buffer` is null or a live handle.
        let address = unsafe { get::<BufferT>(buffer) }?.host_address()?;
        // SAFETY: the caller guarantees that `data` is null or valid for a write.
        unsafe { put(data, "data", address.cast()) }
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_host_access_begin(
    buffer: BufferHandle,
    mode: u32,
    no_init: u32,
    data: *mut *mut c_void,
    out: *mut HostAccessHandle,
) -> Status {
    edge(|| {
        check_out(data, "data")?;
        check_out(out, "access")?;
        // SAFETY: the caller guarantees that `buffer` is null or a live handle.
        let buffer = unsafe { get::<BufferT>(buffer) }?;
        let access =
            Access { buffer, mode: mode_from(mode)?, no_init: no_init != 0, native: false };
        check_host_access(buffer)?;
        let (begun, address) = HostAccess::begin(&access)?;
        // SAFETY: the caller guarantees that `data` is null or valid for a write.
        unsafe { put(data, "data", address.cast()) }?;
        // SAFETY: the caller guarantees that `out` is null or valid for a write.
        unsafe { put(out, "access", Box::into_raw(Box::new(begun)).cast()) }
    })
}

/// # Safety
/// See [`super`]. The caller must not use `access` again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_host_access_end(access: HostAccessHandle) {
    edge_or((), || {
        if !access.is_null() {
            // SAFETY: `scythe_host_access_begin` created the object, and the caller gives up its
            // ownership.
            drop(unsafe { Box::from_raw(access.cast::<HostAccess>()) });
        }
        Ok(())
    });
}
