//! The one list of device targets: every name by which users, objects and tools call them, and what follows from each.
//!
//! A target has a canonical name (`intel_gpu_skl`), other names (`intel_gpu_9_0_9`), a bundle id under which objects hold its
//! device code (`sycl-spir64_gen-unknown-unknown-skl`), the triple that its device pass compiles for, and the macros
//! defined there. The driver, `device-link` and the table of aspects all ask here.
//!
//! Code for [`Target::Cpu`] is compiled for several instruction-set levels at once. Each level is one image, whose target is
//! [`Level::image_target`]: the device takes the best level that the machine supports.

/// What device code can be compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    /// Compiled at run time, for any device.
    Generic,
    /// x86-64 code for the CPU device, ahead of time, for several levels.
    Cpu,
    /// The same for one level.
    CpuLevel(Level),
    /// Intel GPUs ahead of time; options for the back end say which (`-device skl`).
    IntelGen,
    /// One Intel GPU, ahead of time.
    IntelGpu(IntelGpu),
    /// PTX that the driver of any NVIDIA GPU from [`Target::PTX_BASE`] on can compile.
    Ptx,
    /// NVIDIA GPUs of one architecture, ahead of time.
    NvidiaGpu(NvidiaGpu),
}

/// An Intel GPU: a row of [`INTEL_GPUS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IntelGpu(u8);

/// An architecture of NVIDIA GPUs: a row of [`NVIDIA_GPUS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NvidiaGpu(u8);

/// What `intel_gpu_` can be followed by: the device, how ocloc calls it, and other names of it. Versions have three numbers
/// in ocloc's list, and two in older documents.
const INTEL_GPUS: [(&str, &str, &[&str]); 23] = [
    ("bdw", "bdw", &["8_0_0"]),
    ("skl", "skl", &["9_0_9"]),
    ("kbl", "kbl", &["9_1_9"]),
    ("cfl", "cfl", &["9_2_9"]),
    ("apl", "apl", &["9_3_0"]),
    ("glk", "glk", &["9_4_0"]),
    ("whl", "whl", &["9_5_0"]),
    ("aml", "aml", &["9_6_0"]),
    ("cml", "cml", &["9_7_0"]),
    ("icllp", "icllp", &["icl", "11_0_0", "11_0"]),
    ("lkf", "lkf", &["11_1_0", "11_1"]),
    ("ehl", "ehl", &["11_2_0"]),
    ("tgllp", "tgllp", &["tgl", "12_0_0", "12_0", "12"]),
    ("rkl", "rkl", &["12_1_0"]),
    ("adl_s", "adl-s", &["12_2_0"]),
    // The same graphics as adl_s, and unknown to older ocloc.
    ("rpl_s", "adl-s", &[]),
    ("adl_p", "adl-p", &["12_3_0"]),
    ("adl_n", "adl-n", &["12_4_0"]),
    ("dg1", "dg1", &["12_10_0"]),
    ("acm_g10", "acm-g10", &["12_55_8"]),
    ("acm_g11", "acm-g11", &["12_56_5"]),
    ("acm_g12", "acm-g12", &["12_57_0"]),
    ("pvc", "pvc", &["12_60_7"]),
];

/// What `nvidia_gpu_` can be followed by, the value of `__CUDA_ARCH__`, and the first PTX version with it; none is older than
/// 8.3, which is what kernels are written for.
const NVIDIA_GPUS: [(&str, u32, u32); 20] = [
    ("sm_50", 500, 83),
    ("sm_52", 520, 83),
    ("sm_53", 530, 83),
    ("sm_60", 600, 83),
    ("sm_61", 610, 83),
    ("sm_62", 620, 83),
    ("sm_70", 700, 83),
    ("sm_72", 720, 83),
    ("sm_75", 750, 83),
    ("sm_80", 800, 83),
    ("sm_86", 860, 83),
    ("sm_87", 870, 83),
    ("sm_89", 890, 83),
    ("sm_90", 900, 83),
    ("sm_90a", 900, 83),
    ("sm_100", 1000, 86),
    ("sm_100a", 1000, 86),
    ("sm_101", 1010, 86),
    ("sm_103", 1030, 88),
    ("sm_120", 1200, 87),
];

/// Names of [`Target::CpuLevel`] after `x86_64_`.
const CPU_LEVELS: [(&str, Level); 4] =
    [("sse2", Level::V1), ("sse4_2", Level::V2), ("avx2", Level::V3), ("avx512", Level::V4)];

