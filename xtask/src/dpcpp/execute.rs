//! Runs the commands of a test as one shell script, in a folder of its own.
//!
//! A test passes only if the script reaches its end. The script stops at the first command that
//! fails, and a pipeline fails if one of its commands fails.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::conditions::{Features, holds};
use super::directives::Step;
use super::outcome::Outcome;
use super::substitute::Substitutions;
use super::suite::{OPENCL_LIBRARY, Test, cuda_toolkit, is_for_other_device};
use crate::backend::Backend;
use crate::cts::limits::Limits;
use crate::process::{CACHE, watched};

/// The tools FileCheck, not and count.
const LLVM_TOOLS: &str = "/usr/lib/llvm-22/bin";
/// A file that the script writes at its end.
const END: &str = "script-has-ended";

/// Returns an error if a tool for the commands of tests is missing.
pub fn find_tools() -> Result<(), String> {
    let path = std::env::var("PATH").unwrap_or_default();
    let folders = || path.split(':').chain([LLVM_TOOLS]).map(Path::new);
    for tool in ["FileCheck", "not", "count"] {
        if !folders().any(|folder| folder.join(tool).exists()) {
            return Err(format!("LLVM's '{tool}' is neither in PATH nor in {LLVM_TOOLS}"));
        }
    }
    Ok(())
}

/// What all tests of a run share.
pub struct Setting {
    pub prefix: PathBuf,
    /// The folder for the folders of tests.
    pub work: PathBuf,
    /// The backend of all devices that the tests see.
    pub backend: Backend,
    /// Variables for `env`.
    pub variables: Vec<String>,
    pub features: Features,
    pub limits: Limits,
}

impl Setting {
    /// Runs a test that applies. `Err` means that the suite or this machine is at fault.
    pub fn execute(&self, test: &Test) -> Result<Outcome, String> {
        let folder = self.work.join(test.name.replace('/', "-"));
        let fail = |e: std::io::Error| format!("cannot prepare {}: {e}", folder.display());
        if folder.exists() {
            std::fs::remove_dir_all(&folder).map_err(fail)?;
        }
        std::fs::create_dir_all(&folder).map_err(fail)?;
        let script = match self.script(test, &folder) {
            Ok(script) => script,
            Err(reason) => return Ok(Outcome::failed(reason)),
        };
        let file = folder.join("script.sh");
        std::fs::write(&file, script).map_err(fail)?;
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new("env");
        command
            .args(&self.variables)
            .arg(format!("PATH={}:{path}:{LLVM_TOOLS}", self.prefix.join("bin").display()))
            .arg(format!("{CACHE}={}", folder.join("cache").display()))
            .arg("bash")
            .arg(&file)
            .current_dir(&folder);
        let ended = watched(&mut command, self.limits.watch(None))?;
        let outcome = match ended.success() && folder.join(END).exists() {
            true => Outcome::passed(),
            false => Outcome::of_failure(&ended),
        };
        if outcome == Outcome::passed() {
            // A folder can contain large programs. Those of failed tests are kept for a look.
            std::fs::remove_dir_all(&folder).map_err(fail)?;
        }
        Ok(outcome)
    }

    /// Returns the script with all commands of a test.
    fn script(&self, test: &Test, folder: &Path) -> Result<String, String> {
        let mut substitutions = self.substitutions(test, folder);
        let mut script = "set -o pipefail\n".to_owned();
        for step in &test.directives.as_ref().map_err(String::clone)?.steps {
            let command = match step {
                Step::Define(name, text) => {
                    substitutions.set(name, text);
                    continue;
                }
                Step::RunIf(condition, _) if !holds(condition, &self.features)? => continue,
                Step::Run(command) | Step::RunIf(_, command) => command,
            };
            if is_for_other_device(command, &self.features) {
                continue;
            }
            let command = substitutions.expand(command, &self.features)?;
            if !command.trim().is_empty() {
                script += &format!("{{ {command}\n}} || exit 1\n");
            }
        }
        Ok(script + &format!(": > '{}'\n", folder.join(END).display()))
    }

