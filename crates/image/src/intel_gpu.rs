//! Machine code of Intel GPUs: an ELF file that tells what each kernel needs. Intel's compiler has
//! two formats, [`zebin`] and [`patch_tokens`], which older versions write.

mod patch_tokens;
mod zebin;

use object::read::elf::ElfFile64;
use object::{LittleEndian as LE, Object as _, ObjectSection as _};
use std::collections::BTreeMap;

/// The section of a binary with patch tokens.
const BINARY: &str = "Intel(R) OpenCL Device Binary";
/// The section of a zebin with the description of its kernels.
const INFO: &str = ".ze_info";
const TEXT_PREFIX: &str = ".text.";

/// What a kernel needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IntelKernel {
    /// The number of work-items in a sub-group.
    pub lanes: Option<u32>,
    /// The registers of a thread.
    pub registers: Option<u32>,
    /// The bytes of variables in local memory.
    pub local_bytes: u64,
    /// The bytes of private memory of a thread, with those for spilled registers.
    pub scratch_bytes: u64,
    /// The bytes of machine code.
    pub code_bytes: u64,
}

/// Returns the kernels of a device binary by their symbols. Returns `None` if the bytes are not an
/// ELF file with a description.
pub fn kernels(binary: &[u8]) -> Option<BTreeMap<String, IntelKernel>> {
    let file = ElfFile64::<LE>::parse(binary).ok()?;
    if let Some(section) = file.section_by_name(BINARY) {
        return patch_tokens::kernels(section.data().ok()?);
    }
    let info = file.section_by_name(INFO)?.data().ok()?;
    let mut found = zebin::described(&String::from_utf8_lossy(info));
    for section in file.sections() {
        let Ok(name) = section.name() else { continue };
        let kernel = name.strip_prefix(TEXT_PREFIX).and_then(|name| found.get_mut(name));
        if let Some(kernel) = kernel {
            kernel.code_bytes = section.size();
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_files_are_not_read() {
        assert_eq!(kernels(b""), None);
        assert_eq!(kernels(b"\x7fELF"), None);
    }
}
