//! Bundles for a machine with an NVIDIA GPU and without Rust, LLVM or a network.
//!
//! `cargo xtask test --backend cuda --package DIR` compiles every end-to-end program that may run
//! on such a machine, ahead of time for the GPU and as generic code. It puts the programs, all
//! libraries that they need and a plain shell script, `run.sh`, into DIR. The script runs the
//! programs, prints a line for each and a summary, and fails if a program fails. `bench cuda` does
//! the same for benchmarks.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::e2e::{self, Program};
use crate::process::{self, capture, progress};
use crate::workspace::{self, target};

/// The architecture for compilation ahead of time.
pub const ARCHITECTURE: &str = "sm_90";
const COMPILE_LIMIT: Duration = Duration::from_secs(300);
/// Libraries that every Linux machine has.
const EVERYWHERE: [&str; 8] = [
    "linux-vdso",
    "ld-linux",
    "libc.so",
    "libm.so",
    "libdl.so",
    "libpthread.so",
    "libgcc_s",
    "libstdc++",
];
/// A wheel with `ptxas` and `libdevice`, for machines without CUDA.
const WHEEL: &str = "nvidia-cuda-nvcc-cu12==12.9.86";

/// The form in which a program is compiled.
#[derive(Clone, Copy)]
pub enum Form {
    /// Ahead of time, for the GPU.
    Ahead,
    /// For any device: the run-time compiler finishes the compilation.
    Generic,
}

impl Form {
    fn name(self) -> &'static str {
        match self {
            Self::Ahead => ARCHITECTURE,
            Self::Generic => "generic",
        }
    }

    /// Returns the compiler options for this form.
    pub fn options(self, cuda: &Path) -> Vec<String> {
        match self {
            Self::Ahead => {
                vec![
                    format!("-fsycl-targets=nvidia_gpu_{ARCHITECTURE}"),
                    format!("--cuda-path={}", cuda.display()),
                ]
            }
            Self::Generic => Vec::new(),
        }
    }
}

impl Program {
    fn forms(&self) -> impl Iterator<Item = Form> {
        self.ahead.then_some(Form::Ahead).into_iter().chain([Form::Generic])
    }
}

