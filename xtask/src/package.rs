//! `cargo xtask package`: a Debian package and a relocatable archive of the installed tree.
//!
//! The files are reproducible: they depend on the sources and on the compilers only. Times come
//! from `SOURCE_DATE_EPOCH`, or from the last commit; names are sorted; root owns all files.

mod check;
mod notices;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::install;
use crate::process::{self, progress};
use crate::setup::{self, Purpose};
use crate::stage::{copy, link, parent, write};
use crate::workspace::{root, target};

const VERSION: &str = env!("CARGO_PKG_VERSION");
const MAINTAINER: &str = "The Scythe developers <scythe@example.invalid>";

/// The place of the tree on a Debian system. Its name has no version: the SONAME tells which
/// programs a runtime can run, so programs keep their rpath when the package is upgraded.
const PLACE: &str = "usr/lib/scythe";
const CMAKE: &str = "usr/lib/x86_64-linux-gnu/cmake";
const PKG_CONFIG: &str = "usr/lib/x86_64-linux-gnu/pkgconfig";

/// The commands in `/usr/bin`.
const COMMANDS: [&str; 3] = ["scythe", "scythe-tools", "sycl-ls"];

/// The plug-in needs this minor version of clang. The runtime needs glibc of Debian 12.
const DEPENDS: &str = "clang-22 (>= 1:22.1), clang-22 (<< 1:22.2~), libclang-cpp22, libllvm22, \
                       libc6 (>= 2.36), libgcc-s1, libstdc++6";

