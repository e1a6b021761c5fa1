//! The third entry point of `libscythe-jit.so`: device bitcode with the values of specialization constants put in.
//!
//! The library exports [`SPECIALIZE_SYMBOL`] of type [`SpecializeFn`]. Responses are those of [`crate::jit`], and are freed as
//! they are.

use crate::jit::Response;
use std::ffi::c_char;

pub const VERSION: u32 = 1;
pub const SPECIALIZE_SYMBOL: &str = "scythe_jit_specialize";

/// The value of one constant.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Value {
    /// The variable in device code, NUL-terminated.
    pub symbol: *const c_char,
    pub bytes: *const u8,
    pub len: usize,
}

/// Which values to put into which bitcode. Constants that it does not have are passed over.
#[repr(C)]
pub struct Request {
    /// [`VERSION`].
    pub version: u32,
    pub bitcode: *const u8,
    pub bitcode_len: usize,
    pub values: *const Value,
    pub value_count: usize,
}

/// 0 on success. `response` is always filled; its `object` is the bitcode.
pub type SpecializeFn = unsafe extern "C" fn(request: *const Request, response: *mut Response) -> i32;
