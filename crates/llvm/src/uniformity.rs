//! LLVM's own analysis of what differs between threads that run together: a reference for ours.

use crate::{Function, Instruction};
use llvm_sys::prelude::*;

// Contract: see `shim/uniformity.cpp`; the function is live, and both arrays have `count` entries.
unsafe extern "C" {
    fn scythe_llvm_uniformity(
        function: LLVMValueRef,
        known: *const u8,
        divergent: *mut u8,
        count: usize,
    );
}

/// What is known of an instruction's result, whatever its operands are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// It follows from the operands, and from the way that threads take.
    Nothing = 0,
    NeverUniform = 1,
    AlwaysUniform = 2,
}

impl<'ctx> Function<'ctx> {
    /// The instructions whose results may differ between threads that run together, and the
    /// terminators at which they may part.
    pub fn divergent_instructions(
        self,
        known: &dyn Fn(Instruction<'ctx>) -> Known,
    ) -> Vec<Instruction<'ctx>> {
        let instructions: Vec<_> = self.instructions().collect();
        let known: Vec<u8> = instructions.iter().map(|&i| known(i) as u8).collect();
        let mut divergent = vec![0u8; instructions.len()];
        if !instructions.is_empty() {
            // SAFETY: a live function with a body, and an entry for each of its instructions.
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
