//! What widening a function to several lanes asks of instructions, beyond the plain layer.

use crate::{Builder, Function, Instruction, IntPredicate, Opcode, RealPredicate, Type, Value};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use std::ffi::{c_int, c_uint};

// Contract of each function: see `shim/lanes.cpp`; handles are live and of the class that the
// parameter's name tells.
unsafe extern "C" {
    fn scythe_llvm_copy_ir_flags(to: LLVMValueRef, from: LLVMValueRef);
    fn scythe_llvm_drop_promises(instruction: LLVMValueRef);
    fn scythe_llvm_has_nsw(instruction: LLVMValueRef) -> c_int;
    fn scythe_llvm_has_nuw(instruction: LLVMValueRef) -> c_int;
    fn scythe_llvm_is_disjoint(instruction: LLVMValueRef) -> c_int;
    fn scythe_llvm_is_atomic(instruction: LLVMValueRef) -> c_int;
    fn scythe_llvm_is_volatile(instruction: LLVMValueRef) -> c_int;
    fn scythe_llvm_only_computes(function: LLVMValueRef) -> c_int;
    fn scythe_llvm_alignment(instruction: LLVMValueRef) -> c_uint;
    fn scythe_llvm_expand_constant_users(global: LLVMValueRef, function: LLVMValueRef);
    fn scythe_llvm_is_static_alloca(instruction: LLVMValueRef) -> c_int;
}

impl<'ctx> Instruction<'ctx> {
    /// Drops what the instruction promises beyond what it computes: that it does not wrap, that its
    /// operands and its result are in some range, well defined or aligned. For a copy that also
    /// runs where nothing made that true.
    pub fn drop_promises(self) {
        // SAFETY: live instruction.
        unsafe { scythe_llvm_drop_promises(self.ptr()) }
    }

    /// Signed arithmetic (or truncation) that does not wrap.
    pub fn nsw(self) -> bool {
        // SAFETY: live instruction.
        unsafe { scythe_llvm_has_nsw(self.ptr()) != 0 }
    }

    /// Unsigned arithmetic (or truncation) that does not wrap.
    pub fn nuw(self) -> bool {
        // SAFETY: live instruction.
        unsafe { scythe_llvm_has_nuw(self.ptr()) != 0 }
    }

    /// An `or` whose operands share no set bit.
    pub fn is_disjoint(self) -> bool {
        // SAFETY: live instruction.
        unsafe { scythe_llvm_is_disjoint(self.ptr()) != 0 }
    }

    pub fn is_atomic(self) -> bool {
        // SAFETY: live instruction.
        unsafe { scythe_llvm_is_atomic(self.ptr()) != 0 }
    }

    pub fn is_volatile(self) -> bool {
        // SAFETY: live instruction.
        unsafe { scythe_llvm_is_volatile(self.ptr()) != 0 }
    }

    /// The alignment of a load, store or alloca; 1 for anything else.
    pub fn alignment(self) -> u32 {
        // SAFETY: live instruction.
        unsafe { scythe_llvm_alignment(self.ptr()) }
    }

    /// An alloca of constant size in the entry block.
    pub fn is_static_alloca(self) -> bool {
        // SAFETY: live instruction.
        unsafe { scythe_llvm_is_static_alloca(self.ptr()) != 0 }
    }

    pub fn int_predicate(self) -> Option<IntPredicate> {
        // SAFETY: an integer comparison.
        (self.opcode() == Opcode::LLVMICmp).then(|| unsafe { LLVMGetICmpPredicate(self.ptr()) })
    }

    pub fn real_predicate(self) -> Option<RealPredicate> {
        // SAFETY: a floating-point comparison.
        (self.opcode() == Opcode::LLVMFCmp).then(|| unsafe { LLVMGetFCmpPredicate(self.ptr()) })
    }

    /// The indices of an `extractvalue` or `insertvalue`; empty for anything else.
    pub fn aggregate_indices(self) -> Vec<u32> {
        if !matches!(self.opcode(), Opcode::LLVMExtractValue | Opcode::LLVMInsertValue) {
            return Vec::new();
        }
        // SAFETY: an instruction with indices; LLVM gives their address and number.
        unsafe {
            let n = LLVMGetNumIndices(self.ptr()) as usize;
            std::slice::from_raw_parts(LLVMGetIndices(self.ptr()), n).to_vec()
        }
    }
}

