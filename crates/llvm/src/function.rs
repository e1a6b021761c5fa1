//! Functions.

use crate::{BasicBlock, Instruction, Linkage, Metadata, Module, Type, Value, Visibility};
use llvm_sys::comdat::{
    LLVMGetComdat, LLVMGetOrInsertComdat, LLVMSetComdat, LLVMSetComdatSelectionKind,
};
use llvm_sys::core::*;
use llvm_sys::debuginfo::{LLVMGetSubprogram, LLVMSetSubprogram};
use std::ops::Deref;

/// A calling convention, by LLVM's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CallConv(pub u32);

impl CallConv {
    pub const C: Self = Self(0);
    pub const FAST: Self = Self(8);
    pub const PTX_KERNEL: Self = Self(71);
    pub const PTX_DEVICE: Self = Self(72);
    pub const SPIR_FUNC: Self = Self(75);
    pub const SPIR_KERNEL: Self = Self(76);

    /// Returns whether this is the calling convention of device kernels on any target.
    pub fn is_kernel(self) -> bool {
        self == Self::SPIR_KERNEL || self == Self::PTX_KERNEL
    }
}

/// A function, declared or defined.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Function<'ctx>(pub(crate) Value<'ctx>);

impl<'ctx> Deref for Function<'ctx> {
    type Target = Value<'ctx>;
    fn deref(&self) -> &Value<'ctx> {
        &self.0
    }
}

impl<'ctx> Function<'ctx> {
    pub fn as_value(self) -> Value<'ctx> {
        self.0
    }

    /// Returns the function's type, not the type of its address.
    pub fn function_type(self) -> Type<'ctx> {
        // SAFETY: the function is live.
        unsafe { Type::from_raw(LLVMGlobalGetValueType(self.ptr())) }
    }

    pub fn return_type(self) -> Type<'ctx> {
        // SAFETY: the type is a live function type.
        unsafe { Type::from_raw(LLVMGetReturnType(self.function_type().ptr())) }
    }

    pub fn param_count(self) -> usize {
        // SAFETY: the function is live.
        unsafe { LLVMCountParams(self.ptr()) as usize }
    }

    pub fn param(self, index: usize) -> Option<Value<'ctx>> {
        // SAFETY: the function has a parameter with this index.
        (index < self.param_count())
            .then(|| unsafe { Value::from_raw(LLVMGetParam(self.ptr(), index as u32)) })
    }

    pub fn params(self) -> Vec<Value<'ctx>> {
        (0..self.param_count()).filter_map(|i| self.param(i)).collect()
    }

    pub fn is_declaration(self) -> bool {
        // SAFETY: the function is live.
        unsafe { LLVMIsDeclaration(self.ptr()) != 0 }
    }

    pub fn is_intrinsic(self) -> bool {
        // SAFETY: the function is live.
        unsafe { LLVMGetIntrinsicID(self.ptr()) != 0 }
    }

    pub fn call_conv(self) -> CallConv {
        // SAFETY: the function is live.
        CallConv(unsafe { LLVMGetFunctionCallConv(self.ptr()) })
    }

    /// Sets the calling convention of the function only. Calls have a separate convention
    /// ([`Instruction::set_call_conv`]).
    pub fn set_call_conv(self, convention: CallConv) {
        // SAFETY: the function is live.
        unsafe { LLVMSetFunctionCallConv(self.ptr(), convention.0) }
    }

    /// Returns whether this is a definition with a kernel's calling convention.
    pub fn is_kernel(self) -> bool {
        self.call_conv().is_kernel() && !self.is_declaration()
    }

    pub fn blocks(self) -> impl Iterator<Item = BasicBlock<'ctx>> {
        // SAFETY: the function is live. LLVM returns null if it has no blocks.
        let first = unsafe { BasicBlock::from_nullable(LLVMGetFirstBasicBlock(self.ptr())) };
        std::iter::successors(first, |b| b.next())
    }

    pub fn entry_block(self) -> Option<BasicBlock<'ctx>> {
        self.blocks().next()
    }

    pub fn instructions(self) -> impl Iterator<Item = Instruction<'ctx>> {
        self.blocks().flat_map(|b| b.instructions())
    }

    /// Returns the `DISubprogram`.
    pub fn subprogram(self) -> Option<Metadata<'ctx>> {
        // SAFETY: the function is live. LLVM returns null if it has no debug information.
        unsafe { Metadata::from_nullable(LLVMGetSubprogram(self.ptr())) }
    }

    pub fn set_subprogram(self, subprogram: Metadata<'ctx>) {
        // SAFETY: the function and the metadata are live.
        unsafe { LLVMSetSubprogram(self.ptr(), subprogram.ptr()) }
    }

    /// Moves the blocks and copies the metadata of `from`, which becomes a declaration. The caller
    /// must replace the parameters of `from` that the blocks use. Does nothing unless `self` is a
    /// declaration.
    pub fn take_body(self, from: Function<'ctx>) {
        if self.is_declaration() && self != from {
            // SAFETY: both functions are live, and `self` has no blocks.
            unsafe { crate::shim::scythe_llvm_take_body(self.ptr(), from.ptr()) }
        }
    }

    /// Removes the blocks that control flow does not reach.
    pub fn remove_unreachable_blocks(self) {
        if !self.is_declaration() {
            // SAFETY: the function is live and has blocks.
            unsafe { crate::shim::scythe_llvm_remove_unreachable_blocks(self.ptr()) };
        }
    }

    /// Removes debug information from the function and its instructions.
    pub fn strip_debug_info(self) {
        // SAFETY: the function is live.
        unsafe { crate::shim::scythe_llvm_strip_function_debug_info(self.ptr()) }
    }

    /// Deletes the body. The function becomes an external declaration.
    pub fn delete_body(self) {
        // SAFETY: the function is live.
        unsafe { crate::shim::scythe_llvm_delete_body(self.ptr()) };
        self.remove_comdat();
    }

    /// Removes the function from its module. Remaining uses become poison. The handle must not be
    /// used afterwards.
    pub fn erase(self) {
        if self.has_uses() {
            self.replace_all_uses_with(self.ty().poison());
        }
        // SAFETY: the function is live and has no uses.
        unsafe { LLVMDeleteFunction(self.ptr()) }
    }
}

