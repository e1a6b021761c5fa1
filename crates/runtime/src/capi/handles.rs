//! Conversion between handles and the objects behind them, which are reference-counted or never
//! freed.

use std::ffi::{CStr, c_char};
use std::mem::ManuallyDrop;
use std::sync::{Arc, Weak};

use scythe_abi::capi as c;

use crate::context::Context;
use crate::event::Node;
use crate::graph;
use crate::memory::Buffer;
use crate::native_kernel::{NativeKernel, NativeProgram};
use crate::online::Program;
use crate::platform::{Device, Platform};
use crate::queue::Queue;
use crate::virtual_memory::Physical;
use crate::{Result, invalid};

/// The object behind an event handle.
pub struct EventObject {
    pub node: Node,
    /// The queue of the command: it collects errors and knows whether profiling is enabled.
    pub queue: Arc<Queue>,
    /// Whether the event has no times although its queue has profiling: a launch of a graph that
    /// was made without profiling.
    pub untimed: bool,
}

impl Drop for EventObject {
    fn drop(&mut self) {
        self.node.event.abandon();
    }
}

/// Maps a handle type to the type of its object.
///
/// # Safety
/// Every non-null handle of type `*mut Self` that the runtime returns must be the address of an
/// `Object`: from [`Arc::into_raw`], or of a `'static` object.
pub unsafe trait Handle: Sized {
    type Object: 'static;
    const NAME: &'static str;
}

