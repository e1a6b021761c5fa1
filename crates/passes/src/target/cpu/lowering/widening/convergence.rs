//! Which lanes run together: the effect of divergent branches on a control-flow graph.
//!
//! Lanes run in step. All lanes that are in one iteration of a loop, and of all loops round it,
//! visit a block of it together. A branch is *divergent* when lanes that reach it together may take
//! different ways. This module derives from the set of divergent branches:
//!
//! * [`Convergence::is_join`]: lanes may come to a block together by different edges, or left a
//!   loop for it in different iterations;
//! * [`Convergence::divergent_loop`]: lanes that entered a loop together may leave it in different
//!   iterations;
//! * [`Convergence::is_masked`]: a block may run for some of the lanes only.
//!
//! # How
//!
//! The *level* of a loop is the graph of one of its iterations: its blocks, with the back edge and
//! all edges that leave the loop leading to one more node, the *sink*. The level of the function is
//! the whole graph. Lanes that part at a divergent branch meet again in the post-dominator of its
//! targets, in the level of the innermost loop round it. Until there, each target's label spreads
//! along the edges; a block that two labels reach is a join, and spreads a label of its own. If
//! they meet in the sink alone, then some lanes leave the loop in an iteration that others stay in,
//! or leave by another edge: the loop is divergent. Its exits are joins then, and what holds for
//! the targets of a branch holds for the targets of these exits, in the level of the loop round it.
//!
//! Inner loops that do not hold the branch need no more than that: lanes of one label enter them
//! together, through their header.

use super::cfg::{Cfg, Dominators, Loops};

/// What follows from the branches that were said to diverge. Facts only grow.
#[derive(Clone, Debug)]
pub struct Convergence {
    divergent_branch: Vec<bool>,
    divergent_loop: Vec<bool>,
    join: Vec<bool>,
    /// How many loops are round the innermost level at which lanes of the block may be off.
    masked_at: Vec<Option<usize>>,
    /// How many loops are round a loop, itself included.
    depth: Vec<usize>,
    /// Post-dominators of each loop's level, and of the function's as the last; made when they are
    /// needed.
    levels: Vec<Option<Dominators>>,
    position: Vec<usize>,
    order: Vec<usize>,
}

impl Convergence {
    /// All branches uniform.
    pub fn new(cfg: &Cfg, loops: &Loops) -> Self {
        let order = cfg.reverse_post_order();
        let mut position = vec![usize::MAX; cfg.len()];
        for (i, &b) in order.iter().enumerate() {
            position[b] = i;
        }
        Self {
            divergent_branch: vec![false; cfg.len()],
            divergent_loop: vec![false; loops.loops.len()],
            join: vec![false; cfg.len()],
            masked_at: vec![None; cfg.len()],
            depth: loops.loops.iter().map(|l| loops.around(l.header).count()).collect(),
            levels: vec![None; loops.loops.len() + 1],
            position,
            order,
        }
    }

    /// The branch at the end of a block diverges.
    pub fn divergent_branch(&self) -> &[bool] {
        &self.divergent_branch
    }

    /// Lanes that entered a loop together may leave it in different iterations.
    pub fn divergent_loop(&self) -> &[bool] {
        &self.divergent_loop
    }

    /// Lanes may come to the block together by different edges, or from different iterations of a
    /// loop.
    pub fn is_join(&self, block: usize) -> bool {
        self.join[block]
    }

    /// The block may run for some of the lanes that started only.
    pub fn is_masked(&self, block: usize) -> bool {
        self.masked_at[block].is_some()
    }

    /// The block may run for some only of the lanes that are in the current iteration of loop `l`.
    pub fn is_masked_within(&self, block: usize, l: usize) -> bool {
        self.masked_at[block].is_some_and(|depth| depth >= self.depth[l])
    }

    /// A value that is made in block `made` and seen in block `seen` may be from different
    /// iterations in different lanes.
    pub fn differs_in_time(&self, loops: &Loops, made: usize, seen: usize) -> bool {
        loops.around(made).any(|l| self.divergent_loop[l] && !loops.loops[l].contains[seen])
    }

    /// Notes that the branch at the end of `branch` diverges.
    pub fn part(&mut self, cfg: &Cfg, loops: &Loops, branch: usize) {
        if std::mem::replace(&mut self.divergent_branch[branch], true) {
            return;
        }
        if let Some(l) = self.spread(cfg, loops, loops.innermost[branch], &cfg.succs[branch]) {
            self.leave_apart(cfg, loops, l);
        }
    }

    /// Notes that lanes may leave loop `l` in different iterations.
    pub fn leave_apart(&mut self, cfg: &Cfg, loops: &Loops, l: usize) {
        let mut left = Some(l);
        while let Some(l) = left.filter(|&l| !std::mem::replace(&mut self.divergent_loop[l], true))
        {
            let lp = &loops.loops[l];
            for b in (0..cfg.len()).filter(|&b| lp.contains[b]) {
                self.mask(b, self.depth[l]);
            }
            let mut targets: Vec<usize> = lp.exits.iter().map(|e| e.1).collect();
            targets.sort_unstable();
            targets.dedup();
            targets.iter().for_each(|&t| self.join[t] = true);
            left = self.spread(cfg, loops, lp.parent, &targets);
        }
    }