impl<'ctx> Function<'ctx> {
    /// Its result depends on its arguments alone, and it has no effect.
    pub fn only_computes(self) -> bool {
        // SAFETY: live function.
        unsafe { scythe_llvm_only_computes(self.ptr()) != 0 }
    }
}

impl<'ctx> Type<'ctx> {
    /// The element type of an array or vector.
    pub fn element(self) -> Option<Type<'ctx>> {
        use crate::TypeKind::*;
        matches!(self.kind(), LLVMArrayTypeKind | LLVMVectorTypeKind).then(|| self.contained()[0])
    }
}

impl<'ctx> Type<'ctx> {
    /// A constant of a floating-point type.
    pub fn const_real(self, value: f64) -> Value<'ctx> {
        // SAFETY: live floating-point type (crate docs).
        unsafe { Value::from_raw(LLVMConstReal(self.ptr(), value)) }
    }
}

impl<'ctx> Value<'ctx> {
    /// Where `function` uses a constant made from this global, the constant becomes instructions,
    /// so that the global itself can be replaced there.
    pub fn expand_constant_users(self, function: Function<'ctx>) {
        if self.is_constant() {
            // SAFETY: a live constant and a live function.
            unsafe { scythe_llvm_expand_constant_users(self.ptr(), function.ptr()) }
        }
    }

    /// The same in all functions, in time that is linear in the users.
    pub fn expand_constant_users_everywhere(self) {
        if self.is_constant() {
            // SAFETY: a live constant; null stands for all functions.
            unsafe { scythe_llvm_expand_constant_users(self.ptr(), std::ptr::null_mut()) }
        }
    }

    /// Takes over wrapping, exactness and floating-point flags, where `self` is an instruction that
    /// has such.
    pub fn copy_ir_flags(self, from: Value<'ctx>) {
        // SAFETY: live values.
        unsafe { scythe_llvm_copy_ir_flags(self.ptr(), from.ptr()) }
    }
}

impl<'ctx> Builder<'ctx> {
    /// Any two-operand arithmetic or logic instruction.
    pub fn binary(
        &self,
        opcode: Opcode,
        a: Value<'ctx>,
        b: Value<'ctx>,
        name: &str,
    ) -> Value<'ctx> {
        let name = crate::text::c_string(name);
        // SAFETY: live values, a C string.
        unsafe {
            Value::from_raw(LLVMBuildBinOp(self.ptr(), opcode, a.ptr(), b.ptr(), name.as_ptr()))
        }
    }

    pub fn fneg(&self, a: Value<'ctx>) -> Value<'ctx> {
        // SAFETY: live value, a C string.
        unsafe { Value::from_raw(LLVMBuildFNeg(self.ptr(), a.ptr(), c"".as_ptr())) }
    }

    pub fn freeze(&self, a: Value<'ctx>) -> Value<'ctx> {
        // SAFETY: live value, a C string.
        unsafe { Value::from_raw(LLVMBuildFreeze(self.ptr(), a.ptr(), c"".as_ptr())) }
    }

    pub fn shuffle(&self, a: Value<'ctx>, b: Value<'ctx>, mask: Value<'ctx>) -> Value<'ctx> {
        // SAFETY: live values, a C string.
        unsafe {
            Value::from_raw(LLVMBuildShuffleVector(
                self.ptr(),
                a.ptr(),
                b.ptr(),
                mask.ptr(),
                c"".as_ptr(),
            ))
        }
    }

    /// A copy of an instruction, with the same operands, at the builder's position.
    pub fn clone_instruction(&self, i: Instruction<'ctx>) -> Instruction<'ctx> {
        // SAFETY: a live instruction; the copy is inserted at once.
        let copy = unsafe {
            let copy = LLVMInstructionClone(i.ptr());
            LLVMInsertIntoBuilder(self.ptr(), copy);
            Value::from_raw(copy)
        };
        copy.as_instruction().expect("the copy of an instruction is one")
    }
}

/// `<values…>` as a constant; all of one type.
pub fn const_vector<'ctx>(values: &[Value<'ctx>]) -> Value<'ctx> {
    let mut raw: Vec<LLVMValueRef> = values.iter().map(|v| v.ptr()).collect();
    // SAFETY: live constants and their number.
    unsafe { Value::from_raw(LLVMConstVector(raw.as_mut_ptr(), raw.len() as c_uint)) }
}
