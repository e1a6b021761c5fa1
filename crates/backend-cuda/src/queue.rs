//! Queues: submits commands to a few streams, with the events that each command waits for.
//!
//! A command that waits for the last command of a stream is added to the same stream, which needs
//! no event. Other commands go to an idle stream, to a new stream, or to the streams in turn. An
//! in-order queue has one stream, which contains all of its commands, whatever they wait for: a
//! program may add its own commands to that stream.

use std::any::Any;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use scythe_hal::{
    Command, Cooperation, CopyBox, Errc, Error, Event, Graph, Hint, Keep, LaunchView, Native,
    Priority, Queue, Result, Work,
};

use crate::api::{Address, Handle};
use crate::copy;
use crate::error::SUCCESS;
use crate::event::{Barrier, CudaEvent};
use crate::gpu::Gpu;
use crate::graph::CudaGraph;
use crate::launch::Checked;
use crate::profile::{Clock, Stamp, Timing};
use crate::program::CudaKernel;
use crate::stream::Stream;

/// The number of streams of an out-of-order queue.
const STREAMS: usize = 8;

pub(crate) struct CudaQueue {
    gpu: Arc<Gpu>,
    /// The streams, created on demand.
    streams: Vec<OnceLock<Arc<Stream>>>,
    next: AtomicUsize,
    /// The clock, if commands are timed.
    clock: Option<Clock>,
    priority: Option<Priority>,
}

