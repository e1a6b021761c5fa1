//! Contexts, and the unified shared memory that belongs to them.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use scythe_hal::{self as hal, UsmKind};

use crate::platform::Device;
use crate::{Errc, Result, device_global, invalid, lock, registry};

/// What an alignment of 0 asks for: enough for any type of the headers (`vec<double, 16>`).
const LARGEST_ALIGNMENT: usize = 128;

/// A set of devices, and the allocations made for them.
///
/// Allocations that a program does not free stay valid until the process ends: commands may still
/// use them.
pub struct Context {
    /// Unique in the process, and not 0.
    pub id: u64,
    devices: Vec<Member>,
    /// The driver's own, where the program gave one.
    native: Option<NativeContext>,
    /// By address.
    allocations: Mutex<BTreeMap<usize, Allocation>>,
}

/// A device of a context.
#[derive(Clone, Copy)]
struct Member {
    /// As programs know it.
    known: &'static Device,
    /// What commands are given to: another one where the context is the program's own.
    actual: &'static Device,
}

/// A context of the driver's, which is never released: devices were made for it.
struct NativeContext(hal::Native);

// SAFETY: drivers' contexts may be used by any thread, and by many at once.
unsafe impl Send for NativeContext {}
// SAFETY: as above.
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
        Ok(Self { id: next_id(), devices, native: None, allocations: Mutex::default() })
    }

    /// The context of the driver's that the program made itself, with those of `devices` that it
    /// holds.
    ///
    /// # Safety
    /// `native` is a context of the devices' driver, alive.
    pub unsafe fn from_native(devices: &[&'static Device], native: hal::Native) -> Result<Self> {
        let mut members = Vec::new();
        for &known in devices {
            // SAFETY: passed on.
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
        })
    }

    /// The devices, as programs know them.
    pub fn devices(&self) -> impl Iterator<Item = &'static Device> {
        self.devices.iter().map(|member| member.known)
    }

    /// What commands of this context for `device` are given to; `None` where neither it nor a
    /// device that it is a part of is in the context.
    pub fn actual(&self, device: &'static Device) -> Option<&'static Device> {
        let member = self
            .devices
            .iter()
            .find(|member| member.known.id == device.id || member.actual.id == device.id);
        let within = || self.devices.iter().any(|member| device.is_within(member.known));
        member.map(|member| member.actual).or_else(|| within().then_some(device))
    }

    /// The first device's: what stands for the context where a device is needed.
    pub fn first(&self) -> &'static Device {
        self.devices[0].actual
    }

    /// The driver's own context, with a count for the caller.
    pub fn to_native(&self) -> Result<hal::Native> {
        let own = self.first().interop()?.native(hal::NativeKind::Context)?;
        debug_assert!(self.native.as_ref().is_none_or(|native| std::ptr::eq(native.0, own)));
        Ok(own)
    }

    /// The device that `device` stands for: itself where it is of this context, the first where
    /// none is named.
    fn pick(&self, device: Option<&'static Device>) -> Result<&'static Device> {
        let Some(device) = device else { return Ok(self.first()) };
        self.actual(device)
            .ok_or_else(|| invalid(format!("device '{}' is not in the context", device.name())))
    }

    /// Allocates; null when memory is exhausted.
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
        // Different allocations have different addresses, also of nothing.
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

    /// Frees what [`Context::alloc`] returned; null is fine.
    ///
    /// # Safety
    /// No command uses the allocation.
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
        // SAFETY: the entry says which device allocated it and how; taking it out makes this the
        // only free.
        unsafe { allocation.device.hal.free(allocation.kind, ptr) };
        Ok(())
    }

    /// The allocation that holds `ptr`, also in its middle.
    pub fn query(&self, ptr: *const c_void) -> Option<(UsmKind, &'static Device)> {
        let at = ptr as usize;
        let allocations = lock(&self.allocations);
        let (base, allocation) = allocations.range(..=at).next_back()?;
        (at - base < allocation.size).then_some((allocation.kind, allocation.device.known_as()))
    }
}
