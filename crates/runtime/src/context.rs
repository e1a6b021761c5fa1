//! Contexts and the unified shared memory that belongs to them.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use scythe_abi::aspect::Aspect;
use scythe_hal::{self as hal, UsmKind};

use crate::platform::Device;
use crate::virtual_memory::{self, Space};
use crate::{Errc, Error, Result, device_global, invalid, lock, registry};

/// The alignment for requests of 0: sufficient for any type of the headers (`vec<double, 16>`).
const LARGEST_ALIGNMENT: usize = 128;

/// A set of devices and the allocations for them.
///
/// Allocations that a program does not free stay valid until the process ends, because commands may
/// still use them.
pub struct Context {
    /// The identifier, unique in the process and not 0.
    pub id: u64,
    devices: Vec<Member>,
    /// The native context, if the program provided one.
    native: Option<NativeContext>,
    /// The allocations, indexed by address.
    allocations: Mutex<BTreeMap<usize, Allocation>>,
    /// The reserved addresses.
    pub(crate) space: Space,
}

/// A device of a context.
#[derive(Clone, Copy)]
struct Member {
    /// The device that programs see.
    known: &'static Device,
    /// The device that executes commands. It differs from `known` if the program provided the
    /// native context.
    actual: &'static Device,
}

/// A native context. It is never released, because devices were created for it.
struct NativeContext(hal::Native);

// SAFETY: any thread may use a driver's context, and several threads may use it at once.
unsafe impl Send for NativeContext {}
// SAFETY: several threads may use a driver's context at once, as stated for `Send`.
unsafe impl Sync for NativeContext {}

#[derive(Clone, Copy)]
struct Allocation {
    size: usize,
    kind: UsmKind,
    device: &'static Device,
    /// Whether the memory belongs to the program, which registered it.
    registered: bool,
}

fn next_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Drop for Context {
    fn drop(&mut self) {
        registry::forget_context(self.id);
        device_global::forget_context(self.id);
    }
}

impl Context {
    pub fn new(devices: Vec<&'static Device>) -> Result<Self> {
        if devices.is_empty() {
            return Err(invalid("a context needs at least one device, but none was given"));
        }
        let devices =
            devices.into_iter().map(|device| Member { known: device, actual: device }).collect();
        Ok(Self {
            id: next_id(),
            devices,
            native: None,
            allocations: Mutex::default(),
            space: Space::default(),
        })
    }

    /// Creates a context from a native context that the program created. It contains those of
    /// `devices` that the native context contains.
    ///
    /// # Safety
    /// `native` must be a live context of the driver of the devices.
    pub unsafe fn from_native(devices: &[&'static Device], native: hal::Native) -> Result<Self> {
        let mut members = Vec::new();
        for &known in devices {
            // SAFETY: the caller guarantees that `native` is a live context of the devices' driver.
            if let Some(actual) = unsafe { known.in_native_context(native) }? {
                members.push(Member { known, actual });
            }
        }
        if members.is_empty() {
            return Err(invalid(format!(
                "the native context {native:p} contains no SYCL device; check whether {} hides its \
                 devices",
                crate::selection::VARIABLE
            )));
        }
        Ok(Self {
            id: next_id(),
            devices: members,
            native: Some(NativeContext(native)),
            allocations: Mutex::default(),
            space: Space::default(),
        })
    }

    /// Returns the devices that programs see.
    pub fn devices(&self) -> impl Iterator<Item = &'static Device> {
        self.devices.iter().map(|member| member.known)
    }

    /// Returns the device that executes the commands of this context for `device`. Returns `None`
    /// if the context contains neither `device` nor a device of which it is a part.
    pub fn actual(&self, device: &'static Device) -> Option<&'static Device> {
        let member = self
            .devices
            .iter()
            .find(|member| member.known.id == device.id || member.actual.id == device.id);
        let within = || self.devices.iter().any(|member| device.is_within(member.known));
        member.map(|member| member.actual).or_else(|| within().then_some(device))
    }

    /// Returns the first device. It represents the context in calls that need a device.
    pub fn first(&self) -> &'static Device {
        self.devices[0].actual
    }

    /// Returns the native context. The caller owns one reference.
    pub fn to_native(&self) -> Result<hal::Native> {
        let own = self.first().interop()?.native(hal::NativeKind::Context)?;
        debug_assert!(self.native.as_ref().is_none_or(|native| std::ptr::eq(native.0, own)));
        Ok(own)
    }

