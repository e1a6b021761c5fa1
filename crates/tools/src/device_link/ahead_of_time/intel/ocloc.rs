//! Runs ocloc, the ahead-of-time compiler for Intel GPUs. It is a program in `PATH`.
//!
//! Each call runs in its own temporary folder. Messages quote ocloc's output.

use super::super::external::{FailedRun, Fault, shown, stamp, temporary_folder};
use crate::Failure;
use crate::errors::NoOcloc;
use scythe_abi::intel::Version;
use scythe_own_files::path_folders;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The Debian package that contains ocloc.
pub const PACKAGE: &str = "intel-opencl-icd";

/// Options that users cannot give because this module passes them: the input, the output, and the
/// format of each file.
const OWN_OPTIONS: [&str; 17] = [
    "-32",
    "-64",
    "-cpp_file",
    "-file",
    "-gen_file",
    "-llvm_input",
    "-llvm_text",
    "-multi",
    "-options_name",
    "-out_dir",
    "-output",
    "-output_no_suffix",
    "-spirv_input",
    "-spv_only",
    "--help",
    "compile",
    "multi",
];

/// Parts of ocloc's messages about unknown devices, in its versions since 2021.
const UNKNOWN_DEVICE: [&str; 4] = [
    "Cannot get HW Info for device",
    "Failed to parse target",
    "Could not determine device target",
    "Unknown device",
];

/// Returns the first of these options that users cannot give.
pub fn own_option(words: &[String]) -> Option<&str> {
    words.iter().map(String::as_str).find(|word| OWN_OPTIONS.contains(word))
}

/// An installed ocloc.
pub struct Ocloc {
    path: PathBuf,
    /// The version, if ocloc reports one.
    version: Option<String>,
    identity: String,
}

impl Ocloc {
    /// Finds the program of this name in `PATH`. `folder` is for temporary files, and `target`
    /// occurs in errors.
    pub fn find(name: &str, target: &str, folder: &Path) -> Result<Self, Failure> {
        let candidates = path_folders().into_iter().map(|folder| folder.join(name));
        let Some(path) = candidates.into_iter().find(|path| is_program(path)) else {
            let (target, name) = (target.to_owned(), name.to_owned());
            return Err(Failure::new(&NoOcloc { target, name, package: PACKAGE }));
        };
        let version = version(&path, folder).map_err(|fault| fault.report(target, name))?;
        let identity = format!("{version:?} {:?} {:?}", stamp(&path), compilers(&path));
        Ok(Self { path, version, identity })
    }

    /// Returns a text that identifies ocloc in keys of the cache: its version, its file, and the
    /// compiler library that it loads.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// Returns the name for messages: `ocloc 22.43.24595`.
    pub fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        match &self.version {
            Some(version) => format!("{name} {version}"),
            None => format!("{name} of unknown version ('{}')", self.path.display()),
        }
    }

    /// Returns the devices of an acronym such as `skl` or `gen9`. Empty if ocloc does not know the
    /// acronym.
    pub fn devices(&self, acronym: &str) -> Vec<Version> {
        let Ok(output) = run(&self.path, &["ids", acronym], None) else { return Vec::new() };
        let text = String::from_utf8_lossy(&output.stdout);
        let versions = text.lines().filter_map(|line| Version::from_ocloc(line.trim()));
        if output.status.success() { versions.collect() } else { Vec::new() }
    }

    /// Returns the devices of a range such as `skl:cfl`, `dg1:` or `:gen9`, in the order of their
    /// versions. Empty if an end of the range is unknown, or if this ocloc does not list its
    /// devices.
    pub fn range(&self, range: &str) -> Vec<Version> {
        let Some((first, last)) = range.split_once(':') else { return Vec::new() };
        let devices = |end: &str| match Version::from_ocloc(end) {
            Some(version) => vec![version],
            None => self.devices(end),
        };
        let (low, high) = (devices(first).into_iter().min(), devices(last).into_iter().max());
        if low.is_none() && !first.is_empty() || high.is_none() && !last.is_empty() {
            return Vec::new();
        }
        let inside = |version: &Version| {
            low.is_none_or(|low| low <= *version) && high.is_none_or(|high| *version <= high)
        };
        let all: BTreeSet<Version> =
            self.acronyms().iter().flat_map(|acronym| self.devices(acronym)).collect();
        all.into_iter().filter(inside).collect()
    }

    /// Returns all acronyms of devices and families in ocloc's help.
    fn acronyms(&self) -> Vec<String> {
        const BEFORE: &str = "supported acronyms:";
        let Ok(output) = run(&self.path, &["ids", "--help"], None) else { return Vec::new() };
        let text = String::from_utf8_lossy(&output.stdout);
        let list =
            text.split_once(BEFORE).map_or("", |(_, list)| list.lines().next().unwrap_or_default());
        list.split(',')
            .map(|name| name.trim().trim_end_matches('.').to_owned())
            .filter(|name| !name.is_empty())
            .collect()
    }

    /// Compiles a SPIR-V module in a new folder below `folder`. Calls `tell` with the command.
    /// Returns ocloc's output file, a device binary or an archive of several, and the text that
    /// ocloc printed.
    pub fn compile(
        &self,
        spirv: &[u8],
        options: &[String],
        folder: &Path,
        tell: &dyn Fn(&str),
    ) -> Result<(Vec<u8>, String), FailedRun> {
        let work = temporary_folder(folder)?;
        let (input, out) = (work.path().join("device.spv"), work.path().join("out"));
        let made = std::fs::write(&input, spirv).and_then(|()| std::fs::create_dir(&out));
        made.map_err(|error| Fault::Input { file: input.clone(), error })?;
        let mut args: Vec<&OsStr> = ["compile", "-file"].map(OsStr::new).into();
        args.push(input.as_os_str());
        args.extend(
            ["-spirv_input", "-output", "binary", "-output_no_suffix", "-out_dir"].map(OsStr::new),
        );
        args.push(out.as_os_str());
        args.extend(options.iter().map(OsStr::new));
        let output = run_told(&self.path, &args, Some(work.path()), tell)
            .map_err(|error| Fault::Start { program: self.path.clone(), error })?;
        let log = log(&output);
        if !output.status.success() {
            return Err(FailedRun { fault: Fault::Status(output.status), log });
        }
        match binary(&out) {
            Some(code) if is_binary(&code) => Ok((code, log)),
            Some(code) => {
                let reason = format!(
                    "wrote {} bytes that are not a device binary: expected ELF, or an archive",
                    code.len()
                );
                Err(FailedRun { fault: Fault::Output(reason), log })
            }
            None => {
                Err(FailedRun { fault: Fault::Output("wrote no device binary".to_owned()), log })
            }
        }
    }

    /// Whether a failed run means that the device is unknown.
    pub fn is_unknown_device(&self, device: &str, failed: &FailedRun) -> bool {
        UNKNOWN_DEVICE.iter().any(|part| failed.log.contains(part))
            && self.devices(device).is_empty()
    }
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path)
        .is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

