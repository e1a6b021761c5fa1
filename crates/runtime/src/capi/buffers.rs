//! Buffers and host accesses.

use std::ffi::c_void;
use std::sync::Arc;

use scythe_abi::capi::{
    BufferDesc, BufferHandle, BufferT, Destroy, HostAccessHandle, Status, WriteBack, access_mode,
    buffer_flags,
};

use super::handles::{check_out, get, give, put, release, retain};
use super::{edge, edge_or};
use crate::memory::coherence::{Access, HostAccess};
use crate::memory::{Buffer, CallbackContext, Destination, Initial, Mode};
use crate::{Errc, Error, Result, invalid};

/// The access mode with this number.
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
/// See [`super`]; `host_data` lives as long as its flags say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_buffer_create(
    desc: *const BufferDesc,
    out: *mut BufferHandle,
) -> Status {
    edge(|| {
        check_out(out, "buffer")?;
        // SAFETY: passed on.
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
        // SAFETY: passed on.
        let buffer = unsafe { Buffer::new(desc.size, initial) }?;
        // SAFETY: passed on.
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
        // SAFETY: passed on.
        let parent = unsafe { get::<BufferT>(parent) }?;
        let view = parent.view(offset, size)?;
        // SAFETY: passed on.
        unsafe { put(out, "buffer", give(Arc::new(view))) }
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_buffer_retain(buffer: BufferHandle) {
    // SAFETY: passed on.
    unsafe { retain(buffer) };
}

/// # Safety
/// See [`super`]; where the last release writes to is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_buffer_release(buffer: BufferHandle) {
    edge_or((), || {
        // SAFETY: passed on.
        unsafe { release(buffer) };
        Ok(())
    });
}

/// # Safety
/// See [`super`]; `dest` is valid for the buffer's size until the last release, `callback` may then
/// be called with `ctx`, and `destroy_ctx` once, when `ctx` is no longer used.
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
        // SAFETY: passed on.
        unsafe { get::<BufferT>(buffer) }?.set_destination(destination)
    });
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_buffer_set_write_back(buffer: BufferHandle, on: i32) {
    // SAFETY: passed on.
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
        // SAFETY: passed on.
        let address = unsafe { get::<BufferT>(buffer) }?.host_address()?;
        // SAFETY: passed on.
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
        // SAFETY: passed on.
        let buffer = unsafe { get::<BufferT>(buffer) }?;
        let access =
            Access { buffer, mode: mode_from(mode)?, no_init: no_init != 0, native: false };
        let (begun, address) = HostAccess::begin(&access)?;
        // SAFETY: passed on.
        unsafe { put(data, "data", address.cast()) }?;
        // SAFETY: passed on.
        unsafe { put(out, "access", Box::into_raw(Box::new(begun)).cast()) }
    })
}

/// # Safety
/// See [`super`]; `access` is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_host_access_end(access: HostAccessHandle) {
    edge_or((), || {
        if !access.is_null() {
            // SAFETY: made by `scythe_host_access_begin`, and given up by the caller.
            drop(unsafe { Box::from_raw(access.cast::<HostAccess>()) });
        }
        Ok(())
    });
}
