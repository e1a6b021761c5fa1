//! The targets of device code, as the names in objects and images express them. The functions here
//! inspect the form of a name only and need no table.
//!
//! The table of targets is the device configuration (`scythe-device-config`): it holds the valid
//! names, their aliases, and how to compile code for each target. This module derives other names
//! from a name that the table resolved: the triple and the bundle id under which objects hold
//! device code (`sycl-spir64_gen-unknown-unknown-skl`). It also performs the reverse conversion.
//! The runtime, and a link that compiles no code for a target, therefore do not need the table.
//!
//! Most target names begin with the name of their family: `intel_gpu_skl`, `nvidia_gpu_sm_90`,
//! `x86_64_avx2`. A user-defined target may have any name. In ids, the family and [`OWN_NAME`] then
//! precede it.
//!
//! Code for [`Target::Cpu`] is compiled for several instruction-set levels at once. Each level is
//! one image, whose target is [`Level::image_target`]. The device uses the best level that the
//! machine supports.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// A compilation target of device code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    /// Any device; the code is compiled at run time.
    Generic,
    /// x86-64 code for the CPU device, ahead of time, for several levels.
    Cpu,
    /// x86-64 code for the CPU device, ahead of time, for the levels that the device configuration
    /// lists for this target.
    CpuLevel(DeviceName),
    /// Intel GPUs, ahead of time; options for the back end select the devices (`-device skl`).
    IntelGen,
    /// One Intel GPU, ahead of time.
    IntelGpu(DeviceName),
    /// PTX that the driver of any NVIDIA GPU from [`PTX_BASE`] on can compile.
    Ptx,
    /// NVIDIA GPUs of one architecture, ahead of time.
    NvidiaGpu(DeviceName),
}

/// A family of targets that share the form of their device code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Family {
    Generic,
    Cpu,
    Intel,
    Nvidia,
}

/// The part of a name that distinguishes a target from others of its family: `skl`, `sm_90`,
/// `avx2`. For a user-defined target without the family's prefix, it is [`OWN_NAME`] and the whole
/// name. Equal names share one text, which lives as long as the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeviceName(&'static str);

impl DeviceName {
    fn new(text: &str) -> Option<Self> {
        static KNOWN: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
        if !is_name(text.strip_prefix(OWN_NAME).unwrap_or(text)) {
            return None;
        }
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(name) = known.get(text) {
            return Some(Self(name));
        }
        let name: &'static str = Box::leak(text.to_owned().into_boxed_str());
        known.insert(name);
        Some(Self(name))
    }
}

/// Returns whether a target can have this name: at most [`LONGEST_NAME`] letters, digits, `_`, `-`
/// and `.`.
pub fn is_name(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    (1..=LONGEST_NAME).contains(&name.len()) && name.bytes().all(fits)
}

/// The maximum length of a target's name. The length is limited because file names contain target
/// names.
pub const LONGEST_NAME: usize = 100;

/// The prefix of the name of a user-defined target that does not begin with its family's prefix.
/// Target names cannot contain this character.
pub const OWN_NAME: char = '@';

/// The architecture that [`Target::Ptx`] is compiled for: the oldest one that all current CUDA
/// releases support. It also has the memory orders and scopes of SYCL.
pub const PTX_BASE: &str = "sm_75";

/// Suffixes that may follow the architecture in a triple. They have no effect.
pub const TRIPLE_SUFFIXES: [&str; 6] = [
    "-sycldevice",
    "-unknown-unknown",
    "-unknown-unknown-sycldevice",
    "-unknown-linux",
    "-unknown-linux-gnu",
    "-unknown-linux-sycldevice",
];

const BUNDLE_KIND: &str = "sycl-";
const GENERIC_NAME: &str = "spir64";
const GEN_NAME: &str = "spir64_gen";
const INTEL_PREFIX: &str = "intel_gpu_";
const NVIDIA_PREFIX: &str = "nvidia_gpu_";
const CPU_PREFIX: &str = "x86_64_";
const GENERIC_TRIPLE: &str = "spir64-unknown-unknown";
const GEN_TRIPLE: &str = "spir64_gen-unknown-unknown";
const CPU_TRIPLE: &str = "spir64_x86_64-unknown-unknown";
const PTX_TRIPLE: &str = "nvptx64-nvidia-cuda";

impl Family {
    /// Returns the prefix of the names of the family's targets.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Generic => "",
            Self::Cpu => CPU_PREFIX,
            Self::Intel => INTEL_PREFIX,
            Self::Nvidia => NVIDIA_PREFIX,
        }
    }

    /// Returns the device family of an image with this target. Returns `None` for generic code and
    /// for names that are not targets.
    pub fn of_image_target(target: &str) -> Option<Self> {
        Some(Target::of_image_target(target)?.family()).filter(|family| *family != Self::Generic)
    }
}

