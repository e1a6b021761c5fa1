//! Finds the line of the source for an address of loaded code, in its debug information: a reader
//! of DWARF's line tables, versions 4 and 5.
//!
//! The input may be damaged: what cannot be read is not found.

use object::{Object, ObjectSection, ObjectSymbol, RelocationTarget};

use crate::loader::Elf;

/// Returns the file and the line for an address. `image` is an object whose section headers contain
/// the addresses in memory.
pub(crate) fn find(image: &[u8], address: u64) -> Option<(String, u32)> {
    let elf = Elf::parse(image).ok()?;
    let lines = relocated(&elf, ".debug_line")?;
    let section = |name| relocated(&elf, name).unwrap_or_default();
    let (line_strings, strings) = (section(".debug_line_str"), section(".debug_str"));
    let mut rest = Reader(&lines);
    loop {
        let length = rest.number(4)?;
        let unit = Reader(rest.take(usize::try_from(length).ok()?)?);
        if let Some(found) = Unit::read(unit, &line_strings, &strings)
            .and_then(|(unit, program)| unit.find(program, address))
        {
            return Some(found);
        }
    }
}

/// Returns the contents of a section with its relocations applied.
fn relocated(elf: &Elf<'_>, name: &str) -> Option<Vec<u8>> {
    let section = elf.section_by_name(name)?;
    let mut data = section.uncompressed_data().ok()?.into_owned();
    for (offset, relocation) in section.relocations() {
        let RelocationTarget::Symbol(index) = relocation.target() else { continue };
        let Ok(symbol) = elf.symbol_by_index(index) else { continue };
        let start = symbol.section_index().and_then(|index| elf.section_by_index(index).ok());
        let start = start.map_or(0, |section| section.address());
        // The address of a symbol in a relocatable object is relative to its section.
        let value = start.wrapping_add(symbol.address()).wrapping_add(relocation.addend() as u64);
        let width = usize::from(relocation.size() / 8).min(8);
        let at = usize::try_from(offset).ok()?;
        let place = data.get_mut(at..at.checked_add(width)?)?;
        place.copy_from_slice(&value.to_le_bytes()[..width]);
    }
    Some(data)
}

/// Reads values of DWARF.
#[derive(Clone, Copy)]
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        Some(self.take(1)?[0])
    }

    /// Reads a number of up to 8 bytes.
    fn number(&mut self, bytes: usize) -> Option<u64> {
        let mut all = [0; 8];
        all.get_mut(..bytes)?.copy_from_slice(self.take(bytes)?);
        Some(u64::from_le_bytes(all))
    }

    fn unsigned(&mut self) -> Option<u64> {
        self.variable().map(|(value, _, _)| value)
    }

    fn signed(&mut self) -> Option<i64> {
        let (value, bits, is_negative) = self.variable()?;
        let extension = if is_negative && bits < 64 { u64::MAX << bits } else { 0 };
        Some((value | extension) as i64)
    }

    /// Reads a number of variable length. Returns its bits, their count and the highest bit.
    fn variable(&mut self) -> Option<(u64, u32, bool)> {
        let (mut value, mut bits) = (0, 0);
        loop {
            let byte = self.byte()?;
            if bits < 64 {
                value |= u64::from(byte & 0x7f) << bits;
            }
            bits += 7;
            if byte & 0x80 == 0 {
                return Some((value, bits, byte & 0x40 != 0));
            }
        }
    }

    /// Reads a text that ends with a zero. Returns it without the zero.
    fn text(&mut self) -> Option<&'a [u8]> {
        let end = self.0.iter().position(|&byte| byte == 0)?;
        let text = self.take(end)?;
        self.take(1)?;
        Some(text)
    }
}

/// The header of a line table. Names refer to the sections, because many entries of a damaged table
/// can refer to one long text. A zero may end a name.
struct Unit<'a> {
    least_step: u64,
    line_base: i64,
    line_range: u8,
    opcode_base: u8,
    /// The number of arguments of each standard opcode.
    argument_counts: Vec<u8>,
    directories: Vec<&'a [u8]>,
    /// The name of each file, and the number of its directory.
    files: Vec<(&'a [u8], usize)>,
}

/// The kinds of fields of a file, and the forms of their values.
mod code {
    pub const PATH: u64 = 1;
    pub const DIRECTORY: u64 = 2;
    pub const TEXT: u64 = 0x08;
    pub const BLOCK: u64 = 0x09;
    pub const STRING: u64 = 0x0e;
    pub const LINE_STRING: u64 = 0x1f;
    pub const UNSIGNED: u64 = 0x0f;
    /// Forms of numbers with a fixed size.
    pub const FIXED: [(u64, usize); 5] = [(0x0b, 1), (0x05, 2), (0x06, 4), (0x07, 8), (0x1e, 16)];
}

