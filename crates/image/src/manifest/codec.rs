//! The binary form of a manifest.
//!
//! A `u32` version comes first. Then follow the fields of [`Manifest`], all numbers little-endian.
//! A text is its length (`u32`) and UTF-8. A list is its length (`u32`) and the elements. An
//! optional value is a byte, 0 or 1, followed by the value if the byte is 1. A launch description
//! is a list of bytes ([`KernelLaunch::to_bytes`]). Each type has one list of fields, which serves
//! both directions.

use scythe_abi::aspect_origin::{AspectOrigin, Step};
use scythe_abi::condition::Condition;
use scythe_abi::launch::KernelLaunch;
use scythe_abi::requirements::{Conditional, Requirements};

use super::{DeviceGlobal, EntryPoint, Import, Manifest, SpecializationConstant};
use crate::{PropertySets, PropertyValue};

/// The version of the form. Readers reject every other version.
pub const VERSION: u32 = 2;

/// The reason why bytes are not a manifest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ManifestError {
    #[error(
        "device image manifest has version {seen}, expected {VERSION}: \
         link the program again with the compiler of this runtime"
    )]
    Version { seen: u32 },
    #[error("device image manifest ends at byte {length}, expected {what} at byte {at}")]
    Truncated { length: usize, at: usize, what: &'static str },
    #[error("device image manifest has {extra} bytes after its end at byte {at}")]
    TrailingBytes { at: usize, extra: usize },
    #[error("device image manifest: the value at byte {at} is not {what}")]
    Value { at: usize, what: &'static str },
}

impl Manifest {
    /// Returns the binary form. Equal manifests are equal bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        VERSION.encode(&mut out);
        self.encode(&mut out);
        out
    }

    /// Reads the binary form.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ManifestError> {
        let mut reader = Reader { bytes, at: 0 };
        match u32::decode(&mut reader)? {
            VERSION => {}
            seen => return Err(ManifestError::Version { seen }),
        }
        let manifest = Self::decode(&mut reader)?;
        match bytes.len() - reader.at {
            0 => Ok(manifest),
            extra => Err(ManifestError::TrailingBytes { at: reader.at, extra }),
        }
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize, what: &'static str) -> Result<&'a [u8], ManifestError> {
        let rest = &self.bytes[self.at..];
        let Some(taken) = rest.get(..count) else {
            return Err(ManifestError::Truncated { length: self.bytes.len(), at: self.at, what });
        };
        self.at += count;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], ManifestError> {
        let mut out = [0; N];
        out.copy_from_slice(self.take(N, what)?);
        Ok(out)
    }
}

trait Codec: Sized {
    fn encode(&self, out: &mut Vec<u8>);
    fn decode(reader: &mut Reader<'_>) -> Result<Self, ManifestError>;
}

impl Codec for u32 {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend(self.to_le_bytes());
    }
    fn decode(reader: &mut Reader<'_>) -> Result<Self, ManifestError> {
        reader.array("a 32-bit number").map(Self::from_le_bytes)
    }
}

impl Codec for u64 {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend(self.to_le_bytes());
    }
    fn decode(reader: &mut Reader<'_>) -> Result<Self, ManifestError> {
        reader.array("a 64-bit number").map(Self::from_le_bytes)
    }
}

impl Codec for bool {
    fn encode(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }
    fn decode(reader: &mut Reader<'_>) -> Result<Self, ManifestError> {
        let at = reader.at;
        match reader.array("a flag")? {
            [0] => Ok(false),
            [1] => Ok(true),
            _ => Err(ManifestError::Value { at, what: "a flag: expected 0 or 1" }),
        }
    }
}

fn encode_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    (bytes.len() as u32).encode(out);
    out.extend(bytes);
}

fn decode_bytes<'a>(
    reader: &mut Reader<'a>,
    what: &'static str,
) -> Result<&'a [u8], ManifestError> {
    let length = u32::decode(reader)?;
    reader.take(length as usize, what)
}

impl Codec for String {
    fn encode(&self, out: &mut Vec<u8>) {
        encode_bytes(self.as_bytes(), out);
    }
    fn decode(reader: &mut Reader<'_>) -> Result<Self, ManifestError> {
        let at = reader.at;
        let text = std::str::from_utf8(decode_bytes(reader, "a text")?);
        text.map(str::to_owned).map_err(|_| ManifestError::Value { at, what: "UTF-8 text" })
    }
}

/// Returns the number of elements for which to reserve memory: a wrong count cannot reserve more
/// bytes than are left in the input.
fn reserved<T>(count: usize, left: usize) -> usize {
    count.min(left / size_of::<T>().max(1))
}

