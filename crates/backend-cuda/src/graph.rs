//! Graphs of commands: native graphs of the driver.
//!
//! The commands are captured from a stream of their own, so that a graph contains exactly what the
//! queue would submit. Before each command, the capture gets the nodes that the command follows as
//! its dependencies. Memory hints have no nodes.

use std::any::Any;
use std::ptr::{null, null_mut};
use std::sync::Arc;

use scythe_hal::{Graph, GraphNode, Result, Work};

use crate::api::{GraphApi, Handle};
use crate::error::{SUCCESS, is_capture};
use crate::gpu::Gpu;
use crate::launch::Checked;
use crate::meeting::Words;
use crate::queue::{CudaQueue, Step};

/// `CU_STREAM_CAPTURE_MODE_RELAXED`: other threads use the driver without restrictions.
const RELAXED: i32 = 2;
/// `CU_STREAM_SET_CAPTURE_DEPENDENCIES`.
const SET_DEPENDENCIES: u32 = 1;

pub(crate) struct CudaGraph {
    gpu: Arc<Gpu>,
    api: &'static GraphApi,
    /// The graph, which stays alive because its nodes identify those of `exec` in updates.
    graph: Handle,
    exec: Handle,
    /// The node of each kernel that is a single node.
    kernels: Vec<Option<Handle>>,
    /// The words of cooperative launches, one for each node.
    _meetings: Option<Words>,
    /// Nodes refer to the patterns of fills.
    _works: Vec<Work>,
}

// SAFETY: the driver lets any thread use graphs, one at a time. The runtime does not launch and
// update a graph at the same time.
unsafe impl Send for CudaGraph {}
// SAFETY: shared access only reads the handles, and the runtime orders the calls of the driver as
// stated for `Send`.
unsafe impl Sync for CudaGraph {}

impl Drop for CudaGraph {
    fn drop(&mut self) {
        if self.gpu.enter().is_ok() {
            // SAFETY: this object owns both handles.
            unsafe {
                if !self.exec.is_null() {
                    let _ = (self.api.exec_destroy)(self.exec);
                }
                let _ = (self.api.destroy)(self.graph);
            }
        }
    }
}

/// Ends a capture that failed.
struct Capture<'a> {
    api: &'a GraphApi,
    stream: Handle,
    open: bool,
}

impl Capture<'_> {
    fn end(&mut self) -> (Handle, i32) {
        let mut graph = null_mut();
        self.open = false;
        // SAFETY: the stream is alive and captures, and `graph` is writable.
        let code = unsafe { (self.api.end_capture)(self.stream, &mut graph) };
        (graph, code)
    }
}

impl Drop for Capture<'_> {
    fn drop(&mut self) {
        if self.open {
            let (graph, _) = self.end();
            if !graph.is_null() {
                // SAFETY: the capture made the graph, which nothing else refers to.
                let _ = unsafe { (self.api.destroy)(graph) };
            }
        }
    }
}

