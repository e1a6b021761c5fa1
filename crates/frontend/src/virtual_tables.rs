//! Removes virtual tables that no device code uses, and the functions that only they name.
//!
//! Clang emits the virtual table of a class with its key function, and then all virtual functions
//! of the class, also in the device pass. These functions are host code. They may contain a
//! `throw`, for which clang writes bitcode that LLVM cannot read.

use std::collections::HashSet;

use scythe_llvm::{GlobalGraph, Linkage, Module, PassOptions, run_passes};

use crate::annotate::UnitNotes;

/// Itanium's prefixes of virtual tables, construction virtual tables and tables of tables.
const PREFIXES: [&str; 3] = ["_ZTV", "_ZTC", "_ZTT"];

pub fn remove(module: &Module, notes: &UnitNotes) -> Result<(), scythe_llvm::Error> {
    let is_table = |name: &str| PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    let tables: Vec<_> =
        module.globals().filter(|variable| is_table(&variable.as_value().name())).collect();
    if tables.is_empty() {
        return Ok(());
    }
    let graph = GlobalGraph::new(module);
    let tables: Vec<u32> =
        tables.iter().filter_map(|table| graph.number(table.as_value())).collect();
    let mut named: HashSet<u32> = graph.reachable(&tables).into_iter().collect();
    // A destructor may have two names. The tables contain one of them.
    let all = 0..graph.len() as u32;
    let aliases = all.clone().filter(|&number| graph.global(number).as_global_alias().is_some());
    let aliases: Vec<u32> = aliases
        .filter(|&alias| graph.needs(alias).iter().any(|need| named.contains(need)))
        .collect();
    named.extend(aliases);
    let kernels = notes.kernels.iter().map(|kernel| &kernel.symbol);
    let exported = notes.functions.iter().filter(|function| function.exported);
    let roots = kernels.chain(exported.flat_map(|function| &function.symbols));
    let roots = roots.filter_map(|symbol| graph.number(module.function(symbol)?.as_value()));
    let others = all.filter(|number| !named.contains(number));
    let live: HashSet<u32> =
        graph.reachable(&roots.chain(others).collect::<Vec<u32>>()).into_iter().collect();
    for &number in named.difference(&live) {
        let global = graph.global(number);
        if let Some(function) = global.as_function().filter(|function| !function.is_declaration()) {
            function.remove_comdat();
            function.set_linkage(Linkage::LLVMInternalLinkage);
        } else if let Some(variable) = global.as_global_variable()
            && variable.initializer().is_some()
        {
            variable.remove_comdat();
            variable.set_linkage(Linkage::LLVMInternalLinkage);
        } else if let Some(alias) = global.as_global_alias() {
            alias.erase();
        }
    }
    run_passes(module, "globaldce", None, PassOptions::default())
}
