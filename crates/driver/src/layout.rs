//! The paths of Scythe's parts, derived from the path of the driver. Neither environment variables
//! nor a fixed prefix are involved.

use std::path::{Path, PathBuf};

use crate::error::Error;

/// The library with functions of the SYCL headers, in the folder of `libscythe.so`.
const HEADER_LIBRARY: &str = "libscythe-headers.a";

/// The parts that the driver passes to other programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The folder of `sycl/sycl.hpp`.
    pub include: PathBuf,
    /// The clang plug-in.
    pub plugin: PathBuf,
    /// `scythe-tools`.
    pub tools: PathBuf,
    /// The folder of `libscythe.so`.
    pub lib: PathBuf,
    /// Whether linking `libscythe.so` also links `libscythe-headers.a`, which contains functions of
    /// the SYCL headers. A cargo target folder has no such library.
    pub header_library: bool,
}

impl Layout {
    /// Returns the layout of the installed tree that contains `driver`, or of the cargo target
    /// folder that `driver` was built in.
    pub fn of(driver: &Path) -> Result<Layout, Error> {
        let bin = driver.parent().unwrap_or(Path::new("/"));
        let prefix = bin.parent().unwrap_or(Path::new("/"));
        let installed = Layout {
            include: prefix.join("include"),
            plugin: prefix.join("lib/scythe/libscythe_frontend.so"),
            tools: bin.join("scythe-tools"),
            lib: prefix.join("lib"),
            header_library: prefix.join("lib").join(HEADER_LIBRARY).is_file(),
        };
        if installed.lib.join("libscythe.so").is_file() || !bin.join("libscythe.so").is_file() {
            return installed.complete();
        }
        let source = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = source.ancestors().nth(2).unwrap_or(source);
        let built = Layout {
            include: root.join("include"),
            plugin: bin.join("libscythe_frontend.so"),
            tools: bin.join("scythe-tools"),
            lib: bin.to_owned(),
            header_library: false,
        };
        built.complete()
    }

    fn complete(self) -> Result<Layout, Error> {
        let parts = [
            self.include.join("sycl/sycl.hpp"),
            self.plugin.clone(),
            self.tools.clone(),
            self.lib.join("libscythe.so"),
        ];
        match parts.into_iter().find(|p| !p.is_file()) {
            Some(missing) => Err(Error::Incomplete { missing }),
            None => Ok(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(path: PathBuf) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
    }

    #[test]
    fn an_installed_tree_is_found_from_the_driver() {
        let dir = tempfile::tempdir().unwrap();
        let p = dir.path();
        for f in [
            "include/sycl/sycl.hpp",
            "lib/libscythe.so",
            "lib/scythe/libscythe_frontend.so",
            "bin/scythe-tools",
        ] {
            touch(p.join(f));
        }
        let layout = Layout::of(&p.join("bin/scythe")).unwrap();
        assert_eq!(layout.include, p.join("include"));
        assert_eq!(layout.lib, p.join("lib"));
        assert!(!layout.header_library);
        touch(p.join("lib").join(HEADER_LIBRARY));
        assert!(Layout::of(&p.join("bin/scythe")).unwrap().header_library);
    }

    #[test]
    fn what_is_missing_is_named() {
        let dir = tempfile::tempdir().unwrap();
        touch(dir.path().join("lib/libscythe.so"));
        touch(dir.path().join("include/sycl/sycl.hpp"));
        let error = Layout::of(&dir.path().join("bin/scythe")).unwrap_err().to_string();
        assert!(error.contains("libscythe_frontend.so"), "{error}");
    }
}
