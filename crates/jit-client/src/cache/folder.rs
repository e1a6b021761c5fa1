//! The files of the cache: their paths, the way they are written, and the users who may write them.
//!
//! ```text
//! <root>/cpu/<2 digits>/<62 digits>   entries, by the key's hexadecimal digits
//! <root>/cpu/tmp/                     entries being written
//! <root>/cpu/usage, lock              see `eviction`
//! ```
//!
//! Folders have mode 0700 and files mode 0600. Programs load code from here, so the root must
//! belong to the user, and nobody else may write it. Otherwise there is no cache.
//!
//! A writer uses a unique name in `tmp` and renames the file when it is complete. Readers therefore
//! see a whole entry or none, even if several processes write or one dies. A writer locks its file.
//! A store removes the files of [`LEFTOVER_AGE`] that nobody locks: their writers were killed.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::key::Key;

/// The age from which a temporary file without a lock is a leftover. A writer locks its file
/// immediately after it creates it. A writer that needs longer only loses its entry.
pub(super) const LEFTOVER_AGE: Duration = Duration::from_secs(10);
/// The age from which any temporary file is a leftover, for file systems without locks.
const LOCKED_AGE: Duration = Duration::from_secs(600);

pub(crate) struct Folder {
    path: PathBuf,
}

/// The reason why there is no cache.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoCache {
    #[error("switched off")]
    SwitchedOff,
    #[error("neither {variable} nor HOME names a folder")]
    NoFolder { variable: &'static str },
    #[error("cannot create the folder '{}': {source}", path.display())]
    Create { path: PathBuf, source: io::Error },
    #[error("cannot use the folder '{}': {source}", path.display())]
    Use { path: PathBuf, source: io::Error },
    #[error("'{}' is not a folder", path.display())]
    NotFolder { path: PathBuf },
    #[error("the folder '{}' belongs to user {owner}, not to user {user}", path.display())]
    Foreign { path: PathBuf, owner: u32, user: u32 },
    #[error("other users can write to the folder '{}' (mode {mode:o})", path.display())]
    Shared { path: PathBuf, mode: u32 },
}

impl Folder {
    /// Opens the cache under `root`, and creates the folder if necessary.
    pub(crate) fn open(root: &Path) -> Result<Self, NoCache> {
        let path = root.to_owned();
        if let Err(source) = make(root) {
            return Err(NoCache::Create { path, source });
        }
        let metadata = match fs::metadata(root) {
            Ok(metadata) => metadata,
            Err(source) => return Err(NoCache::Use { path, source }),
        };
        // SAFETY: `geteuid` has no preconditions.
        let user = unsafe { libc::geteuid() };
        let (owner, mode) = (metadata.uid(), metadata.mode() & 0o7777);
        if !metadata.is_dir() {
            return Err(NoCache::NotFolder { path });
        }
        if owner != user {
            return Err(NoCache::Foreign { path, owner, user });
        }
        if mode & 0o022 != 0 {
            return Err(NoCache::Shared { path, mode });
        }
        Ok(Self { path: root.join("cpu") })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn entry(&self, key: &Key) -> PathBuf {
        let digits = key.to_string();
        let (shard, name) = digits.split_at(2);
        self.path.join(shard).join(name)
    }

    fn temporary(&self) -> PathBuf {
        self.path.join("tmp")
    }

    /// Atomically replaces `target` by a file of these parts.
    pub(crate) fn replace<'a>(
        &self,
        target: &Path,
        parts: impl IntoIterator<Item = &'a [u8]>,
    ) -> io::Result<()> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let folder = self.temporary();
        make(&folder)?;
        if let Some(parent) = target.parent() {
            make(parent)?;
        }
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        // Processes of different machines or containers may share a number, so the name may be
        // taken.
        let stamp = std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_nanos());
        let path = folder.join(format!("{}-{count}-{stamp}", std::process::id()));
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        let unfinished = Unfinished(&path);
        // Without a lock, other processes may remove the file when it is old.
        let _ = file.try_lock();
        for part in parts {
            file.write_all(part)?;
        }
        fs::rename(&path, target)?;
        std::mem::forget(unfinished);
        Ok(())
    }

    /// Removes the files that dead processes left behind.
    pub(crate) fn remove_leftovers(&self) {
        let Ok(list) = fs::read_dir(self.temporary()) else { return };
        for file in list.flatten() {
            let age = file
                .metadata()
                .and_then(|data| data.modified())
                .map(|time| time.elapsed().unwrap_or_default());
            let is_left = |age| {
                let unlocked = || File::open(file.path()).is_ok_and(|file| file.try_lock().is_ok());
                age > LOCKED_AGE || (age > LEFTOVER_AGE && unlocked())
            };
            if age.is_ok_and(is_left) {
                let _ = fs::remove_file(file.path());
            }
        }
    }
}

/// A temporary file, removed unless it is forgotten.
struct Unfinished<'a>(&'a Path);

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        let _ = fs::remove_file(self.0);
    }
}

/// Creates a folder and its parents for the user alone. A folder that exists is not changed.
fn make(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Opens a file of the cache for reading and appending, and creates it if necessary.
pub(super) fn open_for_append(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path)
}

/// Returns whether the process may write a file of this size. The system ends a process that
/// exceeds its limit.
pub(super) fn may_write(bytes: u64) -> bool {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is writable.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &mut limit) } == 0;
    !known || bytes <= limit.rlim_cur
}
