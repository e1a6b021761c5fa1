//! Synchronisation scopes and orderings of atomic accesses, the permitted approximation of
//! floating-point operations, and inline assembly.

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
    /// Returns the scope of this name, as in `syncscope("device")`.
    pub fn sync_scope(self, name: &str) -> SyncScope {
        // SAFETY: the context is live, and the string has this length.
        SyncScope(unsafe { LLVMGetSyncScopeID(self.ptr(), name.as_ptr().cast(), name.len()) })
    }
}

impl<'ctx> Instruction<'ctx> {
    /// Returns the scope of an atomic access or a fence.
    pub fn sync_scope(self) -> Option<SyncScope> {
        // SAFETY: the instruction is live, and its scope is read only if it is atomic.
        unsafe {
            (LLVMIsAtomic(self.ptr()) != 0).then(|| SyncScope(LLVMGetAtomicSyncScopeID(self.ptr())))
        }
    }

    /// Sets the scope. Does nothing for instructions that are not atomic.
    pub fn set_sync_scope(self, scope: SyncScope) {
        // SAFETY: the instruction is live, and its scope is set only if it is atomic.
        unsafe {
            if LLVMIsAtomic(self.ptr()) != 0 {
                LLVMSetAtomicSyncScopeID(self.ptr(), scope.0);
            }
        }
    }

    /// Makes a load or store atomic. Does nothing for other instructions.
    pub fn set_ordering(self, ordering: AtomicOrdering) {
        if matches!(self.opcode(), Opcode::LLVMLoad | Opcode::LLVMStore) {
            // SAFETY: the instruction is live, and it has an ordering.
            unsafe { LLVMSetOrdering(self.ptr(), ordering) }
        }
    }

    /// Allows a volatile load, store or atomic access to be optimised.
    pub fn clear_volatile(self) {
        if self.is_volatile() {
            // SAFETY: the instruction is volatile, so it has this property.
            unsafe { LLVMSetVolatile(self.ptr(), 0) }
        }
    }

    pub fn is_fence(self) -> bool {
        self.opcode() == Opcode::LLVMFence
    }

    /// Returns whether a floating-point operation may be replaced by a less exact one.
    pub fn allows_approximation(self) -> bool {
        // SAFETY: the instruction is live, and its flags are read only if it can have flags.
        unsafe {
            LLVMCanValueUseFastMathFlags(self.ptr()) != 0
                && LLVMGetFastMathFlags(self.ptr()) & llvm_sys::LLVMFastMathApproxFunc != 0
        }
    }

    /// Returns the alignment that a call guarantees for its argument `index`.
    pub fn call_alignment(self, index: u32) -> Option<u32> {
        let align = self.call_enum_attribute(crate::Place::Param(index), "align")?;
        align.int_value().and_then(|align| u32::try_from(align).ok())
    }

    /// Returns the operation and the ordering of an `atomicrmw`.
    pub fn read_modify_write(self) -> Option<(AtomicRmwOp, AtomicOrdering)> {
        if self.opcode() != Opcode::LLVMAtomicRMW {
            return None;
        }
        // SAFETY: the instruction is a live `atomicrmw`.
        unsafe { Some((LLVMGetAtomicRMWBinOp(self.ptr()), LLVMGetOrdering(self.ptr()))) }
    }
}

impl<'ctx> Builder<'ctx> {
    /// Emits inline assembly of the target, with operands by LLVM's constraints. It may have any
    /// effect on memory.
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
        // SAFETY: the type is a function type, and the strings have these lengths. LLVM copies
        // them.
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
