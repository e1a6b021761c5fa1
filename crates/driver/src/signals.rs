//! Interruption: a signal that would end the driver ends its children first, and lets the driver
//! clean up.
//!
//! The handler only writes the signal's number to a pipe; a thread reads it there, passes the
//! signal on to the children that run, and notes that no more may start.

use std::io::{PipeReader, Read};
use std::os::fd::IntoRawFd;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI32, Ordering};

const SIGNALS: [libc::c_int; 3] = [libc::SIGHUP, libc::SIGINT, libc::SIGTERM];

static PIPE: AtomicI32 = AtomicI32::new(-1);
static RECEIVED: AtomicI32 = AtomicI32::new(0);
static CHILDREN: Mutex<Vec<libc::pid_t>> = Mutex::new(Vec::new());

/// The signal that arrived, if any.
pub fn received() -> Option<i32> {
    match RECEIVED.load(Ordering::SeqCst) {
        0 => None,
        signal => Some(signal),
    }
}

extern "C" fn on_signal(signal: libc::c_int) {
    let byte = signal as u8;
    // SAFETY: `write` is async-signal-safe, the byte is valid for the call, and a bad descriptor is
    // only an error.
    unsafe { libc::write(PIPE.load(Ordering::SeqCst), (&raw const byte).cast(), 1) };
}

/// Starts to listen. Signals that were ignored (`nohup`) stay ignored.
pub fn listen() -> std::io::Result<()> {
    let (reader, writer) = std::io::pipe()?;
    PIPE.store(writer.into_raw_fd(), Ordering::SeqCst);
    std::thread::Builder::new().name("signals".into()).spawn(move || pass_on(reader))?;
    for signal in SIGNALS {
        // SAFETY: both structures are plain data for which all zeros are valid; the handler does
        // only what a handler may.
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
            // SAFETY: the child has not been reaped while it is in the list, so that its number is
            // still its own.
            unsafe { libc::kill(*child, signal) };
        }
    }
}

fn children() -> std::sync::MutexGuard<'static, Vec<libc::pid_t>> {
    CHILDREN.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Notes a child that was just started.
pub fn adopt(pid: u32) {
    let pid = pid as libc::pid_t;
    children().push(pid);
    if let Some(signal) = received() {
        // SAFETY: the child has not been reaped.
        unsafe { libc::kill(pid, signal) };
    }
}

/// Waits until the child has ended, without reaping it, and forgets it.
pub fn wait_and_release(pid: u32) {
    loop {
        // SAFETY: the structure is plain data for which all zeros are valid, and is valid for the
        // call.
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

/// Ends the driver as the signal would have.
pub fn die_of(signal: i32) -> ! {
    // SAFETY: restoring the default action and raising a signal have no preconditions.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
    std::process::exit(128 + signal)
}

/// What a signal is called.
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
