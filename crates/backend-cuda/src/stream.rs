//! A stream of the driver: commands in order, numbered from 1.
//!
//! [`Mark`]s tell whether a command has completed. A mark is an event of the driver that is
//! recorded after the command, if the program keeps the command's event or queries it. A long chain
//! of kernels whose events are not used needs no events of the driver at all.

use std::collections::VecDeque;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use scythe_hal::{Place, Priority, Result};

use crate::api::{Address, Handle};
use crate::error::{NOT_READY, SUCCESS};
use crate::gpu::Gpu;
use crate::meeting::Words;

/// The flag for streams that do not wait for the default stream.
pub(crate) const NON_BLOCKING: u32 = 1;
/// The number of kernels whose names are kept for the message about a lost device.
const REMEMBERED: usize = 32;
/// The maximum number of marks that are kept for earlier commands.
const MARKS: usize = 1024;

pub(crate) struct Stream {
    pub(crate) gpu: Arc<Gpu>,
    pub(crate) raw: Handle,
    /// The number of the last command. It is written under the lock.
    submitted: AtomicU64,
    /// The number up to which all commands are known to have completed.
    completed: AtomicU64,
    /// The last command whose event the program keeps, or 0.
    kept: AtomicU64,
    line: Mutex<Line>,
    /// The word at which the work-groups of cooperative launches meet. Launches in one stream do
    /// not overlap.
    meeting: OnceLock<Words>,
}

// SAFETY: the driver's streams may be used by several threads at once.
unsafe impl Send for Stream {}
// SAFETY: the driver's streams may be used by several threads at once.
unsafe impl Sync for Stream {}

/// The state at the end of the stream, for threads that add a command.
#[derive(Default)]
pub(crate) struct Line {
    /// The marks, oldest first.
    marks: VecDeque<Arc<Mark>>,
    /// The last kernels, each with the number of the last of its consecutive launches.
    kernels: VecDeque<(u64, Launched)>,
}

/// A launch, as messages name it.
#[derive(Clone)]
pub(crate) struct Launched {
    pub(crate) symbol: Arc<str>,
    pub(crate) place: Option<Place>,
}

/// A position in a stream that can be queried and waited for.
pub(crate) struct Mark {
    gpu: Arc<Gpu>,
    pub(crate) raw: Handle,
    /// The number of the last command before the mark.
    pub(crate) number: u64,
}

// SAFETY: the driver's events may be used by several threads at once.
unsafe impl Send for Mark {}
// SAFETY: the driver's events may be used by several threads at once.
unsafe impl Sync for Mark {}

impl Drop for Mark {
    fn drop(&mut self) {
        self.gpu.give_event(self.raw);
    }
}

impl Stream {
    /// Creates a stream. The context must be current.
    pub(crate) fn new(gpu: &Arc<Gpu>, priority: Option<Priority>) -> Result<Arc<Self>> {
        let api = gpu.api;
        let mut raw = null_mut();
        match priority {
            None => {
                // SAFETY: a context is current, and `raw` is writable.
                let code = unsafe { (api.stream_create)(&mut raw, NON_BLOCKING) };
                gpu.check(code, "cuStreamCreate")?;
            }
            Some(priority) => {
                // Lower numbers have a higher priority. Without priorities, both are 0.
                let (mut least, mut greatest) = (0, 0);
                // SAFETY: a context is current, and both addresses are writable.
                let code =
                    unsafe { (api.ctx_get_stream_priority_range)(&mut least, &mut greatest) };
                gpu.check(code, "cuCtxGetStreamPriorityRange")?;
                let number = if priority == Priority::Low { least } else { greatest };
                // SAFETY: a context is current, and `raw` is writable.
                let code =
                    unsafe { (api.stream_create_with_priority)(&mut raw, NON_BLOCKING, number) };
                gpu.check(code, "cuStreamCreateWithPriority")?;
            }
        }
        let stream = Arc::new(Self {
            gpu: gpu.clone(),
            raw,
            submitted: AtomicU64::new(0),
            completed: AtomicU64::new(0),
            kept: AtomicU64::new(0),
            line: Mutex::default(),
            meeting: OnceLock::new(),
        });
        gpu.watch(&stream);
        Ok(stream)
    }

    pub(crate) fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the address of the word for cooperative launches in this stream. The context must be
    /// current.
    pub(crate) fn meeting(&self) -> Result<Address> {
        if let Some(words) = self.meeting.get() {
            return Ok(words.address(0));
        }
        let words = Words::new(&self.gpu, 1, self.raw)?;
        Ok(self.meeting.get_or_init(|| words).address(0))
    }

