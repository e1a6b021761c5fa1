//! Finds the functions that device code reaches, and the calls that reach them.
//!
//! The search is breadth first, from all kernels and `SYCL_EXTERNAL` functions at once, in source
//! order. So each function has a shortest chain of calls, and the result does not depend on
//! addresses.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::facts::{Action, Decl, Event, Function, Loc, Source};

/// The reason why a function is device code without a caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// The function is the entry point of the kernel with this index.
    Kernel(usize),
    /// The function is `SYCL_EXTERNAL`.
    External,
}

/// A function that device code calls.
pub struct Node {
    pub decl: Decl,
    pub function: Function,
    pub events: Vec<Event>,
    pub root: Option<Root>,
    /// The caller that reached the function first, and the position of the call.
    pub caller: Option<(usize, Loc)>,
}

/// All device functions, in the order of the search.
pub struct Graph {
    pub nodes: Vec<Node>,
    index: HashMap<Decl, usize>,
}

impl Graph {
    /// Follows the calls from the entry points `kernels` and from `externals`.
    pub fn explore(source: &impl Source, kernels: &[Decl], externals: &[Decl]) -> Self {
        let mut graph = Self { nodes: Vec::new(), index: HashMap::new() };
        let kernels = kernels.iter().enumerate().map(|(index, &decl)| (decl, Root::Kernel(index)));
        let externals = externals.iter().map(|&decl| (decl, Root::External));
        for (decl, root) in kernels.chain(externals) {
            graph.add(source, decl, Some(root), None);
        }
        let mut next = 0;
        while next < graph.nodes.len() {
            let calls: Vec<(Decl, Loc)> =
                graph.nodes[next].events.iter().filter_map(callee).collect();
            for (decl, loc) in calls {
                graph.add(source, decl, None, Some((next, loc)));
            }
            next += 1;
        }
        graph
    }

    fn add(
        &mut self,
        source: &impl Source,
        decl: Decl,
        root: Option<Root>,
        caller: Option<(usize, Loc)>,
    ) {
        if self.index.contains_key(&decl) {
            return;
        }
        self.index.insert(decl, self.nodes.len());
        let function = source.function(decl);
        let follow = function.attribute("scythe::error").is_none();
        let events = if follow { source.events(decl) } else { Vec::new() };
        self.nodes.push(Node { decl, function, events, root, caller });
    }

    /// Returns the node of a function. `None` if device code does not reach it.
    pub fn find(&self, decl: Decl) -> Option<&Node> {
        self.position(decl).map(|i| &self.nodes[i])
    }

    /// Returns the index of the node of a function.
    pub fn position(&self, decl: Decl) -> Option<usize> {
        self.index.get(&decl).copied()
    }

    /// Returns the nearest node for which `fits` is true, by the number of calls from `start`.
    /// `start` itself counts.
    pub fn nearest(&self, start: usize, fits: impl Fn(&Node) -> bool) -> Option<usize> {
        let (mut queue, mut seen) = (VecDeque::from([start]), HashSet::from([start]));
        while let Some(node) = queue.pop_front() {
            if fits(&self.nodes[node]) {
                return Some(node);
            }
            queue.extend(
                self.calls(node).map(|(callee, _)| callee).filter(|&callee| seen.insert(callee)),
            );
        }
        None
    }

    /// Returns the nodes that `start` reaches, nearest first and without `start`, each with the
    /// position of the call that reaches it.
    pub fn reachable(&self, start: usize) -> Vec<(usize, Loc)> {
        let (mut found, mut seen) = (vec![(start, Loc(0))], HashSet::from([start]));
        let mut next = 0;
        while let Some(&(node, _)) = found.get(next) {
            found.extend(self.calls(node).filter(|&(callee, _)| seen.insert(callee)));
            next += 1;
        }
        found.remove(0);
        found
    }

