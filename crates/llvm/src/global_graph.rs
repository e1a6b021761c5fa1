//! The dependencies between the globals of a module (variables, functions, aliases), found in one
//! walk over the module.
//!
//! Globals are numbered: variables first, then functions, then aliases, each in the module's order.
//! All results are in that order, so that outputs are reproducible. The cost of a query depends on
//! the size of its result, not on the size of the module. A module can therefore be split into any
//! number of parts in time that is linear in their sizes.

use crate::module::is_global;
use crate::{Function, GlobalVariable, Metadata, Module, Value, shim};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::c_void;

/// The lists of globals that are kept even though nothing refers to them.
pub(crate) const USED: &str = "llvm.used";
pub(crate) const COMPILER_USED: &str = "llvm.compiler.used";

/// A module's globals and their dependencies at the time when the graph was built.
pub struct GlobalGraph<'ctx> {
    globals: Vec<Value<'ctx>>,
    number: HashMap<Value<'ctx>, u32>,
    /// The dependencies of global `n` are `needs[starts[n]..starts[n + 1]]`, ascending.
    starts: Vec<usize>,
    needs: Vec<u32>,
    /// The compile units of each global's debug information.
    units: Vec<Vec<Metadata<'ctx>>>,
    used: Vec<bool>,
    compiler_used: Vec<bool>,
    metadata_names_globals: bool,
    marks: RefCell<Marks>,
}

/// The number of the last walk that visited each global. It saves clearing a list as long as the
/// module for each walk.
struct Marks {
    walk: u32,
    met: Vec<u32>,
}

impl<'ctx> GlobalGraph<'ctx> {
    pub fn new(module: &Module<'ctx>) -> Self {
        let variables = module.globals().map(GlobalVariable::as_value);
        let functions = module.functions().map(Function::as_value);
        let globals: Vec<Value<'ctx>> =
            variables.chain(functions).chain(module.aliases().map(|alias| *alias)).collect();
        let number: HashMap<_, _> =
            (0..).zip(&globals).map(|(number, global)| (*global, number)).collect();
        let mut graph = Self {
            starts: vec![0],
            needs: Vec::new(),
            units: globals.iter().map(|global| units(*global)).collect(),
            used: vec![false; globals.len()],
            compiler_used: vec![false; globals.len()],
            // SAFETY: the module is live.
            metadata_names_globals: unsafe {
                shim::scythe_llvm_metadata_names_globals(module.ptr()) != 0
            },
            marks: RefCell::new(Marks { walk: 0, met: vec![0; globals.len()] }),
            globals,
            number,
        };
        for index in 0..graph.globals.len() {
            let found = graph.direct_needs(graph.globals[index]);
            graph.needs.extend(found);
            graph.starts.push(graph.needs.len());
        }
        graph.used = graph.listed(module, USED);
        graph.compiler_used = graph.listed(module, COMPILER_USED);
        graph
    }

