//! Modules.

use crate::context::MemoryBuffer;
use crate::text::{c_string, copy_string, take_message};
use crate::{
    ContextRef, Error, Function, GlobalAlias, GlobalVariable, Metadata, Type, Value, shim,
};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{analysis, bit_writer, debuginfo, linker};
use std::marker::PhantomData;
use std::ptr::{NonNull, null_mut};

/// A module that this value owns, or one that another owner disposes.
pub struct Module<'ctx> {
    raw: NonNull<llvm_sys::LLVMModule>,
    owned: bool,
    life: PhantomData<&'ctx ()>,
}

impl<'ctx> Module<'ctx> {
    /// # Safety
    /// `raw` must be a module that nothing else disposes, of a context that lives for `'ctx`.
    pub(crate) unsafe fn owned(raw: LLVMModuleRef) -> Self {
        Self {
            raw: NonNull::new(raw).expect("LLVM gives no null modules here"),
            owned: true,
            life: PhantomData,
        }
    }

    /// Wraps a module that clang or another owner disposes. Dropping the wrapper does not dispose
    /// the module. Returns `None` for a null pointer.
    ///
    /// # Safety
    /// `raw` must be null, or a module that lives for `'ctx` together with its context. Nothing
    /// else may use either of them during that time.
    pub unsafe fn borrowed(raw: LLVMModuleRef) -> Option<Self> {
        NonNull::new(raw).map(|raw| Self { raw, owned: false, life: PhantomData })
    }

    pub(crate) fn ptr(&self) -> LLVMModuleRef {
        self.raw.as_ptr()
    }

    /// Returns the raw module, for calls into C or C++ that this crate does not cover.
    pub fn as_raw(&self) -> LLVMModuleRef {
        self.ptr()
    }

