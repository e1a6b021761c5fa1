//! Instruction-set levels: finds the levels that the machine supports, and hence the best of
//! several images of a kernel.
//!
//! A level is supported if the processor has its instructions and the operating system saves the
//! registers that they use.

use std::sync::OnceLock;

use scythe_abi::environment::{CHECK, CHECK_WIDENING, CPU_LEVEL};
use scythe_abi::image_target::{Code, ImageTarget};
use scythe_abi::target::Level;
use scythe_hal::{Errc, Error, Result, preference};
use scythe_image::Format;

use crate::{check, sanitize};

/// See [`scythe_hal::Device::preference`].
pub(crate) fn preference(format: Format, target: &ImageTarget) -> Result<u32> {
    static HIGHEST: OnceLock<Result<Option<Level>>> = OnceLock::new();
    let highest = HIGHEST.get_or_init(|| {
        let setting =
            std::env::var_os(CPU_LEVEL.name).map(|text| text.to_string_lossy().into_owned());
        highest(machine(), setting.as_deref())
    });
    let widening = check::of_process()?;
    let checks = sanitize::of_process()?;
    if format == Format::CpuObject && (widening || !checks.is_empty()) {
        let message = format!(
            "the image was compiled ahead of time, but {} needs an image that is compiled at run \
             time",
            if widening { CHECK_WIDENING.name } else { CHECK.name }
        );
        return Err(Error::new(Errc::KernelNotSupported, message));
    }
    preference_below(highest.clone()?, format, target)
}

/// Rates an image for a machine that supports levels up to `highest`. Objects with a level are
/// best, and higher levels are better. Next come objects without a level, whose creator is
/// responsible for their compatibility, and then bitcode, which takes time to build. Bitcode that
/// is only for another kind of device is rejected.
fn preference_below(highest: Option<Level>, format: Format, target: &ImageTarget) -> Result<u32> {
    match (format, target.code()) {
        (Format::CpuObject, Code::Cpu(Some(level))) if Some(level) > highest => {
            let limit = highest.map_or("no x86-64 code".to_owned(), |level| {
                format!("code up to {}", level.as_str())
            });
            let message = format!(
                "the image was compiled ahead of time for {}, but this CPU runs {limit}",
                level.as_str()
            );
            Err(Error::new(Errc::KernelNotSupported, message))
        }
        (Format::CpuObject, Code::Cpu(Some(level))) if Some(level) == highest => {
            Ok(preference::EXACT)
        }
        (Format::CpuObject, Code::Cpu(Some(level))) => {
            Ok(preference::COMPATIBLE + 1 + level as u32)
        }
        (Format::CpuObject, _) => Ok(preference::COMPATIBLE),
        (Format::LlvmBitcode, Code::Intel | Code::Nvidia(_)) => {
            Err(Error::new(Errc::KernelNotSupported, format!("the image is only for {target}")))
        }
        (Format::LlvmBitcode, _) => Ok(preference::GENERIC),
        (other, _) => {
            let message =
                format!("the CPU device supports LLVM bitcode and x86-64 objects, not {other}");
            Err(Error::new(Errc::KernelNotSupported, message))
        }
    }
}

/// Returns the highest level to use on a machine that supports `machine`. The user's setting may
/// lower it.
fn highest(machine: Option<Level>, setting: Option<&str>) -> Result<Option<Level>> {
    match setting {
        None | Some("") => Ok(machine),
        Some(name) => match Level::from_name(name) {
            Some(level) => Ok(machine.min(Some(level))),
            None => Err(Error::new(Errc::Invalid, CPU_LEVEL.refusal(name))),
        },
    }
}

