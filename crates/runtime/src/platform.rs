//! Platforms and devices: those of the backends, with the state that the runtime adds.
//!
//! They live until the process ends; their handles are plain addresses.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use scythe_hal::{self as hal, BackendKind};
use scythe_jit_client::CLIENT;

use crate::demangle::symbol_name;
use crate::dispatch::{BackendQueue, HostBackendQueue};
use crate::event::Origin;
use crate::selection::{Candidate, Selector};
use crate::{Errc, Error, Result, exit, gpus, lock, selection, settings, simulate, timeline};

/// The next identifier of a device or an origin.
static NEXT_ID: AtomicU32 = AtomicU32::new(1);

/// The platform of one backend.
pub struct Platform {
    pub backend: Arc<dyn hal::Backend>,
    /// The devices that the program sees.
    devices: OnceLock<Vec<&'static Device>>,
}

impl Platform {
    pub fn devices(&self) -> &[&'static Device] {
        self.devices.get().map_or(&[], Vec::as_slice)
    }
}

/// A device of a backend.
pub struct Device {
    /// The identifier, unique in the process.
    pub id: u32,
    /// The index among the devices of its backend, including those that programs do not see.
    pub index: u32,
    pub platform: &'static Platform,
    pub hal: Arc<dyn hal::Device>,
    origin: Origin,
    /// The queues without and with profiling. Backends order commands by events only, so all SYCL
    /// queues of a device share these.
    queues: [OnceLock<Arc<dyn hal::Queue>>; 2],
    /// The same for host code.
    host_queues: [OnceLock<Arc<dyn hal::HostQueue>>; 2],
    /// The device whose backend runs host tasks and the kernels of host mode.
    host: OnceLock<&'static Device>,
    /// The device that programs see, if this device represents it in a native context of the
    /// program.
    base: Option<&'static Device>,
    /// The device of which this is a part, and how it was partitioned.
    whole: Option<(&'static Device, hal::Partition)>,
}

/// All platforms and devices that the program sees.
#[derive(Clone, Default)]
pub struct Runtime {
    pub platforms: Vec<&'static Platform>,
    pub devices: Vec<&'static Device>,
    /// Reasons why there are no more devices: drivers that cannot be used, and devices that the
    /// selector hides.
    pub problems: Vec<String>,
    /// The device that runs host tasks.
    host: Option<&'static Device>,
    /// The number of devices found for each kind of backend, including hidden ones.
    counts: [u32; 4],
}

impl Runtime {
    /// Returns the platforms and devices that programs see: the built-in CPU, which is always
    /// present, or devices that it simulates, the OpenCL devices and the NVIDIA GPUs.
    /// `ONEAPI_DEVICE_SELECTOR` can hide any of them.
    pub fn get() -> Result<&'static Self> {
        static RUNTIME: OnceLock<Result<Runtime>> = OnceLock::new();
        let runtime = RUNTIME.get_or_init(|| {
            let mut runtime = Self::built_in()?.clone();
            runtime.look_for_drivers(&Selector::from_environment()?)?;
            Ok(runtime)
        });
        runtime.as_ref().map_err(Clone::clone)
    }

