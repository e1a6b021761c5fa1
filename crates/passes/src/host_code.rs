//! Removes functions that no device code reaches.
//!
//! clang compiles what kernels and `SYCL_EXTERNAL` functions need. A variable that is `static`
//! inside a function brings that function along, and all that it calls: host code, which no device
//! can run. After this pass a module that held such a function holds what entry points and
//! `device_global` variables need, and nothing else.
//!
//! Whoever brought host code along is a function that nothing refers to. Modules without one are
//! left alone, at the cost of a look at each function.

use scythe_abi::names::MODULE_ID_ATTRIBUTE;
use scythe_llvm::{Function, GlobalGraph, Module, Place};

use crate::device_globals::DeviceGlobal;
use crate::{Error, Pass};

const CONSTRUCTORS: [&str; 2] = ["llvm.global_ctors", "llvm.global_dtors"];

/// See the file's head.
pub struct HostCode;

impl Pass for HostCode {
    fn name(&self) -> &'static str {
        "host-code"
    }

    fn run(&self, module: &Module<'_>) -> Result<bool, Error> {
        if !module.functions().any(|function| {
            !function.is_declaration() && !function.has_uses() && !is_root(function)
        }) {
            return Ok(false);
        }
        let graph = GlobalGraph::new(module);
        let entry_points =
            module.functions().filter(|function| is_root(*function)).map(Function::as_value);
        let variables =
            DeviceGlobal::all(module).into_iter().map(|global| global.variable.as_value());
        // Lists that LLVM itself reads. Nothing runs constructors on a device: those that are
        // listed are the host's.
        let is_list = |name: &str| name.starts_with("llvm.") && !CONSTRUCTORS.contains(&name);
        let lists = module
            .globals()
            .filter(|global| is_list(&global.name()))
            .map(|global| global.as_value());
        let roots: Vec<u32> = entry_points
            .chain(variables)
            .chain(lists)
            .filter_map(|global| graph.number(global))
            .collect();
        let mut needed = vec![false; graph.len()];
        graph.reachable(&roots).iter().for_each(|&number| needed[number as usize] = true);
        let host: Vec<_> = (0..)
            .zip(&needed)
            .filter(|(_, needed)| !**needed)
            .map(|(n, _)| graph.global(n))
            .collect();
        // First what they say, so that none is used by another.
        for global in &host {
            if let Some(function) =
                global.as_function().filter(|function| !function.is_declaration())
            {
                function.delete_body();
            } else if let Some(variable) = global.as_global_variable() {
                variable.set_initializer(None);
            }
        }
        for global in &host {
            if let Some(function) = global.as_function() {
                function.erase();
            } else if let Some(variable) = global.as_global_variable() {
                variable.erase();
            } else if let Some(alias) = global.as_global_alias() {
                alias.erase();
            }
        }
        Ok(true)
    }
}

/// Kernels, and functions that other translation units may call.
fn is_root(function: Function<'_>) -> bool {
    function.is_kernel()
        || function.string_attribute(Place::Function, MODULE_ID_ATTRIBUTE).is_some()
}