/// Returns the highest level that this machine supports, or `None` if the machine is not an x86-64.
#[cfg(target_arch = "x86_64")]
pub(crate) fn machine() -> Option<Level> {
    use std::arch::is_x86_feature_detected as has;
    let v2 = has!("sse3")
        && has!("ssse3")
        && has!("sse4.1")
        && has!("sse4.2")
        && has!("popcnt")
        && has!("cmpxchg16b")
        && has_lahf();
    let v3 = v2
        && has!("avx")
        && has!("avx2")
        && has!("bmi1")
        && has!("bmi2")
        && has!("f16c")
        && has!("fma")
        && has!("lzcnt")
        && has!("movbe");
    let v4 = v3
        && has!("avx512f")
        && has!("avx512bw")
        && has!("avx512cd")
        && has!("avx512dq")
        && has!("avx512vl");
    Some(match (v2, v3, v4) {
        (_, _, true) => Level::V4,
        (_, true, _) => Level::V3,
        (true, _, _) => Level::V2,
        _ => Level::V1,
    })
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn machine() -> Option<Level> {
    None
}

/// Returns whether the processor has LAHF and SAHF in 64-bit mode. Early x86-64 processors lack
/// them, and the standard library does not report them.
#[cfg(target_arch = "x86_64")]
fn has_lahf() -> bool {
    use std::arch::x86_64::__cpuid;
    const LEAF: u32 = 0x8000_0001;
    __cpuid(0x8000_0000).eax >= LEAF && __cpuid(LEAF).ecx & 1 != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    const V3: Option<Level> = Some(Level::V3);

    #[test]
    fn the_best_level_that_the_machine_supports_is_preferred() {
        let rank = |level: Level| preference_below(V3, Format::CpuObject, &level.into());
        assert!(rank(Level::V3).unwrap() > rank(Level::V2).unwrap());
        assert!(rank(Level::V2).unwrap() > rank(Level::V1).unwrap());
        let unknown = preference_below(V3, Format::CpuObject, &"x86_64".into()).unwrap();
        let bitcode =
            preference_below(V3, Format::LlvmBitcode, &"spirv64-unknown-unknown".into()).unwrap();
        assert!(rank(Level::V1).unwrap() > unknown && unknown > bitcode);
    }

    #[test]
    fn what_the_machine_lacks_is_named() {
        let error = preference_below(V3, Format::CpuObject, &Level::V4.into()).unwrap_err();
        assert_eq!(error.code, Errc::KernelNotSupported);
        assert_eq!(
            error.message,
            "the image was compiled ahead of time for x86-64-v4, but this CPU runs code up to \
             x86-64-v3"
        );
        assert!(preference_below(None, Format::CpuObject, &Level::V1.into()).is_err());
        for other in [
            "intel_gpu_skl",
            "intel_gpu_@mine:12.55.1",
            "spir64_gen",
            "nvidia_gpu_@mine",
            "nvptx64-nvidia-cuda",
        ] {
            let elsewhere = preference_below(V3, Format::LlvmBitcode, &other.into()).unwrap_err();
            assert_eq!(elsewhere.message, format!("the image is only for {other}"));
        }
        assert!(
            preference_below(V3, Format::Ptx, &"nvptx64".into())
                .unwrap_err()
                .message
                .contains("not ptx")
        );
    }

    #[test]
    fn the_setting_lowers_and_never_raises() {
        assert_eq!(highest(V3, None).unwrap(), V3);
        assert_eq!(highest(V3, Some("")).unwrap(), V3);
        assert_eq!(highest(V3, Some("x86-64")).unwrap(), Some(Level::V1));
        assert_eq!(highest(V3, Some("avx512")).unwrap(), V3);
        assert_eq!(highest(None, Some("avx2")).unwrap(), None);
        let error = highest(V3, Some("fast")).unwrap_err();
        assert!(
            error
                .message
                .starts_with("environment variable SCYTHE_CPU_LEVEL is 'fast', expected 'x86-64'"),
            "{error}"
        );
    }

    #[test]
    fn this_machine_has_a_level() {
        assert_eq!(machine().is_some(), cfg!(target_arch = "x86_64"));
    }
}
