//! Commands that were given to the driver, and how they end.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use scythe_hal::{Errc, Error, Event, Native, Result, Status, Times};

use crate::api::Handle;
use crate::gpu::Gpu;
use crate::profile::Timing;
use crate::stream::{Mark, Stream};

/// A command in a stream, one that is over already, or one of the program's own.
pub(crate) struct CudaEvent {
    kind: Kind,
}

enum Kind {
    /// Nothing was done, or nothing could be.
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

// SAFETY: the driver's events may be used by any thread, and by many at once.
unsafe impl Send for Raw {}
// SAFETY: as above.
unsafe impl Sync for Raw {}

impl CudaEvent {
    pub(crate) fn new(stream: Arc<Stream>, number: u64, timing: Option<Box<Timing>>) -> Self {
        Self { kind: Kind::Command(Command { stream, number, mark: OnceLock::new(), timing }) }
    }

    /// A command that had nothing to do, or (with an error) must not do it.
    pub(crate) fn over(error: Option<Error>) -> Self {
        Self { kind: Kind::Over(error.map(Box::new)) }
    }

    /// An event of the program, which keeps it until it has completed.
    pub(crate) fn foreign(gpu: &Arc<Gpu>, raw: Handle) -> Self {
        Self { kind: Kind::Foreign { gpu: gpu.clone(), raw: Raw(raw), done: OnceLock::new() } }
    }

    /// Becomes the event of another command of the same stream; false, without effect, where it is
    /// not of that stream.
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

    /// The stream with the command, while it may be running.
    pub(crate) fn stream(&self) -> Option<&Arc<Stream>> {
        match &self.kind {
            Kind::Command(command) => Some(&command.stream),
            _ => None,
        }
    }

    /// Its number in the stream; 0 where it is in none.
    pub(crate) fn number(&self) -> u64 {
        match &self.kind {
            Kind::Command(command) => command.number,
            _ => 0,
        }
    }

    /// What a stream has to wait for; `keep` holds it meanwhile. The context is current.
    pub(crate) fn barrier(&self) -> Result<Option<Barrier>> {
        Ok(match &self.kind {
            Kind::Over(_) => None,
            Kind::Command(command) => Some(Barrier::Mark(command.mark()?)),
            Kind::Foreign { raw, .. } => Some(Barrier::Raw(raw.0)),
        })
    }

    /// Asks the driver how the command ended; `None` while it is under way.
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
                // SAFETY: the program keeps the event until it has completed.
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

/// What `cuStreamWaitEvent` takes.
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
                // SAFETY: the program keeps the event until it has completed.
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
    /// The same command, for the thread that waits.
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
