//! The format of a cache entry: the only reader and writer.
//!
//! ```text
//!  0  magic          8 bytes
//!  8  version        u32, little-endian like all numbers
//! 12  stamp length   u32
//! 16  object length  u64
//! 24  key            32 bytes
//! 56  zero           8 bytes
//! 64  checksum       32 bytes: BLAKE3 of all bytes before and after it
//! 96  stamp          of the LLVM that made the object, with zeroes up to a multiple of 16
//!     object         to the end of the file
//! ```
//!
//! The reader accepts any bytes, and rejects everything except an entry for the requested key, with
//! a reason. The object is at a multiple of 16, as its loader requires.

use std::fs::Metadata;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::key::Key;

const MAGIC: [u8; 8] = *b"SCYTHOBJ";
const VERSION: u32 = 1;
const KEY: Range<usize> = 24..56;
const CHECKSUM: usize = 64;
const HEADER: usize = CHECKSUM + 32;
const ALIGN: usize = 16;

/// The identity of a file when an entry was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileStamp {
    path: PathBuf,
    size: u64,
    seconds: i64,
    nanoseconds: i64,
}

impl FileStamp {
    /// Returns the current identity of the file.
    pub(crate) fn of(path: &Path) -> std::io::Result<Self> {
        Ok(Self::new(path, &std::fs::metadata(path)?))
    }

    fn new(path: &Path, file: &Metadata) -> Self {
        Self {
            path: path.to_owned(),
            size: file.size(),
            seconds: file.mtime(),
            nanoseconds: file.mtime_nsec(),
        }
    }

    /// Returns whether another file has replaced this one. A removed file is not replaced, and its
    /// results stay valid.
    pub(crate) fn is_replaced(&self) -> bool {
        Self::of(&self.path).is_ok_and(|now| now != *self)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend(self.size.to_le_bytes());
        bytes.extend(self.seconds.to_le_bytes());
        bytes.extend(self.nanoseconds.to_le_bytes());
        bytes.extend(self.path.as_os_str().as_bytes());
        bytes
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (size, rest) = bytes.split_first_chunk()?;
        let (seconds, rest) = rest.split_first_chunk()?;
        let (nanoseconds, path) = rest.split_first_chunk()?;
        Some(Self {
            path: PathBuf::from(std::ffi::OsStr::from_bytes(path)),
            size: u64::from_le_bytes(*size),
            seconds: i64::from_le_bytes(*seconds),
            nanoseconds: i64::from_le_bytes(*nanoseconds),
        })
    }
}

/// The reason why bytes are not an entry for a key.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Damage {
    #[error("it has {0} bytes, which is less than the header of an entry")]
    Short(usize),
    #[error("it does not start with the magic number of an entry")]
    Magic,
    #[error("it has version {0}, expected {VERSION}")]
    Version(u32),
    #[error("it belongs to another key")]
    Key,
    #[error("it has {actual} bytes, but its header specifies {expected}")]
    Length { actual: usize, expected: u64 },
    #[error("its checksum does not match its contents")]
    Checksum,
    #[error("it does not name a compiler")]
    Stamp,
}

impl Key {
    /// Returns the key that an entry contains, or `None` if the bytes do not begin like an entry.
    pub(crate) fn in_entry(bytes: &[u8]) -> Option<Self> {
        let key = bytes.get(KEY).filter(|_| bytes.starts_with(&MAGIC))?;
        Some(Self(key.try_into().ok()?))
    }
}

/// An entry that was read.
#[derive(Debug)]
pub(crate) struct Entry {
    bytes: Vec<u8>,
    object: usize,
    compiler: Option<FileStamp>,
}

impl Entry {
    pub(crate) fn decode(bytes: Vec<u8>, key: &Key) -> Result<Self, Damage> {
        if bytes.len() < HEADER {
            return Err(Damage::Short(bytes.len()));
        }
        let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        if bytes[..8] != MAGIC {
            return Err(Damage::Magic);
        }
        if word(8) != VERSION {
            return Err(Damage::Version(word(8)));
        }
        if bytes[KEY] != key.0 {
            return Err(Damage::Key);
        }
        let stamp = word(12) as usize;
        let object = HEADER + stamp.next_multiple_of(ALIGN);
        let length = u64::from(word(16)) | u64::from(word(20)) << 32;
        let expected = (object as u64).saturating_add(length);
        if bytes.len() as u64 != expected {
            return Err(Damage::Length { actual: bytes.len(), expected });
        }
        if checksum(&bytes[..CHECKSUM], &[&bytes[HEADER..]]) != bytes[CHECKSUM..HEADER] {
            return Err(Damage::Checksum);
        }
        let compiler = match &bytes[HEADER..HEADER + stamp] {
            [] => None,
            stamp => Some(FileStamp::decode(stamp).ok_or(Damage::Stamp)?),
        };
        Ok(Self { bytes, object, compiler })
    }

    pub(crate) fn object(&self) -> &[u8] {
        &self.bytes[self.object..]
    }

    /// Returns the LLVM that made the object, if it is known.
    pub(crate) fn compiler(&self) -> Option<&FileStamp> {
        self.compiler.as_ref()
    }
}

/// Returns the bytes of an entry before the object.
pub(crate) fn encode_head(key: &Key, compiler: Option<&FileStamp>, object: &[u8]) -> Vec<u8> {
    let mut stamp = compiler.map(FileStamp::encode).unwrap_or_default();
    let stamp_length = stamp.len() as u32;
    stamp.resize(stamp.len().next_multiple_of(ALIGN), 0);
    let mut head = Vec::with_capacity(HEADER + stamp.len());
    head.extend(MAGIC);
    head.extend(VERSION.to_le_bytes());
    head.extend(stamp_length.to_le_bytes());
    head.extend((object.len() as u64).to_le_bytes());
    head.extend(key.0);
    head.extend([0; 8]);
    let checksum = checksum(&head, &[&stamp, object]);
    head.extend(checksum);
    head.extend(stamp);
    head
}

fn checksum(head: &[u8], rest: &[&[u8]]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(head);
    for part in rest {
        hasher.update(part);
    }
    *hasher.finalize().as_bytes()
}
