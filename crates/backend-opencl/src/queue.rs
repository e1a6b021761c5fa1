//! Commands: each names the events it waits for, and becomes one command of the driver, or a few
//! with a last one that waits for them.
//!
//! Two queues of the driver serve a device's out-of-order SYCL queues. One runs commands in any
//! order. In the other, which runs them in turn (`line`), a kernel follows the one that it waits
//! for: drivers take half as long for a chain of commands that names no events. One chain at a time
//! has that queue; a kernel begins one where no other is under way.
//!
//! An in-order SYCL queue has a line of its own and nothing else, so that a program that adds
//! commands to the driver's queue finds them in order, too.

use std::any::Any;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use scythe_abi::launch::Shape;
use scythe_hal::{
    CopyBox, Errc, Error, Event, KernelWork, Native, NativeQueue, Queue, Result, Status, Work,
};

use crate::api::{Handle, check, word};
use crate::assertions::{self, Report};
use crate::event::{OclEvent, keep_until_complete};
use crate::line::Line;
use crate::platform::Platform;
use crate::program::{Assertion, OclKernel};

const QUEUE_PROPERTIES: u64 = 0x1093;
const OUT_OF_ORDER: u64 = 1;
const PROFILING: u64 = 2;

/// Events to wait for up to this many lie on the stack.
const INLINE_EVENTS: usize = 16;
/// The largest pattern that drivers fill memory with.
const LARGEST_PATTERN: usize = 128;
/// How much memory is prepared to be copied where a pattern is not one that drivers know.
const PATTERN_BLOCK: usize = 1 << 16;

pub(crate) struct OclQueue {
    platform: Arc<Platform>,
    /// Runs commands in any order; an in-order queue has none.
    loose: Option<Loose>,
    /// Runs them in turn; an out-of-order queue of the program's own has none.
    line: Option<Arc<Line>>,
    profiling: bool,
    /// The program has the driver's queue: what it waits for there must be all there is.
    exposed: AtomicBool,
}

/// A queue of the driver's.
struct Loose(Handle);

// SAFETY: OpenCL's queues may be used by any thread, and by many at once.
unsafe impl Send for Loose {}
// SAFETY: as above.
unsafe impl Sync for Loose {}

/// Where a command goes, what it waits for, and where its event is put (null: it needs none).
#[derive(Clone, Copy)]
pub(crate) struct At<'a> {
    pub(crate) queue: Handle,
    pub(crate) waits: &'a [Handle],
    pub(crate) event: *mut Handle,
}

impl At<'_> {
    /// Number and address of the events. OpenCL wants null for a list of nothing.
    pub(crate) fn list(&self) -> (u32, *const Handle) {
        (self.waits.len() as u32, if self.waits.is_empty() { null() } else { self.waits.as_ptr() })
    }
}

/// Host memory that the driver reads until the command has ended.
type Block = Option<Box<dyn Any + Send + Sync>>;

impl OclQueue {
    pub(crate) fn new(
        platform: &Arc<Platform>,
        device: Handle,
        in_order: bool,
        profiling: bool,
    ) -> Result<Self> {
        let context = platform.context()?;
        let make = |order: u64| {
            let properties = [QUEUE_PROPERTIES, order | if profiling { PROFILING } else { 0 }, 0];
            let mut code = 0;
            // SAFETY: the context is alive and holds the device; the list ends with 0.
            let raw = unsafe {
                (platform.api.create_command_queue_with_properties)(
                    context,
                    device,
                    properties.as_ptr(),
                    &mut code,
                )
            };
            check(code, "clCreateCommandQueueWithProperties").map(|()| raw)
        };
        let loose = if in_order { None } else { Some(Loose(make(OUT_OF_ORDER)?)) };
        let line = Some(Line::new(platform.api, make(0)?, !in_order, profiling));
        Ok(Self {
            platform: platform.clone(),
            loose,
            line,
            profiling,
            exposed: AtomicBool::new(false),
        })
    }

