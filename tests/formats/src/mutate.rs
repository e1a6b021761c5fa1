//! Changes inputs: bits, bytes, numbers, lengths, lines, words of the format, and parts of other
//! inputs.

use crate::random::Random;

/// The longest input that mutations make.
const LONGEST: usize = 1 << 16;
/// Numbers at the edges of types and of common limits.
const EDGES: [u64; 22] = [
    0,
    1,
    2,
    3,
    7,
    8,
    16,
    32,
    64,
    127,
    128,
    255,
    256,
    0x7fff,
    0xffff,
    0x1_0000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    0x7fff_ffff_ffff_ffff,
    u64::MAX,
];

pub struct Mutator<'a> {
    pub random: Random,
    /// Words of the format: magic numbers, keywords.
    pub words: &'a [&'a [u8]],
}

impl Mutator<'_> {
    /// Returns a changed copy of `base`. `other` is a second input.
    pub fn mutate(&mut self, base: &[u8], other: &[u8]) -> Vec<u8> {
        let mut bytes = base.to_vec();
        let count = 1 << self.random.below(4);
        for _ in 0..count {
            self.step(&mut bytes, other);
        }
        bytes.truncate(LONGEST);
        bytes
    }

    fn step(&mut self, bytes: &mut Vec<u8>, other: &[u8]) {
        let at = self.random.below(bytes.len());
        match self.random.below(20) {
            0 | 1 => self.flip(bytes),
            2 => self.byte(bytes),
            3..=6 => self.length(bytes),
            7 => self.add(bytes),
            8 => drop(bytes.drain(at..at + self.span(bytes.len() - at))),
            9 => {
                let copy = bytes[at..at + self.span(bytes.len() - at)].to_vec();
                let to = self.random.below(bytes.len() + 1);
                insert(bytes, to, &copy);
            }
            10 => {
                let value = self.random.number() as u8;
                let fill = vec![value; 1 + self.random.below(32)];
                insert(bytes, at, &fill);
            }
            11 => bytes.truncate(at),
            12 | 13 => {
                if let Some(word) = self.random.pick(self.words) {
                    insert(bytes, at, word);
                }
            }
            14 => {
                if let Some(word) = self.random.pick(self.words) {
                    let end = (at + word.len()).min(bytes.len());
                    bytes[at..end].copy_from_slice(&word[..end - at]);
                }
            }
            15 => {
                let from = self.random.below(other.len());
                let part = &other[from..from + self.span(other.len() - from)];
                insert(bytes, at, part);
            }
            16 => {
                let from = self.random.below(other.len());
                bytes.truncate(at);
                bytes.extend(&other[from..]);
            }
            17 => self.decimal(bytes),
            18 => self.lines(bytes),
            _ => self.swap(bytes),
        }
    }

    /// Returns a length of 1 to `most`, mostly a short one, or 0 if `most` is 0.
    fn span(&mut self, most: usize) -> usize {
        let limit = if self.random.below(4) == 0 { most } else { most.min(32) };
        if limit == 0 { 0 } else { 1 + self.random.below(limit) }
    }

    fn flip(&mut self, bytes: &mut [u8]) {
        let at = self.random.below(bytes.len());
        if let Some(byte) = bytes.get_mut(at) {
            *byte ^= 1 << self.random.below(8);
        }
    }

    fn byte(&mut self, bytes: &mut [u8]) {
        let at = self.random.below(bytes.len());
        if let Some(byte) = bytes.get_mut(at) {
            *byte = self.random.number() as u8;
        }
    }

    /// Overwrites a number: with an edge, or with one that is related to the input's length.
    fn length(&mut self, bytes: &mut [u8]) {
        let size = 1 << self.random.below(4);
        let Some(places) = bytes.len().checked_sub(size) else { return };
        let mut at = self.random.below(places + 1);
        if self.random.below(4) != 0 {
            at -= at % size.min(4);
        }
        let mut old = [0; 8];
        old[..size].copy_from_slice(&bytes[at..at + size]);
        let old = u64::from_le_bytes(old);
        let length = bytes.len() as u64;
        let edge = *self.random.pick(&EDGES).unwrap_or(&0);
        let value = match self.random.below(8) {
            0..=2 => edge,
            3 => old.wrapping_add(1),
            4 => old.wrapping_sub(1),
            5 => old.wrapping_mul(2),
            6 => length.wrapping_sub(self.random.below(64) as u64),
            _ => length.wrapping_sub(at as u64),
        };
        bytes[at..at + size].copy_from_slice(&value.to_le_bytes()[..size]);
    }

    fn add(&mut self, bytes: &mut [u8]) {
        let at = self.random.below(bytes.len());
        let change = self.random.below(35) as u8;
        if let Some(byte) = bytes.get_mut(at) {
            *byte = match self.random.below(2) {
                0 => byte.wrapping_add(change),
                _ => byte.wrapping_sub(change),
            };
        }
    }

    /// Replaces a decimal number in a text.
    fn decimal(&mut self, bytes: &mut Vec<u8>) {
        let from = self.random.below(bytes.len());
        let is_digit = |byte: &u8| byte.is_ascii_digit();
        let Some(start) = bytes[from..].iter().position(is_digit).map(|at| from + at) else {
            return;
        };
        let end = bytes[start..].iter().position(|byte| !is_digit(byte));
        let end = end.map_or(bytes.len(), |length| start + length);
        let value = self.random.pick(&EDGES).unwrap_or(&0).to_string();
        bytes.splice(start..end, value.into_bytes());
    }

    /// Doubles, moves or removes a line.
    fn lines(&mut self, bytes: &mut Vec<u8>) {
        let mut lines: Vec<Vec<u8>> =
            bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        if lines.is_empty() {
            return;
        }
        let (a, b) = (self.random.below(lines.len()), self.random.below(lines.len()));
        match self.random.below(3) {
            0 => lines.insert(b, lines[a].clone()),
            1 => lines.swap(a, b),
            _ => drop(lines.remove(a)),
        }
        *bytes = lines.concat();
    }

    /// Exchanges two spans of the same length.
    fn swap(&mut self, bytes: &mut [u8]) {
        let half = bytes.len() / 2;
        let length = self.span(half);
        let (first, second) = bytes.split_at_mut(half);
        let a = self.random.below(first.len() + 1 - length.min(first.len()));
        let b = self.random.below(second.len() + 1 - length.min(second.len()));
        first[a..a + length].swap_with_slice(&mut second[b..b + length]);
    }
}

fn insert(bytes: &mut Vec<u8>, at: usize, part: &[u8]) {
    if bytes.len() + part.len() <= LONGEST {
        bytes.splice(at..at, part.iter().copied());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_of_input_can_be_changed() {
        let mut mutator = Mutator { random: Random::new(3), words: &[b"word", b""] };
        for length in 0..40 {
            let (base, other) = (vec![b'1'; length], vec![b'\n'; length / 2]);
            for _ in 0..500 {
                assert!(mutator.mutate(&base, &other).len() <= LONGEST);
            }
        }
    }
}