/// Returns a folder with `bin/ptxas`: the machine's CUDA, otherwise a wheel below the target
/// folder.
pub fn toolkit() -> Result<PathBuf, String> {
    let named = std::env::var_os("CUDA_PATH").map(PathBuf::from);
    let usual = named.into_iter().chain([PathBuf::from("/usr/local/cuda")]);
    if let Some(found) = usual.into_iter().find(|folder| folder.join("bin/ptxas").exists()) {
        return Ok(found);
    }
    let environment = target().join("cuda-wheel");
    let installed = || wheel_folder(&environment);
    if let Some(found) = installed() {
        return Ok(found);
    }
    progress(&format!("installing {WHEEL} from PyPI"));
    process::output(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
    process::output(Command::new(environment.join("bin/pip")).args(["install", "--quiet", WHEEL]))?;
    installed().ok_or_else(|| format!("{WHEEL} does not contain bin/ptxas"))
}

fn wheel_folder(environment: &Path) -> Option<PathBuf> {
    let versions = std::fs::read_dir(environment.join("lib")).ok()?;
    let folders = versions
        .filter_map(|entry| Some(entry.ok()?.path().join("site-packages/nvidia/cuda_nvcc")));
    folders.into_iter().find(|folder| folder.join("bin/ptxas").exists())
}

/// Bundles the end-to-end programs whose name contains one of `filters`, and everything that they
/// need.
pub fn package_tests(prefix: &Path, folder: &Path, filters: &[String]) -> Result<String, String> {
    let programs = e2e::device_programs("cuda", filters)?;
    if programs.is_empty() {
        return Err(format!("no program has a name that contains '{}'", filters.join("' or '")));
    }
    let cuda = toolkit()?;
    let bundle = Bundle::new(prefix, folder)?;
    let cases: Vec<(&Program, Form)> = programs
        .iter()
        .flat_map(|program| program.forms().map(move |form| (program, form)))
        .collect();
    progress(&format!("compiling {} programs", cases.len()));
    let compiled = process::parallel(&cases, |(program, form)| {
        let name = format!("{}-{}", program.name, form.name());
        let mut options = form.options(&cuda);
        options.extend(program.flags.iter().cloned());
        let made = compile(prefix, &program.source, &options, &folder.join("bin").join(&name));
        eprintln!("    {} {name}", if made.is_ok() { "ok    " } else { "FAILED" });
        made.map(|()| name)
    });
    let (mut lines, mut failures) = (Vec::new(), Vec::new());
    for ((program, _), made) in cases.iter().zip(compiled) {
        match made {
            Ok(name) => {
                std::fs::write(folder.join("cases").join(&name), case(program))
                    .map_err(|e| e.to_string())?;
                lines.push(if program.compiler { name + " compiler" } else { name });
            }
            Err(why) => failures.push(why),
        }
    }
    bundle.write("list", &(lines.join("\n") + "\n"), false)?;
    let faults = add_faults(prefix, &bundle, &cuda, filters)?;
    bundle.write("faults", &faults, false)?;
    bundle.write("run.sh", include_str!("cuda/run.sh"), true)?;
    if !failures.is_empty() {
        let all = cases.len();
        return Err(format!(
            "{} of {all} programs do not compile:\n{}",
            failures.len(),
            failures.join("\n")
        ));
    }
    Ok(format!("{} programs in {}", lines.len(), folder.display()))
}

/// Compiles the programs in `tests/faults`, with line numbers. Returns the list for the script: the
/// name of each program, the tool of compute-sanitizer that finds its fault, and the fault's place.
fn add_faults(
    prefix: &Path,
    bundle: &Bundle,
    cuda: &Path,
    filters: &[String],
) -> Result<String, String> {
    let mut list = String::new();
    for source in workspace::files(&workspace::root().join("tests/faults"), &["cpp"])? {
        let text = std::fs::read_to_string(&source)
            .map_err(|e| format!("cannot read {}: {e}", source.display()))?;
        let name = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if !filters.is_empty() && !filters.iter().any(|filter| name.contains(filter)) {
            continue;
        }
        let (tool, line) = fault(&text).ok_or_else(|| {
            format!("{} needs a line '// TOOL: NAME' and one '// FAULT'", source.display())
        })?;
        let mut options = Form::Ahead.options(cuda);
        options.push("-g".to_owned());
        compile(prefix, &source, &options, &bundle.folder.join("bin").join(&name))?;
        list.push_str(&format!("{name} {tool} {name}.cpp:{line}\n"));
    }
    Ok(list)
}

/// Returns the tool that a program with a fault names, and the number of the line with the fault.
fn fault(text: &str) -> Option<(&str, usize)> {
    let tool = text.lines().find_map(|line| line.strip_prefix("// TOOL: "))?;
    let line = text.lines().position(|line| line.ends_with("// FAULT"))?;
    Some((tool.trim(), line + 1))
}

/// Returns the description of a program for the script: its arguments, and one line for each text
/// that its output must contain.
fn case(program: &Program) -> String {
    let lines = std::iter::once(program.args.join(" ")).chain(program.expected.iter().cloned());
    lines.map(|line| line + "\n").collect()
}

/// Compiles one program and removes its debug information.
pub fn compile(
    prefix: &Path,
    source: &Path,
    options: &[String],
    program: &Path,
) -> Result<(), String> {
    let mut command = Command::new(prefix.join("bin/scythe"));
    command
        .args(["-fsycl", "-std=c++17", "-O3", "-s"])
        .args(options)
        .arg(source)
        .arg("-o")
        .arg(program);
    let outcome = capture(&mut command, COMPILE_LIMIT)?;
    if outcome.success() {
        Ok(())
    } else {
        Err(format!("'{}': {}", process::shown(&command), outcome.describe()))
    }
}

/// A folder with libraries, which programs find by `LD_LIBRARY_PATH`.
pub struct Bundle<'a> {
    folder: &'a Path,
}