/// Defines the methods that functions and global variables share.
macro_rules! global_value {
    ($ty:ident) => {
        impl<'ctx> $ty<'ctx> {
            pub fn linkage(self) -> Linkage {
                // SAFETY: the global is live.
                unsafe { LLVMGetLinkage(self.ptr()) }
            }

            pub fn set_linkage(self, linkage: Linkage) {
                // SAFETY: the global is live.
                unsafe { LLVMSetLinkage(self.ptr(), linkage) }
            }

            /// Returns whether the name is visible outside the module.
            pub fn is_externally_visible(self) -> bool {
                !matches!(
                    self.linkage(),
                    Linkage::LLVMInternalLinkage | Linkage::LLVMPrivateLinkage
                )
            }

            pub fn visibility(self) -> Visibility {
                // SAFETY: the global is live.
                unsafe { LLVMGetVisibility(self.ptr()) }
            }

            pub fn set_visibility(self, visibility: Visibility) {
                // SAFETY: the global is live.
                unsafe { LLVMSetVisibility(self.ptr(), visibility) }
            }

            pub fn section(self) -> Option<String> {
                // SAFETY: the global is live. LLVM returns null if it has no section, or a C string
                // that lives as long as the section does not change.
                let text = unsafe {
                    let name = LLVMGetSection(self.ptr());
                    if name.is_null() {
                        String::new()
                    } else {
                        crate::text::copy_string(name, libc::strlen(name))
                    }
                };
                (!text.is_empty()).then_some(text)
            }

            pub fn set_section(self, section: &str) {
                let section = crate::text::c_string(section);
                // SAFETY: the global is live. LLVM copies the name.
                unsafe { LLVMSetSection(self.ptr(), section.as_ptr()) }
            }

            pub fn has_comdat(self) -> bool {
                // SAFETY: the global object is live.
                !unsafe { LLVMGetComdat(self.ptr()) }.is_null()
            }

            /// Puts the global into the comdat of this name. The linker keeps any one of its
            /// definitions.
            pub fn set_comdat_any(self, module: &Module<'ctx>, name: &str) {
                let name = crate::text::c_string(name);
                // SAFETY: the module and the global are live. LLVM copies the name.
                unsafe {
                    let comdat = LLVMGetOrInsertComdat(module.ptr(), name.as_ptr());
                    LLVMSetComdatSelectionKind(
                        comdat,
                        llvm_sys::comdat::LLVMComdatSelectionKind::LLVMAnyComdatSelectionKind,
                    );
                    LLVMSetComdat(self.ptr(), comdat);
                }
            }

            /// Puts the global into the comdat of `from`, or into none if `from` is in none.
            pub fn copy_comdat_from(self, from: $ty<'ctx>) {
                // SAFETY: the globals are live and belong to one module. Null removes the comdat.
                unsafe { LLVMSetComdat(self.ptr(), LLVMGetComdat(from.ptr())) }
            }

            pub fn remove_comdat(self) {
                // SAFETY: the global is live. Null removes the comdat.
                unsafe { LLVMSetComdat(self.ptr(), std::ptr::null_mut()) }
            }
        }
    };
}
pub(crate) use global_value;
global_value!(Function);
