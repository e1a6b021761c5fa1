//! The thread that writes: takes records, adds them to the table, and appends them to the file.
//!
//! A process that cannot write its timeline runs on without it, and one line says so. A forked
//! process records nothing, because the file belongs to its parent.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Condvar, Mutex, Once, OnceLock, PoisonError};
use std::thread::Thread;
use std::time::Duration;

use crate::json::{End, Events, Row, RowName};
use crate::lanes::Lanes;
use crate::output::{self, Output, count_events};
use crate::summary::Summary;
use crate::{
    Category, Command, Name, ON, Settings, Slice, Source, Value, now, report, shown, signals,
    threads,
};

/// The time between two writes.
const PERIOD: Duration = Duration::from_millis(100);
/// The longest wait for the writer at the end of the process.
const PATIENCE: Duration = Duration::from_secs(10);
/// The number of commands that later commands can refer to.
const REMEMBERED: usize = 1 << 16;
/// The length of text that is written at once.
const BLOCK: usize = 1 << 20;
/// The first number of a device in the timeline: larger than the number of any process.
const DEVICES: u64 = 1 << 22;

static WRITER: OnceLock<Thread> = OnceLock::new();
/// The file of the timeline.
static PATH: OnceLock<PathBuf> = OnceLock::new();
/// The process that records, or 0.
static PROCESS: AtomicU32 = AtomicU32::new(0);
static FINISHING: AtomicBool = AtomicBool::new(false);
static FINISHED: (Mutex<bool>, Condvar) = (Mutex::new(false), Condvar::new());

/// Starts recording. Only the first call has an effect. The code of this library must stay loaded.
pub fn start(settings: Settings) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| start_once(settings));
}

fn start_once(settings: Settings) {
    let mut events = Events::begin();
    let process = u64::from(std::process::id());
    events.name_row(RowName::Process, Row { process, thread: process }, &settings.program);
    let output = settings.file.as_deref().and_then(|path| {
        let refused = |error| cannot_write(path, &error, "no timeline is written");
        let mut output = Output::create(path).map_err(refused).ok()?;
        // The file is a timeline from its first moment on, even if the process ends at once.
        if let Err(failed) = output.append(&events.take()) {
            refused(failed.error);
            output.discard();
            return None;
        }
        if output.path() != path {
            report(&format!(
                "SCYTHE_TRACE: another process writes '{}'; the timeline of process {} is '{}'",
                path.display(),
                std::process::id(),
                output.path().display()
            ));
        }
        Some(output)
    });
    if output.is_none() && !settings.summary {
        return;
    }
    if let Some(output) = &output {
        signals::install(format!(
            "scythe: SCYTHE_TRACE: a signal ends the program; '{}' has the timeline until then\n",
            output.path().display()
        ));
        output.close_in_forks();
        let _ = PATH.set(output.path().to_owned());
    }
    let writer = move || Writer::new(output, events, settings);
    match spawn(move || writer().run()) {
        Ok(thread) => {
            let _ = WRITER.set(thread);
            PROCESS.store(std::process::id(), Ordering::Release);
            // SAFETY: the first handler only stores to an atomic variable and closes a file. The
            // second one may run at any time. The code stays loaded (contract of `start`).
            unsafe {
                libc::pthread_atfork(None, None, Some(after_fork));
                at_quick_exit(finish_quickly);
            }
            ON.store(true, Ordering::Release);
        }
        Err(error) => report(&format!("cannot record: no thread can be started: {error}")),
    }
}

unsafe extern "C" fn after_fork() {
    ON.store(false, Ordering::Release);
    output::close_fork();
}

unsafe extern "C" {
    /// Registers a function for `quick_exit`, which does not call those of `atexit`.
    fn at_quick_exit(function: extern "C" fn()) -> i32;
}

extern "C" fn finish_quickly() {
    // A panic must not cross into the C library.
    let _ = std::panic::catch_unwind(finish);
}

/// Starts a thread that blocks all signals, so that the program's own threads handle them.
fn spawn(run: impl FnOnce() + Send + 'static) -> std::io::Result<Thread> {
    // SAFETY: both sets are plain data, filled before they are read. The mask is restored below.
    let old = unsafe {
        let (mut all, mut old): (libc::sigset_t, libc::sigset_t) =
            (std::mem::zeroed(), std::mem::zeroed());
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut old);
        old
    };
    let spawned = std::thread::Builder::new().name("scythe-trace".to_owned()).spawn(run);
    // SAFETY: the call above initialised `old`.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &old, std::ptr::null_mut()) };
    spawned.map(|handle| handle.thread().clone())
}

