//! Checks whether a device meets the requirements of an image: the requirements in its manifest,
//! and those of the branches of `if_device_has` that the device takes.
//!
//! Only the manifest is read: the code of an image whose requirements are not met is never
//! accessed. The messages for the user are those of the specification (OptionalDeviceFeatures,
//! "Changes to the DPC++ runtime"). They list everything that is missing, not only the first item.

use scythe_abi::aspect::Aspect;
use scythe_abi::requirements::Requirements;
use scythe_device_config::Table;
use scythe_hal::DeviceInfo;

/// Checks the requirements of an image. The error has one sentence for each requirement that the
/// device does not meet.
pub fn check(required: &Requirements, device: &DeviceInfo) -> Result<(), String> {
    let mut missing = Vec::new();
    if let Some(targets) = &required.fixed_targets
        && !targets.iter().any(|target| device.aspects.contains(target))
    {
        let names: Vec<String> = targets.iter().map(|&target| target_name(target)).collect();
        missing.push(format!(
            "Kernel was compiled with '-fsycl-fixed-targets={}' but was submitted to a different \
             device.",
            names.join(",")
        ));
    }
    for &aspect in
        required.aspects.iter().flatten().filter(|aspect| !device.aspects.contains(aspect))
    {
        missing.push(format!(
            "Kernel uses optional feature corresponding to 'aspect::{}' but device does not \
             support this aspect.",
            aspect_name(aspect)
        ));
    }
    let sizes = required.sub_group_sizes.iter().flatten();
    for &size in sizes.filter(|&&size| !device.sub_group_sizes.contains(&u64::from(size))) {
        missing.push(format!(
            "Kernel has a required sub-group size of '{size}' but device does not support this \
             sub-group size."
        ));
    }
    for size in required.work_group_sizes.iter().flatten().filter(|size| !fits(size, device)) {
        missing.push(format!(
            "Kernel has a required work-group size of '{}' but device does not support this \
             work-group size.",
            show(size)
        ));
    }
    if missing.is_empty() { Ok(()) } else { Err(missing.join(" ")) }
}

/// Returns whether a work-group of this size (in the order of the attribute) can run on the device.
fn fits(size: &[u32], device: &DeviceInfo) -> bool {
    let items = size.iter().try_fold(1u64, |product, &n| product.checked_mul(u64::from(n)));
    // The attribute lists the fastest dimension last, the device lists it first. `0` disables a
    // limit.
    let limits = size.iter().rev().zip(device.max_work_item_sizes);
    items.is_some_and(|items| items <= device.max_work_group_size)
        && limits.into_iter().all(|(&n, limit)| limit == 0 || u64::from(n) <= limit)
}

/// Formats sizes as a program writes them.
fn show(sizes: &[u32]) -> String {
    sizes.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

fn aspect_name(number: u32) -> String {
    Aspect::from_u32(number).map_or_else(|| number.to_string(), |aspect| aspect.as_str().to_owned())
}

/// Returns the name of an architecture in `-fsycl-fixed-targets`.
fn target_name(number: u32) -> String {
    let table = Table::embedded();
    let target = table
        .targets()
        .find(|target| target.architecture().is_some_and(|aspect| aspect as u32 == number));
    target.map_or_else(|| aspect_name(number), |target| target.name.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device() -> DeviceInfo {
        DeviceInfo {
            aspects: vec![Aspect::Gpu as u32, Aspect::Fp64 as u32, Aspect::ExtIntelGpuSkl as u32],
            sub_group_sizes: vec![8, 16],
            max_work_group_size: 256,
            max_work_item_sizes: [256, 256, 8],
            ..DeviceInfo::default()
        }
    }

    fn check(lists: &[(&str, &[u32])]) -> Result<(), String> {
        let mut required = Requirements::default();
        for (name, numbers) in lists {
            match *name {
                "aspect" => required.aspects = Some(numbers.to_vec()),
                "reqd_sub_group_size" => required.sub_group_sizes = Some(numbers.to_vec()),
                "fixed_target" => required.fixed_targets = Some(numbers.to_vec()),
                // The remaining property holds a single work-group size.
                _ => required.work_group_sizes.get_or_insert_default().push(numbers.to_vec()),
            }
        }
        super::check(&required, &device())
    }

    #[test]
    fn a_device_that_has_all_will_do() {
        let (fp64, skl, bdw) =
            (Aspect::Fp64 as u32, Aspect::ExtIntelGpuSkl as u32, Aspect::ExtIntelGpuBdw as u32);
        assert_eq!(check(&[]), Ok(()));
        let all: &[(&str, &[u32])] = &[
            ("aspect", &[fp64]),
            ("reqd_sub_group_size", &[8, 16]),
            ("reqd_work_group_size", &[8, 4, 8]),
            ("reqd_work_group_size", &[256]),
            ("fixed_target", &[bdw, skl]),
        ];
        assert_eq!(check(all), Ok(()));
    }

    #[test]
    fn each_missing_feature_has_the_sentence_of_the_specification() {
        let aspects = check(&[("aspect", &[Aspect::Fp16 as u32, Aspect::Fp64 as u32, 4_000_000])])
            .unwrap_err();
        assert_eq!(
            aspects,
            "Kernel uses optional feature corresponding to 'aspect::fp16' but device does not \
             support this aspect. \
             Kernel uses optional feature corresponding to 'aspect::4000000' but device does not \
             support this aspect."
        );
        assert_eq!(
            check(&[("reqd_sub_group_size", &[8, 32])]).unwrap_err(),
            "Kernel has a required sub-group size of '32' but device does not support this \
             sub-group size."
        );
        assert_eq!(
            check(&[(
                "fixed_target",
                &[Aspect::ExtIntelGpuBdw as u32, Aspect::ExtIntelX86_64 as u32]
            )])
            .unwrap_err(),
            "Kernel was compiled with '-fsycl-fixed-targets=intel_gpu_bdw,spir64_x86_64' but was \
             submitted to a different device."
        );
        assert!(check(&[("fixed_target", &[])]).is_err(), "code that fits no target runs nowhere");
    }

    #[test]
    fn work_groups_are_limited_as_a_whole_and_in_each_dimension() {
        assert_eq!(
            check(&[("reqd_work_group_size", &[16, 32])]).unwrap_err(),
            "Kernel has a required work-group size of '16, 32' but device does not support this \
             work-group size."
        );
        assert!(
            check(&[("reqd_work_group_size", &[16, 1, 1])]).is_err(),
            "16 in the slowest of three dimensions"
        );
        assert!(check(&[("reqd_work_group_size", &[u32::MAX; 3])]).is_err());
    }
}
