//! A thread that calls callbacks when commands have completed. Events of other backends and of the
//! host wait for these callbacks.
//!
//! The driver's own callbacks would run in a stream, delay it, and not be called at all once the
//! device is lost. This thread sleeps if there are no callbacks.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::time::Duration;

use scythe_hal::{Event as _, Result};

use crate::event::CudaEvent;
use crate::gpu::Gpu;

/// The interval at which commands are polled.
const PAUSE: Duration = Duration::from_micros(20);
/// The number of polls without a pause after a command has completed.
const SPINS: u32 = 50;

type Call = Box<dyn FnOnce(Result<()>) + Send>;

pub(crate) struct Waiter {
    gpu: Weak<Gpu>,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    new: Vec<(Arc<CudaEvent>, Call)>,
    started: bool,
    closed: bool,
}

impl Waiter {
    pub(crate) fn new(gpu: Weak<Gpu>) -> Self {
        Self { gpu, shared: Arc::default() }
    }

    /// Calls `f` once the command has completed.
    pub(crate) fn add(&self, event: Arc<CudaEvent>, f: Call) {
        let mut state = self.shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        if !state.started {
            let (shared, gpu) = (self.shared.clone(), self.gpu.clone());
            let made = std::thread::Builder::new()
                .name("scythe-cuda".to_owned())
                .spawn(move || serve(&shared, &gpu));
            if made.is_err() {
                // Without a thread, the caller's thread waits.
                drop(state);
                let end = event.wait();
                f(end);
                return;
            }
            state.started = true;
        }
        state.new.push((event, f));
        drop(state);
        self.shared.changed.notify_one();
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner).closed = true;
        self.shared.changed.notify_one();
    }
}

fn serve(shared: &Shared, gpu: &Weak<Gpu>) {
    let mut waiting: Vec<(Arc<CudaEvent>, Call)> = Vec::new();
    let mut idle = 0;
    loop {
        {
            let mut state = shared.state.lock().unwrap_or_else(PoisonError::into_inner);
            while waiting.is_empty() && state.new.is_empty() {
                if state.closed {
                    return;
                }
                state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            waiting.append(&mut state.new);
        }
        if let Some(gpu) = gpu.upgrade() {
            // If this fails, the events report the error.
            let _ = gpu.enter();
        }
        let mut still = Vec::with_capacity(waiting.len());
        let before = waiting.len();
        for (event, f) in waiting.drain(..) {
            match event.poll() {
                Some(end) => {
                    // A panic must not end the thread.
                    let _ = catch_unwind(AssertUnwindSafe(move || f(end)));
                }
                None => still.push((event, f)),
            }
        }
        idle = if still.len() < before { 0 } else { idle + 1 };
        waiting = still;
        if idle > SPINS {
            std::thread::sleep(PAUSE);
        }
    }
}
