//! The reports of checks. A report goes to standard error when it is found, once for each pair of
//! positions in the program. The command fails with the first report.

use std::cell::RefCell;
use std::collections::HashSet;
use std::ffi::{CStr, c_char};
use std::io::Write;
use std::sync::{Mutex, PoisonError};

use scythe_hal::{Errc, Error};

use super::meetings::Other;
use super::races::Access;
use super::run::Run;

/// The number of reports in a process after which further ones are not printed.
const MAX_REPORTS: usize = 20;

/// A position in the program: the text that the compiler stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position(*const c_char);

impl Position {
    /// # Safety
    /// `text` is a C string that lives as long as the position.
    pub unsafe fn new(text: *const c_char) -> Self {
        Self(text)
    }

    fn text(&self) -> String {
        // SAFETY: the position was made from a C string that is still alive (contract of `new`).
        unsafe { CStr::from_ptr(self.0) }.to_string_lossy().into_owned()
    }

    /// Returns the position as `file:line:column`.
    fn place(&self) -> String {
        match self.text().lines().next() {
            Some(place) if !place.is_empty() => place.to_owned(),
            _ => "unknown position (compile with -g)".to_owned(),
        }
    }

    /// Returns the calls from the program to the position, one per line.
    fn stack(&self) -> String {
        let text = self.text();
        let frames = text.lines().skip(1).enumerate();
        frames.map(|(n, frame)| format!("    #{n} {frame}\n")).collect()
    }
}

/// Returns a kernel's name for messages.
pub(super) fn kernel_name(symbol: &str) -> String {
    scythe_hal::demangle::symbol_name(symbol)
}

thread_local! {
    static FAILURE: RefCell<Option<Error>> = const { RefCell::new(None) };
}

/// Returns the first failure that this thread has found since the last call.
pub(crate) fn take_failure() -> Option<Error> {
    FAILURE.try_with(|failure| failure.try_borrow_mut().ok()?.take()).ok().flatten()
}

fn fail(message: String) {
    let _ = FAILURE.try_with(|failure| {
        if let Ok(mut failure) = failure.try_borrow_mut() {
            failure.get_or_insert_with(|| Error::new(Errc::Kernel, message));
        }
    });
}

/// Prints a report about two places, unless it was printed before.
fn print(places: (usize, usize), text: &str) {
    static PRINTED: Mutex<Option<HashSet<(usize, usize)>>> = Mutex::new(None);
    let mut printed = PRINTED.lock().unwrap_or_else(PoisonError::into_inner);
    let printed = printed.get_or_insert_default();
    let (a, b) = places;
    if printed.len() < MAX_REPORTS && printed.insert((a.min(b), a.max(b))) {
        // If writing fails, the command still fails.
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
}

/// Reports two accesses of the same `bytes` bytes at `at`.
pub(super) fn race(run: &Run, memory: &str, (at, bytes): (usize, u64), new: &Access, old: &Access) {
    let part = |access: &Access| {
        let verb = access.verb();
        format!(
            "  {verb} by the work-item with {}\n{}",
            run.describe(access.item),
            access.position.stack()
        )
    };
    let head = format!(
        "{}: kernel '{}': data race on {bytes} bytes of {memory} memory at {at:#x}",
        new.position.place(),
        run.kernel
    );
    print(
        (new.position.0 as usize, old.position.0 as usize),
        &format!("{head}\n{}{}", part(new), part(old)),
    );
    fail(format!(
        "{head}: {} by the work-item with {}, and {} by the work-item with {} at {}; separate the \
         accesses by a barrier, or make them atomic",
        new.verb(),
        run.describe(new.item),
        old.verb(),
        run.describe(old.item),
        old.position.place()
    ));
}

/// Reports that a work-item reached a barrier or, if `position` is `None`, the end of the kernel,
/// and another work-item of its group did not.
pub(super) fn divergence(run: &Run, item: u64, position: Option<Position>, other: &Other) {
    let place = position.or(other.position).map(|p| p.place()).unwrap_or_default();
    let head = format!(
        "{place}: kernel '{}': work-items of one work-group reached different barriers",
        run.kernel
    );
    let part = |item: u64, position: Option<Position>| match position {
        Some(at) => format!(
            "  the work-item with {} reached the barrier at {}\n{}",
            run.describe(item),
            at.place(),
            at.stack()
        ),
        None => format!("  the work-item with {} reached the end\n", run.describe(item)),
    };
    let text = format!("{head}\n{}{}", part(item, position), part(other.item, other.position));
    let number = |position: Option<Position>| position.map_or(0, |p| p.0 as usize);
    print((number(position), number(other.position)), &text);
    let what = |position: Option<Position>| {
        position.map_or("the end".to_owned(), |at| format!("the barrier at {}", at.place()))
    };
    fail(format!(
        "{head}: the work-item with {} reached {}, and the work-item with {} reached {}; all \
         work-items must reach the same barriers",
        run.describe(item),
        what(position),
        run.describe(other.item),
        what(other.position)
    ));
}

/// Reports an access to memory that no access may touch. The report of the sanitizer follows.
pub(super) fn forbidden_access(
    run: &Run,
    (at, bytes): (usize, u64),
    bad: usize,
    writes: bool,
    position: Position,
) {
    // The process ends, so the lock stays locked, and no other thread reports anything.
    static FIRST: Mutex<()> = Mutex::new(());
    std::mem::forget(FIRST.lock().unwrap_or_else(PoisonError::into_inner));
    let text = format!(
        "{}: kernel '{}': {} of {bytes} bytes at {at:#x} is outside of valid {} memory\n  by the \
         work-item with {}\n{}",
        position.place(),
        run.kernel,
        if writes { "write" } else { "read" },
        run.memory(bad),
        run.describe_item(),
        position.stack()
    );
    let _ = std::io::stderr().write_all(text.as_bytes());
}
