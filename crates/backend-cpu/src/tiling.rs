//! Divides the box of a launch into *units* that threads can share, and converts a range of units
//! back into boxes.
//!
//! Guarantees: every index of the box is in exactly one unit; a range of units is at most five
//! boxes; the fastest dimension is divided only if there are too few rows for all threads, because
//! kernels vectorise along it.

use std::ops::Range;

use scythe_abi::cpu::Box3;

/// The minimum number of units per thread, if the box has that many indices. A delayed thread
/// leaves its remaining units to other threads.
const UNITS_PER_THREAD: u64 = 64;

/// The granularity of pieces of the fastest dimension, if they are that long. With it, no vector
/// spans two pieces.
const GRAIN: u64 = 64;

/// A box divided into units. Unit `u` is piece `u % pieces` of row `u / pieces`. Rows extend along
/// dimension 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tiling {
    extent: [u64; 3],
    /// The number of indices of dimension 0 in one piece.
    piece: u64,
    /// The number of pieces in one row.
    pieces: u64,
    units: u64,
}

impl Tiling {
    /// Divides a box of `extent` indices for `threads` threads. Returns `None` if the number of
    /// indices exceeds 64 bits.
    pub(crate) fn new(extent: [u64; 3], threads: usize) -> Option<Self> {
        let rows = extent[1].checked_mul(extent[2])?;
        let items = rows.checked_mul(extent[0])?;
        if items == 0 {
            return Some(Self { extent, piece: 1, pieces: 0, units: 0 });
        }
        let wanted = UNITS_PER_THREAD.saturating_mul(threads as u64);
        let piece =
            if rows >= wanted { extent[0] } else { piece_size(extent[0], wanted.div_ceil(rows)) };
        let pieces = extent[0].div_ceil(piece);
        Some(Self { extent, piece, pieces, units: rows * pieces })
    }

    /// The tiling of a job with one unit.
    pub(crate) const fn single() -> Self {
        Self { extent: [1; 3], piece: 1, pieces: 1, units: 1 }
    }

    pub(crate) fn units(&self) -> u64 {
        self.units
    }

    /// Returns the number of indices in the box.
    pub(crate) fn items(&self) -> u64 {
        self.extent[0] * self.extent[1] * self.extent[2]
    }

    /// Returns the same box as a single unit, for work that must not be shared.
    pub(crate) fn undivided(self) -> Self {
        let [x, y, z] = self.extent;
        if y == 1 && z == 1 && x > 0 {
            Self { piece: x, pieces: 1, units: 1, ..self }
        } else {
            self
        }
    }

    /// Calls `f` with boxes that together contain the indices of `units`, each index once.
    pub(crate) fn for_each_box(&self, units: Range<u64>, mut f: impl FnMut(&Box3)) {
        let Range { start, end } = units;
        if start >= end {
            return;
        }
        let (first_row, first_piece) = (start / self.pieces, start % self.pieces);
        let (last_row, last_piece) = (end / self.pieces, end % self.pieces);
        if first_row == last_row {
            return f(&self.part_of_row(first_row, first_piece..last_piece));
        }
        let mut whole = first_row..last_row;
        if first_piece != 0 {
            f(&self.part_of_row(first_row, first_piece..self.pieces));
            whole.start += 1;
        }
        self.for_each_box_of_rows(whole, &mut f);
        if last_piece != 0 {
            f(&self.part_of_row(last_row, 0..last_piece));
        }
    }

    fn part_of_row(&self, row: u64, pieces: Range<u64>) -> Box3 {
        let (y, z) = (row % self.extent[1], row / self.extent[1]);
        // The product cannot overflow: only the last piece may exceed the extent, by less than a
        // piece.
        let end = pieces.end.saturating_mul(self.piece).min(self.extent[0]);
        Box3 { begin: [pieces.start * self.piece, y, z], end: [end, y + 1, z + 1] }
    }

    fn for_each_box_of_rows(&self, rows: Range<u64>, f: &mut impl FnMut(&Box3)) {
        if rows.is_empty() {
            return;
        }
        let [width, height, _] = self.extent;
        let (first_plane, top) = (rows.start / height, rows.start % height);
        let (last_plane, bottom) = (rows.end / height, rows.end % height);
        if first_plane == last_plane {
            return f(&Box3 {
                begin: [0, top, first_plane],
                end: [width, bottom, first_plane + 1],
            });
        }
        let mut whole = first_plane..last_plane;
        if top != 0 {
            f(&Box3 { begin: [0, top, first_plane], end: [width, height, first_plane + 1] });
            whole.start += 1;
        }
        if !whole.is_empty() {
            f(&Box3 { begin: [0, 0, whole.start], end: [width, height, whole.end] });
        }
        if bottom != 0 {
            f(&Box3 { begin: [0, 0, last_plane], end: [width, bottom, last_plane + 1] });
        }
    }
}

/// Returns the length of a piece if a row of `length` indices is divided into about `parts` pieces.
fn piece_size(length: u64, parts: u64) -> u64 {
    let size = length.div_ceil(parts.max(1)).max(1);
    if size >= GRAIN { size / GRAIN * GRAIN } else { 1 << size.ilog2() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs the units in ranges of `run` units, and checks that each index is covered once.
    fn check(extent: [u64; 3], threads: usize, run: u64) {
        let tiling = Tiling::new(extent, threads).unwrap();
        let mut hits = vec![0u8; (extent[0] * extent[1] * extent[2]) as usize];
        let mut at = 0;
        while at < tiling.units() {
            let end = (at + run).min(tiling.units());
            let mut boxes = 0;
            tiling.for_each_box(at..end, |b| {
                boxes += 1;
                for z in b.begin[2]..b.end[2] {
                    for y in b.begin[1]..b.end[1] {
                        for x in b.begin[0]..b.end[0] {
                            hits[((z * extent[1] + y) * extent[0] + x) as usize] += 1;
                        }
                    }
                }
            });
            assert!(boxes <= 5, "{extent:?} {threads} {run}: {boxes} boxes");
            at = end;
        }
        assert!(hits.iter().all(|&h| h == 1), "{extent:?} {threads} {run}");
    }

    #[test]
    fn each_index_is_covered_once() {
        let extents = [
            [1, 1, 1],
            [7, 1, 1],
            [1000, 1, 1],
            [4097, 1, 1],
            [3, 5, 7],
            [1, 129, 3],
            [100, 2, 1],
            [65, 3, 2],
            [2, 1000, 1],
            [5, 4, 300],
            [300, 1, 5],
        ];
        for extent in extents {
            for threads in [1, 2, 3, 16] {
                for run in [1, 2, 3, 7, 50, 1 << 40] {
                    check(extent, threads, run);
                }
            }
        }
    }

    #[test]
    fn whole_launch_is_one_box() {
        let tiling = Tiling::new([100, 20, 3], 4).unwrap();
        let mut boxes = Vec::new();
        tiling.for_each_box(0..tiling.units(), |b| boxes.push(*b));
        assert_eq!(boxes, [Box3 { begin: [0; 3], end: [100, 20, 3] }]);
    }

    #[test]
    fn empty_box_has_no_units_and_oversized_box_is_refused() {
        assert_eq!(Tiling::new([5, 0, 1], 2).unwrap().units(), 0);
        assert!(Tiling::new([u64::MAX, 2, 1], 2).is_none());
        let widest = Tiling::new([u64::MAX, 1, 1], 2).unwrap();
        let mut end = 0;
        widest.for_each_box(0..widest.units(), |b| end = b.end[0]);
        assert_eq!(end, u64::MAX);
    }
}
