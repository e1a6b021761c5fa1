//! Moves instructions.

use crate::Instruction;
use llvm_sys::core::{
    LLVMCreateBuilderInContext, LLVMDisposeBuilder, LLVMInsertIntoBuilder,
    LLVMInstructionRemoveFromParent, LLVMPositionBuilderBefore,
};

impl<'ctx> Instruction<'ctx> {
    /// Moves the instruction to just before `other`. Does nothing if either is in no block, or if
    /// both are the same. The caller must ensure that the operands are available there and that all
    /// uses come later.
    pub fn move_before(self, other: Instruction<'ctx>) {
        if self == other || self.block().is_none() || other.block().is_none() {
            return;
        }
        let context = self.ty().context();
        // SAFETY: both instructions are live and in blocks. The builder is disposed here.
        unsafe {
            let builder = LLVMCreateBuilderInContext(context.ptr());
            LLVMPositionBuilderBefore(builder, other.ptr());
            LLVMInstructionRemoveFromParent(self.ptr());
            LLVMInsertIntoBuilder(builder, self.ptr());
            LLVMDisposeBuilder(builder);
        }
    }
}
