//! Threads for host tasks. A host task may block for any time, even for another host task: there is
//! always a thread for the next host task, and none of these threads is a worker. Threads are
//! started on demand and end after some time without work.

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use scythe_hal::{Errc, Error, HostTask, Result};

use crate::executor::{Executor, Runner};
use crate::node::Node;
use crate::threads;
use crate::timeline::Part;

/// The time after which a thread without work ends.
const LINGER: Duration = Duration::from_secs(2);

pub(crate) struct HostTasks {
    state: Mutex<State>,
    arrived: Condvar,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Arc<Node>>,
    /// The number of threads that will check the queue before they end.
    idle: usize,
    threads: usize,
}

impl HostTasks {
    pub(crate) fn new() -> Self {
        Self { state: Mutex::default(), arrived: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds the lock.
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Passes a ready host task to a thread. Returns the task if there is no thread and none can be
    /// started.
    pub(crate) fn push(
        &'static self,
        executor: &'static Executor,
        node: Arc<Node>,
    ) -> std::result::Result<(), (Arc<Node>, Error)> {
        let mut state = self.lock();
        state.queue.push_back(node);
        if state.queue.len() <= state.idle {
            self.arrived.notify_one();
            return Ok(());
        }
        threads::pin_library();
        match threads::spawn("scythe-host", move || self.work(executor)) {
            Ok(()) => {
                state.threads += 1;
                state.idle += 1;
                Ok(())
            }
            // An existing thread will run it.
            Err(_) if state.threads > 0 => Ok(()),
            Err(error) => {
                let message = format!("cannot start a thread for a host task: {error}");
                match state.queue.pop_back() {
                    Some(node) => Err((node, Error::new(Errc::Runtime, message))),
                    None => Ok(()),
                }
            }
        }
    }

    fn work(&'static self, executor: &'static Executor) {
        let mut state = self.lock();
        loop {
            if let Some(node) = state.queue.pop_front() {
                state.idle -= 1;
                drop(state);
                let part = Part::of_host_task();
                if let Some(task) = node.start_host_task()
                    && let Err(error) = call(task)
                {
                    node.fail(error);
                }
                drop(part);
                // The thread is not idle before that, because dropping the objects that the command
                // keeps may wait for other host tasks.
                executor.finish(node, &mut Runner::guest());
                state = self.lock();
                state.idle += 1;
                continue;
            }
            let (again, timeout) = self
                .arrived
                .wait_timeout(state, LINGER)
                .unwrap_or_else(|poisoned| poisoned.into_inner());
            state = again;
            if timeout.timed_out() && state.queue.is_empty() {
                state.idle -= 1;
                state.threads -= 1;
                return;
            }
        }
    }
}

fn call(task: HostTask) -> Result<()> {
    std::panic::catch_unwind(AssertUnwindSafe(task))
        .unwrap_or_else(|_| Err(Error::new(Errc::Runtime, "a host task panicked")))
}
