//! The built-in CPU device: always there, needs no driver, and never links LLVM.
//!
//! * [`backend`] gives the one platform with the one device. It starts no thread and opens no
//!   library.
//! * `queue`, `job`, `node`, `executor`, `ready`, `host_tasks`: commands become nodes of a task
//!   graph, which worker threads run; `tiling`, `share` and `cost` decide how a kernel is cut up
//!   and whether it is worth it.
//! * `program`, `variant`, `loader`: the runtime's compiler ([`Compiler`]) turns device bitcode
//!   into an x86-64 object, and the object is loaded into this process. An image compiled ahead of
//!   time is such an object already; `level` tells which of several the machine can run. `variant`
//!   has kernels compiled anew for work-group sizes that leave most of a vector idle.
//! * `device`, `device_info`, `memory`, `copy`, `threads`, `processors`: the rest of a device.
//!
//! Environment: `SCYTHE_CPU_THREADS` sets the number of worker threads (default: this process's
//! share of the machine), `SCYTHE_CPU_LEVEL` the highest instruction-set level of images compiled
//! ahead of time (default: the machine's).

use std::sync::{Arc, OnceLock};

use scythe_hal::{Backend, Compiler};

mod assertion;
mod barrier;
mod check;
mod copy;
mod cost;
mod device;
mod device_info;
mod executor;
mod form;
mod futex;
mod host_tasks;
mod job;
mod level;
mod loader;
mod memory;
mod node;
mod partition;
mod processors;
mod program;
mod queue;
mod ready;
mod share;
mod threads;
mod tiling;
mod variant;

#[cfg(test)]
mod tests;

/// The CPU backend; the same at every call. The compiler of the first call compiles all device
/// code.
pub fn backend(compiler: &'static dyn Compiler) -> Arc<dyn Backend> {
    static BACKEND: OnceLock<Arc<device::CpuBackend>> = OnceLock::new();
    BACKEND.get_or_init(|| Arc::new(device::CpuBackend::new(compiler))).clone()
}
