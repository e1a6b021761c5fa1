//! Finds the known devices that can run an image.

use scythe_abi::aspect::Aspect;
use scythe_abi::requirements::{Conditional, Requirements};
use scythe_abi::target::{Family, Level, Target as Id};
use scythe_device_config::{Table, Target};

/// Whether a device can run an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Runs,
    /// The device may have the feature: the name stands for several devices.
    Perhaps(String),
    /// The feature that the device lacks.
    Lacks(String),
}

/// A device, and whether it can run an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    pub name: String,
    /// The kind of the device, for headings.
    pub family: &'static str,
    pub verdict: Verdict,
}

/// Returns the verdicts for all known devices, in the order of the table.
pub fn judge(
    image_target: &str,
    requirements: &Requirements,
    conditional: &[Conditional],
    table: &Table,
) -> Vec<Device> {
    let known = table.targets().filter(|target| is_device(target));
    known
        .map(|target| Device {
            name: target.name.to_string(),
            family: family(target),
            verdict: verdict(
                image_target,
                &requirements.on(conditional, |number| has(target, number)),
                target,
                table,
            ),
        })
        .collect()
}

fn has(target: &Target, number: u32) -> bool {
    Aspect::from_u32(number).is_some_and(|aspect| target.has(aspect))
}

/// Whether the target is one device, and not a family of devices.
fn is_device(target: &Target) -> bool {
    let named = target.id().is_ok_and(|id| id.arch().is_some());
    named && target.architecture().is_some() || !target.may_support_other_aspects
}

fn family(target: &Target) -> &'static str {
    match target.id().map(Id::family) {
        Ok(Family::Intel) => "Intel GPUs",
        Ok(Family::Nvidia) => "NVIDIA GPUs",
        Ok(Family::Cpu) => "x86-64 CPUs",
        Ok(Family::Generic) | Err(_) => "Other devices",
    }
}

fn verdict(
    image_target: &str,
    requirements: &Requirements,
    target: &Target,
    table: &Table,
) -> Verdict {
    if !is_code_for(image_target, target, table) {
        return Verdict::Lacks("code for it".into());
    }
    if let Err(lack) = target.check_launch(requirements) {
        return Verdict::Lacks(lack.to_string());
    }
    let unlisted = |number: &&u32| !has(target, **number);
    match requirements.aspects.iter().flatten().find(unlisted) {
        Some(&number) => Verdict::Perhaps(
            Aspect::from_u32(number).map_or(format!("aspect {number}"), |a| a.as_str().into()),
        ),
        None => Verdict::Runs,
    }
}

/// Whether an image for `image_target` contains code that the target can use. Unknown image targets
/// count as generic.
fn is_code_for(image_target: &str, target: &Target, table: &Table) -> bool {
    if let Some(level) = Level::of_image_target(image_target) {
        return cpu_level(target).is_some_and(|own| own >= level);
    }
    let by_name = || table.lookup(image_target).and_then(|row| row.id().ok());
    let Some(id) = by_name().or_else(|| Id::of_image_target(image_target)) else { return true };
    match (id.family(), id.arch()) {
        (Family::Generic, _) => true,
        (family, None) => target.id().is_ok_and(|own| own.family() == family),
        (_, Some(_)) => table.lookup(&id.name()).is_some_and(|row| row.name == target.name),
    }
}

/// Returns the instruction-set level of a target's processors: from its aspects, or else from its
/// compiler options.
fn cpu_level(target: &Target) -> Option<Level> {
    if target.id().ok()?.family() != Family::Cpu {
        return None;
    }
    let aspects = [
        (Aspect::ExtIntelX86_64Avx512, Level::V4),
        (Aspect::ExtIntelX86_64Avx2, Level::V3),
        (Aspect::ExtIntelX86_64Sse4_2, Level::V2),
    ];
    let by_aspect =
        aspects.into_iter().find(|(aspect, _)| target.has(*aspect)).map(|(_, level)| level);
    let levels = target
        .options()
        .into_iter()
        .filter_map(|word| word.strip_prefix("-march=").map(str::to_owned));
    let by_code = levels
        .flat_map(|list| list.split(',').filter_map(Level::from_name).collect::<Vec<_>>())
        .min();
    by_aspect.or(by_code).or(Some(Level::V1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs_on(image_target: &str, aspects: &[Aspect]) -> Vec<String> {
        let aspects = Some(aspects.iter().map(|&aspect| aspect as u32).collect());
        let requirements = Requirements { aspects, ..Requirements::default() };
        let devices = judge(image_target, &requirements, &[], &Table::embedded());
        devices
            .into_iter()
            .filter(|device| device.verdict == Verdict::Runs)
            .map(|device| device.name)
            .collect()
    }

    #[test]
    fn code_for_one_device_runs_there_alone() {
        for image in ["intel_gpu_skl", "intel_gpu_9_0_9", "sycl-spir64_gen-unknown-unknown-skl"] {
            assert_eq!(runs_on(image, &[]), ["intel_gpu_skl"], "{image}");
        }
        assert_eq!(runs_on("nvptx64-nvidia-cuda-sm_90", &[]), ["nvidia_gpu_sm_90"]);
    }

    #[test]
    fn a_level_runs_on_what_has_it() {
        assert_eq!(runs_on("spir64_x86_64:x86-64-v3", &[]), ["x86_64_avx2", "x86_64_avx512"]);
        assert_eq!(runs_on("spir64_x86_64:x86-64", &[]).len(), 4);
    }

    #[test]
    fn generic_code_runs_on_all_that_have_what_it_needs() {
        let all = runs_on("spirv64-unknown-unknown", &[]);
        let with_double = runs_on("spirv64-unknown-unknown", &[Aspect::Fp64]);
        assert!(all.len() > with_double.len() && all.contains(&"intel_gpu_dg1".to_owned()));
        assert!(
            !with_double.contains(&"intel_gpu_dg1".to_owned())
                && with_double.contains(&"intel_gpu_pvc".to_owned())
        );
    }

    #[test]
    fn what_nobody_listed_is_possible_where_a_name_stands_for_several() {
        let requirements =
            Requirements { aspects: Some(vec![Aspect::Fp16 as u32]), ..Requirements::default() };
        let devices = judge("spirv64", &requirements, &[], &Table::embedded());
        let old = devices.iter().find(|device| device.name == "x86_64_sse2").unwrap();
        assert_eq!(old.verdict, Verdict::Perhaps("fp16".into()));
    }
}
