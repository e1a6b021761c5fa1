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
        // SAFETY: the instruction is live.
        unsafe { LLVMGetInstructionOpcode(self.ptr()) }
    }

    pub fn is_terminator(self) -> bool {
        // SAFETY: the instruction is live.
        !unsafe { LLVMIsATerminatorInst(self.ptr()) }.is_null()
    }

    pub fn block(self) -> Option<BasicBlock<'ctx>> {
        // SAFETY: the instruction is live. LLVM returns null if it is in no block.
        unsafe { BasicBlock::from_nullable(LLVMGetInstructionParent(self.ptr())) }
    }

    pub fn function(self) -> Option<Function<'ctx>> {
        self.block()?.function()
    }

    pub fn next(self) -> Option<Instruction<'ctx>> {
        // SAFETY: the instruction is live. LLVM returns null after the last one.
        unsafe { Value::from_nullable(LLVMGetNextInstruction(self.ptr())) }
            .and_then(Value::as_instruction)
    }

    pub fn previous(self) -> Option<Instruction<'ctx>> {
        // SAFETY: the instruction is live. LLVM returns null before the first one.
        unsafe { Value::from_nullable(LLVMGetPreviousInstruction(self.ptr())) }
            .and_then(Value::as_instruction)
    }

    /// Removes the instruction. Remaining uses become poison. The handle must not be used
    /// afterwards.
    pub fn erase(self) {
        if self.has_uses() {
            self.replace_all_uses_with(self.ty().poison());
        }
        // SAFETY: the instruction is live and has no uses.
        unsafe { LLVMInstructionEraseFromParent(self.ptr()) }
    }

    /// Returns the raw debug location, which [`crate::DebugLoc`] reads.
    pub fn debug_loc_metadata(self) -> Option<Metadata<'ctx>> {
        // SAFETY: the instruction is live. LLVM returns null if it has no location.
        unsafe { Metadata::from_nullable(LLVMInstructionGetDebugLoc(self.ptr())) }
    }

    /// Sets the debug location, or removes it if `location` is `None`.
    pub fn set_debug_loc(self, location: Option<Metadata<'ctx>>) {
        // SAFETY: the instruction is live. The location is null or live.
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
        // SAFETY: the instruction is a live terminator.
        let count = unsafe { LLVMGetNumSuccessors(self.ptr()) };
        // SAFETY: the terminator has a successor with this index.
        (0..count)
            .map(|i| unsafe { BasicBlock::from_raw(LLVMGetSuccessor(self.ptr(), i)) })
            .collect()
    }

    /// Replaces one successor. Does nothing if `index` is beyond the last successor.
    pub fn set_successor(self, index: u32, block: BasicBlock<'ctx>) {
        if (index as usize) < self.successors().len() {
            // SAFETY: the terminator has a successor with this index.
            unsafe { LLVMSetSuccessor(self.ptr(), index, block.ptr()) }
        }
    }

    /// Changes the selector of a `switch` to `selector`, an integer at least as wide as the old
    /// one. Case values are zero-extended. Does nothing for other instructions.
    pub fn widen_switch(self, selector: Value<'ctx>) {
        if self.opcode() != Opcode::LLVMSwitch {
            return;
        }
        self.set_operand(0, selector);
        // Skip the default destination, which is the first successor.
        for index in 1..self.successors().len() as u32 {
            // SAFETY: the `switch` is live, and the index names a successor other than the default
            // destination.
            let value: Value<'ctx> =
                unsafe { Value::from_raw(LLVMGetSwitchCaseValue(self.ptr(), index)) };
            let wide = selector.ty().const_int(value.const_int_value().unwrap_or(0));
            // SAFETY: the index is that of the call above. `wide` is an integer constant of the
            // selector's type.
            unsafe { LLVMSetSwitchCaseValue(self.ptr(), index, wide.ptr()) }
        }
    }

    // --- Memory ---

    /// Returns the type that an `alloca` allocates.
    pub fn allocated_type(self) -> Option<Type<'ctx>> {
        // SAFETY: the instruction is a live `alloca`.
        (self.opcode() == Opcode::LLVMAlloca)
            .then(|| unsafe { Type::from_raw(LLVMGetAllocatedType(self.ptr())) })
    }

    /// Sets the alignment of an `alloca`, load or store. Does nothing for other instructions, or if
    /// `bytes` is not a power of two.
    pub fn set_align(self, bytes: u32) {
        let memory =
            matches!(self.opcode(), Opcode::LLVMAlloca | Opcode::LLVMLoad | Opcode::LLVMStore);
        if memory && bytes.is_power_of_two() {
            // SAFETY: the instruction has an alignment, and `bytes` is a power of two.
            unsafe { LLVMSetAlignment(self.ptr(), bytes) }
        }
    }

    /// Removes the marker `tail` of a call, which promises that the callee does not access memory
    /// on the caller's stack. A copy for a `byval` parameter is not such memory.
    pub fn clear_tail(self) {
        if self.opcode() == Opcode::LLVMCall {
            // SAFETY: the instruction is a live `call`.
            unsafe { LLVMSetTailCall(self.ptr(), 0) }
        }
    }

    /// Returns the source element type of a `getelementptr`.
    pub fn gep_source_type(self) -> Option<Type<'ctx>> {
        let gep = self.opcode() == Opcode::LLVMGetElementPtr;
        // SAFETY: the instruction is a live `getelementptr`.
        gep.then(|| unsafe { Type::from_raw(LLVMGetGEPSourceElementType(self.ptr())) })
    }

    // --- Phis ---

    /// Adds an incoming value to a phi. Does nothing for other instructions.
    pub fn add_incoming(self, value: Value<'ctx>, block: BasicBlock<'ctx>) {
        if self.opcode() == Opcode::LLVMPHI {
            // SAFETY: the phi, the value and the block are live, and each list has one element.
            unsafe { LLVMAddIncoming(self.ptr(), &mut value.ptr(), &mut block.ptr(), 1) }
        }
    }

    /// Returns the incoming values and blocks of a phi.
    pub fn incoming(self) -> Vec<(Value<'ctx>, BasicBlock<'ctx>)> {
        if self.opcode() != Opcode::LLVMPHI {
            return Vec::new();
        }
        // SAFETY: the phi is live, and the indices are in range.
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

    /// Returns whether this is a `call`, `invoke` or `callbr`.
    pub fn is_call(self) -> bool {
        matches!(self.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke | Opcode::LLVMCallBr)
    }

    /// Returns the callee: a function, a pointer, or inline assembly.
    pub fn called_value(self) -> Option<Value<'ctx>> {
        // SAFETY: the instruction is a live call.
        self.is_call().then(|| unsafe { Value::from_raw(LLVMGetCalledValue(self.ptr())) })
    }

    /// Returns the function that a call calls directly, through constant casts and aliases.
    pub fn called_function(self) -> Option<Function<'ctx>> {
        let mut value = self.called_value()?.strip_constant_casts();
        // An alias may refer to an alias. The verifier forbids cycles; the bound ensures that the
        // loop also ends for unverified IR.
        for _ in 0..64 {
            match value.as_global_alias() {
                Some(alias) => value = alias.aliasee().strip_constant_casts(),
                None => break,
            }
        }
        value.as_function()
    }

    /// Returns the function type of a call.
    pub fn called_type(self) -> Option<Type<'ctx>> {
        // SAFETY: the instruction is a live call.
        self.is_call().then(|| unsafe { Type::from_raw(LLVMGetCalledFunctionType(self.ptr())) })
    }

    /// Returns the arguments of a call.
    pub fn args(self) -> Vec<Value<'ctx>> {
        if !self.is_call() {
            return Vec::new();
        }
        // SAFETY: the instruction is a live call.
        let count = unsafe { LLVMGetNumArgOperands(self.ptr()) };
        (0..count).filter_map(|i| self.operand(i)).collect()
    }

    pub fn call_conv(self) -> Option<CallConv> {
        // SAFETY: the instruction is a live call.
        self.is_call().then(|| CallConv(unsafe { LLVMGetInstructionCallConv(self.ptr()) }))
    }

    pub fn set_call_conv(self, convention: CallConv) {
        if self.is_call() {
            // SAFETY: the instruction is a live call.
            unsafe { LLVMSetInstructionCallConv(self.ptr(), convention.0) }
        }
    }

    pub fn is_inline_asm(self) -> bool {
        // SAFETY: the value is live.
        self.called_value().is_some_and(|v| !unsafe { LLVMIsAInlineAsm(v.ptr()) }.is_null())
    }

    /// Replaces the call by the callee's body. The handle must not be used afterwards, unless this
    /// fails.
    pub fn inline_call(self) -> Result<(), crate::Error> {
        let name =
            |f: Option<Function<'ctx>>| f.map_or("an unknown function".to_owned(), |f| f.name());
        let (caller, callee) = (name(self.function()), name(self.called_function()));
        if self.called_function().is_none_or(|f| f.is_declaration()) {
            return Err(crate::Error::Inline {
                caller,
                callee,
                message: "the callee has no body in this module".into(),
            });
        }
        // SAFETY: the instruction is a live call of a function with a body.
        let reason = unsafe { crate::shim::scythe_llvm_inline_call(self.ptr()) };
        if reason.is_null() {
            return Ok(());
        }
        // SAFETY: the shim returns a C string with static lifetime.
        let message = unsafe { std::ffi::CStr::from_ptr(reason) }.to_string_lossy().into_owned();
        Err(crate::Error::Inline { caller, callee, message })
    }
}