impl<'a> Unit<'a> {
    /// Reads the header. Returns the rest, which is the program.
    fn read(
        mut unit: Reader<'a>,
        line_strings: &'a [u8],
        strings: &'a [u8],
    ) -> Option<(Self, Reader<'a>)> {
        let version = unit.number(2)?;
        match version {
            4 => {}
            5 => drop(unit.take(2)?),
            _ => return None,
        }
        let length = usize::try_from(unit.number(4)?).ok()?;
        let mut header = Reader(unit.take(length)?);
        let least_step = u64::from(header.byte()?);
        let _operations = header.byte()?;
        let _is_statement = header.byte()?;
        let line_base = i64::from(header.byte()? as i8);
        let (line_range, opcode_base) = (header.byte()?, header.byte()?);
        let argument_counts = header.take(usize::from(opcode_base.checked_sub(1)?))?.to_vec();
        let mut read = Self {
            least_step,
            line_base,
            line_range: (line_range != 0).then_some(line_range)?,
            opcode_base,
            argument_counts,
            directories: Vec::new(),
            files: Vec::new(),
        };
        if version == 5 {
            let tables = [line_strings, strings];
            let directories = entries(&mut header, tables)?;
            read.directories = directories.into_iter().map(|(name, _)| name).collect();
            read.files = entries(&mut header, tables)?;
            return Some((read, unit));
        }
        // The first directory is that of the compilation, which version 4 does not list.
        read.directories.push(&[]);
        loop {
            match header.text()? {
                [] => break,
                name => read.directories.push(name),
            }
        }
        // Files are counted from 1.
        read.files.push((&[], 0));
        loop {
            match header.text()? {
                [] => return Some((read, unit)),
                name => {
                    read.files.push((name, usize::try_from(header.unsigned()?).ok()?));
                    let (_time, _size) = (header.unsigned()?, header.unsigned()?);
                }
            }
        }
    }

    /// Runs the program, and returns the file and line of the row that contains `address`.
    fn find(&self, mut program: Reader<'_>, address: u64) -> Option<(String, u32)> {
        let mut row = Row::START;
        // The row before, in the same sequence.
        let mut last: Option<Row> = None;
        loop {
            let opcode = program.byte()?;
            let mut is_complete = false;
            if opcode >= self.opcode_base {
                let special = opcode - self.opcode_base;
                let steps = u64::from(special / self.line_range);
                row.advance(steps, self.least_step);
                row.line =
                    row.line.wrapping_add(self.line_base + i64::from(special % self.line_range));
                is_complete = true;
            } else {
                match opcode {
                    0 => {
                        let length = usize::try_from(program.unsigned()?).ok()?;
                        let mut extended = Reader(program.take(length)?);
                        match extended.byte()? {
                            1 => (row.is_end, is_complete) = (true, true),
                            2 => row.address = extended.number(extended.0.len().min(8))?,
                            _ => {}
                        }
                    }
                    1 => is_complete = true,
                    2 => row.advance(program.unsigned()?, self.least_step),
                    3 => row.line = row.line.wrapping_add(program.signed()?),
                    4 => row.file = usize::try_from(program.unsigned()?).ok()?,
                    8 => {
                        let steps = u64::from((255 - self.opcode_base) / self.line_range);
                        row.advance(steps, self.least_step);
                    }
                    9 => row.advance(program.number(2)?, 1),
                    _ => {
                        let count = self.argument_counts.get(usize::from(opcode) - 1)?;
                        for _ in 0..*count {
                            program.unsigned()?;
                        }
                    }
                }
            }
            if !is_complete {
                continue;
            }
            if let Some(last) = last.filter(|last| (last.address..row.address).contains(&address)) {
                return self.position(last);
            }
            last = (!row.is_end).then_some(row);
            if row.is_end {
                row = Row::START;
            }
        }
    }

    /// Returns the file and line of a row. Code that belongs to no line has the line 0.
    fn position(&self, row: Row) -> Option<(String, u32)> {
        let line = u32::try_from(row.line).ok().filter(|&line| line != 0)?;
        let (name, directory) = self.files.get(row.file)?;
        let directory = self.directories.get(*directory).filter(|_| *directory != 0);
        let text = |name: &[u8]| {
            let end = name.iter().position(|&byte| byte == 0).unwrap_or(name.len());
            String::from_utf8_lossy(&name[..end]).into_owned()
        };
        let name = match directory {
            Some(directory) if !name.starts_with(b"/") => {
                format!("{}/{}", text(directory), text(name))
            }
            _ => text(name),
        };
        Some((name, line))
    }
}

