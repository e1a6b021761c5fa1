//! Unrolls innermost loops that LLVM leaves as they are, because it allows few instructions for
//! loops whose number of rounds is not known.
//!
//! A work-item that waits for the loads of one round can begin the next round only in an unrolled
//! loop. The pass runs after optimisation and asks LLVM for up to four of the source's rounds in
//! one, as nvcc does. Loops that the user has unrolled do not change, nor do loops with barriers
//! or calls.

use scythe_llvm::{
    AtomicOrdering, BasicBlock, Error, Instruction, Module, Opcode, PassOptions, TargetMachine,
    Value, run_passes,
};

/// The most instructions of an unrolled loop, and the most rounds in it.
const LIMIT: usize = 200;
const ROUNDS: usize = 4;
/// The most blocks of a loop.
const BLOCKS: usize = 8;

/// What LLVM does after unrolling.
const PIPELINE: &str = "function(loop-simplify,lcssa,loop-unroll<runtime>,\
    instcombine<no-verify-fixpoint>,early-cse<memssa>,simplifycfg,\
    infer-address-spaces)";

/// Unrolls loops in all functions.
pub fn unroll(
    module: &Module<'_>,
    machine: &TargetMachine,
    passes: PassOptions,
) -> Result<(), Error> {
    let functions = module.functions().filter(|f| !f.is_declaration());
    let blocks: Vec<_> = functions.flat_map(|f| f.blocks().collect::<Vec<_>>()).collect();
    let mut any = false;
    for block in blocks {
        any |= request(module, block);
    }
    if any {
        run_passes(module, PIPELINE, Some(machine), passes)?;
    }
    Ok(())
}

/// Asks LLVM to unroll the loop that ends with the block, if there is one. Returns whether it did.
fn request(module: &Module<'_>, block: BasicBlock<'_>) -> bool {
    let Some(branch) = block.terminator() else { return false };
    let Some(blocks) = block.successors().into_iter().find_map(|head| loop_of(head, block)) else {
        return false;
    };
    let body = blocks.iter().flat_map(|block| block.instructions().collect::<Vec<_>>());
    let body: Vec<_> = body.filter(|i| i.opcode() != Opcode::LLVMPHI).collect();
    let Some(step) = step(branch, &blocks) else { return false };
    let rounds = (LIMIT / body.len().max(1)).min(ROUNDS / step);
    if rounds < 2 || !body.iter().any(|i| is_load(*i)) || body.iter().any(|i| is_fixed(*i)) {
        return false;
    }
    let context = module.context();
    let kind = context.metadata_kind("llvm.loop");
    let known = branch.metadata(kind).map(|list| list.operands()).unwrap_or_default();
    // The first operand is the list itself.
    let mut nodes: Vec<_> = known.into_iter().skip(1).flatten().collect();
    let name = |node: &scythe_llvm::Metadata<'_>| {
        node.operands().first().copied().flatten().and_then(|first| first.string())
    };
    if nodes.iter().filter_map(name).any(|name| name.starts_with("llvm.loop.unroll.")) {
        return false;
    }
    let count = context.const_int(32, rounds as u64).as_metadata();
    nodes.push(context.md_node(&[context.md_string("llvm.loop.unroll.count"), count]));
    branch.set_metadata(kind, Some(context.md_self_reference(&nodes)));
    true
}

/// Returns the blocks of the innermost loop from `head` to `end` that only `end` leaves, the last
/// block first.
fn loop_of<'ctx>(head: BasicBlock<'ctx>, end: BasicBlock<'ctx>) -> Option<Vec<BasicBlock<'ctx>>> {
    let mut blocks = vec![end];
    let mut next = 0;
    while let Some(block) = blocks.get(next).copied() {
        next += 1;
        let before = if block == head { Vec::new() } else { block.predecessors() };
        // The first block of a function has none: the head is not the only way into the loop.
        if block != head && before.is_empty() {
            return None;
        }
        for block in before {
            if !blocks.contains(&block) {
                blocks.push(block);
            }
        }
        if blocks.len() > BLOCKS {
            return None;
        }
    }
    let inside = |block: &BasicBlock<'ctx>| blocks.contains(block);
    let stays = |block: &BasicBlock<'ctx>| block.successors().iter().all(inside);
    let goes_back = |block: &BasicBlock<'ctx>| block.successors().contains(&head);
    let leaves = blocks.iter().all(|block| stays(block) != (*block == end));
    let returns = inside(&head) && blocks.iter().all(|block| goes_back(block) == (*block == end));
    (leaves && returns && !has_cycle(head, &blocks)).then_some(blocks)
}

