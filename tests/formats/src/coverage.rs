//! The code that an input reaches. `-C instrument-coverage` makes the compiler count how often each
//! region of the code runs. The counters are an array in this process, whose bounds the profiling
//! runtime tells.
//!
//! As in other fuzzers, the number of runs of a region counts by its order of magnitude.

pub struct Coverage {
    /// The orders of magnitude that were seen, by region.
    seen: Vec<u8>,
}

#[cfg(feature = "coverage")]
mod counters {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    unsafe extern "C" {
        fn __llvm_profile_begin_counters() -> *mut u64;
        fn __llvm_profile_end_counters() -> *mut u64;
    }

    /// The counters that are examined together, most of which are zero.
    const BLOCK: usize = 16;

    /// Calls `each` with every counter that is not zero, and clears it.
    pub fn take(mut each: impl FnMut(usize, u64)) {
        // SAFETY: both functions only return the bounds of the array of counters.
        let (begin, end) =
            unsafe { (__llvm_profile_begin_counters(), __llvm_profile_end_counters()) };
        let count = (end as usize - begin as usize) / size_of::<u64>();
        // SAFETY: the array lives as long as the process. Atomic numbers have the layout of plain
        // ones, and other threads may count at the same time. A lost count has no effect on the
        // result of a reader.
        let all = unsafe { std::slice::from_raw_parts(begin.cast::<AtomicU64>(), count) };
        for (block, counters) in all.chunks(BLOCK).enumerate() {
            if counters.iter().fold(0, |bits, counter| bits | counter.load(Relaxed)) == 0 {
                continue;
            }
            for (at, counter) in counters.iter().enumerate() {
                let value = counter.load(Relaxed);
                if value != 0 {
                    counter.store(0, Relaxed);
                    each(block * BLOCK + at, value);
                }
            }
        }
    }
}

#[cfg(not(feature = "coverage"))]
mod counters {
    pub fn take(_each: impl FnMut(usize, u64)) {}
}

/// Returns a bit for the order of magnitude of a number.
fn magnitude(count: u64) -> u8 {
    match count {
        0 => 0,
        1 => 1,
        2 => 2,
        3 => 4,
        4..=7 => 8,
        8..=15 => 16,
        16..=31 => 32,
        32..=127 => 64,
        _ => 128,
    }
}

impl Coverage {
    pub fn new() -> Self {
        Self { seen: Vec::new() }
    }

    /// Forgets what ran since the last call.
    pub fn clear(&self) {
        counters::take(|_, _| {});
    }

    /// Adds what ran since the last call. Returns whether any of it is new.
    pub fn add(&mut self) -> bool {
        let mut is_new = false;
        counters::take(|index, count| {
            if index >= self.seen.len() {
                self.seen.resize(index + 1, 0);
            }
            let bit = magnitude(count);
            is_new |= self.seen[index] & bit == 0;
            self.seen[index] |= bit;
        });
        is_new
    }

    /// Returns the number of regions that ran.
    pub fn regions(&self) -> usize {
        self.seen.iter().filter(|seen| **seen != 0).count()
    }
}
