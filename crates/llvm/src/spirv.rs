//! Modules as SPIR-V, in memory and in one pass, by LLVM's own target.
//!
//! The target gives up on code that it does not know by a fatal error of LLVM, which would end the
//! process. Here it is an [`Error`] like any other: what the translation had allocated is then
//! lost, and the module must not be used again, which is why it is taken and forgotten. Its context
//! must be forgotten as well.

use crate::fatal_errors::FatalErrors;
use crate::text::c_string;
use crate::{Error, Module, OptLevel};
use llvm_sys::prelude::LLVMModuleRef;
use std::ffi::{CStr, CString, c_char, c_uint};
use std::sync::{Mutex, PoisonError};

unsafe extern "C" {
    /// `triple` and `count` `extensions` are C strings; `level` is a number of `CodeGenOptLevel`.
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

/// The target keeps the extensions that it may use in one place for all threads.
static TURN: Mutex<()> = Mutex::new(());

/// Translates `module` for `triple`, such as `spirv64v1.4-unknown-unknown`. `extensions` are
/// SPIR-V's names; one that LLVM does not know is an error.
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
        // SAFETY: a live module, C strings with their number, and two places to write to. This
        // thread has the turn.
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
        // SAFETY: `len` bytes from `malloc`, used here for the last time.
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
    // SAFETY: null, or a C string from `malloc`, used here for the last time.
    let text = unsafe {
        let text = if message.is_null() {
            String::new()
        } else {
            CStr::from_ptr(message).to_string_lossy().into_owned()
        };
        libc::free(message.cast());
        text
    };
    // A translation that was left in its middle may have left the module in any state.
    std::mem::forget(module);
    let message =
        [text, errors].into_iter().filter(|m| !m.is_empty()).collect::<Vec<_>>().join("; ");
    Err(Error::Emit { module: name, message })
}
