//! The tests of the suite, and whether they apply to Scythe on a device.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::conditions::{Features, holds};
use super::directives::Directives;
use super::outcome::Outcome;
use super::removed;
use crate::backend::Backend;
use crate::process;

/// Folders and tests that do not apply, with the reasons.
const FOLDERS: [(&str, &str); 9] = [
    ("Basic/fpga_tests/", "it uses extensions for FPGAs"),
    ("ESIMD/", "explicit SIMD is an extension for Intel's GPUs"),
    ("GroupAlgorithm/exclusive_scan.cpp", removed::GROUPS),
    ("GroupAlgorithm/inclusive_scan.cpp", removed::GROUPS),
    ("GroupAlgorithm/reduce.cpp", removed::GROUPS),
    ("InvokeSimd/", "explicit SIMD is an extension for Intel's GPUs"),
    ("KernelFusion/", "the extension was removed from DPC++"),
    ("Matrix/Legacy/", "it uses the first interface of joint matrices, which DPC++ removed"),
    ("XPTI/", "the folder tests DPC++'s tracing library"),
];

/// Texts in sources of tests that do not apply, with the reasons. `docs/extensions.md` lists the
/// extensions that Scythe does not have.
const UNCLAIMED: [(&str, &str); 18] = [
    ("sycl/ext/intel/esimd", "explicit SIMD is an extension for Intel's GPUs"),
    ("fpga_", "it uses extensions for FPGAs"),
    ("buffer_location", "it uses extensions for FPGAs"),
    ("backend/level_zero.hpp", "there is no Level Zero backend"),
    ("accessor_property_list", "sycl_ext_oneapi_accessor_properties is not supported"),
    ("sycl/ext/intel/online_compiler.hpp", "sycl_ext_intel_online_compiler is not supported"),
    ("sycl/ext/intel/math.hpp", "sycl_ext_intel_math is not supported"),
    ("__imf_", "sycl_ext_intel_math is not supported"),
    ("experimental/spec_constant.hpp", "sycl_ext_oneapi_spec_constants is not supported"),
    ("SYCL_EXT_ONEAPI_COMPLEX_ALGORITHMS", "sycl_ext_oneapi_complex_algorithms is not supported"),
    ("SYCL_DEVICE_FILTER", "it uses a variable that DPC++ removed"),
    ("SYCL_PI_TRACE", "it reads the trace of DPC++'s plugins"),
    ("SYCL_UR_TRACE", "it reads the trace of DPC++'s adapters"),
    ("SYCL_PRINT_EXECUTION_GRAPH", "it reads the graph of DPC++'s scheduler"),
    ("ReducerAccess", "it calls internal functions of DPC++"),
    ("detail::reduction", "it calls internal functions of DPC++"),
    ("detail::gtl", "it calls internal functions of DPC++"),
    ("PI_ERROR_", "it compares the errors of DPC++'s plugins"),
];

/// Features of the compiler and of the machine.
const COMMON: [&str; 7] =
    ["linux", "build-mode", "run-mode", "build-and-run-mode", "zstd", "sycl-ls", "sycl-jit"];

/// Features of CPUs as devices.
const CPU: [&str; 5] =
    ["cpu", "any-device-is-cpu", "target-spir", "any-target-is-spir", "opencl-cpu-rt"];

/// Features of NVIDIA GPUs.
const CUDA: [&str; 6] = [
    "gpu",
    "any-device-is-gpu",
    "cuda",
    "any-device-is-cuda",
    "target-nvidia",
    "any-target-is-nvidia",
];

/// Features, and other names of theirs.
const SYNONYMS: [(&str, &str); 4] = [
    ("aspect-ext_intel_matrix", "matrix"),
    ("aspect-ext_oneapi_ballot_group", "aspect-ext_oneapi_fragment"),
    ("aspect-ext_oneapi_fixed_size_group", "aspect-ext_oneapi_chunk"),
    ("aspect-ext_oneapi_tangle_group", "aspect-ext_oneapi_tangle"),
];

