//! Finds the times that a program prints, and pairs the times of two versions of a program.
//!
//! A time is a number with a unit of time, before or after it, or the last number of a line that
//! mentions a time. The text of the line, without its numbers and the units of times, names the
//! time. Lines about the host, references and preparations do not count.

use std::collections::BTreeMap;

/// A number in a line that is a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Time {
    /// In seconds, or in an unknown unit, which is the same for all times with the same text.
    pub value: f64,
    /// The value of the last printed digit.
    pub resolution: f64,
}

impl Time {
    /// Returns whether the printed digits tell the time within 2.5 %.
    fn is_resolved(self) -> bool {
        self.value > 0.0 && self.value >= 20.0 * self.resolution
    }
}

/// The times of one run, by the text of their line and by their number among equal texts.
pub type Times = BTreeMap<(String, usize), Time>;

/// The units of time. Words in lower case, except for the first.
const UNITS: [(&str, f64); 25] = [
    ("s", 1.0),
    ("sec", 1.0),
    ("secs", 1.0),
    ("second", 1.0),
    ("seconds", 1.0),
    ("ms", 1e-3),
    ("msec", 1e-3),
    ("msecs", 1e-3),
    ("millisec", 1e-3),
    ("millisecs", 1e-3),
    ("millisecond", 1e-3),
    ("milliseconds", 1e-3),
    ("us", 1e-6),
    ("usec", 1e-6),
    ("usecs", 1e-6),
    ("µs", 1e-6),
    ("microsec", 1e-6),
    ("microsecs", 1e-6),
    ("microsecond", 1e-6),
    ("microseconds", 1e-6),
    ("ns", 1e-9),
    ("nsec", 1e-9),
    ("nsecs", 1e-9),
    ("nanosecond", 1e-9),
    ("nanoseconds", 1e-9),
];

/// Words of a line that mentions a time.
const MENTIONS: [&str; 9] =
    ["time", "timing", "elapsed", "duration", "took", "takes", "latency", "runtime", "times"];

/// Words of lines that measure neither kernels nor the work of the device.
const OTHERS: [&str; 20] = [
    "cpu",
    "host",
    "reference",
    "serial",
    "sequential",
    "verification",
    "verify",
    "verifying",
    "validation",
    "init",
    "initialization",
    "setup",
    "reading",
    "generation",
    "parsing",
    "jit",
    "compilation",
    "allocation",
    "input",
    "output",
];

/// A part of a line.
#[derive(Debug, PartialEq)]
enum Token<'a> {
    Number { value: f64, resolution: f64 },
    Word(&'a str),
    Mark(char),
}

/// Returns all times in the output of a program.
pub fn times(output: &str) -> Times {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut found = Times::new();
    for line in output.lines() {
        for (text, time) in of_line(line) {
            let count = counts.entry(text.clone()).or_default();
            found.insert((text, *count), time);
            *count += 1;
        }
    }
    found
}

/// Keeps the smaller value of each time that both runs print.
pub fn best(into: &mut Times, other: &Times) {
    for (name, time) in into.iter_mut() {
        if let Some(other) = other.get(name).filter(|other| other.value < time.value) {
            *time = *other;
        }
    }
}

/// Returns the times that both versions print and that their digits resolve, other version first.
/// If some lines are about kernels, only these count. Texts whose number differs do not count.
pub fn shared(other: &Times, ours: &Times) -> Vec<(String, Time, Time)> {
    let count = |times: &Times, text: &str| times.keys().filter(|(name, _)| name == text).count();
    let both = other.iter().filter_map(|(name, time)| Some((name, *time, *ours.get(name)?)));
    let mut pairs: Vec<_> = both
        .filter(|((text, _), a, b)| {
            count(other, text) == count(ours, text) && a.is_resolved() && b.is_resolved()
        })
        .map(|((text, _), a, b)| (text.clone(), a, b))
        .collect();
    if pairs.iter().any(|(text, ..)| text.contains("kernel")) {
        pairs.retain(|(text, ..)| text.contains("kernel"));
    }
    pairs
}

