//! Global variables and aliases.

use crate::function::global_value;
use crate::{Linkage, Module, Type, Value, Visibility};
use llvm_sys::comdat::{
    LLVMGetComdat, LLVMGetOrInsertComdat, LLVMSetComdat, LLVMSetComdatSelectionKind,
};
use llvm_sys::core::*;
use std::ops::Deref;

/// A global variable, declared or defined.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct GlobalVariable<'ctx>(pub(crate) Value<'ctx>);

impl<'ctx> Deref for GlobalVariable<'ctx> {
    type Target = Value<'ctx>;
    fn deref(&self) -> &Value<'ctx> {
        &self.0
    }
}

global_value!(GlobalVariable);

impl<'ctx> GlobalVariable<'ctx> {
    pub fn as_value(self) -> Value<'ctx> {
        self.0
    }

    /// The type of the contents.
    pub fn value_type(self) -> Type<'ctx> {
        // SAFETY: live global.
        unsafe { Type::from_raw(LLVMGlobalGetValueType(self.ptr())) }
    }

    pub fn is_declaration(self) -> bool {
        // SAFETY: live global.
        unsafe { LLVMIsDeclaration(self.ptr()) != 0 }
    }

    pub fn initializer(self) -> Option<Value<'ctx>> {
        // SAFETY: live global; null without one.
        unsafe { Value::from_nullable(LLVMGetInitializer(self.ptr())) }
    }

    /// Sets the contents, or with `None` makes a declaration of it.
    pub fn set_initializer(self, value: Option<Value<'ctx>>) {
        // SAFETY: live global; null or a live constant.
        unsafe { LLVMSetInitializer(self.ptr(), value.map_or(std::ptr::null_mut(), |v| v.ptr())) }
    }

    pub fn is_constant_global(self) -> bool {
        // SAFETY: live global.
        unsafe { LLVMIsGlobalConstant(self.ptr()) != 0 }
    }

    pub fn set_constant_global(self, constant: bool) {
        // SAFETY: live global.
        unsafe { LLVMSetGlobalConstant(self.ptr(), constant as i32) }
    }

    /// Others may have changed its value before the first code here runs.
    pub fn is_externally_initialized(self) -> bool {
        // SAFETY: live global.
        unsafe { LLVMIsExternallyInitialized(self.ptr()) != 0 }
    }

    /// With `true`, its value when code first runs may be another than the initial one: somebody
    /// else sets it.
    pub fn set_externally_initialized(self, value: bool) {
        // SAFETY: live global.
        unsafe { LLVMSetExternallyInitialized(self.ptr(), value as i32) }
    }

    pub fn address_space(self) -> u32 {
        self.ty().address_space().unwrap_or(0)
    }

    pub fn align(self) -> u32 {
        // SAFETY: live global.
        unsafe { LLVMGetAlignment(self.ptr()) }
    }

    /// `bytes` is a power of two; others are left alone.
    pub fn set_align(self, bytes: u32) {
        if bytes.is_power_of_two() {
            // SAFETY: live global and a power of two.
            unsafe { LLVMSetAlignment(self.ptr(), bytes) }
        }
    }

    /// Type, constness, thread-locality, alignment, section and the like of `from`: all but linkage
    /// and contents.
    pub fn copy_attributes_from(self, from: GlobalVariable<'ctx>) {
        // SAFETY: live globals.
        unsafe { crate::shim::scythe_llvm_copy_global_variable_attributes(self.ptr(), from.ptr()) }
    }

    /// Gives the variable a string attribute.
    pub fn add_attribute(self, name: &str, value: &str) {
        let (n, v) = (name.as_bytes(), value.as_bytes());
        // SAFETY: live global, and texts with their lengths, which LLVM copies.
        unsafe {
            crate::shim::scythe_llvm_add_global_variable_attribute(
                self.ptr(),
                n.as_ptr().cast(),
                n.len(),
                v.as_ptr().cast(),
                v.len(),
            )
        }
    }

    /// The value of the string attribute of this name.
    pub fn string_attribute(self, name: &str) -> Option<String> {
        let mut len = 0;
        // SAFETY: live global, and a text with its length; null without such an attribute.
        unsafe {
            let name = (name.as_ptr().cast(), name.len());
            let data = crate::shim::scythe_llvm_global_variable_attribute(
                self.ptr(),
                name.0,
                name.1,
                &mut len,
            );
            (!data.is_null()).then(|| crate::text::copy_string(data, len))
        }
    }

    /// Removes the variable from its module. Uses that remain become poison. The handle is dead
    /// afterwards.
    pub fn erase(self) {
        if self.has_uses() {
            self.replace_all_uses_with(self.ty().poison());
        }
        // SAFETY: live global without uses.
        unsafe { LLVMDeleteGlobal(self.ptr()) }
    }
}

/// An alias: another name for a global.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct GlobalAlias<'ctx>(pub(crate) Value<'ctx>);

impl<'ctx> Deref for GlobalAlias<'ctx> {
    type Target = Value<'ctx>;
    fn deref(&self) -> &Value<'ctx> {
        &self.0
    }
}

impl<'ctx> GlobalAlias<'ctx> {
    pub fn aliasee(self) -> Value<'ctx> {
        // SAFETY: live alias.
        unsafe { Value::from_raw(LLVMAliasGetAliasee(self.ptr())) }
    }

    /// Removes the alias from its module. Uses that remain become poison. The handle is dead
    /// afterwards.
    pub fn erase(self) {
        if self.has_uses() {
            self.replace_all_uses_with(self.ty().poison());
        }
        // SAFETY: live alias without uses.
        unsafe { crate::shim::scythe_llvm_erase_alias(self.ptr()) }
    }
}
