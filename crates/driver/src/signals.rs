//! Interruption: a signal that would end the driver first ends its child processes, and lets the
//! driver clean up.
//!
//! The handler only writes the signal's number to a pipe. A thread reads the number, forwards the
//! signal to the running children, and records that no more children may start.

use std::io::{PipeReader, Read};
use std::os::fd::IntoRawFd;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI32, Ordering};

const SIGNALS: [libc::c_int; 3] = [libc::SIGHUP, libc::SIGINT, libc::SIGTERM];

static PIPE: AtomicI32 = AtomicI32::new(-1);
static RECEIVED: AtomicI32 = AtomicI32::new(0);
static CHILDREN: Mutex<Vec<libc::pid_t>> = Mutex::new(Vec::new());

/// Returns the signal that arrived, if any.
pub fn received() -> Option<i32> {
    match RECEIVED.load(Ordering::SeqCst) {
        0 => None,
        signal => Some(signal),
    }
}

extern "C" fn on_signal(signal: libc::c_int) {
    let byte = signal as u8;
    // SAFETY: `write` is async-signal-safe, and `byte` lives on the stack for the whole call. An
    // invalid descriptor only makes `write` return an error.
    unsafe { libc::write(PIPE.load(Ordering::SeqCst), (&raw const byte).cast(), 1) };
}

/// Starts to listen for signals. Signals that were ignored (`nohup`) stay ignored.
pub fn listen() -> std::io::Result<()> {
    let (reader, writer) = std::io::pipe()?;
    PIPE.store(writer.into_raw_fd(), Ordering::SeqCst);
    std::thread::Builder::new().name("signals".into()).spawn(move || pass_on(reader))?;
    for signal in SIGNALS {
        // SAFETY: both structures are plain data for which all zeros are valid. The handler only
        // calls async-signal-safe functions.
        unsafe {
            let mut old: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(signal, std::ptr::null(), &mut old) == 0
                && old.sa_sigaction == libc::SIG_IGN
            {
                continue;
            }
            let mut new: libc::sigaction = std::mem::zeroed();
            new.sa_sigaction = on_signal as *const () as usize;
            new.sa_flags = libc::SA_RESTART;
            libc::sigaction(signal, &new, std::ptr::null_mut());
        }
    }
    Ok(())
}

fn pass_on(mut reader: PipeReader) {
    let mut byte = [0];
    while reader.read_exact(&mut byte).is_ok() {
        let signal = i32::from(byte[0]);
        RECEIVED.store(signal, Ordering::SeqCst);
        for child in children().iter() {
            // SAFETY: a child in the list has not been reaped, so its process id still refers to
            // it.
            unsafe { libc::kill(*child, signal) };
        }
    }
}

fn children() -> std::sync::MutexGuard<'static, Vec<libc::pid_t>> {
    CHILDREN.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Records a child process that was just started.
pub fn adopt(pid: u32) {
    let pid = pid as libc::pid_t;
    children().push(pid);
    if let Some(signal) = received() {
        // SAFETY: the child has not been reaped, so its process id still refers to it.
        unsafe { libc::kill(pid, signal) };
    }
}

/// Waits until the child has ended, without reaping it, and removes it from the list.
pub fn wait_and_release(pid: u32) {
    loop {
        // SAFETY: the structure is plain data for which all zeros are valid, and lives for the
        // whole call.
        let status = unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            libc::waitid(libc::P_PID, pid, &mut info, libc::WEXITED | libc::WNOWAIT)
        };
        if status == 0 || std::io::Error::last_os_error().kind() != std::io::ErrorKind::Interrupted
        {
            break;
        }
    }
    children().retain(|p| *p != pid as libc::pid_t);
}

/// Ends the driver in the way the signal would have ended it.
pub fn die_of(signal: i32) -> ! {
    // SAFETY: restoring the default action and raising a signal have no preconditions.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
    std::process::exit(128 + signal)
}

/// Returns the name of a signal.
pub fn name(signal: i32) -> String {
    let name = match signal {
        libc::SIGHUP => "SIGHUP",
        libc::SIGINT => "SIGINT",
        libc::SIGQUIT => "SIGQUIT",
        libc::SIGILL => "SIGILL",
        libc::SIGABRT => "SIGABRT",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE",
        libc::SIGKILL => "SIGKILL: the machine may have run out of memory",
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGPIPE => "SIGPIPE",
        libc::SIGTERM => "SIGTERM",
        libc::SIGXCPU => "SIGXCPU",
        _ => return format!("signal {signal}"),
    };
    format!("signal {signal} ({name})")
}
