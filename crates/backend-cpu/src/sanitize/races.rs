//! Finds accesses of different work-items to the same bytes that no barrier separates, at least one
//! of which writes, and at least one of which is not atomic.
//!
//! Memory is divided into cells of eight bytes. A cell keeps the accesses of the current interval.
//! Of many equal accesses, those of two work-items are enough: any further access conflicts with
//! one of them, unless it conflicts with none.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use scythe_abi::checks::{ATOMIC, WRITE};

use super::meetings::Interval;
use super::report::Position;

/// The size of a cell in bytes.
const CELL: usize = 8;
/// The maximum number of accesses that a cell keeps.
const MAX_KEPT: usize = 16;

/// An access of a work-item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Access {
    pub item: u64,
    interval: Interval,
    kind: u32,
    pub position: Position,
}

impl Access {
    pub fn new(item: u64, interval: Interval, kind: u32, position: Position) -> Self {
        Self { item, interval, kind, position }
    }

    /// Names the kind.
    pub fn verb(&self) -> &'static str {
        match (self.kind & WRITE != 0, self.kind & ATOMIC != 0) {
            (false, false) => "read",
            (true, false) => "write",
            (false, true) => "atomic read",
            (true, true) => "atomic write",
        }
    }

    fn conflicts(&self, other: &Self) -> bool {
        self.item != other.item
            && self.interval == other.interval
            && (self.kind | other.kind) & WRITE != 0
            && self.kind & other.kind & ATOMIC == 0
    }
}

/// An access and the bytes of the cell that it touches.
type Kept = (u8, Access);

#[derive(Default)]
pub(super) struct Races {
    cells: HashMap<usize, Vec<Kept>, BuildHasherDefault<CellHasher>>,
}

impl Races {
    /// Forgets the accesses of the previous group.
    pub fn start_group(&mut self) {
        self.cells.clear();
    }

    /// Adds an access. Returns an earlier access that conflicts with it.
    pub fn add(&mut self, at: usize, bytes: u64, access: Access) -> Option<Access> {
        let end = at.saturating_add(usize::try_from(bytes).unwrap_or(usize::MAX));
        let mut found = None;
        let mut next = at;
        while next < end {
            let cell = next / CELL;
            let stop = end.min((cell + 1) * CELL);
            let mask = mask(next % CELL, stop - next);
            let kept = self.cells.entry(cell).or_default();
            found = found.or(Self::add_to_cell(kept, mask, access));
            next = stop;
        }
        found
    }

    fn add_to_cell(kept: &mut Vec<Kept>, mask: u8, access: Access) -> Option<Access> {
        kept.retain(|(_, old)| old.interval.group == access.interval.group);
        let conflict = kept.iter().find(|(m, old)| m & mask != 0 && access.conflicts(old));
        let conflict = conflict.map(|(_, old)| *old);
        let equal = |(m, old): &&Kept| {
            *m & mask == mask && old.kind == access.kind && old.interval == access.interval
        };
        let own = kept.iter().filter(equal).any(|(_, old)| old.item == access.item);
        if !own && kept.iter().filter(equal).count() < 2 {
            if kept.len() == MAX_KEPT {
                kept.remove(0);
            }
            kept.push((mask, access));
        }
        conflict
    }
}

/// Returns the bits of `count` bytes from `first` on.
fn mask(first: usize, count: usize) -> u8 {
    let ones = if count >= CELL { u8::MAX } else { (1u8 << count) - 1 };
    ones << first
}

/// A hash for numbers of cells, which are close to each other.
#[derive(Default)]
struct CellHasher(u64);

impl Hasher for CellHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_usize(byte.into()));
    }

    fn write_usize(&mut self, n: usize) {
        let mixed = (self.0 ^ n as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(item: u64, group: u32, kind: u32) -> Access {
        // SAFETY: the text lives until the end of the process.
        let position = unsafe { Position::new(c"".as_ptr()) };
        Access::new(item, Interval { group, sub_group: 0 }, kind, position)
    }

    #[test]
    fn conflicts_need_two_items_one_interval_and_a_write() {
        let mut races = Races::default();
        assert!(races.add(100, 4, access(0, 0, WRITE)).is_none());
        assert!(races.add(100, 4, access(0, 0, WRITE)).is_none(), "the same work-item");
        assert!(races.add(104, 4, access(1, 0, WRITE)).is_none(), "other bytes of the cell");
        assert_eq!(races.add(102, 1, access(1, 0, 0)).map(|a| a.item), Some(0));
        assert!(races.add(100, 4, access(1, 1, 0)).is_none(), "behind a barrier");
        assert!(races.add(100, 4, access(2, 1, 0)).is_none(), "both read");
        assert_eq!(races.add(98, 16, access(2, 1, WRITE)).map(|a| a.item), Some(1));
    }

    #[test]
    fn atomic_accesses_conflict_with_others_only() {
        let mut races = Races::default();
        assert!(races.add(0, 4, access(0, 0, WRITE | ATOMIC)).is_none());
        assert!(races.add(0, 4, access(1, 0, WRITE | ATOMIC)).is_none());
        assert!(races.add(0, 4, access(2, 0, ATOMIC)).is_none());
        assert!(races.add(0, 4, access(3, 0, 0)).is_some());
    }

    #[test]
    fn one_of_many_readers_that_writes_is_found() {
        let mut races = Races::default();
        assert!((0..100).all(|item| races.add(8, 8, access(item, 0, 0)).is_none()));
        assert!(races.add(8, 8, access(0, 0, WRITE)).is_some());
    }
}
