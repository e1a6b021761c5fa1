//! The environment variables that the runtime validates and reads ([`environment`] is the table).
//!
//! Values are read once, when the program first requests a platform. An invalid value is an error
//! of that call. The error states the variable, the value and the expected values.

use std::io::Write;
use std::path::Path;
use std::sync::OnceLock;

use scythe_abi::environment::{self, Variable};
use scythe_own_files::is_privileged;
use scythe_trace::perf::Format;

use crate::{Errc, Error, Result};

/// Returns whether a value of a variable is valid.
type Accepts = fn(&str) -> bool;

/// The variables whose values are validated before the first platform is created. Other variables
/// are validated when they are read, because their validation needs more than the value.
const CHECKED: [(&Variable, Accepts); 6] = [
    (&environment::TRACE, |value| Trace::parse(value).is_some()),
    (&environment::PROFILE, |value| ["", "0", "1"].contains(&value)),
    (&environment::PERF, |value| value.is_empty() || Format::parse(value).is_some()),
    (&environment::OPENCL_MEMORY, scythe_backend_opencl::is_memory_choice),
    (&environment::CPU_THREADS, |value| {
        value.trim().parse::<u32>().is_ok_and(|n| (1..=1024).contains(&n))
    }),
    (&environment::DUMP_JIT, |value| value.is_empty() || std::path::Path::new(value).is_dir()),
];

/// The activities to trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    pub commands: bool,
    pub images: bool,
    pub memory: bool,
    /// The file of the timeline.
    pub file: Option<String>,
}

impl Trace {
    fn parse(value: &str) -> Option<Self> {
        let mut trace = Self::default();
        for word in value.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            match word {
                "commands" => trace.commands = true,
                "images" => trace.images = true,
                "memory" => trace.memory = true,
                "all" => (trace.commands, trace.images, trace.memory) = (true, true, true),
                file if is_timeline(file) && trace.file.is_none() => {
                    trace.file = Some(file.to_owned());
                }
                _ => return None,
            }
        }
        Some(trace)
    }
}

/// Returns whether a word of [`environment::TRACE`] is the file of a timeline.
fn is_timeline(word: &str) -> bool {
    Path::new(word).extension().is_some_and(|extension| extension == "json")
}

/// Validates every variable that is set.
pub fn check() -> Result<()> {
    let get = |name: &str| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned());
    // A set-user-ID program ignores this variable, and must not tell which folders exist.
    let is_ignored = |name: &str| name == environment::DUMP_JIT.name && is_privileged();
    check_with(|name| get(name).filter(|_| !is_ignored(name)))
}

fn check_with(get: impl Fn(&str) -> Option<String>) -> Result<()> {
    for (variable, accepts) in CHECKED {
        if let Some(value) = get(variable.name)
            && !accepts(&value)
        {
            return Err(Error::new(Errc::Runtime, variable.refusal(&value)));
        }
    }
    Ok(())
}

/// Returns the variables that accept a value. Tests give it values of any kind.
#[doc(hidden)]
pub fn accepting(value: &str) -> Vec<&'static str> {
    let accepted = CHECKED.iter().filter(|(_, accepts)| accepts(value));
    accepted.map(|(variable, _)| variable.name).collect()
}

/// Returns the activities to trace, from the environment. Returns none if the value is invalid
/// ([`check`] reports it).
pub fn trace() -> &'static Trace {
    static TRACE: OnceLock<Trace> = OnceLock::new();
    TRACE.get_or_init(|| {
        std::env::var(environment::TRACE.name)
            .ok()
            .and_then(|value| Trace::parse(&value))
            .unwrap_or_default()
    })
}

/// Returns whether to print a profile at the end of the process.
pub fn profile() -> bool {
    std::env::var(environment::PROFILE.name).is_ok_and(|value| value == "1")
}

/// Returns the format in which to tell profilers the names of kernels.
pub fn perf() -> Option<Format> {
    Format::parse(&std::env::var(environment::PERF.name).ok()?)
}

/// Writes a trace line to standard error.
pub fn trace_line(what: &str, line: &str) {
    // A closed standard error must not stop the program.
    let _ = writeln!(std::io::stderr().lock(), "scythe: {what}: {line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(name: &'static str, value: &'static str) -> Result<()> {
        check_with(|asked| (asked == name).then(|| value.to_owned()))
    }

    #[test]
    fn values_that_fit_are_accepted() {
        assert!(check_with(|_| None).is_ok());
        assert!(with("SCYTHE_TRACE", "commands, memory").is_ok());
        assert!(with("SCYTHE_TRACE", "").is_ok());
        assert!(with("SCYTHE_TRACE", "images,a/b.json").is_ok());
        assert!(with("SCYTHE_PROFILE", "1").is_ok());
        assert!(with("SCYTHE_PERF", "jitdump").is_ok());
        assert!(with("SCYTHE_CPU_THREADS", "8").is_ok());
    }

    #[test]
    fn a_bad_value_is_named_with_what_was_expected() {
        let error = with("SCYTHE_CPU_THREADS", "many").expect_err("not a number");
        assert_eq!(
            error.message,
            "environment variable SCYTHE_CPU_THREADS is 'many', expected a number from 1 to 1024"
        );
        assert!(with("SCYTHE_CPU_THREADS", "0").is_err());
        assert!(with("SCYTHE_TRACE", "comands").is_err());
        assert!(with("SCYTHE_TRACE", "a.json,b.json").is_err());
        assert!(with("SCYTHE_TRACE", ".json").is_err());
        assert!(with("SCYTHE_PROFILE", "yes").is_err());
        assert!(with("SCYTHE_PERF", "all").is_err());
    }
}
