//! The backend for OpenCL devices, for all drivers that accept SPIR-V.
//!
//! * [`discover`] loads OpenCL's loader and lists the devices of every platform. Each problem
//!   becomes a sentence in [`Discovery::problems`] and does not affect other devices.
//! * `api` is OpenCL's C interface, `platform` and `device` are its objects, and `device_info` has
//!   the properties of a device.
//! * `memory`, `objects`: addresses that host and device share, and memory objects for devices
//!   without shared addresses.
//! * `queue`, `in_order_queue`, `event`: commands, and their completion. One out-of-order queue of
//!   the driver serves all out-of-order SYCL queues of a device, because every command names its
//!   dependencies. Each in-order queue has its own queue of the driver.
//! * `assertions`: reports failed assertions in kernels.
//! * `program`: the run-time compiler ([`Compiler`]) translates device code to SPIR-V, and the
//!   driver builds the SPIR-V.
//!
//! This crate links neither OpenCL nor LLVM.

mod apart;
mod api;
mod assertions;
mod device;
mod device_info;
mod drivers;
mod event;
mod flusher;
mod globals;
mod in_order_queue;
mod intel;
mod interop;
mod memory;
mod objects;
mod platform;
mod program;
mod queue;
mod source;
mod spirv;

use std::sync::Arc;

use scythe_hal::{Backend, Compiler};

/// The result of the search for devices.
#[derive(Default)]
pub struct Discovery {
    /// One backend for each platform with usable devices.
    pub backends: Vec<Arc<dyn Backend>>,
    /// The problems: a loader, platform or device that cannot be used.
    pub problems: Vec<String>,
}

/// Searches for platforms and devices. This takes as long as the drivers need to load.
pub fn discover(compiler: &'static dyn Compiler) -> Discovery {
    platform::discover(compiler)
}

/// Returns one sentence for each installed driver that cannot be loaded. OpenCL's loader does not
/// report these drivers. This function loads every installed driver.
pub fn broken_drivers() -> Vec<String> {
    drivers::broken()
}

/// Returns whether a SPIR-V module has several kernels. Tests give it damaged modules.
#[doc(hidden)]
pub fn has_several_kernels(module: &[u8]) -> bool {
    spirv::has_several_kernels(module)
}

/// Returns whether [`scythe_abi::environment::OPENCL_MEMORY`] may have this value.
pub fn is_memory_choice(value: &str) -> bool {
    memory::Choice::parse(value).is_some()
}
