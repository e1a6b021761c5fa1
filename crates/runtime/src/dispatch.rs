//! From a command with dependencies of any origin to a backend's queue.
//!
//! Where every dependency is the backend's own, the backend gets the command at once. Otherwise the
//! command is held back: it gets an event of the runtime, and goes to the backend when the foreign
//! dependencies have completed.
//!
//! A held kernel is held weakly: when its image is unloaded first, the command fails instead of
//! keeping the image, or the process, alive.

use std::any::Any;
use std::sync::{Arc, Weak};

use scythe_hal::{self as hal, FunctorBytes, KernelWork, Work};

use crate::event::{Node, Origin, OwnEvent, when_all};
use crate::registry::ReadyKernel;
use crate::{Errc, Error, Result};

/// A backend's queue.
#[derive(Clone)]
pub struct Target {
    pub queue: Arc<dyn hal::Queue>,
    pub origin: Origin,
}

/// What is dropped once a command has finished.
pub type Keep = Option<Box<dyn Any + Send + Sync>>;

/// What a command does, before it is the backend's.
pub enum Job {
    /// Anything but a kernel of an image.
    Plain(Work),
    /// `work` launches `kernel`.
    Kernel { work: Box<KernelWork>, kernel: Arc<ReadyKernel> },
}

impl Job {
    fn into_work(self) -> Work {
        match self {
            Self::Plain(work) => work,
            Self::Kernel { work, .. } => Work::Kernel(work),
        }
    }

    fn hold(self) -> Held {
        match self {
            Self::Plain(work) => Held::Plain(work),
            Self::Kernel { work, kernel } => Held::Kernel(Box::new(HeldKernel {
                kernel: Arc::downgrade(&kernel),
                symbol: kernel.symbol().to_owned(),
                functor: work.functor,
                dims: work.dims,
                global_size: work.global_size,
                local_size: work.local_size,
                global_offset: work.global_offset,
            })),
        }
    }
}

/// A [`Job`] that keeps no image loaded.
enum Held {
    Plain(Work),
    Kernel(Box<HeldKernel>),
}

struct HeldKernel {
    kernel: Weak<ReadyKernel>,
    symbol: String,
    functor: FunctorBytes,
    dims: u32,
    global_size: [u64; 3],
    local_size: [u64; 3],
    global_offset: [u64; 3],
}

impl Held {
    fn release(self) -> Result<Job> {
        let held = match self {
            Self::Plain(work) => return Ok(Job::Plain(work)),
            Self::Kernel(held) => *held,
        };
        let kernel = held.kernel.upgrade().ok_or_else(|| {
            let symbol = &held.symbol;
            let message = format!(
                "kernel '{symbol}' cannot run: its device image was unloaded before the launch"
            );
            Error::new(Errc::Kernel, message)
        })?;
        let work = Box::new(KernelWork {
            kernel: kernel.clone(),
            functor: held.functor,
            dims: held.dims,
            global_size: held.global_size,
            local_size: held.local_size,
            global_offset: held.global_offset,
        });
        Ok(Job::Kernel { work, kernel })
    }
}

/// Hands `job` to the backend, now or when it may have it, and returns the command's event.
///
/// # Safety
/// The contract of [`hal::Queue::enqueue`], for all of `deps`.
pub unsafe fn dispatch(
    target: &Target,
    job: Job,
    deps: &mut Vec<Node>,
    keep: Keep,
) -> Result<Node> {
    for dep in deps.iter_mut() {
        if dep.origin == Origin::OWN {
            *dep = dep.clone().resolve();
        }
    }
    // Events of this backend's own are its own to ask: a driver's answer costs more than the order.
    deps.retain(|dep| match dep.origin == target.origin {
        true => dep.event.known_end() != Some(Ok(())),
        false => dep.outcome() != Some(Ok(())),
    });
    if deps.iter().all(|dep| dep.origin == target.origin) {
        // SAFETY: passed on; every dependency is of this backend.
        return unsafe { enqueue(target, job, deps, keep) };
    }

    let foreign: Vec<Node> =
        deps.iter().filter(|dep| dep.origin != target.origin).cloned().collect();
    let own: Vec<Node> = deps.iter().filter(|dep| dep.origin == target.origin).cloned().collect();
    let event = OwnEvent::new();
    let (target, held, done) = (target.clone(), job.hold(), event.clone());
    when_all(&foreign, move |result| {
        let sent = result.and_then(|()| held.release()).and_then(|job| {
            // SAFETY: passed on; the foreign dependencies have completed.
            unsafe { enqueue(&target, job, &own, keep) }
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

/// # Safety
/// The contract of [`hal::Queue::enqueue`], for all of `deps`, which are the target's.
unsafe fn enqueue(target: &Target, job: Job, deps: &[Node], keep: Keep) -> Result<Node> {
    let work = job.into_work();
    let event = match deps {
        // SAFETY: passed on.
        [] => unsafe { target.queue.enqueue(work, &[], keep) },
        // SAFETY: passed on.
        [one] => unsafe { target.queue.enqueue(work, std::slice::from_ref(&one.event), keep) },
        many => {
            let events: Vec<_> = many.iter().map(|dep| dep.event.clone()).collect();
            // SAFETY: passed on.
            unsafe { target.queue.enqueue(work, &events, keep) }
        }
    }?;
    Ok(Node { event, origin: target.origin })
}
