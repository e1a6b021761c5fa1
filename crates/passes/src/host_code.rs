//! Removes functions that device code does not reach.
//!
//! clang compiles the functions that kernels and `SYCL_EXTERNAL` functions need. If such a function
//! refers to a `static` local variable of another function, clang also compiles that other function
//! and everything that it calls. That is host code, which no device can run. After this pass a
//! module that contained such a function contains only what entry points and `device_global`
//! variables need.
//!
//! Nothing refers to the function that brought host code in, unless clang has deleted it and only
//! the constructors of its variables are left. The pass therefore leaves modules without an
//! unreferenced function and without constructors alone. For them it costs one check per global.
//!
//! Devices run no constructors. A constructor of a variable that device code needs stays, so that
//! code generation reports it.

use scythe_abi::names::MODULE_ID_ATTRIBUTE;
use scythe_llvm::{Function, GlobalGraph, Module, Place};

use crate::device_globals::DeviceGlobal;
use crate::{Error, Pass};

const CONSTRUCTORS: [&str; 2] = ["llvm.global_ctors", "llvm.global_dtors"];

/// The pass `host-code`. See the module documentation.
pub struct HostCode;

impl Pass for HostCode {
    fn name(&self) -> &'static str {
        "host-code"
    }

    fn run(&self, module: &Module<'_>) -> Result<bool, Error> {
        let is_constructors = |name: &str| CONSTRUCTORS.contains(&name);
        let constructors: Vec<_> =
            module.globals().filter(|global| is_constructors(&global.name())).collect();
        let unreferenced = module.functions().any(|function| {
            !function.is_declaration() && !function.has_uses() && !is_root(function)
        });
        if constructors.is_empty() && !unreferenced {
            return Ok(false);
        }
        let graph = GlobalGraph::new(module);
        let entry_points =
            module.functions().filter(|function| is_root(*function)).map(Function::as_value);
        let variables: Vec<_> = DeviceGlobal::all(module)
            .into_iter()
            .map(|global| global.variable.as_value())
            .collect();
        // Lists that LLVM itself reads, except those of constructors.
        let is_list = |name: &str| name.starts_with("llvm.") && !is_constructors(name);
        let lists = module
            .globals()
            .filter(|global| is_list(&global.name()))
            .map(|global| global.as_value());
        let roots: Vec<u32> = entry_points
            .chain(variables.iter().copied())
            .chain(lists)
            .filter_map(|global| graph.number(global))
            .collect();
        let mut needed = vec![false; graph.len()];
        graph.reachable(&roots).iter().for_each(|&number| needed[number as usize] = true);
        let constructors: Vec<u32> =
            constructors.iter().filter_map(|list| graph.number(list.as_value())).collect();
        let constructed = graph.reachable(&constructors);
        let is_set = |number: u32| {
            let global = graph.global(number);
            let variable = global.as_global_variable();
            variable.is_some_and(|variable| !variable.is_constant_global())
                && !variables.contains(&global)
        };
        if constructed.iter().any(|&number| needed[number as usize] && is_set(number)) {
            constructed.iter().for_each(|&number| needed[number as usize] = true);
        }
        let host: Vec<_> = (0..)
            .zip(&needed)
            .filter(|(_, needed)| !**needed)
            .map(|(n, _)| graph.global(n))
            .collect();
        // Delete the contents first, so that no global uses another one when it is erased.
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

/// Returns whether the function is a kernel or a function that other translation units may call.
fn is_root(function: Function<'_>) -> bool {
    function.is_kernel()
        || function.string_attribute(Place::Function, MODULE_ID_ATTRIBUTE).is_some()
}