    fn mask(&mut self, block: usize, depth: usize) {
        self.masked_at[block] = self.masked_at[block].max(Some(depth));
    }

    /// Lanes part and go to `targets`, in a level. Returns the level's loop if they may leave it at
    /// different times.
    fn spread(
        &mut self,
        cfg: &Cfg,
        loops: &Loops,
        level: Option<usize>,
        targets: &[usize],
    ) -> Option<usize> {
        let sink = cfg.len();
        let node = |b: usize| match level {
            Some(l) if !loops.loops[l].contains[b] || loops.loops[l].header == b => sink,
            _ => b,
        };
        let depth = level.map_or(0, |l| self.depth[l]);
        let slot = level.unwrap_or(loops.loops.len());
        let post = self.levels[slot].get_or_insert_with(|| {
            let inside = |b: usize| level.is_none_or(|l| loops.loops[l].contains[b]);
            let mut succs = vec![Vec::new(); cfg.len() + 1];
            for b in (0..cfg.len()).filter(|&b| inside(b)) {
                succs[b] = cfg.succs[b].iter().map(|&s| node(s)).collect();
                if cfg.succs[b].is_empty() {
                    succs[b].push(sink);
                }
            }
            Dominators::post(&Cfg::new(succs), sink)
        });
        let meet =
            targets.iter().map(|&t| node(t)).reduce(|a, b| post.common(a, b)).unwrap_or(sink);
        let mut label = vec![usize::MAX; cfg.len()];
        for &t in targets.iter().filter(|&&t| node(t) != sink) {
            label[t] = t;
        }
        let first = targets.iter().map(|&t| self.position[t]).min().unwrap_or(0);
        for k in first..self.order.len() {
            let b = self.order[k];
            if label[b] == usize::MAX || b == meet {
                continue;
            }
            self.mask(b, depth);
            for &s in &cfg.succs[b] {
                // Back edges of loops inside lead to where all lanes of the label have been.
                if node(s) == sink || self.position[s] <= k {
                    continue;
                }
                if label[s] == usize::MAX {
                    label[s] = label[b];
                } else if label[s] != label[b] {
                    label[s] = s;
                    self.join[s] = true;
                }
            }
        }
        level.filter(|_| meet == sink)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parted(succs: &[&[usize]], branches: &[usize]) -> Convergence {
        let cfg = Cfg::new(succs.iter().map(|s| s.to_vec()).collect());
        let loops = Loops::of(&cfg, &Dominators::of(&cfg)).expect("a reducible graph");
        let mut facts = Convergence::new(&cfg, &loops);
        branches.iter().for_each(|&b| facts.part(&cfg, &loops, b));
        facts
    }

    fn joins(facts: &Convergence) -> Vec<usize> {
        (0..facts.join.len()).filter(|&b| facts.is_join(b)).collect()
    }

    fn masked(facts: &Convergence) -> Vec<usize> {
        (0..facts.join.len()).filter(|&b| facts.is_masked(b)).collect()
    }

    #[test]
    fn a_latch_joins_what_goes_on_early_with_what_goes_on_late() {
        // 1: if (varies) continue; 2: if (uniform) break. The branch's post-dominator in the whole
        // graph is 2.
        let facts = parted(&[&[1], &[3, 2], &[4, 3], &[1], &[]], &[1]);
        assert_eq!(joins(&facts), [3, 4]);
        assert_eq!(masked(&facts), [1, 2, 3]);
        assert_eq!(facts.divergent_loop(), [true], "those who go on early do not reach the exit");
    }

    #[test]
    fn lanes_that_meet_before_the_exit_leave_together() {
        // 1: if (varies) 2; 3: if (uniform) break.
        let facts = parted(&[&[1], &[2, 3], &[3], &[1, 4], &[]], &[1]);
        assert_eq!((joins(&facts), masked(&facts)), (vec![3], vec![2]));
        assert_eq!(facts.divergent_loop(), [false]);
    }

    #[test]
    fn leaving_two_loops_apart_parts_the_outer_one() {
        // An inner loop of 2 and 3 that 2 leaves for 5, outside of both, and 3 for 4, the outer
        // latch.
        let facts = parted(&[&[1], &[2], &[5, 3], &[2, 4], &[1], &[]], &[2]);
        assert_eq!(facts.divergent_loop(), [true, true]);
        assert_eq!(joins(&facts), [4, 5]);
        let outer = 0;
        assert!(facts.is_masked_within(4, outer) && facts.is_masked(1));
    }

    #[test]
    fn an_inner_loop_with_one_exit_leaves_the_outer_one_whole() {
        let facts = parted(&[&[1], &[2], &[2, 3], &[1, 4], &[]], &[2]);
        assert_eq!(facts.divergent_loop(), [false, true]);
        assert_eq!((joins(&facts), masked(&facts)), (vec![3], vec![2]));
    }
}
