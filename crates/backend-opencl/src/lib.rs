//! OpenCL devices: any driver that takes SPIR-V.
//!
//! * [`discover`] loads OpenCL's loader and asks every platform for its devices; whatever is broken
//!   is a sentence in [`Discovery::problems`] and hides nothing else.
//! * `api` is OpenCL's C interface; `platform` and `device` its objects; `device_info` what a
//!   device says of itself.
//! * `memory`, `objects`: addresses that host and device share, and memory objects where there are
//!   none.
//! * `queue`, `line`, `event`: commands, and their ends. One out-of-order queue of the driver
//!   serves all such SYCL queues of a device, since every command names what it waits for; each
//!   in-order queue has one of its own.
//! * `assertions`: what becomes of those that fail in kernels.
//! * `program`: the run-time compiler ([`Compiler`]) translates device code to SPIR-V, and the
//!   driver builds the SPIR-V.
//!
//! Nothing here links OpenCL or LLVM.

mod apart;
mod api;
mod assertions;
mod device;
mod device_info;
mod drivers;
mod event;
mod flusher;
mod globals;
mod intel;
mod interop;
mod line;
mod memory;
mod objects;
mod platform;
mod program;
mod queue;

use std::sync::Arc;

use scythe_hal::{Backend, Compiler};

/// What there is.
#[derive(Default)]
pub struct Discovery {
    /// One for each platform with devices that can be used.
    pub backends: Vec<Arc<dyn Backend>>,
    /// Why there is not more: the loader, a platform or a device that cannot be used.
    pub problems: Vec<String>,
}

/// Looks for platforms and devices. It takes as long as the drivers do to load.
pub fn discover(compiler: &'static dyn Compiler) -> Discovery {
    platform::discover(compiler)
}

/// Drivers that are installed and cannot be loaded, one sentence each, which OpenCL's loader keeps
/// to itself. Every installed driver is loaded for this.
pub fn broken_drivers() -> Vec<String> {
    drivers::broken()
}

/// Whether [`scythe_abi::environment::OPENCL_MEMORY`] may have this value.
pub fn is_memory_choice(value: &str) -> bool {
    memory::Choice::parse(value).is_some()
}
