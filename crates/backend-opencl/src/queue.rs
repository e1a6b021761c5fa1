//! Queues: each command names the events it waits for, and becomes one command of the driver, or
//! several followed by one that waits for them.
//!
//! Two queues of the driver serve a device's out-of-order SYCL queues. One runs commands in any
//! order. In the other, which runs commands in order (`in_order_queue`), a kernel follows the
//! kernel that it waits for: drivers need half the time for a chain of commands without events.
//! Only one chain at a time uses that queue; a kernel starts a chain if no other chain is running.
//!
//! An in-order SYCL queue has only an in-order queue of the driver. A program that adds commands to
//! the driver's queue therefore also gets them in order.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use scythe_abi::launch::Shape;
use scythe_hal::{
    Command, CopyBox, Errc, Error, Event, Keep, KernelWork, Native, NativeQueue, Priority, Queue,
    Result, Status, Work,
};

use crate::api::{Handle, check, word};
use crate::assertions::{self, Report};
use crate::event::{Launched, OclEvent, keep_until_complete};
use crate::in_order_queue::InOrderQueue;
use crate::platform::Platform;
use crate::program::{Assertion, OclKernel};

const QUEUE_PROPERTIES: u64 = 0x1093;
const OUT_OF_ORDER: u64 = 1;
const PROFILING: u64 = 2;
const QUEUE_PRIORITY: u64 = 0x1096;
const PRIORITY_HIGH: u64 = 1;
const PRIORITY_LOW: u64 = 4;

/// The maximum number of events to wait for that are stored on the stack.
const INLINE_EVENTS: usize = 16;
/// The largest fill pattern that drivers support.
const LARGEST_PATTERN: usize = 128;
/// The size of the memory that is prepared for copies if drivers do not support a pattern.
const PATTERN_BLOCK: usize = 1 << 16;

pub(crate) struct OclQueue {
    platform: Arc<Platform>,
    /// The driver's out-of-order queue. An in-order queue has none.
    loose: Option<Loose>,
    /// The driver's in-order queue. An out-of-order queue of the program has none.
    in_order_queue: Option<Arc<InOrderQueue>>,
    profiling: bool,
    /// Whether the program has the driver's queue. A wait for that queue must then include all
    /// commands.
    exposed: AtomicBool,
}

/// An out-of-order queue of the driver.
struct Loose(Handle);

// SAFETY: OpenCL's queues may be used by several threads at once.
unsafe impl Send for Loose {}
// SAFETY: OpenCL's queues may be used by several threads at once.
unsafe impl Sync for Loose {}

/// The queue of a command, the events that it waits for, and the address for its event (null if it
/// needs none).
#[derive(Clone, Copy)]
pub(crate) struct At<'a> {
    pub(crate) queue: Handle,
    pub(crate) waits: &'a [Handle],
    pub(crate) event: *mut Handle,
}

impl At<'_> {
    /// Returns the number and address of the events. OpenCL requires null for an empty list.
    pub(crate) fn list(&self) -> (u32, *const Handle) {
        (self.waits.len() as u32, if self.waits.is_empty() { null() } else { self.waits.as_ptr() })
    }
}

