//! The device as the runtime sees it, with different numbers of threads.

mod graph;
mod kernels;
mod work;

use std::ffi::c_void;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use scythe_abi::capi::HostBox;
use scythe_abi::launch::Shape;
use scythe_hal::compiler::NoCompiler;
use scythe_hal::{Device, Event, FunctorBytes, HostKernelWork, Queue, Work};

use crate::device::CpuDevice;

fn device(threads: usize) -> CpuDevice {
    CpuDevice::new(Ok(threads), &NoCompiler)
}

fn queue(threads: usize) -> Arc<dyn Queue> {
    device(threads).create_queue(false).unwrap()
}

type HostKernelFn = unsafe extern "C" fn(*const c_void, *const HostBox);

/// A kernel of host mode whose functor is the address of `context`.
fn host_kernel<T: Sync>(
    call: HostKernelFn,
    context: &T,
    shape: Shape,
    size: [u64; 3],
    local: [u64; 3],
) -> Work {
    Work::HostKernel(Box::new(HostKernelWork {
        call,
        functor: FunctorBytes::new(&(std::ptr::from_ref(context) as usize).to_ne_bytes()),
        shape,
        global_size: size,
        local_size: local,
        global_offset: [0; 3],
    }))
}

/// What [`host_kernel`] was given.
///
/// # Safety
/// `functor` is that of a kernel made by `host_kernel` with a `T` that is still alive.
unsafe fn context<'a, T>(functor: *const c_void) -> &'a T {
    // SAFETY: the caller's contract.
    unsafe { &*functor.cast::<*const T>().read() }
}

/// Enqueues work; the tests wait for it before what it uses goes away.
fn enqueue(queue: &Arc<dyn Queue>, work: Work, deps: &[Arc<dyn Event>]) -> Arc<dyn Event> {
    // SAFETY: as said above.
    unsafe { queue.enqueue(work, deps, None) }.unwrap()
}

/// The object that the machine's C compiler makes of `source`.
pub(crate) fn compile_c(source: &str, flags: &[&str]) -> Vec<u8> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let name =
        format!("scythe-object-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let folder = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let (c, o) = (folder.join("a.c"), folder.join("a.o"));
    std::fs::write(&c, source).unwrap();
    let status = Command::new("cc").args(flags).arg("-c").arg("-o").arg(&o).arg(&c).status();
    let object = std::fs::read(&o);
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(status.unwrap().success(), "cc {flags:?}");
    object.unwrap()
}
