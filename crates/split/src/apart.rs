//! Renames kernels that have the same name but different code in several units, so that each unit
//! keeps its own kernel.
//!
//! A kernel in a header is in every unit that includes the header, and one copy serves all of them.
//! But the copies may differ: in a function with internal linkage that the kernel calls, a
//! constant, a macro or an option. The link would keep one of the copies. Therefore such a kernel
//! gets the name `<name>.tu.<unit>` in all units but the first. The host code of a unit finds it by
//! this name.
//!
//! Kernels with different locations or definitions are not renamed: they are an error of the link.

use crate::errors::DamagedLaunchRows;
use crate::link::is_same_kernel;
use scythe_abi::launch::KernelLaunch;
use scythe_abi::names::TU_SEPARATOR;
use scythe_diag::{Diagnostic, Location, Report};
use scythe_llvm::{Function, GlobalGraph, Module};
use scythe_passes::launch_metadata;
use std::collections::HashMap;

/// Renames kernels whose code differs from the code of the first module with a kernel of the same
/// name. `units` are the identifiers of the modules. A module without identifier is not changed.
pub fn keep_apart(modules: &[Module<'_>], units: &[Option<u64>]) -> Result<(), Diagnostic> {
    let rows = modules.iter().map(launch_rows).collect::<Result<Vec<_>, _>>()?;
    let mut first: HashMap<&str, (usize, &KernelLaunch)> = HashMap::new();
    let mut texts = Texts::new(modules);
    let mut renamed = Vec::new();
    for (index, of_module) in rows.iter().enumerate() {
        for (symbol, launch) in of_module {
            let Some(&(other, known)) = first.get(symbol.as_str()) else {
                first.insert(symbol, (index, launch));
                continue;
            };
            let Some(unit) = units.get(index).copied().flatten() else { continue };
            if is_same_kernel(known, launch) && texts.of(index, symbol) != texts.of(other, symbol) {
                renamed.push((index, symbol.clone(), format!("{symbol}{TU_SEPARATOR}{unit:016x}")));
            }
        }
    }
    drop(texts);
    for (index, old, new) in renamed {
        let module = &modules[index];
        if let Some(kernel) = module.function(&old) {
            kernel.remove_comdat();
            kernel.set_name(&new);
        }
        let mut rows = launch_rows(module)?;
        rows.iter_mut()
            .filter(|(symbol, _)| *symbol == old)
            .for_each(|(symbol, _)| symbol.clone_from(&new));
        launch_metadata::write(module, &rows);
    }
    Ok(())
}

/// Reads the launch rows of a module.
fn launch_rows(module: &Module<'_>) -> Result<Vec<(String, KernelLaunch)>, Diagnostic> {
    launch_metadata::read(module).map_err(|error| {
        let damaged = DamagedLaunchRows { reason: error.to_string() };
        damaged.report().at(Location::file(module.name()))
    })
}

/// The code of kernels as text, computed once for each kernel.
struct Texts<'a, 'ctx> {
    modules: &'a [Module<'ctx>],
    graphs: HashMap<usize, GlobalGraph<'ctx>>,
    known: HashMap<(usize, String), String>,
}

impl<'a, 'ctx> Texts<'a, 'ctx> {
    fn new(modules: &'a [Module<'ctx>]) -> Self {
        Self { modules, graphs: HashMap::new(), known: HashMap::new() }
    }

    /// Returns the text of all code that the kernel reaches in its module. Equal texts mean equal
    /// code, but equal code may have different texts.
    fn of(&mut self, index: usize, symbol: &str) -> String {
        let key = (index, symbol.to_owned());
        if let Some(text) = self.known.get(&key) {
            return text.clone();
        }
        let module = &self.modules[index];
        let graph = self.graphs.entry(index).or_insert_with(|| GlobalGraph::new(module));
        let root = module.function(symbol).and_then(|kernel| graph.number(kernel.as_value()));
        let mut parts: Vec<String> = root
            .map(|root| graph.reachable(&[root]))
            .unwrap_or_default()
            .into_iter()
            .map(|number| {
                let global = graph.global(number);
                let used =
                    global.as_function().filter(|function| !function.is_declaration()).map(options);
                without_numbers(&global.to_string()) + &used.unwrap_or_default()
            })
            .collect();
        parts.sort_unstable();
        let text = parts.concat();
        self.known.insert(key, text.clone());
        text
    }
}

/// Returns the attributes for floating point, which are not part of the function's text: the text
/// has only the number of an attribute group.
fn options(function: Function<'_>) -> String {
    const NAMES: [&str; 4] =
        ["unsafe-fp-math", "no-signed-zeros-fp-math", "denormal-fp-math", "denormal-fp-math-f32"];
    let value = |name: &str| {
        function.string_attribute(scythe_llvm::Place::Function, name).unwrap_or_default()
    };
    NAMES.map(value).join(";")
}

/// Removes comments, and the numbers of metadata and attributes, which differ between modules.
fn without_numbers(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with(';'));
    let words = lines.flat_map(str::split_whitespace).filter(|word| !word.starts_with(['!', '#']));
    words.map(|word| word.trim_end_matches(',')).collect::<Vec<_>>().join(" ")
}
