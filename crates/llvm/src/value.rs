//! Values: the common base of functions, globals, instructions, parameters and constants.

use crate::text::{copy_string, take_message};
use crate::{Function, GlobalAlias, GlobalVariable, Instruction, Metadata, Opcode, Type};
use llvm_sys::LLVMValueKind;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// Any value.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Value<'ctx> {
    raw: NonNull<llvm_sys::LLVMValue>,
    life: PhantomData<&'ctx ()>,
}

impl<'ctx> Value<'ctx> {
    /// # Safety
    /// `raw` must be a value of a context that lives for `'ctx`.
    pub(crate) unsafe fn from_raw(raw: LLVMValueRef) -> Self {
        Self { raw: NonNull::new(raw).expect("LLVM gives no null values here"), life: PhantomData }
    }

    /// # Safety
    /// `raw` must be null, or a value of a context that lives for `'ctx`.
    pub(crate) unsafe fn from_nullable(raw: LLVMValueRef) -> Option<Self> {
        NonNull::new(raw).map(|raw| Self { raw, life: PhantomData })
    }

    pub(crate) fn ptr(self) -> LLVMValueRef {
        self.raw.as_ptr()
    }

    pub(crate) fn kind(self) -> LLVMValueKind {
        // SAFETY: the value is live.
        unsafe { LLVMGetValueKind(self.ptr()) }
    }

