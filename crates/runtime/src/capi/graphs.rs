//! Graphs of commands.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use scythe_abi::capi::{
    self as c, ContextHandle, Destroy, DeviceHandle, DeviceT, EventHandle, GraphChoiceHandle,
    GraphExecHandle, GraphHandle, GraphNodeHandle, QueueHandle, Status, graph_exec_flags,
    graph_flags, graph_selection,
};

use super::handles::{check_out, get, give, put, release, retain, share, slice, text};
use super::submit::owned_access;
use super::{edge, edge_or};
use crate::graph::body::Kept;
use crate::graph::exec::Exec;
use crate::graph::record::RecordedEvent;
use crate::graph::{Graph, NodeRef, Options, dynamic_local, kind_of};
use crate::launch::Ranges;
use crate::{Result, invalid};

/// The function that receives nodes.
type NodeSink = unsafe extern "C" fn(ctx: *mut c_void, node: GraphNodeHandle);

/// The object behind the handle of a dynamic command group.
pub struct Choice {
    graph: Arc<Graph>,
    body: Arc<crate::graph::body::Body>,
}

/// Checks that `flags` has only bits of `known`.
fn check_flags(flags: u32, known: u32) -> Result<()> {
    match flags & !known {
        0 => Ok(()),
        _ => Err(invalid(format!(
            "graph flags {flags:#x} contain unknown bits, expected a subset of {known:#x}"
        ))),
    }
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_graph_create(
    context: ContextHandle,
    device: DeviceHandle,
    flags: u32,
    out: *mut GraphHandle,
) -> Status {
    edge(|| {
        check_out(out, "graph")?;
        check_flags(flags, graph_flags::NO_CYCLE_CHECK | graph_flags::BUFFERS_OUTLIVE)?;
        // SAFETY: the caller guarantees that `context` is null or a live handle.
        let context = unsafe { share(context) }?;
        // SAFETY: the caller guarantees that `device` is null or a live handle; devices are never
        // freed.
        let device = unsafe { get::<DeviceT>(device) }?;
        let options = Options {
            no_cycle_check: flags & graph_flags::NO_CYCLE_CHECK != 0,
            buffers_outlive_graph: flags & graph_flags::BUFFERS_OUTLIVE != 0,
        };
        let owner = Graph::create(context, device, options)?;
        // SAFETY: the caller guarantees that `out` is null or valid for a write.
        unsafe { put(out, "graph", give(owner)) }
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_graph_retain(handle: GraphHandle) {
    // SAFETY: the caller guarantees that `handle` is null or a live handle.
    unsafe { retain(handle) };
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_graph_release(handle: GraphHandle) {
    edge_or((), || {
        // SAFETY: the caller guarantees that `handle` is null or a live handle with a reference
        // that the caller owns.
        unsafe { release(handle) };
        Ok(())
    });
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_graph_node_retain(handle: GraphNodeHandle) {
    // SAFETY: the caller guarantees that `handle` is null or a live handle.
    unsafe { retain(handle) };
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_graph_node_release(handle: GraphNodeHandle) {
    edge_or((), || {
        // SAFETY: the caller guarantees that `handle` is null or a live handle with a reference
        // that the caller owns.
        unsafe { release(handle) };
        Ok(())
    });
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_graph_exec_retain(handle: GraphExecHandle) {
    // SAFETY: the caller guarantees that `handle` is null or a live handle.
    unsafe { retain(handle) };
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_graph_exec_release(handle: GraphExecHandle) {
    edge_or((), || {
        // SAFETY: the caller guarantees that `handle` is null or a live handle with a reference
        // that the caller owns.
        unsafe { release(handle) };
        Ok(())
    });
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_graph_choice_retain(handle: GraphChoiceHandle) {
    // SAFETY: the caller guarantees that `handle` is null or a live handle.
    unsafe { retain(handle) };
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_graph_choice_release(handle: GraphChoiceHandle) {
    edge_or((), || {
        // SAFETY: the caller guarantees that `handle` is null or a live handle with a reference
        // that the caller owns.
        unsafe { release(handle) };
        Ok(())
    });
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_graph_id(graph: GraphHandle) -> u64 {
    // SAFETY: the caller guarantees that `graph` is null or a live handle.
    edge_or(0, || Ok(unsafe { get(graph) }?.graph.id))
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_graph_bind(graph: GraphHandle, queue: QueueHandle) -> Status {
    edge(|| {
        // SAFETY: the caller guarantees that `graph` is null or a live handle.
        let graph = &unsafe { get(graph) }?.graph;
        // SAFETY: the caller guarantees that `queue` is null or a live handle.
        let queue = unsafe { share(queue) }?;
        graph.bind(&queue)
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_graph_begin(graph: GraphHandle, queue: QueueHandle) -> Status {
    edge(|| {
        // SAFETY: the caller guarantees that `graph` is null or a live handle.
        let graph = &unsafe { get(graph) }?.graph;
        // SAFETY: the caller guarantees that `queue` is null or a live handle.
        let queue = unsafe { share(queue) }?;
        graph.begin_recording(&queue)
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_graph_end(graph: GraphHandle, queue: QueueHandle) -> Status {
    edge(|| {
        // SAFETY: the caller guarantees that `graph` is null or a live handle.
        let graph = &unsafe { get(graph) }?.graph;
        if queue.is_null() {
            graph.end_recording();
            return Ok(());
        }
        // SAFETY: the caller guarantees that `queue` is null or a live handle.
        let queue = unsafe { share(queue) }?;
        graph.end_recording_of(&queue)
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_graph_check_explicit(
    graph: GraphHandle,
    what: *const c_char,
) -> Status {
    edge(|| {
        // SAFETY: the caller guarantees that `graph` is null or a live handle.
        let graph = &unsafe { get(graph) }?.graph;
        // SAFETY: the caller guarantees that `what` is null or a C string.
        graph.check_explicit(unsafe { text(what, "what") }?)
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_queue_is_recording(queue: QueueHandle) -> i32 {
    // SAFETY: the caller guarantees that `queue` is null or a live handle.
    edge_or(0, || Ok(i32::from(unsafe { get(queue) }?.is_recording())))
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_queue_graph(queue: QueueHandle, out: *mut GraphHandle) -> Status {
    edge(|| {
        check_out(out, "graph")?;
        // SAFETY: the caller guarantees that `queue` is null or a live handle.
        let recorder = unsafe { get(queue) }?.recorder();
        let owner = recorder.and_then(|recorder| recorder.graph.owner());
        let owner = owner.ok_or_else(|| {
            invalid("ext_oneapi_get_graph: the queue is not recording to a graph")
        })?;
        // SAFETY: the caller guarantees that `out` is null or valid for a write.
        unsafe { put(out, "graph", give(owner)) }
    })
}

/// Keeps an object of the program as long as the recorded command of an event exists.
///
/// # Safety
/// See [`super`]. If the result is 1, it must be sound to call `destroy` with `object` once, on any
/// thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_graph_keep(
    event: EventHandle,
    object: *mut c_void,
    destroy: Option<Destroy>,
) -> i32 {
    edge_or(0, || {
        // SAFETY: the caller guarantees that `event` is null or a live handle.
        let event = unsafe { get(event) }?;
        let destroy = destroy.ok_or_else(|| invalid("the function that frees is null"))?;
        let Some(recorded) = RecordedEvent::of(&event.node) else { return Ok(0) };
        recorded.graph.keep(recorded.index, Kept { object, destroy });
        Ok(1)
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_graph_node_of_event(
    event: EventHandle,
    out: *mut GraphNodeHandle,
) -> Status {
    edge(|| {
        check_out(out, "node")?;
        let recorded = if event.is_null() {
            None
        } else {
            // SAFETY: the caller guarantees that the handle is live.
            RecordedEvent::of(&unsafe { get(event) }?.node)
        };
        let node = recorded.and_then(|recorded| {
            Some(NodeRef { graph: recorded.graph.clone(), index: recorded.index? })
        });
        let node = node.ok_or_else(|| {
            invalid("get_node_from_event: the event does not belong to a node of a graph")
        })?;
        // SAFETY: the caller guarantees that `out` is null or valid for a write.
        unsafe { put(out, "node", give(Arc::new(node))) }
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_graph_node_id(node: GraphNodeHandle) -> u64 {
    edge_or(0, || {
        // SAFETY: the caller guarantees that `node` is null or a live handle.
        let node = unsafe { get(node) }?;
        Ok(node.graph.id << 32 | node.index as u64)
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_graph_node_type(node: GraphNodeHandle, out: *mut u32) -> Status {
    edge(|| {
        // SAFETY: the caller guarantees that `node` is null or a live handle.
        let node = unsafe { get(node) }?;
        // SAFETY: the caller guarantees that `out` is null or valid for a write.
        unsafe { put(out, "type", kind_of(node)? as u32) }
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_graph_make_edge(
    graph: GraphHandle,
    source: GraphNodeHandle,
    target: GraphNodeHandle,
) -> Status {
    edge(|| {
        // SAFETY: the caller guarantees that `graph` is null or a live handle.
        let graph = &unsafe { get(graph) }?.graph;
        // SAFETY: the caller guarantees that the nodes are null or live handles.
        let (source, target) = unsafe { (get(source)?, get(target)?) };
        graph.make_edge(source, target)
    })
}

/// # Safety
/// See [`super`]. It must be sound to call `sink` with `ctx`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_graph_select(
    graph: GraphHandle,
    node: GraphNodeHandle,
    selection: u32,
    sink: Option<NodeSink>,
    ctx: *mut c_void,
) -> Status {
    edge(|| {
        let sink = sink.ok_or_else(|| invalid("the function that receives nodes is null"))?;
        let (graph, nodes) = match selection {
            graph_selection::PREDECESSORS | graph_selection::SUCCESSORS => {
                // SAFETY: the caller guarantees that `node` is null or a live handle.
                let node = unsafe { get(node) }?;
                let nodes = match selection {
                    graph_selection::PREDECESSORS => node.graph.before(node.index),
                    _ => node.graph.after(node.index),
                };
                (&node.graph, nodes)
            }
            _ => {
                // SAFETY: the caller guarantees that `graph` is null or a live handle.
                let graph = &unsafe { get(graph) }?.graph;
                let nodes = match selection {
                    graph_selection::NODES => (0..graph.len()).collect(),
                    graph_selection::ROOTS => graph.roots(),
                    graph_selection::LEAVES => graph.leaves(),
                    _ => {
                        return Err(invalid(format!(
                            "selection {selection} of nodes is unknown, expected 0 to 4"
                        )));
                    }
                };
                (graph, nodes)
            }
        };
        for index in nodes {
            let node = Arc::new(NodeRef { graph: graph.clone(), index });
            // SAFETY: the caller guarantees that it is sound to call `sink` with `ctx`.
            unsafe { sink(ctx, give(node)) };
        }
        Ok(())
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_graph_node_set_ranges(
    node: GraphNodeHandle,
    ranges: *const c::KernelLaunch,
) -> Status {
    edge(|| {
        // SAFETY: the caller guarantees that `node` is null or a live handle.
        let node = unsafe { get(node) }?;
        // SAFETY: the caller guarantees that `ranges` is null or valid for reads.
        let launch = unsafe { ranges.as_ref() }.ok_or_else(|| invalid("the ranges are null"))?;
        let Ranges { shape, dims, global_size, local_size, global_offset, .. } =
            Ranges::new(launch)?;
        let sizes = [global_size, local_size, global_offset];
        node.body()?.set_ranges(node.graph.device, shape, dims, sizes)
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_graph_print(
    graph: GraphHandle,
    path: *const c_char,
    verbose: i32,
) -> Status {
    edge(|| {
        // SAFETY: the caller guarantees that `graph` is null or a live handle.
        let graph = &unsafe { get(graph) }?.graph;
        // SAFETY: the caller guarantees that `path` is null or a C string.
        graph.print(unsafe { text(path, "path") }?, verbose != 0)
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_graph_choice_open(
    graph: GraphHandle,
    out: *mut GraphChoiceHandle,
) -> Status {
    edge(|| {
        check_out(out, "choice")?;
        // SAFETY: the caller guarantees that `graph` is null or a live handle.
        let graph = &unsafe { get(graph) }?.graph;
        let choice = Choice { graph: graph.clone(), body: graph.open_choice()? };
        // SAFETY: the caller guarantees that `out` is null or valid for a write.
        unsafe { put(out, "choice", give(Arc::new(choice))) }
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_graph_choice_close(graph: GraphHandle) {
    edge_or((), || {
        // SAFETY: the caller guarantees that `graph` is null or a live handle.
        unsafe { get(graph) }?.graph.close_choice();
        Ok(())
    });
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_graph_choice_check(choice: GraphChoiceHandle) -> Status {
    edge(|| {
        // SAFETY: the caller guarantees that `choice` is null or a live handle.
        let choice = unsafe { get(choice) }?;
        choice.body.check_choice()
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_graph_choice_activate(
    choice: GraphChoiceHandle,
    index: u64,
) -> Status {
    edge(|| {
        // SAFETY: the caller guarantees that `choice` is null or a live handle.
        let choice = unsafe { get(choice) }?;
        choice.body.activate(usize::try_from(index).unwrap_or(usize::MAX))
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_graph_choice_active(choice: GraphChoiceHandle) -> u64 {
    // SAFETY: the caller guarantees that `choice` is null or a live handle.
    edge_or(0, || Ok(unsafe { get(choice) }?.body.active_index() as u64))
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_graph_choice_add(
    graph: GraphHandle,
    choice: GraphChoiceHandle,
    out: *mut GraphNodeHandle,
) -> Status {
    edge(|| {
        check_out(out, "node")?;
        // SAFETY: the caller guarantees that `graph` is null or a live handle.
        let graph = &unsafe { get(graph) }?.graph;
        // SAFETY: the caller guarantees that `choice` is null or a live handle.
        let choice = unsafe { get(choice) }?;
        if !Arc::ptr_eq(graph, &choice.graph) {
            return Err(invalid("add: the dynamic_command_group belongs to another graph"));
        }
        graph.check_explicit("add")?;
        let index = graph.add_choice(&choice.body)?;
        let node = NodeRef { graph: graph.clone(), index };
        // SAFETY: the caller guarantees that `out` is null or valid for a write.
        unsafe { put(out, "node", give(Arc::new(node))) }
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_graph_node_choice(
    node: GraphNodeHandle,
    out: *mut GraphChoiceHandle,
) -> Status {
    edge(|| {
        check_out(out, "choice")?;
        // SAFETY: the caller guarantees that `node` is null or a live handle.
        let node = unsafe { get(node) }?;
        let choice = Choice { graph: node.graph.clone(), body: node.body()? };
        // SAFETY: the caller guarantees that `out` is null or valid for a write.
        unsafe { put(out, "choice", give(Arc::new(choice))) }
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_graph_choice_set_argument(
    choice: GraphChoiceHandle,
    index: u64,
    argument: u32,
    bytes: *const c_void,
    size: u64,
    requirement: *const c::Requirement,
) -> Status {
    edge(|| {
        // SAFETY: the caller guarantees that `choice` is null or a live handle.
        let choice = unsafe { get(choice) }?;
        // SAFETY: the caller guarantees that `bytes` is null or valid for reads of `size` bytes.
        let bytes = unsafe { slice(bytes.cast::<u8>(), size, "bytes") }?;
        // SAFETY: the caller guarantees that `requirement` is null or valid for reads.
        let access = unsafe { requirement.as_ref() }
            // SAFETY: the caller guarantees that the buffer is null or a live handle.
            .map(|requirement| unsafe { owned_access(requirement, false) })
            .transpose()?;
        let index = usize::try_from(index).unwrap_or(usize::MAX);
        choice.body.set_argument(choice.graph.device, index, argument, bytes, access)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn scythe_dynamic_local_number() -> u64 {
    dynamic_local::number()
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_dynamic_local_update(
    number: u64,
    words: *const c_void,
    size: u64,
) -> Status {
    edge(|| {
        // SAFETY: the caller guarantees that `words` is null or valid for reads of `size` bytes.
        let words = unsafe { slice(words.cast::<u8>(), size, "words") }?;
        dynamic_local::update(number, words)
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_graph_finalize(
    graph: GraphHandle,
    flags: u32,
    out: *mut GraphExecHandle,
) -> Status {
    edge(|| {
        check_out(out, "executable graph")?;
        check_flags(flags, graph_exec_flags::UPDATABLE | graph_exec_flags::PROFILING)?;
        // SAFETY: the caller guarantees that `graph` is null or a live handle.
        let graph = &unsafe { get(graph) }?.graph;
        let updatable = flags & graph_exec_flags::UPDATABLE != 0;
        let exec = Exec::new(graph, updatable, flags & graph_exec_flags::PROFILING != 0)?;
        // SAFETY: the caller guarantees that `out` is null or valid for a write.
        unsafe { put(out, "executable graph", give(exec)) }
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_graph_exec_update_nodes(
    exec: GraphExecHandle,
    nodes: *const GraphNodeHandle,
    count: u64,
) -> Status {
    edge(|| {
        // SAFETY: the caller guarantees that `exec` is null or a live handle.
        let exec = unsafe { get(exec) }?;
        // SAFETY: the caller guarantees that `nodes` is null or valid for reads of `count` values.
        let nodes = unsafe { slice(nodes, count, "nodes") }?;
        // SAFETY: the caller guarantees that each node is null or a live handle.
        let nodes = nodes.iter().map(|&node| unsafe { get(node) }).collect::<Result<Vec<_>>>()?;
        exec.update_nodes(&nodes)
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_graph_exec_update(
    exec: GraphExecHandle,
    source: GraphHandle,
) -> Status {
    edge(|| {
        // SAFETY: the caller guarantees that `exec` is null or a live handle.
        let exec = unsafe { get(exec) }?;
        // SAFETY: the caller guarantees that `source` is null or a live handle.
        exec.update_from(&unsafe { get(source) }?.graph)
    })
}
