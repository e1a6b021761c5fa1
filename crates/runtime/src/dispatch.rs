//! Passes commands with dependencies of any origin to the queue of a backend.
//!
//! If all dependencies are events of the backend, the backend receives the command immediately.
//! Otherwise the runtime holds the command back: the command has an event of the runtime, and the
//! backend receives it when the foreign dependencies have completed.
//!
//! The runtime only keeps a weak reference to the kernel of a held command. If the image is
//! unloaded first, the command fails instead of keeping the image, or the process, alive.

use std::sync::{Arc, Weak};

use scythe_hal::{self as hal, Command, FunctorBytes, HostWork, Keep, KernelWork, Work};

use crate::event::{Node, Origin, OwnEvent, when_all};
use crate::registry::ReadyKernel;
use crate::timeline::Submission;
use crate::{Errc, Error, Result, submission};

/// The queue of a backend.
#[derive(Clone)]
pub struct BackendQueue {
    pub queue: Arc<dyn hal::Queue>,
    pub origin: Origin,
    /// The identifier of the device.
    pub device: u32,
}

/// The queue of the backend that runs host code.
#[derive(Clone)]
pub struct HostBackendQueue {
    pub queue: Arc<dyn hal::HostQueue>,
    pub origin: Origin,
    /// The identifier of the device.
    pub device: u32,
}

