//! The readers.

mod bundles;
mod images;
mod objects;
mod programs;
mod texts;
mod words;

use crate::options::Options;

/// A reader of untrusted bytes.
pub struct Target {
    pub name: &'static str,
    pub about: &'static str,
    /// Returns valid inputs.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Magic numbers and keywords of the format.
    pub words: &'static [&'static [u8]],
    /// Makes checksums valid again.
    pub seal: Option<fn(&mut [u8])>,
    /// Reads an input. Returns "" or the error. Panics if the reader contradicts the writer.
    pub read: fn(&[u8]) -> String,
    /// Whether the reader starts a program, which has limits of its own.
    pub is_program: bool,
}

/// Returns all readers.
pub fn all(options: &Options) -> Vec<Target> {
    let mut all = vec![images::targets(), texts::targets(), objects::targets()];
    all.extend([bundles::targets(), words::targets()]);
    if let Some(tools) = &options.tools {
        let _ = programs::TOOLS.set(tools.clone());
        all.push(programs::targets());
    }
    all.into_iter().flatten().collect()
}

/// Returns the reader with this name.
pub fn find(name: &str, options: &Options) -> Result<Target, String> {
    let all = all(options);
    let names: Vec<_> = all.iter().map(|target| target.name).collect();
    let names = names.join(", ");
    all.into_iter()
        .find(|target| target.name == name)
        .ok_or_else(|| format!("unknown reader '{name}'; expected one of {names}"))
}

/// Returns the text of an input whose reader accepts text only.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Checks a text that a user sees: it does not control the terminal.
fn shown(text: String) -> String {
    let hidden = text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t'));
    assert!(hidden.is_none(), "the message has a control character: {text:?}");
    text
}

/// Returns the error of a result, or "".
fn error<T>(result: &Result<T, impl std::fmt::Display>) -> String {
    result.as_ref().err().map(ToString::to_string).unwrap_or_default()
}
