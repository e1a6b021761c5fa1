//! What an image says of its device: the property set `SYCL/device requirements`, in the layouts of the specification, what it
//! demands of some devices only, and for tools the calls that bring each aspect in.

use crate::demands::{Demands, Sometimes};
use scythe_abi::aspect::Aspect;
use scythe_abi::names::{CONDITIONAL_IMPORTS, CONDITIONAL_REQUIREMENTS, KERNEL_ATTRIBUTES, KERNEL_WORK_GROUP_SIZES};
use scythe_device_config::Table;
use scythe_image::PropertySets;
use scythe_llvm::Function;
use scythe_passes::aspects::metadata::Kinds;
use scythe_passes::aspects::requirements::Requirements;
use std::collections::BTreeMap;

const DEVICE_REQUIREMENTS: &str = scythe_device_config::Requirements::PROPERTY_SET;

/// Property set with one byte array per kernel: lines `aspect<TAB>function@file:line:column<TAB>…`, from the kernel to the
/// function that uses the aspect.
pub const ASPECT_ORIGINS: &str = "SCYTHE/aspect origins";

/// Adds what an image requires, and for each entry point where its aspects come from. Sets that would be empty are left out.
pub fn add_requirements(
    requirements: &Requirements,
    table: &Table,
    entry_points: &[Function<'_>],
    kinds: Kinds,
    properties: &mut PropertySets,
) {
    let bytes = |numbers: &[u32]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
    for (name, numbers) in device_requirements(requirements, table) {
        properties.set(DEVICE_REQUIREMENTS).insert(name, bytes(&numbers));
    }
    for &entry_point in entry_points {
        let lines = kinds.origins(entry_point);
        if !lines.is_empty() {
            let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
            properties.set(ASPECT_ORIGINS).insert(&entry_point.name(), text.into_bytes());
        }
        if let Some(sizes) = kinds.work_group_size(entry_point).filter(|_| entry_point.is_kernel()) {
            properties.set(KERNEL_WORK_GROUP_SIZES).insert(&entry_point.name(), bytes(&sizes));
        }
        let attributes = if entry_point.is_kernel() { attributes(entry_point, kinds) } else { String::new() };
        if !attributes.is_empty() {
            properties.set(KERNEL_ATTRIBUTES).insert(&entry_point.name(), attributes.into_bytes());
        }
    }
}

/// What the program says of a kernel by attributes or properties, as SYCL spells it, separated by blanks.
fn attributes(kernel: Function<'_>, kinds: Kinds) -> String {
    let list = |numbers: &[u32]| numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
    let mut out = Vec::new();
    if let Some(sizes) = kinds.work_group_size(kernel) {
        out.push(format!("reqd_work_group_size({})", list(&sizes)));
    }
    if let Some(sizes) = kinds.work_group_size_hint(kernel) {
        out.push(format!("work_group_size_hint({})", list(&sizes)));
    }
    if let Some(size) = kinds.sub_group_size(kernel) {
        out.push(format!("reqd_sub_group_size({size})"));
    }
    if let Some(name) = kinds.named_sub_group_size(kernel) {
        out.push(format!("named_sub_group_size({name})"));
    }
    if let Some(aspects) = kinds.declared(kernel) {
        let name = |&number: &u32| Aspect::from_u32(number).map_or(number.to_string(), |a| a.as_str().to_owned());
        out.push(format!("device_has({})", aspects.iter().map(name).collect::<Vec<_>>().join(",")));
    }
    out.join(" ")
}

/// Adds what an image demands of some devices only, beyond what it demands of all, which has been
/// added. An image that is bound to fixed targets demands nothing else. `name` tells the symbol of an
/// import.
pub fn add_conditional(demands: &Demands, name: impl Fn(u32) -> String, properties: &mut PropertySets) {
    use scythe_device_config::Requirements as Properties;
    let always = properties.get(DEVICE_REQUIREMENTS);
    if always.is_some_and(|set| set.get(Properties::FIXED_TARGET).is_some()) {
        return;
    }
    let mut imports: BTreeMap<u32, String> = BTreeMap::new();
    for (condition, Sometimes { aspects, sub_group_sizes, imports: called }) in &demands.sometimes {
        for (kind, numbers) in [(Properties::ASPECT, aspects), (Properties::SUB_GROUP_SIZE, sub_group_sizes)] {
            if !numbers.is_empty() {
                let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
                properties.set(CONDITIONAL_REQUIREMENTS).insert(&format!("{condition} {kind}"), bytes);
            }
        }
        let sometimes = called.iter().filter(|import| !demands.imports.contains(import));
        sometimes.for_each(|&import| imports.entry(import).or_default().push_str(&format!("{condition}\n")));
    }
    for (import, conditions) in imports {
        properties.set(CONDITIONAL_IMPORTS).insert(&name(import), conditions.into_bytes());
    }
}

/// The properties that there are, each as the numbers of its layout.
///
/// Where the user promised fixed targets, these are all that counts. An aspect stands for each; a target that has none of its own,
/// such as one that stands for many devices or that only the user's file describes, cannot be told from others when the program
/// runs. Then the image is not bound to the list, and says what it uses instead.
fn device_requirements(requirements: &Requirements, table: &Table) -> Vec<(&'static str, Vec<u32>)> {
    use scythe_device_config::Requirements as Properties;
    let architecture = |name: &String| Some(table.lookup(name)?.architecture()? as u32);
    let fixed = requirements.fixed_targets.as_ref().and_then(|names| names.iter().map(architecture).collect());
    if let Some(aspects) = fixed {
        return vec![(Properties::FIXED_TARGET, aspects)];
    }
    let mut sets = Vec::new();
    if !requirements.aspects.is_empty() {
        sets.push((Properties::ASPECT, requirements.aspects.iter().copied().collect()));
    }
    if !requirements.sub_group_sizes.is_empty() {
        sets.push((Properties::SUB_GROUP_SIZE, requirements.sub_group_sizes.iter().copied().collect()));
    }
    if !requirements.work_group_sizes.is_empty() {
        let entry = |sizes: &Vec<u32>| [&[sizes.len() as u32], sizes.as_slice()].concat();
        sets.push((Properties::WORK_GROUP_SIZE, requirements.work_group_sizes.iter().flat_map(entry).collect()));
    }
    sets
}

#[cfg(test)]
mod tests {
    use super::*;
    use scythe_abi::aspect::Aspect;

    fn requirements() -> Requirements {
        Requirements {
            aspects: [5, 6].into(),
            sub_group_sizes: [16].into(),
            work_group_sizes: [vec![8, 4], vec![32]].into(),
            fixed_targets: None,
        }
    }

    #[test]
    fn properties_are_laid_out_as_specified() {
        let expected =
            [("aspect", vec![5, 6]), ("reqd_sub_group_size", vec![16]), ("reqd_work_group_size", vec![2, 8, 4, 1, 32])];
        assert_eq!(device_requirements(&requirements(), &Table::embedded()), expected);
        assert_eq!(device_requirements(&Requirements::default(), &Table::embedded()), []);
    }

    fn fixed(names: &[&str]) -> Requirements {
        let names = names.iter().map(|&name| name.to_owned()).collect();
        Requirements { fixed_targets: Some(names), ..requirements() }
    }

    #[test]
    fn fixed_targets_are_told_by_their_aspects_alone_even_if_there_are_none() {
        let both = [Aspect::ExtIntelGpuPvc as u32, Aspect::ExtIntelX86_64 as u32];
        let seen = device_requirements(&fixed(&["intel_gpu_pvc", "spir64_x86_64"]), &Table::embedded());
        assert_eq!(seen, [("fixed_target", both.to_vec())]);
        assert_eq!(device_requirements(&fixed(&[]), &Table::embedded()), [("fixed_target", vec![])]);
    }

    #[test]
    fn a_target_without_an_aspect_of_its_own_binds_nothing() {
        let mut table = Table::embedded();
        table.extend_with_yaml_text("a.yaml", "mine:\n  aspects: [gpu, fp64]\n").unwrap();
        let unbound = device_requirements(&requirements(), &table);
        for names in [&["mine"][..], &["intel_gpu_pvc", "mine"], &["spir64"]] {
            assert_eq!(device_requirements(&fixed(names), &table), unbound, "{names:?}");
        }
    }
}
