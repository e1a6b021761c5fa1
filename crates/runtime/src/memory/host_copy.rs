//! The host memory of a buffer: the program's own, or an allocation.

use std::alloc::Layout;

use crate::{Errc, Error, Result};

/// Alignment of allocations: a cache line, and enough for any vector type.
const ALIGNMENT: usize = 128;

/// Where a buffer's contents are on the host.
pub enum HostCopy {
    /// Not needed so far.
    None,
    /// The program's memory, given to the buffer for its lifetime.
    Program(*mut u8),
    /// Freed with the buffer.
    Owned(HostBlock),
}

impl HostCopy {
    /// The address, where there is one.
    pub fn address(&self) -> Option<*mut u8> {
        match self {
            Self::None => None,
            Self::Program(ptr) => Some(*ptr),
            Self::Owned(block) => Some(block.ptr),
        }
    }
}

/// An allocation of host memory that is not initialised.
pub struct HostBlock {
    ptr: *mut u8,
    layout: Layout,
}

// SAFETY: the block is the only owner of its memory.
unsafe impl Send for HostBlock {}
// SAFETY: a shared block only gives its address away.
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
        // SAFETY: allocated in `new` with this layout, and freed only here.
        unsafe { std::alloc::dealloc(self.ptr, self.layout) };
    }
}
