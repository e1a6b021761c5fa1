//! A command in the task graph, which is also its event.
//!
//! Each command has one allocation. A command counts its incomplete dependencies. Each of these
//! dependencies has a [`Link`] to the command in a lock-free list; the link is stored inside the
//! waiting command. A completed dependency costs nothing, and a completed command refers to no
//! other command. Memory is therefore bounded by the commands in flight and the events that users
//! hold.
//!
//! Ownership: a command that waits for dependencies owns itself (one count of its `Arc`). The
//! thread that brings `pending` to zero takes over that count. Only these threads access the body:
//! the thread that claimed the command, threads that hold a chunk of its scheduler, and the thread
//! that finishes it, which is the last of them.

use std::any::Any;
use std::cell::UnsafeCell;
use std::panic::AssertUnwindSafe;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use scythe_hal::{Callback, Error, Event, HostTask, Keep, Result, Status, Times};

use crate::chunk_scheduler::ChunkScheduler;
use crate::executor::Executor;
use crate::futex;
use crate::job::{Job, UnitJob};

/// The number of links in the node itself. Most commands have at most this many dependencies.
const INLINE_LINKS: usize = 3;

/// The phases of a command, in the low bits of its state.
pub(crate) const PENDING: u32 = 0;
/// The command is in a queue of ready commands, and any thread may claim it.
pub(crate) const READY: u32 = 1;
pub(crate) const RUNNING: u32 = 2;
pub(crate) const COMPLETE: u32 = 3;
const PHASE_MASK: u32 = 3;
/// A thread sleeps on the state.
const SLEEPERS: u32 = 4;

/// One entry in a command's list of followers: another command or, if `node` is null, the head of a
/// [`CallbackLink`].
struct Link {
    next: *mut Link,
    node: *const Node,
}

#[repr(C)]
struct CallbackLink {
    link: Link,
    call: Callback,
}

/// Returns the list head of a completed command. Nothing can be added to such a list.
fn closed() -> *mut Link {
    ptr::without_provenance_mut(1)
}

/// The way in which the executor runs a command.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Marker,
    HostTask,
    Units,
}

struct Body {
    job: Job,
    keep: Keep,
}

pub(crate) struct Node {
    state: AtomicU32,
    /// The number of incomplete dependencies, plus one for the submission itself.
    pending: AtomicU32,
    followers: AtomicPtr<Link>,
    scheduler: OnceLock<Box<ChunkScheduler>>,
    error: OnceLock<Box<Error>>,
    executor: &'static Executor,
    /// The result of `Arc::into_raw` for this node.
    this: AtomicPtr<Node>,
    kind: Kind,
    body: UnsafeCell<Body>,
    inline_links: UnsafeCell<[Link; INLINE_LINKS]>,
    more_links: UnsafeCell<Vec<Link>>,
    times: Option<Box<Clock>>,
}

/// Times in nanoseconds of the monotonic clock.
struct Clock {
    submit: u64,
    start: AtomicU64,
    end: AtomicU64,
    /// The command whose end is the start of this one.
    since: Option<Arc<Node>>,
}

// SAFETY: the raw pointers and cells are accessed only under the ownership rules at the head of
// this file.
unsafe impl Send for Node {}
// SAFETY: the raw pointers and cells are accessed only under the ownership rules at the head of
// this file. All other fields are atomics and once-cells.
unsafe impl Sync for Node {}

impl Node {
    pub(crate) fn new(
        executor: &'static Executor,
        job: Job,
        keep: Keep,
        profiling: bool,
    ) -> Arc<Self> {
        let clock = || {
            let (start, end) = (AtomicU64::new(0), AtomicU64::new(0));
            Box::new(Clock { submit: now(), start, end, since: None })
        };
        Self::with_clock(executor, job, keep, profiling.then(clock))
    }

    /// Creates a command without work, which starts with the end of `first`.
    pub(crate) fn end_since(
        executor: &'static Executor,
        keep: Keep,
        first: Arc<Self>,
    ) -> Arc<Self> {
        let submit = first.times.as_ref().map_or_else(now, |clock| clock.submit);
        let (start, end) = (AtomicU64::new(0), AtomicU64::new(0));
        let clock = Box::new(Clock { submit, start, end, since: Some(first) });
        Self::with_clock(executor, Job::Marker, keep, Some(clock))
    }

