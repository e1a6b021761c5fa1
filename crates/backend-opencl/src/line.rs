//! A queue of the driver's that runs commands in turn.
//!
//! Drivers spend as much on an event as on the rest of a small command, and most programs never
//! look at the events of an in-order queue. So a command gets one only where it is likely to be
//! asked for. Where none was made, a marker stands for the command: enqueued before the next
//! command while the program still holds the event, so that waiting for it waits for nothing later,
//! and otherwise when somebody asks.

use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use scythe_hal::Result;

use crate::api::{Api, Handle};
use crate::event::OclEvent;
use crate::flusher;

/// As many commands as a driver may be kept waiting for.
const MOST_UNFLUSHED: u32 = 256;

pub(crate) struct Line {
    api: &'static Api,
    raw: Handle,
    /// Every command gets an event of its own.
    eager: bool,
    profiling: bool,
    state: Mutex<State>,
    /// Everything so far was waited for.
    idle: AtomicBool,
}

#[derive(Default)]
pub(crate) struct State {
    last: Weak<OclEvent>,
    /// The program held the event of the command before, or waited for it: it may do so again.
    asked: bool,
    /// Commands that the driver may not have begun with.
    unflushed: u32,
    /// [`flusher`] will flush.
    promised: bool,
}

// SAFETY: OpenCL's queues may be used by any thread, and by many at once.
unsafe impl Send for Line {}
// SAFETY: as above.
unsafe impl Sync for Line {}

/// The right to enqueue: commands stand in the line in the order of those who have it.
pub(crate) struct Turn<'a> {
    line: &'a Arc<Line>,
    state: MutexGuard<'a, State>,
}

impl Line {
    /// Takes over a count of `raw`. `eager` gives every command an event, as profiling does.
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
        Turn { line: self, state: self.state.lock().unwrap_or_else(PoisonError::into_inner) }
    }

    /// Has the driver make an event for a command of this line that has none: one that follows all
    /// that was enqueued so far.
    pub(crate) fn mark(&self, event: &OclEvent) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.asked = true;
        if !event.has_raw() {
            self.mark_in_turn(event);
            state.unflushed += 1;
        }
        self.flush_in_turn(&mut state);
    }

    /// A command that was waited for has ended.
    pub(crate) fn rest(&self) {
        self.idle.store(true, Ordering::Relaxed);
    }

    /// Has the driver begin with everything.
    pub(crate) fn flush(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.promised = false;
        self.flush_in_turn(&mut state);
    }

    /// A failure shows in the commands' own ends: they are with the driver, which still uses what
    /// they name.
    fn flush_in_turn(&self, state: &mut State) {
        if std::mem::take(&mut state.unflushed) > 0 {
            // SAFETY: the queue is alive.
            let _ = unsafe { (self.api.flush)(self.raw) };
        }
    }

    fn mark_in_turn(&self, event: &OclEvent) {
        let mut marker = null_mut();
        // SAFETY: the queue is alive; a marker that waits for no event waits for all before it.
        let code =
            unsafe { (self.api.enqueue_marker_with_wait_list)(self.raw, 0, null(), &mut marker) };
        event.settle(marker, code);
    }
}

impl Turn<'_> {
    /// The last command, while anybody knows it.
    pub(crate) fn last(&self) -> Option<Arc<OclEvent>> {
        self.state.last.upgrade()
    }

    /// Lets `enqueue` give commands to the driver, the last of them with an event where it is
    /// handed a place for one, and has the driver begin, now or in a moment. `keeps`: the event is
    /// needed in any case.
    pub(crate) fn send(
        mut self,
        keeps: bool,
        enqueue: impl FnOnce(*mut Handle) -> Result<()>,
    ) -> Result<Arc<OclEvent>> {
        let line = self.line;
        if let Some(last) = self.state.last.upgrade() {
            match (last.is_abandoned(), last.has_raw()) {
                (true, true) => self.state.asked = false,
                (false, false) if last.is_open() => {
                    line.mark_in_turn(&last);
                    self.state.asked = true;
                }
                _ => {}
            }
        }
        let mut raw = null_mut();
        let wanted = keeps || line.eager || self.state.asked;
        enqueue(if wanted { &mut raw } else { null_mut() })?;
        let event = Arc::new(OclEvent::in_line(line, raw, line.profiling));
        self.state.last = Arc::downgrade(&event);
        self.state.unflushed += 1;
        let first = line.idle.load(Ordering::Relaxed);
        if first || line.eager || self.state.unflushed >= MOST_UNFLUSHED {
            line.idle.store(false, Ordering::Relaxed);
            line.flush_in_turn(&mut self.state);
        } else if !self.state.promised {
            self.state.promised = flusher::later(Arc::downgrade(line));
            if !self.state.promised {
                line.flush_in_turn(&mut self.state);
            }
        }
        Ok(event)
    }
}

impl Line {
    /// Every command has an event from the beginning, and is flushed at once.
    pub(crate) fn is_eager(&self) -> bool {
        self.eager
    }

    pub(crate) fn api(&self) -> &'static Api {
        self.api
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        // SAFETY: the count is this object's.
        let _ = unsafe { (self.api.release_command_queue)(self.raw) };
    }
}