/// Placeholders for devices that no backend has. Commands with them do nothing.
const OTHER_DEVICES: [&str; 4] = [
    "%ACC_RUN_PLACEHOLDER",
    "%GPU_L0_CHECK_PLACEHOLDER",
    "%HOST_RUN_PLACEHOLDER",
    "%ESIMD_RUN_PLACEHOLDER",
];
/// The same for the kinds of devices that some backends have.
const ON_CPU: [&str; 2] = ["%CPU_RUN_PLACEHOLDER", "%CPU_RUN_ON_LINUX_PLACEHOLDER"];
const ON_GPU: [&str; 2] = ["%GPU_RUN_PLACEHOLDER", "%GPU_RUN_ON_LINUX_PLACEHOLDER"];

/// Texts in commands that compile for Intel's CPU runtime ahead of time, or run the result.
const AHEAD_OF_TIME: [&str; 2] = ["spir64_x86_64", "%t.x86.out"];

/// A test of the suite.
#[derive(Debug)]
pub struct Test {
    /// The path below the suite's folder.
    pub name: String,
    pub source: PathBuf,
    pub directives: Result<Directives, String>,
    /// Why the source does not apply to any device.
    unclaimed: Option<&'static str>,
    /// Features that `lit.local.cfg` files require and exclude.
    required: Vec<String>,
    excluded: Vec<String>,
}

/// Returns whether a command only runs on devices that are not tested. Without `opencl-aot`, these
/// are also devices with code that is compiled ahead of time: Scythe compiles such code for its own
/// CPU device.
pub fn is_for_other_device(command: &str, features: &Features) -> bool {
    let names = |list: &[&str]| list.iter().any(|name| command.contains(name));
    let lacks = |kind: &str| !features.contains(kind);
    names(&OTHER_DEVICES)
        || (lacks("cpu") && names(&ON_CPU))
        || (lacks("gpu") && names(&ON_GPU))
        || (lacks("opencl-aot") && names(&AHEAD_OF_TIME))
}

/// Returns all tests of a suite, sorted by their names.
pub fn tests(suite: &Path) -> Result<Vec<Test>, String> {
    let mut sources = Vec::new();
    list(suite, &mut sources)?;
    sources.sort();
    let mut tests = Vec::new();
    for source in sources {
        let fail = |e: std::io::Error| format!("cannot read {}: {e}", source.display());
        // Some sources contain other encodings in comments.
        let text = String::from_utf8_lossy(&std::fs::read(&source).map_err(fail)?).into_owned();
        let directives = Directives::parse(&text);
        if directives.as_ref().is_ok_and(|found| found.steps.is_empty()) {
            continue;
        }
        let name = source.strip_prefix(suite).unwrap_or(&source).to_string_lossy().into_owned();
        let (mut required, mut excluded) = (Vec::new(), Vec::new());
        let above = source.ancestors().skip(1).take_while(|folder| folder.starts_with(suite));
        for folder in above {
            let local = std::fs::read_to_string(folder.join("lit.local.cfg")).unwrap_or_default();
            required.extend(names(&local, "config.required_features"));
            excluded.extend(names(&local, "config.unsupported_features"));
        }
        let unclaimed = unclaimed(&text);
        tests.push(Test { name, source, directives, unclaimed, required, excluded });
    }
    match tests.is_empty() {
        true => Err(format!("{} contains no tests, sources with 'RUN:'", suite.display())),
        false => Ok(tests),
    }
}

/// Returns why a source does not apply to any device.
fn unclaimed(source: &str) -> Option<&'static str> {
    UNCLAIMED.iter().find(|(text, _)| source.contains(text)).map(|(_, reason)| *reason)
}

fn list(folder: &Path, sources: &mut Vec<PathBuf>) -> Result<(), String> {
    let fail = |e: std::io::Error| format!("cannot read {}: {e}", folder.display());
    for entry in std::fs::read_dir(folder).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        if path.is_dir() {
            if path.file_name().is_some_and(|name| name != "Inputs") {
                list(&path, sources)?;
            }
        } else if path.extension().is_some_and(|e| e == "cpp") {
            sources.push(path);
        }
    }
    Ok(())
}

