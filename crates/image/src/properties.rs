//! Property sets: the text files in which SYCL post-link tools pass facts about a device image.
//! Inside of an image, the same facts are a [`crate::Manifest`].
//!
//! ```text
//! [SYCL/device requirements]
//! fixed_target=1|42
//! [SCYTHE/launch]
//! _ZTS1K=2|GAAAAAAAAAABAgM=
//! ```
//!
//! `1|` introduces an unsigned 32-bit number in decimal, `2|` a byte array in base 64 whose first
//! eight bytes are its length in *bits*, little-endian. A name may be any string: `%`, `=`, line
//! ends and a leading `[` are written as `%` and two hexadecimal digits. Symbols never contain
//! these characters, so the files of other tools are read and written unchanged.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use indexmap::IndexMap;
use std::fmt::Write;

/// A property's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PropertyValue {
    U32(u32),
    Bytes(Vec<u8>),
}

impl PropertyValue {
    /// Returns the number, if the value is one.
    pub fn as_u32(&self) -> Option<u32> {
        match self {
            Self::U32(value) => Some(*value),
            Self::Bytes(_) => None,
        }
    }

    /// Returns the byte array, if the value is one.
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Self::U32(_) => None,
            Self::Bytes(bytes) => Some(bytes),
        }
    }
}

impl From<u32> for PropertyValue {
    fn from(value: u32) -> Self {
        Self::U32(value)
    }
}

impl From<Vec<u8>> for PropertyValue {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes)
    }
}

/// Properties in the order in which they were inserted, each name once.
#[derive(Clone, Debug, Default)]
pub struct PropertySet(IndexMap<String, PropertyValue>);

/// The order counts: it reaches files.
impl PartialEq for PropertySet {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_slice() == other.0.as_slice()
    }
}

impl Eq for PropertySet {}

impl PropertySet {
    pub fn get(&self, name: &str) -> Option<&PropertyValue> {
        self.0.get(name)
    }

    /// Sets a property and returns its previous value.
    pub fn insert(&mut self, name: &str, value: impl Into<PropertyValue>) -> Option<PropertyValue> {
        self.0.insert(name.to_owned(), value.into())
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &PropertyValue)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Sets in the order in which they were first named.
#[derive(Clone, Debug, Default)]
pub struct PropertySets(IndexMap<String, PropertySet>);

/// The order counts: it reaches files.
impl PartialEq for PropertySets {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_slice() == other.0.as_slice()
    }
}

impl Eq for PropertySets {}

/// The reason why a text is not a list of property sets. Lines count from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {kind}")]
pub struct PropertyError {
    pub line: usize,
    pub kind: PropertyErrorKind,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PropertyErrorKind {
    #[error("the property set is not closed: expected ']' at the end of '{0}'")]
    UnclosedSet(String),
    #[error("the property set '{0}' appears twice")]
    RepeatedSet(String),
    #[error("expected a property set '[name]' before the property '{0}'")]
    PropertyBeforeSet(String),
    #[error("expected 'name=type|value', found '{0}'")]
    NotAProperty(String),
    #[error("the property '{0}' appears twice in its set")]
    RepeatedProperty(String),
    #[error("the property '{name}' has type '{seen}', expected 1 (number) or 2 (byte array)")]
    UnknownType { name: String, seen: String },
    #[error("the value of '{name}' is '{seen}', expected a decimal number below 4294967296")]
    NotANumber { name: String, seen: String },
    #[error("the value of '{name}' is not valid base64")]
    NotBase64 { name: String },
    #[error(
        "the byte array '{name}' declares {claimed} bits, expected {} for its {found} bytes",
        *found as u64 * 8
    )]
    WrongLength { name: String, claimed: u64, found: usize },
    #[error("the byte array '{name}' has {found} bytes, expected at least 8 for its length")]
    NoLength { name: String, found: usize },
    #[error(
        "'{0}' contains an invalid escape: expected '%' and two hexadecimal digits that give UTF-8 \
         text"
    )]
    BadEscape(String),
}

impl PropertySets {
    pub fn get(&self, set: &str) -> Option<&PropertySet> {
        self.0.get(set)
    }

    /// Returns the set with the name `name`. If there is none, appends an empty set.
    pub fn set(&mut self, name: &str) -> &mut PropertySet {
        if !self.0.contains_key(name) {
            self.0.insert(name.to_owned(), PropertySet::default());
        }
        &mut self.0[name]
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &PropertySet)> {
        self.0.iter().map(|(name, set)| (name.as_str(), set))
    }

    pub fn is_empty(&self) -> bool {
        self.0.len() == 0
    }

