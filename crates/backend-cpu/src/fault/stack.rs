//! What threads need so that the handler can run in them: the signals of faults must not be
//! blocked, and the handler needs a stack if the fault is an overflow of the stack.

use std::{mem, ptr};

/// The signals of faults.
pub(crate) const SIGNALS: [i32; 4] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL];

/// The size of the stack. The report allocates memory and reads debug information.
const BYTES: usize = 256 << 10;

/// The stack of this thread's signal handlers. It is removed on drop.
pub(crate) struct SignalStack {
    memory: *mut libc::c_void,
}

impl SignalStack {
    /// Gives the thread a stack, unless it has one. Without memory, the handler runs on the stack
    /// of the thread.
    pub(crate) fn new() -> Option<Self> {
        // SAFETY: the structure is plain data, which the call fills.
        let has_one = unsafe {
            let mut old: libc::stack_t = mem::zeroed();
            libc::sigaltstack(ptr::null(), &mut old) != 0 || old.ss_flags & libc::SS_DISABLE == 0
        };
        if has_one {
            return None;
        }
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: the kernel chooses the address of a new mapping.
        let memory = unsafe { libc::mmap(ptr::null_mut(), BYTES, protection, flags, -1, 0) };
        if memory == libc::MAP_FAILED {
            return None;
        }
        let stack = libc::stack_t { ss_sp: memory, ss_flags: 0, ss_size: BYTES };
        // SAFETY: the memory stays mapped until the drop.
        unsafe { libc::sigaltstack(&stack, ptr::null_mut()) };
        Some(Self { memory })
    }
}

impl Drop for SignalStack {
    fn drop(&mut self) {
        let off =
            libc::stack_t { ss_sp: ptr::null_mut(), ss_flags: libc::SS_DISABLE, ss_size: BYTES };
        // SAFETY: no handler runs on the stack, because this thread is not in one. The memory is
        // this object's.
        unsafe {
            libc::sigaltstack(&off, ptr::null_mut());
            libc::munmap(self.memory, BYTES);
        }
    }
}
