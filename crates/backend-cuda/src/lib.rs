//! The backend for NVIDIA GPUs, on the CUDA driver.
//!
//! * [`discover`] loads `libcuda.so.1` and lists its devices. Each problem becomes a sentence in
//!   [`Discovery::problems`].
//! * `api` is the driver's C interface, and `error` its result codes. `gpu` is the state that
//!   everything on one device shares, `limits` the device's properties, and `device` the device
//!   itself.
//! * `program`: fat binaries and PTX that the driver loads. The run-time compiler ([`Compiler`])
//!   translates generic code to PTX. `launch` passes arguments to kernels and `geometry` computes
//!   their blocks, as `scythe_abi::cuda` specifies.
//! * `queue`, `stream`, `event`, `copy`: commands in streams, and their completion. `waiter` calls
//!   completion callbacks, and `profile` measures times.
//! * `memory`: device memory from pools, and memory that host and device share.
//!
//! This crate links neither CUDA nor LLVM.

mod api;
mod by_need;
mod copy;
mod device;
mod error;
mod event;
mod geometry;
mod gpu;
mod graph;
mod interop;
mod launch;
mod limits;
mod meeting;
mod memory;
mod platform;
mod profile;
mod program;
mod queue;
mod stream;
mod virtual_memory;
mod waiter;

use std::path::Path;
use std::sync::Arc;

use scythe_hal::{Backend, Compiler};

/// Functions of the runtime that this backend uses.
#[derive(Clone, Copy)]
pub struct Services {
    /// The compiler that translates generic code to PTX.
    pub compiler: &'static dyn Compiler,
    /// Returns the source name of a kernel's symbol.
    pub kernel_name: fn(&str) -> String,
}

/// The result of the search for devices.
#[derive(Default)]
pub struct Discovery {
    /// One backend if there are usable devices, otherwise none.
    pub backends: Vec<Arc<dyn Backend>>,
    /// The reasons why there are no (further) devices.
    pub problems: Vec<String>,
}

/// Searches for devices. This takes as long as the driver needs to load.
pub fn discover(services: Services) -> Discovery {
    platform::discover(Path::new(api::LIBRARY), services)
}

/// Like [`discover`], with the driver in this file.
pub fn discover_with(driver: &Path, services: Services) -> Discovery {
    platform::discover(driver, services)
}