    /// A queue of the program's own, of which a count is taken; `None` where it is another
    /// device's.
    ///
    /// # Safety
    /// `raw` is a queue of the platform's context, alive.
    pub(crate) unsafe fn adopt(
        platform: &Arc<Platform>,
        device: Handle,
        raw: Handle,
    ) -> Result<Option<NativeQueue>> {
        const QUEUE_CONTEXT: u32 = 0x1090;
        const QUEUE_DEVICE: u32 = 0x1091;
        let (api, context) = (platform.api, platform.context()?);
        let ask = |name: u32| {
            // SAFETY: the queue is alive, and the size that of the memory.
            word(|size, place, full| unsafe {
                (api.get_command_queue_info)(raw, name, size, place, full)
            })
        };
        if ask(QUEUE_CONTEXT) != Some(context as usize) {
            let message =
                "the cl_command_queue belongs to another cl_context than the SYCL context";
            return Err(Error::new(Errc::Invalid, message));
        }
        if ask(QUEUE_DEVICE) != Some(device as usize) {
            return Ok(None);
        }
        let properties = ask(QUEUE_PROPERTIES as u32).unwrap_or(0) as u64;
        let (in_order, profiling) = (properties & OUT_OF_ORDER == 0, properties & PROFILING != 0);
        // SAFETY: the queue is alive.
        check(unsafe { (api.retain_command_queue)(raw) }, "clRetainCommandQueue")?;
        let line = in_order.then(|| Line::new(api, raw, false, profiling));
        let loose = (!in_order).then_some(Loose(raw));
        let exposed = AtomicBool::new(true);
        let queue = Arc::new(Self { platform: platform.clone(), loose, line, profiling, exposed });
        Ok(Some(NativeQueue { queue, in_order, profiling }))
    }

    /// A kernel that waits for one command at most joins the line of an out-of-order queue where
    /// that is the last of it, or where the line is free.
    ///
    /// # Safety
    /// The contract of [`Queue::enqueue`].
    unsafe fn follow(
        &self,
        work: &KernelWork,
        before: Option<Handle>,
    ) -> Result<Option<Arc<OclEvent>>> {
        let Some(line) = self.line.as_ref().filter(|_| !self.exposed.load(Ordering::Relaxed))
        else {
            return Ok(None);
        };
        let turn = line.turn();
        let waits = match turn.last() {
            Some(last) if before.is_some_and(|before| std::ptr::eq(last.raw(), before)) => None,
            Some(last) if last.status() != Status::Complete => return Ok(None),
            _ => before,
        };
        if self.is_empty(work) {
            return Ok(None);
        }
        turn.send(true, |event| {
            let at = At { queue: line.raw(), waits: waits.as_slice(), event };
            // SAFETY: passed on.
            unsafe { self.kernel(at, work) }
        })
        .map(Some)
    }

    /// Everything of an in-order queue.
    ///
    /// # Safety
    /// The contract of [`Queue::enqueue`], but that `waits` are the driver's own events.
    unsafe fn in_turn(
        &self,
        line: &Arc<Line>,
        work: Work,
        waits: &[Handle],
        keep: Block,
    ) -> Result<Arc<OclEvent>> {
        let mut block = None;
        let keeps = keep.is_some() || matches!(work, Work::Fill { .. });
        let event = line.turn().send(keeps, |event| {
            // SAFETY: passed on.
            block = unsafe { self.give(work, At { queue: line.raw(), waits, event }) }?;
            Ok(())
        })?;
        for kept in [block, keep].into_iter().flatten() {
            keep_until_complete(self.platform.api, event.raw(), kept);
        }
        Ok(event)
    }

    /// # Safety
    /// The contract of [`Queue::enqueue`], but that the events of `at` are the driver's own.
    unsafe fn give(&self, work: Work, at: At<'_>) -> Result<Block> {
        // SAFETY: passed on.
        unsafe {
            match work {
                Work::Marker | Work::Hint { .. } => self.marker(at)?,
                Work::Kernel(work) if self.is_empty(&work) => self.marker(at)?,
                Work::Kernel(work) => self.kernel(at, &work)?,
                Work::Memcpy { dst, src, size } => self.memcpy(at, dst, src, size)?,
                Work::CopyRect { dst, src, region } => self.copy_box(at, dst, src, &region)?,
                Work::Fill { dst, pattern, count } => return self.fill(at, dst, &pattern, count),
                Work::HostKernel(_) | Work::HostTask(_) => {
                    return Err(Error::new(
                        Errc::Runtime,
                        "an OpenCL device cannot run host tasks",
                    ));
                }
            }
        }
        Ok(None)
    }

