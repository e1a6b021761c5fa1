//! How the CPU backend calls a compiled kernel.
//!
//! Every kernel `K` of an image becomes one function `__scythe_cpu.K` of type [`KernelFn`] in the built object. Objects
//! are x86-64 ELF relocatable files, position independent, and refer to no symbol but those of
//! the C library, the maths library and the CPU device library.

use std::ffi::c_void;

/// What all calls of one launch share. Index 0 of each array is the dimension that varies fastest.
#[repr(C)]
pub struct Launch {
    /// One address per kernel parameter, of its value; see [`crate::launch::Param`].
    pub args: *const *const c_void,
    pub global_size: [u64; 3],
    pub global_offset: [u64; 3],
    /// 1 in every dimension for single tasks and ranges.
    pub local_size: [u64; 3],
    pub num_groups: [u64; 3],
    pub work_dim: u32,
    pub reserved: u32,
}

/// A half-open box. Single task and range: work-item indices, without the offset. nd_range: work-group indices.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Box3 {
    pub begin: [u64; 3],
    pub end: [u64; 3],
}

/// Runs all work-items (or work-groups) of the box. `local_memory` is this thread's, big enough for the launch's local
/// accessors; null when there are none.
///
/// # Safety
/// `launch` and `box_` are valid for the call, `launch.args` holds one valid address per parameter, and memory that the
/// kernel reaches through them is valid.
pub type KernelFn = unsafe extern "C" fn(launch: *const Launch, box_: *const Box3, local_memory: *mut u8);
