//! Memory with the same addresses on host and device: `cl_intel_unified_shared_memory` if the
//! driver supports it, otherwise the shared virtual memory of OpenCL 2.0. Without either, buffers
//! are memory objects (`objects`), and there is no shared memory.

use std::collections::HashMap;
use std::ffi::{CStr, c_void};
use std::ptr::null;
use std::sync::{Mutex, PoisonError};

use scythe_abi::environment::OPENCL_MEMORY;
use scythe_hal::{Errc, Error, Result, UsmKind};

use crate::api::{Api, Handle, check, failure};
use crate::objects::Objects;
use crate::queue::At;

/// The alignment that drivers support. For larger alignments, a larger block is allocated.
const DRIVER_ALIGN: usize = 128;

type AllocHost = unsafe extern "C" fn(Handle, *const u64, usize, u32, *mut i32) -> *mut c_void;
type AllocDevice =
    unsafe extern "C" fn(Handle, Handle, *const u64, usize, u32, *mut i32) -> *mut c_void;
type Free = unsafe extern "C" fn(Handle, *mut c_void) -> i32;
type Memcpy = unsafe extern "C" fn(
    Handle,
    u32,
    *mut c_void,
    *const c_void,
    usize,
    u32,
    *const Handle,
    *mut Handle,
) -> i32;
type Fill = unsafe extern "C" fn(
    Handle,
    *mut c_void,
    *const c_void,
    usize,
    usize,
    u32,
    *const Handle,
    *mut Handle,
) -> i32;
type SetArg = unsafe extern "C" fn(Handle, u32, *const c_void) -> i32;

/// The way in which a platform's devices share memory with the host.
pub(crate) struct Sharing {
    way: Way,
    memcpy: Memcpy,
    fill: Fill,
    set_arg: SetArg,
    /// Whether kernels may use any address without announcing it.
    any_address: bool,
    /// Blocks that start before the returned address, by the returned address.
    shifted: Mutex<HashMap<usize, usize>>,
    pub(crate) objects: Objects,
}

enum Way {
    Unified {
        host: AllocHost,
        device: AllocDevice,
        shared: AllocDevice,
        free: Free,
    },
    /// Shared virtual memory, with the flags of `clSVMAlloc` that the devices support.
    Virtual {
        flags: u64,
    },
    /// Only memory objects.
    Objects,
}

/// The user's choice between these ways: the value of [`OPENCL_MEMORY`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    Best,
    Virtual,
    Objects,
}

impl Choice {
    pub(crate) fn from_environment() -> Self {
        std::env::var(OPENCL_MEMORY.name)
            .ok()
            .and_then(|value| Self::parse(&value))
            .unwrap_or(Self::Best)
    }

    pub(crate) fn parse(value: &str) -> Option<Self> {
        match value {
            "" | "best" => Some(Self::Best),
            "virtual" => Some(Self::Virtual),
            "objects" => Some(Self::Objects),
            _ => None,
        }
    }
}

/// The extension that [`Sharing::unified`] needs.
pub(crate) const UNIFIED: &str = "cl_intel_unified_shared_memory";

const SVM_READ_WRITE: u64 = 1;
const SVM_FINE_GRAIN_BUFFER: u64 = 1 << 10;
const SVM_ATOMICS: u64 = 1 << 11;

impl Sharing {
    /// Shares memory by the extension's functions. Returns `None` if the platform lacks one of
    /// them.
    pub(crate) fn unified(api: &Api, platform: Handle) -> Option<Self> {
        let find = |name: &CStr| {
            // SAFETY: the platform belongs to this loader, and the name is a C string.
            let address = unsafe {
                (api.get_extension_function_address_for_platform)(platform, name.as_ptr())
            };
            (!address.is_null()).then_some(address)
        };
        let (host, device) = (find(c"clHostMemAllocINTEL")?, find(c"clDeviceMemAllocINTEL")?);
        let (shared, free) = (find(c"clSharedMemAllocINTEL")?, find(c"clMemFreeINTEL")?);
        let (memcpy, fill) = (find(c"clEnqueueMemcpyINTEL")?, find(c"clEnqueueMemFillINTEL")?);
        let set_arg = find(c"clSetKernelArgMemPointerINTEL")?;
        // SAFETY: the extension's functions of these names have these types.
        unsafe {
            Some(Self {
                way: Way::Unified {
                    host: std::mem::transmute::<*mut c_void, AllocHost>(host),
                    device: std::mem::transmute::<*mut c_void, AllocDevice>(device),
                    shared: std::mem::transmute::<*mut c_void, AllocDevice>(shared),
                    free: std::mem::transmute::<*mut c_void, Free>(free),
                },
                memcpy: std::mem::transmute::<*mut c_void, Memcpy>(memcpy),
                fill: std::mem::transmute::<*mut c_void, Fill>(fill),
                set_arg: std::mem::transmute::<*mut c_void, SetArg>(set_arg),
                any_address: false,
                shifted: Mutex::default(),
                objects: Objects::default(),
            })
        }
    }

