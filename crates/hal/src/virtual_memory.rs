//! Virtual memory: ranges of addresses that a program reserves and maps to physical memory.
//!
//! The runtime checks every argument against the reservations and mappings of the context, and
//! keeps physical memory alive as long as it is mapped. All addresses and sizes are multiples of
//! [`VirtualMemory::granularity`].

use std::sync::Arc;

use crate::Result;

/// How a range may be accessed, with the numbers of `address_access_mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Access {
    None = 0,
    Read = 1,
    ReadWrite = 2,
}

/// The functions of a device with `aspect::ext_oneapi_virtual_mem`.
pub trait VirtualMemory {
    /// Returns the unit of addresses and sizes, a power of two. The recommended unit is a multiple
    /// of the minimum.
    fn granularity(&self, recommended: bool) -> Result<usize>;

    /// Reserves addresses without memory, at `start` if that is possible and not 0, or elsewhere.
    fn reserve(&self, start: usize, size: usize) -> Result<usize>;

    /// Gives reserved addresses back.
    ///
    /// # Safety
    /// The range is a whole range of [`VirtualMemory::reserve`], and nothing is mapped into it.
    unsafe fn unreserve(&self, start: usize, size: usize) -> Result<()>;

    /// Allocates physical memory on this device. `exported` memory has file descriptors; only
    /// devices with `aspect::ext_oneapi_memory_export_linear` have it. Returns a `MemoryAllocation`
    /// error if the memory is exhausted.
    fn physical(&self, size: usize, exported: bool) -> Result<Arc<dyn PhysicalMemory>>;

    /// Changes the access to a range.
    ///
    /// # Safety
    /// All of the range is mapped to memory of this device, and no command uses it.
    unsafe fn set_access(&self, start: usize, size: usize, access: Access) -> Result<()>;

    /// Removes a mapping. The addresses stay reserved.
    ///
    /// # Safety
    /// The range is a whole range of [`PhysicalMemory::map`], and no command uses it.
    unsafe fn unmap(&self, start: usize, size: usize) -> Result<()>;
}

/// Physical memory of a device, which ranges of addresses can be mapped to. Mappings may overlap in
/// physical memory.
pub trait PhysicalMemory: Send + Sync {
    /// Maps a range to the memory from `offset`.
    ///
    /// # Safety
    /// The range is reserved on a device of the same backend, and nothing is mapped into it. It
    /// ends before the memory does.
    unsafe fn map(&self, start: usize, size: usize, offset: usize, access: Access) -> Result<()>;

    /// Returns a new file descriptor of exported memory, which the caller owns.
    fn export(&self) -> Result<i32>;
}