/// Returns the times in a line with the text that names them.
fn of_line(line: &str) -> Vec<(String, Time)> {
    let tokens = tokens(line);
    let is_word = |words: &[&str], token: &Token| match token {
        Token::Word(word) => words.iter().any(|known| known.eq_ignore_ascii_case(word)),
        _ => false,
    };
    if tokens.iter().any(|token| is_word(&OTHERS, token)) {
        return Vec::new();
    }
    // Units after a number, such as '3.5 ms' and '3.5 (ms)'.
    let mut units: BTreeMap<usize, (usize, f64)> = BTreeMap::new();
    for (at, token) in tokens.iter().enumerate() {
        if matches!(token, Token::Number { .. })
            && let Some(found) = unit_after(&tokens, at)
        {
            units.insert(at, found);
        }
    }
    let mentioned = tokens.iter().any(|token| is_word(&MENTIONS, token));
    if units.is_empty() && mentioned {
        // A unit before the number, such as 'Time (ms): 3.5', or none.
        let last = tokens.iter().rposition(|token| matches!(token, Token::Number { .. }));
        if let Some(at) = last {
            let before = tokens[..at].iter().rposition(|token| unit(token).is_some());
            let before = before.filter(|before| is_alone(&tokens, *before));
            let scale = before.and_then(|before| unit(&tokens[before]));
            if is_last(&tokens, at) && (scale.is_some() || has_fraction(&tokens[at])) {
                units.insert(at, (before.unwrap_or(at), scale.unwrap_or(1.0)));
            }
        }
    }
    let text = text(&tokens, &units);
    let number = |(at, (_, scale)): (&usize, &(usize, f64))| match tokens[*at] {
        Token::Number { value, resolution } => {
            Some((text.clone(), Time { value: value * scale, resolution: resolution * scale }))
        }
        _ => None,
    };
    units.iter().filter_map(number).collect()
}

/// Returns the position and the scale of the unit that follows the number at `at`.
fn unit_after(tokens: &[Token], at: usize) -> Option<(usize, f64)> {
    let mut next = at + 1;
    if matches!(tokens.get(next), Some(Token::Mark('(' | '['))) {
        next += 1;
    }
    Some((next, unit(tokens.get(next)?)?))
}

/// Returns whether a unit is no part of a quotient.
fn is_alone(tokens: &[Token], at: usize) -> bool {
    let quotient = |token: Option<&Token>| matches!(token, Some(Token::Mark('/' | '^')));
    !quotient(tokens.get(at + 1)) && !quotient(at.checked_sub(1).and_then(|at| tokens.get(at)))
}

/// Returns whether no word follows a number, which could be its unit, such as 'GB'.
fn is_last(tokens: &[Token], at: usize) -> bool {
    tokens[at + 1..].iter().all(|token| matches!(token, Token::Mark('.' | ')' | ']' | ',' | '*')))
}

/// Returns whether a number has a fraction, unlike counts.
fn has_fraction(token: &Token) -> bool {
    matches!(token, Token::Number { resolution, .. } if *resolution < 1.0)
}

fn unit(token: &Token) -> Option<f64> {
    let Token::Word(word) = token else { return None };
    let word = if word.len() == 1 { (*word).to_owned() } else { word.to_lowercase() };
    UNITS.iter().find(|(name, _)| *name == word).map(|(_, scale)| *scale)
}

/// Returns the words and marks of a line with `#` for numbers and without the units of times.
fn text(tokens: &[Token], units: &BTreeMap<usize, (usize, f64)>) -> String {
    let mut words: Vec<String> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Number { .. } => words.push("#".to_owned()),
            Token::Word(_) if units.values().any(|(unit, _)| *unit == at) => {}
            Token::Word(word) => words.push(word.to_lowercase()),
            Token::Mark('|' | '*' | '-' | '.' | '(' | ')' | '[' | ']') => {}
            Token::Mark(mark) => words.push(mark.to_string()),
        }
    }
    words.join(" ")
}

fn tokens(line: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let length = if let Some((number, length)) = number(rest) {
            tokens.push(number);
            length
        } else if first.is_alphabetic() || first == '_' {
            let part = |c: char| c.is_alphanumeric() || c == '_';
            let length = rest.find(|c| !part(c)).unwrap_or(rest.len());
            tokens.push(Token::Word(&rest[..length]));
            length
        } else {
            if !first.is_whitespace() {
                tokens.push(Token::Mark(first));
            }
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    tokens
}

/// Returns the number at the start of a text, and its length. A unit may follow without a space.
fn number(text: &str) -> Option<(Token<'_>, usize)> {
    let digits = |from: usize| from + text[from..].bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(0);
    let mut end = whole;
    let mut places = 0;
    if text[end..].starts_with('.') {
        let after = digits(end + 1);
        if after > end + 1 {
            places = after - end - 1;
            end = after;
        }
    }
    if end == 0 || (whole == 0 && places == 0) {
        return None;
    }
    let mut exponent = 0;
    if text[end..].starts_with(['e', 'E']) {
        let sign = usize::from(text[end + 1..].starts_with(['+', '-']));
        let after = digits(end + 1 + sign);
        if after > end + 1 + sign {
            exponent = text[end + 1..after].parse::<i32>().ok()?;
            end = after;
        }
    }
    let value = text[..end].parse::<f64>().ok().filter(|value| value.is_finite())?;
    let resolution = 10f64.powi(exponent - i32::try_from(places).ok()?);
    Some((Token::Number { value, resolution }, end))
}

#[cfg(test)]
mod tests;
