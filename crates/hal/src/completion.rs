//! The end of a command whose event lives on the host: a result that threads wait for, and
//! callbacks.
//!
//! The first result counts. Each callback is called once, by the thread that completes the command
//! or, after that, by the thread that adds it. [`Completion`] gives callbacks to its caller instead
//! of calling them, because the caller decides how deep calls may nest.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::{Callback, Result};

#[derive(Default)]
pub struct Completion {
    /// Set after `state.result`: a fast way to test for completion.
    done: AtomicBool,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    result: Option<Result<()>>,
    callbacks: Vec<Callback>,
}

impl Completion {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics while holding the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn is_complete(&self) -> bool {
        self.done.load(Ordering::Acquire)
    }

    /// Sets the result and wakes the threads that wait. Returns the callbacks so far, which the
    /// caller must call with this result. Only the first call has an effect.
    pub fn complete(&self, result: &Result<()>) -> Vec<Callback> {
        let mut state = self.lock();
        if state.result.is_some() {
            return Vec::new();
        }
        state.result = Some(result.clone());
        self.done.store(true, Ordering::Release);
        let callbacks = std::mem::take(&mut state.callbacks);
        drop(state);
        self.changed.notify_all();
        callbacks
    }

    /// Blocks until there is a result.
    pub fn wait(&self) -> Result<()> {
        let state = self
            .changed
            .wait_while(self.lock(), |state| state.result.is_none())
            .unwrap_or_else(PoisonError::into_inner);
        state.result.clone().unwrap_or(Ok(()))
    }

    /// Adds a callback. If the command is already complete, returns the callback and the result,
    /// and the caller must call it.
    pub fn on_complete(&self, callback: Callback) -> Option<(Callback, Result<()>)> {
        let mut state = self.lock();
        match state.result.clone() {
            Some(result) => Some((callback, result)),
            None => {
                state.callbacks.push(callback);
                None
            }
        }
    }
}
