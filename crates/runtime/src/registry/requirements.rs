//! Whether a device meets what an image demands: its property set `SYCL/device requirements`, and what the branches of `if_device_has`
//! that the device takes need.
//!
//! Only properties are looked at: an image whose demands are not met is never opened. The sentences for the user are those of
//! the specification (OptionalDeviceFeatures, "Changes to the DPC++ runtime"), with all that is missing, not just the first.

use scythe_abi::aspect::Aspect;
use scythe_abi::condition::Condition;
use scythe_abi::names::{CONDITIONAL_IMPORTS, CONDITIONAL_REQUIREMENTS};
use scythe_device_config::{Conditional, Requirements, Table};
use scythe_hal::DeviceInfo;
use scythe_image::{PropertySet, PropertySets};
use std::collections::HashMap;

/// The requirements of an image with these properties. An error names the property that is not laid out as the
/// specification says.
pub fn read(sets: &PropertySets) -> Result<Requirements, String> {
    let Some(set) = sets.get(Requirements::PROPERTY_SET) else { return Ok(Requirements::default()) };
    if let Some((name, _)) = set.iter().find(|(_, value)| value.as_bytes().is_none()) {
        return Err(format!("the property '{name}' of set {} is not a byte array", Requirements::PROPERTY_SET));
    }
    Requirements::read(|name| set.get(name)?.as_bytes()).map_err(|error| error.to_string())
}

/// What the image needs of devices that meet a condition. An error names the property that is not laid out as it should be.
pub fn read_conditional(sets: &PropertySets) -> Result<Vec<Conditional>, String> {
    let set = sets.get(CONDITIONAL_REQUIREMENTS).into_iter().flat_map(|set| set.iter());
    Conditional::read(set.map(|(name, value)| (name, value.as_bytes()))).map_err(|error| error.to_string())
}

/// The imports of an image that are called on some devices only, each with conditions of which such a device meets one.
pub fn read_import_conditions(sets: &PropertySets) -> Result<HashMap<String, Vec<Condition>>, String> {
    let mut imports = HashMap::new();
    for (symbol, value) in sets.get(CONDITIONAL_IMPORTS).into_iter().flat_map(|set| set.iter()) {
        let wrong = |why: String| format!("the property '{symbol}' of set {CONDITIONAL_IMPORTS} {why}");
        let text = value.as_bytes().and_then(|bytes| std::str::from_utf8(bytes).ok());
        let text = text.ok_or_else(|| wrong("is no text".to_owned()))?;
        let conditions = text.lines().map(|line| line.parse::<Condition>().map_err(|error| wrong(error.to_string())));
        imports.insert(symbol.to_owned(), conditions.collect::<Result<_, _>>()?);
    }
    Ok(imports)
}

/// Why the device cannot run an image: one sentence for each demand that is not met.
pub fn check(required: &Requirements, device: &DeviceInfo) -> Result<(), String> {
    let mut missing = Vec::new();
    if let Some(targets) = &required.fixed_targets
        && !targets.iter().any(|target| device.aspects.contains(target))
    {
        let names: Vec<String> = targets.iter().map(|&target| target_name(target)).collect();
        missing.push(format!(
            "Kernel was compiled with '-fsycl-fixed-targets={}' but was submitted to a different device.",
            names.join(",")
        ));
    }
    for &aspect in required.aspects.iter().flatten().filter(|aspect| !device.aspects.contains(aspect)) {
        missing.push(format!(
            "Kernel uses optional feature corresponding to 'aspect::{}' but device does not support this aspect.",
            aspect_name(aspect)
        ));
    }
    let sizes = required.sub_group_sizes.iter().flatten();
    for &size in sizes.filter(|&&size| !device.sub_group_sizes.contains(&u64::from(size))) {
        missing.push(format!(
            "Kernel has a required sub-group size of '{size}' but device does not support this sub-group size."
        ));
    }
    for size in required.work_group_sizes.iter().flatten().filter(|size| !fits(size, device)) {
        missing.push(format!(
            "Kernel has a required work-group size of '{}' but device does not support this work-group size.",
            show(size)
        ));
    }
    if missing.is_empty() { Ok(()) } else { Err(missing.join(" ")) }
}

/// A work-group of this size (in the attribute's order) can run on the device.
fn fits(size: &[u32], device: &DeviceInfo) -> bool {
    let items = size.iter().try_fold(1u64, |product, &n| product.checked_mul(u64::from(n)));
    // The attribute lists the fastest dimension last, the device first. A limit of 0 is none.
    let limits = size.iter().rev().zip(device.max_work_item_sizes);
    items.is_some_and(|items| items <= device.max_work_group_size)
        && limits.into_iter().all(|(&n, limit)| limit == 0 || u64::from(n) <= limit)
}

