//! Moving instructions.

use crate::Instruction;
use llvm_sys::core::{
    LLVMCreateBuilderInContext, LLVMDisposeBuilder, LLVMInsertIntoBuilder,
    LLVMInstructionRemoveFromParent, LLVMPositionBuilderBefore,
};

impl<'ctx> Instruction<'ctx> {
    /// Moves the instruction to just before `other`. Nothing happens when either is in no block, or
    /// both are the same. That its operands are known there, and its uses come later, is the
    /// caller's to see to.
    pub fn move_before(self, other: Instruction<'ctx>) {
        if self == other || self.block().is_none() || other.block().is_none() {
            return;
        }
        let context = self.ty().context();
        // SAFETY: live instructions in blocks; a builder that only places, and is disposed here.
        unsafe {
            let builder = LLVMCreateBuilderInContext(context.ptr());
            LLVMPositionBuilderBefore(builder, other.ptr());
            LLVMInstructionRemoveFromParent(self.ptr());
            LLVMInsertIntoBuilder(builder, self.ptr());
            LLVMDisposeBuilder(builder);
        }
    }
}
