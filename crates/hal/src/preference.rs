//! The scale of [`crate::Device::preference`]: how well the code of an image fits a device.
//!
//! There are four steps. Within a step, a backend may add up to [`LARGEST_ADDITION`] to rank its
//! images.

/// The code was compiled for a related device, or for a device about which too little is known.
/// Only an attempt to build it shows whether the device can run it.
pub const LAST_RESORT: u32 = 0;
/// The code supports all devices and is compiled for this device when it is built.
pub const GENERIC: u32 = 0x100;
/// The code was compiled ahead of time for a different device with compatible code.
pub const COMPATIBLE: u32 = 0x200;
/// The code was compiled ahead of time for this device.
pub const EXACT: u32 = 0x300;

pub const LARGEST_ADDITION: u32 = 0xff;

/// Describes the step of a preference in words that can follow "an image".
pub fn describe(preference: u32) -> &'static str {
    match preference {
        EXACT.. => "compiled ahead of time for this device",
        COMPATIBLE.. => "compiled ahead of time for a device with compatible code",
        GENERIC.. => "generic code, compiled at run time",
        LAST_RESORT.. => "compiled ahead of time for a related device",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_do_not_overlap() {
        for pair in [LAST_RESORT, GENERIC, COMPATIBLE, EXACT].windows(2) {
            assert!(pair[0] + LARGEST_ADDITION < pair[1]);
            assert_eq!(describe(pair[0]), describe(pair[0] + LARGEST_ADDITION));
            assert_ne!(describe(pair[0]), describe(pair[1]));
        }
    }
}
