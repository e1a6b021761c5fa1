//! Commands: each names the events it waits for, and becomes one command of the driver, or a few with a last one that waits
//! for them.
//!
//! Two queues of the driver serve a device. One runs commands in any order. In the other, which runs them in turn, a kernel
//! follows the one that it waits for: drivers take half as long for a chain of commands that names no events. One chain at a
//! time has that queue; a kernel begins one where no other is under way.

use std::any::Any;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::{Arc, Mutex, PoisonError};

use scythe_abi::launch::Shape;
use scythe_hal::{CopyBox, Errc, Error, Event, KernelWork, Native, Queue, Result, Status, Work};

use crate::api::{Handle, check};
use crate::event::{OclEvent, keep_until_complete};
use crate::platform::Platform;
use crate::program::OclKernel;

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
    /// Runs commands in any order.
    raw: Handle,
    /// Runs them in turn.
    line: Handle,
    /// The last command of the line.
    last: Mutex<Option<Arc<OclEvent>>>,
    profiling: bool,
}

// SAFETY: OpenCL's queues may be used by any thread, and by many at once.
unsafe impl Send for OclQueue {}
// SAFETY: as above.
unsafe impl Sync for OclQueue {}

/// Events of the driver.
type Waits<'a> = &'a [Handle];

/// What the last command of a job left behind.
struct Sent {
    /// Null where nothing was left to do.
    event: Handle,
    /// Host memory that the driver reads until then.
    memory: Option<Box<dyn Any + Send + Sync>>,
}

impl Sent {
    fn new(event: Handle) -> Self {
        Self { event, memory: None }
    }
}

impl OclQueue {
    pub(crate) fn new(platform: &Arc<Platform>, device: Handle, profiling: bool) -> Result<Self> {
        let context = platform.context()?;
        let make = |order: u64| {
            let properties = [QUEUE_PROPERTIES, order | if profiling { PROFILING } else { 0 }, 0];
            let mut code = 0;
            // SAFETY: the context is alive and holds the device; the list ends with 0.
            let raw = unsafe {
                (platform.api.create_command_queue_with_properties)(context, device, properties.as_ptr(), &mut code)
            };
            check(code, "clCreateCommandQueueWithProperties").map(|()| raw)
        };
        let (raw, line) = (make(OUT_OF_ORDER)?, make(0)?);
        Ok(Self { platform: platform.clone(), raw, line, last: Mutex::default(), profiling })
    }

