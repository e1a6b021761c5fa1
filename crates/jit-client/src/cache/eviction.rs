//! The size limit of the cache: if the entries exceed it, the least recently used entries are
//! removed.
//!
//! The modification time of an entry is the time of its last use. A scan of all entries at each
//! store would be slow, so the file `usage` keeps an account. Its first number is the total of the
//! last scan, and each later number is the size that one store added. A process scans only if the
//! sum exceeds the limit, or after [`RECORDS`] stores. It then removes entries and starts a new
//! account. It holds the lock meanwhile; other processes continue without scanning.
//!
//! The account may be wrong, because processes die, stores happen during a scan, and entries are
//! replaced. The next scan is then too early or somewhat late. A scan does not rely on the account.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::folder::{Folder, open_for_append};

/// The largest number of stores between two scans.
const RECORDS: u64 = 1024;
const RECORD: usize = 8;
/// The largest size of an account.
pub(super) const ACCOUNT_BYTES: u64 = (RECORDS + 2) * RECORD as u64;

/// The result of a scan.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Evicted {
    pub(crate) entries: usize,
    pub(crate) bytes: u64,
}

/// Adds an entry of `added` bytes to the account, and removes entries if the limit is passed.
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

/// Returns the sum of the account, or `None` if a scan is due.
fn read(usage: &mut File) -> io::Result<Option<u64>> {
    let length = usage.metadata()?.len();
    if length == 0 || length % RECORD as u64 != 0 || length > RECORDS * RECORD as u64 {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    usage.read_to_end(&mut bytes)?;
    let (records, _) = bytes.as_chunks::<RECORD>();
    Ok(Some(
        records.iter().fold(0, |sum: u64, record| sum.saturating_add(u64::from_le_bytes(*record))),
    ))
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

/// Returns all entries. Other files are ignored.
fn scan(folder: &Path) -> io::Result<Vec<Found>> {
    let mut found = Vec::new();
    for shard in
        fs::read_dir(folder)?.flatten().filter(|shard| is_hexadecimal(&shard.file_name(), 2))
    {
        let Ok(files) = fs::read_dir(shard.path()) else { continue };
        for file in files.flatten().filter(|file| is_hexadecimal(&file.file_name(), 62)) {
            // A removed entry takes no space.
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
