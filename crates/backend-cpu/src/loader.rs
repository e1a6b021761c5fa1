//! Loads x86-64 ELF relocatable objects into this process: objects of the run-time compiler, and
//! objects that were compiled ahead of time, which may refer to each other's symbols.
//!
//! Each object has one mapping with code, then constants, then data. Each part starts at a page
//! boundary, and all parts reach each other with 32-bit offsets. Functions outside of the mapping
//! are called through stubs; their addresses are in a table beside the constants. After loading,
//! code is executable and not writable, and constants are read-only.
//!
//! The input may be any bytes. Invalid objects are rejected with a reason and never loaded in part.

mod mapping;
mod relocate;
mod resolve;
mod stacks;

use std::collections::HashMap;

use object::read::elf::{ElfFile64, FileHeader as _};
use object::{
    Endianness, Object, ObjectKind, ObjectSection, ObjectSymbol, SectionFlags, SectionIndex,
    SectionKind, SymbolIndex, SymbolSection, elf,
};

use scythe_trace::perf;

use crate::debugger::{self, Registration};
use crate::fault::{self, CodeRange};
use mapping::{Mapping, PAGE};
pub(crate) use resolve::system_symbol;
use stacks::Stacks;

pub(crate) type Elf<'data> = ElfFile64<'data, Endianness>;

/// The maximum size of an object. No program is that large, but sizes in a damaged object are.
const MAX_BYTES: u64 = 1 << 30;
/// The size of a stub: `jmp *offset(%rip)` and two bytes of padding.
const STUB_BYTES: u64 = 8;

/// The section of unwind tables, and the size of the zeroes that end it in memory.
pub(crate) const UNWIND_TABLE: &str = ".eh_frame";
const UNWIND_TABLE_END: u64 = 8;

/// The reason why an object was not loaded.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LoadError {
    #[error("not an ELF object: {0}")]
    Parse(#[from] object::Error),
    #[error("expected a relocatable object for x86-64, found {0}")]
    WrongKind(String),
    #[error("section '{section}' {problem}")]
    Section { section: String, problem: String },
    #[error("symbol '{symbol}' {problem}")]
    Symbol { symbol: String, problem: String },
    #[error(
        "undefined symbol '{0}' in device code: neither a device image nor the C library defines it"
    )]
    Undefined(String),
    #[error("relocation {kind} at offset {offset:#x} of section '{section}' {problem}")]
    Relocation { kind: u32, offset: u64, section: String, problem: String },
    #[error("the object needs {0} bytes; at most {MAX_BYTES} can be loaded")]
    TooLarge(u64),
    #[error("cannot map memory for code: {0}")]
    Map(std::io::Error),
}

/// Code and data in this process. They are unloaded on drop.
pub(crate) struct LoadedObject {
    /// Dropped first: debuggers and signal handlers must not look at memory that is unmapped.
    _shown: Vec<(CodeRange, Option<Registration>)>,
    _mappings: Vec<Mapping>,
    functions: HashMap<String, usize>,
    stacks: Stacks,
}

impl LoadedObject {
    /// Loads objects that may refer to each other. `resolve` looks up names that none of them
    /// defines. If several objects define a name, an object uses its own definition if it has one,
    /// otherwise that of the first object.
    pub(crate) fn link(
        objects: &[&[u8]],
        resolve: &dyn Fn(&str) -> Option<usize>,
    ) -> Result<Self, LoadError> {
        let mut placed =
            objects.iter().map(|bytes| Placed::new(bytes)).collect::<Result<Vec<_>, _>>()?;
        // A single object cannot refer to another object.
        let mut defined = HashMap::new();
        if let [_, _, ..] = &placed[..] {
            for object in &placed {
                for (name, address) in object.definitions() {
                    defined.entry(name).or_insert(address);
                }
            }
        }
        let find = |name: &str| defined.get(name).copied().or_else(|| resolve(name));
        let mut functions = None;
        for object in &mut placed {
            let symbols = Symbols::resolve(
                &object.elf,
                &object.layout,
                object.mapping.address() as u64,
                &find,
            )?;
            relocate::apply(&object.elf, &object.layout, &symbols, &mut object.mapping)?;
            functions.get_or_insert_with(|| functions_of(&object.elf, &object.layout, &symbols));
            let (constants, data) = (object.layout.constants as usize, object.layout.data as usize);
            object.mapping.protect(constants, data).map_err(LoadError::Map)?;
        }
        for object in &placed {
            object.tell_profilers();
        }
        fault::watch();
        let shown = objects.iter().zip(&placed).map(|(bytes, object)| object.show(bytes)).collect();
        let mappings = placed.into_iter().map(|object| object.mapping).collect();
        let functions = functions.unwrap_or_default();
        Ok(Self { _shown: shown, _mappings: mappings, functions, stacks: Stacks::of(objects) })
    }

