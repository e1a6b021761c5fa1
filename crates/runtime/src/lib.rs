//! `libscythe.so`: what SYCL programs run on.
//!
//! Read in this order:
//!
//! * [`capi`]: the C edge of `include/sycl/detail/abi.h`. All validation happens there and in the
//!   functions it calls first; behind it, arguments are Rust values.
//! * [`platform`]: backends and their devices, found at first use; [`selection`] says which of them
//!   a program sees.
//! * [`registry`]: device images that programs registered, and the kernels in them.
//! * [`queue`]: how a command gets its dependencies and reaches a backend; [`launch`] and [`copy`]
//!   make its work.
//! * [`event`]: events of the runtime itself, and joining those of different backends; [`dispatch`]
//!   holds commands back until a backend may have them.
//! * [`memory`]: buffers, their copies, and who may touch them when. [`context`]: unified shared
//!   memory.
//! * [`device_global`]: variables of device code, and their memory.
//! * [`coroutine`]: work-groups of host mode, whose work-items wait for each other.
//! * [`settings`]: environment variables. [`simulate`]: devices that the CPU plays for tests.
//! * [`late_errors`]: asynchronous errors of commands whose queue is gone.
//! * [`exit`]: what happens when the process ends with commands in flight.
//!
//! A program that only starts costs nothing: registration records an address, and everything else
//! is made when it is first asked for. Nothing global is ever destroyed, because static objects of
//! the program may call until the very end of the process.

pub mod capi;
pub mod context;
pub mod copy;
pub mod coroutine;
mod demangle;
pub mod device_global;
pub mod dispatch;
pub mod event;
pub mod exit;
mod gpus;
mod late_errors;
pub mod launch;
pub mod memory;
pub mod native_kernel;
pub mod platform;
pub mod queue;
pub mod registry;
pub mod selection;
pub mod settings;
pub mod simulate;
pub mod stream;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub use scythe_hal::{Errc, Error, Result};

/// Locks, also after a panic in another holder: every critical section here leaves its data
/// consistent at each step that can panic.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An error of category `errc::invalid`.
pub(crate) fn invalid(message: impl Into<String>) -> Error {
    Error::new(Errc::Invalid, message)
}