    /// Returns the text form.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        for (name, set) in self.iter() {
            out.push('[');
            escape(&mut out, name, Place::Set);
            out.push_str("]\n");
            for (name, value) in set.iter() {
                escape(&mut out, name, Place::Property);
                match value {
                    PropertyValue::U32(number) => {
                        write!(out, "=1|{number}").expect("writing to a string does not fail")
                    }
                    PropertyValue::Bytes(bytes) => {
                        let mut framed = Vec::with_capacity(8 + bytes.len());
                        framed.extend((bytes.len() as u64 * 8).to_le_bytes());
                        framed.extend(bytes);
                        out.push_str("=2|");
                        STANDARD.encode_string(&framed, &mut out);
                    }
                }
                out.push('\n');
            }
        }
        out
    }

    /// Reads the text form. Empty lines are ignored.
    pub fn from_text(text: &str) -> Result<Self, PropertyError> {
        let mut sets = Self::default();
        let mut current: Option<&mut PropertySet> = None;
        // Uses `split` instead of `lines`, because a carriage return inside of a line is part of
        // it.
        for (number, line) in text.split('\n').enumerate() {
            let line = line.strip_suffix('\r').unwrap_or(line);
            let fail = |kind| PropertyError { line: number + 1, kind };
            if line.is_empty() {
                continue;
            }
            if let Some(name) = line.strip_prefix('[') {
                let name = name
                    .strip_suffix(']')
                    .ok_or_else(|| fail(PropertyErrorKind::UnclosedSet(line.to_owned())))?;
                let name = unescape(name).map_err(fail)?;
                if sets.get(&name).is_some() {
                    return Err(fail(PropertyErrorKind::RepeatedSet(name)));
                }
                current = Some(sets.set(&name));
                continue;
            }
            let (name, value) = parse_property(line).map_err(fail)?;
            let Some(set) = current.as_mut() else {
                return Err(fail(PropertyErrorKind::PropertyBeforeSet(name)));
            };
            if set.insert(&name, value).is_some() {
                return Err(fail(PropertyErrorKind::RepeatedProperty(name)));
            }
        }
        Ok(sets)
    }
}

fn parse_property(line: &str) -> Result<(String, PropertyValue), PropertyErrorKind> {
    let (name, value) =
        line.split_once('=').ok_or_else(|| PropertyErrorKind::NotAProperty(line.to_owned()))?;
    let name = unescape(name)?;
    let (kind, value) =
        value.split_once('|').ok_or_else(|| PropertyErrorKind::NotAProperty(line.to_owned()))?;
    let value = match kind {
        "1" if value.bytes().all(|byte| byte.is_ascii_digit()) && value.parse::<u32>().is_ok() => {
            PropertyValue::U32(value.parse().unwrap_or_default())
        }
        "1" => return Err(PropertyErrorKind::NotANumber { name, seen: value.to_owned() }),
        "2" => PropertyValue::Bytes(parse_bytes(&name, value)?),
        _ => return Err(PropertyErrorKind::UnknownType { name, seen: kind.to_owned() }),
    };
    Ok((name, value))
}

fn parse_bytes(name: &str, text: &str) -> Result<Vec<u8>, PropertyErrorKind> {
    let name = || name.to_owned();
    let framed =
        STANDARD.decode(text).map_err(|_| PropertyErrorKind::NotBase64 { name: name() })?;
    let Some((bits, bytes)) = framed.split_first_chunk::<8>() else {
        return Err(PropertyErrorKind::NoLength { name: name(), found: framed.len() });
    };
    let claimed = u64::from_le_bytes(*bits);
    if claimed != bytes.len() as u64 * 8 {
        return Err(PropertyErrorKind::WrongLength { name: name(), claimed, found: bytes.len() });
    }
    Ok(bytes.to_vec())
}

#[derive(Clone, Copy, PartialEq)]
enum Place {
    Set,
    Property,
}

fn escape(out: &mut String, name: &str, place: Place) {
    for (at, c) in name.char_indices() {
        let special = match c {
            '%' | '\n' | '\r' => true,
            '=' => place == Place::Property,
            '[' => place == Place::Property && at == 0,
            _ => false,
        };
        if special {
            write!(out, "%{:02X}", c as u32).expect("writing to a string does not fail");
        } else {
            out.push(c);
        }
    }
}