    /// Returns the number of bytes of stack that a function of the first object needs, as far as
    /// its compiler told.
    pub(crate) fn stack_bytes(&self, name: &str) -> usize {
        self.stacks.bytes(name)
    }

    /// Returns the address of a function that the first object defines.
    pub(crate) fn function(&self, name: &str) -> Option<*const u8> {
        self.functions.get(name).map(|&address| address as *const u8)
    }
}

/// An object whose sections are at their final addresses, but whose relocations are not applied
/// yet.
struct Placed<'data> {
    elf: Elf<'data>,
    layout: Layout,
    mapping: Mapping,
}

impl<'data> Placed<'data> {
    fn new(bytes: &'data [u8]) -> Result<Self, LoadError> {
        let elf = Elf::parse(bytes)?;
        check_header(&elf)?;
        let layout = Layout::plan(&elf)?;
        let mut mapping = Mapping::new(layout.total as usize).map_err(LoadError::Map)?;
        copy_sections(&elf, &layout, &mut mapping)?;
        Ok(Self { elf, layout, mapping })
    }

    /// Shows the object, whose contents `bytes` are, to debuggers and to reports about faults.
    fn show(&self, bytes: &[u8]) -> (CodeRange, Option<Registration>) {
        let base = self.mapping.address();
        let registration = debugger::register(bytes, &self.elf, &|section| {
            self.layout.sections.get(&section).map(|start| base as u64 + start)
        });
        let range = base..base + self.layout.constants as usize;
        let image = registration.as_ref().map(Registration::image);
        (CodeRange::new(fault::Loaded { range, image }), registration)
    }

    /// Returns the names that other objects may use, with their addresses.
    fn definitions(&self) -> impl Iterator<Item = (String, usize)> + '_ {
        self.elf.symbols().filter(|symbol| symbol.is_global()).filter_map(|symbol| {
            let SymbolSection::Section(index) = symbol.section() else { return None };
            let section = self.elf.section_by_index(index).ok()?;
            let inside = symbol.address() < section.size();
            let start = self.layout.sections.get(&index).filter(|_| inside)?;
            Some((
                symbol.name().ok()?.to_owned(),
                self.mapping.address() + (start + symbol.address()) as usize,
            ))
        })
    }
}

impl Placed<'_> {
    /// Tells profilers the names of the functions, if the user asks for it.
    fn tell_profilers(&self) {
        if !perf::is_on() {
            return;
        }
        let functions: Vec<(String, usize, usize)> = self
            .elf
            .symbols()
            .filter_map(|symbol| {
                let SymbolSection::Section(index) = symbol.section() else { return None };
                let section = self.elf.section_by_index(index).ok()?;
                let end = symbol.address().checked_add(symbol.size())?;
                let inside = symbol.size() > 0 && end <= section.size();
                let start = self.layout.sections.get(&index).filter(|_| inside)?;
                (class_of(&section) == Some(Class::Code)).then_some(())?;
                let address = self.mapping.address() + (start + symbol.address()) as usize;
                Some((symbol.name().ok()?.to_owned(), address, symbol.size() as usize))
            })
            .collect();
        let functions: Vec<_> = functions
            .iter()
            .map(|(symbol, address, size)| perf::Function {
                symbol,
                address: *address,
                size: *size,
            })
            .collect();
        let (code, spare) = (self.mapping.address(), perf::spare_bytes());
        let object = perf::Object {
            code,
            size: self.layout.constants as usize,
            spare: (spare > 0).then(|| code + self.layout.total as usize - spare),
            functions: &functions,
        };
        // SAFETY: the object is loaded, its mapping begins with its code, and the layout leaves the
        // spare page free.
        unsafe { perf::loaded(&object) };
    }
}