fn run(
    program: &Path,
    args: &[impl AsRef<OsStr>],
    folder: Option<&Path>,
) -> std::io::Result<Output> {
    run_told(program, args, folder, &|_| {})
}

fn run_told(
    program: &Path,
    args: &[impl AsRef<OsStr>],
    folder: Option<&Path>,
    tell: &dyn Fn(&str),
) -> std::io::Result<Output> {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null());
    tell(&shown(&command));
    if let Some(folder) = folder {
        command.current_dir(folder);
    }
    command.output()
}

/// Returns the version of ocloc, which writes it to a file in its current folder. Returns `None` if
/// there is no such file.
fn version(path: &Path, folder: &Path) -> Result<Option<String>, Fault> {
    const QUESTION: &str = "OCL_DRIVER_VERSION";
    let work = temporary_folder(folder)?;
    let output = run(path, &["query", QUESTION], Some(work.path()))
        .map_err(|error| Fault::Start { program: path.to_owned(), error })?;
    let answer = std::fs::read_to_string(work.path().join(QUESTION))
        .ok()
        .filter(|_| output.status.success());
    Ok(answer.map(|text| text.trim_matches(|c: char| c.is_whitespace() || c == '\0').to_owned()))
}

/// Returns the stamps of all copies of Intel's graphics compiler, a library that ocloc loads.
fn compilers(ocloc: &Path) -> Vec<(u64, std::time::SystemTime)> {
    const LIBRARY: &str = "libigc.so.1";
    let prefix = ocloc.parent().and_then(Path::parent).unwrap_or(Path::new("/"));
    let below = ["lib/x86_64-linux-gnu", "lib64", "lib"].map(|folder| prefix.join(folder));
    let named = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let folders = std::env::split_paths(&named).chain(below).chain(["/usr/local/lib".into()]);
    folders.filter_map(|folder| stamp(&folder.join(LIBRARY))).collect()
}

/// Returns ocloc's output file: it has the given name, or a name that ocloc derives from it.
fn binary(folder: &Path) -> Option<Vec<u8>> {
    if let Ok(code) = std::fs::read(folder.join("binary")) {
        return Some(code);
    }
    let entries = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let mut named: Vec<PathBuf> =
        entries.filter(|path| path.extension() == Some(OsStr::new("bin"))).collect();
    named.sort();
    std::fs::read(named.first()?).ok()
}

fn is_binary(code: &[u8]) -> bool {
    code.starts_with(b"\x7fELF") || scythe_image::archive::is_archive(code)
}

/// Returns the text that ocloc printed. Long texts are cut to their end.
fn log(output: &Output) -> String {
    const LIMIT: usize = 16 << 10;
    let bytes = [output.stdout.as_slice(), &output.stderr].join(&b'\n');
    let text = String::from_utf8_lossy(&bytes).replace('\0', "");
    let text = text.trim();
    match text.len().checked_sub(LIMIT).map(|cut| text.ceil_char_boundary(cut)) {
        None | Some(0) => text.to_owned(),
        Some(cut) => format!("[…]{}", &text[cut..]),
    }
}
