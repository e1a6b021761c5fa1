//! CUDA's fat binary: a file with code for several architectures, from which the driver selects
//! code for its device.
//!
//! Layout, all numbers little-endian, as far as it is publicly known and needed here:
//!
//! ```text
//!  0  u32  magic 0xba55ed50
//!  4  u16  version, 1
//!  6  u16  size of this header, 16
//!  8  u64  size of all that follows
//!     entries, one after another:
//!      0  u16  kind: 1 PTX, 2 cubin (an ELF file)
//!      2  u16  version, 0x101
//!      4  u32  size of the entry's header, 64 or more
//!      8  u64  size of the code behind it, a multiple of 8
//!     16  u32  size of the code if it is compressed, else 0
//!     20  u32  offset in the header of two u32: the offset of options as text, and their size; 0
//!              for cubins
//!     24  u16  minor, u16 major version of the code's form: that of PTX; for a cubin its ELF
//!              file's ABI version, and 1
//!     28  u32  architecture: 90 for sm_90
//!     32  u32  offset and u32 size of a name, else 0
//!     40  u64  flags: 1 addresses of 64 bits, 16 Linux, 0x2000 compressed, 0x8000 compressed
//!              otherwise
//!     48  u64  zero
//!     56  u64  size of the code before compression, else 0
//! ```
//!
//! The writer does not compress code, because images are compressed as a whole. The reader returns
//! compressed code without decompressing it.

use std::fmt;

pub const MAGIC: u32 = 0xba55_ed50;
const VERSION: u16 = 1;
const HEADER: usize = 16;
const ENTRY_VERSION: u16 = 0x101;
const ENTRY_HEADER: usize = 64;
/// The bytes after the header of PTX: the position of its options, of which there are none.
const NO_OPTIONS: [u32; 4] = [ENTRY_HEADER as u32 + 8, 0, 0, 0];
const ALIGNMENT: usize = 8;
const FLAGS: u64 = 0x1 | 0x10;
const COMPRESSED: u64 = 0x2000 | 0x8000;

/// The kind of an entry's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text that the driver compiles.
    Ptx,
    /// Machine code: an ELF file.
    Cubin,
}

impl Kind {
    fn number(self) -> u16 {
        match self {
            Self::Ptx => 1,
            Self::Cubin => 2,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ptx => "PTX",
            Self::Cubin => "cubin",
        })
    }
}

/// Code for one architecture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    pub kind: Kind,
    /// The architecture: 90 for sm_90.
    pub sm: u32,
    /// The major and minor version of PTX, or of the cubin's format.
    pub version: (u16, u16),
    /// The code. PTX has no NUL byte at its end. Compressed code is not decompressed.
    pub code: &'a [u8],
    pub compressed: bool,
}

impl<'a> Entry<'a> {
    /// Creates an entry of PTX text. `version` is the PTX version times ten.
    pub fn ptx(sm: u32, version: u32, text: &'a [u8]) -> Self {
        let version = ((version / 10) as u16, (version % 10) as u16);
        Self { kind: Kind::Ptx, sm, version, code: text, compressed: false }
    }

    pub fn cubin(sm: u32, code: &'a [u8]) -> Self {
        const ABI_VERSION: usize = 8;
        let version = (1, code.get(ABI_VERSION).copied().unwrap_or(7).into());
        Self { kind: Kind::Cubin, sm, version, code, compressed: false }
    }
}

/// The reason why bytes are not a fat binary.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FatbinError {
    #[error("not a CUDA fat binary: it starts with {seen:#010x}, expected {MAGIC:#010x}")]
    Magic { seen: u32 },
    #[error("CUDA fat binary has version {seen}, expected {VERSION}")]
    Version { seen: u16 },
    #[error("CUDA fat binary truncated at byte {length}: expected {needed} bytes for {what}")]
    Truncated { length: usize, needed: u64, what: &'static str },
    #[error("CUDA fat binary header has {seen} bytes, expected at least {HEADER}")]
    Header { seen: u16 },
    #[error(
        "CUDA fat binary entry at byte {at} has a header of {seen} bytes, expected at least \
         {ENTRY_HEADER}"
    )]
    EntryHeader { at: usize, seen: u32 },
}

