//! Virtual memory: addresses that the driver reserves, and physical memory that it maps there.
//!
//! A mapping is accessible on its own GPU and on the GPUs in use that can access its memory.

use std::sync::Arc;

use scythe_hal::{Access, Errc, Error, PhysicalMemory, Result, VirtualMemory};

use crate::api::{Address, Location, PhysicalProperties, PoolAccess, VirtualApi};
use crate::error::SUCCESS;
use crate::gpu::Gpu;

/// `CU_MEM_ALLOC_GRANULARITY_MINIMUM` and `CU_MEM_ALLOC_GRANULARITY_RECOMMENDED`.
const GRANULARITY: [i32; 2] = [0, 1];
/// `CU_MEM_ALLOCATION_TYPE_PINNED`.
const PINNED: i32 = 1;
/// `CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR`.
const FILE_DESCRIPTOR: i32 = 1;
/// `CU_MEM_ACCESS_FLAGS_PROT_*`.
const NO_ACCESS: i32 = 0;
const READ: i32 = 1;
const READ_WRITE: i32 = 3;

/// The functions of one GPU for virtual memory.
pub(crate) struct CudaVirtualMemory {
    gpu: Arc<Gpu>,
    api: &'static VirtualApi,
}

impl CudaVirtualMemory {
    /// Returns `None` if the driver or the GPU has no virtual memory.
    pub(crate) fn new(gpu: &Arc<Gpu>) -> Option<Self> {
        let api = gpu.api.virtual_memory.as_ref().filter(|_| gpu.limits.has_virtual_memory)?;
        Some(Self { gpu: gpu.clone(), api })
    }

    fn properties(&self, exported: bool) -> PhysicalProperties {
        PhysicalProperties {
            kind: PINNED,
            handles: if exported { FILE_DESCRIPTOR } else { 0 },
            location: Location { kind: 1, id: self.gpu.ordinal },
            metadata: std::ptr::null_mut(),
            flags: [0; 8],
        }
    }

    /// # Safety
    /// The range is mapped, and no command uses it.
    unsafe fn protect(&self, start: usize, size: usize, access: Access) -> Result<()> {
        let mut flags = match access {
            Access::None => NO_ACCESS,
            Access::Read => READ,
            Access::ReadWrite => READ_WRITE,
        };
        let ordinals = self.gpu.with_access_to_this();
        loop {
            let list: Vec<PoolAccess> = ordinals
                .iter()
                .map(|&location| PoolAccess { location_type: 1, location, flags })
                .collect();
            // SAFETY: the range is mapped (this function's contract), and the list has this length.
            let code =
                unsafe { (self.api.set_access)(start as Address, size, list.as_ptr(), list.len()) };
            // Not all drivers can make memory read-only. Programs may not write there anyway.
            if code == SUCCESS || flags != READ {
                return self.gpu.check(code, "cuMemSetAccess");
            }
            flags = READ_WRITE;
        }
    }
}

impl VirtualMemory for CudaVirtualMemory {
    fn granularity(&self, recommended: bool) -> Result<usize> {
        self.gpu.enter()?;
        let mut unit = 0;
        let option = GRANULARITY[usize::from(recommended)];
        // SAFETY: `unit` is writable, and the properties are readable.
        let code = unsafe { (self.api.granularity)(&mut unit, &self.properties(false), option) };
        self.gpu.check(code, "cuMemGetAllocationGranularity")?;
        Ok(unit.max(1))
    }

    fn reserve(&self, start: usize, size: usize) -> Result<usize> {
        self.gpu.enter()?;
        let mut at = 0;
        // SAFETY: `at` is writable.
        let mut code = unsafe { (self.api.reserve)(&mut at, size, 0, start as Address, 0) };
        if code != SUCCESS && start != 0 {
            // The requested address is only a hint.
            // SAFETY: `at` is writable.
            code = unsafe { (self.api.reserve)(&mut at, size, 0, 0, 0) };
        }
        self.gpu.check(code, "cuMemAddressReserve")?;
        Ok(at as usize)
    }

    unsafe fn unreserve(&self, start: usize, size: usize) -> Result<()> {
        self.gpu.enter()?;
        // SAFETY: the range was reserved, and nothing is mapped into it (contract of
        // `VirtualMemory::unreserve`).
        let code = unsafe { (self.api.free)(start as Address, size) };
        self.gpu.check(code, "cuMemAddressFree")
    }

    fn physical(&self, size: usize, exported: bool) -> Result<Arc<dyn PhysicalMemory>> {
        self.gpu.enter()?;
        let part = if exported { size } else { part_size(size, self.granularity(false)?) };
        let owner = Self { gpu: self.gpu.clone(), api: self.api };
        let mut memory = Physical { owner, size, part, handles: Vec::new() };
        let properties = self.properties(exported);
        for start in (0..size).step_by(part) {
            let mut handle = 0;
            let bytes = part.min(size - start);
            // SAFETY: `handle` is writable, and the properties are readable.
            let code = unsafe { (self.api.create)(&mut handle, bytes, &properties, 0) };
            self.gpu.check(code, "cuMemCreate")?;
            memory.handles.push(handle);
        }
        Ok(Arc::new(memory))
    }