/// A command. Everything that can be checked before it is enqueued has been checked.
pub(crate) enum Step<'a> {
    Nothing,
    Graph(&'a CudaGraph),
    Kernel(Checked<'a>, &'a Arc<str>),
    Memcpy { dst: Address, src: Address, size: usize },
    CopyBox { dst: Address, src: Address, region: &'a CopyBox },
    Fill { dst: Address, pattern: &'a [u8], count: usize },
    Hint { at: Address, size: usize, hint: Hint },
}

impl CudaQueue {
    pub(crate) fn new(
        gpu: &Arc<Gpu>,
        in_order: bool,
        profiling: bool,
        priority: Option<Priority>,
    ) -> Result<Self> {
        gpu.enter()?;
        let clock = profiling.then(|| Clock::new(gpu));
        let streams = (0..if in_order { 1 } else { STREAMS }).map(|_| OnceLock::new()).collect();
        Ok(Self { gpu: gpu.clone(), streams, next: AtomicUsize::new(0), clock, priority })
    }

    /// Returns a stream for a command that follows no other: an idle stream, a new stream, or the
    /// next stream in turn. The context must be current.
    fn free_stream(&self) -> Result<&Arc<Stream>> {
        let count = self.streams.len();
        let last = self.next.load(Ordering::Relaxed) % count;
        for at in (0..count).map(|i| (last + i) % count) {
            match self.streams[at].get() {
                Some(stream) if stream.is_idle() => {
                    self.next.store(at, Ordering::Relaxed);
                    return Ok(stream);
                }
                Some(_) => {}
                None => {
                    self.next.store(at, Ordering::Relaxed);
                    return self.stream(at);
                }
            }
        }
        self.next.store(last + 1, Ordering::Relaxed);
        self.stream((last + 1) % count)
    }

    /// Returns whether commands of this queue may follow others in `stream`. An in-order queue uses
    /// only its own stream, and a queue with a priority only its own streams.
    fn may_use(&self, stream: &Arc<Stream>) -> bool {
        match &self.streams[..] {
            streams if streams.len() == 1 || self.priority.is_some() => {
                streams.iter().any(|own| own.get().is_some_and(|own| Arc::ptr_eq(own, stream)))
            }
            _ => Arc::ptr_eq(&stream.gpu, &self.gpu),
        }
    }

    fn stream(&self, at: usize) -> Result<&Arc<Stream>> {
        match self.streams[at].get() {
            Some(stream) => Ok(stream),
            None => {
                let made = Stream::new(&self.gpu, self.priority)?;
                Ok(self.streams[at].get_or_init(|| made))
            }
        }
    }

    pub(crate) fn check<'a>(&self, work: &'a Work) -> Result<Step<'a>> {
        Ok(match work {
            Work::Marker => Step::Nothing,
            Work::Kernel(work) if work.global_size.contains(&0) => Step::Nothing,
            Work::Kernel(work) => {
                let launch = work.view();
                let kernel = self.kernel(&launch)?;
                Step::Kernel(Checked::new(kernel, launch)?, &kernel.symbol)
            }
            Work::Memcpy { dst, src, size } if *size == 0 || std::ptr::eq(*dst, *src) => {
                Step::Nothing
            }
            Work::Memcpy { dst, src, size } => {
                Step::Memcpy { dst: *dst as Address, src: *src as Address, size: *size }
            }
            Work::CopyRect { region, .. }
                if region.width == 0 || region.rows == 0 || region.planes == 0 =>
            {
                Step::Nothing
            }
            Work::CopyRect { dst, src, region } => {
                Step::CopyBox { dst: *dst as Address, src: *src as Address, region }
            }
            Work::Fill { dst, pattern, count } => {
                let width = pattern.len();
                if width.checked_mul(*count).is_none() {
                    let message = format!(
                        "a fill with {count} patterns of {width} bytes exceeds the address space"
                    );
                    return Err(Error::new(Errc::Invalid, message));
                }
                if width == 0 || *count == 0 {
                    return Ok(Step::Nothing);
                }
                Step::Fill { dst: *dst as Address, pattern, count: *count }
            }
            Work::Hint { ptr, size, .. } if ptr.is_null() || *size == 0 => Step::Nothing,
            Work::Hint { ptr, size, hint } => {
                Step::Hint { at: *ptr as Address, size: *size, hint: *hint }
            }
        })
    }

    /// Returns the stream of an in-order queue. The context must be current.
    pub(crate) fn own_stream(&self) -> Result<&Arc<Stream>> {
        self.stream(0)
    }

    /// Returns the kernel, if it belongs to this device.
    fn kernel<'a>(&self, launch: &LaunchView<'a>) -> Result<&'a CudaKernel> {
        let kernel = launch.kernel.as_any().downcast_ref::<CudaKernel>().ok_or_else(|| {
            Error::new(
                Errc::BackendMismatch,
                "cannot launch a kernel of another backend on an NVIDIA GPU",
            )
        })?;
        if !Arc::ptr_eq(kernel.gpu(), &self.gpu) {
            let (built, here) = (&kernel.gpu().name, &self.gpu.name);
            let message = format!(
                "kernel '{}' was built for device {built}, but is launched on {here}",
                kernel.name()
            );
            return Err(Error::new(Errc::Runtime, message));
        }
        Ok(kernel)
    }

    /// Returns the stream in which a launch can directly follow `last`.
    fn direct_stream(&self, last: Option<&Arc<dyn Event>>) -> Option<Result<&Arc<Stream>>> {
        match (&self.streams[..], last) {
            ([own], None) => own.get().map(Ok),
            ([own], Some(last)) => {
                let own = own.get()?;
                let last = last.as_any().downcast_ref::<CudaEvent>()?.stream()?;
                Arc::ptr_eq(own, last).then_some(Ok(own))
            }
            (_, None) => Some(self.gpu.enter().and_then(|_| self.free_stream())),
            (_, Some(_)) => None,
        }
    }

    /// Implements [`Queue::launch`] in this stream, if commands are not timed.
    ///
    /// The context is made current only if the driver reports its absence: a check at each launch
    /// would take a noticeable part of the launch.
    ///
    /// # Safety
    /// As for [`Queue::launch`].
    unsafe fn launch_in(
        &self,
        stream: &Arc<Stream>,
        launch: &LaunchView<'_>,
        last: &mut Option<Arc<dyn Event>>,
    ) -> Result<()> {
        let kernel = self.kernel(launch)?;
        if kernel.needs_context() || stream.must_settle() {
            self.gpu.enter()?;
        }
        let checked = Checked::new(kernel, *launch)?;
        let send = || {
            let mut line = stream.line();
            stream.settle(&mut line)?;
            // SAFETY: the caller guarantees the contract of `Queue::launch`, and `Checked::new` has
            // checked the functor's size. The stream is alive.
            match unsafe { checked.launch(stream.raw, 0) } {
                SUCCESS => Ok(stream.added(&mut line, Some((&kernel.symbol, launch.place)))),
                code => Err(code),
            }
        };
        let number = match send() {
            Err(_) if !self.gpu.is_current() => {
                self.gpu.enter()?;
                send()
            }
            sent => sent,
        };
        let number = number.map_err(|code| checked.error(code))?;
        let unshared = last.as_mut().and_then(Arc::get_mut).and_then(|event| event.as_any_mut());
        let unshared = unshared.and_then(|event| event.downcast_mut::<CudaEvent>());
        if !unshared.is_some_and(|event| event.renew(stream, number)) {
            *last = Some(Arc::new(CudaEvent::new(stream.clone(), number, None)));
        }
        Ok(())
    }

    /// Submits the command to the driver. Returns the driver's result code. `meeting` is as for
    /// [`Checked::launch`].
    ///
    /// # Safety
    /// The contract of [`Queue::enqueue`] holds, and the stream belongs to the current context.
    pub(crate) unsafe fn perform(&self, step: &Step<'_>, stream: Handle, meeting: Address) -> i32 {
        let api = self.gpu.api;
        // SAFETY: the caller guarantees the contract of `Queue::enqueue` and that the stream
        // belongs to the current context.
        unsafe {
            match *step {
                Step::Nothing => SUCCESS,
                Step::Graph(graph) => graph.launch(stream),
                Step::Kernel(ref launch, _) => launch.launch(stream, meeting),
                Step::Memcpy { dst, src, size } => (api.memcpy_async)(dst, src, size, stream),
                Step::CopyBox { dst, src, region } => copy::copy_box(api, dst, src, region, stream),
                Step::Fill { dst, pattern, count } => copy::fill(api, dst, pattern, count, stream),
                Step::Hint { at, size, hint } => {
                    copy::hint(api, self.gpu.ordinal, at, size, hint, stream);
                    SUCCESS
                }
            }
        }
    }

    pub(crate) fn failure(&self, step: &Step<'_>, code: i32) -> Error {
        match step {
            Step::Kernel(launch, _) => launch.error(code),
            Step::Nothing | Step::Hint { .. } => self.gpu.error(code, "ordering a command"),
            Step::Graph(_) => self.gpu.error(code, "launching a graph"),
            Step::Memcpy { .. } | Step::CopyBox { .. } => self.gpu.error(code, "copying memory"),
            Step::Fill { .. } => self.gpu.error(code, "filling memory"),
        }
    }

    /// Makes `stream` wait for `barriers`, then performs `step` in it.
    ///
    /// # Safety
    /// As for [`CudaQueue::perform`].
    unsafe fn send(
        &self,
        stream: &Arc<Stream>,
        step: &Step<'_>,
        barriers: &[Barrier],
    ) -> Result<Arc<CudaEvent>> {
        let api = self.gpu.api;
        let base = self.clock.as_ref().map(|clock| Ok((clock.base()?, clock.now()))).transpose()?;
        let meeting = match step {
            Step::Kernel(launch, _) if launch.meets() => stream.meeting()?,
            _ => 0,
        };
        let mut line = stream.line();
        let sent = (|| {
            stream.settle(&mut line)?;
            for barrier in barriers {
                // SAFETY: the stream and the event are alive.
                match unsafe { (api.stream_wait_event)(stream.raw, barrier.raw(), 0) } {
                    SUCCESS => {}
                    code => return Err(code),
                }
            }
            let start = base.is_some().then(|| Stamp::record(&self.gpu, stream.raw)).transpose()?;
            // SAFETY: the caller guarantees the contract of `CudaQueue::perform`.
            match unsafe { self.perform(step, stream.raw, meeting) } {
                SUCCESS => {}
                code => return Err(code),
            }
            match (base, start) {
                (Some((base, submit)), Some(start)) => {
                    let end = Stamp::record(&self.gpu, stream.raw)?;
                    Ok(Some(Box::new(Timing { base, submit, start, end, known: OnceLock::new() })))
                }
                _ => Ok(None),
            }
        })();
        match sent {
            Ok(timing) => {
                let kernel = match step {
                    Step::Kernel(launch, symbol) => Some((*symbol, launch.place())),
                    _ => None,
                };
                let number = stream.added(&mut line, kernel);
                Ok(Arc::new(CudaEvent::new(stream.clone(), number, timing)))
            }
            Err(code) => {
                drop(line);
                Err(self.failure(step, code))
            }
        }
    }
}

