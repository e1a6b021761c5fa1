//! Symbols as programmers wrote them.

use crate::shim;
use crate::text::copy_string;
use std::ffi::{c_char, c_void};

/// The C++ name of a mangled symbol; other symbols as they are.
pub fn demangle(symbol: &str) -> String {
    extern "C" fn take(out: *mut c_void, data: *const c_char, len: usize) {
        // SAFETY: the shim passes on the string below, and text with its length.
        unsafe { *out.cast::<String>() = copy_string(data, len) }
    }
    let mut text = String::new();
    // SAFETY: text with its length; the string outlives the call.
    unsafe {
        shim::scythe_llvm_demangle(
            symbol.as_ptr().cast(),
            symbol.len(),
            take,
            (&raw mut text).cast(),
        )
    };
    text
}