/// Returns the strings in lists that a `lit.local.cfg` assigns or adds to a variable.
fn names(config: &str, variable: &str) -> Vec<String> {
    let lines = config.lines().filter_map(|line| line.trim().strip_prefix(variable));
    let texts = lines.flat_map(|line| line.split(['\'', '"']).skip(1).step_by(2));
    texts.map(str::to_owned).collect()
}

impl Test {
    /// Returns a test for its own unit tests.
    #[cfg(test)]
    pub fn of(source: &Path, directives: Result<Directives, String>) -> Test {
        let name = source.to_string_lossy().into_owned();
        Test {
            name,
            source: source.to_owned(),
            directives,
            unclaimed: None,
            required: Vec::new(),
            excluded: Vec::new(),
        }
    }

    /// Returns the folder of the suite that contains the test.
    pub fn folder(&self) -> &str {
        self.name.split('/').next().unwrap_or(&self.name)
    }

    /// Returns why the test cannot run on a device with these features, or `None` if it applies.
    pub fn does_not_apply(&self, features: &Features) -> Result<Option<Outcome>, String> {
        if let Some((_, reason)) = FOLDERS.iter().find(|(name, _)| self.name.starts_with(name)) {
            return Ok(Some(Outcome::does_not_apply(*reason)));
        }
        if let Some(reason) = self.unclaimed {
            return Ok(Some(Outcome::does_not_apply(reason)));
        }
        let directives = self.directives.as_ref().map_err(String::clone)?;
        for condition in self.required.iter().chain(&directives.requires) {
            if !holds(condition, features)? {
                let reason = format!("it requires {condition}");
                return Ok(Some(Outcome::does_not_apply(reason)));
            }
        }
        for condition in self.excluded.iter().chain(&directives.unsupported) {
            if holds(condition, features)? {
                let reason = format!("it does not support {condition}");
                return Ok(Some(Outcome::does_not_apply(reason)));
            }
        }
        for condition in &directives.xfail {
            if holds(condition, features)? {
                let reason = format!("DPC++ fails it: {condition}");
                return Ok(Some(Outcome::does_not_apply(reason)));
            }
        }
        let runs = |text: &str| text.contains("_RUN_") || text.contains("%{run");
        let mut commands = directives.commands().filter(|command| runs(command)).peekable();
        let for_others =
            commands.peek().is_some() && commands.all(|c| is_for_other_device(c, features));
        Ok(for_others.then(|| Outcome::does_not_apply("it runs only on other devices")))
    }
}

/// Returns the features of the device that `sycl-ls` shows for a backend.
pub fn features(prefix: &Path, backend: Backend, variables: &[String]) -> Result<Features, String> {
    let mut command = Command::new("env");
    command.args(variables).arg(format!("ONEAPI_DEVICE_SELECTOR={}", backend.device()));
    command.arg(prefix.join("bin/sycl-ls")).arg("--verbose");
    let text = process::output(&mut command)?;
    let of_device = device_features(&text);
    if of_device.is_empty() {
        return Err(format!("no device of the backend '{}' is usable:\n{text}", backend.name()));
    }
    let mut features: Features = COMMON.map(str::to_owned).into();
    features.extend(of_backend(backend).into_iter().map(str::to_owned));
    features.extend(of_device);
    if cuda_toolkit().is_some() {
        features.insert("cuda_dev_kit".to_owned());
    }
    if Path::new(OPENCL_LIBRARY).exists() {
        features.extend(["opencl_icd", "opencl_dev_kit"].map(str::to_owned));
    }
    for (feature, other) in SYNONYMS {
        if features.contains(feature) {
            features.insert(other.to_owned());
        }
    }
    Ok(features)
}

fn of_backend(backend: Backend) -> Vec<&'static str> {
    match backend {
        // Scythe compiles ahead of time for its own CPU device.
        Backend::Cpu => [&CPU[..], &["opencl-aot"]].concat(),
        Backend::OpenCl => [&CPU[..], &["opencl", "any-device-is-opencl"]].concat(),
        Backend::Cuda => CUDA.to_vec(),
    }
}

/// Returns the folder of CUDA's headers and libraries, if the machine has them.
pub fn cuda_toolkit() -> Option<PathBuf> {
    let named = std::env::var_os("CUDA_PATH").map(PathBuf::from);
    let usual = PathBuf::from("/usr/local/cuda");
    named.into_iter().chain([usual]).find(|folder| folder.join("include/cuda.h").exists())
}

