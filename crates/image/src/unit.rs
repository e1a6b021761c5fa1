//! The identity of a translation unit, in its device code and in its host object.
//!
//! All passes over a unit use a provisional identifier, because no pass knows the output of the
//! others. The final identifier is a hash of the outputs, and is computed after the passes. It is
//! then stored
//! * before each of the unit's device modules, in the wrapper header that LLVM defines for bitcode,
//!   so that every reader of bitcode accepts the module ([`wrap`]). The device link renames the
//!   symbols that contain the provisional identifier;
//! * in the host object, where headers and the plug-in keep the identifier in separate sections
//!   ([`stamp`]).
//!
//! The headers also make modules self-delimiting: `ld -r` joins sections of the same name, and
//! [`modules`] separates them.

use crate::elf::Object;
use scythe_abi::names::{UNIT_NAMES_SECTION, UNIT_SECTION};
use std::ops::Range;

/// The first bytes of bitcode, and of its wrapper.
const BITCODE: [u8; 4] = *b"BC\xc0\xde";
const WRAPPER: [u8; 4] = 0x0b17_c0de_u32.to_le_bytes();
/// The size of the wrapper's fields that LLVM defines: magic, version, offset and size of the
/// bitcode, kind of processor.
const LLVM_HEADER: usize = 20;
/// The magic after these fields. The provisional and the final identifier follow it.
const MARK: [u8; 8] = *b"scytheTU";
const HEADER: usize = LLVM_HEADER + MARK.len() + 16;
/// Sections of objects that are compiled at the link. In such objects, the contents of the other
/// sections may be unused.
const LTO_SECTIONS: [&[u8]; 2] = [b".llvm.lto", b".gnu.lto_"];

/// The identifier that the passes used, and the final identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Identity {
    pub provisional: u64,
    pub id: u64,
}

/// The reason why an object cannot get an identity, or why bytes are not device modules.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnitError {
    #[error(transparent)]
    Elf(#[from] crate::elf::ElfError),
    #[error("section {} has {size} bytes, expected a multiple of 8", UNIT_SECTION)]
    Size { size: usize },
    #[error(
        "it contains code for link-time optimisation, which cannot store the identity of its \
         translation unit; compile it without '-flto'"
    )]
    Lto,
    #[error("expected bitcode at byte {at}, found \"{}\"", seen.escape_ascii())]
    NotBitcode { at: usize, seen: Vec<u8> },
    #[error("the bitcode at byte {at} exceeds the data of {length} bytes")]
    Truncated { at: usize, length: usize },
}

/// Returns the final identifier of a unit: a hash of all `contents`, in order.
pub fn identify(provisional: u64, contents: &[&[u8]]) -> Identity {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&provisional.to_le_bytes());
    for bytes in contents {
        // Each element is preceded by its length, so that different lists are different bytes.
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    }
    let mut id = [0; 8];
    id.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    // Zero means that there is no identifier.
    Identity { provisional, id: u64::from_le_bytes(id).max(1) }
}

/// Returns a device module with its unit's identity before it.
pub fn wrap(bitcode: &[u8], identity: Identity) -> Vec<u8> {
    let bitcode = bare(bitcode);
    let mut out = Vec::with_capacity(HEADER + bitcode.len());
    out.extend(WRAPPER);
    for word in [0, HEADER as u32, bitcode.len() as u32, 0] {
        out.extend(word.to_le_bytes());
    }
    out.extend(MARK);
    out.extend(identity.provisional.to_le_bytes());
    out.extend(identity.id.to_le_bytes());
    out.extend(bitcode);
    out
}

/// Returns the identity before a device module, if there is one.
pub fn identity(module: &[u8]) -> Option<Identity> {
    let fields =
        module.get(..HEADER).filter(|header| header.starts_with(&WRAPPER))?.get(LLVM_HEADER..)?;
    let fields = fields.strip_prefix(&MARK)?;
    Some(Identity { provisional: u64_at(fields, 0)?, id: u64_at(fields, 8)? })
}

/// Returns the module without a wrapper.
pub fn bare(module: &[u8]) -> &[u8] {
    wrapped(module).and_then(|place| module.get(place)).unwrap_or(module)
}

/// Separates modules that `ld -r` has joined. Modules may be wrapped, and zeros may be between
/// them. Bytes that are not bitcode are an error, and so is a section without modules.
pub fn modules(section: &[u8]) -> Result<Vec<&[u8]>, UnitError> {
    let mut modules = Vec::new();
    let mut at = 0;
    while at < section.len() {
        let rest = &section[at..];
        if !modules.is_empty() && rest[0] == 0 {
            at += 1;
            continue;
        }
        let length = match rest.get(..4) {
            Some(magic) if magic == WRAPPER => wrapped(rest).map(|place| place.end),
            Some(magic) if magic == BITCODE => bitcode_length(rest),
            _ => {
                return Err(UnitError::NotBitcode { at, seen: rest[..rest.len().min(4)].to_vec() });
            }
        };
        let module = length.and_then(|length| rest.get(..length));
        modules.push(module.ok_or(UnitError::Truncated { at, length: section.len() })?);
        at += length.unwrap_or_default();
    }
    if modules.is_empty() {
        return Err(UnitError::NotBitcode { at: 0, seen: Vec::new() });
    }
    Ok(modules)
}

/// Writes the final identifier into an object, in place. An object without an identifier stays
/// unchanged.
pub fn stamp(object: &mut [u8], identity: Identity) -> Result<(), UnitError> {
    let places = places(object)?;
    for (names, place) in places {
        let bytes = &mut object[place];
        if names {
            replace(bytes, &hex(identity.provisional), &hex(identity.id));
        } else {
            let size = bytes.len();
            if !size.is_multiple_of(8) {
                return Err(UnitError::Size { size });
            }
            bytes.chunks_exact_mut(8).for_each(|id| id.copy_from_slice(&identity.id.to_le_bytes()));
        }
    }
    Ok(())
}

