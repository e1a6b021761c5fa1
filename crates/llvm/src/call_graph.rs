//! Who calls whom, and who takes whose address.
//!
//! Nodes are the module's functions in its order; every answer is in that order too, so that outputs made from it are
//! reproducible. An edge is a *call* where the function is called directly, a *reference* where its address is used
//! in any other way, also through constants and the initialisers of global variables.

use crate::graph;
use crate::{Function, Module, Value};
use std::collections::{HashMap, HashSet};

/// The call graph of a module, as it was when the graph was made.
pub struct CallGraph<'ctx> {
    functions: Vec<Function<'ctx>>,
    number: HashMap<Function<'ctx>, usize>,
    calls: Vec<Vec<usize>>,
    references: Vec<Vec<usize>>,
    callers: Vec<Vec<usize>>,
    address_taken: Vec<bool>,
    /// In a cycle of calls.
    recursive: Vec<bool>,
    components: Vec<Vec<usize>>,
}

impl<'ctx> CallGraph<'ctx> {
    pub fn new(module: &Module<'ctx>) -> Self {
        let functions: Vec<_> = module.functions().collect();
        let number: HashMap<_, _> = functions.iter().enumerate().map(|(i, f)| (*f, i)).collect();
        let n = functions.len();
        let (mut calls, mut references) = (vec![Vec::new(); n], vec![Vec::new(); n]);
        let mut address_taken = vec![false; n];
        let mut constants = ConstantFunctions::default();
        for (i, function) in functions.iter().enumerate() {
            let (mut called, mut referenced) = (HashSet::new(), HashSet::new());
            for instruction in function.instructions() {
                let callee = instruction.called_function();
                called.extend(callee.and_then(|f| number.get(&f)));
                let skipped = callee.and(instruction.called_value());
                let arguments =
                    if instruction.is_call() { instruction.args() } else { instruction.operands().collect() };
                let pointer = instruction.called_value().filter(|v| Some(*v) != skipped);
                for value in arguments.into_iter().chain(pointer) {
                    referenced.extend(constants.of(value).iter().filter_map(|f| number.get(f)));
                }
            }
            calls[i] = sorted(called);
            references[i] = sorted(referenced);
        }
        for list in &references {
            list.iter().for_each(|&f| address_taken[f] = true);
        }
        for global in module.globals() {
            // What keeps a function alive by name does not take its address.
            let keeps =
                matches!(global.name().as_str(), "llvm.used" | "llvm.compiler.used" | "llvm.global.annotations");
            if let (Some(init), false) = (global.initializer(), keeps) {
                constants.of(init).iter().filter_map(|f| number.get(f)).for_each(|&f| address_taken[f] = true);
            }
        }
        let mut callers = vec![Vec::new(); n];
        for (caller, list) in calls.iter().enumerate() {
            list.iter().for_each(|&callee| callers[callee].push(caller));
        }
        let components = graph::components(&calls);
        let mut recursive = vec![false; n];
        for component in &components {
            let cycle = component.len() > 1 || component.iter().any(|f| calls[*f].contains(f));
            component.iter().for_each(|&f| recursive[f] = cycle);
        }
        Self { functions, number, calls, references, callers, address_taken, recursive, components }
    }

    pub fn functions(&self) -> &[Function<'ctx>] {
        &self.functions
    }

