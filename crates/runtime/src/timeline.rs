//! Records commands for the timeline and the profile of a process (`docs/profiling.md`).
//!
//! [`dispatch`](crate::dispatch::dispatch) reports each command with its event. The writer of
//! [`scythe_trace`] later asks for those that have completed ([`Source::completed`]), so recording
//! adds no callback to a command. While the process records, all queues of backends keep times.
//!
//! Each device has a clock of its own. The time of a submission is known on both clocks: the
//! device's is between two readings of the host's. [`Clock`] finds the difference of both clocks
//! from these intervals.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Arc, Mutex};

use scythe_abi::environment::{PERF, PROFILE, TRACE};
use scythe_hal::{self as hal, BackendKind, HostWork, KernelWork, Work};
use scythe_own_files::is_privileged;
use scythe_trace::{Category, Command, Name, Settings, Slice, Source, Value, now};

use crate::copy::sycl;
use crate::demangle::symbol_name;
use crate::dispatch::Job;
use crate::event::{Node, Origin};
use crate::{lock, settings};

pub use scythe_trace::is_on;

/// The number of completed commands whose events are still known, for the arrows to later ones.
const RECENT: usize = 1024;
/// The number of running commands whose state is asked for at a time.
const ASKED: usize = 64;
/// The number of commands after which the writer should run.
const MANY: usize = 8192;
/// The maximum number of dependencies of a marker that its followers show as theirs.
const PASSED_ON: usize = 16;

/// Starts to record what the environment asks for.
pub fn start() {
    scythe_trace::set_demangle(symbol_name);
    let (trace, profile, perf) = (settings::trace(), settings::profile(), settings::perf());
    if trace.file.is_none() && !profile && perf.is_none() {
        return;
    }
    if is_privileged() {
        let names = [TRACE.name, PROFILE.name, PERF.name].join(", ");
        let line = "a program with more rights than its caller ignores these variables";
        return settings::trace_line(&names, line);
    }
    if let Some(format) = perf {
        scythe_trace::perf::start(format);
    }
    if trace.file.is_none() && !profile {
        return;
    }
    // The writer's thread and the handlers for the end of the process outlive any `dlclose`.
    hal::library::pin_own();
    let program = std::env::current_exe().ok();
    let program = program.as_deref().and_then(|path| path.file_name());
    scythe_trace::start(Settings {
        file: trace.file.as_deref().map(|path| expanded(path).into()),
        summary: profile,
        program: program.map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
        source: &Commands,
    });
}

/// Replaces `%p` by the number of the process.
fn expanded(path: &str) -> String {
    path.replace("%p", &std::process::id().to_string())
}

/// Records the name and the kind of a device before its first command.
pub fn name_device(id: u32, kind: BackendKind, index: u32, name: &str) {
    if !is_on() {
        return;
    }
    let kind_name = match kind {
        BackendKind::Host => "host",
        BackendKind::Cpu => "cpu",
        BackendKind::OpenCl => "opencl",
        BackendKind::Cuda => "cuda",
    };
    let same = matches!(kind, BackendKind::Host | BackendKind::Cpu);
    let clock = if same { Clock::host() } else { Clock::default() };
    let device = Device { name: format!("{name} ({kind_name}:{index})"), clock };
    lock(&STATE).devices.entry(id).or_insert(device);
}

/// A command that is being submitted.
pub struct Submission {
    start: u64,
    category: Category,
    name: Name,
    device: u32,
    bytes: u64,
    shape: Option<Shape>,
    after: Vec<u64>,
}

/// The ranges of a kernel.
struct Shape {
    dims: u32,
    global_size: [u64; 3],
    local_size: [u64; 3],
    global_offset: [u64; 3],
}

impl Submission {
    /// Describes a command that is about to be passed to a backend. Returns `None` if nothing is
    /// recorded.
    #[inline]
    pub fn of(job: &Job<'_>, deps: &[Node]) -> Option<Self> {
        if is_on() { Some(Self::describe(job, deps)) } else { None }
    }