/// A row of a line table.
#[derive(Clone, Copy)]
struct Row {
    address: u64,
    line: i64,
    file: usize,
    is_end: bool,
}

impl Row {
    const START: Self = Self { address: 0, line: 1, file: 1, is_end: false };

    fn advance(&mut self, steps: u64, size: u64) {
        self.address = self.address.wrapping_add(steps.wrapping_mul(size));
    }
}

/// Reads the directories or files of version 5: names, and the numbers of directories.
fn entries<'a>(header: &mut Reader<'a>, strings: [&'a [u8]; 2]) -> Option<Vec<(&'a [u8], usize)>> {
    let fields = header.byte()?;
    let fields: Vec<_> = (0..fields)
        .map(|_| Some((header.unsigned()?, header.unsigned()?)))
        .collect::<Option<_>>()?;
    let count = header.unsigned()?;
    // Entries without fields take no bytes: only the count would limit them.
    if fields.is_empty() && count > 0 {
        return None;
    }
    let mut found = Vec::new();
    for _ in 0..count {
        let (mut name, mut directory): (&[u8], usize) = (&[], 0);
        for &(kind, form) in &fields {
            let (mut text, mut number): (&[u8], u64) = (&[], 0);
            match form {
                code::TEXT => text = header.text()?,
                code::LINE_STRING | code::STRING => {
                    let table = strings[usize::from(form == code::STRING)];
                    let at = usize::try_from(header.number(4)?).ok()?;
                    text = table.get(at..)?;
                }
                code::UNSIGNED => number = header.unsigned()?,
                code::BLOCK => {
                    let length = usize::try_from(header.unsigned()?).ok()?;
                    header.take(length)?;
                }
                _ => match code::FIXED.iter().find(|(known, _)| *known == form)?.1 {
                    16 => drop(header.take(16)?),
                    bytes => number = header.number(bytes)?,
                },
            }
            match kind {
                code::PATH => name = text,
                code::DIRECTORY => directory = usize::try_from(number).ok()?,
                _ => {}
            }
        }
        found.push((name, directory));
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::compile_c;

    const SOURCE: &str = "int first(int *p) {\n    return *p;\n}\nint second(int a, int b) {\n    \
                          a += 1;\n    return a / b;\n}\n";

    #[test]
    fn lines_of_both_versions_are_found() {
        for version in ["-gdwarf-4", "-gdwarf-5"] {
            let object = compile_c(SOURCE, &["-O0", "-fPIC", version]);
            let elf = Elf::parse(&*object).unwrap();
            let start = |name: &str| {
                elf.symbols().find(|s| s.name() == Ok(name)).map(|s| s.address()).unwrap()
            };
            let line = |address| find(&object, address).map(|(_, line)| line);
            assert_eq!(line(start("first")), Some(1), "{version}");
            assert_eq!(line(start("second") - 1), Some(3), "{version}");
            let end = elf.section_by_name(".text").unwrap().size();
            assert_eq!(line(end - 1), Some(7), "{version}");
            assert_eq!(line(end), None, "{version}");
        }
    }

    #[test]
    fn entries_without_fields_or_with_one_long_text_take_no_memory() {
        let endless = [0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
        assert_eq!(entries(&mut Reader(&endless), [&[], &[]]), None);
        assert_eq!(entries(&mut Reader(&[0, 0]), [&[], &[]]), Some(Vec::new()));
        let (count, text) = (20_000, vec![b'a'; 1 << 20]);
        let mut table = vec![1, code::PATH as u8, code::LINE_STRING as u8, 0xa0, 0x9c, 1];
        table.resize(table.len() + 4 * count, 0);
        let found = entries(&mut Reader(&table), [&text, &[]]).unwrap();
        assert!(
            found.len() == count && found.iter().all(|(name, _)| name.as_ptr() == text.as_ptr())
        );
    }

    #[test]
    fn damaged_tables_find_nothing_or_something_but_never_crash() {
        let object = compile_c(SOURCE, &["-O0", "-fPIC", "-g"]);
        let mut random = scythe_hal::null::Random::new(0x5eed_1234_abcd_0002);
        for _ in 0..5_000 {
            let mut bytes = object.clone();
            for _ in 0..=random.below(4) {
                let at = random.below(bytes.len());
                bytes[at] = random.below(256) as u8;
            }
            let _ = find(&bytes, random.below(64) as u64);
        }
    }
}
