//! Work-group and sub-group sizes that a kernel requires, from its function metadata.

use scythe_llvm::Function;

const SUB_GROUP: &str = "intel_reqd_sub_group_size";
const WORK_GROUP: &str = "reqd_work_group_size";

/// Returns the required work-group size, fastest dimension first.
pub fn work_group(kernel: Function<'_>) -> Option<[u64; 3]> {
    let node = kernel.metadata(kernel.ty().context().metadata_kind(WORK_GROUP))?;
    let mut size = [1; 3];
    for (d, extent) in size.iter_mut().enumerate() {
        *extent = node.operand(d).and_then(|n| n.int())?;
    }
    Some(size)
}

/// Returns the required sub-group size.
pub fn sub_group(kernel: Function<'_>) -> Option<u32> {
    let context = kernel.ty().context();
    let node = kernel.metadata(context.metadata_kind(SUB_GROUP))?;
    let size = node
        .operand(0)
        .and_then(|n| n.int())
        .filter(|n| n.is_power_of_two() && (1..=64).contains(n));
    size.map(|n| n as u32)
}
