//! A checkout of the suite, configured for Scythe by its own CMake files. The checkout itself is
//! not changed.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::commands::{self, Unit};
use crate::process::{self, progress};
use crate::workspace::root;

/// A file in the build folder with the information for [`Suite::configured`]: the version, then the
/// categories, one per line.
const FACTS: &str = "scythe-suite.txt";

/// Libraries that every test program is linked with.
const LIBRARIES: [&str; 4] = ["util", "oclmath", "Catch2", "main_function_object"];

pub struct Suite {
    /// The commit of the suite, or a text in its place.
    pub version: String,
    /// All folders with tests, sorted.
    pub categories: Vec<String>,
    pub units: Vec<Unit>,
    /// CMake's build folder.
    pub build: PathBuf,
}

impl Suite {
    /// Configures the suite below `folder`, and builds the parts that all tests share. The build
    /// files are kept for later runs.
    pub fn configure(
        path: &Path,
        catch2: Option<&Path>,
        prefix: &Path,
        folder: &Path,
    ) -> Result<Suite, String> {
        let path = path
            .canonicalize()
            .map_err(|e| format!("cannot find the suite {}: {e}", path.display()))?;
        if !path.join("tests/CMakeLists.txt").exists() {
            return Err(format!(
                "{} is not a checkout of SYCL-CTS: tests/CMakeLists.txt is missing",
                path.display()
            ));
        }
        let source = folder.join("suite");
        link_tree(&path, catch2, &source)?;
        let build = folder.join("build");
        let compiler = prefix.join("bin/scythe");
        forget_other(&build, &compiler)?;
        progress("configuring the conformance suite");
        let mut cmake = Command::new("cmake");
        cmake.arg("-S").arg(&source).arg("-B").arg(&build).args(["-G", "Ninja"]);
        cmake.args([
            format!("-DCMAKE_MODULE_PATH={}", root().join("cmake/cts").display()),
            format!("-DScythe_DIR={}", prefix.join("lib/cmake/Scythe").display()),
            format!("-DCMAKE_CXX_COMPILER={}", compiler.display()),
        ]);
        let on = [
            "FULL_CONFORMANCE",
            "DEPRECATED_FEATURES_TESTS",
            "OPENCL_INTEROP_TESTS",
            "DOUBLE_TESTS",
            "HALF_TESTS",
        ];
        let extensions = ["EXT_ONEAPI_TESTS", "KHR_TESTS"];
        cmake.args(on.iter().chain(&extensions).map(|o| format!("-DSYCL_CTS_ENABLE_{o}=ON")));
        cmake.arg("-DCMAKE_EXPORT_COMPILE_COMMANDS=ON");
        process::output(&mut cmake)?;
        let (version, categories) = (version(&path), categories(&path.join("tests"))?);
        let facts = build.join(FACTS);
        std::fs::write(&facts, format!("{version}\n{}\n", categories.join("\n")))
            .map_err(|e| format!("cannot write {}: {e}", facts.display()))?;
        let suite = Suite::configured(folder)?;
        progress("building the shared parts of the tests");
        suite.ninja(&LIBRARIES)?;
        Ok(suite)
    }

    /// Returns the suite that an earlier call configured below `folder`.
    pub fn configured(folder: &Path) -> Result<Suite, String> {
        let build = folder.join("build");
        let read = |name: &str| {
            let path = build.join(name);
            std::fs::read_to_string(&path).map_err(|e| {
                format!("cannot read {}, which a run without --rerun writes: {e}", path.display())
            })
        };
        let facts = read(FACTS)?;
        let (version, categories) = facts.split_once('\n').unwrap_or((&facts, ""));
        let categories = categories.lines().map(str::to_owned).collect();
        let units = commands::units(&read("compile_commands.json")?)
            .map_err(|e| format!("{}/compile_commands.json: {e}", build.display()))?;
        Ok(Suite { version: version.to_owned(), categories, units, build })
    }

    /// Returns the sources of a category.
    pub fn units_of<'a>(&'a self, category: &'a str) -> impl Iterator<Item = &'a Unit> {
        self.units.iter().filter(move |u| u.category == category)
    }

    /// Builds targets or files with Ninja.
    pub fn ninja(&self, targets: &[impl AsRef<std::ffi::OsStr>]) -> Result<(), String> {
        process::run(Command::new("ninja").arg("-C").arg(&self.build).arg("--quiet").args(targets))
    }

    /// Returns the shell command that links `program` from all its objects.
    pub fn link_command(&self, program: &str) -> Result<String, String> {
        let name = format!("bin/{program}");
        let mut ninja = Command::new("ninja");
        let all = process::output(
            ninja.arg("-C").arg(&self.build).args(["-t", "commands", "-s", &name]),
        )?;
        let last =
            all.lines().rev().find(|l| l.contains(&format!("-o {name} "))).map(str::to_owned);
        last.ok_or_else(|| format!("Ninja has no command that builds {name}"))
    }
}

