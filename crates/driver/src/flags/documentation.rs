//! Compares the tables in `docs/options.md` with the option table. With `UPDATE_DOCUMENTS=1`, the
//! test writes the tables instead.

use super::{FLAGS, Flag, Meaning, Shape, lookup};

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/options.md");

/// The kinds of rows, in the document's order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Honoured,
    Accepted,
    Refused,
}

impl Kind {
    const ALL: [Kind; 3] = [Kind::Honoured, Kind::Accepted, Kind::Refused];

    /// The comment that precedes the table, and the head of the table.
    fn head(self) -> (&'static str, &'static str) {
        match self {
            Kind::Honoured => ("<!-- honoured -->", "| option | effect |\n|---|---|\n"),
            Kind::Accepted => ("<!-- accepted -->", "| option | reason |\n|---|---|\n"),
            Kind::Refused => ("<!-- refused -->", "| option | reason |\n|---|---|\n"),
        }
    }
}

/// Returns the kind and the text of a row, or `None` for an option that only clang documents.
fn described(flag: &Flag) -> Option<(Kind, String)> {
    let code = |text: &str| format!("`{text}`");
    match flag.meaning {
        Meaning::Becomes(words) => {
            Some((Kind::Honoured, format!("The same as {}", code(&words.join(" ")))))
        }
        Meaning::Always(text) => Some((Kind::Honoured, format!("Always so: {text}"))),
        Meaning::Accepted(reason) => Some((Kind::Accepted, reason.to_owned())),
        Meaning::Refused(reason) => Some((Kind::Refused, reason.to_owned())),
        _ if flag.help.1.is_empty() => None,
        _ => Some((Kind::Honoured, flag.help.1.to_owned())),
    }
}

/// Returns the option as users write it.
fn written(flag: &Flag) -> String {
    let value = if flag.help.0.is_empty() { "VALUE" } else { flag.help.0 };
    let value = match flag.shape {
        Shape::Alone => String::new(),
        Shape::Joined => value.to_owned(),
        Shape::Separate | Shape::JoinedOrSeparate => format!(" {value}"),
        Shape::JoinedAndSeparate if flag.help.0.is_empty() => "TARGET VALUE".to_owned(),
        Shape::JoinedAndSeparate => value.to_owned(),
        Shape::Number => "N".to_owned(),
        Shape::Capital => "CODE".to_owned(),
        Shape::Word(_) => " [WORD]".to_owned(),
    };
    format!("`{}{value}`", flag.spelling).replace('|', "\\|")
}

/// Returns the table of a kind. Options with the same text share a row.
fn table(kind: Kind) -> String {
    let mut rows: Vec<(String, Vec<String>)> = Vec::new();
    for flag in FLAGS {
        let Some((found, text)) = described(flag) else { continue };
        if found != kind {
            continue;
        }
        // Help texts can refer to the row before.
        let shared = rows.iter_mut().find(|row| row.0 == text && flag.help.1.is_empty());
        match shared {
            Some(row) => row.1.push(written(flag)),
            None => rows.push((text, vec![written(flag)])),
        }
    }
    let lines = rows.iter().map(|(text, options)| {
        format!("| {} | {} |\n", options.join(", "), text.replace('|', "\\|"))
    });
    kind.head().1.to_owned() + &lines.collect::<String>()
}

/// Returns the document with the tables of [`FLAGS`].
fn with_tables(document: &str) -> String {
    let mut out = document.to_owned();
    for kind in Kind::ALL {
        let (mark, _) = kind.head();
        let start = out.find(mark).unwrap_or_else(|| panic!("no '{mark}' in {DOCUMENT}"));
        let start = start + mark.len();
        let end = out[start..].find("<!-- end -->").expect("the table has an end") + start;
        out.replace_range(start..end, &format!("\n\n{}\n", table(kind)));
    }
    out
}

#[test]
fn the_document_lists_every_option() {
    let document = std::fs::read_to_string(DOCUMENT).expect("the document exists");
    let expected = with_tables(&document);
    if std::env::var_os("UPDATE_DOCUMENTS").is_some() {
        std::fs::write(DOCUMENT, &expected).expect("the document can be written");
        return;
    }
    let differs = document.lines().zip(expected.lines()).find(|(seen, wanted)| seen != wanted);
    assert!(
        document == expected,
        "docs/options.md differs from the option table: {differs:?}. Update it with \
         'UPDATE_DOCUMENTS=1 cargo test -p scythe-driver the_document_lists_every_option'"
    );
}

#[test]
fn other_spellings_lead_to_a_row_with_an_effect() {
    for flag in FLAGS {
        let Meaning::Becomes(words) = flag.meaning else { continue };
        for word in words {
            let target = lookup(word).map(|(found, _)| found);
            let cyclic = target.is_some_and(|found| std::ptr::eq(found, flag));
            let lost = target
                .is_some_and(|t| matches!(t.meaning, Meaning::Accepted(_) | Meaning::Refused(_)));
            assert!(!cyclic && !lost, "'{}' becomes '{word}'", flag.spelling);
        }
    }
}

#[test]
fn reasons_fit_into_a_sentence() {
    for flag in FLAGS {
        if let Meaning::Accepted(text) | Meaning::Refused(text) | Meaning::Always(text) =
            flag.meaning
        {
            assert!(!text.is_empty() && !text.ends_with('.'), "{}: {text}", flag.spelling);
        }
    }
}
