//! Applies relocations, and writes the stubs and the address table that some relocations use.

use object::read::Relocation;
use object::{
    Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget, SymbolIndex, elf,
};

use super::{Elf, Layout, LoadError, Mapping, STUB_BYTES, Symbols, section_name};

/// Returns whether the relocation refers to the table slot of its symbol.
pub(super) fn uses_table(relocation: &Relocation) -> bool {
    matches!(
        kind_of(relocation),
        elf::R_X86_64_GOTPCREL
            | elf::R_X86_64_GOTPCRELX
            | elf::R_X86_64_REX_GOTPCRELX
            | elf::R_X86_64_GOTPCREL64
    )
}

fn kind_of(relocation: &Relocation) -> u32 {
    match relocation.flags() {
        RelocationFlags::Elf { r_type } => r_type,
        _ => u32::MAX,
    }
}

pub(super) fn apply(
    elf: &Elf<'_>,
    layout: &Layout,
    symbols: &Symbols,
    mapping: &mut Mapping,
) -> Result<(), LoadError> {
    write_table(layout, symbols, mapping);
    for section in elf.sections() {
        let Some(&start) = layout.sections.get(&section.index()) else { continue };
        for (offset, relocation) in section.relocations() {
            let fail = |problem: String| LoadError::Relocation {
                kind: kind_of(&relocation),
                offset,
                section: section_name(&section),
                problem,
            };
            let place =
                RelocationSite { section_start: start, section_size: section.size(), offset };
            apply_one(elf, layout, symbols, mapping, &place, &relocation).map_err(fail)?;
        }
    }
    Ok(())
}

/// Writes each slot: the symbol's address in the table, and a jump to that address in the code.
fn write_table(layout: &Layout, symbols: &Symbols, mapping: &mut Mapping) {
    for (symbol, &slot) in &layout.slots {
        let address = symbols.addresses.get(symbol).copied().unwrap_or(0);
        let entry = layout.table + slot * 8;
        let stub = layout.stubs + slot * STUB_BYTES;
        // The offset is relative to the end of the jump, which has six bytes.
        let distance = (entry - (stub + 6)) as u32;
        let bytes = mapping.bytes();
        bytes[entry as usize..][..8].copy_from_slice(&address.to_le_bytes());
        let jump = &mut bytes[stub as usize..][..STUB_BYTES as usize];
        jump[..2].copy_from_slice(&[0xff, 0x25]);
        jump[2..6].copy_from_slice(&distance.to_le_bytes());
        jump[6..].copy_from_slice(&[0xcc, 0xcc]);
    }
}

struct RelocationSite {
    section_start: u64,
    section_size: u64,
    offset: u64,
}

fn apply_one(
    elf: &Elf<'_>,
    layout: &Layout,
    symbols: &Symbols,
    mapping: &mut Mapping,
    place: &RelocationSite,
    relocation: &Relocation,
) -> Result<(), String> {
    let kind = kind_of(relocation);
    let width: u64 = match kind {
        elf::R_X86_64_NONE => return Ok(()),
        elf::R_X86_64_64 | elf::R_X86_64_PC64 | elf::R_X86_64_GOTPCREL64 => 8,
        elf::R_X86_64_PC32
        | elf::R_X86_64_PLT32
        | elf::R_X86_64_32
        | elf::R_X86_64_32S
        | elf::R_X86_64_GOTPCREL
        | elf::R_X86_64_GOTPCRELX
        | elf::R_X86_64_REX_GOTPCRELX => 4,
        _ => return Err("has a type that position-independent device code cannot use".into()),
    };
    if place.offset.checked_add(width).is_none_or(|end| end > place.section_size) {
        return Err(format!("lies outside the section of {} bytes", place.section_size));
    }
    let base = mapping.address() as u64;
    let at = place.section_start + place.offset;
    let here = base + at;
    let (symbol, value) = target(elf, symbols, base, layout, relocation)?;
    let addend = relocation.addend() as u64;
    let mut target = value.wrapping_add(addend);
    if uses_table(relocation) {
        let slot = symbol.and_then(|symbol| layout.slots.get(&symbol)).ok_or("has no symbol")?;
        target = (base + layout.table + slot * 8).wrapping_add(addend);
    }
    let relative = target.wrapping_sub(here);
    let result = match kind {
        elf::R_X86_64_64 => target,
        elf::R_X86_64_32 if target <= u64::from(u32::MAX) => target,
        elf::R_X86_64_32S if fits_i32(target) => target,
        elf::R_X86_64_32 | elf::R_X86_64_32S => {
            return Err(
                "needs an address below 2 GiB because the code is not position independent".into(),
            );
        }
        elf::R_X86_64_PC64 | elf::R_X86_64_GOTPCREL64 => relative,
        _ if fits_i32(relative) => relative,
        elf::R_X86_64_PLT32 | elf::R_X86_64_PC32 => {
            far_call(layout, mapping, symbol, kind, at, base, addend)?.wrapping_sub(here)
        }
        _ => return Err("cannot reach its target".into()),
    };
    mapping.bytes()[at as usize..][..width as usize]
        .copy_from_slice(&result.to_le_bytes()[..width as usize]);
    Ok(())
}

fn fits_i32(value: u64) -> bool {
    i32::try_from(value as i64).is_ok()
}

/// Returns the symbol that a relocation refers to, and its address.
fn target(
    elf: &Elf<'_>,
    symbols: &Symbols,
    base: u64,
    layout: &Layout,
    relocation: &Relocation,
) -> Result<(Option<SymbolIndex>, u64), String> {
    match relocation.target() {
        RelocationTarget::Symbol(index) => {
            let address = symbols.addresses.get(&index).copied().ok_or_else(|| {
                let name =
                    elf.symbol_by_index(index).ok().and_then(|s| s.name().ok().map(str::to_owned));
                format!(
                    "refers to '{}', which is not part of the program",
                    name.unwrap_or_default()
                )
            })?;
            Ok((Some(index), address))
        }
        RelocationTarget::Section(index) => {
            let start =
                layout.sections.get(&index).ok_or("refers to a section that is not loaded")?;
            Ok((None, base + start))
        }
        RelocationTarget::Absolute => Ok((None, 0)),
        _ => Err("has an unknown kind of target".into()),
    }
}

/// Returns the destination of a call whose target is too far away: the symbol's stub.
fn far_call(
    layout: &Layout,
    mapping: &mut Mapping,
    symbol: Option<SymbolIndex>,
    kind: u32,
    at: u64,
    base: u64,
    addend: u64,
) -> Result<u64, String> {
    let slot =
        symbol.and_then(|symbol| layout.slots.get(&symbol)).ok_or("cannot reach its target")?;
    // A plain 32-bit offset may also refer to data, for which a stub would be wrong. Only calls and
    // jumps may use stubs.
    let opcode = at.checked_sub(1).and_then(|before| mapping.bytes().get(before as usize).copied());
    if kind == elf::R_X86_64_PC32 && !matches!(opcode, Some(0xe8 | 0xe9)) {
        return Err("refers to data of another library without the global offset table".into());
    }
    Ok((base + layout.stubs + slot * STUB_BYTES).wrapping_add(addend))
}
