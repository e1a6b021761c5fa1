//! Executable graphs.
//!
//! [`Exec`] holds the commands that the nodes had when the graph was made or last updated, with the
//! nodes of sub-graphs in place of their node. A launch treats the whole graph as one command: it
//! waits for the events, for conflicting accesses to any buffer of the graph, and for the previous
//! launch of the same graph.
//!
//! The [`Plan`] is made at the first launch, or when the graph is made if it uses no buffers. It is
//! made anew if the address of a buffer changes. A graph in which host code uses buffers that the
//! device does not share with the host has no plan: each launch submits its commands one by one, so
//! that buffers are copied between them.

use std::sync::{Arc, Mutex};

use scythe_hal::Keep;

use super::body::{Body, Content, NodeKind, OwnedAccess};
use super::plan::Plan;
use super::{Graph, NodeRef};
use crate::context::Context;
use crate::event::Node;
use crate::launch::Placed;
use crate::memory::coherence::{prepare, record};
use crate::memory::finish::in_host_task;
use crate::memory::{MemoryLocation, submission};
use crate::platform::Device;
use crate::queue::{Action, Order, Queue};
use crate::{Result, invalid, lock};

/// A graph that can be launched.
pub struct Exec {
    /// The graph that this one was made from.
    source: u64,
    pub context: Arc<Context>,
    pub device: &'static Device,
    updatable: bool,
    /// Whether the events of launches have times.
    pub profiling: bool,
    shape: Vec<Shape>,
    state: Mutex<State>,
}

/// The properties of a node that a graph for an update of the whole graph shares.
#[derive(PartialEq, Eq)]
struct Shape {
    kind: NodeKind,
    before: Vec<usize>,
    kernel: Option<String>,
}

struct State {
    flat: Arc<Flat>,
    /// For each node of the source, the place of its command in `flat`.
    places: Vec<usize>,
    built: Option<Arc<Built>>,
    /// Nodes whose commands have changed since the plan was made.
    changed: Vec<usize>,
    last: Option<Node>,
}

/// The commands of a graph, each after those it depends on.
#[derive(Clone, Default)]
pub struct Flat {
    pub nodes: Vec<FlatNode>,
}

#[derive(Clone)]
pub struct FlatNode {
    pub content: Arc<Content>,
    pub deps: Vec<usize>,
    accesses: Vec<OwnedAccess>,
    /// Keeps the objects of the node.
    _body: Option<Arc<Body>>,
}

impl Flat {
    /// Returns the accesses of all nodes together.
    fn accesses(&self) -> Vec<OwnedAccess> {
        let mut all = Vec::new();
        self.merge_accesses(&mut all);
        all
    }

    /// Adds the accesses of all nodes to those of a command.
    pub fn merge_accesses(&self, accesses: &mut Vec<OwnedAccess>) {
        let each = self.nodes.iter().flat_map(|node| &node.accesses);
        each.for_each(|access| OwnedAccess::merge(accesses, access));
    }

    /// Returns whether host code uses buffers that have another copy on the device.
    fn needs_copies(&self, device: &Device) -> bool {
        let host = |node: &&FlatNode| node.content.is_on_host();
        let mut accesses = self.nodes.iter().filter(host).flat_map(|node| &node.accesses);
        !device.hal.shares_host_memory() && accesses.next().is_some()
    }
}

/// A plan, and the addresses for which it was made.
struct Built {
    plan: Plan,
    accesses: Vec<OwnedAccess>,
    addresses: Vec<*mut u8>,
}

// SAFETY: only commands use the addresses, in the order of the graph.
unsafe impl Send for Built {}
// SAFETY: the addresses are never changed, and are used as stated for `Send`.
unsafe impl Sync for Built {}

/// What a launch keeps. Buffers that are destroyed with it must not wait on the backend's thread.
struct InFlight(Option<(Arc<Flat>, Arc<Built>)>);

impl Drop for InFlight {
    fn drop(&mut self) {
        in_host_task(|| drop(self.0.take()));
    }
}