impl Target {
    /// Returns the target with this name in a family. The name must be one from the device
    /// configuration, not an alias.
    pub fn named(family: Family, name: &str) -> Option<Self> {
        let device = match name.strip_prefix(family.prefix()) {
            // `sycldevice` is an old suffix of triples; ids would be parsed as that suffix.
            Some(rest) if !family.prefix().is_empty() && rest != "sycldevice" => {
                DeviceName::new(rest)
            }
            _ => DeviceName::new(&format!("{OWN_NAME}{name}")),
        };
        match (family, name) {
            (Family::Generic, _) => Some(Self::Generic),
            (Family::Cpu, ARCH) => Some(Self::Cpu),
            (Family::Intel, GEN_NAME) => Some(Self::IntelGen),
            (Family::Nvidia, PTX_TRIPLE) => Some(Self::Ptx),
            (Family::Cpu, _) => device.map(Self::CpuLevel),
            (Family::Intel, _) => device.map(Self::IntelGpu),
            (Family::Nvidia, _) => device.map(Self::NvidiaGpu),
        }
    }

    /// Returns the target of an image's target: any text that has the form of a target. The text
    /// after [`SEPARATOR`] is ignored.
    pub fn of_image_target(target: &str) -> Option<Self> {
        let name = target.split(SEPARATOR).next().unwrap_or_default();
        let of = |family: Family, to: fn(DeviceName) -> Self| {
            name.strip_prefix(family.prefix()).and_then(DeviceName::new).map(to)
        };
        of(Family::Intel, Self::IntelGpu)
            .or_else(|| of(Family::Nvidia, Self::NvidiaGpu))
            .or_else(|| of(Family::Cpu, Self::CpuLevel))
            .or_else(|| Self::of_id(name))
    }

    pub fn family(self) -> Family {
        match self {
            Self::Generic => Family::Generic,
            Self::Cpu | Self::CpuLevel(_) => Family::Cpu,
            Self::IntelGen | Self::IntelGpu(_) => Family::Intel,
            Self::Ptx | Self::NvidiaGpu(_) => Family::Nvidia,
        }
    }

    /// Returns the name in the device configuration, as users write it.
    pub fn name(self) -> String {
        match self.arch().map(|arch| (arch, arch.strip_prefix(OWN_NAME))) {
            Some((_, Some(own))) => own.to_owned(),
            _ => self.image_target(),
        }
    }

    /// Returns the target of its images, which identifies the family.
    pub fn image_target(self) -> String {
        match self.arch() {
            Some(arch) => format!("{}{arch}", self.family().prefix()),
            None => match self.family() {
                Family::Generic => GENERIC_NAME.to_owned(),
                Family::Cpu => ARCH.to_owned(),
                Family::Intel => GEN_NAME.to_owned(),
                Family::Nvidia => PTX_TRIPLE.to_owned(),
            },
        }
    }

    /// Returns the triple under which objects and images hold the target's device code.
    pub fn triple(self) -> &'static str {
        match self.family() {
            Family::Generic => GENERIC_TRIPLE,
            Family::Cpu => CPU_TRIPLE,
            Family::Intel => GEN_TRIPLE,
            Family::Nvidia => PTX_TRIPLE,
        }
    }

    /// Returns the text that distinguishes it from other targets with the same triple: `skl`,
    /// `sm_90`, `avx2`.
    pub fn arch(self) -> Option<&'static str> {
        match self {
            Self::Generic | Self::Cpu | Self::IntelGen | Self::Ptx => None,
            Self::CpuLevel(name) | Self::IntelGpu(name) | Self::NvidiaGpu(name) => Some(name.0),
        }
    }

    /// Returns the triple, followed by the architecture if there is one:
    /// `nvptx64-nvidia-cuda-sm_90`.
    pub fn full_triple(self) -> String {
        match self.arch() {
            None => self.triple().to_owned(),
            Some(arch) => format!("{}-{arch}", self.triple()),
        }
    }

    /// Returns the name of the device code in a fat object: `sycl-nvptx64-nvidia-cuda-sm_90`.
    pub fn bundle_id(self) -> String {
        format!("{BUNDLE_KIND}{}", self.full_triple())
    }

    /// Parses a bundle id, the inverse of [`Target::bundle_id`]. Other spellings of the triple are
    /// accepted.
    pub fn from_bundle_id(id: &str) -> Option<Self> {
        id.starts_with(BUNDLE_KIND).then(|| Self::of_id(id))?
    }

    /// Returns the target of a bundle id or a triple, with or without an architecture. Accepts any
    /// text that has the form of a target.
    pub fn of_id(id: &str) -> Option<Self> {
        let id = id.strip_prefix(BUNDLE_KIND).unwrap_or(id);
        if let Some(rest) = id.strip_prefix(PTX_TRIPLE) {
            return match rest {
                "" | "-sycldevice" => Some(Self::Ptx),
                _ => DeviceName::new(rest.strip_prefix('-')?).map(Self::NvidiaGpu),
            };
        }
        let (arch, suffix) = id.split_at(id.find('-').unwrap_or(id.len()));
        if suffix.is_empty() || TRIPLE_SUFFIXES.contains(&suffix) {
            return match arch {
                GENERIC_NAME | "spirv64" => Some(Self::Generic),
                ARCH => Some(Self::Cpu),
                GEN_NAME => Some(Self::IntelGen),
                _ => None,
            };
        }
        let device = DeviceName::new(suffix.strip_prefix("-unknown-unknown-")?)?;
        match arch {
            GEN_NAME => Some(Self::IntelGpu(device)),
            ARCH => Some(Self::CpuLevel(device)),
            _ => None,
        }
    }

    /// Returns the triple that the device pass compiles for.
    pub fn device_triple(self) -> &'static str {
        if self.is_nvptx() { PTX_TRIPLE } else { crate::names::GENERIC_TRIPLE }
    }

    /// Returns whether the device code is NVPTX rather than the generic form.
    pub fn is_nvptx(self) -> bool {
        self.family() == Family::Nvidia
    }

    /// Returns whether the code for the target is compiled at link time rather than at run time.
    pub fn is_ahead_of_time(self) -> bool {
        self != Self::Generic
    }
}

