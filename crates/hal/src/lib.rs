//! The interface between the runtime and its backends.
//!
//! The runtime validates arguments at its C interface; a backend trusts its caller under the
//! contracts documented here. A backend orders its own commands: [`Queue::enqueue`] takes the
//! events to wait for and returns immediately. A backend never receives events of other backends:
//! the runtime waits for them with [`Event::on_complete`] and passes a marker that it completes
//! itself.
//!
//! Backends do not print. No method panics. No method waits for a device, except [`Event::wait`].

use std::any::Any;
use std::ffi::c_void;
use std::fmt;
use std::sync::Arc;

use scythe_abi::aspect::Aspect;
use scythe_abi::image_target::ImageTarget;
use scythe_abi::launch::KernelLaunch;

pub mod assertion;
mod build;
pub mod by_need;
pub mod compiler;
mod completion;
mod cooperation;
pub mod demangle;
pub mod fork;
pub mod globals;
mod graph;
mod host;
pub mod info;
pub mod library;
pub mod native;
pub mod null;
pub mod partition;
mod place;
pub mod preference;
mod virtual_memory;

pub use build::{BuildOptions, BuildRequest};
pub use compiler::{CompileRequest, Compiler, Output};
pub use completion::Completion;
pub use cooperation::{Cooperation, Occupancy, Resources};
pub use globals::Global;
pub use graph::{Graph, GraphNode};
pub use host::{HostKernelWork, HostQueue, HostTask, HostWork};
pub use info::{DeviceInfo, PlatformInfo};
pub use native::{
    DriverProgram, DriverSource, InContext, Interop, Native, NativeKind, NativeQueue, OpenClC,
};
pub use partition::{Partition, Partitions};
pub use place::Place;
pub use virtual_memory::{Access, PhysicalMemory, VirtualMemory};

/// `sycl::errc`, with the numbers of the C interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Errc {
    Runtime = 1,
    Kernel = 2,
    Accessor = 3,
    NdRange = 4,
    Event = 5,
    KernelArgument = 6,
    Build = 7,
    Invalid = 8,
    MemoryAllocation = 9,
    Platform = 10,
    Profiling = 11,
    FeatureNotSupported = 12,
    KernelNotSupported = 13,
    BackendMismatch = 14,
}

/// An error: the SYCL category, and a message for the user that states the actual and the expected
/// values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub code: Errc,
    pub message: String,
}

impl Error {
    pub fn new(code: Errc, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

pub type Result<T> = std::result::Result<T, Error>;

/// The kinds of backends, with the numbers of `scythe_backend_kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum BackendKind {
    Host = 0,
    Cpu = 1,
    OpenCl = 2,
    Cuda = 3,
}

/// The kinds of USM allocations, with the numbers of `scythe_usm_kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum UsmKind {
    Host = 0,
    Device = 1,
    Shared = 2,
}

/// A driver: a platform with its devices.
pub trait Backend: Send + Sync {
    fn kind(&self) -> BackendKind;
    fn platform(&self) -> &PlatformInfo;
    /// Returns the devices. Every call returns the same devices in the same order.
    fn devices(&self) -> &[Arc<dyn Device>];
}

pub trait Device: Send + Sync + Any {
    fn info(&self) -> &DeviceInfo;

    /// Returns the number of bytes that can still be allocated, for devices with
    /// `aspect::ext_intel_free_memory`.
    fn free_memory(&self) -> Result<u64> {
        let name = &self.info().name;
        Err(Error::new(
            Errc::FeatureNotSupported,
            format!("device '{name}' does not report the size of its free memory"),
        ))
    }

    /// Allocates uninitialised memory. `size` must be > 0 and `align` a power of two. Returns a
    /// `MemoryAllocation` error if the memory is exhausted.
    fn alloc(&self, kind: UsmKind, size: usize, align: usize) -> Result<*mut c_void>;

    /// Frees an allocation.
    ///
    /// # Safety
    /// `ptr` must come from [`Device::alloc`] of this device with this `kind` and must not be freed
    /// yet. No command may use it.
    unsafe fn free(&self, kind: UsmKind, ptr: *mut c_void);

    /// Returns whether device commands can use any host address directly. Buffers then need no
    /// second copy.
    fn shares_host_memory(&self) -> bool;

    /// Returns how much this device prefers an image of this format and target over others with the
    /// same kernel. The runtime builds the image with the highest number on the scale of
    /// [`preference`]. A `KernelNotSupported` error states why the device cannot run the image.
    fn preference(&self, _format: scythe_image::Format, _target: &ImageTarget) -> Result<u32> {
        Ok(preference::GENERIC)
    }

