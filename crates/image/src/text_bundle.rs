//! Bundles of text: the preprocessed texts of all passes over one source, one after the other in
//! one file.
//!
//! The part of target `T` is between the lines `// __CLANG_OFFLOAD_BUNDLE____START__ T` and `//
//! __CLANG_OFFLOAD_BUNDLE____END__ T`, after a blank line, as in the preprocessed text of clang's
//! offload bundler. Before the first part, a line `// scythe-unit HEX16` gives the identifier of
//! the translation unit, because the compilation of the parts knows neither the source's name nor
//! the options from which it was derived. A line `// scythe-compiler HEX16` lets caches tell
//! compilers apart; the compilation of the parts ignores it.

const START: &str = "// __CLANG_OFFLOAD_BUNDLE____START__ ";
const END: &str = "// __CLANG_OFFLOAD_BUNDLE____END__ ";
const START_TAG: &str = "__CLANG_OFFLOAD_BUNDLE____START__ ";
const END_TAG: &str = "__CLANG_OFFLOAD_BUNDLE____END__ ";
const UNIT: &str = "// scythe-unit ";
const COMPILER: &str = "// scythe-compiler ";

/// The parts of a text, in order. Parts are bytes, because sources may have any encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextBundle<'a> {
    /// The identifier of the translation unit. Bundles of other tools have none.
    pub unit: Option<u64>,
    /// The target and text of each part.
    pub parts: Vec<(String, &'a [u8])>,
}

/// The reason why a text that begins like a bundle is invalid. Lines count from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TextBundleError {
    #[error(
        "line {line}: '{text}' is not the identity of a translation unit: expected 16 hexadecimal \
         digits"
    )]
    BadUnit { line: usize, text: String },
    #[error("line {line}: expected the start of a part, '{START}TARGET'")]
    NoStart { line: usize },
    #[error("line {line}: the part for '{target}' starts here, but has no end")]
    NoEnd { line: usize, target: String },
    #[error("line {line}: the part for '{target}' appears twice")]
    Twice { line: usize, target: String },
}

/// Returns whether the bytes begin like a bundle. The bundle need not be valid.
pub fn is_bundle(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\n").unwrap_or(bytes);
    text.starts_with(UNIT.as_bytes()) || text.starts_with(START.as_bytes())
}

/// Joins all parts into one text. `compiler` is a fingerprint of the programs that would compile
/// them here.
pub fn join(unit: u64, compiler: u64, parts: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut out = format!("{UNIT}{unit:016x}\n{COMPILER}{compiler:016x}\n").into_bytes();
    for (target, text) in parts {
        out.extend_from_slice(format!("\n{START}{target}\n").as_bytes());
        out.extend_from_slice(text);
        if !text.ends_with(b"\n") {
            out.push(b'\n');
        }
        out.extend_from_slice(format!("{END}{target}\n").as_bytes());
    }
    out
}

/// Joins all parts into one text, in the exact form of clang's offload bundler. `comment` starts a
/// comment in texts of this kind.
pub fn join_as(comment: &str, parts: &[(String, &[u8])]) -> Vec<u8> {
    let mut out = Vec::new();
    for (target, text) in parts {
        out.extend_from_slice(format!("\n{comment} {START_TAG}{target}\n").as_bytes());
        out.extend_from_slice(text);
        out.extend_from_slice(format!("\n{comment} {END_TAG}{target}\n").as_bytes());
    }
    out
}

/// Returns the parts of a bundle in the form of clang's offload bundler or of [`join`]. In the
/// former, the line end before the end of each part does not belong to the part.
pub fn divide_as<'a>(comment: &str, bytes: &'a [u8]) -> Result<TextBundle<'a>, TextBundleError> {
    let mut bundle =
        divide_with(&format!("{comment} {START_TAG}"), &format!("{comment} {END_TAG}"), bytes)?;
    if bundle.unit.is_none() {
        bundle
            .parts
            .iter_mut()
            .for_each(|(_, text)| *text = text.strip_suffix(b"\n").unwrap_or(text));
    }
    Ok(bundle)
}

/// Returns the parts of a bundle.
pub fn divide(bytes: &[u8]) -> Result<TextBundle<'_>, TextBundleError> {
    divide_with(START, END, bytes)
}

