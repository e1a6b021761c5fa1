//! Collects the facts of the AST about optional kernel features: the aspects that each function
//! uses, and the positions of uses and calls.
//!
//! The numbers of aspects go into IR as metadata. Names and positions stay here until a pass over
//! the module needs them for a message. Only functions that reach a use or a declaration are kept,
//! so programs without optional features have no cost.

use std::collections::{BTreeSet, HashMap};

use scythe_abi::aspect::Aspect;
use scythe_diag::Location;
use scythe_passes::aspects::chain::{Place, Sources};

use crate::call_operator::CallOperator;
use crate::facts::{Action, Attribute, Decl, Kernel, Loc, Source};
use crate::reach::{Graph, Node, Root};

/// The annotation that replaces `device_has`.
pub const DEVICE_HAS: &str = "sycl::device_has";
pub const USES_ASPECTS: &str = "sycl_detail::uses_aspects";

/// Returns the aspects that a function itself uses, each with the position of its first use. The
/// sources are `uses_aspects` and the types in the function.
pub fn used(node: &Node) -> Vec<(u32, Loc)> {
    let mut found: Vec<(u32, Loc)> = Vec::new();
    let mut add = |aspect: u32, loc: Loc| {
        if !found.iter().any(|(known, _)| *known == aspect) {
            found.push((aspect, loc));
        }
    };
    for event in &node.events {
        match &event.action {
            Action::Double => add(Aspect::Fp64 as u32, event.loc),
            Action::Half => add(Aspect::Fp16 as u32, event.loc),
            Action::Decorated(values) => {
                values.iter().for_each(|&value| add(value as u32, event.loc))
            }
            _ => {}
        }
    }
    for attribute in node.function.attributes.iter().filter(|a| a.name == USES_ASPECTS) {
        attribute.values.iter().for_each(|&value| add(value as u32, attribute.loc));
    }
    found.sort_unstable_by_key(|(aspect, _)| *aspect);
    found
}

/// Returns the aspects of `device_has`. `None` if the function does not have the attribute.
pub fn declared(attributes: &[Attribute]) -> Option<Vec<u32>> {
    let mut declared = attributes.iter().filter(|a| a.name == DEVICE_HAS).peekable();
    declared.peek()?;
    let aspects: BTreeSet<u32> =
        declared.flat_map(|a| a.values.iter().map(|&value| value as u32)).collect();
    Some(aspects.into_iter().collect())
}

/// The facts about a function for messages.
#[derive(Clone, Debug, Default)]
struct Known {
    name: String,
    kernel_body: bool,
    uses: Vec<(u32, Loc)>,
    /// The position of `device_has`, or of a required size.
    declared: Option<Loc>,
    /// The callees, each with the position of its first call.
    calls: HashMap<u32, Loc>,
}

/// Names and positions of the functions that concern optional features.
#[derive(Clone, Debug, Default)]
pub struct AspectFacts {
    known: Vec<Known>,
    symbols: HashMap<String, u32>,
}