    fn substitutions(&self, test: &Test, folder: &Path) -> Substitutions {
        let mut names = Substitutions::default();
        let scythe = self.prefix.join("bin/scythe");
        let scythe = scythe.display();
        let prefix = self.prefix.display();
        let source = test.source.display();
        let source_folder = test.source.parent().unwrap_or(Path::new("/")).display();
        let stem = test.source.file_stem().unwrap_or_default().to_string_lossy();
        let folder = folder.display();
        let library = Path::new(OPENCL_LIBRARY).parent().unwrap_or(Path::new("/")).display();
        let backend = self.backend.in_selector();
        let select = format!("env ONEAPI_DEVICE_SELECTOR={}", self.backend.device());
        let check = "| FileCheck %s".to_owned();
        let (on_cpu, on_gpu) = match self.backend {
            Backend::Cpu | Backend::OpenCl => (check, String::new()),
            Backend::Cuda => (String::new(), check),
        };
        let triple = match self.backend {
            Backend::Cpu | Backend::OpenCl => "spir64",
            Backend::Cuda => "nvptx64-nvidia-cuda",
        };
        let cuda = cuda_toolkit().map(|folder| {
            let (libraries, headers) = (folder.join("lib64"), folder.join("include"));
            let (libraries, headers) = (libraries.display(), headers.display());
            format!("-L{libraries} -L{libraries}/stubs -lcuda -I{headers}")
        });
        for (name, text) in [
            ("%s", source.to_string()),
            ("%S", source_folder.to_string()),
            ("%p", source_folder.to_string()),
            ("%t", format!("{folder}/{stem}.cpp.tmp")),
            ("%T", folder.to_string()),
            ("%basename_t", format!("{stem}.cpp.tmp")),
            ("%clangxx", scythe.to_string()),
            ("%clang", format!("{scythe} -x c")),
            ("%{build}", "%clangxx -fsycl -fsycl-targets=%sycl_triple %s".to_owned()),
            ("%{run}", select.clone()),
            ("%{run-unfiltered-devices}", String::new()),
            ("%{run-aux}", String::new()),
            ("%{sycl_target_opts}", "-fsycl-targets=%sycl_triple".to_owned()),
            ("%{dpcpp_compiler}", scythe.to_string()),
            ("%CPU_RUN_PLACEHOLDER", select.clone()),
            ("%CPU_RUN_ON_LINUX_PLACEHOLDER", select.clone()),
            ("%GPU_RUN_PLACEHOLDER", select.clone()),
            ("%GPU_RUN_ON_LINUX_PLACEHOLDER", select.clone()),
            ("%BE_RUN_PLACEHOLDER", select),
            ("%CPU_CHECK_PLACEHOLDER", on_cpu.clone()),
            ("%CPU_CHECK_ON_LINUX_PLACEHOLDER", on_cpu),
            ("%GPU_CHECK_PLACEHOLDER", on_gpu.clone()),
            ("%GPU_CHECK_ON_LINUX_PLACEHOLDER", on_gpu),
            ("%ACC_CHECK_PLACEHOLDER", String::new()),
            ("%sycl_be", backend.to_owned()),
            ("%sycl_triple", triple.to_owned()),
            ("%{sycl_triple}", triple.to_owned()),
            ("%{l0_leak_check}", String::new()),
            (
                "%sycl_options",
                format!(
                    "-lsycl -isystem {prefix}/include -isystem {prefix}/include/sycl -L{prefix}/lib"
                ),
            ),
            ("%sycl_include", format!("-isystem {prefix}/include")),
            ("%sycl_libs_dir", format!("{prefix}/lib")),
            ("%sycl_static_libs_dir", format!("{prefix}/lib")),
            ("%opencl_lib", format!("-L{library} -lOpenCL")),
            ("%opencl_include_dir", format!("{prefix}/include")),
            ("%level_zero_options", String::new()),
            ("%cuda_options", cuda.unwrap_or_default()),
            ("%threads_lib", "-lpthread".to_owned()),
            ("%include_option", "-include".to_owned()),
            ("%debug_option", "-g".to_owned()),
            ("%cxx_std_option", "-std=".to_owned()),
            ("%fPIC", "-fPIC".to_owned()),
            ("%shared_lib", "-shared".to_owned()),
            ("%obj_ext", ".o".to_owned()),
            ("%O0", "-O0".to_owned()),
            ("%fp-model-", "-ffp-model=".to_owned()),
            ("%verbose_print", String::new()),
            ("%gpu_aot_target_opts", "\"-device *\"".to_owned()),
        ] {
            names.set(name, text);
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::directives::Directives;
    use super::*;
    use crate::process::Scratch;

    fn outcome(commands: &[&str]) -> Outcome {
        let scratch = Scratch::new("dpcpp").unwrap();
        let setting = Setting {
            prefix: PathBuf::from("/p"),
            work: scratch.path().join("work"),
            backend: Backend::Cpu,
            variables: vec!["GREETING=hello".to_owned()],
            features: ["cpu".to_owned()].into(),
            limits: Limits { time: Duration::from_secs(5), memory: 1 << 32 },
        };
        let text: String = commands.iter().map(|command| format!("// RUN: {command}\n")).collect();
        let source = scratch.path().join("a.cpp");
        let test = super::super::suite::Test::of(&source, Directives::parse(&text));
        setting.execute(&test).unwrap().without_folders(&[scratch.path()])
    }

    #[test]
    fn a_test_passes_only_at_its_end() {
        let passed = Outcome::passed();
        assert_eq!(outcome(&["echo $GREETING > %t", "cd %T", "grep hello a.cpp.tmp"]), passed);
        assert_eq!(outcome(&["%GPU_RUN_PLACEHOLDER false", "%{run} true # a comment"]), passed);
        assert_eq!(outcome(&["%if gpu %{ false %}", "not false || true"]), passed);
        for commands in [
            &["true", "false"][..],
            &["false", "true"],
            &["false | cat"],
            &["exit 0"],
            &["echo 'x: error: y' >&2; false"],
            &["%{nothing} true"],
            &["sleep 60"],
        ] {
            assert_ne!(outcome(commands), passed, "{commands:?}");
        }
        assert_eq!(outcome(&["echo 'x: error: y' >&2; false"]).reason, "x: error: y");
        let variable = "env | grep ONEAPI_DEVICE_SELECTOR=native_cpu:cpu";
        assert_eq!(outcome(&[&format!("%{{run}} {variable}")]), passed);
    }
}
