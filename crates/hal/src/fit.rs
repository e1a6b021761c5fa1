//! How well the code of an image fits a device: the scale of [`crate::Device::preference`].
//!
//! There are four steps. Within a step a backend may add up to [`LARGEST_ADDITION`], to tell its
//! images apart.

/// Made for a related device, or for one of which too little is known: only an attempt to build it
/// can tell. Better than nothing.
pub const LAST_RESORT: u32 = 0;
/// Made for all devices, and finished for this one when it is built.
pub const GENERIC: u32 = 0x100;
/// Compiled ahead of time for another device, whose code this one runs.
pub const COMPATIBLE: u32 = 0x200;
/// Compiled ahead of time for this device.
pub const EXACT: u32 = 0x300;

pub const LARGEST_ADDITION: u32 = 0xff;

/// The step of a preference in words, after "an image".
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