pub fn run(args: &[String]) -> Result<ExitCode, String> {
    let check = match args {
        [] => false,
        [flag] if flag == "--check" => true,
        _ => {
            let given = args.join(" ");
            return Err(format!("unknown argument '{given}' of 'package'; expected --check"));
        }
    };
    setup::ensure(Purpose::Build)?;
    let folder = target().join("package");
    let tree = folder.join(format!("scythe-{VERSION}-x86_64-linux"));
    install::make_tree(&tree, &folder.join("debug"))?;
    notices::write(&tree.join("share/doc/scythe/third-party-notices.txt"))?;
    install::write_list(&tree)?;
    let time = time()?;
    let archive = archive(&tree, &time)?;
    let package = debian(&tree, &folder, &time)?;
    for made in [&archive, &package] {
        let size = std::fs::metadata(made).map_or(0, |found| found.len());
        println!("{} {:.1} MB", made.display(), size as f64 / 1e6);
    }
    if check {
        check::run(&package)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the time of all files, in seconds since 1970.
fn time() -> Result<String, String> {
    if let Some(given) = std::env::var("SOURCE_DATE_EPOCH").ok().filter(|t| !t.is_empty()) {
        return match given.parse::<u64>() {
            Ok(_) => Ok(given),
            Err(_) => Err(format!("SOURCE_DATE_EPOCH is '{given}', expected a number of seconds")),
        };
    }
    let mut git = Command::new("git");
    git.args(["log", "-1", "--format=%ct"]).current_dir(root());
    match process::output(&mut git) {
        Ok(time) => Ok(time.trim().to_owned()),
        Err(_) => Err("SOURCE_DATE_EPOCH is not set, and there is no commit. Set the variable to \
                       the time of the release in seconds since 1970."
            .to_owned()),
    }
}

/// Packs a tree into an archive beside it.
fn archive(tree: &Path, time: &str) -> Result<PathBuf, String> {
    let name = tree.file_name().unwrap_or_default();
    let folder = tree.parent().unwrap_or(Path::new("."));
    let archive = folder.join(format!("{}.tar.xz", name.to_string_lossy()));
    progress(&format!("packing {}", archive.display()));
    process::run(
        Command::new("tar")
            .args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--format=gnu"])
            .args(["--mode=u+rw,go+r-w,a+X", &format!("--mtime=@{time}"), "--xz", "-cf"])
            .arg(&archive)
            .arg("-C")
            .arg(folder)
            .arg(name)
            .env("XZ_OPT", "-6 -T1"),
    )?;
    Ok(archive)
}

/// Makes the Debian package of a tree.
fn debian(tree: &Path, folder: &Path, time: &str) -> Result<PathBuf, String> {
    let package = folder.join(format!("scythe_{VERSION}_amd64.deb"));
    progress(&format!("packing {}", package.display()));
    let system = folder.join("debian");
    if system.exists() {
        std::fs::remove_dir_all(&system)
            .map_err(|e| format!("cannot empty {}: {e}", system.display()))?;
    }
    lay_out(tree, &system)?;
    documents(&system, time)?;
    let files = install::list(&system)?;
    let mut size = 0;
    for file in &files {
        let path = system.join(file);
        size += std::fs::symlink_metadata(&path).map_or(0, |found| found.len().div_ceil(1024));
    }
    write(&system.join("DEBIAN/control"), control(size).as_bytes())?;
    let mut sums = Command::new("md5sum");
    sums.current_dir(&system).args(files.iter().filter(|f| !system.join(f).is_symlink()));
    write(&system.join("DEBIAN/md5sums"), process::output(&mut sums)?.as_bytes())?;
    process::run(Command::new("chmod").args(["-R", "u+rwX,go+rX,go-w"]).arg(&system))?;
    process::run(
        Command::new("dpkg-deb")
            .args(["--root-owner-group", "-Zxz", "--build"])
            .args([&system, &package])
            .env("SOURCE_DATE_EPOCH", time)
            .stdout(std::process::Stdio::null()),
    )?;
    Ok(package)
}

/// Places the files of a tree in the folders of a Debian system.
fn lay_out(tree: &Path, system: &Path) -> Result<(), String> {
    for file in install::list(tree)? {
        let name = file.to_string_lossy();
        // dpkg has the list of files, and the pkg-config file names its prefix by its own place.
        if name == install::LIST || name.starts_with("lib/pkgconfig/") || name.ends_with("/LICENSE")
        {
            continue;
        }
        let to = match file.strip_prefix("share") {
            Ok(shared) => PathBuf::from("usr/share").join(
                shared.to_string_lossy().replace("zsh/site-functions", "zsh/vendor-completions"),
            ),
            Err(_) => Path::new(PLACE).join(&file),
        };
        match std::fs::read_link(tree.join(&file)) {
            Ok(name) => {
                parent(&system.join(&to))?;
                link(&name.to_string_lossy(), &system.join(&to))?;
            }
            Err(_) => drop(copy(&tree.join(&file), &system.join(&to))?),
        }
    }
    parent(&system.join("usr/bin/scythe"))?;
    for name in COMMANDS {
        link(&format!("../lib/scythe/bin/{name}"), &system.join("usr/bin").join(name))?;
    }
    parent(&system.join(CMAKE).join("Scythe"))?;
    for name in ["Scythe", "IntelSYCL", "SYCL", "AdaptiveCpp"] {
        link(&format!("../../scythe/lib/cmake/{name}"), &system.join(CMAKE).join(name))?;
    }
    let from = tree.join("lib/pkgconfig/scythe.pc");
    let text = std::fs::read_to_string(&from)
        .map_err(|e| format!("cannot read {}: {e}", from.display()))?;
    let text = text.replace("${pcfiledir}/../..", &format!("/{PLACE}"));
    write(&system.join(PKG_CONFIG).join("scythe.pc"), text.as_bytes())
}

/// Adds the documents that Debian requires, and compresses the manual.
fn documents(system: &Path, time: &str) -> Result<(), String> {
    let doc = system.join("usr/share/doc/scythe");
    let licence = root().join("LICENSE");
    let licence = std::fs::read_to_string(&licence)
        .map_err(|e| format!("cannot read {}: {e}", licence.display()))?;
    let indented: String = licence
        .lines()
        .map(|l| if l.trim().is_empty() { " .\n".to_owned() } else { format!(" {l}\n") })
        .collect();
    let copyright = format!(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\
         Upstream-Name: Scythe\nComment:\n The programs and libraries contain Rust libraries of \
         other authors.\n /usr/share/doc/scythe/third-party-notices.txt.gz contains their \
         licences.\n\nFiles: *\nCopyright: The Scythe developers\n\
         License: Apache-2.0 WITH LLVM-exception\n{indented}"
    );
    write(&doc.join("copyright"), copyright.as_bytes())?;
    write(&doc.join("changelog"), changelog(time)?.as_bytes())?;
    let packed = [
        doc.join("changelog"),
        doc.join("third-party-notices.txt"),
        system.join("usr/share/man/man1/scythe.1"),
    ];
    process::run(Command::new("gzip").arg("-9nf").args(packed))
}

/// Makes Debian's change log from the newest section of `CHANGELOG.md`.
fn changelog(time: &str) -> Result<String, String> {
    let path = root().join("CHANGELOG.md");
    let text = std::fs::read_to_string(&path)
        .map_err(|e| format!("cannot read {}: {e}", path.display()))?;
    let section = newest(&text);
    if !section.starts_with(VERSION) {
        let first = section.lines().next().unwrap_or_default();
        return Err(format!(
            "the newest section of {} is '{first}', expected {VERSION}",
            path.display()
        ));
    }
    let mut date = Command::new("date");
    date.args(["-u", "-R", "-d", &format!("@{time}")]).env("LC_ALL", "C");
    let date = process::output(&mut date)?;
    let lines = section.lines().skip(1).filter(|l| !l.trim().is_empty());
    let lines: String = lines
        .map(|l| match l.strip_prefix("- ") {
            Some(item) => format!("  * {item}\n"),
            None => format!("    {}\n", l.trim()),
        })
        .collect();
    Ok(format!(
        "scythe ({VERSION}) unstable; urgency=medium\n\n{lines}\n -- {MAINTAINER}  {}\n",
        date.trim()
    ))
}

/// Returns the newest section of release notes, which starts with the version.
fn newest(text: &str) -> &str {
    let section = text.split("\n## ").nth(1).unwrap_or_default();
    section.trim_end()
}

/// Returns the control file of a package that has `size` KiB.
fn control(size: u64) -> String {
    format!(
        "Package: scythe\nVersion: {VERSION}\nArchitecture: amd64\nSection: devel\nPriority: \
         optional\nMaintainer: {MAINTAINER}\nInstalled-Size: {size}\nDepends: {DEPENDS}\n\
         Recommends: lld-22\nSuggests: clangd-22, libclc-22, intel-opencl-icd\n\
         Description: SYCL 2020 compiler and runtime\n Scythe compiles SYCL 2020 programs with \
         clang 22: host code and kernels in one\n command. Kernels run on the CPU, on OpenCL \
         devices and on NVIDIA GPUs.\n .\n CMake projects for DPC++ and AdaptiveCpp find Scythe by \
         the names of their packages.\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_release_notes_start_with_this_version() {
        let made = changelog("0").expect("the file is in the checkout");
        assert!(made.starts_with(&format!("scythe ({VERSION}) unstable;")), "{made}");
        assert!(made.contains("\n  * ") && made.ends_with("Thu, 01 Jan 1970 00:00:00 +0000\n"));
        assert_eq!(newest("# Notes\n\n## 2\n\n- b\n\n## 1\n"), "2\n\n- b");
    }

    #[test]
    fn fields_of_the_control_file_have_one_line() {
        let made = control(7);
        assert!(made.contains("\nInstalled-Size: 7\nDepends: clang-22 (>= 1:22.1), "), "{made}");
        assert!(made.lines().all(|l| l.starts_with(' ') || l.contains(": ")), "{made}");
    }
}
