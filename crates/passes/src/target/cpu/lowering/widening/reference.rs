//! Compares our analysis of divergence with LLVM's.
//!
//! LLVM's analysis knows uniform and divergent values, but neither shapes nor the results of calls
//! and loads. It gets those facts from ours: the instructions that are sources of divergence, and
//! those where differences cancel out (`global id - local id`). What remains follows from data and
//! control flow. There, our analysis must not call a value uniform that LLVM's calls divergent.
//! Builds with debug assertions check that for every kernel that they widen.

use super::divergence::{Divergence, Shape};
use scythe_llvm::{Function, Instruction, Known, Opcode};

/// What `facts` call uniform although LLVM's analysis does not; a line for each.
pub fn disagreements<'ctx>(facts: &Divergence<'ctx>, function: Function<'ctx>) -> Vec<String> {
    let block = |i: Instruction<'ctx>| i.block().map(|b| facts.index[&b]).unwrap_or_default();
    let known = |i: Instruction<'ctx>| {
        if i.opcode() == Opcode::LLVMPHI || i.is_terminator() || i.ty().is_void() {
            return Known::Nothing;
        }
        let plain = i.operands().all(|v| facts.shape_in(v, block(i)) == Shape::Uniform);
        match (facts.shape(i.as_value()) == Shape::Uniform, plain) {
            (true, false) => Known::AlwaysUniform,
            (false, true) => Known::NeverUniform,
            _ => Known::Nothing,
        }
    };
    let claims_uniform = |i: Instruction<'ctx>| {
        if i.is_terminator() {
            // Both ways of a branch may be one.
            facts.cfg.succs[block(i)].len() > 1 && !facts.convergence.divergent_branch()[block(i)]
        } else {
            !i.ty().is_void() && facts.shape(i.as_value()) == Shape::Uniform
        }
    };
    let divergent = function.divergent_instructions(&known);
    let told = |i: Instruction<'ctx>| {
        format!("{:?} is not uniform in block {}: {}", i.opcode(), block(i), *i)
    };
    divergent.into_iter().filter(|&i| claims_uniform(i)).map(told).collect()
}