fn divide_with<'a>(
    start_tag: &str,
    end_tag: &str,
    bytes: &'a [u8],
) -> Result<TextBundle<'a>, TextBundleError> {
    let mut bundle = TextBundle { unit: None, parts: Vec::new() };
    let mut lines = Lines { bytes, at: 0, number: 0 };
    while let Some((_, line)) = lines.next() {
        let number = lines.number;
        if line.is_empty() || bundle.parts.is_empty() && tagged(line, COMPILER).is_some() {
            continue;
        }
        if let Some(text) =
            tagged(line, UNIT).filter(|_| bundle.unit.is_none() && bundle.parts.is_empty())
        {
            let id = u64::from_str_radix(&text, 16).ok().filter(|_| text.len() == 16);
            bundle.unit = Some(id.ok_or(TextBundleError::BadUnit { line: number, text })?);
            continue;
        }
        let target = tagged(line, start_tag).ok_or(TextBundleError::NoStart { line: number })?;
        if bundle.parts.iter().any(|(known, _)| *known == target) {
            return Err(TextBundleError::Twice { line: number, target });
        }
        let begin = lines.at;
        let end = loop {
            match lines.next() {
                Some((at, line)) if tagged(line, end_tag).is_some_and(|t| t == target) => break at,
                Some(_) => {}
                None => return Err(TextBundleError::NoEnd { line: number, target }),
            }
        };
        bundle.parts.push((target, &bytes[begin..end]));
    }
    Ok(bundle)
}

/// Returns the text after `tag` if the line begins with it.
fn tagged(line: &[u8], tag: &str) -> Option<String> {
    let rest = line.strip_prefix(tag.as_bytes())?;
    Some(String::from_utf8_lossy(rest).into_owned())
}

struct Lines<'a> {
    bytes: &'a [u8],
    /// The position of the next line.
    at: usize,
    /// The number of the last returned line.
    number: usize,
}

impl<'a> Lines<'a> {
    /// Returns the position of the next line, and the line without its end.
    fn next(&mut self) -> Option<(usize, &'a [u8])> {
        let begin = self.at;
        let rest = self.bytes.get(begin..).filter(|rest| !rest.is_empty())?;
        let length = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        self.at = (begin + length + 1).min(self.bytes.len());
        self.number += 1;
        Some((begin, &rest[..length]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOST: &str = "host-x86_64-unknown-linux-gnu";
    const DEVICE: &str = "sycl-spir64-unknown-unknown";

    fn sample() -> Vec<u8> {
        join(
            0xabc,
            0xdef,
            &[
                (DEVICE.to_owned(), b"# 1 \"a.cpp\"\nint x;\n".to_vec()),
                (HOST.to_owned(), b"int y;".to_vec()),
            ],
        )
    }

    #[test]
    fn parts_come_out_as_they_went_in() {
        let text = sample();
        assert!(is_bundle(&text));
        let bundle = divide(&text).unwrap();
        assert_eq!(bundle.unit, Some(0xabc));
        let parts: Vec<_> = bundle.parts.iter().map(|(t, p)| (t.as_str(), *p)).collect();
        assert_eq!(parts, [(DEVICE, &b"# 1 \"a.cpp\"\nint x;\n"[..]), (HOST, &b"int y;\n"[..])]);
    }

    #[test]
    fn what_clangs_bundler_writes_is_read() {
        let text = format!("\n{START}{HOST}\nint y;\n\n{END}{HOST}\n");
        assert!(is_bundle(text.as_bytes()));
        let bundle = divide(text.as_bytes()).unwrap();
        assert_eq!((bundle.unit, bundle.parts.len()), (None, 1));
    }

    #[test]
    fn other_texts_are_no_bundles() {
        for text in ["", "# 1 \"a.cpp\"\n", "int x;\n// __CLANG_OFFLOAD_BUNDLE____START__ host\n"] {
            assert!(!is_bundle(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn damage_is_named_with_its_line() {
        let text = sample();
        for length in 0..text.len() {
            let Err(error) = divide(&text[..length]) else { continue };
            assert!(error.to_string().starts_with("line "), "{error}");
        }
        let said = |text: String| divide(text.as_bytes()).unwrap_err().to_string();
        assert!(said(format!("{START}a\nx\n")).contains("line 1: the part for 'a'"));
        assert!(
            said(format!("{START}a\n{END}a\n{START}a\n{END}a\n"))
                .contains("line 3: the part for 'a' appears twice")
        );
        assert!(
            said(format!("{UNIT}12\n")).contains("'12' is not the identity of a translation unit")
        );
        assert!(
            said(format!("{UNIT}0000000000000012\nint x;\n"))
                .contains("line 2: expected the start")
        );
    }
}
