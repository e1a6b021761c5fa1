//! What follows from a row of the table: which code it stands for, which compiler makes it and for
//! which device, and the macros of its device pass.

use crate::table::{Target, embedded};
use crate::{Table, words};
use scythe_abi::cuda::Architecture;
use scythe_abi::intel::Version;
use scythe_abi::target::{Family, PTX_BASE, SEPARATOR, Target as Id};

/// The option by which ocloc is told the device.
pub const OCLOC_DEVICE: &str = "-device";

/// Compilers that `aot-toolchain` can name, and the family of what they make. A name that begins
/// with `ocloc` is one of several ocloc.
const TOOLCHAINS: [(&str, Family); 3] =
    [("ocloc", Family::Intel), ("ptxas", Family::Nvidia), ("scythe", Family::Cpu)];

/// The options by which `ptxas` is told the architecture.
const PTXAS_ARCH: [&str; 2] = ["-arch", "--gpu-name"];

impl Target {
    /// What its device code is known by in objects and images. An error says why no code can be
    /// made for it.
    pub fn id(&self) -> Result<Id, String> {
        let name = &*self.name;
        let family = self.family()?;
        Id::named(family, name).ok_or_else(|| format!("'{name}' cannot be the name of a target"))
    }

    /// The family, by the name, else by the compiler.
    fn family(&self) -> Result<Family, String> {
        if self.name == "spir64" {
            return Ok(Family::Generic);
        }
        let named = Family::of_image_target(&self.name);
        let toolchain = Some(&*self.aot_toolchain).filter(|toolchain| !toolchain.is_empty());
        let Some(toolchain) = toolchain else {
            let message = format!(
                "the device configuration does not name a compiler for the target '{}'",
                self.name
            );
            return Err(format!(
                "{message}: expected {} as its 'aot-toolchain'",
                toolchains(named)
            ));
        };
        let file = toolchain.rsplit('/').next().unwrap_or_default();
        let is_it = |known: &str| file == known || known == "ocloc" && file.starts_with(known);
        let made = TOOLCHAINS.into_iter().find(|(known, _)| is_it(known)).map(|(_, family)| family);
        match (made, named) {
            (Some(made), None) => Ok(made),
            (Some(made), Some(named)) if made == named => Ok(made),
            _ => Err(format!(
                "the device configuration names the compiler '{toolchain}' for the target '{}', \
                 expected {}",
                self.name,
                toolchains(named)
            )),
        }
    }

    /// The options for its compiler, one by one.
    pub fn options(&self) -> Vec<String> {
        words::split(&self.aot_toolchain_options)
    }

    /// The device that ocloc is told.
    pub fn ocloc_device(&self) -> Option<String> {
        let words = self.options();
        let at = words.iter().position(|word| word == OCLOC_DEVICE)?;
        words.get(at + 1).cloned()
    }

    /// The architecture that `ptxas` is told, `sm_90`; for a family of GPUs, the oldest one.
    pub fn cuda_arch(&self) -> Option<String> {
        self.cuda_options().0
    }

    /// That architecture, and all other options.
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

    /// The PTX version, times ten, that code for NVIDIA GPUs is compiled to: the first that knows
    /// the architecture, and the newest known where nobody told.
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

    /// The macros that its device pass predefines, as `NAME=VALUE`.
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
        // Levels of the CPU share a device pass, and families have no macro of their own.
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

    /// The version of the Intel GPU that it stands for, where it is one and the version is known.
    fn version(&self) -> Option<Version> {
        let of = |target: &Target| {
            let aliases = Table::aliases(&target.name).find_map(Version::in_name);
            aliases.or_else(|| Version::in_name(&target.name))
        };
        let device = self.ocloc_device()?;
        // Where a target has the code of another, it has its version as well.
        let same_code = || {
            crate::table::TARGETS
                .iter()
                .filter(|other| other.ocloc_device().as_ref() == Some(&device))
        };
        Version::from_ocloc(&device).or_else(|| of(self)).or_else(|| same_code().find_map(of))
    }
}

/// For messages: the compilers of a family, or all.
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

/// The version of the Intel GPU that a target, or an image's target, names; `None` where it names
/// none or several.
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

/// The name of the target that stands for a version: `intel_gpu_skl`, or `intel_gpu_12_55_1` where
/// there is no other.
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
                Err(message) => {
                    assert_eq!(
                        message,
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
            target.id().map(|id| id.bundle_id())
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
