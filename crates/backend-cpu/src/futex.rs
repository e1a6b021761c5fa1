//! Sleeping on a word of memory, without a lock or a queue in user space: what a command's state
//! needs so that a thread can wait for it, at the price of four bytes.

use std::sync::atomic::AtomicU32;

/// Sleeps while `word` holds `expected`. May also return early: callers look again.
pub(crate) fn wait(word: &AtomicU32, expected: u32) {
    let op = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
    // SAFETY: the word is borrowed for the call; a null timeout means none.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            op,
            expected,
            std::ptr::null::<libc::timespec>(),
        )
    };
}

/// Wakes every thread that sleeps on `word`.
pub(crate) fn wake_all(word: &AtomicU32) {
    let op = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
    // SAFETY: the word is borrowed for the call.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), op, i32::MAX) };
}
