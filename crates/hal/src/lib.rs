//! The contract between the runtime and its backends.
//!
//! The runtime validates at its C edge; a backend trusts its caller under the contracts written
//! here. A backend orders its own commands: [`Queue::enqueue`] takes the events to wait for and
//! returns at once. Events of other backends never reach a backend: the runtime joins them by
//! [`Event::on_complete`] and a marker it completes itself.
//!
//! No backend prints. No method panics or blocks for a device, except [`Event::wait`].

use std::any::Any;
use std::ffi::c_void;
use std::fmt;
use std::sync::Arc;

use scythe_abi::image_target::ImageTarget;
use scythe_abi::launch::{KernelLaunch, Shape};

pub mod assertion;
mod build;
pub mod compiler;
pub mod fit;
pub mod globals;
pub mod info;
pub mod library;
pub mod native;
pub mod null;
pub mod partition;

pub use build::{BuildOptions, BuildRequest};
pub use compiler::{CompileRequest, Compiler, Output};
pub use globals::Global;
pub use info::{DeviceInfo, PlatformInfo};
pub use native::{InContext, Interop, Native, NativeKind, NativeQueue};
pub use partition::{Partition, Partitions};

/// `sycl::errc`, with the numbers of the C edge.
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

/// What went wrong: the SYCL category, and a sentence for the user that names what was seen and
/// what was expected.
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

/// The numbers of `scythe_backend_kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum BackendKind {
    Host = 0,
    Cpu = 1,
    OpenCl = 2,
    Cuda = 3,
}

/// The numbers of `scythe_usm_kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum UsmKind {
    Host = 0,
    Device = 1,
    Shared = 2,
}

/// One driver: a platform with its devices.
pub trait Backend: Send + Sync {
    fn kind(&self) -> BackendKind;
    fn platform(&self) -> &PlatformInfo;
    /// The same devices, in the same order, at every call.
    fn devices(&self) -> &[Arc<dyn Device>];
}

pub trait Device: Send + Sync + Any {
    fn info(&self) -> &DeviceInfo;

    /// `size` > 0; `align` is a power of two. Memory is not initialised. `MemoryAllocation` when
    /// exhausted.
    fn alloc(&self, kind: UsmKind, size: usize, align: usize) -> Result<*mut c_void>;

    /// # Safety
    /// `ptr` came from [`Device::alloc`] of this device with this `kind`, is not freed yet, and no
    /// command uses it.
    unsafe fn free(&self, kind: UsmKind, ptr: *mut c_void);

    /// Device commands may use any host address as it is (buffers then need no second copy).
    fn shares_host_memory(&self) -> bool;

    /// How much this device prefers an image of this format and target over others that hold the
    /// same kernel: the runtime builds the one with the highest number, on the scale of [`fit`]. An
    /// error, `KernelNotSupported`, says why the device cannot run it.
    fn preference(&self, _format: scythe_image::Format, _target: &ImageTarget) -> Result<u32> {
        Ok(fit::GENERIC)
    }

