//! A backend without hardware, for tests of the callers of backends.
//!
//! It satisfies every contract of the traits. In addition, tests can control whether the device
//! shares the memory of the host, in which of the legal orders commands run ([`Order`]), what a
//! kernel does ([`NullOptions::run`]), and a gate that holds all commands back
//! ([`NullBackend::pause`]). Its only thread starts with the first command and ends with the
//! backend.
//!
//! A "program" is text: each line of the code names one kernel. A line `error: …` makes the build
//! fail with the rest of the line as the message. Every kernel launch calls [`NullOptions::run`]
//! once. The callback can read the text of the libraries that the kernel was built with.

use std::alloc::Layout;
use std::any::Any;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use scythe_abi::launch::{KernelLaunch, Shape};

use crate::info::DeviceType;
use crate::*;

/// Pseudo-random numbers for tests. The same seed gives the same numbers, so that a failure happens
/// again.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    /// The next number, which is less than `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

/// The order in which ready commands run.
#[derive(Clone, Copy, Debug)]
pub enum Order {
    /// The order in which the commands were enqueued.
    Fifo,
    /// A random order with this seed, which exposes missing dependencies of the caller.
    Shuffled(u64),
}

/// The function that a kernel launch of the null backend calls.
pub type RunKernel = dyn Fn(&NullKernel, &KernelWork) -> Result<()> + Send + Sync;

/// The configuration of a [`NullBackend`].
pub struct NullOptions {
    pub kind: BackendKind,
    pub shares_host_memory: bool,
    pub order: Order,
    pub run: Box<RunKernel>,
    /// Modifies the description of the device.
    pub adjust: fn(&mut DeviceInfo),
}

impl Default for NullOptions {
    fn default() -> Self {
        Self {
            kind: BackendKind::Host,
            shares_host_memory: true,
            order: Order::Fifo,
            run: Box::new(|_, _| Ok(())),
            adjust: |_| {},
        }
    }
}

/// A platform with one device.
pub struct NullBackend {
    platform: PlatformInfo,
    devices: Vec<Arc<dyn Device>>,
    engine: Arc<Engine>,
    memory: Arc<Memory>,
}

impl NullBackend {
    pub fn new(options: NullOptions) -> Arc<Self> {
        let platform = PlatformInfo {
            name: "null".into(),
            vendor: "Scythe".into(),
            version: "1".into(),
            profile: "FULL".into(),
        };
        let mut info = DeviceInfo {
            name: "null".into(),
            vendor: "Scythe".into(),
            version: "1".into(),
            device_type: DeviceType::Custom,
            max_compute_units: 1,
            max_work_item_sizes: [1024; 3],
            max_work_group_size: 1024,
            sub_group_sizes: vec![1],
            address_bits: 64,
            max_mem_alloc_size: 1 << 30,
            global_mem_size: 1 << 30,
            local_mem_size: 1 << 16,
            max_parameter_size: 4096,
            mem_base_addr_align: 512,
            ..DeviceInfo::default()
        };
        (options.adjust)(&mut info);
        let memory = Arc::new(Memory::default());
        let engine = Arc::new(Engine::new(options));
        let device = NullDevice { info, engine: engine.clone(), memory: memory.clone() };
        Arc::new(Self { platform, devices: vec![Arc::new(device)], engine, memory })
    }

    /// Holds back all commands that have not started yet, including those enqueued later, until
    /// [`NullBackend::resume`].
    pub fn pause(&self) {
        lock(&self.engine.state).paused = true;
    }

    pub fn resume(&self) {
        lock(&self.engine.state).paused = false;
        self.engine.changed.notify_all();
    }

    /// Returns the number of commands that have run.
    pub fn commands_run(&self) -> usize {
        lock(&self.engine.state).run
    }

    /// Returns the number of live allocations.
    pub fn allocations(&self) -> usize {
        lock(&self.memory.blocks).len()
    }

    /// Returns whether all `size` bytes at `ptr` are inside one of the device's allocations.
    pub fn owns(&self, ptr: *const c_void, size: usize) -> bool {
        self.memory.owns(ptr, size)
    }
}

impl Drop for NullBackend {
    fn drop(&mut self) {
        lock(&self.engine.state).closed = true;
        self.engine.changed.notify_all();
    }
}

