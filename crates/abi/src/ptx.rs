//! The third entry point of `libscythe-jit.so`: device bitcode → PTX, which the CUDA driver compiles.
//!
//! The library exports [`TRANSLATE_SYMBOL`] of type [`TranslateFn`]. Responses are those of [`crate::jit`], and are freed as
//! they are. Kernels of the result follow [`crate::cuda`].

use crate::jit::{Bitcode, Response};
use std::ffi::c_char;

pub const VERSION: u32 = 1;
pub const TRANSLATE_SYMBOL: &str = "scythe_jit_translate_ptx";

/// What to translate: device bitcode (the generic triple).
#[repr(C)]
pub struct Request {
    /// [`VERSION`].
    pub version: u32,
    /// 0 to 3.
    pub opt_level: u32,
    pub bitcode: *const u8,
    pub bitcode_len: usize,
    /// Modules that define what the bitcode leaves undefined, as in [`crate::jit::Request`].
    pub libraries: *const Bitcode,
    pub library_count: usize,
    /// Folder of the device library's bitcode, NUL-terminated.
    pub device_lib_dir: *const c_char,
    /// Where to write each stage, or null.
    pub dump_dir: *const c_char,
    /// The CUDA installation whose maths library is used, NUL-terminated, or null for the usual places. Where there is none, the
    /// device library's own maths takes its place.
    pub cuda_path: *const c_char,
    /// The device's aspects: what the code learns when it asks.
    pub aspects: *const u32,
    pub aspect_count: usize,
    /// The device's compute capability: 90 for 9.0.
    pub sm: u32,
    /// The highest PTX version that the driver takes, times ten; see [`version_of_driver`].
    pub ptx_version: u32,
}

/// 0 on success. `response` is always filled; its `object` is PTX text with a NUL byte at the end.
pub type TranslateFn = unsafe extern "C" fn(request: *const Request, response: *mut Response) -> i32;

/// The PTX version, times ten, that a driver knows which reports this CUDA version (`cuDriverGetVersion`: 12040 for 12.4).
pub fn version_of_driver(cuda: u32) -> u32 {
    match cuda {
        13000.. => 90,
        12090.. => 88,
        12080.. => 87,
        12070.. => 86,
        12050.. => 85,
        12000.. => 80 + (cuda - 12000) / 10,
        11000.. => 70 + (cuda - 11000) / 10,
        10020.. => 65,
        10010.. => 64,
        _ => 63,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drivers_know_the_ptx_of_their_release() {
        let known = [(13000, 90), (12080, 87), (12060, 85), (12040, 84), (12030, 83), (12000, 80), (11080, 78)];
        for (cuda, ptx) in known {
            assert_eq!(version_of_driver(cuda), ptx, "{cuda}");
        }
    }
}
