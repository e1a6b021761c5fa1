//! Control flow graphs of numbered blocks: dominators, post-dominators, loops, and the block order
//! that linearisation needs.
//!
//! This module does not depend on LLVM, so that the graph algorithms can be tested on random
//! graphs. Block 0 is the entry. Blocks that are unreachable from the entry must be removed first.

/// A graph of basic blocks.
#[derive(Clone, Debug)]
pub struct Cfg {
    pub succs: Vec<Vec<usize>>,
    pub preds: Vec<Vec<usize>>,
}

/// The reason why a graph cannot be vectorised.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnsupportedCfg {
    /// A cycle has two entries. Holds the block of one of them.
    #[error("the control flow is irreducible: basic block {0} is a second entry of a loop")]
    Irreducible(usize),
    /// A loop has more than one back edge. Holds the loop's header.
    #[error("the loop with header block {0} has more than one back edge")]
    SeveralLatches(usize),
}

impl Cfg {
    pub fn new(succs: Vec<Vec<usize>>) -> Self {
        let mut preds = vec![Vec::new(); succs.len()];
        for (b, out) in succs.iter().enumerate() {
            for &s in out {
                preds[s].push(b);
            }
        }
        Self { succs, preds }
    }

    pub fn len(&self) -> usize {
        self.succs.len()
    }

    pub fn is_empty(&self) -> bool {
        self.succs.is_empty()
    }

    /// Returns the blocks in reverse post-order from the entry.
    pub fn reverse_post_order(&self) -> Vec<usize> {
        let mut order = post_order(&self.succs, 0);
        order.reverse();
        order
    }
}

fn post_order(succs: &[Vec<usize>], root: usize) -> Vec<usize> {
    let mut seen = vec![false; succs.len()];
    let mut order = Vec::with_capacity(succs.len());
    let mut stack = vec![(root, 0)];
    seen[root] = true;
    while let Some((b, next)) = stack.last_mut() {
        if let Some(&s) = succs[*b].get(*next) {
            *next += 1;
            if !seen[s] {
                seen[s] = true;
                stack.push((s, 0));
            }
        } else {
            order.push(*b);
            stack.pop();
        }
    }
    order
}

/// Immediate dominators. `idom[root] == root`; `usize::MAX` for blocks that are unreachable from
/// the root.
#[derive(Clone, Debug)]
pub struct Dominators {
    root: usize,
    idom: Vec<usize>,
    depth: Vec<usize>,
}

impl Dominators {
    /// Computes dominators by the iteration of Cooper, Harvey and Kennedy over the reverse
    /// post-order.
    fn compute(succs: &[Vec<usize>], preds: &[Vec<usize>], root: usize) -> Self {
        let mut order = post_order(succs, root);
        order.reverse();
        let mut position = vec![usize::MAX; succs.len()];
        for (i, &b) in order.iter().enumerate() {
            position[b] = i;
        }
        let mut idom = vec![usize::MAX; succs.len()];
        idom[root] = root;
        let mut changed = true;
        while changed {
            changed = false;
            for &b in order.iter().skip(1) {
                let mut new = usize::MAX;
                for &p in &preds[b] {
                    if idom[p] == usize::MAX {
                        continue;
                    }
                    new = if new == usize::MAX { p } else { meet(&idom, &position, new, p) };
                }
                if idom[b] != new {
                    idom[b] = new;
                    changed = true;
                }
            }
        }
        let mut depth = vec![0; succs.len()];
        for &b in order.iter().skip(1) {
            depth[b] = depth[idom[b]] + 1;
        }
        Self { root, idom, depth }
    }

    pub fn of(cfg: &Cfg) -> Self {
        Self::compute(&cfg.succs, &cfg.preds, 0)
    }

    /// Computes post-dominators from the only block that leaves the function.
    pub fn post(cfg: &Cfg, exit: usize) -> Self {
        Self::compute(&cfg.preds, &cfg.succs, exit)
    }

    /// Returns the immediate dominator, or `None` for the root and for blocks that are unreachable
    /// from the root.
    pub fn immediate(&self, b: usize) -> Option<usize> {
        match self.idom[b] {
            usize::MAX => None,
            d if d == b => None,
            d => Some(d),
        }
    }

