//! `libscythe.so`: the runtime of SYCL programs.
//!
//! Read in this order:
//!
//! * [`capi`]: the C interface of `include/sycl/detail/abi.h`. It and the functions that it calls
//!   first validate all arguments; all other functions receive Rust values.
//! * [`platform`]: backends and their devices, discovered at first use. [`selection`] determines
//!   the devices that a program sees.
//! * [`registry`]: the device images that programs registered, and the kernels in them.
//! * [`queue`]: determines the dependencies of a command and passes the command to a backend.
//!   [`launch`] and [`copy`] create its work.
//! * [`event`]: events of the runtime itself, and waiting for events of different backends.
//!   [`dispatch`] holds commands back until a backend can receive them.
//! * [`graph`]: graphs of commands, which are launched as a whole.
//! * [`memory`]: buffers, their copies, and the order of accesses to them. [`context`]: unified
//!   shared memory. [`virtual_memory`]: reserved addresses and mappings.
//! * [`online`]: programs that are compiled from source text.
//! * [`device_global`]: variables of device code, and their memory.
//! * [`coroutine`]: work-groups in host mode, whose work-items wait for each other.
//! * [`settings`]: environment variables. [`simulate`]: devices that the CPU simulates for tests.
//! * [`submission`]: names the kernel and the source position of a command in error messages.
//! * [`late_errors`]: asynchronous errors of commands whose queue was destroyed.
//! * [`timeline`]: records commands for timelines and profiles.
//! * [`exit`]: handles a process that exits while commands are running.
//!
//! Starting a program has no cost: registration records an address, and everything else is created
//! at first use. Global objects are never destroyed, because static objects of the program may call
//! the runtime until the very end of the process.

pub mod capi;
pub mod context;
pub mod cooperation;
pub mod copy;
pub mod coroutine;
pub mod device_global;
pub mod dispatch;
pub mod event;
pub mod exit;
mod gpus;
pub mod graph;
mod late_errors;
pub mod launch;
pub mod memory;
pub mod native_kernel;
pub mod online;
pub mod platform;
pub mod queue;
pub mod registry;
pub mod selection;
pub mod settings;
pub mod simulate;
pub mod stream;
mod submission;
mod thread_sanitizer;
pub mod timeline;
pub mod virtual_memory;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) use scythe_hal::demangle;
pub use scythe_hal::{Errc, Error, Result};

/// Locks a mutex, even after a panic in another holder: every critical section here leaves its data
/// consistent at each step that can panic.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Creates an error of category `errc::invalid`.
pub(crate) fn invalid(message: impl Into<String>) -> Error {
    Error::new(Errc::Invalid, message)
}