fn check_header(elf: &Elf<'_>) -> Result<(), LoadError> {
    let header = elf.elf_header();
    let machine = header.e_machine(elf.endian());
    if elf.kind() == ObjectKind::Relocatable && machine == elf::EM_X86_64 && elf.is_little_endian()
    {
        return Ok(());
    }
    let order = if elf.is_little_endian() { "little" } else { "big" };
    Err(LoadError::WrongKind(format!(
        "an ELF file of kind {:?}, machine {machine}, {order}-endian",
        elf.kind()
    )))
}

/// The layout of the mapping, as offsets: code and stubs first, then from `constants` the constants
/// and the address table, then from `data` the writable sections.
struct Layout {
    sections: HashMap<SectionIndex, u64>,
    /// The offset of the stub and the table slot of each symbol that a relocation may reach through
    /// the table.
    slots: HashMap<SymbolIndex, u64>,
    stubs: u64,
    table: u64,
    constants: u64,
    data: u64,
    /// The common symbols, which have a size but no section.
    common: HashMap<SymbolIndex, u64>,
    total: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Code,
    Constant,
    Data,
}

/// Returns the class of a section, or `None` if the running program does not use the section.
fn class_of<'data>(section: &impl ObjectSection<'data>) -> Option<Class> {
    let SectionFlags::Elf { sh_flags } = section.flags() else { return None };
    let has = |flag: u32| sh_flags & u64::from(flag) != 0;
    if !has(elf::SHF_ALLOC) || section.size() == 0 {
        None
    } else if has(elf::SHF_EXECINSTR) {
        Some(Class::Code)
    } else if has(elf::SHF_WRITE) {
        Some(Class::Data)
    } else {
        Some(Class::Constant)
    }
}

/// Assigns consecutive offsets.
struct Cursor(u64);

impl Cursor {
    fn place(&mut self, size: u64, align: u64) -> Result<u64, LoadError> {
        let start = self.0.next_multiple_of(align.max(1));
        match start.checked_add(size) {
            Some(end) if end <= MAX_BYTES => {
                self.0 = end;
                Ok(start)
            }
            end => Err(LoadError::TooLarge(end.unwrap_or(u64::MAX))),
        }
    }
}

impl Layout {
    fn plan(elf: &Elf<'_>) -> Result<Self, LoadError> {
        let mut cursor = Cursor(0);
        let mut sections = HashMap::new();
        let slots = table_slots(elf)?;
        let slot_bytes = slots.len() as u64 * 8;
        place_sections(elf, Class::Code, &mut cursor, &mut sections)?;
        let stubs = cursor.place(slots.len() as u64 * STUB_BYTES, STUB_BYTES)?;
        let constants = cursor.place(0, PAGE)?;
        let table = cursor.place(slot_bytes, 8)?;
        place_sections(elf, Class::Constant, &mut cursor, &mut sections)?;
        let data = cursor.place(0, PAGE)?;
        place_sections(elf, Class::Data, &mut cursor, &mut sections)?;
        let mut common = HashMap::new();
        for symbol in elf.symbols().filter(|s| s.section() == SymbolSection::Common) {
            // For a common symbol, the address field contains the alignment.
            let align = symbol.address();
            if !align.is_power_of_two() || align > PAGE {
                let problem = format!("is a common symbol with the invalid alignment {align}");
                return Err(LoadError::Symbol { symbol: name_of(&symbol), problem });
            }
            common.insert(symbol.index(), cursor.place(symbol.size(), align)?);
        }
        let total = cursor.place(0, PAGE)?.max(PAGE) + perf::spare_bytes() as u64;
        Ok(Self { sections, slots, stubs, table, constants, data, common, total })
    }
}

fn place_sections(
    elf: &Elf<'_>,
    class: Class,
    cursor: &mut Cursor,
    sections: &mut HashMap<SectionIndex, u64>,
) -> Result<(), LoadError> {
    for section in elf.sections().filter(|s| class_of(s) == Some(class)) {
        let fail =
            |problem: String| LoadError::Section { section: section_name(&section), problem };
        let align = section.align().max(1);
        if !align.is_power_of_two() || align > PAGE {
            return Err(fail(format!(
                "has alignment {align}; expected a power of two up to {PAGE}"
            )));
        }
        if section.name().is_ok_and(|n| n.starts_with(".init_array") || n.starts_with(".ctors")) {
            return Err(fail("contains initialisers, which device code cannot have".into()));
        }
        let end = if section.name() == Ok(UNWIND_TABLE) { UNWIND_TABLE_END } else { 0 };
        sections.insert(section.index(), cursor.place(section.size().saturating_add(end), align)?);
    }
    Ok(())
}

