//! The queue, which turns work into commands of the task graph. Queues share the executor and
//! differ only in their settings.

use std::sync::Arc;

use scythe_hal::{Command, Errc, Error, Event, Graph, HostQueue, HostWork, Keep, Queue, Result};

use crate::executor::Executor;
use crate::graph::CpuGraph;
use crate::job::Job;
use crate::node::Node;

/// The maximum number of dependencies that are listed on the stack.
const INLINE_DEPS: usize = 8;

pub(crate) struct CpuQueue {
    executor: &'static Executor,
    profiling: bool,
    local_limit: u64,
}

impl CpuQueue {
    pub(crate) fn new(executor: &'static Executor, profiling: bool, local_limit: u64) -> Self {
        Self { executor, profiling, local_limit }
    }

    fn submit(&self, job: Job, deps: &[Arc<dyn Event>], keep: Keep) -> Result<Arc<dyn Event>> {
        let node = match deps {
            [] => self.executor.submit(job, &[], keep, self.profiling)?,
            [first, rest @ ..] if rest.len() < INLINE_DEPS => {
                let mut nodes = [node_of(first)?; INLINE_DEPS];
                for (slot, event) in nodes[1..].iter_mut().zip(rest) {
                    *slot = node_of(event)?;
                }
                self.executor.submit(job, &nodes[..deps.len()], keep, self.profiling)?
            }
            many => {
                let nodes = many.iter().map(node_of).collect::<Result<Vec<_>>>()?;
                self.executor.submit(job, &nodes, keep, self.profiling)?
            }
        };
        Ok(node)
    }
}

fn node_of(event: &Arc<dyn Event>) -> Result<&Node> {
    event.as_any().downcast_ref().ok_or_else(|| {
        Error::new(
            Errc::BackendMismatch,
            "a command for the CPU device depends on an event of another backend",
        )
    })
}

impl Queue for CpuQueue {
    unsafe fn enqueue(&self, command: Command<'_>) -> Result<Arc<dyn Event>> {
        let estimate = |code, items| self.executor.estimate(code, items);
        let job = Job::new(command.work, self.executor, self.local_limit, &estimate)?;
        self.submit(job, command.deps, command.keep)
    }

    unsafe fn launch_graph(
        &self,
        graph: &Arc<dyn Graph>,
        deps: &[Arc<dyn Event>],
        keep: Keep,
    ) -> Result<Arc<dyn Event>> {
        let Some(graph) = graph.as_any().downcast_ref::<CpuGraph>() else {
            let message = "a graph of another backend was launched on the CPU device";
            return Err(Error::new(Errc::BackendMismatch, message));
        };
        let nodes = deps.iter().map(node_of).collect::<Result<Vec<_>>>()?;
        graph.launch(&nodes, keep, self.profiling)
    }
}

impl HostQueue for CpuQueue {
    unsafe fn enqueue_host(&self, command: Command<'_, HostWork>) -> Result<Arc<dyn Event>> {
        let job = Job::host(command.work, self.executor.threads())?;
        self.submit(job, command.deps, command.keep)
    }
}