    /// Returns the nearest common dominator, or the root if one of the blocks is unreachable from
    /// it.
    pub fn common(&self, mut a: usize, mut b: usize) -> usize {
        if self.idom[a] == usize::MAX || self.idom[b] == usize::MAX {
            return self.root;
        }
        while a != b {
            if self.depth[a] >= self.depth[b] {
                a = self.idom[a];
            } else {
                b = self.idom[b];
            }
        }
        a
    }

    /// Whether `a` dominates `b` (a block dominates itself).
    pub fn dominates(&self, a: usize, mut b: usize) -> bool {
        if self.idom[a] == usize::MAX || self.idom[b] == usize::MAX {
            return false;
        }
        while self.depth[b] > self.depth[a] {
            b = self.idom[b];
        }
        a == b
    }
}

fn meet(idom: &[usize], position: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        while position[a] > position[b] {
            a = idom[a];
        }
        while position[b] > position[a] {
            b = idom[b];
        }
    }
    a
}

/// A natural loop with one latch.
#[derive(Clone, Debug)]
pub struct Loop {
    pub header: usize,
    pub latch: usize,
    /// Whether the loop contains each block.
    pub contains: Vec<bool>,
    pub parent: Option<usize>,
    /// The edges that leave the loop, in block order.
    pub exits: Vec<(usize, usize)>,
}

/// All loops. Outer loops come before inner loops.
#[derive(Clone, Debug)]
pub struct Loops {
    pub loops: Vec<Loop>,
    /// The innermost loop of each block.
    pub innermost: Vec<Option<usize>>,
}

impl Loops {
    pub fn of(cfg: &Cfg, dom: &Dominators) -> Result<Self, UnsupportedCfg> {
        let n = cfg.len();
        let rpo = cfg.reverse_post_order();
        let mut position = vec![usize::MAX; n];
        for (i, &b) in rpo.iter().enumerate() {
            position[b] = i;
        }
        let mut latch_of = vec![None; n];
        for &b in &rpo {
            for &s in &cfg.succs[b] {
                if position[s] <= position[b] {
                    if !dom.dominates(s, b) {
                        return Err(UnsupportedCfg::Irreducible(s));
                    }
                    if latch_of[s].replace(b).is_some() {
                        return Err(UnsupportedCfg::SeveralLatches(s));
                    }
                }
            }
        }
        let mut loops = Vec::new();
        for &header in &rpo {
            let Some(latch) = latch_of[header] else { continue };
            let mut contains = vec![false; n];
            contains[header] = true;
            let mut work = vec![latch];
            while let Some(b) = work.pop() {
                if !std::mem::replace(&mut contains[b], true) {
                    work.extend(&cfg.preds[b]);
                }
            }
            let mut exits = Vec::new();
            for b in (0..n).filter(|&b| contains[b]) {
                exits.extend(cfg.succs[b].iter().filter(|&&s| !contains[s]).map(|&s| (b, s)));
            }
            loops.push(Loop { header, latch, contains, parent: None, exits });
        }
        // Reverse post-order visits outer headers first, so the last loop found that contains a
        // block is its innermost loop.
        let mut innermost = vec![None; n];
        for (i, l) in loops.iter().enumerate() {
            for b in (0..n).filter(|&b| l.contains[b]) {
                innermost[b] = Some(i);
            }
        }
        for i in 0..loops.len() {
            let header = loops[i].header;
            loops[i].parent = (0..i).rev().find(|&j| loops[j].contains[header]);
        }
        Ok(Self { loops, innermost })
    }

    /// Returns the loops that contain a block, innermost first.
    pub fn around(&self, block: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.innermost[block], |&l| self.loops[l].parent)
    }
}

/// Returns the graph in which every loop is left only at its latch: an exit edge goes to the latch,
/// and from there to its target. A block behind a loop is then dominated by the latch, not by the
/// block inside the loop that branches to it.
fn left_at_latches(cfg: &Cfg, loops: &Loops) -> Cfg {
    let mut succs: Vec<Vec<usize>> = vec![Vec::new(); cfg.len()];
    let mut add = |from: usize, to: usize| {
        if from != to && !succs[from].contains(&to) {
            succs[from].push(to);
        }
    };
    for b in 0..cfg.len() {
        for &s in &cfg.succs[b] {
            let mut from = b;
            for l in loops.around(b).filter(|&l| !loops.loops[l].contains[s]) {
                add(from, loops.loops[l].latch);
                from = loops.loops[l].latch;
            }
            // A loop of one block has an edge to itself, which does not affect the order.
            add(from, s);
        }
    }
    Cfg::new(succs)
}

