//! The interface between SPIR-V modules and the OpenCL backend.

/// The name of the variable in which a program reports a failed assertion. The variable is in
/// device memory, is initialised to zero, and exists only in programs that contain assertions.
pub const ASSERTION_VARIABLE: &str = "__scythe_assertion";

/// The contents of [`ASSERTION_VARIABLE`]: the first assertion that failed. Texts are
/// NUL-terminated.
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