    fn with_clock(
        executor: &'static Executor,
        job: Job,
        keep: Keep,
        times: Option<Box<Clock>>,
    ) -> Arc<Self> {
        const NO_LINK: Link = Link { next: ptr::null_mut(), node: ptr::null() };
        let kind = match &job {
            Job::Marker => Kind::Marker,
            Job::HostTask(_) => Kind::HostTask,
            Job::Units(_) => Kind::Units,
        };
        let node = Arc::new(Self {
            state: AtomicU32::new(PENDING),
            pending: AtomicU32::new(0),
            followers: AtomicPtr::new(ptr::null_mut()),
            scheduler: OnceLock::new(),
            error: OnceLock::new(),
            executor,
            this: AtomicPtr::new(ptr::null_mut()),
            kind,
            body: UnsafeCell::new(Body { job, keep }),
            inline_links: UnsafeCell::new([NO_LINK; INLINE_LINKS]),
            more_links: UnsafeCell::new(Vec::new()),
            times,
        });
        node.this.store(Arc::as_ptr(&node).cast_mut(), Ordering::Relaxed);
        node
    }

    /// Makes the command wait for `deps`. Returns the command if it need not wait at all; otherwise
    /// the last dependency to complete releases it. Must be called once, before any other thread
    /// knows the command.
    pub(crate) fn attach(self: Arc<Self>, deps: &[&Node]) -> Option<Arc<Self>> {
        self.pending.store(deps.len() as u32 + 1, Ordering::Relaxed);
        // From here on the command owns itself, through `this`.
        let this = Arc::into_raw(self);
        // SAFETY: the count that `into_raw` gave up keeps the node alive until `pending` reaches
        // zero. That cannot happen before the call of `release` in this function, so `node` is
        // valid until then.
        let node = unsafe { &*this };
        let links: *mut Link = if deps.len() <= INLINE_LINKS {
            node.inline_links.get().cast()
        } else {
            // SAFETY: no other thread knows the node yet.
            let more = unsafe { &mut *node.more_links.get() };
            more.extend(deps.iter().map(|_| Link { next: ptr::null_mut(), node: ptr::null() }));
            more.as_mut_ptr()
        };
        let mut settled = 1;
        for (i, dep) in deps.iter().enumerate() {
            // SAFETY: `links` has one link for each dependency, so the offset is in bounds.
            let link = unsafe { links.add(i) };
            // SAFETY: the link is valid and not in any list. The dependency sees it only once
            // `add_follower` has published it.
            unsafe { link.write(Link { next: ptr::null_mut(), node: this }) };
            if !dep.add_follower(link) {
                settled += 1;
                if let Some(error) = dep.error() {
                    node.fail(error.clone());
                }
            }
        }
        // SAFETY: `this` came from `Arc::into_raw`, and the `release` that reaches zero takes over
        // that count.
        node.release(settled).then(|| unsafe { Arc::from_raw(this) })
    }

    /// Returns a new `Arc` of this command.
    pub(crate) fn arc(&self) -> Arc<Self> {
        let this = self.this.load(Ordering::Relaxed);
        // SAFETY: every node is in an `Arc`, `this` is its pointer, and `self` is borrowed from a
        // live count.
        unsafe {
            Arc::increment_strong_count(this);
            Arc::from_raw(this)
        }
    }

    /// Subtracts `count` from the pending dependencies. Returns true if none are left.
    fn release(&self, count: u32) -> bool {
        self.pending.fetch_sub(count, Ordering::AcqRel) == count
    }

    /// Adds `link` to the list of followers. Returns false if the command has already completed.
    fn add_follower(&self, link: *mut Link) -> bool {
        let mut head = self.followers.load(Ordering::Acquire);
        loop {
            if head == closed() {
                return false;
            }
            // SAFETY: the caller owns `link` until the exchange below publishes it.
            unsafe { (*link).next = head };
            match self.followers.compare_exchange_weak(
                head,
                link,
                Ordering::AcqRel,
                Ordering::Acquire,
            ) {
                Ok(_) => return true,
                Err(now) => head = now,
            }
        }
    }

    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    pub(crate) fn phase(&self) -> u32 {
        self.state.load(Ordering::Acquire) & PHASE_MASK
    }

