//! Atomic accesses: which threads they are ordered with, and how; how exactly a number is computed;
//! and instructions that LLVM does not know.

use crate::{AtomicOrdering, AtomicRmwOp, Builder, ContextRef, Instruction, Opcode, Type, Value};
use llvm_sys::core::*;
use std::ffi::c_uint;

/// A synchronisation scope of a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyncScope(c_uint);

impl SyncScope {
    /// All threads: the scope without a name.
    pub const SYSTEM: Self = Self(1);
    pub const SINGLE_THREAD: Self = Self(0);
}

impl<'ctx> ContextRef<'ctx> {
    /// The scope of this name, as in `syncscope("device")`.
    pub fn sync_scope(self, name: &str) -> SyncScope {
        // SAFETY: a live context, and a text with its length.
        SyncScope(unsafe { LLVMGetSyncScopeID(self.ptr(), name.as_ptr().cast(), name.len()) })
    }
}

impl<'ctx> Instruction<'ctx> {
    /// The scope of an atomic access or a fence.
    pub fn sync_scope(self) -> Option<SyncScope> {
        // SAFETY: a live instruction, which is asked for its scope only where it is atomic.
        unsafe {
            (LLVMIsAtomic(self.ptr()) != 0).then(|| SyncScope(LLVMGetAtomicSyncScopeID(self.ptr())))
        }
    }

    /// Nothing happens to instructions that are not atomic.
    pub fn set_sync_scope(self, scope: SyncScope) {
        // SAFETY: a live instruction, and a scope of some context; it is set only where there is
        // one.
        unsafe {
            if LLVMIsAtomic(self.ptr()) != 0 {
                LLVMSetAtomicSyncScopeID(self.ptr(), scope.0);
            }
        }
    }

    /// Makes a load, a store or an atomic access one that may be optimised.
    pub fn clear_volatile(self) {
        if self.is_volatile() {
            // SAFETY: volatile, and so an instruction that has this property.
            unsafe { LLVMSetVolatile(self.ptr(), 0) }
        }
    }

    pub fn is_fence(self) -> bool {
        self.opcode() == Opcode::LLVMFence
    }

    /// A floating-point operation that may be replaced by one that is less exact.
    pub fn allows_approximation(self) -> bool {
        // SAFETY: a live instruction, which is asked for its flags only where it can have any.
        unsafe {
            LLVMCanValueUseFastMathFlags(self.ptr()) != 0
                && LLVMGetFastMathFlags(self.ptr()) & llvm_sys::LLVMFastMathApproxFunc != 0
        }
    }

    /// What a call says of the alignment of its argument `index`.
    pub fn call_alignment(self, index: u32) -> Option<u32> {
        let align = self.call_enum_attribute(crate::Place::Param(index), "align")?;
        align.int_value().and_then(|align| u32::try_from(align).ok())
    }

    /// What an `atomicrmw` does, and in which order with other accesses.
    pub fn read_modify_write(self) -> Option<(AtomicRmwOp, AtomicOrdering)> {
        if self.opcode() != Opcode::LLVMAtomicRMW {
            return None;
        }
        // SAFETY: a live instruction of this kind.
        unsafe { Some((LLVMGetAtomicRMWBinOp(self.ptr()), LLVMGetOrdering(self.ptr()))) }
    }
}

impl<'ctx> Builder<'ctx> {
    /// Instructions of the target in its own words, with operands by LLVM's constraints. They may
    /// do anything to memory.
    pub fn assembly(
        &self,
        text: &str,
        constraints: &str,
        result: Type<'ctx>,
        args: &[Value<'ctx>],
    ) -> Instruction<'ctx> {
        let types: Vec<Type<'ctx>> = args.iter().map(|arg| arg.ty()).collect();
        let ty = result.function(&types, false);
        let (t, c) = (text.as_bytes(), constraints.as_bytes());
        // SAFETY: a function type, and texts with their lengths, which LLVM copies.
        let code = unsafe {
            Value::from_raw(LLVMGetInlineAsm(
                ty.ptr(),
                t.as_ptr().cast(),
                t.len(),
                c.as_ptr().cast(),
                c.len(),
                1,
                0,
                llvm_sys::LLVMInlineAsmDialect::LLVMInlineAsmDialectATT,
                0,
            ))
        };
        self.call_pointer(ty, code, args, "")
    }
}