impl CudaQueue {
    /// Adds `step` to a stream, after `deps`. The context must be current.
    ///
    /// # Safety
    /// The contract of [`Queue::enqueue`].
    unsafe fn enqueue_step(
        &self,
        step: &Step<'_>,
        deps: &[Arc<dyn Event>],
        keep: Keep,
    ) -> Result<Arc<dyn Event>> {
        let (mut follow, mut open) = (None, 0usize);
        for dep in deps {
            let dep = own(dep)?;
            match dep.known_end() {
                Some(Ok(())) => {}
                Some(Err(error)) => return Ok(Arc::new(CudaEvent::over(Some(error)))),
                None => {
                    open += 1;
                    follow = follow.or_else(|| {
                        let stream = dep.stream().filter(|stream| self.may_use(stream))?;
                        stream.ends_with(dep.number()).then_some(stream)
                    });
                }
            }
        }
        // A queue with profiling times markers as well.
        if open == 0 && matches!(step, Step::Nothing) && self.clock.is_none() {
            return Ok(Arc::new(CudaEvent::over(None)));
        }
        let stream = match follow {
            Some(stream) => stream,
            None => self.free_stream()?,
        };
        let mut barriers = Vec::new();
        if open > usize::from(follow.is_some()) {
            for dep in deps {
                let dep = own(dep)?;
                let elsewhere = dep.stream().is_none_or(|other| !Arc::ptr_eq(other, stream));
                if dep.known_end().is_none() && elsewhere {
                    if let Some(other) = dep.stream() {
                        other.gpu.enter()?;
                    }
                    barriers.extend(dep.barrier()?);
                }
            }
            self.gpu.enter()?;
        }
        // SAFETY: the caller guarantees the contract of `Queue::enqueue`, and the GPU's context is
        // current.
        let event = unsafe { self.send(stream, step, &barriers) }?;
        if let Some(keep) = keep {
            keep_until_complete(&event, keep);
        }
        Ok(event)
    }
}

