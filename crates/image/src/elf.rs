//! ELF relocatable objects, as far as fat objects need them: find sections by name, and append
//! sections without touching anything else.
//!
//! Appending keeps every byte, section index and symbol of the object. New contents follow the old
//! ones; then come the section names, grown by the new ones, and the section table. Old names stay
//! a prefix of the new ones, because symbols may share that string table.

use std::ops::Range;

const HEADER_SIZE: usize = 64;
const ROW_SIZE: usize = 64;
const ET_REL: u16 = 1;
const SHT_PROGBITS: u32 = 1;
const SHT_NOBITS: u32 = 8;
const SHN_XINDEX: u16 = 0xffff;
/// Section counts from here on stand in the size of section 0 and not in the header.
const SHN_LORESERVE: usize = 0xff00;

pub(crate) const SHF_EXCLUDE: u64 = 0x8000_0000;
pub(crate) const EM_X86_64: u16 = 62;
pub(crate) const EM_AARCH64: u16 = 183;

/// Why bytes are not an object that device code can be bundled with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ElfError {
    #[error("not an ELF file: it starts with \"{}\"", seen.escape_ascii())]
    NotElf { seen: Vec<u8> },
    #[error(
        "ELF class {class} with byte order {order}: expected 2 (64 bits) and 1 (little-endian)"
    )]
    WrongKind { class: u8, order: u8 },
    #[error("ELF file type {0}: expected 1, a relocatable object")]
    NotRelocatable(u16),
    #[error("ELF {what} spans bytes {offset} to {offset} + {size}, beyond the file's {length}")]
    Bounds { what: &'static str, offset: u64, size: u64, length: usize },
    #[error("ELF section headers have {0} bytes, expected 64")]
    RowSize(u16),
    #[error("ELF file has no section names")]
    NoNames,
    #[error("the name of ELF section {0} is not inside the section names")]
    BadName(usize),
    #[error("ELF string tables cannot grow beyond 4 GiB")]
    TooManyNames,
}

#[derive(Clone, Debug)]
pub(crate) struct Object<'a> {
    bytes: &'a [u8],
    pub machine: u16,
    /// Where the section table stands in the file.
    table: Range<usize>,
    names_index: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct Section<'a> {
    pub name: &'a [u8],
    pub data: &'a [u8],
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut out = [0; N];
    out.copy_from_slice(&bytes[at..at + N]);
    out
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(array(bytes, at))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(array(bytes, at))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(array(bytes, at))
}

fn span(
    bytes: &[u8],
    what: &'static str,
    offset: u64,
    size: u64,
) -> Result<Range<usize>, ElfError> {
    let end = offset.checked_add(size).filter(|&end| end <= bytes.len() as u64);
    match end {
        Some(end) => Ok(offset as usize..end as usize),
        None => Err(ElfError::Bounds { what, offset, size, length: bytes.len() }),
    }
}

pub(crate) fn is_elf(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x7fELF")
}

impl<'a> Object<'a> {
    pub fn parse(bytes: &'a [u8]) -> Result<Self, ElfError> {
        if !is_elf(bytes) {
            return Err(ElfError::NotElf { seen: bytes[..bytes.len().min(4)].to_vec() });
        }
        let header = &bytes[span(bytes, "header", 0, HEADER_SIZE as u64)?];
        if (header[4], header[5]) != (2, 1) {
            return Err(ElfError::WrongKind { class: header[4], order: header[5] });
        }
        let kind = u16_at(header, 16);
        if kind != ET_REL {
            return Err(ElfError::NotRelocatable(kind));
        }
        let offset = u64_at(header, 40);
        if offset == 0 {
            return Err(ElfError::NoNames);
        }
        let row_size = u16_at(header, 58);
        if usize::from(row_size) != ROW_SIZE {
            return Err(ElfError::RowSize(row_size));
        }
        // Section 0 is always there and holds what the header's fields are too small for.
        let first = &bytes[span(bytes, "section table", offset, ROW_SIZE as u64)?];
        let count = match u16_at(header, 60) {
            0 => u64_at(first, 32),
            count => u64::from(count),
        };
        let names_index = match u16_at(header, 62) {
            SHN_XINDEX => u32_at(first, 40) as usize,
            index => usize::from(index),
        };
        let size = count.saturating_mul(ROW_SIZE as u64);
        let table = span(bytes, "section table", offset, size)?;
        if names_index == 0 || names_index as u64 >= count {
            return Err(ElfError::NoNames);
        }
        Ok(Self { bytes, machine: u16_at(header, 18), table, names_index })
    }

