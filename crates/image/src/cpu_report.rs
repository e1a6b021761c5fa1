//! What tools tell about the kernels of an x86-64 object: a section that linkers and loaders
//! ignore.
//!
//! The section's name is [`KERNELS_SECTION`]. Its text has one line for the version and one line
//! for each kernel, with tabs between the fields:
//!
//! ```text
//! 1
//! <symbol> <lanes> <bytes of local memory> <reason for one lane, or nothing>
//! ```

use crate::elf::{ElfError, Object};
use object::read::elf::ElfFile64;
use object::{LittleEndian, Object as _, ObjectSymbol as _};
use scythe_abi::names::KERNELS_SECTION;

const VERSION: &str = "1";

/// How a kernel was compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CpuKernel {
    pub symbol: String,
    /// The number of work-items that run side by side in the lanes of vectors.
    pub lanes: u32,
    /// The size of the variables in local memory. Local accessors are not part of it.
    pub local_bytes: u64,
    /// The reason why there is only one lane, or an empty text.
    pub remark: String,
}

/// The reason why an object does not tell about its kernels.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReportError {
    #[error(transparent)]
    Elf(#[from] ElfError),
    #[error("line {0} of the section about kernels is not valid")]
    Line(usize),
}

/// Returns the object with a section about its kernels.
pub fn add(object: &[u8], kernels: &[CpuKernel]) -> Result<Vec<u8>, ElfError> {
    let mut text = format!("{VERSION}\n");
    for CpuKernel { symbol, lanes, local_bytes, remark } in kernels {
        let remark = remark.replace(['\n', '\t'], " ");
        text += &format!("{symbol}\t{lanes}\t{local_bytes}\t{remark}\n");
    }
    let added = [(KERNELS_SECTION.to_owned(), text.as_bytes())];
    Object::parse(object)?.with_excluded_sections(&added)
}

/// Returns what the object tells about its kernels. An object without the section, or with one of
/// another version, tells nothing.
pub fn read(object: &[u8]) -> Result<Vec<CpuKernel>, ReportError> {
    let sections = Object::parse(object)?.sections()?;
    let found = sections.iter().find(|section| section.name == KERNELS_SECTION.as_bytes());
    let text = found.map_or_else(Default::default, |found| String::from_utf8_lossy(found.data));
    let mut lines = text.lines().enumerate();
    if lines.next().is_none_or(|(_, version)| version != VERSION) {
        return Ok(Vec::new());
    }
    lines.map(|(index, line)| kernel(line).ok_or(ReportError::Line(index + 1))).collect()
}

/// Returns the names of the symbols that an object defines.
pub fn symbols(object: &[u8]) -> Option<Vec<String>> {
    let file = ElfFile64::<LittleEndian>::parse(object).ok()?;
    let defined = file.symbols().filter(|symbol| symbol.is_definition());
    Some(defined.filter_map(|symbol| symbol.name().ok().map(str::to_owned)).collect())
}

fn kernel(line: &str) -> Option<CpuKernel> {
    let mut fields = line.split('\t');
    let mut next = || fields.next();
    let (symbol, lanes, local_bytes, remark) = (next()?, next()?, next()?, next()?);
    Some(CpuKernel {
        symbol: symbol.to_owned(),
        lanes: lanes.parse().ok()?,
        local_bytes: local_bytes.parse().ok()?,
        remark: remark.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_kernels() {
        let expected = CpuKernel {
            symbol: "_ZTS1K".into(),
            lanes: 1,
            local_bytes: 64,
            remark: "a single task has one work-item".into(),
        };
        assert_eq!(kernel("_ZTS1K\t1\t64\ta single task has one work-item"), Some(expected));
        assert_eq!(kernel("_ZTS1K\t1\t64"), None);
        assert_eq!(kernel("_ZTS1K\tmany\t64\t"), None);
    }
}
