//! Calls of kernels from which a signal handler can return.
//!
//! [`call`] saves the registers that a function must preserve, and the stack pointer in a place
//! that the handler finds. The handler resumes the thread in the second half of the function, which
//! restores them. Between both is only the code of the kernel, which owns nothing that must be
//! released: the call returns as if the kernel had ended. Memory that the kernel allocated for the
//! values of its work-items at barriers is lost.

use std::arch::global_asm;
use std::sync::atomic::Ordering;

use scythe_abi::cpu::{Box3, KernelFn, Launch};
use scythe_hal::{Errc, Error};

use super::Mode;
use super::running::Running;

global_asm!(
    ".text",
    ".p2align 4",
    ".hidden scythe_guarded_call",
    ".globl scythe_guarded_call",
    ".type scythe_guarded_call, @function",
    "scythe_guarded_call:",
    ".cfi_startproc",
    "push rbp",
    ".cfi_def_cfa_offset 16",
    ".cfi_offset rbp, -16",
    "mov rbp, rsp",
    ".cfi_def_cfa_register rbp",
    "push rbx",
    "push r12",
    "push r13",
    "push r14",
    "push r15",
    "sub rsp, 8",
    ".cfi_offset rbx, -24",
    ".cfi_offset r12, -32",
    ".cfi_offset r13, -40",
    ".cfi_offset r14, -48",
    ".cfi_offset r15, -56",
    // The control words of the floating-point units.
    "stmxcsr [rsp]",
    "fnstcw [rsp + 4]",
    "mov [rdi], rsp",
    "mov rax, rsi",
    "mov rdi, rdx",
    "mov rsi, rcx",
    "mov rdx, r8",
    "call rax",
    ".hidden scythe_guarded_resume",
    ".globl scythe_guarded_resume",
    "scythe_guarded_resume:",
    "ldmxcsr [rsp]",
    "fldcw [rsp + 4]",
    "add rsp, 8",
    "pop r15",
    "pop r14",
    "pop r13",
    "pop r12",
    "pop rbx",
    "pop rbp",
    ".cfi_def_cfa rsp, 8",
    "ret",
    ".cfi_endproc",
    ".size scythe_guarded_call, . - scythe_guarded_call",
);

unsafe extern "C" {
    /// Stores the stack pointer of the call, and calls the kernel.
    fn scythe_guarded_call(
        stack_pointer: *mut usize,
        kernel: KernelFn,
        launch: *const Launch,
        box_: *const Box3,
        local_memory: *mut u8,
    );
    /// The second half of that function. It must not be called.
    fn scythe_guarded_resume();
}

/// Returns the address at which a thread continues whose kernel has failed.
pub(super) fn resume_address() -> usize {
    scythe_guarded_resume as unsafe extern "C" fn() as usize
}

/// Calls a kernel. Returns the fault that ended it, if faults are to be exceptions and `may_return`
/// is set.
///
/// # Safety
/// The contract is that of [`KernelFn`]. If `may_return` is set, nothing waits for the work-items
/// that do not run after a fault.
pub(crate) unsafe fn call(
    kernel: KernelFn,
    launch: &Launch,
    box_: &Box3,
    local_memory: *mut u8,
    may_return: bool,
) -> Result<(), Error> {
    let running = Running::of_thread().filter(|_| may_return && Mode::known() == Mode::Exception);
    let Some(running) = running else {
        // SAFETY: the caller guarantees the contract of the kernel (this function's contract).
        unsafe { kernel(launch, box_, local_memory) };
        return Ok(());
    };
    let guard = running.guard.as_ptr();
    // SAFETY: as above. A handler of this thread may read and write `guard` meanwhile, which is an
    // atomic variable. If the handler resumes behind the kernel, the registers of this function are
    // restored.
    unsafe { scythe_guarded_call(guard, kernel, launch, box_, local_memory) };
    running.guard.store(0, Ordering::Relaxed);
    let failure = running.failure.swap(std::ptr::null_mut(), Ordering::Relaxed);
    if failure.is_null() {
        return Ok(());
    }
    // SAFETY: the handler made the box and gave it to this thread.
    let message = unsafe { Box::from_raw(failure) };
    Err(Error::new(Errc::Kernel, *message))
}
