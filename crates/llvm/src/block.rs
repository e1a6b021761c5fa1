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
    /// `raw` is a block of a context that lives for `'ctx`.
    pub(crate) unsafe fn from_raw(raw: LLVMBasicBlockRef) -> Self {
        Self { raw: NonNull::new(raw).expect("LLVM gives no null blocks here"), life: PhantomData }
    }

    /// # Safety
    /// `raw` is null, or a block of a context that lives for `'ctx`.
    pub(crate) unsafe fn from_nullable(raw: LLVMBasicBlockRef) -> Option<Self> {
        NonNull::new(raw).map(|raw| Self { raw, life: PhantomData })
    }

    pub(crate) fn ptr(self) -> LLVMBasicBlockRef {
        self.raw.as_ptr()
    }

    pub fn name(self) -> String {
        // SAFETY: live block; a C string that lives as long as its name.
        let name = unsafe { LLVMGetBasicBlockName(self.ptr()) };
        // SAFETY: as above.
        unsafe { copy_string(name, libc::strlen(name)) }
    }

    pub fn as_value(self) -> Value<'ctx> {
        // SAFETY: live block.
        unsafe { Value::from_raw(LLVMBasicBlockAsValue(self.ptr())) }
    }

    /// The block that a value is, such as an operand of a branch.
    pub fn from_value(value: Value<'ctx>) -> Option<Self> {
        // SAFETY: live value, asked for being a block first.
        unsafe {
            (LLVMValueIsBasicBlock(value.ptr()) != 0)
                .then(|| Self::from_raw(LLVMValueAsBasicBlock(value.ptr())))
        }
    }

    pub fn function(self) -> Option<Function<'ctx>> {
        // SAFETY: live block; null when it is in no function.
        unsafe { Value::from_nullable(LLVMGetBasicBlockParent(self.ptr())) }
            .and_then(Value::as_function)
    }

    pub fn next(self) -> Option<BasicBlock<'ctx>> {
        // SAFETY: live block; null at the end.
        unsafe { Self::from_nullable(LLVMGetNextBasicBlock(self.ptr())) }
    }

    pub fn instructions(self) -> impl Iterator<Item = Instruction<'ctx>> {
        // SAFETY: live block; null when empty.
        let first = unsafe { Value::from_nullable(LLVMGetFirstInstruction(self.ptr())) };
        std::iter::successors(first.and_then(Value::as_instruction), |i| i.next())
    }

    pub fn first_instruction(self) -> Option<Instruction<'ctx>> {
        self.instructions().next()
    }

    /// The first instruction that is no phi.
    pub fn first_non_phi(self) -> Option<Instruction<'ctx>> {
        self.instructions().find(|i| i.opcode() != crate::Opcode::LLVMPHI)
    }

    pub fn terminator(self) -> Option<Instruction<'ctx>> {
        // SAFETY: live block; null without one.
        unsafe { Value::from_nullable(LLVMGetBasicBlockTerminator(self.ptr())) }
            .and_then(Value::as_instruction)
    }

    pub fn successors(self) -> Vec<BasicBlock<'ctx>> {
        self.terminator().map_or(Vec::new(), Instruction::successors)
    }

    /// The blocks that branch here, one entry per edge.
    pub fn predecessors(self) -> Vec<BasicBlock<'ctx>> {
        let terminators = self.as_value().users().into_iter().filter_map(Value::as_instruction);
        terminators.filter(|i| i.is_terminator()).filter_map(Instruction::block).collect()
    }

    /// Moves `before` and all that follows it to a new block, to which this one then branches.
    /// `None` when `before` is not in this block, or the block has no terminator.
    pub fn split_before(self, before: Instruction<'ctx>, name: &str) -> Option<BasicBlock<'ctx>> {
        if before.block() != Some(self) || self.terminator().is_none() {
            return None;
        }
        let name = c_string(name);
        // SAFETY: a complete block and an instruction of it; LLVM copies the name.
        Some(unsafe {
            BasicBlock::from_raw(crate::shim::scythe_llvm_split_block(
                self.ptr(),
                before.ptr(),
                name.as_ptr(),
            ))
        })
    }

    pub fn move_before(self, other: BasicBlock<'ctx>) {
        // SAFETY: live blocks.
        unsafe { LLVMMoveBasicBlockBefore(self.ptr(), other.ptr()) }
    }

    pub fn move_after(self, other: BasicBlock<'ctx>) {
        // SAFETY: live blocks.
        unsafe { LLVMMoveBasicBlockAfter(self.ptr(), other.ptr()) }
    }

    /// Removes the block with its instructions. The handle is dead afterwards. Values of the block
    /// must not be used elsewhere.
    pub fn erase(self) {
        // SAFETY: live block.
        unsafe { LLVMDeleteBasicBlock(self.ptr()) }
    }
}