fn unescape(text: &str) -> Result<String, PropertyErrorKind> {
    if !text.contains('%') {
        return Ok(text.to_owned());
    }
    let bad = || PropertyErrorKind::BadEscape(text.to_owned());
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let (digits, tail) = rest.split_first_chunk::<2>().ok_or_else(bad)?;
        let nibble = |digit: u8| char::from(digit).to_digit(16).ok_or_else(bad);
        out.push((nibble(digits[0])? << 4 | nibble(digits[1])?) as u8);
        rest = tail;
    }
    String::from_utf8(out).map_err(|_| bad())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn text_is_that_of_post_link_tools() {
        let mut sets = PropertySets::default();
        sets.set("SYCL/device requirements").insert("fixed_target", 42);
        sets.set("SCYTHE/launch").insert("_ZTS1K", vec![1, 2, 3]);
        let text = "[SYCL/device \
            requirements]\nfixed_target=1|42\n[SCYTHE/launch]\n_ZTS1K=2|GAAAAAAAAAABAgM=\n";
        assert_eq!(sets.to_text(), text);
        assert_eq!(PropertySets::from_text(text).unwrap(), sets);
    }

    #[test]
    fn order_is_that_of_insertion_and_empty_sets_stay() {
        let text = "[b]\n[a]\nz=1|1\ny=1|2\n";
        assert_eq!(PropertySets::from_text(text).unwrap().to_text(), text);
    }

    #[test]
    fn a_property_set_twice_keeps_its_place_and_takes_the_new_value() {
        let mut set = PropertySet::default();
        set.insert("a", 1);
        set.insert("b", 2);
        assert_eq!(set.insert("a", 3), Some(PropertyValue::U32(1)));
        assert_eq!(set.iter().collect::<Vec<_>>(), [("a", &3.into()), ("b", &2.into())]);
    }

    #[test]
    fn errors_say_the_line_and_what_was_expected() {
        let check = |text: &str, message: &str| {
            assert_eq!(PropertySets::from_text(text).unwrap_err().to_string(), message, "{text:?}");
        };
        check("[a\n", "line 1: the property set is not closed: expected ']' at the end of '[a'");
        check("[a]\n\n[a]\n", "line 3: the property set 'a' appears twice");
        check("x=1|1\n", "line 1: expected a property set '[name]' before the property 'x'");
        check("[a]\nx\n", "line 2: expected 'name=type|value', found 'x'");
        check("[a]\nx=1|1\nx=1|1\n", "line 3: the property 'x' appears twice in its set");
        check(
            "[a]\nx=3|1\n",
            "line 2: the property 'x' has type '3', expected 1 (number) or 2 (byte array)",
        );
        check(
            "[a]\nx=1|-1\n",
            "line 2: the value of 'x' is '-1', expected a decimal number below 4294967296",
        );
        check(
            "[a]\nx=1|4294967296\n",
            "line 2: the value of 'x' is '4294967296', expected a decimal number below 4294967296",
        );
        // Missing padding, stray bits, padding inside, white space: each value has one encoding.
        for text in ["AA", "Zg=", "Zh==", "Zm9=", "Z===", "====", "Zg==Zg==", "Zm 8"] {
            check(&format!("[a]\nx=2|{text}\n"), "line 2: the value of 'x' is not valid base64");
        }
        check(
            "[a]\nx=2|AAAA\n",
            "line 2: the byte array 'x' has 3 bytes, expected at least 8 for its length",
        );
        check(
            "[a]\nx=2|CQAAAAAAAAABAgM=\n",
            "line 2: the byte array 'x' declares 9 bits, expected 24 for its 3 bytes",
        );
        check(
            "[a]\n%4=1|1\n",
            "line 2: '%4' contains an invalid escape: expected '%' and two hexadecimal digits that \
             give UTF-8 text",
        );
    }

    fn value() -> impl Strategy<Value = PropertyValue> {
        prop_oneof![
            any::<u32>().prop_map(PropertyValue::U32),
            any::<Vec<u8>>().prop_map(PropertyValue::Bytes)
        ]
    }

    proptest! {
        #[test]
        fn any_sets_survive_the_text(sets in prop::collection::vec(
            (any::<String>(), prop::collection::vec((any::<String>(), value()), 0..4)), 0..4)
        ) {
            let mut made = PropertySets::default();
            for (name, properties) in sets {
                let set = made.set(&name);
                for (name, value) in properties {
                    set.insert(&name, value);
                }
            }
            prop_assert_eq!(PropertySets::from_text(&made.to_text()).unwrap(), made);
        }

        #[test]
        fn any_text_is_read_or_refused(text in "[\\[\\]a%=12|A\\n\\r]{0,40}") {
            if let Ok(sets) = PropertySets::from_text(&text) {
                prop_assert_eq!(PropertySets::from_text(&sets.to_text()).unwrap(), sets);
            }
        }
    }
}
