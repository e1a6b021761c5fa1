//! The second entry point of `libscythe-jit.so`: device bitcode → SPIR-V, for devices whose drivers have a compiler of their
//! own.
//!
//! The library exports [`TRANSLATE_SYMBOL`] of type [`TranslateFn`]. Responses are those of [`crate::jit`], and are freed as
//! they are.

use crate::jit::{Bitcode, Response};
use std::ffi::c_char;

pub const VERSION: u32 = 3;
pub const TRANSLATE_SYMBOL: &str = "scythe_jit_translate";

/// Names a program that judges every SPIR-V module that is made, as `spirv-val` does.
pub const VALIDATOR_VARIABLE: &str = "SCYTHE_SPIRV_VALIDATOR";

/// What to translate: device bitcode (the generic triple).
#[repr(C)]
pub struct Request {
    /// [`VERSION`].
    pub version: u32,
    /// The highest version of SPIR-V that the driver takes, such as 0x0001_0400 for 1.4.
    pub spirv_version: u32,
    pub bitcode: *const u8,
    pub bitcode_len: usize,
    /// Modules that define what the bitcode leaves undefined, as in [`crate::jit::Request`].
    pub libraries: *const Bitcode,
    pub library_count: usize,
    /// Folder of the device library's bitcode, NUL-terminated.
    pub device_lib_dir: *const c_char,
    /// Where to write each stage, or null.
    pub dump_dir: *const c_char,
    /// SPIR-V extensions that the device's driver knows, separated by blanks, NUL-terminated. Names that the compiler has no
    /// use for are ignored.
    pub extensions: *const c_char,
    /// The one kernel that is wanted, NUL-terminated, or null for all.
    pub kernel: *const c_char,
    /// A program that judges the result, as `spirv-val` does, or null.
    pub validator: *const c_char,
    /// The aspects of the device that the code is for: what the code learns when it asks.
    pub aspects: *const u32,
    pub aspect_count: usize,
}

/// 0 on success. `response` is always filled; its `object` is the SPIR-V module.
pub type TranslateFn = unsafe extern "C" fn(request: *const Request, response: *mut Response) -> i32;

/// A variable of programs that assert, in the device's memory, zero at first.
pub const ASSERTION_VARIABLE: &str = "__scythe_assertion";

/// What [`ASSERTION_VARIABLE`] holds: the first assertion that failed. Texts end with a zero.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Assertion {
    pub failed: u32,
    pub line: u32,
    pub global_id: [u64; 3],
    pub local_id: [u64; 3],
    pub expression: [u8; 256],
    pub file: [u8; 256],
    pub function: [u8; 256],
}
