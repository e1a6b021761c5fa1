//! Queues that record commands to graphs, and the events of recorded commands.
//!
//! A recording queue passes its commands to the graph instead of a backend. A command that waits
//! for the event of a recorded command changes its queue to the recording state as well, as long as
//! the graph still records.

use std::any::Any;
use std::sync::{Arc, Mutex, Weak};

use scythe_hal::{Callback, Event, Status};

use super::Graph;
use crate::event::{Node, Origin};
use crate::memory::Buffer;
use crate::queue::Queue;
use crate::{Error, Result, invalid, lock};

/// The state of a queue that records.
#[derive(Clone)]
pub struct Recorder {
    pub graph: Arc<Graph>,
    /// Whether the queue belongs to the explicit interface of the graph.
    pub explicit: bool,
}

/// The event of a recorded command. `index` is its node, except in dynamic command groups.
pub struct RecordedEvent {
    pub graph: Arc<Graph>,
    pub index: Option<usize>,
}

impl RecordedEvent {
    pub fn node(self) -> Node {
        Node { event: Arc::new(self), origin: Origin::OWN }
    }

    /// Returns the recorded command of an event.
    pub fn of(node: &Node) -> Option<&Self> {
        node.event.as_any().downcast_ref()
    }

    /// The error of an operation that needs a command which was submitted.
    pub fn error() -> Error {
        invalid(
            "the event belongs to a command that was recorded to a graph; such events can only be \
             dependencies of other commands of the graph",
        )
    }
}

impl Event for RecordedEvent {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn status(&self) -> Status {
        Status::Submitted
    }

    fn wait(&self) -> Result<()> {
        Err(Self::error())
    }

    fn on_complete(&self, f: Callback) {
        f(Err(Self::error()));
    }

    fn times(&self) -> Option<scythe_hal::Times> {
        None
    }
}

impl Graph {
    /// Makes `queue` record its commands to the graph.
    pub fn begin_recording(self: &Arc<Self>, queue: &Arc<Queue>) -> Result<()> {
        self.check_queue(queue)?;
        queue.start_recording(Recorder { graph: self.clone(), explicit: false })?;
        lock(&self.state).recording.push(Arc::downgrade(queue));
        let mut recorded = lock(&RECORDED);
        if !recorded.iter().any(|graph| std::ptr::eq(graph.as_ptr(), Arc::as_ptr(self))) {
            recorded.push(Arc::downgrade(self));
        }
        Ok(())
    }

    /// Makes `queue` add its commands to the graph as nodes of the explicit interface.
    pub fn bind(self: &Arc<Self>, queue: &Arc<Queue>) -> Result<()> {
        self.check_queue(queue)?;
        queue.start_recording(Recorder { graph: self.clone(), explicit: true })?;
        lock(&self.state).explicit.push(Arc::downgrade(queue));
        Ok(())
    }

    /// Checks that the queue has the context and the device of the graph.
    pub fn check_queue(&self, queue: &Queue) -> Result<()> {
        if queue.context.id != self.context.id {
            return Err(invalid("the queue and the graph belong to different contexts"));
        }
        if queue.device.id != self.device.id {
            return Err(invalid(format!(
                "the queue's device '{}' is not the graph's device '{}'",
                queue.device.name(),
                self.device.name()
            )));
        }
        Ok(())
    }

    /// Ends recording on `queue`. A queue that does not record is left alone.
    pub fn end_recording_of(self: &Arc<Self>, queue: &Arc<Queue>) -> Result<()> {
        match queue.recorder() {
            None => Ok(()),
            Some(recorder) if Arc::ptr_eq(&recorder.graph, self) => {
                queue.stop_recording();
                let other = |one: &Weak<Queue>| !std::ptr::eq(one.as_ptr(), Arc::as_ptr(queue));
                lock(&self.state).recording.retain(other);
                Ok(())
            }
            Some(_) => Err(invalid("end_recording: the queue is recording to another graph")),
        }
    }

    /// Ends recording on all queues that record to the graph. The explicit interface stays usable
    /// as long as the program has the graph.
    pub fn end_recording(&self) {
        let (recording, explicit) = {
            let mut state = lock(&self.state);
            let closing = state.owner.strong_count() == 0;
            let explicit = if closing { std::mem::take(&mut state.explicit) } else { Vec::new() };
            (std::mem::take(&mut state.recording), explicit)
        };
        for queue in recording.iter().chain(&explicit).filter_map(Weak::upgrade) {
            queue.stop_recording();
        }
    }

    pub fn is_recording(&self) -> bool {
        lock(&self.state).recording.iter().any(|queue| queue.strong_count() > 0)
    }
}

/// The graphs to which queues have recorded.
static RECORDED: Mutex<Vec<Weak<Graph>>> = Mutex::new(Vec::new());

/// Checks that no graph that still records uses the buffer.
pub fn check_host_access(buffer: &Buffer) -> Result<()> {
    let graphs: Vec<_> = {
        let mut list = lock(&RECORDED);
        list.retain(|graph| graph.strong_count() > 0);
        list.iter().filter_map(Weak::upgrade).collect()
    };
    match graphs.iter().any(|graph| graph.is_recording_use_of(buffer.memory_address())) {
        false => Ok(()),
        true => Err(invalid(
            "a host accessor uses a buffer of commands that are being recorded to a graph; call \
             end_recording first",
        )),
    }
}

/// Returns the graph that a command of `queue` with these events is recorded to, or `None` if the
/// command is submitted. The queue starts to record if an event belongs to a command of a graph
/// that still records.
pub fn recorder_for(queue: &Arc<Queue>, events: &[Node]) -> Result<Option<Recorder>> {
    let recorded = events.iter().find_map(RecordedEvent::of);
    let current = queue.recorder();
    let Some(event) = recorded else { return Ok(current) };
    if current.is_some() {
        return Ok(current);
    }
    if !event.graph.is_recording() {
        return Err(RecordedEvent::error());
    }
    event.graph.begin_recording(queue)?;
    Ok(queue.recorder())
}

/// Returns the nodes of the events that a recorded command waits for.
pub fn nodes_of(graph: &Arc<Graph>, events: &[Node]) -> Result<Vec<usize>> {
    let node = |event: &Node| match RecordedEvent::of(event) {
        Some(recorded) if Arc::ptr_eq(&recorded.graph, graph) => {
            recorded.index.ok_or_else(|| invalid("the event belongs to a dynamic_command_group"))
        }
        Some(_) => Err(invalid(
            "a command that is recorded to a graph depends on a command of another graph",
        )),
        None => Err(invalid(
            "a command that is recorded to a graph depends on an event of a command that was not \
             recorded to the graph",
        )),
    };
    events.iter().map(node).collect()
}
