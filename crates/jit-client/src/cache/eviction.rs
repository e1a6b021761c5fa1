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

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::time::SystemTime;

use scythe_own_files as own;

use super::folder::Folder;

/// The name of the account.
const USAGE: &str = "usage";

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
    let mut usage = folder.append(USAGE)?;
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
    let lock = folder.append("lock")?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(fs::TryLockError::WouldBlock) => return Ok(Evicted::default()),
        Err(fs::TryLockError::Error(error)) => return Err(error),
    }
    let files = folder.entries()?;
    let mut entries = scan(&files)?;
    let mut total: u64 = entries.iter().map(|entry| entry.bytes).sum();
    let mut evicted = Evicted::default();
    if total > max_bytes {
        entries.sort();
        for entry in &entries {
            if total <= max_bytes - max_bytes / 8 {
                break;
            }
            if files.folder(&entry.shard).is_ok_and(|shard| shard.remove(&entry.name).is_ok()) {
                evicted.entries += 1;
                evicted.bytes += entry.bytes;
            }
            total -= entry.bytes;
        }
    }
    folder.replace(USAGE, &total.to_le_bytes())?;
    Ok(evicted)
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Found {
    used: SystemTime,
    shard: OsString,
    name: OsString,
    bytes: u64,
}

/// Returns all entries. Other files are ignored.
fn scan(entries: &own::Folder) -> io::Result<Vec<Found>> {
    let mut found = Vec::new();
    for shard in entries.names()?.into_iter().filter(|name| is_hexadecimal(name, 2)) {
        let Ok(folder) = entries.folder(&shard) else { continue };
        let names = folder.names().unwrap_or_default();
        for name in names.into_iter().filter(|name| is_hexadecimal(name, 62)) {
            // A removed entry takes no space.
            let Ok(metadata) = folder.metadata(&name) else { continue };
            if let (true, Ok(used)) = (metadata.is_file(), metadata.modified()) {
                found.push(Found { used, shard: shard.clone(), name, bytes: metadata.len() });
            }
        }
    }
    Ok(found)
}

fn is_hexadecimal(name: &OsStr, digits: usize) -> bool {
    let name = name.as_encoded_bytes();
    name.len() == digits && name.iter().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f'))
}
