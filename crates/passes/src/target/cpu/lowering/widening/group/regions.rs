//! Analyses a kernel that is to be split at its barriers: the code between barriers, the values
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

/// Splits the blocks so that every barrier has its own block, and removes the barrier calls.
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

/// The minimum number of instructions that a cut at a meeting must save: about as many as the loops
/// around a region need.
const MIN_INSTRUCTIONS_SAVED: usize = 100;

/// Adds cuts where paths from different barriers meet, if all items reach the block and the cut
/// avoids copies of much code.
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
        MIN_INSTRUCTIONS_SAVED,
    ) {
        let block = facts.blocks[n];
        let Some(first) = block.first_non_phi() else { continue };
        let Some(own) = block.split_before(first, "meeting") else { continue };
        let Some(behind) = own.split_before(first, "behind") else { continue };
        made.push(Cut { block: own, behind });
    }
    made
}

/// Returns the blocks that are reachable from `start` without passing a barrier, in the order of
/// the function.
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
/// targets lead to different barriers.
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
    // The barriers that are reachable from each block, with the end as an additional number. They
    // are the union over the successors of the block.
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

/// Returns the regions that contain each block.
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

/// Returns the regions with code that may use an address, directly or through addresses derived
/// from it. If the address is in memory, any region may read it there.
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
            if escapes(v, i) {
                return regions_of.values().flatten().copied().collect();
            }
            found.extend(i.block().and_then(|b| regions_of.get(&b)).into_iter().flatten());
            if !i.ty().is_void() && i.opcode() != Opcode::LLVMLoad {
                work.push(user);
            }
        }
    }
    found
}

/// Whether an instruction puts an address into memory: stores it, or passes it to a function that
/// may.
fn escapes<'ctx>(address: Value<'ctx>, user: Instruction<'ctx>) -> bool {
    match user.opcode() {
        Opcode::LLVMStore => user.operand(0) == Some(address),
        Opcode::LLVMAtomicRMW => user.operand(1) == Some(address),
        Opcode::LLVMAtomicCmpXchg => user.operand(2) == Some(address),
        Opcode::LLVMCall => user.called_function().is_none_or(|callee| !callee.is_intrinsic()),
        _ => false,
    }
}

/// Returns the values that are live at a barrier (defined before it and used behind it), each with
/// its barriers.
///
/// The search walks the blocks backwards from each use to the definition: the cost is the total
/// length of the live ranges.
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
    // The number of the last value, counted from one, that was found to be live at the start of
    // each block.
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

/// Whether the value depends only on arguments, constants, positions and addresses of allocations,
/// through few cheap operations.
pub(super) fn recomputable<'ctx>(v: Value<'ctx>, depth: u32) -> bool {
    let Some(i) = v.as_instruction() else { return true };
    if i.opcode() == Opcode::LLVMAlloca {
        // A local allocation has one address for all items, a kept allocation one address per item.
        // Both addresses are available.
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

/// Whether the value is recomputable if it may also depend on values that the group shares. Adds
/// these values to `roots`.
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

/// Whether the instruction costs less than saving and restoring its result.
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
