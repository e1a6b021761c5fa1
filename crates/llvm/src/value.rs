//! Values: what functions, globals, instructions, parameters and constants have in common.

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
    /// `raw` is a value of a context that lives for `'ctx`.
    pub(crate) unsafe fn from_raw(raw: LLVMValueRef) -> Self {
        Self { raw: NonNull::new(raw).expect("LLVM gives no null values here"), life: PhantomData }
    }

    /// # Safety
    /// `raw` is null, or a value of a context that lives for `'ctx`.
    pub(crate) unsafe fn from_nullable(raw: LLVMValueRef) -> Option<Self> {
        NonNull::new(raw).map(|raw| Self { raw, life: PhantomData })
    }

    pub(crate) fn ptr(self) -> LLVMValueRef {
        self.raw.as_ptr()
    }

    pub(crate) fn kind(self) -> LLVMValueKind {
        // SAFETY: live value.
        unsafe { LLVMGetValueKind(self.ptr()) }
    }

    pub fn ty(self) -> Type<'ctx> {
        // SAFETY: live value.
        unsafe { Type::from_raw(LLVMTypeOf(self.ptr())) }
    }

    pub fn name(self) -> String {
        let mut len = 0;
        // SAFETY: live value.
        let data = unsafe { LLVMGetValueName2(self.ptr(), &mut len) };
        // SAFETY: LLVM gave a string with its length.
        unsafe { copy_string(data, len) }
    }

    /// Renames; LLVM adds a suffix when the name is taken.
    pub fn set_name(self, name: &str) {
        // SAFETY: live value; LLVM copies the name.
        unsafe { LLVMSetValueName2(self.ptr(), name.as_ptr().cast(), name.len()) }
    }

    /// Every use of `self` becomes a use of `other`, which has the same type. Debug records follow.
    pub fn replace_all_uses_with(self, other: Value<'ctx>) {
        debug_assert_eq!(self.ty(), other.ty(), "a use keeps its type");
        if self != other {
            // SAFETY: two live values; LLVM forbids replacing a value by itself.
            unsafe { LLVMReplaceAllUsesWith(self.ptr(), other.ptr()) }
        }
    }

    /// In `user` only, every use of `self` becomes a use of `other`.
    pub fn replace_uses_in(self, user: Value<'ctx>, other: Value<'ctx>) {
        if self != other && user.operand_count() > 0 {
            // SAFETY: live values, and `user` has operands, so it is a user.
            unsafe { crate::shim::scythe_llvm_replace_used(user.ptr(), self.ptr(), other.ptr()) }
        }
    }

    /// The users, one entry per use, in LLVM's order. A copy: uses may change while it is walked.
    pub fn users(self) -> Vec<Value<'ctx>> {
        let mut out = Vec::new();
        // SAFETY: live value; each use is live while nothing changes.
        let mut next = unsafe { LLVMGetFirstUse(self.ptr()) };
        while !next.is_null() {
            // SAFETY: a live use has a live user.
            out.push(unsafe { Value::from_raw(LLVMGetUser(next)) });
            // SAFETY: a live use.
            next = unsafe { LLVMGetNextUse(next) };
        }
        out
    }

    pub fn has_uses(self) -> bool {
        // SAFETY: live value.
        !unsafe { LLVMGetFirstUse(self.ptr()) }.is_null()
    }

    /// Number of operands; 0 for what has none by nature.
    pub fn operand_count(self) -> u32 {
        // SAFETY: live value.
        let user = unsafe { LLVMIsAUser(self.ptr()) };
        if user.is_null() {
            return 0;
        }
        // SAFETY: a live user.
        unsafe { LLVMGetNumOperands(user) }.max(0) as u32
    }

    /// Operand `index`, where there is one. A block operand is given as a value.
    pub fn operand(self, index: u32) -> Option<Value<'ctx>> {
        if index >= self.operand_count() {
            return None;
        }
        // SAFETY: a user with more than `index` operands. Function prologue operands may be null.
        unsafe { Value::from_nullable(LLVMGetOperand(self.ptr(), index)) }
    }

    pub fn operands(self) -> impl Iterator<Item = Value<'ctx>> {
        (0..self.operand_count()).filter_map(move |i| self.operand(i))
    }

    /// Replaces operand `index`; does nothing where there is none.
    pub fn set_operand(self, index: u32, value: Value<'ctx>) {
        if index < self.operand_count() {
            // SAFETY: a user with more than `index` operands, and a live value.
            unsafe { LLVMSetOperand(self.ptr(), index, value.ptr()) }
        }
    }

    pub fn is_constant(self) -> bool {
        // SAFETY: live value.
        unsafe { LLVMIsConstant(self.ptr()) != 0 }
    }

    pub fn is_undef_or_poison(self) -> bool {
        matches!(
            self.kind(),
            LLVMValueKind::LLVMUndefValueValueKind | LLVMValueKind::LLVMPoisonValueKind
        )
    }

    /// Whether this is the constant that has no bit set.
    pub fn is_null_constant(self) -> bool {
        // SAFETY: live value.
        self.is_constant() && unsafe { LLVMIsNull(self.ptr()) != 0 }
    }

    /// The value of an integer constant of up to 64 bits, zero-extended.
    pub fn const_int_value(self) -> Option<u64> {
        let small = self.ty().int_width().is_some_and(|w| w <= 64);
        // SAFETY: an integer constant that fits.
        (self.kind() == LLVMValueKind::LLVMConstantIntValueKind && small)
            .then(|| unsafe { LLVMConstIntGetZExtValue(self.ptr()) })
    }

    /// The bytes of a constant string (an array of `i8`), or of the global variable that holds one.
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
        // SAFETY: a live constant data array may be asked for being a string.
        if unsafe { LLVMIsConstantString(self.ptr()) } == 0 {
            return None;
        }
        let mut len = 0;
        // SAFETY: a live constant string.
        let data = unsafe { LLVMGetAsString(self.ptr(), &mut len) };
        // SAFETY: LLVM gave `len` bytes that live as long as the constant.
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

    /// Whether this is a structure, array or vector constant that has its elements as operands.
    pub fn is_aggregate_constant(self) -> bool {
        use LLVMValueKind::*;
        matches!(
            self.kind(),
            LLVMConstantStructValueKind | LLVMConstantArrayValueKind | LLVMConstantVectorValueKind
        )
    }

    /// An element of a structure, array or vector constant, also of one whose elements are no
    /// operands.
    pub fn constant_element(self, index: u32) -> Option<Value<'ctx>> {
        self.is_constant()
            // SAFETY: a live constant; null where there is no such element.
            .then(|| unsafe { Value::from_nullable(LLVMGetAggregateElement(self.ptr(), index)) })?
    }

    /// What a constant expression computes.
    pub fn constant_opcode(self) -> Option<Opcode> {
        // SAFETY: a live constant expression.
        (self.kind() == LLVMValueKind::LLVMConstantExprValueKind)
            .then(|| unsafe { LLVMGetConstOpcode(self.ptr()) })
    }

    /// The bytes that a constant address is beyond that of its first operand. `None` for what is no
    /// constant `getelementptr` over bytes, as which LLVM writes them.
    pub fn constant_byte_offset(self) -> Option<u64> {
        let gep =
            self.constant_opcode() == Some(Opcode::LLVMGetElementPtr) && self.operand_count() == 2;
        // SAFETY: a live constant `getelementptr`.
        let ty = gep.then(|| unsafe { Type::from_raw(LLVMGetGEPSourceElementType(self.ptr())) })?;
        (ty.int_width() == Some(8)).then(|| self.operand(1)?.const_int_value())?
    }

    /// The value looked through constant casts: what a cast constant expression casts.
    pub fn strip_constant_casts(self) -> Value<'ctx> {
        use llvm_sys::LLVMOpcode::*;
        let mut value = self;
        while value.kind() == LLVMValueKind::LLVMConstantExprValueKind {
            // SAFETY: a live constant expression.
            let opcode = unsafe { LLVMGetConstOpcode(value.ptr()) };
            match (opcode, value.operand(0)) {
                (LLVMBitCast | LLVMAddrSpaceCast, Some(inner)) => value = inner,
                _ => break,
            }
        }
        value
    }

    /// The value as a metadata operand.
    pub fn as_metadata(self) -> Metadata<'ctx> {
        // SAFETY: live value.
        unsafe { Metadata::from_raw(LLVMValueAsMetadata(self.ptr())) }
    }
}

impl std::fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // SAFETY: live value; the text is ours to dispose.
        f.write_str(&unsafe { take_message(LLVMPrintValueToString(self.ptr())) })
    }
}

impl std::fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}
