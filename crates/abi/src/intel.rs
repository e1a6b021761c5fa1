//! Versions of Intel GPUs: their notations in ocloc, drivers and targets, and the compatibility of
//! code between devices.
//!
//! A version has three numbers. ocloc writes `9.0.9`, targets write `intel_gpu_9_0_9`, and drivers
//! return one number.

use crate::target::{Family, SEPARATOR};
use std::fmt;

/// The version of an Intel GPU's architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Version {
    pub major: u32,
    pub minor: u32,
    pub revision: u32,
}

/// The compatibility of code for one Intel GPU with another GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kinship {
    /// The devices have different generations of instructions.
    None,
    /// The devices have the same instructions but differ in other ways. Only the driver can
    /// determine whether the code runs.
    Generation,
    /// The devices are different revisions of the same device.
    Revision,
    Same,
}

impl Version {
    pub const fn new(major: u32, minor: u32, revision: u32) -> Self {
        Self { major, minor, revision }
    }

    /// Parses three numbers with this separator.
    fn parse(text: &str, separator: char) -> Option<Self> {
        let mut numbers = text.split(separator).map(number);
        let version = Self::new(numbers.next()??, numbers.next()??, numbers.next()??);
        numbers.next().is_none().then_some(version)
    }

    /// Parses the notation of ocloc: `9.0.9`.
    pub fn from_ocloc(text: &str) -> Option<Self> {
        Self::parse(text, '.')
    }

    /// Decodes the value that a driver returns for `CL_DEVICE_IP_VERSION_INTEL`. Drivers of 2022
    /// and earlier use a different layout, which results in smaller numbers.
    pub fn from_driver(number: u32) -> Option<Self> {
        match (number >> 22, number) {
            (_, 0) => None,
            (0, _) => Some(Self::new(number >> 16, (number >> 8) & 0xff, number & 0xff)),
            (major, _) => Some(Self::new(major, (number >> 14) & 0xff, number & 0x3f)),
        }
    }

    /// Returns the version in a name such as `intel_gpu_9_0_9`, or the version after the name in an
    /// image's target: `intel_gpu_new:9.0.9`. The versions of other names are in the device
    /// configuration.
    pub fn in_name(name: &str) -> Option<Self> {
        match name.split_once(SEPARATOR) {
            Some((_, version)) => Self::from_ocloc(version),
            None => Self::parse(name.strip_prefix(Family::Intel.prefix())?, '_'),
        }
    }

    /// Returns the target name with the numbers of the version: `intel_gpu_12_55_1`.
    pub fn numbered_name(self) -> String {
        format!("{}{}_{}_{}", Family::Intel.prefix(), self.major, self.minor, self.revision)
    }

    /// Returns the generation of instructions: versions with equal values share their instructions.
    fn generation(self) -> (u32, u32) {
        // There are several generations with major number 12: integrated graphics and dg1, graphics
        // cards, data centres, and later integrated graphics.
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

    /// Returns the compatibility of code for this version with a device of version `device`.
    pub fn kinship(self, device: Self) -> Kinship {
        match device {
            _ if self == device => Kinship::Same,
            _ if (self.major, self.minor) == (device.major, device.minor) => Kinship::Revision,
            _ if self.generation() == device.generation() => Kinship::Generation,
            _ => Kinship::None,
        }
    }
}

/// Parses a number of digits only; `str::parse` would accept a sign as well.
fn number(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
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
        for name in ["intel_gpu_9_0_9", "intel_gpu_new:9.0.9", "intel_gpu_@mine:9.0.9"] {
            assert_eq!(Version::in_name(name), Some(SKL), "{name}");
        }
        assert_eq!(SKL.numbered_name(), "intel_gpu_9_0_9");
        for name in [
            "spir64_gen",
            "intel_gpu_skl",
            "intel_gpu_1_2",
            "intel_gpu_1_2_3_4",
            "intel_gpu_a_b_c",
            "a:1.2",
        ] {
            assert_eq!(Version::in_name(name), None, "{name}");
        }
        assert!(
            ["", "9.0", "9.0.9.1", "9..9", "a.b.c", "+9.0.9"]
                .iter()
                .all(|text| Version::from_ocloc(text).is_none())
        );
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
        let (kbl, icl) = (Version::new(9, 1, 9), Version::new(11, 0, 0));
        let (tgl, dg1) = (Version::new(12, 0, 0), Version::new(12, 10, 0));
        let (acm, acm_g12, pvc) =
            (Version::new(12, 55, 8), Version::new(12, 57, 0), Version::new(12, 60, 7));
        for (a, b, expected) in [
            (SKL, SKL, Kinship::Same),
            (acm, Version::new(12, 55, 1), Kinship::Revision),
            (SKL, kbl, Kinship::Generation),
            (tgl, dg1, Kinship::Generation),
            (acm, acm_g12, Kinship::Generation),
            (SKL, icl, Kinship::None),
            (dg1, acm, Kinship::None),
            (acm, pvc, Kinship::None),
        ] {
            assert_eq!((a.kinship(b), b.kinship(a)), (expected, expected), "{a} and {b}");
        }
    }
}
