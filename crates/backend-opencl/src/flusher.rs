//! Has drivers begin with commands that were enqueued and not flushed.
//!
//! Drivers take many commands at once for little more than one, but flushing after each keeps them
//! from it. So a line flushes its first command at once, and leaves those that follow to a thread
//! that looks a moment later, unless somebody asks for them before.

use std::sync::{Condvar, Mutex, OnceLock, PoisonError, Weak};
use std::time::Duration;

use crate::line::Line;

/// How long commands may wait for company.
const MOMENT: Duration = Duration::from_micros(100);

struct Flusher {
    lines: Mutex<Vec<Weak<Line>>>,
    more: Condvar,
}

static FLUSHER: Flusher = Flusher { lines: Mutex::new(Vec::new()), more: Condvar::new() };

/// Flushes the line in a moment; false where nobody will, and the caller must.
pub(crate) fn later(line: Weak<Line>) -> bool {
    static RUNS: OnceLock<bool> = OnceLock::new();
    let start = || {
        std::thread::Builder::new().name("scythe-flush".to_owned()).spawn(|| FLUSHER.run()).is_ok()
    };
    if !*RUNS.get_or_init(start) {
        return false;
    }
    let mut lines = FLUSHER.lines.lock().unwrap_or_else(PoisonError::into_inner);
    lines.push(line);
    if lines.len() == 1 {
        FLUSHER.more.notify_one();
    }
    true
}

impl Flusher {
    fn run(&self) -> ! {
        loop {
            let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
            drop(
                self.more
                    .wait_while(lines, |lines| lines.is_empty())
                    .unwrap_or_else(PoisonError::into_inner),
            );
            std::thread::sleep(MOMENT);
            let due =
                std::mem::take(&mut *self.lines.lock().unwrap_or_else(PoisonError::into_inner));
            due.iter().filter_map(Weak::upgrade).for_each(|line| line.flush());
        }
    }
}
