//! Builds Scythe and lays it out as an installed tree. `stage` does so below the target folder.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::install;
use crate::manual;
use crate::process::{self, progress};
use crate::setup::{self, Purpose};
use crate::workspace::{cargo, files, root, target};

/// The profile of the Rust parts. Tests use the profile that `cargo test` builds anyway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    Dev,
    Release,
    /// Smaller files, which take longer to build.
    Dist,
}

impl Profile {
    /// Returns cargo's output folder for the profile.
    fn folder(self) -> PathBuf {
        target().join(match self {
            Profile::Dev => "debug",
            Profile::Release => "release",
            Profile::Dist => "dist",
        })
    }
}

const PACKAGES: [&str; 5] =
    ["scythe-driver", "scythe-tools", "scythe-frontend", "scythe-codegen", "scythe-runtime"];

/// The names in cargo's output folder, and the paths in the tree.
pub const PARTS: [(&str, &str); 5] = [
    ("scythe", "bin/scythe"),
    ("scythe-tools", "bin/scythe-tools"),
    ("libscythe.so", concat!("lib/libscythe.so.", env!("CARGO_PKG_VERSION"))),
    ("libscythe_codegen.so", "lib/libscythe-jit.so"),
    ("libscythe_frontend.so", "lib/scythe/libscythe_frontend.so"),
];

/// The library with functions of the SYCL headers, beside `libscythe.so`.
const HEADER_LIBRARY: &str = "libscythe-headers.a";

pub fn stage_command(args: &[String]) -> Result<ExitCode, String> {
    let profile = match args {
        [] => Profile::Release,
        [flag] if flag == "--dev" => Profile::Dev,
        _ => {
            return Err(format!(
                "unknown argument '{}' of 'stage'; expected --dev",
                args.join(" ")
            ));
        }
    };
    setup::ensure(Purpose::Build)?;
    println!("{}", stage(profile)?.display());
    Ok(ExitCode::SUCCESS)
}

/// Removes `flag DIR` from the arguments. Returns the other arguments and the installed tree in
/// DIR.
pub fn take_installed(
    args: &[String],
    flag: &str,
) -> Result<(Vec<String>, Option<PathBuf>), String> {
    let Some(at) = args.iter().position(|arg| arg == flag) else {
        return Ok((args.to_vec(), None));
    };
    let Some(folder) = args.get(at + 1) else {
        return Err(format!("'{flag}' needs the folder of an installed Scythe"));
    };
    let prefix = std::path::absolute(folder).map_err(|e| format!("'{flag} {folder}': {e}"))?;
    if !prefix.join("bin/scythe").is_file() {
        return Err(format!("'{flag} {folder}': expected 'bin/scythe' there"));
    }
    let rest = args[..at].iter().chain(&args[at + 2..]).cloned().collect();
    Ok((rest, Some(prefix)))
}

/// Returns the tree that the user has named, or builds one.
pub fn given_or_staged(given: Option<PathBuf>, profile: Profile) -> Result<PathBuf, String> {
    given.map_or_else(|| stage(profile), Ok)
}

/// Builds Scythe and installs it below the target folder. Returns the tree.
pub fn stage(profile: Profile) -> Result<PathBuf, String> {
    build(profile)?;
    let prefix = target().join(if profile == Profile::Dev { "scythe-dev" } else { "scythe" });
    install(profile, &prefix)?;
    Ok(prefix)
}

pub fn build(profile: Profile) -> Result<(), String> {
    progress("building Scythe");
    let mut command = cargo();
    command.arg("build").args(PACKAGES.iter().flat_map(|p| ["-p", *p]));
    match profile {
        Profile::Dev => {}
        Profile::Release => _ = command.arg("--release"),
        Profile::Dist => _ = command.args(["--profile", "dist"]),
    }
    process::run(&mut command)
}

/// Copies all parts of a build to `prefix`.
pub fn install(profile: Profile, prefix: &Path) -> Result<(), String> {
    let built = profile.folder();
    let mut changed = false;
    for (from, to) in PARTS {
        changed |= copy(&built.join(from), &prefix.join(to))?;
    }
    if changed {
        // Compiler caches detect a new compiler by the driver's modification time.
        let driver = prefix.join("bin/scythe");
        let touched =
            std::fs::File::open(&driver).and_then(|f| f.set_modified(std::time::SystemTime::now()));
        touched.map_err(|e| format!("cannot touch {}: {e}", driver.display()))?;
    }
    link_tools(prefix)?;
    link_library(prefix)?;
    device_library(prefix)?;
    build_systems(prefix)?;
    for folder in ["include/sycl", "include/syclcompat", "include/CL"] {
        mirror(&root().join(folder), &prefix.join(folder))?;
    }
    let compat = "include/syclcompat.hpp";
    copy(&root().join(compat), &prefix.join(compat))?;
    header_library(prefix, changed)?;
    device_configuration(prefix)?;
    manual::install(prefix)?;
    documents(&prefix.join("share/doc/scythe"))
}

