//! Graphs of commands (`sycl_ext_oneapi_graph`).
//!
//! * [`Graph`] is a modifiable graph: nodes in the order in which they were added, and edges. A
//!   node never moves, so its index identifies it.
//! * [`record`]: queues that record, and the events of recorded commands.
//! * [`body`]: the commands of nodes and their updates.
//! * [`dynamic_local`]: local memory whose size changes.
//! * [`exec`]: executable graphs and their launches.
//! * [`print`]: graphs as text in the format DOT.
//!
//! The program's graph object is an [`Owner`]. When the last copy is destroyed, recording ends;
//! nodes, events and executable graphs only keep the [`Graph`].

pub mod body;
pub mod dynamic_local;
pub mod exec;
pub mod plan;
pub mod print;
mod ranges;
pub mod record;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};

use crate::context::Context;
use crate::memory::Memory;
use crate::platform::Device;
use crate::queue::Queue;
use crate::{Result, invalid, lock};
use body::{Body, Candidate, NodeKind, OwnedAccess};

/// The properties of a graph.
#[derive(Clone, Copy, Default)]
pub struct Options {
    pub no_cycle_check: bool,
    pub buffers_outlive_graph: bool,
}

/// A graph that the program builds.
pub struct Graph {
    /// A number that no other graph has. Later graphs have higher numbers.
    pub id: u64,
    pub context: Arc<Context>,
    pub device: &'static Device,
    pub options: Options,
    state: Mutex<State>,
}

/// The program's references to a graph. Recording ends with the last one.
pub struct Owner {
    pub graph: Arc<Graph>,
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.graph.end_recording();
    }
}

/// A node as the program sees it.
pub struct NodeRef {
    pub graph: Arc<Graph>,
    pub index: usize,
}

impl NodeRef {
    pub fn body(&self) -> Result<Arc<Body>> {
        match lock(&self.graph.state).nodes.get(self.index) {
            Some(node) => Ok(node.body.clone()),
            None => Err(invalid("the node does not belong to its graph")),
        }
    }
}

#[derive(Default)]
struct State {
    owner: Weak<Owner>,
    nodes: Vec<Node>,
    /// The accesses that later nodes may conflict with.
    accesses: Vec<Tracked>,
    /// The queues that record, except those of the explicit interface.
    recording: Vec<Weak<Queue>>,
    /// The queues that add nodes through the explicit interface.
    explicit: Vec<Weak<Queue>>,
    tracks: Vec<Track>,
    /// The dynamic command group that receives commands at the moment.
    choice: Option<Arc<Body>>,
}

struct Node {
    body: Arc<Body>,
    before: Vec<usize>,
    after: Vec<usize>,
}

/// The nodes of one queue, which order its later commands.
struct Track {
    queue: Weak<Queue>,
    last: Option<usize>,
    barrier: Option<usize>,
    nodes: Vec<usize>,
}

/// An access that is ordered with later accesses to the same bytes.
struct Tracked {
    memory: *const Memory,
    bytes: Range<u64>,
    writes: bool,
    node: usize,
}

// SAFETY: the addresses are only compared.
unsafe impl Send for Tracked {}

/// The order of a command among those of its queue.
#[derive(Clone, Copy, Default)]
pub struct QueueOrder {
    pub barrier: bool,
    pub hold: bool,
}

