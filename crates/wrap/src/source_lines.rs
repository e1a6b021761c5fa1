//! Debug information that names the lines and the names of kernels before their code is loaded.
//!
//! Debuggers look for the code of a line when a breakpoint is set, mostly before the program runs.
//! Host code has no code for the lines of kernels, so debuggers would choose the next line that has
//! code. The wrapper object therefore contains one byte for each of these lines, with a line table
//! and a function for each kernel. The bytes never run. When the code of a kernel is loaded, the
//! debugger finds the lines there, too.
//!
//! The format is DWARF 4, because every debugger reads it.

use super::{WrapError, Wrapper};
use object::write::{Relocation, SectionId, SymbolId};
use object::{RelocationFlags, elf};
use std::collections::{BTreeMap, BTreeSet};

/// The lines of device code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceLines {
    /// The lines of each file.
    pub lines: BTreeMap<SourceFile, BTreeSet<u32>>,
    /// The file and the line of each kernel, by its name.
    pub kernels: BTreeMap<String, (SourceFile, u32)>,
}

/// A file of the source.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceFile {
    pub directory: String,
    pub name: String,
}

impl SourceLines {
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }
}

/// The section of the bytes.
const SECTION: &str = ".text.scythe.lines";
/// The function that contains the bytes of all lines.
const FUNCTION: &str = "device_code_that_is_not_loaded";
/// An instruction that stops a program which runs it by mistake.
const TRAP: u8 = 0xcc;
/// The number of bytes of a kernel. Debuggers skip the first row of a function.
const KERNEL_BYTES: u64 = 2;

/// Abbreviations: a compile unit, and a function.
#[rustfmt::skip]
const ABBREVIATIONS: [u8; 40] = [
    1, 0x11, 1,  0x25, 0x08,  0x13, 0x05,  0x03, 0x08,  0x10, 0x17,  0x1b, 0x08,
       0x11, 0x01,  0x12, 0x07,  0, 0,
    2, 0x2e, 0,  0x03, 0x08,  0x3a, 0x0f,  0x3b, 0x0f,  0x11, 0x01,  0x12, 0x07,
       0x3f, 0x19,  0, 0,
    0, 0, 0, 0,
];

/// The number of the language C++14.
const LANGUAGE: u16 = 0x21;

/// A section that is being written.
struct Bytes {
    data: Vec<u8>,
    /// The offsets of addresses of code, and the offsets in the code.
    addresses: Vec<(usize, u64)>,
    /// The offsets of offsets of 32 bits to the start of other sections.
    starts: Vec<(usize, SymbolId)>,
}

impl Bytes {
    fn new() -> Self {
        Self { data: Vec::new(), addresses: Vec::new(), starts: Vec::new() }
    }

    fn text(&mut self, text: &str) {
        // A zero would end the text early.
        self.data.extend(text.bytes().take_while(|&byte| byte != 0));
        self.data.push(0);
    }

    fn unsigned(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.data.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.data.push(value as u8);
    }

    fn signed(&mut self, mut value: i64) {
        loop {
            let byte = value as u8 & 0x7f;
            value >>= 7;
            // The highest bit of the last byte is the sign.
            let is_negative = byte & 0x40 != 0;
            if (value == 0 && !is_negative) || (value == -1 && is_negative) {
                return self.data.push(byte);
            }
            self.data.push(byte | 0x80);
        }
    }

    fn address(&mut self, code: u64) {
        self.addresses.push((self.data.len(), code));
        self.data.extend([0; 8]);
    }

    fn start_of(&mut self, section: SymbolId) {
        self.starts.push((self.data.len(), section));
        self.data.extend([0; 4]);
    }

    /// Writes the length of everything behind `at` to the four bytes at `at`.
    fn finish_length(&mut self, at: usize) {
        let length = (self.data.len() - at - 4) as u32;
        self.data[at..at + 4].copy_from_slice(&length.to_le_bytes());
    }
}

impl Wrapper {
    /// Adds the debug information.
    pub(super) fn add_source_lines(&mut self, source: &SourceLines) -> Result<(), WrapError> {
        if source.is_empty() {
            return Ok(());
        }
        let files: Vec<&SourceFile> = files(source).into_iter().collect();
        let flags = elf::SHF_ALLOC | elf::SHF_EXECINSTR;
        let code = self.section(SECTION, elf::SHT_PROGBITS, flags);
        let line = self.section(".debug_line", elf::SHT_PROGBITS, 0);
        let abbreviations = self.section(".debug_abbrev", elf::SHT_PROGBITS, 0);
        let info = self.section(".debug_info", elf::SHT_PROGBITS, 0);

        // One more byte: debuggers skip the first row of a function.
        let lines = 1 + source.lines.values().map(|lines| lines.len() as u64).sum::<u64>();
        let size = lines + KERNEL_BYTES * source.kernels.len() as u64;
        self.object.append_section_data(code, &vec![TRAP; size as usize], 1);
        self.object.append_section_data(abbreviations, &ABBREVIATIONS, 1);
        let table = line_table(source, &files);
        self.add_bytes(line, &table, code)?;
        let (line, abbreviations) =
            (self.object.section_symbol(line), self.object.section_symbol(abbreviations));
        let functions = functions(source, &files, lines, size, line, abbreviations);
        self.add_bytes(info, &functions, code)
    }

