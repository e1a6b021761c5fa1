//! Virtual memory: addresses that the driver reserves, and physical memory that it maps there.
//!
//! A mapping is accessible on its own GPU and on the GPUs in use that can access its memory.

use std::sync::Arc;

use scythe_hal::{Access, PhysicalMemory, Result, VirtualMemory};

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
        let mut handle = 0;
        let properties = self.properties(exported);
        // SAFETY: `handle` is writable, and the properties are readable.
        let code = unsafe { (self.api.create)(&mut handle, size, &properties, 0) };
        self.gpu.check(code, "cuMemCreate")?;
        let owner = Self { gpu: self.gpu.clone(), api: self.api };
        Ok(Arc::new(Physical { owner, handle }))
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

/// Memory of one GPU. The driver frees it when it is neither mapped nor owned.
struct Physical {
    owner: CudaVirtualMemory,
    handle: u64,
}

impl Drop for Physical {
    fn drop(&mut self) {
        // If the device is lost, its memory is already gone.
        if self.owner.gpu.enter().is_ok() {
            // SAFETY: this object owns the handle, and nothing uses it any more.
            let _ = unsafe { (self.owner.api.release)(self.handle) };
        }
    }
}

impl PhysicalMemory for Physical {
    unsafe fn map(&self, start: usize, size: usize, offset: usize, access: Access) -> Result<()> {
        self.owner.gpu.enter()?;
        let api = self.owner.api;
        // SAFETY: the range is reserved, nothing is mapped into it, and it ends before the memory
        // does (contract of `PhysicalMemory::map`).
        let code = unsafe { (api.map)(start as Address, size, offset, self.handle, 0) };
        self.owner.gpu.check(code, "cuMemMap")?;
        // New mappings are not accessible.
        if access == Access::None {
            return Ok(());
        }
        // SAFETY: the range was just mapped.
        let result = unsafe { self.owner.protect(start, size, access) };
        if result.is_err() {
            // SAFETY: the range was just mapped, and nothing uses it yet.
            let _ = unsafe { (api.unmap)(start as Address, size) };
        }
        result
    }

    fn export(&self) -> Result<i32> {
        self.owner.gpu.enter()?;
        let mut file = -1;
        let place = (&raw mut file).cast();
        // SAFETY: the handle was made for file descriptors, and `file` is writable.
        let code = unsafe { (self.owner.api.export)(place, self.handle, FILE_DESCRIPTOR, 0) };
        self.owner.gpu.check(code, "cuMemExportToShareableHandle")?;
        Ok(file)
    }
}
