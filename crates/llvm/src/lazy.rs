//! Bitcode whose function bodies are read when they are needed.
//!
//! Guarantees: [`LazyModule::reached_from`] reads the bodies that a function reaches and no others,
//! so its time depends on the size of these functions and the number of globals of the module.
//! Linking a [`LazyModule`] reads the bodies that the link needs. Bitcode that cannot be read is an
//! error with the name of the module.

use crate::context::MemoryBuffer;
use crate::text::take_message;
use crate::{Context, Error, Function, Linkage, Module, Value};
use llvm_sys::prelude::*;
use std::collections::HashSet;
use std::ffi::c_char;
use std::ptr::null_mut;

// The contract of both functions: the handle is live.
unsafe extern "C" {
    fn scythe_llvm_materialize(function: LLVMValueRef) -> *mut c_char;
    fn scythe_llvm_materialize_all(module: LLVMModuleRef) -> *mut c_char;
}

/// A module with function bodies that have not been read. They count as definitions.
pub struct LazyModule<'ctx>(Module<'ctx>);

impl Context {
    /// Reads the globals of bitcode. `name` becomes the module's identifier and appears in errors.
    pub fn parse_bitcode_lazily(&self, bytes: &[u8], name: &str) -> Result<LazyModule<'_>, Error> {
        let buffer = MemoryBuffer::copy(bytes, name);
        let mut module = null_mut();
        let (failed, errors) = self.handle().capture_errors(|| {
            // SAFETY: the context and the buffer are live. `module` receives a module on success.
            unsafe {
                llvm_sys::bit_reader::LLVMGetBitcodeModuleInContext2(
                    self.handle().ptr(),
                    buffer.0,
                    &mut module,
                ) != 0
            }
        });
        if failed || module.is_null() {
            let message = if errors.is_empty() { "not LLVM bitcode".into() } else { errors };
            return Err(Error::Parse { what: "bitcode", name: name.into(), message });
        }
        // The module owns the buffer.
        std::mem::forget(buffer);
        // SAFETY: the module is new, belongs to this context and has no other owner.
        let module = unsafe { Module::owned(module) };
        module.set_name(name);
        Ok(LazyModule(module))
    }
}

impl<'ctx> From<Module<'ctx>> for LazyModule<'ctx> {
    fn from(module: Module<'ctx>) -> Self {
        Self(module)
    }
}

impl<'ctx> LazyModule<'ctx> {
    /// Returns whether the module defines a kernel of this name.
    pub fn has_kernel(&self, name: &str) -> bool {
        self.0.function(name).is_some_and(Function::is_kernel)
    }

    /// Returns the module. Its functions have no blocks until [`Module::link`] reads them.
    pub fn into_source(self) -> Module<'ctx> {
        self.0
    }

    /// Reads the function `root` and all that it reaches, and removes the rest of the module.
    /// Aliases stay. Returns `None` if the module defines no function of this name.
    pub fn reached_from(self, root: &str) -> Result<Option<Module<'ctx>>, Error> {
        let module = self.0;
        let Some(root) = module.function(root).filter(|function| !function.is_declaration()) else {
            return Ok(None);
        };
        let reached = reach(&module, root)?;
        for function in module.functions().filter(|function| !function.is_declaration()) {
            if !reached.contains(&function.as_value()) {
                function.delete_body();
            }
        }
        // SAFETY: the module is live. The result is a message or null.
        check(&module, unsafe { scythe_llvm_materialize_all(module.ptr()) })?;
        for variable in module.globals().filter(|variable| !variable.is_declaration()) {
            if !reached.contains(&variable.as_value()) {
                // Other variables that are not reached may refer to it.
                variable.remove_comdat();
                variable.set_linkage(Linkage::LLVMInternalLinkage);
            }
        }
        Ok(Some(module))
    }
}

/// Returns `root`, the aliases, and everything that they reach. Reads the functions among them.
fn reach<'ctx>(module: &Module<'ctx>, root: Function<'ctx>) -> Result<HashSet<Value<'ctx>>, Error> {
    let mut reached = HashSet::new();
    let mut work = vec![root.as_value()];
    work.extend(module.aliases().map(|alias| *alias));
    while let Some(value) = work.pop() {
        if !value.is_constant() || !reached.insert(value) {
            continue;
        }
        if let Some(function) = value.as_function() {
            if !function.is_intrinsic() {
                // SAFETY: the function is live. The result is a message or null.
                check(module, unsafe { scythe_llvm_materialize(function.ptr()) })?;
            }
            for instruction in function.instructions() {
                work.extend(instruction.operands().filter(|operand| operand.is_constant()));
            }
        }
        if let Some(variable) = value.as_global_variable() {
            work.extend(variable.initializer());
        } else {
            work.extend(value.operands());
        }
    }
    Ok(reached)
}

/// Returns the error that the shim reported.
///
/// `message` is null or a message that nothing else disposes.
fn check(module: &Module<'_>, message: *mut c_char) -> Result<(), Error> {
    if message.is_null() {
        return Ok(());
    }
    // SAFETY: the callers pass messages of the shim, which nothing else disposes.
    let message = unsafe { take_message(message) };
    Err(Error::Parse { what: "bitcode", name: module.name(), message })
}