    pub(crate) fn error(&self) -> Option<&Error> {
        self.error.get().map(Box::as_ref)
    }

    /// Makes the command fail with `error`, unless it has already failed.
    pub(crate) fn fail(&self, error: Error) {
        let _ = self.error.set(Box::new(error));
    }

    /// Returns whether no command or callback waits for this command. Threads may wait for it.
    pub(crate) fn has_no_followers(&self) -> bool {
        self.followers.load(Ordering::Relaxed).is_null()
    }

    pub(crate) fn set_ready(&self) {
        self.state.fetch_or(READY, Ordering::Release);
    }

    /// Changes the phase from ready to running. Returns true for exactly one caller, which then
    /// runs the command.
    pub(crate) fn claim(&self) -> bool {
        let take =
            |state: u32| (state & PHASE_MASK == READY).then_some(state & !PHASE_MASK | RUNNING);
        let claimed = self.state.fetch_update(Ordering::AcqRel, Ordering::Relaxed, take).is_ok();
        if claimed {
            self.stamp_start();
        }
        claimed
    }

    /// Changes the phase from pending to running, for a host task. Only the threads of host tasks
    /// run host tasks.
    pub(crate) fn start_host_task(&self) -> Option<HostTask> {
        self.state.fetch_or(RUNNING, Ordering::AcqRel);
        self.stamp_start();
        // SAFETY: only the thread that took the command from the queue of host tasks calls this
        // function.
        match unsafe { &mut (*self.body.get()).job } {
            Job::HostTask(task) => task.take(),
            _ => None,
        }
    }

    fn stamp_start(&self) {
        if let Some(clock) = &self.times {
            clock.start.store(now(), Ordering::Relaxed);
        }
    }

    /// Returns the job of a command of kind [`Kind::Units`].
    ///
    /// # Safety
    /// The caller has claimed the command or holds units of its scheduler, and uses the job only as
    /// long as this holds.
    pub(crate) unsafe fn unit_job(&self) -> Option<&UnitJob> {
        // SAFETY: the body changes only in `complete`, which runs after all units are done.
        match unsafe { &(*self.body.get()).job } {
            Job::Units(job) => Some(job),
            _ => None,
        }
    }

    /// Returns whether the thread that submits the command runs it. Must be called before any other
    /// thread knows the command.
    pub(crate) fn runs_at_submission(&self) -> bool {
        // SAFETY: no other thread uses the body, because none knows the command.
        unsafe { self.unit_job() }.is_some_and(UnitJob::runs_at_submission)
    }

    pub(crate) fn scheduler(&self) -> Option<&ChunkScheduler> {
        self.scheduler.get().map(Box::as_ref)
    }

    /// Lets other threads take part from now on.
    pub(crate) fn set_scheduler(&self, scheduler: ChunkScheduler) -> &ChunkScheduler {
        self.scheduler.get_or_init(|| Box::new(scheduler))
    }

    /// Marks the command complete. Returns the followers that waited for it, in the order in which
    /// they were added, and the objects that the command kept alive.
    ///
    /// # Safety
    /// Called once, by the thread that finishes the command, when no other thread uses its body.
    pub(crate) unsafe fn complete(&self) -> (Followers, Keep) {
        // SAFETY: the caller guarantees that no other thread uses the body (this function's
        // contract).
        let body = unsafe { &mut *self.body.get() };
        body.job = Job::Marker;
        let keep = body.keep.take();
        if let Some(clock) = &self.times {
            let end = now();
            let _ = clock.start.compare_exchange(0, end, Ordering::Relaxed, Ordering::Relaxed);
            clock.end.store(end, Ordering::Relaxed);
        }
        let state = self.state.swap(COMPLETE, Ordering::AcqRel);
        let list = self.followers.swap(closed(), Ordering::AcqRel);
        if state & SLEEPERS != 0 {
            futex::wake_all(&self.state);
        }
        (Followers(reverse(list)), keep)
    }