    fn add_bytes(
        &mut self,
        section: SectionId,
        bytes: &Bytes,
        code: SectionId,
    ) -> Result<(), WrapError> {
        self.object.append_section_data(section, &bytes.data, 1);
        let code = self.object.section_symbol(code);
        for &(at, offset) in &bytes.addresses {
            self.pointer(section, at as u64, code, offset)?;
        }
        for &(at, symbol) in &bytes.starts {
            let flags = RelocationFlags::Elf { r_type: self.machine.absolute_offset() };
            let relocation = Relocation { offset: at as u64, symbol, addend: 0, flags };
            self.object.add_relocation(section, relocation)?;
        }
        Ok(())
    }
}

/// Returns all files, in order.
fn files(source: &SourceLines) -> BTreeSet<&SourceFile> {
    source.lines.keys().chain(source.kernels.values().map(|(file, _)| file)).collect()
}

/// Returns the number of a file in the line table.
fn number(files: &[&SourceFile], file: &SourceFile) -> u64 {
    files.iter().position(|known| *known == file).map_or(0, |at| at as u64 + 1)
}

/// Writes the line table: a byte for each line, then those of the kernels.
fn line_table(source: &SourceLines, files: &[&SourceFile]) -> Bytes {
    const LINE_BASE: i8 = -1;
    const LINE_RANGE: u8 = 1;
    const OPCODE_BASE: u8 = 10;
    const ARGUMENT_COUNTS: [u8; 9] = [0, 1, 1, 1, 1, 0, 0, 0, 1];
    // An empty name would end the list.
    let names = files.iter().map(|file| file.directory.as_str()).filter(|name| !name.is_empty());
    let directories: BTreeSet<&str> = names.collect();
    let mut table = Bytes::new();
    table.data.extend([0; 4]);
    table.data.extend(4u16.to_le_bytes());
    let header = table.data.len();
    table.data.extend([0; 4]);
    table.data.extend([1, 1, 1, LINE_BASE as u8, LINE_RANGE, OPCODE_BASE]);
    table.data.extend(ARGUMENT_COUNTS);
    directories.iter().for_each(|directory| table.text(directory));
    table.data.push(0);
    for file in files {
        table.text(&file.name);
        let directory = directories.iter().position(|known| *known == file.directory);
        table.unsigned(directory.map_or(0, |at| at as u64 + 1));
        table.data.extend([0, 0]);
    }
    table.data.push(0);
    table.finish_length(header);

    // The extended opcode that sets the address.
    table.data.extend([0, 9, 2]);
    table.address(0);
    let mut current = 1i64;
    let mut row = |file: &SourceFile, line: u32| {
        table.data.push(4);
        table.unsigned(number(files, file));
        table.data.push(3);
        table.signed(i64::from(line) - current);
        current = i64::from(line);
        // Append the row, and advance by one byte.
        table.data.extend([1, 2, 1]);
    };
    let lines = source.lines.iter().flat_map(|(f, lines)| lines.iter().map(move |&l| (f, l)));
    let first = lines.clone().next().into_iter();
    first.chain(lines).for_each(|(file, line)| row(file, line));
    for (file, line) in source.kernels.values() {
        (0..KERNEL_BYTES).for_each(|_| row(file, *line));
    }
    table.data.extend([0, 1, 1]);
    table.finish_length(0);
    table
}

/// Writes the compile unit with its functions.
fn functions(
    source: &SourceLines,
    files: &[&SourceFile],
    lines: u64,
    size: u64,
    line_table: SymbolId,
    abbreviations: SymbolId,
) -> Bytes {
    let mut info = Bytes::new();
    info.data.extend([0; 4]);
    info.data.extend(4u16.to_le_bytes());
    info.start_of(abbreviations);
    info.data.push(8);
    info.unsigned(1);
    info.text("scythe");
    info.data.extend(LANGUAGE.to_le_bytes());
    info.text(&files[0].name);
    info.start_of(line_table);
    info.text(&files[0].directory);
    info.address(0);
    info.data.extend(size.to_le_bytes());
    let mut function = |name: &str, file: &SourceFile, line: u32, start: u64, size: u64| {
        info.unsigned(2);
        info.text(name);
        info.unsigned(number(files, file));
        info.unsigned(line.into());
        info.address(start);
        info.data.extend(size.to_le_bytes());
    };
    function(FUNCTION, files[0], 0, 0, lines);
    for (start, (name, (file, line))) in
        (lines..).step_by(KERNEL_BYTES as usize).zip(&source.kernels)
    {
        function(name, file, *line, start, KERNEL_BYTES);
    }
    info.data.push(0);
    info.finish_length(0);
    info
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_variable_length_are_those_of_dwarf() {
        let signed = |value| {
            let mut bytes = Bytes::new();
            bytes.signed(value);
            bytes.data
        };
        assert_eq!(signed(2), [2]);
        assert_eq!(signed(-2), [0x7e]);
        assert_eq!(signed(127), [0xff, 0]);
        assert_eq!(signed(-127), [0x81, 0x7f]);
        assert_eq!(signed(128), [0x80, 1]);
        assert_eq!(signed(-129), [0xff, 0x7e]);
        let mut bytes = Bytes::new();
        bytes.unsigned(624485);
        assert_eq!(bytes.data, [0xe5, 0x8e, 0x26]);
    }
}
