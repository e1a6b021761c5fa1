//! Stores the last cost per work-item of each kernel. It tells launches that are worth sharing from
//! launches that end before another thread has woken up.
//!
//! The values are only estimates: kernels whose addresses fall into the same slot overwrite each
//! other.

use std::sync::atomic::{AtomicU64, Ordering};

const SLOTS: usize = 1024;

/// Nanoseconds per work-item, by the address of the kernel's code. A slot contains the bits of an
/// `f32`, tagged with bits of the address, or 0.
pub(crate) struct CostTable {
    slots: Box<[AtomicU64]>,
}

impl CostTable {
    pub(crate) fn new() -> Self {
        Self { slots: (0..SLOTS).map(|_| AtomicU64::new(0)).collect() }
    }

    /// Returns the estimated time of `items` work-items of the kernel at `code`, in nanoseconds, or
    /// `None` if the kernel has not run yet.
    pub(crate) fn estimate(&self, code: usize, items: u64) -> Option<f64> {
        let (slot, tag) = self.slot(code);
        let word = slot.load(Ordering::Relaxed);
        let known = word >> 32 == u64::from(tag);
        known.then(|| f64::from(f32::from_bits(word as u32)) * items as f64)
    }

    /// Records that `items` work-items of the kernel at `code` took `ns` nanoseconds of one
    /// thread's time.
    pub(crate) fn record(&self, code: usize, items: u64, ns: u64) {
        if items == 0 {
            return;
        }
        let (slot, tag) = self.slot(code);
        let each = (ns as f64 / items as f64) as f32;
        let word = u64::from(tag) << 32 | u64::from(each.to_bits());
        // Load first: if the cost has not changed, other threads keep the cache line.
        if slot.load(Ordering::Relaxed) != word {
            slot.store(word, Ordering::Relaxed);
        }
    }

    fn slot(&self, code: usize) -> (&AtomicU64, u32) {
        let hash = (code as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        // The tag is never 0, so an unused slot matches no kernel.
        (&self.slots[(hash >> 54) as usize % SLOTS], (hash >> 8) as u32 | 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_scale_with_the_number_of_items() {
        let table = CostTable::new();
        assert_eq!(table.estimate(0x1000, 10), None);
        table.record(0x1000, 10, 50);
        assert_eq!(table.estimate(0x1000, 100), Some(500.0));
        assert_eq!(table.estimate(0x2000, 100), None);
        table.record(0x1000, 0, 50);
        assert_eq!(table.estimate(0x1000, 100), Some(500.0));
    }
}
