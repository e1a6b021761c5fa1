//! The built-in CPU device: always there, needs no driver, and never links LLVM.
//!
//! * [`backend`] gives the one platform with the one device. It starts no thread and opens no library.
//! * `queue`, `job`, `node`, `executor`, `ready`, `host_tasks`: commands become nodes of a task graph, which worker
//!   threads run; `tiling`, `share` and `cost` decide how a kernel is cut up and whether it is worth it.
//! * `program`, `variant`, `cache`, `jit`, `loader`: device bitcode goes through the run-time compiler, a shared object that is
//!   loaded for the first build that no process has done before, and the object it returns is loaded into this process.
//!   An image compiled ahead of time is such an object already; `level` tells which of several the machine can run. `variant` has
//!   kernels compiled anew for work-group sizes that leave most of a vector idle.
//! * [`spirv`], [`ptx`]: the same compiler and cache for other backends, whose drivers want SPIR-V or PTX.
//! * `device`, `device_info`, `memory`, `copy`, `threads`, `processors`: the rest of a device.
//!
//! Environment: `SCYTHE_CPU_THREADS` sets the number of worker threads (default: this process's share of
//! the machine), `SCYTHE_CPU_LEVEL` the highest instruction-set level of images compiled ahead of time (default: the machine's),
//! `SCYTHE_DUMP_JIT` names a folder for the IR of each stage of run-time compilation, `SYCL_CACHE_DIR`,
//! `SYCL_CACHE_PERSISTENT`, `SYCL_CACHE_MAX_SIZE` and `SYCL_CACHE_TRACE` govern the cache (`docs/environment.md`).

use std::sync::{Arc, OnceLock};

use scythe_hal::Backend;

mod assertion;
mod barrier;
mod cache;
mod check;
mod copy;
mod cost;
mod device;
mod device_info;
mod executor;
mod form;
mod futex;
mod host_tasks;
mod jit;
mod job;
mod level;
mod loader;
mod memory;
mod node;
mod partition;
mod processors;
mod program;
pub mod ptx;
mod queue;
mod ready;
mod share;
pub mod specialize;
pub mod spirv;
mod threads;
mod tiling;
mod translated;
mod variant;

#[cfg(test)]
mod tests;

/// The CPU backend; the same at every call.
pub fn backend() -> Arc<dyn Backend> {
    static BACKEND: OnceLock<Arc<device::CpuBackend>> = OnceLock::new();
    BACKEND.get_or_init(|| Arc::new(device::CpuBackend::new())).clone()
}