    /// Returns the device to use for `device`: the device itself if it belongs to this context, or
    /// the first device if `device` is `None`.
    pub(crate) fn pick(&self, device: Option<&'static Device>) -> Result<&'static Device> {
        let Some(device) = device else { return Ok(self.first()) };
        self.actual(device)
            .ok_or_else(|| invalid(format!("device '{}' is not in the context", device.name())))
    }

    /// Allocates memory. Returns null if the memory is exhausted.
    pub fn alloc(
        &self,
        device: Option<&'static Device>,
        kind: UsmKind,
        size: usize,
        align: usize,
    ) -> Result<*mut c_void> {
        let align = if align == 0 { LARGEST_ALIGNMENT } else { align };
        if !align.is_power_of_two() {
            return Err(invalid(format!(
                "the alignment {align} of an allocation is not a power of two"
            )));
        }
        if device.is_none() && kind != UsmKind::Host {
            return Err(invalid("device and shared allocations need a device, but none was given"));
        }
        let device = self.pick(device)?;
        if size as u64 > device.hal.info().global_mem_size {
            return Ok(std::ptr::null_mut());
        }
        // Different allocations must have different addresses, even if their size is 0.
        let size = size.max(1);
        match device.hal.alloc(kind, size, align) {
            Ok(ptr) => {
                lock(&self.allocations)
                    .insert(ptr as usize, Allocation { size, kind, device, registered: false });
                Ok(ptr)
            }
            Err(error) if error.code == Errc::MemoryAllocation => Ok(std::ptr::null_mut()),
            Err(error) => Err(error),
        }
    }

    /// Frees an allocation of [`Context::alloc`]. Null has no effect.
    ///
    /// # Safety
    /// No command may use the allocation.
    pub unsafe fn free(&self, ptr: *mut c_void) -> Result<()> {
        if ptr.is_null() {
            return Ok(());
        }
        let mut allocations = lock(&self.allocations);
        let owned = allocations.get(&(ptr as usize)).is_some_and(|found| !found.registered);
        let found = if owned { allocations.remove(&(ptr as usize)) } else { None };
        drop(allocations);
        let Some(allocation) = found else {
            return Err(invalid(format!(
                "cannot free {ptr:p}: it is not the start of a live allocation of this context"
            )));
        };
        // SAFETY: the entry records the device that made the allocation and the kind. Removing the
        // entry ensures that the allocation is freed only once.
        unsafe { allocation.device.hal.free(allocation.kind, ptr) };
        Ok(())
    }

    /// Makes memory of the program an allocation of kind host.
    ///
    /// # Safety
    /// The memory stays valid until [`Context::unregister_host`].
    pub unsafe fn register_host(&self, start: usize, size: usize, read_only: bool) -> Result<()> {
        const CALL: &str = "register_host_memory";
        self.check_registers(CALL)?;
        // SAFETY: `sysconf` takes no pointers and has no preconditions.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096);
        let end = start.checked_add(size).filter(|_| start != 0 && size != 0);
        let pages = start.is_multiple_of(page) && size.is_multiple_of(page);
        let Some(end) = end.filter(|_| pages) else {
            return Err(invalid(format!(
                "{CALL}: {size} bytes at {start:#x} are no pages: address and size must be \
                 multiples of {page}, and not 0"
            )));
        };
        let mut allocations = lock(&self.allocations);
        let before = allocations.range(..end).next_back();
        if before.is_some_and(|(&at, found)| at + found.size > start) {
            return Err(Error::new(
                Errc::Runtime,
                format!(
                    "{CALL}: a part of the {size} bytes at {start:#x} is an allocation of this \
                     context, or is registered already"
                ),
            ));
        }
        let device = self.first();
        // SAFETY: the memory stays valid (this function's contract).
        unsafe { device.hal.register_host(start, size, read_only) }
            .map_err(|error| Error::new(Errc::Runtime, format!("{CALL}: {}", error.message)))?;
        let kind = UsmKind::Host;
        allocations.insert(start, Allocation { size, kind, device, registered: true });
        Ok(())
    }

    /// Ends a registration.
    ///
    /// # Safety
    /// No command uses the memory.
    pub unsafe fn unregister_host(&self, start: usize) -> Result<()> {
        const CALL: &str = "unregister_host_memory";
        self.check_registers(CALL)?;
        let mut allocations = lock(&self.allocations);
        if !allocations.get(&start).is_some_and(|found| found.registered) {
            return Err(Error::new(
                Errc::Runtime,
                format!("{CALL}: no memory at {start:#x} is registered with this context"),
            ));
        }
        // SAFETY: the memory was registered, and no command uses it (this function's contract).
        unsafe { self.first().hal.unregister_host(start) }?;
        allocations.remove(&start);
        Ok(())
    }

    /// Returns an error unless all devices can register memory of the host.
    fn check_registers(&self, call: &str) -> Result<()> {
        for device in self.devices() {
            let has = |aspect: Aspect| device.hal.info().aspects.contains(&(aspect as u32));
            if !has(Aspect::ExtOneapiRegisterHostMemory) && !has(Aspect::UsmSystemAllocations) {
                return Err(Error::new(
                    Errc::FeatureNotSupported,
                    format!(
                        "{call}: device '{}' does not support \
                         sycl_ext_oneapi_register_host_memory; check \
                         aspect::ext_oneapi_register_host_memory",
                        device.name()
                    ),
                ));
            }
        }
        Ok(())
    }

    /// Tells the devices that host memory will be copied often, or no longer. Both are hints, so
    /// failures are ignored.
    ///
    /// # Safety
    /// The memory stays valid until the call with `size` 0.
    pub unsafe fn prepare_host(&self, start: usize, size: usize) {
        let device = &self.first().hal;
        if device.shares_host_memory() || start == 0 {
            return;
        }
        // SAFETY: the memory stays valid until the end of the registration (this function's
        // contract). Commands that run meanwhile use the memory in either state.
        let _ = unsafe {
            match size {
                0 => device.unregister_host(start),
                _ => device.register_host(start, size, false),
            }
        };
    }

    /// Returns the kind and the device of the allocation that contains `ptr`, which may point into
    /// its middle. Mapped memory of a device counts as a device allocation.
    pub fn query(&self, ptr: *const c_void) -> Option<(UsmKind, &'static Device)> {
        let at = ptr as usize;
        let allocations = lock(&self.allocations);
        let found = allocations.range(..=at).next_back();
        if let Some((_, found)) = found.filter(|(base, found)| at - *base < found.size) {
            return Some((found.kind, found.device.known_as()));
        }
        drop(allocations);
        let device = virtual_memory::device_of(&self.space, at)?;
        Some((UsmKind::Device, device.known_as()))
    }
}
