//! Memory of the device, of the host, and shared by both.
//!
//! Device memory comes from the device's pool, which keeps freed memory. A repeated allocation
//! takes microseconds instead of a request to the operating system. Large blocks, which few
//! programs allocate often, come directly from the driver. If memory runs out, the pool releases
//! its unused memory, and the allocation is tried once more.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, PoisonError};

use scythe_hal::{Errc, Error, Result, UsmKind};

use crate::api::Address;
use crate::error::{OUT_OF_MEMORY, SUCCESS, describe, is_sticky};
use crate::gpu::Gpu;

/// The alignment that the driver guarantees. For larger alignments, a larger block is allocated.
const DRIVER_ALIGN: usize = 256;
/// The size from which blocks do not come from the pool.
const LARGE: usize = 256 << 20;
const HOST_PORTABLE: u32 = 1;
const HOST_DEVICE_MAP: u32 = 2;
const HOST_READ_ONLY: u32 = 8;
const MANAGED_GLOBAL: u32 = 1;

/// The allocations of one device.
pub(crate) struct Memory {
    gpu: Arc<Gpu>,
    /// Blocks that start before the returned address or do not come from the pool, by the returned
    /// address.
    special: Mutex<HashMap<usize, Block>>,
}

#[derive(Clone, Copy)]
struct Block {
    start: Address,
    from_pool: bool,
}

impl Memory {
    pub(crate) fn new(gpu: &Arc<Gpu>) -> Self {
        Self { gpu: gpu.clone(), special: Mutex::default() }
    }

    /// Allocates memory. `size` must not be 0, and `align` must be a power of two.
    pub(crate) fn alloc(&self, kind: UsmKind, size: usize, align: usize) -> Result<*mut c_void> {
        self.gpu.enter()?;
        let shift = if align > DRIVER_ALIGN { align } else { 0 };
        let whole = size.checked_add(shift).filter(|&whole| whole <= isize::MAX as usize);
        let whole =
            whole.ok_or_else(|| exhausted(kind, size, "the size exceeds the address space"))?;
        let block = match kind {
            UsmKind::Device => self.device(whole),
            UsmKind::Host => self.host(whole),
            UsmKind::Shared => self.managed(whole),
        };
        let block = block.map_err(|code| match is_sticky(code) {
            true => self.gpu.error(code, "allocating memory"),
            false => exhausted(kind, size, &describe(self.gpu.api, code)),
        })?;
        let address = (block.start as usize).next_multiple_of(align.max(1));
        if address as u64 != block.start || kind == UsmKind::Device && !block.from_pool {
            self.special.lock().unwrap_or_else(PoisonError::into_inner).insert(address, block);
        }
        Ok(address as *mut c_void)
    }

    fn device(&self, size: usize) -> std::result::Result<Block, i32> {
        let (api, made) = (self.gpu.api, self.gpu.enter().map_err(|_| OUT_OF_MEMORY)?);
        let mut start = 0;
        let from_pool = !made.pool.is_null() && size < LARGE;
        let mut take = || {
            if !from_pool {
                // SAFETY: a context is current, and `start` is writable.
                return unsafe { (api.mem_alloc)(&mut start, size) };
            }
            // SAFETY: the pool and the stream are alive. After waiting for the stream, all streams
            // may use the memory.
            unsafe {
                match (api.mem_alloc_from_pool_async)(
                    &mut start,
                    size,
                    made.pool,
                    made.memory_stream,
                ) {
                    SUCCESS => (api.stream_synchronize)(made.memory_stream),
                    code => code,
                }
            }
        };
        let mut code = take();
        if code == OUT_OF_MEMORY && !made.pool.is_null() {
            // SAFETY: the pool and the stream are alive. The pool is trimmed after all enqueued
            // frees.
            unsafe {
                (api.stream_synchronize)(made.memory_stream);
                (api.mem_pool_trim_to)(made.pool, 0);
            }
            code = take();
        }
        result(code, || Block { start, from_pool })
    }

