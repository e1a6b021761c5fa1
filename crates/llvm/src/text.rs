//! Strings across the C edge.

use std::ffi::{CStr, CString, c_char};

/// A C string of `s`. An embedded NUL ends it, as it would for LLVM.
pub(crate) fn c_string(s: &str) -> CString {
    let bytes = s.as_bytes();
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    CString::new(&bytes[..end]).unwrap_or_default()
}

/// Copies `len` bytes at `data`.
///
/// # Safety
/// `data` is null, or valid for `len` bytes.
pub(crate) unsafe fn copy_string(data: *const c_char, len: usize) -> String {
    if data.is_null() {
        return String::new();
    }
    // SAFETY: valid for `len` bytes by this function's contract.
    let bytes = unsafe { std::slice::from_raw_parts(data.cast::<u8>(), len) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// Copies a message that LLVM allocated, and frees it.
///
/// # Safety
/// `message` is null, or a string that LLVM wants disposed with `LLVMDisposeMessage`, which nobody
/// else uses.
pub(crate) unsafe fn take_message(message: *mut c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    // SAFETY: a NUL-terminated string by this function's contract.
    let text = unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned();
    // SAFETY: allocated by LLVM, and freed here only.
    unsafe { llvm_sys::core::LLVMDisposeMessage(message) };
    text
}