/// What may follow the architecture in the name of a target that is not NVIDIA's. None of it makes a difference.
const SUFFIXES: [&str; 7] = [
    "",
    "-sycldevice",
    "-unknown-unknown",
    "-unknown-unknown-sycldevice",
    "-unknown-linux",
    "-unknown-linux-gnu",
    "-unknown-linux-sycldevice",
];

const BUNDLE_KIND: &str = "sycl-";
const INTEL_PREFIX: &str = "intel_gpu_";
const NVIDIA_PREFIX: &str = "nvidia_gpu_";
const CPU_PREFIX: &str = "x86_64_";
const GEN_TRIPLE: &str = "spir64_gen-unknown-unknown";
const CPU_TRIPLE: &str = "spir64_x86_64-unknown-unknown";
const PTX_TRIPLE: &str = "nvptx64-nvidia-cuda";

impl Target {
    /// The architecture that [`Target::Ptx`] is compiled for: the oldest that all current CUDA releases know; it has SYCL's
    /// memory orders and scopes, too.
    pub const PTX_BASE: &str = "sm_75";

    /// For error messages: every name, in short.
    pub const NAMES: &str = "'spir64' (generic code, compiled at run time), 'spir64_x86_64', 'x86_64' or 'native_cpu' (the \
        CPU, ahead of time), 'x86_64_sse2', 'x86_64_sse4_2', 'x86_64_avx2', 'x86_64_avx512' (the CPU, for one level), \
        'intel_gpu_NAME' or 'spir64_gen' with '-device NAME' for the back end (Intel GPUs), 'nvptx64-nvidia-cuda', 'ptx64' or \
        'nvidia_gpu_sm_NN' (NVIDIA GPUs); '-fsycl-help' lists all";

    /// Every target, in order.
    pub fn all() -> Vec<Self> {
        let mut all = vec![Self::Generic, Self::Cpu];
        all.extend(CPU_LEVELS.iter().map(|(_, level)| Self::CpuLevel(*level)));
        all.push(Self::IntelGen);
        all.extend((0..INTEL_GPUS.len()).map(|row| Self::IntelGpu(IntelGpu(row as u8))));
        all.push(Self::Ptx);
        all.extend((0..NVIDIA_GPUS.len()).map(|row| Self::NvidiaGpu(NvidiaGpu(row as u8))));
        all
    }

    /// The canonical name, as users write it.
    pub fn name(self) -> String {
        match self {
            Self::Generic => "spir64".to_owned(),
            Self::Cpu => "spir64_x86_64".to_owned(),
            Self::CpuLevel(level) => format!("{CPU_PREFIX}{}", cpu_level_name(level)),
            Self::IntelGen => "spir64_gen".to_owned(),
            Self::IntelGpu(gpu) => format!("{INTEL_PREFIX}{}", gpu.name()),
            Self::Ptx => PTX_TRIPLE.to_owned(),
            Self::NvidiaGpu(gpu) => format!("{NVIDIA_PREFIX}{}", gpu.name()),
        }
    }

    /// Its other names, without the variants that only add `-unknown-unknown` or `-sycldevice`.
    pub fn aliases(self) -> Vec<String> {
        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        match self {
            Self::Generic => list(&["spirv64"]),
            Self::Cpu => list(&["x86_64", "native_cpu"]),
            Self::CpuLevel(_) => Vec::new(),
            Self::IntelGen => list(&["intel_gpu"]),
            Self::IntelGpu(gpu) => gpu.row().2.iter().map(|alias| format!("{INTEL_PREFIX}{alias}")).collect(),
            Self::Ptx => list(&["ptx64"]),
            Self::NvidiaGpu(_) => Vec::new(),
        }
    }