    /// Builds the code of an image for this device. The caller caches the result; a backend may
    /// block here. After success, the code uses the memory that [`BuildRequest::globals`] names: a
    /// backend whose programs hold pointers to it calls [`globals::fill_pointers`].
    fn build(&self, request: &BuildRequest<'_>) -> Result<Arc<dyn Program>>;

    /// All variables, also those with `device_image_scope`, live in memory that
    /// [`BuildRequest::globals`] names. Else the latter are inside of programs, and
    /// [`Program::global`] tells where.
    fn binds_globals(&self) -> bool {
        false
    }

    /// What the device can be partitioned by.
    fn partitions(&self) -> Partitions {
        Partitions::default()
    }

    /// New devices that are parts of this one: `how` is one that [`Device::partitions`] has, and
    /// fits ([`Partition::check`]). Commands of different parts, and of this device, wait for each
    /// other by completion callbacks alone.
    fn partition(&self, _how: &Partition) -> Result<Vec<Arc<dyn Device>>> {
        Err(Error::new(
            Errc::FeatureNotSupported,
            format!("device '{}' cannot be partitioned", self.info().name),
        ))
    }

    fn create_queue(&self, profiling: bool) -> Result<Arc<dyn Queue>>;

    /// A queue for the commands of one in-order SYCL queue alone: the driver's own, which runs them
    /// in turn. Commands still name what they wait for. `None` where the queues of
    /// [`Device::create_queue`] serve such queues as well.
    fn create_in_order_queue(&self, _profiling: bool) -> Result<Option<Arc<dyn Queue>>> {
        Ok(None)
    }

    /// The driver's own objects; `None` if the backend has no driver.
    fn interop(&self) -> Option<&dyn Interop> {
        None
    }
}

/// A built image.
pub trait Program: Send + Sync {
    /// The kernel with this symbol and these launch rows. `Kernel` error when the program has no
    /// such symbol.
    fn kernel(&self, symbol: &str, launch: &KernelLaunch) -> Result<Arc<dyn Kernel>>;

    /// The driver's own program, with a count for the caller.
    fn native(&self) -> Result<Native> {
        Err(native::none("program"))
    }

    /// The address, in memory of the device that copies can name, of the variable `symbol` that the
    /// program's code defines (CUDA: `cuModuleGetGlobal`). It stays the same as long as the program
    /// lives. `None` where the code has no such variable: nothing uses it. Asked once after a build
    /// for each `device_global` of the image, before the first kernel runs.
    fn global(&self, symbol: &str) -> Result<Option<*mut c_void>> {
        Err(globals::none(symbol))
    }
}

/// A kernel ready to be launched on the device it was built for. Backends downcast.
pub trait Kernel: Send + Sync + Any {
    fn as_any(&self) -> &dyn Any;

    /// The driver's own kernel, with a count for the caller.
    fn native(&self) -> Result<Native> {
        Err(native::none("kernel"))
    }

    /// The driver's own program that it is of, with a count for the caller.
    fn native_program(&self) -> Result<Native> {
        Err(native::none("kernel"))
    }

    /// Takes back what [`Kernel::native_program`] gave.
    fn release_native_program(&self, _program: Native) {}
}

/// Bytes of a functor, inline when small so that a launch allocates once.
pub type FunctorBytes = info::InlineBytes<192>;

/// A kernel launch. Index 0 of each array is the dimension that varies fastest.
pub struct KernelWork {
    pub kernel: Arc<dyn Kernel>,
    /// The functor's bytes, accessors' data pointers already replaced by device addresses.
    /// Parameter `i` of the kernel is the bytes at the offset of launch row `i`.
    pub functor: FunctorBytes,
    pub dims: u32,
    pub global_size: [u64; 3],
    pub local_size: [u64; 3],
    pub global_offset: [u64; 3],
}

impl KernelWork {
    pub fn view(&self) -> Launch<'_> {
        Launch {
            kernel: &*self.kernel,
            functor: self.functor.as_slice(),
            dims: self.dims,
            global_size: &self.global_size,
            local_size: &self.local_size,
            global_offset: &self.global_offset,
        }
    }
}

/// A [`KernelWork`] that is lent: whoever gets it reads it before returning.
#[derive(Clone, Copy)]
pub struct Launch<'a> {
    pub kernel: &'a dyn Kernel,
    pub functor: &'a [u8],
    pub dims: u32,
    pub global_size: &'a [u64; 3],
    pub local_size: &'a [u64; 3],
    pub global_offset: &'a [u64; 3],
}

/// A kernel of host mode: plain C++ called by the CPU backend's threads.
pub struct HostKernelWork {
    pub call:
        unsafe extern "C" fn(functor: *const c_void, host_box: *const scythe_abi::capi::HostBox),
    pub functor: FunctorBytes,
    pub shape: Shape,
    pub global_size: [u64; 3],
    pub local_size: [u64; 3],
    pub global_offset: [u64; 3],
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

/// What a program says of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hint {
    /// Commands on the device will use it.
    Prefetch,
    /// `mem_advise`, with the driver's number.
    Advice(i32),
}