    /// A kernel that waits for one command at most: joins the line where that is the last of it, or where the line is free.
    ///
    /// # Safety
    /// The contract of [`Queue::enqueue`].
    unsafe fn follow(&self, work: &KernelWork, before: Option<Handle>) -> Result<Option<Arc<OclEvent>>> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let waits = match last.as_deref() {
            Some(last) if before.is_some_and(|before| std::ptr::eq(last.raw(), before)) => None,
            Some(last) if last.status() != Status::Complete => return Ok(None),
            _ => before,
        };
        // SAFETY: passed on.
        let event = unsafe { self.kernel(self.line, work, waits.as_slice()) }?;
        if event.is_null() {
            return Ok(None);
        }
        let event = Arc::new(OclEvent::new(self.platform.api, event, self.profiling));
        *last = Some(event.clone());
        Ok(Some(event))
    }

    /// # Safety
    /// The contract of [`Queue::enqueue`], but that `waits` are the driver's own events.
    unsafe fn send(&self, work: Work, waits: Waits<'_>) -> Result<Sent> {
        // SAFETY: passed on.
        unsafe {
            match work {
                Work::Marker => self.marker(waits).map(Sent::new),
                Work::Kernel(work) => self.kernel(self.raw, &work, waits).map(Sent::new),
                Work::Memcpy { dst, src, size } => self.memcpy(dst, src, size, waits).map(Sent::new),
                Work::CopyRect { dst, src, region } => self.copy_box(dst, src, &region, waits).map(Sent::new),
                Work::Fill { dst, pattern, count } => self.fill(dst, &pattern, count, waits),
                Work::HostKernel(_) | Work::HostTask(_) => {
                    Err(Error::new(Errc::Runtime, "an OpenCL device was given work for the host"))
                }
            }
        }
    }

    /// An event that follows `waits`; null where there are none.
    fn marker(&self, waits: Waits<'_>) -> Result<Handle> {
        if waits.is_empty() {
            return Ok(null_mut());
        }
        let mut event = null_mut();
        // SAFETY: queue and events are alive.
        let code = unsafe {
            (self.platform.api.enqueue_marker_with_wait_list)(self.raw, waits.len() as u32, waits.as_ptr(), &mut event)
        };
        check(code, "clEnqueueMarkerWithWaitList").map(|()| event)
    }

    /// # Safety
    /// As for [`OclQueue::send`].
    unsafe fn kernel(&self, queue: Handle, work: &KernelWork, waits: Waits<'_>) -> Result<Handle> {
        let kernel = work.kernel.as_any().downcast_ref::<OclKernel>().ok_or_else(|| {
            Error::new(Errc::BackendMismatch, "a kernel that was built for another backend is launched on OpenCL")
        })?;
        let dims = work.dims as usize;
        if work.global_size[..dims].contains(&0) {
            return self.marker(waits);
        }
        let offset = work.global_offset.map(|n| n as usize);
        let global = work.global_size.map(|n| n as usize);
        let local = work.local_size.map(|n| n as usize);
        // Without groups of its own, the driver may choose which suit it.
        let local = if kernel.shape == Shape::NdRange { local.as_ptr() } else { null() };
        let offset = if offset == [0; 3] { null() } else { offset.as_ptr() };
        let mut event = null_mut();
        // SAFETY: the functor holds what the launch rows say, and all handles are alive.
        let code = unsafe {
            let state = kernel.with_arguments(&work.functor)?;
            (self.platform.api.enqueue_nd_range_kernel)(
                queue,
                state.raw,
                work.dims,
                offset,
                global.as_ptr(),
                local,
                waits.len() as u32,
                list(waits),
                &mut event,
            )
        };
        check(code, "clEnqueueNDRangeKernel").map(|()| event)
    }

    /// # Safety
    /// As for [`OclQueue::send`].
    unsafe fn memcpy(&self, dst: *mut c_void, src: *const c_void, size: usize, waits: Waits<'_>) -> Result<Handle> {
        if size == 0 || std::ptr::eq(dst, src) {
            return self.marker(waits);
        }
        let mut event = null_mut();
        // SAFETY: passed on.
        let code = unsafe {
            let memcpy = self.platform.sharing.memcpy;
            memcpy(self.raw, 0, dst, src, size, waits.len() as u32, list(waits), &mut event)
        };
        check(code, "copying memory").map(|()| event)
    }

    /// One copy for each row, and an event for all.
    ///
    /// # Safety
    /// As for [`OclQueue::send`].
    unsafe fn copy_box(
        &self,
        dst: *mut c_void,
        src: *const c_void,
        region: &CopyBox,
        waits: Waits<'_>,
    ) -> Result<Handle> {
        let mut rows = Rows { queue: self, events: Vec::new() };
        for plane in 0..region.planes {
            for row in 0..region.rows {
                let to = plane * region.dst_plane_pitch + row * region.dst_row_pitch;
                let from = plane * region.src_plane_pitch + row * region.src_row_pitch;
                // SAFETY: the box lies inside of both memories.
                let event =
                    unsafe { self.memcpy(dst.wrapping_byte_add(to), src.wrapping_byte_add(from), region.width, waits) };
                rows.add(event?)?;
            }
        }
        rows.finish(waits)
    }

    /// # Safety
    /// As for [`OclQueue::send`].
    unsafe fn fill(&self, dst: *mut c_void, pattern: &[u8], count: usize, waits: Waits<'_>) -> Result<Sent> {
        let width = pattern.len();
        let total = width.checked_mul(count).ok_or_else(|| {
            Error::new(Errc::Invalid, format!("{count} patterns of {width} bytes are more than memory can hold"))
        })?;
        if total == 0 {
            return self.marker(waits).map(Sent::new);
        }
        if width.is_power_of_two() && width <= LARGEST_PATTERN && (dst as usize).is_multiple_of(width) {
            let mut event = null_mut();
            // SAFETY: passed on; the pattern is copied by the call.
            let code = unsafe {
                let (fill, pattern) = (self.platform.sharing.fill, pattern.as_ptr().cast());
                fill(self.raw, dst, pattern, width, total, waits.len() as u32, list(waits), &mut event)
            };
            return check(code, "filling memory").map(|()| Sent::new(event));
        }
        let repeats = (PATTERN_BLOCK / width).clamp(1, count);
        let block: Box<Vec<u8>> = Box::new(pattern.repeat(repeats));
        let mut rows = Rows { queue: self, events: Vec::new() };
        for start in (0..total).step_by(block.len()) {
            let (size, to) = (block.len().min(total - start), dst.wrapping_byte_add(start));
            // SAFETY: the block lies inside of the memory to fill; it is kept until the last copy has completed.
            rows.add(unsafe { self.memcpy(to, block.as_ptr().cast(), size, waits) }?)?;
        }
        Ok(Sent { event: rows.finish(waits)?, memory: Some(block) })
    }
}

