//! The library that holds the run-time compiler: where it is, and how it is loaded.

use std::ffi::{CStr, CString, OsStr, c_char, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use scythe_abi::jit::{BUILD_SYMBOL, BuildFn, FREE_SYMBOL, FreeFn, LIBRARY};
use scythe_hal::Result;
use scythe_hal::library::own_path;

use crate::cache::FileStamp;
use crate::call::{build_error, c_string};

/// The name that cargo gives the library.
const CARGO_LIBRARY: &str = "libscythe_codegen.so";

/// A function of LLVM's C interface: its address tells which LLVM the compiler uses.
const LLVM_SYMBOL: &CStr = c"LLVMContextCreate";

/// The files of the compiler. Finding them loads nothing.
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

/// The files of the compiler. They are searched for once.
pub(crate) fn files() -> Result<&'static Files> {
    static FILES: OnceLock<Result<Files>> = OnceLock::new();
    FILES.get_or_init(|| find(&search_folders())).as_ref().map_err(Clone::clone)
}

/// The compiler. It is loaded once.
pub(crate) fn compiler() -> Result<&'static Library> {
    static COMPILER: OnceLock<Result<Library>> = OnceLock::new();
    COMPILER.get_or_init(|| load(files()?)).as_ref().map_err(Clone::clone)
}

/// The folder of this library. In a cargo target folder also the parent, where cargo puts finished
/// libraries.
fn search_folders() -> Vec<PathBuf> {
    let own =
        own_path().and_then(|path| std::fs::canonicalize(OsStr::from_bytes(path.as_bytes())).ok());
    let executable = std::env::current_exe().ok();
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
    // Installed, or in a cargo target folder.
    let [installed, built] = [beside.join("scythe/devicelib"), beside.join("devicelib")];
    let device_lib_dir = if !installed.is_dir() && built.is_dir() { built } else { installed };
    Ok(Files { library, device_lib_dir })
}

fn load(files: &Files) -> Result<Library> {
    let (library, device_lib_dir) = (&files.library, c_string(&files.device_lib_dir)?);
    let path = c_string(library)?;
    // SAFETY: the path is NUL-terminated; the library's initialisers have no precondition.
    let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if handle.is_null() {
        let message =
            format!("cannot load the run-time compiler {}: {}", library.display(), dl_error());
        return Err(build_error(message));
    }
    let build = symbol(handle, library, BUILD_SYMBOL)?;
    let free = symbol(handle, library, FREE_SYMBOL)?;
    // SAFETY: the library's contract gives these symbols these types; it is never unloaded.
    unsafe {
        Ok(Library {
            build: std::mem::transmute::<*mut c_void, BuildFn>(build),
            free: std::mem::transmute::<*mut c_void, FreeFn>(free),
            device_lib_dir,
            llvm: llvm(handle),
        })
    }
}

/// The file of the LLVM that the library behind `handle` uses.
fn llvm(handle: *mut c_void) -> Option<FileStamp> {
    // SAFETY: the handle is open and the name NUL-terminated. `info` is plain pointers, filled when
    // the call succeeds; the name then is a C string that lives as long as the library, which is
    // never unloaded.
    let path = unsafe {
        let function = libc::dlsym(handle, LLVM_SYMBOL.as_ptr());
        let mut info: libc::Dl_info = std::mem::zeroed();
        if function.is_null() || libc::dladdr(function, &mut info) == 0 || info.dli_fname.is_null()
        {
            return None;
        }
        PathBuf::from(OsStr::from_bytes(CStr::from_ptr(info.dli_fname).to_bytes()))
    };
    FileStamp::of(&path).ok()
}

fn symbol(handle: *mut c_void, library: &Path, name: &str) -> Result<*mut c_void> {
    let text = c_string(Path::new(name))?;
    // SAFETY: the handle is open and the name NUL-terminated.
    let address = unsafe { libc::dlsym(handle, text.as_ptr()) };
    if address.is_null() {
        let message = format!(
            "{} does not export '{name}': it is not Scythe's run-time compiler",
            library.display()
        );
        return Err(build_error(message));
    }
    Ok(address)
}

fn dl_error() -> String {
    // SAFETY: the string, where there is one, lasts until this thread's next call of the dynamic
    // loader.
    unsafe {
        let text: *const c_char = libc::dlerror();
        if text.is_null() {
            "unknown reason".into()
        } else {
            CStr::from_ptr(text).to_string_lossy().into_owned()
        }
    }
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
