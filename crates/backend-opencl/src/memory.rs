//! Memory that host and device name by the same addresses: `cl_intel_unified_shared_memory` where
//! the driver has it, else the shared virtual memory of OpenCL 2.0. Without either, buffers are
//! memory objects (`objects`), and there is no shared memory.

use std::collections::HashMap;
use std::ffi::{CStr, c_void};
use std::ptr::null;
use std::sync::{Mutex, PoisonError};

use scythe_abi::environment::OPENCL_MEMORY;
use scythe_hal::{Errc, Error, Result, UsmKind};

use crate::api::{Api, Handle, check, failure};
use crate::objects::Objects;
use crate::queue::At;

/// Alignments up to this one are the driver's business; for larger ones, more is allocated.
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

/// How a platform's devices share memory with the host.
pub(crate) struct Sharing {
    way: Way,
    memcpy: Memcpy,
    fill: Fill,
    set_arg: SetArg,
    /// Kernels may use any address, and need not be told which.
    any_address: bool,
    /// Blocks that start before the address that was given out.
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
    /// The flags of `clSVMAlloc` that the devices allow.
    Virtual {
        flags: u64,
    },
    /// Memory objects only.
    Objects,
}

/// Which of them to use: the value of [`OPENCL_MEMORY`].
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
    /// By the extension's functions; `None` where the platform lacks one.
    pub(crate) fn unified(api: &Api, platform: Handle) -> Option<Self> {
        let find = |name: &CStr| {
            // SAFETY: a platform of this loader, and a C string.
            let address = unsafe {
                (api.get_extension_function_address_for_platform)(platform, name.as_ptr())
            };
            (!address.is_null()).then_some(address)
        };
        let (host, device) = (find(c"clHostMemAllocINTEL")?, find(c"clDeviceMemAllocINTEL")?);
        let (shared, free) = (find(c"clSharedMemAllocINTEL")?, find(c"clMemFreeINTEL")?);
        let (memcpy, fill) = (find(c"clEnqueueMemcpyINTEL")?, find(c"clEnqueueMemFillINTEL")?);
        let set_arg = find(c"clSetKernelArgMemPointerINTEL")?;
        // SAFETY: the extension gives the functions of these names these types.
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

    /// By shared virtual memory that the host may use at any time; `atomics` where at the same time
    /// as the device.
    pub(crate) fn shared_virtual(api: &Api, atomics: bool) -> Self {
        let flags = SVM_READ_WRITE | SVM_FINE_GRAIN_BUFFER | if atomics { SVM_ATOMICS } else { 0 };
        Self { way: Way::Virtual { flags }, ..Self::by_objects(api) }
    }

    /// By memory objects alone.
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

    /// Host and device name memory by the same addresses.
    pub(crate) fn shares(&self) -> bool {
        !matches!(self.way, Way::Objects)
    }

    /// By the functions of [`UNIFIED`].
    pub(crate) fn is_unified(&self) -> bool {
        matches!(self.way, Way::Unified { .. })
    }

    /// For devices whose kernels may use any address. Intel's runtime for CPUs keeps a list of the
    /// commands that use each unified allocation, and searches it for each of them; an address that
    /// is not announced as one costs nothing.
    pub(crate) fn with_any_address(self, api: &Api) -> Self {
        Self { set_arg: api.set_kernel_arg_svm_pointer, any_address: true, ..self }
    }

    /// `size` > 0; `align` is a power of two.
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
        // SAFETY: context and device are alive, and the device is the context's.
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
        // SAFETY: the caller's contract.
        unsafe {
            match &self.way {
                // A failure leaves the block allocated; nobody can do anything about it.
                Way::Unified { free, .. } => drop(free(context, block)),
                Way::Virtual { .. } => (api.svm_free)(context, block),
                Way::Objects => {}
            }
        }
    }

    /// Enqueues a copy of `size` > 0 bytes.
    ///
    /// # Safety
    /// The contract of `Queue::enqueue` for both ranges; queue and events of `at` are alive.
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
        // SAFETY: the caller's contract.
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

    /// Enqueues a fill of `size` > 0 bytes; the pattern is one that drivers know, and copied by the
    /// call.
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
        // SAFETY: the caller's contract.
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

    /// Makes an address the argument of a kernel.
    ///
    /// # Safety
    /// The kernel is alive, and has an argument of this number.
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
                // SAFETY: the caller's contract.
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
        // SAFETY: the caller's contract; the value is a memory object, or null.
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

    /// Lets a kernel reach memory whose addresses stand inside of its arguments.
    pub(crate) fn allow_indirect(&self, api: &Api, kernel: Handle) {
        const INDIRECT: [u32; 3] = [0x4200, 0x4201, 0x4202];
        if matches!(self.way, Way::Unified { .. }) && !self.any_address {
            let yes = 1u32;
            for name in INDIRECT {
                // A driver that does not know one of them has no such memory.
                // SAFETY: the kernel is alive; the value is a `cl_bool`.
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
