//! Formats the text of `sycl::stream`. Work-items write records of 8-byte words, which become text
//! here.
//!
//! The memory of a stream consists of chunks of 8 words. Chunk 0 is the head: the number of chunks
//! that were requested, then the number of chunks that exist. In each other chunk, the low half of
//! the first word is the number of the chunk that continues it, or 0. The high half is the number
//! of words that the chunk holds; its bit 31 marks the first chunk of a statement. Statements are
//! printed in the order of their first chunks. The other words are records. The low byte of the
//! first word of a record is its kind; see [`tag`].
//!
//! The C library formats numbers, so they look like the output of C++ streams. Memory that was not
//! written by a kernel of the program may produce meaningless text, but has no other effect.

use std::ffi::{CStr, c_char, c_double, c_int, c_longlong, c_ulonglong};

const CHUNK: usize = 8;
const FIRST: u32 = 0x8000_0000;

/// The kinds of records, as in `include/sycl/stream.hpp`.
mod tag {
    /// The upper bytes are the formatting state of the following values.
    pub const STATE: u8 = 1;
    /// The upper bytes are the minimum width of the next value.
    pub const WIDTH: u8 = 2;
    /// The upper bytes are the number of text bytes, which follow.
    pub const TEXT: u8 = 3;
    /// One word follows this record and each of those below.
    pub const SIGNED: u8 = 4;
    pub const UNSIGNED: u8 = 5;
    pub const FLOAT: u8 = 6;
    pub const DOUBLE: u8 = 7;
    pub const POINTER: u8 = 8;
    pub const CHARACTER: u8 = 9;
}

/// The formatting state: bits 0-1 are the base, 2 showbase, 3 showpos, 4-5 the notation, and 8-15
/// the precision plus one.
#[derive(Clone, Copy, Default)]
struct State(u32);