impl OclQueue {
    pub(crate) fn new(
        platform: &Arc<Platform>,
        device: Handle,
        in_order: bool,
        profiling: bool,
        priority: Option<Priority>,
    ) -> Result<Self> {
        let context = platform.context()?;
        let make = |order: u64| {
            let order = order | if profiling { PROFILING } else { 0 };
            let hint = match priority {
                None => [0; 2],
                Some(Priority::Low) => [QUEUE_PRIORITY, PRIORITY_LOW],
                Some(Priority::High) => [QUEUE_PRIORITY, PRIORITY_HIGH],
            };
            let properties = [QUEUE_PROPERTIES, order, hint[0], hint[1], 0];
            let mut code = 0;
            // SAFETY: the context is alive and contains the device, and the list ends with 0.
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
        let in_order_queue = Some(InOrderQueue::new(platform.api, make(0)?, !in_order, profiling));
        Ok(Self {
            platform: platform.clone(),
            loose,
            in_order_queue,
            profiling,
            exposed: AtomicBool::new(false),
        })
    }

    /// Wraps a queue of the program and retains it. Returns `None` if it belongs to another device.
    ///
    /// # Safety
    /// `raw` is alive and belongs to the platform's context.
    pub(crate) unsafe fn adopt(
        platform: &Arc<Platform>,
        device: Handle,
        raw: Handle,
    ) -> Result<Option<NativeQueue>> {
        const QUEUE_CONTEXT: u32 = 0x1090;
        const QUEUE_DEVICE: u32 = 0x1091;
        let (api, context) = (platform.api, platform.context()?);
        let ask = |name: u32| {
            // SAFETY: the caller guarantees that the queue is alive, and the call gets the size of
            // the memory.
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
        // SAFETY: the caller guarantees that the queue is alive.
        check(unsafe { (api.retain_command_queue)(raw) }, "clRetainCommandQueue")?;
        let in_order_queue = in_order.then(|| InOrderQueue::new(api, raw, false, profiling));
        let loose = (!in_order).then_some(Loose(raw));
        let exposed = AtomicBool::new(true);
        let queue = Arc::new(Self {
            platform: platform.clone(),
            loose,
            in_order_queue,
            profiling,
            exposed,
        });
        Ok(Some(NativeQueue { queue, in_order, profiling }))
    }

    /// Adds a kernel that waits for at most one command to the in-order queue of an out-of-order
    /// queue, if that command is the last of the in-order queue or the in-order queue is free.
    ///
    /// # Safety
    /// The contract of [`Queue::enqueue`].
    unsafe fn follow(
        &self,
        work: &KernelWork,
        before: Option<Handle>,
    ) -> Result<Option<Arc<OclEvent>>> {
        let Some(in_order_queue) =
            self.in_order_queue.as_ref().filter(|_| !self.exposed.load(Ordering::Relaxed))
        else {
            return Ok(None);
        };
        let turn = in_order_queue.turn();
        let waits = match turn.last() {
            Some(last) if before.is_some_and(|before| std::ptr::eq(last.raw(), before)) => None,
            Some(last) if last.status() != Status::Complete => return Ok(None),
            _ => before,
        };
        if self.is_empty(work) {
            return Ok(None);
        }
        turn.send(true, launched(work), |event| {
            let at = At { queue: in_order_queue.raw(), waits: waits.as_slice(), event };
            // SAFETY: the caller guarantees the contract of `Queue::enqueue`. The queue and the
            // events of `at` are alive.
            unsafe { self.kernel(at, work) }
        })
        .map(Some)
    }

    /// Submits any work of an in-order queue.
    ///
    /// # Safety
    /// The contract of [`Queue::enqueue`], except that `waits` are events of the driver.
    unsafe fn in_turn(
        &self,
        in_order_queue: &Arc<InOrderQueue>,
        work: Work,
        waits: &[Handle],
        keep: Keep,
    ) -> Result<Arc<OclEvent>> {
        let mut block = None;
        let keeps = keep.is_some() || matches!(work, Work::Fill { .. });
        let kernel = kernel_of(&work);
        let event = in_order_queue.turn().send(keeps, kernel, |event| {
            // SAFETY: the caller guarantees the contract of `give`. The queue is alive.
            block = unsafe { self.give(work, At { queue: in_order_queue.raw(), waits, event }) }?;
            Ok(())
        })?;
        for kept in [block, keep].into_iter().flatten() {
            keep_until_complete(self.platform.api, event.raw(), kept);
        }
        Ok(event)
    }

    /// Submits work to the driver.
    ///
    /// # Safety
    /// The contract of [`Queue::enqueue`], but that the events of `at` are the driver's own.
    unsafe fn give(&self, work: Work, at: At<'_>) -> Result<Keep> {
        // SAFETY: the caller satisfies the contract of `Queue::enqueue`.
        unsafe {
            match work {
                Work::Marker | Work::Hint { .. } => self.marker(at)?,
                Work::Kernel(work) if self.is_empty(&work) => self.marker(at)?,
                Work::Kernel(work) => self.kernel(at, &work)?,
                Work::Memcpy { dst, src, size } => self.memcpy(at, dst, src, size)?,
                Work::CopyRect { dst, src, region } => self.copy_box(at, dst, src, &region)?,
                Work::Fill { dst, pattern, count } => return self.fill(at, dst, &pattern, count),
            }
        }
        Ok(None)
    }

    fn is_in_order(&self, queue: Handle) -> bool {
        self.in_order_queue
            .as_ref()
            .is_some_and(|in_order_queue| std::ptr::eq(in_order_queue.raw(), queue))
    }

    fn is_empty(&self, work: &KernelWork) -> bool {
        work.global_size[..work.dims as usize].contains(&0)
    }

    /// Enqueues a marker that follows `waits`. Without any, it only follows the in-order queue,
    /// which needs no command unless an event is requested.
    fn marker(&self, at: At<'_>) -> Result<()> {
        let in_order = self.is_in_order(at.queue);
        if at.waits.is_empty() && (!in_order || at.event.is_null()) {
            return Ok(());
        }
        let (count, waits) = at.list();
        // SAFETY: the queue and the events are alive.
        let code = unsafe {
            match in_order {
                // A marker with events would wait only for them, and would not delay later
                // commands.
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

    /// Enqueues a kernel.
    ///
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
        // For kernels without work-groups, the driver may choose suitable groups.
        let local = if kernel.shape == Shape::NdRange { local.as_ptr() } else { null() };
        let offset = if offset == [0; 3] { null() } else { offset.as_ptr() };
        let (count, waits) = at.list();
        let mut first = null_mut();
        let event = if kernel.assertion.is_some() { &raw mut first } else { at.event };
        // SAFETY: the caller guarantees that the functor matches the launch description, and all
        // handles are alive.
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

    /// Enqueues a copy of the assertion variable after the kernel's command `first`, and takes over
    /// a count of `first`. The copy's event becomes the event of the command, unless times are
    /// measured.
    fn look_at_assertion(&self, at: At<'_>, first: Handle, variable: *mut c_void) -> Result<()> {
        let (api, report, mut copied) = (self.platform.api, Report::new(), null_mut());
        let after = At { waits: &[first], event: &mut copied, ..at };
        let size = size_of::<scythe_abi::spirv::Assertion>();
        // SAFETY: the variable has this size, and the report is kept until the copy has completed.
        if let Err(error) = unsafe { self.memcpy(after, report.address(), variable, size) } {
            // SAFETY: the event is alive, and this function owns its count.
            unsafe {
                let _ = (api.wait_for_events)(1, &first);
                let _ = (api.release_event)(first);
            }
            return Err(error);
        }
        assertions::watch(api, copied, report);
        let (given, other) = if self.profiling { (first, copied) } else { (copied, first) };
        // SAFETY: the address is writable unless it is null, and this function owns the counts.
        unsafe {
            let _ = (api.release_event)(other);
            match at.event.is_null() {
                true => drop((api.release_event)(given)),
                false => at.event.write(given),
            }
        }
        Ok(())
    }

    /// Enqueues a copy.
    ///
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
        // SAFETY: the caller guarantees that both ranges are valid and that the queue and the
        // events are alive.
        unsafe { self.platform.sharing.copy(self.platform.api, at, dst, src, size) }
    }

    /// Enqueues a copy of a box, with one command for each row.
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
            // SAFETY: the caller guarantees that the box is inside of valid memory, so each row is
            // too.
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

    /// Enqueues a fill.
    ///
    /// # Safety
    /// As for [`OclQueue::give`].
    unsafe fn fill(
        &self,
        at: At<'_>,
        dst: *mut c_void,
        pattern: &[u8],
        count: usize,
    ) -> Result<Keep> {
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
            // SAFETY: the caller guarantees that the range is valid and that the queue and the
            // events are alive.
            unsafe { self.platform.sharing.fill(self.platform.api, at, dst, pattern, total) }?;
            return Ok(None);
        }
        let repeats = (PATTERN_BLOCK / width).clamp(1, count);
        let block: Box<Vec<u8>> = Box::new(pattern.repeat(repeats));
        self.many(at, total.div_ceil(block.len()), |at, index| {
            let start = index * block.len();
            let (size, to) = (block.len().min(total - start), dst.wrapping_byte_add(start));
            // SAFETY: the range is inside of the memory to fill, which the caller guarantees to be
            // valid. The block is kept until the last copy has completed.
            unsafe { self.memcpy(at, to, block.as_ptr().cast(), size) }
        })?;
        Ok(Some(block))
    }

    /// Waits for all commands of an in-order queue of the driver. Called before the caller reports
    /// an error and drops the memory that the commands use.
    fn let_end(&self, queue: Handle) {
        let (api, mut event) = (self.platform.api, null_mut());
        // SAFETY: the queue is alive. A marker without events waits for all earlier commands, and
        // this function owns its count.
        unsafe {
            if (api.enqueue_marker_with_wait_list)(queue, 0, null(), &mut event) == 0 {
                let _ = (api.wait_for_events)(1, &event);
                let _ = (api.release_event)(event);
            }
        }
    }

    /// Submits `count` commands that count as one. If one of them cannot be enqueued, waits for the
    /// others.
    fn many(
        &self,
        at: At<'_>,
        count: usize,
        mut each: impl FnMut(At<'_>, usize) -> Result<()>,
    ) -> Result<()> {
        if count <= 1 {
            return if count == 0 { self.marker(at) } else { each(at, 0) };
        }
        if self.is_in_order(at.queue) {
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

/// Returns the kernel of a command, for messages.
fn kernel_of(work: &Work) -> Option<Launched> {
    match work {
        Work::Kernel(work) => launched(work),
        _ => None,
    }
}

fn launched(work: &KernelWork) -> Option<Launched> {
    let kernel = work.kernel.as_any().downcast_ref::<OclKernel>()?;
    Some(Launched { symbol: kernel.symbol.clone(), place: work.place })
}

/// Commands that count as one and may run in any order.
struct Parts<'a> {
    queue: &'a OclQueue,
    events: Vec<Handle>,
}

impl Parts<'_> {
    fn release(&mut self) {
        for event in self.events.drain(..) {
            // SAFETY: this object owns the reference count.
            let _ = unsafe { (self.queue.platform.api.release_event)(event) };
        }
    }
}

impl Drop for Parts<'_> {
    fn drop(&mut self) {
        if !self.events.is_empty() {
            // SAFETY: the events are alive, because this object owns their counts.
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
    unsafe fn enqueue(&self, command: Command<'_>) -> Result<Arc<dyn Event>> {
        let Command { work, deps, keep } = command;
        let api = self.platform.api;
        let (mut inline, mut heap) = ([null_mut(); INLINE_EVENTS], Vec::new());
        let room: &mut [Handle] = if deps.len() <= INLINE_EVENTS {
            &mut inline
        } else {
            heap.resize(deps.len(), null_mut());
            &mut heap
        };
        let own_queue = self.in_order_queue.as_ref().filter(|_| self.loose.is_none());
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
                None if own_queue.is_some_and(|in_order_queue| dep.is_in(in_order_queue)) => {}
                None => {
                    let raw = dep.raw();
                    if raw.is_null() {
                        // The request for the event showed that the command has failed.
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
        if let Some(in_order_queue) = own_queue {
            // SAFETY: the caller guarantees the contract of `Queue::enqueue`, and `waits` are live
            // events of the driver.
            return Ok(unsafe { self.in_turn(in_order_queue, work, waits, keep) }?);
        }
        let loose = self.loose.as_ref().map_or(null_mut(), |loose| loose.0);
        if let (Work::Kernel(work), 0 | 1, None) = (&work, count, &keep) {
            // SAFETY: the caller guarantees the contract of `Queue::enqueue`.
            if let Some(event) = unsafe { self.follow(work, waits.first().copied()) }? {
                return Ok(event);
            }
        }
        let (mut raw, kernel) = (null_mut(), kernel_of(&work));
        // SAFETY: the caller guarantees the contract of `Queue::enqueue`. The queue is alive, and
        // `waits` are live events of the driver.
        let block = unsafe { self.give(work, At { queue: loose, waits, event: &mut raw }) }?;
        if raw.is_null() {
            return Ok(Arc::new(OclEvent::over(api, None)));
        }
        for kept in [block, keep].into_iter().flatten() {
            keep_until_complete(api, raw, kept);
        }
        let event = OclEvent::new(api, raw, self.profiling).of_kernel(kernel);
        // Commands must run even if nothing waits for them. A failure of the flush appears in the
        // status of the command, which the driver already has.
        // SAFETY: the queue is alive.
        let _ = unsafe { (api.flush)(loose) };
        Ok(Arc::new(event))
    }

    fn native(&self) -> Result<Native> {
        self.exposed.store(true, Ordering::Relaxed);
        let raw = self.native_queue();
        // SAFETY: the queue is alive, because this object owns a count of it.
        check(unsafe { (self.platform.api.retain_command_queue)(raw) }, "clRetainCommandQueue")
            .map(|()| raw)
    }

    fn finish_native(&self) -> Result<()> {
        // SAFETY: the queue is alive, because this object owns a count of it.
        check(unsafe { (self.platform.api.finish)(self.native_queue()) }, "clFinish")
    }
}

impl OclQueue {
    /// The queue in which the program enqueues its own commands.
    fn native_queue(&self) -> Handle {
        let in_order_queue = || {
            self.in_order_queue.as_ref().map_or(null_mut(), |in_order_queue| in_order_queue.raw())
        };
        self.loose.as_ref().map_or_else(in_order_queue, |loose| loose.0)
    }
}

impl Drop for OclQueue {
    fn drop(&mut self) {
        if let Some(loose) = &self.loose {
            // SAFETY: this object owns the reference count.
            let _ = unsafe { (self.platform.api.release_command_queue)(loose.0) };
        }
    }
}
