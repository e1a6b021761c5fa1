//! Finds CUDA's tools and libraries and `libclc` on this machine, and identifies their versions.
//!
//! The run-time compiler and the cache key of its results must refer to the same files, so this
//! crate serves both. It reads only folders, not files.
//!
//! An installation is a folder with `bin/ptxas` and `nvvm/libdevice/libdevice.10.bc`. It comes from
//! NVIDIA's installers, from Linux distributions, or from the wheel `nvidia-cuda-nvcc-cu12` from
//! PyPI, which is such a folder inside of a Python environment.

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

const LIBDEVICE: &str = "nvvm/libdevice/libdevice.10.bc";
const PTXAS: &str = "bin/ptxas";

/// Environment variables that name an installation, in order of precedence.
const VARIABLES: [&str; 3] = ["CUDA_PATH", "CUDA_HOME", "CUDA_ROOT"];
/// Default folders of installations.
const USUAL: [&str; 4] =
    ["/usr/local/cuda", "/opt/cuda", "/usr/lib/cuda", "/usr/lib/nvidia-cuda-toolkit"];
/// The paths of wheels below a folder of Python packages.
const WHEELS: [&str; 2] = ["nvidia/cuda_nvcc", "nvidia/cu13"];

/// The files of an installation. Each may come from a different place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Toolkit {
    pub libdevice: Option<PathBuf>,
    pub ptxas: Option<PathBuf>,
}

impl Toolkit {
    /// Returns the installation in `path`, which is its folder or a Python environment with the
    /// wheel. Returns `None` if `path` contains neither file.
    pub fn at(path: &Path) -> Option<Self> {
        let found = candidates(path)
            .into_iter()
            .map(|root| Self::in_root(&root))
            .find(|found| *found != Self::default());
        found.map(Self::completed)
    }

    /// Returns the first installation in the usual places. The result is empty if there is none.
    pub fn find() -> Self {
        let variables = VARIABLES
            .iter()
            .filter_map(std::env::var_os)
            .filter(|v| !v.is_empty())
            .map(PathBuf::from);
        let environment = std::env::var_os("VIRTUAL_ENV").map(PathBuf::from);
        let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".local"));
        let python = environment.into_iter().chain(home).chain([PathBuf::from("/usr/local")]);
        // An empty variable does not name the current folder.
        let python = python.filter(|folder| folder.is_absolute());
        let usual = USUAL.iter().map(PathBuf::from).chain(versions(Path::new("/usr/local")));
        let mut roots = variables.chain(usual).chain(python).flat_map(|path| candidates(&path));
        let whole =
            roots.find_map(|root| Some(Self::in_root(&root)).filter(|found| found.ptxas.is_some()));
        whole.unwrap_or_default().completed()
    }

    fn in_root(root: &Path) -> Self {
        // The programs run in other folders.
        let root = std::path::absolute(root).unwrap_or_else(|_| root.to_owned());
        let file = |name: &str| Some(root.join(name)).filter(|path| path.is_file());
        Self { libdevice: file(LIBDEVICE), ptxas: file(PTXAS) }
    }

    /// Adds missing files: `ptxas` may also be in `PATH`, and the library beside the file that
    /// `ptxas` links to.
    fn completed(mut self) -> Self {
        if self.ptxas.is_none() {
            self.ptxas = scythe_own_files::in_path("ptxas");
        }
        if self.libdevice.is_none() {
            let program = self.ptxas.as_ref().and_then(|file| file.canonicalize().ok());
            let root = program.as_deref().and_then(|file| file.parent()?.parent());
            self.libdevice = root.map(|root| root.join(LIBDEVICE)).filter(|file| file.is_file());
        }
        self
    }
}

/// The paths of `libclc`, in Debian's package and in its own installation.
const LIBCLC: [&str; 2] =
    ["/usr/lib/clc/nvptx64--nvidiacl.bc", "/usr/share/clc/nvptx64--nvidiacl.bc"];

/// Returns the path of `libclc`, if it is installed.
pub fn libclc() -> Option<PathBuf> {
    LIBCLC.iter().map(PathBuf::from).find(|path| path.is_file())
}

