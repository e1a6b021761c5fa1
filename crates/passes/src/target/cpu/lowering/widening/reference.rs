//! Compares this divergence analysis with LLVM's.
//!
//! LLVM's analysis distinguishes uniform and divergent values, but knows neither shapes nor the
//! results of calls and loads. It gets these facts from our analysis: the instructions that are
//! sources of divergence, and the instructions in which differences cancel out (`global id - local
//! id`). All other results follow from data and control flow. For these, our analysis must not
//! classify a value as uniform that LLVM classifies as divergent. Builds with debug assertions
//! check that for every kernel that they widen.

use super::divergence::{Divergence, Shape};
use scythe_llvm::{Function, Instruction, Known, Opcode};

/// Returns a line for each value that `facts` classify as uniform although LLVM's analysis does
/// not.
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
            // Both targets of a branch may be the same block.
            facts.cfg.succs[block(i)].len() > 1 && !facts.convergence.divergent_branch()[block(i)]
        } else {
            !i.ty().is_void() && facts.shape(i.as_value()) == Shape::Uniform
        }
    };
    let divergent = function.divergent_instructions(&known);
    let describe = |i: Instruction<'ctx>| {
        format!("{:?} is not uniform in block {}: {}", i.opcode(), block(i), *i)
    };
    divergent.into_iter().filter(|&i| claims_uniform(i)).map(describe).collect()
}