    /// The triple under which objects and images hold its device code.
    pub fn triple(self) -> &'static str {
        match self {
            Self::Generic => "spir64-unknown-unknown",
            Self::Cpu | Self::CpuLevel(_) => CPU_TRIPLE,
            Self::IntelGen | Self::IntelGpu(_) => GEN_TRIPLE,
            Self::Ptx | Self::NvidiaGpu(_) => PTX_TRIPLE,
        }
    }

    /// What tells it from other targets of the same triple: `skl`, `sm_90`, `avx2`.
    pub fn arch(self) -> Option<&'static str> {
        match self {
            Self::Generic | Self::Cpu | Self::IntelGen | Self::Ptx => None,
            Self::CpuLevel(level) => Some(cpu_level_name(level)),
            Self::IntelGpu(gpu) => Some(gpu.name()),
            Self::NvidiaGpu(gpu) => Some(gpu.name()),
        }
    }

    /// The triple, with the architecture where one is named: `nvptx64-nvidia-cuda-sm_90`.
    pub fn full_triple(self) -> String {
        match self.arch() {
            None => self.triple().to_owned(),
            Some(arch) => format!("{}-{arch}", self.triple()),
        }
    }

    /// The name of its device code in a fat object: `sycl-nvptx64-nvidia-cuda-sm_90`.
    pub fn bundle_id(self) -> String {
        format!("{BUNDLE_KIND}{}", self.full_triple())
    }

    /// Inverse of [`Target::bundle_id`]; other spellings of the triple are fine.
    pub fn from_bundle_id(id: &str) -> Option<Self> {
        id.starts_with(BUNDLE_KIND).then(|| Self::from_name(id))?
    }

    /// The triple that the device pass compiles for.
    pub fn device_triple(self) -> &'static str {
        match self {
            Self::Ptx | Self::NvidiaGpu(_) => PTX_TRIPLE,
            _ => crate::names::GENERIC_TRIPLE,
        }
    }

    /// Device code is NVPTX, and not the generic form.
    pub fn is_nvptx(self) -> bool {
        matches!(self, Self::Ptx | Self::NvidiaGpu(_))
    }

    /// Code for it is finished when a program is linked, and not when it runs.
    pub fn is_ahead_of_time(self) -> bool {
        self != Self::Generic
    }

    /// The architecture that an NVPTX device pass is for.
    pub fn cuda_arch(self) -> Option<&'static str> {
        match self {
            Self::Ptx => Some(Self::PTX_BASE),
            Self::NvidiaGpu(gpu) => Some(gpu.name()),
            _ => None,
        }
    }

    /// The PTX version that an NVPTX device pass is for, times ten.
    pub fn ptx_version(self) -> Option<u32> {
        nvidia_row(self.cuda_arch()?).map(|row| row.2)
    }

    /// What ocloc's `-device` is.
    pub fn ocloc_device(self) -> Option<&'static str> {
        match self {
            Self::IntelGpu(gpu) => Some(gpu.row().1),
            _ => None,
        }
    }

    /// The macros that its device pass predefines, as `NAME=VALUE`.
    pub fn macros(self) -> Vec<String> {
        match self {
            Self::Generic | Self::IntelGen => Vec::new(),
            Self::Cpu | Self::CpuLevel(_) => vec!["__SYCL_TARGET_INTEL_X86_64__=1".to_owned()],
            Self::IntelGpu(gpu) => vec![format!("__SYCL_TARGET_INTEL_GPU_{}__=1", gpu.name().to_uppercase())],
            Self::Ptx => nvptx_macros(Self::PTX_BASE),
            Self::NvidiaGpu(gpu) => {
                let mut macros = nvptx_macros(gpu.name());
                macros.push(format!("__SYCL_TARGET_NVIDIA_GPU_{}__=1", gpu.name().to_uppercase()));
                macros
            }
        }
    }

    /// The target that a user's name, a triple with architecture, or a bundle id means.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.strip_prefix(BUNDLE_KIND).unwrap_or(name);
        if let Some(rest) = name.strip_prefix(PTX_TRIPLE) {
            return match rest {
                "" | "-sycldevice" => Some(Self::Ptx),
                _ => nvidia(rest.strip_prefix('-')?),
            };
        }
        let (arch, suffix) = name.split_at(name.find('-').unwrap_or(name.len()));
        if SUFFIXES.contains(&suffix) {
            return Self::from_arch(arch);
        }
        // With an architecture, as in bundle ids.
        match (arch, suffix.strip_prefix("-unknown-unknown-")?) {
            ("spir64_gen", gpu) => intel(gpu),
            ("spir64_x86_64", level) => cpu_level(level),
            _ => None,
        }
    }

    fn from_arch(arch: &str) -> Option<Self> {
        match arch {
            "spir64" | "spirv64" => Some(Self::Generic),
            "spir64_x86_64" | "x86_64" | "native_cpu" => Some(Self::Cpu),
            "spir64_gen" | "intel_gpu" => Some(Self::IntelGen),
            "ptx64" => Some(Self::Ptx),
            _ => {
                let of = |prefix, find: fn(&str) -> Option<Self>| arch.strip_prefix(prefix).and_then(find);
                of(INTEL_PREFIX, intel).or_else(|| of(NVIDIA_PREFIX, nvidia)).or_else(|| of(CPU_PREFIX, cpu_level))
            }
        }
    }

    /// The known name that is most like `name`, where one is like it at all.
    pub fn nearest(name: &str) -> Option<String> {
        let names = Self::all().into_iter().flat_map(|target| [vec![target.name()], target.aliases()].concat());
        let (distance, nearest) = names.map(|known| (distance(name, &known), known)).min()?;
        (distance <= 1 + nearest.len() / 5).then_some(nearest)
    }
}

