//! Provisional identifiers of translation units. A provisional identifier tells units apart before
//! they are compiled, and is the same wherever and whenever a unit is compiled. The final identity,
//! which covers headers and options, is computed after the passes (`identity.rs`).
//!
//! The identifier depends only on the source's name without its folder, on its code, and on the
//! macros of the command line. In particular, it does not depend on the output's name: compiler
//! caches return the same object to everyone who compiles the same text, under any output name.
//! Comments and blanks do not count, so a cached object stays valid after an edit of a comment.

use std::collections::BTreeMap;
use std::path::Path;

use crate::args::{InputKind, Invocation};
use crate::error::Error;

/// FNV-1a, 64 bits.
#[derive(Clone, Copy, Debug)]
struct Hash(u64);

impl Hash {
    fn new() -> Hash {
        Hash(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }

    /// Adds a text and a terminator, so that "ab" and "c" hash differently from "a" and "bc".
    fn add_text(&mut self, text: &str) {
        text.bytes().chain([0]).for_each(|byte| self.add(byte));
    }
}

/// Returns the identifier of a translation unit. `code` is the fingerprint of its source, `macros`
/// are the words that define macros, and `repeat` is the number of earlier occurrences of the same
/// source on the command line.
pub fn unit_id<'a>(
    source: &str,
    code: u64,
    macros: impl Iterator<Item = &'a str>,
    repeat: usize,
) -> u64 {
    let mut hash = Hash::new();
    hash.add_text(source);
    code.to_le_bytes()
        .into_iter()
        .chain((repeat as u64).to_le_bytes())
        .for_each(|byte| hash.add(byte));
    macros.for_each(|word| hash.add_text(word));
    hash.0
}

/// Returns the fingerprint of a text.
pub fn text(text: &str) -> u64 {
    let mut hash = Hash::new();
    hash.add_text(text);
    hash.0
}

/// Returns the fingerprints of all sources that can be read twice, by their names.
pub fn sources(invocation: &Invocation) -> Result<BTreeMap<String, u64>, Error> {
    let sources = invocation.inputs().filter(|input| input.kind == InputKind::Source);
    let files = sources.map(|input| &input.path).filter(|path| Path::new(path).is_file());
    let print = |path: &String| {
        let text =
            std::fs::read(path).map_err(|source| Error::Read { path: path.into(), source })?;
        Ok((path.clone(), code(&text)))
    };
    files.map(print).collect()
}

/// Returns one fingerprint of the contents of several files, such as programs.
pub fn contents(files: &[&Path]) -> Result<u64, Error> {
    let mut hash = Hash::new();
    for path in files {
        let bytes = std::fs::read(path)
            .map_err(|source| Error::Read { path: path.to_path_buf(), source })?;
        bytes.iter().for_each(|byte| hash.add(*byte));
    }
    Ok(hash.0)
}

/// Returns the fingerprint of a source's code.
pub fn code(text: &[u8]) -> u64 {
    let mut hash = Hash::new();
    let mut rest = text;
    let mut last = b'\n';
    while let Some((&byte, tail)) = rest.split_first() {
        let length = match (byte, tail.first()) {
            (b'/', Some(b'/')) => line(rest),
            (b'/', Some(b'*')) => find(&rest[2..], b"*/").map_or(rest.len(), |at| at + 4),
            (b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c, _) => 1,
            (b'"', _) if last == b'R' => keep(&mut hash, rest, raw(rest)),
            // An apostrophe after a digit or letter is a digit separator or follows an encoding
            // prefix. Neither starts a text with blanks.
            (b'\'', _) if last.is_ascii_alphanumeric() => keep(&mut hash, rest, 1),
            (b'"' | b'\'', _) => keep(&mut hash, rest, quoted(rest)),
            _ => keep(&mut hash, rest, 1),
        };
        last = byte;
        rest = &rest[length..];
    }
    hash.0
}

/// Adds the first `length` bytes of `text`.
fn keep(hash: &mut Hash, text: &[u8], length: usize) -> usize {
    text[..length].iter().for_each(|byte| hash.add(*byte));
    length
}

fn find(text: &[u8], pattern: &[u8]) -> Option<usize> {
    text.windows(pattern.len()).position(|window| window == pattern)
}

/// Returns the length of a `//` comment. A backslash at the end of a line continues the comment.
fn line(text: &[u8]) -> usize {
    let mut at = 0;
    while let Some(end) = text[at..].iter().position(|byte| *byte == b'\n') {
        at += end;
        if !text[..at].trim_ascii_end().ends_with(b"\\") {
            return at;
        }
        at += 1;
    }
    text.len()
}

/// Returns the length of a string or character literal. A literal ends at the end of its line at
/// the latest, because the apostrophe may not start a literal.
fn quoted(text: &[u8]) -> usize {
    let mut at = 1;
    while at < text.len() {
        match text[at] {
            b'\\' => at += 1,
            b'\n' => return at,
            byte if byte == text[0] => return at + 1,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

/// Returns the length of a raw string literal, from its quote.
fn raw(text: &[u8]) -> usize {
    let Some(open) = text.iter().position(|byte| *byte == b'(').filter(|at| *at <= 17) else {
        return 1;
    };
    let end = [b")", &text[1..open], b"\""].concat();
    find(&text[open..], &end).map_or(text.len(), |at| open + at + end.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(a: &str, b: &str) -> bool {
        code(a.as_bytes()) == code(b.as_bytes())
    }

    #[test]
    fn comments_and_blanks_do_not_count() {
        assert!(same("int x; // one\nint y;", "int x; /* two\n lines */ int   y;\n"));
        assert!(same("int x; // a \\\n b\nint y;", "int x;\nint y;"));
        assert!(same("int x = 1'000; // it's\n", "int x = 1'000;"));
    }

    #[test]
    fn code_and_what_looks_like_a_comment_counts() {
        assert!(!same("int x;", "int y;"));
        assert!(!same("f(\"// a\");", "f(\"// b\");"));
        assert!(!same("f(\"a b\");", "f(\"ab\");"));
        assert!(!same("f(R\"x(\" // a)x\");", "f(R\"x(\" // b)x\");"));
        assert!(!same("f('\"'); // \"\ng();", "f('\"'); // \"\nh();"));
    }

    #[test]
    fn any_bytes_have_a_fingerprint() {
        for text in ["", "/*", "//", "\"", "'\\", "R\"", "R\"(", "R\"x(y)x", "/", "\"\\"] {
            code(text.as_bytes());
        }
    }

    #[test]
    fn identifiers_tell_units_apart() {
        let id = |source, code, macros: &[&'static str], repeat| {
            unit_id(source, code, macros.iter().copied(), repeat)
        };
        let first = id("a.cpp", 1, &["-DX"], 0);
        assert_eq!(first, id("a.cpp", 1, &["-DX"], 0));
        let others = [
            id("b.cpp", 1, &["-DX"], 0),
            id("a.cpp", 2, &["-DX"], 0),
            id("a.cpp", 1, &["-DY"], 0),
            id("a.cpp", 1, &["-DX", "-DY"], 0),
            id("a.cpp", 1, &["-DX"], 1),
        ];
        assert!(others.iter().all(|other| *other != first));
        assert_ne!(id("a", 0, &["bc"], 0), id("a", 0, &["b", "c"], 0));
    }
}