    /// Returns whether the runtime should load machine code for this device before the program
    /// launches it.
    fn loads_early(&self) -> bool {
        false
    }

    /// Builds the code of an image for this device. The caller caches the result; a backend may
    /// block here. After success, the code uses the memory in [`BuildRequest::globals`]. A backend
    /// whose programs contain pointers to this memory calls [`globals::fill_pointers`].
    fn build(&self, request: &BuildRequest<'_>) -> Result<Arc<dyn Program>>;

    /// Returns whether all variables, including those with `device_image_scope`, use the memory in
    /// [`BuildRequest::globals`]. Otherwise variables with `device_image_scope` are part of the
    /// program, and [`Program::global`] returns their address.
    fn binds_globals(&self) -> bool {
        false
    }

    /// Returns the supported ways to partition the device.
    fn partitions(&self) -> Partitions {
        Partitions::default()
    }

    /// Creates new devices that are parts of this one. [`Device::partitions`] must support `how`,
    /// and [`Partition::check`] must accept it. Commands of different parts, and of this device,
    /// wait for each other through completion callbacks only.
    fn partition(&self, _how: &Partition) -> Result<Vec<Arc<dyn Device>>> {
        Err(Error::new(
            Errc::FeatureNotSupported,
            format!("device '{}' cannot be partitioned", self.info().name),
        ))
    }

    fn create_queue(&self, profiling: bool) -> Result<Arc<dyn Queue>>;

    /// A queue for host code. `None` if the device cannot run it: only the CPU device can.
    fn create_host_queue(&self, _profiling: bool) -> Result<Option<Arc<dyn HostQueue>>> {
        Ok(None)
    }

    /// A queue for the commands of one in-order SYCL queue alone: the driver's own, which runs them
    /// in turn. Commands still name what they wait for. `None` where the queues of
    /// [`Device::create_queue`] serve such queues as well.
    fn create_in_order_queue(&self, _profiling: bool) -> Result<Option<Arc<dyn Queue>>> {
        Ok(None)
    }

    /// A queue whose commands should run before or after those of other queues, for one SYCL queue.
    /// `None` where the backend has no priorities.
    fn create_queue_with_priority(
        &self,
        _in_order: bool,
        _profiling: bool,
        _priority: Priority,
    ) -> Result<Option<Arc<dyn Queue>>> {
        Ok(None)
    }

    /// Prepares a graph of commands for launches on the queues of this device. Checks all that
    /// [`Queue::enqueue`] checks. Returns `None` if the backend has no graphs.
    ///
    /// # Safety
    /// Each launch satisfies the contract of [`Queue::enqueue`] for each node.
    unsafe fn create_graph(&self, _nodes: &[GraphNode]) -> Result<Option<Arc<dyn Graph>>> {
        Ok(None)
    }

    /// Returns how many work-groups of `local_size` work-items (fastest first) of a kernel of this
    /// device can run at the same time, if each needs `local_bytes` bytes of local memory for its
    /// local accessors. The device supports this size and this amount.
    fn occupancy(
        &self,
        _kernel: &dyn Kernel,
        _local_size: [u64; 3],
        _local_bytes: u64,
    ) -> Result<Occupancy> {
        Ok(Occupancy::ONE)
    }

    /// Returns whether kernels on this device can access device allocations of `peer`, another
    /// device of the same backend, and with `atomics`, whether their atomic operations work there.
    /// Backends enable this access without being asked.
    fn can_access_peer(&self, _peer: &dyn Device, _atomics: bool) -> bool {
        false
    }

    /// Makes memory of the program accessible to commands, and copies of it fast. The default is
    /// for devices that access all memory of the system. `start` and `size` are multiples of the
    /// size of a page for devices with `aspect::ext_oneapi_register_host_memory`. Returns an error
    /// for memory that is registered already.
    ///
    /// # Safety
    /// The memory stays valid until [`Device::unregister_host`].
    unsafe fn register_host(&self, start: usize, size: usize, read_only: bool) -> Result<()> {
        let _ = (start, size, read_only);
        if self.info().aspects.contains(&(Aspect::UsmSystemAllocations as u32)) {
            return Ok(());
        }
        let message = format!("device '{}' cannot register memory of the host", self.info().name);
        Err(Error::new(Errc::FeatureNotSupported, message))
    }

    /// Ends a registration.
    ///
    /// # Safety
    /// `start` was registered, and no command uses the memory.
    unsafe fn unregister_host(&self, _start: usize) -> Result<()> {
        Ok(())
    }

    /// Returns the functions for virtual memory, which devices with
    /// `aspect::ext_oneapi_virtual_mem` have.
    fn virtual_memory(&self) -> Option<&dyn VirtualMemory> {
        None
    }

    /// Returns the interface to the driver's native objects, or `None` if the backend has no
    /// driver.
    fn interop(&self) -> Option<&dyn Interop> {
        None
    }
}

/// The priority of a queue whose program set one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Priority {
    Low,
    High,
}

