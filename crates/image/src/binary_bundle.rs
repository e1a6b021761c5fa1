//! Bundles of several files, in the format of clang's offload bundler for files that are neither
//! text nor host objects (type `bc` and similar).
//!
//! ```text
//!  0  24 bytes  magic "__CLANG_OFFLOAD_BUNDLE__"
//! 24  u64       number of parts, n
//! 32  n times   u64 offset from the file's start, u64 size, u64 length of the target, the target
//!     the parts, one after the other
//! ```
//!
//! Numbers are little-endian.

pub const MAGIC: [u8; 24] = *b"__CLANG_OFFLOAD_BUNDLE__";

/// The reason why bytes are not a bundle.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BinaryBundleError {
    #[error("not a bundle: it starts with \"{}\", \
        expected \"{}\"", seen.escape_ascii(), MAGIC.escape_ascii())]
    BadMagic { seen: Vec<u8> },
    #[error("the bundle ends at byte {length}, inside the list of its {count} parts")]
    Truncated { length: usize, count: u64 },
    #[error("the target of part {0} is not UTF-8 text")]
    NotText(u64),
    #[error(
        "the part for '{target}' spans bytes {offset} to {offset} + {size}, beyond the bundle's \
         {length}"
    )]
    Bounds { target: String, offset: u64, size: u64, length: usize },
    #[error("the bundle has two parts for '{0}', expected one")]
    Twice(String),
}

/// Returns whether the bytes begin like a bundle. The bundle need not be valid.
pub fn is_bundle(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Joins parts, given as targets and contents, into one file.
pub fn join(parts: &[(String, &[u8])]) -> Vec<u8> {
    let mut offset =
        MAGIC.len() + 8 + parts.iter().map(|(target, _)| 24 + target.len()).sum::<usize>();
    let mut out = MAGIC.to_vec();
    out.extend((parts.len() as u64).to_le_bytes());
    for (target, data) in parts {
        for number in [offset, data.len(), target.len()] {
            out.extend((number as u64).to_le_bytes());
        }
        out.extend(target.as_bytes());
        offset += data.len();
    }
    parts.iter().for_each(|(_, data)| out.extend(*data));
    out
}

/// Returns the parts of a bundle, in order.
pub fn divide(bytes: &[u8]) -> Result<Vec<(String, &[u8])>, BinaryBundleError> {
    if !is_bundle(bytes) {
        return Err(BinaryBundleError::BadMagic {
            seen: bytes[..bytes.len().min(MAGIC.len())].to_vec(),
        });
    }
    let mut rest = &bytes[MAGIC.len()..];
    let truncated = |count| BinaryBundleError::Truncated { length: bytes.len(), count };
    let count = number(&mut rest).ok_or_else(|| truncated(0))?;
    let mut parts: Vec<(String, &[u8])> = Vec::new();
    for index in 0..count {
        let (offset, size, target) = row(&mut rest).ok_or_else(|| truncated(count))?;
        let target =
            std::str::from_utf8(target).map_err(|_| BinaryBundleError::NotText(index))?.to_owned();
        if parts.iter().any(|(known, _)| *known == target) {
            return Err(BinaryBundleError::Twice(target));
        }
        let span = usize::try_from(offset).ok().zip(usize::try_from(size).ok());
        match span.and_then(|(offset, size)| bytes.get(offset..offset.checked_add(size)?)) {
            Some(data) => parts.push((target, data)),
            None => {
                return Err(BinaryBundleError::Bounds {
                    target,
                    offset,
                    size,
                    length: bytes.len(),
                });
            }
        }
    }
    Ok(parts)
}

fn number(rest: &mut &[u8]) -> Option<u64> {
    let (number, tail) = rest.split_first_chunk::<8>()?;
    *rest = tail;
    Some(u64::from_le_bytes(*number))
}

/// Reads the offset, size and target of the next part.
fn row<'a>(rest: &mut &'a [u8]) -> Option<(u64, u64, &'a [u8])> {
    let (offset, size, length) = (number(rest)?, number(rest)?, number(rest)?);
    let (target, tail) = rest.split_at_checked(usize::try_from(length).ok()?)?;
    *rest = tail;
    Some((offset, size, target))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample() -> Vec<u8> {
        join(&[("host-x".into(), b"one"), ("sycl-y".into(), b""), ("sycl-z".into(), b"three")])
    }

    #[test]
    fn parts_come_out_as_they_went_in() {
        let bytes = sample();
        let expected: [(String, &[u8]); 3] =
            [("host-x".into(), b"one"), ("sycl-y".into(), b""), ("sycl-z".into(), b"three")];
        assert_eq!(divide(&bytes).unwrap(), expected);
    }

    #[test]
    fn damage_is_named() {
        let error = |bytes: &[u8]| divide(bytes).unwrap_err().to_string();
        let good = sample();
        assert_eq!(
            error(b"BC"),
            "not a bundle: it starts with \"BC\", expected \"__CLANG_OFFLOAD_BUNDLE__\""
        );
        assert_eq!(
            error(&good[..60]),
            "the bundle ends at byte 60, inside the list of its 3 parts"
        );
        let short = &good[..good.len() - 1];
        assert_eq!(
            error(short),
            format!(
                "the part for 'sycl-z' spans bytes 125 to 125 + 5, beyond the bundle's {}",
                short.len()
            )
        );
        let mut many = good.clone();
        many[24..32].copy_from_slice(&u64::MAX.to_le_bytes());
        assert!(error(&many).contains("inside the list of its 18446744073709551615 parts"));
        assert_eq!(
            error(&join(&[("a".into(), b""), ("a".into(), b"")])),
            "the bundle has two parts for 'a', expected one"
        );
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(tail in prop::collection::vec(any::<u8>(), 0..80)) {
            let _ = divide(&[&MAGIC[..], &tail].concat());
        }
    }
}