    /// Returns only the built-in CPU or the devices that it simulates, without loading a driver.
    fn built_in() -> Result<&'static Self> {
        static RUNTIME: OnceLock<Result<Runtime>> = OnceLock::new();
        let runtime = RUNTIME.get_or_init(|| {
            settings::check()?;
            timeline::start();
            exit::arrange();
            Self::without_drivers(&Selector::from_environment()?)
        });
        runtime.as_ref().map_err(Clone::clone)
    }

    /// Returns the device that the default selector, or the CPU selector, chooses, if this is
    /// certain without loading a driver. Returns `None` if drivers must be loaded. The built-in CPU
    /// precedes all other CPUs, so only a GPU can precede it. If the system has no device file of a
    /// GPU, there is no GPU.
    pub fn quick_default(only_cpus: bool) -> Result<Option<&'static Device>> {
        let told = [selection::VARIABLE, simulate::VARIABLE]
            .iter()
            .any(|name| std::env::var_os(name).is_some());
        if told || (!only_cpus && gpus::may_exist()) {
            return Ok(None);
        }
        Ok(Self::built_in()?.devices.first().copied())
    }

    /// Returns all platforms and devices, regardless of `ONEAPI_DEVICE_SELECTOR`.
    pub fn unfiltered() -> Result<&'static Self> {
        static RUNTIME: OnceLock<Result<Runtime>> = OnceLock::new();
        let discover = || {
            let mut runtime = Self::without_drivers(&Selector::default())?;
            runtime.look_for_drivers(&Selector::default())?;
            Ok(runtime)
        };
        RUNTIME.get_or_init(discover).as_ref().map_err(Clone::clone)
    }

    fn without_drivers(selector: &Selector) -> Result<Self> {
        Self::with_selector(
            vec![simulate::as_environment_says(scythe_backend_cpu::backend(&CLIENT))?],
            selector,
        )
    }

    fn look_for_drivers(&mut self, selector: &Selector) -> Result<()> {
        let (mut backends, mut problems) = (Vec::new(), Vec::new());
        if selector.may_see(BackendKind::OpenCl) {
            let found = scythe_backend_opencl::discover(&CLIENT);
            backends.extend(found.backends);
            problems = found.problems;
        }
        if selector.may_see(BackendKind::Cuda) {
            let services =
                scythe_backend_cuda::Services { compiler: &CLIENT, kernel_name: symbol_name };
            let found = scythe_backend_cuda::discover(services);
            backends.extend(found.backends);
            problems.extend(found.problems);
        }
        self.problems = problems;
        self.add(backends, selector)
    }

    /// Returns the reasons why a program sees no device, in one sentence.
    pub fn why_no_device(&self) -> String {
        let selector = match std::env::var_os(selection::VARIABLE) {
            Some(value) => format!("{} is '{}'", selection::VARIABLE, value.to_string_lossy()),
            None => format!("{} is not set", selection::VARIABLE),
        };
        [&[selector], &self.problems[..]].concat().join("; ")
    }

    /// Creates a runtime on these backends. One of them must be able to run host tasks. Platforms
    /// and devices are never freed.
    pub fn new(backends: Vec<Arc<dyn hal::Backend>>) -> Result<Self> {
        Self::with_selector(backends, &Selector::default())
    }

    /// Creates a runtime with only those devices that the selector accepts. Host tasks can still
    /// run on a hidden device.
    fn with_selector(backends: Vec<Arc<dyn hal::Backend>>, selector: &Selector) -> Result<Self> {
        let mut runtime = Self::default();
        runtime.add(backends, selector)?;
        Ok(runtime)
    }

    fn add(&mut self, backends: Vec<Arc<dyn hal::Backend>>, selector: &Selector) -> Result<()> {
        let first = self.devices.len();
        for backend in backends {
            let (kind, origin) = (backend.kind(), Origin(NEXT_ID.fetch_add(1, Ordering::Relaxed)));
            let mut candidates = Vec::new();
            for hal in backend.devices() {
                let index = self.counts[kind as usize];
                self.counts[kind as usize] += 1;
                let seen = selector.sees(Candidate {
                    backend: kind,
                    device_type: hal.info().device_type,
                    index,
                });
                candidates.push((hal.clone(), index, seen));
            }
            let count = candidates.iter().filter(|(_, _, seen)| *seen).count();
            let platform: &'static Platform =
                Box::leak(Box::new(Platform { backend, devices: OnceLock::new() }));
            if count > 0 || candidates.is_empty() {
                self.platforms.push(platform);
            }
            let mut members = Vec::with_capacity(count);
            for (hal, index, seen) in candidates {
                let device: &'static Device =
                    Box::leak(Box::new(Device::new(platform, index, hal, origin)));
                if seen {
                    members.push(device);
                }
                if matches!(kind, BackendKind::Cpu | BackendKind::Host) {
                    self.host.get_or_insert(device);
                }
            }
            self.devices.extend_from_slice(&members);
            // The cell is new, so setting it succeeds.
            let _ = platform.devices.set(members);
        }
        let host = self.host.ok_or_else(|| {
            Error::new(Errc::Platform, "host tasks need the CPU backend, but it is not available")
        })?;
        for device in &self.devices[first..] {
            // Each cell is new, so setting it succeeds.
            let _ = device.host.set(host);
        }
        Ok(())
    }
}

impl Device {
    fn new(
        platform: &'static Platform,
        index: u32,
        hal: Arc<dyn hal::Device>,
        origin: Origin,
    ) -> Self {
        let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
        let queues = [OnceLock::new(), OnceLock::new()];
        Self {
            id,
            index,
            platform,
            hal,
            origin,
            queues,
            host_queues: [OnceLock::new(), OnceLock::new()],
            host: OnceLock::new(),
            base: None,
            whole: None,
        }
    }

    /// Creates a variant of this device with a different origin: commands of the two devices cannot
    /// wait for each other's events directly.
    fn beside(&'static self, hal: Arc<dyn hal::Device>) -> Self {
        let origin = Origin(NEXT_ID.fetch_add(1, Ordering::Relaxed));
        Self {
            host: OnceLock::from(self.host()),
            ..Self::new(self.platform, self.index, hal, origin)
        }
    }

    /// Returns the backend queue that receives the commands for this device.
    pub fn backend_queue(&self, profiling: bool) -> Result<BackendQueue> {
        let profiling = profiling || timeline::is_on();
        let cell = &self.queues[usize::from(profiling)];
        let queue = made_once(cell, || {
            self.name_in_timeline();
            if self.platform.backend.kind() != BackendKind::Cpu {
                // Drivers and their queues do not survive a fork. The CPU device says so itself
                // when it starts threads.
                hal::fork::forbid();
            }
            self.hal.create_queue(profiling)
        })?;
        Ok(BackendQueue { queue, origin: self.origin, device: self.id })
    }

