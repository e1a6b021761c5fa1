//! Derives facts from a row of the table: the name of its code, its compiler and device, and the
//! macros of its device pass.

use crate::errors::{ImpossibleName, NoCompiler, WrongCompiler};
use crate::table::{Target, embedded};
use crate::{Error, Table, shell_words};
use scythe_abi::cuda::Architecture;
use scythe_abi::intel::Version;
use scythe_abi::target::{Family, PTX_BASE, SEPARATOR, Target as Id};
use scythe_diag::Report;

/// The option of ocloc that selects the device.
pub const OCLOC_DEVICE: &str = "-device";

/// The compilers that `aot-toolchain` can name, with the family of their code. Names that start
/// with `ocloc` are versions of ocloc.
const TOOLCHAINS: [(&str, Family); 3] =
    [("ocloc", Family::Intel), ("ptxas", Family::Nvidia), ("scythe", Family::Cpu)];

/// The options of `ptxas` that select the architecture.
const PTXAS_ARCH: [&str; 2] = ["-arch", "--gpu-name"];

impl Target {
    /// Returns the name of the target's device code in objects and images. The error is the reason
    /// why there can be no code for the target.
    pub fn id(&self) -> Result<Id, Error> {
        let family = self.family()?;
        Id::named(family, &self.name)
            .ok_or_else(|| ImpossibleName { name: self.name.to_string() }.report())
    }

    /// Returns the family, which the name or else the compiler determines.
    fn family(&self) -> Result<Family, Error> {
        if self.name == "spir64" {
            return Ok(Family::Generic);
        }
        let named = Family::of_image_target(&self.name);
        let toolchain = Some(&*self.aot_toolchain).filter(|toolchain| !toolchain.is_empty());
        let Some(toolchain) = toolchain else {
            let target = self.name.to_string();
            return Err(NoCompiler { target, expected: toolchains(named) }.report());
        };
        let file = toolchain.rsplit('/').next().unwrap_or_default();
        let is_it = |known: &str| file == known || known == "ocloc" && file.starts_with(known);
        let made = TOOLCHAINS.into_iter().find(|(known, _)| is_it(known)).map(|(_, family)| family);
        match (made, named) {
            (Some(made), None) => Ok(made),
            (Some(made), Some(named)) if made == named => Ok(made),
            _ => {
                let (compiler, target) = (toolchain.to_owned(), self.name.to_string());
                let expected = toolchains(named);
                Err(WrongCompiler { compiler, target, expected }.report())
            }
        }
    }

    /// Returns the options for the target's compiler as a list.
    pub fn options(&self) -> Vec<String> {
        shell_words::split(&self.aot_toolchain_options)
    }

    /// Returns the device in the options of ocloc.
    pub fn ocloc_device(&self) -> Option<String> {
        let words = self.options();
        let at = words.iter().position(|word| word == OCLOC_DEVICE)?;
        words.get(at + 1).cloned()
    }

    /// Returns the architecture in the options of `ptxas`, such as `sm_90`. For a family of GPUs,
    /// it is the oldest one.
    pub fn cuda_arch(&self) -> Option<String> {
        self.cuda_options().0
    }

    /// Returns that architecture, and all other options.
    pub fn cuda_options(&self) -> (Option<String>, Vec<String>) {
        let (mut arch, mut others) = (None, Vec::new());
        let mut words = self.options().into_iter();
        while let Some(word) = words.next() {
            match PTXAS_ARCH.iter().find_map(|option| word.strip_prefix(option)?.strip_prefix('='))
            {
                Some(told) => arch = Some(told.to_owned()),
                None if PTXAS_ARCH.contains(&word.as_str()) => arch = words.next(),
                None => others.push(word),
            }
        }
        (arch, others)
    }

    /// Returns the PTX version, times ten, of code for NVIDIA GPUs: the first version that supports
    /// the architecture. If the architecture is unknown, returns the newest known version.
    pub fn ptx_version(&self) -> u32 {
        let table = Table::embedded();
        let arch = self.cuda_arch();
        let told = |target: &Target| target.first_ptx;
        let same = || table.targets().filter(|row| row.cuda_arch() == arch).find_map(told);
        told(self)
            .or_else(same)
            .or_else(|| table.targets().filter_map(told).max())
            .unwrap_or_default()
    }

