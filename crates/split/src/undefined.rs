//! Reports symbols that entry points reach and that no module defines, unless other images provide
//! them.

use crate::errors::UndefinedDeviceSymbol;
use crate::group::{EntryKind, EntryPoint};
use crate::name::{kernel_name, symbol_name};
use crate::provided::is_provided;
use scythe_abi::launch::KernelLaunch;
use scythe_diag::{Diagnostic, Location, Report};
use scythe_llvm::{Function, GlobalGraph, Value};
use scythe_passes::device_globals::DeviceGlobal;
use std::collections::{HashMap, HashSet};

/// The number of kernels besides the first that an error names. Further kernels are only counted.
const MORE_KERNELS: usize = 3;

/// The symbols that may stay undefined because images of other programs or libraries define them.
#[derive(Clone, Debug, Default)]
pub enum Imports {
    #[default]
    None,
    /// These symbols.
    Of(HashSet<String>),
    /// Any symbol.
    Any,
}

impl Imports {
    fn allows(&self, symbol: &str) -> bool {
        match self {
            Self::None => false,
            Self::Of(symbols) => symbols.contains(symbol),
            Self::Any => true,
        }
    }
}

/// Whether the global is declared and not defined, and neither LLVM nor the device library nor the
/// back end provides it.
fn is_missing(global: Value<'_>) -> bool {
    let declared = global.as_function().is_some_and(Function::is_declaration)
        || global.as_global_variable().is_some_and(|variable| variable.is_declaration());
    // The runtime provides memory for variables that other modules define.
    let bound = || global.as_global_variable().and_then(DeviceGlobal::of).is_some();
    declared && !is_provided(&global.name()) && !bound()
}

/// Returns the globals that the entry points would have to import.
pub fn missing(graph: &GlobalGraph<'_>, entries: &[u32]) -> HashSet<u32> {
    graph
        .reachable(entries)
        .into_iter()
        .filter(|&number| is_missing(graph.global(number)))
        .collect()
}

/// Reports each symbol of `missing` that may not be imported, with the first entry point that needs
/// it, the calls that lead to it, and further entry points.
pub fn check<'ctx>(
    graph: &GlobalGraph<'ctx>,
    missing: &HashSet<u32>,
    entries: &[EntryPoint<'ctx>],
    rows: &HashMap<String, KernelLaunch>,
    imports: &Imports,
) -> Vec<Diagnostic> {
    let mut wanted: Vec<u32> = missing
        .iter()
        .copied()
        .filter(|&number| !imports.allows(&graph.global(number).name()))
        .collect();
    if wanted.is_empty() {
        return Vec::new();
    }
    let numbers: Vec<u32> = entries
        .iter()
        .map(|entry| graph.number(entry.function.as_value()).unwrap_or_default())
        .collect();
    let needed_by = users(graph);
    // Functions come before variables, as in the messages of compilers.
    wanted.sort_unstable_by_key(|&number| (graph.global(number).as_function().is_none(), number));
    wanted
        .into_iter()
        .filter_map(|symbol| describe(graph, symbol, entries, &numbers, &needed_by, rows))
        .collect()
}

/// Returns the direct users of each global.
pub fn users(graph: &GlobalGraph<'_>) -> Vec<Vec<u32>> {
    let mut users = vec![Vec::new(); graph.len()];
    for user in 0..graph.len() as u32 {
        graph.needs(user).iter().for_each(|&need| users[need as usize].push(user));
    }
    users
}

fn describe<'ctx>(
    graph: &GlobalGraph<'ctx>,
    symbol: u32,
    entries: &[EntryPoint<'ctx>],
    numbers: &[u32],
    needed_by: &[Vec<u32>],
    rows: &HashMap<String, KernelLaunch>,
) -> Option<Diagnostic> {
    let mut reaching = HashSet::from([symbol]);
    let mut work = vec![symbol];
    while let Some(number) = work.pop() {
        work.extend(needed_by[number as usize].iter().filter(|&&user| reaching.insert(user)));
    }
    let mut needing = entries.iter().zip(numbers).filter(|(_, number)| reaching.contains(number));
    let (first, &from) = needing.next()?;
    let called = |entry: &EntryPoint<'_>| match entry.kind {
        EntryKind::Kernel => format!("kernel '{}'", kernel_name(&entry.symbol)),
        EntryKind::Exported => format!("exported function '{}'", symbol_name(&entry.symbol)),
    };
    let name = |number: u32| symbol_name(&graph.global(number).name());
    let mut fault: Diagnostic =
        UndefinedDeviceSymbol { symbol: name(symbol), user: called(first) }.report();
    if let Some(launch) = rows.get(&first.symbol) {
        fault = fault.at(Location::new(&launch.file, launch.line, launch.column));
    }
    for step in graph.path(from, symbol).unwrap_or_default().windows(2).skip(1) {
        let how =
            if calls(graph.global(step[0]), graph.global(step[1])) { "called" } else { "used" };
        fault = fault.note(format!("'{}' is {how} by '{}'", name(step[1]), name(step[0])));
    }
    let others: Vec<_> = needing.map(|(entry, _)| called(entry)).collect();
    for other in others.iter().take(MORE_KERNELS) {
        fault = fault.note(format!("{other} also needs it"));
    }
    if others.len() > MORE_KERNELS {
        fault = fault.note(format!(
            "{} more kernels or exported functions also need it",
            others.len() - MORE_KERNELS
        ));
    }
    Some(fault)
}

fn calls<'ctx>(from: Value<'ctx>, to: Value<'ctx>) -> bool {
    from.as_function().is_some_and(|function| {
        function
            .instructions()
            .any(|instruction| instruction.called_function().is_some_and(|f| f.as_value() == to))
    })
}
