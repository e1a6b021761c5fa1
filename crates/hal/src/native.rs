//! Drivers' own objects, for programs that use a driver beside SYCL.

use std::ffi::c_void;
use std::sync::Arc;

use scythe_abi::launch::KernelLaunch;

use crate::{Device, Errc, Error, Event, Kernel, Program, Queue, Result};

/// An object of the driver, such as a `cl_event`.
pub type Native = *mut c_void;

/// What a device can give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum NativeKind {
    Platform = 0,
    Device = 1,
    Context = 2,
}

impl NativeKind {
    /// The kind with this number.
    pub fn from_u32(number: u32) -> Option<Self> {
        [Self::Platform, Self::Device, Self::Context]
            .into_iter()
            .find(|&kind| kind as u32 == number)
    }
}

/// Whether a device is in a context of its driver's.
pub enum InContext {
    /// It is the context that the device uses anyway.
    Own,
    /// The device, for commands and memory in that context.
    Other(Arc<dyn Device>),
    Absent,
}

/// A queue that a program made of the driver's own.
pub struct NativeQueue {
    pub queue: Arc<dyn Queue>,
    pub in_order: bool,
    pub profiling: bool,
}

/// A device's side of programs that use its driver beside SYCL. The methods with a default are for
/// objects that not every driver has.
pub trait Interop: Send + Sync {
    /// The driver's own object, with a count for the caller where the driver counts it.
    fn native(&self, kind: NativeKind) -> Result<Native>;

    /// The event of a command that the program gave to the driver itself.
    ///
    /// # Safety
    /// `event` is an event of the driver, alive, of the context that [`Interop::native`] gives.
    unsafe fn event_from_native(&self, event: Native) -> Result<Arc<dyn Event>>;

    /// This device with another context of the driver's, of which a count is taken.
    ///
    /// # Safety
    /// `context` is a context of the driver, alive.
    unsafe fn in_native_context(&self, _context: Native) -> Result<InContext> {
        Err(none("device"))
    }

    /// A queue that the program made itself, of which a count is taken; `None` where it belongs to
    /// another device.
    ///
    /// # Safety
    /// `queue` is a queue of the driver, alive, of this device's context.
    unsafe fn queue_from_native(&self, _queue: Native) -> Result<Option<NativeQueue>> {
        Err(none("device"))
    }

    /// An address for a memory object that the program made itself, of which a count is taken until
    /// [`Device::free`], and its size in bytes. Only commands on this device may use the address.
    ///
    /// # Safety
    /// `memory` is a memory object of the driver, alive, of this device's context.
    unsafe fn memory_from_native(&self, _memory: Native) -> Result<(*mut c_void, usize)> {
        Err(none("device"))
    }

    /// Every address of [`Device::alloc`] has an object that [`Interop::memory_to_native`] gives.
    fn memory_is_native(&self) -> bool {
        false
    }

    /// The memory object behind an address of [`Device::alloc`] or [`Interop::memory_from_native`],
    /// with a count for the caller; `None` where an address is all there is.
    fn memory_to_native(&self, _ptr: *mut c_void) -> Result<Option<Native>> {
        Ok(None)
    }

    /// Takes back what [`Interop::memory_to_native`] gave.
    fn release_native_memory(&self, _memory: Native) {}

    /// A program that the host program built itself, of which a count is taken.
    ///
    /// # Safety
    /// `program` is a program of the driver, alive, of this device's context.
    unsafe fn program_from_native(&self, _program: Native) -> Result<Arc<dyn Program>> {
        Err(none("device"))
    }

    /// A kernel that the program made itself, of which a count is taken, to be launched with
    /// parameters as these rows say.
    ///
    /// # Safety
    /// `kernel` is a kernel of the driver, alive, of this device's context.
    unsafe fn kernel_from_native(
        &self,
        _kernel: Native,
        _launch: &KernelLaunch,
    ) -> Result<Arc<dyn Kernel>> {
        Err(none("device"))
    }

    /// A memory object of the driver over host memory, with a count for the caller.
    ///
    /// # Safety
    /// The `size` > 0 bytes at `ptr` stay valid until the object is released.
    unsafe fn native_memory(&self, _ptr: *mut c_void, _size: usize) -> Result<Native> {
        Err(none("device"))
    }
}

/// The error for an object without a counterpart in a driver.
pub fn none(what: &str) -> Error {
    Error::new(
        Errc::BackendMismatch,
        format!("the {what} has no native object: its backend does not use a driver"),
    )
}
