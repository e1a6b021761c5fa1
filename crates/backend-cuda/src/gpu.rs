//! The state that everything on one GPU shares: its primary context, spare events, and whether the
//! device is lost.
//!
//! CUDA's runtime library uses the same primary context, so programs may mix SYCL and CUDA. The
//! context is retained on first use and never released.
//!
//! A kernel that accesses an invalid address destroys the whole context: every later call fails.
//! The first call that notices this records the error for all others ([`Gpu::lose`]). The device is
//! then lost, but other devices continue to work.

use std::ptr::null_mut;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use scythe_hal::{Errc, Error, Result};

use crate::Services;
use crate::api::{Api, Handle, Ordinal, PoolAccess};
use crate::error::{self, PEER_ACCESS_ALREADY_ENABLED, check, describe, failure, is_sticky};
use crate::limits::Limits;
use crate::stream::Stream;
use crate::waiter::Waiter;

/// The maximum number of spare events.
const SPARE_EVENTS: usize = 256;
const EVENT_DISABLE_TIMING: u32 = 2;
/// The pool keeps freed memory for later allocations, up to this fraction of all memory: one in
/// `POOL_KEEPS`.
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
    /// All contexts of the process, so that each new context can enable access to the others.
    peers: Arc<Mutex<Vec<Peer>>>,
    lost: OnceLock<Error>,
    spare_events: Mutex<Vec<Loose>>,
    streams: Mutex<Vec<Weak<Stream>>>,
    pub(crate) waiter: Waiter,
}

/// The driver's objects that exist once the GPU is in use.
#[derive(Clone, Copy)]
pub(crate) struct Made {
    pub(crate) context: Handle,
    /// The memory pool, or null if the device has no pools.
    pub(crate) pool: Handle,
    /// The stream in whose order memory is allocated and freed.
    pub(crate) memory_stream: Handle,
}

// SAFETY: the driver's objects may be used by several threads at once.
unsafe impl Send for Made {}
// SAFETY: the driver's objects may be used by several threads at once.
unsafe impl Sync for Made {}

/// A context that other contexts may access.
pub(crate) struct Peer {
    ordinal: Ordinal,
    context: Handle,
    pool: Handle,
}

// SAFETY: the driver's objects may be used by several threads at once.
unsafe impl Send for Peer {}

/// An unused event.
struct Loose(Handle);