    pub fn context(&self) -> ContextRef<'ctx> {
        // SAFETY: the module is live, and its context lives for `'ctx`.
        unsafe { ContextRef::from_raw(LLVMGetModuleContext(self.ptr())) }
    }

    /// Creates a copy in the same context.
    pub fn duplicate(&self) -> Module<'ctx> {
        // SAFETY: the module is live. The copy has no other owner.
        unsafe { Module::owned(LLVMCloneModule(self.ptr())) }
    }

    // --- Names and target ---

    pub fn name(&self) -> String {
        let mut len = 0;
        // SAFETY: the module is live.
        let data = unsafe { LLVMGetModuleIdentifier(self.ptr(), &mut len) };
        // SAFETY: LLVM returned a string and its length.
        unsafe { copy_string(data, len) }
    }

    pub fn set_name(&self, name: &str) {
        // SAFETY: the module is live. LLVM copies the name.
        unsafe { LLVMSetModuleIdentifier(self.ptr(), name.as_ptr().cast(), name.len()) }
    }

    pub fn source_file(&self) -> String {
        let mut len = 0;
        // SAFETY: the module is live.
        let data = unsafe { LLVMGetSourceFileName(self.ptr(), &mut len) };
        // SAFETY: LLVM returned a string and its length.
        unsafe { copy_string(data, len) }
    }

    pub fn set_source_file(&self, name: &str) {
        // SAFETY: the module is live. LLVM copies the name.
        unsafe { LLVMSetSourceFileName(self.ptr(), name.as_ptr().cast(), name.len()) }
    }

    pub fn triple(&self) -> String {
        // SAFETY: the module is live. LLVM returns a C string that lives until the triple changes.
        unsafe {
            let text = LLVMGetTarget(self.ptr());
            copy_string(text, libc::strlen(text))
        }
    }

    pub fn set_triple(&self, triple: &str) {
        let triple = c_string(triple);
        // SAFETY: the module is live. LLVM copies the text.
        unsafe { LLVMSetTarget(self.ptr(), triple.as_ptr()) }
    }

    pub fn data_layout(&self) -> String {
        // SAFETY: the module is live. LLVM returns a C string that lives until the layout changes.
        unsafe {
            let text = LLVMGetDataLayoutStr(self.ptr());
            copy_string(text, libc::strlen(text))
        }
    }

    /// Sets the data layout. `layout` must come from [`Module::data_layout`] or a target machine:
    /// LLVM ends the process if it is malformed.
    pub fn set_data_layout(&self, layout: &str) {
        let layout = c_string(layout);
        // SAFETY: the module is live. LLVM copies the text.
        unsafe { LLVMSetDataLayout(self.ptr(), layout.as_ptr()) }
    }

    // --- Functions and globals ---

    pub fn functions(&self) -> impl Iterator<Item = Function<'ctx>> + use<'ctx> {
        // SAFETY: the module is live. LLVM returns null for an empty list.
        let first = unsafe { Value::from_nullable(LLVMGetFirstFunction(self.ptr())) };
        // SAFETY: the function is live. LLVM returns null after the last one.
        std::iter::successors(first, |f| unsafe {
            Value::from_nullable(LLVMGetNextFunction(f.ptr()))
        })
        .map(Function)
    }

    /// Returns the kernels that the module defines, in the module's order.
    pub fn kernels(&self) -> Vec<Function<'ctx>> {
        self.functions().filter(|f| f.is_kernel()).collect()
    }

    pub fn function(&self, name: &str) -> Option<Function<'ctx>> {
        // SAFETY: the module is live, and the string has this length. LLVM returns null if there is
        // no such symbol.
        unsafe {
            Value::from_nullable(LLVMGetNamedFunctionWithLength(
                self.ptr(),
                name.as_ptr().cast(),
                name.len(),
            ))
            .map(Function)
        }
    }

    /// Adds a declaration. LLVM adds a suffix if the name is taken.
    pub fn add_function(&self, name: &str, ty: Type<'ctx>) -> Function<'ctx> {
        let name = c_string(name);
        // SAFETY: the module is live, and `ty` is a function type (see the crate documentation).
        // LLVM copies the name.
        Function(unsafe { Value::from_raw(LLVMAddFunction(self.ptr(), name.as_ptr(), ty.ptr())) })
    }

    /// Returns the function of this name, or declares it with `ty`. An existing function may have
    /// another type.
    pub fn get_or_add_function(&self, name: &str, ty: Type<'ctx>) -> Function<'ctx> {
        self.function(name).unwrap_or_else(|| self.add_function(name, ty))
    }

    /// Returns the declaration of an intrinsic such as `llvm.memcpy` for these overloaded types, or
    /// `None` for an unknown name.
    pub fn intrinsic(&self, name: &str, types: &[Type<'ctx>]) -> Option<Function<'ctx>> {
        let mut raw: Vec<_> = types.iter().map(|t| t.ptr()).collect();
        // SAFETY: the string has this length, and the module and the types are live. LLVM copies
        // the list.
        unsafe {
            let id = LLVMLookupIntrinsicID(name.as_ptr().cast(), name.len());
            if id == 0 {
                return None;
            }
            let declaration =
                LLVMGetIntrinsicDeclaration(self.ptr(), id, raw.as_mut_ptr(), raw.len());
            Value::from_nullable(declaration).map(Function)
        }
    }

    pub fn globals(&self) -> impl Iterator<Item = GlobalVariable<'ctx>> + use<'ctx> {
        // SAFETY: the module is live. LLVM returns null for an empty list.
        let first = unsafe { Value::from_nullable(LLVMGetFirstGlobal(self.ptr())) };
        // SAFETY: the global is live. LLVM returns null after the last one.
        std::iter::successors(first, |g| unsafe {
            Value::from_nullable(LLVMGetNextGlobal(g.ptr()))
        })
        .map(GlobalVariable)
    }

    pub fn global(&self, name: &str) -> Option<GlobalVariable<'ctx>> {
        // SAFETY: the module is live, and the string has this length. LLVM returns null if there is
        // no such symbol.
        unsafe {
            Value::from_nullable(LLVMGetNamedGlobalWithLength(
                self.ptr(),
                name.as_ptr().cast(),
                name.len(),
            ))
            .map(GlobalVariable)
        }
    }

    pub fn add_global(
        &self,
        name: &str,
        ty: Type<'ctx>,
        address_space: u32,
    ) -> GlobalVariable<'ctx> {
        let name = c_string(name);
        // SAFETY: the module and the type are live. LLVM copies the name.
        GlobalVariable(unsafe {
            Value::from_raw(LLVMAddGlobalInAddressSpace(
                self.ptr(),
                ty.ptr(),
                name.as_ptr(),
                address_space,
            ))
        })
    }

    pub fn aliases(&self) -> impl Iterator<Item = GlobalAlias<'ctx>> + use<'ctx> {
        // SAFETY: the module is live. LLVM returns null for an empty list.
        let first = unsafe { Value::from_nullable(LLVMGetFirstGlobalAlias(self.ptr())) };
        // SAFETY: the alias is live. LLVM returns null after the last one.
        std::iter::successors(first, |g| unsafe {
            Value::from_nullable(LLVMGetNextGlobalAlias(g.ptr()))
        })
        .map(GlobalAlias)
    }

    /// Makes the optimiser keep these globals, even if nothing in the module refers to them.
    pub fn add_to_compiler_used(&self, globals: &[Value<'ctx>]) {
        let mut raw: Vec<_> = globals.iter().filter(|g| is_global(**g)).map(|g| g.ptr()).collect();
        if !raw.is_empty() {
            // SAFETY: the module and the globals are live. LLVM copies the list.
            unsafe {
                shim::scythe_llvm_append_to_compiler_used(self.ptr(), raw.as_mut_ptr(), raw.len())
            }
        }
    }

    /// Makes the optimiser and linkers keep these globals, even if nothing in the module refers to
    /// them.
    pub fn add_to_used(&self, globals: &[Value<'ctx>]) {
        let mut raw: Vec<_> = globals.iter().filter(|g| is_global(**g)).map(|g| g.ptr()).collect();
        if !raw.is_empty() {
            // SAFETY: the module and the globals are live. LLVM copies the list.
            unsafe { shim::scythe_llvm_append_to_used(self.ptr(), raw.as_mut_ptr(), raw.len()) }
        }
    }

    /// Registers `enter` to run when the program or library of this module is loaded, and `leave`
    /// to run when it is unloaded. Neither function has parameters or a result. Functions with
    /// lower priorities enter earlier and leave later. Priorities up to 100 are reserved for the
    /// system.
    pub fn add_to_loading(&self, enter: Function<'ctx>, leave: Function<'ctx>, priority: u16) {
        // SAFETY: the module is live, and the functions belong to it. LLVM builds a new list.
        unsafe {
            shim::scythe_llvm_append_to_global_ctors(self.ptr(), enter.ptr(), priority.into());
            shim::scythe_llvm_append_to_global_dtors(self.ptr(), leave.ptr(), priority.into());
        }
    }

    /// Returns whether the module has ifuncs: functions that a resolver selects when a program is
    /// loaded.
    pub fn has_indirect_functions(&self) -> bool {
        // SAFETY: the module is live.
        unsafe { shim::scythe_llvm_has_indirect_functions(self.ptr()) != 0 }
    }

    // --- Named metadata ---

    pub fn named_metadata_names(&self) -> Vec<String> {
        let mut out = Vec::new();
        // SAFETY: the module is live. LLVM returns null for an empty list.
        let mut next = unsafe { LLVMGetFirstNamedMetadata(self.ptr()) };
        while !next.is_null() {
            let mut len = 0;
            // SAFETY: the named metadata is live. LLVM returns its name with the length, and its
            // successor or null.
            unsafe {
                let data = LLVMGetNamedMetadataName(next, &mut len);
                out.push(copy_string(data, len));
                next = LLVMGetNextNamedMetadata(next);
            }
        }
        out
    }

    /// Returns the nodes of a named metadata. The list is empty if there is none of this name.
    pub fn named_metadata(&self, name: &str) -> Vec<Metadata<'ctx>> {
        // SAFETY: the module is live, and the string has this length. LLVM returns null if there is
        // no such metadata. The indices are in range.
        unsafe {
            let node = LLVMGetNamedMetadata(self.ptr(), name.as_ptr().cast(), name.len());
            if node.is_null() {
                return Vec::new();
            }
            let count = shim::scythe_llvm_named_metadata_count(node);
            (0..count)
                .map(|i| Metadata::from_raw(shim::scythe_llvm_named_metadata_operand(node, i)))
                .collect()
        }
    }

    /// Appends a node. Does nothing if `node` is not a node.
    pub fn add_named_metadata(&self, name: &str, node: Metadata<'ctx>) {
        if node.is_node() {
            // SAFETY: the module and the node are live, and the string has this length.
            unsafe {
                let named =
                    LLVMGetOrInsertNamedMetadata(self.ptr(), name.as_ptr().cast(), name.len());
                shim::scythe_llvm_named_metadata_add(named, node.ptr());
            }
        }
    }

    pub fn erase_named_metadata(&self, name: &str) {
        // SAFETY: the module is live, and the string has this length.
        unsafe {
            shim::scythe_llvm_erase_named_metadata(self.ptr(), name.as_ptr().cast(), name.len())
        }
    }

    /// Replaces all nodes of a named metadata. An empty list removes it.
    pub fn set_named_metadata(&self, name: &str, nodes: &[Metadata<'ctx>]) {
        self.erase_named_metadata(name);
        for node in nodes {
            self.add_named_metadata(name, *node);
        }
    }

    // --- Whole-module actions ---

    /// Links `other` into this module.
    pub fn link(&self, other: Module<'ctx>) -> Result<(), Error> {
        let source_module = other.name();
        let fail = |message: String| Error::Link {
            destination: self.name(),
            source_module: source_module.clone(),
            message,
        };
        if self.context() != other.context() {
            return Err(fail("the modules belong to different contexts".into()));
        }
        if !other.owned {
            return Err(fail("the module is borrowed, and linking would destroy it".into()));
        }
        let raw = other.ptr();
        std::mem::forget(other);
        let (failed, errors) = self.context().capture_errors(|| {
            // SAFETY: both modules are live and have the same context. LLVM destroys the second
            // one, which this function owns and has forgotten.
            unsafe { linker::LLVMLinkModules2(self.ptr(), raw) != 0 }
        });
        if failed { Err(fail(errors)) } else { Ok(()) }
    }

    /// Verifies the IR. The error describes the violations.
    pub fn verify(&self) -> Result<(), Error> {
        let mut message = null_mut();
        let action = analysis::LLVMVerifierFailureAction::LLVMReturnStatusAction;
        // SAFETY: the module is live. This function disposes the message, if there is one.
        let (failed, message) = unsafe {
            let failed = analysis::LLVMVerifyModule(self.ptr(), action, &mut message) != 0;
            (failed, take_message(message))
        };
        if failed {
            Err(Error::Verify { module: self.name(), message: message.trim_end().into() })
        } else {
            Ok(())
        }
    }

    pub fn to_bitcode(&self) -> Vec<u8> {
        // SAFETY: the module is live. The buffer has no other owner.
        unsafe { MemoryBuffer::from_raw(bit_writer::LLVMWriteBitcodeToMemoryBuffer(self.ptr())) }
            .to_vec()
    }

    /// Removes all debug information.
    pub fn strip_debug_info(&self) {
        // SAFETY: the module is live.
        unsafe { debuginfo::LLVMStripModuleDebugInfo(self.ptr()) };
    }
}

pub(crate) fn is_global(value: Value<'_>) -> bool {
    value.as_function().is_some()
        || value.as_global_variable().is_some()
        || value.as_global_alias().is_some()
}

/// The module's textual IR.
impl std::fmt::Display for Module<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // SAFETY: the module is live. `take_message` disposes the text.
        f.write_str(&unsafe { take_message(LLVMPrintModuleToString(self.ptr())) })
    }
}

impl std::fmt::Debug for Module<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Module({:?})", self.name())
    }
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        if self.owned {
            // SAFETY: `self` owns the object, and `drop` runs once.
            unsafe { LLVMDisposeModule(self.ptr()) }
        }
    }
}
