//! Lets lanes that have left a loop keep their last values.
//!
//! A divergent loop runs until no lane is left in it. What a lane takes out of the loop comes from
//! the lane's last iteration. If the loop has one exit, at its end, and a φ of its header carries
//! this value to the next iteration, then it is enough that the φ does not change in lanes that
//! have left: the value in the last iteration of all is the result. Without this, each iteration
//! would also copy the results of the lanes that leave in it. The code of kernels often selects
//! between the old and a new value anyway, and LLVM merges both selections.
//!
//! The lanes behind such a loop are the lanes that entered it.

use super::super::cfg::Exit;
use super::super::divergence::Divergence;
use super::super::plan::Plan;
use super::{Form, Widener};
use scythe_llvm::{Instruction, Opcode, Value};
use std::collections::HashMap;

/// A divergent loop whose only exit is at its end.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeepingLoop {
    pub header: usize,
    pub latch: usize,
    /// The block that the exit leads to.
    pub exit: usize,
}

/// Returns all such loops, by their latches.
pub(super) fn loops(facts: &Divergence<'_>, plan: &Plan) -> HashMap<usize, KeepingLoop> {
    let all = facts.loops.loops.iter().enumerate();
    all.filter_map(|(l, lp)| {
        let &[(from, exit)] = &lp.exits[..] else { return None };
        let leaves = from == lp.latch && facts.convergence.divergent_loop()[l];
        let repeats =
            matches!(plan.exits[lp.latch], Exit::Loop { header, .. } if header == lp.header);
        let single = facts.cfg.preds[exit] == [from];
        (leaves && repeats && single)
            .then_some((lp.latch, KeepingLoop { header: lp.header, latch: lp.latch, exit }))
    })
    .collect()
}

impl<'ctx> Widener<'_, 'ctx> {
    /// At the end of such a loop, computes the values that lanes keep. `mask` is the mask of the
    /// iteration.
    pub(super) fn keep_values(&mut self, latch: usize, mask: Option<Value<'ctx>>) {
        let (Some(keeping), Some(mask)) = (self.keeping.get(&latch).copied(), mask) else { return };
        let leaving = self.leaving(keeping);
        for phi in self.carrying(keeping) {
            let Some(next) = self.next(keeping, phi).filter(|v| leaving.contains(v)) else {
                continue;
            };
            if self.kept_value(keeping, next).is_none() {
                let kept = self.blend(mask, self.vector(next), self.vector(phi.as_value()));
                self.kept.insert(phi, kept);
            }
        }
    }

    /// Returns the kept form of a value that leaves the loop.
    pub(super) fn kept_value(
        &self,
        keeping: KeepingLoop,
        value: Value<'ctx>,
    ) -> Option<Value<'ctx>> {
        let carries = |phi: &Instruction<'ctx>| self.next(keeping, *phi) == Some(value);
        let phis = self.carrying(keeping).into_iter().filter(carries);
        phis.filter_map(|phi| self.kept.get(&phi).copied()).next()
    }

    /// Returns the values that leave the loop.
    fn leaving(&self, keeping: KeepingLoop) -> Vec<Value<'ctx>> {
        let latch = self.facts.blocks[keeping.latch];
        let phis = self.facts.blocks[keeping.exit].instructions();
        phis.take_while(|i| i.opcode() == Opcode::LLVMPHI)
            .filter_map(|phi| phi.incoming().into_iter().find(|x| x.1 == latch))
            .map(|(value, _)| value)
            .collect()
    }

    /// Returns the φs of the loop's header that are vectors.
    fn carrying(&self, keeping: KeepingLoop) -> Vec<Instruction<'ctx>> {
        if !self.has_direct_phis(keeping.header) {
            return Vec::new();
        }
        let phis = self.facts.blocks[keeping.header].instructions();
        phis.take_while(|i| i.opcode() == Opcode::LLVMPHI)
            .filter(|phi| self.form(phi.as_value()) == Form::Vector)
            .collect()
    }

    /// Returns the value of a φ of the header in the next iteration.
    fn next(&self, keeping: KeepingLoop, phi: Instruction<'ctx>) -> Option<Value<'ctx>> {
        let latch = self.facts.blocks[keeping.latch];
        phi.incoming().into_iter().find(|x| x.1 == latch).map(|x| x.0)
    }
}
