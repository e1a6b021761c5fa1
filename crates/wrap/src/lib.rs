//! Wraps device images in a host object. The object, linked into a program or shared library,
//! registers the images with the runtime when the program or library is loaded, and unregisters
//! them when it is unloaded.
//!
//! The object contains
//!
//! * `.sycl_offloading.descriptor`, a `scythe_abi::tgt::BinDesc`, and the array of images that it
//!   points to;
//! * the functions `.sycl_offloading.descriptor_reg` and `.sycl_offloading.descriptor_unreg`, which
//!   pass the descriptor to the runtime's functions;
//! * entries in `.init_array` and `.fini_array` with a priority before the program's own
//!   constructors and after its own destructors, so that static objects may submit kernels;
//! * the images, in a separate section that keeps its name in the linked file.
//!
//! All symbols are local, so any number of such objects may be linked together. All code is
//! position independent, and all pointers are in sections that the dynamic linker may write before
//! it protects them.

#![forbid(unsafe_code)]

mod machine;
mod source_lines;

pub use machine::Machine;
pub use source_lines::{SourceFile, SourceLines};

use machine::{Fixup, Forwarder, Referent};
use object::write::{
    Object, Relocation, SectionId, StandardSection, Symbol, SymbolId, SymbolSection,
};
use object::{
    BinaryFormat, Endianness, RelocationFlags, SectionFlags, SectionKind, SymbolFlags, SymbolKind,
    SymbolScope, elf,
};
use scythe_abi::tgt;
use scythe_image::Image;

pub const DESCRIPTOR: &str = ".sycl_offloading.descriptor";
pub const DESCRIPTOR_REG: &str = ".sycl_offloading.descriptor_reg";
pub const DESCRIPTOR_UNREG: &str = ".sycl_offloading.descriptor_unreg";
pub const DEVICE_IMAGES: &str = ".sycl_offloading.device_images";
/// The section with the images' bytes.
pub const IMAGE_SECTION: &str = scythe_abi::names::IMAGE_SECTION;

/// The priority of the registration. Constructor priorities up to 100 are reserved for the
/// implementation; those of programs start at 101.
const PRIORITY: u16 = 100;
const IMAGE_ALIGNMENT: u64 = 16;
const POINTER_SIZE: u64 = 8;
const IMAGE_ROW_SIZE: u64 = 2 * POINTER_SIZE;
const DESCRIPTOR_SIZE: u64 = 2 * POINTER_SIZE;

// The sizes must match the types that the runtime reads.
const _: () = assert!(size_of::<tgt::BinDesc>() as u64 == DESCRIPTOR_SIZE);
const _: () = assert!(size_of::<tgt::DeviceImage>() as u64 == IMAGE_ROW_SIZE);

/// The host machine, and the functions of the runtime to call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    pub machine: Machine,
    /// The function to call at load, with the descriptor's address.
    pub register: String,
    /// The function to call at unload, with the descriptor's address.
    pub unregister: String,
    /// Whether to compress the images' code.
    pub compress: bool,
    /// The lines of device code that debuggers should know before the code is loaded.
    pub source_lines: SourceLines,
}

impl Options {
    /// Uses the functions of the specification: `__tgt_register_lib` and `__tgt_unregister_lib`.
    pub fn new(machine: Machine) -> Self {
        Self {
            machine,
            register: "__tgt_register_lib".into(),
            unregister: "__tgt_unregister_lib".into(),
            compress: false,
            source_lines: SourceLines::default(),
        }
    }
}

/// The reason why images cannot be wrapped.
#[derive(Debug, thiserror::Error)]
pub enum WrapError {
    #[error("cannot wrap {0} device images, expected at most 2147483647")]
    TooManyImages(usize),
    #[error("'{0}' cannot be the name of a function: it is empty or contains a NUL character")]
    BadFunctionName(String),
    #[error("cannot write the object: {0}")]
    Write(#[from] object::write::Error),
}

/// Returns the object's bytes. The images keep their order.
pub fn wrap(images: &[Image], options: &Options) -> Result<Vec<u8>, WrapError> {
    let count = i32::try_from(images.len()).map_err(|_| WrapError::TooManyImages(images.len()))?;
    for name in [&options.register, &options.unregister] {
        if name.is_empty() || name.contains('\0') {
            return Err(WrapError::BadFunctionName(name.clone()));
        }
    }
    let mut wrapper = Wrapper::new(options.machine);
    let rows = wrapper.add_images(images, options.compress)?;
    let descriptor = wrapper.add_descriptor(count, rows)?;
    let reg = wrapper.add_function(DESCRIPTOR_REG, descriptor, &options.register)?;
    let unreg = wrapper.add_function(DESCRIPTOR_UNREG, descriptor, &options.unregister)?;
    wrapper.run_at("init_array", elf::SHT_INIT_ARRAY, reg)?;
    wrapper.run_at("fini_array", elf::SHT_FINI_ARRAY, unreg)?;
    wrapper.add_source_lines(&options.source_lines)?;
    wrapper.add_notes();
    Ok(wrapper.object.write()?)
}

struct Wrapper {
    object: Object<'static>,
    machine: Machine,
}

impl Wrapper {
    fn new(machine: Machine) -> Self {
        let object = Object::new(BinaryFormat::Elf, machine.architecture(), Endianness::Little);
        Self { object, machine }
    }

    fn section(&mut self, name: &str, sh_type: u32, sh_flags: u32) -> SectionId {
        let id = self.object.add_section(Vec::new(), name.into(), SectionKind::Elf(sh_type));
        self.object.section_mut(id).flags = SectionFlags::Elf { sh_flags: sh_flags.into() };
        id
    }

