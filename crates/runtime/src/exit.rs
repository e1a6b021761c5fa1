//! The end of the process.
//!
//! Nothing global is destroyed, so that calls from late destructors still work. What must not
//! happen is that a kernel or a host task runs on while the program's static objects go: at exit
//! the runtime waits for commands that backends already have. Commands still held back (for an
//! access of the host that never ends) are left alone: nobody can release them any more. The wait
//! is limited, because a host task may be waiting for something that `main` was to do.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, Weak};
use std::time::{Duration, Instant};

use crate::event::{Node, Origin};
use crate::late_errors;
use crate::lock;
use crate::memory::finish::is_in_host_task;
use crate::queue::Queue;

/// How long an ending process waits for commands.
const PATIENCE: Duration = Duration::from_secs(10);

static QUEUES: Mutex<Vec<Weak<Queue>>> = Mutex::new(Vec::new());

/// Commands whose queue is gone.
static ORPHANS: Mutex<Vec<Node>> = Mutex::new(Vec::new());

/// Set when the wait at the end of the process is over.
static OVER: AtomicBool = AtomicBool::new(false);

/// Nobody waits for commands any more: the process ends.
pub fn is_over() -> bool {
    OVER.load(Ordering::Acquire)
}

/// Has [`finish`] called at exit.
pub fn arrange() {
    static ONCE: Once = Once::new();
    extern "C" fn at_exit() {
        // A panic must not cross into the C library.
        let _ = std::panic::catch_unwind(finish);
    }
    ONCE.call_once(|| {
        // SAFETY: `at_exit` may be called at any time. When registration fails, the process ends
        // without waiting.
        unsafe { libc::atexit(at_exit) };
    });
}

/// Remembers a queue until it is gone.
pub fn watch(queue: Weak<Queue>) {
    let mut queues = lock(&QUEUES);
    if queues.len() == queues.capacity() {
        queues.retain(|queue| queue.strong_count() > 0);
    }
    queues.push(queue);
}

/// Remembers commands of a queue that goes before they complete.
pub fn adopt(commands: impl IntoIterator<Item = Node>) {
    let mut orphans = lock(&ORPHANS);
    orphans.retain(|node| !node.is_complete());
    orphans.extend(commands.into_iter().filter(|node| !node.is_complete()));
}

/// A backend has the command and is not done with it.
pub fn is_with_backend(node: &Node) -> bool {
    let node = node.clone().resolve();
    node.origin != Origin::OWN && !node.is_complete()
}

fn finish() {
    let deadline = Instant::now() + PATIENCE;
    let queues: Vec<_> = lock(&QUEUES).iter().filter_map(Weak::upgrade).collect();
    let mut pause = Duration::from_micros(50);
    let busy = || {
        let orphaned = || lock(&ORPHANS).iter().any(is_with_backend);
        queues.iter().any(|queue| queue.is_busy()) || orphaned() || late_errors::is_busy()
    };
    while !is_in_host_task() && busy() && Instant::now() < deadline {
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(2));
    }
    OVER.store(true, Ordering::Release);
}