/// Drops `keep` once a command has completed.
fn keep_until_complete(event: &CudaEvent, keep: Box<dyn Any + Send + Sync>) {
    event.on_complete(Box::new(move |_| drop(keep)));
}

impl Queue for CudaQueue {
    unsafe fn enqueue(&self, command: Command<'_>) -> Result<Arc<dyn Event>> {
        let Command { work, deps, keep } = command;
        self.gpu.enter()?;
        let step = self.check(&work)?;
        // SAFETY: the caller guarantees the contract of `Queue::enqueue`.
        unsafe { self.enqueue_step(&step, deps, keep) }
    }

    unsafe fn launch_graph(
        &self,
        graph: &Arc<dyn Graph>,
        deps: &[Arc<dyn Event>],
        keep: Keep,
    ) -> Result<Arc<dyn Event>> {
        let own = graph.as_any().downcast_ref::<CudaGraph>().ok_or_else(|| {
            Error::new(
                Errc::BackendMismatch,
                "cannot launch a graph of another backend on an NVIDIA GPU",
            )
        })?;
        self.gpu.enter()?;
        let keep = Box::new((graph.clone(), keep));
        // SAFETY: the caller guarantees the contract of `Queue::launch_graph`.
        unsafe { self.enqueue_step(&Step::Graph(own), deps, Some(keep)) }
    }

    unsafe fn launch(
        &self,
        launch: &LaunchView<'_>,
        last: &mut Option<Arc<dyn Event>>,
    ) -> Option<Result<()>> {
        if self.clock.is_some() || launch.cooperation != Cooperation::None {
            return None;
        }
        if let Some(error) = self.gpu.lost() {
            return Some(Err(error.clone()));
        }
        // SAFETY: the caller guarantees the contract of `Queue::launch`.
        Some(
            self.direct_stream(last.as_ref())?
                .and_then(|stream| unsafe { self.launch_in(stream, launch, last) }),
        )
    }

    fn native(&self) -> Result<Native> {
        self.gpu.enter()?;
        Ok(self.stream(0)?.raw)
    }

    fn finish_native(&self) -> Result<()> {
        self.gpu.enter()?;
        let stream = self.stream(0)?;
        // SAFETY: the stream is alive.
        let code = unsafe { (self.gpu.api.stream_synchronize)(stream.raw) };
        self.gpu.check(code, "a native command")
    }
}

/// Returns the event as one of this backend.
fn own(event: &Arc<dyn Event>) -> Result<&CudaEvent> {
    event.as_any().downcast_ref::<CudaEvent>().ok_or_else(|| {
        Error::new(
            Errc::BackendMismatch,
            "a command for an NVIDIA GPU depends on an event of another backend",
        )
    })
}
