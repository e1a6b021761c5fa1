//! Commands that were submitted to the driver, and their completion.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use scythe_hal::{Errc, Error, Event, Native, Result, Status, Times};

use crate::api::Handle;
use crate::gpu::Gpu;
use crate::profile::Timing;
use crate::stream::{Mark, Stream};

/// The event of a command in a stream, of a finished command, or of a command of the program.
pub(crate) struct CudaEvent {
    kind: Kind,
}

enum Kind {
    /// There was nothing to do, or the command must not run.
    Over(Option<Box<Error>>),
    Command(Command),
    /// An event that the program recorded.
    Foreign {
        gpu: Arc<Gpu>,
        raw: Raw,
        done: OnceLock<Result<()>>,
    },
}

struct Command {
    stream: Arc<Stream>,
    number: u64,
    mark: OnceLock<Arc<Mark>>,
    timing: Option<Box<Timing>>,
}

#[derive(Clone, Copy)]
struct Raw(Handle);

// SAFETY: the driver's events may be used by several threads at once.
unsafe impl Send for Raw {}
// SAFETY: the driver's events may be used by several threads at once.
unsafe impl Sync for Raw {}

impl CudaEvent {
    pub(crate) fn new(stream: Arc<Stream>, number: u64, timing: Option<Box<Timing>>) -> Self {
        Self { kind: Kind::Command(Command { stream, number, mark: OnceLock::new(), timing }) }
    }

    /// Creates the event of a command that has nothing to do or, with an error, must not run.
    pub(crate) fn over(error: Option<Error>) -> Self {
        Self { kind: Kind::Over(error.map(Box::new)) }
    }

    /// Creates an event for an event of the program. The program must keep it until it has
    /// completed.
    pub(crate) fn foreign(gpu: &Arc<Gpu>, raw: Handle) -> Self {
        Self { kind: Kind::Foreign { gpu: gpu.clone(), raw: Raw(raw), done: OnceLock::new() } }
    }

    /// Turns the event into the event of another command of the same stream. Returns false, without
    /// effect, if the event belongs to another stream.
    pub(crate) fn renew(&mut self, stream: &Arc<Stream>, number: u64) -> bool {
        match &mut self.kind {
            Kind::Command(command) if Arc::ptr_eq(&command.stream, stream) => {
                command.number = number;
                command.mark.take();
                command.timing = None;
                true
            }
            _ => false,
        }
    }

    /// Returns the command's stream, if the command may still run.
    pub(crate) fn stream(&self) -> Option<&Arc<Stream>> {
        match &self.kind {
            Kind::Command(command) => Some(&command.stream),
            _ => None,
        }
    }

    /// Returns the command's number in its stream, or 0 if it is in no stream.
    pub(crate) fn number(&self) -> u64 {
        match &self.kind {
            Kind::Command(command) => command.number,
            _ => 0,
        }
    }

    /// Returns the object that a stream must wait for. The context must be current.
    pub(crate) fn barrier(&self) -> Result<Option<Barrier>> {
        Ok(match &self.kind {
            Kind::Over(_) => None,
            Kind::Command(command) => Some(Barrier::Mark(command.mark()?)),
            Kind::Foreign { raw, .. } => Some(Barrier::Raw(raw.0)),
        })
    }

    /// Queries the driver for the result of the command. Returns `None` while the command runs.
    pub(crate) fn poll(&self) -> Option<Result<()>> {
        if let Some(end) = self.known_end() {
            return Some(end);
        }
        match &self.kind {
            Kind::Over(_) => Some(Ok(())),
            Kind::Command(command) => {
                let state = command
                    .enter()
                    .and_then(|()| command.mark())
                    .and_then(|m| command.stream.query(&m));
                match state {
                    Ok(true) => Some(Ok(())),
                    Ok(false) => None,
                    Err(error) => Some(Err(error)),
                }
            }
            Kind::Foreign { gpu, raw, done } => {
                // SAFETY: the program keeps the event until it has completed (contract of
                // [`CudaEvent::foreign`]).
                match unsafe { (gpu.api.event_query)(raw.0) } {
                    crate::error::NOT_READY => None,
                    code => Some(
                        done.get_or_init(|| gpu.check(code, "a command of the program")).clone(),
                    ),
                }
            }
        }
    }
}