// SAFETY: the driver's objects may be used by several threads at once.
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

    /// Makes the context current on this thread. Reports an error if the device is lost or cannot
    /// be used at all.
    pub(crate) fn enter(&self) -> Result<Made> {
        if let Some(error) = self.lost.get() {
            return Err(error.clone());
        }
        let made = self.made.get_or_init(|| self.make()).as_ref().map_err(Clone::clone)?;
        // Querying is much cheaper than setting. Programs may set another context at any time.
        if !self.is_current() {
            // SAFETY: the context is alive, because it is never released.
            self.check(unsafe { (self.api.ctx_set_current)(made.context) }, "cuCtxSetCurrent")?;
        }
        Ok(*made)
    }

    /// Returns whether the context is current on this thread.
    pub(crate) fn is_current(&self) -> bool {
        let mut current = null_mut();
        // SAFETY: `current` is writable.
        unsafe { (self.api.ctx_get_current)(&mut current) };
        matches!(self.made.get(), Some(Ok(made)) if std::ptr::eq(current, made.context))
    }

    fn make(&self) -> Result<Made> {
        let api = self.api;
        let mut context = null_mut();
        let what = format!("creating a context on {}", self.name);
        // SAFETY: `ordinal` is a device of the driver, and `context` is writable.
        unsafe {
            check(api, (api.device_primary_ctx_retain)(&mut context, self.ordinal), &what)?;
            check(api, (api.ctx_set_current)(context), "cuCtxSetCurrent")?;
        }
        let mut memory_stream = null_mut();
        // SAFETY: a context is current, and `memory_stream` is writable.
        let code = unsafe { (api.stream_create)(&mut memory_stream, crate::stream::NON_BLOCKING) };
        check(api, code, "cuStreamCreate")?;
        let pool = if self.limits.has_pools { self.pool() } else { null_mut() };
        self.meet_peers(context, pool);
        Ok(Made { context, pool, memory_stream })
    }

    /// Returns the device's default memory pool, or null if it has none.
    fn pool(&self) -> Handle {
        let mut pool = null_mut();
        let mut keep = self.limits.memory / POOL_KEEPS;
        // SAFETY: `pool` is writable, and the attribute is a `cuuint64_t`.
        unsafe {
            if (self.api.device_get_default_mem_pool)(&mut pool, self.ordinal) != error::SUCCESS {
                return null_mut();
            }
            // If this fails, the pool keeps no memory, which is slower but correct.
            (self.api.mem_pool_set_attribute)(pool, POOL_RELEASE_THRESHOLD, (&raw mut keep).cast());
        }
        pool
    }

    /// Enables access between the memory of this GPU and of the GPUs in use, if the hardware
    /// supports it.
    fn meet_peers(&self, context: Handle, pool: Handle) {
        let api = self.api;
        let mut peers = self.peers.lock().unwrap_or_else(PoisonError::into_inner);
        let me = Peer { ordinal: self.ordinal, context, pool };
        for other in peers.iter() {
            for (from, to) in [(&me, other), (other, &me)] {
                let mut possible = 0;
                // SAFETY: the contexts, pools and devices belong to the driver and are alive.
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
        // SAFETY: the context is alive, because it is never released.
        unsafe { (api.ctx_set_current)(context) };
        peers.push(me);
    }

    /// Returns the GPUs in use that can access the memory of this one, and this one.
    pub(crate) fn with_access_to_this(&self) -> Vec<Ordinal> {
        let peers = self.peers.lock().unwrap_or_else(PoisonError::into_inner);
        let can_access = |&ordinal: &Ordinal| {
            let mut possible = 0;
            // SAFETY: both ordinals are devices of the driver, and `possible` is writable.
            let code =
                unsafe { (self.api.device_can_access_peer)(&mut possible, ordinal, self.ordinal) };
            ordinal == self.ordinal || code == error::SUCCESS && possible != 0
        };
        peers.iter().map(|peer| peer.ordinal).filter(can_access).collect()
    }

    /// Returns an error if `code` is one. If the code destroys the context, the device is lost.
    pub(crate) fn check(&self, code: i32, what: &str) -> Result<()> {
        match code {
            error::SUCCESS => Ok(()),
            code => Err(self.error(code, what)),
        }
    }

    /// Returns the error for `code`. The caller must not hold the lock of a stream.
    pub(crate) fn error(&self, code: i32, what: &str) -> Error {
        if is_sticky(code) { self.lose(code) } else { failure(self.api, code, what) }
    }

    /// Returns the error with which the device was lost, if it was.
    pub(crate) fn lost(&self) -> Option<&Error> {
        self.lost.get()
    }

    /// Records that the device is lost, and returns the reason.
    fn lose(&self, code: i32) -> Error {
        let lost = self.lost.get_or_init(|| {
            let streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
            let mut kernels: Vec<String> = Vec::new();
            for kernel in
                streams.iter().filter_map(Weak::upgrade).flat_map(|stream| stream.running())
            {
                let name = (self.services.kernel_name)(&kernel.symbol);
                let place = kernel.place.map(|place| format!(" (submitted at {place})"));
                let name = format!("'{name}'{}", place.unwrap_or_default());
                if !kernels.contains(&name) {
                    kernels.push(name);
                }
            }
            let during = match &kernels[..] {
                [] => "while no kernel was running".to_owned(),
                [one] => format!("while kernel {one} was running"),
                many => format!(
                    "while one of the kernels {} was running (set CUDA_LAUNCH_BLOCKING=1 to find \
                     out which)",
                    many.join(", ")
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

    /// Registers a stream for [`Gpu::lose`].
    pub(crate) fn watch(&self, stream: &Arc<Stream>) {
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        streams.retain(|stream| stream.strong_count() > 0);
        streams.push(Arc::downgrade(stream));
    }

    /// Returns an event without timing, or the driver's error. The context must be current.
    pub(crate) fn take_event(&self) -> std::result::Result<Handle, i32> {
        let spare = self.spare_events.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match spare {
            Some(Loose(event)) => Ok(event),
            None => self.new_event(EVENT_DISABLE_TIMING),
        }
    }

    /// Returns an event with timing. The context must be current.
    pub(crate) fn timing_event(&self) -> std::result::Result<Handle, i32> {
        self.new_event(0)
    }

    fn new_event(&self, flags: u32) -> std::result::Result<Handle, i32> {
        let mut event = null_mut();
        // SAFETY: a context is current, and `event` is writable.
        match unsafe { (self.api.event_create)(&mut event, flags) } {
            error::SUCCESS => Ok(event),
            code => Err(code),
        }
    }

    /// Returns an event of [`Gpu::take_event`] to the spare events. Streams that wait for it
    /// continue to wait.
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
        // SAFETY: the caller owns the event and does not use it any more.
        let _ = unsafe { (self.api.event_destroy)(event) };
    }
}
