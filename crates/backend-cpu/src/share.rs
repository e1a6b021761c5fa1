//! The units of one running command, shared out among threads.
//!
//! Each thread has a segment of neighbouring units (so that a thread touches one stretch of memory,
//! the same in every launch of the same size) and takes it in chunks; a thread whose segment is
//! used up takes chunks of others.
//!
//! Guarantees: each unit is given out once, and exactly one caller of [`Share::done`] learns that
//! it was the last. A share may be used after all its units are done: it then gives out nothing.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Chunks per segment: what a thread that is held up can keep from the others is one such part.
const CHUNKS_PER_SEGMENT: u64 = 16;

/// One counter per cache line (two, as processors fetch them in pairs).
#[repr(align(128))]
struct Segment {
    next: AtomicU64,
    end: u64,
}

pub(crate) struct Share {
    segments: Box<[Segment]>,
    chunk: u64,
    total: u64,
    finished: AtomicU64,
    members: AtomicU32,
    busy_ns: AtomicU64,
}

impl Share {
    /// Shares `units` among up to `threads` threads; the caller is the first.
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

    /// How many threads besides the first can be of use.
    pub(crate) fn wanted(&self) -> usize {
        self.segments.len() - 1
    }

    /// One more thread takes part; false when there are enough.
    pub(crate) fn join(&self) -> bool {
        let limit = self.segments.len() as u32;
        let count = |n: u32| (n < limit).then_some(n + 1);
        self.members.fetch_update(Ordering::Relaxed, Ordering::Relaxed, count).is_ok()
    }

    /// The next chunk, from segment `home` while it lasts.
    pub(crate) fn take(&self, home: usize) -> Option<Range<u64>> {
        let count = self.segments.len();
        (0..count).find_map(|i| {
            let segment = &self.segments[(home + i) % count];
            // Looking first keeps the counter from growing, and its cache line shared, once the
            // segment is used up.
            if segment.next.load(Ordering::Relaxed) >= segment.end {
                return None;
            }
            let start = segment.next.fetch_add(self.chunk, Ordering::Relaxed);
            (start < segment.end).then(|| start..start.saturating_add(self.chunk).min(segment.end))
        })
    }

    /// Says that `units` are done. True for the one caller after which all are; it then sees what
    /// all others wrote.
    pub(crate) fn done(&self, units: u64) -> bool {
        units > 0 && self.finished.fetch_add(units, Ordering::AcqRel) + units == self.total
    }

    pub(crate) fn add_busy(&self, ns: u64) {
        self.busy_ns.fetch_add(ns, Ordering::Relaxed);
    }

    /// Time that threads spent on the units, added up.
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
            let share = Share::new(10..10 + total, threads);
            let hits: Vec<AtomicU8> = (0..total).map(|_| AtomicU8::new(0)).collect();
            let last = AtomicU32::new(0);
            std::thread::scope(|scope| {
                for home in 0..threads {
                    let (share, hits, last) = (&share, &hits, &last);
                    scope.spawn(move || {
                        while let Some(units) = share.take(home) {
                            for u in units.clone() {
                                hits[(u - 10) as usize].fetch_add(1, Ordering::Relaxed);
                            }
                            if share.done(units.end - units.start) {
                                last.fetch_add(1, Ordering::Relaxed);
                            }
                        }
                    });
                }
            });
            assert!(hits.iter().all(|h| h.load(Ordering::Relaxed) == 1));
            assert_eq!(last.load(Ordering::Relaxed), 1);
            assert!(share.take(0).is_none());
        }
    }

    #[test]
    fn no_more_threads_than_units_join() {
        let share = Share::new(0..2, 8);
        assert_eq!(share.wanted(), 1);
        assert!(share.join());
        assert!(!share.join());
    }
}