/// Makes the writer write now.
pub fn wake() {
    if let Some(thread) = WRITER.get() {
        thread.unpark();
    }
}

/// Ends recording: completes the file and prints the table. Only the first call has an effect.
pub fn finish() {
    let process = PROCESS.load(Ordering::Acquire);
    if process != 0 && process != std::process::id() {
        return report(&format!(
            "process {} was forked from process {process}, and is not in its timeline or profile",
            std::process::id()
        ));
    }
    if FINISHING.swap(true, Ordering::AcqRel) || process == 0 {
        return;
    }
    wake();
    let guard = FINISHED.0.lock().unwrap_or_else(PoisonError::into_inner);
    let ended = FINISHED.1.wait_timeout_while(guard, PATIENCE, |finished| !*finished);
    let is_late = ended.is_ok_and(|(_, waited)| waited.timed_out());
    if let Some(path) = PATH.get().filter(|_| is_late) {
        let late = std::io::Error::other(format!("not finished after {PATIENCE:?}"));
        cannot_write(path, &late, "the timeline has no end");
    }
}

fn cannot_write(path: &std::path::Path, error: &std::io::Error, so: &str) {
    report(&format!("SCYTHE_TRACE: cannot write '{}': {error}; {so}", path.display()));
}

/// The place of a command in the timeline.
#[derive(Clone, Copy)]
struct Placed {
    row: Row,
    start: u64,
    end: u64,
}

struct Writer {
    output: Option<Output>,
    events: Events,
    summary: Option<Summary>,
    source: &'static dyn Source,
    process: u64,
    lanes: BTreeMap<u32, Lanes>,
    devices: BTreeMap<u32, String>,
    placed: HashMap<u64, Placed>,
    /// The keys of `placed`, the oldest first.
    order: VecDeque<u64>,
    shown: HashMap<(Category, Name), Rc<str>>,
    arrows: u64,
    /// The number of events in the file, without the name of the process.
    count: u64,
}

impl Writer {
    /// Continues the file after `events`, which are in it already.
    fn new(output: Option<Output>, events: Events, settings: Settings) -> Self {
        Self {
            output,
            events,
            summary: settings.summary.then(|| Summary::new(settings.program)),
            source: settings.source,
            process: u64::from(std::process::id()),
            lanes: BTreeMap::new(),
            devices: BTreeMap::new(),
            placed: HashMap::new(),
            order: VecDeque::new(),
            shown: HashMap::new(),
            arrows: 0,
            count: 0,
        }
    }

    fn run(mut self) {
        loop {
            std::thread::park_timeout(PERIOD);
            let (last, asked) = (FINISHING.load(Ordering::Acquire), signals::asked());
            if last {
                ON.store(false, Ordering::Release);
            }
            self.collect(last);
            if last {
                self.end();
                break;
            }
            self.write();
            signals::serve(asked);
            if self.output.is_none() && self.summary.is_none() {
                ON.store(false, Ordering::Release);
                break;
            }
        }
        *FINISHED.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        FINISHED.1.notify_all();
    }

    fn write(&mut self) {
        let text = self.events.take();
        if text.is_empty() {
            return;
        }
        let Some(output) = &mut self.output else { return };
        let Err(failed) = output.append(&text) else {
            self.count += count_events(text.as_bytes());
            return;
        };
        let so = match self.count + failed.events {
            0 => "no timeline is written".to_owned(),
            count => format!("the timeline ends after {count} events"),
        };
        cannot_write(output.path(), &failed.error, &so);
        if let Some(output) = self.output.take().filter(|_| self.count + failed.events == 0) {
            output.discard();
        }
    }

    fn end(&mut self) {
        let row = Row { process: self.process, thread: self.process };
        self.events.remark(row, "end of the timeline", now(), &[]);
        self.events.end();
        self.write();
        if let Some(summary) = &self.summary {
            let text = summary.table(&|name| shown(name.text()), &self.devices);
            let _ = std::io::Write::write_all(&mut std::io::stderr().lock(), text.as_bytes());
        }
    }

