//! Machine code of NVIDIA GPUs: an ELF file that tells what each kernel needs.
//!
//! The section `.nv.info` has a list of attributes. Each one has a format (u8), a kind (u8) and a
//! u16 that is a value or, in format 4, the size of the value that follows. The attributes here are
//! in format 4, and their value is the number of a symbol (u32) and a number (u32). The section
//! `.nv.shared.<kernel>` has the size of the kernel's variables in shared memory. Its contents are
//! not in the file.

use object::elf::{FileHeader64, SHT_NOBITS};
use object::read::elf::{ElfFile64, FileHeader as _, SectionHeader as _};
use object::{LittleEndian as LE, Object as _, ObjectSection as _, ObjectSymbol as _, SymbolIndex};
use std::collections::BTreeMap;

const SIZED: u8 = 4;
const FRAME_SIZE: u8 = 0x11;
const REGISTERS: u8 = 0x2f;
const INFO: &str = ".nv.info";
const SHARED_PREFIX: &str = ".nv.shared.";
/// A section of code for which the driver reserves shared memory, before the kernel's variables.
const RESERVED: &str = ".nv.shared.reserved.0";
const RESERVED_BYTES: u64 = 1024;
const TEXT_PREFIX: &str = ".text.";

/// What a kernel needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CubinKernel {
    pub registers: Option<u32>,
    /// The bytes of private memory of a work-item, with those for spilled registers.
    pub stack_bytes: Option<u64>,
    /// The bytes of variables in shared memory.
    pub shared_bytes: u64,
    /// The bytes of machine code.
    pub code_bytes: u64,
}

/// Returns the kernels of a cubin by their symbols. Returns `None` if the bytes are not an ELF file
/// of this kind.
pub fn kernels(cubin: &[u8]) -> Option<BTreeMap<String, CubinKernel>> {
    const EM_CUDA: u16 = 190;
    let header = FileHeader64::<LE>::parse(cubin).ok()?;
    if header.e_machine(LE) != EM_CUDA {
        return None;
    }
    let file = ElfFile64::<LE>::parse(cubin).ok()?;
    let mut found: BTreeMap<String, CubinKernel> = BTreeMap::new();
    for section in file.sections() {
        let Ok(name) = section.name() else { continue };
        if let Some(kernel) = name.strip_prefix(TEXT_PREFIX) {
            found.entry(kernel.to_owned()).or_default().code_bytes = section.size();
        }
    }
    let reserved = file.section_by_name(RESERVED).map_or(0, |_| RESERVED_BYTES);
    for section in file.sections() {
        let Ok(name) = section.name() else { continue };
        let is_empty = section.elf_section_header().sh_type(LE) == SHT_NOBITS;
        if let Some(kernel) = name.strip_prefix(SHARED_PREFIX).and_then(|name| found.get_mut(name))
            && is_empty
        {
            kernel.shared_bytes = section.size().saturating_sub(reserved);
        }
    }
    let info = file.section_by_name(INFO).and_then(|section| section.data().ok());
    for (kind, symbol, number) in attributes(info.unwrap_or_default()) {
        let symbol = file.symbol_by_index(SymbolIndex(symbol as usize));
        let Some(kernel) = symbol.ok().and_then(|symbol| found.get_mut(symbol.name().ok()?)) else {
            continue;
        };
        match kind {
            REGISTERS => kernel.registers = Some(number),
            FRAME_SIZE => kernel.stack_bytes = Some(u64::from(number)),
            _ => {}
        }
    }
    Some(found)
}

/// Returns the attributes of [`SIZED`] format with two numbers: kind, symbol, number.
fn attributes(mut rest: &[u8]) -> Vec<(u8, u32, u32)> {
    let mut found = Vec::new();
    while let Some((&[format, kind, low, high], after)) = rest.split_first_chunk::<4>() {
        let size = match format {
            SIZED => usize::from(u16::from_le_bytes([low, high])),
            _ => 0,
        };
        let Some((value, after)) = after.split_at_checked(size) else { break };
        if let (SIZED, Some((symbol, number))) = (format, value.split_first_chunk::<4>())
            && let Some(number) = number.first_chunk::<4>()
        {
            found.push((kind, u32::from_le_bytes(*symbol), u32::from_le_bytes(*number)));
        }
        rest = after;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_read_until_the_list_is_cut_off() {
        let mut list = vec![3, 0x1b, 0xff, 0];
        list.extend([4, REGISTERS, 8, 0, 7, 0, 0, 0, 24, 0, 0, 0]);
        list.extend([4, 0x37, 4, 0, 1, 0, 0, 0]);
        list.extend([4, FRAME_SIZE, 8, 0, 7, 0, 0]);
        assert_eq!(attributes(&list), [(REGISTERS, 7, 24)]);
    }

    #[test]
    fn other_files_are_not_read() {
        assert_eq!(kernels(b""), None);
        assert_eq!(
            kernels(b"\x7fELF and more bytes than the header of a file, but no header"),
            None
        );
    }
}