impl IntelGpu {
    fn row(self) -> &'static (&'static str, &'static str, &'static [&'static str]) {
        &INTEL_GPUS[usize::from(self.0)]
    }

    fn name(self) -> &'static str {
        self.row().0
    }
}

impl NvidiaGpu {
    fn name(self) -> &'static str {
        NVIDIA_GPUS[usize::from(self.0)].0
    }
}

fn intel(name: &str) -> Option<Target> {
    let row = INTEL_GPUS.iter().position(|(known, _, aliases)| *known == name || aliases.contains(&name))?;
    Some(Target::IntelGpu(IntelGpu(row as u8)))
}

fn nvidia(name: &str) -> Option<Target> {
    let row = NVIDIA_GPUS.iter().position(|(known, ..)| *known == name)?;
    Some(Target::NvidiaGpu(NvidiaGpu(row as u8)))
}

fn nvidia_row(name: &str) -> Option<&'static (&'static str, u32, u32)> {
    NVIDIA_GPUS.iter().find(|row| row.0 == name)
}

fn nvptx_macros(arch: &str) -> Vec<String> {
    let version = nvidia_row(arch).map(|row| format!("__SYCL_CUDA_ARCH__={}", row.1));
    ["__SYCL_NVPTX__=1".to_owned()].into_iter().chain(version).collect()
}

fn cpu_level(name: &str) -> Option<Target> {
    CPU_LEVELS.iter().find(|(known, _)| *known == name).map(|(_, level)| Target::CpuLevel(*level))
}

fn cpu_level_name(level: Level) -> &'static str {
    match level {
        Level::V1 => "sse2",
        Level::V2 => "sse4_2",
        Level::V3 => "avx2",
        Level::V4 => "avx512",
    }
}

/// How many characters must be added, dropped or replaced to make one text of the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// A level of the x86-64 psABI. A machine that supports one supports those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    V1,
    V2,
    V3,
    V4,
}

/// Between target and level in an image's target.
const SEPARATOR: char = ':';
const ARCH: &str = "spir64_x86_64";

impl Level {
    pub const ALL: [Self; 4] = [Self::V1, Self::V2, Self::V3, Self::V4];

    /// Compiled for where the user names none: one that runs everywhere, and one for each width of vectors. `V2` has the
    /// vectors of `V1`.
    pub const DEFAULT: [Self; 3] = [Self::V1, Self::V3, Self::V4];

    /// For error messages: every name.
    pub const NAMES: &str =
        "'x86-64' or 'sse2', 'x86-64-v2' or 'sse4.2', 'x86-64-v3' or 'avx2', 'x86-64-v4' or 'avx512'";

