//! Reads the user's configuration file: targets with their facts.
//!
//! ```yaml
//! intel_gpu_skl:
//!   aspects: [gpu, fp16, 6]
//!   may_support_other_aspects: false
//!   sub-group-sizes: [8, 16, 32]
//!   aot-toolchain: ocloc
//!   aot-toolchain-options: -device skl
//!   max-work-group-size: 256
//!   local-mem-size: 65536
//! ```
//!
//! The whole file is read before any of it takes effect. Everything that does not fit is an error
//! with line and column. Anchors, tags and further documents are not part of this format, and are
//! errors, too.

use crate::errors::{
    BadName, BadNumber, NoValue, NotBoolean, NotProgram, NotText, NotYaml, RepeatedKey,
    SecondDocument, UnknownAspect, UnknownAspectNumber, UnknownKey, Unreadable, UnsupportedYaml,
    WrongStructure,
};
use crate::table::{Target, inferred};
use crate::{Error, Warning};
use saphyr_parser::{Event, Marker, Parser, ScalarStyle, StrInput};
use scythe_abi::aspect::Aspect;
use scythe_abi::target::{LONGEST_NAME, is_name};
use scythe_diag::spelling::nearest;
use scythe_diag::{Diagnostic, Location, Report};
use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

/// The keys of a target.
const KEYS: [&str; 7] = [
    "aspects",
    "may_support_other_aspects",
    "sub-group-sizes",
    "aot-toolchain",
    "aot-toolchain-options",
    "max-work-group-size",
    "local-mem-size",
];

const MAX_SUB_GROUP_SIZE: u64 = 1024;
const MAX_WORK_GROUP_SIZE: u64 = 1 << 31;
const MAX_LOCAL_MEM_SIZE: u64 = 1 << 40;

/// The facts of a file about one target. `None` keeps the known value.
#[derive(Debug, Default)]
pub(crate) struct Entry {
    /// The target of the entry, and the location of the entry.
    pub target: String,
    pub place: Option<Location>,
    aspects: Option<Vec<Aspect>>,
    may_support_other_aspects: Option<bool>,
    sub_group_sizes: Option<Vec<u32>>,
    aot_toolchain: Option<String>,
    aot_toolchain_options: Option<String>,
    max_work_group_size: Option<u64>,
    local_mem_size: Option<u64>,
}

impl Entry {
    pub fn update(self, target: &mut Target) {
        if let Some(mut aspects) = self.aspects {
            aspects.sort();
            aspects.dedup();
            target.aspects = Cow::Owned(aspects);
        }
        if let Some(may) = self.may_support_other_aspects {
            target.may_support_other_aspects = may;
        }
        if let Some(mut sizes) = self.sub_group_sizes {
            sizes.sort();
            sizes.dedup();
            target.sub_group_sizes = Cow::Owned(sizes);
        }
        if let Some(toolchain) = self.aot_toolchain {
            // Options for another compiler would be wrong for this one.
            if toolchain != target.aot_toolchain {
                let (inferred, options) = inferred(&target.name);
                target.aot_toolchain_options =
                    if toolchain == inferred { options } else { Cow::default() };
            }
            target.aot_toolchain = Cow::Owned(toolchain);
        }
        if let Some(options) = self.aot_toolchain_options {
            target.aot_toolchain_options = Cow::Owned(options);
        }
        target.max_work_group_size = self.max_work_group_size.or(target.max_work_group_size);
        target.local_mem_size = self.local_mem_size.or(target.local_mem_size);
    }
}

/// Reads the text of a file.
pub(crate) fn read(path: &Path) -> Result<String, Error> {
    let file = path.to_string_lossy();
    let bytes = std::fs::read(path).map_err(|error| {
        let text = error.to_string();
        let reason = text.split(" (os error").next().unwrap_or_default();
        Unreadable { reason: reason.to_owned() }.report().at(Location::file(&*file))
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = good.iter().filter(|&&byte| byte == b'\n').count() + 1;
        let column =
            good.len() - good.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1) + 1;
        NotText.report().at(location(&file, line, column))
    })
}

