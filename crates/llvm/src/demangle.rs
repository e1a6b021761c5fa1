//! Demangles symbols.

use crate::shim;
use crate::text::copy_string;
use std::ffi::{c_char, c_void};

/// Returns the C++ name of a mangled symbol. Other symbols are returned unchanged.
pub fn demangle(symbol: &str) -> String {
    extern "C" fn take(out: *mut c_void, data: *const c_char, len: usize) {
        // SAFETY: `out` is the string below, which the shim passes unchanged, and `data` has `len`
        // bytes.
        unsafe { *out.cast::<String>() = copy_string(data, len) }
    }
    let mut text = String::new();
    // SAFETY: the symbol has this length, and the string outlives the call.
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
