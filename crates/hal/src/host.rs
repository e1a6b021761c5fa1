//! Work that runs host code: host tasks, and kernels of host mode.
//!
//! Only the CPU backend runs it (and the null backend, for tests). The runtime always has a CPU
//! device, and sends host work there whatever device a SYCL queue is for. Queues of other devices
//! cannot be given host work: it has a type and a queue trait of its own.

use std::ffi::c_void;
use std::sync::Arc;

use scythe_abi::launch::Shape;

use crate::{Command, Event, FunctorBytes, Queue, Result};

/// A kernel of host mode: plain C++ called by the CPU backend's threads.
pub struct HostKernelWork {
    pub call:
        unsafe extern "C" fn(functor: *const c_void, host_box: *const scythe_abi::capi::HostBox),
    pub functor: FunctorBytes,
    pub shape: Shape,
    pub global_size: [u64; 3],
    pub local_size: [u64; 3],
    pub global_offset: [u64; 3],
}

/// A closure for a thread of the runtime. It may block for a long time, and must not delay kernels.
pub type HostTask = Box<dyn FnOnce() -> Result<()> + Send>;

/// Host code that a command runs once its dependencies have completed.
pub enum HostWork {
    Kernel(Box<HostKernelWork>),
    Task(HostTask),
}

/// A queue that also runs host code. Events of both kinds of commands order each other.
pub trait HostQueue: Queue {
    /// Runs host work as [`Queue::enqueue`] runs device work.
    ///
    /// # Safety
    /// The functor of a kernel is of the type that its function expects. Addresses that the host
    /// code uses are valid as for [`Queue::enqueue`].
    unsafe fn enqueue_host(&self, command: Command<'_, HostWork>) -> Result<Arc<dyn Event>>;
}