/// Returns a topological order (ignoring back edges) in which every loop is contiguous. If loops
/// are left only at their latches, every set of blocks that one block dominates is contiguous as
/// well. Linearisation needs both properties: a deferred block is then never placed inside a loop
/// or a region that is entered elsewhere.
pub fn compact_order(cfg: &Cfg, loops: &Loops) -> Vec<usize> {
    let cfg = &left_at_latches(cfg, loops);
    let dom = Dominators::of(cfg);
    let n = cfg.len();
    let rpo = cfg.reverse_post_order();
    let mut position = vec![0; n];
    for (i, &b) in rpo.iter().enumerate() {
        position[b] = i;
    }
    let mut children = vec![Vec::new(); n];
    for &b in &rpo {
        if let Some(d) = dom.immediate(b) {
            children[d].push(b);
        }
    }
    let mut order = Vec::with_capacity(n);
    emit(0, cfg, loops, &position, &children, &mut order);
    order
}

/// Appends `block` and all blocks that it dominates. The children in the dominator tree are ordered
/// topologically, where an edge from any block of a child's subtree counts. Children inside the
/// loops of `block` come before children outside.
fn emit(
    block: usize,
    cfg: &Cfg,
    loops: &Loops,
    position: &[usize],
    children: &[Vec<usize>],
    order: &mut Vec<usize>,
) {
    order.push(block);
    let kids = &children[block];
    if kids.is_empty() {
        return;
    }
    let mut owner = vec![usize::MAX; cfg.len()];
    for (i, &k) in kids.iter().enumerate() {
        let mut work = vec![k];
        while let Some(b) = work.pop() {
            owner[b] = i;
            work.extend(&children[b]);
        }
    }
    let mut waits_for = vec![vec![false; kids.len()]; kids.len()];
    for b in 0..cfg.len() {
        if owner[b] == usize::MAX {
            continue;
        }
        for &s in &cfg.succs[b] {
            let back = position[s] <= position[b];
            if owner[s] != usize::MAX && owner[s] != owner[b] && !back {
                waits_for[owner[s]][owner[b]] = true;
            }
        }
    }
    let depth = |b: usize| loops.around(b).filter(|&l| loops.loops[l].contains[block]).count();
    let mut left: Vec<usize> = (0..kids.len()).collect();
    while !left.is_empty() {
        let ready = left
            .iter()
            .copied()
            .filter(|&i| left.iter().all(|&j| !waits_for[i][j]))
            .max_by_key(|&i| (depth(kids[i]), std::cmp::Reverse(position[kids[i]])))
            .expect("edges between dominated subtrees form no cycle in a reducible graph");
        left.retain(|&i| i != ready);
        emit(kids[ready], cfg, loops, position, children, order);
    }
}

/// The control flow at the end of a block after linearisation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The function returns.
    Return,
    /// An unconditional jump to this block.
    Jump(usize),
    /// A uniform branch. Holds the new target for each original successor, in their order.
    Branch(Vec<usize>),
    /// The end of a divergent loop: jumps to the header if any lane continues, else to `after`.
    Loop { header: usize, after: usize },
}

