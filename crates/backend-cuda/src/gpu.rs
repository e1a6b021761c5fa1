//! What everything on one GPU shares: its primary context, spare events, and whether it is lost.
//!
//! The primary context is the one that CUDA's runtime library uses as well, so that programs may
//! mix both. It is retained when it is first needed and never released.
//!
//! A kernel that reads or writes an address that is not its own takes the whole context with it:
//! every later call fails. The first call to notice says so for all ([`Gpu::lose`]): the device is
//! lost, and other devices go on.

use std::ptr::null_mut;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use scythe_hal::{Errc, Error, Result};

use crate::Services;
use crate::api::{Api, Handle, Ordinal, PoolAccess};
use crate::error::{self, PEER_ACCESS_ALREADY_ENABLED, check, describe, failure, is_sticky};
use crate::limits::Limits;
use crate::stream::Stream;
use crate::waiter::Waiter;

/// Spare events that are kept for later.
const SPARE_EVENTS: usize = 256;
const EVENT_DISABLE_TIMING: u32 = 2;
/// The pool keeps freed memory for later allocations, up to this part of all memory.
const POOL_KEEPS: u64 = 4;
const POOL_RELEASE_THRESHOLD: i32 = 4;

/// One GPU.
pub(crate) struct Gpu {
    pub(crate) api: &'static Api,
    pub(crate) ordinal: Ordinal,
    pub(crate) name: String,
    pub(crate) limits: Limits,
    pub(crate) services: Services,
    made: OnceLock<Result<Made>>,
    /// All contexts of the process, so that each new one learns of the others.
    peers: Arc<Mutex<Vec<Peer>>>,
    lost: OnceLock<Error>,
    spare_events: Mutex<Vec<Loose>>,
    streams: Mutex<Vec<Weak<Stream>>>,
    pub(crate) waiter: Waiter,
}

/// What exists once the GPU is in use.
#[derive(Clone, Copy)]
pub(crate) struct Made {
    pub(crate) context: Handle,
    /// Null where the device has no pools.
    pub(crate) pool: Handle,
    /// Memory is allocated and freed in its order.
    pub(crate) memory_stream: Handle,
}

// SAFETY: the driver's objects may be used by any thread, and by many at once.
unsafe impl Send for Made {}
// SAFETY: as above.
unsafe impl Sync for Made {}

/// A context that others may reach into.
pub(crate) struct Peer {
    ordinal: Ordinal,
    context: Handle,
    pool: Handle,
}

// SAFETY: as for `Made`.
unsafe impl Send for Peer {}

/// An event that nobody uses.
struct Loose(Handle);

// SAFETY: as for `Made`.
unsafe impl Send for Loose {}

impl Gpu {
    pub(crate) fn new(
        api: &'static Api,
        ordinal: Ordinal,
        name: String,
        limits: Limits,
        services: Services,
        peers: &Arc<Mutex<Vec<Peer>>>,
    ) -> Arc<Self> {
        Arc::new_cyclic(|gpu| Self {
            api,
            ordinal,
            name,
            limits,
            services,
            made: OnceLock::new(),
            peers: peers.clone(),
            lost: OnceLock::new(),
            spare_events: Mutex::default(),
            streams: Mutex::default(),
            waiter: Waiter::new(gpu.clone()),
        })
    }

    /// Makes the context current on this thread. An error where the device is lost, or cannot be
    /// used at all.
    pub(crate) fn enter(&self) -> Result<Made> {
        if let Some(error) = self.lost.get() {
            return Err(error.clone());
        }
        let made = self.made.get_or_init(|| self.make()).as_ref().map_err(Clone::clone)?;
        // Asking is much cheaper than setting; programs may set another one at any time.
        if !self.is_current() {
            // SAFETY: the context is alive.
            self.check(unsafe { (self.api.ctx_set_current)(made.context) }, "cuCtxSetCurrent")?;
        }
        Ok(*made)
    }

    /// The context is this thread's current one.
    pub(crate) fn is_current(&self) -> bool {
        let mut current = null_mut();
        // SAFETY: a place for the context.
        unsafe { (self.api.ctx_get_current)(&mut current) };
        matches!(self.made.get(), Some(Ok(made)) if std::ptr::eq(current, made.context))
    }

    fn make(&self) -> Result<Made> {
        let api = self.api;
        let mut context = null_mut();
        let what = format!("creating a context on {}", self.name);
        // SAFETY: a device of the driver, and a place for the context.
        unsafe {
            check(api, (api.device_primary_ctx_retain)(&mut context, self.ordinal), &what)?;
            check(api, (api.ctx_set_current)(context), "cuCtxSetCurrent")?;
        }
        let mut memory_stream = null_mut();
        // SAFETY: a context is current, and there is a place for the stream.
        let code = unsafe { (api.stream_create)(&mut memory_stream, crate::stream::NON_BLOCKING) };
        check(api, code, "cuStreamCreate")?;
        let pool = if self.limits.has_pools { self.pool() } else { null_mut() };
        self.meet_peers(context, pool);
        Ok(Made { context, pool, memory_stream })
    }