/// What a command does, before it is the backend's, and the queue that it goes to.
pub enum Job<'a> {
    /// Anything for a device but a kernel of an image.
    Plain(&'a BackendQueue, Work),
    /// `work` launches `kernel`.
    Kernel {
        backend_queue: &'a BackendQueue,
        work: Box<KernelWork>,
        kernel: Arc<ReadyKernel>,
    },
    /// A launch of a graph.
    Graph(&'a BackendQueue, Arc<dyn hal::Graph>),
    Host(&'a HostBackendQueue, HostWork),
}

impl Job<'_> {
    fn origin(&self) -> Origin {
        match self {
            Self::Plain(backend_queue, _)
            | Self::Graph(backend_queue, _)
            | Self::Kernel { backend_queue, .. } => backend_queue.origin,
            Self::Host(backend_queue, _) => backend_queue.origin,
        }
    }

    fn hold(self) -> Held {
        match self {
            Self::Plain(backend_queue, work) => Held::Plain(backend_queue.clone(), work),
            Self::Graph(backend_queue, graph) => Held::Graph(backend_queue.clone(), graph),
            Self::Host(backend_queue, work) => Held::Host(backend_queue.clone(), work),
            Self::Kernel { backend_queue, work, kernel } => Held::Kernel(Box::new(HeldKernel {
                backend_queue: backend_queue.clone(),
                kernel: Arc::downgrade(&kernel),
                symbol: kernel.symbol().to_owned(),
                functor: work.functor,
                dims: work.dims,
                global_size: work.global_size,
                local_size: work.local_size,
                global_offset: work.global_offset,
                cooperation: work.cooperation,
                place: work.place,
            })),
        }
    }

    /// # Safety
    /// The contract of [`hal::Queue::enqueue`] must hold for all of `deps`, which must be events of
    /// the queue's backend.
    unsafe fn enqueue(self, deps: &[Node], keep: Keep) -> Result<Node> {
        let events: Vec<_>;
        let deps = match deps {
            [] => &[],
            [one] => std::slice::from_ref(&one.event),
            many => {
                events = many.iter().map(|dep| dep.event.clone()).collect();
                &events[..]
            }
        };
        let origin = self.origin();
        // SAFETY: the caller guarantees the contract of the queue.
        let event = unsafe {
            match self {
                Self::Plain(backend_queue, work) => {
                    backend_queue.queue.enqueue(Command { work, deps, keep })
                }
                Self::Kernel { backend_queue, work, kernel } => {
                    // The work holds the kernel, too.
                    drop(kernel);
                    backend_queue.queue.enqueue(Command { work: Work::Kernel(work), deps, keep })
                }
                Self::Graph(backend_queue, graph) => {
                    backend_queue.queue.launch_graph(&graph, deps, keep)
                }
                Self::Host(backend_queue, work) => {
                    backend_queue.queue.enqueue_host(Command { work, deps, keep })
                }
            }
        }?;
        Ok(Node { event, origin })
    }
}

/// A [`Job`] that does not keep an image loaded.
enum Held {
    Plain(BackendQueue, Work),
    Kernel(Box<HeldKernel>),
    Graph(BackendQueue, Arc<dyn hal::Graph>),
    Host(HostBackendQueue, HostWork),
}

struct HeldKernel {
    backend_queue: BackendQueue,
    kernel: Weak<ReadyKernel>,
    symbol: String,
    functor: FunctorBytes,
    dims: u32,
    global_size: [u64; 3],
    local_size: [u64; 3],
    global_offset: [u64; 3],
    cooperation: hal::Cooperation,
    place: Option<hal::Place>,
}

impl Held {
    /// # Safety
    /// As for [`Job::enqueue`].
    unsafe fn enqueue(self, deps: &[Node], keep: Keep) -> Result<Node> {
        // SAFETY: the caller guarantees the contract of `Job::enqueue`.
        unsafe {
            match self {
                Self::Plain(backend_queue, work) => {
                    Job::Plain(&backend_queue, work).enqueue(deps, keep)
                }
                Self::Graph(backend_queue, graph) => {
                    Job::Graph(&backend_queue, graph).enqueue(deps, keep)
                }
                Self::Host(backend_queue, work) => {
                    Job::Host(&backend_queue, work).enqueue(deps, keep)
                }
                Self::Kernel(held) => {
                    let (symbol, place) = (held.symbol.clone(), held.place);
                    let sent = held.release().and_then(|(backend_queue, work, kernel)| {
                        Job::Kernel { backend_queue: &backend_queue, work, kernel }
                            .enqueue(deps, keep)
                    });
                    // The call that submitted the kernel has returned.
                    sent.map_err(|error| submission::of_kernel(error, &symbol, place))
                }
            }
        }
    }
}

impl HeldKernel {
    fn release(self) -> Result<(BackendQueue, Box<KernelWork>, Arc<ReadyKernel>)> {
        let kernel = self.kernel.upgrade().ok_or_else(|| {
            let symbol = &self.symbol;
            let message = format!(
                "kernel '{symbol}' cannot run: its device image was unloaded before the launch"
            );
            Error::new(Errc::Kernel, message)
        })?;
        let work = Box::new(KernelWork {
            kernel: kernel.clone(),
            functor: self.functor,
            dims: self.dims,
            global_size: self.global_size,
            local_size: self.local_size,
            global_offset: self.global_offset,
            cooperation: self.cooperation,
            place: self.place,
        });
        Ok((self.backend_queue, work, kernel))
    }
}

/// Passes `job` to the backend, immediately or after its foreign dependencies have completed, and
/// returns the event of the command.
///
/// # Safety
/// The contract of [`hal::Queue::enqueue`], for all of `deps`.
pub unsafe fn dispatch(job: Job<'_>, deps: &mut Vec<Node>, keep: Keep) -> Result<Node> {
    let submission = Submission::of(&job, deps);
    // SAFETY: the caller satisfies the same contract.
    let node = unsafe { pass_on(job, deps, keep) }?;
    if let Some(submission) = submission {
        submission.sent(&node);
    }
    Ok(node)
}

/// # Safety
/// As for [`dispatch`].
unsafe fn pass_on(job: Job<'_>, deps: &mut Vec<Node>, keep: Keep) -> Result<Node> {
    let origin = job.origin();
    for dep in deps.iter_mut() {
        if dep.origin == Origin::OWN {
            *dep = dep.clone().resolve();
        }
    }
    // A driver takes longer to report the state of its events than to order commands after them.
    deps.retain(|dep| match dep.origin == origin {
        true => dep.event.known_end() != Some(Ok(())),
        false => dep.outcome() != Some(Ok(())),
    });
    if deps.iter().all(|dep| dep.origin == origin) {
        // SAFETY: the caller satisfies the contract of `enqueue`. All dependencies are events of
        // this backend.
        return unsafe { job.enqueue(deps, keep) };
    }

    let foreign: Vec<Node> = deps.iter().filter(|dep| dep.origin != origin).cloned().collect();
    let own: Vec<Node> = deps.iter().filter(|dep| dep.origin == origin).cloned().collect();
    let event = OwnEvent::new();
    let (held, done) = (job.hold(), event.clone());
    when_all(&foreign, move |result| {
        let sent = result.and_then(|()| {
            // SAFETY: the caller satisfies the contract of `enqueue`. The dependencies of other
            // backends have completed.
            unsafe { held.enqueue(&own, keep) }
        });
        match sent {
            Ok(node) => {
                done.set_inner(node.clone());
                node.event.on_complete(Box::new(move |result| done.complete(result)));
            }
            Err(error) => done.complete(Err(error)),
        }
    });
    Ok(event.node())
}
