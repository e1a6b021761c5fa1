//! Finds directives in a text: `KEY: value`, alone in a line or in a comment.
//!
//! This module knows only the form of a directive. The reader of a file knows which keys exist.

/// The comment markers in the languages of file tests.
const COMMENTS: [&str; 3] = ["//", ";", "#"];

/// A directive as written in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Directive<'a> {
    /// The number of the line, counted from 1.
    pub line: usize,
    pub key: &'a str,
    pub value: &'a str,
}

/// Returns the directives of a text. A line has at most one, except for consecutive comments:
/// `code(); // ERROR: one // NOTE: two`.
pub fn directives(text: &str) -> impl Iterator<Item = Directive<'_>> {
    text.lines().enumerate().flat_map(|(index, line)| in_line(index + 1, line))
}

/// Returns the directives of one line.
fn in_line(line: usize, text: &str) -> Vec<Directive<'_>> {
    let mut found = Vec::new();
    let mut rest = first(text);
    while let Some((key, value)) = rest {
        // A command may contain any text. Other values end at the next comment that is a directive.
        let (value, next) = match key {
            "RUN" | "FILE" => (value, None),
            _ => split_at_comment(value),
        };
        found.push(Directive { line, key, value: value.trim() });
        rest = next;
    }
    found
}

/// Returns the first directive of a line, which is alone or in any comment.
fn first(text: &str) -> Option<(&str, &str)> {
    key_and_value(without_marker(text)).or_else(|| split_at_comment(text).1)
}

/// Returns the text before the first `//` comment that is a directive, and that directive.
fn split_at_comment(text: &str) -> (&str, Option<(&str, &str)>) {
    let found = text.match_indices("//").find_map(|(at, mark)| {
        let directive = key_and_value(text[at + mark.len()..].trim_start())?;
        Some((&text[..at], Some(directive)))
    });
    found.unwrap_or((text, None))
}

/// Returns a line without leading spaces and comment marker.
pub fn without_marker(line: &str) -> &str {
    let line = line.trim_start();
    let marker = COMMENTS.iter().find(|marker| line.starts_with(**marker));
    marker.map_or(line, |marker| line.trim_start_matches(marker).trim_start())
}

fn key_and_value(text: &str) -> Option<(&str, &str)> {
    let (key, value) = text.split_once(':')?;
    let is_key = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    let right = key.len() > 1
        && key.starts_with(|c: char| c.is_ascii_uppercase())
        && key.chars().all(is_key);
    // `NAME::member` is C++.
    (right && !value.starts_with(':')).then_some((key, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<(usize, &str, &str)> {
        directives(text).map(|d| (d.line, d.key, d.value)).collect()
    }

    #[test]
    fn directives_stand_alone_or_in_comments() {
        let text = "RUN: one\n; RUN: two; three // NOT: this\nplain: text\n\
                    \x20 // CHECK-NEXT:  x = y:z \n#  FILE: a\n";
        assert_eq!(
            all(text),
            [
                (1, "RUN", "one"),
                (2, "RUN", "two; three // NOT: this"),
                (4, "CHECK-NEXT", "x = y:z"),
                (5, "FILE", "a")
            ]
        );
    }

    #[test]
    fn comments_at_the_end_of_a_line_are_read_one_by_one() {
        let text = "call(); // why // ERROR: bad 'a//b' // NOTE: here\n\
                    A::b(); // fine: really\nSTD::x;\n";
        assert_eq!(all(text), [(1, "ERROR", "bad 'a//b'"), (1, "NOTE", "here")]);
    }
}
