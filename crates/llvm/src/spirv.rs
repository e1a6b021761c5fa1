//! Translates modules to SPIR-V in memory, with LLVM's own target.
//!
//! The target reports a fatal error of LLVM for code that it does not support, which would end the
//! process. This module turns it into an [`Error`]. The memory that the translation allocated is
//! then leaked, and the module must not be used again, so the function takes and forgets it. The
//! caller must also forget its context.

use crate::fatal_errors::FatalErrors;
use crate::text::c_string;
use crate::{Error, Module, OptLevel};
use llvm_sys::prelude::LLVMModuleRef;
use std::ffi::{CStr, CString, c_char, c_uint};
use std::sync::{Mutex, PoisonError};

unsafe extern "C" {
    /// `triple` and the `count` `extensions` are C strings. `level` is a number of
    /// `CodeGenOptLevel`.
    fn scythe_llvm_translate_to_spirv(
        module: LLVMModuleRef,
        triple: *const c_char,
        extensions: *const *const c_char,
        count: usize,
        level: c_uint,
        len: *mut usize,
        message: *mut *mut c_char,
    ) -> *mut c_char;
}

/// A lock, because the target stores the permitted extensions in one variable for all threads.
static TURN: Mutex<()> = Mutex::new(());

/// Translates `module` for `triple`, such as `spirv64v1.4-unknown-unknown`. `extensions` are the
/// names of SPIR-V extensions. A name that LLVM does not know is an error.
pub fn translate_to_spirv(
    module: Module<'_>,
    triple: &str,
    extensions: &[&str],
    level: OptLevel,
) -> Result<Vec<u8>, Error> {
    crate::target_machine::initialize();
    let name = module.name();
    module.set_triple(triple);
    let triple = c_string(triple);
    let names: Vec<CString> = extensions.iter().map(|name| c_string(name)).collect();
    let names: Vec<*const c_char> = names.iter().map(|name| name.as_ptr()).collect();
    let level = match level {
        OptLevel::None => 0,
        OptLevel::Less => 1,
        OptLevel::Default => 2,
        OptLevel::Aggressive => 3,
    };
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let (mut len, mut message) = (0, std::ptr::null_mut());
    let (words, errors) = module.context().capture_errors(|| {
        let _escapable = FatalErrors::begin();
        // SAFETY: the module is live, the list of C strings has this length, and both output
        // pointers are valid for writes. This thread holds the lock `TURN`.
        unsafe {
            scythe_llvm_translate_to_spirv(
                module.ptr(),
                triple.as_ptr(),
                names.as_ptr(),
                names.len(),
                level,
                &mut len,
                &mut message,
            )
        }
    });
    drop(turn);
    if !words.is_null() {
        // SAFETY: the pointer has `len` bytes from `malloc`, and is not used after the call of
        // `free`.
        let bytes = unsafe {
            let bytes = std::slice::from_raw_parts(words.cast::<u8>(), len).to_vec();
            libc::free(words.cast());
            bytes
        };
        return if errors.is_empty() {
            Ok(bytes)
        } else {
            Err(Error::Emit { module: name, message: errors })
        };
    }
    // SAFETY: the pointer is null or a C string from `malloc`, and is not used after the call of
    // `free`.
    let text = unsafe {
        let text = if message.is_null() {
            String::new()
        } else {
            CStr::from_ptr(message).to_string_lossy().into_owned()
        };
        libc::free(message.cast());
        text
    };
    // An interrupted translation may have left the module in any state.
    std::mem::forget(module);
    let message =
        [text, errors].into_iter().filter(|m| !m.is_empty()).collect::<Vec<_>>().join("; ");
    Err(Error::Emit { module: name, message })
}
