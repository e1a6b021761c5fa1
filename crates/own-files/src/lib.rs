//! Folders and files that only this user can have written, for caches whose contents are trusted.
//!
//! A [`Folder`] is a descriptor that was checked after it was opened: the folder belongs to the
//! user, and nobody else may write to it. Everything in it is opened from the descriptor, without
//! following links, and checked in the same way. What another user swaps later in a parent folder
//! has no effect.
//!
//! [`output`] opens files that a user names for output, and follows no links in shared folders.
//! [`in_path`] finds programs, but never in the current folder. [`is_privileged`] tells whether the
//! user of the environment is the user of the process at all.

mod output;
mod path;

use std::ffi::{CString, OsStr, OsString};
use std::fs::{DirBuilder, File, Metadata};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::Path;

pub use output::{Output, output};
pub use path::{in_path, path_folders, program};

/// The bits of a mode by which other users may write.
const OTHERS_WRITE: u32 = 0o022;

/// The reason why a folder or file is not trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Distrust {
    #[error("it belongs to user {owner}, not to user {user}")]
    Foreign { owner: u32, user: u32 },
    #[error("other users can write to it (mode {mode:o})")]
    Shared { mode: u32 },
    #[error("it is a link")]
    Link,
    #[error("it is not a folder")]
    NotFolder,
    #[error("it is not a regular file")]
    NotFile,
}

impl From<Distrust> for io::Error {
    fn from(reason: Distrust) -> Self {
        io::Error::new(io::ErrorKind::PermissionDenied, reason)
    }
}

/// Returns the reason of an error, if it is one of this crate.
pub fn distrust(error: &io::Error) -> Option<Distrust> {
    error.get_ref()?.downcast_ref().copied()
}

/// Returns the user as whom the process accesses files.
pub fn user() -> u32 {
    // SAFETY: `geteuid` has no preconditions.
    unsafe { libc::geteuid() }
}

/// Returns whether the process has more rights than its caller, who chooses its environment: its
/// file has the set-user-ID bit or capabilities. Programs must then ignore all variables that name
/// files or programs.
pub fn is_privileged() -> bool {
    // SAFETY: `getauxval` has no preconditions. It reads a number that the kernel set at the start
    // of the process.
    unsafe { libc::getauxval(libc::AT_SECURE) != 0 }
}

/// Checks that only this user can write to the file or folder.
fn check(data: &Metadata) -> Result<(), Distrust> {
    let (owner, user, mode) = (data.uid(), user(), data.mode() & 0o7777);
    match () {
        () if data.is_symlink() => Err(Distrust::Link),
        () if owner != user => Err(Distrust::Foreign { owner, user }),
        () if mode & OTHERS_WRITE != 0 => Err(Distrust::Shared { mode }),
        () => Ok(()),
    }
}

/// A folder that only this user can write to.
#[derive(Debug)]
pub struct Folder(File);

impl Folder {
    /// Opens a folder. The user may have named it by a link.
    pub fn open(path: &Path) -> io::Result<Self> {
        Self::checked(open_at(libc::AT_FDCWD, path.as_os_str(), libc::O_PATH, 0)?)
    }

    /// Opens a folder, and creates it and its parents if they are missing, for the user alone.
    pub fn create(path: &Path) -> io::Result<Self> {
        if !path.is_dir() {
            DirBuilder::new().recursive(true).mode(0o700).create(path)?;
        }
        Self::open(path)
    }

    /// Checks that no other user can replace the folder `path` by another one, for programs that
    /// get the path: its parents belong to the user or to the system, and nobody else may write to
    /// them or, like in `/tmp`, everybody may replace only what belongs to them.
    pub fn check_parents(path: &Path) -> io::Result<()> {
        const STICKY: u32 = 0o1000;
        let path = std::fs::canonicalize(path)?;
        for parent in path.ancestors().skip(1) {
            let data = std::fs::metadata(parent)?;
            let (owner, mode) = (data.uid(), data.mode() & 0o7777);
            if ![0, user()].contains(&owner) {
                return Err(Distrust::Foreign { owner, user: user() }.into());
            }
            if mode & OTHERS_WRITE != 0 && mode & STICKY == 0 {
                return Err(Distrust::Shared { mode }.into());
            }
        }
        Ok(())
    }

    fn checked(folder: File) -> io::Result<Self> {
        let data = folder.metadata()?;
        if !data.is_dir() && !data.is_symlink() {
            return Err(Distrust::NotFolder.into());
        }
        check(&data)?;
        Ok(Self(folder))
    }

    fn open_at(&self, name: &OsStr, flags: i32, mode: u32) -> io::Result<File> {
        open_at(self.0.as_raw_fd(), name, flags | libc::O_NOFOLLOW, mode)
    }

    /// Opens a folder inside of this one.
    pub fn folder(&self, name: impl AsRef<OsStr>) -> io::Result<Self> {
        Self::checked(self.open_at(name.as_ref(), libc::O_PATH, 0)?)
    }