impl Exec {
    /// Makes an executable graph of the current nodes.
    pub fn new(graph: &Graph, updatable: bool, profiling: bool) -> Result<Arc<Self>> {
        let nodes = graph.snapshot();
        let mut flat = Flat::default();
        let mut places = vec![0; nodes.len()];
        let mut shape = Vec::with_capacity(nodes.len());
        for index in sorted(&nodes)? {
            let (body, before) = &nodes[index];
            let (_, content, accesses) = body.active();
            let deps: Vec<usize> = before.iter().map(|&before| places[before]).collect();
            let content = match &*content {
                Content::Graph(inner) => {
                    let (first, mut leaves) = (flat.nodes.len(), Vec::new());
                    for (at, node) in inner.nodes.iter().enumerate() {
                        let mut node = node.clone();
                        match node.deps.is_empty() {
                            true => node.deps.clone_from(&deps),
                            false => node.deps.iter_mut().for_each(|before| *before += first),
                        }
                        if !inner.nodes.iter().any(|other| other.deps.contains(&at)) {
                            leaves.push(first + at);
                        }
                        flat.nodes.push(node);
                    }
                    places[index] = flat.nodes.len();
                    let deps = if leaves.is_empty() { deps } else { leaves };
                    let content = Arc::new(Content::Marker);
                    let _body = Some(body.clone());
                    flat.nodes.push(FlatNode { content, deps, accesses: Vec::new(), _body });
                    continue;
                }
                _ => content,
            };
            places[index] = flat.nodes.len();
            flat.nodes.push(FlatNode { content, deps, accesses, _body: Some(body.clone()) });
        }
        for (body, before) in &nodes {
            shape.push(Shape::of(body, before));
        }
        let (flat, (context, device)) = (Arc::new(flat), (graph.context.clone(), graph.device));
        let state = State { flat, places, built: None, changed: Vec::new(), last: None };
        let exec = Self {
            source: graph.id,
            context,
            device,
            updatable,
            profiling,
            shape,
            state: Mutex::new(state),
        };
        {
            let mut state = lock(&exec.state);
            if state.flat.accesses().is_empty() {
                state.build(exec.device, Vec::new(), Vec::new())?;
            }
        }
        Ok(Arc::new(exec))
    }

    /// Returns the commands, for a node of another graph.
    pub fn flat(&self) -> Arc<Flat> {
        lock(&self.state).flat.clone()
    }

    /// Launches the graph on `queue` after `events`, and returns the event of the launch.
    pub fn launch(&self, queue: &Queue, events: &[Node]) -> Result<Node> {
        if queue.context.id != self.context.id || queue.device.id != self.device.id {
            return Err(invalid(format!(
                "the graph was made for device '{}' in another context or on another device than \
                 the queue, whose device is '{}'",
                self.device.name(),
                queue.device.name()
            )));
        }
        let mut state = lock(&self.state);
        let mut deps = events.to_vec();
        deps.extend(state.last.clone().filter(|last| last.outcome().is_none()));
        let profiling = self.profiling && queue.profiling;
        let node = match state.flat.needs_copies(self.device) {
            true => launch_apart(&state.flat, queue, &deps)?,
            false => self.launch_planned(&mut state, queue, deps, profiling)?,
        };
        state.last = Some(node.clone());
        Ok(node)
    }

    fn launch_planned(
        &self,
        state: &mut State,
        queue: &Queue,
        mut deps: Vec<Node>,
        profiling: bool,
    ) -> Result<Node> {
        let known = state.built.as_ref().filter(|_| state.changed.is_empty());
        if let Some(built) = known.filter(|built| built.accesses.is_empty()) {
            // SAFETY: the program guarantees that the addresses in the graph are valid.
            return unsafe { send(queue, &state.flat, built, deps, profiling) };
        }
        let accesses = match known {
            Some(built) => built.accesses.clone(),
            None => state.flat.accesses(),
        };
        let turn = submission();
        let place =
            |access: &OwnedAccess| access.buffer.place(MemoryLocation::Device(self.device), false);
        let mut addresses = Vec::with_capacity(accesses.len());
        for access in &accesses {
            addresses.push(prepare(&turn, &access.borrow(), place(access), &mut deps)?);
        }
        let built = state.current(self.device, accesses, addresses)?;
        // SAFETY: the program guarantees that the addresses in the graph are valid, and the copies
        // of buffers live until the command recorded below has completed.
        let node = unsafe { send(queue, &state.flat, &built, deps, profiling) }?;
        for access in &built.accesses {
            record(&turn, &access.borrow(), place(access), &node);
        }
        Ok(node)
    }

