//! The queue of ready commands, and the protocol by which workers wait for it.
//!
//! `searching` counts awake workers without work. A thread that pushes a command wakes a sleeper
//! only if that count is zero, and immediately counts the sleeper as searching. A burst of pushes
//! therefore makes one system call. A worker that stops searching checks the queue once more:
//! before it sleeps, after it has registered as a sleeper; or, if it found work and was the last
//! one to search, to wake the next worker. Both sides use sequentially consistent operations, so
//! one of them always sees the other: no command stays in the queue while all workers sleep.

use std::collections::VecDeque;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::thread::Thread;

use crate::node::{Node, now};

/// The limits of the time that a worker searches for work before it sleeps. The actual time depends
/// on its recent success.
const SEARCH_NS: RangeInclusive<u64> = 2_000..=50_000;
/// The number of polls between two reads of the clock.
const LOOKS: u32 = 16;

pub(crate) struct ReadyQueue {
    /// The number of workers that may search at a time. One processor is left to the threads that
    /// submit commands.
    search_limit: u32,
    queue: Mutex<VecDeque<Arc<Node>>>,
    /// The length of `queue`, readable without the lock.
    queued: AtomicUsize,
    searching: AtomicU32,
    /// The sleeping workers. The last one to fall asleep is at the end, because its cache is the
    /// warmest.
    sleepers: Mutex<Vec<usize>>,
    sleeping: AtomicUsize,
    workers: Box<[Wake]>,
}

/// The data that other threads need to wake a worker.
#[derive(Default)]
struct Wake {
    thread: OnceLock<Thread>,
    woken: AtomicBool,
}

/// A worker's state for searching.
pub(crate) struct Searcher {
    worker: usize,
    /// Whether the worker is counted in `searching`.
    active: bool,
    patience_ns: u64,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No code panics while it holds these locks; even if it did, the queues would be consistent.
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl ReadyQueue {
    /// Creates a queue for this many workers on a machine that gives this process `processors`.
    pub(crate) fn new(workers: usize, processors: usize) -> Self {
        Self {
            search_limit: workers.min(processors.saturating_sub(1)) as u32,
            queue: Mutex::default(),
            queued: AtomicUsize::new(0),
            searching: AtomicU32::new(0),
            sleepers: Mutex::default(),
            sleeping: AtomicUsize::new(0),
            workers: (0..workers).map(|_| Wake::default()).collect(),
        }
    }

    /// Adds `nodes`, and wakes workers for them as needed.
    pub(crate) fn push(&self, nodes: impl IntoIterator<Item = Arc<Node>>) {
        let added = {
            let mut queue = lock(&self.queue);
            let before = queue.len();
            queue.extend(nodes);
            self.queued.store(queue.len(), Ordering::SeqCst);
            queue.len() - before
        };
        let searching = self.searching.load(Ordering::SeqCst) as usize;
        for _ in searching..added {
            if !self.wake_one() {
                break;
            }
        }
    }

    /// Adds one command, like [`ReadyQueue::push`].
    pub(crate) fn push_one(&self, node: Arc<Node>) {
        {
            let mut queue = lock(&self.queue);
            queue.push_back(node);
            self.queued.store(queue.len(), Ordering::SeqCst);
        }
        if self.searching.load(Ordering::SeqCst) == 0 {
            self.wake_one();
        }
    }

    fn pop(&self) -> Option<Arc<Node>> {
        if self.queued.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let mut queue = lock(&self.queue);
        let node = queue.pop_front();
        self.queued.store(queue.len(), Ordering::Relaxed);
        node
    }

    /// Wakes the worker that fell asleep last. Returns false if none sleeps.
    fn wake_one(&self) -> bool {
        if self.sleeping.load(Ordering::SeqCst) == 0 {
            return false;
        }
        let worker = {
            let mut sleepers = lock(&self.sleepers);
            let Some(worker) = sleepers.pop() else { return false };
            self.sleeping.store(sleepers.len(), Ordering::SeqCst);
            self.searching.fetch_add(1, Ordering::SeqCst);
            worker
        };
        let wake = &self.workers[worker];
        wake.woken.store(true, Ordering::Release);
        if let Some(thread) = wake.thread.get() {
            thread.unpark();
        }
        true
    }

    /// Returns the search state of worker `worker`. Must be called on the worker's thread.
    pub(crate) fn searcher(&self, worker: usize) -> Searcher {
        let _ = self.workers[worker].thread.set(std::thread::current());
        Searcher { worker, active: false, patience_ns: *SEARCH_NS.end() }
    }

    /// Registers the worker as searching. It is called before the worker completes a command
    /// without followers: a thread that sees the command complete and pushes the next one then need
    /// not wake a worker.
    pub(crate) fn begin_search(&self, searcher: &mut Searcher) {
        if searcher.active || self.search_limit == 0 {
            return;
        }
        if self.searching.fetch_add(1, Ordering::SeqCst) < self.search_limit {
            searcher.active = true;
        } else {
            self.searching.fetch_sub(1, Ordering::SeqCst);
        }
    }

    /// Registers that the worker has work again.
    pub(crate) fn end_search(&self, searcher: &mut Searcher) {
        if std::mem::take(&mut searcher.active)
            && self.searching.fetch_sub(1, Ordering::SeqCst) == 1
            && self.queued.load(Ordering::SeqCst) > 0
        {
            self.wake_one();
        }
    }

    /// Returns the next command for a worker. Sleeps until there is one.
    pub(crate) fn next(&self, searcher: &mut Searcher) -> Arc<Node> {
        loop {
            if let Some(node) = self.pop() {
                searcher.patience_ns = (searcher.patience_ns * 2).min(*SEARCH_NS.end());
                self.end_search(searcher);
                return node;
            }
            self.begin_search(searcher);
            if searcher.active && self.look_out(searcher.patience_ns) {
                continue;
            }
            searcher.patience_ns = (searcher.patience_ns / 2).max(*SEARCH_NS.start());
            if std::mem::take(&mut searcher.active) {
                self.searching.fetch_sub(1, Ordering::SeqCst);
            }
            self.sleep(searcher);
        }
    }

    /// Polls the queue for some time. Returns true if a command has arrived.
    fn look_out(&self, patience_ns: u64) -> bool {
        let end = now() + patience_ns;
        loop {
            for _ in 0..LOOKS {
                if self.queued.load(Ordering::Relaxed) > 0 {
                    return true;
                }
                std::hint::spin_loop();
            }
            if now() >= end {
                return false;
            }
        }
    }

    /// Sleeps until woken, unless there is work. A woken worker counts as searching.
    fn sleep(&self, searcher: &mut Searcher) {
        {
            let mut sleepers = lock(&self.sleepers);
            sleepers.push(searcher.worker);
            self.sleeping.store(sleepers.len(), Ordering::SeqCst);
        }
        if self.queued.load(Ordering::SeqCst) > 0 {
            let mut sleepers = lock(&self.sleepers);
            if let Some(at) = sleepers.iter().position(|&w| w == searcher.worker) {
                sleepers.remove(at);
                self.sleeping.store(sleepers.len(), Ordering::SeqCst);
                return;
            }
            // Another thread has just removed this worker from the list to wake it.
        }
        while !self.workers[searcher.worker].woken.swap(false, Ordering::Acquire) {
            std::thread::park();
        }
        searcher.active = true;
    }
}