    unsafe fn set_access(&self, start: usize, size: usize, access: Access) -> Result<()> {
        self.gpu.enter()?;
        // SAFETY: the range is mapped, and no command uses it (contract of
        // `VirtualMemory::set_access`).
        unsafe { self.protect(start, size, access) }
    }

    unsafe fn unmap(&self, start: usize, size: usize) -> Result<()> {
        self.gpu.enter()?;
        // SAFETY: the range is a whole mapping, and no command uses it (contract of
        // `VirtualMemory::unmap`).
        let code = unsafe { (self.api.unmap)(start as Address, size) };
        self.gpu.check(code, "cuMemUnmap")
    }
}

/// The largest number of allocations that a physical memory consists of.
const MAX_PARTS: usize = 1024;

/// Returns the size of the allocations that a physical memory consists of. The driver maps
/// allocations as a whole only.
fn part_size(size: usize, granularity: usize) -> usize {
    size.div_ceil(granularity).div_ceil(MAX_PARTS).next_power_of_two() * granularity
}

/// Memory of one GPU. The driver frees it when it is neither mapped nor owned.
struct Physical {
    owner: CudaVirtualMemory,
    size: usize,
    /// The size of each part. The last part may be smaller.
    part: usize,
    handles: Vec<u64>,
}

impl Drop for Physical {
    fn drop(&mut self) {
        // If the device is lost, its memory is already gone.
        if self.owner.gpu.enter().is_ok() {
            for &handle in &self.handles {
                // SAFETY: this object owns the handle, and nothing uses it any more.
                let _ = unsafe { (self.owner.api.release)(handle) };
            }
        }
    }
}

impl Physical {
    /// Maps whole parts, without access.
    ///
    /// # Safety
    /// As for [`PhysicalMemory::map`].
    unsafe fn map_parts(&self, start: usize, size: usize, offset: usize) -> Result<()> {
        let api = self.owner.api;
        let mut done = 0;
        while done < size {
            let bytes = self.part.min(size - done);
            let handle = self.handles[(offset + done) / self.part];
            // SAFETY: the range is reserved, nothing is mapped into it, and it ends before the
            // memory does (contract of `PhysicalMemory::map`).
            let code = unsafe { (api.map)((start + done) as Address, bytes, 0, handle, 0) };
            let mapped = self.owner.gpu.check(code, "cuMemMap");
            if mapped.is_err() {
                if done > 0 {
                    // SAFETY: the range was just mapped, and nothing uses it yet.
                    let _ = unsafe { (api.unmap)(start as Address, done) };
                }
                return mapped;
            }
            done += bytes;
        }
        Ok(())
    }

    /// Returns an error unless the range consists of whole parts.
    fn check_range(&self, size: usize, offset: usize) -> Result<()> {
        let end = offset + size;
        let whole_end = end == self.size || end.is_multiple_of(self.part);
        if whole_end && offset.is_multiple_of(self.part) {
            return Ok(());
        }
        let message = format!(
            "physical_mem::map: the CUDA driver maps this memory in parts of {} bytes only, but \
             the range starts at offset {offset} and has {size} bytes",
            self.part
        );
        Err(Error::new(Errc::FeatureNotSupported, message))
    }
}

impl PhysicalMemory for Physical {
    unsafe fn map(&self, start: usize, size: usize, offset: usize, access: Access) -> Result<()> {
        self.check_range(size, offset)?;
        self.owner.gpu.enter()?;
        // SAFETY: the caller satisfies the contract of `PhysicalMemory::map`.
        unsafe { self.map_parts(start, size, offset) }?;
        // New mappings are not accessible.
        if access == Access::None {
            return Ok(());
        }
        // SAFETY: the range was just mapped.
        let result = unsafe { self.owner.protect(start, size, access) };
        if result.is_err() {
            // SAFETY: the range was just mapped, and nothing uses it yet.
            let _ = unsafe { (self.owner.api.unmap)(start as Address, size) };
        }
        result
    }

    fn export(&self) -> Result<i32> {
        self.owner.gpu.enter()?;
        let mut file = -1;
        let place = (&raw mut file).cast();
        // Memory for export has one part.
        let handle = self.handles[0];
        // SAFETY: the handle was made for file descriptors, and `file` is writable.
        let code = unsafe { (self.owner.api.export)(place, handle, FILE_DESCRIPTOR, 0) };
        self.owner.gpu.check(code, "cuMemExportToShareableHandle")?;
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_has_a_bounded_number_of_parts() {
        const UNIT: usize = 2 << 20;
        assert_eq!(part_size(UNIT, UNIT), UNIT);
        assert_eq!(part_size(MAX_PARTS * UNIT, UNIT), UNIT);
        assert_eq!(part_size((MAX_PARTS + 1) * UNIT, UNIT), 2 * UNIT);
        assert_eq!(part_size(100 << 30, UNIT), 64 * UNIT);
    }
}
