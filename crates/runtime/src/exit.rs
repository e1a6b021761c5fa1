//! Handles the end of the process.
//!
//! Global objects are not destroyed, so that calls from late destructors still work. However,
//! kernels and host tasks must not run while the static objects of the program are destroyed. At
//! exit, the runtime therefore waits for the commands that backends have received. It does not wait
//! for commands that are held back (for a host access that never ends), because nothing can release
//! them any more. The wait is limited, because a host task may be waiting for an action of `main`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, Weak};
use std::time::{Duration, Instant};

use scythe_hal::fork;

use crate::event::{Node, Origin};
use crate::late_errors;
use crate::lock;
use crate::memory::finish::is_in_host_task;
use crate::queue::Queue;

/// The maximum time that an exiting process waits for commands.
const PATIENCE: Duration = Duration::from_secs(10);

static QUEUES: Mutex<Vec<Weak<Queue>>> = Mutex::new(Vec::new());

/// Pending commands of destroyed queues, with the identifiers of their devices.
static ORPHANS: Mutex<Vec<(u32, Node)>> = Mutex::new(Vec::new());

/// True after the wait at the end of the process.
static OVER: AtomicBool = AtomicBool::new(false);

/// Returns whether the wait for commands is over, so that the process ends.
pub fn is_over() -> bool {
    OVER.load(Ordering::Acquire)
}

/// Registers [`finish`] to be called at exit.
pub fn arrange() {
    static ONCE: Once = Once::new();
    extern "C" fn at_exit() {
        // A panic must not cross into the C library.
        let _ = std::panic::catch_unwind(finish);
    }
    ONCE.call_once(|| {
        // SAFETY: `at_exit` may be called at any time. If the registration fails, the process ends
        // without waiting.
        unsafe { libc::atexit(at_exit) };
    });
}

/// Records a queue until it is destroyed.
pub fn watch(queue: Weak<Queue>) {
    let mut queues = lock(&QUEUES);
    if queues.len() == queues.capacity() {
        queues.retain(|queue| queue.strong_count() > 0);
    }
    queues.push(queue);
}

/// Records the pending commands of a queue that is being destroyed.
pub fn adopt(device: u32, commands: impl IntoIterator<Item = Node>) {
    let mut orphans = lock(&ORPHANS);
    orphans.retain(|(_, node)| !node.is_complete());
    let pending = commands.into_iter().filter(|node| !node.is_complete());
    orphans.extend(pending.map(|node| (device, node)));
}

/// Waits for the commands that were submitted to any queue of a device.
pub fn wait_for_device(device: u32) {
    let queues: Vec<_> = lock(&QUEUES).iter().filter_map(Weak::upgrade).collect();
    queues.iter().filter(|queue| queue.device.id == device).for_each(|queue| queue.wait());
    let orphans: Vec<Node> = {
        let orphans = lock(&ORPHANS);
        orphans.iter().filter(|(id, _)| *id == device).map(|(_, node)| node.clone()).collect()
    };
    for node in orphans {
        // The listener of the destroyed queue gets the error.
        let _ = node.event.wait();
    }
}

/// Returns whether a backend has received the command and has not completed it.
pub fn is_with_backend(node: &Node) -> bool {
    let node = node.clone().resolve();
    node.origin != Origin::OWN && !node.is_complete()
}

fn finish() {
    if fork::is_lost() {
        // The threads that would complete commands do not exist.
        OVER.store(true, Ordering::Release);
        return scythe_trace::finish();
    }
    let deadline = Instant::now() + PATIENCE;
    let queues: Vec<_> = lock(&QUEUES).iter().filter_map(Weak::upgrade).collect();
    let mut pause = Duration::from_micros(50);
    let busy = || {
        let orphaned = || lock(&ORPHANS).iter().any(|(_, node)| is_with_backend(node));
        queues.iter().any(|queue| queue.is_busy()) || orphaned() || late_errors::is_busy()
    };
    while !is_in_host_task() && busy() && Instant::now() < deadline {
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(2));
    }
    OVER.store(true, Ordering::Release);
    scythe_trace::finish();
}
