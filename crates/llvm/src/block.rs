//! Basic blocks.

use crate::text::{c_string, copy_string};
use crate::{Function, Instruction, Value};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BasicBlock<'ctx> {
    raw: NonNull<llvm_sys::LLVMBasicBlock>,
    life: PhantomData<&'ctx ()>,
}

impl<'ctx> BasicBlock<'ctx> {
    /// # Safety
    /// `raw` must be a block of a context that lives for `'ctx`.
    pub(crate) unsafe fn from_raw(raw: LLVMBasicBlockRef) -> Self {
        Self { raw: NonNull::new(raw).expect("LLVM gives no null blocks here"), life: PhantomData }
    }

    /// # Safety
    /// `raw` must be null, or a block of a context that lives for `'ctx`.
    pub(crate) unsafe fn from_nullable(raw: LLVMBasicBlockRef) -> Option<Self> {
        NonNull::new(raw).map(|raw| Self { raw, life: PhantomData })
    }

    pub(crate) fn ptr(self) -> LLVMBasicBlockRef {
        self.raw.as_ptr()
    }

    pub fn name(self) -> String {
        // SAFETY: the block is live. Its name is a C string that lives until the block is renamed.
        let name = unsafe { LLVMGetBasicBlockName(self.ptr()) };
        // SAFETY: LLVM returned a C string, as described above.
        unsafe { copy_string(name, libc::strlen(name)) }
    }

    pub fn as_value(self) -> Value<'ctx> {
        // SAFETY: the block is live.
        unsafe { Value::from_raw(LLVMBasicBlockAsValue(self.ptr())) }
    }

    /// Converts a value that is a block, such as an operand of a branch.
    pub fn from_value(value: Value<'ctx>) -> Option<Self> {
        // SAFETY: the value is live, and is checked to be a block before the conversion.
        unsafe {
            (LLVMValueIsBasicBlock(value.ptr()) != 0)
                .then(|| Self::from_raw(LLVMValueAsBasicBlock(value.ptr())))
        }
    }

    pub fn function(self) -> Option<Function<'ctx>> {
        // SAFETY: the block is live. LLVM returns null if it is in no function.
        unsafe { Value::from_nullable(LLVMGetBasicBlockParent(self.ptr())) }
            .and_then(Value::as_function)
    }

    pub fn next(self) -> Option<BasicBlock<'ctx>> {
        // SAFETY: the block is live. LLVM returns null after the last one.
        unsafe { Self::from_nullable(LLVMGetNextBasicBlock(self.ptr())) }
    }

    pub fn instructions(self) -> impl Iterator<Item = Instruction<'ctx>> {
        // SAFETY: the block is live. LLVM returns null if it is empty.
        let first = unsafe { Value::from_nullable(LLVMGetFirstInstruction(self.ptr())) };
        std::iter::successors(first.and_then(Value::as_instruction), |i| i.next())
    }

    pub fn first_instruction(self) -> Option<Instruction<'ctx>> {
        self.instructions().next()
    }

    /// Returns the first instruction that is not a phi.
    pub fn first_non_phi(self) -> Option<Instruction<'ctx>> {
        self.instructions().find(|i| i.opcode() != crate::Opcode::LLVMPHI)
    }

    pub fn terminator(self) -> Option<Instruction<'ctx>> {
        // SAFETY: the block is live. LLVM returns null if it has no terminator.
        unsafe { Value::from_nullable(LLVMGetBasicBlockTerminator(self.ptr())) }
            .and_then(Value::as_instruction)
    }

    pub fn successors(self) -> Vec<BasicBlock<'ctx>> {
        self.terminator().map_or(Vec::new(), Instruction::successors)
    }

    /// Returns the blocks that branch to this block, one entry per edge.
    pub fn predecessors(self) -> Vec<BasicBlock<'ctx>> {
        let terminators = self.as_value().users().into_iter().filter_map(Value::as_instruction);
        terminators.filter(|i| i.is_terminator()).filter_map(Instruction::block).collect()
    }

    /// Moves `before` and all instructions after it to a new block, and branches to the new block.
    /// Returns `None` if `before` is not in this block, or if the block has no terminator.
    pub fn split_before(self, before: Instruction<'ctx>, name: &str) -> Option<BasicBlock<'ctx>> {
        if before.block() != Some(self) || self.terminator().is_none() {
            return None;
        }
        let name = c_string(name);
        // SAFETY: the block has a terminator and contains the instruction. LLVM copies the name.
        Some(unsafe {
            BasicBlock::from_raw(crate::shim::scythe_llvm_split_block(
                self.ptr(),
                before.ptr(),
                name.as_ptr(),
            ))
        })
    }

    pub fn move_before(self, other: BasicBlock<'ctx>) {
        // SAFETY: the blocks are live.
        unsafe { LLVMMoveBasicBlockBefore(self.ptr(), other.ptr()) }
    }

    pub fn move_after(self, other: BasicBlock<'ctx>) {
        // SAFETY: the blocks are live.
        unsafe { LLVMMoveBasicBlockAfter(self.ptr(), other.ptr()) }
    }

    /// Removes the block with its instructions. Values of the block must not be used elsewhere. The
    /// handle must not be used afterwards.
    pub fn erase(self) {
        // SAFETY: the block is live.
        unsafe { LLVMDeleteBasicBlock(self.ptr()) }
    }
}