impl Backend for NullBackend {
    fn kind(&self) -> BackendKind {
        self.engine.options.kind
    }
    fn platform(&self) -> &PlatformInfo {
        &self.platform
    }
    fn devices(&self) -> &[Arc<dyn Device>] {
        &self.devices
    }
}

/// The allocations of a device, indexed by address.
#[derive(Default)]
struct Memory {
    blocks: Mutex<BTreeMap<usize, Layout>>,
}

impl Memory {
    fn owns(&self, ptr: *const c_void, size: usize) -> bool {
        let blocks = lock(&self.blocks);
        let at = ptr as usize;
        blocks
            .range(..=at)
            .next_back()
            .is_some_and(|(base, layout)| at - base + size <= layout.size())
    }
}

struct NullDevice {
    info: DeviceInfo,
    engine: Arc<Engine>,
    memory: Arc<Memory>,
}

impl Device for NullDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn alloc(&self, _kind: UsmKind, size: usize, align: usize) -> Result<*mut c_void> {
        let exhausted = || {
            Error::new(
                Errc::MemoryAllocation,
                format!("the null device cannot allocate {size} bytes"),
            )
        };
        if size == 0 || size as u64 > self.info.max_mem_alloc_size {
            return Err(exhausted());
        }
        let layout = Layout::from_size_align(size, align).map_err(|_| exhausted())?;
        // SAFETY: the layout's size is not zero.
        let ptr = unsafe { std::alloc::alloc(layout) };
        if ptr.is_null() {
            return Err(exhausted());
        }
        lock(&self.memory.blocks).insert(ptr as usize, layout);
        Ok(ptr.cast())
    }

    unsafe fn free(&self, _kind: UsmKind, ptr: *mut c_void) {
        if let Some(layout) = lock(&self.memory.blocks).remove(&(ptr as usize)) {
            // SAFETY: `alloc` recorded this layout for this address, and the entry is now gone.
            unsafe { std::alloc::dealloc(ptr.cast(), layout) };
        }
    }

    fn shares_host_memory(&self) -> bool {
        self.engine.options.shares_host_memory
    }

    fn build(&self, request: &BuildRequest<'_>) -> Result<Arc<dyn Program>> {
        let text = |code: &[u8]| {
            let text = std::str::from_utf8(code).map(str::to_owned);
            text.map_err(|_| {
                Error::new(Errc::Build, "a program of the null device is text, one kernel per line")
            })
        };
        let kernels = text(request.code)?;
        let libraries =
            request.libraries.iter().map(|code| text(code)).collect::<Result<Vec<_>>>()?;
        let mut lines = std::iter::once(&kernels).chain(&libraries).flat_map(|text| text.lines());
        if let Some(message) = lines.find_map(|line| line.strip_prefix("error: ")) {
            return Err(Error::new(Errc::Build, message));
        }
        let program =
            NullProgram { kernels: kernels.lines().map(str::to_owned).collect(), libraries };
        globals::fill_pointers(|| self.create_queue(false), &program, request.globals)?;
        Ok(Arc::new(program))
    }

    unsafe fn create_graph(&self, nodes: &[GraphNode]) -> Result<Option<Arc<dyn Graph>>> {
        let nodes = nodes.iter().map(|node| (node.work.clone(), node.deps.clone()));
        Ok(Some(Arc::new(NullGraph { nodes: Mutex::new(nodes.collect()) })))
    }

    fn create_queue(&self, profiling: bool) -> Result<Arc<dyn Queue>> {
        Ok(Arc::new(NullQueue { engine: self.engine.clone(), profiling }))
    }

    fn create_host_queue(&self, profiling: bool) -> Result<Option<Arc<dyn HostQueue>>> {
        Ok(Some(Arc::new(NullQueue { engine: self.engine.clone(), profiling })))
    }
}

struct NullProgram {
    kernels: Vec<String>,
    libraries: Vec<String>,
}

impl Program for NullProgram {
    fn kernel(&self, symbol: &str, launch: &KernelLaunch) -> Result<Arc<dyn Kernel>> {
        if !self.kernels.iter().any(|k| k == symbol) {
            return Err(Error::new(Errc::Kernel, format!("the program has no kernel '{symbol}'")));
        }
        let libraries = self.libraries.clone();
        Ok(Arc::new(NullKernel { symbol: symbol.to_owned(), launch: launch.clone(), libraries }))
    }
}