    /// Returns the macros that the target's device pass predefines, as `NAME=VALUE`.
    pub fn macros(&self) -> Vec<String> {
        let of_name = |name: &str| {
            let upper =
                |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
            format!("__SYCL_TARGET_{}__=1", name.chars().map(upper).collect::<String>())
        };
        let Ok(id) = self.id() else { return Vec::new() };
        let mut macros = Vec::new();
        if id.family() == Family::Nvidia {
            let arch = self.cuda_arch();
            let arch = Architecture::from_name(arch.as_deref().unwrap_or(PTX_BASE));
            macros.push("__SYCL_NVPTX__=1".to_owned());
            macros.extend(arch.map(|arch| format!("__SYCL_CUDA_ARCH__={}", 10 * arch.sm)));
        }
        if id.family() == Family::Cpu {
            macros.push("__SYCL_TARGET_INTEL_X86_64__=1".to_owned());
        }
        // Levels of the CPU share a device pass, and families have no macro.
        let level = id.family() == Family::Cpu && self.name.starts_with(Family::Cpu.prefix());
        if id.arch().is_some() && !level {
            let architectures = self.aspects.iter().filter(|aspect| aspect.is_gpu_architecture());
            let names = architectures.filter_map(|aspect| aspect.as_str().strip_prefix("ext_"));
            for definition in names.chain([&*self.name]).map(of_name) {
                if !macros.contains(&definition) {
                    macros.push(definition);
                }
            }
        }
        macros
    }

    /// Returns the version of the target's Intel GPU, if it is one and the version is known.
    fn version(&self) -> Option<Version> {
        let of = |target: &Target| {
            let aliases = Table::aliases(&target.name).find_map(Version::in_name);
            aliases.or_else(|| Version::in_name(&target.name))
        };
        let device = self.ocloc_device()?;
        // A target with the code of another target also has its version.
        let same_code = || {
            crate::table::TARGETS
                .iter()
                .filter(|other| other.ocloc_device().as_ref() == Some(&device))
        };
        Version::from_ocloc(&device).or_else(|| of(self)).or_else(|| same_code().find_map(of))
    }
}

