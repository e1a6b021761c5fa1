//! Words in the memory of a GPU at which the work-groups of cooperative launches meet.
//!
//! The device library (`device-lib/nvptx/root_group.hpp`) counts arrivals in the lower 31 bits and
//! flips the highest bit when all work-groups have arrived, which leaves the lower bits 0. A word
//! can therefore serve one launch after another, but not two at the same time.

use std::sync::Arc;

use scythe_hal::Result;

use crate::api::{Address, Handle};
use crate::gpu::Gpu;

/// The distance between two words. Each has its own cache line.
const STRIDE: usize = 128;

pub(crate) struct Words {
    gpu: Arc<Gpu>,
    start: Address,
}

impl Words {
    /// Allocates words, which are 0 for later commands in the stream and, after the call, for
    /// commands in all others. The context must be current.
    pub(crate) fn new(gpu: &Arc<Gpu>, count: usize, stream: Handle) -> Result<Self> {
        let (api, bytes) = (gpu.api, count * STRIDE);
        let mut start = 0;
        // SAFETY: a context is current, and `start` is writable.
        let code = unsafe { (api.mem_alloc)(&mut start, bytes) };
        gpu.check(code, "allocating memory for a cooperative launch")?;
        let words = Self { gpu: gpu.clone(), start };
        // SAFETY: the memory was just allocated, and the stream is alive.
        let code = unsafe { (api.memset_d8_async)(start, 0, bytes, stream) };
        gpu.check(code, "filling memory")?;
        // SAFETY: the stream is alive.
        gpu.check(unsafe { (api.stream_synchronize)(stream) }, "filling memory")?;
        Ok(words)
    }

    pub(crate) fn address(&self, index: usize) -> Address {
        self.start + (index * STRIDE) as Address
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        if self.gpu.enter().is_ok() {
            // The driver waits for launches that use the memory.
            // SAFETY: this object owns the memory.
            let _ = unsafe { (self.gpu.api.mem_free)(self.start) };
        }
    }
}
