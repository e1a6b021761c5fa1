//! The checks that the kernels of an image request, for the runtime: devices other than the CPU run
//! these kernels unchecked.

use crate::group::EntryPoint;
use scythe_abi::names::{CHECKS_ATTRIBUTE, CHECKS_PROPERTY_SET};
use scythe_image::PropertySets;
use scythe_llvm::Place;

/// Returns the property set of the checks. It is empty if no kernel requests any.
pub fn properties(entries: &[&EntryPoint<'_>]) -> PropertySets {
    let mut sets = PropertySets::default();
    for entry in entries {
        let names = entry.function.string_attribute(Place::Function, CHECKS_ATTRIBUTE);
        for name in names.iter().flat_map(|names| names.split(',')) {
            sets.set(CHECKS_PROPERTY_SET).insert(name, 1);
        }
    }
    sets
}
