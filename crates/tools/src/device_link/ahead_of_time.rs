//! Ahead-of-time compilation: one [`Compiler`] for each family of targets.
//!
//! A link creates the compilers of the families of its targets ([`find`]). It first adds the parts
//! of all targets. Then each compiler compiles its parts in parallel. Images are in the order of
//! families, and then in the order in which targets were added.
//!
//! `cpu.rs`, `intel.rs` and `nvidia.rs` have the same functions in the same order. Only
//! [`compiler`] selects between them: a new family needs one more file, and one more arm in that
//! function.

mod cpu;
mod external;
mod intel;
mod nvidia;

use super::inputs::Group;
use super::settings::Settings;
use crate::Failure;
use scythe_abi::target::{Family, Target};
use scythe_image::Image;
use std::collections::BTreeMap;

/// Compiles device code for the targets of one family.
pub trait Compiler {
    /// Reports errors in the options for a target.
    fn check(&self, target: Target) -> Result<(), Failure>;

    /// Finds the external programs and libraries that these targets need.
    fn find_tools(&mut self, targets: &[Target]) -> Result<(), Failure>;

    /// Returns a text that identifies these programs and libraries in keys of the link cache. It
    /// changes if one of them changes.
    fn identity(&self) -> String;

    /// Returns the largest size of a work-group in the slowest of three dimensions, if the family
    /// limits this dimension further than the whole work-group.
    fn slowest_size_limit(&self) -> Option<u32>;

    /// Whether devices of the family also build images for the generic target at run time. The
    /// link then keeps a generic image of each part that needs the run-time compiler. Otherwise,
    /// [`Compiler::add`] keeps one for each device.
    fn builds_generic_images(&self) -> bool;

    /// Adds the parts of a program for a target. Each part that the target cannot run becomes an
    /// image without code.
    fn add(&mut self, target: Target, parts: &[Image]) -> Result<(), Failure>;

    /// Compiles all parts that were added.
    fn finish(self: Box<Self>) -> Result<Vec<Image>, Failure>;
}

/// Returns the compiler of a family. Generic code has none: it is compiled at run time.
pub fn compiler<'s>(family: Family, settings: &'s Settings<'s>) -> Option<Box<dyn Compiler + 's>> {
    match family {
        Family::Generic => None,
        Family::Cpu => Some(Box::new(cpu::Compiler::new(settings))),
        Family::Intel => Some(Box::new(intel::Compiler::new(settings))),
        Family::Nvidia => Some(Box::new(nvidia::Compiler::new(settings))),
    }
}

/// The compilers of a link, by family.
pub type Compilers<'s> = BTreeMap<Family, Box<dyn Compiler + 's>>;

/// Returns the compilers for all targets of these groups, with the tools that they need.
pub fn find<'s>(
    groups: &[Group<'_>],
    settings: &'s Settings<'s>,
) -> Result<Compilers<'s>, Failure> {
    let mut families: BTreeMap<Family, Vec<Target>> = BTreeMap::new();
    for &target in groups.iter().flat_map(|group| &group.targets) {
        families.entry(target.family()).or_default().push(target);
    }
    let mut compilers = BTreeMap::new();
    for (family, targets) in families {
        let Some(mut compiler) = compiler(family, settings) else { continue };
        compiler.find_tools(&targets)?;
        compilers.insert(family, compiler);
    }
    Ok(compilers)
}

#[cfg(test)]
mod tests {
    const FILES: [(&str, &str); 3] = [
        ("cpu.rs", include_str!("ahead_of_time/cpu.rs")),
        ("intel.rs", include_str!("ahead_of_time/intel.rs")),
        ("nvidia.rs", include_str!("ahead_of_time/nvidia.rs")),
    ];

    /// The functions that every family has, in order.
    const FUNCTIONS: [&str; 12] = [
        "new",
        "check",
        "find_tools",
        "identity",
        "slowest_size_limit",
        "builds_generic_images",
        "add",
        "finish",
        "compile",
        "key",
        "options",
        "image",
    ];

    #[test]
    fn families_have_the_same_functions_in_the_same_order() {
        for (file, text) in FILES {
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            let names = code.lines().filter_map(|line| {
                let line = line.trim_start();
                let rest = line.strip_prefix("pub ").unwrap_or(line).strip_prefix("fn ")?;
                rest.split(['(', '<']).next()
            });
            let shared: Vec<&str> = names.filter(|name| FUNCTIONS.contains(name)).collect();
            assert_eq!(shared, FUNCTIONS, "in {file}");
        }
    }
}
