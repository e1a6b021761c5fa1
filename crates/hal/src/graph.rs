//! Graphs of commands that are prepared once and launched many times.
//!
//! The runtime passes a device the commands of a SYCL graph with [`Device::create_graph`] and
//! launches them with [`Queue::launch_graph`]. A graph contains device work only: the runtime runs
//! host tasks between graphs. A backend without graphs returns `None`, and the runtime then
//! enqueues the commands one by one at each launch.
//!
//! [`Device::create_graph`]: crate::Device::create_graph
//! [`Queue::launch_graph`]: crate::Queue::launch_graph

use std::any::Any;

use crate::{KernelWork, Result, Work};

/// A command of a graph.
pub struct GraphNode {
    pub work: Work,
    /// The indices of the nodes that must complete first. All are less than the node's own index.
    pub deps: Vec<usize>,
}

/// A prepared graph. Backends downcast it.
pub trait Graph: Send + Sync + Any {
    fn as_any(&self) -> &dyn Any;

    /// Replaces the work of nodes for later launches. Launches that were enqueued before keep their
    /// work. The new work is of the same variant as the old work. Returns `false`, without any
    /// effect, if the graph must be created anew instead.
    fn update(&self, _changes: &[(usize, &Work)]) -> Result<bool> {
        Ok(false)
    }
}

impl Clone for KernelWork {
    fn clone(&self) -> Self {
        Self { kernel: self.kernel.clone(), functor: self.functor.clone(), ..*self }
    }
}

impl Clone for Work {
    fn clone(&self) -> Self {
        match self {
            Self::Marker => Self::Marker,
            Self::Kernel(work) => Self::Kernel(work.clone()),
            &Self::Memcpy { dst, src, size } => Self::Memcpy { dst, src, size },
            &Self::CopyRect { dst, src, region } => Self::CopyRect { dst, src, region },
            &Self::Hint { ptr, size, hint } => Self::Hint { ptr, size, hint },
            Self::Fill { dst, pattern, count } => {
                Self::Fill { dst: *dst, pattern: pattern.clone(), count: *count }
            }
        }
    }
}
