//! A queue of the driver's that runs commands in turn.
//!
//! Drivers spend as much on an event as on the rest of a small command, and most programs never look at the events of an
//! in-order queue. So a command gets one only where it is likely to be asked for. Where none was made, a marker stands for
//! the command: enqueued before the next command while the program still holds the event, so that waiting for it waits for
//! nothing later, and otherwise when somebody asks.

use std::ptr::{null, null_mut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use scythe_hal::Result;

use crate::api::{Api, Handle, check};
use crate::event::OclEvent;

pub(crate) struct Line {
    api: &'static Api,
    raw: Handle,
    /// Every command gets an event of its own.
    eager: bool,
    profiling: bool,
    state: Mutex<State>,
}

#[derive(Default)]
pub(crate) struct State {
    last: Weak<OclEvent>,
    /// The program held the event of the command before, or waited for it: it may do so again.
    asked: bool,
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
        Arc::new(Self { api, raw, eager: eager || profiling, profiling, state: Mutex::default() })
    }

    pub(crate) fn raw(&self) -> Handle {
        self.raw
    }

    pub(crate) fn turn<'a>(self: &'a Arc<Self>) -> Turn<'a> {
        Turn { line: self, state: self.state.lock().unwrap_or_else(PoisonError::into_inner) }
    }

    /// Has the driver make an event for a command of this line that has none: one that follows all that was enqueued so far.
    pub(crate) fn mark(&self, event: &OclEvent) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.asked = true;
        if !event.has_raw() {
            self.mark_in_turn(event);
            // SAFETY: the queue is alive. A failure shows in the marker's own end.
            let _ = unsafe { (self.api.flush)(self.raw) };
        }
    }

    fn mark_in_turn(&self, event: &OclEvent) {
        let mut marker = null_mut();
        // SAFETY: the queue is alive; a marker that waits for no event waits for all before it.
        let code = unsafe { (self.api.enqueue_marker_with_wait_list)(self.raw, 0, null(), &mut marker) };
        event.settle(marker, code);
    }
}

impl Turn<'_> {
    /// The last command, while anybody knows it.
    pub(crate) fn last(&self) -> Option<Arc<OclEvent>> {
        self.state.last.upgrade()
    }

    /// Lets `enqueue` give commands to the driver, the last of them with an event where it is handed a place for one, and has the
    /// driver begin. `keeps`: the event is needed in any case.
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
        // Commands that nobody waits for run, too.
        // SAFETY: the queue is alive.
        check(unsafe { (line.api.flush)(line.raw) }, "clFlush")?;
        Ok(event)
    }
}

impl Line {
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
