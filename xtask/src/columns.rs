//! Checks that lines have at most 100 columns, in code, comments and Markdown.
//!
//! Lines may be longer if a break would change their meaning: rows of tables, code blocks in
//! Markdown, and, in tests, code, which contains test data, and directives of file tests. Other
//! comments in tests also have at most 100 columns.

use std::path::Path;
use std::process::Command;

use crate::process;
use crate::workspace::root;

const LIMIT: usize = 100;

/// The extensions of the files to check.
const KINDS: [&str; 8] = ["rs", "cpp", "hpp", "h", "def", "md", "sh", "py"];

/// Checks every file of these kinds that git tracks or would add. Returns the number of files.
pub fn check() -> Result<usize, String> {
    let list = {
        let mut git = Command::new("git");
        git.args(["ls-files", "--cached", "--others", "--exclude-standard"]).current_dir(root());
        process::output(&mut git)?
    };
    let files: Vec<&Path> = list.lines().map(Path::new).filter(|file| is_checked(file)).collect();
    let mut wide = Vec::new();
    for file in &files {
        // A file that is deleted but not committed yet is still listed.
        let Ok(text) = std::fs::read_to_string(root().join(file)) else { continue };
        let lines = wide_lines(file, &text);
        wide.extend(lines.iter().map(|line| format!("{}:{line}", file.display())));
    }
    match wide.len() {
        0 => Ok(files.len()),
        n => Err(format!("{n} lines are longer than {LIMIT} columns:\n{}", wide.join("\n"))),
    }
}

fn is_checked(file: &Path) -> bool {
    file.extension().is_some_and(|kind| KINDS.iter().any(|known| kind == *known))
}

/// Returns the numbers of the lines that are too long.
fn wide_lines(file: &Path, text: &str) -> Vec<usize> {
    let is_markdown = file.extension().is_some_and(|kind| kind == "md");
    let mut in_test = file.iter().any(|part| part == "tests" || part == "tests.rs");
    let mut in_block = false;
    let mut wide = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let words = line.trim_start();
        in_test |= words == "#[cfg(test)]";
        in_block ^= is_markdown && words.starts_with("```");
        let comment = words.starts_with("//") && !is_directive(words);
        let table = words.trim_start_matches(['/', '!', ' ']).starts_with('|');
        let may_be_wide = table || in_block || (in_test && !is_markdown && !comment);
        if line.chars().count() > LIMIT && !may_be_wide {
            wide.push(number);
        }
    }
    wide
}

/// Returns whether a comment is a directive of a file test, such as `// CHECK-NEXT: …`.
fn is_directive(comment: &str) -> bool {
    let name = comment.trim_start_matches(['/', ' ']).split(':').next().unwrap_or_default();
    name.len() > 2 && name.bytes().all(|b| b.is_ascii_uppercase() || b"-0123456789".contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wide(file: &str, text: &str) -> Vec<usize> {
        wide_lines(Path::new(file), text)
    }

    #[test]
    fn long_lines_are_found() {
        let (long, exact) = ("x".repeat(101), "ä".repeat(100));
        assert_eq!(wide("src/a.rs", &format!("{exact}\n{long}\n// {long}\n")), [2, 3]);
        assert_eq!(wide("docs/a.md", &format!("{long}\n\n- {long}\n")), [1, 3]);
    }

    #[test]
    fn tables_blocks_and_data_of_tests_may_be_long() {
        let long = "x".repeat(101);
        assert_eq!(wide("docs/a.md", &format!("| {long} |\n```\n{long}\n```\n{long}\n")), [5]);
        assert!(wide("src/a.rs", &format!("//! | {long} |\n")).is_empty());
        assert_eq!(
            wide("src/a.rs", &format!("#[cfg(test)]\nlet a = \"{long}\";\n// {long}\n")),
            [3]
        );
        assert_eq!(
            wide("tests/a.cpp", &format!("{long}\n// CHECK-NEXT: {long}\n// A {long}\n")),
            [3]
        );
    }
}
