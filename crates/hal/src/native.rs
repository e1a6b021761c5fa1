//! Native objects of drivers, for programs that use a driver directly as well as through SYCL.

use std::ffi::c_void;
use std::sync::Arc;

use scythe_abi::launch::KernelLaunch;

use crate::{Device, Errc, Error, Event, Kernel, Program, Queue, Result};

/// A native object of the driver, such as a `cl_event`.
pub type Native = *mut c_void;

/// The kinds of native objects that a device provides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum NativeKind {
    Platform = 0,
    Device = 1,
    Context = 2,
}

impl NativeKind {
    /// Returns the kind with this number.
    pub fn from_u32(number: u32) -> Option<Self> {
        [Self::Platform, Self::Device, Self::Context]
            .into_iter()
            .find(|&kind| kind as u32 == number)
    }
}

/// The result of looking up a device in a native context.
pub enum InContext {
    /// The context is the one that the device already uses.
    Own,
    /// A device for commands and memory in the given context.
    Other(Arc<dyn Device>),
    Absent,
}

/// Source code that the driver compiles itself.
#[derive(Clone, Copy, Debug)]
pub enum DriverSource<'a> {
    OpenCl(&'a str),
    SpirV(&'a [u8]),
}

/// A program that the driver compiled.
pub struct DriverProgram {
    pub program: Arc<dyn Program>,
    /// The kernels and the numbers of their arguments.
    pub kernels: Vec<(String, u32)>,
    /// The messages of the driver.
    pub log: String,
}

/// What a driver says about a language that it compiles. Versions have the form of `cl_version`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenClC {
    /// The versions of OpenCL C, in any order.
    pub versions: Vec<u32>,
    /// The features of OpenCL C 3.0, by their macros.
    pub features: Vec<(String, u32)>,
    pub extensions: Vec<(String, u32)>,
    pub profile: String,
}

/// A queue that wraps a native queue of the program.
pub struct NativeQueue {
    pub queue: Arc<dyn Queue>,
    pub in_order: bool,
    pub profiling: bool,
}

/// The operations of a device for programs that use its driver directly as well as through SYCL.
/// The methods with a default implementation concern objects that not every driver has.
pub trait Interop: Send + Sync {
    /// Returns the native object. If the driver counts references, the caller owns one reference.
    fn native(&self, kind: NativeKind) -> Result<Native>;

    /// Returns the event of a command that the program passed to the driver directly.
    ///
    /// # Safety
    /// `event` must be a live event of the driver in the context that [`Interop::native`] returns.
    unsafe fn event_from_native(&self, event: Native) -> Result<Arc<dyn Event>>;

    /// Returns this device with a different native context, and retains the context.
    ///
    /// # Safety
    /// `context` must be a live context of the driver.
    unsafe fn in_native_context(&self, _context: Native) -> Result<InContext> {
        Err(none("device"))
    }

    /// Wraps a queue that the program created, and retains it. Returns `None` if the queue belongs
    /// to a different device.
    ///
    /// # Safety
    /// `queue` must be a live queue of the driver in this device's context.
    unsafe fn queue_from_native(&self, _queue: Native) -> Result<Option<NativeQueue>> {
        Err(none("device"))
    }

    /// Returns an address for a memory object that the program created, and its size in bytes.
    /// Retains the object until [`Device::free`]. Only commands on this device may use the address.
    ///
    /// # Safety
    /// `memory` must be a live memory object of the driver in this device's context.
    unsafe fn memory_from_native(&self, _memory: Native) -> Result<(*mut c_void, usize)> {
        Err(none("device"))
    }

    /// Returns whether [`Interop::memory_to_native`] returns an object for every address of
    /// [`Device::alloc`].
    fn memory_is_native(&self) -> bool {
        false
    }

    /// Returns the memory object of an address from [`Device::alloc`] or
    /// [`Interop::memory_from_native`]; the caller owns one reference. Returns `None` if the
    /// address has no memory object.
    fn memory_to_native(&self, _ptr: *mut c_void) -> Result<Option<Native>> {
        Ok(None)
    }

    /// Releases an object that [`Interop::memory_to_native`] returned.
    fn release_native_memory(&self, _memory: Native) {}

    /// Returns what the driver says about its compiler for OpenCL C, or `None` if it has none.
    fn opencl_c(&self) -> Option<OpenClC> {
        None
    }

    /// Returns whether the driver compiles SPIR-V modules of the program.
    fn takes_spirv(&self) -> bool {
        false
    }

    /// Makes the driver compile source code for this device. A `Build` error contains the messages
    /// of the driver.
    fn build_source(&self, _source: DriverSource<'_>, _options: &str) -> Result<DriverProgram> {
        Err(none("device"))
    }

    /// Wraps a program that the host program built, and retains it.
    ///
    /// # Safety
    /// `program` must be a live program of the driver in this device's context.
    unsafe fn program_from_native(&self, _program: Native) -> Result<Arc<dyn Program>> {
        Err(none("device"))
    }

    /// Wraps a kernel that the program created, and retains it. Launches pass the parameters that
    /// the rows of `launch` describe.
    ///
    /// # Safety
    /// `kernel` must be a live kernel of the driver in this device's context.
    unsafe fn kernel_from_native(
        &self,
        _kernel: Native,
        _launch: &KernelLaunch,
    ) -> Result<Arc<dyn Kernel>> {
        Err(none("device"))
    }

    /// Creates a native memory object over host memory. The caller owns one reference.
    ///
    /// # Safety
    /// The `size` > 0 bytes at `ptr` must stay valid until the object is released.
    unsafe fn native_memory(&self, _ptr: *mut c_void, _size: usize) -> Result<Native> {
        Err(none("device"))
    }
}

/// Returns the error for an object that has no native counterpart.
pub fn none(what: &str) -> Error {
    Error::new(
        Errc::BackendMismatch,
        format!("the {what} has no native object: its backend does not use a driver"),
    )
}
