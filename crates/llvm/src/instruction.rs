//! Instructions.

use crate::{BasicBlock, CallConv, Function, Metadata, Opcode, Type, Value};
use llvm_sys::core::*;
use llvm_sys::debuginfo::{LLVMInstructionGetDebugLoc, LLVMInstructionSetDebugLoc};
use std::ops::Deref;

/// An instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Instruction<'ctx>(pub(crate) Value<'ctx>);

impl<'ctx> Deref for Instruction<'ctx> {
    type Target = Value<'ctx>;
    fn deref(&self) -> &Value<'ctx> {
        &self.0
    }
}

impl<'ctx> Instruction<'ctx> {
    pub fn as_value(self) -> Value<'ctx> {
        self.0
    }

    pub fn opcode(self) -> Opcode {
        // SAFETY: live instruction.
        unsafe { LLVMGetInstructionOpcode(self.ptr()) }
    }

    pub fn is_terminator(self) -> bool {
        // SAFETY: live instruction.
        !unsafe { LLVMIsATerminatorInst(self.ptr()) }.is_null()
    }

    pub fn block(self) -> Option<BasicBlock<'ctx>> {
        // SAFETY: live instruction; null when it is in no block.
        unsafe { BasicBlock::from_nullable(LLVMGetInstructionParent(self.ptr())) }
    }

    pub fn function(self) -> Option<Function<'ctx>> {
        self.block()?.function()
    }

    pub fn next(self) -> Option<Instruction<'ctx>> {
        // SAFETY: live instruction; null at the end.
        unsafe { Value::from_nullable(LLVMGetNextInstruction(self.ptr())) }
            .and_then(Value::as_instruction)
    }

    pub fn previous(self) -> Option<Instruction<'ctx>> {
        // SAFETY: live instruction; null at the start.
        unsafe { Value::from_nullable(LLVMGetPreviousInstruction(self.ptr())) }
            .and_then(Value::as_instruction)
    }

    /// Removes the instruction. Uses that remain become poison. The handle is dead afterwards.
    pub fn erase(self) {
        if self.has_uses() {
            self.replace_all_uses_with(self.ty().poison());
        }
        // SAFETY: live instruction without uses.
        unsafe { LLVMInstructionEraseFromParent(self.ptr()) }
    }

    /// The raw debug location; [`crate::DebugLoc`] reads it.
    pub fn debug_loc_metadata(self) -> Option<Metadata<'ctx>> {
        // SAFETY: live instruction; null without one.
        unsafe { Metadata::from_nullable(LLVMInstructionGetDebugLoc(self.ptr())) }
    }

    /// Sets or, with `None`, removes the debug location.
    pub fn set_debug_loc(self, location: Option<Metadata<'ctx>>) {
        // SAFETY: live instruction; null or a live location.
        unsafe {
            LLVMInstructionSetDebugLoc(
                self.ptr(),
                location.map_or(std::ptr::null_mut(), |l| l.ptr()),
            )
        }
    }

    pub fn successors(self) -> Vec<BasicBlock<'ctx>> {
        if !self.is_terminator() {
            return Vec::new();
        }
        // SAFETY: live terminator.
        let count = unsafe { LLVMGetNumSuccessors(self.ptr()) };
        // SAFETY: a successor that the terminator has.
        (0..count)
            .map(|i| unsafe { BasicBlock::from_raw(LLVMGetSuccessor(self.ptr(), i)) })
            .collect()
    }

    /// Replaces one successor; nothing happens beyond the last.
    pub fn set_successor(self, index: u32, block: BasicBlock<'ctx>) {
        if (index as usize) < self.successors().len() {
            // SAFETY: a successor that the terminator has.
            unsafe { LLVMSetSuccessor(self.ptr(), index, block.ptr()) }
        }
    }

    /// Makes a `switch` one on `selector`, an integer at least as wide as the one before: case
    /// values get zeros above them. Nothing happens to other instructions.
    pub fn widen_switch(self, selector: Value<'ctx>) {
        if self.opcode() != Opcode::LLVMSwitch {
            return;
        }
        self.set_operand(0, selector);
        // Without the default destination, which is the first.
        for index in 1..self.successors().len() as u32 {
            // SAFETY: a successor of a live `switch` that is not the default destination.
            let value: Value<'ctx> =
                unsafe { Value::from_raw(LLVMGetSwitchCaseValue(self.ptr(), index)) };
            let wide = selector.ty().const_int(value.const_int_value().unwrap_or(0));
            // SAFETY: as above; `wide` is an integer constant of the selector's type.
            unsafe { LLVMSetSwitchCaseValue(self.ptr(), index, wide.ptr()) }
        }
    }

    // --- Memory ---

    /// The type that an `alloca` makes room for.
    pub fn allocated_type(self) -> Option<Type<'ctx>> {
        // SAFETY: live alloca.
        (self.opcode() == Opcode::LLVMAlloca)
            .then(|| unsafe { Type::from_raw(LLVMGetAllocatedType(self.ptr())) })
    }

    /// Sets the alignment of an `alloca`, load or store, to a power of two; anything else is left
    /// alone.
    pub fn set_align(self, bytes: u32) {
        let memory =
            matches!(self.opcode(), Opcode::LLVMAlloca | Opcode::LLVMLoad | Opcode::LLVMStore);
        if memory && bytes.is_power_of_two() {
            // SAFETY: an instruction with an alignment, and a power of two.
            unsafe { LLVMSetAlignment(self.ptr(), bytes) }
        }
    }

    /// The source element type of a `getelementptr`.
    pub fn gep_source_type(self) -> Option<Type<'ctx>> {
        let gep = self.opcode() == Opcode::LLVMGetElementPtr;
        // SAFETY: live getelementptr.
        gep.then(|| unsafe { Type::from_raw(LLVMGetGEPSourceElementType(self.ptr())) })
    }

    // --- Phis ---

    /// Adds an incoming value to a phi; anything else is left alone.
    pub fn add_incoming(self, value: Value<'ctx>, block: BasicBlock<'ctx>) {
        if self.opcode() == Opcode::LLVMPHI {
            // SAFETY: a live phi, value and block, in lists of one.
            unsafe { LLVMAddIncoming(self.ptr(), &mut value.ptr(), &mut block.ptr(), 1) }
        }
    }

    /// The incoming values and blocks of a phi.
    pub fn incoming(self) -> Vec<(Value<'ctx>, BasicBlock<'ctx>)> {
        if self.opcode() != Opcode::LLVMPHI {
            return Vec::new();
        }
        // SAFETY: live phi, asked for the entries it has.
        unsafe {
            (0..LLVMCountIncoming(self.ptr()))
                .map(|i| {
                    let value = Value::from_raw(LLVMGetIncomingValue(self.ptr(), i));
                    (value, BasicBlock::from_raw(LLVMGetIncomingBlock(self.ptr(), i)))
                })
                .collect()
        }
    }

    // --- Calls ---

    /// A `call`, `invoke` or `callbr`.
    pub fn is_call(self) -> bool {
        matches!(self.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke | Opcode::LLVMCallBr)
    }

    /// What a call calls: a function, a pointer, or inline assembly.
    pub fn called_value(self) -> Option<Value<'ctx>> {
        // SAFETY: live call.
        self.is_call().then(|| unsafe { Value::from_raw(LLVMGetCalledValue(self.ptr())) })
    }

    /// The function a call calls directly, seen through constant casts and aliases.
    pub fn called_function(self) -> Option<Function<'ctx>> {
        let mut value = self.called_value()?.strip_constant_casts();
        // An alias may name an alias; the verifier forbids cycles, the bound keeps unverified IR
        // from hanging us.
        for _ in 0..64 {
            match value.as_global_alias() {
                Some(alias) => value = alias.aliasee().strip_constant_casts(),
                None => break,
            }
        }
        value.as_function()
    }

    /// The function type of a call.
    pub fn called_type(self) -> Option<Type<'ctx>> {
        // SAFETY: live call.
        self.is_call().then(|| unsafe { Type::from_raw(LLVMGetCalledFunctionType(self.ptr())) })
    }

    /// The arguments of a call.
    pub fn args(self) -> Vec<Value<'ctx>> {
        if !self.is_call() {
            return Vec::new();
        }
        // SAFETY: live call.
        let count = unsafe { LLVMGetNumArgOperands(self.ptr()) };
        (0..count).filter_map(|i| self.operand(i)).collect()
    }

    pub fn call_conv(self) -> Option<CallConv> {
        // SAFETY: live call.
        self.is_call().then(|| CallConv(unsafe { LLVMGetInstructionCallConv(self.ptr()) }))
    }

    pub fn set_call_conv(self, convention: CallConv) {
        if self.is_call() {
            // SAFETY: live call.
            unsafe { LLVMSetInstructionCallConv(self.ptr(), convention.0) }
        }
    }

    pub fn is_inline_asm(self) -> bool {
        // SAFETY: live value.
        self.called_value().is_some_and(|v| !unsafe { LLVMIsAInlineAsm(v.ptr()) }.is_null())
    }

    /// Puts the callee's body in the place of the call. The handle is dead afterwards, unless this
    /// fails.
    pub fn inline_call(self) -> Result<(), crate::Error> {
        let name =
            |f: Option<Function<'ctx>>| f.map_or("an unknown function".to_owned(), |f| f.name());
        let (caller, callee) = (name(self.function()), name(self.called_function()));
        if self.called_function().is_none_or(|f| f.is_declaration()) {
            return Err(crate::Error::Inline {
                caller,
                callee,
                message: "it has no body here".into(),
            });
        }
        // SAFETY: a live call to a function with a body.
        let reason = unsafe { crate::shim::scythe_llvm_inline_call(self.ptr()) };
        if reason.is_null() {
            return Ok(());
        }
        // SAFETY: a C string with static lifetime.
        let message = unsafe { std::ffi::CStr::from_ptr(reason) }.to_string_lossy().into_owned();
        Err(crate::Error::Inline { caller, callee, message })
    }
}
