//! Assertions that fail in kernels.
//!
//! A program whose kernels assert has a variable that holds the first failure
//! (`scythe_abi::spirv::Assertion`). Each of its kernels is followed by a copy of that variable to
//! the host; the copy's event is the command's. Whoever waits for anything looks at the copies that
//! have arrived, and so does the driver's callback where nobody waits: a failure ends the process.

use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use scythe_abi::spirv::Assertion;
use scythe_hal::assertion;

use crate::api::{Api, Handle};
use crate::event::keep_until_complete;

/// Memory that the driver writes once.
pub(crate) struct Report(UnsafeCell<Assertion>);

// SAFETY: the driver writes it as one command; those who read it at the same time see a number that
// says no, or the failure's flag, whose texts are looked at when the command has completed.
unsafe impl Sync for Report {}
// SAFETY: plain data.
unsafe impl Send for Report {}

/// Copies that are under way, and how many there are.
static REPORTS: Mutex<Vec<Arc<Report>>> = Mutex::new(Vec::new());
static COUNT: AtomicUsize = AtomicUsize::new(0);

impl Report {
    pub(crate) fn new() -> Arc<Self> {
        // SAFETY: numbers and bytes may all be zero.
        Arc::new(Self(UnsafeCell::new(unsafe { std::mem::zeroed() })))
    }

    pub(crate) fn address(&self) -> *mut c_void {
        self.0.get().cast()
    }

    fn check(&self) {
        // SAFETY: a number that the driver may be writing at this moment.
        if unsafe { (&raw const (*self.0.get()).failed).read_volatile() } == 0 {
            return;
        }
        // SAFETY: the memory is alive and holds plain data.
        let seen = unsafe { self.0.get().read_volatile() };
        let text = |bytes: &[u8]| {
            let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
            String::from_utf8_lossy(&bytes[..end]).into_owned()
        };
        let (expression, file, function) =
            (text(&seen.expression), text(&seen.file), text(&seen.function));
        let Assertion { line, global_id, local_id, .. } = seen;
        assertion::Assertion {
            expression: &expression,
            file: &file,
            line,
            function: &function,
            global_id,
            local_id,
        }
        .abort()
    }
}

/// Looks at a copy when the driver's event of it has completed, and keeps it until then.
pub(crate) fn watch(api: &Api, event: Handle, report: Arc<Report>) {
    struct Watched(Arc<Report>);
    impl Drop for Watched {
        fn drop(&mut self) {
            self.0.check();
            let mut reports = REPORTS.lock().unwrap_or_else(PoisonError::into_inner);
            reports.retain(|report| !Arc::ptr_eq(report, &self.0));
            COUNT.store(reports.len(), Ordering::Release);
        }
    }
    let mut reports = REPORTS.lock().unwrap_or_else(PoisonError::into_inner);
    reports.push(report.clone());
    COUNT.store(reports.len(), Ordering::Release);
    drop(reports);
    keep_until_complete(api, event, Box::new(Watched(report)));
}

/// Looks at the copies that have arrived. For those who have waited for a command.
pub(crate) fn check() {
    if COUNT.load(Ordering::Acquire) > 0 {
        REPORTS
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
            .for_each(|report| report.check());
    }
}
