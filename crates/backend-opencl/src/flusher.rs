//! Flushes commands that were enqueued without a flush.
//!
//! Many commands at once cost a driver little more than one command, but a flush after each command
//! prevents this. Therefore an in-order queue flushes its first command immediately. A thread
//! flushes the following commands shortly afterwards, unless they are needed earlier.

use std::sync::{Condvar, Mutex, OnceLock, PoisonError, Weak};
use std::time::Duration;

use crate::in_order_queue::InOrderQueue;

/// The time that commands may wait for further commands.
const MOMENT: Duration = Duration::from_micros(100);

struct Flusher {
    queues: Mutex<Vec<Weak<InOrderQueue>>>,
    more: Condvar,
}

static FLUSHER: Flusher = Flusher { queues: Mutex::new(Vec::new()), more: Condvar::new() };

/// Schedules a flush of the in-order queue. Returns false if there is no thread for it; the caller
/// must then flush.
pub(crate) fn later(in_order_queue: Weak<InOrderQueue>) -> bool {
    static RUNS: OnceLock<bool> = OnceLock::new();
    let start = || {
        std::thread::Builder::new().name("scythe-flush".to_owned()).spawn(|| FLUSHER.run()).is_ok()
    };
    if !*RUNS.get_or_init(start) {
        return false;
    }
    let mut queues = FLUSHER.queues.lock().unwrap_or_else(PoisonError::into_inner);
    queues.push(in_order_queue);
    if queues.len() == 1 {
        FLUSHER.more.notify_one();
    }
    true
}

impl Flusher {
    fn run(&self) -> ! {
        loop {
            let queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
            drop(
                self.more
                    .wait_while(queues, |queues| queues.is_empty())
                    .unwrap_or_else(PoisonError::into_inner),
            );
            std::thread::sleep(MOMENT);
            let due =
                std::mem::take(&mut *self.queues.lock().unwrap_or_else(PoisonError::into_inner));
            due.iter().filter_map(Weak::upgrade).for_each(|in_order_queue| in_order_queue.flush());
        }
    }
}