    fn host(&self, size: usize) -> std::result::Result<Block, i32> {
        let mut start = std::ptr::null_mut();
        // SAFETY: a context is current, and `start` is writable.
        let code = unsafe {
            (self.gpu.api.mem_host_alloc)(&mut start, size, HOST_PORTABLE | HOST_DEVICE_MAP)
        };
        result(code, || Block { start: start as Address, from_pool: false })
    }

    fn managed(&self, size: usize) -> std::result::Result<Block, i32> {
        let mut start = 0;
        // SAFETY: a context is current, and `start` is writable.
        let code = unsafe { (self.gpu.api.mem_alloc_managed)(&mut start, size, MANAGED_GLOBAL) };
        result(code, || Block { start, from_pool: false })
    }

    /// Locks the pages of host memory, and makes them accessible to all GPUs.
    ///
    /// # Safety
    /// The memory stays valid until [`Memory::unregister_host`].
    pub(crate) unsafe fn register_host(
        &self,
        start: usize,
        size: usize,
        read_only: bool,
    ) -> Result<()> {
        self.gpu.enter()?;
        let register = self.gpu.api.hints.host_register.ok_or_else(|| self.cannot_register())?;
        let flags = HOST_PORTABLE | HOST_DEVICE_MAP | if read_only { HOST_READ_ONLY } else { 0 };
        // SAFETY: a context is current, and the memory stays valid (this function's contract).
        let code = unsafe { register(start as *mut c_void, size, flags) };
        self.gpu.check(code, "cuMemHostRegister")
    }

    /// Ends a registration.
    ///
    /// # Safety
    /// The memory was registered, and no command uses it.
    pub(crate) unsafe fn unregister_host(&self, start: usize) -> Result<()> {
        self.gpu.enter()?;
        let end = self.gpu.api.hints.host_unregister.ok_or_else(|| self.cannot_register())?;
        // SAFETY: the memory was registered, and no command uses it (this function's contract).
        let code = unsafe { end(start as *mut c_void) };
        self.gpu.check(code, "cuMemHostUnregister")
    }

    fn cannot_register(&self) -> Error {
        let message = format!("the driver of {} cannot register host memory", self.gpu.name);
        Error::new(Errc::FeatureNotSupported, message)
    }

    /// Frees memory.
    ///
    /// # Safety
    /// `ptr` came from [`Memory::alloc`] with this kind, is not freed yet, and no command uses it.
    pub(crate) unsafe fn free(&self, kind: UsmKind, ptr: *mut c_void) {
        let special =
            self.special.lock().unwrap_or_else(PoisonError::into_inner).remove(&(ptr as usize));
        // If the device is lost, its memory is already gone.
        let Ok(made) = self.gpu.enter() else { return };
        let Block { start, from_pool } =
            special.unwrap_or(Block { start: ptr as Address, from_pool: true });
        let api = self.gpu.api;
        // On failure the block stays allocated, and nothing can be done about it.
        // SAFETY: the caller guarantees that the block came from `alloc` with this kind and that no
        // command uses it.
        let _ = unsafe {
            match kind {
                UsmKind::Host => (api.mem_free_host)(start as *mut c_void),
                UsmKind::Device if from_pool => (api.mem_free_async)(start, made.memory_stream),
                UsmKind::Device | UsmKind::Shared => (api.mem_free)(start),
            }
        };
    }
}

fn result(code: i32, block: impl FnOnce() -> Block) -> std::result::Result<Block, i32> {
    if code == SUCCESS { Ok(block()) } else { Err(code) }
}

fn exhausted(kind: UsmKind, size: usize, why: &str) -> Error {
    Error::new(
        Errc::MemoryAllocation,
        format!("cannot allocate {size} bytes of {kind:?} memory: {why}"),
    )
}
