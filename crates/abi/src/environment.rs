//! The table of the environment variables of the runtime, its backends and the run-time compiler.
//!
//! The variables select, trace and check; none of them changes a result. The component that reads a
//! variable validates its value and reports an invalid one with [`Variable::refusal`].
//! `docs/environment.md` documents the same table, and a test compares the two.

/// An environment variable.
#[derive(Debug, PartialEq, Eq)]
pub struct Variable {
    pub name: &'static str,
    /// The values that the variable accepts, as error messages show them.
    pub values: &'static str,
}

impl Variable {
    const fn new(name: &'static str, values: &'static str) -> Self {
        Self { name, values }
    }

    /// Returns the error message for an invalid value.
    pub fn refusal(&self, value: &str) -> String {
        format!("environment variable {} is '{value}', expected {}", self.name, self.values)
    }
}

pub const TRACE: Variable = Variable::new(
    "SCYTHE_TRACE",
    "a comma-separated list of 'commands', 'images', 'memory', or 'all', and one FILE.json",
);
pub const PROFILE: Variable = Variable::new("SCYTHE_PROFILE", "'0' or '1'");
pub const PERF: Variable = Variable::new("SCYTHE_PERF", "'map', 'jitdump' or 'elf'");
pub const CPU_THREADS: Variable = Variable::new("SCYTHE_CPU_THREADS", "a number from 1 to 1024");
pub const CPU_LEVEL: Variable = Variable::new("SCYTHE_CPU_LEVEL", crate::target::Level::NAMES);
pub const DEVICE_SELECTOR: Variable = Variable::new(
    "ONEAPI_DEVICE_SELECTOR",
    "BACKEND:DEVICE[,DEVICE…][;…], such as 'opencl:gpu', '*:cpu' or '!opencl:*'",
);
pub const OPENCL_MEMORY: Variable =
    Variable::new("SCYTHE_OPENCL_MEMORY", "'best', 'virtual' or 'objects'");
pub const SIMULATE: Variable = Variable::new(
    "SCYTHE_SIMULATE",
    "a comma-separated list of targets of the device configuration, or of FILE.yaml:TARGET",
);
pub const CPU_VARIANTS: Variable =
    Variable::new("SCYTHE_CPU_VARIANTS", "'auto', 'always' or 'never'");
pub const CPU_FORM: Variable = Variable::new("SCYTHE_CPU_FORM", "'widened' or 'scalar'");
pub const CPU_SERIAL: Variable = Variable::new("SCYTHE_CPU_SERIAL", "'auto', 'always' or 'never'");
pub const CPU_FAULTS: Variable =
    Variable::new("SCYTHE_CPU_FAULTS", "'report', 'exception' or 'off'");
pub const CHECK_WIDENING: Variable = Variable::new("SCYTHE_CHECK_WIDENING", "'0' or '1'");
pub const CHECK: Variable =
    Variable::new("SCYTHE_CHECK", "a comma-separated list of 'barriers', 'races', or 'all'");
pub const DUMP_JIT: Variable = Variable::new("SCYTHE_DUMP_JIT", "a folder that exists");
pub const SPIRV_VALIDATOR: Variable =
    Variable::new("SCYTHE_SPIRV_VALIDATOR", "a program such as spirv-val");
pub const CACHE_PERSISTENT: Variable = Variable::new("SYCL_CACHE_PERSISTENT", "'0' or '1'");
pub const CACHE_DIR: Variable = Variable::new("SYCL_CACHE_DIR", "a folder");
pub const CACHE_MAX_SIZE: Variable =
    Variable::new("SYCL_CACHE_MAX_SIZE", "a whole number of megabytes, or 0 for no limit");
pub const CACHE_TRACE: Variable =
    Variable::new("SYCL_CACHE_TRACE", "a number, decimal or with 0x; 1 traces the cache");

/// All variables, in the order of the documentation.
pub const VARIABLES: [&Variable; 20] = [
    &TRACE,
    &PROFILE,
    &PERF,
    &CPU_THREADS,
    &CPU_LEVEL,
    &DEVICE_SELECTOR,
    &OPENCL_MEMORY,
    &SIMULATE,
    &CPU_VARIANTS,
    &CPU_FORM,
    &CPU_SERIAL,
    &CPU_FAULTS,
    &CHECK_WIDENING,
    &CHECK,
    &DUMP_JIT,
    &SPIRV_VALIDATOR,
    &CACHE_PERSISTENT,
    &CACHE_DIR,
    &CACHE_MAX_SIZE,
    &CACHE_TRACE,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documentation_lists_the_same_variables() {
        let page = include_str!("../../../docs/environment.md");
        let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
        let documented: Vec<&str> = rows.filter_map(|row| row.split('`').next()).collect();
        assert_eq!(documented, VARIABLES.map(|variable| variable.name));
    }

    #[test]
    fn a_refusal_names_variable_value_and_expectation() {
        assert_eq!(
            CPU_FORM.refusal("Scalar"),
            "environment variable SCYTHE_CPU_FORM is 'Scalar', expected 'widened' or 'scalar'"
        );
    }
}
