//! Memory of the device, of the host, and of both.
//!
//! Device memory comes from the device's pool, which keeps what is freed: allocating again costs
//! microseconds instead of a round trip to the operating system. Large blocks, which few programs
//! allocate often, are the driver's own. Where there is no more, the pool gives back what it keeps,
//! and the driver is asked once more.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, PoisonError};

use scythe_hal::{Errc, Error, Result, UsmKind};

use crate::api::Address;
use crate::error::{OUT_OF_MEMORY, SUCCESS, describe, is_sticky};
use crate::gpu::Gpu;

/// Alignments up to this one are the driver's business; for larger ones, more is allocated.
const DRIVER_ALIGN: usize = 256;
/// Blocks of this size and above do not come from the pool.
const LARGE: usize = 256 << 20;
const HOST_PORTABLE: u32 = 1;
const HOST_DEVICE_MAP: u32 = 2;
const MANAGED_GLOBAL: u32 = 1;

/// The allocations of one device.
pub(crate) struct Memory {
    gpu: Arc<Gpu>,
    /// Blocks that start before the address that was given out, or are not the pool's; by that
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

    /// `size` > 0; `align` is a power of two.
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
                // SAFETY: a context is current, and there is a place for the address.
                return unsafe { (api.mem_alloc)(&mut start, size) };
            }
            // SAFETY: pool and stream are alive. Waiting for the stream makes the memory
            // everybody's.
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
            // SAFETY: as above. Frees that were enqueued come first.
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
        // SAFETY: a context is current, and there is a place for the address.
        let code = unsafe {
            (self.gpu.api.mem_host_alloc)(&mut start, size, HOST_PORTABLE | HOST_DEVICE_MAP)
        };
        result(code, || Block { start: start as Address, from_pool: false })
    }

    fn managed(&self, size: usize) -> std::result::Result<Block, i32> {
        let mut start = 0;
        // SAFETY: as above.
        let code = unsafe { (self.gpu.api.mem_alloc_managed)(&mut start, size, MANAGED_GLOBAL) };
        result(code, || Block { start, from_pool: false })
    }

    /// # Safety
    /// `ptr` came from [`Memory::alloc`] with this kind, is not freed yet, and no command uses it.
    pub(crate) unsafe fn free(&self, kind: UsmKind, ptr: *mut c_void) {
        let special =
            self.special.lock().unwrap_or_else(PoisonError::into_inner).remove(&(ptr as usize));
        // Where the device is lost, its memory is gone already.
        let Ok(made) = self.gpu.enter() else { return };
        let Block { start, from_pool } =
            special.unwrap_or(Block { start: ptr as Address, from_pool: true });
        let api = self.gpu.api;
        // A failure leaves the block allocated; nobody can do anything about it.
        // SAFETY: the caller's contract.
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