/// OpenCL's loader for links with `-lOpenCL`.
pub const OPENCL_LIBRARY: &str = "/usr/lib/x86_64-linux-gnu/libOpenCL.so";

/// Returns the aspects and the sizes of sub-groups in the output of `sycl-ls --verbose`.
fn device_features(text: &str) -> Features {
    let mut features = Features::new();
    for line in text.lines() {
        let Some((key, values)) = line.split_once(':') else { continue };
        let prefix = match key.trim() {
            "Aspects" => "aspect-",
            "Sub-groups" => "sg-",
            _ => continue,
        };
        features.extend(values.split_whitespace().map(|value| format!("{prefix}{value}")));
    }
    features
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(name: &str, source: &str) -> Test {
        Test {
            name: name.to_owned(),
            source: PathBuf::from(name),
            directives: Directives::parse(source),
            unclaimed: unclaimed(source),
            required: names(
                "config.required_features += ['cpu', \"linux\"]\n",
                "config.required_features",
            ),
            excluded: Vec::new(),
        }
    }

    #[test]
    fn tests_that_do_not_apply_have_reasons() {
        let features: Features = ["cpu", "linux"].map(str::to_owned).into();
        for (name, source, reason) in [
            ("Basic/a.cpp", "// RUN: %CPU_RUN_PLACEHOLDER a\n// RUN: %GPU_RUN_PLACEHOLDER a", None),
            ("Basic/a.cpp", "// RUN: %clangxx -fsyntax-only %s", None),
            (
                "Basic/a.cpp",
                "// RUN: %GPU_RUN_PLACEHOLDER a",
                Some("it runs only on other devices"),
            ),
            ("Basic/a.cpp", "// RUN: %{run} %t.x86.out", Some("it runs only on other devices")),
            ("Basic/a.cpp", "// REQUIRES: gpu, cpu\n// RUN: a", Some("it requires gpu")),
            ("Basic/a.cpp", "// UNSUPPORTED: cpu\n// RUN: a", Some("it does not support cpu")),
            ("Basic/a.cpp", "// XFAIL: *\n// RUN: a", Some("DPC++ fails it: *")),
            ("ESIMD/a.cpp", "// RUN: a", Some(FOLDERS[1].1)),
            ("USM/a.cpp", "// RUN: env SYCL_PI_TRACE=2 a", Some(UNCLAIMED[11].1)),
        ] {
            let outcome = test(name, source).does_not_apply(&features).unwrap();
            assert_eq!(
                outcome.map(|outcome| outcome.reason),
                reason.map(str::to_owned),
                "{source}"
            );
        }
        assert!(
            test("Basic/a.cpp", "// REQUIRES: (\n// RUN: a").does_not_apply(&features).is_err()
        );
    }

    #[test]
    fn commands_are_chosen_by_the_kind_of_device() {
        let cpu: Features = of_backend(Backend::OpenCl).into_iter().map(str::to_owned).collect();
        let cuda: Features = of_backend(Backend::Cuda).into_iter().map(str::to_owned).collect();
        for (command, on_cpu, on_cuda) in [
            ("%CPU_RUN_PLACEHOLDER a %CPU_CHECK_PLACEHOLDER", true, false),
            ("%GPU_RUN_ON_LINUX_PLACEHOLDER a", false, true),
            ("%{run} a %GPU_CHECK_PLACEHOLDER", true, true),
            ("%HOST_RUN_PLACEHOLDER a", false, false),
            ("%clangxx -fsycl-targets=spir64_x86_64 a", false, false),
        ] {
            let runs = [&cpu, &cuda].map(|features| !is_for_other_device(command, features));
            assert_eq!(runs, [on_cpu, on_cuda], "{command}");
        }
    }

    #[test]
    fn features_are_read_from_the_list_of_devices() {
        let text = "    Aspects    : cpu fp64\n    Sub-groups : 4 8\nother: x\n";
        let expected = ["aspect-cpu", "aspect-fp64", "sg-4", "sg-8"].map(str::to_owned).into();
        assert_eq!(device_features(text), expected);
    }
}