/// The kernel that [`NullOptions::run`] receives.
pub struct NullKernel {
    pub symbol: String,
    pub launch: KernelLaunch,
    /// The code of the libraries that the kernel's program was built with.
    pub libraries: Vec<String>,
}

impl Kernel for NullKernel {
    fn as_any(&self) -> &dyn Any {
        self
    }
}

struct NullQueue {
    engine: Arc<Engine>,
    profiling: bool,
}

impl NullQueue {
    fn push(&self, work: NullWork, deps: &[Arc<dyn Event>], keep: Keep) -> Result<Arc<dyn Event>> {
        if deps.iter().any(|dep| dep.as_any().downcast_ref::<NullEvent>().is_none()) {
            return Err(Error::new(
                Errc::Runtime,
                "a null queue was given an event of another backend",
            ));
        }
        let event = Arc::new(NullEvent::new(self.engine.now(), self.profiling));
        let command = PendingCommand { work, deps: deps.to_vec(), keep, event: event.clone() };
        self.engine.push(command);
        Ok(event)
    }
}

impl Queue for NullQueue {
    unsafe fn enqueue(&self, command: Command<'_>) -> Result<Arc<dyn Event>> {
        self.push(NullWork::Device(command.work), command.deps, command.keep)
    }

    unsafe fn launch_graph(
        &self,
        graph: &Arc<dyn Graph>,
        deps: &[Arc<dyn Event>],
        keep: Keep,
    ) -> Result<Arc<dyn Event>> {
        let Some(graph) = graph.as_any().downcast_ref::<NullGraph>() else {
            return Err(Error::new(Errc::Runtime, "a null queue was given a foreign graph"));
        };
        let mut sent: Vec<Arc<dyn Event>> = Vec::new();
        for (work, before) in lock(&graph.nodes).iter() {
            let before: Vec<_> = match before.is_empty() {
                true => deps.to_vec(),
                false => before.iter().map(|&before| sent[before].clone()).collect(),
            };
            sent.push(self.push(NullWork::Device(work.clone()), &before, None)?);
        }
        let last = if sent.is_empty() { deps } else { &sent };
        self.push(NullWork::Device(Work::Marker), last, keep)
    }
}

/// A graph: the works with the nodes that they follow.
struct NullGraph {
    nodes: Mutex<Vec<(Work, Vec<usize>)>>,
}

impl Graph for NullGraph {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn update(&self, changes: &[(usize, &Work)]) -> Result<bool> {
        let mut nodes = lock(&self.nodes);
        for &(node, work) in changes {
            nodes[node].0 = work.clone();
        }
        Ok(true)
    }
}

impl HostQueue for NullQueue {
    unsafe fn enqueue_host(&self, command: Command<'_, HostWork>) -> Result<Arc<dyn Event>> {
        self.push(NullWork::Host(command.work), command.deps, command.keep)
    }
}

/// The work of either kind of command.
enum NullWork {
    Device(Work),
    Host(HostWork),
}

/// A command that has not run.
struct PendingCommand {
    work: NullWork,
    deps: Vec<Arc<dyn Event>>,
    keep: Keep,
    event: Arc<NullEvent>,
}

impl PendingCommand {
    fn is_ready(&self) -> bool {
        self.deps.iter().all(|dep| dep.status() == Status::Complete)
    }
}

/// The thread that runs commands, and the state that it shares with the threads that enqueue them.
struct Engine {
    options: NullOptions,
    state: Mutex<EngineState>,
    changed: Condvar,
    start: Instant,
}

struct EngineState {
    waiting: Vec<PendingCommand>,
    paused: bool,
    closed: bool,
    started: bool,
    run: usize,
    random: Random,
}

impl Engine {
    fn new(options: NullOptions) -> Self {
        let random = match options.order {
            Order::Fifo => Random::new(0),
            Order::Shuffled(seed) => Random::new(seed),
        };
        let state = EngineState {
            waiting: Vec::new(),
            paused: false,
            closed: false,
            started: false,
            run: 0,
            random,
        };
        Self { options, state: Mutex::new(state), changed: Condvar::new(), start: Instant::now() }
    }

    fn now(&self) -> u64 {
        self.start.elapsed().as_nanos() as u64
    }

