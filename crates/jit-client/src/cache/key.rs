//! The key of an entry: a BLAKE3 hash of everything that the compiled code depends on. Computing it
//! does not load LLVM. The hash covers
//!
//! * the request: the device bitcode, the bitcode that it is linked with, the optimisation level,
//!   the device's aspects if the code queries them, and the kind of output;
//! * the processor: its model, and all feature bits from which LLVM derives name and features;
//! * Scythe's version, the version of the run-time compiler's C interface, and the compiler's file:
//!   size, time of last change, and first page, where linkers put the build identifier;
//! * the bitcode of the device library.
//!
//! LLVM is not part of the key, because only the dynamic loader knows its file. Each entry contains
//! the identity of its LLVM instead (`entry`).

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use scythe_cuda_toolkit::{Toolkit, libraries_identity};
use scythe_hal::{CompileRequest, Output};

/// The hash. Entries contain it, and its hexadecimal digits are the name of the entry's file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key(pub(super) [u8; Key::BYTES]);

impl Key {
    pub(super) const BYTES: usize = 32;

    /// Returns the key of a result that these fields determine.
    pub(crate) fn of_fields(purpose: &str, list: &[&[u8]]) -> Self {
        let mut fields = Fields::new(purpose);
        fields.add_list(list.iter().copied());
        Self(fields.finish())
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A hash of everything that all builds of a process share: compiler, device library and processor.
#[derive(Clone, Copy)]
pub(crate) struct Toolchain([u8; Key::BYTES]);

impl Toolchain {
    /// Computes the hash. `library` is the file of the run-time compiler. The folder
    /// `device_lib_dir` of the device library need not exist.
    pub(crate) fn identify(library: &Path, device_lib_dir: &Path) -> io::Result<Self> {
        let mut fields = Fields::new("scythe run-time compiler");
        fields.add(env!("CARGO_PKG_VERSION").as_bytes());
        fields.add(&scythe_abi::jit::VERSION.to_le_bytes());
        add_library(&mut fields, library)?;
        add_device_library(&mut fields, device_lib_dir)?;
        add_processor(&mut fields);
        Ok(Self(fields.finish()))
    }

    pub(crate) fn key(&self, request: &CompileRequest<'_>) -> Key {
        let mut fields = Fields::new("scythe device code");
        fields.add(&self.0);
        fields.add(request.bitcode);
        fields.add_list(request.libraries.iter().copied());
        fields.add(&request.opt_level.to_le_bytes());
        let aspects: Vec<u8> =
            request.aspects.iter().flat_map(|aspect| aspect.to_le_bytes()).collect();
        fields.add(&aspects);
        match request.output {
            Output::CpuObject { scalar, checks, kernel } => {
                fields.add(b"cpu object");
                fields.add(&[u8::from(scalar)]);
                fields.add(&checks.0.to_le_bytes());
                fields.add_list(kernel.iter().map(|part| part.kernel.as_bytes()));
                let sizes = kernel.and_then(|part| part.local_size).unwrap_or_default();
                sizes.iter().for_each(|size| fields.add(&size.to_le_bytes()));
            }
            Output::SpirV { version, extensions, kernel } => {
                fields.add(b"spir-v");
                fields.add(&version.to_le_bytes());
                fields.add_list(extensions.iter().map(String::as_bytes));
                fields.add_list(kernel.iter().map(|kernel| kernel.as_bytes()));
            }
            Output::Ptx { sm, driver, kernel } => {
                fields.add(b"ptx");
                fields.add(&sm.to_le_bytes());
                fields.add(&driver.to_le_bytes());
                fields.add_list(kernel.iter().map(|kernel| kernel.as_bytes()));
                // The maths library belongs to the machine, and may change between two runs.
                fields.add(libraries_identity(&Toolkit::find()).as_bytes());
            }
            Output::Bitcode { constants } => {
                fields.add(b"bitcode");
                fields.add_list(
                    constants
                        .iter()
                        .flat_map(|(symbol, value)| [symbol.as_bytes(), value.as_slice()]),
                );
            }
        }
        Key(fields.finish())
    }
}

/// A hash of fields. Each field is preceded by its length, so that different lists are different
/// bytes.
struct Fields(blake3::Hasher);

impl Fields {
    fn new(purpose: &str) -> Self {
        let mut fields = Self(blake3::Hasher::new());
        fields.add(purpose.as_bytes());
        fields
    }

    fn add(&mut self, bytes: &[u8]) {
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    /// Adds the number of fields, then each of them.
    fn add_list<'a>(&mut self, list: impl Iterator<Item = &'a [u8]>) {
        let list: Vec<&[u8]> = list.collect();
        self.add(&(list.len() as u64).to_le_bytes());
        list.iter().for_each(|bytes| self.add(bytes));
    }

    fn finish(self) -> [u8; Key::BYTES] {
        *self.0.finalize().as_bytes()
    }
}

fn add_library(fields: &mut Fields, library: &Path) -> io::Result<()> {
    const PAGE: u64 = 4096;
    let file = File::open(library)?;
    let metadata = file.metadata()?;
    for number in [metadata.size(), metadata.mtime() as u64, metadata.mtime_nsec() as u64] {
        fields.add(&number.to_le_bytes());
    }
    let mut page = Vec::with_capacity(PAGE as usize);
    file.take(PAGE).read_to_end(&mut page)?;
    fields.add(&page);
    Ok(())
}

/// Adds names and contents of all bitcode files in the folder. Only the compiler knows which of
/// them a kernel needs.
fn add_device_library(fields: &mut Fields, folder: &Path) -> io::Result<()> {
    let mut files = match std::fs::read_dir(folder) {
        Ok(list) => list.map(|entry| entry.map(|e| e.path())).collect::<io::Result<Vec<_>>>()?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error),
    };
    files.retain(|file| file.extension().is_some_and(|extension| extension == "bc"));
    files.sort();
    fields.add(&(files.len() as u64).to_le_bytes());
    for file in files {
        fields.add(file.file_name().unwrap_or_default().as_encoded_bytes());
        fields.add(&std::fs::read(&file)?);
    }
    Ok(())
}

/// Adds the registers of the CPUID leaves that determine the processor's name and features. Fields
/// that differ between the cores of one processor are left out, such as the number of the core in
/// EBX of leaf 1.
#[cfg(target_arch = "x86_64")]
fn add_processor(fields: &mut Fields) {
    use std::arch::x86_64::{__cpuid, __cpuid_count, CpuidResult};

    const EXTENDED: u32 = 0x8000_0000;
    const OS_SAVES_STATE: u32 = 1 << 27;
    type Registers = fn(CpuidResult) -> [u32; 4];
    const LEAVES: [(u32, u32, Registers); 10] = [
        (1, 0, |r| [r.eax, 0, r.ecx, r.edx]),
        (7, 0, |r| [r.eax, r.ebx, r.ecx, r.edx]),
        (7, 1, |r| [r.eax, r.ebx, r.ecx, r.edx]),
        (0xd, 1, |r| [r.eax, 0, 0, 0]),
        (0x14, 0, |r| [r.eax, r.ebx, r.ecx, 0]),
        (0x19, 0, |r| [0, r.ebx, 0, 0]),
        (0x1e, 1, |r| [r.eax, 0, 0, 0]),
        (0x24, 0, |r| [r.eax, r.ebx, 0, 0]),
        (EXTENDED + 1, 0, |r| [0, 0, r.ecx, r.edx]),
        (EXTENDED + 8, 0, |r| [0, r.ebx, 0, 0]),
    ];
    let first = __cpuid(0);
    let last = [first.eax, __cpuid(EXTENDED).eax];
    let mut words = vec![first.ebx, first.ecx, first.edx];
    for (leaf, sub_leaf, registers) in LEAVES {
        if leaf <= last[usize::from(leaf >= EXTENDED)] {
            words.push(leaf);
            words.extend(registers(__cpuid_count(leaf, sub_leaf)));
        }
    }
    if __cpuid(1).ecx & OS_SAVES_STATE != 0 {
        // SAFETY: the bit tells that the operating system has enabled the instruction.
        let enabled = unsafe { enabled_state() };
        words.extend([enabled as u32, (enabled >> 32) as u32]);
    }
    fields.add(&words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>());
}

/// Returns the set of registers that the operating system saves for each thread. Vector features
/// need them.
///
/// # Safety
/// The processor and the operating system support XGETBV.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "xsave")]
unsafe fn enabled_state() -> u64 {
    // SAFETY: the caller guarantees that XGETBV is supported (this function's contract).
    unsafe { std::arch::x86_64::_xgetbv(0) }
}

#[cfg(not(target_arch = "x86_64"))]
fn add_processor(fields: &mut Fields) {
    fields.add(std::env::consts::ARCH.as_bytes());
}
