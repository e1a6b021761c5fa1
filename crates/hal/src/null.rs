//! A backend without hardware, for tests of whoever calls backends.
//!
//! It keeps every contract of the traits and adds what a test wants to control: whether the device
//! shares the host's memory, in which of the legal orders commands run ([`Order`]), what a kernel
//! does ([`Options::run`]), and a gate that holds all commands back ([`NullBackend::pause`]). Its
//! one thread starts with the first command and ends with the backend.
//!
//! A "program" is text: each line of the code names one kernel; a line `error: …` makes the build
//! fail with the rest of the line. Every kernel launch calls [`Options::run`] once, which can ask
//! the kernel for the text of the libraries that it was built with.

use std::alloc::Layout;
use std::any::Any;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use scythe_abi::launch::KernelLaunch;

use crate::info::DeviceType;
use crate::*;

/// Which of the commands that are ready runs next.
#[derive(Clone, Copy, Debug)]
pub enum Order {
    /// The one that was enqueued first.
    Fifo,
    /// Any, drawn from this seed: brings out dependencies that a caller forgot.
    Shuffled(u64),
}

/// What a kernel of the null backend does.
pub type RunKernel = dyn Fn(&NullKernel, &KernelWork) -> Result<()> + Send + Sync;

/// How a [`NullBackend`] behaves.
pub struct Options {
    pub kind: BackendKind,
    pub shares_host_memory: bool,
    pub order: Order,
    pub run: Box<RunKernel>,
    /// Changes what the device says of itself.
    pub adjust: fn(&mut DeviceInfo),
}

impl Default for Options {
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
    pub fn new(options: Options) -> Arc<Self> {
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

    /// Commands enqueued from now on, and those not started yet, wait for [`NullBackend::resume`].
    pub fn pause(&self) {
        lock(&self.engine.state).paused = true;
    }

    pub fn resume(&self) {
        lock(&self.engine.state).paused = false;
        self.engine.changed.notify_all();
    }

    /// Number of commands that have run.
    pub fn commands_run(&self) -> usize {
        lock(&self.engine.state).run
    }

    /// Number of allocations not freed.
    pub fn allocations(&self) -> usize {
        lock(&self.memory.blocks).len()
    }

    /// All `size` bytes at `ptr` are inside one of the device's allocations.
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

/// The allocations of a device, by address.
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
        globals::fill_pointers(self, &program, request.globals)?;
        Ok(Arc::new(program))
    }

