//! How many threads to use, and how to start one.

use std::{io, mem, ptr};

use scythe_abi::environment::CPU_THREADS;
use scythe_hal::{Errc, Error, Result, library};

use crate::processors;

pub(crate) const MAX_THREADS: usize = 1024;

/// Kernels keep private arrays on the stack. Memory is used only as far as the stack is touched.
const STACK_BYTES: usize = 8 << 20;

/// The number of worker threads, from the value of [`CPU_THREADS`] where it is set.
pub(crate) fn worker_count(setting: Option<&str>) -> Result<usize> {
    let Some(text) = setting else { return Ok(processors::share().min(MAX_THREADS)) };
    match text.trim().parse() {
        Ok(count @ 1..=MAX_THREADS) => Ok(count),
        _ => Err(Error::new(Errc::Invalid, CPU_THREADS.refusal(text))),
    }
}

/// Starts a thread that nobody joins. Signals stay with the program's own threads.
pub(crate) fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<()> {
    // SAFETY: both sets are plain bits, filled before they are read; the mask is put back below.
    let old = unsafe {
        let (mut all, mut old): (libc::sigset_t, libc::sigset_t) = (mem::zeroed(), mem::zeroed());
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut old);
        old
    };
    let spawned =
        std::thread::Builder::new().name(name.to_owned()).stack_size(STACK_BYTES).spawn(run);
    // SAFETY: `old` is what the call above gave.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &old, ptr::null_mut()) };
    spawned.map(drop)
}

/// Keeps the library that holds this code loaded for good: its threads outlive any `dlclose`.
pub(crate) fn pin_library() {
    if let Some(path) = library::own_path() {
        // SAFETY: the path is NUL-terminated, and the library is loaded already: no initialiser
        // runs.
        unsafe {
            libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD | libc::RTLD_NODELETE)
        };
    }
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
