//! `CUresult`: the meaning of the driver's result codes.

use std::ffi::{CStr, c_char};

use scythe_hal::{Errc, Error, Result};

use crate::api::Api;

pub(crate) const SUCCESS: i32 = 0;
pub(crate) const INVALID_VALUE: i32 = 1;
pub(crate) const OUT_OF_MEMORY: i32 = 2;
pub(crate) const INVALID_PTX: i32 = 218;
const NO_PTX_COMPILER: i32 = 221;
pub(crate) const UNSUPPORTED_PTX_VERSION: i32 = 222;
const NO_COMPILATION: i32 = 223;
pub(crate) const NO_BINARY_FOR_GPU: i32 = 209;
pub(crate) const NOT_FOUND: i32 = 500;
pub(crate) const NOT_READY: i32 = 600;
pub(crate) const PEER_ACCESS_ALREADY_ENABLED: i32 = 704;
const LAUNCH_OUT_OF_RESOURCES: i32 = 701;

/// Returns whether this error destroys the context, so that all later calls fail with it.
pub(crate) fn is_sticky(code: i32) -> bool {
    // Unavailable device, uncorrectable memory or NVLink, illegal address, timeout, assertion,
    // stack, instruction, alignment, address space, program counter, launch failure.
    matches!(code, 46 | 214 | 220 | 700 | 702 | 709 | 710 | 714..=719 | 721)
}

/// Returns whether a capture of a stream failed with this error.
pub(crate) fn is_capture(code: i32) -> bool {
    matches!(code, 900..=908)
}

/// Returns an error if `code` is one. `what` names the operation.
pub(crate) fn check(api: &Api, code: i32, what: &str) -> Result<()> {
    if code == SUCCESS { Ok(()) } else { Err(failure(api, code, what)) }
}

/// Returns the error for `code`.
pub(crate) fn failure(api: &Api, code: i32, what: &str) -> Error {
    let category = match code {
        OUT_OF_MEMORY => Errc::MemoryAllocation,
        NO_BINARY_FOR_GPU
        | INVALID_PTX
        | NO_PTX_COMPILER
        | UNSUPPORTED_PTX_VERSION
        | NO_COMPILATION
        | 300 => Errc::Build,
        LAUNCH_OUT_OF_RESOURCES => Errc::NdRange,
        NOT_FOUND => Errc::Kernel,
        _ => Errc::Runtime,
    };
    Error::new(category, format!("CUDA: {what} failed with {}", describe(api, code)))
}

/// Returns the driver's name and description of a code.
pub(crate) fn describe(api: &Api, code: i32) -> String {
    let text = |get: unsafe extern "C" fn(i32, *mut *const c_char) -> i32| {
        let mut place: *const c_char = std::ptr::null();
        // SAFETY: `place` is writable, and the string lives as long as the driver.
        unsafe {
            let known = get(code, &mut place) == SUCCESS && !place.is_null();
            known.then(|| CStr::from_ptr(place).to_string_lossy().into_owned())
        }
    };
    match (text(api.get_error_name), text(api.get_error_string)) {
        (Some(name), Some(words)) => format!("{name} ({code}): {words}"),
        (Some(name), None) => format!("{name} ({code})"),
        _ => format!("an unknown error ({code})"),
    }
}