/// A level of the x86-64 psABI. A machine that supports a level also supports all earlier levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    V1,
    V2,
    V3,
    V4,
}

/// The separator between a target and the level, version or architecture that follows it in an
/// image's target.
pub const SEPARATOR: char = ':';
const ARCH: &str = "spir64_x86_64";

impl Level {
    pub const ALL: [Self; 4] = [Self::V1, Self::V2, Self::V3, Self::V4];

    /// The levels that code is compiled for if the user names none: one that runs on every machine,
    /// and one for each larger vector width. `V2` has the same vector width as `V1`.
    pub const DEFAULT: [Self; 3] = [Self::V1, Self::V3, Self::V4];

    /// All names, for error messages.
    pub const NAMES: &str = "'x86-64' or 'sse2', 'x86-64-v2' or 'sse4.2', 'x86-64-v3' or 'avx2', \
        'x86-64-v4' or 'avx512'";

    /// Returns the name in the psABI, which is also LLVM's name of a processor of this level.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::V1 => "x86-64",
            Self::V2 => "x86-64-v2",
            Self::V3 => "x86-64-v3",
            Self::V4 => "x86-64-v4",
        }
    }

    /// Returns the level with this name, or the level that this instruction-set extension denotes.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "sse2" | "x86-64-v1" => Some(Self::V1),
            // `sse42` and `avx` are names of DPC++'s compiler. Code for AVX gets the level below.
            "sse4.2" | "sse42" | "avx" => Some(Self::V2),
            "avx2" => Some(Self::V3),
            "avx512" => Some(Self::V4),
            _ => Self::ALL.into_iter().find(|level| level.as_str() == name),
        }
    }

    /// Returns the width of a vector register in bits.
    pub fn vector_bits(self) -> u32 {
        match self {
            Self::V1 | Self::V2 => 128,
            Self::V3 => 256,
            Self::V4 => 512,
        }
    }

    /// Returns the target of an image with code of this level: `spir64_x86_64:x86-64-v3`.
    pub fn image_target(self) -> String {
        format!("{ARCH}{SEPARATOR}{}", self.as_str())
    }

    /// Returns the level of an image's target, the inverse of [`Level::image_target`].
    pub fn of_image_target(target: &str) -> Option<Self> {
        let (arch, level) = target.split_once(SEPARATOR)?;
        Self::ALL.into_iter().find(|known| arch == ARCH && known.as_str() == level)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAMILIES: [Family; 4] = [Family::Generic, Family::Cpu, Family::Intel, Family::Nvidia];

    #[test]
    fn ids_lead_back_to_their_target() {
        let names = [
            "spir64",
            "spir64_gen",
            "spir64_x86_64",
            "nvptx64-nvidia-cuda",
            "intel_gpu_skl",
            "x86_64_avx2",
        ];
        let more = [
            "nvidia_gpu_sm_90a",
            "my-gpu",
            "skl",
            "sycldevice",
            "intel_gpu_sycldevice",
            "X.1",
            "intel_gpu_",
            "intel_gpu_a-b",
        ];
        let mut ids = BTreeSet::new();
        for (family, name) in FAMILIES
            .into_iter()
            .flat_map(|family| names.iter().chain(&more).map(move |n| (family, n)))
        {
            let Some(target) = Target::named(family, name) else {
                assert_eq!((family, *name), (Family::Intel, "intel_gpu_"));
                continue;
            };
            assert_eq!(Target::of_id(&target.full_triple()), Some(target), "{name}");
            assert_eq!(Target::from_bundle_id(&target.bundle_id()), Some(target), "{name}");
            if target != Target::Generic {
                assert_eq!(target.name(), *name);
                assert!(
                    ids.insert(target.bundle_id()),
                    "{name}: {} stands for two targets",
                    target.bundle_id()
                );
                assert_eq!(Target::of_image_target(&target.image_target()), Some(target), "{name}");
                assert_eq!(Family::of_image_target(&target.image_target()), Some(family), "{name}");
            }
        }
    }

    #[test]
    fn triples_are_known_in_every_spelling() {
        for name in [
            "spir64",
            "spirv64",
            "spir64-unknown-unknown",
            "sycl-spir64-unknown-unknown-sycldevice",
        ] {
            assert_eq!(Target::of_id(name), Some(Target::Generic), "{name}");
        }
        assert_eq!(Target::of_id("spir64_x86_64-unknown-unknown-sycldevice"), Some(Target::Cpu));
        assert_eq!(Target::of_id("nvptx64-nvidia-cuda-sycldevice"), Some(Target::Ptx));
        for id in [
            "",
            "spir",
            "spir64-unknown",
            "spir64_fpga",
            "spir64_gen-unknown-unknown-",
            "sycl-",
            "intel_gpu_skl",
        ] {
            assert_eq!(Target::of_id(id), None, "{id}");
        }
        for id in [
            "spir64_gen-unknown-unknown-a b",
            "nvptx64-nvidia-cuda-\u{e4}",
            "nvptx64-nvidia-cuda-@",
        ] {
            assert_eq!(Target::of_id(id), None, "{id}");
        }
        assert_eq!(
            Target::of_id(&format!("nvptx64-nvidia-cuda-{}", "x".repeat(LONGEST_NAME + 1))),
            None
        );
    }

    #[test]
    fn targets_tell_what_the_parts_need() {
        let skl = Target::named(Family::Intel, "intel_gpu_skl").expect("a name");
        assert_eq!(skl.bundle_id(), "sycl-spir64_gen-unknown-unknown-skl");
        assert_eq!(skl.device_triple(), "spirv64-unknown-unknown");
        let own = Target::named(Family::Intel, "skl").expect("a name");
        assert_eq!(own.bundle_id(), "sycl-spir64_gen-unknown-unknown-@skl");
        assert_eq!(
            (own.name(), own.image_target()),
            ("skl".to_owned(), "intel_gpu_@skl".to_owned())
        );
        let sm_90 = Target::named(Family::Nvidia, "nvidia_gpu_sm_90").expect("a name");
        assert_eq!(sm_90.bundle_id(), "sycl-nvptx64-nvidia-cuda-sm_90");
        assert_eq!(sm_90.device_triple(), "nvptx64-nvidia-cuda");
        assert_eq!(Target::Generic.bundle_id(), "sycl-spir64-unknown-unknown");
        assert_eq!(Target::Cpu.bundle_id(), "sycl-spir64_x86_64-unknown-unknown");
    }

    #[test]
    fn images_tell_the_family_of_their_devices() {
        for (target, family) in [
            ("intel_gpu_new:12.55.8", Some(Family::Intel)),
            ("spir64_gen", Some(Family::Intel)),
            ("nvidia_gpu_@mine:sm_90", Some(Family::Nvidia)),
            ("nvptx64-nvidia-cuda-sm_90", Some(Family::Nvidia)),
            ("spir64_x86_64:x86-64-v3", Some(Family::Cpu)),
            ("spirv64-unknown-unknown", None),
            ("anything", None),
            ("", None),
        ] {
            assert_eq!(Family::of_image_target(target), family, "{target}");
        }
    }

    #[test]
    fn levels_are_told_by_name_and_by_image() {
        for level in Level::ALL {
            assert_eq!(Level::from_name(level.as_str()), Some(level));
            assert_eq!(Level::of_image_target(&level.image_target()), Some(level));
        }
        assert_eq!(Level::from_name("avx512"), Some(Level::V4));
        assert_eq!(Level::from_name("x86-64-v5"), None);
        for target in
            ["spir64_x86_64", "spir64_x86_64:", "spir64_x86_64:avx2", "x86_64:x86-64", ":x86-64"]
        {
            assert_eq!(Level::of_image_target(target), None, "{target}");
        }
    }
}
