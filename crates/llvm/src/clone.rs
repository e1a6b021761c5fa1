//! Clones function bodies through a map from old to new values.

use crate::{Function, GlobalVariable, Metadata, Value, shim};
use std::marker::PhantomData;
use std::ptr::NonNull;

/// The relation between a clone and its original. It tells LLVM which metadata to share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloneScope {
    /// The same module. The map does not change globals.
    SameModule = 0,
    /// The same module. The map changes globals.
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
        // SAFETY: the function has no preconditions.
        let raw = unsafe { shim::scythe_llvm_value_map_new() };
        Self {
            raw: NonNull::new(raw).expect("C++ new does not give null"),
            poison_missing: false,
            life: PhantomData,
        }
    }

    /// Creates a map in which a missing global becomes poison instead of itself. It is for clones
    /// into another module that omit globals: then only metadata can refer to a missing global.
    pub fn poisoning_missing_globals() -> Self {
        let mut map = Self::new();
        map.poison_missing = true;
        map
    }

    pub fn insert(&mut self, from: Value<'ctx>, to: Value<'ctx>) {
        // SAFETY: the map and the values are live.
        unsafe { shim::scythe_llvm_value_map_insert(self.raw.as_ptr(), from.ptr(), to.ptr()) }
    }

    /// Returns the mapped value. Also finds the instructions and blocks of functions cloned through
    /// this map.
    pub fn get(&self, from: Value<'ctx>) -> Option<Value<'ctx>> {
        // SAFETY: the map and the value are live. The shim returns null if the map has no entry.
        unsafe {
            Value::from_nullable(shim::scythe_llvm_value_map_get(self.raw.as_ptr(), from.ptr()))
        }
    }

    /// Returns the constant with all mapped values replaced, or `None` if the value is not a
    /// constant.
    pub fn map_constant(&mut self, constant: Value<'ctx>) -> Option<Value<'ctx>> {
        if !constant.is_constant() {
            return None;
        }
        // SAFETY: the map and the constant are live.
        unsafe {
            Value::from_nullable(shim::scythe_llvm_map_constant(self.raw.as_ptr(), constant.ptr()))
        }
    }

    pub fn map_metadata(&mut self, metadata: Metadata<'ctx>) -> Option<Metadata<'ctx>> {
        // SAFETY: the map and the metadata are live.
        unsafe {
            Metadata::from_nullable(shim::scythe_llvm_map_metadata(
                self.raw.as_ptr(),
                metadata.ptr(),
                self.poison_missing as i32,
            ))
        }
    }

    /// Clones the body, attributes and metadata of `from` into the declaration `to`. Every
    /// parameter of `from` must be in the map. Returns `false` and does nothing if one is missing,
    /// if `to` has a body, or if `from` has none.
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
        // SAFETY: both functions are live, the map has all parameters, and `to` has no blocks.
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

    /// Clones like [`ValueMap::clone_function`] into another module of the context, but the clone
    /// uses the metadata nodes of `from` itself.
    pub fn clone_function_sharing_metadata(
        &mut self,
        from: Function<'ctx>,
        to: Function<'ctx>,
    ) -> bool {
        let mapped = from.params().into_iter().all(|p| self.get(p).is_some());
        if !mapped || from.is_declaration() || !to.is_declaration() {
            return false;
        }
        // SAFETY: both functions are live, the map has all parameters, and `to` has no blocks.
        unsafe {
            shim::scythe_llvm_clone_function_sharing_metadata(
                to.ptr(),
                from.ptr(),
                self.raw.as_ptr(),
            )
        }
        true
    }

    /// Copies the metadata of a global variable, such as debug information, through the map.
    pub fn clone_variable_metadata(
        &mut self,
        from: GlobalVariable<'ctx>,
        to: GlobalVariable<'ctx>,
    ) {
        // SAFETY: the map and the globals are live.
        unsafe {
            let poison = self.poison_missing as i32;
            shim::scythe_llvm_copy_global_metadata(to.ptr(), from.ptr(), self.raw.as_ptr(), poison);
        }
    }
}

impl Drop for ValueMap<'_> {
    fn drop(&mut self) {
        // SAFETY: `self` owns the map, and `drop` runs once.
        unsafe { shim::scythe_llvm_value_map_free(self.raw.as_ptr()) }
    }
}
