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

    /// Returns the type of the contents.
    pub fn value_type(self) -> Type<'ctx> {
        // SAFETY: the global is live.
        unsafe { Type::from_raw(LLVMGlobalGetValueType(self.ptr())) }
    }

    pub fn is_declaration(self) -> bool {
        // SAFETY: the global is live.
        unsafe { LLVMIsDeclaration(self.ptr()) != 0 }
    }

    pub fn initializer(self) -> Option<Value<'ctx>> {
        // SAFETY: the global is live. LLVM returns null if it has no initial value.
        unsafe { Value::from_nullable(LLVMGetInitializer(self.ptr())) }
    }

    /// Sets the initial value. `None` turns the variable into a declaration.
    pub fn set_initializer(self, value: Option<Value<'ctx>>) {
        // SAFETY: the global is live. The constant is null or live.
        unsafe { LLVMSetInitializer(self.ptr(), value.map_or(std::ptr::null_mut(), |v| v.ptr())) }
    }

    pub fn is_constant_global(self) -> bool {
        // SAFETY: the global is live.
        unsafe { LLVMIsGlobalConstant(self.ptr()) != 0 }
    }

    pub fn set_constant_global(self, constant: bool) {
        // SAFETY: the global is live.
        unsafe { LLVMSetGlobalConstant(self.ptr(), constant as i32) }
    }

    /// Returns whether code outside the module may change the value before code of the module runs.
    pub fn is_externally_initialized(self) -> bool {
        // SAFETY: the global is live.
        unsafe { LLVMIsExternallyInitialized(self.ptr()) != 0 }
    }

    /// Sets whether the value may differ from the initial value when code first runs, because code
    /// outside the module sets it.
    pub fn set_externally_initialized(self, value: bool) {
        // SAFETY: the global is live.
        unsafe { LLVMSetExternallyInitialized(self.ptr(), value as i32) }
    }

    pub fn address_space(self) -> u32 {
        self.ty().address_space().unwrap_or(0)
    }

    pub fn align(self) -> u32 {
        // SAFETY: the global is live.
        unsafe { LLVMGetAlignment(self.ptr()) }
    }

    /// Sets the alignment. Does nothing if `bytes` is not a power of two.
    pub fn set_align(self, bytes: u32) {
        if bytes.is_power_of_two() {
            // SAFETY: the global is live, and the alignment is a power of two.
            unsafe { LLVMSetAlignment(self.ptr(), bytes) }
        }
    }

    /// Copies thread-locality, alignment, section and similar attributes of `from`, but not linkage
    /// and contents.
    pub fn copy_attributes_from(self, from: GlobalVariable<'ctx>) {
        // SAFETY: the globals are live.
        unsafe { crate::shim::scythe_llvm_copy_global_variable_attributes(self.ptr(), from.ptr()) }
    }

    /// Adds a string attribute to the variable.
    pub fn add_attribute(self, name: &str, value: &str) {
        let (n, v) = (name.as_bytes(), value.as_bytes());
        // SAFETY: the global is live, and the strings have these lengths. LLVM copies them.
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

    /// Returns the value of the string attribute of this name.
    pub fn string_attribute(self, name: &str) -> Option<String> {
        let mut len = 0;
        // SAFETY: the global is live, and the string has this length. LLVM returns null if there is
        // no such attribute.
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

    /// Removes the variable from its module. Remaining uses become poison. The handle must not be
    /// used afterwards.
    pub fn erase(self) {
        if self.has_uses() {
            self.replace_all_uses_with(self.ty().poison());
        }
        // SAFETY: the global is live and has no uses.
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
        // SAFETY: the alias is live.
        unsafe { Value::from_raw(LLVMAliasGetAliasee(self.ptr())) }
    }

    /// Removes the alias from its module. Remaining uses become poison. The handle must not be used
    /// afterwards.
    pub fn erase(self) {
        if self.has_uses() {
            self.replace_all_uses_with(self.ty().poison());
        }
        // SAFETY: the alias is live and has no uses.
        unsafe { crate::shim::scythe_llvm_erase_alias(self.ptr()) }
    }
}
