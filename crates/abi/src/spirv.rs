//! What the compiler and the OpenCL backend agree on about SPIR-V modules.

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