    fn collect(&mut self, last: bool) {
        for taken in threads::take() {
            let row = Row { process: self.process, thread: u64::from(taken.thread) };
            if let Some(name) = taken.name {
                self.events.name_row(RowName::Thread, row, &name);
            }
            for slice in taken.slices {
                self.slice(row, &slice);
            }
        }
        let mut commands = Vec::new();
        self.source.completed(last, &mut |command| commands.push(command));
        // Rows are given in the order of time, and a command follows those that it waited for.
        commands.sort_by_key(|command| (command.times.map(|(start, _)| start), command.id));
        for command in commands {
            self.command(command);
        }
    }

    /// Returns the name of a slice.
    fn title(&mut self, category: Category, name: Name) -> Rc<str> {
        let title = || {
            let name = shown(name.text());
            match category {
                Category::Submit | Category::Compile | Category::Build => {
                    format!("{} {name}", category.as_str()).into()
                }
                Category::CacheHit => format!("cached {name}").into(),
                _ => name.into(),
            }
        };
        self.shown.entry((category, name)).or_insert_with(title).clone()
    }

    fn slice(&mut self, row: Row, slice: &Slice) {
        if let Some(summary) = &mut self.summary {
            summary.slice(slice);
        }
        if self.output.is_none() {
            return;
        }
        let name = self.title(slice.category, slice.name);
        let title = (slice.category.as_str(), &*name);
        self.events.slice(row, title, (slice.start, slice.end), &slice.args);
        self.write_block();
    }

    fn write_block(&mut self) {
        if self.events.len() > BLOCK {
            self.write();
        }
    }

    fn command(&mut self, command: Command) {
        let Some((start, end)) = command.times else { return };
        if !self.devices.contains_key(&command.device) {
            let name = self.source.device(command.device);
            let row = Row { process: DEVICES + u64::from(command.device), thread: 0 };
            self.events.name_row(RowName::Process, row, &name);
            self.events.sort_row(RowName::Process, row, row.process);
            self.devices.insert(command.device, name);
        }
        if let Some(summary) = &mut self.summary {
            summary.command(&command, end.saturating_sub(start));
        }
        if self.output.is_none() {
            return;
        }
        let lanes = self.lanes.entry(command.device).or_default();
        let known = lanes.len();
        let lane = lanes.place(start, end.max(start + 1));
        let process = DEVICES + u64::from(command.device);
        let row = Row { process, thread: lane as u64 + 1 };
        if lane >= known {
            let name = if lane == 0 { "commands" } else { "overlapping commands" };
            self.events.name_row(RowName::Thread, row, name);
            self.events.sort_row(RowName::Thread, row, row.thread);
        }
        let placed = Placed { row, start, end };
        let name = self.title(command.category, command.name);
        let mut args = command.args;
        if command.bytes > 0 {
            args.push(("bytes", Value::from(command.bytes)));
            let rate = command.bytes as f64 / end.saturating_sub(start).max(1) as f64;
            args.push(("GB/s", Value::from(rate)));
        }
        args.push(("device", Value::Text(self.devices[&command.device].clone())));
        args.push(("command", Value::from(command.id)));
        let title = (command.category.as_str(), &*name);
        self.events.slice(row, title, (start, end), &args);
        let (thread, time) = command.submitted;
        let from = Row { process: self.process, thread: u64::from(thread) };
        self.arrow("submission", Placed { row: from, start: time, end: time }, placed);
        for before in command.after {
            if let Some(&before) = self.placed.get(&before) {
                self.arrow("dependency", before, placed);
            }
        }
        self.placed.insert(command.id, placed);
        self.order.push_back(command.id);
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.placed.remove(&oldest);
        }
        self.write_block();
    }

    /// Adds an arrow from the end of a slice to the start of another one.
    fn arrow(&mut self, what: &str, from: Placed, to: Placed) {
        self.arrows += 1;
        // An arrow belongs to the slice that contains its time, and the end is not in the slice.
        let start = from.start.max(from.end.saturating_sub(1));
        self.events.arrow(End::Start, from.row, what, self.arrows, start);
        self.events.arrow(End::Finish, to.row, what, self.arrows, to.start.max(start));
    }
}

impl Category {
    /// Returns whether the slice is the time of a thread, not of a device.
    pub(crate) fn is_of_thread(self) -> bool {
        matches!(self, Self::Submit | Self::Wait | Self::Compile | Self::CacheHit | Self::Build)
    }
}