impl CudaGraph {
    /// Makes a graph of the commands. Returns `None` if the driver has no graphs or cannot capture
    /// one of the commands.
    ///
    /// # Safety
    /// Each launch satisfies the contract of [`scythe_hal::Queue::enqueue`] for each node.
    pub(crate) unsafe fn new(gpu: &Arc<Gpu>, nodes: &[GraphNode]) -> Result<Option<Self>> {
        let Some(api) = &gpu.api.graphs else { return Ok(None) };
        gpu.enter()?;
        let works: Vec<Work> = nodes.iter().map(|node| node.work.clone()).collect();
        let queue = CudaQueue::new(gpu, true, false, None)?;
        let steps =
            works.iter().map(|work| queue.check(work)).collect::<Result<Vec<Step<'_>>>>()?;
        let stream = queue.own_stream()?.raw;
        let meets = |step: &Step<'_>| matches!(step, Step::Kernel(launch, _) if launch.meets());
        let meetings = match steps.iter().any(meets) {
            true => Some(Words::new(gpu, steps.len(), stream)?),
            false => None,
        };
        // SAFETY: the stream is alive, and only this function uses it.
        let code = unsafe { (api.begin_capture)(stream, RELAXED) };
        gpu.check(code, "cuStreamBeginCapture")?;
        let mut capture = Capture { api, stream, open: true };
        let mut ends: Vec<Vec<Handle>> = Vec::with_capacity(nodes.len());
        let mut kernels = Vec::with_capacity(nodes.len());
        for (index, (node, step)) in nodes.iter().zip(&steps).enumerate() {
            let mut before: Vec<Handle> =
                node.deps.iter().flat_map(|&dep| ends[dep].iter().copied()).collect();
            before.sort_unstable();
            before.dedup();
            if matches!(step, Step::Nothing | Step::Hint { .. }) {
                ends.push(before);
                kernels.push(None);
                continue;
            }
            let meeting = meetings.as_ref().filter(|_| meets(step));
            let meeting = meeting.map_or(0, |words| words.address(index));
            // SAFETY: the stream captures, and the nodes belong to its graph. The caller guarantees
            // the contract of `enqueue` for each launch.
            let code = unsafe {
                match (api.set_dependencies)(
                    stream,
                    before.as_mut_ptr(),
                    before.len(),
                    SET_DEPENDENCIES,
                ) {
                    SUCCESS => queue.perform(step, stream, meeting),
                    code => code,
                }
            };
            if is_capture(code) {
                return Ok(None);
            }
            if code != SUCCESS {
                drop(capture);
                return Err(queue.failure(step, code));
            }
            let last = match last_nodes(api, stream) {
                Ok(last) => last,
                Err(code) if is_capture(code) => return Ok(None),
                Err(code) => return Err(gpu.error(code, "cuStreamGetCaptureInfo")),
            };
            let single = matches!(step, Step::Kernel(launch, _) if launch.is_plain());
            kernels.push(last.first().copied().filter(|_| single && last.len() == 1));
            ends.push(last);
        }
        let (graph, code) = capture.end();
        if is_capture(code) {
            return Ok(None);
        }
        gpu.check(code, "cuStreamEndCapture")?;
        drop(steps);
        let mut made = Self {
            gpu: gpu.clone(),
            api,
            graph,
            exec: null_mut(),
            kernels,
            _meetings: meetings,
            _works: works,
        };
        // SAFETY: the graph is alive, and the address is writable.
        let code = unsafe { (api.instantiate)(&mut made.exec, graph, 0) };
        gpu.check(code, "cuGraphInstantiate")?;
        Ok(Some(made))
    }
}

impl CudaGraph {
    /// Adds a launch to the stream. Returns the driver's result code.
    ///
    /// # Safety
    /// The contract of [`scythe_hal::Queue::launch_graph`], and the stream belongs to the current
    /// context.
    pub(crate) unsafe fn launch(&self, stream: Handle) -> i32 {
        // SAFETY: the graph is alive, and the caller guarantees that the stream is.
        unsafe { (self.api.launch)(self.exec, stream) }
    }
}

/// Returns the nodes that the next captured command would follow.
fn last_nodes(api: &GraphApi, stream: Handle) -> std::result::Result<Vec<Handle>, i32> {
    let (mut status, mut id, mut graph) = (0i32, 0u64, null_mut());
    let (mut nodes, mut count) = (null::<Handle>(), 0usize);
    // SAFETY: the stream captures, and all addresses are writable.
    let code = unsafe {
        (api.capture_info)(stream, &mut status, &mut id, &mut graph, &mut nodes, &mut count)
    };
    match code {
        // SAFETY: the driver's list is valid until the next call for the stream.
        SUCCESS if count > 0 => Ok(unsafe { std::slice::from_raw_parts(nodes, count) }.to_vec()),
        SUCCESS => Ok(Vec::new()),
        code => Err(code),
    }
}

impl Graph for CudaGraph {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn update(&self, changes: &[(usize, &Work)]) -> Result<bool> {
        let Some(set) = self.api.exec_kernel_set else { return Ok(false) };
        let queue = CudaQueue::new(&self.gpu, true, false, None)?;
        let mut steps: Vec<(Handle, Checked<'_>)> = Vec::with_capacity(changes.len());
        for &(node, work) in changes {
            match (self.kernels.get(node).copied().flatten(), queue.check(work)?) {
                (Some(node), Step::Kernel(launch, _)) if launch.is_plain() => {
                    steps.push((node, launch));
                }
                _ => return Ok(false),
            }
        }
        for (node, launch) in &steps {
            // SAFETY: the functor contains every parameter at its offset, and the node belongs to
            // the graph that `exec` was made from.
            let code = unsafe { launch.with_params(|params| set(self.exec, *node, params)) };
            // The kernel may not be exchangeable. A new graph has all changes.
            if code != SUCCESS {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
