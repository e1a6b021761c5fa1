//! Compares tables of errors with `docs/diagnostics.md`, for the tests of the crates that own a
//! table.
//!
//! In that document, each error has a heading such as `### scythe-E0101: exceptions in a kernel`
//! and at least one line of text below it. A crate owns a range of a hundred codes or more.

use crate::Code;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// Returns the differences between `codes` and the headings of `document` that are in `range`, one
/// line each: codes without a paragraph, paragraphs without a code, codes outside of the range and
/// codes that occur twice. An empty list means that the two agree.
pub fn differences(document: &str, codes: &[Code], range: RangeInclusive<u16>) -> Vec<String> {
    let mut found = Vec::new();
    let mut known = BTreeSet::new();
    for code in codes {
        match code {
            Code::Error(number) if !range.contains(number) => {
                found.push(format!("{code} is outside of {range:?}"));
            }
            Code::Error(_) if !known.insert(code.to_string()) => {
                found.push(format!("{code} occurs twice"));
            }
            _ => {}
        }
    }
    let mut documented = BTreeSet::new();
    for (heading, text) in paragraphs(document) {
        let Some(code) = heading.split_once(':').map(|(code, _)| code) else { continue };
        let Some(number) = code.strip_prefix("scythe-E").and_then(|n| n.parse().ok()) else {
            continue;
        };
        if !range.contains(&number) {
            continue;
        }
        if !known.contains(code) {
            found.push(format!("the document describes {code}, which does not exist"));
        }
        if text.trim().is_empty() {
            found.push(format!("the paragraph of {code} is empty"));
        }
        if !documented.insert(code.to_owned()) {
            found.push(format!("the document describes {code} twice"));
        }
    }
    found.extend(known.difference(&documented).map(|code| format!("{code} has no paragraph")));
    found
}

/// Splits a document at its `###` headings: each heading with the text up to the next heading.
fn paragraphs(document: &str) -> impl Iterator<Item = (&str, &str)> {
    document.split("\n### ").skip(1).map(|part| {
        let (heading, text) = part.split_once('\n').unwrap_or((part, ""));
        (heading, text.split("\n## ").next().unwrap_or(text))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = "# All\n\n## One\n\n### scythe-E0101: a\n\ntext\n\n### scythe-E0102: b\n\
        \n## Two\n\n### scythe-E0201: c\n\ntext\n";

    #[test]
    fn equal_tables_and_documents_have_no_differences() {
        assert_eq!(differences(DOCUMENT, &[Code::Error(201)], 200..=299), [""; 0]);
    }

    #[test]
    fn every_difference_is_listed() {
        let codes = [Code::Error(101), Code::Error(101), Code::Error(103), Code::Error(201)];
        assert_eq!(
            differences(DOCUMENT, &codes, 100..=199),
            [
                "scythe-E0101 occurs twice",
                "scythe-E0201 is outside of 100..=199",
                "the document describes scythe-E0102, which does not exist",
                "the paragraph of scythe-E0102 is empty",
                "scythe-E0103 has no paragraph",
            ]
        );
    }
}
