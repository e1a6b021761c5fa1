//! Completes the timeline when a signal ends the process.
//!
//! Only signals whose default action is in effect are handled, so the program's own handlers work
//! as without a timeline. The handler lets the writer run for a limited time, prints one line, and
//! raises the signal again.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// The signals that end a process, without those that cannot be handled, and without the real-time
/// signals, because libraries search for one that has no handler.
const SIGNALS: [i32; 22] = [
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGILL,
    libc::SIGTRAP,
    libc::SIGABRT,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGUSR1,
    libc::SIGSEGV,
    libc::SIGUSR2,
    libc::SIGPIPE,
    libc::SIGALRM,
    libc::SIGTERM,
    libc::SIGSTKFLT,
    libc::SIGXCPU,
    libc::SIGXFSZ,
    libc::SIGVTALRM,
    libc::SIGPROF,
    libc::SIGIO,
    libc::SIGPWR,
    libc::SIGSYS,
];

/// The longest wait for the writer: `STEPS` times `STEP_NS`.
const STEPS: u32 = 100;
const STEP_NS: i64 = 5_000_000;

/// The line to print, and the process that it is about.
static LINE: OnceLock<(u32, String)> = OnceLock::new();

/// Counts the requests of handlers, and those that the writer has served.
static ASKED: AtomicU32 = AtomicU32::new(0);
static SERVED: AtomicU32 = AtomicU32::new(0);

/// Handles the signals that end the process. `line` says where the timeline is.
pub(crate) fn install(line: String) {
    if LINE.set((std::process::id(), line)).is_err() {
        return;
    }
    for signal in SIGNALS {
        // SAFETY: zeros are a valid action, which the call overwrites.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        // SAFETY: `action` is writable.
        let known = unsafe { libc::sigaction(signal, std::ptr::null(), &mut action) } == 0;
        if !known || action.sa_sigaction != libc::SIG_DFL {
            continue;
        }
        action.sa_sigaction = handle as extern "C" fn(i32) as usize;
        action.sa_flags = libc::SA_RESETHAND | libc::SA_ONSTACK;
        // SAFETY: `handle` calls only functions that signal handlers may call.
        unsafe { libc::sigaction(signal, &action, std::ptr::null_mut()) };
    }
}

/// Returns the number of requests so far. The writer passes it to [`serve`] after it has written.
pub(crate) fn asked() -> u32 {
    ASKED.load(Ordering::Acquire)
}

pub(crate) fn serve(asked: u32) {
    SERVED.store(asked, Ordering::Release);
}

extern "C" fn handle(signal: i32) {
    if let Some((process, line)) = LINE.get()
        // SAFETY: the call has no preconditions.
        && *process == unsafe { libc::getpid() } as u32
        && crate::is_on()
    {
        let request = ASKED.fetch_add(1, Ordering::AcqRel) + 1;
        let step = libc::timespec { tv_sec: 0, tv_nsec: STEP_NS };
        for _ in 0..STEPS {
            if SERVED.load(Ordering::Acquire) >= request {
                break;
            }
            // SAFETY: `step` is valid, and signal handlers may sleep.
            unsafe { libc::nanosleep(&step, std::ptr::null_mut()) };
        }
        // SAFETY: the line is valid for reads of its length.
        unsafe { libc::write(2, line.as_ptr().cast(), line.len()) };
    }
    // SAFETY: the default action is in effect again, and the signal arrives after the return.
    unsafe { libc::raise(signal) };
}
