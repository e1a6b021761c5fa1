//! NVIDIA GPUs, by the CUDA driver.
//!
//! * [`discover`] loads `libcuda.so.1` and asks it for its devices; whatever is broken is a sentence in [`Discovery::problems`].
//! * `api` is the driver's C interface, `error` its numbers; `gpu` what everything on one device shares; `limits` what a device says of
//!   itself; `device` the whole.
//! * `program`: fat binaries and PTX that the driver loads. Generic code becomes PTX ([`Translate`], which the run-time compiler
//!   provides). `launch` gives kernels their arguments and `geometry` their blocks, as `scythe_abi::cuda` says.
//! * `queue`, `stream`, `event`, `copy`: commands in streams, and how they end; `waiter` tells others, `profile` when.
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

use scythe_hal::{Backend, Result};

/// Device code to be translated.
pub struct Translation<'a> {
    pub bitcode: &'a [u8],
    /// Bitcode of other images that it is linked with.
    pub libraries: &'a [&'a [u8]],
    /// The compiler's, of which `-O0` to `-O3` count, and the device's aspects.
    pub options: &'a str,
    /// 90 for compute capability 9.0.
    pub sm: u32,
    /// The driver's CUDA version: 13000 for 13.0.
    pub driver: u32,
}

/// Makes PTX, with a NUL at the end.
pub type Translate = fn(&Translation<'_>) -> Result<Vec<u8>>;

/// What the runtime does for this backend.
#[derive(Clone, Copy)]
pub struct Services {
    pub translate: Translate,
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