    fn list(&self, lists: &[Vec<usize>], function: Function<'ctx>) -> Vec<Function<'ctx>> {
        self.number.get(&function).map_or(Vec::new(), |&i| lists[i].iter().map(|&f| self.functions[f]).collect())
    }

    /// The functions that `function` calls directly.
    pub fn callees(&self, function: Function<'ctx>) -> Vec<Function<'ctx>> {
        self.list(&self.calls, function)
    }

    /// The functions that call `function` directly.
    pub fn callers(&self, function: Function<'ctx>) -> Vec<Function<'ctx>> {
        self.list(&self.callers, function)
    }

    /// The functions whose address `function` uses.
    pub fn references(&self, function: Function<'ctx>) -> Vec<Function<'ctx>> {
        self.list(&self.references, function)
    }

    /// Someone, in code or in a global's initialiser, uses the function's address other than to call it.
    pub fn is_address_taken(&self, function: Function<'ctx>) -> bool {
        self.number.get(&function).is_some_and(|&i| self.address_taken[i])
    }

    /// The function can call itself, through direct calls.
    pub fn is_recursive(&self, function: Function<'ctx>) -> bool {
        self.number.get(&function).is_some_and(|&i| self.recursive[i])
    }

    /// Sets of functions that call each other; callees come before callers.
    pub fn components(&self) -> Vec<Vec<Function<'ctx>>> {
        self.components.iter().map(|c| c.iter().map(|&f| self.functions[f]).collect()).collect()
    }

    /// What `starts` reach through calls and references, `starts` among them.
    pub fn reachable(&self, starts: &[Function<'ctx>]) -> Vec<Function<'ctx>> {
        let both: Vec<Vec<usize>> =
            self.calls.iter().zip(&self.references).map(|(a, b)| a.iter().chain(b).copied().collect()).collect();
        self.reach(&both, starts)
    }

    /// What `starts` reach through direct calls only, `starts` among them.
    pub fn reachable_by_calls(&self, starts: &[Function<'ctx>]) -> Vec<Function<'ctx>> {
        self.reach(&self.calls, starts)
    }

    fn reach(&self, edges: &[Vec<usize>], starts: &[Function<'ctx>]) -> Vec<Function<'ctx>> {
        let starts: Vec<_> = starts.iter().filter_map(|f| self.number.get(f).copied()).collect();
        let seen = graph::reachable(edges, &starts);
        self.functions.iter().zip(seen).filter(|(_, s)| *s).map(|(f, _)| *f).collect()
    }

    /// A shortest chain of direct calls from `from` to `to`, both included: for messages.
    pub fn call_chain(&self, from: Function<'ctx>, to: Function<'ctx>) -> Option<Vec<Function<'ctx>>> {
        let (&from, &to) = (self.number.get(&from)?, self.number.get(&to)?);
        let mut parent = vec![None; self.functions.len()];
        let mut queue = std::collections::VecDeque::from([from]);
        parent[from] = Some(from);
        while let Some(node) = queue.pop_front() {
            if node == to {
                let mut chain = vec![self.functions[to]];
                let mut at = to;
                while at != from {
                    at = parent[at]?;
                    chain.push(self.functions[at]);
                }
                chain.reverse();
                return Some(chain);
            }
            for &next in &self.calls[node] {
                if parent[next].is_none() {
                    parent[next] = Some(node);
                    queue.push_back(next);
                }
            }
        }
        None
    }
}

fn sorted(set: HashSet<usize>) -> Vec<usize> {
    let mut list: Vec<_> = set.into_iter().collect();
    list.sort_unstable();
    list
}

/// The functions that constants name, remembered per constant: shared tables are walked once.
#[derive(Default)]
struct ConstantFunctions<'ctx> {
    known: HashMap<Value<'ctx>, Vec<Function<'ctx>>>,
}

impl<'ctx> ConstantFunctions<'ctx> {
    fn of(&mut self, value: Value<'ctx>) -> &[Function<'ctx>] {
        if !value.is_constant() {
            return &[];
        }
        self.known.entry(value).or_insert_with(|| {
            let (mut found, mut seen) = (Vec::new(), HashSet::new());
            let mut work = vec![value];
            while let Some(value) = work.pop() {
                if !value.is_constant() || !seen.insert(value) {
                    continue;
                }
                match (value.as_function(), value.as_global_variable()) {
                    (Some(function), _) => found.push(function),
                    (_, Some(variable)) => work.extend(variable.initializer()),
                    _ => work.extend(value.operands()),
                }
            }
            found
        })
    }
}
