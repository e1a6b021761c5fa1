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
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let data = std::fs::metadata(folder)?;
    let mut options = OpenOptions::new();
    options.write(true).create(true);
    if data.mode() & OTHERS_WRITE == 0 && [0, user()].contains(&data.uid()) {
        return options.truncate(true).open(path);
    }
    // A pipe without a reader would block.
    options.truncate(false).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    let file = options.open(path).map_err(|error| match error.raw_os_error() {
        Some(libc::ELOOP) => Distrust::Link.into(),
        _ => error,
    })?;
    let data = file.metadata()?;
    if !data.is_file() {
        return Err(Distrust::NotFile.into());
    }
    if data.uid() != user() {
        return Err(Distrust::Foreign { owner: data.uid(), user: user() }.into());
    }
    file.set_len(0)?;
    Ok(file)
}
