//! Objects whose device link is final. A section, which linkers leave out of their outputs, lists
//! the kernels.
//!
//! The section's name is [`LINKED_SECTION`]. It contains the names of the kernels, each followed by
//! a line feed. Joining such objects (`ld -r`) joins the lists.

use crate::elf::{ElfError, Object};
use scythe_abi::names::{BUNDLE_SECTION_PREFIX, LINKED_SECTION};

/// Returns the object with a list of kernels, and without device code that is not linked yet.
pub fn mark(object: &[u8], kernels: &[String]) -> Result<Vec<u8>, ElfError> {
    let stripped = without_bundles(object)?;
    let list: String = kernels.iter().map(|kernel| format!("{kernel}\n")).collect();
    Object::parse(&stripped)?
        .with_excluded_sections(&[(LINKED_SECTION.to_owned(), list.as_bytes())])
}

/// Returns the kernels that an object lists, or `None` for an ordinary object.
pub fn kernels(object: &[u8]) -> Result<Option<Vec<String>>, ElfError> {
    let sections = Object::parse(object)?.sections()?;
    let mut lists =
        sections.iter().filter(|section| section.name == LINKED_SECTION.as_bytes()).peekable();
    if lists.peek().is_none() {
        return Ok(None);
    }
    let text: String =
        lists.map(|section| String::from_utf8_lossy(section.data).into_owned()).collect();
    Ok(Some(text.lines().map(str::to_owned).collect()))
}

/// Returns the object, of the same size, without the sections of a fat object.
pub fn without_bundles(object: &[u8]) -> Result<Vec<u8>, ElfError> {
    Object::parse(object)?
        .without_sections(|name| name.starts_with(BUNDLE_SECTION_PREFIX.as_bytes()))
}