impl<'a> Bundle<'a> {
    /// Creates a bundle with all libraries. The folder must be empty, new or already a bundle.
    pub fn new(prefix: &Path, folder: &'a Path) -> Result<Self, String> {
        let bundle = Self::without_compiler(prefix, folder)?;
        bundle.library(prefix, "libscythe-jit.so")?;
        bundle.device_library(&prefix.join("lib/scythe/devicelib"))?;
        bundle.needed_by(&prefix.join("lib/libscythe-jit.so"))?;
        Ok(bundle)
    }

    /// Creates a bundle without the run-time compiler and LLVM, for programs that are compiled
    /// ahead of time.
    pub fn without_compiler(prefix: &Path, folder: &'a Path) -> Result<Self, String> {
        let known = |name: &str| folder.join(name).exists();
        let empty = std::fs::read_dir(folder).map_or(true, |mut entries| entries.next().is_none());
        if !empty && !known("run.sh") {
            return Err(format!("{} is neither empty nor a bundle of programs", folder.display()));
        }
        for name in ["bin", "cases", "lib"] {
            let path = folder.join(name);
            if path.exists() {
                std::fs::remove_dir_all(&path)
                    .map_err(|e| format!("cannot empty {}: {e}", path.display()))?;
            }
            std::fs::create_dir_all(&path)
                .map_err(|e| format!("cannot create {}: {e}", path.display()))?;
        }
        let bundle = Self { folder };
        bundle.library(prefix, "libscythe.so.0")?;
        bundle.write("run.sh", "", true)?;
        Ok(bundle)
    }

    fn library(&self, prefix: &Path, name: &str) -> Result<(), String> {
        strip(&prefix.join("lib").join(name), &self.folder.join("lib").join(name))
    }

    fn device_library(&self, from: &Path) -> Result<(), String> {
        let to = self.folder.join("lib/scythe/devicelib");
        std::fs::create_dir_all(&to).map_err(|e| format!("cannot create {}: {e}", to.display()))?;
        for file in workspace::files(from, &["bc"])? {
            copy(&file, &to.join(file.file_name().unwrap_or_default()))?;
        }
        Ok(())
    }

    /// Adds the shared libraries that a library needs, mainly LLVM.
    fn needed_by(&self, library: &Path) -> Result<(), String> {
        let listed = process::output(Command::new("ldd").arg(library))?;
        let mut paths = BTreeSet::new();
        for line in listed.lines() {
            let Some((name, rest)) = line.trim().split_once(" => ") else { continue };
            let path = rest.split(" (").next().unwrap_or_default().trim();
            if path == "not found" {
                return Err(format!("{} needs {name}, which is missing", library.display()));
            }
            if !EVERYWHERE.iter().any(|known| name.starts_with(known)) {
                paths.insert((name.to_owned(), PathBuf::from(path)));
            }
        }
        paths.iter().try_for_each(|(name, path)| copy(path, &self.folder.join("lib").join(name)))
    }

    pub fn write(&self, name: &str, text: &str, executable: bool) -> Result<(), String> {
        use std::os::unix::fs::PermissionsExt;
        let path = self.folder.join(name);
        let written = std::fs::write(&path, text).and_then(|()| match executable {
            true => std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)),
            false => Ok(()),
        });
        written.map_err(|e| format!("cannot write {}: {e}", path.display()))
    }
}

/// Copies a program or a library without its debug information.
pub fn strip(from: &Path, to: &Path) -> Result<(), String> {
    let mut strip = Command::new("strip");
    process::output(strip.arg("--strip-unneeded").arg("-o").arg(to).arg(from)).map(drop)
}

pub fn copy(from: &Path, to: &Path) -> Result<(), String> {
    std::fs::copy(from, to)
        .map(|_| ())
        .map_err(|e| format!("cannot copy {} to {}: {e}", from.display(), to.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_name_a_tool_and_a_line() {
        assert_eq!(fault("// TOOL: memcheck\nint a;\n  f(); // FAULT\n"), Some(("memcheck", 3)));
        assert_eq!(fault("// TOOL: memcheck\n"), None);
        assert_eq!(fault("f(); // FAULT\n"), None);
    }
}