    /// The device's own pool of memory; null where it has none after all.
    fn pool(&self) -> Handle {
        let mut pool = null_mut();
        let mut keep = self.limits.memory / POOL_KEEPS;
        // SAFETY: a place for the pool; the attribute is a `cuuint64_t`.
        unsafe {
            if (self.api.device_get_default_mem_pool)(&mut pool, self.ordinal) != error::SUCCESS {
                return null_mut();
            }
            // A pool that keeps nothing is slower, and no less right.
            (self.api.mem_pool_set_attribute)(pool, POOL_RELEASE_THRESHOLD, (&raw mut keep).cast());
        }
        pool
    }

    /// Lets this GPU and those in use already reach each other's memory, where the hardware can.
    fn meet_peers(&self, context: Handle, pool: Handle) {
        let api = self.api;
        let mut peers = self.peers.lock().unwrap_or_else(PoisonError::into_inner);
        let me = Peer { ordinal: self.ordinal, context, pool };
        for other in peers.iter() {
            for (from, to) in [(&me, other), (other, &me)] {
                let mut possible = 0;
                // SAFETY: contexts, pools and devices are the driver's and alive.
                unsafe {
                    let asked =
                        (api.device_can_access_peer)(&mut possible, from.ordinal, to.ordinal);
                    if asked != error::SUCCESS || possible == 0 {
                        continue;
                    }
                    (api.ctx_set_current)(from.context);
                    let code = (api.ctx_enable_peer_access)(to.context, 0);
                    let enabled = code == error::SUCCESS || code == PEER_ACCESS_ALREADY_ENABLED;
                    if enabled && !to.pool.is_null() {
                        let access =
                            PoolAccess { location_type: 1, location: from.ordinal, flags: 3 };
                        (api.mem_pool_set_access)(to.pool, &access, 1);
                    }
                }
            }
        }
        // SAFETY: the context is alive.
        unsafe { (api.ctx_set_current)(context) };
        peers.push(me);
    }

    /// An error where `code` is one; where the context is lost with it, the device is.
    pub(crate) fn check(&self, code: i32, what: &str) -> Result<()> {
        match code {
            error::SUCCESS => Ok(()),
            code => Err(self.error(code, what)),
        }
    }

    /// The error that `code` stands for. No lock of a stream is held.
    pub(crate) fn error(&self, code: i32, what: &str) -> Error {
        if is_sticky(code) { self.lose(code) } else { failure(self.api, code, what) }
    }

    /// How the device was lost.
    pub(crate) fn lost(&self) -> Option<&Error> {
        self.lost.get()
    }

    /// Notes that the device is lost, and tells why.
    fn lose(&self, code: i32) -> Error {
        let lost = self.lost.get_or_init(|| {
            let streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
            let mut kernels: Vec<String> = Vec::new();
            for symbol in
                streams.iter().filter_map(Weak::upgrade).flat_map(|stream| stream.running())
            {
                let name = (self.services.kernel_name)(&symbol);
                if !kernels.contains(&name) {
                    kernels.push(name);
                }
            }
            let during = match &kernels[..] {
                [] => "while no kernel was running".to_owned(),
                [one] => format!("while kernel '{one}' was running"),
                many => format!(
                    "while one of the kernels '{}' was running (set CUDA_LAUNCH_BLOCKING=1 to find \
                     out which)",
                    many.join("', '")
                ),
            };
            let why = describe(self.api, code);
            let message = format!(
                "device {} is lost: {why}, {during}. Its memory is lost, and all further commands \
                 on it fail; restart the program",
                self.name
            );
            Error::new(Errc::Runtime, message)
        });
        lost.clone()
    }

    /// Remembers a stream for [`Gpu::lose`].
    pub(crate) fn watch(&self, stream: &Arc<Stream>) {
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        streams.retain(|stream| stream.strong_count() > 0);
        streams.push(Arc::downgrade(stream));
    }

    /// An event that tells no time, or the driver's error. The context is current.
    pub(crate) fn take_event(&self) -> std::result::Result<Handle, i32> {
        let spare = self.spare_events.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match spare {
            Some(Loose(event)) => Ok(event),
            None => self.new_event(EVENT_DISABLE_TIMING),
        }
    }

    /// An event that tells when it was reached. The context is current.
    pub(crate) fn timing_event(&self) -> std::result::Result<Handle, i32> {
        self.new_event(0)
    }

    fn new_event(&self, flags: u32) -> std::result::Result<Handle, i32> {
        let mut event = null_mut();
        // SAFETY: a context is current, and there is a place for the event.
        match unsafe { (self.api.event_create)(&mut event, flags) } {
            error::SUCCESS => Ok(event),
            code => Err(code),
        }
    }

    /// Takes back what [`Gpu::take_event`] gave. Streams that wait for it go on to do so.
    pub(crate) fn give_event(&self, event: Handle) {
        let mut spare = self.spare_events.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.len() < SPARE_EVENTS {
            spare.push(Loose(event));
        } else {
            drop(spare);
            self.destroy_event(event);
        }
    }

    pub(crate) fn destroy_event(&self, event: Handle) {
        // Without a context there is nothing left to destroy.
        // SAFETY: whoever calls this owned the event.
        let _ = unsafe { (self.api.event_destroy)(event) };
    }
}
