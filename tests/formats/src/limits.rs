//! Limits for one input: memory, counted by the allocator, and time, which a second thread watches.
//! A reader that exceeds a limit ends the process, because it cannot be stopped in any other way.
//! The exit status tells which limit.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// The exit status after the limit of memory.
pub const MEMORY: i32 = 77;
/// The exit status after the limit of time.
pub const TIME: i32 = 78;

const SECONDS: u64 = 2;
const BASE: i64 = 64 << 20;
const PER_BYTE: i64 = 64;

static IS_ACTIVE: AtomicBool = AtomicBool::new(false);
static ALLOCATED: AtomicI64 = AtomicI64::new(0);
static LIMIT: AtomicI64 = AtomicI64::new(i64::MAX);
/// The number of inputs that were started.
static STARTED: AtomicU64 = AtomicU64::new(0);

/// The system's allocator, which counts while a reader runs.
pub struct Counting;

impl Counting {
    fn count(size: usize) {
        if IS_ACTIVE.load(Relaxed) {
            let now = ALLOCATED.fetch_add(size as i64, Relaxed).saturating_add(size as i64);
            if now > LIMIT.load(Relaxed) {
                // SAFETY: `_exit` has no preconditions.
                unsafe { libc::_exit(MEMORY) };
            }
        }
    }

    fn uncount(size: usize) {
        if IS_ACTIVE.load(Relaxed) {
            ALLOCATED.fetch_sub(size as i64, Relaxed);
        }
    }
}

// SAFETY: all memory is that of the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::count(layout.size());
        // SAFETY: the caller keeps the same contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        Self::uncount(layout.size());
        // SAFETY: the caller keeps the same contract.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        Self::count(layout.size());
        // SAFETY: the caller keeps the same contract.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        Self::count(size);
        Self::uncount(layout.size());
        // SAFETY: the caller keeps the same contract.
        unsafe { System.realloc(memory, layout, size) }
    }
}

/// Runs a reader on an input of `length` bytes within the limits.
pub fn within<T>(length: usize, read: impl FnOnce() -> T) -> T {
    ALLOCATED.store(0, Relaxed);
    LIMIT.store(BASE + PER_BYTE * length as i64, Relaxed);
    STARTED.fetch_add(1, Relaxed);
    IS_ACTIVE.store(true, Relaxed);
    let _end = End;
    read()
}

/// Ends the limits, also after a panic.
struct End;

impl Drop for End {
    fn drop(&mut self) {
        IS_ACTIVE.store(false, Relaxed);
    }
}

/// Starts the thread that watches the time.
pub fn watch() {
    std::thread::spawn(|| {
        const STEP: Duration = Duration::from_millis(50);
        let (mut seen, mut steps) = (0, 0);
        loop {
            std::thread::sleep(STEP);
            let now = STARTED.load(Relaxed);
            if now != seen || !IS_ACTIVE.load(Relaxed) {
                (seen, steps) = (now, 0);
                continue;
            }
            steps += 1;
            if steps * STEP.as_millis() as u64 > SECONDS * 1000 {
                // SAFETY: `_exit` has no preconditions.
                unsafe { libc::_exit(TIME) };
            }
        }
    });
}
