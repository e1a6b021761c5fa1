//! What the compiler tells about the code of an x86-64 object: how it compiled the kernels, for
//! tools, and how much stack the functions need, for the loader. Linkers drop the section.
//!
//! The section's name is [`KERNELS_SECTION`]. Its text has one line for the version, one line for
//! each kernel, and one line for each function that other code may call, with tabs between the
//! fields:
//!
//! ```text
//! 2
//! kernel <symbol> <lanes> <bytes of local memory> <reason for one lane, or nothing>
//! stack <symbol> <bytes> <undefined symbols that the function reaches, separated by spaces>
//! ```

use crate::elf::{ElfError, Object};
use object::read::elf::ElfFile64;
use object::{LittleEndian, Object as _, ObjectSymbol as _};
use scythe_abi::names::KERNELS_SECTION;

const VERSION: &str = "2";

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

/// The stack that a function of an object needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stack {
    pub symbol: String,
    /// The number of bytes that the function and all functions of the object that it calls need at
    /// once.
    pub bytes: u64,
    /// The undefined symbols that these functions refer to.
    pub outside: Vec<String>,
}

/// What an object tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    pub kernels: Vec<CpuKernel>,
    pub stacks: Vec<Stack>,
}

/// The reason why an object does not tell about its kernels.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReportError {
    #[error(transparent)]
    Elf(#[from] ElfError),
    #[error("line {0} of the section about kernels is invalid")]
    Line(usize),
}

/// Returns the object with a section about its code.
pub fn add(object: &[u8], report: &Report) -> Result<Vec<u8>, ElfError> {
    let mut text = format!("{VERSION}\n");
    for CpuKernel { symbol, lanes, local_bytes, remark } in &report.kernels {
        let remark = remark.replace(['\n', '\t'], " ");
        text += &format!("kernel\t{symbol}\t{lanes}\t{local_bytes}\t{remark}\n");
    }
    for Stack { symbol, bytes, outside } in &report.stacks {
        text += &format!("stack\t{symbol}\t{bytes}\t{}\n", outside.join(" "));
    }
    let added = [(KERNELS_SECTION.to_owned(), text.as_bytes())];
    Object::parse(object)?.with_excluded_sections(&added)
}

/// Returns what the object tells. An object without the section, or with one of another version,
/// tells nothing.
pub fn read(object: &[u8]) -> Result<Report, ReportError> {
    let sections = Object::parse(object)?.sections()?;
    let found = sections.iter().find(|section| section.name == KERNELS_SECTION.as_bytes());
    let text = found.map_or_else(Default::default, |found| String::from_utf8_lossy(found.data));
    parse(&text)
}

fn parse(text: &str) -> Result<Report, ReportError> {
    let mut report = Report::default();
    let mut lines = text.lines().enumerate();
    if lines.next().is_none_or(|(_, version)| version != VERSION) {
        return Ok(report);
    }
    for (index, line) in lines {
        report.add_line(line).ok_or(ReportError::Line(index + 1))?;
    }
    Ok(report)
}

/// Returns the names of the symbols that an object defines.
pub fn symbols(object: &[u8]) -> Option<Vec<String>> {
    let file = ElfFile64::<LittleEndian>::parse(object).ok()?;
    let defined = file.symbols().filter(|symbol| symbol.is_definition());
    Some(defined.filter_map(|symbol| symbol.name().ok().map(str::to_owned)).collect())
}

impl Report {
    fn add_line(&mut self, line: &str) -> Option<()> {
        let mut fields = line.split('\t');
        let mut next = || fields.next();
        match next()? {
            "kernel" => self.kernels.push(CpuKernel {
                symbol: next()?.to_owned(),
                lanes: next()?.parse().ok()?,
                local_bytes: next()?.parse().ok()?,
                remark: next()?.to_owned(),
            }),
            "stack" => self.stacks.push(Stack {
                symbol: next()?.to_owned(),
                bytes: next()?.parse().ok()?,
                outside: next()?.split_ascii_whitespace().map(str::to_owned).collect(),
            }),
            _ => return None,
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_tells_one_thing() {
        let kernel = CpuKernel {
            symbol: "_ZTS1K".into(),
            lanes: 1,
            local_bytes: 64,
            remark: "a single task has one work-item".into(),
        };
        let stack = Stack {
            symbol: "__scythe_cpu._ZTS1K".into(),
            bytes: 16400,
            outside: vec!["sinf".into(), "memcpy".into()],
        };
        let text = "2\nkernel\t_ZTS1K\t1\t64\ta single task has one work-item\n\
                    stack\t__scythe_cpu._ZTS1K\t16400\tsinf memcpy\n";
        assert_eq!(parse(text), Ok(Report { kernels: vec![kernel], stacks: vec![stack] }));
        for earlier in ["", "1\n_ZTS1K\t1\t64\t\n", "3\nstack\n"] {
            assert_eq!(parse(earlier), Ok(Report::default()));
        }
    }

    #[test]
    fn invalid_lines_are_refused() {
        for line in ["kernel\t_ZTS1K\t1\t64", "kernel\tK\tmany\t64\t", "stack\tK\t", "other\tK"] {
            assert_eq!(parse(&format!("2\n{line}\n")), Err(ReportError::Line(2)), "{line}");
        }
    }
}
