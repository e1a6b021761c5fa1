//! Writes the requirements of an image to its manifest: for every device, and for some devices.

use crate::demands::{Demands, Sometimes};
use scythe_abi::aspect::Aspect;
use scythe_abi::condition::Condition;
use scythe_abi::requirements::{Conditional, Requirements};
use scythe_device_config::Table;
use scythe_llvm::Function;
use scythe_passes::aspects;
use scythe_passes::aspects::metadata::Kinds;
use std::collections::BTreeSet;

/// Returns the attributes and properties of a kernel in SYCL's spelling, separated by blanks.
pub fn attributes(kernel: Function<'_>, kinds: Kinds) -> String {
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
        let name = |&number: &u32| {
            Aspect::from_u32(number).map_or(number.to_string(), |a| a.as_str().to_owned())
        };
        out.push(format!("device_has({})", aspects.iter().map(name).collect::<Vec<_>>().join(",")));
    }
    out.join(" ")
}

/// Returns the requirements of an image for some devices, in addition to those for all.
pub fn conditional(demands: &Demands) -> Vec<Conditional> {
    let mut list = Vec::new();
    for (condition, Sometimes { aspects, sub_group_sizes, .. }) in &demands.sometimes {
        let mut add =
            |requirements| list.push(Conditional { condition: condition.clone(), requirements });
        if !aspects.is_empty() {
            add(Requirements {
                aspects: Some(aspects.iter().copied().collect()),
                ..Requirements::default()
            });
        }
        if !sub_group_sizes.is_empty() {
            let sizes = Some(sub_group_sizes.iter().copied().collect());
            add(Requirements { sub_group_sizes: sizes, ..Requirements::default() });
        }
    }
    list
}

/// Returns the conditions under which an import is called. Empty if all devices call it.
pub fn conditions(demands: &Demands, import: u32) -> Vec<Condition> {
    if demands.imports.contains(&import) {
        return Vec::new();
    }
    let calls =
        demands.sometimes.iter().filter(|(_, sometimes)| sometimes.imports.contains(&import));
    calls.map(|(condition, _)| condition.clone()).collect()
}

/// Returns the requirements of an image for every device.
///
/// If the user specified fixed targets, only these count. An aspect stands for each target. A
/// target without its own aspect, such as a target for many devices or a target of the user's file,
/// cannot be recognised when the program runs. In this case, the image lists the features that it
/// uses instead.
pub fn required(demands: &aspects::requirements::Requirements, table: &Table) -> Requirements {
    let architecture = |name: &String| Some(table.lookup(name)?.architecture()? as u32);
    let fixed =
        demands.fixed_targets.as_ref().and_then(|names| names.iter().map(architecture).collect());
    if let Some(targets) = fixed {
        return Requirements { fixed_targets: Some(targets), ..Requirements::default() };
    }
    let numbers = |set: &BTreeSet<u32>| (!set.is_empty()).then(|| set.iter().copied().collect());
    let sizes = &demands.work_group_sizes;
    Requirements {
        aspects: numbers(&demands.aspects),
        sub_group_sizes: numbers(&demands.sub_group_sizes),
        work_group_sizes: (!sizes.is_empty()).then(|| sizes.iter().cloned().collect()),
        fixed_targets: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn demands() -> aspects::requirements::Requirements {
        aspects::requirements::Requirements {
            aspects: [5, 6].into(),
            sub_group_sizes: [16].into(),
            work_group_sizes: [vec![8, 4], vec![32]].into(),
            fixed_targets: None,
        }
    }

    #[test]
    fn requirements_that_there_are_not_are_absent() {
        let expected = Requirements {
            aspects: Some(vec![5, 6]),
            sub_group_sizes: Some(vec![16]),
            work_group_sizes: Some(vec![vec![8, 4], vec![32]]),
            fixed_targets: None,
        };
        assert_eq!(required(&demands(), &Table::embedded()), expected);
        let none = aspects::requirements::Requirements::default();
        assert_eq!(required(&none, &Table::embedded()), Requirements::default());
    }

    fn fixed(names: &[&str]) -> aspects::requirements::Requirements {
        let names = names.iter().map(|&name| name.to_owned()).collect();
        aspects::requirements::Requirements { fixed_targets: Some(names), ..demands() }
    }

    #[test]
    fn fixed_targets_are_told_by_their_aspects_alone_even_if_there_are_none() {
        let bound = |targets: &[u32]| Requirements {
            fixed_targets: Some(targets.to_vec()),
            ..Requirements::default()
        };
        let both = [Aspect::ExtIntelGpuPvc as u32, Aspect::ExtIntelX86_64 as u32];
        assert_eq!(
            required(&fixed(&["intel_gpu_pvc", "spir64_x86_64"]), &Table::embedded()),
            bound(&both)
        );
        assert_eq!(required(&fixed(&[]), &Table::embedded()), bound(&[]));
    }

    #[test]
    fn a_target_without_an_aspect_of_its_own_binds_nothing() {
        let mut table = Table::embedded();
        table.extend_with_yaml_text("a.yaml", "mine:\n  aspects: [gpu, fp64]\n").unwrap();
        let unbound = required(&demands(), &table);
        for names in [&["mine"][..], &["intel_gpu_pvc", "mine"], &["spir64"]] {
            assert_eq!(required(&fixed(names), &table), unbound, "{names:?}");
        }
    }
}
