//! What an image says of its device: the property set `SYCL/device requirements`, in the layouts of the specification, and
//! for tools the calls that bring each aspect in.

use scythe_device_config::Table;
use scythe_image::PropertySets;
use scythe_llvm::Function;
use scythe_passes::aspects::metadata::Kinds;
use scythe_passes::aspects::requirements::Requirements;

const DEVICE_REQUIREMENTS: &str = scythe_device_config::Requirements::PROPERTY_SET;

/// Property set with one byte array per kernel: lines `aspect<TAB>function@file:line:column<TAB>…`, from the kernel to the
/// function that uses the aspect.
pub const ASPECT_ORIGINS: &str = "SCYTHE/aspect origins";

/// Adds what the image of these entry points requires. Sets that would be empty are left out.
pub fn add_requirements(entry_points: &[Function<'_>], kinds: Kinds, properties: &mut PropertySets) {
    let requirements = Requirements::of_all(entry_points.iter().copied(), kinds);
    for (name, numbers) in device_requirements(&requirements) {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number: &u32| number.to_le_bytes()).collect();
        properties.set(DEVICE_REQUIREMENTS).insert(name, bytes);
    }
    for entry_point in entry_points {
        let lines = kinds.origins(*entry_point);
        if !lines.is_empty() {
            let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
            properties.set(ASPECT_ORIGINS).insert(&entry_point.name(), text.into_bytes());
        }
    }
}

/// The properties that there are, each as the numbers of its layout.
fn device_requirements(requirements: &Requirements) -> Vec<(&'static str, Vec<u32>)> {
    use scythe_device_config::Requirements as Properties;
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
    if let Some(fixed) = &requirements.fixed_targets {
        let table = Table::embedded();
        let aspect = |name: &String| Some(table.lookup(name)?.architecture()? as u32);
        sets.push((Properties::FIXED_TARGET, fixed.iter().filter_map(aspect).collect()));
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
        assert_eq!(device_requirements(&requirements()), expected);
        assert_eq!(device_requirements(&Requirements::default()), []);
    }

    #[test]
    fn fixed_targets_are_told_by_their_aspects_even_if_there_are_none() {
        let fixed = |names: &[&str]| Requirements {
            fixed_targets: Some(names.iter().map(|&name| name.to_owned()).collect()),
            ..Requirements::default()
        };
        let both = [Aspect::ExtIntelGpuPvc as u32, Aspect::ExtIntelX86_64 as u32];
        let seen = device_requirements(&fixed(&["intel_gpu_pvc", "spir64_x86_64"]));
        assert_eq!(seen, [("fixed_target", both.to_vec())]);
        assert_eq!(device_requirements(&fixed(&[])), [("fixed_target", vec![])]);
    }
}
