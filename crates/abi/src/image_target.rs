//! The target of a device image, parsed when the image is read or created.
//!
//! Containers and commands hold the target as text: a triple, or the name of a device. A level, a
//! version or an architecture may follow, separated by [`SEPARATOR`](crate::target::SEPARATOR).
//! Inside a process the target is an [`ImageTarget`].

use std::fmt;

use crate::cuda::Architecture;
use crate::target::{Family, Level, Target};

/// The target of an image: its text and the devices that the code supports.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ImageTarget {
    text: String,
    code: Code,
}

/// The devices that code is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// Any device: the code is compiled at run time.
    Generic,
    /// CPUs that support this level. `None`: the image does not state the level.
    Cpu(Option<Level>),
    /// The Intel GPU that the target names.
    Intel,
    /// NVIDIA GPUs of this architecture. `None`: the name of the architecture is unknown.
    Nvidia(Option<Architecture>),
    /// The text does not have the form of a target.
    Unknown,
}

impl ImageTarget {
    /// Parses a target. Any text is a target; see [`Code::Unknown`].
    pub fn parse(text: impl Into<String>) -> Self {
        let text = text.into();
        let code = match Target::of_image_target(&text).map(Target::family) {
            Some(Family::Generic) => Code::Generic,
            Some(Family::Cpu) => Code::Cpu(Level::of_image_target(&text)),
            Some(Family::Intel) => Code::Intel,
            Some(Family::Nvidia) => Code::Nvidia(Architecture::of_target(&text)),
            None => Code::Unknown,
        };
        Self { text, code }
    }

    pub fn code(&self) -> Code {
        self.code
    }

    /// Returns the text that containers and messages use.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the architecture of code for NVIDIA GPUs.
    pub fn nvidia(&self) -> Option<Architecture> {
        match self.code {
            Code::Nvidia(architecture) => architecture,
            _ => None,
        }
    }
}

impl fmt::Display for ImageTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl From<&str> for ImageTarget {
    fn from(text: &str) -> Self {
        Self::parse(text)
    }
}

impl From<Level> for ImageTarget {
    fn from(level: Level) -> Self {
        Self { text: level.image_target(), code: Code::Cpu(Some(level)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_tells_which_devices_its_code_is_for() {
        let code = |text: &str| ImageTarget::parse(text).code();
        assert_eq!(code("spirv64-unknown-unknown"), Code::Generic);
        assert_eq!(code("spir64"), Code::Generic);
        assert_eq!(code("spir64_x86_64"), Code::Cpu(None));
        assert_eq!(code("x86_64_avx2"), Code::Cpu(None));
        assert_eq!(code("intel_gpu_@mine:12.55.1"), Code::Intel);
        assert_eq!(code("spir64_gen"), Code::Intel);
        assert_eq!(code("nvidia_gpu_sm_90a"), Code::Nvidia(Architecture::from_name("sm_90a")));
        assert_eq!(code("nvptx64-nvidia-cuda"), Code::Nvidia(Architecture::from_name("sm_75")));
        assert_eq!(code("nvidia_gpu_new"), Code::Nvidia(None));
        assert_eq!(code("x86_64"), Code::Unknown);
        for level in Level::ALL {
            assert_eq!(ImageTarget::from(level), ImageTarget::parse(level.image_target()));
        }
    }
}
