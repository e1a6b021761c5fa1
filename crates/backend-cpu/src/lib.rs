//! The built-in CPU device. It is always available, needs no driver, and does not link LLVM.
//!
//! * [`backend`] returns the only platform, with its only device. It starts no thread and opens no
//!   library.
//! * `queue`, `job`, `node`, `executor`, `ready`, `host_tasks`: commands become nodes of a task
//!   graph, which worker threads run. `tiling`, `chunk_scheduler` and `cost` decide how a kernel is
//!   divided and whether that is worthwhile.
//! * `graph`: prepared graphs, whose short commands one thread runs in sequence.
//! * `program`, `variant`, `loader`: the runtime's compiler ([`Compiler`]) compiles device bitcode
//!   to an x86-64 object, and the loader loads the object into this process. An image that was
//!   compiled ahead of time already is such an object; `level` finds the images that the machine
//!   can run. `variant` recompiles kernels for work-group sizes that leave most of a vector idle.
//! * `debugger`: shows loaded code with debug information to debuggers, and runs it so that they
//!   can follow.
//! * `stack`: stacks for kernels that need more than a thread has left.
//! * `fault`: reports faults of kernels, from a signal handler.
//! * `sanitize`: the functions that kernels with checks call.
//! * `device`, `device_info`, `memory`, `copy`, `threads`, `processors`, `launcher`: the remaining
//!   parts of a device.
//!
//! Environment: `SCYTHE_CPU_THREADS` sets the number of worker threads (default: this process's
//! share of the machine). `SCYTHE_CPU_LEVEL` sets the highest instruction-set level of images that
//! were compiled ahead of time (default: the machine's level).

use std::sync::{Arc, OnceLock};

use scythe_hal::{Backend, Compiler};

mod assertion;
mod barrier;
mod check;
mod chunk_scheduler;
mod copy;
mod cost;
mod debugger;
mod device;
mod device_info;
mod executor;
mod fault;
mod form;
mod futex;
mod gang;
mod graph;
mod host_tasks;
mod job;
mod launcher;
mod level;
mod loader;
mod memory;
mod node;
mod partition;
mod processors;
mod program;
mod queue;
mod ready;
mod sanitize;
mod stack;
mod threads;
mod tiling;
mod timeline;
mod variant;
mod virtual_memory;

#[cfg(test)]
mod tests;

/// Returns the file and the line of the source for an address of code whose object has debug
/// information. Tests give it damaged objects.
#[doc(hidden)]
pub fn line_of(object: &[u8], address: u64) -> Option<(String, u32)> {
    fault::find_line(object, address)
}

/// Returns the CPU backend, which is the same at every call. The compiler of the first call
/// compiles all device code.
pub fn backend(compiler: &'static dyn Compiler) -> Arc<dyn Backend> {
    static BACKEND: OnceLock<Arc<device::CpuBackend>> = OnceLock::new();
    BACKEND.get_or_init(|| Arc::new(device::CpuBackend::new(compiler))).clone()
}
