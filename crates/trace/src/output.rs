//! The file of the timeline. It contains whole events at any time.
//!
//! One process at a time writes a file: another process that has the same name gets a file with
//! its number in the name. If a write fails, the file ends after the last event that fits.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};

/// The file, for forked processes.
struct Open {
    /// -1 if there is none.
    descriptor: AtomicI32,
    device: AtomicU64,
    number: AtomicU64,
}

static OPEN: Open =
    Open { descriptor: AtomicI32::new(-1), device: AtomicU64::new(0), number: AtomicU64::new(0) };

/// Closes the file in a forked process, in which nothing uses it. Calls only functions that signal
/// handlers may call.
pub(crate) fn close_fork() {
    let descriptor = OPEN.descriptor.swap(-1, Ordering::AcqRel);
    if descriptor < 0 {
        return;
    }
    // SAFETY: the structure is plain data, which the call fills.
    let (status, data) = unsafe {
        let mut data: libc::stat = std::mem::zeroed();
        (libc::fstat(descriptor, &mut data), data)
    };
    let known = (OPEN.device.load(Ordering::Relaxed), OPEN.number.load(Ordering::Relaxed));
    // The program may have closed the file, and opened another one with the same number.
    if status == 0 && (data.st_dev, data.st_ino) == known {
        // SAFETY: the thread that owns the file does not exist in a forked process.
        unsafe { libc::close(descriptor) };
    }
}

/// Returns the number of events in a part of the text. Each one has a line.
pub(crate) fn count_events(text: &[u8]) -> u64 {
    text.split(|&byte| byte == b'\n').filter(|line| line.starts_with(b"{")).count() as u64
}

use scythe_own_files as own;

/// A write that failed.
#[derive(Debug)]
pub(crate) struct Failed {
    pub error: io::Error,
    /// The number of events that were written before.
    pub events: u64,
}

impl Failed {
    fn before(error: io::Error) -> Self {
        Self { error, events: 0 }
    }
}

pub(crate) struct Output {
    file: File,
    path: PathBuf,
    /// The device and the number of the file.
    identity: (u64, u64),
    /// The bytes in the file, if it can be cut.
    length: Option<u64>,
}

impl Output {
    /// Creates the file, or replaces its contents.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        match Self::lock(path) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                Self::lock(&path.with_extension(format!("{}.json", std::process::id())))
            }
            other => other,
        }
    }

    fn lock(path: &Path) -> io::Result<Self> {
        // Otherwise a pipe that nobody reads would block the program.
        let file = own::Output { nonblocking: true, ..own::Output::default() }.open(path)?;
        // SAFETY: the file is open.
        if unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) } != 0 {
            return Err(io::Error::last_os_error());
        }
        let data = file.metadata()?;
        let kind = data.file_type();
        if !kind.is_file() && !kind.is_char_device() && !kind.is_fifo() {
            return Err(io::Error::other("it is not a file"));
        }
        // SAFETY: the file is open. Later writes may wait for the reader of a pipe.
        unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETFL, 0) };
        let length = kind.is_file().then_some(0);
        if length.is_some() {
            file.set_len(0)?;
        }
        Ok(Self { file, path: path.to_owned(), identity: (data.dev(), data.ino()), length })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Appends events. After an error, the file has those that fit, and the text before the first
    /// event.
    pub(crate) fn append(&mut self, text: &str) -> Result<(), Failed> {
        // A program that closes all files may have opened another file with the same number.
        let data = self.file.metadata().map_err(Failed::before)?;
        if (data.dev(), data.ino()) != self.identity {
            return Err(Failed::before(io::Error::other("the program has closed it")));
        }
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            match self.file.write(rest) {
                Ok(0) => return Err(self.cut(text, rest.len(), io::ErrorKind::WriteZero.into())),
                Ok(count) => rest = &rest[count..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.cut(text, rest.len(), error)),
            }
        }
        if let Some(length) = &mut self.length {
            *length += text.len() as u64;
        }
        Ok(())
    }

    /// Ends the file after the last whole event, if the last `rest` bytes of `text` do not fit.
    fn cut(&self, text: &str, rest: usize, error: io::Error) -> Failed {
        let Some(length) = self.length else { return Failed::before(error) };
        let written = &text.as_bytes()[..text.len() - rest];
        // A separator precedes each event but the first.
        let end = written.windows(2).rposition(|pair| pair == b",\n").unwrap_or(0);
        let _ = self.file.set_len(length + end as u64);
        Failed { error, events: count_events(&written[..end]) }
    }

    /// Makes forked processes close the file, which would stay locked until they end.
    pub(crate) fn close_in_forks(&self) {
        OPEN.device.store(self.identity.0, Ordering::Relaxed);
        OPEN.number.store(self.identity.1, Ordering::Relaxed);
        OPEN.descriptor.store(self.file.as_raw_fd(), Ordering::Release);
    }

    /// Removes the file.
    pub(crate) fn discard(self) {
        if self.length.is_some() {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_writers_have_two_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("t.json");
        std::fs::write(&path, "the contents of an earlier run").expect("written");
        let mut first = Output::create(&path).expect("created");
        let second = Output::create(&path).expect("created");
        let name = format!("t.{}.json", std::process::id());
        assert_eq!(second.path(), folder.path().join(name));
        first.append("[1").expect("written");
        assert_eq!(std::fs::read_to_string(&path).expect("read"), "[1");
        second.discard();
        assert_eq!(std::fs::read_dir(folder.path()).expect("read").count(), 1);
    }

    #[test]
    fn a_failed_write_leaves_whole_events() {
        let mut full = Output::create(Path::new("/dev/full")).expect("opened");
        let failed = full.append("[").expect_err("no space");
        assert_eq!(failed.error.kind(), io::ErrorKind::StorageFull);
        let folder = tempfile::tempdir().expect("a folder");
        assert!(Output::create(folder.path()).is_err());
        assert!(Output::create(&folder.path().join("missing/t.json")).is_err());
        let pipe = folder.path().join("pipe.json");
        let name = std::ffi::CString::new(pipe.to_string_lossy().as_bytes()).expect("a name");
        // SAFETY: the name is a C string.
        assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
        assert!(Output::create(&pipe).is_err(), "nobody reads the pipe");
    }
}