/// Returns all entries of a file, in order, and warnings about them. `resolve` returns the target
/// of a name.
pub(crate) fn parse(
    file: &str,
    text: &str,
    resolve: impl Fn(&str) -> String,
) -> Result<(Vec<Entry>, Vec<Warning>), Error> {
    // Some editors write a byte-order mark, which is not part of the text.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = Reader { file, parser: Parser::new_from_str(text) };
    let mut entries: Vec<Entry> = Vec::new();
    let mut met: HashMap<String, (String, Location)> = HashMap::new();
    let mut warnings = Vec::new();
    if !reader.start_of_document()? {
        let message = "the device configuration is empty and has no effect";
        warnings.push(Diagnostic::warning(message).at(Location::file(file)));
        return Ok((entries, warnings));
    }
    let root = "targets with their keys, for example 'intel_gpu_skl:'";
    reader.mapping(root, |reader, name, at| {
        check_name(reader, &name, at)?;
        let (target, place) = (resolve(&name), reader.location(at));
        if let Some((first, there)) = met.get(&target) {
            let which =
                if *first == name { String::new() } else { format!(", as '{first}' before") };
            let message = format!(
                "target '{name}' is described twice{which}; this entry replaces the values of the \
                 first"
            );
            warnings.push(
                Diagnostic::warning(message)
                    .at(place.clone())
                    .note_at(there.clone(), "the first entry is here"),
            );
        } else {
            met.insert(target.clone(), (name.clone(), place.clone()));
        }
        entries.push(Entry { target, place: Some(place), ..entry(reader, name)? });
        Ok(())
    })?;
    reader.end_of_document()?;
    Ok((entries, warnings))
}

fn check_name(reader: &Reader<'_>, name: &str, at: Marker) -> Result<(), Error> {
    if !is_name(name) {
        let name: String = name.escape_debug().take(2 * LONGEST_NAME).collect();
        return Err(reader.error(at, &BadName { name, longest: LONGEST_NAME }));
    }
    Ok(())
}

fn entry(reader: &mut Reader<'_>, name: String) -> Result<Entry, Error> {
    let mut entry = Entry::default();
    let mut seen: Vec<&'static str> = Vec::new();
    let keys = format!("the keys of target '{name}'");
    reader.mapping(&keys, |reader, key, at| {
        let Some(&key) = KEYS.iter().find(|known| **known == key) else {
            let hint = suggestion(&key, KEYS.iter().copied());
            let hint = hint.unwrap_or_else(|| {
                format!("expected one of {}", KEYS.map(|key| format!("'{key}'")).join(", "))
            });
            return Err(reader.error(at, &UnknownKey { key, target: name.clone(), hint }));
        };
        if seen.contains(&key) {
            let error = RepeatedKey { key: key.to_owned(), target: name.clone() };
            return Err(reader.error(at, &error));
        }
        seen.push(key);
        match key {
            "aspects" => entry.aspects = Some(reader.list(key, "aspects", aspect)?),
            "may_support_other_aspects" => {
                entry.may_support_other_aspects = Some(truth(reader, key)?)
            }
            "sub-group-sizes" => {
                let size = |reader: &Reader<'_>, scalar: Scalar<'_>| {
                    number(reader, &scalar, key, MAX_SUB_GROUP_SIZE)
                };
                let sizes = reader.list(key, "sub-group sizes", size)?;
                entry.sub_group_sizes = Some(sizes.into_iter().map(|size| size as u32).collect());
            }
            "aot-toolchain" => entry.aot_toolchain = Some(toolchain(reader, key)?),
            "aot-toolchain-options" => {
                entry.aot_toolchain_options = Some(reader.scalar(key, "text")?.text.into_owned())
            }
            "max-work-group-size" => {
                entry.max_work_group_size = Some(limit(reader, key, MAX_WORK_GROUP_SIZE)?)
            }
            _ => entry.local_mem_size = Some(limit(reader, key, MAX_LOCAL_MEM_SIZE)?),
        }
        Ok(())
    })?;
    Ok(entry)
}