    fn is_line(&self, queue: Handle) -> bool {
        self.line.as_ref().is_some_and(|line| std::ptr::eq(line.raw(), queue))
    }

    fn is_empty(&self, work: &KernelWork) -> bool {
        work.global_size[..work.dims as usize].contains(&0)
    }

    /// Follows `waits`. Where there are none, it has nothing to do but to follow the line, which
    /// needs no command until an event is asked for.
    fn marker(&self, at: At<'_>) -> Result<()> {
        let in_line = self.is_line(at.queue);
        if at.waits.is_empty() && (!in_line || at.event.is_null()) {
            return Ok(());
        }
        let (count, waits) = at.list();
        // SAFETY: queue and events are alive.
        let code = unsafe {
            match in_line {
                // A marker with events to wait for would wait for them alone, and hold up nothing.
                true => (self.platform.api.enqueue_barrier_with_wait_list)(
                    at.queue, count, waits, at.event,
                ),
                false => (self.platform.api.enqueue_marker_with_wait_list)(
                    at.queue, count, waits, at.event,
                ),
            }
        };
        check(code, "clEnqueueMarkerWithWaitList")
    }

    /// # Safety
    /// As for [`OclQueue::give`].
    unsafe fn kernel(&self, at: At<'_>, work: &KernelWork) -> Result<()> {
        let kernel = work.kernel.as_any().downcast_ref::<OclKernel>().ok_or_else(|| {
            Error::new(
                Errc::BackendMismatch,
                "cannot launch a kernel of another backend on an OpenCL device",
            )
        })?;
        let offset = work.global_offset.map(|n| n as usize);
        let global = work.global_size.map(|n| n as usize);
        let local = work.local_size.map(|n| n as usize);
        // Without groups of its own, the driver may choose which suit it.
        let local = if kernel.shape == Shape::NdRange { local.as_ptr() } else { null() };
        let offset = if offset == [0; 3] { null() } else { offset.as_ptr() };
        let (count, waits) = at.list();
        let mut first = null_mut();
        let event = if kernel.assertion.is_some() { &raw mut first } else { at.event };
        // SAFETY: the functor holds what the launch rows say, and all handles are alive.
        let code = unsafe {
            let state = kernel.with_arguments(&work.functor)?;
            (self.platform.api.enqueue_nd_range_kernel)(
                at.queue,
                state.raw,
                work.dims,
                offset,
                global.as_ptr(),
                local,
                count,
                waits,
                event,
            )
        };
        check(code, "clEnqueueNDRangeKernel")?;
        match kernel.assertion {
            Some(Assertion(variable)) => self.look_at_assertion(at, first, variable),
            None => Ok(()),
        }
    }

    /// Has what a kernel may have written down copied once its command `first`, of which this takes
    /// over a count, has completed. The copy is the end of the command, but where times are
    /// measured.
    fn look_at_assertion(&self, at: At<'_>, first: Handle, variable: *mut c_void) -> Result<()> {
        let (api, report, mut copied) = (self.platform.api, Report::new(), null_mut());
        let after = At { waits: &[first], event: &mut copied, ..at };
        let size = size_of::<scythe_abi::spirv::Assertion>();
        // SAFETY: the variable is of this size, and the report is kept until the copy has
        // completed.
        if let Err(error) = unsafe { self.memcpy(after, report.address(), variable, size) } {
            // SAFETY: the event is alive, and the count this function's.
            unsafe {
                let _ = (api.wait_for_events)(1, &first);
                let _ = (api.release_event)(first);
            }
            return Err(error);
        }
        assertions::watch(api, copied, report);
        let (given, other) = if self.profiling { (first, copied) } else { (copied, first) };
        // SAFETY: the place is there unless it is null; the counts are this function's.
        unsafe {
            let _ = (api.release_event)(other);
            match at.event.is_null() {
                true => drop((api.release_event)(given)),
                false => at.event.write(given),
            }
        }
        Ok(())
    }

