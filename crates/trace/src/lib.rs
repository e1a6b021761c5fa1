//! Records what a process does and when: a timeline in the Trace Event Format, and a table.
//!
//! * Threads record [`Slice`]s with [`record`], or with a [`Span`] for a part of a function. They
//!   are collected per thread (`threads`).
//! * Commands of devices come from a [`Source`], which knows their times once they have completed.
//! * One thread writes (`recorder`): it takes the records every tenth of a second, adds them to
//!   the table (`summary`), and appends them to the file (`output`). The file is readable at any
//!   time, because the format allows that the closing bracket is missing.
//! * `json` is the only writer of the format; the compiler driver uses it as well.
//! * [`perf`] tells profilers where the code of kernels is.
//!
//! Nothing is recorded before [`start`]. Until then, and after [`finish`], [`is_on`] is one load
//! and the hooks have no other cost.

pub mod json;
mod lanes;
mod names;
mod output;
pub mod perf;
mod recorder;
mod signals;
mod summary;
mod threads;

use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

pub use json::Value;
pub use names::{CachedName, Name};
pub use recorder::{finish, start, wake};
pub use threads::{name_thread, record, thread_id};

static ON: AtomicBool = AtomicBool::new(false);

/// Returns whether the process is recording.
#[inline]
pub fn is_on() -> bool {
    ON.load(Ordering::Relaxed)
}

/// What to record, and how to show it.
pub struct Settings {
    /// The file of the timeline.
    pub file: Option<PathBuf>,
    /// Whether to print a table at the end.
    pub summary: bool,
    /// The name of the program.
    pub program: String,
    /// Where the commands of devices come from.
    pub source: &'static dyn Source,
}

/// Shows a symbol to people.
pub type Demangle = fn(&str) -> String;

static DEMANGLE: OnceLock<Demangle> = OnceLock::new();

/// Sets the function that shows symbols in timelines and to profilers.
pub fn set_demangle(demangle: Demangle) {
    let _ = DEMANGLE.set(demangle);
}

pub(crate) fn shown(symbol: &str) -> String {
    DEMANGLE.get().map_or_else(|| symbol.to_owned(), |demangle| demangle(symbol))
}

/// Where the commands of devices come from.
pub trait Source: Send + Sync {
    /// Passes commands that have completed since the last call to `take`. With `last`, passes all
    /// of them.
    fn completed(&self, last: bool, take: &mut dyn FnMut(Command));

    /// Returns the name of a device.
    fn device(&self, id: u32) -> String;
}

/// A command of a device.
pub struct Command {
    /// Unique in the process, and not 0. Larger than those of the commands before it.
    pub id: u64,
    pub category: Category,
    pub name: Name,
    pub device: u32,
    /// The start and the end, in nanoseconds of [`now`]. `None` if they are unknown.
    pub times: Option<(u64, u64)>,
    /// The thread of the submission, and the start of its slice there.
    pub submitted: (u32, u64),
    /// The commands that this one waited for.
    pub after: Vec<u64>,
    /// The number of bytes that a copy or a fill writes.
    pub bytes: u64,
    pub args: Vec<(&'static str, Value)>,
}

/// The kinds of slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Category {
    Kernel,
    Copy,
    Fill,
    HostTask,
    Graph,
    /// A command without work, which is not shown.
    Marker,
    /// A thread passes a command to a device.
    Submit,
    /// A thread waits for commands.
    Wait,
    /// Device code is compiled.
    Compile,
    /// Compiled device code is read from the cache.
    CacheHit,
    /// A program for a device is made of compiled code.
    Build,
}

impl Category {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Kernel => "kernel",
            Self::Copy => "copy",
            Self::Fill => "fill",
            Self::HostTask => "host task",
            Self::Graph => "graph",
            Self::Marker => "marker",
            Self::Submit => "submit",
            Self::Wait => "wait",
            Self::Compile => "compile",
            Self::CacheHit => "cache hit",
            Self::Build => "build",
        }
    }
}

/// An activity of a thread.
pub struct Slice {
    pub category: Category,
    pub name: Name,
    /// In nanoseconds of [`now`].
    pub start: u64,
    pub end: u64,
    pub args: Vec<(&'static str, Value)>,
}

impl Slice {
    /// A slice from `start` until now.
    pub fn since(start: u64, category: Category, name: Name) -> Self {
        Self { category, name, start, end: now(), args: Vec::new() }
    }
}

/// Records the time from its creation to its drop, as a slice of the thread.
pub struct Span {
    category: Category,
    name: &'static str,
    start: u64,
}

impl Span {
    /// Returns `None` if nothing is recorded.
    #[inline]
    pub fn new(category: Category, name: &'static str) -> Option<Self> {
        if is_on() { Some(Self { category, name, start: now() }) } else { None }
    }

    /// Begins to wait. A wait inside of a wait is not recorded.
    #[inline]
    pub fn wait(name: &'static str) -> Option<Self> {
        if is_on() && threads::begin_wait() { Self::new(Category::Wait, name) } else { None }
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        if self.category == Category::Wait {
            threads::end_wait();
        }
        record(Slice::since(self.start, self.category, Name::of(self.name)));
    }
}

/// Returns the time of the monotonic clock, in nanoseconds.
pub fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is writable, and the monotonic clock exists on every Linux.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Prints a line to standard error.
fn report(line: &str) {
    // One write, so that lines of several threads do not mix. A closed standard error must not
    // stop the program.
    let _ = std::io::Write::write_all(
        &mut std::io::stderr().lock(),
        format!("scythe: {line}\n").as_bytes(),
    );
}