    fn create_queue(&self, profiling: bool) -> Result<Arc<dyn Queue>> {
        Ok(Arc::new(NullQueue { engine: self.engine.clone(), profiling }))
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

/// What [`Options::run`] is told of the kernel.
pub struct NullKernel {
    pub symbol: String,
    pub launch: KernelLaunch,
    /// The code of the libraries that its program was built with.
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

impl Queue for NullQueue {
    unsafe fn enqueue(
        &self,
        work: Work,
        deps: &[Arc<dyn Event>],
        keep: Option<Box<dyn Any + Send + Sync>>,
    ) -> Result<Arc<dyn Event>> {
        if deps.iter().any(|dep| dep.as_any().downcast_ref::<NullEvent>().is_none()) {
            return Err(Error::new(
                Errc::Runtime,
                "a null queue was given an event of another backend",
            ));
        }
        let event = Arc::new(NullEvent::new(self.engine.now(), self.profiling));
        let command = Command { work, deps: deps.to_vec(), keep, event: event.clone() };
        self.engine.push(command);
        Ok(event)
    }
}

struct Command {
    work: Work,
    deps: Vec<Arc<dyn Event>>,
    keep: Option<Box<dyn Any + Send + Sync>>,
    event: Arc<NullEvent>,
}

impl Command {
    fn is_ready(&self) -> bool {
        self.deps.iter().all(|dep| dep.status() == Status::Complete)
    }
}

/// The thread that runs commands, and what it shares with those who enqueue.
struct Engine {
    options: Options,
    state: Mutex<EngineState>,
    changed: Condvar,
    start: Instant,
}

struct EngineState {
    waiting: Vec<Command>,
    paused: bool,
    closed: bool,
    started: bool,
    run: usize,
    random: u64,
}

impl Engine {
    fn new(options: Options) -> Self {
        let random = match options.order {
            Order::Fifo => 0,
            Order::Shuffled(seed) => seed | 1,
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

    fn push(self: &Arc<Self>, command: Command) {
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

    /// Runs commands until the backend is gone and nothing that is left can run.
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
                Order::Shuffled(_) => {
                    state.random ^= state.random << 13;
                    state.random ^= state.random >> 7;
                    state.random ^= state.random << 17;
                    (state.random % ready.len() as u64) as usize
                }
            };
            let command = state.waiting.remove(ready[pick]);
            state.run += 1;
            drop(state);
            self.execute(command);
        }
    }

    fn execute(&self, command: Command) {
        let Command { work, deps, keep, event } = command;
        event.begin(self.now());
        let failed = deps.iter().find_map(|dep| dep.wait().err());
        let result = match failed {
            Some(error) => {
                drop(work);
                Err(error)
            }
            // SAFETY: the dependencies have completed, and `Queue::enqueue`'s caller vouched for
            // the addresses.
            None => unsafe { self.perform(work) },
        };
        drop(keep);
        event.finish(result, self.now());
    }

    /// # Safety
    /// The contract of [`Queue::enqueue`] holds for `work`, and its dependencies have completed.
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
            Work::HostKernel(kernel) => {
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
            Work::HostTask(task) => task(),
            Work::Memcpy { dst, src, size } => {
                // SAFETY: both ranges are valid under this function's contract; `copy` allows
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

type Callback = Box<dyn FnOnce(Result<()>) + Send>;

struct NullEvent {
    profiling: bool,
    state: Mutex<EventState>,
    changed: Condvar,
}

struct EventState {
    running: bool,
    result: Option<Result<()>>,
    callbacks: Vec<Callback>,
    times: Times,
}

impl NullEvent {
    fn new(submit: u64, profiling: bool) -> Self {
        let times = Times { submit, ..Times::default() };
        let state = EventState { running: false, result: None, callbacks: Vec::new(), times };
        Self { profiling, state: Mutex::new(state), changed: Condvar::new() }
    }

    fn begin(&self, now: u64) {
        let mut state = lock(&self.state);
        state.running = true;
        state.times.start = now;
    }

    fn finish(&self, result: Result<()>, now: u64) {
        let mut state = lock(&self.state);
        state.times.end = now;
        state.result = Some(result.clone());
        let callbacks = std::mem::take(&mut state.callbacks);
        drop(state);
        self.changed.notify_all();
        for callback in callbacks {
            callback(result.clone());
        }
    }
}

impl Event for NullEvent {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn status(&self) -> Status {
        let state = lock(&self.state);
        match (&state.result, state.running) {
            (Some(_), _) => Status::Complete,
            (None, true) => Status::Running,
            (None, false) => Status::Submitted,
        }
    }

    fn wait(&self) -> Result<()> {
        let state = lock(&self.state);
        let state = self
            .changed
            .wait_while(state, |s| s.result.is_none())
            .unwrap_or_else(PoisonError::into_inner);
        state.result.clone().unwrap_or(Ok(()))
    }

    fn on_complete(&self, f: Callback) {
        let mut state = lock(&self.state);
        match state.result.clone() {
            Some(result) => {
                drop(state);
                f(result);
            }
            None => state.callbacks.push(f),
        }
    }

    fn times(&self) -> Option<Times> {
        let state = lock(&self.state);
        (self.profiling && state.result.is_some()).then_some(state.times)
    }
}

/// A test that failed while it held a lock must not hide its message behind a second panic.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(backend: &NullBackend) -> Arc<dyn Queue> {
        backend.devices()[0].create_queue(true).expect("a queue")
    }

    #[test]
    fn commands_run_after_their_dependencies_in_any_order() {
        for seed in 1..20 {
            let backend =
                NullBackend::new(Options { order: Order::Shuffled(seed), ..Options::default() });
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
                let event = unsafe { queue.enqueue(Work::HostTask(task), &previous, None) }
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
        let backend = NullBackend::new(Options::default());
        let queue = queue(&backend);
        let error = Error::new(Errc::Runtime, "broken");
        let fail = error.clone();
        // SAFETY: host tasks and markers hold no addresses.
        let last = unsafe {
            let first = queue
                .enqueue(Work::HostTask(Box::new(move || Err(fail))), &[], None)
                .expect("enqueue");
            queue.enqueue(Work::Marker, &[first], None).expect("enqueue")
        };
        assert_eq!(last.wait(), Err(error.clone()));
        let (tx, rx) = std::sync::mpsc::channel();
        last.on_complete(Box::new(move |result| tx.send(result).expect("the test listens")));
        assert_eq!(rx.recv().expect("called"), Err(error));
    }

    #[test]
    fn allocations_are_known_until_freed() {
        let backend = NullBackend::new(Options::default());
        let device = &backend.devices()[0];
        let ptr = device.alloc(UsmKind::Device, 100, 64).expect("memory");
        assert!(backend.owns(ptr, 100) && !backend.owns(ptr, 101));
        // SAFETY: allocated above, not used by any command.
        unsafe { device.free(UsmKind::Device, ptr) };
        assert_eq!(backend.allocations(), 0);
        assert!(device.alloc(UsmKind::Device, usize::MAX, 64).is_err());
    }
}