    /// # Safety
    /// As for [`OclQueue::give`].
    unsafe fn memcpy(
        &self,
        at: At<'_>,
        dst: *mut c_void,
        src: *const c_void,
        size: usize,
    ) -> Result<()> {
        if size == 0 || std::ptr::eq(dst, src) {
            return self.marker(at);
        }
        // SAFETY: passed on.
        unsafe { self.platform.sharing.copy(self.platform.api, at, dst, src, size) }
    }

    /// One copy for each row.
    ///
    /// # Safety
    /// As for [`OclQueue::give`].
    unsafe fn copy_box(
        &self,
        at: At<'_>,
        dst: *mut c_void,
        src: *const c_void,
        region: &CopyBox,
    ) -> Result<()> {
        self.many(at, region.planes * region.rows, |at, index| {
            let (plane, row) = (index / region.rows, index % region.rows);
            let to = plane * region.dst_plane_pitch + row * region.dst_row_pitch;
            let from = plane * region.src_plane_pitch + row * region.src_row_pitch;
            // SAFETY: the box lies inside of both memories.
            unsafe {
                self.memcpy(
                    at,
                    dst.wrapping_byte_add(to),
                    src.wrapping_byte_add(from),
                    region.width,
                )
            }
        })
    }

    /// # Safety
    /// As for [`OclQueue::give`].
    unsafe fn fill(
        &self,
        at: At<'_>,
        dst: *mut c_void,
        pattern: &[u8],
        count: usize,
    ) -> Result<Block> {
        let width = pattern.len();
        let total = width.checked_mul(count).ok_or_else(|| {
            Error::new(
                Errc::Invalid,
                format!("a fill with {count} patterns of {width} bytes exceeds the address space"),
            )
        })?;
        if total == 0 {
            return self.marker(at).map(|()| None);
        }
        if width.is_power_of_two()
            && width <= LARGEST_PATTERN
            && (dst as usize).is_multiple_of(width)
        {
            // SAFETY: passed on.
            unsafe { self.platform.sharing.fill(self.platform.api, at, dst, pattern, total) }?;
            return Ok(None);
        }
        let repeats = (PATTERN_BLOCK / width).clamp(1, count);
        let block: Box<Vec<u8>> = Box::new(pattern.repeat(repeats));
        self.many(at, total.div_ceil(block.len()), |at, index| {
            let start = index * block.len();
            let (size, to) = (block.len().min(total - start), dst.wrapping_byte_add(start));
            // SAFETY: the block lies inside of the memory to fill; it is kept until the last copy
            // has completed.
            unsafe { self.memcpy(at, to, block.as_ptr().cast(), size) }
        })?;
        Ok(Some(block))
    }

    /// Waits for what a queue that runs commands in turn has been given: the caller gives up, and
    /// with that what they use.
    fn let_end(&self, queue: Handle) {
        let (api, mut event) = (self.platform.api, null_mut());
        // SAFETY: the queue is alive; a marker that waits for no event waits for all before it, and
        // its count is this function's.
        unsafe {
            if (api.enqueue_marker_with_wait_list)(queue, 0, null(), &mut event) == 0 {
                let _ = (api.wait_for_events)(1, &event);
                let _ = (api.release_event)(event);
            }
        }
    }

    /// Gives `count` commands to the driver that end together. Where one of them cannot be
    /// enqueued, the others are waited for.
    fn many(
        &self,
        at: At<'_>,
        count: usize,
        mut each: impl FnMut(At<'_>, usize) -> Result<()>,
    ) -> Result<()> {
        if count <= 1 {
            return if count == 0 { self.marker(at) } else { each(at, 0) };
        }
        if self.is_line(at.queue) {
            for index in 0..count {
                let waits: &[Handle] = if index == 0 { at.waits } else { &[] };
                let event = if index + 1 == count { at.event } else { null_mut() };
                if let Err(error) = each(At { waits, event, ..at }, index) {
                    self.let_end(at.queue);
                    return Err(error);
                }
            }
            return Ok(());
        }
        let mut parts = Parts { queue: self, events: Vec::with_capacity(count) };
        for index in 0..count {
            let mut event = null_mut();
            each(At { event: &mut event, ..at }, index)?;
            parts.events.extend((!event.is_null()).then_some(event));
        }
        self.marker(At { waits: &parts.events, ..at })?;
        parts.release();
        Ok(())
    }
}

/// Commands that end together, in any order.
struct Parts<'a> {
    queue: &'a OclQueue,
    events: Vec<Handle>,
}

