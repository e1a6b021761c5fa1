//! ELF relocatable objects, as far as fat objects need them: finds sections by name, and appends
//! sections without changing anything else.
//!
//! Appending keeps every byte, section index and symbol of the object. New contents follow the old
//! contents, then the section names, extended by the new names, and the section table. The old
//! names stay a prefix of the new names, because symbols may share that string table.

use object::elf::{self, FileHeader64, SectionHeader64};
use object::pod::{bytes_of, bytes_of_slice, from_bytes, slice_from_bytes};
use object::{LittleEndian as LE, U16, U32, U64};
use std::ops::Range;

type Header = FileHeader64<LE>;
type SectionHeader = SectionHeader64<LE>;

const HEADER_SIZE: usize = size_of::<Header>();
const ROW_SIZE: usize = size_of::<SectionHeader>();

/// The reason why device code cannot be bundled with an object.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ElfError {
    #[error("not an ELF file: it starts with \"{}\"", seen.escape_ascii())]
    NotElf { seen: Vec<u8> },
    #[error(
        "ELF file has class {class} and byte order {order}, expected 2 (64 bits) and 1 \
         (little-endian)"
    )]
    WrongKind { class: u8, order: u8 },
    #[error("ELF file has type {0}, expected 1 (relocatable object)")]
    NotRelocatable(u16),
    #[error("ELF {what} spans bytes {offset} to {offset} + {size}, beyond the file's {length}")]
    Bounds { what: &'static str, offset: u64, size: u64, length: usize },
    #[error("ELF section headers have {0} bytes, expected 64")]
    RowSize(u16),
    #[error("ELF file has no section name table")]
    NoNames,
    #[error("the name of ELF section {0} is outside the section name table")]
    BadName(usize),
    #[error("ELF string tables cannot grow beyond 4 GiB")]
    TooManyNames,
}

#[derive(Clone, Debug)]
pub(crate) struct Object<'a> {
    bytes: &'a [u8],
    pub machine: u16,
    /// The position of the section table in the file.
    table: Range<usize>,
    rows: &'a [SectionHeader],
    names_index: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct Section<'a> {
    pub name: &'a [u8],
    pub data: &'a [u8],
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
    bytes.starts_with(&elf::ELFMAG)
}

impl<'a> Object<'a> {
    pub fn parse(bytes: &'a [u8]) -> Result<Self, ElfError> {
        if !is_elf(bytes) {
            return Err(ElfError::NotElf { seen: bytes[..bytes.len().min(4)].to_vec() });
        }
        let header = &bytes[span(bytes, "header", 0, HEADER_SIZE as u64)?];
        let (class, order) = (header[4], header[5]);
        if (class, order) != (elf::ELFCLASS64, elf::ELFDATA2LSB) {
            return Err(ElfError::WrongKind { class, order });
        }
        let Ok((header, _)) = from_bytes::<Header>(header) else { return Err(ElfError::NoNames) };
        let kind = header.e_type.get(LE);
        if kind != elf::ET_REL {
            return Err(ElfError::NotRelocatable(kind));
        }
        let offset = header.e_shoff.get(LE);
        if offset == 0 {
            return Err(ElfError::NoNames);
        }
        let row_size = header.e_shentsize.get(LE);
        if usize::from(row_size) != ROW_SIZE {
            return Err(ElfError::RowSize(row_size));
        }
        // Section 0 always exists. It holds the numbers that do not fit into the header.
        let first = rows(&bytes[span(bytes, "section table", offset, ROW_SIZE as u64)?]);
        let first = first.first().ok_or(ElfError::NoNames)?;
        let count = match header.e_shnum.get(LE) {
            0 => first.sh_size.get(LE),
            count => u64::from(count),
        };
        let names_index = match header.e_shstrndx.get(LE) {
            elf::SHN_XINDEX => first.sh_link.get(LE) as usize,
            index => usize::from(index),
        };
        let size = count.saturating_mul(ROW_SIZE as u64);
        let table = span(bytes, "section table", offset, size)?;
        if names_index == 0 || names_index as u64 >= count {
            return Err(ElfError::NoNames);
        }
        let rows = rows(&bytes[table.clone()]);
        Ok(Self { bytes, machine: header.e_machine.get(LE), table, rows, names_index })
    }