impl State {
    fn conversion(self, decimal: &'static str) -> &'static str {
        match self.0 & 3 {
            1 => "llx",
            2 => "llo",
            _ => decimal,
        }
    }
    /// Returns the flags `#` and `+` of C's format strings.
    fn flags(self) -> String {
        let mut flags = String::new();
        if self.0 & 4 != 0 && self.0 & 3 != 0 {
            flags.push('#');
        }
        if self.0 & 8 != 0 {
            flags.push('+');
        }
        flags
    }
    fn integer(self, value: u64, signed: bool, width: usize) -> Vec<u8> {
        // Only decimal numbers have a sign.
        let signed = signed && self.0 & 3 == 0;
        let format = format!(
            "%{}{width}{}\0",
            self.flags(),
            self.conversion(if signed { "lld" } else { "llu" })
        );
        print(&format, |out, size, format| {
            // SAFETY: the format has one conversion, which matches the type of the argument.
            unsafe {
                if signed {
                    libc::snprintf(out, size, format, value as c_longlong)
                } else {
                    libc::snprintf(out, size, format, value as c_ulonglong)
                }
            }
        })
    }
    fn floating(self, value: f64, width: usize) -> Vec<u8> {
        let precision = match self.0 >> 8 & 0xff {
            0 => 6,
            given => given - 1,
        };
        let (precision, conversion) = match self.0 >> 4 & 3 {
            0 => (format!(".{precision}"), 'g'),
            1 => (format!(".{precision}"), 'f'),
            2 => (format!(".{precision}"), 'e'),
            // Hexadecimal output is exact and ignores the precision.
            _ => (String::new(), 'a'),
        };
        let sign = if self.0 & 8 != 0 { "+" } else { "" };
        let format = format!("%{sign}{width}{precision}{conversion}\0");
        print(&format, |out, size, format| {
            // SAFETY: the format has one conversion, which matches the type of the argument.
            unsafe { libc::snprintf(out, size, format, value as c_double) }
        })
    }
}

/// Returns the output of `snprintf` for this NUL-terminated format.
fn print(format: &str, write: impl Fn(*mut c_char, usize, *const c_char) -> c_int) -> Vec<u8> {
    let format =
        CStr::from_bytes_with_nul(format.as_bytes()).expect("the format ends with its only NUL");
    // A number needs at most its width plus the length of the largest double. The loop repeats if
    // the text does not fit into 512 bytes.
    let mut text = vec![0u8; 512];
    loop {
        let written = usize::try_from(write(text.as_mut_ptr().cast(), text.len(), format.as_ptr()))
            .unwrap_or(0);
        if written < text.len() {
            text.truncate(written);
            return text;
        }
        text = vec![0u8; written + 1];
    }
}

/// Formats the memory of a stream as text.
pub fn format(words: &[u64]) -> Vec<u8> {
    let chunks = words.len() / CHUNK;
    let taken = (words.first().copied().unwrap_or(0) as u32 as usize).min(chunks.saturating_sub(1));
    let mut text = Vec::new();
    for chunk in 1..=taken {
        if head(words, chunk).1 & FIRST != 0 {
            statement(&collect(words, chunk, taken), &mut text);
        }
    }
    text
}

fn head(words: &[u64], chunk: usize) -> (usize, u32) {
    let head = words[chunk * CHUNK];
    (head as u32 as usize, (head >> 32) as u32)
}

/// Returns the records of the statement that begins with `chunk`.
fn collect(words: &[u64], mut chunk: usize, taken: usize) -> Vec<u64> {
    let mut records = Vec::new();
    // A valid statement contains each chunk at most once. The bound ends the loop if the chunks
    // form a cycle.
    for _ in 0..taken {
        let (next, used) = head(words, chunk);
        let used = ((used & !FIRST) as usize).min(CHUNK - 1);
        records.extend_from_slice(&words[chunk * CHUNK + 1..][..used]);
        if next == 0 || next > taken {
            break;
        }
        chunk = next;
    }
    records
}

fn statement(records: &[u64], text: &mut Vec<u8>) {
    let mut state = State::default();
    let mut width = 0;
    let mut records = records.iter().copied();
    // The memory of the stream may end in the middle of a record.
    while let Some(record) = records.next() {
        let above = record >> 8;
        let value = match record as u8 {
            tag::STATE => {
                state = State(above as u32);
                continue;
            }
            tag::WIDTH => {
                width = above.min(4096) as usize;
                continue;
            }
            tag::TEXT => {
                let bytes: Vec<u8> = (&mut records)
                    .take(above.div_ceil(8) as usize)
                    .flat_map(u64::to_le_bytes)
                    .collect();
                padded(bytes[..bytes.len().min(above as usize)].to_vec(), width)
            }
            kind => {
                let Some(word) = records.next() else { break };
                match kind {
                    tag::SIGNED => state.integer(word, true, width),
                    tag::UNSIGNED => state.integer(word, false, width),
                    tag::FLOAT => state.floating(f64::from(f32::from_bits(word as u32)), width),
                    tag::DOUBLE => state.floating(f64::from_bits(word), width),
                    tag::POINTER => padded(format!("0x{word:x}").into_bytes(), width),
                    tag::CHARACTER => padded(vec![word as u8], width),
                    _ => break,
                }
            }
        };
        text.extend_from_slice(&value);
        width = 0;
    }
}

fn padded(value: Vec<u8>, width: usize) -> Vec<u8> {
    let mut out = vec![b' '; width.saturating_sub(value.len())];
    out.extend(value);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a stream whose statements each fit into one chunk.
    fn stream(statements: &[&[u64]]) -> Vec<u64> {
        let mut words = vec![statements.len() as u64, statements.len() as u64, 0, 0, 0, 0, 0, 0];
        for records in statements {
            words.push((u64::from(FIRST) | records.len() as u64) << 32);
            words.extend_from_slice(records);
            words.resize(words.len().next_multiple_of(CHUNK), 0);
        }
        words
    }

    fn shown(statements: &[&[u64]]) -> String {
        String::from_utf8(format(&stream(statements))).unwrap()
    }

    fn state(bits: u64) -> u64 {
        u64::from(tag::STATE) | bits << 8
    }

    #[test]
    fn statements_stay_in_order() {
        let text = u64::from_le_bytes(*b"hello wo");
        let rest = u64::from_le_bytes(*b"rld\0\0\0\0\0");
        let hello = [u64::from(tag::TEXT) | 11 << 8, text, rest];
        assert_eq!(shown(&[&hello, &[tag::CHARACTER.into(), b'!'.into()]]), "hello world!");
    }

    #[test]
    fn numbers_look_as_in_cpp_streams() {
        let minus_five = (-5i64) as u64;
        assert_eq!(shown(&[&[tag::SIGNED.into(), minus_five]]), "-5");
        assert_eq!(shown(&[&[state(8), tag::SIGNED.into(), 5]]), "+5");
        assert_eq!(shown(&[&[state(1 | 4), tag::UNSIGNED.into(), 255]]), "0xff");
        assert_eq!(shown(&[&[state(2), tag::UNSIGNED.into(), 8]]), "10");
        assert_eq!(
            shown(&[&[
                u64::from(tag::WIDTH) | 4 << 8,
                tag::UNSIGNED.into(),
                7,
                tag::UNSIGNED.into(),
                8
            ]]),
            "   78"
        );
        let third = (1.0f64 / 3.0).to_bits();
        assert_eq!(shown(&[&[tag::DOUBLE.into(), third]]), "0.333333");
        assert_eq!(shown(&[&[state(3 << 8), tag::DOUBLE.into(), third]]), "0.33");
        assert_eq!(
            shown(&[&[state(0x10), tag::FLOAT.into(), 2.5f32.to_bits().into()]]),
            "2.500000"
        );
        assert_eq!(
            shown(&[&[state(0x20), tag::FLOAT.into(), 2.5f32.to_bits().into()]]),
            "2.500000e+00"
        );
        assert_eq!(
            shown(&[&[state(0x30), tag::FLOAT.into(), 2.5f32.to_bits().into()]]),
            "0x1.4p+1"
        );
    }

    #[test]
    fn chunks_are_followed() {
        let mut words =
            stream(&[&[tag::CHARACTER.into(), b'a'.into()], &[tag::CHARACTER.into(), b'b'.into()]]);
        // The second chunk continues the first one.
        words[CHUNK] |= 2;
        words[2 * CHUNK] = 2 << 32;
        assert_eq!(format(&words), b"ab");
    }

    #[test]
    fn strange_memory_ends() {
        let mut words = stream(&[&[tag::TEXT as u64 | u64::MAX << 8, 1], &[99, 2]]);
        words[CHUNK] |= 1;
        format(&words);
        assert!(format(&[]).is_empty());
        assert!(format(&[u64::MAX; 9]).is_empty());
        let mut seed = 1u64;
        for _ in 0..200 {
            for word in &mut words {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                *word = seed >> (seed % 60);
            }
            format(&words);
        }
    }
}
