//! Flags which assert that integer arithmetic does not overflow.

use crate::{Instruction, Opcode, Value};
use llvm_sys::core::{LLVMSetNSW, LLVMSetNUW};

impl<'ctx> Value<'ctx> {
    /// Marks an addition, subtraction, multiplication or left shift as overflowing neither signed
    /// nor unsigned. Other values, such as the constant that the operation was folded to, are left
    /// unchanged. The caller must be certain: if the operation overflows, the result is poison.
    pub fn promise_no_wrap(self) {
        if let Some(instruction) = self.arithmetic() {
            // SAFETY: the instruction is live, and its opcode has both flags.
            unsafe {
                LLVMSetNUW(instruction.ptr(), 1);
                LLVMSetNSW(instruction.ptr(), 1);
            }
        }
    }

    /// Marks such an operation as not overflowing as a signed operation. It keeps its other flag.
    pub fn promise_no_signed_wrap(self) {
        if let Some(instruction) = self.arithmetic() {
            // SAFETY: the instruction is live, and its opcode has the flag.
            unsafe { LLVMSetNSW(instruction.ptr(), 1) }
        }
    }

    fn arithmetic(self) -> Option<Instruction<'ctx>> {
        self.as_instruction().filter(|i| {
            matches!(
                i.opcode(),
                Opcode::LLVMAdd | Opcode::LLVMSub | Opcode::LLVMMul | Opcode::LLVMShl
            )
        })
    }
}
