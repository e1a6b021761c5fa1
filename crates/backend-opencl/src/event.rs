//! Commands that were submitted to the driver, and their completion.

use std::any::Any;
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, Ordering};

use scythe_hal::{Errc, Error, Event, Native, Place, Result, Status, Times};

use crate::api::{Api, Handle, check, failure};
use crate::assertions;
use crate::in_order_queue::InOrderQueue;

const COMMAND_EXECUTION_STATUS: u32 = 0x11d3;
const COMPLETE: i32 = 0;
const RUNNING: i32 = 1;
const QUEUED: i32 = 3;
/// The status of a command whose dependency failed.
const FAILED_DEPENDENCY: i32 = -14;
const PROFILING_QUEUED: u32 = 0x1280;
const PROFILING_START: u32 = 0x1282;
const PROFILING_END: u32 = 0x1283;

/// An event of the driver, an event that the driver creates on demand, or an event of a finished
/// command.
pub(crate) struct OclEvent {
    api: &'static Api,
    /// The driver's event, or null if there is none (yet).
    raw: AtomicPtr<c_void>,
    /// The in-order queue of the event's command, so that the driver's event can still be created.
    in_order_queue: Option<Arc<InOrderQueue>>,
    profiling: bool,
    /// The last known status in OpenCL's numbers. Numbers up to 0 are final.
    known: AtomicI32,
    /// Whether the program no longer has a handle of the event.
    abandoned: AtomicBool,
    /// The error of a command that was not submitted to the driver.
    refused: Option<Error>,
    /// The kernel of the command.
    kernel: Option<Launched>,
}

/// A launch, as messages name it.
#[derive(Clone)]
pub(crate) struct Launched {
    pub(crate) symbol: Arc<str>,
    pub(crate) place: Option<Place>,
}

impl OclEvent {
    /// Creates an event. Takes over a reference count of `raw`.
    pub(crate) fn new(api: &'static Api, raw: Handle, profiling: bool) -> Self {
        Self {
            api,
            raw: AtomicPtr::new(raw),
            in_order_queue: None,
            profiling,
            known: AtomicI32::new(QUEUED),
            abandoned: AtomicBool::new(false),
            refused: None,
            kernel: None,
        }
    }

    /// Sets the kernel that messages about a failure name.
    pub(crate) fn of_kernel(mut self, kernel: Option<Launched>) -> Self {
        self.kernel = kernel;
        self
    }

    /// Creates the event of the last command in an in-order queue. `raw` may be null.
    pub(crate) fn in_order(
        in_order_queue: &Arc<InOrderQueue>,
        raw: Handle,
        profiling: bool,
    ) -> Self {
        let mut event = Self::new(in_order_queue.api(), raw, profiling);
        event.in_order_queue = Some(in_order_queue.clone());
        event
    }

    /// Creates the event of a command that has nothing to do or, with `refused`, must not run.
    pub(crate) fn over(api: &'static Api, refused: Option<Error>) -> Self {
        let mut event = Self::new(api, std::ptr::null_mut(), false);
        event.known = AtomicI32::new(if refused.is_some() { FAILED_DEPENDENCY } else { COMPLETE });
        event.refused = refused;
        event
    }

    /// Returns the driver's event. Creates it if there is none. Returns null if the command has
    /// ended without one. The command has been flushed, so other commands may wait for the event.
    pub(crate) fn raw(&self) -> Handle {
        match &self.in_order_queue {
            Some(in_order_queue) if !in_order_queue.is_eager() => in_order_queue.mark(self),
            _ => {}
        }
        self.raw.load(Ordering::Acquire)
    }

    pub(crate) fn has_raw(&self) -> bool {
        !self.raw.load(Ordering::Acquire).is_null()
    }

    /// Returns whether the command is not known to have ended.
    pub(crate) fn is_open(&self) -> bool {
        self.known.load(Ordering::Acquire) > COMPLETE
    }

    pub(crate) fn is_abandoned(&self) -> bool {
        self.abandoned.load(Ordering::Relaxed)
    }

    /// Returns whether the command is in this in-order queue, so that all later commands there
    /// follow it.
    pub(crate) fn is_in(&self, in_order_queue: &Arc<InOrderQueue>) -> bool {
        self.in_order_queue.as_ref().is_some_and(|own| Arc::ptr_eq(own, in_order_queue))
    }

    /// Records the result of the request for a driver's event. The caller must hold the in-order
    /// queue's turn.
    pub(crate) fn settle(&self, raw: Handle, code: i32) {
        match code {
            0 => self.raw.store(raw, Ordering::Release),
            // A driver that accepts no more commands will not report the end of this command.
            _ => self.known.store(code, Ordering::Release),
        }
    }

    fn end(&self, code: i32) -> Result<()> {
        match &self.refused {
            Some(error) => Err(error.clone()),
            None if code == COMPLETE => Ok(()),
            None if code == FAILED_DEPENDENCY => {
                Err(failure(code, "a command that this one waited for"))
            }
            None => Err(ended(code, self.kernel.as_ref())),
        }
    }

    fn ask(&self) -> i32 {
        let known = self.known.load(Ordering::Acquire);
        let raw = if known <= COMPLETE { std::ptr::null_mut() } else { self.raw() };
        if raw.is_null() {
            return self.known.load(Ordering::Acquire);
        }
        let mut now = QUEUED;
        let place = (&raw mut now).cast::<c_void>();
        // SAFETY: the event is alive, and the result is a `cl_int`.
        let code = unsafe {
            (self.api.get_event_info)(
                raw,
                COMMAND_EXECUTION_STATUS,
                size_of::<i32>(),
                place,
                std::ptr::null_mut(),
            )
        };
        // If the driver rejects the event, its device is lost, and no other status will follow.
        let now = if code == 0 { now } else { code };
        if now <= COMPLETE {
            self.known.store(now, Ordering::Release);
        }
        now
    }