/// An event that `cuStreamWaitEvent` accepts.
pub(crate) enum Barrier {
    Mark(Arc<Mark>),
    Raw(Handle),
}

impl Barrier {
    pub(crate) fn raw(&self) -> Handle {
        match self {
            Self::Mark(mark) => mark.raw,
            Self::Raw(raw) => *raw,
        }
    }
}

impl Command {
    fn enter(&self) -> Result<()> {
        self.stream.gpu.enter().map(|_| ())
    }

    fn mark(&self) -> Result<Arc<Mark>> {
        if let Some(mark) = self.mark.get() {
            return Ok(mark.clone());
        }
        let mark = self.stream.mark(self.number)?;
        Ok(self.mark.get_or_init(|| mark).clone())
    }
}

impl Event for CudaEvent {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> Option<&mut dyn Any> {
        Some(self)
    }

    fn status(&self) -> Status {
        if self.known_end().is_some() {
            return Status::Complete;
        }
        if self.poll().is_some() { Status::Complete } else { Status::Running }
    }

    fn wait(&self) -> Result<()> {
        if let Some(end) = self.known_end() {
            return end;
        }
        match &self.kind {
            Kind::Over(_) => Ok(()),
            Kind::Command(command) => {
                command.enter()?;
                command.stream.wait(command.number, command.mark.get().map(|mark| &**mark))
            }
            Kind::Foreign { gpu, raw, done } => {
                gpu.enter()?;
                // SAFETY: the program keeps the event until it has completed (contract of
                // [`CudaEvent::foreign`]).
                let code = unsafe { (gpu.api.event_synchronize)(raw.0) };
                done.get_or_init(|| gpu.check(code, "a command of the program")).clone()
            }
        }
    }

    fn on_complete(&self, f: Box<dyn FnOnce(Result<()>) + Send>) {
        match self.poll() {
            Some(end) => f(end),
            None => match &self.kind {
                Kind::Over(_) => f(Ok(())),
                Kind::Command(command) => command.stream.gpu.waiter.add(self.watched(), f),
                Kind::Foreign { gpu, .. } => gpu.waiter.add(self.watched(), f),
            },
        }
    }

    fn times(&self) -> Option<Times> {
        match &self.kind {
            Kind::Command(command) => command.timing.as_ref()?.times(),
            _ => None,
        }
    }

    fn known_end(&self) -> Option<Result<()>> {
        match &self.kind {
            Kind::Over(None) => Some(Ok(())),
            Kind::Over(Some(error)) => Some(Err((**error).clone())),
            Kind::Command(command) if command.stream.has_completed(command.number) => Some(Ok(())),
            Kind::Command(command) => command.stream.gpu.lost().map(|error| Err(error.clone())),
            Kind::Foreign { done, .. } => done.get().cloned(),
        }
    }

    fn abandon(&self) {
        if let Kind::Command(command) = &self.kind {
            command.stream.abandon(command.number);
        }
    }

    fn native(&self) -> Result<Native> {
        match &self.kind {
            Kind::Over(_) => Err(Error::new(
                Errc::Event,
                "the command was empty, so it has no native CUDA event",
            )),
            Kind::Command(command) => {
                command.enter()?;
                Ok(command.mark()?.raw)
            }
            Kind::Foreign { raw, .. } => Ok(raw.0),
        }
    }
}

impl CudaEvent {
    /// Returns another event of the same command, for the waiting thread.
    fn watched(&self) -> Arc<Self> {
        let kind = match &self.kind {
            Kind::Over(error) => Kind::Over(error.clone()),
            Kind::Command(command) => Kind::Command(Command {
                stream: command.stream.clone(),
                number: command.number,
                mark: command.mark.clone(),
                timing: None,
            }),
            Kind::Foreign { gpu, raw, .. } => {
                Kind::Foreign { gpu: gpu.clone(), raw: *raw, done: OnceLock::new() }
            }
        };
        Arc::new(Self { kind })
    }
}
