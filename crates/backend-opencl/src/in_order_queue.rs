//! A queue of the driver that runs commands in order.
//!
//! For drivers, an event costs as much as the rest of a small command, and most programs never use
//! the events of an in-order queue. Therefore a command gets an event only if it is likely to be
//! used. If a command without an event needs one, a marker stands for it. The marker is enqueued
//! before the next command if the program still holds the event, so that a wait for it does not
//! include later commands; otherwise it is enqueued on demand.

use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use scythe_hal::Result;

use crate::api::{Api, Handle};
use crate::event::{Launched, OclEvent};
use crate::flusher;

/// The maximum number of commands without a flush.
const MOST_UNFLUSHED: u32 = 256;

pub(crate) struct InOrderQueue {
    api: &'static Api,
    raw: Handle,
    /// Whether every command gets its own event.
    eager: bool,
    profiling: bool,
    state: Mutex<State>,
    /// Whether all commands so far have been waited for.
    idle: AtomicBool,
}

#[derive(Default)]
pub(crate) struct State {
    last: Weak<OclEvent>,
    /// Whether the program held the event of the previous command or waited for it. It is then
    /// likely to do so again.
    asked: bool,
    /// The number of commands that have not been flushed.
    unflushed: u32,
    /// Whether [`flusher`] will flush.
    promised: bool,
}

// SAFETY: OpenCL's queues may be used by several threads at once.
unsafe impl Send for InOrderQueue {}
// SAFETY: OpenCL's queues may be used by several threads at once.
unsafe impl Sync for InOrderQueue {}

/// The right to enqueue. The order of the commands in the in-order queue is the order in which
/// threads hold it.
pub(crate) struct Turn<'a> {
    in_order_queue: &'a Arc<InOrderQueue>,
    state: MutexGuard<'a, State>,
}

impl InOrderQueue {
    /// Creates an in-order queue. Takes over a reference count of `raw`. `eager` gives every
    /// command an event, as profiling does.
    pub(crate) fn new(api: &'static Api, raw: Handle, eager: bool, profiling: bool) -> Arc<Self> {
        Arc::new(Self {
            api,
            raw,
            eager: eager || profiling,
            profiling,
            state: Mutex::default(),
            idle: AtomicBool::new(true),
        })
    }

    pub(crate) fn raw(&self) -> Handle {
        self.raw
    }

    pub(crate) fn turn<'a>(self: &'a Arc<Self>) -> Turn<'a> {
        Turn {
            in_order_queue: self,
            state: self.state.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }

    /// Makes the driver create an event for a command of this in-order queue that has none. The
    /// event completes after all commands that have been enqueued so far.
    pub(crate) fn mark(&self, event: &OclEvent) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.asked = true;
        if !event.has_raw() {
            self.mark_in_turn(event);
            state.unflushed += 1;
        }
        self.flush_in_turn(&mut state);
    }

    /// Records that a command has ended after a wait for it.
    pub(crate) fn rest(&self) {
        self.idle.store(true, Ordering::Relaxed);
    }

    /// Flushes all commands.
    pub(crate) fn flush(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.promised = false;
        self.flush_in_turn(&mut state);
    }

    /// Flushes all commands. A failure appears in the status of the commands: the driver already
    /// has them and still uses their objects.
    fn flush_in_turn(&self, state: &mut State) {
        if std::mem::take(&mut state.unflushed) > 0 {
            // SAFETY: the queue is alive, because this object owns a count of it.
            let _ = unsafe { (self.api.flush)(self.raw) };
        }
    }

    fn mark_in_turn(&self, event: &OclEvent) {
        let mut marker = null_mut();
        // SAFETY: the queue is alive. A marker without events waits for all earlier commands.
        let code =
            unsafe { (self.api.enqueue_marker_with_wait_list)(self.raw, 0, null(), &mut marker) };
        event.settle(marker, code);
    }
}

impl Turn<'_> {
    /// Returns the event of the last command, if it still exists.
    pub(crate) fn last(&self) -> Option<Arc<OclEvent>> {
        self.state.last.upgrade()
    }

    /// Calls `enqueue` to submit commands to the driver, and flushes them immediately or soon. If
    /// the argument of `enqueue` is not null, the last command must store its event there. `keeps`
    /// tells whether the event is needed in any case. `kernel` is for messages.
    pub(crate) fn send(
        mut self,
        keeps: bool,
        kernel: Option<Launched>,
        enqueue: impl FnOnce(*mut Handle) -> Result<()>,
    ) -> Result<Arc<OclEvent>> {
        let in_order_queue = self.in_order_queue;
        if let Some(last) = self.state.last.upgrade() {
            match (last.is_abandoned(), last.has_raw()) {
                (true, true) => self.state.asked = false,
                (false, false) if last.is_open() => {
                    in_order_queue.mark_in_turn(&last);
                    self.state.asked = true;
                }
                _ => {}
            }
        }
        let mut raw = null_mut();
        let wanted = keeps || in_order_queue.eager || self.state.asked;
        enqueue(if wanted { &mut raw } else { null_mut() })?;
        let event = OclEvent::in_order(in_order_queue, raw, in_order_queue.profiling);
        let event = Arc::new(event.of_kernel(kernel));
        self.state.last = Arc::downgrade(&event);
        self.state.unflushed += 1;
        let first = in_order_queue.idle.load(Ordering::Relaxed);
        if first || in_order_queue.eager || self.state.unflushed >= MOST_UNFLUSHED {
            in_order_queue.idle.store(false, Ordering::Relaxed);
            in_order_queue.flush_in_turn(&mut self.state);
        } else if !self.state.promised {
            self.state.promised = flusher::later(Arc::downgrade(in_order_queue));
            if !self.state.promised {
                in_order_queue.flush_in_turn(&mut self.state);
            }
        }
        Ok(event)
    }
}

impl InOrderQueue {
    /// Returns whether every command has an event from the start and is flushed immediately.
    pub(crate) fn is_eager(&self) -> bool {
        self.eager
    }

    pub(crate) fn api(&self) -> &'static Api {
        self.api
    }
}

impl Drop for InOrderQueue {
    fn drop(&mut self) {
        // SAFETY: this object owns the reference count.
        let _ = unsafe { (self.api.release_command_queue)(self.raw) };
    }
}