impl<T: Codec> Codec for Vec<T> {
    fn encode(&self, out: &mut Vec<u8>) {
        (self.len() as u32).encode(out);
        self.iter().for_each(|element| element.encode(out));
    }
    fn decode(reader: &mut Reader<'_>) -> Result<Self, ManifestError> {
        let count = u32::decode(reader)? as usize;
        let mut list = Self::with_capacity(reserved::<T>(count, reader.bytes.len() - reader.at));
        for _ in 0..count {
            list.push(T::decode(reader)?);
        }
        Ok(list)
    }
}

impl<T: Codec> Codec for Option<T> {
    fn encode(&self, out: &mut Vec<u8>) {
        self.is_some().encode(out);
        self.iter().for_each(|value| value.encode(out));
    }
    fn decode(reader: &mut Reader<'_>) -> Result<Self, ManifestError> {
        bool::decode(reader)?.then(|| T::decode(reader)).transpose()
    }
}

impl<A: Codec, B: Codec> Codec for (A, B) {
    fn encode(&self, out: &mut Vec<u8>) {
        self.0.encode(out);
        self.1.encode(out);
    }
    fn decode(reader: &mut Reader<'_>) -> Result<Self, ManifestError> {
        Ok((A::decode(reader)?, B::decode(reader)?))
    }
}

impl Codec for KernelLaunch {
    fn encode(&self, out: &mut Vec<u8>) {
        encode_bytes(&self.to_bytes(), out);
    }
    fn decode(reader: &mut Reader<'_>) -> Result<Self, ManifestError> {
        let at = reader.at;
        let bytes = decode_bytes(reader, "launch rows")?;
        Self::from_bytes(bytes).ok_or(ManifestError::Value { at, what: "a list of launch rows" })
    }
}

impl Codec for Condition {
    fn encode(&self, out: &mut Vec<u8>) {
        self.clauses().encode(out);
    }
    fn decode(reader: &mut Reader<'_>) -> Result<Self, ManifestError> {
        Vec::decode(reader).map(Self::from_clauses)
    }
}

impl Codec for PropertySets {
    fn encode(&self, out: &mut Vec<u8>) {
        (self.iter().len() as u32).encode(out);
        for (name, set) in self.iter() {
            encode_bytes(name.as_bytes(), out);
            (set.len() as u32).encode(out);
            for (name, value) in set.iter() {
                encode_bytes(name.as_bytes(), out);
                value.as_u32().encode(out);
                encode_bytes(value.as_bytes().unwrap_or_default(), out);
            }
        }
    }
    fn decode(reader: &mut Reader<'_>) -> Result<Self, ManifestError> {
        let mut sets = Self::default();
        for _ in 0..u32::decode(reader)? {
            let set = sets.set(&String::decode(reader)?);
            for _ in 0..u32::decode(reader)? {
                let name = String::decode(reader)?;
                let number = Option::<u32>::decode(reader)?;
                let bytes = decode_bytes(reader, "the bytes of a property")?;
                set.insert(
                    &name,
                    number.map_or_else(|| PropertyValue::Bytes(bytes.to_vec()), PropertyValue::U32),
                );
            }
        }
        Ok(sets)
    }
}

/// Implements both directions of a type from the list of its fields.
macro_rules! fields {
    ($type:ident { $($field:ident),* $(,)? }) => {
        impl Codec for $type {
            fn encode(&self, out: &mut Vec<u8>) {
                $(self.$field.encode(out);)*
            }
            fn decode(reader: &mut Reader<'_>) -> Result<Self, ManifestError> {
                $(let $field = Codec::decode(reader)?;)*
                Ok(Self { $($field),* })
            }
        }
    };
}

fields!(Manifest {
    entry_points,
    requirements,
    conditional,
    exports,
    imports,
    constants,
    globals,
    asks_for_aspects,
    other,
});
fields!(EntryPoint { symbol, launch, work_group_size, attributes, aspect_origins });
fields!(AspectOrigin { aspect, chain });
fields!(Step { function, place });
fields!(Requirements { aspects, sub_group_sizes, work_group_sizes, fixed_targets });
fields!(Conditional { condition, requirements });
fields!(Import { symbol, conditions });
fields!(SpecializationConstant { symbol, size });
fields!(DeviceGlobal { symbol, size, image_scope });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_count_reserves_no_more_than_the_input() {
        assert_eq!(reserved::<[u8; 256]>(u32::MAX as usize, 1024), 4);
        assert_eq!(reserved::<u8>(7, 1024), 7);
        let short = [&VERSION.to_le_bytes()[..], &u32::MAX.to_le_bytes()].concat();
        assert!(matches!(Manifest::from_bytes(&short), Err(ManifestError::Truncated { .. })));
    }
}