/// A built image.
pub trait Program: Send + Sync {
    /// Returns the kernel with this symbol and these launch rows. Returns a `Kernel` error if the
    /// program has no such symbol.
    fn kernel(&self, symbol: &str, launch: &KernelLaunch) -> Result<Arc<dyn Kernel>>;

    /// Returns the native program. The caller owns one reference.
    fn native(&self) -> Result<Native> {
        Err(native::none("program"))
    }

    /// Returns the address of the variable `symbol` that the program's code defines (CUDA:
    /// `cuModuleGetGlobal`). Copies to and from this address in device memory are possible. The
    /// address does not change as long as the program lives. Returns `None` if the code does not
    /// use the variable and therefore does not contain it. The runtime calls this method once after
    /// a build for each `device_global` of the image, before the first kernel runs.
    fn global(&self, symbol: &str) -> Result<Option<*mut c_void>> {
        Err(globals::none(symbol))
    }
}

/// A kernel that can be launched on the device it was built for. Backends downcast it.
pub trait Kernel: Send + Sync + Any {
    fn as_any(&self) -> &dyn Any;

    /// Returns what the kernel needs on its device.
    fn resources(&self) -> Result<Resources> {
        Ok(Resources::default())
    }

    /// Returns the native kernel. The caller owns one reference.
    fn native(&self) -> Result<Native> {
        Err(native::none("kernel"))
    }

    /// Returns the native program that contains the kernel. The caller owns one reference.
    fn native_program(&self) -> Result<Native> {
        Err(native::none("kernel"))
    }

    /// Releases a program that [`Kernel::native_program`] returned.
    fn release_native_program(&self, _program: Native) {}
}

/// The bytes of a functor, stored in place if they are few, so that a launch allocates only once.
pub type FunctorBytes = info::InlineBytes<192>;

/// A kernel launch. Index 0 of each array is the dimension that varies fastest.
pub struct KernelWork {
    pub kernel: Arc<dyn Kernel>,
    /// The bytes of the functor, in which the data pointers of accessors are already replaced by
    /// device addresses. Parameter `i` of the kernel is the bytes at the offset of launch row `i`.
    pub functor: FunctorBytes,
    pub dims: u32,
    pub global_size: [u64; 3],
    pub local_size: [u64; 3],
    pub global_offset: [u64; 3],
    pub cooperation: Cooperation,
    /// The position of the submission, for messages.
    pub place: Option<Place>,
}

impl KernelWork {
    pub fn view(&self) -> LaunchView<'_> {
        LaunchView {
            kernel: &*self.kernel,
            functor: self.functor.as_slice(),
            dims: self.dims,
            global_size: &self.global_size,
            local_size: &self.local_size,
            global_offset: &self.global_offset,
            cooperation: self.cooperation,
            place: self.place,
        }
    }
}

/// A borrowed [`KernelWork`]. A callee reads it before it returns.
#[derive(Clone, Copy)]
pub struct LaunchView<'a> {
    pub kernel: &'a dyn Kernel,
    pub functor: &'a [u8],
    pub dims: u32,
    pub global_size: &'a [u64; 3],
    pub local_size: &'a [u64; 3],
    pub global_offset: &'a [u64; 3],
    pub cooperation: Cooperation,
    pub place: Option<Place>,
}

/// A box of bytes: `rows × planes` runs of `width` bytes. Pitches in bytes.
#[derive(Clone, Copy, Debug)]
pub struct CopyBox {
    pub width: usize,
    pub rows: usize,
    pub planes: usize,
    pub src_row_pitch: usize,
    pub src_plane_pitch: usize,
    pub dst_row_pitch: usize,
    pub dst_plane_pitch: usize,
}

/// A hint of the program about its use of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hint {
    /// Commands on the device will use the memory.
    Prefetch,
    /// A `mem_advise` call, with the driver's number.
    Advice(i32),
}

/// What a command does once its dependencies have completed. Host code is [`HostWork`] instead.
pub enum Work {
    /// No work: an ordering point.
    Marker,
    Kernel(Box<KernelWork>),
    Memcpy {
        dst: *mut c_void,
        src: *const c_void,
        size: usize,
    },
    CopyRect {
        dst: *mut c_void,
        src: *const c_void,
        region: CopyBox,
    },
    /// A hint about the future use of memory. A backend that does not support hints treats it as
    /// [`Work::Marker`].
    Hint {
        ptr: *mut c_void,
        size: usize,
        hint: Hint,
    },
    /// Writes `count` consecutive copies of the pattern, starting at `dst`.
    Fill {
        dst: *mut c_void,
        pattern: Vec<u8>,
        count: usize,
    },
}

