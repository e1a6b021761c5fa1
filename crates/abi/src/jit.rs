//! The C edge of `libscythe-jit.so`.
//!
//! The library exports [`COMPILE_SYMBOL`] of type [`CompileFn`] and [`FREE_SYMBOL`] of type [`FreeFn`]. It stands next to
//! `libscythe.so` and is loaded when the CPU backend first has to build an image.

use std::ffi::c_char;

pub const LIBRARY: &str = "libscythe-jit.so";
pub const VERSION: u32 = 5;
pub const COMPILE_SYMBOL: &str = "scythe_jit_compile";
pub const FREE_SYMBOL: &str = "scythe_jit_free";

/// Bytes of one bitcode module.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Bitcode {
    pub data: *const u8,
    pub len: usize,
}

/// What to compile: device bitcode (the generic triple) into an object for this machine's CPU.
#[repr(C)]
pub struct Request {
    /// [`VERSION`].
    pub version: u32,
    /// 0 to 3.
    pub opt_level: u32,
    pub bitcode: *const u8,
    pub bitcode_len: usize,
    /// Folder of the device library's bitcode, NUL-terminated.
    pub device_lib_dir: *const c_char,
    /// Where to write each stage's IR, or null.
    pub dump_dir: *const c_char,
    /// Modules that define what the bitcode, or another of them, leaves undefined. Their kernels are left out. Where several
    /// define a symbol, the bitcode's definition counts, else the first.
    pub libraries: *const Bitcode,
    pub library_count: usize,
    /// The only kernel to compile, for the work-group size below alone; NUL-terminated. Null: all kernels, for any size.
    pub kernel: *const c_char,
    /// Fastest dimension first.
    pub local_size: [u64; 3],
    /// The aspects of the device that the code is for: what the code learns when it asks.
    pub aspects: *const u32,
    pub aspect_count: usize,
    /// 1: one work-item at a time, without vectors; 0: as fast as possible.
    pub scalar: u32,
}

/// The option by which build options, and those of ahead-of-time compilation for the CPU, ask for [`Request::scalar`].
pub const SCALAR_OPTION: &str = "-mscalar";

/// Either an object, or an error message. Freed with [`FreeFn`].
#[repr(C)]
pub struct Response {
    pub object: *mut u8,
    pub object_len: usize,
    /// NUL-terminated; null on success.
    pub error: *mut c_char,
}

/// 0 on success. `response` is always filled.
pub type CompileFn = unsafe extern "C" fn(request: *const Request, response: *mut Response) -> i32;
pub type FreeFn = unsafe extern "C" fn(response: *mut Response);
