//! NVIDIA GPUs, by the CUDA driver.
//!
//! * [`discover`] loads `libcuda.so.1` and asks it for its devices; whatever is broken is a
//!   sentence in [`Discovery::problems`].
//! * `api` is the driver's C interface, `error` its numbers; `gpu` what everything on one device
//!   shares; `limits` what a device says of itself; `device` the whole.
//! * `program`: fat binaries and PTX that the driver loads. The run-time compiler ([`Compiler`])
//!   translates generic code to PTX. `launch` gives kernels their arguments and `geometry` their
//!   blocks, as `scythe_abi::cuda` says.
//! * `queue`, `stream`, `event`, `copy`: commands in streams, and how they end; `waiter` tells
//!   others, `profile` when.
//! * `memory`: device memory from pools, and memory that host and device share.
//!
//! Nothing here links CUDA or LLVM.

mod api;
mod copy;
mod device;
mod error;
mod event;
mod geometry;
mod gpu;
mod interop;
mod launch;
mod limits;
mod memory;
mod platform;
mod profile;
mod program;
mod queue;
mod stream;
mod waiter;

use std::path::Path;
use std::sync::Arc;

use scythe_hal::{Backend, Compiler};

/// What the runtime does for this backend.
#[derive(Clone, Copy)]
pub struct Services {
    /// Translates generic code to PTX.
    pub compiler: &'static dyn Compiler,
    /// A kernel's symbol as the programmer wrote it.
    pub kernel_name: fn(&str) -> String,
}

/// What there is.
#[derive(Default)]
pub struct Discovery {
    /// One where there are devices that can be used.
    pub backends: Vec<Arc<dyn Backend>>,
    /// Why there is not more.
    pub problems: Vec<String>,
}

/// Looks for devices. It takes as long as the driver does to load.
pub fn discover(services: Services) -> Discovery {
    platform::discover(Path::new(api::LIBRARY), services)
}

/// The same with a driver of this name.
pub fn discover_with(driver: &Path, services: Services) -> Discovery {
    platform::discover(driver, services)
}
