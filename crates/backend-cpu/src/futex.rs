//! Sleeping on a word of memory, without a lock or a queue in user space. With it, threads can wait
//! for a command's state at the cost of four bytes.

use std::sync::atomic::AtomicU32;

/// Sleeps while `word` contains `expected`. May return early, so callers must check again.
pub(crate) fn wait(word: &AtomicU32, expected: u32) {
    let op = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
    // SAFETY: the word is borrowed for the whole call. A null timeout means no timeout.
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
    wake_address(word);
}

/// Wakes every thread that sleeps on the word at this address. The word may no longer exist.
pub(crate) fn wake_address(word: *const AtomicU32) {
    let op = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
    // SAFETY: the system only compares the address with those that threads sleep on.
    unsafe { libc::syscall(libc::SYS_futex, word, op, i32::MAX) };
}
