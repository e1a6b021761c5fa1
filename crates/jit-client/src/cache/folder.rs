//! The files of the cache: their paths, the way they are written, and the users who may write them.
//!
//! ```text
//! <root>/cpu/<2 digits>/<62 digits>   entries, by the key's hexadecimal digits
//! <root>/cpu/tmp/                     entries being written
//! <root>/cpu/usage, lock              see `eviction`
//! ```
//!
//! Folders have mode 0700 and files mode 0600. Programs load code from here, so folders and entries
//! must belong to the user, and nobody else may write to them (`scythe_own_files`). Each operation
//! begins with the root and follows no links inside of it. A root that is not trusted is no cache,
//! and an entry that is not trusted is removed.
//!
//! A writer uses a unique name in `tmp` and renames the file when it is complete. Readers therefore
//! see a whole entry or none, even if several processes write or one dies. A writer locks its file.
//! A store removes the files of [`LEFTOVER_AGE`] that nobody locks: their writers were killed.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use scythe_own_files as own;

use super::contents;
use super::key::Key;

/// The age from which a temporary file without a lock is a leftover. A writer locks its file
/// immediately after it creates it. A writer that needs longer only loses its entry.
pub(super) const LEFTOVER_AGE: Duration = Duration::from_secs(10);
/// The age from which any temporary file is a leftover, for file systems without locks.
const LOCKED_AGE: Duration = Duration::from_secs(600);

/// The folder of the entries in the root.
const ENTRIES: &str = "cpu";
/// The folder of unfinished files.
const TEMPORARY: &str = "tmp";

pub(crate) struct Folder {
    root: PathBuf,
}

/// The reason why there is no cache.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoCache {
    #[error("switched off")]
    SwitchedOff,
    #[error("neither {variable} nor HOME names a folder")]
    NoFolder { variable: &'static str },
    #[error("cannot use the folder '{}': {source}", path.display())]
    Use { path: PathBuf, source: io::Error },
}

impl Folder {
    /// Opens the cache under `root`, and creates the folder if necessary.
    pub(crate) fn open(root: &Path) -> Result<Self, NoCache> {
        match own::Folder::create(root) {
            Ok(_) => Ok(Self { root: root.to_owned() }),
            Err(source) => Err(NoCache::Use { path: root.to_owned(), source }),
        }
    }

    /// Opens the folder of the entries.
    pub(super) fn entries(&self) -> io::Result<own::Folder> {
        own::Folder::open(&self.root)?.folder(ENTRIES)
    }

    /// Does the same, and creates the folder if it is missing.
    fn entries_or_new(&self) -> io::Result<own::Folder> {
        own::Folder::create(&self.root)?.folder_or_new(ENTRIES)
    }

    /// Opens a file of the cache for reading and appending, and creates it if necessary.
    pub(super) fn append(&self, name: &str) -> io::Result<File> {
        self.entries_or_new()?.append(name)
    }

    /// Reads the bytes of an entry and marks the entry as used now.
    pub(super) fn read(&self, key: &Key) -> io::Result<Vec<u8>> {
        let (shard, name) = place(key);
        let file = self.entries()?.folder(shard)?.read(name)?;
        let bytes = contents(&file)?;
        // This fails in a cache that can only be read, which is fine.
        let _ = file.set_modified(SystemTime::now());
        Ok(bytes)
    }

    /// Removes an entry.
    pub(super) fn remove(&self, key: &Key) -> io::Result<()> {
        let (shard, name) = place(key);
        self.entries()?.folder(shard)?.remove(name)
    }

    /// Atomically replaces an entry by a file of these parts.
    pub(super) fn store<'a>(
        &self,
        key: &Key,
        parts: impl IntoIterator<Item = &'a [u8]>,
    ) -> io::Result<()> {
        let (shard, name) = place(key);
        let entries = self.entries_or_new()?;
        replace(&entries, &entries.folder_or_new(shard)?, &name, parts)
    }

    /// Atomically replaces a file beside the entries.
    pub(super) fn replace(&self, name: &str, contents: &[u8]) -> io::Result<()> {
        let entries = self.entries_or_new()?;
        replace(&entries, &entries, name, [contents])
    }

    /// Removes the files that dead processes left behind.
    pub(crate) fn remove_leftovers(&self) {
        let Ok(folder) = self.entries().and_then(|entries| entries.folder(TEMPORARY)) else {
            return;
        };
        for name in folder.names().unwrap_or_default() {
            let age = folder
                .metadata(&name)
                .and_then(|data| data.modified())
                .map(|time| time.elapsed().unwrap_or_default());
            let is_left = |age| {
                let unlocked = || folder.read(&name).is_ok_and(|file| file.try_lock().is_ok());
                age > LOCKED_AGE || (age > LEFTOVER_AGE && unlocked())
            };
            if age.is_ok_and(is_left) {
                let _ = folder.remove(&name);
            }
        }
    }

    /// Returns the path of the entries, for tests.
    #[cfg(test)]
    pub(crate) fn path(&self) -> PathBuf {
        self.root.join(ENTRIES)
    }

    /// Returns the path of an entry, for tests.
    #[cfg(test)]
    pub(crate) fn entry(&self, key: &Key) -> PathBuf {
        let (shard, name) = place(key);
        self.path().join(shard).join(name)
    }
}

/// Returns the folder and the name of an entry.
fn place(key: &Key) -> (String, String) {
    let mut shard = key.to_string();
    let name = shard.split_off(2);
    (shard, name)
}

/// Atomically replaces a file of `folder` by one of these parts. It is written among the unfinished
/// files of `entries`.
fn replace<'a>(
    entries: &own::Folder,
    folder: &own::Folder,
    name: &str,
    parts: impl IntoIterator<Item = &'a [u8]>,
) -> io::Result<()> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let temporary = entries.folder_or_new(TEMPORARY)?;
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    // Processes of different machines or containers may share a number, so the name may be taken.
    let stamp = SystemTime::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_nanos());
    let unfinished = format!("{}-{count}-{stamp}", std::process::id());
    let mut file = temporary.create_new(&unfinished)?;
    let guard = Unfinished { folder: &temporary, name: &unfinished };
    // Without a lock, other processes may remove the file when it is old.
    let _ = file.try_lock();
    for part in parts {
        file.write_all(part)?;
    }
    temporary.rename(&unfinished, folder, name)?;
    std::mem::forget(guard);
    Ok(())
}

/// A temporary file, removed unless it is forgotten.
struct Unfinished<'a> {
    folder: &'a own::Folder,
    name: &'a str,
}

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        let _ = self.folder.remove(self.name);
    }
}

/// Returns whether the process may write a file of this size. The system ends a process that
/// exceeds its limit.
pub(super) fn may_write(bytes: u64) -> bool {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is writable.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &mut limit) } == 0;
    !known || bytes <= limit.rlim_cur
}
