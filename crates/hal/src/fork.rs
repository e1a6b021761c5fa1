//! Processes that were forked while the process had threads or drivers of SYCL.
//!
//! A forked process has a single thread. The threads that would run and complete commands do not
//! exist in it, locks may be held for ever, and most drivers do not work. Such a process cannot use
//! SYCL. A process that was forked before the first command can.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::{Errc, Error, Result};

/// Whether this process lacks the threads that it should have.
static LOST: AtomicBool = AtomicBool::new(false);

extern "C" fn after_fork() {
    LOST.store(true, Ordering::Relaxed);
}

/// Must be called before the first thread or driver that commands need. Processes that are forked
/// from now on cannot use SYCL.
pub fn forbid() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        crate::library::pin_own();
        // SAFETY: the handler only stores to an atomic variable, and its library stays loaded. If
        // the registration fails, forked processes may wait for threads that do not exist.
        unsafe { libc::pthread_atfork(None, None, Some(after_fork)) };
    });
}

/// Returns whether this process was forked after a call of [`forbid`].
#[inline]
pub fn is_lost() -> bool {
    LOST.load(Ordering::Relaxed)
}

/// Returns the error of every call in such a process.
#[cold]
pub fn error() -> Error {
    Error::new(
        Errc::Runtime,
        "this process was forked from a process that has used SYCL, whose threads and drivers do \
         not exist here; fork before the first command, or start another program with exec",
    )
}

/// Reports an error in such a process.
#[inline]
pub fn check() -> Result<()> {
    if is_lost() { Err(error()) } else { Ok(()) }
}