    /// Takes the current commands of these nodes of the source graph.
    pub fn update_nodes(&self, nodes: &[&NodeRef]) -> Result<()> {
        self.check_updatable()?;
        for node in nodes {
            if node.graph.id != self.source || node.index >= self.shape.len() {
                return Err(invalid(
                    "update: a node is not part of the graph that was made executable",
                ));
            }
        }
        let mut state = lock(&self.state);
        for node in nodes {
            let body = node.body()?;
            if !matches!(
                body.kind(),
                NodeKind::Kernel | NodeKind::HostTask | NodeKind::Empty | NodeKind::Barrier
            ) {
                return Err(invalid(format!(
                    "update: a node has type {}, but only kernels and host tasks can be updated",
                    body.kind().name()
                )));
            }
            state.replace(node.index, &body);
        }
        Ok(())
    }

    /// Takes the commands of another graph of the same shape.
    pub fn update_from(&self, graph: &Graph) -> Result<()> {
        self.check_updatable()?;
        if graph.context.id != self.context.id || graph.device.id != self.device.id {
            return Err(invalid("update: the graphs have different contexts or devices"));
        }
        let nodes = graph.snapshot();
        if nodes.len() != self.shape.len() {
            return Err(invalid(format!(
                "update: the graph has {} nodes, but the executable graph was made from {}",
                nodes.len(),
                self.shape.len()
            )));
        }
        for (index, ((body, before), shape)) in nodes.iter().zip(&self.shape).enumerate() {
            let kind = body.kind();
            if !matches!(
                kind,
                NodeKind::Kernel | NodeKind::HostTask | NodeKind::Empty | NodeKind::Barrier
            ) {
                return Err(invalid(format!(
                    "update: node {index} has type {}, but a whole graph can be updated only if \
                     it consists of kernels, host tasks, barriers and empty nodes",
                    kind.name()
                )));
            }
            if Shape::of(body, before) != *shape {
                return Err(invalid(format!(
                    "update: node {index} ({}) has another type, kernel or other predecessors \
                     than the node of the executable graph",
                    body.describe()
                )));
            }
        }
        let mut state = lock(&self.state);
        for (index, (body, _)) in nodes.iter().enumerate() {
            state.replace(index, body);
        }
        Ok(())
    }

    fn check_updatable(&self) -> Result<()> {
        match self.updatable {
            true => Ok(()),
            false => Err(invalid(
                "update: the executable graph was made without property::graph::updatable",
            )),
        }
    }
}

impl Shape {
    fn of(body: &Body, before: &[usize]) -> Self {
        let (kind, content, _) = body.active();
        let mut before = before.to_vec();
        before.sort_unstable();
        Self { kind, before, kernel: content.kernel_name() }
    }
}

impl State {
    fn replace(&mut self, index: usize, body: &Arc<Body>) {
        let (_, content, accesses) = body.active();
        let place = self.places[index];
        if Arc::ptr_eq(&self.flat.nodes[place].content, &content) {
            return;
        }
        let node = &mut Arc::make_mut(&mut self.flat).nodes[place];
        (node.content, node.accesses, node._body) = (content, accesses, Some(body.clone()));
        self.changed.push(place);
    }

    fn build(
        &mut self,
        device: &Device,
        accesses: Vec<OwnedAccess>,
        addresses: Vec<*mut u8>,
    ) -> Result<Arc<Built>> {
        let placed = placed(&accesses, &addresses);
        // SAFETY: the program guarantees that the addresses in the graph are valid at each launch.
        let plan = unsafe { Plan::new(&self.flat, device, &placed) }?;
        let built = Arc::new(Built { plan, accesses, addresses });
        (self.built, self.changed) = (Some(built.clone()), Vec::new());
        Ok(built)
    }

    /// Returns the plan for the current commands and these addresses.
    fn current(
        &mut self,
        device: &Device,
        accesses: Vec<OwnedAccess>,
        addresses: Vec<*mut u8>,
    ) -> Result<Arc<Built>> {
        let same = |built: &&Arc<Built>| {
            let lists = built.accesses.iter().zip(&accesses);
            built.addresses == addresses
                && lists.clone().count() == accesses.len()
                && lists.clone().all(|(a, b)| Arc::ptr_eq(&a.buffer, &b.buffer))
        };
        if let Some(built) = self.built.as_ref().filter(same) {
            let current = self.changed.is_empty()
                || built.plan.update(&self.flat, &self.changed, &placed(&accesses, &addresses))?;
            if current {
                self.changed.clear();
                return Ok(built.clone());
            }
        }
        self.build(device, accesses, addresses)
    }
}

