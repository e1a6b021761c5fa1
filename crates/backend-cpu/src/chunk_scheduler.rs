//! Distributes the units of a running command to threads.
//!
//! Each thread has a segment of adjacent units and takes it in chunks. A thread thus accesses one
//! stretch of memory, which is the same in every launch of the same size. A thread whose segment is
//! used up takes chunks of other segments.
//!
//! Guarantees: each unit is given to one thread, and exactly one caller of [`ChunkScheduler::done`]
//! learns that it was the last. A scheduler may be used after all its units are done; it then gives
//! out no more units.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// The number of chunks per segment. A delayed thread can hold up the others by at most one chunk.
const CHUNKS_PER_SEGMENT: u64 = 16;

/// A counter with its own cache line (two, because processors fetch them in pairs).
#[repr(align(128))]
struct Segment {
    next: AtomicU64,
    end: u64,
}

pub(crate) struct ChunkScheduler {
    segments: Box<[Segment]>,
    chunk: u64,
    total: u64,
    finished: AtomicU64,
    members: AtomicU32,
    busy_ns: AtomicU64,
}

impl ChunkScheduler {
    /// Distributes `units` to up to `threads` threads. The caller is the first.
    pub(crate) fn new(units: Range<u64>, threads: usize) -> Self {
        let total = units.end.saturating_sub(units.start);
        let count = (threads.max(1) as u64).min(total.max(1));
        let edge =
            |i: u64| units.start + (u128::from(total) * u128::from(i) / u128::from(count)) as u64;
        let segments = (0..count)
            .map(|i| Segment { next: AtomicU64::new(edge(i)), end: edge(i + 1) })
            .collect();
        Self {
            segments,
            chunk: (total / (count * CHUNKS_PER_SEGMENT)).max(1),
            total,
            finished: AtomicU64::new(0),
            members: AtomicU32::new(1),
            busy_ns: AtomicU64::new(0),
        }
    }

    /// Returns the number of threads besides the first that can help.
    pub(crate) fn wanted(&self) -> usize {
        self.segments.len() - 1
    }

    /// Adds a thread. Returns false if there are enough.
    pub(crate) fn join(&self) -> bool {
        let limit = self.segments.len() as u32;
        let count = |n: u32| (n < limit).then_some(n + 1);
        self.members.fetch_update(Ordering::Relaxed, Ordering::Relaxed, count).is_ok()
    }

    /// Returns the next chunk, from segment `home` as long as it has any.
    pub(crate) fn take(&self, home: usize) -> Option<Range<u64>> {
        let count = self.segments.len();
        (0..count).find_map(|i| {
            let segment = &self.segments[(home + i) % count];
            // Loading first keeps the counter from growing and its cache line shared, once the
            // segment is used up.
            if segment.next.load(Ordering::Relaxed) >= segment.end {
                return None;
            }
            let start = segment.next.fetch_add(self.chunk, Ordering::Relaxed);
            (start < segment.end).then(|| start..start.saturating_add(self.chunk).min(segment.end))
        })
    }

    /// Records that `units` are done. Returns true for the one caller after which all units are
    /// done; that caller sees all writes of the other threads.
    pub(crate) fn done(&self, units: u64) -> bool {
        units > 0 && self.finished.fetch_add(units, Ordering::AcqRel) + units == self.total
    }

    pub(crate) fn add_busy(&self, ns: u64) {
        self.busy_ns.fetch_add(ns, Ordering::Relaxed);
    }

    /// Returns the total time that threads spent on the units.
    pub(crate) fn busy(&self) -> u64 {
        self.busy_ns.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU8;

    #[test]
    fn each_unit_is_given_out_once_and_one_thread_is_last() {
        for (total, threads) in [(1, 1), (1, 8), (5, 2), (1000, 3), (100_000, 4)] {
            let scheduler = ChunkScheduler::new(10..10 + total, threads);
            let hits: Vec<AtomicU8> = (0..total).map(|_| AtomicU8::new(0)).collect();
            let last = AtomicU32::new(0);
            std::thread::scope(|scope| {
                for home in 0..threads {
                    let (scheduler, hits, last) = (&scheduler, &hits, &last);
                    scope.spawn(move || {
                        while let Some(units) = scheduler.take(home) {
                            for u in units.clone() {
                                hits[(u - 10) as usize].fetch_add(1, Ordering::Relaxed);
                            }
                            if scheduler.done(units.end - units.start) {
                                last.fetch_add(1, Ordering::Relaxed);
                            }
                        }
                    });
                }
            });
            assert!(hits.iter().all(|h| h.load(Ordering::Relaxed) == 1));
            assert_eq!(last.load(Ordering::Relaxed), 1);
            assert!(scheduler.take(0).is_none());
        }
    }

    #[test]
    fn no_more_threads_than_units_join() {
        let scheduler = ChunkScheduler::new(0..2, 8);
        assert_eq!(scheduler.wanted(), 1);
        assert!(scheduler.join());
        assert!(!scheduler.join());
    }
}