    /// Sleeps until the command has completed.
    pub(crate) fn sleep(&self) {
        loop {
            let state = self.state.load(Ordering::Acquire);
            if state & PHASE_MASK == COMPLETE {
                return;
            }
            let asleep = state | SLEEPERS;
            if state == asleep
                || self
                    .state
                    .compare_exchange(state, asleep, Ordering::AcqRel, Ordering::Relaxed)
                    .is_ok()
            {
                futex::wait(&self.state, asleep);
            }
        }
    }
}

fn reverse(mut list: *mut Link) -> *mut Link {
    let mut reversed = ptr::null_mut();
    while !list.is_null() {
        // SAFETY: the caller closed the list, so its links belong to this thread until it releases
        // them.
        let link = unsafe { &mut *list };
        let next = link.next;
        link.next = reversed;
        reversed = list;
        list = next;
    }
    reversed
}

/// The followers of a completed command. They must be consumed with [`Followers::settle_next`].
pub(crate) struct Followers(*mut Link);

/// The new state of a follower.
pub(crate) enum Settled {
    /// The follower has no more pending dependencies.
    Ready(Arc<Node>),
    /// The follower waits for other commands, or was a callback.
    Nothing,
}

impl Followers {
    /// Notifies the next follower that its dependency has completed, with or without `error`.
    /// Returns `None` if there are no more followers.
    pub(crate) fn settle_next(&mut self, error: Option<&Error>) -> Option<Settled> {
        let link = self.0;
        if link.is_null() {
            return None;
        }
        // SAFETY: a link in the list stays valid until its node is released, which happens below.
        let Link { next, node } = unsafe { link.read() };
        self.0 = next;
        if node.is_null() {
            // SAFETY: a link without a node is the head of a boxed `CallbackLink`, whose ownership
            // `on_complete` gave up.
            let callback = unsafe { Box::from_raw(link.cast::<CallbackLink>()) };
            let outcome = error.cloned().map_or(Ok(()), Err);
            // A panic in a callback must not end the worker. The panic cannot be reported anywhere.
            let _ = std::panic::catch_unwind(AssertUnwindSafe(|| (callback.call)(outcome)));
            return Some(Settled::Nothing);
        }
        // SAFETY: the follower owns itself while it waits for this dependency.
        let follower = unsafe { &*node };
        if let Some(error) = error {
            follower.fail(error.clone());
        }
        Some(if follower.release(1) {
            // SAFETY: the `release` that reaches zero takes over the count that `attach` gave up.
            Settled::Ready(unsafe { Arc::from_raw(node) })
        } else {
            Settled::Nothing
        })
    }
}

impl Event for Node {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn status(&self) -> Status {
        match self.phase() {
            COMPLETE => Status::Complete,
            RUNNING => Status::Running,
            _ => Status::Submitted,
        }
    }

    fn wait(&self) -> Result<()> {
        self.executor.wait(self);
        self.error().cloned().map_or(Ok(()), Err)
    }

    fn on_complete(&self, f: Callback) {
        let link = Link { next: ptr::null_mut(), node: ptr::null() };
        let boxed = Box::into_raw(Box::new(CallbackLink { link, call: f }));
        if !self.add_follower(boxed.cast()) {
            // SAFETY: `add_follower` did not take the link, so this function still owns the box.
            let callback = unsafe { Box::from_raw(boxed) };
            (callback.call)(self.error().cloned().map_or(Ok(()), Err));
        }
    }

    fn times(&self) -> Option<Times> {
        let clock = self.times.as_ref()?;
        (self.phase() == COMPLETE).then(|| Times {
            submit: clock.submit,
            start: match &clock.since {
                Some(first) => first.times().map_or(clock.submit, |first| first.end),
                None => clock.start.load(Ordering::Relaxed),
            },
            end: clock.end.load(Ordering::Relaxed),
        })
    }
}

/// Returns the time of the monotonic clock, in nanoseconds.
pub(crate) fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is writable, and the monotonic clock exists on every Linux.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
