//! Files that a user names for output.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use crate::{Distrust, OTHERS_WRITE, user};

/// Opens a file for output, which replaces the contents of the file if it exists. In a folder to
/// which other users may write, such as `/tmp`, the file must not be a link, and must belong to the
/// user: another user may have put it there.
pub fn output(path: &Path) -> io::Result<File> {
    let file = Output::default().open(path)?;
    if file.metadata()?.is_file() {
        file.set_len(0)?;
    }
    Ok(file)
}

/// The way in which a file is opened for output.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    /// Whether the file can be read as well.
    pub read: bool,
    /// Whether the call fails instead of waiting, if the file is a pipe without a reader.
    pub nonblocking: bool,
    /// The mode of a new file, without the bits of the process's mask.
    pub mode: u32,
}

impl Default for Output {
    fn default() -> Self {
        Self { read: false, nonblocking: false, mode: 0o666 }
    }
}

impl Output {
    /// Opens a file like [`output`], but keeps its contents.
    pub fn open(self, path: &Path) -> io::Result<File> {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let folder = std::fs::metadata(folder)?;
        let is_own = folder.mode() & OTHERS_WRITE == 0 && [0, user()].contains(&folder.uid());
        // A pipe that another user put there would block the program.
        let nonblocking = if self.nonblocking || !is_own { libc::O_NONBLOCK } else { 0 };
        let follow = if is_own { 0 } else { libc::O_NOFOLLOW };
        let mut options = OpenOptions::new();
        options.read(self.read).write(true).create(true).truncate(false).mode(self.mode);
        options.custom_flags(nonblocking | follow);
        let file = options.open(path).map_err(|error| match error.raw_os_error() {
            Some(libc::ELOOP) => Distrust::Link.into(),
            _ => error,
        })?;
        if is_own {
            return Ok(file);
        }
        let data = file.metadata()?;
        if !data.is_file() {
            return Err(Distrust::NotFile.into());
        }
        // Another user may have made a second name for a file of this user.
        if data.uid() != user() || data.nlink() > 1 {
            return Err(Distrust::Foreign { owner: data.uid(), user: user() }.into());
        }
        Ok(file)
    }
}
