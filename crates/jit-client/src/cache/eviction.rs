//! Keeps the cache within its size: when entries grow past the limit together, the least recently used go.
//!
//! An entry's time of last change is when it was last used. To look at all of them at each store would be slow, so the
//! file `usage` keeps account: its first number is the total that the last scan found, each further one what a store
//! added. Only when the sum passes the limit, or after [`RECORDS`] stores, someone scans, removes, and starts the
//! account again. The lock is held by the one process that scans; others go on without.
//!
//! The account may be wrong: processes die, stores happen during a scan, entries are replaced. Then a scan comes too
//! early or somewhat late; it never relies on the account.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::folder::{Folder, open_for_append};

/// Stores between two scans, at most.
const RECORDS: u64 = 1024;
const RECORD: usize = 8;
/// No account is longer.
pub(super) const ACCOUNT_BYTES: u64 = (RECORDS + 2) * RECORD as u64;

/// What a scan did.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Evicted {
    pub(crate) entries: usize,
    pub(crate) bytes: u64,
}

/// Accounts for an entry of `added` bytes, and makes room if there is too much.
pub(crate) fn account(folder: &Folder, added: u64, max_bytes: u64) -> io::Result<Evicted> {
    if max_bytes == u64::MAX {
        return Ok(Evicted::default());
    }
    let mut usage = open_for_append(&usage_file(folder))?;
    let total = read(&mut usage)?.map(|total| total.saturating_add(added));
    usage.write_all(&added.to_le_bytes())?;
    match total {
        Some(total) if total <= max_bytes => Ok(Evicted::default()),
        _ => evict(folder, max_bytes),
    }
}

/// The sum of the account; `None` when it is time to count.
fn read(usage: &mut File) -> io::Result<Option<u64>> {
    let length = usage.metadata()?.len();
    if length == 0 || length % RECORD as u64 != 0 || length > RECORDS * RECORD as u64 {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    usage.read_to_end(&mut bytes)?;
    let (records, _) = bytes.as_chunks::<RECORD>();
    Ok(Some(records.iter().fold(0, |sum: u64, record| sum.saturating_add(u64::from_le_bytes(*record)))))
}

/// Scans, and removes the least recently used entries until an eighth of the limit is free.
pub(crate) fn evict(folder: &Folder, max_bytes: u64) -> io::Result<Evicted> {
    let lock = open_for_append(&folder.path().join("lock"))?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(fs::TryLockError::WouldBlock) => return Ok(Evicted::default()),
        Err(fs::TryLockError::Error(error)) => return Err(error),
    }
    let mut entries = scan(folder.path())?;
    let mut total: u64 = entries.iter().map(|entry| entry.bytes).sum();
    let mut evicted = Evicted::default();
    if total > max_bytes {
        entries.sort_by(|a, b| (a.used, &a.path).cmp(&(b.used, &b.path)));
        for entry in &entries {
            if total <= max_bytes - max_bytes / 8 {
                break;
            }
            if fs::remove_file(&entry.path).is_ok() {
                evicted.entries += 1;
                evicted.bytes += entry.bytes;
            }
            total -= entry.bytes;
        }
    }
    folder.replace(&usage_file(folder), [total.to_le_bytes().as_slice()])?;
    Ok(evicted)
}

fn usage_file(folder: &Folder) -> PathBuf {
    folder.path().join("usage")
}

struct Found {
    path: PathBuf,
    bytes: u64,
    used: SystemTime,
}

/// All entries; files that others put here are none.
fn scan(folder: &Path) -> io::Result<Vec<Found>> {
    let mut found = Vec::new();
    for shard in fs::read_dir(folder)?.flatten().filter(|shard| is_hexadecimal(&shard.file_name(), 2)) {
        let Ok(files) = fs::read_dir(shard.path()) else { continue };
        for file in files.flatten().filter(|file| is_hexadecimal(&file.file_name(), 62)) {
            // One that is gone by now needs no room.
            let Ok(metadata) = file.metadata() else { continue };
            if let (true, Ok(used)) = (metadata.is_file(), metadata.modified()) {
                found.push(Found { path: file.path(), bytes: metadata.len(), used });
            }
        }
    }
    Ok(found)
}

fn is_hexadecimal(name: &std::ffi::OsStr, digits: usize) -> bool {
    let name = name.as_encoded_bytes();
    name.len() == digits && name.iter().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f'))
}