/// Copies that end together. Where one of them cannot be enqueued, the others are waited for.
struct Rows<'a> {
    queue: &'a OclQueue,
    events: Vec<Handle>,
}

impl Rows<'_> {
    fn add(&mut self, event: Handle) -> Result<()> {
        if !event.is_null() {
            self.events.push(event);
        }
        Ok(())
    }

    fn finish(mut self, waits: Waits<'_>) -> Result<Handle> {
        match &self.events[..] {
            [] => self.queue.marker(waits),
            [one] => {
                let one = *one;
                self.events.clear();
                Ok(one)
            }
            many => {
                let event = self.queue.marker(many)?;
                self.release();
                Ok(event)
            }
        }
    }

    fn release(&mut self) {
        for event in self.events.drain(..) {
            // SAFETY: the count is this object's.
            let _ = unsafe { (self.queue.platform.api.release_event)(event) };
        }
    }
}

impl Drop for Rows<'_> {
    fn drop(&mut self) {
        if !self.events.is_empty() {
            // SAFETY: the events are alive.
            let _ =
                unsafe { (self.queue.platform.api.wait_for_events)(self.events.len() as u32, self.events.as_ptr()) };
            self.release();
        }
    }
}

/// OpenCL wants null for a list of nothing.
fn list(waits: Waits<'_>) -> *const Handle {
    if waits.is_empty() { null() } else { waits.as_ptr() }
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
                None => {
                    room[count] = dep.raw();
                    count += 1;
                }
            }
        }
        if let (Work::Kernel(work), 0 | 1, None) = (&work, count, &keep) {
            // SAFETY: passed on.
            if let Some(event) = unsafe { self.follow(work, room[..count].first().copied()) }? {
                // SAFETY: the queue is alive.
                check(unsafe { (api.flush)(self.line) }, "clFlush")?;
                return Ok(event);
            }
        }
        // SAFETY: passed on.
        let sent = unsafe { self.send(work, &room[..count]) }?;
        if sent.event.is_null() {
            return Ok(Arc::new(OclEvent::over(api, None)));
        }
        if let Some(memory) = sent.memory {
            keep_until_complete(api, sent.event, memory);
        }
        if let Some(keep) = keep {
            keep_until_complete(api, sent.event, keep);
        }
        let event = OclEvent::new(api, sent.event, self.profiling);
        // Commands that nobody waits for run, too.
        // SAFETY: the queue is alive.
        check(unsafe { (api.flush)(self.raw) }, "clFlush")?;
        Ok(Arc::new(event))
    }

    fn native(&self) -> Result<Native> {
        // SAFETY: the queue is alive.
        check(unsafe { (self.platform.api.retain_command_queue)(self.raw) }, "clRetainCommandQueue").map(|()| self.raw)
    }
}

impl Drop for OclQueue {
    fn drop(&mut self) {
        for queue in [self.raw, self.line] {
            // SAFETY: the count is this object's.
            let _ = unsafe { (self.platform.api.release_command_queue)(queue) };
        }
    }
}
