//! Dependency files (`-MD`): what the host pass read, and what only device passes read, as one rule
//! for `make`.
//!
//! Words keep the quoting that the compilers gave them, which is the same for all.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::error::Error;

/// Writes `output`: the rule in `host`, with the prerequisites of those in `device` that it lacks,
/// and without files in the folder `hidden`. `phony` adds an empty rule for each prerequisite but
/// the source.
pub fn merge(
    host: &Path,
    device: &[PathBuf],
    output: &Path,
    phony: bool,
    hidden: &Path,
) -> Result<(), Error> {
    let read = |path: &Path| {
        std::fs::read_to_string(path)
            .map_err(|source| Error::Read { path: path.to_owned(), source })
    };
    let others = device.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;
    let text = merged(&read(host)?, &others, phony, &format!("{}/", hidden.display()));
    std::fs::write(output, text).map_err(|source| Error::Write { path: output.to_owned(), source })
}

fn merged(host: &str, others: &[String], phony: bool, hidden: &str) -> String {
    let (targets, first) = rule(host);
    let mut seen = BTreeSet::new();
    let all = first.into_iter().chain(others.iter().flat_map(|text| rule(text).1));
    let files: Vec<String> =
        all.filter(|file| !file.starts_with(hidden) && seen.insert(file.clone())).collect();
    let mut out = format!("{}:", targets.join(" "));
    for file in &files {
        out += &format!(" \\\n  {file}");
    }
    out.push('\n');
    if phony {
        files.iter().skip(1).for_each(|file| out += &format!("{file}:\n"));
    }
    out
}

/// Targets and prerequisites of the first rule.
fn rule(text: &str) -> (Vec<String>, Vec<String>) {
    let joined = text.replace("\\\r\n", " ").replace("\\\n", " ");
    let line = joined.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let mut targets = Vec::new();
    let mut files = Vec::new();
    let mut after_colon = false;
    for word in split(line) {
        match word.strip_suffix(':') {
            Some(target) if !after_colon => {
                targets.extend(Some(target.to_owned()).filter(|target| !target.is_empty()));
                after_colon = true;
            }
            _ if after_colon => files.push(word),
            _ => targets.push(word),
        }
    }
    (targets, files)
}

/// Splits at blanks that no backslash protects.
fn split(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut protected = false;
    for c in line.chars() {
        if c.is_whitespace() && !protected {
            words.extend(Some(std::mem::take(&mut word)).filter(|word| !word.is_empty()));
        } else {
            word.push(c);
        }
        protected = c == '\\' && !protected;
    }
    words.extend(Some(word).filter(|word| !word.is_empty()));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_only_files_are_added_once() {
        let host = "a.o: a.cpp \\\n  x.h \\\n  my\\ file.h\nx.h:\n";
        let device = ["d: a.cpp x.h only.h\n".to_owned(), "d: a.cpp only.h\n".to_owned()];
        let expected = "a.o: \\\n  a.cpp \\\n  x.h \\\n  my\\ file.h \\\n  only.h\n";
        assert_eq!(merged(host, &device, false, "/t/"), expected);
        let phony = format!("{expected}x.h:\nmy\\ file.h:\nonly.h:\n");
        assert_eq!(merged(host, &device, true, "/t/"), phony);
    }

    #[test]
    fn temporary_files_are_nobodys_business() {
        let host = "a.o b.o : a.cpp /t/scythe-1/a-int.h\n";
        assert_eq!(merged(host, &[], false, "/t/scythe-1/"), "a.o b.o: \\\n  a.cpp\n");
    }

    #[test]
    fn any_text_is_taken() {
        for text in ["", "\n", ":", "a", "a:", "\\", "a: \\", "a:\\\n"] {
            merged(text, &[text.to_owned()], true, "/");
        }
    }
}
