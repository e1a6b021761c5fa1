//! Handles: addresses of counted (or never freed) objects, and back.

use std::ffi::{CStr, c_char};
use std::mem::ManuallyDrop;
use std::sync::Arc;

use scythe_abi::capi as c;

use crate::context::Context;
use crate::event::Node;
use crate::memory::Buffer;
use crate::native_kernel::{NativeKernel, NativeProgram};
use crate::platform::{Device, Platform};
use crate::queue::Queue;
use crate::{Result, invalid};

/// What an event handle points at.
pub struct EventObject {
    pub node: Node,
    /// Where the command was submitted: it collects errors and knows about profiling.
    pub queue: Arc<Queue>,
}

impl Drop for EventObject {
    fn drop(&mut self) {
        self.node.event.abandon();
    }
}

/// Ties a handle type to what it points at.
///
/// # Safety
/// Every non-null handle of type `*mut Self` that the runtime gives out is the address of an
/// `Object`: from [`Arc::into_raw`], or of a `'static` one.
pub unsafe trait Handle: Sized {
    type Object: 'static;
    const NAME: &'static str;
}

macro_rules! handle {
    ($($handle:ty => $object:ty, $name:literal;)*) => {$(
        // SAFETY: the functions of this folder make handles of this type only from this object.
        unsafe impl Handle for $handle {
            type Object = $object;
            const NAME: &'static str = $name;
        }
    )*};
}

handle! {
    c::PlatformT => Platform, "platform";
    c::DeviceT => Device, "device";
    c::ContextT => Context, "context";
    c::QueueT => Queue, "queue";
    c::EventT => EventObject, "event";
    c::BufferT => Buffer, "buffer";
    c::NativeKernelT => NativeKernel, "native kernel";
    c::NativeProgramT => NativeProgram, "native program";
}

/// The object behind a handle.
///
/// # Safety
/// `handle` is null or alive for `'a`.
pub unsafe fn get<'a, H: Handle>(handle: *mut H) -> Result<&'a H::Object> {
    // SAFETY: `Handle`'s contract and the caller's.
    unsafe { handle.cast::<H::Object>().as_ref() }
        .ok_or_else(|| invalid(format!("the {} handle is null", H::NAME)))
}

/// Another owner of a counted object.
///
/// # Safety
/// `handle` is null or alive, and counted.
pub unsafe fn share<H: Handle>(handle: *mut H) -> Result<Arc<H::Object>> {
    // SAFETY: passed on.
    unsafe { get(handle) }?;
    // SAFETY: a counted handle is from `Arc::into_raw`; `ManuallyDrop` leaves the handle's own
    // count alone.
    let own = ManuallyDrop::new(unsafe { Arc::from_raw(handle.cast::<H::Object>().cast_const()) });
    Ok(Arc::clone(&own))
}

/// A handle that owns one count.
pub fn give<H: Handle>(object: Arc<H::Object>) -> *mut H {
    Arc::into_raw(object).cast_mut().cast()
}

/// A handle of an object that is never freed.
pub fn give_static<H: Handle>(object: &'static H::Object) -> *mut H {
    std::ptr::from_ref(object).cast_mut().cast()
}

/// Adds one to the count; null is ignored.
///
/// # Safety
/// `handle` is null or alive, and counted.
pub unsafe fn retain<H: Handle>(handle: *mut H) {
    if !handle.is_null() {
        // SAFETY: the handle is from `Arc::into_raw` and alive.
        unsafe { Arc::increment_strong_count(handle.cast::<H::Object>().cast_const()) };
    }
}

/// Takes one from the count; null is ignored.
///
/// # Safety
/// `handle` is null, or alive, counted, and this count is the caller's to give up.
pub unsafe fn release<H: Handle>(handle: *mut H) {
    if !handle.is_null() {
        // SAFETY: the handle is from `Arc::into_raw`, and the caller owns a count.
        drop(unsafe { Arc::from_raw(handle.cast::<H::Object>().cast_const()) });
    }
}

/// Stores a result where the caller wants it.
///
/// # Safety
/// `out` is null or valid for a write.
pub unsafe fn put<T>(out: *mut T, name: &str, value: T) -> Result<()> {
    check_out(out, name)?;
    // SAFETY: not null, so valid.
    unsafe { out.write(value) };
    Ok(())
}

/// The address of a result must be there before anything is made for it.
pub fn check_out<T>(out: *mut T, name: &str) -> Result<()> {
    if out.is_null() {
        Err(invalid(format!("the address for the result '{name}' is null")))
    } else {
        Ok(())
    }
}

/// A C string as text.
///
/// # Safety
/// `text` is null or NUL-terminated, and lives for `'a`.
pub unsafe fn text<'a>(text: *const c_char, name: &str) -> Result<&'a str> {
    if text.is_null() {
        return Err(invalid(format!("the string '{name}' is null")));
    }
    // SAFETY: passed on.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().map_err(|_| invalid(format!("the string '{name}' is not UTF-8: {text:?}")))
}

/// `count` values at `data` as a slice.
///
/// # Safety
/// `data` is null or valid for reads of `count` values during `'a`.
pub unsafe fn slice<'a, T>(data: *const T, count: u64, name: &str) -> Result<&'a [T]> {
    if count == 0 {
        return Ok(&[]);
    }
    let bytes =
        count.checked_mul(size_of::<T>() as u64).filter(|&bytes| bytes <= isize::MAX as u64);
    if data.is_null() || bytes.is_none() {
        return Err(invalid(format!("'{name}' gives {count} values at {data:p}")));
    }
    // SAFETY: not null and not too large; the rest is passed on.
    Ok(unsafe { std::slice::from_raw_parts(data, count as usize) })
}
