//! The C interface of the run-time compiler, `libscythe-jit.so`.
//!
//! The library exports [`BUILD_SYMBOL`] of type [`BuildFn`] and [`FREE_SYMBOL`] of type [`FreeFn`].
//! It is installed next to `libscythe.so`, which loads it for the first build that the cache cannot
//! serve.

use std::ffi::c_char;

pub const LIBRARY: &str = "libscythe-jit.so";
pub const VERSION: u32 = 10;
pub const BUILD_SYMBOL: &str = "scythe_jit_build";
pub const FREE_SYMBOL: &str = "scythe_jit_free";

/// The build option that sets [`Request::scalar`]. Ahead-of-time compilation for the CPU accepts it
/// too.
pub const SCALAR_OPTION: &str = "-mscalar";

/// The output format of a build from device bitcode: the values of [`Request::output`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Output {
    /// An object for the CPU of this machine. Kernels follow [`crate::cpu`].
    CpuObject = 0,
    /// A SPIR-V module.
    SpirV = 1,
    /// PTX text with a NUL byte at the end. Kernels follow [`crate::cuda`].
    Ptx = 2,
    /// The same bitcode with the values of [`Request::constants`] inserted.
    Bitcode = 3,
}

impl Output {
    /// Returns the output with this number.
    pub fn from_u32(number: u32) -> Option<Self> {
        [Self::CpuObject, Self::SpirV, Self::Ptx, Self::Bitcode]
            .into_iter()
            .find(|&output| output as u32 == number)
    }
}

/// A slice of bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Bytes {
    pub data: *const u8,
    pub len: usize,
}

/// The value of one specialization constant.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Constant {
    /// The name of the variable in device code, NUL-terminated.
    pub symbol: *const c_char,
    pub value: Bytes,
}

/// A build request: device bitcode and how to compile it. Texts are NUL-terminated.
#[repr(C)]
pub struct Request {
    /// [`VERSION`].
    pub version: u32,
    /// The number of an [`Output`].
    pub output: u32,
    /// The optimisation level, 0 to 3.
    pub opt_level: u32,
    /// 1 compiles for one work-item at a time, without vectors ([`Output::CpuObject`]).
    pub scalar: u32,
    /// Device code for the generic triple.
    pub bitcode: Bytes,
    /// Modules that define symbols which the bitcode or another of these modules leaves undefined.
    /// The compiler drops the kernels of these modules. If several modules define a symbol, the
    /// definition in the bitcode takes precedence, then that of the first module.
    pub libraries: *const Bytes,
    pub library_count: usize,
    /// The folder of the device library's bitcode.
    pub device_lib_dir: *const c_char,
    /// The directory that receives the IR of each stage, or null.
    pub dump_dir: *const c_char,
    /// The aspects of the target device, which answer the aspect queries of the code.
    pub aspects: *const u32,
    pub aspect_count: usize,
    /// The only kernel to compile, or null for all kernels. If `kernel` shares variables with
    /// others, the output contains all kernels, and an object also
    /// [`crate::names::CPU_WHOLE`].
    pub kernel: *const c_char,
    /// The work-group size to compile `kernel` for, fastest dimension first
    /// ([`Output::CpuObject`]). Zeros: any size.
    pub local_size: [u64; 3],
    /// Names of the SPIR-V extensions that the driver supports ([`Output::SpirV`]). The compiler
    /// ignores unknown names.
    pub extensions: *const *const c_char,
    pub extension_count: usize,
    /// The highest SPIR-V version that the driver accepts: 0x0001_0400 for 1.4 ([`Output::SpirV`]).
    pub spirv_version: u32,
    /// The compute capability of the device: 90 for 9.0 ([`Output::Ptx`]).
    pub sm: u32,
    /// The highest PTX version that the driver accepts, times ten ([`Output::Ptx`]).
    pub ptx_version: u32,
    /// A program that checks the SPIR-V module, as `spirv-val` does, or null ([`Output::SpirV`]).
    pub validator: *const c_char,
    /// The CUDA installation that provides the maths library, or null to search the usual locations
    /// ([`Output::Ptx`]). If there is no CUDA installation, the compiler uses the maths of the
    /// device library.
    pub cuda_path: *const c_char,
    /// Values of specialization constants ([`Output::Bitcode`]). The compiler ignores constants
    /// that the bitcode does not contain.
    pub constants: *const Constant,
    pub constant_count: usize,
    /// The [`crate::checks::Checks`] to add to kernels, besides those that the bitcode requests
    /// ([`Output::CpuObject`]).
    pub checks: u32,
}

impl Request {
    /// Creates a request for `output` without bitcode: lists are empty, and optional pointers are
    /// null.
    pub const fn new(output: Output) -> Self {
        use std::ptr::null;
        Self {
            version: VERSION,
            output: output as u32,
            opt_level: 3,
            scalar: 0,
            bitcode: Bytes { data: null(), len: 0 },
            libraries: null(),
            library_count: 0,
            device_lib_dir: null(),
            dump_dir: null(),
            aspects: null(),
            aspect_count: 0,
            kernel: null(),
            local_size: [0; 3],
            extensions: null(),
            extension_count: 0,
            spirv_version: 0,
            sm: 0,
            ptx_version: 0,
            validator: null(),
            cuda_path: null(),
            constants: null(),
            constant_count: 0,
            checks: 0,
        }
    }
}

/// The result of a build: code or an error message. The receiver frees it with [`FreeFn`].
#[repr(C)]
pub struct Response {
    pub object: *mut u8,
    pub object_len: usize,
    /// The error message, NUL-terminated; null on success.
    pub error: *mut c_char,
    /// 1 if the device lacks a feature that the code uses, otherwise 0.
    pub unsupported: u32,
}

impl Response {
    /// Creates a response without code and without an error.
    pub const fn empty() -> Self {
        Self {
            object: std::ptr::null_mut(),
            object_len: 0,
            error: std::ptr::null_mut(),
            unsupported: 0,
        }
    }
}

/// Builds `request`. Returns 0 on success. Fills `response` in every case.
pub type BuildFn = unsafe extern "C" fn(request: *const Request, response: *mut Response) -> i32;
pub type FreeFn = unsafe extern "C" fn(response: *mut Response);