    fn push(self: &Arc<Self>, command: PendingCommand) {
        let mut state = lock(&self.state);
        state.waiting.push(command);
        if !state.started {
            state.started = true;
            let engine = self.clone();
            std::thread::spawn(move || engine.serve());
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Runs commands until the backend is dropped and none of the remaining commands can run.
    fn serve(&self) {
        loop {
            let state = lock(&self.state);
            let idle = |s: &mut EngineState| {
                !s.closed && (s.paused || s.waiting.iter().all(|c| !c.is_ready()))
            };
            let mut state =
                self.changed.wait_while(state, idle).unwrap_or_else(PoisonError::into_inner);
            let ready: Vec<usize> =
                (0..state.waiting.len()).filter(|&i| state.waiting[i].is_ready()).collect();
            if ready.is_empty() {
                return;
            }
            let pick = match self.options.order {
                Order::Fifo => 0,
                Order::Shuffled(_) => state.random.below(ready.len()),
            };
            let command = state.waiting.remove(ready[pick]);
            state.run += 1;
            drop(state);
            self.execute(command);
        }
    }

    fn execute(&self, command: PendingCommand) {
        let PendingCommand { work, deps, keep, event } = command;
        event.begin(self.now());
        let failed = deps.iter().find_map(|dep| dep.wait().err());
        let result = match failed {
            Some(error) => {
                drop(work);
                Err(error)
            }
            // SAFETY: the dependencies have completed, and the caller of `enqueue` or
            // `enqueue_host` vouched for the addresses.
            None => unsafe {
                match work {
                    NullWork::Device(work) => self.perform(work),
                    NullWork::Host(work) => perform_host(work),
                }
            },
        };
        drop(keep);
        event.finish(result, self.now());
    }

    /// Performs the work of a command.
    ///
    /// # Safety
    /// The contract of [`Queue::enqueue`] must hold for `work`, and its dependencies must have
    /// completed.
    unsafe fn perform(&self, work: Work) -> Result<()> {
        match work {
            Work::Marker | Work::Hint { .. } => Ok(()),
            Work::Kernel(kernel) => match kernel.kernel.as_any().downcast_ref::<NullKernel>() {
                Some(null) => (self.options.run)(null, &kernel),
                None => Err(Error::new(
                    Errc::Runtime,
                    "a null queue was given a kernel of another backend",
                )),
            },
            Work::Memcpy { dst, src, size } => {
                // SAFETY: both ranges are valid under this function's contract, and `copy` allows
                // overlap.
                unsafe { std::ptr::copy(src.cast::<u8>(), dst.cast::<u8>(), size) };
                Ok(())
            }
            Work::CopyRect { dst, src, region } => {
                for plane in 0..region.planes {
                    for row in 0..region.rows {
                        let from = plane * region.src_plane_pitch + row * region.src_row_pitch;
                        let to = plane * region.dst_plane_pitch + row * region.dst_row_pitch;
                        // SAFETY: the box lies inside memory that is valid under this function's
                        // contract.
                        unsafe {
                            std::ptr::copy(
                                src.cast::<u8>().add(from),
                                dst.cast::<u8>().add(to),
                                region.width,
                            )
                        };
                    }
                }
                Ok(())
            }
            Work::Fill { dst, pattern, count } => {
                for i in 0..count {
                    // SAFETY: `count` patterns fit at `dst` under this function's contract.
                    unsafe {
                        let to = dst.cast::<u8>().add(i * pattern.len());
                        std::ptr::copy_nonoverlapping(pattern.as_ptr(), to, pattern.len());
                    }
                }
                Ok(())
            }
        }
    }
}

/// # Safety
/// The contract of [`HostQueue::enqueue_host`] holds for `work`, and its dependencies have
/// completed.
unsafe fn perform_host(work: HostWork) -> Result<()> {
    match work {
        HostWork::Task(task) => task(),
        HostWork::Kernel(kernel) => {
            let groups: [u64; 3] = std::array::from_fn(|d| match kernel.shape {
                Shape::NdRange => kernel.global_size[d] / kernel.local_size[d].max(1),
                Shape::SingleTask | Shape::Range => kernel.global_size[d],
            });
            let host_box = scythe_abi::capi::HostBox {
                global_size: kernel.global_size,
                global_offset: kernel.global_offset,
                local_size: kernel.local_size,
                begin: [0; 3],
                end: groups,
            };
            // SAFETY: the functor's bytes are of the type that `call` was made for.
            unsafe { (kernel.call)(kernel.functor.as_ptr().cast(), &host_box) };
            Ok(())
        }
    }
}

struct NullEvent {
    profiling: bool,
    progress: Mutex<Progress>,
    completion: Completion,
}

struct Progress {
    running: bool,
    times: Times,
}

impl NullEvent {
    fn new(submit: u64, profiling: bool) -> Self {
        let progress = Progress { running: false, times: Times { submit, ..Times::default() } };
        Self { profiling, progress: Mutex::new(progress), completion: Completion::default() }
    }

    fn begin(&self, now: u64) {
        let mut progress = lock(&self.progress);
        progress.running = true;
        progress.times.start = now;
    }

    fn finish(&self, result: Result<()>, now: u64) {
        lock(&self.progress).times.end = now;
        for callback in self.completion.complete(&result) {
            callback(result.clone());
        }
    }
}

impl Event for NullEvent {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn status(&self) -> Status {
        match (self.completion.is_complete(), lock(&self.progress).running) {
            (true, _) => Status::Complete,
            (false, true) => Status::Running,
            (false, false) => Status::Submitted,
        }
    }

    fn wait(&self) -> Result<()> {
        self.completion.wait()
    }

    fn on_complete(&self, f: Callback) {
        if let Some((f, result)) = self.completion.on_complete(f) {
            f(result);
        }
    }

    fn times(&self) -> Option<Times> {
        (self.profiling && self.completion.is_complete()).then(|| lock(&self.progress).times)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(backend: &NullBackend) -> Arc<dyn HostQueue> {
        backend.devices()[0].create_host_queue(true).expect("a queue").expect("it runs host code")
    }

    #[test]
    fn commands_run_after_their_dependencies_in_any_order() {
        for seed in 1..20 {
            let backend = NullBackend::new(NullOptions {
                order: Order::Shuffled(seed),
                ..NullOptions::default()
            });
            let queue = queue(&backend);
            let log = Arc::new(Mutex::new(Vec::new()));
            backend.pause();
            let mut previous: Vec<Arc<dyn Event>> = Vec::new();
            for i in 0..10 {
                let log = log.clone();
                let task = Box::new(move || {
                    lock(&log).push(i);
                    Ok(())
                });
                // SAFETY: a host task holds no addresses.
                let event =
                    unsafe { queue.enqueue_host(Command::new(HostWork::Task(task), &previous)) }
                        .expect("enqueue");
                previous = vec![event];
            }
            assert_eq!(previous[0].status(), Status::Submitted);
            backend.resume();
            previous[0].wait().expect("success");
            assert_eq!(*lock(&log), (0..10).collect::<Vec<_>>());
            let times = previous[0].times().expect("the queue profiles");
            assert!(times.submit <= times.start && times.start <= times.end);
        }
    }

    #[test]
    fn a_failure_reaches_dependents_and_callbacks() {
        let backend = NullBackend::new(NullOptions::default());
        let queue = queue(&backend);
        let error = Error::new(Errc::Runtime, "broken");
        let fail = error.clone();
        // SAFETY: host tasks and markers contain no addresses.
        let last = unsafe {
            let first = queue
                .enqueue_host(Command::new(HostWork::Task(Box::new(move || Err(fail))), &[]))
                .expect("enqueue");
            queue.enqueue(Command::new(Work::Marker, &[first])).expect("enqueue")
        };
        assert_eq!(last.wait(), Err(error.clone()));
        let (tx, rx) = std::sync::mpsc::channel();
        last.on_complete(Box::new(move |result| tx.send(result).expect("the test listens")));
        assert_eq!(rx.recv().expect("called"), Err(error));
    }

    #[test]
    fn allocations_are_known_until_freed() {
        let backend = NullBackend::new(NullOptions::default());
        let device = &backend.devices()[0];
        let ptr = device.alloc(UsmKind::Device, 100, 64).expect("memory");
        assert!(backend.owns(ptr, 100) && !backend.owns(ptr, 101));
        // SAFETY: the memory was allocated above, and no command uses it.
        unsafe { device.free(UsmKind::Device, ptr) };
        assert_eq!(backend.allocations(), 0);
        assert!(device.alloc(UsmKind::Device, usize::MAX, 64).is_err());
    }
}
