//! LLVM's own uniformity analysis, which finds values that differ between threads that run
//! together. It is a reference for Scythe's analysis.

use crate::{Function, Instruction};
use llvm_sys::prelude::*;

// The contract is in `shim/uniformity.cpp`. The function must be live, and both arrays must have
// `count` entries.
unsafe extern "C" {
    fn scythe_llvm_uniformity(
        function: LLVMValueRef,
        known: *const u8,
        divergent: *mut u8,
        count: usize,
    );
}

/// The known uniformity of an instruction's result, independent of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// The uniformity follows from the operands and from the control flow of the threads.
    Nothing = 0,
    NeverUniform = 1,
    AlwaysUniform = 2,
}

impl<'ctx> Function<'ctx> {
    /// Returns the instructions whose results may differ between threads that run together, and the
    /// terminators at which the threads may diverge.
    pub fn divergent_instructions(
        self,
        known: &dyn Fn(Instruction<'ctx>) -> Known,
    ) -> Vec<Instruction<'ctx>> {
        let instructions: Vec<_> = self.instructions().collect();
        let known: Vec<u8> = instructions.iter().map(|&i| known(i) as u8).collect();
        let mut divergent = vec![0u8; instructions.len()];
        if !instructions.is_empty() {
            // SAFETY: the function is live and has a body, and both arrays have an entry for each
            // of its instructions.
            unsafe {
                scythe_llvm_uniformity(
                    self.ptr(),
                    known.as_ptr(),
                    divergent.as_mut_ptr(),
                    known.len(),
                )
            };
        }
        instructions
            .into_iter()
            .zip(divergent)
            .filter(|(_, differs)| *differs != 0)
            .map(|(i, _)| i)
            .collect()
    }
}