    /// Shares memory by shared virtual memory that the host may access at any time. With `atomics`,
    /// host and device may access it at the same time.
    pub(crate) fn shared_virtual(api: &Api, atomics: bool) -> Self {
        let flags = SVM_READ_WRITE | SVM_FINE_GRAIN_BUFFER | if atomics { SVM_ATOMICS } else { 0 };
        Self { way: Way::Virtual { flags }, ..Self::by_objects(api) }
    }

    /// Uses only memory objects.
    pub(crate) fn by_objects(api: &Api) -> Self {
        Self {
            way: Way::Objects,
            memcpy: api.enqueue_svm_memcpy,
            fill: api.enqueue_svm_mem_fill,
            set_arg: api.set_kernel_arg_svm_pointer,
            any_address: false,
            shifted: Mutex::default(),
            objects: Objects::default(),
        }
    }

    /// Returns whether host and device use the same addresses.
    pub(crate) fn shares(&self) -> bool {
        !matches!(self.way, Way::Objects)
    }

    /// Returns whether memory is shared by the functions of [`UNIFIED`].
    pub(crate) fn is_unified(&self) -> bool {
        matches!(self.way, Way::Unified { .. })
    }

    /// Changes the way for devices whose kernels may use any address. Intel's runtime for CPUs
    /// keeps a list of the commands that use each unified allocation, and searches it for each
    /// command. An address that is not announced as such an allocation has no such cost.
    pub(crate) fn with_any_address(self, api: &Api) -> Self {
        Self { set_arg: api.set_kernel_arg_svm_pointer, any_address: true, ..self }
    }

    /// Allocates memory. `size` must not be 0, and `align` must be a power of two.
    pub(crate) fn alloc(
        &self,
        api: &Api,
        context: Handle,
        device: Handle,
        kind: UsmKind,
        size: usize,
        align: usize,
    ) -> Result<*mut c_void> {
        if let Way::Objects = self.way {
            return self.objects.alloc(api, context, size, align);
        }
        let exhausted = |why: &str| {
            Error::new(
                Errc::MemoryAllocation,
                format!("cannot allocate {size} bytes of {kind:?} memory: {why}"),
            )
        };
        let shift = if align > DRIVER_ALIGN { align } else { 0 };
        let whole = size
            .checked_add(shift)
            .ok_or_else(|| exhausted("the size exceeds the address space"))?;
        let driver_align = align.min(DRIVER_ALIGN) as u32;
        let mut code = 0;
        // SAFETY: the context and the device are alive, and the device belongs to the context.
        let block = unsafe {
            match &self.way {
                Way::Unified { host, device: on_device, shared, .. } => match kind {
                    UsmKind::Host => host(context, null(), whole, driver_align, &mut code),
                    UsmKind::Device => {
                        on_device(context, device, null(), whole, driver_align, &mut code)
                    }
                    UsmKind::Shared => {
                        shared(context, device, null(), whole, driver_align, &mut code)
                    }
                },
                Way::Virtual { flags } => (api.svm_alloc)(context, *flags, whole, driver_align),
                Way::Objects => std::ptr::null_mut(),
            }
        };
        if block.is_null() {
            let why = if code == 0 {
                "the driver is out of memory".to_owned()
            } else {
                failure(code, "it").message
            };
            return Err(exhausted(&why));
        }
        if shift == 0 {
            return Ok(block);
        }
        let address = (block as usize).next_multiple_of(align);
        self.shifted.lock().unwrap_or_else(PoisonError::into_inner).insert(address, block as usize);
        Ok(address as *mut c_void)
    }

    /// Frees memory.
    ///
    /// # Safety
    /// `ptr` came from [`Sharing::alloc`] with this context, is not freed yet, and no command uses
    /// it.
    pub(crate) unsafe fn free(&self, api: &Api, context: Handle, ptr: *mut c_void) {
        if self.objects.free(api, ptr) {
            return;
        }
        let block =
            self.shifted.lock().unwrap_or_else(PoisonError::into_inner).remove(&(ptr as usize));
        let block = block.map_or(ptr, |block| block as *mut c_void);
        // SAFETY: the caller guarantees that the block came from `alloc` with this context and that
        // no command uses it.
        unsafe {
            match &self.way {
                // On failure the block stays allocated, and nothing can be done about it.
                Way::Unified { free, .. } => drop(free(context, block)),
                Way::Virtual { .. } => (api.svm_free)(context, block),
                Way::Objects => {}
            }
        }
    }

