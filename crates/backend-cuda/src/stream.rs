//! One stream of the driver: commands in turn, numbered from 1.
//!
//! Whether a command has completed is asked by [`Mark`]s: events of the driver that are recorded
//! behind it, where the program keeps its event or somebody asks. A long chain of kernels whose
//! events nobody looks at costs no events of the driver at all.

use std::collections::VecDeque;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use scythe_hal::Result;

use crate::api::Handle;
use crate::error::{NOT_READY, SUCCESS};
use crate::gpu::Gpu;

/// Streams that do not wait for the default one.
pub(crate) const NON_BLOCKING: u32 = 1;
/// Kernels that are remembered by name for what is said when the device is lost.
const REMEMBERED: usize = 32;
/// Marks that are remembered for commands before them.
const MARKS: usize = 1024;

pub(crate) struct Stream {
    pub(crate) gpu: Arc<Gpu>,
    pub(crate) raw: Handle,
    /// The number of the last command. Written under the lock.
    submitted: AtomicU64,
    /// Commands up to this number are known to have completed.
    completed: AtomicU64,
    /// The last command whose event the program keeps; 0 for none.
    kept: AtomicU64,
    line: Mutex<Line>,
}

// SAFETY: the driver's streams may be used by any thread, and by many at once.
unsafe impl Send for Stream {}
// SAFETY: as above.
unsafe impl Sync for Stream {}

/// The end of the stream, for whoever adds a command.
#[derive(Default)]
pub(crate) struct Line {
    /// Oldest first.
    marks: VecDeque<Arc<Mark>>,
    /// The last kernels, with the number of the last launch of each in a row.
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
            kept: AtomicU64::new(0),
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

    /// The program keeps the event of the last command, which may be running.
    pub(crate) fn must_settle(&self) -> bool {
        let number = self.submitted.load(Ordering::Relaxed);
        number != 0 && self.kept.load(Ordering::Relaxed) == number && !self.has_completed(number)
    }

    /// Before a command is added: where the program keeps the event of the last one, it gets a mark
    /// of its own, so that whoever waits for it does not wait for more. The context is current.
    pub(crate) fn settle(&self, line: &mut Line) -> std::result::Result<(), i32> {
        let number = self.submitted.load(Ordering::Relaxed);
        if self.must_settle() && line.marks.back().is_none_or(|mark| mark.number < number) {
            self.record(line)?;
        }
        Ok(())
    }

    /// The program has no handle of the command's event any more.
    pub(crate) fn abandon(&self, number: u64) {
        // Where a later one is kept, or none, this changes nothing.
        let _ = self.kept.compare_exchange(number, 0, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// The number of the command that was just added.
    pub(crate) fn added(&self, line: &mut Line, kernel: Option<&Arc<str>>) -> u64 {
        let number = self.submitted.load(Ordering::Relaxed) + 1;
        self.submitted.store(number, Ordering::Release);
        self.kept.store(number, Ordering::Relaxed);
        if let Some(kernel) = kernel {
            match line.kernels.back_mut() {
                Some((last, known)) if Arc::ptr_eq(known, kernel) => *last = number,
                _ => {
                    if line.kernels.len() == REMEMBERED {
                        line.kernels.pop_front();
                    }
                    line.kernels.push_back((number, kernel.clone()));
                }
            }
        }
        number
    }

    /// The first mark behind the command `number`, made where there is none. The context is
    /// current.
    pub(crate) fn mark(&self, number: u64) -> Result<Arc<Mark>> {
        let mut line = self.line();
        let first = line.marks.partition_point(|mark| mark.number < number);
        if let Some(mark) = line.marks.get(first) {
            return Ok(mark.clone());
        }
        let made = self.record(&mut line);
        drop(line);
        made.map_err(|code| self.gpu.error(code, "cuEventRecord"))
    }

    /// A new mark at the end.
    fn record(&self, line: &mut Line) -> std::result::Result<Arc<Mark>, i32> {
        let done = line.marks.partition_point(|mark| self.has_completed(mark.number));
        line.marks.drain(..done.max((line.marks.len() + 1).saturating_sub(MARKS)));
        let raw = self.gpu.take_event()?;
        let mark = Arc::new(Mark {
            gpu: self.gpu.clone(),
            raw,
            number: self.submitted.load(Ordering::Relaxed),
        });
        // SAFETY: event and stream are alive, and of the current context.
        match unsafe { (self.gpu.api.event_record)(raw, self.raw) } {
            SUCCESS => {
                line.marks.push_back(mark.clone());
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
        line.kernels
            .iter()
            .filter(|(number, _)| !self.has_completed(*number))
            .map(|(_, name)| name.clone())
            .collect()
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // The driver lets what is under way end first.
        // SAFETY: nobody else has the stream.
        let _ = unsafe { (self.gpu.api.stream_destroy)(self.raw) };
    }
}