/// Installs the documents and the files that they link, so that no link leads out of the tree.
fn documents(doc: &Path) -> Result<(), String> {
    for name in [
        "README.md",
        "ARCHITECTURE.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "LICENSE",
        "packaging/Containerfile",
        "crates/device-config/td/DeviceConfig.td",
        "crates/device-config/td/llvm/TableGen/DynamicTable.td",
    ] {
        copy(&root().join(name), &doc.join(name))?;
    }
    mirror(&root().join("docs"), &doc.join("docs"))?;
    let examples = root().join("examples");
    for file in install::list(&examples)? {
        copy(&examples.join(&file), &doc.join("examples").join(&file))?;
    }
    Ok(())
}

/// Links the names of all tools to the multi-call binary.
fn link_tools(prefix: &Path) -> Result<(), String> {
    let bin = prefix.join("bin");
    let help = process::output(Command::new(bin.join("scythe-tools")).arg("--help"))?;
    // Its help lists one tool per line: two blanks, the name and a description.
    for name in help.lines().filter_map(|l| l.strip_prefix("  ")?.split_whitespace().next()) {
        link("scythe-tools", &bin.join(name))?;
    }
    Ok(())
}

/// Links the names of the runtime library: its SONAME, the name for `-lscythe`, and the name for
/// `-lsycl`, with which projects for DPC++ link. The name for `-lscythe` is a linker script that
/// also links the library of the headers. Linkers look for its files in its folder.
fn link_library(prefix: &Path) -> Result<(), String> {
    let lib = prefix.join("lib");
    let soname = concat!("libscythe.so.", env!("CARGO_PKG_VERSION_MAJOR"));
    link(concat!("libscythe.so.", env!("CARGO_PKG_VERSION")), &lib.join(soname))?;
    let script = format!("/* GNU ld script */\nINPUT({HEADER_LIBRARY} {soname})\n");
    let name = lib.join("libscythe.so");
    if name.is_symlink() {
        std::fs::remove_file(&name)
            .map_err(|e| format!("cannot replace {}: {e}", name.display()))?;
    }
    write(&name, script.as_bytes())?;
    link("libscythe.so", &lib.join("libsycl.so"))
}

/// Installs the device configuration for C++: the header, and the table that it includes.
fn device_configuration(prefix: &Path) -> Result<(), String> {
    let (header, table) = ("DeviceConfigFile.hpp", "device_config_file.inc");
    let folder = prefix.join("include/scythe");
    copy(&root().join("crates/device-config/include").join(header), &folder.join(header))?;
    let mut tool = Command::new(prefix.join("bin/scythe-tools"));
    let text =
        process::output(tool.args(["dynamic-tblgen", "-gen-dynamic-tables", "DeviceConfig.td"]))?;
    write(&folder.join(table), text.as_bytes())
}

/// Makes `name` a link to `target` in the same folder.
pub fn link(target: &str, name: &Path) -> Result<(), String> {
    if std::fs::read_link(name).is_ok_and(|to| to == Path::new(target)) {
        return Ok(());
    }
    let _ = std::fs::remove_file(name);
    std::os::unix::fs::symlink(target, name)
        .map_err(|e| format!("cannot link {}: {e}", name.display()))
}

/// A CMake package by the name of another implementation's.
struct DropIn {
    name: &'static str,
    /// The version of the interface that the package provides.
    interface: &'static str,
    origin: &'static str,
}

const DROP_INS: [DropIn; 3] = [
    DropIn { name: "IntelSYCL", interface: "202012", origin: "DPC++" },
    DropIn { name: "SYCL", interface: "2020", origin: "SYCL" },
    DropIn { name: "AdaptiveCpp", interface: "25.02.0", origin: "AdaptiveCpp" },
];

