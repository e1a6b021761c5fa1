//! The kernels that threads run. A signal handler can find the one of its own thread without thread
//! local storage, whose first use may allocate memory.

use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicUsize, Ordering};

use crate::debugger::work_item::WorkItem;

/// What one thread runs. Only its thread, or a handler in it, uses the fields without order.
pub(crate) struct Running {
    /// The thread, or 0 if the element is free.
    thread: AtomicI32,
    next: AtomicPtr<Running>,
    /// The symbol of the kernel, or null while the thread runs none.
    kernel: AtomicPtr<u8>,
    kernel_len: AtomicUsize,
    /// The number of dimensions of the launch.
    pub dimensions: AtomicUsize,
    /// The work-item, or null if it is not known.
    pub item: AtomicPtr<WorkItem>,
    /// The stack pointer for the return from a kernel that fails, or 0 if it cannot return.
    pub guard: AtomicUsize,
    /// The report of a kernel that failed; set by the handler.
    pub failure: AtomicPtr<String>,
}

static FIRST: AtomicPtr<Running> = AtomicPtr::new(ptr::null_mut());

/// The element of a thread. The end of the thread frees it.
struct Own(Cell<Option<&'static Running>>);

impl Drop for Own {
    fn drop(&mut self) {
        if let Some(running) = self.0.get() {
            running.thread.store(0, Ordering::Release);
        }
    }
}

thread_local! {
    static OWN: Own = const { Own(Cell::new(None)) };
}

fn thread_id() -> i32 {
    // SAFETY: the call has no precondition.
    unsafe { libc::gettid() }
}

impl Running {
    /// Returns the element of this thread.
    pub(crate) fn of_thread() -> Option<&'static Self> {
        OWN.try_with(|own| {
            own.0.get().unwrap_or_else(|| {
                let running = Self::take();
                own.0.set(Some(running));
                running
            })
        })
        .ok()
    }

    fn take() -> &'static Self {
        let id = thread_id();
        let free = |running: &&'static Self| {
            running.thread.compare_exchange(0, id, Ordering::AcqRel, Ordering::Relaxed).is_ok()
        };
        if let Some(running) = all().find(free) {
            return running;
        }
        let running: &'static Self = Box::leak(Box::new(Self {
            thread: AtomicI32::new(id),
            next: AtomicPtr::new(FIRST.load(Ordering::Acquire)),
            kernel: AtomicPtr::new(ptr::null_mut()),
            kernel_len: AtomicUsize::new(0),
            dimensions: AtomicUsize::new(1),
            item: AtomicPtr::new(ptr::null_mut()),
            guard: AtomicUsize::new(0),
            failure: AtomicPtr::new(ptr::null_mut()),
        }));
        let this = ptr::from_ref(running).cast_mut();
        let mut next = running.next.load(Ordering::Relaxed);
        while let Err(other) =
            FIRST.compare_exchange(next, this, Ordering::AcqRel, Ordering::Acquire)
        {
            next = other;
            running.next.store(next, Ordering::Relaxed);
        }
        running
    }

    /// Runs a part of a launch of `kernel`, with this number of dimensions.
    pub(crate) fn enter<T>(&self, kernel: &str, dimensions: u32, launch: impl FnOnce() -> T) -> T {
        const ORDER: Ordering = Ordering::Relaxed;
        // A kernel may run another one, through a call of the host.
        let outer = (
            self.kernel.swap(kernel.as_ptr().cast_mut(), ORDER),
            self.kernel_len.swap(kernel.len(), ORDER),
            self.dimensions.swap(dimensions as usize, ORDER),
            self.item.swap(ptr::null_mut(), ORDER),
            self.guard.swap(0, ORDER),
        );
        let result = launch();
        self.kernel.store(outer.0, ORDER);
        self.kernel_len.store(outer.1, ORDER);
        self.dimensions.store(outer.2, ORDER);
        self.item.store(outer.3, ORDER);
        self.guard.store(outer.4, ORDER);
        result
    }

    /// Returns the symbol of the kernel that the thread runs.
    pub(super) fn kernel(&self) -> Option<&str> {
        let (data, len) =
            (self.kernel.load(Ordering::Relaxed), self.kernel_len.load(Ordering::Relaxed));
        if data.is_null() {
            return None;
        }
        // SAFETY: `enter` stored the parts of a text, which outlives the launch that this thread
        // runs.
        let bytes = unsafe { std::slice::from_raw_parts(data, len) };
        std::str::from_utf8(bytes).ok()
    }

    /// Returns the numbers of the work-item that the thread runs, and the number of dimensions.
    pub(super) fn work_item(&self) -> Option<(WorkItem, usize)> {
        let item = self.item.load(Ordering::Relaxed);
        // SAFETY: the kernel that this thread runs keeps the numbers alive.
        let item = unsafe { item.as_ref() }?;
        Some((*item, self.dimensions.load(Ordering::Relaxed)))
    }
}

fn all() -> impl Iterator<Item = &'static Running> {
    let mut next = FIRST.load(Ordering::Acquire);
    std::iter::from_fn(move || {
        // SAFETY: elements are never freed.
        let running: &'static Running = unsafe { next.as_ref() }?;
        next = running.next.load(Ordering::Acquire);
        Some(running)
    })
}

/// Returns what the calling thread runs, if it runs a kernel. For signal handlers.
pub(super) fn find() -> Option<&'static Running> {
    let id = thread_id();
    let is_own = |running: &&Running| running.thread.load(Ordering::Acquire) == id;
    all().find(is_own).filter(|running| running.kernel().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_of_the_thread_is_found() {
        assert!(find().is_none());
        let own = Running::of_thread().unwrap();
        let seen = own.enter("outer", 1, || {
            let inner = own.enter("inner", 2, || find().unwrap().kernel().map(str::to_owned));
            (inner, find().unwrap().kernel().map(str::to_owned))
        });
        assert_eq!(seen, (Some("inner".to_owned()), Some("outer".to_owned())));
        assert!(find().is_none());
        let other = std::thread::spawn(|| find().is_none()).join();
        assert!(other.unwrap());
    }
}