impl AspectFacts {
    /// Collects the facts. `written` has the call operator of each kernel, if it was found.
    pub fn new(
        source: &impl Source,
        graph: &Graph,
        kernels: &[Kernel],
        written: &[Option<CallOperator<'_>>],
    ) -> Self {
        let uses: Vec<Vec<(u32, Loc)>> = graph.nodes.iter().map(used).collect();
        let concerned = concerned(graph, &uses);
        let bodies: HashMap<Decl, &Kernel> = kernels
            .iter()
            .zip(written)
            .rev()
            .filter_map(|(kernel, body)| Some((body.as_ref()?.node.decl, kernel)))
            .collect();
        let mut facts = Self::default();
        let numbers: HashMap<usize, u32> =
            (0u32..).zip(&concerned).map(|(number, &node)| (node, number)).collect();
        for (number, &index) in (0u32..).zip(&concerned) {
            let node = &graph.nodes[index];
            let kernel = match node.root {
                Some(Root::Kernel(kernel)) => Some(&kernels[kernel]),
                _ => bodies.get(&node.decl).copied(),
            };
            let symbols = match (node.root, kernel) {
                (Some(Root::Kernel(_)), Some(kernel)) => vec![kernel.symbol.clone()],
                _ => source.symbols(node.decl),
            };
            facts.symbols.extend(symbols.into_iter().map(|symbol| (symbol, number)));
            let mut calls = HashMap::new();
            for (callee, loc) in graph.calls(index) {
                if let Some(&callee) = numbers.get(&callee) {
                    calls.entry(callee).or_insert(loc);
                }
            }
            // The entry point is in the headers. The program chooses the members of the functor.
            let uses = match (node.root, kernel) {
                (Some(Root::Kernel(_)), Some(kernel)) => {
                    uses[index].iter().map(|&(aspect, _)| (aspect, kernel.functor_loc)).collect()
                }
                _ => uses[index].clone(),
            };
            // The declarations of the call operator hold for the kernel.
            let declaring = match node.root {
                Some(Root::Kernel(kernel)) => {
                    written[kernel].as_ref().map_or(node, |body| body.node)
                }
                _ => node,
            };
            facts.known.push(Known {
                name: kernel.map_or_else(|| shown_name(node), |kernel| kernel.name.clone()),
                kernel_body: bodies.contains_key(&node.decl),
                uses,
                declared: declaring.function.attributes.iter().find(|a| declares(a)).map(|a| a.loc),
                calls,
            });
        }
        facts
    }

    fn find(&self, symbol: &str) -> Option<&Known> {
        self.symbols.get(symbol).map(|&number| &self.known[number as usize])
    }
}

fn declares(attribute: &Attribute) -> bool {
    matches!(
        attribute.name.as_str(),
        DEVICE_HAS | "sycl::reqd_sub_group_size" | "sycl::reqd_work_group_size"
    )
}

/// Returns the name of a function in messages, without parameters. Methods have the name of their
/// class. The names of lambdas are not unique.
fn shown_name(node: &Node) -> String {
    let function = &node.function;
    if function.parent.is_none() {
        return function.name.clone();
    }
    // Names inside functions and lambdas contain parentheses.
    if function.qualified.contains("(anonymous class)") || function.qualified.contains("(lambda") {
        return "(lambda)".to_owned();
    }
    let class = function.qualified.rsplit("::").nth(1).filter(|class| !class.contains('('));
    class.map_or_else(|| function.name.clone(), |class| format!("{class}::{}", function.name))
}

/// Returns the functions that use or declare an aspect, directly or through calls, in the order of
/// the graph.
fn concerned(graph: &Graph, uses: &[Vec<(u32, Loc)>]) -> Vec<usize> {
    let mut callers: Vec<Vec<usize>> = vec![Vec::new(); graph.nodes.len()];
    for caller in 0..graph.nodes.len() {
        graph.calls(caller).for_each(|(callee, _)| callers[callee].push(caller));
    }
    let starts: Vec<usize> = (0..graph.nodes.len())
        .filter(|&index| {
            !uses[index].is_empty() || graph.nodes[index].function.attributes.iter().any(declares)
        })
        .collect();
    let seen = scythe_llvm::graph::reachable(&callers, &starts);
    (0..graph.nodes.len()).filter(|&index| seen[index]).collect()
}

/// The facts, with a function that returns the position of a location.
pub struct Located<'a> {
    pub facts: &'a AspectFacts,
    pub locate: &'a dyn Fn(Loc) -> Location,
}

impl Located<'_> {
    fn place(&self, loc: Loc) -> Option<Place> {
        (loc != Loc(0)).then(|| Place { location: (self.locate)(loc), handle: loc.0 })
    }
}

impl Sources for Located<'_> {
    fn name(&self, symbol: &str) -> Option<String> {
        self.facts.find(symbol).map(|known| known.name.clone())
    }

    fn is_kernel_body(&self, symbol: &str) -> bool {
        self.facts.find(symbol).is_some_and(|known| known.kernel_body)
    }

    fn use_place(&self, symbol: &str, aspect: u32) -> Option<Place> {
        let uses = &self.facts.find(symbol)?.uses;
        uses.iter().find(|(used, _)| *used == aspect).and_then(|(_, loc)| self.place(*loc))
    }

    fn declared_place(&self, symbol: &str) -> Option<Place> {
        self.facts.find(symbol)?.declared.and_then(|loc| self.place(loc))
    }

    fn call_place(&self, caller: &str, callee: &str) -> Option<Place> {
        let callee = self.facts.symbols.get(callee)?;
        self.facts.find(caller)?.calls.get(callee).and_then(|&loc| self.place(loc))
    }
}
