//! The times at which commands start and end, on the device's clock.
//!
//! The driver reports the time between two events, in milliseconds with 24 significant bits. Times
//! are therefore measured from an event that is at most seconds away ([`Clock::base`]) and whose
//! own time is known in nanoseconds.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use scythe_hal::{Result, Times};

use crate::api::Handle;
use crate::error::SUCCESS;
use crate::gpu::Gpu;

/// The maximum age of a base, in nanoseconds.
const BASE_LASTS: u64 = 1_000_000_000;

/// An event with timing.
pub(crate) struct Stamp {
    gpu: Arc<Gpu>,
    raw: Handle,
}

// SAFETY: the driver's events may be used by several threads at once.
unsafe impl Send for Stamp {}
// SAFETY: the driver's events may be used by several threads at once.
unsafe impl Sync for Stamp {}

impl Stamp {
    /// Records an event at the end of `stream`. Returns the driver's error on failure. The context
    /// must be current.
    pub(crate) fn record(gpu: &Arc<Gpu>, stream: Handle) -> std::result::Result<Self, i32> {
        let stamp = Self { gpu: gpu.clone(), raw: gpu.timing_event()? };
        // SAFETY: the event and the stream are alive and belong to the current context.
        match unsafe { (gpu.api.event_record)(stamp.raw, stream) } {
            SUCCESS => Ok(stamp),
            code => Err(code),
        }
    }

    /// Returns the nanoseconds from `earlier` to this event, or `None` if one of them has not been
    /// reached.
    fn since(&self, earlier: &Self) -> Option<f64> {
        // The thread may not have used the device before.
        self.gpu.enter().ok()?;
        let mut ms = 0f32;
        // SAFETY: both events are alive and were created with timing.
        let code = unsafe { (self.gpu.api.event_elapsed_time)(&mut ms, earlier.raw, self.raw) };
        (code == SUCCESS).then_some(f64::from(ms) * 1e6)
    }
}

impl Drop for Stamp {
    fn drop(&mut self) {
        self.gpu.destroy_event(self.raw);
    }
}

/// An event and the time at which it was reached.
pub(crate) struct Base {
    stamp: Stamp,
    ns: u64,
}

/// The device's clock, which starts at the same time as the host's clock.
pub(crate) struct Clock {
    gpu: Arc<Gpu>,
    start: Instant,
    base: Mutex<Option<Arc<Base>>>,
}

impl Clock {
    pub(crate) fn new(gpu: &Arc<Gpu>) -> Self {
        Self { gpu: gpu.clone(), start: Instant::now(), base: Mutex::default() }
    }

    /// Returns the nanoseconds since the clock was created. The result is never 0.
    pub(crate) fn now(&self) -> u64 {
        self.start.elapsed().as_nanos() as u64 + 1
    }

    /// Returns a base that is not too old.
    pub(crate) fn base(&self) -> Result<Arc<Base>> {
        let made = self.gpu.enter()?;
        let mut base = self.base.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(base) =
            base.as_ref().filter(|base| self.now().saturating_sub(base.ns) < BASE_LASTS)
        {
            return Ok(base.clone());
        }
        let failed = |code: i32| self.gpu.error(code, "cuEventRecord");
        let stamp = Stamp::record(&self.gpu, made.memory_stream).map_err(failed)?;
        self.gpu
            // SAFETY: the event is alive.
            .check(unsafe { (self.gpu.api.event_synchronize)(stamp.raw) }, "cuEventSynchronize")?;
        // Times continue from the last base, so that they never decrease.
        let ns = match base.as_ref().and_then(|old| Some(old.ns + stamp.since(&old.stamp)? as u64))
        {
            Some(ns) => ns,
            None => self.now(),
        };
        Ok(base.insert(Arc::new(Base { stamp, ns })).clone())
    }
}

/// The times of one command.
pub(crate) struct Timing {
    pub(crate) base: Arc<Base>,
    pub(crate) submit: u64,
    pub(crate) start: Stamp,
    pub(crate) end: Stamp,
    pub(crate) known: OnceLock<Times>,
}

impl Timing {
    /// Returns the times, or `None` until the command has completed.
    pub(crate) fn times(&self) -> Option<Times> {
        if let Some(times) = self.known.get() {
            return Some(*times);
        }
        let length = self.end.since(&self.start)?.max(0.0) as u64;
        let start = self.base.ns + self.start.since(&self.base.stamp)?.max(0.0) as u64;
        // The host and the device have different clocks, but a command cannot start before it was
        // submitted.
        let times = Times { submit: self.submit.min(start), start, end: start + length };
        Some(*self.known.get_or_init(|| times))
    }
}