/// Removes CMake's cache of a build with another compiler. CMake cannot change the compiler of a
/// build folder without losing options.
fn forget_other(build: &Path, compiler: &Path) -> Result<(), String> {
    let cache = build.join("CMakeCache.txt");
    let Ok(text) = std::fs::read_to_string(&cache) else { return Ok(()) };
    let line = text.lines().find_map(|l| l.strip_prefix("CMAKE_CXX_COMPILER:")?.split_once('='));
    if line.is_none_or(|(_, of)| Path::new(of) == compiler) {
        return Ok(());
    }
    let fail = |what: &Path, e: std::io::Error| format!("cannot remove {}: {e}", what.display());
    std::fs::remove_file(&cache).map_err(|e| fail(&cache, e))?;
    let files = build.join("CMakeFiles");
    match std::fs::remove_dir_all(&files) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(fail(&files, e)),
        _ => Ok(()),
    }
}

/// Creates links to the whole checkout, with the given Catch2 in place of the submodule.
fn link_tree(suite: &Path, catch2: Option<&Path>, to: &Path) -> Result<(), String> {
    let fail = |what: &Path, e: std::io::Error| format!("cannot link {}: {e}", what.display());
    if to.exists() {
        std::fs::remove_dir_all(to).map_err(|e| fail(to, e))?;
    }
    let vendor = to.join("vendor");
    std::fs::create_dir_all(&vendor).map_err(|e| fail(&vendor, e))?;
    let link =
        |from: &Path, to: &Path| std::os::unix::fs::symlink(from, to).map_err(|e| fail(to, e));
    for entry in std::fs::read_dir(suite).map_err(|e| fail(suite, e))?.flatten() {
        if entry.file_name() != "vendor" {
            link(&entry.path(), &to.join(entry.file_name()))?;
        }
    }
    let own = suite.join("vendor/Catch2");
    let source = catch2.unwrap_or(&own);
    if !source.join("CMakeLists.txt").exists() {
        return Err(format!(
            "{} does not contain Catch2: run 'git submodule update --init' in the suite, or name a \
             checkout with --catch2",
            source.display()
        ));
    }
    if catch2.is_none() {
        return link(&own, &vendor.join("Catch2"));
    }
    // This must not be a link: some tests find the suite's headers by their path relative to
    // Catch2's headers, and compilers resolve links first.
    let place = vendor.join("Catch2");
    std::fs::create_dir(&place).map_err(|e| fail(&place, e))?;
    for part in ["CMakeLists.txt", "CMake", "src", "extras"] {
        // Copied with their times, so that earlier builds of them stay current.
        process::run(Command::new("cp").arg("-rp").arg(source.join(part)).arg(&place))?;
    }
    Ok(())
}

/// Returns the folders with tests.
fn categories(tests: &Path) -> Result<Vec<String>, String> {
    let entries =
        std::fs::read_dir(tests).map_err(|e| format!("cannot read {}: {e}", tests.display()))?;
    let folders = entries
        .flatten()
        .filter(|e| e.path().join("CMakeLists.txt").exists() && e.file_name() != "common");
    let mut names: Vec<String> =
        folders.map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    Ok(names)
}

fn version(suite: &Path) -> String {
    let commit = process::output(Command::new("git").arg("-C").arg(suite).args([
        "rev-parse",
        "--short=12",
        "HEAD",
    ]));
    commit.map_or_else(|_| "of unknown version".to_owned(), |c| c.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::Scratch;

    #[test]
    fn what_was_configured_is_read_without_the_checkout() {
        let scratch = Scratch::new("cts-configured").unwrap();
        let missing = Suite::configured(scratch.path()).err().unwrap();
        assert!(missing.contains(FACTS) && missing.contains("without --rerun"), "{missing}");
        let build = scratch.path().join("build");
        std::fs::create_dir(&build).unwrap();
        std::fs::write(build.join(FACTS), "0123abcd\nid\nrange\n").unwrap();
        let command = "scythe -o tests/id/CMakeFiles/test_id_objects.dir/id.cpp.o -c id.cpp";
        let commands = format!("[{{\"command\": \"{command}\", \"file\": \"id.cpp\"}}]");
        std::fs::write(build.join("compile_commands.json"), commands).unwrap();
        let suite = Suite::configured(scratch.path()).unwrap();
        assert_eq!(
            (suite.version.as_str(), suite.categories.join(" ")),
            ("0123abcd", "id range".to_owned())
        );
        assert_eq!(
            suite.units_of("id").map(|u| u.program.as_str()).collect::<Vec<_>>(),
            ["test_id"]
        );
    }

    #[test]
    fn builds_of_another_compiler_are_forgotten() {
        let scratch = Scratch::new("cts-forget").unwrap();
        let (cache, files) =
            (scratch.path().join("CMakeCache.txt"), scratch.path().join("CMakeFiles"));
        std::fs::write(&cache, "A:STRING=b\nCMAKE_CXX_COMPILER:STRING=/a/bin/scythe\n").unwrap();
        std::fs::create_dir(&files).unwrap();
        forget_other(scratch.path(), Path::new("/a/bin/scythe")).unwrap();
        assert!(cache.exists() && files.exists());
        forget_other(scratch.path(), Path::new("/b/bin/scythe")).unwrap();
        assert!(!cache.exists() && !files.exists());
        forget_other(scratch.path(), Path::new("/b/bin/scythe")).unwrap();
    }
}
