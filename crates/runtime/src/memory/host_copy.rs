//! The host memory of a buffer: memory of the program, or an allocation.

use std::alloc::Layout;

use crate::{Errc, Error, Result};

/// The alignment of allocations: a cache line, and sufficient for any vector type.
const ALIGNMENT: usize = 128;

/// The location of a buffer's contents on the host.
pub enum HostCopy {
    /// No memory, because none was needed so far.
    None,
    /// Memory of the program, which the buffer may use for its lifetime.
    Program(*mut u8),
    /// An allocation that is freed with the buffer.
    Owned(HostBlock),
}

impl HostCopy {
    /// Returns the address, if there is one.
    pub fn address(&self) -> Option<*mut u8> {
        match self {
            Self::None => None,
            Self::Program(ptr) => Some(*ptr),
            Self::Owned(block) => Some(block.ptr),
        }
    }
}

/// An uninitialised allocation of host memory.
pub struct HostBlock {
    ptr: *mut u8,
    layout: Layout,
}

// SAFETY: the block is the only owner of its memory.
unsafe impl Send for HostBlock {}
// SAFETY: a shared block only returns its address.
unsafe impl Sync for HostBlock {}

impl HostBlock {
    pub fn new(size: usize) -> Result<Self> {
        let exhausted = || {
            Error::new(
                Errc::MemoryAllocation,
                format!("cannot allocate {size} bytes of host memory for a buffer"),
            )
        };
        let layout = Layout::from_size_align(size.max(1), ALIGNMENT).map_err(|_| exhausted())?;
        // SAFETY: the size is not zero.
        let ptr = unsafe { std::alloc::alloc(layout) };
        if ptr.is_null() { Err(exhausted()) } else { Ok(Self { ptr, layout }) }
    }

    pub fn address(&self) -> *mut u8 {
        self.ptr
    }
}

impl Drop for HostBlock {
    fn drop(&mut self) {
        // SAFETY: `new` allocated the memory with this layout, and only this function frees it.
        unsafe { std::alloc::dealloc(self.ptr, self.layout) };
    }
}