/// Returns a file with these entries.
pub fn write(entries: &[Entry<'_>]) -> Vec<u8> {
    let mut body = Vec::new();
    for entry in entries {
        // The driver reads text up to its NUL byte.
        let length = entry.code.len() + usize::from(entry.kind == Kind::Ptx);
        let size = length.next_multiple_of(ALIGNMENT);
        let options: Vec<u8> = match entry.kind {
            Kind::Ptx => NO_OPTIONS.iter().flat_map(|word| word.to_le_bytes()).collect(),
            Kind::Cubin => Vec::new(),
        };
        let options_at = if options.is_empty() { 0 } else { ENTRY_HEADER as u32 };
        body.extend(entry.kind.number().to_le_bytes());
        body.extend(ENTRY_VERSION.to_le_bytes());
        body.extend(((ENTRY_HEADER + options.len()) as u32).to_le_bytes());
        body.extend((size as u64).to_le_bytes());
        body.extend([0; 4]);
        body.extend(options_at.to_le_bytes());
        body.extend(entry.version.1.to_le_bytes());
        body.extend(entry.version.0.to_le_bytes());
        body.extend(entry.sm.to_le_bytes());
        body.extend([0; 8]);
        body.extend(FLAGS.to_le_bytes());
        body.extend([0; 16]);
        body.extend(options);
        body.extend(entry.code);
        body.resize(body.len() + size - entry.code.len(), 0);
    }
    let mut out = Vec::with_capacity(HEADER + body.len());
    out.extend(MAGIC.to_le_bytes());
    out.extend(VERSION.to_le_bytes());
    out.extend((HEADER as u16).to_le_bytes());
    out.extend((body.len() as u64).to_le_bytes());
    out.extend(body);
    out
}

/// Returns the entries of a file, in order. Entries that are neither PTX nor cubin are skipped.
pub fn read(bytes: &[u8]) -> Result<Vec<Entry<'_>>, FatbinError> {
    let truncated =
        |needed: u64, what| FatbinError::Truncated { length: bytes.len(), needed, what };
    let seen = bytes.first_chunk().map_or(0, |magic| u32::from_le_bytes(*magic));
    if seen != MAGIC {
        return Err(FatbinError::Magic { seen });
    }
    let header = bytes.get(..HEADER).ok_or_else(|| truncated(HEADER as u64, "the header"))?;
    let (version, size) = (u16_at(header, 4), u16_at(header, 6));
    if version != VERSION {
        return Err(FatbinError::Version { seen: version });
    }
    if usize::from(size) < HEADER {
        return Err(FatbinError::Header { seen: size });
    }
    let end = u64_at(header, 8).saturating_add(size.into());
    let whole = usize::try_from(end).ok().and_then(|end| bytes.get(..end));
    let whole = whole.ok_or_else(|| truncated(end, "all entries"))?;
    let mut entries = Vec::new();
    let mut at = usize::from(size);
    while at < whole.len() {
        let rest = &whole[at..];
        let needed = (at + ENTRY_HEADER) as u64;
        let head =
            rest.get(..ENTRY_HEADER).ok_or_else(|| truncated(needed, "the header of an entry"))?;
        let header_size = u32_at(head, 4);
        if (header_size as usize) < ENTRY_HEADER {
            return Err(FatbinError::EntryHeader { at, seen: header_size });
        }
        let length = u64_at(head, 8).saturating_add(header_size.into());
        let span =
            usize::try_from(length).ok().and_then(|length| rest.get(header_size as usize..length));
        let code = span
            .ok_or_else(|| truncated(length.saturating_add(at as u64), "the code of an entry"))?;
        entries.extend(entry(head, code));
        at += header_size as usize + code.len();
    }
    Ok(entries)
}

fn entry<'a>(head: &[u8], code: &'a [u8]) -> Option<Entry<'a>> {
    let kind =
        [Kind::Ptx, Kind::Cubin].into_iter().find(|kind| kind.number() == u16_at(head, 0))?;
    let compressed = u64_at(head, 40) & COMPRESSED != 0;
    let text = || code.iter().position(|byte| *byte == 0).map_or(code, |end| &code[..end]);
    let code = if kind == Kind::Ptx && !compressed { text() } else { code };
    Some(Entry {
        kind,
        sm: u32_at(head, 28),
        version: (u16_at(head, 26), u16_at(head, 24)),
        code,
        compressed,
    })
}

// All callers have checked the length.
fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}
fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}
fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<u8> {
        write(&[
            Entry::cubin(90, b"\x7fELF\x02\x01\x01A\x08cubin"),
            Entry::ptx(90, 83, b".version 8.3\n"),
        ])
    }

    #[test]
    fn what_is_written_is_read() {
        let bytes = sample();
        let entries = read(&bytes).unwrap();
        assert_eq!(entries.len(), 2);
        assert_eq!((entries[0].kind, entries[0].sm, entries[0].version), (Kind::Cubin, 90, (1, 8)));
        assert!(entries[0].code.starts_with(b"\x7fELF\x02\x01\x01A\x08cubin"));
        assert_eq!(entries[1], Entry::ptx(90, 83, b".version 8.3\n"));
        assert_eq!(write(&[]).len(), HEADER);
        assert_eq!(read(&write(&[])).unwrap(), []);
    }

    #[test]
    fn the_layout_is_that_of_cuda() {
        let bytes = sample();
        assert_eq!(bytes[..8], [0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0]);
        assert_eq!(u64_at(&bytes, 8) as usize, bytes.len() - 16);
        assert_eq!((u16_at(&bytes, 16), u16_at(&bytes, 18), u32_at(&bytes, 20)), (2, 0x101, 64));
        assert_eq!(u64_at(&bytes, 24) % 8, 0);
        assert_eq!((u16_at(&bytes, 40), u16_at(&bytes, 42), u32_at(&bytes, 44)), (8, 1, 90));
        assert_eq!(u64_at(&bytes, 56), 0x11);
        let ptx = &bytes[16 + 64 + u64_at(&bytes, 24) as usize..];
        assert_eq!(
            (u16_at(ptx, 0), u32_at(ptx, 4), u32_at(ptx, 20), u32_at(ptx, 64)),
            (1, 80, 64, 72)
        );
        assert_eq!(bytes.len() % 8, 0);
    }

    #[test]
    fn every_truncation_is_told() {
        let bytes = sample();
        for length in 0..bytes.len() {
            let error = read(&bytes[..length]).unwrap_err().to_string();
            assert!(
                error.contains("not a CUDA fat binary") || error.contains("truncated"),
                "{length}: {error}"
            );
        }
    }

    #[test]
    fn damage_is_told() {
        let with = |at: usize, byte: u8| {
            let mut bytes = sample();
            bytes[at] = byte;
            read(&bytes).unwrap_err()
        };
        assert_eq!(with(0, 0), FatbinError::Magic { seen: 0xba55_ed00 });
        assert_eq!(with(4, 2), FatbinError::Version { seen: 2 });
        assert_eq!(with(6, 3), FatbinError::Header { seen: 3 });
        assert_eq!(with(20, 8), FatbinError::EntryHeader { at: 16, seen: 8 });
        assert!(matches!(
            with(31, 0xff),
            FatbinError::Truncated { what: "the code of an entry", .. }
        ));
    }
}
