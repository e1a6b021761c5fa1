//! Which of the known devices can run an image.

use scythe_abi::aspect::Aspect;
use scythe_abi::target::Level;
use scythe_device_config::{Requirements, Table, Target};

/// Whether one device can.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Runs,
    /// It may have what is needed: the name stands for several devices.
    Perhaps(String),
    /// What it lacks.
    Lacks(String),
}

/// A device, and whether it can.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    pub name: String,
    /// What kind of device it is, for headings.
    pub family: &'static str,
    pub verdict: Verdict,
}

/// The name of an x86-64 target that stands for all of its levels.
const ANY_CPU: &str = "spir64_x86_64";
const CPU_PREFIX: &str = "x86_64_";

/// Every known device, in the table's order.
pub fn judge(image_target: &str, requirements: &Requirements, table: &Table) -> Vec<Device> {
    let known = table.targets().filter(|target| is_device(target));
    known
        .map(|target| Device {
            name: target.name.to_string(),
            family: family(target),
            verdict: verdict(image_target, requirements, target),
        })
        .collect()
}

/// Not a name for a whole family.
fn is_device(target: &Target) -> bool {
    target.name != ANY_CPU && (target.architecture().is_some() || !target.may_support_other_aspects)
}

fn family(target: &Target) -> &'static str {
    match &*target.name {
        name if name.starts_with("intel_gpu_") => "Intel GPUs",
        name if name.starts_with("nvidia_gpu_") => "NVIDIA GPUs",
        name if name.starts_with(CPU_PREFIX) => "x86-64 CPUs",
        _ => "Other devices",
    }
}

fn verdict(image_target: &str, requirements: &Requirements, target: &Target) -> Verdict {
    if !is_code_for(image_target, target) {
        return Verdict::Lacks("code for it".into());
    }
    if let Err(lack) = requirements.check_launch(target) {
        return Verdict::Lacks(lack.to_string());
    }
    let unlisted = |number: &&u32| Aspect::from_u32(**number).is_none_or(|aspect| !target.has(aspect));
    match requirements.aspects.iter().flatten().find(unlisted) {
        Some(&number) => {
            Verdict::Perhaps(Aspect::from_u32(number).map_or(format!("aspect {number}"), |a| a.as_str().into()))
        }
        None => Verdict::Runs,
    }
}

/// Whether an image for `image_target` holds code that the target can use. Images for names that nobody knows are taken for
/// generic ones.
fn is_code_for(image_target: &str, target: &Target) -> bool {
    let image = image_target.strip_prefix("sycl-").unwrap_or(image_target);
    if let Some(level) = Level::of_image_target(image) {
        return cpu_level(target).is_some_and(|own| own >= level);
    }
    // A triple and the device after it, as objects name them.
    for (triple, prefix) in [
        ("spir64_gen-unknown-unknown-", "intel_gpu_"),
        ("nvptx64-nvidia-cuda-", "nvidia_gpu_"),
        ("spir64_x86_64-unknown-unknown-", CPU_PREFIX),
    ] {
        if let Some(device) = image.strip_prefix(triple).filter(|device| !device.starts_with("sycldevice")) {
            return Table::canonical(&format!("{prefix}{device}")) == target.name;
        }
    }
    match Table::canonical(image) {
        "spir64_gen" => family(target) == "Intel GPUs",
        "nvptx64-nvidia-cuda" => family(target) == "NVIDIA GPUs",
        ANY_CPU => target.has(Aspect::Cpu),
        name if name.starts_with("intel_gpu_") || name.starts_with("nvidia_gpu_") || name.starts_with(CPU_PREFIX) => {
            name == target.name
        }
        _ => true,
    }
}

fn cpu_level(target: &Target) -> Option<Level> {
    Level::from_name(&target.name.strip_prefix(CPU_PREFIX)?.replace('_', "."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs_on(image_target: &str, aspects: &[Aspect]) -> Vec<String> {
        let aspects = Some(aspects.iter().map(|&aspect| aspect as u32).collect());
        let requirements = Requirements { aspects, ..Requirements::default() };
        let devices = judge(image_target, &requirements, &Table::embedded());
        devices.into_iter().filter(|device| device.verdict == Verdict::Runs).map(|device| device.name).collect()
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
            !with_double.contains(&"intel_gpu_dg1".to_owned()) && with_double.contains(&"intel_gpu_pvc".to_owned())
        );
    }

    #[test]
    fn what_nobody_listed_is_possible_where_a_name_stands_for_several() {
        let requirements = Requirements { aspects: Some(vec![Aspect::Fp16 as u32]), ..Requirements::default() };
        let devices = judge("spirv64", &requirements, &Table::embedded());
        let old = devices.iter().find(|device| device.name == "x86_64_sse2").unwrap();
        assert_eq!(old.verdict, Verdict::Perhaps("fp16".into()));
    }
}
