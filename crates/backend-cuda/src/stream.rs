//! One stream of the driver: commands in turn, numbered from 1.
//!
//! Whether a command has completed is asked by [`Mark`]s: events of the driver that are recorded behind it, when somebody asks, and not
//! before. A long chain of kernels whose events nobody looks at costs no events at all.

use std::collections::VecDeque;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use scythe_hal::Result;

use crate::api::Handle;
use crate::error::{NOT_READY, SUCCESS};
use crate::event::CudaEvent;
use crate::gpu::Gpu;

/// Streams that do not wait for the default one.
pub(crate) const NON_BLOCKING: u32 = 1;
/// Kernels that are remembered by name for what is said when the device is lost.
const REMEMBERED: usize = 32;

pub(crate) struct Stream {
    pub(crate) gpu: Arc<Gpu>,
    pub(crate) raw: Handle,
    /// The number of the last command. Written under the lock.
    submitted: AtomicU64,
    /// Commands up to this number are known to have completed.
    completed: AtomicU64,
    line: Mutex<Line>,
}

// SAFETY: the driver's streams may be used by any thread, and by many at once.
unsafe impl Send for Stream {}
// SAFETY: as above.
unsafe impl Sync for Stream {}

/// The end of the stream, for whoever adds a command.
#[derive(Default)]
pub(crate) struct Line {
    /// The last mark.
    mark: Option<Arc<Mark>>,
    /// The last command's event.
    last: Weak<CudaEvent>,
    /// The last kernels, by number.
    kernels: VecDeque<(u64, Arc<str>)>,
}

/// A place in a stream that can be asked and waited for.
pub(crate) struct Mark {
    gpu: Arc<Gpu>,
    pub(crate) raw: Handle,
    /// Commands up to this number come before it.
    pub(crate) number: u64,
}

// SAFETY: as for `Stream`.
unsafe impl Send for Mark {}
// SAFETY: as above.
unsafe impl Sync for Mark {}

impl Drop for Mark {
    fn drop(&mut self) {
        self.gpu.give_event(self.raw);
    }
}

impl Stream {
    /// The context is current.
    pub(crate) fn new(gpu: &Arc<Gpu>) -> Result<Arc<Self>> {
        let mut raw = null_mut();
        // SAFETY: a context is current, and there is a place for the stream.
        gpu.check(unsafe { (gpu.api.stream_create)(&mut raw, NON_BLOCKING) }, "cuStreamCreate")?;
        let stream = Arc::new(Self {
            gpu: gpu.clone(),
            raw,
            submitted: AtomicU64::new(0),
            completed: AtomicU64::new(0),
            line: Mutex::default(),
        });
        gpu.watch(&stream);
        Ok(stream)
    }

    pub(crate) fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The command is known to have completed.
    pub(crate) fn has_completed(&self, number: u64) -> bool {
        self.completed.load(Ordering::Acquire) >= number
    }

    /// Nothing has been added behind the command.
    pub(crate) fn ends_with(&self, number: u64) -> bool {
        self.submitted.load(Ordering::Acquire) == number
    }

    /// Every command is known to have completed.
    pub(crate) fn is_idle(&self) -> bool {
        self.has_completed(self.submitted.load(Ordering::Acquire))
    }

    fn complete(&self, number: u64) {
        self.completed.fetch_max(number, Ordering::AcqRel);
    }

    /// Before a command is added: where the program keeps the event of the last one, it gets a mark of its own, so that whoever waits
    /// for it does not wait for more. The context is current.
    pub(crate) fn settle(&self, line: &mut Line) -> std::result::Result<(), i32> {
        if let Some(last) = line.last.upgrade()
            && last.wants_mark()
            && !self.has_completed(last.number())
        {
            last.set_mark(self.record(line)?);
        }
        Ok(())
    }

    /// The number of the command that was just added.
    pub(crate) fn added(&self, line: &mut Line, kernel: Option<&Arc<str>>) -> u64 {
        let number = self.submitted.load(Ordering::Relaxed) + 1;
        self.submitted.store(number, Ordering::Release);
        if let Some(kernel) = kernel {
            if line.kernels.len() == REMEMBERED {
                line.kernels.pop_front();
            }
            line.kernels.push_back((number, kernel.clone()));
        }
        number
    }

    /// Notes whose the last command is.
    pub(crate) fn follow(&self, line: &mut Line, event: &Arc<CudaEvent>) {
        line.last = Arc::downgrade(event);
    }

    /// A mark behind the command `number`, the last one where that will do. The context is current.
    pub(crate) fn mark(&self, number: u64) -> Result<Arc<Mark>> {
        let mut line = self.line();
        if let Some(mark) = line.mark.as_ref().filter(|mark| mark.number >= number) {
            return Ok(mark.clone());
        }
        let made = self.record(&mut line);
        drop(line);
        made.map_err(|code| self.gpu.error(code, "cuEventRecord"))
    }

    /// A new mark at the end.
    fn record(&self, line: &mut Line) -> std::result::Result<Arc<Mark>, i32> {
        let raw = self.gpu.take_event()?;
        let mark = Arc::new(Mark { gpu: self.gpu.clone(), raw, number: self.submitted.load(Ordering::Relaxed) });
        // SAFETY: event and stream are alive, and of the current context.
        match unsafe { (self.gpu.api.event_record)(raw, self.raw) } {
            SUCCESS => {
                line.mark = Some(mark.clone());
                Ok(mark)
            }
            code => Err(code),
        }
    }

    /// Whether all before the mark has completed; an error where the device was lost.
    pub(crate) fn query(&self, mark: &Mark) -> Result<bool> {
        if self.has_completed(mark.number) {
            return Ok(true);
        }
        // SAFETY: the event is alive.
        match unsafe { (self.gpu.api.event_query)(mark.raw) } {
            SUCCESS => {
                self.complete(mark.number);
                Ok(true)
            }
            NOT_READY => Ok(false),
            code => Err(self.gpu.error(code, "a command")),
        }
    }

    /// Waits until the command has completed. The context is current.
    pub(crate) fn wait(&self, number: u64, mark: Option<&Mark>) -> Result<()> {
        let api = self.gpu.api;
        if mark.is_none() && self.ends_with(number) {
            // SAFETY: the stream is alive.
            let code = unsafe { (api.stream_synchronize)(self.raw) };
            self.gpu.check(code, "a command")?;
            self.complete(number);
            return Ok(());
        }
        let found;
        let mark = match mark {
            Some(mark) => mark,
            None => {
                found = self.mark(number)?;
                &found
            }
        };
        // SAFETY: the event is alive.
        self.gpu.check(unsafe { (api.event_synchronize)(mark.raw) }, "a command")?;
        self.complete(mark.number);
        Ok(())
    }

    /// Kernels that may be running. Nobody who asks holds the lock.
    pub(crate) fn running(&self) -> Vec<Arc<str>> {
        let line = self.line();
        line.kernels.iter().filter(|(number, _)| !self.has_completed(*number)).map(|(_, name)| name.clone()).collect()
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // The driver lets what is under way end first.
        // SAFETY: nobody else has the stream.
        let _ = unsafe { (self.gpu.api.stream_destroy)(self.raw) };
    }
}
