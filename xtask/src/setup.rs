//! The Debian packages for building and testing: finds missing packages and installs them.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::process::{self, progress};

/// The purpose of the machine. Each purpose includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Purpose {
    Build,
    Test,
    Bench,
}

struct Package {
    name: &'static str,
    /// A file that exists if the package is installed.
    file: &'static str,
    purpose: Purpose,
}

const fn package(name: &'static str, file: &'static str, purpose: Purpose) -> Package {
    Package { name, file, purpose }
}

const PACKAGES: &[Package] = &[
    package("g++", "/usr/bin/g++", Purpose::Build),
    package("clang-22", "/usr/bin/clang++-22", Purpose::Build),
    package("lld-22", "/usr/bin/ld.lld-22", Purpose::Build),
    package("llvm-22-dev", "/usr/lib/llvm-22/include/llvm-c/Core.h", Purpose::Build),
    package("libclang-22-dev", "/usr/lib/llvm-22/include/clang/AST/ASTContext.h", Purpose::Build),
    package("xz-utils", "/usr/bin/xz", Purpose::Build),
    package("llvm-22-tools", "/usr/bin/FileCheck-22", Purpose::Test),
    package("clang-tools-22", "/usr/bin/clang-offload-bundler-22", Purpose::Test),
    package("clang-format-22", "/usr/bin/clang-format-22", Purpose::Test),
    package("spirv-tools", "/usr/bin/spirv-val", Purpose::Test),
    package("intel-opencl-icd", "/usr/bin/ocloc", Purpose::Test),
    package("gdb", "/usr/bin/gdb", Purpose::Test),
    package("valgrind", "/usr/bin/valgrind", Purpose::Test),
    package(
        "libclang-rt-22-dev",
        "/usr/lib/llvm-22/lib/clang/22/lib/linux/libclang_rt.asan-x86_64.a",
        Purpose::Test,
    ),
    package("libc6-dbg", "/usr/lib/debug/.build-id", Purpose::Test),
    package("libclc-22", "/usr/lib/clc/nvptx64--nvidiacl.bc", Purpose::Test),
    package("libmpfr-dev", "/usr/include/mpfr.h", Purpose::Test),
    package("pkg-config", "/usr/bin/pkg-config", Purpose::Test),
    package("cmake", "/usr/bin/cmake", Purpose::Test),
    package("ninja-build", "/usr/bin/ninja", Purpose::Test),
    package("make", "/usr/bin/make", Purpose::Test),
    package("meson", "/usr/bin/meson", Purpose::Test),
    package("ccache", "/usr/bin/ccache", Purpose::Test),
    package("sccache", "/usr/bin/sccache", Purpose::Test),
    package("distcc", "/usr/bin/distccd", Purpose::Test),
    package("clangd-22", "/usr/bin/clangd-22", Purpose::Test),
    package("libopenmpi-dev", "/usr/bin/mpicxx", Purpose::Test),
    package("openmpi-bin", "/usr/bin/mpirun", Purpose::Test),
    package("libomp-22-dev", "/usr/lib/llvm-22/lib/libomp.so", Purpose::Bench),
    package("ocl-icd-opencl-dev", "/usr/lib/x86_64-linux-gnu/libOpenCL.so", Purpose::Bench),
];

/// Ensures that all packages for `purpose` are installed. Installs missing packages if permitted,
/// otherwise reports how to install them.
pub fn ensure(purpose: Purpose) -> Result<(), String> {
    let wanted = PACKAGES.iter().filter(|package| package.purpose <= purpose);
    ensure_packages(&wanted.map(|package| (package.name, package.file)).collect::<Vec<_>>())
}

/// The same for packages that only one command needs. Each has a file that exists if the package is
/// installed.
pub fn ensure_packages(packages: &[(&'static str, &str)]) -> Result<(), String> {
    let missing = missing(packages);
    if missing.is_empty() {
        return Ok(());
    }
    let names = missing.join(" ");
    let by_hand = format!("apt-get update && apt-get install --no-install-recommends {names}");
    if !Path::new("/usr/bin/apt-get").exists() {
        return Err(format!(
            "these Debian packages are missing, and apt-get is not available: {names}"
        ));
    }
    let Some(prefix) = privilege() else {
        return Err(format!(
            "Debian packages are missing. Run this line as root, then try again:\n\n  {by_hand}\n"
        ));
    };
    if !all_known(&missing) {
        update(&prefix)?;
    }
    progress(&format!("installing {names}"));
    if install(&prefix, &missing).is_err() {
        // The package lists are older than the archive.
        update(&prefix)?;
        install(&prefix, &missing)?;
    }
    let still = self::missing(packages);
    if still.is_empty() {
        return Ok(());
    }
    Err(format!("apt-get succeeded, but these packages are still missing: {}", still.join(" ")))
}

fn missing(packages: &[(&'static str, &str)]) -> Vec<&'static str> {
    packages.iter().filter(|(_, file)| !Path::new(file).exists()).map(|(name, _)| *name).collect()
}

/// Returns the prefix of a command that only root may run, or `None` if this user may not run it.
fn privilege() -> Option<Vec<&'static str>> {
    let id = Command::new("id").arg("-u").output().ok()?;
    if id.stdout.trim_ascii() == b"0" {
        return Some(Vec::new());
    }
    let sudo = Command::new("sudo")
        .args(["-n", "true"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    sudo.is_ok_and(|s| s.success()).then(|| vec!["sudo", "-n"])
}

/// Returns whether the package lists contain all of `names`. A fresh machine has no lists.
fn all_known(names: &[&str]) -> bool {
    let known = |name: &&str| {
        Command::new("apt-cache")
            .args(["show", name])
            .output()
            .is_ok_and(|o| o.status.success() && !o.stdout.is_empty())
    };
    names.iter().all(known)
}

fn update(prefix: &[&str]) -> Result<(), String> {
    progress("updating package lists");
    process::run(apt(prefix).args(["update", "-qq"]))
}

fn apt(prefix: &[&str]) -> Command {
    let words: Vec<&str> = prefix
        .iter()
        .copied()
        .chain(["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"])
        .collect();
    let mut command = Command::new(words[0]);
    command.args(&words[1..]);
    command
}

/// Installs packages. Hides apt's standard output, but shows its errors.
fn install(prefix: &[&str], names: &[&str]) -> Result<(), String> {
    let mut command = apt(prefix);
    command
        .args(["install", "-y", "-qq", "--no-install-recommends"])
        .args(names)
        .stdout(Stdio::null());
    process::run(&mut command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn purposes_include_each_other() {
        assert!(Purpose::Build < Purpose::Test && Purpose::Test < Purpose::Bench);
    }

    #[test]
    fn no_package_stands_twice() {
        for (i, a) in PACKAGES.iter().enumerate() {
            assert!(PACKAGES[..i].iter().all(|b| a.name != b.name), "{}", a.name);
        }
    }
}