    /// Enqueues a copy of `size` bytes, which must not be 0.
    ///
    /// # Safety
    /// The contract of `Queue::enqueue` holds for both ranges, and the queue and the events of `at`
    /// are alive.
    pub(crate) unsafe fn copy(
        &self,
        api: &Api,
        at: At<'_>,
        dst: *mut c_void,
        src: *const c_void,
        size: usize,
    ) -> Result<()> {
        let At { queue, event, .. } = at;
        let (count, waits) = at.list();
        // SAFETY: the caller guarantees that both ranges are valid and that the queue and the
        // events are alive.
        let code = unsafe {
            match (self.objects.find(dst), self.objects.find(src)) {
                (None, None) if self.shares() => {
                    return check(
                        (self.memcpy)(queue, 0, dst, src, size, count, waits, event),
                        "copying memory",
                    );
                }
                (None, None) => {
                    let message = "a device without shared memory cannot copy between host \
                        addresses";
                    return Err(Error::new(Errc::FeatureNotSupported, message));
                }
                (Some(to), None) => (api.enqueue_write_buffer)(
                    queue, to.raw, 0, to.offset, size, src, count, waits, event,
                ),
                (None, Some(from)) => (api.enqueue_read_buffer)(
                    queue,
                    from.raw,
                    0,
                    from.offset,
                    size,
                    dst,
                    count,
                    waits,
                    event,
                ),
                (Some(to), Some(from)) => {
                    let (source, target) = (from.offset, to.offset);
                    (api.enqueue_copy_buffer)(
                        queue, from.raw, to.raw, source, target, size, count, waits, event,
                    )
                }
            }
        };
        check(code, "copying a memory object")
    }

    /// Enqueues a fill of `size` bytes, which must not be 0. Drivers must support the pattern. The
    /// call copies it.
    ///
    /// # Safety
    /// As for [`Sharing::copy`].
    pub(crate) unsafe fn fill(
        &self,
        api: &Api,
        at: At<'_>,
        dst: *mut c_void,
        pattern: &[u8],
        size: usize,
    ) -> Result<()> {
        let At { queue, event, .. } = at;
        let ((count, waits), bytes) = (at.list(), pattern.as_ptr().cast());
        // SAFETY: the caller guarantees that the range is valid and that the queue and the events
        // are alive.
        let code = unsafe {
            match self.objects.find(dst) {
                Some(to) => {
                    let (width, offset) = (pattern.len(), to.offset);
                    (api.enqueue_fill_buffer)(
                        queue, to.raw, bytes, width, offset, size, count, waits, event,
                    )
                }
                None => (self.fill)(queue, dst, bytes, pattern.len(), size, count, waits, event),
            }
        };
        check(code, "filling memory")
    }

    /// Sets an argument of a kernel to an address.
    ///
    /// # Safety
    /// The kernel is alive and has an argument with this index.
    pub(crate) unsafe fn set_argument(
        &self,
        api: &Api,
        kernel: Handle,
        index: u32,
        address: *const c_void,
    ) -> Result<()> {
        let object = match self.objects.argument(api, address) {
            Some(object) => object?,
            None if self.shares() => {
                // SAFETY: the caller guarantees that the kernel is alive and has this argument.
                return check(unsafe { (self.set_arg)(kernel, index, address) }, "setting it");
            }
            None if address.is_null() => std::ptr::null_mut(),
            None => {
                let message = format!(
                    "{address:p} is not in an allocation of this device, which cannot access host \
                     memory"
                );
                return Err(Error::new(Errc::KernelArgument, message));
            }
        };
        // SAFETY: the caller guarantees that the kernel is alive and has this argument. The value
        // is a memory object or null.
        let code = unsafe {
            (api.set_kernel_arg)(
                kernel,
                index,
                size_of::<Handle>(),
                (&raw const object).cast::<c_void>(),
            )
        };
        check(code, "setting it")
    }

    /// Allows a kernel to access memory whose addresses are inside of its arguments.
    pub(crate) fn allow_indirect(&self, api: &Api, kernel: Handle) {
        const INDIRECT: [u32; 3] = [0x4200, 0x4201, 0x4202];
        if matches!(self.way, Way::Unified { .. }) && !self.any_address {
            let yes = 1u32;
            for name in INDIRECT {
                // A driver that does not know one of these numbers has no such memory.
                // SAFETY: the kernel is alive, and the value is a `cl_bool`.
                let _ = unsafe {
                    (api.set_kernel_exec_info)(
                        kernel,
                        name,
                        size_of::<u32>(),
                        (&raw const yes).cast(),
                    )
                };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_the_variable() {
        assert_eq!(Choice::parse("objects"), Some(Choice::Objects));
        assert_eq!(Choice::parse(""), Some(Choice::Best));
        assert_eq!(Choice::parse("usm"), None);
    }
}