/// Returns one slot for each symbol that some relocation reaches through the address table or by a
/// far call.
fn table_slots(elf: &Elf<'_>) -> Result<HashMap<SymbolIndex, u64>, LoadError> {
    let mut slots = HashMap::new();
    for section in elf.sections().filter(|s| class_of(s).is_some()) {
        for (_, relocation) in section.relocations() {
            let object::RelocationTarget::Symbol(index) = relocation.target() else { continue };
            let outside = elf.symbol_by_index(index)?.is_undefined();
            if outside || relocate::uses_table(&relocation) {
                let next = slots.len() as u64;
                slots.entry(index).or_insert(next);
            }
        }
    }
    Ok(slots)
}

fn copy_sections(elf: &Elf<'_>, layout: &Layout, mapping: &mut Mapping) -> Result<(), LoadError> {
    for section in elf.sections() {
        let Some(&start) = layout.sections.get(&section.index()) else { continue };
        if matches!(section.kind(), SectionKind::UninitializedData | SectionKind::UninitializedTls)
        {
            continue;
        }
        let data = section.data()?;
        let room =
            mapping.bytes().get_mut(start as usize..).and_then(|rest| rest.get_mut(..data.len()));
        match room {
            Some(room) if data.len() as u64 <= section.size() => room.copy_from_slice(data),
            _ => {
                let problem = format!(
                    "contains {} bytes, but its header says {}",
                    data.len(),
                    section.size()
                );
                return Err(LoadError::Section { section: section_name(&section), problem });
            }
        }
    }
    Ok(())
}

/// The addresses of all symbols that relocations refer to.
struct Symbols {
    addresses: HashMap<SymbolIndex, u64>,
}

impl Symbols {
    fn resolve(
        elf: &Elf<'_>,
        layout: &Layout,
        base: u64,
        resolve: &dyn Fn(&str) -> Option<usize>,
    ) -> Result<Self, LoadError> {
        let mut addresses = HashMap::new();
        for symbol in elf.symbols() {
            let address = match symbol.section() {
                SymbolSection::Section(index) => {
                    let Some(&start) = layout.sections.get(&index) else { continue };
                    base.wrapping_add(start).wrapping_add(symbol.address())
                }
                SymbolSection::Absolute => symbol.address(),
                SymbolSection::Common => match layout.common.get(&symbol.index()) {
                    Some(&start) => base + start,
                    None => continue,
                },
                // Undefined symbols without references may stay undefined.
                SymbolSection::Undefined if layout.slots.contains_key(&symbol.index()) => {
                    let name = name_of(&symbol);
                    match resolve(&name) {
                        Some(address) => address as u64,
                        None if symbol.is_weak() => 0,
                        None => return Err(LoadError::Undefined(name)),
                    }
                }
                _ => continue,
            };
            addresses.insert(symbol.index(), address);
        }
        Ok(Self { addresses })
    }
}

/// Returns the named functions in code, with their addresses.
fn functions_of(elf: &Elf<'_>, layout: &Layout, symbols: &Symbols) -> HashMap<String, usize> {
    let mut functions = HashMap::new();
    for symbol in elf.symbols().filter(|s| s.is_global()) {
        let SymbolSection::Section(index) = symbol.section() else { continue };
        let Ok(section) = elf.section_by_index(index) else { continue };
        let inside = class_of(&section) == Some(Class::Code) && symbol.address() < section.size();
        if let (true, true, Some(&address), Ok(name)) = (
            inside,
            layout.sections.contains_key(&index),
            symbols.addresses.get(&symbol.index()),
            symbol.name(),
        ) {
            functions.insert(name.to_owned(), address as usize);
        }
    }
    functions
}

fn name_of<'data>(symbol: &impl ObjectSymbol<'data>) -> String {
    symbol.name().map_or_else(|_| format!("number {}", symbol.index().0), str::to_owned)
}

fn section_name<'data>(section: &impl ObjectSection<'data>) -> String {
    section.name().map_or_else(|_| format!("number {}", section.index().0), str::to_owned)
}

#[cfg(test)]
mod tests;
