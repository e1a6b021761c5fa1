//! The C interface: every function of `include/sycl/detail/abi.h` and `abi_memory.h`, which
//! document them.
//!
//! Each function validates its arguments, converts handles to references, and calls the Rust
//! implementation inside [`edge`] or [`edge_or`]. These catch panics and store the message of a
//! failure for `scythe_last_error`. No other part of the runtime uses handles.
//!
//! All functions share a contract, in addition to the documentation of each function in the header:
//! handles must be null or live, and other pointers must be null or valid for the reads and writes
//! that the header specifies. Null in place of a required value is an error of category
//! `errc::invalid`, not undefined behaviour.

pub mod buffers;
pub mod device_globals;
pub mod devices;
pub mod graphs;
pub mod handles;
pub mod host_groups;
pub mod images;
pub mod native;
pub mod online;
pub mod queues;
pub mod registration;
pub mod stream;
pub mod submit;
pub mod usm;
pub mod virtual_memory;

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

use scythe_abi::capi::{ABI_VERSION, Status};
use scythe_hal::fork;

use crate::demangle::readable;
use crate::{Errc, Error, Result, thread_sanitizer};

/// The variable `SCYTHE_ABI_VARIABLE` of the header. The linker and the loader find it only for
/// programs of the same version of the interface.
#[unsafe(no_mangle)]
pub static scythe_abi_version_3: u8 = 3;

const _: () = assert!(ABI_VERSION == 3, "rename scythe_abi_version_3, also in abi.h");

thread_local! {
    static LAST_ERROR: RefCell<Option<CString>> = const { RefCell::new(None) };
}

/// Returns the message of this thread's last failing call, or an empty string before the first
/// failure.
#[unsafe(no_mangle)]
pub extern "C" fn scythe_last_error() -> *const c_char {
    let message = LAST_ERROR
        .try_with(|last| last.try_borrow().ok()?.as_ref().map(|message| message.as_ptr()));
    message.ok().flatten().unwrap_or(c"".as_ptr())
}

/// Makes `message` the message of this thread's last failing call.
///
/// # Safety
/// `message` must be null or a C string. It may be the last message itself.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_set_last_error(message: *const c_char) {
    if !message.is_null() {
        // SAFETY: the message is not null, so the caller guarantees that it is a C string.
        let message = unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned();
        edge_or((), || Err(Error::new(Errc::Runtime, message)));
    }
}

/// Returns the message of an error as users read it.
fn message_of(error: &Error) -> CString {
    c_string(&readable(&error.message))
}

/// Converts `text` to a C string; text after a NUL is cut off.
fn c_string(text: &str) -> CString {
    let end = text.find('\0').unwrap_or(text.len());
    CString::new(&text[..end]).unwrap_or_default()
}

fn fail(error: &Error) -> Status {
    // If the thread-local storage is gone, the thread is ending, and only the error code is
    // returned.
    let _ = LAST_ERROR.try_with(|last| {
        if let Ok(mut last) = last.try_borrow_mut() {
            *last = Some(message_of(error));
        }
    });
    error.code as Status
}

/// Runs the body of a function that can fail. It always fails in a process that cannot use SYCL
/// ([`fork`]).
fn edge(body: impl FnOnce() -> Result<()>) -> Status {
    if fork::is_lost() {
        return fail(&fork::error());
    }
    thread_sanitizer::release();
    let result = catch_unwind(AssertUnwindSafe(body));
    thread_sanitizer::acquire();
    match result {
        Ok(Ok(())) => 0,
        Ok(Err(error)) => fail(&error),
        Err(panic) => {
            fail(&Error::new(Errc::Runtime, format!("internal error: {}", panic_text(&*panic))))
        }
    }
}

/// Runs the body of a function that cannot report failure. Returns `otherwise` if the body fails,
/// and in a process that cannot use SYCL, which must not wait for anything.
fn edge_or<T>(otherwise: T, body: impl FnOnce() -> Result<T>) -> T {
    if fork::is_lost() {
        fail(&fork::error());
        return otherwise;
    }
    thread_sanitizer::release();
    let result = catch_unwind(AssertUnwindSafe(body));
    thread_sanitizer::acquire();
    match result {
        Ok(Ok(value)) => value,
        Ok(Err(error)) => {
            fail(&error);
            otherwise
        }
        Err(panic) => {
            fail(&Error::new(Errc::Runtime, format!("internal error: {}", panic_text(&*panic))));
            otherwise
        }
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("a panic without a message")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    fn last() -> String {
        // SAFETY: the function returns a string that lives until this thread's next failing call.
        unsafe { CStr::from_ptr(scythe_last_error()) }.to_str().expect("UTF-8").to_owned()
    }

    #[test]
    fn failures_keep_their_message_and_panics_stay_inside() {
        assert_eq!(edge(|| Ok(())), 0);
        assert_eq!(
            edge(|| Err(Error::new(Errc::NdRange, "3 does not divide 10"))),
            Errc::NdRange as Status
        );
        assert_eq!(last(), "3 does not divide 10");
        assert_eq!(edge(|| panic!("lost {}", "way")), Errc::Runtime as Status);
        assert_eq!(last(), "internal error: lost way");
        assert_eq!(edge_or(7, || Err(Error::new(Errc::Invalid, "cut\0off"))), 7);
        assert_eq!(last(), "cut");
        let other = std::thread::spawn(last).join().expect("no panic");
        assert_eq!(other, "", "messages are each thread's own");
    }
}
