//! What an image demands of a device: its property set `SYCL/device requirements`, and whether a device meets it.
//!
//! Only properties are looked at: an image whose demands are not met is never opened. The sentences for the user are those of
//! the specification (OptionalDeviceFeatures, "Changes to the DPC++ runtime"), with all that is missing, not just the first.

use scythe_abi::aspect::Aspect;
use scythe_abi::names::DEVICE_REQUIREMENTS;
use scythe_hal::DeviceInfo;
use scythe_image::{PropertySet, PropertySets};

/// Numbers of `sycl::aspect` and sizes, as the property set lists them.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Requirements {
    pub aspects: Vec<u32>,
    pub sub_group_sizes: Vec<u32>,
    /// Each in the order of the attribute.
    pub work_group_sizes: Vec<Vec<u32>>,
    /// The aspects of the architectures of `-fsycl-fixed-targets`, where the image was compiled with it.
    pub fixed_targets: Option<Vec<u32>>,
}

impl Requirements {
    /// An error names the property that is not laid out as the specification says.
    pub fn read(sets: &PropertySets) -> Result<Self, String> {
        let Some(set) = sets.get(DEVICE_REQUIREMENTS) else { return Ok(Self::default()) };
        Ok(Self {
            aspects: words(set, "aspect")?.unwrap_or_default(),
            sub_group_sizes: words(set, "reqd_sub_group_size")?.unwrap_or_default(),
            work_group_sizes: work_group_sizes(&words(set, "reqd_work_group_size")?.unwrap_or_default())?,
            fixed_targets: words(set, "fixed_target")?,
        })
    }

    /// Why the device cannot run the image: one sentence for each demand that is not met.
    pub fn check(&self, device: &DeviceInfo) -> Result<(), String> {
        let mut missing = Vec::new();
        if let Some(targets) = &self.fixed_targets
            && !targets.iter().any(|target| device.aspects.contains(target))
        {
            let names: Vec<String> = targets.iter().map(|&target| target_name(target)).collect();
            missing.push(format!(
                "Kernel was compiled with '-fsycl-fixed-targets={}' but was submitted to a different device.",
                names.join(",")
            ));
        }
        for &aspect in self.aspects.iter().filter(|aspect| !device.aspects.contains(aspect)) {
            missing.push(format!(
                "Kernel uses optional feature corresponding to 'aspect::{}' but device does not support this aspect.",
                aspect_name(aspect)
            ));
        }
        for &size in self.sub_group_sizes.iter().filter(|&&size| !device.sub_group_sizes.contains(&u64::from(size))) {
            missing.push(format!(
                "Kernel has a required sub-group size of '{size}' but device does not support this sub-group size."
            ));
        }
        for size in self.work_group_sizes.iter().filter(|size| !fits(size, device)) {
            missing.push(format!(
                "Kernel has a required work-group size of '{}' but device does not support this work-group size.",
                show(size)
            ));
        }
        if missing.is_empty() { Ok(()) } else { Err(missing.join(" ")) }
    }
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
pub fn show(sizes: &[u32]) -> String {
    sizes.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

fn aspect_name(number: u32) -> String {
    Aspect::from_u32(number).map_or_else(|| number.to_string(), |aspect| aspect.as_str().to_owned())
}

/// What `-fsycl-fixed-targets` calls an architecture: its aspect without the prefix of extensions. The names of x86 targets do
/// not say whose extension they are.
fn target_name(number: u32) -> String {
    let name = aspect_name(number);
    let name = name.strip_prefix("ext_").unwrap_or(&name);
    name.strip_prefix("intel_").filter(|rest| rest.starts_with("x86_64")).unwrap_or(name).to_owned()
}

/// The little-endian words of a byte array.
pub fn words(set: &PropertySet, name: &str) -> Result<Option<Vec<u32>>, String> {
    let Some(value) = set.get(name) else { return Ok(None) };
    let bytes = value.as_bytes().filter(|bytes| bytes.len() % 4 == 0);
    let bytes = bytes.ok_or_else(|| format!("property '{name}' is not an array of 32-bit numbers"))?;
    Ok(Some(bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()))
}

/// Entries of a number of dimensions and as many sizes.
fn work_group_sizes(mut words: &[u32]) -> Result<Vec<Vec<u32>>, String> {
    let mut sizes = Vec::new();
    while let [dimensions, rest @ ..] = words {
        let entry =
            usize::try_from(*dimensions).ok().filter(|n| (1..=3).contains(n)).and_then(|n| rest.split_at_checked(n));
        let (size, next) = entry.ok_or_else(|| {
            format!("property 'reqd_work_group_size' has an entry of {dimensions} dimensions and {} words", rest.len())
        })?;
        sizes.push(size.to_vec());
        words = next;
    }
    Ok(sizes)
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
            sets.set(DEVICE_REQUIREMENTS).insert(name, bytes(words));
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
        Requirements::read(&sets(properties)).expect("well formed").check(&device())
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
            "Kernel was compiled with '-fsycl-fixed-targets=intel_gpu_bdw,x86_64' but was submitted to a different device."
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
            assert!(Requirements::read(&sets(&[("reqd_work_group_size", words)])).is_err(), "{words:?}");
        }
        let mut odd = PropertySets::default();
        odd.set(DEVICE_REQUIREMENTS).insert("aspect", vec![1, 2, 3]);
        assert_eq!(Requirements::read(&odd), Err("property 'aspect' is not an array of 32-bit numbers".to_owned()));
        let mut number = PropertySets::default();
        number.set(DEVICE_REQUIREMENTS).insert("fixed_target", 3);
        assert!(Requirements::read(&number).is_err());
    }
}