    /// Returns the globals that `global` refers to in its body or initial value, or as an aliasee.
    fn direct_needs(&self, global: Value<'ctx>) -> Vec<u32> {
        let mut found = Vec::new();
        let mut constants = Vec::new();
        let mut seen = std::collections::HashSet::new();
        let mut meet = |value: Value<'ctx>, constants: &mut Vec<Value<'ctx>>| {
            if let Some(number) = self.number.get(&value) {
                found.push(*number);
            } else if value.is_constant() && value.operand_count() > 0 && seen.insert(value) {
                constants.push(value);
            }
        };
        if let Some(function) = global.as_function() {
            for instruction in function.instructions() {
                instruction.operands().for_each(|operand| meet(operand, &mut constants));
            }
            // Operands of the function itself: personality, prefix and prologue data.
            function.operands().for_each(|operand| meet(operand, &mut constants));
        }
        let contents = global.as_global_variable().and_then(|variable| variable.initializer());
        let named = global.as_global_alias().map(|alias| alias.aliasee());
        contents.into_iter().chain(named).for_each(|value| meet(value, &mut constants));
        while let Some(constant) = constants.pop() {
            constant.operands().for_each(|operand| meet(operand, &mut constants));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Returns, for each global, whether the list of this name contains it.
    fn listed(&self, module: &Module<'ctx>, list: &str) -> Vec<bool> {
        let mut members = vec![false; self.globals.len()];
        if let Some(number) = module.global(list).and_then(|list| self.number(list.as_value())) {
            self.needs(number).iter().for_each(|&member| members[member as usize] = true);
        }
        members
    }

    /// Returns the number of globals.
    pub fn len(&self) -> usize {
        self.globals.len()
    }

    pub fn is_empty(&self) -> bool {
        self.globals.is_empty()
    }

    /// Returns the global with this number, which must come from this graph.
    pub fn global(&self, number: u32) -> Value<'ctx> {
        self.globals[number as usize]
    }

    pub fn number(&self, global: Value<'ctx>) -> Option<u32> {
        self.number.get(&global).copied()
    }

    /// Returns the globals that a global refers to directly.
    pub fn needs(&self, number: u32) -> &[u32] {
        let at = number as usize;
        &self.needs[self.starts[at]..self.starts[at + 1]]
    }

    /// Returns `roots` and all globals that they need, directly or indirectly, ascending.
    pub fn reachable(&self, roots: &[u32]) -> Vec<u32> {
        let mut marks = self.marks.borrow_mut();
        if marks.walk == u32::MAX {
            marks.met.fill(0);
            marks.walk = 0;
        }
        marks.walk += 1;
        let walk = marks.walk;
        let mut found = Vec::new();
        let mut work = roots.to_vec();
        while let Some(number) = work.pop() {
            if std::mem::replace(&mut marks.met[number as usize], walk) != walk {
                found.push(number);
                work.extend(
                    self.needs(number).iter().filter(|&&next| marks.met[next as usize] != walk),
                );
            }
        }
        found.sort_unstable();
        found
    }

    /// Returns a shortest path from one global to another, both included.
    pub fn path(&self, from: u32, to: u32) -> Option<Vec<u32>> {
        let mut before = HashMap::from([(from, from)]);
        let mut queue = std::collections::VecDeque::from([from]);
        while let Some(number) = queue.pop_front() {
            if number == to {
                let mut path = vec![to];
                while let Some(&previous) =
                    path.last().filter(|&&last| last != from).and_then(|last| before.get(last))
                {
                    path.push(previous);
                }
                path.reverse();
                return Some(path);
            }
            for &next in self.needs(number) {
                before.entry(next).or_insert_with(|| {
                    queue.push_back(next);
                    number
                });
            }
        }
        None
    }

    pub(crate) fn units(&self, number: u32) -> &[Metadata<'ctx>] {
        &self.units[number as usize]
    }

    pub(crate) fn is_used(&self, number: u32) -> bool {
        self.used[number as usize]
    }

    pub(crate) fn is_compiler_used(&self, number: u32) -> bool {
        self.compiler_used[number as usize]
    }

    /// Returns whether any metadata of the module refers to a global, so that parts cannot share
    /// metadata.
    pub(crate) fn metadata_names_globals(&self) -> bool {
        self.metadata_names_globals
    }
}

/// Returns the compile units of one global.
fn units<'ctx>(global: Value<'ctx>) -> Vec<Metadata<'ctx>> {
    extern "C" fn push(list: *mut c_void, unit: llvm_sys::prelude::LLVMMetadataRef) {
        // SAFETY: `list` is the list below, which the shim passes unchanged, and `unit` is live
        // metadata of the global's context.
        unsafe { (*list.cast::<Vec<Metadata<'_>>>()).push(Metadata::from_raw(unit)) }
    }
    let mut list: Vec<Metadata<'ctx>> = Vec::new();
    let data = (&raw mut list).cast();
    if is_global(global) && global.as_function().is_some() {
        // SAFETY: the function is live, and the list outlives the call.
        unsafe { shim::scythe_llvm_function_units(global.ptr(), push, data) }
    } else if global.as_global_variable().is_some() {
        // SAFETY: the variable is live, and the list outlives the call.
        unsafe { shim::scythe_llvm_variable_units(global.ptr(), push, data) }
    }
    list
}
