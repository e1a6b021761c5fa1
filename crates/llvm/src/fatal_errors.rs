//! Turns fatal errors of LLVM, which would end the process, into results.
//!
//! Code generation reports a fatal error for code that a target does not support. The memory that
//! it allocated is then leaked, and neither the module nor its context may be used again.

use llvm_sys::prelude::{LLVMMemoryBufferRef, LLVMModuleRef};
use llvm_sys::target_machine::{LLVMCodeGenFileType, LLVMTargetMachineRef};
use std::ffi::{CStr, c_char, c_int};
use std::ptr::null_mut;

unsafe extern "C" {
    fn scythe_llvm_fatal_errors_begin();
    fn scythe_llvm_fatal_errors_end();
    /// Returns 0 with a buffer; 1 with a message of LLVM or none; 2 with a message from `malloc`,
    /// after a fatal error. Must be called between the two functions above.
    fn scythe_llvm_emit(
        machine: LLVMTargetMachineRef,
        module: LLVMModuleRef,
        kind: LLVMCodeGenFileType,
        message: *mut *mut c_char,
        buffer: *mut LLVMMemoryBufferRef,
    ) -> c_int;
}

/// A guard: while it lives, the functions of the shim that support this can return after fatal
/// errors.
pub(crate) struct FatalErrors(());

impl FatalErrors {
    pub(crate) fn begin() -> Self {
        // SAFETY: `drop` calls the matching end function.
        unsafe { scythe_llvm_fatal_errors_begin() };
        Self(())
    }
}

impl Drop for FatalErrors {
    fn drop(&mut self) {
        // SAFETY: `begin` called the matching begin function.
        unsafe { scythe_llvm_fatal_errors_end() };
    }
}

/// The result of code generation.
pub(crate) enum Emitted {
    /// Code generation returned. The buffer and LLVM's message may be null.
    Returned { failed: bool, buffer: LLVMMemoryBufferRef, message: *mut c_char },
    /// Code generation ended with a fatal error.
    Fatal(String),
}

/// Generates code.
///
/// # Safety
/// The machine and the module must be live. After a fatal error, neither the module nor its context
/// may be used again.
pub(crate) unsafe fn emit(
    machine: LLVMTargetMachineRef,
    module: LLVMModuleRef,
    kind: LLVMCodeGenFileType,
) -> Emitted {
    let (mut buffer, mut message) = (null_mut(), null_mut());
    let _escapable = FatalErrors::begin();
    // SAFETY: the caller guarantees a live machine and module (this function's contract). Both
    // output pointers are valid for writes.
    match unsafe { scythe_llvm_emit(machine, module, kind, &mut message, &mut buffer) } {
        2 => {
            // SAFETY: the pointer is null or a C string from `malloc`, and is not used after the
            // call of `free`.
            let text = unsafe {
                let text = (!message.is_null())
                    .then(|| CStr::from_ptr(message).to_string_lossy().into_owned());
                libc::free(message.cast());
                text
            };
            Emitted::Fatal(text.unwrap_or_default())
        }
        failed => Emitted::Returned { failed: failed != 0, buffer, message },
    }
}
