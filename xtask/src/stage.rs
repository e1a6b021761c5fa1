//! Builds Scythe and lays it out as an installed tree. `stage` does so below the target folder,
//! `install` anywhere.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::process::{self, progress};
use crate::setup::{self, Purpose};
use crate::workspace::{cargo, files, root, target};

/// How the Rust parts are compiled. Tests use the profile that `cargo test` builds anyway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    Dev,
    Release,
}

const PACKAGES: [&str; 5] =
    ["scythe-driver", "scythe-tools", "scythe-frontend", "scythe-codegen", "scythe-runtime"];

/// Name in cargo's output folder → place in the tree.
const PARTS: [(&str, &str); 5] = [
    ("scythe", "bin/scythe"),
    ("scythe-tools", "bin/scythe-tools"),
    ("libscythe.so", "lib/libscythe.so"),
    ("libscythe_codegen.so", "lib/libscythe-jit.so"),
    ("libscythe_frontend.so", "lib/scythe/libscythe_frontend.so"),
];

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

pub fn install_command(args: &[String]) -> Result<ExitCode, String> {
    let prefix = match args {
        [flag, dir] if flag == "--prefix" => PathBuf::from(dir),
        [one] => match one.strip_prefix("--prefix=") {
            Some(dir) => PathBuf::from(dir),
            None => {
                return Err(format!(
                    "unknown argument '{one}' of 'install'; expected --prefix DIR"
                ));
            }
        },
        _ => return Err("'install' needs --prefix DIR".to_owned()),
    };
    setup::ensure(Purpose::Build)?;
    build(Profile::Release)?;
    install(Profile::Release, &prefix)?;
    progress(&format!("installed: {}/bin/scythe -fsycl app.cpp -o app", prefix.display()));
    Ok(ExitCode::SUCCESS)
}

/// Builds, installs below the target folder, and returns that tree.
pub fn stage(profile: Profile) -> Result<PathBuf, String> {
    build(profile)?;
    let prefix = target().join(if profile == Profile::Dev { "scythe-dev" } else { "scythe" });
    install(profile, &prefix)?;
    Ok(prefix)
}

fn build(profile: Profile) -> Result<(), String> {
    progress("building Scythe");
    let mut command = cargo();
    command.arg("build").args(PACKAGES.iter().flat_map(|p| ["-p", *p]));
    if profile == Profile::Release {
        command.arg("--release");
    }
    process::run(&mut command)
}

/// Copies all parts of a build to `prefix`.
pub fn install(profile: Profile, prefix: &Path) -> Result<(), String> {
    let built = target().join(if profile == Profile::Dev { "debug" } else { "release" });
    let mut changed = false;
    for (from, to) in PARTS {
        changed |= copy(&built.join(from), &prefix.join(to))?;
    }
    if changed {
        // Compiler caches look at the driver's time to see that they have another compiler before
        // them.
        let driver = prefix.join("bin/scythe");
        let touched =
            std::fs::File::open(&driver).and_then(|f| f.set_modified(std::time::SystemTime::now()));
        touched.map_err(|e| format!("cannot touch {}: {e}", driver.display()))?;
    }
    link_tools(prefix)?;
    device_library(prefix)?;
    build_systems(prefix)?;
    for folder in ["include/sycl", "include/CL"] {
        mirror(&root().join(folder), &prefix.join(folder))?;
    }
    device_configuration(prefix)?;
    let doc = prefix.join("share/doc/scythe");
    for name in ["README.md", "LICENSE"] {
        copy(&root().join(name), &doc.join(name))?;
    }
    mirror(&root().join("docs"), &doc.join("docs"))
}

/// The multi-call binary answers to its tools' own names.
fn link_tools(prefix: &Path) -> Result<(), String> {
    let bin = prefix.join("bin");
    let help = process::output(Command::new(bin.join("scythe-tools")).arg("--help"))?;
    // Its help lists one tool per line: two blanks, the name, and what it does.
    for name in help.lines().filter_map(|l| l.strip_prefix("  ")?.split_whitespace().next()) {
        link("scythe-tools", &bin.join(name))?;
    }
    Ok(())
}

