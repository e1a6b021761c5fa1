//! What threads of the CPU device do, for the timeline of the process: the parts of kernels and
//! copies that they run, and host tasks.

use scythe_trace::{Category, Name, Slice, is_on, now, record};

use crate::job::UnitJob;

/// A part of a command that this thread runs. It ends with its drop.
pub(crate) struct Part {
    category: Category,
    name: Name,
    start: u64,
}

impl Part {
    /// Returns `None` if nothing is recorded.
    #[inline]
    pub(crate) fn of(job: &UnitJob) -> Option<Self> {
        if !is_on() {
            return None;
        }
        let (category, name) = job.in_timeline();
        Some(Self { category, name, start: now() })
    }

    #[inline]
    pub(crate) fn of_host_task() -> Option<Self> {
        if !is_on() {
            return None;
        }
        let name = Name::of("host task");
        Some(Self { category: Category::HostTask, name, start: now() })
    }

    /// Forgets a part in which nothing ran.
    pub(crate) fn cancel(part: Option<Self>) {
        std::mem::forget(part);
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        record(Slice::since(self.start, self.category, self.name));
    }
}

/// Names a worker thread.
pub(crate) fn name_worker(index: usize) {
    if is_on() {
        scythe_trace::name_thread(format!("worker {index}"));
    }
}
