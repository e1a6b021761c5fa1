//! The promise that integer arithmetic does not overflow.

use crate::{Opcode, Value};
use llvm_sys::core::{LLVMSetNSW, LLVMSetNUW};

impl Value<'_> {
    /// Marks an addition, subtraction, multiplication or left shift as overflowing neither signed
    /// nor unsigned; anything else, such as the constant it was folded to, is left alone. The
    /// caller knows it for sure: otherwise the result is poison.
    pub fn promise_no_wrap(self) {
        let arithmetic = self.as_instruction().filter(|i| {
            matches!(
                i.opcode(),
                Opcode::LLVMAdd | Opcode::LLVMSub | Opcode::LLVMMul | Opcode::LLVMShl
            )
        });
        if let Some(instruction) = arithmetic {
            // SAFETY: a live instruction whose opcode has both flags.
            unsafe {
                LLVMSetNUW(instruction.ptr(), 1);
                LLVMSetNSW(instruction.ptr(), 1);
            }
        }
    }
}
