//! Computes which lanes run together: the effect of divergent branches on a control flow graph.
//!
//! Lanes run in lockstep. All lanes that are in the same iteration of a loop, and of all loops
//! around it, visit a block of the loop together. A branch is *divergent* if lanes that reach it
//! together may take different successors. From the set of divergent branches, this module derives:
//!
//! * [`Convergence::is_join`]: lanes may reach a block together through different edges, or after
//!   leaving a loop in different iterations;
//! * [`Convergence::divergent_loop`]: lanes that entered a loop together may leave it in different
//!   iterations;
//! * [`Convergence::is_masked`]: a block may run for only some of the lanes.
//!
//! # Algorithm
//!
//! The *level* of a loop is the graph of one of its iterations: its blocks, with the back edge and
//! all exit edges leading to one additional node, the *sink*. The level of the function is the
//! whole graph. Lanes that separate at a divergent branch reconverge in the common post-dominator
//! of the branch's targets, in the level of the innermost loop around the branch. Until then, the
//! label of each target propagates along the edges. A block that two labels reach is a join, and
//! propagates a new label. If the lanes reconverge only in the sink, some lanes leave the loop in
//! an iteration in which others stay, or leave by a different edge: the loop is divergent. Its
//! exits are then joins, and the targets of these exits are handled like the targets of a branch,
//! in the level of the enclosing loop.
//!
//! Inner loops that do not contain the branch need no special handling: lanes of one label enter
//! them together, through their header.

use super::cfg::{Cfg, Dominators, Loops};

/// The consequences of the branches marked as divergent. Facts are only added.
#[derive(Clone, Debug)]
pub struct Convergence {
    divergent_branch: Vec<bool>,
    divergent_loop: Vec<bool>,
    join: Vec<bool>,
    /// The number of loops around the innermost level at which lanes of the block may be inactive.
    masked_at: Vec<Option<usize>>,
    /// The number of loops around a loop, including the loop itself.
    depth: Vec<usize>,
    /// The post-dominators of the level of each loop, followed by those of the function. They are
    /// computed on demand.
    levels: Vec<Option<Dominators>>,
    position: Vec<usize>,
    order: Vec<usize>,
}

impl Convergence {
    /// Creates the facts for a graph whose branches are all uniform.
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

    /// Whether the branch at the end of each block diverges.
    pub fn divergent_branch(&self) -> &[bool] {
        &self.divergent_branch
    }

    /// Whether lanes that entered a loop together may leave it in different iterations, for each
    /// loop.
    pub fn divergent_loop(&self) -> &[bool] {
        &self.divergent_loop
    }

    /// Whether lanes may reach the block together through different edges, or from different
    /// iterations of a loop.
    pub fn is_join(&self, block: usize) -> bool {
        self.join[block]
    }

    /// Whether the block may run for only some of the lanes that entered the function.
    pub fn is_masked(&self, block: usize) -> bool {
        self.masked_at[block].is_some()
    }

    /// Whether the block may run for only some of the lanes that are in the current iteration of
    /// loop `l`.
    pub fn is_masked_within(&self, block: usize, l: usize) -> bool {
        self.masked_at[block].is_some_and(|depth| depth >= self.depth[l])
    }

    /// Whether a value that is computed in block `made` and used in block `seen` may come from
    /// different iterations in different lanes.
    pub fn is_temporally_divergent(&self, loops: &Loops, made: usize, seen: usize) -> bool {
        loops.around(made).any(|l| self.divergent_loop[l] && !loops.loops[l].contains[seen])
    }

    /// Records that the branch at the end of `branch` diverges.
    pub fn mark_divergent_branch(&mut self, cfg: &Cfg, loops: &Loops, branch: usize) {
        if std::mem::replace(&mut self.divergent_branch[branch], true) {
            return;
        }
        if let Some(l) = self.spread(cfg, loops, loops.innermost[branch], &cfg.succs[branch]) {
            self.mark_divergent_loop(cfg, loops, l);
        }
    }

    /// Records that lanes may leave loop `l` in different iterations.
    pub fn mark_divergent_loop(&mut self, cfg: &Cfg, loops: &Loops, l: usize) {
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

    /// Propagates the labels of lanes that separate and go to `targets` in a level. Returns the
    /// loop of the level if the lanes may leave it at different times.
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
                // The back edges of inner loops lead to blocks that all lanes of the label have
                // already visited.
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

    fn with_divergent_branches(succs: &[&[usize]], branches: &[usize]) -> Convergence {
        let cfg = Cfg::new(succs.iter().map(|s| s.to_vec()).collect());
        let loops = Loops::of(&cfg, &Dominators::of(&cfg)).expect("a reducible graph");
        let mut facts = Convergence::new(&cfg, &loops);
        branches.iter().for_each(|&b| facts.mark_divergent_branch(&cfg, &loops, b));
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
        // 1: if (varies) continue; 2: if (uniform) break. The post-dominator of the branch in the
        // whole graph is 2.
        let facts = with_divergent_branches(&[&[1], &[3, 2], &[4, 3], &[1], &[]], &[1]);
        assert_eq!(joins(&facts), [3, 4]);
        assert_eq!(masked(&facts), [1, 2, 3]);
        assert_eq!(
            facts.divergent_loop(),
            [true],
            "lanes that continue early do not reach the exit"
        );
    }

    #[test]
    fn lanes_that_meet_before_the_exit_leave_together() {
        // 1: if (varies) 2; 3: if (uniform) break.
        let facts = with_divergent_branches(&[&[1], &[2, 3], &[3], &[1, 4], &[]], &[1]);
        assert_eq!((joins(&facts), masked(&facts)), (vec![3], vec![2]));
        assert_eq!(facts.divergent_loop(), [false]);
    }

    #[test]
    fn leaving_two_loops_apart_parts_the_outer_one() {
        // An inner loop of 2 and 3. 2 leaves it for 5, outside of both loops, and 3 leaves it for
        // 4, the outer latch.
        let facts = with_divergent_branches(&[&[1], &[2], &[5, 3], &[2, 4], &[1], &[]], &[2]);
        assert_eq!(facts.divergent_loop(), [true, true]);
        assert_eq!(joins(&facts), [4, 5]);
        let outer = 0;
        assert!(facts.is_masked_within(4, outer) && facts.is_masked(1));
    }

    #[test]
    fn an_inner_loop_with_one_exit_leaves_the_outer_one_whole() {
        let facts = with_divergent_branches(&[&[1], &[2], &[2, 3], &[1, 4], &[]], &[2]);
        assert_eq!(facts.divergent_loop(), [false, true]);
        assert_eq!((joins(&facts), masked(&facts)), (vec![3], vec![2]));
    }
}