    fn time(&self, name: u32) -> Option<u64> {
        let mut ns = 0u64;
        let place = (&raw mut ns).cast::<c_void>();
        // SAFETY: the event is alive, and the result is a `cl_ulong`.
        let code = unsafe {
            (self.api.get_event_profiling_info)(
                self.raw(),
                name,
                size_of::<u64>(),
                place,
                std::ptr::null_mut(),
            )
        };
        (code == 0).then_some(ns)
    }
}

impl Event for OclEvent {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn status(&self) -> Status {
        match self.ask() {
            ..=COMPLETE => Status::Complete,
            RUNNING => Status::Running,
            _ => Status::Submitted,
        }
    }

    fn wait(&self) -> Result<()> {
        if let Some(end) = self.known_end() {
            return end;
        }
        let raw = self.raw();
        if raw.is_null() {
            return self.end(self.known.load(Ordering::Acquire));
        }
        // SAFETY: the event is alive. The call also flushes the command.
        let code = unsafe { (self.api.wait_for_events)(1, &raw) };
        if let Some(in_order_queue) = &self.in_order_queue {
            in_order_queue.rest();
        }
        assertions::check();
        let now = match self.ask() {
            now @ ..=COMPLETE => now,
            // The driver stopped waiting.
            _ if code != 0 => code,
            _ => COMPLETE,
        };
        self.known.store(now, Ordering::Release);
        self.end(now)
    }

    fn on_complete(&self, f: Box<dyn FnOnce(Result<()>) + Send>) {
        if self.ask() <= COMPLETE {
            f(self.known_end().unwrap_or(Ok(())));
            return;
        }
        let f: Call = match self.kernel.clone() {
            Some(kernel) => Box::new(move |end| f(end.map_err(|error| kernel.explain(error)))),
            None => f,
        };
        if let Err(f) = when_complete(self.api, self.raw(), f) {
            let end = self.wait();
            f(end);
        }
    }

    fn times(&self) -> Option<Times> {
        if !self.profiling || !self.has_raw() {
            return None;
        }
        let (submit, start) = (self.time(PROFILING_QUEUED)?, self.time(PROFILING_START)?);
        Some(Times { submit, start, end: self.time(PROFILING_END)? })
    }

    fn native(&self) -> Result<Native> {
        let raw = self.raw();
        if raw.is_null() {
            return Err(Error::new(
                Errc::Event,
                "the command was empty, so it has no native OpenCL event",
            ));
        }
        // SAFETY: the event is alive, because this object owns a count of it.
        check(unsafe { (self.api.retain_event)(raw) }, "clRetainEvent").map(|()| raw)
    }

    fn known_end(&self) -> Option<Result<()>> {
        let known = self.known.load(Ordering::Acquire);
        (known <= COMPLETE).then(|| self.end(known))
    }

    fn abandon(&self) {
        self.abandoned.store(true, Ordering::Relaxed);
    }
}

impl Drop for OclEvent {
    fn drop(&mut self) {
        let raw = *self.raw.get_mut();
        if !raw.is_null() {
            // SAFETY: this object owns the reference count.
            let _ = unsafe { (self.api.release_event)(raw) };
        }
    }
}

impl Launched {
    fn explain(&self, error: Error) -> Error {
        let place = self.place.filter(|place| !error.message.contains(&place.to_string()));
        error.of_command(Some(&self.symbol), place)
    }
}

/// Returns the error of a command that was submitted but failed. The codes that mean "out of
/// resources" elsewhere mean here that the device hung, faulted or was removed.
fn ended(code: i32, kernel: Option<&Launched>) -> Error {
    let Error { message, .. } = failure(code, "a command on the device");
    let error = match code {
        -6..=-4 | -2 => Error::new(
            Errc::Runtime,
            format!("{message}: the device is lost, or could not run the command"),
        ),
        _ => Error::new(Errc::Runtime, message),
    };
    match kernel {
        Some(kernel) => kernel.explain(error),
        None => error,
    }
}

type Call = Box<dyn FnOnce(Result<()>) + Send>;

/// Makes the driver call `f` when the event has completed. Returns `f` if the driver refuses.
fn when_complete(api: &Api, event: Handle, f: Call) -> std::result::Result<(), Call> {
    unsafe extern "C" fn completed(_event: Handle, status: i32, data: *mut c_void) {
        // SAFETY: `data` is the address that was registered with this function. The driver calls
        // the function once.
        let f = unsafe { Box::from_raw(data.cast::<Call>()) };
        let end = if status < 0 { Err(ended(status, None)) } else { Ok(()) };
        // A panic must not reach the driver.
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || f(end)));
    }
    let data = Box::into_raw(Box::new(f));
    // SAFETY: the event is alive, and the driver calls the function once with this address.
    let code = unsafe { (api.set_event_callback)(event, COMPLETE, completed, data.cast()) };
    if code == 0 {
        return Ok(());
    }
    // SAFETY: the driver did not take the address, so this function still owns the box.
    Err(*unsafe { Box::from_raw(data) })
}

/// Drops `keep` when the event has completed.
pub(crate) fn keep_until_complete(api: &Api, event: Handle, keep: Box<dyn Any + Send + Sync>) {
    let call: Call = Box::new(move |_| drop(keep));
    if let Err(call) = when_complete(api, event, call) {
        // SAFETY: the event is alive.
        let _ = unsafe { (api.wait_for_events)(1, &event) };
        call(Ok(()));
    }
}
