//! Dependency files (`-MD`): joins the files that the host pass and the device passes read into one
//! rule for `make`.
//!
//! Words keep the quoting of the compilers, which is the same for all compilers.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::error::Error;

/// Writes to `output` the rule in `host`, extended by the prerequisites that only rules in `device`
/// have. The source is the first prerequisite. Files in the folders `hidden` are left out. `phony`
/// adds an empty rule for each prerequisite except the source.
pub fn merge(
    host: &Path,
    device: &[PathBuf],
    output: &Path,
    phony: bool,
    (hidden, source): (&[PathBuf], &str),
) -> Result<(), Error> {
    let read = |path: &Path| {
        std::fs::read_to_string(path)
            .map_err(|source| Error::Read { path: path.to_owned(), source })
    };
    let others = device.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;
    let hidden: Vec<String> =
        hidden.iter().map(|folder| escaped(&format!("{}/", folder.display()))).collect();
    let text = merged(&read(host)?, &others, phony, &hidden, &escaped(source));
    std::fs::write(output, text).map_err(|source| Error::Write { path: output.to_owned(), source })
}

fn merged(host: &str, others: &[String], phony: bool, hidden: &[String], source: &str) -> String {
    let (targets, first) = rule(host);
    let mut seen = BTreeSet::new();
    let all = first.into_iter().chain(others.iter().flat_map(|text| rule(text).1));
    let shown = |file: &String| !hidden.iter().any(|folder| file.starts_with(folder));
    let mut files: Vec<String> =
        all.filter(|file| shown(file) && seen.insert(file.clone())).collect();
    // A pass that reads a precompiled header lists the files of that header before the source.
    files.sort_by_key(|file| file != source);
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

/// Adds the prerequisites of the rule in the file `more` to the rule in the file `list`.
pub fn extend(list: &Path, more: &Path) -> Result<(), Error> {
    let read = |path: &Path| {
        std::fs::read_to_string(path)
            .map_err(|source| Error::Read { path: path.to_owned(), source })
    };
    let text = merged(&read(list)?, &[read(more)?], false, &[], "");
    std::fs::write(list, text).map_err(|source| Error::Write { path: list.to_owned(), source })
}

/// Returns the prerequisites of the rule in `text`, as paths.
pub fn files(text: &str) -> Vec<PathBuf> {
    let plain = |word: &String| word.replace("\\ ", " ").replace("\\#", "#").replace("$$", "$");
    rule(text).1.iter().map(|word| PathBuf::from(plain(word))).collect()
}

/// Returns a path as compilers write it in a rule.
fn escaped(path: &str) -> String {
    path.replace('$', "$$").replace(' ', "\\ ").replace('#', "\\#")
}

/// Returns the targets and prerequisites of the first rule.
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

/// Splits `line` at blanks that have no backslash before them.
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
        let hidden = ["/t/".to_owned()];
        assert_eq!(merged(host, &device, false, &hidden, "a.cpp"), expected);
        let phony = format!("{expected}x.h:\nmy\\ file.h:\nonly.h:\n");
        assert_eq!(merged(host, &device, true, &hidden, "a.cpp"), phony);
        let other_order = "a.o: x.h a.cpp /t/h my\\ file.h\n";
        assert_eq!(merged(other_order, &device, false, &hidden, "a.cpp"), expected);
    }

    #[test]
    fn temporary_files_are_nobodys_business() {
        let host = "a.o b.o : a.cpp /t/scythe-1/a-int.h\n";
        assert_eq!(
            merged(host, &[], false, &["/t/scythe-1/".to_owned()], "a.cpp"),
            "a.o b.o: \\\n  a.cpp\n"
        );
    }

    #[test]
    fn any_text_is_taken() {
        for text in ["", "\n", ":", "a", "a:", "\\", "a: \\", "a:\\\n"] {
            merged(text, &[text.to_owned()], true, &["/".to_owned()], "");
            files(text);
        }
    }
}
