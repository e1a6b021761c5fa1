//! Tracks accesses to the bytes of a buffer, and finds the dependencies of a new access.
//!
//! Reads wait for earlier writes of the same bytes. Writes wait for earlier reads and writes.
//! Completed accesses are removed, so that the number of pending commands bounds the memory use.
//! Host accesses never wait for each other: they share one copy, and the threads of the program
//! order them.

use crate::event::Node;
use crate::timeline;

/// The accesses that may not have completed.
///
/// Reads and writes are in separate lists: a read looks at the writes alone, of which there are
/// few, because a write stands for the accesses that it waits for.
#[derive(Default)]
pub struct Tracker {
    reads: List,
    writes: List,
}

#[derive(Default)]
struct List {
    accesses: Vec<Tracked>,
    /// The length of `accesses` at which the next search for completed accesses starts.
    prune_at: usize,
}

/// A recorded access.
pub struct Tracked {
    pub bytes: std::ops::Range<u64>,
    pub writes: bool,
    /// Whether the host program made the access, rather than a command.
    pub by_host: bool,
    pub node: Node,
}

impl List {
    fn add(&mut self, new: Tracked) {
        if self.accesses.len() >= self.prune_at {
            self.accesses.retain(|access| !access.node.is_complete());
            self.prune_at = (2 * self.accesses.len()).max(16);
        }
        self.accesses.push(new);
    }
}

impl Tracker {
    /// Adds the dependencies of an access to `deps`.
    pub fn conflicts(
        &self,
        bytes: &std::ops::Range<u64>,
        writes: bool,
        by_host: bool,
        deps: &mut Vec<Node>,
    ) {
        let reads: &[Tracked] = if writes { &self.reads.accesses } else { &[] };
        for access in self.writes.accesses.iter().chain(reads) {
            let overlap = access.bytes.start.max(bytes.start) < access.bytes.end.min(bytes.end);
            let both_by_host = by_host && access.by_host;
            if overlap
                && !both_by_host
                && (timeline::is_on() || !access.node.is_complete())
                && !deps.iter().any(|dep| dep.is_same(&access.node))
            {
                deps.push(access.node.clone());
            }
        }
    }

    /// Records an access that waits for all its conflicts.
    pub fn add(&mut self, new: Tracked) {
        if !new.writes {
            return self.reads.add(new);
        }
        // An access that waits for this write also waits for the accesses that the write covers.
        let stays = |old: &Tracked| {
            let covered = new.bytes.start <= old.bytes.start && old.bytes.end <= new.bytes.end;
            !covered || (old.by_host && new.by_host)
        };
        self.reads.accesses.retain(stays);
        self.writes.accesses.retain(stays);
        self.writes.add(new);
    }

    /// Returns all commands that may not have completed.
    pub fn commands(&self) -> impl Iterator<Item = &Node> {
        let all = self.reads.accesses.iter().chain(&self.writes.accesses);
        all.filter(|access| !access.by_host).map(|access| &access.node)
    }

    #[cfg(test)]
    fn len(&self) -> usize {
        self.reads.accesses.len() + self.writes.accesses.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::OwnEvent;
    use std::sync::Arc;

    fn count(tracker: &Tracker, bytes: std::ops::Range<u64>, writes: bool) -> usize {
        let mut deps = Vec::new();
        tracker.conflicts(&bytes, writes, false, &mut deps);
        deps.len()
    }

    fn add(
        tracker: &mut Tracker,
        bytes: std::ops::Range<u64>,
        writes: bool,
        by_host: bool,
    ) -> Arc<OwnEvent> {
        let event = OwnEvent::new();
        tracker.add(Tracked { bytes, writes, by_host, node: event.node() });
        event
    }

    #[test]
    fn reads_wait_for_writes_and_writes_for_all() {
        let mut tracker = Tracker::default();
        let _r1 = add(&mut tracker, 0..8, false, false);
        let _r2 = add(&mut tracker, 0..8, false, false);
        assert_eq!(count(&tracker, 0..8, false), 0);
        assert_eq!(count(&tracker, 0..8, true), 2);
        let w = add(&mut tracker, 0..8, true, false);
        assert_eq!(count(&tracker, 0..8, false), 1);
        assert_eq!(count(&tracker, 0..8, true), 1, "the write stands for the reads it waits for");
        w.complete(Ok(()));
        assert_eq!(count(&tracker, 0..8, true), 0);
    }

    #[test]
    fn only_overlapping_bytes_conflict() {
        let mut tracker = Tracker::default();
        let _low = add(&mut tracker, 0..8, true, false);
        let _high = add(&mut tracker, 8..16, true, false);
        assert_eq!(count(&tracker, 0..8, true), 1);
        assert_eq!(count(&tracker, 4..12, false), 2);
        assert_eq!(count(&tracker, 16..20, true), 0);
        assert_eq!(count(&tracker, 4..4, true), 0, "no bytes, no conflict");
    }

    #[test]
    fn accesses_of_the_host_do_not_wait_for_each_other() {
        let mut tracker = Tracker::default();
        let _first = add(&mut tracker, 0..8, true, true);
        let mut deps = Vec::new();
        tracker.conflicts(&(0..8), true, true, &mut deps);
        assert!(deps.is_empty());
        let _second = add(&mut tracker, 0..8, true, true);
        assert_eq!(count(&tracker, 0..8, false), 2, "a command waits for both");
    }

    #[test]
    fn completed_accesses_are_forgotten() {
        let mut tracker = Tracker::default();
        for _ in 0..10_000 {
            add(&mut tracker, 0..8, false, false).complete(Ok(()));
        }
        assert!(tracker.len() <= 17, "{} accesses kept", tracker.len());
    }
}
