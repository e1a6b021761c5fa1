//! Intel GPUs: identifies a device, and rates code that ocloc compiled ahead of time.

use scythe_abi::aspect::Aspect;
use scythe_abi::image_target::ImageTarget;
use scythe_abi::intel::{Kinship, Version};
use scythe_device_config::{intel_name, intel_version};
use scythe_hal::{Errc, Error, Result, preference};

/// The PCI vendor number of Intel.
pub(crate) const VENDOR: u32 = 0x8086;
/// The extension by which drivers report the version of their device.
pub(crate) const ATTRIBUTES: &str = "cl_intel_device_attribute_query";
pub(crate) const IP_VERSION: u32 = 0x4250;

/// The known properties of an Intel GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IntelGpu {
    /// The version of the device. Drivers before 2021 do not report it.
    pub(crate) version: Option<Version>,
}

impl IntelGpu {
    /// Returns the aspect of the device's architecture, if there is one.
    pub(crate) fn architecture(self) -> Option<Aspect> {
        Aspect::from_name(&format!("ext_{}", intel_name(self.version?)))
    }
}

/// Rates code for the GPU that `target` names, on the scale of [`preference`], if the device is an
/// Intel GPU.
pub(crate) fn preference(device: Option<IntelGpu>, target: &ImageTarget) -> Result<u32> {
    let refused = |why: String| Err(Error::new(Errc::KernelNotSupported, why));
    let Some(gpu) = device else {
        return refused(format!(
            "the image was compiled ahead of time for {target}, but this device is not an Intel GPU"
        ));
    };
    let (Some(code), Some(own)) = (intel_version(target.as_str()), gpu.version) else {
        // The driver checks binaries before it accepts them.
        return Ok(preference::LAST_RESORT);
    };
    match code.kinship(own) {
        Kinship::Same => Ok(preference::EXACT),
        Kinship::Revision => Ok(preference::COMPATIBLE),
        Kinship::Generation => Ok(preference::LAST_RESORT),
        Kinship::None => refused(format!(
            "the image was compiled ahead of time for {target}, but this device is {} ({own})",
            intel_name(own)
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gpu(major: u32, minor: u32, revision: u32) -> Option<IntelGpu> {
        Some(IntelGpu { version: Some(Version::new(major, minor, revision)) })
    }

    #[test]
    fn code_for_the_device_itself_fits_best_then_for_its_revisions_then_for_its_relatives() {
        assert_eq!(
            preference(gpu(12, 55, 8), &"intel_gpu_acm_g10".into()).unwrap(),
            preference::EXACT
        );
        assert_eq!(
            preference(gpu(12, 55, 4), &"intel_gpu_acm_g10".into()).unwrap(),
            preference::COMPATIBLE
        );
        assert_eq!(
            preference(gpu(12, 56, 5), &"intel_gpu_acm_g10".into()).unwrap(),
            preference::LAST_RESORT
        );
        assert_eq!(
            preference(gpu(12, 55, 8), &"intel_gpu_@mine:12.55.8".into()).unwrap(),
            preference::EXACT
        );
        let error = preference(gpu(12, 60, 7), &"intel_gpu_acm_g10".into()).unwrap_err();
        assert_eq!(error.code, Errc::KernelNotSupported);
        assert_eq!(
            error.message,
            "the image was compiled ahead of time for intel_gpu_acm_g10, but this device is \
             intel_gpu_pvc (12.60.7)"
        );
    }

    #[test]
    fn what_nobody_knows_is_left_to_the_driver_and_other_devices_are_out() {
        assert_eq!(
            preference(gpu(9, 0, 9), &"spir64_gen".into()).unwrap(),
            preference::LAST_RESORT
        );
        assert_eq!(
            preference(Some(IntelGpu { version: None }), &"intel_gpu_skl".into()).unwrap(),
            preference::LAST_RESORT
        );
        let error = preference(None, &"intel_gpu_skl".into()).unwrap_err();
        assert!(error.message.ends_with("this device is not an Intel GPU"), "{error}");
    }

    #[test]
    fn the_architecture_is_an_aspect() {
        assert_eq!(gpu(9, 0, 9).and_then(IntelGpu::architecture), Some(Aspect::ExtIntelGpuSkl));
        assert_eq!(gpu(99, 0, 0).and_then(IntelGpu::architecture), None);
        assert_eq!(IntelGpu { version: None }.architecture(), None);
    }
}
