//! Facts about a kernel that is to be cut at its barriers: the code between barriers, the values
//! that are live across them, and how each value crosses a barrier.

use super::super::divergence::Divergence;
use super::super::lanes::ACTIVE_LANES;
use super::{RECOMPUTED_DEPTH, barriers, meetings};
use crate::target::common::queries;
use scythe_llvm::{BasicBlock, Function, Instruction, Opcode, Value};
use std::collections::{BTreeSet, HashMap, HashSet};

/// A barrier: an empty block, and the block behind it.
pub(super) struct Cut<'ctx> {
    pub block: BasicBlock<'ctx>,
    pub behind: BasicBlock<'ctx>,
}

/// Puts every barrier into a block of its own, and removes the call.
pub(super) fn cut<'ctx>(version: Function<'ctx>) -> Vec<Cut<'ctx>> {
    let calls: Vec<_> = barriers(version).collect();
    let mut cuts = Vec::new();
    for call in calls {
        let (Some(block), Some(next)) = (call.block(), call.next()) else { continue };
        let Some(behind) = block.split_before(next, "behind") else { continue };
        let Some(own) = block.split_before(call, "barrier") else { continue };
        call.erase();
        cuts.push(Cut { block: own, behind });
    }
    cuts
}

/// Instructions that a cut at a meeting must spare: about as many as the loops round a region take.
const WORTH_A_CUT: usize = 100;

/// Cuts also where ways from different barriers meet, if all items come by and that spares copies
/// of much code.
pub(super) fn cut_meetings<'ctx>(facts: &Divergence<'ctx>, cuts: &[Cut<'ctx>]) -> Vec<Cut<'ctx>> {
    let starts: Vec<_> =
        std::iter::once(0).chain(cuts.iter().map(|c| facts.index[&c.behind])).collect();
    let sizes: Vec<_> = facts.blocks.iter().map(|b| b.instructions().count()).collect();
    let mut made = Vec::new();
    for n in meetings::find(
        &facts.cfg,
        &facts.dom,
        &starts,
        &|b| !facts.convergence.is_masked(b),
        &sizes,
        WORTH_A_CUT,
    ) {
        let block = facts.blocks[n];
        let Some(first) = block.first_non_phi() else { continue };
        let Some(own) = block.split_before(first, "meeting") else { continue };
        let Some(behind) = own.split_before(first, "behind") else { continue };
        made.push(Cut { block: own, behind });
    }
    made
}

/// The blocks that run from `start` without passing a barrier, in the function's order.
pub(super) fn region<'ctx>(
    version: Function<'ctx>,
    start: BasicBlock<'ctx>,
    barrier_of: &HashMap<BasicBlock<'ctx>, usize>,
) -> Vec<BasicBlock<'ctx>> {
    let mut seen = HashSet::new();
    let mut work = vec![start];
    while let Some(b) = work.pop() {
        if !barrier_of.contains_key(&b) && seen.insert(b) {
            work.extend(b.successors());
        }
    }
    version.blocks().filter(|b| seen.contains(b)).collect()
}

/// Whether a branch that differs between items decides which barrier of a region is reached: its
/// sides lead to different ones.
pub(super) fn exits_differ<'ctx>(
    facts: &Divergence<'ctx>,
    blocks: &[BasicBlock<'ctx>],
    barrier_of: &HashMap<BasicBlock<'ctx>, usize>,
) -> bool {
    let differs: Vec<_> = blocks
        .iter()
        .filter(|b| facts.index.get(b).is_some_and(|&n| facts.convergence.divergent_branch()[n]))
        .collect();
    if differs.is_empty() {
        return false;
    }
    // Barriers, and the end, which is one more, that are reached from each block: those of the
    // blocks that follow it.
    let mut reached: HashMap<BasicBlock<'ctx>, BTreeSet<usize>> = HashMap::new();
    let end = barrier_of.len();
    let of = |reached: &HashMap<_, BTreeSet<usize>>, b: BasicBlock<'ctx>| match barrier_of.get(&b) {
        Some(&k) => BTreeSet::from([k]),
        None => reached.get(&b).cloned().unwrap_or_default(),
    };
    let mut changed = true;
    while changed {
        changed = false;
        for &b in blocks.iter().rev() {
            let next = b.successors();
            let mut exits: BTreeSet<usize> = next.iter().flat_map(|&s| of(&reached, s)).collect();
            if next.is_empty() {
                exits.insert(end);
            }
            let old = reached.entry(b).or_default();
            if old.len() != exits.len() {
                *old = exits;
                changed = true;
            }
        }
    }
    differs.into_iter().any(|b| {
        let sides: Vec<_> = b.successors().into_iter().map(|s| of(&reached, s)).collect();
        sides.windows(2).any(|w| w[0] != w[1])
    })
}

/// The regions that each block is a part of.
pub(super) fn regions_of<'ctx>(
    regions: &[Vec<BasicBlock<'ctx>>],
) -> HashMap<BasicBlock<'ctx>, Vec<usize>> {
    let mut of: HashMap<_, Vec<usize>> = HashMap::new();
    for (k, blocks) in regions.iter().enumerate() {
        for &b in blocks {
            of.entry(b).or_default().push(k);
        }
    }
    of
}

