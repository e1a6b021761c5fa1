//! Plans the control flow of widened code: the order of the blocks, the targets of each block, and
//! the blocks that may run without an active lane.
//!
//! A block whose mask may be empty still runs, and its results are then meaningless. That is
//! harmless except for a loop that lanes leave together, by a uniform branch: its condition would
//! be meaningless too, and the loop might never end. Such a loop is *guarded*: code enters it only
//! if some lane does. If a guard is impossible, the loop runs like a divergent loop, until no lane
//! is left in it.
//!
//! This module is independent of LLVM. The test applies the rules of [`super::lanes`] to random
//! graphs.

use super::cfg::{Cfg, Exit, Loop, Loops, compact_order, linearize};
use super::convergence::Convergence;
use std::collections::HashMap;

pub struct Plan {
    /// The blocks in the order in which they are visited.
    pub order: Vec<usize>,
    pub exits: Vec<Exit>,
    /// Whether each block may run for only some of the lanes. In a masked version all blocks are
    /// masked.
    pub masked: Vec<bool>,
    /// Whether all lanes that entered the function are active in the block whenever it runs.
    pub whole: Vec<bool>,
    /// Whether at least one lane is active in the block whenever it runs.
    pub never_empty: Vec<bool>,
    /// The guarded loops, which are entered only if some lane does. Maps the header to the block to
    /// go to otherwise.
    pub guards: HashMap<usize, usize>,
}

impl Plan {
    /// Computes the plan. `masked` says whether some lanes, but not lane 0, may be inactive from
    /// the start.
    pub fn new(cfg: &Cfg, loops: &Loops, lanes: &Convergence, masked: bool) -> Self {
        let n = cfg.len();
        // Loops that run until no lane is left in them, like divergent loops, are left through all
        // of their exits, one after the other.
        let mut lanes = lanes.clone();
        while let Some(l) = (0..loops.loops.len()).find(|&l| {
            let lp = &loops.loops[l];
            !lanes.divergent_loop()[l] && lanes.is_masked(lp.header) && !can_guard(cfg, lp)
        }) {
            lanes.mark_divergent_loop(cfg, loops, l);
        }
        let whole: Vec<bool> = (0..n).map(|b| !lanes.is_masked(b)).collect();
        let mut never_empty = whole.clone();
        let order = compact_order(cfg, loops);
        let exits = linearize(cfg, loops, &order, lanes.divergent_branch(), lanes.divergent_loop());
        let mut guards = HashMap::new();
        for (l, lp) in loops.loops.iter().enumerate().filter(|(_, lp)| !whole[lp.header]) {
            if lanes.divergent_loop()[l] {
                continue;
            }
            // The block that the exit of the loop leads to after linearisation.
            let after = lp.exits.iter().find_map(|&(from, to)| match &exits[from] {
                Exit::Branch(targets) => {
                    cfg.succs[from].iter().position(|&s| s == to).map(|i| targets[i])
                }
                Exit::Jump(t) => Some(*t),
                Exit::Loop { after, .. } => Some(*after),
                Exit::Return => None,
            });
            let Some(after) = after else { continue };
            guards.insert(lp.header, after);
            // Inside the loop, blocks that no divergent branch of the loop masks run with the mask
            // with which the loop was entered.
            for b in (0..n).filter(|&b| lp.contains[b]) {
                never_empty[b] |= !lanes.is_masked_within(b, l);
            }
        }
        let masked = whole.iter().map(|whole| masked || !whole).collect();
        Self { order, exits, masked, whole, never_empty, guards }
    }
}

/// Whether exactly one block leads to the loop, and one block follows it.
fn can_guard(cfg: &Cfg, lp: &Loop) -> bool {
    let one_target = lp.exits.windows(2).all(|w| w[0].1 == w[1].1);
    one_target && cfg.preds[lp.header].iter().filter(|&&p| p != lp.latch).count() == 1
}

