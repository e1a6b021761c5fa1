//! Intel's GPUs: which one a device is, and how well code that ocloc compiled ahead of time fits
//! it.

use scythe_abi::aspect::Aspect;
use scythe_abi::image_target::ImageTarget;
use scythe_abi::intel::{Kinship, Version};
use scythe_device_config::{intel_name, intel_version};
use scythe_hal::{Errc, Error, Result, fit};

/// What PCI calls Intel.
pub(crate) const VENDOR: u32 = 0x8086;
/// The extension by which drivers tell the version of their device.
pub(crate) const ATTRIBUTES: &str = "cl_intel_device_attribute_query";
pub(crate) const IP_VERSION: u32 = 0x4250;

/// A GPU of Intel's, as far as its driver tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IntelGpu {
    /// Drivers before 2021 do not tell it.
    pub(crate) version: Option<Version>,
}

impl IntelGpu {
    /// The aspect that devices of its architecture have, where it is one with an aspect.
    pub(crate) fn architecture(self) -> Option<Aspect> {
        Aspect::from_name(&format!("ext_{}", intel_name(self.version?)))
    }
}

/// On the scale of [`fit`]: how well code for the GPU that `target` names fits a device, where that
/// is a GPU of Intel's.
pub(crate) fn preference(device: Option<IntelGpu>, target: &ImageTarget) -> Result<u32> {
    let refused = |why: String| Err(Error::new(Errc::KernelNotSupported, why));
    let Some(gpu) = device else {
        return refused(format!(
            "the image was compiled ahead of time for {target}, but this device is not an Intel GPU"
        ));
    };
    let (Some(code), Some(own)) = (intel_version(target.as_str()), gpu.version) else {
        // The driver looks at binaries before it takes them.
        return Ok(fit::LAST_RESORT);
    };
    match code.kinship(own) {
        Kinship::Same => Ok(fit::EXACT),
        Kinship::Revision => Ok(fit::COMPATIBLE),
        Kinship::Generation => Ok(fit::LAST_RESORT),
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
        assert_eq!(preference(gpu(12, 55, 8), &"intel_gpu_acm_g10".into()).unwrap(), fit::EXACT);
        assert_eq!(
            preference(gpu(12, 55, 4), &"intel_gpu_acm_g10".into()).unwrap(),
            fit::COMPATIBLE
        );
        assert_eq!(
            preference(gpu(12, 56, 5), &"intel_gpu_acm_g10".into()).unwrap(),
            fit::LAST_RESORT
        );
        assert_eq!(
            preference(gpu(12, 55, 8), &"intel_gpu_@mine:12.55.8".into()).unwrap(),
            fit::EXACT
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
        assert_eq!(preference(gpu(9, 0, 9), &"spir64_gen".into()).unwrap(), fit::LAST_RESORT);
        assert_eq!(
            preference(Some(IntelGpu { version: None }), &"intel_gpu_skl".into()).unwrap(),
            fit::LAST_RESORT
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
