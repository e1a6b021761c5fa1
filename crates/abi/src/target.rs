//! The targets that `-fsycl-targets=` names, and the instruction-set levels of code compiled ahead of time for the CPU.
//!
//! Device code is compiled once, for [`Target::Generic`]; code for [`Target::Cpu`] is made of it when a program is linked, for
//! several levels at once. Each level is one image, whose target is [`Level::image_target`]: the device takes the best
//! level that the machine supports.

/// What device code can be compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    /// Compiled at run time, for any device.
    Generic,
    /// x86-64 code for the CPU device, ahead of time.
    Cpu,
}

/// What may follow the architecture in a target's name. None of it makes a difference.
const SUFFIXES: [&str; 6] = [
    "",
    "-unknown-unknown",
    "-unknown-unknown-sycldevice",
    "-unknown-linux",
    "-unknown-linux-gnu",
    "-unknown-linux-sycldevice",
];

impl Target {
    pub const ALL: [Self; 2] = [Self::Generic, Self::Cpu];

    /// For error messages: every name, in short.
    pub const NAMES: &str = "'spir64' or 'spirv64' (the generic target), \
        'spir64_x86_64', 'x86_64' or 'native_cpu' (this program's CPU code, ahead of time), each alone or with \
        '-unknown-unknown'";

    /// The name by which the parts of Scythe call it.
    pub fn triple(self) -> &'static str {
        match self {
            Self::Generic => crate::names::GENERIC_TRIPLE,
            Self::Cpu => "spir64_x86_64-unknown-unknown",
        }
    }

    /// The target that a user's name means.
    pub fn from_name(name: &str) -> Option<Self> {
        let (arch, suffix) = name.split_at(name.find('-').unwrap_or(name.len()));
        if !SUFFIXES.contains(&suffix) {
            return None;
        }
        match arch {
            "spir64" | "spirv64" => Some(Self::Generic),
            "spir64_x86_64" | "x86_64" | "native_cpu" => Some(Self::Cpu),
            _ => None,
        }
    }
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

    #[test]
    fn every_spelling_of_a_target_is_known() {
        for name in ["spir64", "spirv64", "spir64-unknown-unknown", "spir64-unknown-unknown-sycldevice"] {
            assert_eq!(Target::from_name(name), Some(Target::Generic), "{name}");
        }
        for name in ["spir64_x86_64", "x86_64", "native_cpu", "spir64_x86_64-unknown-unknown-sycldevice"] {
            assert_eq!(Target::from_name(name), Some(Target::Cpu), "{name}");
        }
        for name in ["", "spir", "x86_64-", "nvptx64-nvidia-cuda", "spir64-unknown", "spir64_gen"] {
            assert_eq!(Target::from_name(name), None, "{name}");
        }
        for target in Target::ALL {
            assert_eq!(Target::from_name(target.triple()), Some(target));
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
        for target in ["spir64_x86_64", "spir64_x86_64:", "spir64_x86_64:avx2", "x86_64:x86-64", ":x86-64"] {
            assert_eq!(Level::of_image_target(target), None, "{target}");
        }
    }
}