#[cfg(test)]
mod tests {
    use super::super::cfg::{Dominators, UnsupportedCfg};
    use super::*;
    use proptest::prelude::*;

    const LANES: usize = 4;

    /// Builds a graph of blocks with one return, in the form that widening requires: loops with one
    /// latch, one entry edge and dedicated exits. Returns `None` if a block does not reach the
    /// return, or a cycle has two entries.
    fn graph(choices: &[(u8, u8, u8)]) -> Option<(Cfg, Loops)> {
        let n = choices.len() + 1;
        let mut succs: Vec<Vec<usize>> = choices
            .iter()
            .enumerate()
            .map(|(b, &(a, c, kind))| {
                // Mostly forward edges, sometimes edges to any block.
                let near = |x: u8| (b + 1 + usize::from(x) % 3).min(n - 1);
                let any = |x: u8| 1 + usize::from(x) % (n - 1);
                let mut out = match kind % 8 {
                    0 | 1 => vec![near(a)],
                    2..=4 => vec![near(a), near(c)],
                    5 | 6 => vec![near(a), any(c)],
                    _ => vec![any(a), any(c)],
                };
                out.dedup();
                out
            })
            .collect();
        succs.push(Vec::new());
        let mut exit = n - 1;
        remove_unreached(&mut succs, &mut exit);
        loop {
            let cfg = Cfg::new(succs.clone());
            if (0..cfg.len())
                .any(|b| b != exit && Dominators::post(&cfg, exit).immediate(b).is_none())
            {
                return None;
            }
            match Loops::of(&cfg, &Dominators::of(&cfg)) {
                Err(UnsupportedCfg::SeveralLatches(header)) => {
                    let dom = Dominators::of(&cfg);
                    let back: Vec<usize> = cfg.preds[header]
                        .iter()
                        .copied()
                        .filter(|&p| dom.dominates(header, p))
                        .collect();
                    redirect(&mut succs, &back, header);
                }
                Err(_) => return None,
                Ok(loops) => {
                    let crowded = loops.loops.iter().find_map(|lp| {
                        let outside: Vec<usize> = cfg.preds[lp.header]
                            .iter()
                            .copied()
                            .filter(|&p| p != lp.latch)
                            .collect();
                        let shared = |&&(_, to): &&(usize, usize)| {
                            cfg.preds[to].iter().any(|&p| !lp.contains[p])
                        };
                        let exits = lp.exits.iter().find(shared).map(|&(_, to)| {
                            let from = lp.exits.iter().filter(|e| e.1 == to).map(|e| e.0).collect();
                            (from, to)
                        });
                        let own = outside.len() == 1 && cfg.succs[outside[0]].len() == 1;
                        if own { exits } else { Some((outside, lp.header)) }
                    });
                    match crowded {
                        Some((from, to)) => redirect(&mut succs, &from, to),
                        None => return Some((cfg, loops)),
                    }
                }
            }
        }
    }

    /// Redirects the edges from `from` to `to` through a new block.
    fn redirect(succs: &mut Vec<Vec<usize>>, from: &[usize], to: usize) {
        let new = succs.len();
        for &b in from {
            succs[b].iter_mut().filter(|s| **s == to).for_each(|s| *s = new);
        }
        succs.push(vec![to]);
    }

    fn remove_unreached(succs: &mut Vec<Vec<usize>>, exit: &mut usize) {
        let order = Cfg::new(succs.clone()).reverse_post_order();
        let mut number = vec![usize::MAX; succs.len()];
        for (i, &b) in order.iter().enumerate() {
            number[b] = i;
        }
        *succs = order.iter().map(|&b| succs[b].iter().map(|&s| number[s]).collect()).collect();
        *exit = number[*exit];
        if *exit == usize::MAX {
            // No block returns.
            *exit = 0;
        }
    }

    fn hash(parts: &[usize]) -> usize {
        parts.iter().fold(0x9e37_79b9_7f4a_7c15u64, |h, &p| {
            let h = (h ^ p as u64).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            h ^ (h >> 29)
        }) as usize
    }

