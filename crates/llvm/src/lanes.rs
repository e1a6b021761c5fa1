//! Additional operations on instructions, for widening a function to several lanes.

use crate::{Builder, Function, Instruction, IntPredicate, Opcode, RealPredicate, Type, Value};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use std::ffi::{c_int, c_uint};

// The contract of each function is in `shim/lanes.cpp`. Handles must be live and of the class that
// the parameter's name indicates.
unsafe extern "C" {
    fn scythe_llvm_copy_ir_flags(to: LLVMValueRef, from: LLVMValueRef);
    fn scythe_llvm_drop_promises(instruction: LLVMValueRef);
    fn scythe_llvm_has_nsw(instruction: LLVMValueRef) -> c_int;
    fn scythe_llvm_has_nuw(instruction: LLVMValueRef) -> c_int;
    fn scythe_llvm_is_disjoint(instruction: LLVMValueRef) -> c_int;
    fn scythe_llvm_is_atomic(instruction: LLVMValueRef) -> c_int;
    fn scythe_llvm_touches_memory(instruction: LLVMValueRef) -> c_int;
    fn scythe_llvm_is_volatile(instruction: LLVMValueRef) -> c_int;
    fn scythe_llvm_only_computes(function: LLVMValueRef) -> c_int;
    fn scythe_llvm_alignment(instruction: LLVMValueRef) -> c_uint;
    fn scythe_llvm_expand_constant_users(global: LLVMValueRef, function: LLVMValueRef);
    fn scythe_llvm_is_static_alloca(instruction: LLVMValueRef) -> c_int;
}

impl<'ctx> Instruction<'ctx> {
    /// Drops the guarantees of the instruction that are not part of its computation: that it does
    /// not wrap, and that its operands and its result are in a range, well defined or aligned. This
    /// is for a copy that also runs where the guarantees may not hold.
    pub fn drop_promises(self) {
        // SAFETY: the instruction is live.
        unsafe { scythe_llvm_drop_promises(self.ptr()) }
    }

    /// Returns whether signed arithmetic or truncation does not wrap.
    pub fn nsw(self) -> bool {
        // SAFETY: the instruction is live.
        unsafe { scythe_llvm_has_nsw(self.ptr()) != 0 }
    }

    /// Returns whether unsigned arithmetic or truncation does not wrap.
    pub fn nuw(self) -> bool {
        // SAFETY: the instruction is live.
        unsafe { scythe_llvm_has_nuw(self.ptr()) != 0 }
    }

    /// Returns whether this is an `or` whose operands share no set bit.
    pub fn is_disjoint(self) -> bool {
        // SAFETY: the instruction is live.
        unsafe { scythe_llvm_is_disjoint(self.ptr()) != 0 }
    }

    /// Whether the instruction may read or write memory, or order accesses.
    pub fn touches_memory(self) -> bool {
        // SAFETY: the instruction is live.
        unsafe { scythe_llvm_touches_memory(self.ptr()) != 0 }
    }

    pub fn is_atomic(self) -> bool {
        // SAFETY: the instruction is live.
        unsafe { scythe_llvm_is_atomic(self.ptr()) != 0 }
    }

    pub fn is_volatile(self) -> bool {
        // SAFETY: the instruction is live.
        unsafe { scythe_llvm_is_volatile(self.ptr()) != 0 }
    }

    /// Returns the alignment of a load, store or alloca, or 1 for other instructions.
    pub fn alignment(self) -> u32 {
        // SAFETY: the instruction is live.
        unsafe { scythe_llvm_alignment(self.ptr()) }
    }

    /// Returns whether this is an alloca of constant size in the entry block.
    pub fn is_static_alloca(self) -> bool {
        // SAFETY: the instruction is live.
        unsafe { scythe_llvm_is_static_alloca(self.ptr()) != 0 }
    }

    pub fn int_predicate(self) -> Option<IntPredicate> {
        // SAFETY: the instruction is an integer comparison.
        (self.opcode() == Opcode::LLVMICmp).then(|| unsafe { LLVMGetICmpPredicate(self.ptr()) })
    }

    pub fn real_predicate(self) -> Option<RealPredicate> {
        // SAFETY: the instruction is a floating-point comparison.
        (self.opcode() == Opcode::LLVMFCmp).then(|| unsafe { LLVMGetFCmpPredicate(self.ptr()) })
    }

    /// Returns the indices of an `extractvalue` or `insertvalue`. The list is empty for other
    /// instructions.
    pub fn aggregate_indices(self) -> Vec<u32> {
        if !matches!(self.opcode(), Opcode::LLVMExtractValue | Opcode::LLVMInsertValue) {
            return Vec::new();
        }
        // SAFETY: the instruction has indices. LLVM returns their address and number.
        unsafe {
            let n = LLVMGetNumIndices(self.ptr()) as usize;
            std::slice::from_raw_parts(LLVMGetIndices(self.ptr()), n).to_vec()
        }
    }
}

