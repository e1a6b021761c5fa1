//! Failed assertions in kernels.
//!
//! A program whose kernels contain assertions has a variable for the first failure
//! (`scythe_abi::spirv::Assertion`). After each kernel of the program, the variable is copied to
//! the host; the event of the copy is the event of the command. Every thread that has waited for a
//! command checks the copies that have arrived. If no thread waits, the driver's callback checks
//! them. A failure ends the process.

use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use scythe_abi::spirv::Assertion;
use scythe_hal::assertion;

use crate::api::{Api, Handle};
use crate::event::keep_until_complete;

/// Host memory that the driver writes once.
pub(crate) struct Report(UnsafeCell<Assertion>);

// SAFETY: the driver writes the memory with one command. A concurrent reader sees either that there
// is no failure, or the failure's flag; the texts are read when the command has completed.
unsafe impl Sync for Report {}
// SAFETY: the memory contains plain data.
unsafe impl Send for Report {}

/// The copies in progress, and their number.
static REPORTS: Mutex<Vec<Arc<Report>>> = Mutex::new(Vec::new());
static COUNT: AtomicUsize = AtomicUsize::new(0);

impl Report {
    pub(crate) fn new() -> Arc<Self> {
        // SAFETY: all fields are numbers and bytes, for which zeros are valid.
        Arc::new(Self(UnsafeCell::new(unsafe { std::mem::zeroed() })))
    }

    pub(crate) fn address(&self) -> *mut c_void {
        self.0.get().cast()
    }

    fn check(&self) {
        // SAFETY: the memory is alive. The read is volatile, because the driver may write the
        // number at the same time.
        if unsafe { (&raw const (*self.0.get()).failed).read_volatile() } == 0 {
            return;
        }
        // SAFETY: the memory is alive and contains plain data.
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

/// Checks a copy when its event has completed, and keeps the copy until then.
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

/// Checks the copies that have arrived. Called by threads that have waited for a command.
pub(crate) fn check() {
    if COUNT.load(Ordering::Acquire) > 0 {
        REPORTS
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
            .for_each(|report| report.check());
    }
}