    /// The state of a lane: its current iteration of each loop.
    #[derive(Clone, Debug, PartialEq, Eq)]
    struct Lane {
        iteration: Vec<usize>,
        came_from: usize,
    }

    struct World<'a> {
        cfg: &'a Cfg,
        loops: &'a Loops,
        divergent: &'a [bool],
        to_return: Vec<usize>,
        seed: usize,
    }

    impl World<'_> {
        /// Returns the successor that a lane takes. It is the same for all lanes in the same
        /// iterations, unless the branch diverges.
        fn choose(&self, lane: usize, state: &Lane, b: usize) -> usize {
            let out = &self.cfg.succs[b];
            let iterations: Vec<usize> = self.loops.around(b).map(|l| state.iteration[l]).collect();
            // Late iterations take the shortest path to the return, so that all lanes return.
            if iterations.iter().any(|&i| i >= 3) {
                return out.iter().copied().min_by_key(|&s| self.to_return[s]).unwrap_or(b);
            }
            let mut key = vec![self.seed, b];
            key.extend(iterations);
            if self.divergent[b] {
                key.push(lane);
            }
            out[(hash(&key) >> 7) % out.len()]
        }

        fn go(&self, state: &mut Lane, from: usize, to: usize) {
            for (l, lp) in self.loops.loops.iter().enumerate().filter(|(_, lp)| lp.header == to) {
                state.iteration[l] = if lp.contains[from] { state.iteration[l] + 1 } else { 0 };
            }
            state.came_from = from;
        }
    }

    fn distances(cfg: &Cfg) -> Vec<usize> {
        let mut far = vec![usize::MAX; cfg.len()];
        let mut work: std::collections::VecDeque<usize> =
            (0..cfg.len()).filter(|&b| cfg.succs[b].is_empty()).collect();
        work.iter().for_each(|&b| far[b] = 0);
        while let Some(b) = work.pop_front() {
            for &p in &cfg.preds[b] {
                if far[p] == usize::MAX {
                    far[p] = far[b] + 1;
                    work.push_back(p);
                }
            }
        }
        far
    }

    /// Runs each lane alone, then all lanes together according to the plan, and compares the
    /// traces. Checks every fact that the plan relies on.
    fn check(choices: &[(u8, u8, u8)], seed: usize, masked: bool) -> Result<(), TestCaseError> {
        let Some((cfg, loops)) = graph(choices) else {
            return Err(TestCaseError::reject("the graph cannot be widened"));
        };
        let mut facts = Convergence::new(&cfg, &loops);
        for b in (0..cfg.len())
            .filter(|&b| cfg.succs[b].len() > 1 && hash(&[seed, b, 77]).is_multiple_of(3))
        {
            facts.mark_divergent_branch(&cfg, &loops, b);
        }
        let plan = Plan::new(&cfg, &loops, &facts, masked);
        let facts_of_plan = format!("{:?}, {:?}", plan.exits, plan.guards);
        let world = World {
            cfg: &cfg,
            loops: &loops,
            divergent: facts.divergent_branch(),
            to_return: distances(&cfg),
            seed,
        };
        let start = Lane { iteration: vec![0; loops.loops.len()], came_from: usize::MAX };
        let started: [bool; LANES] =
            std::array::from_fn(|l| l == 0 || !masked || hash(&[seed, l]).is_multiple_of(2));

        let mut want: Vec<Vec<usize>> = vec![Vec::new(); LANES];
        for (lane, trace) in want.iter_mut().enumerate().filter(|(l, _)| started[*l]) {
            let (mut b, mut state) = (0, start.clone());
            loop {
                trace.push(b);
                if cfg.succs[b].is_empty() {
                    break;
                }
                let next = world.choose(lane, &state, b);
                world.go(&mut state, b, next);
                b = next;
                prop_assert!(trace.len() < 100_000, "a lane does not return");
            }
        }

        let mut got: Vec<Vec<usize>> = vec![Vec::new(); LANES];
        let mut masks = vec![[false; LANES]; cfg.len()];
        masks[0] = started;
        let mut states = vec![start; LANES];
        let (mut b, mut steps) = (0, 0);
        loop {
            steps += 1;
            prop_assert!(
                steps < 100_000,
                "the lanes together do not return from {:?}, divergent {:?}: {}",
                cfg.succs,
                facts.divergent_branch(),
                facts_of_plan
            );
            let mask = std::mem::take(&mut masks[b]);
            let active: Vec<usize> = (0..LANES).filter(|&l| mask[l]).collect();
            let what =
                format!("block {b} of {:?}, divergent {:?}", cfg.succs, facts.divergent_branch());
            prop_assert!(!plan.whole[b] || mask == started, "lanes are missing in {}", what);
            prop_assert!(
                !plan.never_empty[b] || !active.is_empty(),
                "no lane is active in {}",
                what
            );
            if !facts.is_join(b) {
                let together =
                    active.windows(2).all(|w| states[w[0]].came_from == states[w[1]].came_from);
                prop_assert!(together, "lanes arrive by different edges at {}", what);
                // Values computed in a loop that all of the lanes left are from the same iteration.
                for l in (0..loops.loops.len()).filter(|&l| !facts.divergent_loop()[l]) {
                    let left = |s: &Lane| {
                        s.came_from != usize::MAX && loops.loops[l].contains[s.came_from]
                    };
                    let of = |lane: usize| {
                        Some(states[lane].iteration[l]).filter(|_| left(&states[lane]))
                    };
                    prop_assert!(
                        active.windows(2).all(|w| of(w[0]) == of(w[1])),
                        "lanes left the loop in different iterations in {}",
                        what
                    );
                }
            }
            for l in loops.around(b) {
                let same = active
                    .windows(2)
                    .all(|w| states[w[0]].iteration[l] == states[w[1]].iteration[l]);
                prop_assert!(same, "iterations differ in {}", what);
            }
            let mut taken = None;
            for &lane in &active {
                got[lane].push(b);
                if !cfg.succs[b].is_empty() {
                    let next = world.choose(lane, &states[lane], b);
                    world.go(&mut states[lane], b, next);
                    masks[next][lane] = true;
                    taken = Some(next);
                }
            }
            let target = match &plan.exits[b] {
                Exit::Return => break,
                Exit::Jump(t) => *t,
                Exit::Branch(targets) => {
                    // Without an active lane, the condition is meaningless.
                    let taken = taken
                        .unwrap_or_else(|| cfg.succs[b][hash(&[seed, steps]) % cfg.succs[b].len()]);
                    targets[cfg.succs[b].iter().position(|&s| s == taken).unwrap()]
                }
                Exit::Loop { header, after } => {
                    if masks[*header].contains(&true) {
                        *header
                    } else {
                        *after
                    }
                }
            };
            let back = loops.loops.iter().any(|l| l.header == target && l.latch == b);
            let goes_on = matches!(plan.exits[b], Exit::Loop { .. });
            b = match plan.guards.get(&target) {
                Some(&after)
                    if !goes_on
                        && !back
                        && !plan.never_empty[b]
                        && !masks[target].contains(&true) =>
                {
                    after
                }
                _ => target,
            };
        }
        prop_assert_eq!(
            got,
            want,
            "{:?}, divergent {:?}: {}",
            cfg.succs,
            facts.divergent_branch(),
            facts_of_plan
        );
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 20_000,
            max_global_rejects: 1_000_000,
            ..ProptestConfig::default()
        })]
        #[test]
        fn lanes_together_visit_what_each_would_visit_alone(
            choices in proptest::collection::vec(any::<(u8, u8, u8)>(), 2..14), seed in any::<usize>(), masked in any::<bool>()
        ) {
            check(&choices, seed, masked)?;
        }
    }
}