/// The regions with code that uses an address, directly or through others made from it.
pub(super) fn regions_using<'ctx>(
    v: Value<'ctx>,
    regions_of: &HashMap<BasicBlock<'ctx>, Vec<usize>>,
) -> HashSet<usize> {
    let mut found = HashSet::new();
    let mut seen = HashSet::new();
    let mut work = vec![v];
    while let Some(v) = work.pop() {
        for user in v.users() {
            let Some(i) = user.as_instruction() else { continue };
            if !seen.insert(i) {
                continue;
            }
            found.extend(i.block().and_then(|b| regions_of.get(&b)).into_iter().flatten());
            if !i.ty().is_void() && i.opcode() != Opcode::LLVMLoad {
                work.push(user);
            }
        }
    }
    found
}

/// The values that are live where a barrier stands, defined before and used behind, each with its
/// barriers.
///
/// From each use the blocks are walked back to the definition: the work is the length of all
/// values' lives.
pub(super) fn live_at_barriers<'ctx>(
    version: Function<'ctx>,
    cuts: &[Cut<'ctx>],
) -> HashMap<Value<'ctx>, HashSet<usize>> {
    let blocks: Vec<_> = version.blocks().collect();
    let index: HashMap<_, _> = blocks.iter().enumerate().map(|(i, &b)| (b, i)).collect();
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); blocks.len()];
    for (n, b) in blocks.iter().enumerate() {
        for s in b.successors() {
            before[index[&s]].push(n);
        }
    }
    let mut barrier: Vec<Option<usize>> = vec![None; blocks.len()];
    for (k, cut) in cuts.iter().enumerate() {
        barrier[index[&cut.block]] = Some(k);
    }
    let mut live: HashMap<Value<'ctx>, HashSet<usize>> = HashMap::new();
    // The number of the last value, from one, that was found to be live at a block's start.
    let mut live_in: Vec<usize> = vec![0; blocks.len()];
    let mut work = Vec::new();
    let mut number = 0;
    for (home, block) in blocks.iter().enumerate() {
        for i in
            block.instructions().filter(|i| i.opcode() != Opcode::LLVMAlloca && !i.ty().is_void())
        {
            number += 1;
            let value = i.as_value();
            for user in value.users().into_iter().filter_map(|u| u.as_instruction()) {
                if user.opcode() == Opcode::LLVMPHI {
                    let incoming = user.incoming().into_iter().filter(|x| x.0 == value);
                    work.extend(incoming.map(|x| index[&x.1]));
                } else {
                    work.extend(user.block().map(|b| index[&b]));
                }
                while let Some(n) = work.pop() {
                    if n == home || live_in[n] == number {
                        continue;
                    }
                    live_in[n] = number;
                    if let Some(k) = barrier[n] {
                        live.entry(value).or_default().insert(k);
                    }
                    work.extend(&before[n]);
                }
            }
        }
    }
    live
}

/// Depends on arguments, constants, positions and kept addresses alone, by few cheap operations.
pub(super) fn recomputable<'ctx>(v: Value<'ctx>, depth: u32) -> bool {
    let Some(i) = v.as_instruction() else { return true };
    if i.opcode() == Opcode::LLVMAlloca {
        // A local allocation has one address for all items; a kept one, one per item: both are at
        // hand.
        return true;
    }
    let position = || {
        i.opcode() == Opcode::LLVMCall
            && i.called_function()
                .is_some_and(|f| f.name() == ACTIVE_LANES || queries::parse(&f.name()).is_some())
    };
    depth > 0
        && (position()
            || (is_cheap(i)
                && i.operands().all(|o| o.as_function().is_some() || recomputable(o, depth - 1))))
}

/// The same, where it may also depend on values that are shared by the group: the `roots`.
pub(super) fn from_shared<'ctx>(
    v: Value<'ctx>,
    depth: u32,
    shared: &dyn Fn(Value<'ctx>) -> bool,
    roots: &mut Vec<Value<'ctx>>,
) -> bool {
    if recomputable(v, RECOMPUTED_DEPTH) {
        return true;
    }
    if shared(v) {
        roots.push(v);
        return true;
    }
    let Some(i) = v.as_instruction() else { return true };
    depth > 0 && is_cheap(i) && i.operands().all(|o| from_shared(o, depth - 1, shared, roots))
}

/// Costs less than to save and restore it.
fn is_cheap(i: Instruction<'_>) -> bool {
    use Opcode::*;
    matches!(
        i.opcode(),
        LLVMAdd
            | LLVMSub
            | LLVMMul
            | LLVMShl
            | LLVMLShr
            | LLVMAShr
            | LLVMAnd
            | LLVMOr
            | LLVMXor
            | LLVMTrunc
            | LLVMSExt
            | LLVMZExt
            | LLVMGetElementPtr
            | LLVMInsertElement
            | LLVMShuffleVector
            | LLVMAddrSpaceCast
            | LLVMICmp
            | LLVMUIToFP
            | LLVMSIToFP
    )
}
