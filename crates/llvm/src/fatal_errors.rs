//! Fatal errors of LLVM, which would end the process, as results.
//!
//! Code generation gives up on code that a target does not know by such an error. What it had
//! allocated is then lost, and the module must not be used again, nor its context.

use llvm_sys::prelude::{LLVMMemoryBufferRef, LLVMModuleRef};
use llvm_sys::target_machine::{LLVMCodeGenFileType, LLVMTargetMachineRef};
use std::ffi::{CStr, c_char, c_int};
use std::ptr::null_mut;

unsafe extern "C" {
    fn scythe_llvm_fatal_errors_begin();
    fn scythe_llvm_fatal_errors_end();
    /// 0 with a buffer; 1 with a message of LLVM's, or none; 2 with a message from `malloc`, after
    /// a fatal error. Between the two above.
    fn scythe_llvm_emit(
        machine: LLVMTargetMachineRef,
        module: LLVMModuleRef,
        kind: LLVMCodeGenFileType,
        message: *mut *mut c_char,
        buffer: *mut LLVMMemoryBufferRef,
    ) -> c_int;
}

/// While there is one, fatal errors can be escaped from by functions of the shim that say so.
pub(crate) struct FatalErrors(());

impl FatalErrors {
    pub(crate) fn begin() -> Self {
        // SAFETY: `drop` ends it.
        unsafe { scythe_llvm_fatal_errors_begin() };
        Self(())
    }
}

impl Drop for FatalErrors {
    fn drop(&mut self) {
        // SAFETY: `begin` began it.
        unsafe { scythe_llvm_fatal_errors_end() };
    }
}

/// How code generation ended.
pub(crate) enum Emitted {
    /// With a buffer, which may be null, and a message of LLVM's, which may be null.
    Returned { failed: bool, buffer: LLVMMemoryBufferRef, message: *mut c_char },
    /// With a fatal error.
    Fatal(String),
}

/// Generates code.
///
/// # Safety
/// Machine and module are alive. After a fatal error, neither the module nor its context is used
/// again.
pub(crate) unsafe fn emit(
    machine: LLVMTargetMachineRef,
    module: LLVMModuleRef,
    kind: LLVMCodeGenFileType,
) -> Emitted {
    let (mut buffer, mut message) = (null_mut(), null_mut());
    let _escapable = FatalErrors::begin();
    // SAFETY: the caller's contract, and two places to write to.
    match unsafe { scythe_llvm_emit(machine, module, kind, &mut message, &mut buffer) } {
        2 => {
            // SAFETY: null, or a C string from `malloc`, used here for the last time.
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
