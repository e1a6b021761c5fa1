//! The precompiled headers of a unit's passes in one file: the header of the host pass, followed by
//! those of the device passes.
//!
//! ```text
//!   the host pass's precompiled header, which begins with "CPCH"
//!   u32  ENTER_SUBBLOCK, block 100, abbreviations of 2 bits
//!   u32  the number of words that follow
//!        a bundle ([`crate::binary_bundle`]) with one part per device pass, and a text, padded
//!        with zeros to whole words
//!   u64  offset of the bundle from the start of the file
//!   8 bytes  magic "SCYPCH01"
//! ```
//!
//! Numbers are little-endian. A precompiled header is a bitstream, and readers of bitstreams skip
//! unknown blocks. Therefore clang can read the file directly in the host pass.

use std::ops::Range;

use crate::binary_bundle::{self, BinaryBundleError};

/// The first bytes of clang's precompiled headers.
pub const CLANG_MAGIC: [u8; 4] = *b"CPCH";
const MAGIC: [u8; 8] = *b"SCYPCH01";
/// Two bits for ENTER_SUBBLOCK, eight for the block's number, four for the width of its
/// abbreviations.
const ENTER_BLOCK: u32 = 1 | 100 << 2 | 2 << 10;
const HEADER: usize = 8;
/// The name of the bundle's text part.
const NOTE: &str = "note";
const TRAILER: usize = 16;

/// The reason why bytes are not a precompiled header.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PrecompiledError {
    #[error("it starts with \"{}\", \
        expected \"{}\"", seen.escape_ascii(), CLANG_MAGIC.escape_ascii())]
    NotClang { seen: Vec<u8> },
    #[error("its size of {size} bytes is not a multiple of 4")]
    Alignment { size: usize },
    #[error("its size of {size} bytes exceeds the limit of one block")]
    TooLarge { size: usize },
    #[error(
        "its device part should start at byte {offset}, but the file of {length} bytes has no \
         block there"
    )]
    Damaged { offset: u64, length: usize },
    #[error("its device part is damaged: the note at its end is missing")]
    NoNote,
    #[error("its device part is damaged: {0}")]
    Bundle(#[from] BinaryBundleError),
}

/// Returns whether the bytes begin like a precompiled header of clang.
pub fn is_clang(bytes: &[u8]) -> bool {
    bytes.starts_with(&CLANG_MAGIC)
}

/// The contents of a file besides the precompiled header of the host pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceParts<'a> {
    /// Bundle ids and contents.
    pub parts: Vec<(String, &'a [u8])>,
    /// A text from the creator of the file. A later user can compare it.
    pub note: String,
}

/// Joins the precompiled headers of the host pass and the device passes into one file. Bundle ids
/// identify the device passes.
pub fn join(
    host: &[u8],
    device: &[(String, &[u8])],
    note: &str,
) -> Result<Vec<u8>, PrecompiledError> {
    for bytes in std::iter::once(&host).chain(device.iter().map(|(_, bytes)| bytes)) {
        check(bytes)?;
    }
    if !host.len().is_multiple_of(4) {
        return Err(PrecompiledError::Alignment { size: host.len() });
    }
    let note = [(NOTE.to_owned(), note.as_bytes())];
    let mut bundle = binary_bundle::join(&[device, &note].concat());
    bundle.resize(bundle.len().next_multiple_of(8), 0);
    let size = bundle.len() + TRAILER;
    let words = u32::try_from(size / 4).map_err(|_| PrecompiledError::TooLarge { size })?;
    let mut out = host.to_vec();
    out.extend(ENTER_BLOCK.to_le_bytes());
    out.extend(words.to_le_bytes());
    let offset = out.len() as u64;
    out.extend(bundle);
    out.extend(offset.to_le_bytes());
    out.extend(MAGIC);
    Ok(out)
}

/// Returns the parts of the device passes, or `None` if clang alone made the file.
pub fn device_parts(bytes: &[u8]) -> Result<Option<DeviceParts<'_>>, PrecompiledError> {
    check(bytes)?;
    if !bytes.ends_with(&MAGIC) {
        return Ok(None);
    }
    let bundle = bundle(bytes)?;
    let mut parts = binary_bundle::divide(&bytes[bundle])?;
    let note = parts.pop().filter(|(id, _)| id == NOTE).ok_or(PrecompiledError::NoNote)?.1;
    parts.iter().try_for_each(|(_, part)| check(part))?;
    Ok(Some(DeviceParts { parts, note: String::from_utf8_lossy(note).into_owned() }))
}

/// Returns the position of the bundle, including the zeros after it.
fn bundle(bytes: &[u8]) -> Result<Range<usize>, PrecompiledError> {
    let length = bytes.len();
    let number = |range: Range<usize>| {
        bytes.get(range).and_then(|bytes| bytes.try_into().ok()).map(u64::from_le_bytes)
    };
    let offset = length.checked_sub(TRAILER).and_then(|at| number(at..at + 8)).unwrap_or(u64::MAX);
    let damaged = || PrecompiledError::Damaged { offset, length };
    let start = usize::try_from(offset).map_err(|_| damaged())?;
    let header = start.checked_sub(HEADER).and_then(|at| number(at..start)).ok_or_else(damaged)?;
    let words = length.checked_sub(start).ok_or_else(damaged)? as u64 / 4;
    if header != u64::from(ENTER_BLOCK) | words << 32 || length - start < TRAILER {
        return Err(damaged());
    }
    Ok(start..length - TRAILER)
}

fn check(bytes: &[u8]) -> Result<(), PrecompiledError> {
    match is_clang(bytes) {
        true => Ok(()),
        false => Err(PrecompiledError::NotClang {
            seen: bytes[..bytes.len().min(CLANG_MAGIC.len())].to_vec(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined() -> Vec<u8> {
        let device = [
            ("first".to_owned(), b"CPCH device".as_slice()),
            ("second".to_owned(), b"CPCH".as_slice()),
        ];
        join(b"CPCHhost", &device, "made so").expect("all parts are precompiled headers")
    }

    #[test]
    fn parts_come_back() {
        let bytes = joined();
        assert!(
            is_clang(&bytes) && bytes.starts_with(b"CPCHhost") && bytes.len().is_multiple_of(4)
        );
        let found = device_parts(&bytes).expect("the file is whole").expect("it has device parts");
        assert_eq!(found.note, "made so");
        assert_eq!(
            found.parts,
            [("first".to_owned(), b"CPCH device".as_slice()), ("second".to_owned(), b"CPCH")]
        );
    }

    #[test]
    fn a_file_of_clang_has_no_device_parts() {
        assert_eq!(device_parts(b"CPCHhost"), Ok(None));
        assert!(matches!(device_parts(b"gpch"), Err(PrecompiledError::NotClang { .. })));
        assert!(matches!(join(b"CPCHx", &[], ""), Err(PrecompiledError::Alignment { size: 5 })));
    }

    #[test]
    fn damage_is_an_error() {
        let whole = joined();
        for at in 8..whole.len() - MAGIC.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0xff;
            // Some bytes are contents or padding.
            if let Ok(Some(found)) = device_parts(&bytes) {
                assert_eq!(found.parts.len(), 2, "byte {at}");
            }
        }
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes.remove(at);
            assert!(!matches!(device_parts(&bytes), Ok(Some(_))), "byte {at}");
        }
        let short = [b"CPCH".as_slice(), &MAGIC].concat();
        assert!(matches!(device_parts(&short), Err(PrecompiledError::Damaged { .. })));
    }
}