/// Lists the compilers of a family, or all compilers, for messages.
fn toolchains(family: Option<Family>) -> String {
    let fits = |of: &Family| family.is_none_or(|family| family == *of);
    let names: Vec<String> =
        TOOLCHAINS.iter().filter(|(_, of)| fits(of)).map(|(name, _)| format!("'{name}'")).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

/// Returns the version of the Intel GPU of a target or an image's target, or `None` if it stands
/// for none or several.
pub fn intel_version(target: &str) -> Option<Version> {
    let in_table = || {
        let row = Table::embedded().lookup(target)?.clone();
        row.id().is_ok_and(|id| matches!(id, Id::IntelGpu(_))).then(|| row.version())?
    };
    match target.contains(SEPARATOR) {
        true => Version::in_name(target),
        false => in_table().or_else(|| Version::in_name(target)),
    }
}

/// Returns the name of the target for a version: `intel_gpu_skl`, or `intel_gpu_12_55_1` if there
/// is no other name.
pub fn intel_name(version: Version) -> String {
    let name = version.numbered_name();
    match embedded(Table::canonical(&name)) {
        Some(target) => target.name.to_string(),
        None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str) -> Target {
        Table::embedded().lookup(name).unwrap_or_else(|| panic!("'{name}' is no target")).clone()
    }

    #[test]
    fn rows_tell_their_code_their_macros_and_what_compilers_are_told() {
        assert_eq!(row("intel_gpu_9_0_9").macros(), ["__SYCL_TARGET_INTEL_GPU_SKL__=1"]);
        assert_eq!(row("intel_gpu_acm_g10").ocloc_device().as_deref(), Some("acm-g10"));
        assert_eq!(
            row("nvidia_gpu_sm_90").macros(),
            ["__SYCL_NVPTX__=1", "__SYCL_CUDA_ARCH__=900", "__SYCL_TARGET_NVIDIA_GPU_SM_90__=1"]
        );
        assert_eq!(row("ptx64").macros(), ["__SYCL_NVPTX__=1", "__SYCL_CUDA_ARCH__=750"]);
        assert_eq!((row("nvidia_gpu_sm_120a").ptx_version(), row("ptx64").ptx_version()), (87, 83));
        assert_eq!(row("x86_64").macros(), ["__SYCL_TARGET_INTEL_X86_64__=1"]);
        assert_eq!(row("x86_64_avx2").macros(), row("spir64_x86_64").macros());
        assert!(row("spir64").macros().is_empty() && row("spir64_gen").macros().is_empty());
        assert_eq!(row("ptx64").cuda_arch().as_deref(), Some(PTX_BASE));
        assert_eq!(row("spir64_gen-unknown-unknown-skl").id(), row("intel_gpu_skl").id());
    }

    #[test]
    fn every_row_but_that_for_fpgas_has_code() {
        for target in Table::embedded().targets() {
            match target.id() {
                Ok(id) => assert_eq!(id.name(), target.name),
                Err(error) => {
                    assert_eq!(
                        error.message,
                        "the device configuration does not name a compiler for the target \
                         'spir64_fpga': expected 'ocloc', 'ptxas' or 'scythe' as its \
                         'aot-toolchain'"
                    );
                }
            }
        }
    }

    #[test]
    fn every_intel_gpu_has_a_version_that_leads_back_to_its_code() {
        for target in
            Table::embedded().targets().filter(|target| target.name.starts_with("intel_gpu_"))
        {
            let version = intel_version(&target.name)
                .unwrap_or_else(|| panic!("{} has no version", target.name));
            assert_eq!(
                row(&intel_name(version)).ocloc_device(),
                target.ocloc_device(),
                "{}",
                target.name
            );
        }
        let new = Version::new(12, 55, 1);
        assert_eq!(
            (intel_version("intel_gpu_12_55_1"), intel_name(new).as_str()),
            (Some(new), "intel_gpu_12_55_1")
        );
        assert_eq!(intel_version("intel_gpu_@mine:12.55.1"), Some(new));
        for none in
            ["spir64_gen", "spir64", "intel_gpu_mine", "nvidia_gpu_sm_90", "intel_gpu_skl:x", ""]
        {
            assert_eq!(intel_version(none), None, "{none}");
        }
    }

    #[test]
    fn compilers_must_fit_the_name() {
        let of = |name: &str, toolchain: &str| {
            let mut target = Target::new(name);
            target.aot_toolchain = toolchain.to_owned().into();
            target.id().map(|id| id.bundle_id()).map_err(|error| error.message)
        };
        assert_eq!(of("mine", "ocloc-22.43").unwrap(), "sycl-spir64_gen-unknown-unknown-@mine");
        assert_eq!(
            of("mine", "/opt/intel/bin/ocloc").unwrap(),
            "sycl-spir64_gen-unknown-unknown-@mine"
        );
        assert_eq!(of("mine", "ptxas").unwrap(), "sycl-nvptx64-nvidia-cuda-@mine");
        assert_eq!(of("mine", "scythe").unwrap(), "sycl-spir64_x86_64-unknown-unknown-@mine");
        assert_eq!(of("intel_gpu_new", "ocloc").unwrap(), "sycl-spir64_gen-unknown-unknown-new");
        let message = "the device configuration names the compiler 'ptxas' for the target \
            'intel_gpu_new', expected 'ocloc'";
        assert_eq!(of("intel_gpu_new", "ptxas").unwrap_err(), message);
        let message = "the device configuration names the compiler 'gcc' for the target 'mine', \
            expected 'ocloc', 'ptxas' or 'scythe'";
        assert_eq!(of("mine", "gcc").unwrap_err(), message);
        let message = "the device configuration does not name a compiler for the target \
            'nvidia_gpu_x': expected 'ptxas' as its 'aot-toolchain'";
        assert_eq!(of("nvidia_gpu_x", "").unwrap_err(), message);
    }
}