    fn contents(&self, row: &SectionHeader) -> Result<&'a [u8], ElfError> {
        if row.sh_type.get(LE) == elf::SHT_NOBITS {
            return Ok(&[]);
        }
        let (offset, size) = (row.sh_offset.get(LE), row.sh_size.get(LE));
        Ok(&self.bytes[span(self.bytes, "section", offset, size)?])
    }

    fn names(&self) -> Result<&'a [u8], ElfError> {
        self.contents(self.rows.get(self.names_index).ok_or(ElfError::NoNames)?)
    }

    /// Returns all sections except the null section, in order.
    pub fn sections(&self) -> Result<Vec<Section<'a>>, ElfError> {
        let names = self.names()?;
        let mut sections = Vec::new();
        for (index, row) in self.rows.iter().enumerate().skip(1) {
            let tail = names.get(row.sh_name.get(LE) as usize..);
            let tail = tail.ok_or(ElfError::BadName(index))?;
            let end = tail.iter().position(|&byte| byte == 0).ok_or(ElfError::BadName(index))?;
            sections.push(Section { name: &tail[..end], data: self.contents(row)? });
        }
        Ok(sections)
    }

    /// Returns an object of the same size, with null sections in place of the sections with
    /// unwanted names.
    pub fn without_sections(&self, unwanted: impl Fn(&[u8]) -> bool) -> Result<Vec<u8>, ElfError> {
        let mut out = self.bytes.to_vec();
        for (index, section) in self.sections()?.iter().enumerate() {
            if unwanted(section.name) {
                // `sections` leaves out the null section, which is the first row.
                out[self.table.start + (index + 1) * ROW_SIZE..][..ROW_SIZE].fill(0);
            }
        }
        Ok(out)
    }

    /// Returns the object with more sections, which linkers leave out of their outputs.
    pub fn with_excluded_sections(&self, added: &[(String, &[u8])]) -> Result<Vec<u8>, ElfError> {
        let mut names = self.names()?.to_vec();
        // The table usually ends the file. Then its old position is free.
        let ends_file = self.table.end == self.bytes.len() && self.table.start >= HEADER_SIZE;
        let kept = if ends_file { self.table.start } else { self.bytes.len() };
        let mut out = self.bytes[..kept].to_vec();
        let mut table = self.rows.to_vec();

        for (name, data) in added {
            let name_offset = u32::try_from(names.len()).map_err(|_| ElfError::TooManyNames)?;
            names.extend(name.as_bytes());
            names.push(0);
            table.push(SectionHeader {
                sh_name: U32::new(LE, name_offset),
                sh_type: U32::new(LE, elf::SHT_PROGBITS),
                sh_flags: U64::new(LE, u64::from(elf::SHF_EXCLUDE)),
                sh_addr: U64::default(),
                sh_offset: U64::new(LE, out.len() as u64),
                sh_size: U64::new(LE, data.len() as u64),
                sh_link: U32::default(),
                sh_info: U32::default(),
                sh_addralign: U64::new(LE, 1),
                sh_entsize: U64::default(),
            });
            out.extend(*data);
        }

        let names_row = &mut table[self.names_index];
        names_row.sh_offset.set(LE, out.len() as u64);
        names_row.sh_size.set(LE, names.len() as u64);
        out.extend(names);
        out.resize(out.len().next_multiple_of(8), 0);

        // A count that the header cannot hold is in the size of section 0.
        let header_count = if table.len() < usize::from(elf::SHN_LORESERVE) {
            table.len() as u16
        } else {
            let count = table.len() as u64;
            table[0].sh_size.set(LE, count);
            0
        };
        let Ok((header, _)) = from_bytes::<Header>(self.bytes) else {
            return Err(ElfError::NoNames);
        };
        let mut header = *header;
        header.e_shoff = U64::new(LE, out.len() as u64);
        header.e_shnum = U16::new(LE, header_count);
        out[..HEADER_SIZE].copy_from_slice(bytes_of(&header));
        out.extend(bytes_of_slice(&table));
        Ok(out)
    }
}

/// Reads whole rows of a section table.
fn rows(table: &[u8]) -> &[SectionHeader] {
    slice_from_bytes(table, table.len() / ROW_SIZE).map_or(&[], |(rows, _)| rows)
}