    fn rows(&self) -> std::slice::ChunksExact<'a, u8> {
        self.bytes[self.table.clone()].chunks_exact(ROW_SIZE)
    }

    fn contents(&self, row: &[u8]) -> Result<&'a [u8], ElfError> {
        if u32_at(row, 4) == SHT_NOBITS {
            return Ok(&[]);
        }
        Ok(&self.bytes[span(self.bytes, "section", u64_at(row, 24), u64_at(row, 32))?])
    }

    fn names(&self) -> Result<&'a [u8], ElfError> {
        self.contents(self.rows().nth(self.names_index).ok_or(ElfError::NoNames)?)
    }

    /// All sections but the null one, in order.
    pub fn sections(&self) -> Result<Vec<Section<'a>>, ElfError> {
        let names = self.names()?;
        let mut sections = Vec::new();
        for (index, row) in self.rows().enumerate().skip(1) {
            let tail = names.get(u32_at(row, 0) as usize..).ok_or(ElfError::BadName(index))?;
            let end = tail.iter().position(|&byte| byte == 0).ok_or(ElfError::BadName(index))?;
            sections.push(Section { name: &tail[..end], data: self.contents(row)? });
        }
        Ok(sections)
    }

    /// The object of the same size with null sections in place of those with unwanted names.
    pub fn without_sections(&self, unwanted: impl Fn(&[u8]) -> bool) -> Result<Vec<u8>, ElfError> {
        let mut out = self.bytes.to_vec();
        for (index, section) in self.sections()?.iter().enumerate() {
            if unwanted(section.name) {
                // Sections are counted without the null one, which is the first row.
                out[self.table.start + (index + 1) * ROW_SIZE..][..ROW_SIZE].fill(0);
            }
        }
        Ok(out)
    }

    /// The object with more sections, which linkers leave out of their outputs.
    pub fn with_excluded_sections(&self, added: &[(String, &[u8])]) -> Result<Vec<u8>, ElfError> {
        let mut names = self.names()?.to_vec();
        // The table usually ends the file; then its old place need not be kept.
        let ends_file = self.table.end == self.bytes.len() && self.table.start >= HEADER_SIZE;
        let kept = if ends_file { self.table.start } else { self.bytes.len() };
        let mut out = self.bytes[..kept].to_vec();
        let mut table = self.bytes[self.table.clone()].to_vec();

        for (name, data) in added {
            let name_offset = u32::try_from(names.len()).map_err(|_| ElfError::TooManyNames)?;
            names.extend(name.as_bytes());
            names.push(0);
            let mut row = [0; ROW_SIZE];
            row[..4].copy_from_slice(&name_offset.to_le_bytes());
            row[4..8].copy_from_slice(&SHT_PROGBITS.to_le_bytes());
            row[8..16].copy_from_slice(&SHF_EXCLUDE.to_le_bytes());
            row[24..32].copy_from_slice(&(out.len() as u64).to_le_bytes());
            row[32..40].copy_from_slice(&(data.len() as u64).to_le_bytes());
            row[48..56].copy_from_slice(&1u64.to_le_bytes());
            table.extend(row);
            out.extend(*data);
        }

        let names_row = &mut table[self.names_index * ROW_SIZE..][..ROW_SIZE];
        names_row[24..32].copy_from_slice(&(out.len() as u64).to_le_bytes());
        names_row[32..40].copy_from_slice(&(names.len() as u64).to_le_bytes());
        out.extend(names);
        out.resize(out.len().next_multiple_of(8), 0);

        let count = table.len() / ROW_SIZE;
        let header_count = if count < SHN_LORESERVE {
            count as u16
        } else {
            table[32..40].copy_from_slice(&(count as u64).to_le_bytes());
            0
        };
        let table_offset = out.len() as u64;
        out[40..48].copy_from_slice(&table_offset.to_le_bytes());
        out[60..62].copy_from_slice(&header_count.to_le_bytes());
        out.extend(table);
        Ok(out)
    }
}