/// Reads an aspect: its name, or its number in `enum class aspect`.
fn aspect(reader: &Reader<'_>, scalar: Scalar<'_>) -> Result<Aspect, Error> {
    let text = &*scalar.text;
    if scalar.plain && text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+')) {
        let known = text.parse().ok().and_then(Aspect::from_u32);
        return known.ok_or_else(|| {
            reader.error(scalar.at, &UnknownAspectNumber { number: text.to_owned() })
        });
    }
    Aspect::from_name(text).ok_or_else(|| {
        let hint = suggestion(text, Aspect::ALL.iter().map(|aspect| aspect.as_str()));
        let hint = hint.unwrap_or_else(|| {
            "expected the name or number of an aspect in 'enum class aspect'".into()
        });
        reader.error(scalar.at, &UnknownAspect { name: text.escape_debug().to_string(), hint })
    })
}

fn truth(reader: &mut Reader<'_>, key: &str) -> Result<bool, Error> {
    let scalar = reader.scalar(key, "true or false")?;
    match &*scalar.text {
        "true" | "True" | "TRUE" if scalar.plain => Ok(true),
        "false" | "False" | "FALSE" if scalar.plain => Ok(false),
        _ => {
            let error = NotBoolean { key: key.to_owned(), seen: scalar.seen() };
            Err(reader.error(scalar.at, &error))
        }
    }
}

/// Reads the name of a program, which is one word.
fn toolchain(reader: &mut Reader<'_>, key: &str) -> Result<String, Error> {
    let scalar = reader.scalar(key, "the name of a compiler")?;
    if scalar.text.is_empty() || scalar.text.contains(|c: char| c.is_whitespace() || c.is_control())
    {
        let seen = scalar.text.escape_debug().to_string();
        return Err(reader.error(scalar.at, &NotProgram { key: key.to_owned(), seen }));
    }
    Ok(scalar.text.into_owned())
}

fn limit(reader: &mut Reader<'_>, key: &str, most: u64) -> Result<u64, Error> {
    let scalar = reader.scalar(key, "a number")?;
    number(reader, &scalar, key, most)
}

fn number(reader: &Reader<'_>, scalar: &Scalar<'_>, key: &str, most: u64) -> Result<u64, Error> {
    let digits = scalar.plain
        && !scalar.text.is_empty()
        && scalar.text.bytes().all(|byte| byte.is_ascii_digit());
    let value = scalar.text.parse().ok().filter(|value| digits && (1..=most).contains(value));
    value.ok_or_else(|| {
        reader.error(scalar.at, &BadNumber { key: key.to_owned(), seen: scalar.seen(), most })
    })
}

/// Suggests the known word that was probably meant.
fn suggestion<'a>(seen: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    nearest(seen, known).map(|word| format!("did you mean '{word}'?"))
}

/// A value that is neither list nor mapping.
struct Scalar<'a> {
    text: Cow<'a, str>,
    /// Whether the value is not quoted. Only then can it be a number or a truth value.
    plain: bool,
    at: Marker,
}

impl Scalar<'_> {
    /// Formats the value for messages.
    fn seen(&self) -> String {
        let text = self.text.escape_debug();
        if self.plain { format!("'{text}'") } else { format!("the quoted text '{text}'") }
    }
}

