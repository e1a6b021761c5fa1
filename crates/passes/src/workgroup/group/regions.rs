//! Questions about a kernel that is to be cut at its barriers: what runs between them, what lives across them, and how a value gets
//! across.

use super::super::divergence::Divergence;
use super::super::lanes::ACTIVE_LANES;
use super::super::queries;
use super::{RECOMPUTED_DEPTH, barriers};
use scythe_llvm::{BasicBlock, Function, Instruction, Opcode, Value};
use std::collections::{HashMap, HashSet};

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

/// Whether a branch that differs between items decides which barrier of a region is reached: its sides lead to different
/// ones.
pub(super) fn exits_differ<'ctx>(
    facts: &Divergence<'ctx>,
    blocks: &[BasicBlock<'ctx>],
    barrier_of: &HashMap<BasicBlock<'ctx>, usize>,
) -> bool {
    let reached = |from: BasicBlock<'ctx>| {
        let mut exits = HashSet::new();
        let mut seen = HashSet::new();
        let mut work = vec![from];
        while let Some(b) = work.pop() {
            if let Some(&k) = barrier_of.get(&b) {
                exits.insert(Some(k));
            } else if seen.insert(b) {
                let next = b.successors();
                if next.is_empty() {
                    exits.insert(None);
                }
                work.extend(next);
            }
        }
        exits
    };
    blocks.iter().filter(|b| facts.index.get(b).is_some_and(|&n| facts.divergent_branch[n])).any(|b| {
        let sides: Vec<_> = b.successors().into_iter().map(&reached).collect();
        sides.windows(2).any(|w| w[0] != w[1])
    })
}

/// The regions with code that uses an address, directly or through others made from it.
pub(super) fn regions_using<'ctx>(v: Value<'ctx>, regions: &[Vec<BasicBlock<'ctx>>]) -> HashSet<usize> {
    let mut found = HashSet::new();
    let mut seen = HashSet::new();
    let mut work = vec![v];
    while let Some(v) = work.pop() {
        for user in v.users() {
            let Some(i) = user.as_instruction() else { continue };
            if !seen.insert(i) {
                continue;
            }
            let block = i.block();
            found.extend((0..regions.len()).filter(|&k| block.is_some_and(|b| regions[k].contains(&b))));
            if !i.ty().is_void() && i.opcode() != Opcode::LLVMLoad {
                work.push(user);
            }
        }
    }
    found
}

/// The values that are live where each barrier stands: defined before, used behind.
pub(super) fn live_at_barriers<'ctx>(version: Function<'ctx>, cuts: &[Cut<'ctx>]) -> Vec<HashSet<Value<'ctx>>> {
    let blocks: Vec<_> = version.blocks().collect();
    let index: HashMap<_, _> = blocks.iter().enumerate().map(|(i, &b)| (b, i)).collect();
    let mut live_in: Vec<HashSet<Value<'ctx>>> = vec![HashSet::new(); blocks.len()];
    let counts = |v: Value<'ctx>| v.as_instruction().is_some_and(|i| i.opcode() != Opcode::LLVMAlloca);
    let mut changed = true;
    while changed {
        changed = false;
        for (n, &b) in blocks.iter().enumerate().rev() {
            let mut live: HashSet<Value<'ctx>> = HashSet::new();
            for s in b.successors() {
                live.extend(&live_in[index[&s]]);
                for phi in s.instructions().take_while(|i| i.opcode() == Opcode::LLVMPHI) {
                    live.extend(phi.incoming().into_iter().filter(|x| x.1 == b && counts(x.0)).map(|x| x.0));
                }
            }
            let instructions: Vec<_> = b.instructions().collect();
            for i in instructions.into_iter().rev() {
                live.remove(&i.as_value());
                if i.opcode() != Opcode::LLVMPHI {
                    live.extend(i.operands().filter(|&v| counts(v)));
                }
            }
            if live.len() != live_in[n].len() {
                live_in[n] = live;
                changed = true;
            }
        }
    }
    cuts.iter().map(|c| live_in[index[&c.block]].clone()).collect()
}

/// Depends on arguments, constants, positions and kept addresses alone, by few cheap operations.
pub(super) fn recomputable<'ctx>(v: Value<'ctx>, depth: u32) -> bool {
    let Some(i) = v.as_instruction() else { return true };
    if i.opcode() == Opcode::LLVMAlloca {
        // A local allocation has one address for all items; a kept one, one per item: both are at hand.
        return true;
    }
    let position = || {
        i.opcode() == Opcode::LLVMCall
            && i.called_function().is_some_and(|f| f.name() == ACTIVE_LANES || queries::parse(&f.name()).is_some())
    };
    depth > 0
        && (position()
            || (is_cheap(i) && i.operands().all(|o| o.as_function().is_some() || recomputable(o, depth - 1))))
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
