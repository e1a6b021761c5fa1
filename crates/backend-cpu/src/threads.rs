//! The number of worker threads, and functions to start threads.

use std::{io, mem, ptr};

use scythe_abi::environment::CPU_THREADS;
use scythe_hal::{Errc, Error, Result, fork, library};

use crate::{fault, processors};

pub(crate) const MAX_THREADS: usize = 1024;

/// The stack size of threads. Kernels keep private arrays on the stack. Only the touched part of a
/// stack uses memory.
const STACK_BYTES: usize = 8 << 20;

/// Returns the number of worker threads, from the value of [`CPU_THREADS`] if it is set.
pub(crate) fn worker_count(setting: Option<&str>) -> Result<usize> {
    let Some(text) = setting else { return Ok(processors::share().min(MAX_THREADS)) };
    match text.trim().parse() {
        Ok(count @ 1..=MAX_THREADS) => Ok(count),
        _ => Err(Error::new(Errc::Invalid, CPU_THREADS.refusal(text))),
    }
}

/// Starts a detached thread that blocks all signals, so that the program's own threads handle them.
/// Only faults of the thread itself are not blocked.
pub(crate) fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<()> {
    fork::forbid();
    // SAFETY: both sets are plain data, filled before they are read. The mask is restored below.
    let old = unsafe {
        let (mut all, mut old): (libc::sigset_t, libc::sigset_t) = (mem::zeroed(), mem::zeroed());
        libc::sigfillset(&mut all);
        for signal in fault::SIGNALS {
            libc::sigdelset(&mut all, signal);
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut old);
        old
    };
    let run = move || {
        let _stack = fault::SignalStack::new();
        run();
    };
    let spawned =
        std::thread::Builder::new().name(name.to_owned()).stack_size(STACK_BYTES).spawn(run);
    // SAFETY: the call above initialised `old`.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &old, ptr::null_mut()) };
    spawned.map(drop)
}

/// Keeps the library that contains this code loaded permanently, because its threads outlive any
/// `dlclose`.
pub(crate) fn pin_library() {
    library::pin_own();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thread_count_comes_from_the_setting_or_the_machine() {
        assert_eq!(worker_count(Some("3")), Ok(3));
        assert_eq!(worker_count(Some(" 1024 ")), Ok(1024));
        assert!(worker_count(None).is_ok_and(|n| n >= 1));
        for bad in ["", "0", "-1", "many", "1025", "99999999999999999999", "2.5"] {
            let error = worker_count(Some(bad)).unwrap_err();
            assert_eq!(error.code, Errc::Invalid);
            assert!(error.message.contains(&format!("'{bad}'")), "{error}");
        }
    }
}
