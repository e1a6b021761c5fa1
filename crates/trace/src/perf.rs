//! Tells `perf` and valgrind the names of kernels in loaded code.
//!
//! * `map`: a line per function in `/tmp/perf-PID.map`, which `perf report` reads.
//! * `jitdump`: the functions with their code in `jit-PID.dump` in the current folder, for
//!   `perf inject --jit`. Their code can then be annotated, also after it was unloaded.
//! * `elf`: maps the code of each object from a file with symbols. Valgrind, which reads neither of
//!   the other formats, then shows the names.

//!   other programs that read symbols of mapped files, show the names.
//!
//! If a file cannot be written, one line says so, and the program runs on.

mod dump;
mod elf;
mod map;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::{report, shown};

/// A function in memory.
pub struct Function<'a> {
    pub symbol: &'a str,
    pub address: usize,
    pub size: usize,
}

/// Code in memory, and the functions in it.
pub struct Object<'a> {
    pub code: usize,
    pub size: usize,
    /// A page behind the code that nothing uses, if [`spare_bytes`] asked for it.
    pub spare: Option<usize>,
    pub functions: &'a [Function<'a>],
}

/// The format that a process writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Map,
    Jitdump,
    Elf,
}

impl Format {
    /// Parses the value of the environment variable.
    pub fn parse(value: &str) -> Option<Self> {
        match value {
            "map" => Some(Self::Map),
            "jitdump" => Some(Self::Jitdump),
            "elf" => Some(Self::Elf),
            _ => None,
        }
    }
}

enum Writer {
    Map(map::Map),
    Jitdump(dump::Dump),
    Elf,
    Failed,
}

/// See [`spare_bytes`].
static SPARE: AtomicUsize = AtomicUsize::new(0);

static WRITER: OnceLock<Mutex<(Writer, u32)>> = OnceLock::new();

/// Starts writing. Only the first call has an effect.
pub fn start(format: Format) {
    WRITER.get_or_init(|| {
        let made = match format {
            Format::Map => map::Map::create().map(Writer::Map),
            Format::Jitdump => dump::Dump::create().map(Writer::Jitdump),
            Format::Elf => {
                SPARE.store(elf::PAGE, Ordering::Relaxed);
                Ok(Writer::Elf)
            }
        };
        let writer = made.unwrap_or_else(|why| {
            report(&format!("SCYTHE_PERF: {why}; profilers do not see the names of kernels"));
            Writer::Failed
        });
        Mutex::new((writer, std::process::id()))
    });
}

/// Returns whether [`loaded`] has an effect.
#[inline]
pub fn is_on() -> bool {
    WRITER.get().is_some()
}

/// Returns the number of bytes to leave free behind the code of each object: 0 or a page.
#[inline]
pub fn spare_bytes() -> usize {
    SPARE.load(Ordering::Relaxed)
}

/// Records an object whose code is complete.
///
/// # Safety
/// The caller owns the code, which starts at a page and is readable, and the spare page.
pub unsafe fn loaded(object: &Object<'_>) {
    let Some(writer) = WRITER.get() else { return };
    let mut writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
    let (writer, process) = &mut *writer;
    if *process != std::process::id() {
        // The files belong to the process that forked this one.
        return;
    }
    let functions = object.functions;
    let names: Vec<String> =
        functions.iter().map(|function| shown(name_of(function.symbol))).collect();
    let written = match writer {
        Writer::Map(map) => map.add(&names, functions),
        // SAFETY: the caller guarantees that the code is readable.
        Writer::Jitdump(dump) => unsafe { dump.add(&names, functions) },
        // SAFETY: the caller guarantees the contract of the function.
        Writer::Elf => unsafe { elf::map(object, &names) },
        Writer::Failed => Ok(()),
    };
    if let Err(why) = written {
        report(&format!("SCYTHE_PERF: {why}; profilers do not see the names of later kernels"));
        *writer = Writer::Failed;
    }
}

/// Returns the symbol of the kernel that a function of an object runs.
fn name_of(symbol: &str) -> &str {
    symbol.find("_Z").map_or(symbol, |at| &symbol[at..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_have_names() {
        assert_eq!(Format::parse("map"), Some(Format::Map));
        assert_eq!(Format::parse("jitdump"), Some(Format::Jitdump));
        assert_eq!(Format::parse("elf"), Some(Format::Elf));
        assert_eq!(Format::parse("maps"), None);
    }

    #[test]
    fn entry_points_have_the_names_of_their_kernels() {
        assert_eq!(name_of("__scythe_cpu._ZTS1K"), "_ZTS1K");
        assert_eq!(name_of("helper"), "helper");
    }
}
