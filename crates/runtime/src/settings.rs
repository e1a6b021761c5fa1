//! The environment variables of the runtime and its backends: one table, with their documentation.
//!
//! They serve selection and tracing only; nothing here changes a result. Values are read once, when the first platform
//! is asked for; a value that does not fit is an error of that call, which names the variable, the value and what was
//! expected.

use std::io::Write;
use std::sync::OnceLock;

use crate::{Errc, Error, Result};

/// One environment variable.
pub struct Variable {
    pub name: &'static str,
    /// What its value looks like.
    pub values: &'static str,
    pub default: &'static str,
    pub doc: &'static str,
    /// Whether a value fits.
    accepts: fn(&str) -> bool,
}

/// All of them, in the order of the documentation.
pub const VARIABLES: &[Variable] = &[
    Variable {
        name: "SCYTHE_TRACE",
        values: "a comma-separated list of 'commands', 'images', 'memory', or 'all'",
        default: "(none)",
        doc: "Writes a line to standard error for each command submitted, each image registered, looked up or built, \
              and each buffer copied between devices.",
        accepts: |value| Trace::parse(value).is_some(),
    },
    Variable {
        name: crate::selection::VARIABLE,
        values: "filters BACKEND:DEVICE[,DEVICE…], separated by ';', those that discard with a '!' in front",
        default: "all devices",
        doc: "Which devices the program sees.",
        // Read where devices are looked for, which says what is wrong with it.
        accepts: |_| true,
    },
    Variable {
        name: scythe_backend_opencl::MEMORY_VARIABLE,
        values: "'best', 'virtual' or 'objects'",
        default: "best",
        doc: "How OpenCL devices share memory with the host: by the best way that their driver has, by shared virtual memory \
              though it has unified shared memory, or not at all, so that buffers are memory objects.",
        accepts: scythe_backend_opencl::is_memory_choice,
    },
    Variable {
        name: "SCYTHE_CPU_THREADS",
        values: "a number from 1 to 1024",
        default: "the processors this process may use",
        doc: "How many threads run kernels on the CPU device.",
        accepts: |value| value.trim().parse::<u32>().is_ok_and(|n| (1..=1024).contains(&n)),
    },
    Variable {
        name: crate::simulate::VARIABLE,
        values: "a comma-separated list of targets of the device configuration, or of FILE.yaml:TARGET",
        default: "(none)",
        doc: "Devices for the CPU device to simulate in its own place: with the aspects, sub-group sizes and limits that the \
              device configuration, or a file over it, gives the target.",
        // What is wrong with an entry is said when the devices are made.
        accepts: |_| true,
    },
    Variable {
        name: "SCYTHE_DUMP_JIT",
        values: "a folder that exists",
        default: "(none)",
        doc: "Where run-time compilation for the CPU device writes the IR of each of its stages.",
        accepts: |value| value.is_empty() || std::path::Path::new(value).is_dir(),
    },
    Variable {
        name: scythe_abi::spirv::VALIDATOR_VARIABLE,
        values: "a program such as spirv-val",
        default: "(none)",
        doc: "What judges every SPIR-V module that is made for OpenCL devices, before the driver sees it: a module that the \
              program refuses is an error with the program's words.",
        accepts: |_| true,
    },
];

/// What to trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    pub commands: bool,
    pub images: bool,
    pub memory: bool,
}

impl Trace {
    fn parse(value: &str) -> Option<Self> {
        let mut trace = Self::default();
        for word in value.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            match word {
                "commands" => trace.commands = true,
                "images" => trace.images = true,
                "memory" => trace.memory = true,
                "all" => trace = Self { commands: true, images: true, memory: true },
                _ => return None,
            }
        }
        Some(trace)
    }
}

/// Checks every variable that is set.
pub fn check() -> Result<()> {
    check_with(|name| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned()))
}

fn check_with(get: impl Fn(&str) -> Option<String>) -> Result<()> {
    for variable in VARIABLES {
        if let Some(value) = get(variable.name)
            && !(variable.accepts)(&value)
        {
            let message = format!("environment variable {} is '{value}', expected {}", variable.name, variable.values);
            return Err(Error::new(Errc::Runtime, message));
        }
    }
    Ok(())
}

/// What to trace, from the environment; nothing where the value does not fit ([`check`] reports it).
pub fn trace() -> Trace {
    static TRACE: OnceLock<Trace> = OnceLock::new();
    *TRACE.get_or_init(|| std::env::var("SCYTHE_TRACE").ok().and_then(|value| Trace::parse(&value)).unwrap_or_default())
}

/// Writes one trace line.
pub fn trace_line(what: &str, line: &str) {
    // A closed standard error must not stop the program.
    let _ = writeln!(std::io::stderr().lock(), "scythe: {what}: {line}");
}

/// The table as text, for `--help`-like output and the documentation.
pub fn describe() -> String {
    let mut out = String::new();
    for v in VARIABLES {
        out.push_str(&format!("{}={}\n    {}\n    Default: {}.\n", v.name, v.values, v.doc, v.default));
    }
    out
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
    }

    #[test]
    fn every_variable_is_described() {
        let text = describe();
        for variable in VARIABLES {
            assert!(text.contains(variable.name));
        }
    }
}
