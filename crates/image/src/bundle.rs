//! Fat objects: a host object with one section of device code per target.
//!
//! The section for target `T` is `__CLANG_OFFLOAD_BUNDLE__T`. `T` is `sycl-` and the device triple,
//! followed by a dash and the device if the code is for one device. A section of one byte for
//! `host-`, the host's triple and a dash (no device) states that the object itself is the host's
//! bundle. Linkers drop all of these sections, so a fat object can be linked like an ordinary
//! object.

use crate::elf::{self, Object};
use scythe_abi::names::BUNDLE_SECTION_PREFIX;

pub use crate::elf::ElfError;

const SYCL_PREFIX: &str = "sycl-";
const HOST_PREFIX: &str = "host-";

/// One part of a fat object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bundle<'a> {
    /// The offload kind and the triple, such as `sycl-spirv64-unknown-unknown`.
    pub target: &'a str,
    pub data: &'a [u8],
}

impl<'a> Bundle<'a> {
    /// Returns the device triple if this is SYCL device code.
    pub fn device_triple(&self) -> Option<&'a str> {
        self.target.strip_prefix(SYCL_PREFIX)
    }

    /// Returns whether this is only the marker of the host's part.
    pub fn is_host(&self) -> bool {
        self.target.starts_with(HOST_PREFIX)
    }
}

/// The reason why an object cannot be bundled or unbundled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BundleError {
    #[error(transparent)]
    Elf(#[from] ElfError),
    #[error("the object already contains a bundle for '{0}'")]
    AlreadyThere(String),
    #[error("there are two bundles for '{0}', expected one")]
    GivenTwice(String),
    #[error(
        "'{0}' is not a target: expected a kind and a triple, for example \
         'sycl-spirv64-unknown-unknown'"
    )]
    BadTarget(String),
    #[error("the object is for ELF machine {0}, expected 62 (x86-64) or 183 (AArch64)")]
    UnknownMachine(u16),
    #[error("the name of a bundle section is not UTF-8 text: \"{}\"", .0.escape_ascii())]
    NotText(Vec<u8>),
}

/// Returns the target of a device triple: `sycl-` and the triple.
pub fn sycl_target(triple: &str) -> String {
    format!("{SYCL_PREFIX}{triple}")
}

/// Returns whether the bytes look like an ELF file. The file need not be valid.
pub fn is_object(bytes: &[u8]) -> bool {
    elf::is_elf(bytes)
}

/// Returns the target of the host's own part of `object`.
pub fn host_target(object: &[u8]) -> Result<String, BundleError> {
    let arch = match Object::parse(object)?.machine {
        object::elf::EM_X86_64 => "x86_64",
        object::elf::EM_AARCH64 => "aarch64",
        machine => return Err(BundleError::UnknownMachine(machine)),
    };
    Ok(format!("{HOST_PREFIX}{arch}-unknown-linux-gnu-"))
}

/// Adds device code to `host`. `parts` are pairs of a target (see [`sycl_target`]) and code.
pub fn bundle(host: &[u8], parts: &[(String, &[u8])]) -> Result<Vec<u8>, BundleError> {
    let marker = host_target(host)?;
    let object = Object::parse(host)?;
    let present = list(host)?;
    let mut sections: Vec<(String, &[u8])> = Vec::with_capacity(parts.len() + 1);
    // A fat object may get another target, but not a second marker.
    if !present.iter().any(Bundle::is_host) {
        sections.push((format!("{BUNDLE_SECTION_PREFIX}{marker}"), &[0]));
    }
    for (target, data) in parts {
        if target.contains('\0')
            || target
                .split_once('-')
                .is_none_or(|(kind, triple)| kind.is_empty() || triple.is_empty())
        {
            return Err(BundleError::BadTarget(target.clone()));
        }
        if present.iter().any(|bundle| is_same_target(bundle.target, target)) {
            return Err(BundleError::AlreadyThere(target.clone()));
        }
        let name = format!("{BUNDLE_SECTION_PREFIX}{target}");
        if sections.iter().any(|(known, _)| *known == name) {
            return Err(BundleError::GivenTwice(target.clone()));
        }
        sections.push((name, data));
    }
    Ok(object.with_excluded_sections(&sections)?)
}

/// Returns the bundles of an object, in order. An ordinary object has none.
pub fn list(object: &[u8]) -> Result<Vec<Bundle<'_>>, BundleError> {
    let mut bundles = Vec::new();
    for section in Object::parse(object)?.sections()? {
        if let Some(target) = section.name.strip_prefix(BUNDLE_SECTION_PREFIX.as_bytes()) {
            let target = std::str::from_utf8(target)
                .map_err(|_| BundleError::NotText(section.name.to_vec()))?;
            bundles.push(Bundle { target, data: section.data });
        }
    }
    Ok(bundles)
}

/// Returns whether two names denote the same target. A dash at the end, without a device after it,
/// makes no difference.
pub fn is_same_target(a: &str, b: &str) -> bool {
    a.trim_end_matches('-') == b.trim_end_matches('-')
}

/// Returns the bundle for `target` (kind and triple), if the object has one.
pub fn extract<'a>(object: &'a [u8], target: &str) -> Result<Option<&'a [u8]>, BundleError> {
    Ok(list(object)?
        .into_iter()
        .find(|bundle| is_same_target(bundle.target, target))
        .map(|bundle| bundle.data))
}