    /// Adds a symbol that is local to the object.
    fn local(
        &mut self,
        name: &str,
        kind: SymbolKind,
        section: SectionId,
        value: u64,
        size: u64,
    ) -> SymbolId {
        self.object.add_symbol(Symbol {
            name: name.into(),
            value,
            size,
            kind,
            scope: SymbolScope::Compilation,
            weak: false,
            section: SymbolSection::Section(section),
            flags: SymbolFlags::None,
        })
    }

    /// Adds an undefined symbol for a function of the runtime.
    fn undefined(&mut self, name: &str) -> SymbolId {
        if let Some(known) = self.object.symbol_id(name.as_bytes()) {
            return known;
        }
        self.object.add_symbol(Symbol {
            name: name.into(),
            value: 0,
            size: 0,
            kind: SymbolKind::Unknown,
            scope: SymbolScope::Unknown,
            weak: false,
            section: SymbolSection::Undefined,
            flags: SymbolFlags::None,
        })
    }

    /// Adds a pointer at `offset` of `section` to the address of `symbol` plus `addend`.
    fn pointer(
        &mut self,
        section: SectionId,
        offset: u64,
        symbol: SymbolId,
        addend: u64,
    ) -> Result<(), WrapError> {
        let flags = RelocationFlags::Elf { r_type: self.machine.absolute_pointer() };
        self.object
            .add_relocation(section, Relocation { offset, symbol, addend: addend as i64, flags })?;
        Ok(())
    }

    /// Adds the images, and the array of their start and end addresses. Returns `None` if there are
    /// no images.
    fn add_images(
        &mut self,
        images: &[Image],
        compress: bool,
    ) -> Result<Option<SymbolId>, WrapError> {
        if images.is_empty() {
            return Ok(None);
        }
        let section = self.section(IMAGE_SECTION, elf::SHT_PROGBITS, elf::SHF_ALLOC);
        let base = self.object.section_symbol(section);
        let data = self.object.section_id(StandardSection::ReadOnlyDataWithRel);
        let size = IMAGE_ROW_SIZE * images.len() as u64;
        let rows = self.object.append_section_data(data, &vec![0; size as usize], POINTER_SIZE);
        for (row, image) in (rows..).step_by(IMAGE_ROW_SIZE as usize).zip(images) {
            let bytes = if compress { image.to_compressed_bytes() } else { image.to_bytes() };
            let start = self.object.append_section_data(section, &bytes, IMAGE_ALIGNMENT);
            self.pointer(data, row, base, start)?;
            self.pointer(data, row + POINTER_SIZE, base, start + bytes.len() as u64)?;
        }
        Ok(Some(self.local(DEVICE_IMAGES, SymbolKind::Data, data, rows, size)))
    }

    fn add_descriptor(
        &mut self,
        count: i32,
        rows: Option<SymbolId>,
    ) -> Result<SymbolId, WrapError> {
        let data = self.object.section_id(StandardSection::ReadOnlyDataWithRel);
        let mut bytes = [0; DESCRIPTOR_SIZE as usize];
        bytes[..4].copy_from_slice(&count.to_le_bytes());
        let at = self.object.append_section_data(data, &bytes, POINTER_SIZE);
        if let Some(rows) = rows {
            self.pointer(data, at + POINTER_SIZE, rows, 0)?;
        }
        Ok(self.local(DESCRIPTOR, SymbolKind::Data, data, at, DESCRIPTOR_SIZE))
    }

    fn add_function(
        &mut self,
        name: &str,
        descriptor: SymbolId,
        callee: &str,
    ) -> Result<SymbolId, WrapError> {
        let Forwarder { code, fixups } = self.machine.forwarder();
        let text = self.object.section_id(StandardSection::Text);
        let at = self.object.append_section_data(text, code, 16);
        let callee = self.undefined(callee);
        for &Fixup { offset, referent, r_type, addend } in fixups {
            let symbol = match referent {
                Referent::Descriptor => descriptor,
                Referent::Callee => callee,
            };
            let flags = RelocationFlags::Elf { r_type };
            self.object
                .add_relocation(text, Relocation { offset: at + offset, symbol, addend, flags })?;
        }
        Ok(self.local(name, SymbolKind::Text, text, at, code.len() as u64))
    }

    /// Makes `function` run at load or unload. Linkers order these sections by the number in their
    /// name.
    fn run_at(&mut self, array: &str, sh_type: u32, function: SymbolId) -> Result<(), WrapError> {
        let section = self.section(
            &format!(".{array}.{PRIORITY:05}"),
            sh_type,
            elf::SHF_ALLOC | elf::SHF_WRITE,
        );
        self.object.append_section_data(section, &[0; POINTER_SIZE as usize], POINTER_SIZE);
        self.pointer(section, 0, function, 0)
    }

    /// Adds the notes that the stack need not be executable and that branch protection may stay on.
    fn add_notes(&mut self) {
        self.section(".note.GNU-stack", elf::SHT_PROGBITS, 0);
        let (kind, value) = self.machine.branch_protection();
        let mut note = Vec::new();
        for word in
            [4, 16, elf::NT_GNU_PROPERTY_TYPE_0, u32::from_le_bytes(*b"GNU\0"), kind, 4, value, 0]
        {
            note.extend(word.to_le_bytes());
        }
        let section = self.section(".note.gnu.property", elf::SHT_NOTE, elf::SHF_ALLOC);
        self.object.append_section_data(section, &note, 8);
    }
}
