//! The library with the run-time compiler: finds and loads it.

use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use scythe_abi::jit::{BUILD_SYMBOL, BuildFn, FREE_SYMBOL, FreeFn, LIBRARY};
use scythe_hal::Result;
use scythe_hal::library::{containing, own_path};
use scythe_own_files::is_privileged;

use crate::cache::FileStamp;
use crate::call::{build_error, c_string};

/// The name of the library in cargo's target folder.
const CARGO_LIBRARY: &str = "libscythe_codegen.so";

/// A function of LLVM's C interface, whose address identifies the LLVM that the compiler uses.
const LLVM_SYMBOL: &str = "LLVMContextCreate";

/// The files of the compiler. Nothing is loaded to find them.
#[derive(Debug)]
pub(crate) struct Files {
    pub(crate) library: PathBuf,
    /// The folder of the device library. The compiler reports an error if a file that it needs is
    /// missing.
    pub(crate) device_lib_dir: PathBuf,
}

/// The loaded compiler.
pub(crate) struct Library {
    pub(crate) build: BuildFn,
    pub(crate) free: FreeFn,
    pub(crate) device_lib_dir: CString,
    /// The file of the LLVM that the compiler uses, if LLVM is a separate file.
    pub(crate) llvm: Option<FileStamp>,
}

/// Returns the files of the compiler. They are searched for once.
pub(crate) fn files() -> Result<&'static Files> {
    static FILES: OnceLock<Result<Files>> = OnceLock::new();
    FILES.get_or_init(|| find(&search_folders())).as_ref().map_err(Clone::clone)
}

/// Returns the compiler. It is loaded once.
pub(crate) fn compiler() -> Result<&'static Library> {
    static COMPILER: OnceLock<Result<Library>> = OnceLock::new();
    COMPILER.get_or_init(|| load(files()?)).as_ref().map_err(Clone::clone)
}

/// Returns the folders of this library and of the program. In a cargo target folder, also returns
/// the parent, where cargo puts finished libraries.
fn search_folders() -> Vec<PathBuf> {
    let own = own_path().and_then(|path| std::fs::canonicalize(path).ok());
    // The caller of a set-user-ID program may have made a name for it in a folder of theirs.
    let executable = std::env::current_exe().ok().filter(|_| !is_privileged());
    let mut folders = Vec::new();
    for folder in [own, executable].iter().flatten().filter_map(|file| file.parent()) {
        folders.push(folder.to_owned());
        if ["deps", "examples"].iter().any(|name| folder.ends_with(name)) {
            folders.extend(folder.parent().map(Path::to_owned));
        }
    }
    folders.dedup();
    folders
}

fn find(folders: &[PathBuf]) -> Result<Files> {
    let candidates =
        folders.iter().flat_map(|folder| [folder.join(LIBRARY), folder.join(CARGO_LIBRARY)]);
    let Some(library) = candidates.into_iter().find(|file| file.is_file()) else {
        let searched: Vec<String> =
            folders.iter().map(|folder| folder.display().to_string()).collect();
        return Err(build_error(format!(
            "the run-time compiler {LIBRARY} was not found in {}. Install it beside libscythe.so \
             (`cargo xtask install` does)",
            searched.join(", ")
        )));
    };
    let beside = library.parent().unwrap_or(Path::new("."));
    // The folders in an installed tree and in a cargo target folder.
    let [installed, built] = [beside.join("scythe/devicelib"), beside.join("devicelib")];
    let device_lib_dir = if !installed.is_dir() && built.is_dir() { built } else { installed };
    Ok(Files { library, device_lib_dir })
}

fn load(files: &Files) -> Result<Library> {
    let (library, device_lib_dir) = (&files.library, c_string(&files.device_lib_dir)?);
    // SAFETY: the library's initialisers have no preconditions.
    let loaded = unsafe { scythe_hal::library::Library::load(library) }.map_err(|why| {
        build_error(format!("cannot load the run-time compiler {}: {why}", library.display()))
    })?;
    let missing = |name: &str| {
        build_error(format!(
            "{} does not export '{name}': it is not Scythe's run-time compiler",
            library.display()
        ))
    };
    // SAFETY: the library's contract gives these symbols these types.
    let (build, free) = unsafe {
        let build: BuildFn = loaded.get(BUILD_SYMBOL).ok_or_else(|| missing(BUILD_SYMBOL))?;
        let free: FreeFn = loaded.get(FREE_SYMBOL).ok_or_else(|| missing(FREE_SYMBOL))?;
        (build, free)
    };
    // The file of the LLVM that the compiler uses.
    let llvm = loaded.address(LLVM_SYMBOL).and_then(containing).and_then(|origin| origin.file);
    let llvm = llvm.and_then(|file| FileStamp::of(Path::new(&file)).ok());
    Ok(Library { build, free, device_lib_dir, llvm })
}

#[cfg(test)]
mod tests {
    use super::*;
    use scythe_hal::Errc;

    #[test]
    fn missing_library_and_wrong_library_are_explained() {
        let folder = std::env::temp_dir().join(format!("scythe-no-jit-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let folders = [folder.clone()];
        let missing = find(&folders).err().unwrap();
        assert_eq!(missing.code, Errc::Build);
        assert!(
            missing.message.contains(LIBRARY) && missing.message.contains(folder.to_str().unwrap())
        );

        std::fs::write(folder.join(LIBRARY), b"not a library").unwrap();
        let wrong = load(&find(&folders).unwrap()).err().unwrap();
        assert!(wrong.message.starts_with("cannot load the run-time compiler"), "{wrong}");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