/// Installs the files by which CMake, pkg-config and editors find the tree. Files that end with
/// `.in` contain fields for the version.
fn build_systems(prefix: &Path) -> Result<(), String> {
    let packages = prefix.join("lib/cmake");
    for name in ["ScytheConfig.cmake", "ScytheDropIn.cmake", "scythe-launch"] {
        copy(&root().join("cmake").join(name), &packages.join("Scythe").join(name))?;
    }
    copy(&root().join("cmake/clang.cfg"), &prefix.join("bin/clang.cfg"))?;
    let version = [("@VERSION@", env!("CARGO_PKG_VERSION"))];
    for (name, to) in [
        ("ScytheConfigVersion.cmake.in", "lib/cmake/Scythe/ScytheConfigVersion.cmake"),
        ("scythe.pc.in", "lib/pkgconfig/scythe.pc"),
    ] {
        fill(&root().join("cmake").join(name), &version, &prefix.join(to))?;
    }
    let sources = root().join("cmake/dropin");
    for DropIn { name, interface, origin } in DROP_INS {
        let config = format!("{name}Config.cmake");
        copy(&sources.join(&config), &packages.join(name).join(&config))?;
        let fields = [("@NAME@", name), ("@INTERFACE@", interface), ("@ORIGIN@", origin)];
        let to = packages.join(name).join(format!("{name}ConfigVersion.cmake"));
        fill(&sources.join("Version.cmake.in"), &fields, &to)?;
    }
    Ok(())
}

/// Writes the text of `from` to `to`, with values in the place of fields.
fn fill(from: &Path, fields: &[(&str, &str)], to: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(from)
        .map_err(|e| format!("cannot read {}: {e}", from.display()))?;
    let filled = fields.iter().fold(text, |text, (field, value)| text.replace(field, value));
    write(to, filled.as_bytes())
}

/// A file of the device library: its name, its source, and additional compiler arguments.
struct DeviceLibrary {
    name: &'static str,
    source: &'static str,
    args: &'static [&'static str],
}

/// Arguments for NVIDIA GPUs. The code queries the architecture when kernels are compiled, so this
/// one does not matter.
const NVPTX: &[&str] = &[
    "--offload-arch=sm_70",
    "-nocudalib",
    "-nocudainc",
    "-Xclang",
    "-target-feature",
    "-Xclang",
    "+ptx83",
    "-mllvm",
    "-nvvm-reflect-enable=0",
];

const DEVICE_LIBRARIES: [DeviceLibrary; 4] = [
    DeviceLibrary { name: "cpu", source: "cpu/devicelib.cpp", args: &[] },
    DeviceLibrary { name: "spirv", source: "spirv/devicelib.cpp", args: &[] },
    DeviceLibrary { name: "nvptx", source: "nvptx/devicelib.cpp", args: NVPTX },
    DeviceLibrary { name: "nvptx-maths", source: "nvptx/own_maths.cpp", args: NVPTX },
];

/// Compiles each target's device library to bitcode, unless the bitcode is newer than all sources.
fn device_library(prefix: &Path) -> Result<(), String> {
    let mut sources = files(&root().join("device-lib"), &["cpp", "hpp"])?;
    sources.push(root().join("include/sycl/detail/builtins_names.hpp"));
    let newest = sources.iter().filter_map(|f| modified(f)).max();
    for library in &DEVICE_LIBRARIES {
        let output = prefix.join(format!("lib/scythe/devicelib/devicelib-{}.bc", library.name));
        if modified(&output).is_some_and(|made| newest.is_some_and(|n| made > n)) {
            continue;
        }
        progress(&format!("compiling the device library for {}", library.name));
        parent(&output)?;
        let waiting = output.with_extension("tmp");
        let source = Path::new(library.source);
        process::run(
            Command::new("clang++-22")
                .args([
                    "-fsycl",
                    "-fsycl-device-only",
                    "-std=c++17",
                    "-O2",
                    "-nostdinc",
                    "-fno-math-errno",
                ])
                .args(["-ffp-contract=off", "-emit-llvm", "-c"])
                .args(library.args)
                .arg(source.file_name().unwrap_or_default())
                .arg("-o")
                .arg(
                    std::path::absolute(&waiting)
                        .map_err(|e| format!("{}: {e}", waiting.display()))?,
                )
                // A relative path keeps the checkout's location out of the output.
                .current_dir(
                    root().join("device-lib").join(source.parent().unwrap_or(Path::new("."))),
                ),
        )?;
        rename(&waiting, &output)?;
    }
    Ok(())
}

