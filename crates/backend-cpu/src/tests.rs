//! Tests the device through the runtime's interface, with different numbers of threads.

mod graph;
mod kernels;
mod work;

use std::ffi::c_void;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use scythe_abi::capi::HostBox;
use scythe_abi::launch::Shape;
use scythe_hal::compiler::NoCompiler;
use scythe_hal::{Command, Device, Event, FunctorBytes, HostKernelWork, HostQueue, HostWork, Work};

use crate::device::CpuDevice;

fn device(threads: usize) -> CpuDevice {
    CpuDevice::new(Ok(threads), &NoCompiler)
}

fn queue(threads: usize) -> Arc<dyn HostQueue> {
    host_queue(&device(threads), false)
}

fn host_queue(device: &CpuDevice, profiling: bool) -> Arc<dyn HostQueue> {
    device.create_host_queue(profiling).unwrap().unwrap()
}

type HostKernelFn = unsafe extern "C" fn(*const c_void, *const HostBox);

/// Returns a kernel of host mode whose functor is the address of `context`.
fn host_kernel<T: Sync>(
    call: HostKernelFn,
    context: &T,
    shape: Shape,
    size: [u64; 3],
    local: [u64; 3],
) -> HostWork {
    HostWork::Kernel(Box::new(HostKernelWork {
        call,
        functor: FunctorBytes::new(&(std::ptr::from_ref(context) as usize).to_ne_bytes()),
        shape,
        global_size: size,
        local_size: local,
        global_offset: [0; 3],
    }))
}

/// Returns the context of a kernel that [`host_kernel`] made.
///
/// # Safety
/// `functor` belongs to a kernel that `host_kernel` made with a `T` that is still alive.
unsafe fn context<'a, T>(functor: *const c_void) -> &'a T {
    // SAFETY: the caller guarantees that the functor is the address of a live `T` (this function's
    // contract).
    unsafe { &*functor.cast::<*const T>().read() }
}

/// Work of a device or of the host.
trait AnyWork: Sized {
    /// # Safety
    /// As for `Queue::enqueue`.
    unsafe fn enqueue(
        queue: &dyn HostQueue,
        command: Command<'_, Self>,
    ) -> scythe_hal::Result<Arc<dyn Event>>;
}

impl AnyWork for Work {
    unsafe fn enqueue(
        queue: &dyn HostQueue,
        command: Command<'_>,
    ) -> scythe_hal::Result<Arc<dyn Event>> {
        // SAFETY: the caller guarantees the contract.
        unsafe { queue.enqueue(command) }
    }
}

impl AnyWork for HostWork {
    unsafe fn enqueue(
        queue: &dyn HostQueue,
        command: Command<'_, Self>,
    ) -> scythe_hal::Result<Arc<dyn Event>> {
        // SAFETY: the caller guarantees the contract.
        unsafe { queue.enqueue_host(command) }
    }
}

/// Enqueues work; the tests wait for it before what it uses goes away.
fn enqueue(
    queue: &Arc<dyn HostQueue>,
    work: impl AnyWork,
    deps: &[Arc<dyn Event>],
) -> Arc<dyn Event> {
    // SAFETY: as said above.
    unsafe { AnyWork::enqueue(&**queue, Command::new(work, deps)) }.unwrap()
}

/// Compiles `source` to an object with the machine's C compiler.
pub(crate) fn compile_c(source: &str, flags: &[&str]) -> Vec<u8> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let name =
        format!("scythe-object-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let folder = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let (c, o) = (folder.join("a.c"), folder.join("a.o"));
    std::fs::write(&c, source).unwrap();
    let status =
        process::Command::new("cc").args(flags).arg("-c").arg("-o").arg(&o).arg(&c).status();
    let object = std::fs::read(&o);
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(status.unwrap().success(), "cc {flags:?}");
    object.unwrap()
}
