//! Reads the entries of a cache for tools. Programs may use the cache at the same time.

use std::io;
use std::path::{Path, PathBuf};

use crate::cache::{Damage, Entry, Key, read_at_most};

/// The hexadecimal digits in the names of the folders and of the files in them.
const SHARD_DIGITS: usize = 2;
const NAME_DIGITS: usize = 62;

/// A result of a compiler that a cache contains.
pub struct CachedCode {
    entry: Entry,
}

/// The reason why a file is not an entry.
#[derive(Debug, thiserror::Error)]
pub enum NotAnEntry {
    #[error("cannot read: {0}")]
    Unreadable(#[from] io::Error),
    #[error("damaged entry of the cache: {0}")]
    Damaged(String),
}

fn damaged(damage: Damage) -> NotAnEntry {
    NotAnEntry::Damaged(damage.to_string())
}

impl CachedCode {
    /// Reads an entry. Returns `None` if the bytes do not begin like one.
    pub fn decode(bytes: Vec<u8>) -> Option<Result<Self, NotAnEntry>> {
        let key = Key::in_entry(&bytes)?;
        let entry = Entry::decode(bytes, &key).map_err(damaged);
        Some(entry.map(|entry| Self { entry }))
    }

    /// Reads a file of [`list`]. Returns `None` if the file no longer exists.
    pub fn read(path: &Path) -> Result<Option<Self>, NotAnEntry> {
        let bytes = match read_at_most(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let short = damaged(Damage::Short(bytes.len()));
        Self::decode(bytes).ok_or(short)?.map(Some)
    }

    /// Returns the code: an x86-64 object, SPIR-V, PTX, bitcode, or a device image.
    pub fn code(&self) -> &[u8] {
        self.entry.object()
    }

    /// Returns the file of the LLVM that made the code, if it is known.
    pub fn compiler(&self) -> Option<&Path> {
        self.entry.compiler().map(|compiler| compiler.path())
    }
}

/// Returns the files of the entries in a folder of a cache, in alphabetical order. `folder` is what
/// `SYCL_CACHE_DIR` names, or the folder inside of it. Returns `None` for another folder.
pub fn list(folder: &Path) -> io::Result<Option<Vec<PathBuf>>> {
    let inner = folder.join("cpu");
    let folder = if inner.is_dir() { &inner } else { folder };
    let is_name = |name: &str, digits: usize| {
        name.len() == digits && name.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    let children = |folder: &Path, digits: usize| -> io::Result<Vec<PathBuf>> {
        let mut found = Vec::new();
        for child in std::fs::read_dir(folder)? {
            let child = child?;
            let is_kind = child.file_type()?.is_dir() == (digits == SHARD_DIGITS);
            if is_kind && child.file_name().to_str().is_some_and(|name| is_name(name, digits)) {
                found.push(child.path());
            }
        }
        found.sort();
        Ok(found)
    };
    let shards = children(folder, SHARD_DIGITS)?;
    if shards.is_empty() && folder != inner {
        return Ok(None);
    }
    let mut files = Vec::new();
    for shard in shards {
        match children(&shard, NAME_DIGITS) {
            Ok(found) => files.extend(found),
            // Another process removed the folder.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(Some(files))
}