    /// Returns the calls that lead to a node, innermost first: the index of the caller and the
    /// position of the call.
    pub fn chain(&self, node: usize) -> impl Iterator<Item = (usize, Loc)> + '_ {
        std::iter::successors(self.nodes[node].caller, |&(caller, _)| self.nodes[caller].caller)
    }

    /// Returns one call for each group of functions that call each other recursively: the index of
    /// the caller, the position, and the index of the callee. The callee is the first function of
    /// the group that device code reaches.
    pub fn recursive_calls(&self) -> Vec<(usize, Loc, usize)> {
        let component = self.components();
        let mut reported = vec![false; self.nodes.len()];
        let mut out = Vec::new();
        for head in 0..self.nodes.len() {
            if std::mem::replace(&mut reported[component[head]], true) {
                continue;
            }
            let back = (head..self.nodes.len())
                .filter(|&node| component[node] == component[head])
                .find_map(|node| {
                    let call = self.calls(node).find(|&(to, _)| to == head)?;
                    Some((node, call.1, head))
                });
            out.extend(back);
        }
        out
    }

    /// Returns the calls of a node, in source order.
    pub fn calls(&self, node: usize) -> impl Iterator<Item = (usize, Loc)> + '_ {
        self.nodes[node].events.iter().filter_map(|event| match event.action {
            Action::Call(decl) => Some((*self.index.get(&decl)?, event.loc)),
            _ => None,
        })
    }

    /// Returns the strongly connected component of each node. This is Tarjan's algorithm without
    /// recursion, because chains of calls can be long.
    fn components(&self) -> Vec<usize> {
        const NONE: usize = usize::MAX;
        let count = self.nodes.len();
        let successors: Vec<Vec<usize>> =
            (0..count).map(|node| self.calls(node).map(|(to, _)| to).collect()).collect();
        let (mut order, mut low, mut component) =
            (vec![NONE; count], vec![0; count], vec![NONE; count]);
        let (mut open, mut counter, mut components) = (Vec::new(), 0, 0);
        for start in 0..count {
            if order[start] != NONE {
                continue;
            }
            let mut work = vec![(start, 0)];
            while let Some((node, position)) = work.pop() {
                if position == 0 {
                    order[node] = counter;
                    low[node] = counter;
                    counter += 1;
                    open.push(node);
                } else {
                    let child = successors[node][position - 1];
                    if component[child] == NONE {
                        low[node] = low[node].min(low[child]);
                    }
                }
                let unseen = (position..successors[node].len()).find(|&i| {
                    let to = successors[node][i];
                    if order[to] != NONE && component[to] == NONE {
                        low[node] = low[node].min(order[to]);
                    }
                    order[to] == NONE
                });
                match unseen {
                    Some(i) => work.extend([(node, i + 1), (successors[node][i], 0)]),
                    None if low[node] == order[node] => {
                        while let Some(member) = open.pop() {
                            component[member] = components;
                            if member == node {
                                break;
                            }
                        }
                        components += 1;
                    }
                    None => {}
                }
            }
        }
        component
    }
}

/// Returns the function that an event makes device code, and the position of the event.
fn callee(event: &Event) -> Option<(Decl, Loc)> {
    match event.action {
        Action::Call(decl) | Action::Address(decl) => Some((decl, event.loc)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Position;
    use scythe_diag::Diagnostic;

    /// A call graph as a list of edges.
    struct Edges(Vec<(usize, usize)>);

    impl Source for Edges {
        fn function(&self, decl: Decl) -> Function {
            Function { name: format!("f{}", decl.0), defined: true, ..Function::default() }
        }
        fn events(&self, decl: Decl) -> Vec<Event> {
            let calls = self.0.iter().filter(|edge| edge.0 == decl.0);
            calls
                .map(|edge| Event { action: Action::Call(Decl(edge.1)), loc: Loc(edge.1 as u32) })
                .collect()
        }
        fn locate(&self, _: Loc) -> Position {
            Position::default()
        }
        fn locate_call(&self, _: Loc) -> Position {
            Position::default()
        }
        fn symbols(&self, _: Decl) -> Vec<String> {
            Vec::new()
        }
        fn variable(&self, _: Decl) -> crate::facts::Variable {
            crate::facts::Variable::default()
        }
        fn report(&self, _: &Diagnostic<Loc>) {}
    }

    fn recursion(edges: &[(usize, usize)]) -> Vec<(String, String)> {
        let graph = Graph::explore(&Edges(edges.to_vec()), &[Decl(1)], &[]);
        let name = |node: usize| graph.nodes[node].function.name.clone();
        graph.recursive_calls().into_iter().map(|(from, _, to)| (name(from), name(to))).collect()
    }

    #[test]
    fn a_chain_of_calls_is_not_recursive() {
        assert!(recursion(&[(1, 2), (2, 3), (1, 3), (3, 4)]).is_empty());
    }

    #[test]
    fn each_circle_is_found_once_at_its_first_function() {
        let found = recursion(&[(1, 2), (2, 3), (3, 2), (1, 4), (4, 4), (4, 5), (5, 4)]);
        assert_eq!(found, [("f3".into(), "f2".into()), ("f4".into(), "f4".into())]);
    }

    #[test]
    fn the_shortest_chain_is_kept() {
        let graph = Graph::explore(&Edges(vec![(1, 2), (2, 3), (3, 4), (1, 4)]), &[Decl(1)], &[]);
        let four = graph.nodes.iter().position(|node| node.decl == Decl(4)).unwrap();
        assert_eq!(graph.chain(four).count(), 1);
    }

    #[test]
    fn the_nearest_node_is_found_from_where_the_search_starts() {
        let edges = [(1, 2), (2, 3), (3, 4), (3, 2), (1, 5), (5, 6), (6, 7)];
        let graph = Graph::explore(&Edges(edges.to_vec()), &[Decl(1)], &[]);
        let nearest = |start: usize, fits: &[usize]| {
            let found =
                graph.nearest(graph.position(Decl(start))?, |node| fits.contains(&node.decl.0))?;
            Some(graph.nodes[found].decl.0)
        };
        assert_eq!(nearest(1, &[4, 6]), Some(6));
        assert_eq!(nearest(2, &[4, 6]), Some(4));
        assert_eq!(nearest(2, &[2, 4]), Some(2));
        assert_eq!(nearest(2, &[1, 6]), None);
    }

    #[test]
    fn a_very_long_chain_does_not_overflow_the_stack() {
        let edges: Vec<_> = (1..3_000).map(|i| (i, i + 1)).collect();
        assert!(recursion(&edges).is_empty());
    }
}