impl Graph {
    /// Creates a graph and the program's first reference to it.
    pub fn create(
        context: Arc<Context>,
        device: &'static Device,
        options: Options,
    ) -> Result<Arc<Owner>> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let device = context.actual(device).ok_or_else(|| {
            invalid(format!("device '{}' is not in the graph's context", device.name()))
        })?;
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let graph =
            Arc::new(Self { id, context, device, options, state: Mutex::new(State::default()) });
        let owner = Arc::new(Owner { graph: graph.clone() });
        lock(&graph.state).owner = Arc::downgrade(&owner);
        Ok(owner)
    }

    /// Returns the program's reference, unless the program has destroyed its graph objects.
    pub fn owner(&self) -> Option<Arc<Owner>> {
        lock(&self.state).owner.upgrade()
    }

    /// Adds a command of `queue`, and returns the index of its node. `in_order` is the order of the
    /// queue. While a dynamic command group is open, the command becomes one of its candidates.
    pub fn add(
        &self,
        queue: &Arc<Queue>,
        candidate: Candidate,
        order: QueueOrder,
    ) -> Result<Option<usize>> {
        let mut state = lock(&self.state);
        if let Some(choice) = &state.choice {
            choice.add(candidate);
            return choice.note_dynamic_local(self.device).map(|()| None);
        }
        let mut before = state.conflicts(&candidate.accesses);
        before.extend(candidate.events.iter().copied());
        let explicit = state.is_explicit(queue);
        if !explicit {
            state.order_in_queue(queue, order, &mut before);
        }
        let accesses = candidate.accesses.clone();
        let body = Body::of(candidate);
        body.note_dynamic_local(self.device)?;
        let index = state.push(body, before, &accesses);
        if !explicit {
            state.note(queue, index, order);
        }
        Ok(Some(index))
    }

    /// Adds a node for a dynamic command group of this graph.
    pub fn add_choice(&self, body: &Arc<Body>) -> Result<usize> {
        let mut state = lock(&self.state);
        let edges = body.each(|events, accesses| {
            let mut before = state.conflicts(accesses);
            before.extend(events.iter().copied());
            before
        });
        let Some(before) = edges.first() else {
            return Err(invalid("dynamic_command_group: the list of command groups is empty"));
        };
        if let Some(index) = edges.iter().position(|other| other != before) {
            return Err(invalid(format!(
                "dynamic_command_group: command group {index} depends on other nodes than command \
                 group 0; all must have the same dependencies"
            )));
        }
        let mut accesses = Vec::new();
        body.each(|_, list| list.iter().for_each(|one| OwnedAccess::merge(&mut accesses, one)));
        Ok(state.push(body.clone(), before.clone(), &accesses))
    }

    /// Opens a dynamic command group.
    pub fn open_choice(&self) -> Result<Arc<Body>> {
        self.check_explicit("dynamic_command_group")?;
        let body = Arc::new(Body::default());
        lock(&self.state).choice = Some(body.clone());
        Ok(body)
    }

    /// Closes the dynamic command group that is open.
    pub fn close_choice(&self) {
        let closed = lock(&self.state).choice.take();
        drop(closed);
    }

    /// Adds an edge.
    pub fn make_edge(&self, source: &NodeRef, target: &NodeRef) -> Result<()> {
        self.check_explicit("make_edge")?;
        let mut state = lock(&self.state);
        let own = |node: &NodeRef| std::ptr::eq(&*node.graph, self);
        if !own(source) || !own(target) {
            return Err(invalid("make_edge: a node belongs to another graph"));
        }
        let (from, to) = (source.index, target.index);
        if from == to {
            return Err(invalid("make_edge: the source and the destination are the same node"));
        }
        if state.nodes[to].before.contains(&from) {
            return Ok(());
        }
        if !self.options.no_cycle_check && state.reaches(to, from) {
            return Err(invalid(
                "make_edge: the edge would make a cycle, because the source already depends on \
                 the destination",
            ));
        }
        state.nodes[to].before.push(from);
        state.nodes[from].after.push(to);
        Ok(())
    }

    /// Fails while a queue records to the graph.
    pub fn check_explicit(&self, what: &str) -> Result<()> {
        match self.is_recording() {
            false => Ok(()),
            true => Err(invalid(format!(
                "{what}: a queue is recording commands to the graph; call end_recording first"
            ))),
        }
    }

    pub fn len(&self) -> usize {
        lock(&self.state).nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the nodes without predecessors.
    pub fn roots(&self) -> Vec<usize> {
        self.select(|node| node.before.is_empty())
    }

    /// Returns the nodes without successors.
    pub fn leaves(&self) -> Vec<usize> {
        self.select(|node| node.after.is_empty())
    }

    fn select(&self, wanted: impl Fn(&Node) -> bool) -> Vec<usize> {
        let state = lock(&self.state);
        (0..state.nodes.len()).filter(|&index| wanted(&state.nodes[index])).collect()
    }

    pub fn before(&self, index: usize) -> Vec<usize> {
        lock(&self.state).nodes.get(index).map_or_else(Vec::new, |node| node.before.clone())
    }

    pub fn after(&self, index: usize) -> Vec<usize> {
        lock(&self.state).nodes.get(index).map_or_else(Vec::new, |node| node.after.clone())
    }

    /// Returns the bodies and predecessors of all nodes.
    pub fn snapshot(&self) -> Vec<(Arc<Body>, Vec<usize>)> {
        let state = lock(&self.state);
        state.nodes.iter().map(|node| (node.body.clone(), node.before.clone())).collect()
    }

    /// Keeps an object as long as the node's command exists.
    pub fn keep(&self, index: Option<usize>, kept: body::Kept) {
        let state = lock(&self.state);
        let body = match index {
            Some(index) => state.nodes.get(index).map(|node| node.body.clone()),
            None => state.choice.clone(),
        };
        drop(state);
        if let Some(body) = body {
            body.keep(kept);
        }
    }

    /// Returns whether a node uses the buffer and a queue still records.
    pub fn is_recording_use_of(&self, memory: *const Memory) -> bool {
        let state = lock(&self.state);
        !state.recording.is_empty() && state.accesses.iter().any(|known| known.memory == memory)
    }
}