    /// Where host code goes, if this device runs it.
    pub fn host_backend_queue(&self, profiling: bool) -> Result<HostBackendQueue> {
        let profiling = profiling || timeline::is_on();
        let cell = &self.host_queues[usize::from(profiling)];
        let queue = made_once(cell, || {
            self.name_in_timeline();
            self.hal.create_host_queue(profiling)?.ok_or_else(|| {
                let message = format!("device '{}' cannot run host tasks", self.name());
                Error::new(Errc::Runtime, message)
            })
        })?;
        Ok(HostBackendQueue { queue, origin: self.origin, device: self.id })
    }

    fn name_in_timeline(&self) {
        timeline::name_device(self.id, self.platform.backend.kind(), self.index, self.name());
    }

    /// The device whose backend runs host tasks.
    pub fn host(&'static self) -> &'static Device {
        self.host.get().copied().unwrap_or(self)
    }

    pub fn name(&self) -> &str {
        &self.hal.info().name
    }

    /// Returns the device that programs see.
    pub fn known_as(&'static self) -> &'static Device {
        self.base.unwrap_or(self)
    }

    /// Returns this device in a native context, or `None` if the context does not contain it. One
    /// device is created for each context. It is never freed, like the context.
    ///
    /// # Safety
    /// `native` must be a live context of the device's driver.
    pub unsafe fn in_native_context(
        &'static self,
        native: hal::Native,
    ) -> Result<Option<&'static Device>> {
        static MADE: Mutex<Vec<(u32, usize, &'static Device)>> = Mutex::new(Vec::new());
        let mut made = lock(&MADE);
        if let Some((_, _, device)) =
            made.iter().find(|(id, at, _)| *id == self.id && *at == native as usize)
        {
            return Ok(Some(device));
        }
        // SAFETY: the caller guarantees that `native` is a live context of the device's driver.
        let hal = match unsafe { self.interop()?.in_native_context(native) }? {
            hal::InContext::Own => return Ok(Some(self)),
            hal::InContext::Absent => return Ok(None),
            hal::InContext::Other(hal) => hal,
        };
        // Drivers do not let commands of one context wait for events of another, so the device has
        // its own origin.
        let device = Device { base: Some(self), whole: self.whole.clone(), ..self.beside(hal) };
        let device: &'static Device = Box::leak(Box::new(device));
        made.push((self.id, native as usize, device));
        Ok(Some(device))
    }

    /// Returns access to the native objects of the device's driver. Returns a `BackendMismatch`
    /// error if the backend has no driver.
    pub fn interop(&self) -> Result<&dyn hal::Interop> {
        self.hal.interop().ok_or_else(|| hal::native::none("device"))
    }

    /// Returns the memory object of an address of this device; the caller owns one reference.
    /// Returns `None` if the address has no memory object.
    pub fn memory_to_native(&self, ptr: *mut c_void) -> Result<Option<hal::Native>> {
        self.hal.interop().map_or(Ok(None), |interop| interop.memory_to_native(ptr))
    }

    /// Releases an object that [`Device::memory_to_native`] returned.
    pub fn release_native_memory(&self, memory: hal::Native) {
        if let Some(interop) = self.hal.interop() {
            interop.release_native_memory(memory);
        }
    }

    /// Returns the device of which this is a part, and how it was partitioned.
    pub fn whole(&self) -> Option<&(&'static Device, hal::Partition)> {
        self.whole.as_ref()
    }

    /// Returns whether this device is `device` or a direct or indirect part of it.
    pub fn is_within(&self, device: &Device) -> bool {
        self.id == device.id
            || self.whole.as_ref().is_some_and(|(whole, _)| whole.is_within(device))
    }

    /// Partitions this device. The parts are never freed, so partitioning it again in the same way
    /// returns the same parts.
    pub fn partition(&'static self, how: &hal::Partition) -> Result<Vec<&'static Device>> {
        static MADE: Mutex<Vec<(u32, hal::Partition, Vec<&'static Device>)>> =
            Mutex::new(Vec::new());
        how.check(self.hal.info(), &self.hal.partitions())?;
        let mut made = lock(&MADE);
        if let Some((_, _, parts)) =
            made.iter().find(|(id, other, _)| *id == self.id && other == how)
        {
            return Ok(parts.clone());
        }
        let part = |hal: Arc<dyn hal::Device>| -> &'static Device {
            Box::leak(Box::new(Device { whole: Some((self, how.clone())), ..self.beside(hal) }))
        };
        let parts: Vec<_> = self.hal.partition(how)?.into_iter().map(part).collect();
        made.push((self.id, how.clone(), parts.clone()));
        Ok(parts)
    }
}

/// The value of `cell`. The first call that succeeds makes it.
fn made_once<T: Clone>(cell: &OnceLock<T>, make: impl FnOnce() -> Result<T>) -> Result<T> {
    match cell.get() {
        Some(value) => Ok(value.clone()),
        None => {
            let made = make()?;
            Ok(cell.get_or_init(|| made).clone())
        }
    }
}

/// Drivers that are installed and cannot be loaded, one sentence each. Every driver is loaded for
/// this.
pub fn broken_drivers() -> Vec<String> {
    scythe_backend_opencl::broken_drivers()
}
