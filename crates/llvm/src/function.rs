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

    /// A device kernel's convention, on any target.
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

    /// The function's type (not that of its address).
    pub fn function_type(self) -> Type<'ctx> {
        // SAFETY: live function.
        unsafe { Type::from_raw(LLVMGlobalGetValueType(self.ptr())) }
    }

    pub fn return_type(self) -> Type<'ctx> {
        // SAFETY: live function type.
        unsafe { Type::from_raw(LLVMGetReturnType(self.function_type().ptr())) }
    }

    pub fn param_count(self) -> usize {
        // SAFETY: live function.
        unsafe { LLVMCountParams(self.ptr()) as usize }
    }

    pub fn param(self, index: usize) -> Option<Value<'ctx>> {
        // SAFETY: a parameter the function has.
        (index < self.param_count())
            .then(|| unsafe { Value::from_raw(LLVMGetParam(self.ptr(), index as u32)) })
    }

    pub fn params(self) -> Vec<Value<'ctx>> {
        (0..self.param_count()).filter_map(|i| self.param(i)).collect()
    }

    pub fn is_declaration(self) -> bool {
        // SAFETY: live function.
        unsafe { LLVMIsDeclaration(self.ptr()) != 0 }
    }

    pub fn is_intrinsic(self) -> bool {
        // SAFETY: live function.
        unsafe { LLVMGetIntrinsicID(self.ptr()) != 0 }
    }

    pub fn call_conv(self) -> CallConv {
        // SAFETY: live function.
        CallConv(unsafe { LLVMGetFunctionCallConv(self.ptr()) })
    }

    /// The convention of the function only; its calls have their own
    /// ([`Instruction::set_call_conv`]).
    pub fn set_call_conv(self, convention: CallConv) {
        // SAFETY: live function.
        unsafe { LLVMSetFunctionCallConv(self.ptr(), convention.0) }
    }

    /// A definition with a kernel's calling convention.
    pub fn is_kernel(self) -> bool {
        self.call_conv().is_kernel() && !self.is_declaration()
    }

    pub fn blocks(self) -> impl Iterator<Item = BasicBlock<'ctx>> {
        // SAFETY: live function; null without blocks.
        let first = unsafe { BasicBlock::from_nullable(LLVMGetFirstBasicBlock(self.ptr())) };
        std::iter::successors(first, |b| b.next())
    }

    pub fn entry_block(self) -> Option<BasicBlock<'ctx>> {
        self.blocks().next()
    }

    pub fn instructions(self) -> impl Iterator<Item = Instruction<'ctx>> {
        self.blocks().flat_map(|b| b.instructions())
    }

    /// The `DISubprogram`.
    pub fn subprogram(self) -> Option<Metadata<'ctx>> {
        // SAFETY: live function; null without debug information.
        unsafe { Metadata::from_nullable(LLVMGetSubprogram(self.ptr())) }
    }

    pub fn set_subprogram(self, subprogram: Metadata<'ctx>) {
        // SAFETY: live function and metadata.
        unsafe { LLVMSetSubprogram(self.ptr(), subprogram.ptr()) }
    }

    /// Moves the blocks and copies the metadata of `from`, which is left a declaration. Parameters
    /// of `from` that the blocks use are the caller's to replace. Does nothing unless `self` is a
    /// declaration.
    pub fn take_body(self, from: Function<'ctx>) {
        if self.is_declaration() && self != from {
            // SAFETY: two live functions, `self` without blocks.
            unsafe { crate::shim::scythe_llvm_take_body(self.ptr(), from.ptr()) }
        }
    }

    /// Removes the blocks that control flow does not reach.
    pub fn remove_unreachable_blocks(self) {
        if !self.is_declaration() {
            // SAFETY: a live function with blocks.
            unsafe { crate::shim::scythe_llvm_remove_unreachable_blocks(self.ptr()) };
        }
    }

    /// Removes debug information from the function and its instructions.
    pub fn strip_debug_info(self) {
        // SAFETY: live function.
        unsafe { crate::shim::scythe_llvm_strip_function_debug_info(self.ptr()) }
    }

    /// Drops the body: what is left is an external declaration.
    pub fn delete_body(self) {
        // SAFETY: live function.
        unsafe { crate::shim::scythe_llvm_delete_body(self.ptr()) };
        self.remove_comdat();
    }

    /// Removes the function from its module. Uses that remain become poison. The handle is dead
    /// afterwards.
    pub fn erase(self) {
        if self.has_uses() {
            self.replace_all_uses_with(self.ty().poison());
        }
        // SAFETY: live function without uses.
        unsafe { LLVMDeleteFunction(self.ptr()) }
    }
}

/// What functions and global variables share.
macro_rules! global_value {
    ($ty:ident) => {
        impl<'ctx> $ty<'ctx> {
            pub fn linkage(self) -> Linkage {
                // SAFETY: live global.
                unsafe { LLVMGetLinkage(self.ptr()) }
            }

            pub fn set_linkage(self, linkage: Linkage) {
                // SAFETY: live global.
                unsafe { LLVMSetLinkage(self.ptr(), linkage) }
            }

            /// Visible outside the module under its name.
            pub fn is_externally_visible(self) -> bool {
                !matches!(
                    self.linkage(),
                    Linkage::LLVMInternalLinkage | Linkage::LLVMPrivateLinkage
                )
            }

            pub fn visibility(self) -> Visibility {
                // SAFETY: live global.
                unsafe { LLVMGetVisibility(self.ptr()) }
            }

            pub fn set_visibility(self, visibility: Visibility) {
                // SAFETY: live global.
                unsafe { LLVMSetVisibility(self.ptr(), visibility) }
            }

            pub fn section(self) -> Option<String> {
                // SAFETY: live global; null without a section, else a C string that lives as long.
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
                // SAFETY: live global; LLVM copies the name.
                unsafe { LLVMSetSection(self.ptr(), section.as_ptr()) }
            }

            pub fn has_comdat(self) -> bool {
                // SAFETY: live global object.
                !unsafe { LLVMGetComdat(self.ptr()) }.is_null()
            }

            /// Puts the global into the comdat of this name, of which the linker keeps any one.
            pub fn set_comdat_any(self, module: &Module<'ctx>, name: &str) {
                let name = crate::text::c_string(name);
                // SAFETY: live module and global; LLVM copies the name.
                unsafe {
                    let comdat = LLVMGetOrInsertComdat(module.ptr(), name.as_ptr());
                    LLVMSetComdatSelectionKind(
                        comdat,
                        llvm_sys::comdat::LLVMComdatSelectionKind::LLVMAnyComdatSelectionKind,
                    );
                    LLVMSetComdat(self.ptr(), comdat);
                }
            }

            /// Puts the global into the comdat of `from`, or in none where `from` is in none.
            pub fn copy_comdat_from(self, from: $ty<'ctx>) {
                // SAFETY: live globals of one module; null removes.
                unsafe { LLVMSetComdat(self.ptr(), LLVMGetComdat(from.ptr())) }
            }

            pub fn remove_comdat(self) {
                // SAFETY: live global; null removes.
                unsafe { LLVMSetComdat(self.ptr(), std::ptr::null_mut()) }
            }
        }
    };
}
pub(crate) use global_value;
global_value!(Function);