impl<'ctx> Function<'ctx> {
    /// Returns whether the result depends on the arguments alone, and the function has no side
    /// effects.
    pub fn only_computes(self) -> bool {
        // SAFETY: the function is live.
        unsafe { scythe_llvm_only_computes(self.ptr()) != 0 }
    }
}

impl<'ctx> Type<'ctx> {
    /// Returns the element type of an array or vector.
    pub fn element(self) -> Option<Type<'ctx>> {
        use crate::TypeKind::*;
        matches!(self.kind(), LLVMArrayTypeKind | LLVMVectorTypeKind).then(|| self.contained()[0])
    }
}

impl<'ctx> Type<'ctx> {
    /// Creates a constant of a floating-point type.
    pub fn const_real(self, value: f64) -> Value<'ctx> {
        // SAFETY: the type is a live floating-point type (see the crate documentation).
        unsafe { Value::from_raw(LLVMConstReal(self.ptr(), value)) }
    }
}

impl<'ctx> Value<'ctx> {
    /// Turns constants in `function` that are built from this global into instructions, so that the
    /// global itself can be replaced there.
    pub fn expand_constant_users(self, function: Function<'ctx>) {
        if self.is_constant() {
            // SAFETY: the constant and the function are live.
            unsafe { scythe_llvm_expand_constant_users(self.ptr(), function.ptr()) }
        }
    }

    /// Does the same in all functions, in time that is linear in the number of users.
    pub fn expand_constant_users_everywhere(self) {
        if self.is_constant() {
            // SAFETY: the constant is live. Null stands for all functions.
            unsafe { scythe_llvm_expand_constant_users(self.ptr(), std::ptr::null_mut()) }
        }
    }

    /// Copies wrapping, exactness and floating-point flags to `self`, if it is an instruction that
    /// has such flags.
    pub fn copy_ir_flags(self, from: Value<'ctx>) {
        // SAFETY: the values are live.
        unsafe { scythe_llvm_copy_ir_flags(self.ptr(), from.ptr()) }
    }
}

impl<'ctx> Builder<'ctx> {
    /// Creates an arithmetic or logic instruction with two operands.
    pub fn binary(
        &self,
        opcode: Opcode,
        a: Value<'ctx>,
        b: Value<'ctx>,
        name: &str,
    ) -> Value<'ctx> {
        let name = crate::text::c_string(name);
        // SAFETY: the builder has an insertion point, and the values have types that the
        // instruction accepts (see the crate documentation). The name is a C string.
        unsafe {
            Value::from_raw(LLVMBuildBinOp(self.ptr(), opcode, a.ptr(), b.ptr(), name.as_ptr()))
        }
    }

    pub fn fneg(&self, a: Value<'ctx>) -> Value<'ctx> {
        // SAFETY: the builder has an insertion point, and the value has a type that the instruction
        // accepts (see the crate documentation). The name is a C string.
        unsafe { Value::from_raw(LLVMBuildFNeg(self.ptr(), a.ptr(), c"".as_ptr())) }
    }

    pub fn freeze(&self, a: Value<'ctx>) -> Value<'ctx> {
        // SAFETY: the builder has an insertion point, and the value has a type that the instruction
        // accepts (see the crate documentation). The name is a C string.
        unsafe { Value::from_raw(LLVMBuildFreeze(self.ptr(), a.ptr(), c"".as_ptr())) }
    }

    pub fn shuffle(&self, a: Value<'ctx>, b: Value<'ctx>, mask: Value<'ctx>) -> Value<'ctx> {
        // SAFETY: the builder has an insertion point, and the values have types that the
        // instruction accepts (see the crate documentation). The name is a C string.
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

    /// Copies an instruction, with the same operands, to the builder's position.
    pub fn clone_instruction(&self, i: Instruction<'ctx>) -> Instruction<'ctx> {
        // SAFETY: the instruction is live, and the copy is inserted immediately.
        let copy = unsafe {
            let copy = LLVMInstructionClone(i.ptr());
            LLVMInsertIntoBuilder(self.ptr(), copy);
            Value::from_raw(copy)
        };
        copy.as_instruction().expect("the copy of an instruction is an instruction")
    }
}

/// Creates a vector constant. All values must have the same type.
pub fn const_vector<'ctx>(values: &[Value<'ctx>]) -> Value<'ctx> {
    let mut raw: Vec<LLVMValueRef> = values.iter().map(|v| v.ptr()).collect();
    // SAFETY: the constants are live, and the list has this length.
    unsafe { Value::from_raw(LLVMConstVector(raw.as_mut_ptr(), raw.len() as c_uint)) }
}