    pub fn ty(self) -> Type<'ctx> {
        // SAFETY: the value is live.
        unsafe { Type::from_raw(LLVMTypeOf(self.ptr())) }
    }

    pub fn name(self) -> String {
        let mut len = 0;
        // SAFETY: the value is live.
        let data = unsafe { LLVMGetValueName2(self.ptr(), &mut len) };
        // SAFETY: LLVM returned a string and its length.
        unsafe { copy_string(data, len) }
    }

    /// Renames the value. LLVM adds a suffix if the name is taken.
    pub fn set_name(self, name: &str) {
        // SAFETY: the value is live. LLVM copies the name.
        unsafe { LLVMSetValueName2(self.ptr(), name.as_ptr().cast(), name.len()) }
    }

    /// Replaces every use of `self` by `other`, which must have the same type. Debug records are
    /// updated, too.
    pub fn replace_all_uses_with(self, other: Value<'ctx>) {
        debug_assert_eq!(self.ty(), other.ty(), "a use keeps its type");
        if self != other {
            // SAFETY: both values are live, and they are not the same value, which LLVM forbids.
            unsafe { LLVMReplaceAllUsesWith(self.ptr(), other.ptr()) }
        }
    }

    /// Replaces every use of `self` by `other`, in `user` only.
    pub fn replace_uses_in(self, user: Value<'ctx>, other: Value<'ctx>) {
        if self != other && user.operand_count() > 0 {
            // SAFETY: the values are live. `user` has operands, so it is an LLVM user.
            unsafe { crate::shim::scythe_llvm_replace_used(user.ptr(), self.ptr(), other.ptr()) }
        }
    }

    /// Returns the users, one entry per use, in LLVM's order. The list is a copy: uses may change
    /// while the caller iterates over it.
    pub fn users(self) -> Vec<Value<'ctx>> {
        let mut out = Vec::new();
        // SAFETY: the value is live. Its uses are live while the IR does not change.
        let mut next = unsafe { LLVMGetFirstUse(self.ptr()) };
        while !next.is_null() {
            // SAFETY: the use is live, so its user is live.
            out.push(unsafe { Value::from_raw(LLVMGetUser(next)) });
            // SAFETY: the use is live.
            next = unsafe { LLVMGetNextUse(next) };
        }
        out
    }

    pub fn has_uses(self) -> bool {
        // SAFETY: the value is live.
        !unsafe { LLVMGetFirstUse(self.ptr()) }.is_null()
    }

    /// Returns the number of operands, or 0 for a value that cannot have operands.
    pub fn operand_count(self) -> u32 {
        // SAFETY: the value is live.
        let user = unsafe { LLVMIsAUser(self.ptr()) };
        if user.is_null() {
            return 0;
        }
        // SAFETY: the value is a live user.
        unsafe { LLVMGetNumOperands(user) }.max(0) as u32
    }

    /// Returns operand `index`, if there is one. A block operand is returned as a value.
    pub fn operand(self, index: u32) -> Option<Value<'ctx>> {
        if index >= self.operand_count() {
            return None;
        }
        // SAFETY: the value is a user with more than `index` operands. Function prologue operands
        // may be null.
        unsafe { Value::from_nullable(LLVMGetOperand(self.ptr(), index)) }
    }

    pub fn operands(self) -> impl Iterator<Item = Value<'ctx>> {
        (0..self.operand_count()).filter_map(move |i| self.operand(i))
    }

    /// Replaces operand `index`. Does nothing if there is no such operand.
    pub fn set_operand(self, index: u32, value: Value<'ctx>) {
        if index < self.operand_count() {
            // SAFETY: `self` is a user with more than `index` operands, and `value` is live.
            unsafe { LLVMSetOperand(self.ptr(), index, value.ptr()) }
        }
    }

    pub fn is_constant(self) -> bool {
        // SAFETY: the value is live.
        unsafe { LLVMIsConstant(self.ptr()) != 0 }
    }

    pub fn is_undef_or_poison(self) -> bool {
        matches!(
            self.kind(),
            LLVMValueKind::LLVMUndefValueValueKind | LLVMValueKind::LLVMPoisonValueKind
        )
    }

    /// Returns whether this is a constant with all bits zero.
    pub fn is_null_constant(self) -> bool {
        // SAFETY: the value is live.
        self.is_constant() && unsafe { LLVMIsNull(self.ptr()) != 0 }
    }

    /// Returns the value of an integer constant of up to 64 bits, zero-extended.
    pub fn const_int_value(self) -> Option<u64> {
        let small = self.ty().int_width().is_some_and(|w| w <= 64);
        // SAFETY: the value is an integer constant of at most 64 bits.
        (self.kind() == LLVMValueKind::LLVMConstantIntValueKind && small)
            .then(|| unsafe { LLVMConstIntGetZExtValue(self.ptr()) })
    }

    /// Returns the bytes of a constant string (an array of `i8`), or of the global variable that
    /// holds one.
    pub fn const_string_value(self) -> Option<Vec<u8>> {
        if let Some(g) = self.as_global_variable() {
            return g.initializer()?.const_string_value();
        }
        if self.kind() == LLVMValueKind::LLVMConstantAggregateZeroValueKind {
            let len = self.ty().element_count()?;
            return (self.ty().contained().first()?.int_width() == Some(8))
                .then(|| vec![0; len as usize]);
        }
        if self.kind() != LLVMValueKind::LLVMConstantDataArrayValueKind {
            return None;
        }
        // SAFETY: the value is a live constant data array.
        if unsafe { LLVMIsConstantString(self.ptr()) } == 0 {
            return None;
        }
        let mut len = 0;
        // SAFETY: the value is a live constant string.
        let data = unsafe { LLVMGetAsString(self.ptr(), &mut len) };
        // SAFETY: LLVM returned `len` bytes that live as long as the constant.
        Some(unsafe { std::slice::from_raw_parts(data.cast::<u8>(), len) }.to_vec())
    }

    pub fn as_function(self) -> Option<Function<'ctx>> {
        (self.kind() == LLVMValueKind::LLVMFunctionValueKind).then_some(Function(self))
    }

    pub fn as_global_variable(self) -> Option<GlobalVariable<'ctx>> {
        (self.kind() == LLVMValueKind::LLVMGlobalVariableValueKind).then_some(GlobalVariable(self))
    }

    pub fn as_global_alias(self) -> Option<GlobalAlias<'ctx>> {
        (self.kind() == LLVMValueKind::LLVMGlobalAliasValueKind).then_some(GlobalAlias(self))
    }

    pub fn as_instruction(self) -> Option<Instruction<'ctx>> {
        (self.kind() == LLVMValueKind::LLVMInstructionValueKind).then_some(Instruction(self))
    }

    pub fn is_argument(self) -> bool {
        self.kind() == LLVMValueKind::LLVMArgumentValueKind
    }

    /// Returns whether this is a struct, array or vector constant that has its elements as
    /// operands.
    pub fn is_aggregate_constant(self) -> bool {
        use LLVMValueKind::*;
        matches!(
            self.kind(),
            LLVMConstantStructValueKind | LLVMConstantArrayValueKind | LLVMConstantVectorValueKind
        )
    }

    /// Returns an element of a struct, array or vector constant, even if its elements are not
    /// operands.
    pub fn constant_element(self, index: u32) -> Option<Value<'ctx>> {
        self.is_constant()
            // SAFETY: the constant is live. LLVM returns null if there is no such element.
            .then(|| unsafe { Value::from_nullable(LLVMGetAggregateElement(self.ptr(), index)) })?
    }

    /// Returns the opcode of a constant expression.
    pub fn constant_opcode(self) -> Option<Opcode> {
        // SAFETY: the value is a live constant expression.
        (self.kind() == LLVMValueKind::LLVMConstantExprValueKind)
            .then(|| unsafe { LLVMGetConstOpcode(self.ptr()) })
    }

    /// Returns the offset in bytes of a constant address from its first operand. Returns `None`
    /// unless the value is a constant `getelementptr` over bytes, the form in which LLVM writes
    /// such addresses.
    pub fn constant_byte_offset(self) -> Option<u64> {
        let gep =
            self.constant_opcode() == Some(Opcode::LLVMGetElementPtr) && self.operand_count() == 2;
        // SAFETY: the value is a live constant `getelementptr`.
        let ty = gep.then(|| unsafe { Type::from_raw(LLVMGetGEPSourceElementType(self.ptr())) })?;
        (ty.int_width() == Some(8)).then(|| self.operand(1)?.const_int_value())?
    }

    /// Returns the operand of a constant cast, through any number of casts, or the value itself.
    pub fn strip_constant_casts(self) -> Value<'ctx> {
        use llvm_sys::LLVMOpcode::*;
        let mut value = self;
        while value.kind() == LLVMValueKind::LLVMConstantExprValueKind {
            // SAFETY: the value is a live constant expression.
            let opcode = unsafe { LLVMGetConstOpcode(value.ptr()) };
            match (opcode, value.operand(0)) {
                (LLVMBitCast | LLVMAddrSpaceCast, Some(inner)) => value = inner,
                _ => break,
            }
        }
        value
    }

    /// Wraps the value as a metadata operand.
    pub fn as_metadata(self) -> Metadata<'ctx> {
        // SAFETY: the value is live.
        unsafe { Metadata::from_raw(LLVMValueAsMetadata(self.ptr())) }
    }
}

impl std::fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // SAFETY: the value is live. `take_message` disposes the text.
        f.write_str(&unsafe { take_message(LLVMPrintValueToString(self.ptr())) })
    }
}

impl std::fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}
