//! Shared libraries that are found at run time: drivers, the run-time compiler, and the library
//! that holds this code.
//!
//! Backends and the client of the run-time compiler keep function addresses for as long as the
//! process lives, so no [`Library`] is ever unloaded.

use std::ffi::{CStr, OsStr, OsString, c_int, c_void};
use std::mem::ManuallyDrop;
use std::os::unix::ffi::OsStrExt;

use libloading::os::unix;

/// A loaded shared library.
pub struct Library(ManuallyDrop<unix::Library>);

impl Library {
    /// Loads a library and binds all of its symbols at once. An error is the dynamic loader's
    /// reason, or another one, as a phrase without a full stop.
    ///
    /// # Safety
    /// The library's initialisers may run at this time.
    pub unsafe fn load(file: impl AsRef<OsStr>) -> Result<Self, String> {
        // SAFETY: the caller guarantees it.
        unsafe { Self::open(file.as_ref(), libc::RTLD_NOW | libc::RTLD_LOCAL) }
    }

    /// Loads a library and binds its functions at their first calls.
    ///
    /// # Safety
    /// As for [`Library::load`].
    pub unsafe fn load_lazily(file: impl AsRef<OsStr>) -> Result<Self, String> {
        // SAFETY: the caller guarantees it.
        unsafe { Self::open(file.as_ref(), libc::RTLD_LAZY | libc::RTLD_LOCAL) }
    }

    /// # Safety
    /// As for [`Library::load`].
    unsafe fn open(file: &OsStr, flags: c_int) -> Result<Self, String> {
        // SAFETY: the caller guarantees that initialisers may run. Nothing unloads the library.
        match unsafe { unix::Library::open(Some(file), flags) } {
            Ok(library) => Ok(Self(ManuallyDrop::new(library))),
            Err(libloading::Error::DlOpen { source }) => Err(source.to_string()),
            Err(libloading::Error::InteriorZeroElements) => {
                Err(format!("the name {} contains a NUL character", file.display()))
            }
            Err(error) => Err(error.to_string()),
        }
    }

    /// Finds the function or variable of this name. `T` is the type of its address.
    ///
    /// # Safety
    /// The library gives the name this type.
    pub unsafe fn get<T: Copy>(&self, name: &str) -> Option<T> {
        // SAFETY: the caller guarantees the type.
        unsafe { self.0.get::<T>(name) }.ok().map(|symbol| *symbol)
    }

    /// Finds the address of a function or variable.
    pub fn address(&self, name: &str) -> Option<usize> {
        // SAFETY: any address is a number of this size, and is not used as a pointer here.
        unsafe { self.get(name) }
    }
}

/// The shared object or executable that contains an address.
pub struct Origin {
    /// The path of the file, if the dynamic loader knows it.
    pub file: Option<OsString>,
    /// The address at which the file is loaded.
    pub base: usize,
}

/// Finds the file that contains an address. `None` if no file contains it. This takes the lock of
/// the dynamic loader.
pub fn containing(address: usize) -> Option<Origin> {
    // SAFETY: `info` holds plain pointers, for which zero is valid. The call fills it when it
    // succeeds, and fails for an address outside of all files. The name is then a C string that
    // lives as long as the file is loaded; the caller uses the address, so the file stays loaded.
    unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr(address as *const c_void, &mut info) == 0 {
            return None;
        }
        let name = (!info.dli_fname.is_null()).then(|| CStr::from_ptr(info.dli_fname).to_bytes());
        let file = name.map(|name| OsStr::from_bytes(name).to_owned());
        Some(Origin { file, base: info.dli_fbase as usize })
    }
}

/// The path of the shared object or executable that holds this code: `libscythe.so`, or an
/// executable that links the runtime.
pub fn own_path() -> Option<OsString> {
    containing(own_path as fn() -> Option<OsString> as usize)?.file
}

/// Keeps the library that holds this code loaded for good.
pub fn pin_own() {
    if let Some(path) = own_path() {
        let flags = libc::RTLD_LAZY | libc::RTLD_NOLOAD | libc::RTLD_NODELETE;
        // SAFETY: the library is loaded already, so that no initialiser runs.
        drop(unsafe { Library::open(&path, flags) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(file: &str) -> Result<Library, String> {
        // SAFETY: the C library's initialisers have run, and the other files do not exist.
        unsafe { Library::load(file) }
    }

    #[test]
    fn libraries_that_cannot_be_loaded_give_the_reason() {
        let why = load("/nowhere/libnone.so").err().expect("no such file");
        assert!(why.contains("/nowhere/libnone.so") && why.contains("No such file"), "{why}");
        let why = load("lib\0c.so").err().expect("no such name");
        assert!(why.contains("NUL"), "{why}");
    }

    #[test]
    fn symbols_are_found_by_their_names() {
        let library = load("libc.so.6").expect("the C library");
        // SAFETY: the C library gives the function this type.
        let abs = unsafe { library.get::<extern "C" fn(c_int) -> c_int>("abs") };
        assert_eq!(abs.expect("a function")(-3), 3);
        for name in ["no_such_function", "nul\0inside"] {
            assert_eq!(library.address(name), None, "{name}");
        }
        let file = containing(library.address("abs").expect("an address")).expect("a file").file;
        assert!(file.expect("a name").to_string_lossy().contains("libc"));
    }
}