// SAFETY: only the thread that runs the work uses the addresses inside it. The caller of
// `Queue::enqueue` guarantees that they are valid then.
unsafe impl Send for Work {}

/// An owner of the resources that a command uses. The backend drops it once the command has
/// finished.
pub type Keep = Option<Box<dyn Any + Send + Sync>>;

/// Work with its place in the order of commands.
pub struct Command<'a, W = Work> {
    pub work: W,
    /// The events of the commands that must complete before the work runs.
    pub deps: &'a [Arc<dyn Event>],
    pub keep: Keep,
}

impl<'a, W> Command<'a, W> {
    /// A command that keeps nothing alive.
    pub fn new(work: W, deps: &'a [Arc<dyn Event>]) -> Self {
        Self { work, deps, keep: None }
    }
}

pub trait Queue: Send + Sync {
    /// Runs the work of `command` after all of its dependencies (events of this backend), and
    /// returns without waiting. When a dependency failed, the work is not run and fails with the
    /// same error.
    ///
    /// # Safety
    /// Addresses in the work stay valid until the event completes, and no other thread writes (or,
    /// where the work writes, reads) what they point at in the meantime, except through commands
    /// ordered by events.
    unsafe fn enqueue(&self, command: Command<'_>) -> Result<Arc<dyn Event>>;

    /// Launches a kernel on the fast path, because kernel launches are the most frequent commands
    /// of most programs. It behaves like [`Queue::enqueue`] with `last` as the only dependency and
    /// without objects to keep. After success, `last` holds the event of the command. If nothing
    /// else refers to the previous event, the backend may reuse its object. Returns `None`, without
    /// any effect, if the work must be enqueued instead. The global size must be at least one in
    /// every dimension.
    ///
    /// # Safety
    /// The requirements of [`Queue::enqueue`] apply, and `last` must be an event of this backend.
    unsafe fn launch(
        &self,
        _launch: &LaunchView<'_>,
        _last: &mut Option<Arc<dyn Event>>,
    ) -> Option<Result<()>> {
        None
    }

    /// Launches a graph of this queue's device after `deps`, and returns the event of its last
    /// commands. The caller orders launches of one graph, so that no two of them overlap. The
    /// backend keeps the graph until the launch has completed.
    ///
    /// # Safety
    /// The contract is that of [`Queue::enqueue`], for each command of the graph.
    unsafe fn launch_graph(
        &self,
        _graph: &Arc<dyn Graph>,
        _deps: &[Arc<dyn Event>],
        _keep: Keep,
    ) -> Result<Arc<dyn Event>> {
        Err(Error::new(Errc::FeatureNotSupported, "this backend has no graphs of commands"))
    }

    /// Returns the native queue. The caller owns one reference. Only events order the commands that
    /// the program enqueues there.
    fn native(&self) -> Result<Native> {
        Err(native::none("queue"))
    }

    /// Waits for the commands in the native queue. A backend without native queues has none.
    fn finish_native(&self) -> Result<()> {
        Ok(())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Submitted = 0,
    Running = 1,
    Complete = 2,
}

/// Profiling times in nanoseconds, on the clock of the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    pub submit: u64,
    pub start: u64,
    pub end: u64,
}

/// A function that receives the result of a command.
pub type Callback = Box<dyn FnOnce(Result<()>) + Send>;

pub trait Event: Send + Sync + Any {
    fn as_any(&self) -> &dyn Any;
    /// Returns a mutable reference for backends that reuse events.
    fn as_any_mut(&mut self) -> Option<&mut dyn Any> {
        None
    }
    fn status(&self) -> Status;
    /// Blocks until the command has completed, and returns its result.
    fn wait(&self) -> Result<()>;
    /// Calls `f` after the command has completed, on any thread. Calls it immediately if the
    /// command has already completed.
    fn on_complete(&self, f: Callback);
    /// Returns the profiling times, or `None` if the queue does not profile. Valid only after
    /// completion.
    fn times(&self) -> Option<Times>;

    /// Returns the result of the command if it is known without a call to the driver.
    fn known_end(&self) -> Option<Result<()>> {
        (self.status() == Status::Complete).then(|| self.wait())
    }

    /// Informs the event that the program no longer has a handle to it. Only the order and the
    /// failure of its command matter from now on.
    fn abandon(&self) {}

    /// Returns the native event. The caller owns one reference.
    fn native(&self) -> Result<Native> {
        Err(native::none("event"))
    }
}