/// Returns the paths, sizes and times of the libraries that device code is linked with. This text
/// identifies the libraries in the cache key of the result.
pub fn libraries_identity(toolkit: &Toolkit) -> String {
    let file = |path: Option<PathBuf>| {
        let Some(path) = path else { return "none".to_owned() };
        let data = std::fs::metadata(&path).ok();
        let changed =
            data.as_ref().and_then(|data| data.modified().ok()?.duration_since(UNIX_EPOCH).ok());
        format!(
            "{} {} {}",
            path.display(),
            data.map_or(0, |d| d.len()),
            changed.map_or(0, |time| time.as_nanos())
        )
    };
    format!("libdevice: {}; libclc: {}", file(toolkit.libdevice.clone()), file(libclc()))
}

/// Returns the folders that may be the installation that `path` refers to, best first.
fn candidates(path: &Path) -> Vec<PathBuf> {
    let mut found = vec![path.to_owned()];
    let mut packages = vec![path.to_owned()];
    for lib in entries(&path.join("lib")).into_iter().filter(|p| name_starts_with(p, "python3")) {
        packages.extend(["site-packages", "dist-packages"].map(|name| lib.join(name)));
    }
    found.extend(packages.iter().flat_map(|folder| WHEELS.map(|wheel| folder.join(wheel))));
    found
}

/// Returns folders like `cuda-12.4`, newest first.
fn versions(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        entries(folder).into_iter().filter(|path| name_starts_with(path, "cuda-")).collect();
    found.sort_by_cached_key(|path| std::cmp::Reverse(numbers(path)));
    found
}

/// Returns the numbers in a name: `[12, 4]` for `cuda-12.4`.
fn numbers(path: &Path) -> Vec<u32> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.split(['-', '.']).filter_map(|word| word.parse().ok()).collect()
}

fn name_starts_with(path: &Path, prefix: &str) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(prefix.as_bytes()))
}

/// Returns the contents of a folder, sorted by name, or nothing if the folder cannot be read.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    fn make(folder: &Path, file: &str) {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
    }

    #[test]
    fn an_installation_and_an_environment_with_the_wheel_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let (cuda, environment) = (folder.path().join("cuda"), folder.path().join("venv"));
        let wheel = environment.join("lib/python3.11/site-packages/nvidia/cuda_nvcc");
        for root in [&cuda, &wheel] {
            make(root, PTXAS);
            make(root, LIBDEVICE);
        }
        for (path, root) in [(&cuda, &cuda), (&environment, &wheel), (&wheel, &wheel)] {
            let found = Toolkit::at(path).unwrap();
            assert_eq!(
                (found.ptxas, found.libdevice),
                (Some(root.join(PTXAS)), Some(root.join(LIBDEVICE)))
            );
        }
    }

    #[test]
    fn relative_folders_become_absolute() {
        let here = std::env::current_dir().unwrap();
        let folder = tempfile::tempdir_in(&here).unwrap();
        make(folder.path(), PTXAS);
        let relative = folder.path().strip_prefix(&here).unwrap();
        assert_eq!(Toolkit::at(relative).unwrap().ptxas, Some(folder.path().join(PTXAS)));
    }

    #[test]
    fn another_libdevice_is_another_identity() {
        let folder = tempfile::tempdir().unwrap();
        make(folder.path(), LIBDEVICE);
        let toolkit = Toolkit::at(folder.path()).unwrap();
        let before = libraries_identity(&toolkit);
        assert_eq!(before, libraries_identity(&toolkit));
        std::fs::write(folder.path().join(LIBDEVICE), "more").unwrap();
        assert_ne!(before, libraries_identity(&toolkit));
        assert_ne!(before, libraries_identity(&Toolkit::default()));
    }

    #[test]
    fn later_versions_come_first() {
        let folder = tempfile::tempdir().unwrap();
        let names = ["cuda-9.2", "cuda-12.4", "cuda-12.10", "cuda-13.0", "cuda-12"];
        names.iter().for_each(|name| std::fs::create_dir(folder.path().join(name)).unwrap());
        let found = versions(folder.path());
        let found: Vec<_> =
            found.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(found, ["cuda-13.0", "cuda-12.10", "cuda-12.4", "cuda-12", "cuda-9.2"]);
    }

    #[test]
    fn a_folder_without_cuda_is_none() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Toolkit::at(folder.path()), None);
        assert_eq!(Toolkit::at(Path::new("/nowhere")), None);
    }
}
