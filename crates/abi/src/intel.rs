//! Versions of Intel GPUs: how ocloc, drivers and targets tell them, and which devices run whose code.
//!
//! A version has three numbers. ocloc writes `9.0.9`, targets `intel_gpu_9_0_9`, drivers one number.

use crate::target::Target;
use std::fmt;

/// The version of an Intel GPU's architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Version {
    pub major: u32,
    pub minor: u32,
    pub revision: u32,
}

/// How code for one Intel GPU fits another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kinship {
    /// Another generation of instructions.
    None,
    /// The same instructions, on a device that differs in other ways. Only a driver can tell whether it runs there.
    Generation,
    /// The same device in another revision.
    Revision,
    Same,
}

/// What `intel_gpu_` names begin with.
const PREFIX: &str = "intel_gpu_";

impl Version {
    pub const fn new(major: u32, minor: u32, revision: u32) -> Self {
        Self { major, minor, revision }
    }

    /// Three numbers, with this character between them.
    fn parse(text: &str, separator: char) -> Option<Self> {
        let mut numbers = text.split(separator).map(|word| word.parse::<u32>().ok());
        let version = Self::new(numbers.next()??, numbers.next()??, numbers.next()??);
        numbers.next().is_none().then_some(version)
    }

    /// As ocloc writes it: `9.0.9`.
    pub fn from_ocloc(text: &str) -> Option<Self> {
        Self::parse(text, '.')
    }

    /// The answer of a driver to `CL_DEVICE_IP_VERSION_INTEL`. Drivers of 2022 and before have another layout, which gives
    /// smaller numbers.
    pub fn from_driver(number: u32) -> Option<Self> {
        match (number >> 22, number) {
            (_, 0) => None,
            (0, _) => Some(Self::new(number >> 16, (number >> 8) & 0xff, number & 0xff)),
            (major, _) => Some(Self::new(major, (number >> 14) & 0xff, number & 0x3f)),
        }
    }

    /// The device that a target, or an image's target, names; `None` where it names none or several.
    pub fn of_target(name: &str) -> Option<Self> {
        let of_name = |name: &str| Self::parse(name.strip_prefix(PREFIX)?, '_');
        match Target::from_name(name) {
            Some(target) => {
                // Where a target has the code of another, it has its version as well.
                let device = target.ocloc_device()?;
                let same_code = Target::all().into_iter().filter(|other| other.ocloc_device() == Some(device));
                same_code.flat_map(Target::aliases).find_map(|alias| of_name(&alias))
            }
            None => of_name(name),
        }
    }

    /// The name of the target that stands for this version: `intel_gpu_skl`, or `intel_gpu_12_55_1` where there is no other.
    pub fn target_name(self) -> String {
        let name = format!("{PREFIX}{}_{}_{}", self.major, self.minor, self.revision);
        Target::from_name(&name).map_or(name, Target::name)
    }

    /// What tells generations of instructions apart.
    fn generation(self) -> (u32, u32) {
        // Of the twelfth there are several: integrated graphics and dg1, graphics cards, data centres, and later integrated graphics.
        let kind = match (self.major, self.minor) {
            (12, 0..50) => 0,
            (12, 50..60) => 1,
            (12, 60..70) => 2,
            (12, 70..80) => 3,
            (12, minor) => minor,
            _ => 0,
        };
        (self.major, kind)
    }

    /// How code for this version fits a device of that one.
    pub fn kinship(self, device: Self) -> Kinship {
        match device {
            _ if self == device => Kinship::Same,
            _ if (self.major, self.minor) == (device.major, device.minor) => Kinship::Revision,
            _ if self.generation() == device.generation() => Kinship::Generation,
            _ => Kinship::None,
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.revision)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SKL: Version = Version::new(9, 0, 9);

    #[test]
    fn every_spelling_tells_the_same() {
        assert_eq!(Version::from_ocloc("9.0.9"), Some(SKL));
        assert_eq!(SKL.to_string(), "9.0.9");
        for name in ["intel_gpu_skl", "intel_gpu_9_0_9", "spir64_gen-unknown-unknown-skl"] {
            assert_eq!(Version::of_target(name), Some(SKL), "{name}");
        }
        assert_eq!(SKL.target_name(), "intel_gpu_skl");
        assert_eq!(Version::of_target("intel_gpu_12_55_1"), Some(Version::new(12, 55, 1)));
        assert_eq!(Version::new(12, 55, 1).target_name(), "intel_gpu_12_55_1");
        for name in
            ["spir64_gen", "spir64", "intel_gpu_1_2", "intel_gpu_1_2_3_4", "intel_gpu_a_b_c", "nvidia_gpu_sm_90"]
        {
            assert_eq!(Version::of_target(name), None, "{name}");
        }
        assert!(["", "9.0", "9.0.9.1", "9..9", "a.b.c"].iter().all(|text| Version::from_ocloc(text).is_none()));
    }

    #[test]
    fn every_target_has_a_version_that_leads_back_to_its_code() {
        for target in Target::all().into_iter().filter(|target| matches!(target, Target::IntelGpu(_))) {
            let version = Version::of_target(&target.name()).unwrap_or_else(|| panic!("{target:?}"));
            let back = Target::from_name(&version.target_name()).expect("a known version");
            assert_eq!(back.ocloc_device(), target.ocloc_device(), "{target:?}");
        }
    }

    #[test]
    fn drivers_have_had_two_layouts() {
        assert_eq!(Version::from_driver(0x0240_0009), Some(SKL));
        assert_eq!(Version::from_driver(0x0009_0009), Some(SKL));
        assert_eq!(Version::from_driver(0x030f_0007), Some(Version::new(12, 60, 7)));
        assert_eq!(Version::from_driver(0), None);
    }

    #[test]
    fn kinship_is_mutual_and_graded() {
        let of = |name: &str| Version::of_target(name).expect("known");
        let (kbl, icl, dg1, acm) =
            (of("intel_gpu_kbl"), of("intel_gpu_icl"), of("intel_gpu_dg1"), of("intel_gpu_acm_g10"));
        for (a, b, expected) in [
            (SKL, SKL, Kinship::Same),
            (of("intel_gpu_rpl_s"), of("intel_gpu_adl_s"), Kinship::Same),
            (acm, Version::new(12, 55, 1), Kinship::Revision),
            (SKL, kbl, Kinship::Generation),
            (of("intel_gpu_tgl"), dg1, Kinship::Generation),
            (acm, of("intel_gpu_acm_g12"), Kinship::Generation),
            (SKL, icl, Kinship::None),
            (dg1, acm, Kinship::None),
            (acm, of("intel_gpu_pvc"), Kinship::None),
        ] {
            assert_eq!((a.kinship(b), b.kinship(a)), (expected, expected), "{a} and {b}");
        }
    }
}
