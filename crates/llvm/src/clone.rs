//! Cloning function bodies through a map from old to new values.

use crate::{Function, GlobalVariable, Metadata, Value, shim};
use std::marker::PhantomData;
use std::ptr::NonNull;

/// How far a clone is from its original; LLVM then knows which metadata to share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloneScope {
    /// Same module, and the map changes no globals.
    SameModule = 0,
    /// Same module, and the map changes globals.
    SameModuleNewGlobals = 1,
    /// Another module, whose list of compile units LLVM extends.
    OtherModule = 2,
    /// Another module, whose named metadata the caller copies through the same map.
    WholeModule = 3,
}

/// A map from old to new values and metadata.
pub struct ValueMap<'ctx> {
    raw: NonNull<shim::RawValueMap>,
    poison_missing: bool,
    life: PhantomData<&'ctx ()>,
}

impl Default for ValueMap<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'ctx> ValueMap<'ctx> {
    pub fn new() -> Self {
        // SAFETY: no precondition.
        let raw = unsafe { shim::scythe_llvm_value_map_new() };
        Self {
            raw: NonNull::new(raw).expect("C++ new does not give null"),
            poison_missing: false,
            life: PhantomData,
        }
    }

    /// A map in which a global that is not there becomes poison instead of itself. For clones into
    /// another module that leaves globals out: then only metadata can name one.
    pub fn poisoning_missing_globals() -> Self {
        let mut map = Self::new();
        map.poison_missing = true;
        map
    }

    pub fn insert(&mut self, from: Value<'ctx>, to: Value<'ctx>) {
        // SAFETY: live map and values.
        unsafe { shim::scythe_llvm_value_map_insert(self.raw.as_ptr(), from.ptr(), to.ptr()) }
    }

    /// Also finds the instructions and blocks of functions cloned through this map.
    pub fn get(&self, from: Value<'ctx>) -> Option<Value<'ctx>> {
        // SAFETY: live map and value; null when absent.
        unsafe {
            Value::from_nullable(shim::scythe_llvm_value_map_get(self.raw.as_ptr(), from.ptr()))
        }
    }

    /// The constant with everything in it replaced; `None` for what is no constant.
    pub fn map_constant(&mut self, constant: Value<'ctx>) -> Option<Value<'ctx>> {
        if !constant.is_constant() {
            return None;
        }
        // SAFETY: live map and constant.
        unsafe {
            Value::from_nullable(shim::scythe_llvm_map_constant(self.raw.as_ptr(), constant.ptr()))
        }
    }

    pub fn map_metadata(&mut self, metadata: Metadata<'ctx>) -> Option<Metadata<'ctx>> {
        // SAFETY: live map and metadata.
        unsafe {
            Metadata::from_nullable(shim::scythe_llvm_map_metadata(
                self.raw.as_ptr(),
                metadata.ptr(),
                self.poison_missing as i32,
            ))
        }
    }

    /// Clones the body, attributes and metadata of `from` into the declaration `to`. Every
    /// parameter of `from` must be in the map; `false`, and nothing happens, where one is not, or
    /// `to` has a body, or `from` has none.
    pub fn clone_function(
        &mut self,
        from: Function<'ctx>,
        to: Function<'ctx>,
        scope: CloneScope,
    ) -> bool {
        let mapped = from.params().into_iter().all(|p| self.get(p).is_some());
        if !mapped || from.is_declaration() || !to.is_declaration() {
            return false;
        }
        // SAFETY: two live functions, all parameters mapped, and `to` without blocks.
        unsafe {
            let poison = self.poison_missing as i32;
            shim::scythe_llvm_clone_function_into(
                to.ptr(),
                from.ptr(),
                self.raw.as_ptr(),
                scope as u32,
                poison,
            );
        }
        true
    }

    /// As [`ValueMap::clone_function`] into another module of the context, but the clone has the
    /// very metadata of `from`.
    pub fn clone_function_sharing_metadata(
        &mut self,
        from: Function<'ctx>,
        to: Function<'ctx>,
    ) -> bool {
        let mapped = from.params().into_iter().all(|p| self.get(p).is_some());
        if !mapped || from.is_declaration() || !to.is_declaration() {
            return false;
        }
        // SAFETY: two live functions, all parameters mapped, and `to` without blocks.
        unsafe {
            shim::scythe_llvm_clone_function_sharing_metadata(
                to.ptr(),
                from.ptr(),
                self.raw.as_ptr(),
            )
        }
        true
    }

    /// Copies metadata (debug information and the like) of a global variable, mapped.
    pub fn clone_variable_metadata(
        &mut self,
        from: GlobalVariable<'ctx>,
        to: GlobalVariable<'ctx>,
    ) {
        // SAFETY: live map and globals.
        unsafe {
            let poison = self.poison_missing as i32;
            shim::scythe_llvm_copy_global_metadata(to.ptr(), from.ptr(), self.raw.as_ptr(), poison);
        }
    }
}

impl Drop for ValueMap<'_> {
    fn drop(&mut self) {
        // SAFETY: ours; freed once.
        unsafe { shim::scythe_llvm_value_map_free(self.raw.as_ptr()) }
    }
}