    fn describe(job: &Job<'_>, deps: &[Node]) -> Self {
        let start = now();
        let mut shape = None;
        let (category, name, device, bytes) = match job {
            Job::Kernel { backend_queue, work, kernel } => {
                shape = Some(Shape::of(work));
                (Category::Kernel, kernel.name_in_timeline(), backend_queue.device, 0)
            }
            Job::Plain(backend_queue, work) => {
                let (category, name, bytes) = match work {
                    Work::Marker => (Category::Marker, "marker", 0),
                    Work::Kernel(work) => {
                        shape = Some(Shape::of(work));
                        (Category::Kernel, "kernel", 0)
                    }
                    Work::Memcpy { size, .. } => (Category::Copy, "copy", *size as u64),
                    Work::CopyRect { region, .. } => {
                        let bytes = region.width * region.rows * region.planes;
                        (Category::Copy, "copy of a box", bytes as u64)
                    }
                    Work::Hint { hint: hal::Hint::Prefetch, .. } => (Category::Copy, "prefetch", 0),
                    Work::Hint { .. } => (Category::Marker, "mem_advise", 0),
                    Work::Fill { pattern, count, .. } => (
                        Category::Fill,
                        "fill",
                        (pattern.len() as u64).saturating_mul(*count as u64),
                    ),
                };
                (category, Name::of(name), backend_queue.device, bytes)
            }
            Job::Graph(backend_queue, _) => {
                (Category::Graph, Name::of("graph"), backend_queue.device, 0)
            }
            Job::Host(backend_queue, HostWork::Task(_)) => {
                (Category::HostTask, Name::of("host task"), backend_queue.device, 0)
            }
            Job::Host(backend_queue, HostWork::Kernel(_)) => {
                let name = Name::of("kernel in host mode");
                (Category::Kernel, name, backend_queue.device, 0)
            }
        };
        let mut after = Vec::new();
        let state = lock(&STATE);
        for dep in deps {
            state.ids_of(dep, &mut after);
        }
        Self { start, category, name, device, bytes, shape, after }
    }

    /// Records that the command was submitted and has this event.
    pub fn sent(mut self, node: &Node) {
        let end = now();
        let mut state = lock(&STATE);
        if self.category == Category::Marker {
            // The followers of a marker show arrows from the commands before it.
            self.after.truncate(PASSED_ON);
            let after = std::mem::take(&mut self.after);
            return state.remember(node, after);
        }
        state.last_id += 1;
        let id = state.last_id;
        state.known.insert(address(node), Ids::One(id));
        let (start, name) = (self.start, self.name);
        let submitted = (scythe_trace::thread_id(), start);
        state.pending.push_back(Pending {
            id,
            node: node.clone(),
            submission: self,
            end,
            submitted,
        });
        let many = state.pending.len().is_multiple_of(MANY);
        drop(state);
        let args = Vec::new();
        scythe_trace::record(Slice { category: Category::Submit, name, start, end, args });
        if many {
            scythe_trace::wake();
        }
    }
}

impl Shape {
    fn of(work: &KernelWork) -> Self {
        let KernelWork { dims, global_size, local_size, global_offset, .. } = *work;
        Self { dims, global_size, local_size, global_offset }
    }

    fn args(&self) -> Vec<(&'static str, Value)> {
        let show = |numbers: [u64; 3]| {
            let used = &sycl(numbers)[3 - (self.dims as usize).clamp(1, 3)..];
            let used: Vec<String> = used.iter().map(u64::to_string).collect();
            Value::from(format!("{{{}}}", used.join(", ")))
        };
        let mut args = vec![("range", show(self.global_size))];
        if self.local_size != [1; 3] {
            args.push(("work-group", show(self.local_size)));
        }
        if self.global_offset != [0; 3] {
            args.push(("offset", show(self.global_offset)));
        }
        args
    }
}

/// A command whose times are not known yet.
struct Pending {
    id: u64,
    node: Node,
    submission: Submission,
    /// The time after the submission.
    end: u64,
    submitted: (u32, u64),
}

struct Device {
    name: String,
    clock: Clock,
}

/// The commands that an event stands for.
enum Ids {
    One(u64),
    Several(Vec<u64>),
}

impl Ids {
    fn as_slice(&self) -> &[u64] {
        match self {
            Self::One(id) => std::slice::from_ref(id),
            Self::Several(ids) => ids,
        }
    }
}

#[derive(Default)]
struct State {
    last_id: u64,
    pending: VecDeque<Pending>,
    /// The commands by the addresses of their events. `pending` and `recent` hold the events, so
    /// no two of them have the same address.
    known: HashMap<usize, Ids, BuildHasherDefault<AddressHasher>>,
    recent: VecDeque<Node>,
    devices: BTreeMap<u32, Device>,
}

static STATE: Mutex<State> = Mutex::new(State {
    last_id: 0,
    pending: VecDeque::new(),
    known: HashMap::with_hasher(BuildHasherDefault::new()),
    recent: VecDeque::new(),
    devices: BTreeMap::new(),
});

/// Addresses differ in their middle bits.
#[derive(Default)]
struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = (self.0 << 8) ^ u64::from(byte));
    }

    fn write_usize(&mut self, address: usize) {
        self.0 = (address as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(32);
    }
}

fn address(node: &Node) -> usize {
    Arc::as_ptr(&node.event).cast::<()>() as usize
}

impl State {
    /// Adds the commands that an event stands for.
    fn ids_of(&self, node: &Node, ids: &mut Vec<u64>) {
        let found = self.known.get(&address(node));
        let found = match found {
            None if node.origin == Origin::OWN => self.known.get(&address(&node.clone().resolve())),
            found => found,
        };
        for id in found.into_iter().flat_map(Ids::as_slice) {
            if !ids.contains(id) {
                ids.push(*id);
            }
        }
    }