/// Returns the positions of the identifier in an object, each with whether it is text in names or a
/// number.
fn places(object: &[u8]) -> Result<Vec<(bool, Range<usize>)>, UnitError> {
    let mut places = Vec::new();
    for section in Object::parse(object)?.sections()? {
        if LTO_SECTIONS.iter().any(|prefix| section.name.starts_with(prefix)) {
            return Err(UnitError::Lto);
        }
        let names = section.name == UNIT_NAMES_SECTION.as_bytes();
        if names || section.name == UNIT_SECTION.as_bytes() {
            let start = section.data.as_ptr() as usize - object.as_ptr() as usize;
            places.push((names, start..start + section.data.len()));
        }
    }
    Ok(places)
}

/// Formats the identifier as in symbols.
pub fn hex(id: u64) -> String {
    format!("{id:016x}")
}

/// Replaces every `old` by `new`, which must have the same length.
fn replace(bytes: &mut [u8], old: &str, new: &str) {
    let mut at = 0;
    while at + old.len() <= bytes.len() {
        if bytes[at..].starts_with(old.as_bytes()) {
            bytes[at..at + new.len()].copy_from_slice(new.as_bytes());
            at += old.len();
        } else {
            at += 1;
        }
    }
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?))
}

/// Returns the position of the bitcode in its wrapper.
fn wrapped(module: &[u8]) -> Option<Range<usize>> {
    if !module.starts_with(&WRAPPER) {
        return None;
    }
    let (offset, size) = (u32_at(module, 8)? as usize, u32_at(module, 12)? as usize);
    // The bitcode must start after the header. Otherwise the wrapper could have the length zero,
    // and the caller would find it again and again.
    Some(offset..offset.checked_add(size)?).filter(|place| place.start >= LLVM_HEADER)
}

/// Returns the length of plain bitcode. After the magic come blocks, each of which contains its
/// length.
fn bitcode_length(module: &[u8]) -> Option<usize> {
    /// The abbreviation that enters a block at the outermost level, where abbreviations have two
    /// bits.
    const ENTER_BLOCK: u64 = 1;
    let mut at = BITCODE.len();
    while let Some(word) = u32_at(module, at) {
        let next = u32_at(module, at + 4).unwrap_or_default();
        let bits = u64::from(word) | u64::from(next) << 32;
        if bits & 3 != ENTER_BLOCK {
            break;
        }
        let mut used: usize = 2;
        // The block's number, in groups of eight bits, and the width of its abbreviations, in
        // groups of four bits.
        for width in [8, 4] {
            while bits >> (used + width - 1) & 1 == 1 && used < 48 {
                used += width;
            }
            used += width;
        }
        let length_at = at.checked_add(used.div_ceil(32) * 4)?;
        let words = u32_at(module, length_at)? as usize;
        at = length_at.checked_add(4)?.checked_add(words.checked_mul(4)?)?;
    }
    (at > BITCODE.len()).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns bitcode with one block of `words` words.
    fn bitcode(words: u32) -> Vec<u8> {
        let mut out = BITCODE.to_vec();
        // ENTER_SUBBLOCK, block 8, abbreviations of 3 bits.
        out.extend((1u32 | 8 << 2 | 3 << 10).to_le_bytes());
        out.extend(words.to_le_bytes());
        (0..words).for_each(|_| out.extend([0xff; 4]));
        out
    }

    const IDENTITY: Identity = Identity { provisional: 0xab, id: 0xcd };

    #[test]
    fn a_wrapped_module_tells_its_identity() {
        let (plain, wrapped) = (bitcode(3), wrap(&bitcode(3), IDENTITY));
        assert_eq!(identity(&wrapped), Some(IDENTITY));
        assert_eq!(bare(&wrapped), plain);
        assert_eq!((identity(&plain), bare(&plain)), (None, &plain[..]));
        // After a second wrapping, it has only the new identity.
        let again = wrap(&wrapped, Identity { provisional: 1, id: 2 });
        assert_eq!((again.len(), bare(&again)), (wrapped.len(), &plain[..]));
    }

    #[test]
    fn joined_modules_are_taken_apart() {
        let (a, b, c) = (bitcode(2), wrap(&bitcode(5), IDENTITY), bitcode(1));
        let joined = [&a[..], &b, &[0; 12], &c, &[0; 3]].concat();
        assert_eq!(modules(&joined).unwrap(), [&a[..], &b, &c]);
        assert_eq!(modules(&a).unwrap(), [&a[..]]);
    }

    #[test]
    fn damage_is_an_error() {
        let whole = [wrap(&bitcode(5), IDENTITY), bitcode(4)].concat();
        for length in 0..whole.len() {
            if length != whole.len() - bitcode(4).len() {
                assert!(modules(&whole[..length]).is_err(), "{length}");
            }
        }
        assert!(modules(b"bad!").unwrap_err().to_string().contains("\"bad!\""));
        let mut endless = wrap(b"", IDENTITY);
        endless[8..16].fill(0);
        assert!(modules(&endless).is_err());
    }

    #[test]
    fn identifiers_depend_on_all_that_is_listed() {
        let first = identify(1, &[b"ab", b"c"]);
        assert_eq!(first, identify(1, &[b"ab", b"c"]));
        for other in [
            identify(2, &[b"ab", b"c"]),
            identify(1, &[b"a", b"bc"]),
            identify(1, &[b"ab", b"c", b""]),
        ] {
            assert_ne!(first.id, other.id);
        }
    }
}