/// The device configuration for C++: the header, and the table that it includes.
fn device_configuration(prefix: &Path) -> Result<(), String> {
    let (header, table) = ("DeviceConfigFile.hpp", "device_config_file.inc");
    let folder = prefix.join("include/scythe");
    copy(&root().join("crates/device-config/include").join(header), &folder.join(header))?;
    let mut tool = Command::new(prefix.join("bin/scythe-tools"));
    let text =
        process::output(tool.args(["dynamic-tblgen", "-gen-dynamic-tables", "DeviceConfig.td"]))?;
    write(&folder.join(table), text.as_bytes())
}

/// Makes `name` a link to `target`, beside it.
fn link(target: &str, name: &Path) -> Result<(), String> {
    if std::fs::read_link(name).is_ok_and(|to| to == Path::new(target)) {
        return Ok(());
    }
    let _ = std::fs::remove_file(name);
    std::os::unix::fs::symlink(target, name)
        .map_err(|e| format!("cannot link {}: {e}", name.display()))
}

/// The files by which CMake and pkg-config find the tree. Those that end with `.in` hold the
/// version.
fn build_systems(prefix: &Path) -> Result<(), String> {
    let package = prefix.join("lib/cmake/Scythe");
    for name in ["ScytheConfig.cmake", "scythe-launch"] {
        copy(&root().join("cmake").join(name), &package.join(name))?;
    }
    for (name, to) in [
        ("ScytheConfigVersion.cmake.in", "lib/cmake/Scythe/ScytheConfigVersion.cmake"),
        ("scythe.pc.in", "lib/pkgconfig/scythe.pc"),
    ] {
        let from = root().join("cmake").join(name);
        let text = std::fs::read_to_string(&from)
            .map_err(|e| format!("cannot read {}: {e}", from.display()))?;
        write(&prefix.join(to), text.replace("@VERSION@", env!("CARGO_PKG_VERSION")).as_bytes())?;
    }
    Ok(())
}

/// A file of the device library: its name, its source, and what the compiler is told besides.
struct DeviceLibrary {
    name: &'static str,
    source: &'static str,
    args: &'static [&'static str],
}

/// For NVIDIA GPUs, code asks for the architecture when kernels are compiled, and not here.
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

/// Compiles each target's device library to bitcode, unless it is newer than all sources.
fn device_library(prefix: &Path) -> Result<(), String> {
    let newest = files(&root().join("device-lib"), &["cpp", "hpp"])?
        .iter()
        .filter_map(|f| modified(f))
        .max();
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
                // Relative, so that the checkout's place does not reach the output.
                .current_dir(
                    root().join("device-lib").join(source.parent().unwrap_or(Path::new("."))),
                ),
        )?;
        rename(&waiting, &output)?;
    }
    Ok(())
}

fn modified(path: &Path) -> Option<std::time::SystemTime> {
    std::fs::metadata(path).and_then(|m| m.modified()).ok()
}

/// Makes `to` hold the files of `from` and no others.
fn mirror(from: &Path, to: &Path) -> Result<(), String> {
    let all = &["h", "hpp", "def", "inc", "md"];
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

/// Copies a file unless the target has the same contents; tells whether it did. The target is
/// replaced, not overwritten: programs that use the old one keep it.
fn copy(from: &Path, to: &Path) -> Result<bool, String> {
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
fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    if std::fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    parent(path)?;
    std::fs::write(path, bytes).map_err(|e| format!("cannot write {}: {e}", path.display()))
}

fn parent(path: &Path) -> Result<(), String> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(|e| format!("cannot create {}: {e}", folder.display()))
}

fn rename(from: &Path, to: &Path) -> Result<(), String> {
    std::fs::rename(from, to).map_err(|e| format!("cannot write {}: {e}", to.display()))
}