    /// Opens a folder inside of this one, and creates it if it is missing.
    pub fn folder_or_new(&self, name: impl AsRef<OsStr>) -> io::Result<Self> {
        let name = name.as_ref();
        match self.folder(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let text = c_string(name)?;
                // SAFETY: the descriptor is open, and the name is a C string.
                let status = unsafe { libc::mkdirat(self.0.as_raw_fd(), text.as_ptr(), 0o700) };
                match result(status) {
                    // Another process may have been faster.
                    Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
                    _ => self.folder(name),
                }
            }
            opened => opened,
        }
    }

    /// Opens a file for reading.
    pub fn read(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
        // A pipe without a writer would block.
        checked_file(self.open_at(name.as_ref(), libc::O_RDONLY | libc::O_NONBLOCK, 0))
    }

    /// Opens a file for reading and appending, and creates it if it is missing, for the user alone.
    pub fn append(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
        let flags = libc::O_RDWR | libc::O_APPEND | libc::O_CREAT | libc::O_NONBLOCK;
        checked_file(self.open_at(name.as_ref(), flags, 0o600))
    }

    /// Creates a file that does not exist, for the user alone.
    pub fn create_new(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
        let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL;
        self.open_at(name.as_ref(), flags, 0o600)
    }

    /// Returns the metadata of a file or folder inside of this one. Does not check who may write
    /// to it.
    pub fn metadata(&self, name: impl AsRef<OsStr>) -> io::Result<Metadata> {
        self.open_at(name.as_ref(), libc::O_PATH, 0)?.metadata()
    }

    /// Moves a file to another folder, and replaces the file that has this name there.
    pub fn rename(
        &self,
        name: impl AsRef<OsStr>,
        to: &Folder,
        new: impl AsRef<OsStr>,
    ) -> io::Result<()> {
        let (name, new) = (c_string(name.as_ref())?, c_string(new.as_ref())?);
        let (from, to) = (self.0.as_raw_fd(), to.0.as_raw_fd());
        // SAFETY: both descriptors are open, and both names are C strings.
        result(unsafe { libc::renameat(from, name.as_ptr(), to, new.as_ptr()) })
    }

    /// Removes a file, or a link.
    pub fn remove(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
        let name = c_string(name.as_ref())?;
        // SAFETY: the descriptor is open, and the name is a C string.
        result(unsafe { libc::unlinkat(self.0.as_raw_fd(), name.as_ptr(), 0) })
    }

    /// Returns the names of the files and folders in this one, in any order.
    pub fn names(&self) -> io::Result<Vec<OsString>> {
        let flags = libc::O_RDONLY | libc::O_DIRECTORY;
        let folder: OwnedFd = open_at(self.0.as_raw_fd(), OsStr::new("."), flags, 0)?.into();
        // SAFETY: the descriptor is open. If the call succeeds, the list owns the descriptor.
        let list = unsafe { libc::fdopendir(folder.as_raw_fd()) };
        if list.is_null() {
            return Err(io::Error::last_os_error());
        }
        std::mem::forget(folder);
        let mut names = Vec::new();
        loop {
            // SAFETY: the list is open, and only this thread uses it.
            let entry = unsafe { libc::readdir(list) };
            if entry.is_null() {
                break;
            }
            // SAFETY: the name of an entry is a C string, which lives until the next call.
            let name = unsafe { std::ffi::CStr::from_ptr((*entry).d_name.as_ptr()) };
            if ![&b"."[..], b".."].contains(&name.to_bytes()) {
                names.push(OsString::from_vec(name.to_bytes().to_vec()));
            }
        }
        // SAFETY: the list is open and not used afterwards.
        unsafe { libc::closedir(list) };
        Ok(names)
    }
}

fn checked_file(opened: io::Result<File>) -> io::Result<File> {
    let file = match opened {
        Err(error) if error.raw_os_error() == Some(libc::ELOOP) => {
            return Err(Distrust::Link.into());
        }
        opened => opened?,
    };
    let data = file.metadata()?;
    if !data.is_file() {
        return Err(Distrust::NotFile.into());
    }
    check(&data)?;
    Ok(file)
}

fn open_at(folder: RawFd, name: &OsStr, flags: i32, mode: u32) -> io::Result<File> {
    let name = c_string(name)?;
    // SAFETY: the descriptor is open or means the current folder, and the name is a C string.
    let file = unsafe { libc::openat(folder, name.as_ptr(), flags | libc::O_CLOEXEC, mode) };
    if file < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor is new and has no other owner.
    Ok(unsafe { File::from_raw_fd(file) })
}

fn c_string(name: &OsStr) -> io::Result<CString> {
    CString::new(name.as_bytes()).map_err(|_| io::ErrorKind::InvalidInput.into())
}

fn result(status: i32) -> io::Result<()> {
    if status == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

#[cfg(test)]
mod tests;
