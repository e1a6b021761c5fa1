//! Translates properties of kernels into the metadata of attributes such as `reqd_work_group_size`.
//!
//! A property that contradicts an attribute of the same kernel is an error. A value that does not
//! have the property's form is also an error.

use crate::aspects::metadata::Kinds;
use crate::properties::PropertyError;
use crate::{Error, Pass};
use scythe_llvm::{Function, Metadata, Module, Place};

/// The property for the size of sub-groups.
pub const SUB_GROUP_SIZE: &str = "sycl-sub-group-size";
const WORK_GROUP_SIZE: &str = "sycl-work-group-size";
const WORK_GROUP_SIZE_HINT: &str = "sycl-work-group-size-hint";
const DEVICE_HAS: &str = "sycl-device-has";
/// The work-group size that the program requires, on a kernel that runs its work-groups as loops in
/// groups of another size.
const LOGICAL_WORK_GROUP_SIZE: &str = "scythe-logical-work-group-size";

/// The pass `kernel-properties`. See the module documentation.
pub struct KernelProperties;

impl Pass for KernelProperties {
    fn name(&self) -> &'static str {
        "kernel-properties"
    }

    fn run(&self, module: &Module<'_>) -> Result<bool, Error> {
        let mut changed = false;
        for kernel in module.kernels() {
            let made = translate(module, kernel);
            changed |= made.map_err(|fault| Error::Kernel {
                pass: self.name(),
                kernel: kernel.name(),
                fault: fault.into(),
            })?;
        }
        Ok(changed)
    }
}

/// Returns whether the kernel has one of the properties above.
fn translate<'ctx>(module: &Module<'ctx>, kernel: Function<'ctx>) -> Result<bool, PropertyError> {
    let mut found = false;
    let mut numbers = |name: &'static str, least: usize, most: usize, from: u64| {
        let Some(text) = kernel.string_attribute(Place::Function, name) else { return Ok(None) };
        found = true;
        let numbers: Option<Vec<u64>> = if text.is_empty() {
            Some(Vec::new())
        } else {
            text.split(',').map(|n| n.parse().ok()).collect()
        };
        let fits = |list: &Vec<u64>| {
            (least..=most).contains(&list.len())
                && list.iter().all(|n| (from..=u32::MAX.into()).contains(n))
        };
        let expected = if from == 0 { "aspects" } else { "positive sizes" };
        numbers.filter(fits).map(Some).ok_or_else(|| PropertyError::Value {
            property: name,
            value: text,
            expected: expected.to_owned(),
        })
    };
    let sub_group = numbers(SUB_GROUP_SIZE, 1, 1, 1)?;
    let work_group = numbers(WORK_GROUP_SIZE, 1, 3, 1)?;
    let logical = numbers(LOGICAL_WORK_GROUP_SIZE, 1, 3, 1)?;
    let hint = numbers(WORK_GROUP_SIZE_HINT, 1, 3, 1)?;
    let device_has = numbers(DEVICE_HAS, 0, usize::MAX, 0)?;
    if let Some(size) = sub_group {
        set(module, kernel, "intel_reqd_sub_group_size", &size, SUB_GROUP_SIZE)?;
    }
    if let Some(sizes) = work_group {
        set(module, kernel, "reqd_work_group_size", &three(&sizes), WORK_GROUP_SIZE)?;
        set(module, kernel, "work_group_num_dim", &[sizes.len() as u64], WORK_GROUP_SIZE)?;
    }
    if let Some(sizes) = logical {
        let kinds = Kinds::new(module.context());
        let sizes: Vec<u32> = sizes.iter().map(|&size| size as u32).collect();
        if kinds
            .logical_work_group_size(kernel)
            .is_some_and(|present| !present.is_empty() && present != sizes)
        {
            return Err(PropertyError::Contradiction { property: WORK_GROUP_SIZE });
        }
        kinds.set_logical_work_group_size(kernel, module.context(), &sizes);
    }
    if let Some(sizes) = hint {
        set(module, kernel, "work_group_size_hint", &three(&sizes), WORK_GROUP_SIZE_HINT)?;
    }
    if let Some(aspects) = device_has {
        let kinds = Kinds::new(module.context());
        let mut declared = kinds.declared(kernel).unwrap_or_default();
        declared.extend(aspects.iter().map(|&aspect| aspect as u32));
        kinds.set_declared(kernel, module.context(), &declared.into_iter().collect::<Vec<_>>());
    }
    Ok(found)
}

/// Returns three sizes, the fastest dimension first, where SYCL writes it last. Unused dimensions
/// are 1.
fn three(sizes: &[u64]) -> Vec<u64> {
    let mut all: Vec<u64> = sizes.iter().rev().copied().collect();
    all.resize(3, 1);
    all
}

/// Attaches metadata of this kind to the kernel. Fails if the kernel has different metadata of the
/// same kind.
fn set<'ctx>(
    module: &Module<'ctx>,
    kernel: Function<'ctx>,
    kind: &str,
    numbers: &[u64],
    property: &'static str,
) -> Result<(), PropertyError> {
    let context = module.context();
    let id = context.metadata_kind(kind);
    let present: Option<Vec<_>> = kernel
        .metadata(id)
        .map(|node| node.operands().into_iter().map(|n| n.and_then(Metadata::int)).collect());
    if present
        .is_some_and(|present| present != numbers.iter().map(|&n| Some(n)).collect::<Vec<_>>())
    {
        return Err(PropertyError::Contradiction { property });
    }
    let operands: Vec<_> = numbers.iter().map(|&number| context.md_int(32, number)).collect();
    kernel.set_metadata(id, context.md_node(&operands));
    Ok(())
}