/// Reads the file, event by event.
struct Reader<'a> {
    file: &'a str,
    parser: Parser<'a, StrInput<'a>>,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Result<(Event<'a>, Marker), Error> {
        match self.parser.next_event() {
            Some(Ok((event, span))) => Ok((event, span.start)),
            Some(Err(error)) => {
                let reason = error.info().to_owned();
                Err(self.error(*error.marker(), &NotYaml { reason }))
            }
            // The parser ends with an event, after which there are no calls.
            None => Ok((Event::StreamEnd, Marker::default())),
        }
    }

    /// Returns whether there is a document.
    fn start_of_document(&mut self) -> Result<bool, Error> {
        loop {
            match self.next()? {
                (Event::DocumentStart(_), _) => return Ok(true),
                (Event::StreamEnd, _) => return Ok(false),
                _ => {}
            }
        }
    }

    fn end_of_document(&mut self) -> Result<(), Error> {
        loop {
            match self.next()? {
                (Event::DocumentStart(_), at) => {
                    return Err(self.error(at, &SecondDocument));
                }
                (Event::StreamEnd, _) => return Ok(()),
                _ => {}
            }
        }
    }

    /// Reads a mapping. `each` gets every key and reads its value.
    fn mapping(
        &mut self,
        expected: &str,
        mut each: impl FnMut(&mut Self, String, Marker) -> Result<(), Error>,
    ) -> Result<(), Error> {
        match self.next()? {
            (Event::MappingStart(anchor, tag), at) => self.bare(anchor, tag.is_some(), at)?,
            (other, at) => return Err(self.unexpected(at, &other, expected)),
        }
        loop {
            match self.next()? {
                (Event::MappingEnd, _) => return Ok(()),
                (Event::Scalar(key, _, anchor, tag), at) => {
                    self.bare(anchor, tag.is_some(), at)?;
                    each(self, key.into_owned(), at)?;
                }
                (other, at) => return Err(self.unexpected(at, &other, "a name and ':'")),
            }
        }
    }

    /// Reads a list of scalars.
    fn list<T>(
        &mut self,
        key: &str,
        what: &str,
        item: impl Fn(&Self, Scalar<'a>) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let expected = format!("a list of {what} as '{key}'");
        let inside = format!("only {what} in '{key}'");
        match self.next()? {
            (Event::SequenceStart(anchor, tag), at) => self.bare(anchor, tag.is_some(), at)?,
            (other, at) => return Err(self.unexpected(at, &other, &expected)),
        }
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => return Ok(items),
                (event @ Event::Scalar(..), at) => {
                    let scalar = self.to_scalar(event, at, &inside)?;
                    items.push(item(self, scalar)?);
                }
                (other, at) => return Err(self.unexpected(at, &other, &inside)),
            }
        }
    }

    fn scalar(&mut self, key: &str, what: &str) -> Result<Scalar<'a>, Error> {
        let (event, at) = self.next()?;
        self.to_scalar(event, at, &format!("{what} as '{key}'"))
    }

    fn to_scalar(&self, event: Event<'a>, at: Marker, expected: &str) -> Result<Scalar<'a>, Error> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                self.bare(anchor, tag.is_some(), at)?;
                let plain = style == ScalarStyle::Plain;
                if plain && (text.is_empty() || text == "~" || text == "null") {
                    return Err(self.error(at, &NoValue { expected: expected.to_owned() }));
                }
                Ok(Scalar { text, plain, at })
            }
            other => Err(self.unexpected(at, &other, expected)),
        }
    }

    /// Rejects anchors and tags.
    fn bare(&self, anchor: usize, tagged: bool, at: Marker) -> Result<(), Error> {
        match (anchor, tagged) {
            (0, false) => Ok(()),
            (0, true) => Err(self.error(at, &UnsupportedYaml { feature: "tags" })),
            _ => Err(self.error(at, &UnsupportedYaml { feature: "anchors" })),
        }
    }

    fn unexpected(&self, at: Marker, event: &Event<'_>, expected: &str) -> Error {
        let seen = match event {
            Event::Scalar(text, ScalarStyle::Plain, ..)
                if text.is_empty() || text == "~" || text == "null" =>
            {
                return self.error(at, &NoValue { expected: expected.to_owned() });
            }
            Event::Scalar(text, ..) => format!("'{}'", text.escape_debug()),
            Event::SequenceStart(..) => "a list".into(),
            Event::MappingStart(..) => "a mapping".into(),
            Event::Alias(_) => "an alias".into(),
            _ => "the end".into(),
        };
        self.error(at, &WrongStructure { seen, expected: expected.to_owned() })
    }

    fn location(&self, at: Marker) -> Location {
        location(self.file, at.line(), at.col() + 1)
    }

    fn error(&self, at: Marker, error: &impl Report) -> Error {
        error.report().at(self.location(at))
    }
}

fn location(file: &str, line: usize, column: usize) -> Location {
    let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Location::new(file, small(line), small(column))
}