/// Compiles the library of the SYCL headers, unless it is newer than the headers and `changed`,
/// which tells whether the compiler is new, is false.
fn header_library(prefix: &Path, changed: bool) -> Result<(), String> {
    let source = root().join("host-lib/headers.cpp");
    let mut sources = files(&root().join("include"), &["h", "hpp", "def", "inc"])?;
    sources.push(source.clone());
    let newest = sources.iter().filter_map(|f| modified(f)).max();
    let library = prefix.join("lib").join(HEADER_LIBRARY);
    if !changed && modified(&library).is_some_and(|made| newest.is_some_and(|n| made > n)) {
        return Ok(());
    }
    progress("compiling the library of the SYCL headers");
    let object = library.with_extension("o");
    let waiting = library.with_extension("tmp");
    let compile = ["-fsycl", "-std=c++17", "-O2", "-fPIC", "-ffunction-sections", "-c"];
    process::run(
        Command::new(prefix.join("bin/scythe"))
            .args(compile)
            .args(["-fno-sycl-header-cache", "-D__SCYTHE_HEADER_LIBRARY__"])
            // Otherwise clang leaves out the complete constructors and destructors, which programs
            // call.
            .args(["-Xclang", "-mno-constructor-aliases"])
            .arg(source)
            .arg("-o")
            .arg(&object),
    )?;
    let _ = std::fs::remove_file(&waiting);
    process::run(Command::new("ar").arg("rcsD").arg(&waiting).arg(&object))?;
    std::fs::remove_file(&object)
        .map_err(|e| format!("cannot remove {}: {e}", object.display()))?;
    rename(&waiting, &library)
}

fn modified(path: &Path) -> Option<std::time::SystemTime> {
    std::fs::metadata(path).and_then(|m| m.modified()).ok()
}

/// Makes `to` contain the files of `from` and no others.
fn mirror(from: &Path, to: &Path) -> Result<(), String> {
    let all = &["h", "hpp", "def", "inc", "md", "png"];
    let relative = |base: &Path| -> Result<Vec<PathBuf>, String> {
        Ok(files(base, all)?
            .iter()
            .filter_map(|f| f.strip_prefix(base).ok().map(Path::to_owned))
            .collect())
    };
    let wanted = relative(from)?;
    for stale in relative(to)?.iter().filter(|f| !wanted.contains(f)) {
        let path = to.join(stale);
        std::fs::remove_file(&path)
            .map_err(|e| format!("cannot remove {}: {e}", path.display()))?;
    }
    wanted.iter().try_for_each(|f| copy(&from.join(f), &to.join(f)).map(drop))
}

/// Copies a file unless the target has the same contents. Returns whether it copied the file. The
/// target is replaced, not overwritten, so programs that use the old file keep it.
pub fn copy(from: &Path, to: &Path) -> Result<bool, String> {
    let fail =
        |e: std::io::Error| format!("cannot copy {} to {}: {e}", from.display(), to.display());
    let bytes = std::fs::read(from).map_err(fail)?;
    if std::fs::read(to).is_ok_and(|old| old == bytes) {
        return Ok(false);
    }
    parent(to)?;
    let name = to.file_name().unwrap_or_default().to_string_lossy();
    let waiting = to.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
    std::fs::copy(from, &waiting).map_err(fail)?;
    rename(&waiting, to)?;
    Ok(true)
}

/// Writes a file unless it has the same contents.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    if std::fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    parent(path)?;
    std::fs::write(path, bytes).map_err(|e| format!("cannot write {}: {e}", path.display()))
}

pub fn parent(path: &Path) -> Result<(), String> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(|e| format!("cannot create {}: {e}", folder.display()))
}

fn rename(from: &Path, to: &Path) -> Result<(), String> {
    std::fs::rename(from, to).map_err(|e| format!("cannot write {}: {e}", to.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::Scratch;

    /// The files that a Markdown text links.
    fn links(text: &str) -> Vec<&str> {
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        let files = targets.filter_map(|target| target.split('#').next());
        files.filter(|f| !f.is_empty() && !f.contains([' ', ':'])).collect()
    }

    #[test]
    fn installed_documents_link_installed_files() {
        let scratch = Scratch::new("documents").expect("a folder");
        documents(scratch.path()).expect("the documents are in the checkout");
        let texts = files(scratch.path(), &["md"]).expect("a folder");
        assert!(texts.len() > 10);
        for path in texts {
            let text = std::fs::read_to_string(&path).expect("a text");
            for link in links(&text) {
                let target = path.parent().expect("a folder").join(link);
                assert!(target.exists(), "{} links {link}", path.display());
            }
        }
        assert_eq!(links("[a](b.md#c), [d](https://e), [](f g)"), ["b.md"]);
    }
}