/// Sizes as a program writes them.
fn show(sizes: &[u32]) -> String {
    sizes.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

fn aspect_name(number: u32) -> String {
    Aspect::from_u32(number).map_or_else(|| number.to_string(), |aspect| aspect.as_str().to_owned())
}

/// What `-fsycl-fixed-targets` calls an architecture.
fn target_name(number: u32) -> String {
    let table = Table::embedded();
    let target = table.targets().find(|target| target.architecture().is_some_and(|aspect| aspect as u32 == number));
    target.map_or_else(|| aspect_name(number), |target| target.name.to_string())
}

/// The little-endian words of a byte array.
pub fn words(set: &PropertySet, name: &str) -> Result<Option<Vec<u32>>, String> {
    let Some(value) = set.get(name) else { return Ok(None) };
    let words = value.as_bytes().map(<[u8]>::as_chunks::<4>);
    match words {
        Some((words, [])) => Ok(Some(words.iter().map(|word| u32::from_le_bytes(*word)).collect())),
        _ => Err(format!("property '{name}' is not an array of 32-bit numbers")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    fn sets(properties: &[(&str, &[u32])]) -> PropertySets {
        let mut sets = PropertySets::default();
        for (name, words) in properties {
            sets.set(Requirements::PROPERTY_SET).insert(name, bytes(words));
        }
        sets
    }

    fn device() -> DeviceInfo {
        DeviceInfo {
            aspects: vec![Aspect::Gpu as u32, Aspect::Fp64 as u32, Aspect::ExtIntelGpuSkl as u32],
            sub_group_sizes: vec![8, 16],
            max_work_group_size: 256,
            max_work_item_sizes: [256, 256, 8],
            ..DeviceInfo::default()
        }
    }

    fn check(properties: &[(&str, &[u32])]) -> Result<(), String> {
        super::check(&read(&sets(properties)).expect("well formed"), &device())
    }

    #[test]
    fn a_device_that_has_all_will_do() {
        let (fp64, skl, bdw) = (Aspect::Fp64 as u32, Aspect::ExtIntelGpuSkl as u32, Aspect::ExtIntelGpuBdw as u32);
        assert_eq!(check(&[]), Ok(()));
        let all: &[(&str, &[u32])] = &[
            ("aspect", &[fp64]),
            ("reqd_sub_group_size", &[8, 16]),
            ("reqd_work_group_size", &[3, 8, 4, 8, 1, 256]),
            ("fixed_target", &[bdw, skl]),
        ];
        assert_eq!(check(all), Ok(()));
    }

    #[test]
    fn each_missing_feature_has_the_sentence_of_the_specification() {
        let aspects = check(&[("aspect", &[Aspect::Fp16 as u32, Aspect::Fp64 as u32, 4_000_000])]).unwrap_err();
        assert_eq!(
            aspects,
            "Kernel uses optional feature corresponding to 'aspect::fp16' but device does not support this aspect. \
             Kernel uses optional feature corresponding to 'aspect::4000000' but device does not support this aspect."
        );
        assert_eq!(
            check(&[("reqd_sub_group_size", &[8, 32])]).unwrap_err(),
            "Kernel has a required sub-group size of '32' but device does not support this sub-group size."
        );
        assert_eq!(
            check(&[("fixed_target", &[Aspect::ExtIntelGpuBdw as u32, Aspect::ExtIntelX86_64 as u32])]).unwrap_err(),
            "Kernel was compiled with '-fsycl-fixed-targets=intel_gpu_bdw,spir64_x86_64' but was submitted to a different device."
        );
        assert!(check(&[("fixed_target", &[])]).is_err(), "code that fits no target runs nowhere");
    }

    #[test]
    fn work_groups_are_limited_as_a_whole_and_in_each_dimension() {
        assert_eq!(
            check(&[("reqd_work_group_size", &[2, 16, 32])]).unwrap_err(),
            "Kernel has a required work-group size of '16, 32' but device does not support this work-group size."
        );
        assert!(check(&[("reqd_work_group_size", &[3, 16, 1, 1])]).is_err(), "16 in the slowest of three dimensions");
        assert!(check(&[("reqd_work_group_size", &[3, u32::MAX, u32::MAX, u32::MAX])]).is_err());
    }

    #[test]
    fn properties_laid_out_otherwise_are_refused() {
        for words in [&[0][..], &[4, 1, 1, 1, 1], &[2, 1], &[1, 8, 3]] {
            assert!(read(&sets(&[("reqd_work_group_size", words)])).is_err(), "{words:?}");
        }
        let mut odd = PropertySets::default();
        odd.set(Requirements::PROPERTY_SET).insert("aspect", vec![1, 2, 3]);
        assert!(read(&odd).is_err_and(|error| error.contains("'aspect'")));
        let mut number = PropertySets::default();
        number.set(Requirements::PROPERTY_SET).insert("fixed_target", 3);
        assert!(read(&number).is_err());
    }
}