impl State {
    fn push(
        &mut self,
        body: Arc<Body>,
        before: BTreeSet<usize>,
        accesses: &[OwnedAccess],
    ) -> usize {
        let index = self.nodes.len();
        for &one in &before {
            self.nodes[one].after.push(index);
        }
        self.nodes.push(Node { body, before: before.into_iter().collect(), after: Vec::new() });
        for access in accesses {
            let (memory, bytes) = (access.buffer.memory_address(), access.buffer.bytes());
            let writes = access.mode.writes();
            if writes {
                self.accesses.retain(|old| {
                    old.memory != memory
                        || old.bytes.start < bytes.start
                        || bytes.end < old.bytes.end
                });
            }
            self.accesses.push(Tracked { memory, bytes, writes, node: index });
        }
        index
    }

    /// Returns the nodes that a command with these accesses must follow.
    fn conflicts(&self, accesses: &[OwnedAccess]) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        for access in accesses {
            let (memory, bytes) = (access.buffer.memory_address(), access.buffer.bytes());
            for old in &self.accesses {
                let overlap = old.bytes.start.max(bytes.start) < old.bytes.end.min(bytes.end);
                if old.memory == memory && overlap && (old.writes || access.mode.writes()) {
                    found.insert(old.node);
                }
            }
        }
        found
    }

    fn is_explicit(&self, queue: &Arc<Queue>) -> bool {
        self.explicit.iter().any(|one| std::ptr::eq(one.as_ptr(), Arc::as_ptr(queue)))
    }

    fn track(&mut self, queue: &Arc<Queue>) -> usize {
        let known = |track: &Track| std::ptr::eq(track.queue.as_ptr(), Arc::as_ptr(queue));
        match self.tracks.iter().position(known) {
            Some(at) => at,
            None => {
                let queue = Arc::downgrade(queue);
                self.tracks.push(Track { queue, last: None, barrier: None, nodes: Vec::new() });
                self.tracks.len() - 1
            }
        }
    }

    /// Adds the nodes of the same queue that a command must follow.
    fn order_in_queue(
        &mut self,
        queue: &Arc<Queue>,
        order: QueueOrder,
        before: &mut BTreeSet<usize>,
    ) {
        let at = self.track(queue);
        let track = &self.tracks[at];
        if queue.is_in_order() {
            before.extend(track.last);
        }
        before.extend(track.barrier);
        if order.barrier {
            let leaves = track.nodes.iter().copied();
            before.extend(leaves.filter(|&node| self.nodes[node].after.is_empty()));
        }
    }

    /// Records a new node of a queue.
    fn note(&mut self, queue: &Arc<Queue>, index: usize, order: QueueOrder) {
        let at = self.track(queue);
        let track = &mut self.tracks[at];
        track.last = Some(index);
        track.nodes.push(index);
        if order.barrier || order.hold {
            track.barrier = Some(index);
        }
    }

    /// Returns whether a path leads from one node to another.
    fn reaches(&self, from: usize, to: usize) -> bool {
        let mut seen = vec![false; self.nodes.len()];
        let mut open = vec![from];
        while let Some(index) = open.pop() {
            if index == to {
                return true;
            }
            if !std::mem::replace(&mut seen[index], true) {
                open.extend(&self.nodes[index].after);
            }
        }
        false
    }
}

/// Returns the type of a node's command.
pub fn kind_of(node: &NodeRef) -> Result<NodeKind> {
    Ok(node.body()?.kind())
}