macro_rules! handle {
    ($($handle:ty => $object:ty, $name:literal;)*) => {$(
        // SAFETY: the functions of this module create handles of this type only from this object
        // type.
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
    c::PhysicalT => Physical, "physical memory";
    c::OnlineProgramT => Program, "program compiled from source text";
    c::GraphT => graph::Owner, "graph";
    c::GraphNodeT => graph::NodeRef, "node";
    c::GraphExecT => graph::exec::Exec, "executable graph";
    c::GraphChoiceT => super::graphs::Choice, "dynamic command group";
}

/// Returns the object behind a handle.
///
/// # Safety
/// `handle` must be null or live for `'a`.
pub unsafe fn get<'a, H: Handle>(handle: *mut H) -> Result<&'a H::Object> {
    // SAFETY: by the contract of `Handle`, a non-null handle is the address of an `Object`. The
    // caller guarantees that it is live for `'a`.
    unsafe { handle.cast::<H::Object>().as_ref() }
        .ok_or_else(|| invalid(format!("the {} handle is null", H::NAME)))
}

/// Returns another owner of a reference-counted object.
///
/// # Safety
/// `handle` must be null, or live and reference-counted.
pub unsafe fn share<H: Handle>(handle: *mut H) -> Result<Arc<H::Object>> {
    // SAFETY: the caller guarantees that `handle` is null or a live handle.
    unsafe { get(handle) }?;
    // SAFETY: a reference-counted handle comes from `Arc::into_raw`. `ManuallyDrop` keeps the
    // reference of the handle.
    let own = ManuallyDrop::new(unsafe { Arc::from_raw(handle.cast::<H::Object>().cast_const()) });
    Ok(Arc::clone(&own))
}

/// Creates a handle that owns one reference.
pub fn give<H: Handle>(object: Arc<H::Object>) -> *mut H {
    Arc::into_raw(object).cast_mut().cast()
}

/// Creates a handle of an object that is never freed.
pub fn give_static<H: Handle>(object: &'static H::Object) -> *mut H {
    std::ptr::from_ref(object).cast_mut().cast()
}

/// Increments the reference count. Ignores null.
///
/// # Safety
/// `handle` must be null, or live and reference-counted.
pub unsafe fn retain<H: Handle>(handle: *mut H) {
    if !handle.is_null() {
        // SAFETY: the handle comes from `Arc::into_raw`, and the caller guarantees that it is live.
        unsafe { Arc::increment_strong_count(handle.cast::<H::Object>().cast_const()) };
    }
}

/// Decrements the reference count. Ignores null.
///
/// # Safety
/// `handle` must be null, or live and reference-counted. The caller must own the released
/// reference.
pub unsafe fn release<H: Handle>(handle: *mut H) {
    if !handle.is_null() {
        // SAFETY: the handle comes from `Arc::into_raw`, and the caller owns a reference.
        drop(unsafe { Arc::from_raw(handle.cast::<H::Object>().cast_const()) });
    }
}

/// Adds a weak reference, which keeps the memory of the object but not the object. Ignores null.
///
/// # Safety
/// `handle` must be null, or reference-counted with a reference or weak reference of the caller.
pub unsafe fn weak_retain<H: Handle>(handle: *mut H) {
    if !handle.is_null() {
        // SAFETY: the handle comes from `Arc::into_raw`, and the caller's reference keeps its
        // memory. `ManuallyDrop` keeps that reference.
        let known = ManuallyDrop::new(unsafe { Weak::from_raw(handle.cast::<H::Object>()) });
        let _ = ManuallyDrop::new(Weak::clone(&known));
    }
}

/// Removes a weak reference. Ignores null.
///
/// # Safety
/// `handle` must be null, or the caller must own the weak reference.
pub unsafe fn weak_release<H: Handle>(handle: *mut H) {
    if !handle.is_null() {
        // SAFETY: the handle comes from `Arc::into_raw`, and the caller owns a weak reference.
        drop(unsafe { Weak::from_raw(handle.cast::<H::Object>()) });
    }
}

/// Adds a reference if the object still has one, and returns whether it has.
///
/// # Safety
/// `handle` must be null, or reference-counted with a weak reference of the caller.
pub unsafe fn weak_lock<H: Handle>(handle: *mut H) -> bool {
    if handle.is_null() {
        return false;
    }
    // SAFETY: the handle comes from `Arc::into_raw`, and the caller owns a weak reference, which
    // `ManuallyDrop` keeps.
    let weak = ManuallyDrop::new(unsafe { Weak::from_raw(handle.cast::<H::Object>()) });
    weak.upgrade().map(Arc::into_raw).is_some()
}

/// Stores a result at the address that the caller provided.
///
/// # Safety
/// `out` must be null or valid for a write.
pub unsafe fn put<T>(out: *mut T, name: &str, value: T) -> Result<()> {
    check_out(out, name)?;
    // SAFETY: `out` is not null, and the caller guarantees that it is then valid for a write.
    unsafe { out.write(value) };
    Ok(())
}

/// Checks the address of a result. This happens before anything is created for the result.
pub fn check_out<T>(out: *mut T, name: &str) -> Result<()> {
    if out.is_null() {
        Err(invalid(format!("the address for the result '{name}' is null")))
    } else {
        Ok(())
    }
}

/// Converts a C string to text.
///
/// # Safety
/// `text` must be null or NUL-terminated, and must live for `'a`.
pub unsafe fn text<'a>(text: *const c_char, name: &str) -> Result<&'a str> {
    if text.is_null() {
        return Err(invalid(format!("the string '{name}' is null")));
    }
    // SAFETY: `text` is not null, and the caller guarantees that it is NUL-terminated and lives for
    // `'a`.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().map_err(|_| invalid(format!("the string '{name}' is not UTF-8: {text:?}")))
}

/// Returns `count` values at `data` as a slice.
///
/// # Safety
/// `data` must be null or valid for reads of `count` values during `'a`.
pub unsafe fn slice<'a, T>(data: *const T, count: u64, name: &str) -> Result<&'a [T]> {
    if count == 0 {
        return Ok(&[]);
    }
    let bytes =
        count.checked_mul(size_of::<T>() as u64).filter(|&bytes| bytes <= isize::MAX as u64);
    if data.is_null() || bytes.is_none() {
        return Err(invalid(format!("'{name}' gives {count} values at {data:p}")));
    }
    // SAFETY: `data` is not null, and the size does not exceed `isize::MAX`. The caller guarantees
    // that `data` is valid for reads of `count` values during `'a`.
    Ok(unsafe { std::slice::from_raw_parts(data, count as usize) })
}