/// Whether blocks of a loop form another loop without its head.
fn has_cycle<'ctx>(head: BasicBlock<'ctx>, blocks: &[BasicBlock<'ctx>]) -> bool {
    let mut rest: Vec<_> = blocks.iter().copied().filter(|block| *block != head).collect();
    // Blocks that no other block of the rest reaches are in no cycle.
    while !rest.is_empty() {
        let known = rest.clone();
        rest.retain(|block| block.predecessors().iter().any(|before| known.contains(before)));
        if rest.len() == known.len() {
            return true;
        }
    }
    false
}

/// Returns the number of the source's rounds in one round of the loop, up to [`ROUNDS`].
///
/// If the source counts by one, this is by how much the counter changes. Other loops start at a
/// number such as the id of a work-item and count by the size of the work-group. LLVM does not know
/// how often these run, and counts their rounds from zero after it has unrolled them.
fn step<'ctx>(branch: Instruction<'ctx>, blocks: &[BasicBlock<'ctx>]) -> Option<usize> {
    let block = branch.block();
    let inside = |i: &Instruction<'ctx>| i.block().is_some_and(|block| blocks.contains(&block));
    let instruction = |value: Value<'ctx>| value.as_instruction().filter(inside);
    // The condition may compare the counter of this round or that of the next.
    let next = |value: Value<'ctx>| match instruction(value) {
        Some(phi) if phi.opcode() == Opcode::LLVMPHI => {
            let mut incoming = phi.incoming().into_iter();
            incoming.find(|(_, from)| Some(*from) == block).map(|(next, _)| next)
        }
        _ => Some(value),
    };
    let step = |value: Value<'ctx>| {
        let sum = instruction(next(value)?).filter(|i| i.opcode() == Opcode::LLVMAdd)?;
        let counter = sum.operand(0).and_then(instruction)?;
        let bits = sum.ty().int_width().filter(|bits| *bits <= 64)?;
        let step = sum.operand(1)?.const_int_value()?;
        let backwards = step.wrapping_neg() & (u64::MAX >> (64 - bits));
        if counter.opcode() != Opcode::LLVMPHI {
            return None;
        }
        let found = (1..=ROUNDS).find(|n| [step, backwards].contains(&(*n as u64)));
        let starts = || counter.incoming().into_iter().filter(|(_, from)| Some(*from) != block);
        let strides = || starts().all(|(start, _)| start.const_int_value().is_none());
        found.or_else(|| strides().then_some(1))
    };
    let condition = branch.operand(0).and_then(instruction)?;
    let compares = condition.opcode() == Opcode::LLVMICmp;
    condition.operands().find_map(step).filter(|_| compares)
}

fn is_load(instruction: Instruction<'_>) -> bool {
    instruction.opcode() == Opcode::LLVMLoad
}

/// Whether copies of the instruction could change what the loop does or costs.
fn is_fixed(instruction: Instruction<'_>) -> bool {
    match instruction.opcode() {
        Opcode::LLVMCall | Opcode::LLVMInvoke => {
            let intrinsic = instruction.called_function().is_some_and(|f| f.is_intrinsic());
            !intrinsic || instruction.touches_memory()
        }
        Opcode::LLVMAtomicRMW => {
            let relaxed = AtomicOrdering::LLVMAtomicOrderingMonotonic;
            instruction.read_modify_write().is_none_or(|(_, order)| order != relaxed)
        }
        Opcode::LLVMAtomicCmpXchg | Opcode::LLVMFence => true,
        _ => instruction.is_volatile() || instruction.is_atomic(),
    }
}
