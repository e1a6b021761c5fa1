//! The installed compiler. It is found relative to this library, like the run-time compiler, and
//! clang is found where the driver finds it.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use scythe_hal::library::own_path;
use scythe_own_files::{is_privileged, path_folders};

use crate::{Errc, Error, Result};

/// The driver and the parts that it runs. Every compilation depends on them.
#[derive(Clone, Debug)]
pub struct Tools {
    pub driver: PathBuf,
    pub clang: PathBuf,
    /// The other programs and libraries of a compilation.
    pub parts: Vec<PathBuf>,
}

/// Returns the compiler. It is searched for once.
pub fn find() -> Result<&'static Tools> {
    static TOOLS: OnceLock<Result<Tools>> = OnceLock::new();
    TOOLS.get_or_init(search).as_ref().map_err(Clone::clone)
}

fn search() -> Result<Tools> {
    if is_privileged() {
        // The caller chooses the environment, and so the compiler.
        return Err(missing("this process has more rights than its caller".to_owned()));
    }
    let own = own_path().and_then(|path| std::fs::canonicalize(path).ok());
    let folder = own.as_deref().and_then(Path::parent).unwrap_or(Path::new("/"));
    search_in(folder, &path_folders())
}

/// Searches for the compiler of the library in `lib`, with clang in one of `folders`.
fn search_in(lib: &Path, folders: &[PathBuf]) -> Result<Tools> {
    let installed = lib.parent().unwrap_or(lib);
    let bin = installed.join("bin");
    // A cargo target folder contains everything, and its libraries may be one level deeper.
    let built = if lib.ends_with("deps") { installed } else { lib };
    let [bin, plugin, include] = match bin.join("scythe").is_file() || lib.ends_with("lib") {
        true => [bin, lib.join("scythe/libscythe_frontend.so"), installed.join("include")],
        false => [built.to_owned(), built.join("libscythe_frontend.so"), source_include()],
    };
    let (driver, tools) = (bin.join("scythe"), bin.join("scythe-tools"));
    for part in [&driver, &tools, &plugin, &include.join("sycl/sycl.hpp")] {
        if !part.is_file() {
            let hint = "Install the whole of Scythe (`cargo xtask install` does)";
            return Err(missing(format!("'{}' was not found. {hint}", part.display())));
        }
    }
    let named = folders.iter().map(|folder| folder.join(CLANG));
    let clang = named.chain([PathBuf::from(DEBIAN_CLANG)]).find(|file| file.is_file());
    let clang = clang.ok_or_else(|| {
        missing(format!(
            "'{CLANG}' was not found in PATH, nor '{DEBIAN_CLANG}'. Install clang 22 (on Debian: \
             apt-get install clang-22)"
        ))
    })?;
    Ok(Tools { driver, clang, parts: vec![tools, plugin] })
}

/// The names by which the driver finds clang (`driver/src/clang.rs`).
const CLANG: &str = "clang++-22";
const DEBIAN_CLANG: &str = "/usr/lib/llvm-22/bin/clang++";

/// Returns the headers of the source tree, for a cargo target folder.
fn source_include() -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR"));
    source.ancestors().nth(2).unwrap_or(source).join("include")
}

fn missing(why: String) -> Error {
    let message = format!(
        "kernel bundles cannot be built from SYCL source text here \
         (sycl_ext_oneapi_kernel_compiler): {why}"
    );
    Error::new(Errc::FeatureNotSupported, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_part_is_named() {
        let lib = Path::new("/nowhere/prefix/lib");
        let error = search_in(lib, &[]).expect_err("there is no driver");
        assert_eq!(error.code, Errc::FeatureNotSupported);
        assert!(error.message.contains("'/nowhere/prefix/bin/scythe' was not found"), "{error}");
    }
}
