//! The folder in which a source text is compiled. It belongs to this user alone, and it is removed
//! when its value is dropped. The file `lock` in it is locked as long as the process lives; folders
//! of processes that were killed are removed by the next process.

use std::fs::{self, DirBuilder, File};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::{Errc, Error, Result};

const PREFIX: &str = "scythe-source-";
/// The age from which a folder without a lock is a leftover. A process locks its folder immediately
/// after it creates it.
const LEFTOVER_AGE: Duration = Duration::from_secs(10);

pub struct Scratch {
    path: PathBuf,
    _lock: File,
}

impl Scratch {
    /// Creates a folder in `TMPDIR` or `/tmp`.
    pub fn create() -> Result<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        static LEFTOVERS: Once = Once::new();
        let variable = std::env::var_os("TMPDIR").map(PathBuf::from);
        let base = variable.filter(|folder| folder.is_absolute()).unwrap_or_else(|| "/tmp".into());
        LEFTOVERS.call_once(|| remove_leftovers(&base));
        loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let path = base.join(format!("{PREFIX}{}-{count}", std::process::id()));
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Self::of(path),
                // A process of another container may have the same number.
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(failure(&path, &error)),
            }
        }
    }

    fn of(path: PathBuf) -> Result<Self> {
        let lock = File::create(path.join("lock")).map_err(|error| failure(&path, &error))?;
        // On a file system without locks, another process may remove the folder when it is old.
        let _ = lock.try_lock();
        let scratch = Self { path, _lock: lock };
        DirBuilder::new()
            .mode(0o700)
            .create(scratch.sources())
            .map_err(|error| failure(scratch.path(), &error))?;
        Ok(scratch)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the folder for the source and the files that it includes by relative names.
    pub fn sources(&self) -> PathBuf {
        self.path.join("sources")
    }

    /// Writes a file, and makes its folder.
    pub fn write(&self, path: &Path, contents: &[u8]) -> Result<()> {
        let folder = path.parent().unwrap_or(&self.path);
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(path, contents))
            .map_err(|error| failure(path, &error))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // If this fails, a later process removes the folder.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Removes the folders of processes that were killed.
fn remove_leftovers(base: &Path) {
    // SAFETY: `geteuid` has no preconditions.
    let user = unsafe { libc::geteuid() };
    for entry in fs::read_dir(base).into_iter().flatten().flatten() {
        if !entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes()) {
            continue;
        }
        let Ok(data) = fs::symlink_metadata(entry.path()) else { continue };
        let age = data.modified().ok().and_then(|time| time.elapsed().ok()).unwrap_or_default();
        if !data.is_dir() || data.uid() != user || age < LEFTOVER_AGE {
            continue;
        }
        // A folder without a lock file was never finished, or is being removed.
        let lock = File::open(entry.path().join("lock"));
        if lock.is_ok_and(|lock| lock.try_lock().is_err()) {
            continue;
        }
        let _ = fs::remove_dir_all(entry.path());
    }
}

fn failure(path: &Path, error: &std::io::Error) -> Error {
    Error::new(
        Errc::Build,
        format!(
            "cannot write '{}' to compile source text: {error}; the variable TMPDIR chooses \
             another folder",
            path.display()
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_differ_and_leftovers_vanish() {
        let (a, b) = (Scratch::create().expect("a folder"), Scratch::create().expect("a folder"));
        assert_ne!(a.path(), b.path());
        let mode = fs::metadata(a.path()).expect("the folder").mode();
        assert_eq!(mode & 0o777, 0o700);
        let base = a.path().join("base");
        let left = base.join(format!("{PREFIX}0-0"));
        a.write(&left.join("lock"), b"").expect("a file");
        remove_leftovers(&base);
        assert!(left.exists(), "a new folder may still be locked");
        let old = std::time::SystemTime::now() - 2 * LEFTOVER_AGE;
        File::open(&left).expect("the folder").set_modified(old).expect("its time");
        let lock = File::open(left.join("lock")).expect("the lock");
        lock.try_lock().expect("nobody else locks it");
        remove_leftovers(&base);
        assert!(left.exists(), "the folder is locked");
        drop(lock);
        remove_leftovers(&base);
        assert!(!left.exists());
        let path = a.path().to_owned();
        drop(a);
        assert!(!path.exists() && b.path().exists());
    }
}
