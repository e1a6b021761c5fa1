//! Reads what `inspect` inspects: a file of limited size, or the folder of a cache.

use crate::Failure;
use crate::errors::{NotRegular, TooLarge};
use crate::files::{file_error, unreadable};
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// The maximum size of a file.
const MAX_BYTES: u64 = 4 << 30;

/// The contents of an input.
pub enum Input {
    File(Vec<u8>),
    Folder,
}

/// Reads an input. Devices, pipes and sockets are refused, because their end is not known.
pub fn read(path: &str) -> Result<Input, Failure> {
    let fail = |error| unreadable(path, &error);
    if Path::new(path).is_dir() {
        return Ok(Input::Folder);
    }
    // Opening a pipe would wait for its writer.
    let data = std::fs::metadata(path).map_err(fail)?;
    let kind = data.file_type();
    let what = match () {
        () if kind.is_file() => None,
        () if kind.is_fifo() => Some("a pipe"),
        () if kind.is_socket() => Some("a socket"),
        () => Some("a device"),
    };
    if let Some(what) = what {
        return Err(file_error(path, &NotRegular { what }));
    }
    let too_large = || file_error(path, &TooLarge { limit: MAX_BYTES >> 30 });
    if data.len() > MAX_BYTES {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(data.len() as usize);
    // The size of a file in /proc is not known, and a file may grow.
    let file = File::open(path).map_err(fail)?;
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(fail)?;
    if bytes.len() as u64 > MAX_BYTES { Err(too_large()) } else { Ok(Input::File(bytes)) }
}

/// Reads a file that another file names.
pub fn read_file(path: &str) -> Result<Vec<u8>, Failure> {
    match read(path)? {
        Input::File(bytes) => Ok(bytes),
        Input::Folder => Err(file_error(path, &NotRegular { what: "a folder" })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_without_an_end_are_refused() {
        let refused = |path: &str| read(path).err().expect("it is refused").to_string();
        assert!(refused("/dev/zero").starts_with("/dev/zero: error: it is a device, "));
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.is_ok_and(|status| status.success()));
        assert!(refused(pipe.to_str().unwrap()).contains("it is a pipe"));
        let huge = folder.path().join("huge");
        File::create(&huge).unwrap().set_len(MAX_BYTES + 1).unwrap();
        assert!(refused(huge.to_str().unwrap()).contains("larger than 4 GiB"));
        assert!(refused("/nowhere").contains("No such file"));
        assert!(matches!(read("/").ok(), Some(Input::Folder)));
    }
}