/// Performs partial linearisation: removes divergent branches, so that all of their targets are
/// visited in turn under masks. Uniform branches stay.
///
/// `divergent[b]` says whether the branch at the end of `b` is divergent. `divergent_loop[l]` says
/// whether some lanes may leave loop `l` before others. A divergent loop is left only at its latch,
/// when no lane continues.
pub fn linearize(
    cfg: &Cfg,
    loops: &Loops,
    order: &[usize],
    divergent: &[bool],
    divergent_loop: &[bool],
) -> Vec<Exit> {
    let n = cfg.len();
    let mut index = vec![usize::MAX; n];
    for (i, &b) in order.iter().enumerate() {
        index[b] = i;
    }
    // The blocks that must still be visited once control reaches a block.
    let mut deferred: Vec<Vec<usize>> = vec![Vec::new(); n];
    let mut exits = vec![Exit::Return; n];
    let defer = |deferred: &mut Vec<Vec<usize>>, at: usize, targets: &[usize]| {
        for &t in targets {
            if t != at && !deferred[at].contains(&t) {
                deferred[at].push(t);
            }
        }
    };
    for &b in order {
        let pending = std::mem::take(&mut deferred[b]);
        let ends_loop = loops.loops.iter().position(|l| l.latch == b);
        let header = ends_loop.map(|l| loops.loops[l].header);
        let forward: Vec<usize> =
            cfg.succs[b].iter().copied().filter(|&s| Some(s) != header).collect();
        let linear = divergent[b] || ends_loop.is_some_and(|l| divergent_loop[l]);
        // Inside a divergent loop, an edge that leaves the loop only changes masks.
        let leaves_divergent =
            |s: usize| loops.around(b).any(|l| divergent_loop[l] && !loops.loops[l].contains[s]);
        if let (Some(header), false, true) = (header, linear, forward.is_empty()) {
            // The pending blocks are behind the loop, and the edges that leave the loop carry them
            // as well.
            exits[b] = Exit::Jump(header);
        } else if linear || cfg.succs[b].len() <= 1 || forward.iter().any(|&s| leaves_divergent(s))
        {
            let mut all = pending;
            for s in forward {
                if !all.contains(&s) {
                    all.push(s);
                }
            }
            let next = all.iter().copied().min_by_key(|&t| index[t]);
            exits[b] = match (header, next) {
                (Some(header), Some(next)) => Exit::Loop { header, after: next },
                (Some(header), None) => Exit::Jump(header),
                (None, Some(next)) => Exit::Jump(next),
                (None, None) => Exit::Return,
            };
            if let Some(next) = next {
                defer(&mut deferred, next, &all);
            }
        } else {
            let mut targets = Vec::new();
            for &s in &cfg.succs[b] {
                if Some(s) == header {
                    // The pending blocks are behind the loop. They stay pending on the edge that
                    // leaves the loop.
                    targets.push(s);
                    continue;
                }
                let mut all = pending.clone();
                if !all.contains(&s) {
                    all.push(s);
                }
                let next = all.iter().copied().min_by_key(|&t| index[t]).unwrap_or(s);
                targets.push(next);
                defer(&mut deferred, next, &all);
            }
            exits[b] = Exit::Branch(targets);
        }
    }
    exits
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns a random reducible graph with single-latch loops and one return. It is built by
    /// replacing single edges.
    pub(in crate::target::cpu::lowering::widening) fn grow(choices: &[u8]) -> Cfg {
        // Block 0 is the entry, block 1 the return. All edges except back edges may be replaced.
        let mut succs: Vec<Vec<usize>> = vec![vec![1], vec![]];
        let mut back = std::collections::HashSet::new();
        for pair in choices.chunks_exact(2) {
            let edges: Vec<(usize, usize)> = (0..succs.len())
                .flat_map(|b| (0..succs[b].len()).map(move |i| (b, i)))
                .filter(|e| !back.contains(e))
                .collect();
            let (b, i) = edges[pair[0] as usize % edges.len()];
            let target = succs[b][i];
            let n = succs.len();
            // Find the outermost loop that contains the edge, and the target of its first exit.
            let whole = Cfg::new(succs.clone());
            let loops =
                Loops::of(&whole, &Dominators::of(&whole)).expect("grown graphs are reducible");
            let outermost = loops.around(b).filter(|&l| loops.loops[l].contains[target]).last();
            let behind = outermost.and_then(|l| loops.loops[l].exits.first().map(|e| e.1));
            match (pair[1] % 5, behind) {
                // An edge that leaves all loops at once.
                (4, Some(behind)) if behind != target => {
                    succs[b][i] = n;
                    succs.push(vec![target, behind]);
                    continue;
                }
                _ => {}
            }
            match pair[1] % 4 {
                0 => {
                    // if-then: n tests, n+1 is the body.
                    succs[b][i] = n;
                    succs.push(vec![n + 1, target]);
                    succs.push(vec![target]);
                }
                1 => {
                    // if-then-else.
                    succs[b][i] = n;
                    succs.push(vec![n + 1, n + 2]);
                    succs.push(vec![target]);
                    succs.push(vec![target]);
                }
                2 => {
                    // A loop that tests at its end: header n, latch n+1.
                    succs[b][i] = n;
                    succs.push(vec![n + 1]);
                    succs.push(vec![n, target]);
                    back.insert((n + 1, 0));
                }
                _ => {
                    // A loop with a test at its head, a break in its body, and a separate latch.
                    succs[b][i] = n;
                    succs.push(vec![n + 1, n + 3]);
                    succs.push(vec![n + 2, n + 3]);
                    succs.push(vec![n]);
                    succs.push(vec![target]);
                    back.insert((n + 2, 0));
                }
            }
        }
        Cfg::new(succs)
    }

    /// Returns the successor that a lane takes on its `visit`-th visit of a block. Loops terminate
    /// because late visits leave them.
    fn choose(cfg: &Cfg, loops: &Loops, seed: u64, b: usize, visit: usize, lane: usize) -> usize {
        if cfg.succs[b].len() < 2 {
            return 0;
        }
        let mut h = seed ^ (b as u64) << 32 ^ (visit as u64) << 8 ^ lane as u64;
        h = h.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        h ^= h >> 29;
        h = h.wrapping_mul(0xbf58_476d_1ce4_e5b9);
        h ^= h >> 32;
        if visit >= 3 {
            let inside = |s: usize| {
                loops.innermost[b]
                    .is_some_and(|l| loops.loops[l].contains[s] && loops.loops[l].header != s)
            };
            let leaving = (0..2).find(|&i| {
                loops.innermost[b].is_some_and(|l| !loops.loops[l].contains[cfg.succs[b][i]])
            });
            if let Some(i) = leaving {
                return i;
            }
            return (0..2).find(|&i| inside(cfg.succs[b][i])).unwrap_or((h & 1) as usize);
        }
        (h & 1) as usize
    }

    const LANES: usize = 4;

    fn check(choices: &[u8], seed: u64) -> Result<(), TestCaseError> {
        let cfg = grow(choices);
        let dom = Dominators::of(&cfg);
        let loops = Loops::of(&cfg, &dom).expect("grown graphs are reducible");
        let order = compact_order(&cfg, &loops);
        prop_assert_eq!(order.len(), cfg.len());
        for lp in &loops.loops {
            let inside: Vec<bool> = order.iter().map(|&b| lp.contains[b]).collect();
            let runs = inside.chunk_by(|a, b| a == b).filter(|run| run[0]).count();
            prop_assert_eq!(runs, 1, "a loop is contiguous in {:?}", order);
        }
        // Every branch diverges here, which is the hardest case. Visits are counted per lane.
        let divergent: Vec<bool> = cfg.succs.iter().map(|s| s.len() > 1).collect();
        let divergent_loop = vec![true; loops.loops.len()];
        let exits = linearize(&cfg, &loops, &order, &divergent, &divergent_loop);

        let mut want: Vec<Vec<usize>> = vec![Vec::new(); LANES];
        for (lane, trace) in want.iter_mut().enumerate() {
            let (mut b, mut visits) = (0, vec![0; cfg.len()]);
            loop {
                trace.push(b);
                if cfg.succs[b].is_empty() || trace.len() > 10_000 {
                    break;
                }
                let i = choose(&cfg, &loops, seed, b, visits[b], lane);
                visits[b] += 1;
                b = cfg.succs[b][i];
            }
        }

        let mut got: Vec<Vec<usize>> = vec![Vec::new(); LANES];
        let mut masks = vec![[false; LANES]; cfg.len()];
        masks[0] = [true; LANES];
        let mut visits = vec![[0; LANES]; cfg.len()];
        let (mut b, mut steps) = (0, 0);
        loop {
            steps += 1;
            prop_assert!(steps < 100_000, "linearised code does not terminate");
            let mask = std::mem::take(&mut masks[b]);
            for lane in (0..LANES).filter(|&l| mask[l]) {
                got[lane].push(b);
                if !cfg.succs[b].is_empty() {
                    let i = choose(&cfg, &loops, seed, b, visits[b][lane], lane);
                    visits[b][lane] += 1;
                    masks[cfg.succs[b][i]][lane] = true;
                }
            }
            b = match &exits[b] {
                Exit::Return => break,
                Exit::Jump(t) => *t,
                Exit::Branch(_) => unreachable!("every branch diverges"),
                Exit::Loop { header, after } => {
                    if masks[*header].contains(&true) {
                        *header
                    } else {
                        *after
                    }
                }
            };
        }
        prop_assert_eq!(got, want);
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn linearised_code_visits_for_each_lane_what_the_lane_would_visit_alone(
            choices in proptest::collection::vec(any::<u8>(), 0..24), seed in any::<u64>()
        ) {
            check(&choices, seed)?;
        }
    }

    #[test]
    fn two_entries_into_a_cycle_are_irreducible() {
        let cfg = Cfg::new(vec![vec![1, 2], vec![2], vec![1, 3], vec![]]);
        let dom = Dominators::of(&cfg);
        assert!(matches!(Loops::of(&cfg, &dom), Err(UnsupportedCfg::Irreducible(_))));
    }
}