fn placed<'a>(accesses: &'a [OwnedAccess], addresses: &[*mut u8]) -> Vec<Placed<'a>> {
    let pairs = accesses.iter().zip(addresses);
    pairs.map(|(access, &address)| Placed { buffer: &access.buffer, address }).collect()
}

/// Returns the nodes in an order in which each follows its predecessors.
fn sorted(nodes: &[(Arc<Body>, Vec<usize>)]) -> Result<Vec<usize>> {
    let mut order = Vec::with_capacity(nodes.len());
    let mut open: Vec<usize> = nodes.iter().map(|(_, before)| before.len()).collect();
    let mut after = vec![Vec::new(); nodes.len()];
    for (index, (_, before)) in nodes.iter().enumerate() {
        before.iter().for_each(|&one| after[one].push(index));
    }
    let mut ready: std::collections::BTreeSet<usize> =
        (0..nodes.len()).filter(|&index| open[index] == 0).collect();
    while let Some(index) = ready.pop_first() {
        order.push(index);
        for &next in &after[index] {
            open[next] -= 1;
            if open[next] == 0 {
                ready.insert(next);
            }
        }
    }
    match order.len() == nodes.len() {
        true => Ok(order),
        false => Err(invalid("finalize: the graph has a cycle")),
    }
}

/// Launches the steps of a plan.
///
/// # Safety
/// The addresses in the graph must be valid.
unsafe fn send(
    queue: &Queue,
    flat: &Arc<Flat>,
    built: &Arc<Built>,
    deps: Vec<Node>,
    profiling: bool,
) -> Result<Node> {
    let keep = || -> Keep { Some(Box::new(InFlight(Some((flat.clone(), built.clone()))))) };
    // SAFETY: the caller satisfies the contract of `send_plan`.
    unsafe { queue.send_plan(&built.plan, deps, &keep, profiling) }
}

/// Submits the commands of a graph one by one.
fn launch_apart(flat: &Flat, queue: &Queue, deps: &[Node]) -> Result<Node> {
    let mut done: Vec<Node> = Vec::with_capacity(flat.nodes.len());
    let mut leaf = vec![true; flat.nodes.len()];
    for node in &flat.nodes {
        let mut events: Vec<Node> = node.deps.iter().map(|&before| done[before].clone()).collect();
        node.deps.iter().for_each(|&before| leaf[before] = false);
        if events.is_empty() {
            events.extend_from_slice(deps);
        }
        let accesses: Vec<_> = node.accesses.iter().map(OwnedAccess::borrow).collect();
        let order = Order { accesses: &accesses, events: &events, ..Order::default() };
        // SAFETY: the program guarantees that the addresses in the graph are valid.
        done.push(unsafe { queue.submit(action(&node.content), order) }?);
    }
    let ends: Vec<Node> =
        done.into_iter().zip(leaf).filter_map(|(node, leaf)| leaf.then_some(node)).collect();
    let order = Order { events: if ends.is_empty() { deps } else { &ends }, ..Order::default() };
    // SAFETY: a marker has no addresses.
    unsafe { queue.submit(Action::Marker, order) }
}

/// Returns the command of a node as a command of a queue.
fn action(content: &Content) -> Action<'_> {
    match content {
        Content::Kernel { kernel, functor, ranges, place } => {
            Action::kernel(kernel.clone(), functor.as_slice(), ranges, *place)
        }
        Content::HostKernel { call, functor, ranges } => {
            Action::host_kernel(*call, functor.as_slice(), ranges)
        }
        Content::HostTask(task) => Action::Repeated(task.clone()),
        Content::Plain(work) => Action::Plain(work.clone()),
        Content::Copy { dst, src } => Action::Copy { dst: Box::new(*dst), src: Box::new(*src) },
        Content::Fill { dst, pattern } => {
            Action::Fill { dst: Box::new(*dst), pattern: pattern.clone() }
        }
        Content::UpdateHost => Action::UpdateHost,
        Content::Marker | Content::Graph(_) => Action::Marker,
    }
}
