//! Strings in calls of C functions.

use std::ffi::{CStr, CString, c_char};

/// Converts `s` to a C string. An embedded NUL ends it, as it would for LLVM.
pub(crate) fn c_string(s: &str) -> CString {
    let bytes = s.as_bytes();
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    CString::new(&bytes[..end]).unwrap_or_default()
}

/// Copies `len` bytes at `data`.
///
/// # Safety
/// `data` must be null, or valid for `len` bytes.
pub(crate) unsafe fn copy_string(data: *const c_char, len: usize) -> String {
    if data.is_null() {
        return String::new();
    }
    // SAFETY: the caller guarantees that `data` is valid for `len` bytes (this function's
    // contract).
    let bytes = unsafe { std::slice::from_raw_parts(data.cast::<u8>(), len) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// Copies a message that LLVM allocated, and frees it.
///
/// # Safety
/// `message` must be null, or a string to be disposed with `LLVMDisposeMessage` that nothing else
/// uses.
pub(crate) unsafe fn take_message(message: *mut c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    // SAFETY: the caller guarantees a NUL-terminated string (this function's contract).
    let text = unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned();
    // SAFETY: the caller guarantees that LLVM allocated the message and that nothing else frees it
    // (this function's contract).
    unsafe { llvm_sys::core::LLVMDisposeMessage(message) };
    text
}