    /// Returns whether the command is known to have completed.
    pub(crate) fn has_completed(&self, number: u64) -> bool {
        self.completed.load(Ordering::Acquire) >= number
    }

    /// Returns whether the command is the last one.
    pub(crate) fn ends_with(&self, number: u64) -> bool {
        self.submitted.load(Ordering::Acquire) == number
    }

    /// Returns whether all commands are known to have completed.
    pub(crate) fn is_idle(&self) -> bool {
        self.has_completed(self.submitted.load(Ordering::Acquire))
    }

    fn complete(&self, number: u64) {
        self.completed.fetch_max(number, Ordering::AcqRel);
    }

    /// Returns whether the program keeps the event of the last command, which may still run.
    pub(crate) fn must_settle(&self) -> bool {
        let number = self.submitted.load(Ordering::Relaxed);
        number != 0 && self.kept.load(Ordering::Relaxed) == number && !self.has_completed(number)
    }

    /// Prepares the stream for another command: if the program keeps the event of the last command,
    /// that command gets its own mark, so that waiting for it does not include later commands. The
    /// context must be current.
    pub(crate) fn settle(&self, line: &mut Line) -> std::result::Result<(), i32> {
        let number = self.submitted.load(Ordering::Relaxed);
        if self.must_settle() && line.marks.back().is_none_or(|mark| mark.number < number) {
            self.record(line)?;
        }
        Ok(())
    }

    /// Records that the program no longer has a handle of the command's event.
    pub(crate) fn abandon(&self, number: u64) {
        // If the program keeps a later event or none, this changes nothing.
        let _ = self.kept.compare_exchange(number, 0, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Returns the number of the command that was just added.
    pub(crate) fn added(&self, line: &mut Line, kernel: Option<(&Arc<str>, Option<Place>)>) -> u64 {
        let number = self.submitted.load(Ordering::Relaxed) + 1;
        self.submitted.store(number, Ordering::Release);
        self.kept.store(number, Ordering::Relaxed);
        if let Some((symbol, place)) = kernel {
            match line.kernels.back_mut() {
                Some((last, known))
                    if Arc::ptr_eq(&known.symbol, symbol) && known.place == place =>
                {
                    *last = number;
                }
                _ => {
                    if line.kernels.len() == REMEMBERED {
                        line.kernels.pop_front();
                    }
                    let launched = Launched { symbol: symbol.clone(), place };
                    line.kernels.push_back((number, launched));
                }
            }
        }
        number
    }

    /// Returns the first mark after the command `number`. Creates one if there is none. The context
    /// must be current.
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

    /// Records a new mark at the end.
    fn record(&self, line: &mut Line) -> std::result::Result<Arc<Mark>, i32> {
        let done = line.marks.partition_point(|mark| self.has_completed(mark.number));
        line.marks.drain(..done.max((line.marks.len() + 1).saturating_sub(MARKS)));
        let raw = self.gpu.take_event()?;
        let mark = Arc::new(Mark {
            gpu: self.gpu.clone(),
            raw,
            number: self.submitted.load(Ordering::Relaxed),
        });
        // SAFETY: the event and the stream are alive and belong to the current context.
        match unsafe { (self.gpu.api.event_record)(raw, self.raw) } {
            SUCCESS => {
                line.marks.push_back(mark.clone());
                Ok(mark)
            }
            code => Err(code),
        }
    }

    /// Returns whether all commands before the mark have completed. Reports an error if the device
    /// was lost.
    pub(crate) fn query(&self, mark: &Mark) -> Result<bool> {
        if self.has_completed(mark.number) {
            return Ok(true);
        }
        // SAFETY: the event is alive, because the mark owns it.
        match unsafe { (self.gpu.api.event_query)(mark.raw) } {
            SUCCESS => {
                self.complete(mark.number);
                Ok(true)
            }
            NOT_READY => Ok(false),
            code => Err(self.gpu.error(code, "a command")),
        }
    }

    /// Waits until the command has completed. The context must be current.
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
        // SAFETY: the event is alive, because the mark owns it.
        self.gpu.check(unsafe { (api.event_synchronize)(mark.raw) }, "a command")?;
        self.complete(mark.number);
        Ok(())
    }

    /// Returns the kernels that may be running. The caller must not hold the lock.
    pub(crate) fn running(&self) -> Vec<Launched> {
        let line = self.line();
        line.kernels
            .iter()
            .filter(|(number, _)| !self.has_completed(*number))
            .map(|(_, kernel)| kernel.clone())
            .collect()
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // The driver completes running commands first.
        // SAFETY: no other object uses the stream.
        let _ = unsafe { (self.gpu.api.stream_destroy)(self.raw) };
    }
}