    /// The psABI's name, which is LLVM's name of such a processor, too.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::V1 => "x86-64",
            Self::V2 => "x86-64-v2",
            Self::V3 => "x86-64-v3",
            Self::V4 => "x86-64-v4",
        }
    }

    /// The level with this name, or of which this extension is the mark.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "sse2" | "x86-64-v1" => Some(Self::V1),
            "sse4.2" => Some(Self::V2),
            "avx2" => Some(Self::V3),
            "avx512" => Some(Self::V4),
            _ => Self::ALL.into_iter().find(|level| level.as_str() == name),
        }
    }

    /// Bits of a vector register.
    pub fn vector_bits(self) -> u32 {
        match self {
            Self::V1 | Self::V2 => 128,
            Self::V3 => 256,
            Self::V4 => 512,
        }
    }

    /// The target of an image with code of this level: `spir64_x86_64:x86-64-v3`.
    pub fn image_target(self) -> String {
        format!("{ARCH}{SEPARATOR}{}", self.as_str())
    }

    /// Inverse of [`Level::image_target`].
    pub fn of_image_target(target: &str) -> Option<Self> {
        let (arch, level) = target.split_once(SEPARATOR)?;
        Self::ALL.into_iter().find(|known| arch == ARCH && known.as_str() == level)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(name: &str) -> Target {
        Target::from_name(name).unwrap_or_else(|| panic!("'{name}' is no target"))
    }

    #[test]
    fn every_spelling_of_a_target_is_known() {
        for name in ["spir64", "spirv64", "spir64-unknown-unknown", "spir64-unknown-unknown-sycldevice"] {
            assert_eq!(known(name), Target::Generic, "{name}");
        }
        for name in ["spir64_x86_64", "x86_64", "native_cpu", "spir64_x86_64-unknown-unknown-sycldevice"] {
            assert_eq!(known(name), Target::Cpu, "{name}");
        }
        for name in ["spir64_gen", "spir64_gen-unknown-unknown-sycldevice", "intel_gpu"] {
            assert_eq!(known(name), Target::IntelGen, "{name}");
        }
        for name in ["nvptx64-nvidia-cuda", "nvptx64-nvidia-cuda-sycldevice", "ptx64"] {
            assert_eq!(known(name), Target::Ptx, "{name}");
        }
        assert_eq!(known("x86_64_avx512"), Target::CpuLevel(Level::V4));
        assert_eq!(known("intel_gpu_9_0_9"), known("intel_gpu_skl"));
        assert_eq!(known("intel_gpu_12_0"), known("intel_gpu_tgl"));
        assert_eq!(known("intel_gpu_tgl"), known("intel_gpu_tgllp"));
        for name in ["", "spir", "x86_64-", "nvptx64-nvidia-cuda-sm_9", "spir64-unknown", "spir64_fpga", "intel_gpu_"] {
            assert_eq!(Target::from_name(name), None, "{name}");
        }
    }

    #[test]
    fn names_and_bundle_ids_lead_back_to_their_target() {
        let mut ids = Vec::new();
        for target in Target::all() {
            assert_eq!(Target::from_name(&target.name()), Some(target));
            assert_eq!(Target::from_name(&target.full_triple()), Some(target));
            assert_eq!(Target::from_bundle_id(&target.bundle_id()), Some(target));
            assert!(target.aliases().iter().all(|alias| Target::from_name(alias) == Some(target)), "{target:?}");
            ids.push(target.bundle_id());
        }
        let count = ids.len();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), count, "two targets share a bundle id");
    }

    #[test]
    fn targets_tell_what_the_parts_need() {
        let skl = known("intel_gpu_skl");
        assert_eq!(skl.bundle_id(), "sycl-spir64_gen-unknown-unknown-skl");
        assert_eq!(skl.macros(), ["__SYCL_TARGET_INTEL_GPU_SKL__=1"]);
        assert_eq!(skl.device_triple(), "spirv64-unknown-unknown");
        assert_eq!(known("intel_gpu_acm_g10").ocloc_device(), Some("acm-g10"));
        let sm_90 = known("nvidia_gpu_sm_90");
        assert_eq!(sm_90.bundle_id(), "sycl-nvptx64-nvidia-cuda-sm_90");
        assert!(sm_90.macros().contains(&"__SYCL_CUDA_ARCH__=900".to_owned()));
        assert_eq!((sm_90.device_triple(), sm_90.cuda_arch()), ("nvptx64-nvidia-cuda", Some("sm_90")));
        assert_eq!(Target::Ptx.macros(), ["__SYCL_NVPTX__=1", "__SYCL_CUDA_ARCH__=750"]);
        assert_eq!(Target::Generic.bundle_id(), "sycl-spir64-unknown-unknown");
        assert_eq!(Target::Cpu.bundle_id(), "sycl-spir64_x86_64-unknown-unknown");
        assert_eq!(Target::Cpu.macros(), ["__SYCL_TARGET_INTEL_X86_64__=1"]);
    }

    #[test]
    fn slips_of_the_pen_are_guessed() {
        assert_eq!(Target::nearest("intel_gpu_sklx").as_deref(), Some("intel_gpu_skl"));
        assert_eq!(Target::nearest("nvptx64-nvidia-coda").as_deref(), Some("nvptx64-nvidia-cuda"));
        assert_eq!(Target::nearest("spir46").as_deref(), Some("spir64"));
        assert_eq!(Target::nearest("quantum"), None);
    }

    #[test]
    fn levels_are_told_by_name_and_by_image() {
        for level in Level::ALL {
            assert_eq!(Level::from_name(level.as_str()), Some(level));
            assert_eq!(Level::of_image_target(&level.image_target()), Some(level));
        }
        assert_eq!(Level::from_name("avx512"), Some(Level::V4));
        assert_eq!(Level::from_name("x86-64-v5"), None);
        for target in ["spir64_x86_64", "spir64_x86_64:", "spir64_x86_64:avx2", "x86_64:x86-64", ":x86-64"] {
            assert_eq!(Level::of_image_target(target), None, "{target}");
        }
    }
}
