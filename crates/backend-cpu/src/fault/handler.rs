//! The signal handler for faults of kernels.
//!
//! The handler may allocate memory and use locks of this crate once it knows that a kernel, or a
//! function that a kernel calls, has failed: such code holds no lock, and calls no function that
//! must not be interrupted, with one exception: `printf`, whose buffers the report does not use.
//! Before that, the handler only reads lists with atomic operations.

use std::cell::UnsafeCell;
use std::io::Write;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{mem, ptr};

use super::running::Running;
use super::stack::SIGNALS;
use super::{code, guard, report, running};

/// The number of words of the stack in which the caller of a library function is searched.
const SEARCHED_WORDS: usize = 256;

/// The handlers that were installed before, in the order of [`SIGNALS`].
struct Previous(UnsafeCell<[MaybeUninit<libc::sigaction>; SIGNALS.len()]>);

// SAFETY: `install` writes the handlers once, each before the kernel can call ours.
unsafe impl Sync for Previous {}

static PREVIOUS: Previous =
    Previous(UnsafeCell::new([const { MaybeUninit::uninit() }; SIGNALS.len()]));

/// Installs the handler. Must be called once.
pub(super) fn install() {
    // The handler must stay loaded, even if the library is not.
    scythe_hal::library::pin_own();
    for (index, signal) in SIGNALS.into_iter().enumerate() {
        // SAFETY: the structures are plain data. The old handler is stored before the new one can
        // run.
        unsafe {
            let previous = &raw mut (*PREVIOUS.0.get())[index];
            if libc::sigaction(signal, ptr::null(), previous.cast()) != 0 {
                continue;
            }
            let mut new: libc::sigaction = mem::zeroed();
            new.sa_sigaction =
                handle as extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void) as usize;
            new.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigemptyset(&mut new.sa_mask);
            libc::sigaction(signal, &new, ptr::null_mut());
        }
    }
}

/// What the processor was doing when the signal came.
struct Registers<'a>(&'a mut libc::mcontext_t);

impl Registers<'_> {
    fn get(&self, register: i32) -> usize {
        self.0.gregs[register as usize] as usize
    }

    fn set(&mut self, register: i32, value: usize) {
        self.0.gregs[register as usize] = value as i64;
    }

    /// Returns the address of the kernel's instruction that failed, or of its call of a function
    /// that failed.
    fn place(&self) -> Option<usize> {
        let at = self.get(libc::REG_RIP);
        if code::at(at).is_some() {
            return Some(at);
        }
        running::find()?;
        let stack = report::words::<SEARCHED_WORDS>(self.get(libc::REG_RSP))?;
        // The return address is that of the instruction behind the call.
        stack.into_iter().map(|word| word.wrapping_sub(1)).find(|&word| code::at(word).is_some())
    }
}

extern "C" fn handle(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the kernel passes valid structures to a handler with `SA_SIGINFO`.
    let (fault, mut registers) = unsafe {
        let context = &mut *context.cast::<libc::ucontext_t>();
        (&*info, Registers(&mut context.uc_mcontext))
    };
    // Signals that a process sends have other codes.
    let is_fault = fault.si_code > 0;
    if is_fault && let Some(place) = registers.place() {
        // SAFETY: the signals of faults come with an address.
        let address = unsafe { fault.si_addr() } as usize;
        let running = running::find();
        let text = report::text(&report::Fault {
            signal,
            address,
            place,
            frame: registers.get(libc::REG_RBP),
            running,
        });
        if resume(running, &mut registers, &text) {
            return;
        }
        print(&text);
    }
    pass_on(signal, info, context, is_fault);
}

/// Makes the thread continue behind its kernel, if that is possible.
fn resume(running: Option<&'static Running>, registers: &mut Registers<'_>, text: &str) -> bool {
    // Only the kernel itself owns nothing. A function that it calls may hold a lock.
    let is_own = code::at(registers.get(libc::REG_RIP)).is_some();
    let Some(running) = running.filter(|_| is_own) else { return false };
    let stack = running.guard.swap(0, Ordering::Relaxed);
    if stack == 0 {
        return false;
    }
    let failure = Box::into_raw(Box::new(text.to_owned()));
    running.failure.store(failure, Ordering::Relaxed);
    registers.set(libc::REG_RSP, stack);
    registers.set(libc::REG_RIP, guard::resume_address());
    true
}

/// Prints a report. If several threads fail at once, only one is reported: the others would mix
/// with it, and the process ends.
fn print(text: &str) {
    static REPORTED: AtomicBool = AtomicBool::new(false);
    if !REPORTED.swap(true, Ordering::Relaxed) {
        // The report is lost if nobody reads the standard error output.
        let _ = writeln!(std::io::stderr(), "{text}");
    }
}

/// Does what would have happened without this handler.
fn pass_on(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void, is_fault: bool) {
    let Some(index) = SIGNALS.iter().position(|&s| s == signal) else { return };
    // SAFETY: `install` stored the previous handler before it installed this one. A handler has
    // the type that its flags say.
    unsafe {
        let previous = (*PREVIOUS.0.get())[index].assume_init_ref();
        let mut default: libc::sigaction = mem::zeroed();
        default.sa_sigaction = libc::SIG_DFL;
        // The system would reset the action before it calls such a handler, which may rely on it
        // and send the signal again.
        if previous.sa_flags & libc::SA_RESETHAND != 0 {
            libc::sigaction(signal, &default, ptr::null_mut());
        }
        match previous.sa_sigaction {
            libc::SIG_DFL => {}
            // The system does not ignore faults either.
            libc::SIG_IGN if is_fault => {}
            libc::SIG_IGN => return,
            handler if previous.sa_flags & libc::SA_SIGINFO != 0 => {
                let handler = mem::transmute::<
                    usize,
                    extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void),
                >(handler);
                return handler(signal, info, context);
            }
            handler => return mem::transmute::<usize, extern "C" fn(i32)>(handler)(signal),
        }
        libc::sigaction(signal, &default, ptr::null_mut());
        // The instruction fails again when the handler returns. A signal that a process sent is
        // sent again.
        if !is_fault {
            libc::raise(signal);
        }
    }
}