/// What a command does once its dependencies have completed.
pub enum Work {
    /// Nothing: an ordering point.
    Marker,
    Kernel(Box<KernelWork>),
    /// CPU backend only.
    HostKernel(Box<HostKernelWork>),
    /// A closure on a runtime thread (CPU backend only). It may block for long: it must not hold up
    /// kernels.
    HostTask(Box<dyn FnOnce() -> Result<()> + Send>),
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
    /// Memory will be used soon, or in some way. A backend without use for that takes it as
    /// [`Work::Marker`].
    Hint {
        ptr: *mut c_void,
        size: usize,
        hint: Hint,
    },
    /// `count` copies of the pattern, one after another, from `dst`.
    Fill {
        dst: *mut c_void,
        pattern: Vec<u8>,
        count: usize,
    },
}

// SAFETY: the addresses inside are used by whoever runs the work, under the contract of
// `Queue::enqueue`.
unsafe impl Send for Work {}

pub trait Queue: Send + Sync {
    /// Runs `work` after every event in `deps` (all of this backend), and returns without waiting.
    /// When a dependency failed, the work is not run and fails with the same error.
    ///
    /// `keep` is dropped once the work has finished: it holds what the work uses.
    ///
    /// # Safety
    /// Addresses in `work` stay valid until the event completes, and no other thread writes (or,
    /// where the work writes, reads) what they point at in the meantime, except through commands
    /// ordered by events.
    unsafe fn enqueue(
        &self,
        work: Work,
        deps: &[Arc<dyn Event>],
        keep: Option<Box<dyn Any + Send + Sync>>,
    ) -> Result<Arc<dyn Event>>;

    /// The short way for kernels, which most programs launch most: as [`Queue::enqueue`], with
    /// `last` as the one dependency, and nothing that is to be kept. With success, the command's
    /// event is in `last`; where nobody else has the event that was there, it may be the same
    /// object. `None`, without any effect, where the work has to be enqueued. No work-item less
    /// than one in any dimension.
    ///
    /// # Safety
    /// As for [`Queue::enqueue`]; `last` is of this backend.
    unsafe fn launch(
        &self,
        _launch: &Launch<'_>,
        _last: &mut Option<Arc<dyn Event>>,
    ) -> Option<Result<()>> {
        None
    }

    /// The driver's own queue, with a count for the caller. Commands that the program enqueues
    /// there are ordered by events alone.
    fn native(&self) -> Result<Native> {
        Err(native::none("queue"))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Submitted = 0,
    Running = 1,
    Complete = 2,
}

/// Nanoseconds on the clock of the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    pub submit: u64,
    pub start: u64,
    pub end: u64,
}

pub trait Event: Send + Sync + Any {
    fn as_any(&self) -> &dyn Any;
    /// For backends that use events again.
    fn as_any_mut(&mut self) -> Option<&mut dyn Any> {
        None
    }
    fn status(&self) -> Status;
    /// Blocks until the command has completed, and tells how.
    fn wait(&self) -> Result<()>;
    /// Calls `f` once the command has completed, on any thread; at once when it already has.
    fn on_complete(&self, f: Box<dyn FnOnce(Result<()>) + Send>);
    /// `None` where the queue does not profile. Only after completion.
    fn times(&self) -> Option<Times>;

    /// How the command ended, where that is known without asking a driver.
    fn known_end(&self) -> Option<Result<()>> {
        (self.status() == Status::Complete).then(|| self.wait())
    }

    /// The program has no handle of the event any more: only order and failure of its command
    /// matter from now on.
    fn abandon(&self) {}

    /// The driver's own event, with a count for the caller.
    fn native(&self) -> Result<Native> {
        Err(native::none("event"))
    }
}
