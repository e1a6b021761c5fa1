//! The files of the cache: where they are, how they are written, and who may write them.
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
//! see a whole entry or none, even if several processes write or one dies. The first store after
//! [`LEFTOVER_AGE`] removes the files that dead processes left in `tmp`.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::key::Key;

/// Writing takes milliseconds. A writer that needs longer than this only loses its entry.
pub(super) const LEFTOVER_AGE: Duration = Duration::from_secs(600);

pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Opens the cache under `root`, and creates the folder if necessary. An error says why there
    /// is no cache.
    pub(crate) fn open(root: &Path) -> Result<Self, String> {
        let shown = root.display();
        make(root).map_err(|error| format!("cannot create the folder '{shown}': {error}"))?;
        let metadata = fs::metadata(root)
            .map_err(|error| format!("cannot use the folder '{shown}': {error}"))?;
        // SAFETY: the call has no precondition.
        let user = unsafe { libc::geteuid() };
        if !metadata.is_dir() {
            return Err(format!("'{shown}' is not a folder"));
        }
        if metadata.uid() != user {
            return Err(format!(
                "the folder '{shown}' belongs to user {}, not to user {user}",
                metadata.uid()
            ));
        }
        if metadata.mode() & 0o022 != 0 {
            return Err(format!(
                "other users can write to the folder '{shown}' (mode {:o})",
                metadata.mode() & 0o7777
            ));
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

    /// Replaces `target` with a file of these parts, in one step.
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
        for part in parts {
            file.write_all(part)?;
        }
        drop(file);
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
            if age.is_ok_and(|age| age > LEFTOVER_AGE) {
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

/// Whether the process may write a file of this size. Beyond its limit, the system ends the
/// process.
pub(super) fn may_write(bytes: u64) -> bool {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the limit is a valid place for the answer.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &mut limit) } == 0;
    !known || bytes <= limit.rlim_cur
}
