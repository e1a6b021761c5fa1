//! Finds the blocks at which paths from different barriers meet.
//!
//! The code behind such a block is part of every region that leads there. A kernel with many
//! barriers in loops and branches, which is typical of group algorithms, would be copied many
//! times: a loop that may run zero times lets each region continue to the next loop, and so on to
//! the end. A cut at the meeting, as if there were a barrier, leaves one copy.

use super::super::cfg::{Cfg, Dominators};
use std::collections::BTreeSet;

/// Returns the blocks to cut at, in ascending order. `starts` are the entry and the blocks behind
/// barriers. `may` says whether a block may be cut: all items pass these blocks in the same order.
/// A cut is made if it avoids copies of at least `worth`, measured by the `sizes` of the blocks.
pub(super) fn find(
    cfg: &Cfg,
    dom: &Dominators,
    starts: &[usize],
    may: &dyn Fn(usize) -> bool,
    sizes: &[usize],
    worth: usize,
) -> Vec<usize> {
    let is_start = {
        let mut marks = vec![false; cfg.len()];
        starts.iter().for_each(|&b| marks[b] = true);
        marks
    };
    // This corresponds to the placement of φs for a variable that each start sets: in the iterated
    // dominance frontiers of the starts.
    let frontiers = frontiers(cfg, dom);
    let mut begins = is_start.clone();
    let mut work = starts.to_vec();
    while let Some(b) = work.pop() {
        for &f in &frontiers[b] {
            if !begins[f] && may(f) {
                begins[f] = true;
                work.push(f);
            }
        }
    }
    // A block belongs to the last start on all paths to it.
    let order = cfg.reverse_post_order();
    let mut owners: Vec<usize> = (0..cfg.len()).collect();
    let mut sums = vec![0usize; cfg.len()];
    for &b in &order {
        if let (false, Some(above)) = (begins[b], dom.immediate(b)) {
            owners[b] = owners[above];
        }
        sums[owners[b]] += sizes[b];
    }
    let mut cuts = Vec::new();
    for &b in order.iter().rev().filter(|&&b| begins[b] && !is_start[b]) {
        let from: BTreeSet<usize> = cfg.preds[b].iter().map(|&p| owners[p]).collect();
        if (from.len() - 1).saturating_mul(sums[b]) >= worth {
            cuts.push(b);
        } else {
            let copied = sums[b];
            from.into_iter().for_each(|start| sums[start] = sums[start].saturating_add(copied));
        }
    }
    cuts.sort_unstable();
    cuts
}

/// Returns the dominance frontier of each block.
fn frontiers(cfg: &Cfg, dom: &Dominators) -> Vec<Vec<usize>> {
    let mut found = vec![Vec::new(); cfg.len()];
    for (b, preds) in cfg.preds.iter().enumerate().filter(|(_, preds)| preds.len() > 1) {
        let end = dom.immediate(b);
        for &p in preds {
            let mut at = Some(p);
            while let Some(x) = at.filter(|_| at != end) {
                if found[x].last() != Some(&b) {
                    found[x].push(b);
                }
                at = dom.immediate(x);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::super::cfg::tests::grow;
    use super::*;
    use proptest::prelude::*;

    fn cuts(succs: &[&[usize]], starts: &[usize], worth: usize) -> Vec<usize> {
        let cfg = Cfg::new(succs.iter().map(|s| s.to_vec()).collect());
        find(&cfg, &Dominators::of(&cfg), starts, &|_| true, &vec![10; cfg.len()], worth)
    }

    #[test]
    fn loops_with_barriers_are_entered_at_a_cut() {
        // 0 → loop of 1, 2 with a barrier before 3 → loop of 4, 5 with a barrier before 6 → 7.
        let two: &[&[usize]] = &[&[1], &[2, 4], &[3], &[1], &[5, 7], &[6], &[4], &[]];
        assert_eq!(cuts(two, &[0, 3, 6], 1), [1, 4]);
        assert_eq!(
            cuts(two, &[0, 3, 6], 31),
            [1],
            "the second loop is small; with it, the first is not"
        );
        assert_eq!(cuts(two, &[0, 3, 6], 1000), []);
    }

    #[test]
    fn loops_without_barriers_stay_whole() {
        // Behind the barrier before 1: a loop of 2 and 3.
        assert_eq!(cuts(&[&[1], &[2], &[3, 4], &[2], &[]], &[0, 1], 1), []);
    }

    proptest! {
        #[test]
        fn each_block_is_part_of_one_region(
            choices in proptest::collection::vec(any::<u8>(), 0..60),
            barriers in proptest::collection::vec(any::<usize>(), 0..8),
        ) {
            let cfg = grow(&choices);
            let mut starts = vec![0];
            starts.extend(barriers.iter().map(|b| b % cfg.len()));
            let found = find(&cfg, &Dominators::of(&cfg), &starts, &|_| true, &vec![1; cfg.len()], 1);
            starts.extend(&found);
            starts.sort_unstable();
            starts.dedup();
            let mut seen = vec![0; cfg.len()];
            for &start in &starts {
                let mut mine = vec![false; cfg.len()];
                let mut work = vec![start];
                while let Some(b) = work.pop() {
                    if !std::mem::replace(&mut mine[b], true) {
                        seen[b] += 1;
                        work.extend(cfg.succs[b].iter().filter(|s| starts.binary_search(s).is_err()));
                    }
                }
            }
            prop_assert_eq!(seen, vec![1; cfg.len()], "cut at {:?} of {:?}", found, cfg.succs);
        }
    }
}
