//! Expands the commands of tests: blocks `%if FEATURE %{ … %} %else %{ … %}`, and names such as
//! `%t` and `%{build}`.

use super::conditions::{self, Features};

/// Names with their leading `%`, and the texts that they stand for. Later entries take precedence.
#[derive(Clone, Debug, Default)]
pub struct Substitutions(Vec<(String, String)>);

/// The number of passes over a command. A text may contain further names.
const PASSES: usize = 10;

impl Substitutions {
    pub fn set(&mut self, name: &str, text: impl Into<String>) {
        self.0.push((name.to_owned(), text.into()));
    }

    /// Returns the command without names and blocks.
    pub fn expand(&self, command: &str, features: &Features) -> Result<String, String> {
        let mut text = command.to_owned();
        for _ in 0..PASSES {
            text = blocks(&text, features)?;
            let (next, changed) = self.pass(&text)?;
            text = next;
            if !changed {
                return Ok(text.replace("%%", "%"));
            }
        }
        Err(format!("'{command}' does not end to expand"))
    }

    fn pass(&self, text: &str) -> Result<(String, bool), String> {
        let (mut done, mut rest, mut changed) = (String::new(), text, false);
        while let Some(at) = rest.find('%') {
            done += &rest[..at];
            rest = &rest[at..];
            if rest.starts_with("%%") {
                done += "%%";
                rest = &rest[2..];
            } else if let Some((name, text)) = self.find(rest) {
                done += text;
                rest = &rest[name.len()..];
                changed = true;
            } else if rest[1..].starts_with(|c: char| c == '{' || c.is_ascii_alphabetic()) {
                let word = rest[1..].split(|c: char| !"{}_-".contains(c) && !c.is_alphanumeric());
                let word = word.into_iter().next().unwrap_or_default();
                return Err(format!("the substitution '%{word}' is unknown"));
            } else {
                done.push('%');
                rest = &rest[1..];
            }
        }
        Ok((done + rest, changed))
    }

    /// Returns the longest name at the start of `text`.
    fn find(&self, text: &str) -> Option<(&str, &str)> {
        let fitting = self.0.iter().filter(|(name, _)| text.starts_with(name.as_str()));
        let (name, value) = fitting.max_by_key(|(name, _)| name.len())?;
        Some((name, value))
    }
}

/// Replaces each block by the part whose condition holds.
fn blocks(text: &str, features: &Features) -> Result<String, String> {
    let Some((before, block)) = text.split_once("%if ") else { return Ok(text.to_owned()) };
    let wrong = || format!("a block '%if' in '{text}' is not complete");
    let (condition, rest) = block.split_once("%{").ok_or_else(wrong)?;
    let end = end_of_block(rest).ok_or_else(wrong)?;
    let (first, mut rest) = (&rest[..end], &rest[end + 2..]);
    let mut second = "";
    if let Some(other) = rest.trim_start().strip_prefix("%else") {
        let other = other.trim_start().strip_prefix("%{").ok_or_else(wrong)?;
        let end = end_of_block(other).ok_or_else(wrong)?;
        (second, rest) = (&other[..end], &other[end + 2..]);
    }
    let chosen = if conditions::holds(condition, features)? { first } else { second };
    blocks(&format!("{before}{}{rest}", chosen.trim()), features)
}

/// Returns the position of the `%}` that ends a block. `%{` opens a block only after `%if` and
/// `%else`; `%{build}` is a name.
fn end_of_block(text: &str) -> Option<usize> {
    let mut depth = 1;
    let mut at = 0;
    while let Some(found) = text[at..].find('%') {
        at += found;
        let rest = &text[at..];
        if rest.starts_with("%}") {
            depth -= 1;
            if depth == 0 {
                return Some(at);
            }
            at += 2;
        } else if rest.starts_with("%if ") || rest.starts_with("%else") {
            depth += 1;
            at += rest.find("%{")? + 2;
        } else {
            at += 1;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expand(command: &str) -> Result<String, String> {
        let mut names = Substitutions::default();
        for (name, text) in [
            ("%s", "a.cpp"),
            ("%t", "a.tmp"),
            ("%threads_lib", "-lpthread"),
            ("%{build}", "%clangxx -fsycl %s"),
            ("%clangxx", "scythe"),
            ("%{loop}", "%{loop}"),
        ] {
            names.set(name, text);
        }
        names.expand(command, &["cpu", "linux"].map(str::to_owned).into())
    }

    #[test]
    fn names_and_blocks_are_expanded() {
        for (command, expanded) in [
            ("%{build} %threads_lib -o %t.out", "scythe -fsycl a.cpp -lpthread -o a.tmp.out"),
            ("%if cpu %{ %{build} %} %else %{ false %}", "scythe -fsycl a.cpp"),
            ("a %if gpu %{ b %if cpu %{ c %} %} %else %{%s%} d", "a a.cpp d"),
            ("a %if gpu %{ b %}", "a "),
            ("date +%%s 100% x", "date +%s 100% x"),
        ] {
            assert_eq!(expand(command).as_deref(), Ok(expanded), "{command}");
        }
    }

    #[test]
    fn unknown_names_are_errors() {
        for (command, part) in [
            ("%{nothing} a", "'%{nothing}'"),
            ("%nothing", "'%nothing'"),
            ("%if cpu %{ a", "not complete"),
            ("%{loop}", "does not end"),
        ] {
            let error = expand(command).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }
}
