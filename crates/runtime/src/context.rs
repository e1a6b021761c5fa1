//! Contexts and the unified shared memory that belongs to them.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use scythe_hal::{self as hal, UsmKind};

use crate::platform::Device;
use crate::virtual_memory::{self, Space};
use crate::{Errc, Result, device_global, invalid, lock, registry};

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
                lock(&self.allocations).insert(ptr as usize, Allocation { size, kind, device });
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
        let found = lock(&self.allocations).remove(&(ptr as usize));
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