    /// Keeps an event, and forgets the oldest one if there are many.
    fn remember(&mut self, node: &Node, ids: Vec<u64>) {
        if !ids.is_empty() {
            self.known.insert(address(node), Ids::Several(ids));
        }
        if self.known.contains_key(&address(node)) {
            self.recent.push_back(node.clone());
        }
        if self.recent.len() > RECENT
            && let Some(oldest) = self.recent.pop_front()
        {
            self.known.remove(&address(&oldest));
        }
    }
}

struct Commands;

impl Source for Commands {
    fn completed(&self, last: bool, take: &mut dyn FnMut(Command)) {
        let mut open = std::mem::take(&mut lock(&STATE).pending);
        let mut running = 0;
        let mut done = Vec::new();
        open.retain_mut(|pending| {
            if running >= ASKED && !last || !pending.node.is_complete() {
                running += 1;
                return true;
            }
            let times = pending.node.event.times();
            let failed = pending.node.event.wait().is_err();
            let submission = &mut pending.submission;
            let mut args = submission.shape.as_ref().map_or_else(Vec::new, Shape::args);
            if failed {
                args.push(("result", Value::from("failed")));
            }
            let (start, end) = (submission.start, pending.end);
            done.push((
                pending.node.clone(),
                times,
                (start, end),
                Command {
                    id: pending.id,
                    category: submission.category,
                    name: submission.name,
                    device: submission.device,
                    times: None,
                    submitted: pending.submitted,
                    after: std::mem::take(&mut submission.after),
                    bytes: submission.bytes,
                    args,
                },
            ));
            false
        });
        let mut guard = lock(&STATE);
        let state = &mut *guard;
        // Commands that were submitted meanwhile follow.
        open.append(&mut state.pending);
        state.pending = open;
        for (node, times, interval, command) in &done {
            state.remember(node, Vec::new());
            // A command that was held back was submitted at an unknown time.
            if let (Some(times), true) = (times, node.origin != Origin::OWN)
                && let Some(device) = state.devices.get_mut(&command.device)
            {
                device.clock.observe(times.submit, *interval);
            }
        }
        let times_of = |command: &Command, times: hal::Times| {
            let clock = state.devices.get(&command.device).map(|device| &device.clock);
            let host = |time| clock.map_or(time, |clock| clock.on_host(time));
            (host(times.start), host(times.end))
        };
        let commands: Vec<Command> = done
            .into_iter()
            .map(|(_, times, _, command)| {
                let times = times.map(|times| times_of(&command, times));
                Command { times, ..command }
            })
            .collect();
        drop(guard);
        commands.into_iter().for_each(take);
    }

    fn device(&self, id: u32) -> String {
        let state = lock(&STATE);
        state.devices.get(&id).map_or_else(|| format!("device {id}"), |device| device.name.clone())
    }
}

/// The difference between the host's clock and a device's: between two bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Clock {
    /// Whether the device uses the host's clock.
    same: bool,
    bounds: Option<(i64, i64)>,
}

impl Clock {
    fn host() -> Self {
        Self { same: true, bounds: None }
    }

    /// Learns that the device read `device` between these times of the host.
    fn observe(&mut self, device: u64, (before, after): (u64, u64)) {
        let new = (before.wrapping_sub(device) as i64, after.wrapping_sub(device) as i64);
        self.bounds = Some(match self.bounds {
            Some(old) if old.0.max(new.0) <= old.1.min(new.1) => {
                (old.0.max(new.0), old.1.min(new.1))
            }
            // The clocks have drifted apart.
            _ => new,
        });
    }

    fn on_host(&self, device: u64) -> u64 {
        match self.bounds {
            Some((low, high)) if !self.same => device.wrapping_add_signed(low + (high - low) / 2),
            _ => device,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_of_a_device_is_found_from_submissions() {
        let mut clock = Clock::default();
        // The device is 1000 behind.
        clock.observe(5, (995, 1025));
        assert_eq!(clock.on_host(0), 1005);
        clock.observe(100, (1099, 1101));
        assert_eq!(clock.on_host(50), 1050);
        // An interval that contains the old one changes nothing.
        clock.observe(200, (1150, 1250));
        assert_eq!(clock.on_host(50), 1050);
        // It has drifted.
        clock.observe(1000, (2100, 2102));
        assert_eq!(clock.on_host(1000), 2101);
        let mut ahead = Clock::default();
        ahead.observe(5000, (100, 100));
        assert_eq!(ahead.on_host(5001), 101);
        let mut same = Clock::host();
        same.observe(5, (995, 1025));
        assert_eq!(same.on_host(7), 7);
    }

    #[test]
    fn the_number_of_the_process_is_part_of_a_name() {
        assert_eq!(expanded("a-%p.json"), format!("a-{}.json", std::process::id()));
    }
}