impl Parts<'_> {
    fn release(&mut self) {
        for event in self.events.drain(..) {
            // SAFETY: the count is this object's.
            let _ = unsafe { (self.queue.platform.api.release_event)(event) };
        }
    }
}

impl Drop for Parts<'_> {
    fn drop(&mut self) {
        if !self.events.is_empty() {
            // SAFETY: the events are alive.
            let _ = unsafe {
                (self.queue.platform.api.wait_for_events)(
                    self.events.len() as u32,
                    self.events.as_ptr(),
                )
            };
            self.release();
        }
    }
}

impl Queue for OclQueue {
    unsafe fn enqueue(
        &self,
        work: Work,
        deps: &[Arc<dyn Event>],
        keep: Option<Box<dyn Any + Send + Sync>>,
    ) -> Result<Arc<dyn Event>> {
        let api = self.platform.api;
        let (mut inline, mut heap) = ([null_mut(); INLINE_EVENTS], Vec::new());
        let room: &mut [Handle] = if deps.len() <= INLINE_EVENTS {
            &mut inline
        } else {
            heap.resize(deps.len(), null_mut());
            &mut heap
        };
        let own_line = self.line.as_ref().filter(|_| self.loose.is_none());
        let mut count = 0;
        for dep in deps {
            let dep = dep.as_any().downcast_ref::<OclEvent>().ok_or_else(|| {
                Error::new(
                    Errc::BackendMismatch,
                    "a command for an OpenCL device depends on an event of another backend",
                )
            })?;
            match dep.known_end() {
                Some(Ok(())) => {}
                Some(Err(error)) => return Ok(Arc::new(OclEvent::over(api, Some(error)))),
                None if own_line.is_some_and(|line| dep.stands_in(line)) => {}
                None => {
                    let raw = dep.raw();
                    if raw.is_null() {
                        // Asking found out that the command has ended, and not well.
                        if let Some(Err(error)) = dep.known_end() {
                            return Ok(Arc::new(OclEvent::over(api, Some(error))));
                        }
                        continue;
                    }
                    room[count] = raw;
                    count += 1;
                }
            }
        }
        let waits = &room[..count];
        if let Some(line) = own_line {
            // SAFETY: passed on.
            return Ok(unsafe { self.in_turn(line, work, waits, keep) }?);
        }
        let loose = self.loose.as_ref().map_or(null_mut(), |loose| loose.0);
        if let (Work::Kernel(work), 0 | 1, None) = (&work, count, &keep) {
            // SAFETY: passed on.
            if let Some(event) = unsafe { self.follow(work, waits.first().copied()) }? {
                return Ok(event);
            }
        }
        let mut raw = null_mut();
        // SAFETY: passed on.
        let block = unsafe { self.give(work, At { queue: loose, waits, event: &mut raw }) }?;
        if raw.is_null() {
            return Ok(Arc::new(OclEvent::over(api, None)));
        }
        for kept in [block, keep].into_iter().flatten() {
            keep_until_complete(api, raw, kept);
        }
        let event = OclEvent::new(api, raw, self.profiling);
        // Commands that nobody waits for run, too. A failure shows in the command's own end: the
        // driver has it.
        // SAFETY: the queue is alive.
        let _ = unsafe { (api.flush)(loose) };
        Ok(Arc::new(event))
    }

    fn native(&self) -> Result<Native> {
        self.exposed.store(true, Ordering::Relaxed);
        let line = || self.line.as_ref().map_or(null_mut(), |line| line.raw());
        let raw = self.loose.as_ref().map_or_else(line, |loose| loose.0);
        // SAFETY: the queue is alive.
        check(unsafe { (self.platform.api.retain_command_queue)(raw) }, "clRetainCommandQueue")
            .map(|()| raw)
    }
}

impl Drop for OclQueue {
    fn drop(&mut self) {
        if let Some(loose) = &self.loose {
            // SAFETY: the count is this object's.
            let _ = unsafe { (self.platform.api.release_command_queue)(loose.0) };
        }
    }
}
