//! Platforms and devices: a backend's, with what the runtime adds.
//!
//! They live until the process ends; handles are plain addresses.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use scythe_hal::{self as hal, BackendKind};
use scythe_jit_client::CLIENT;

use crate::demangle::symbol_name;
use crate::dispatch::Target;
use crate::event::Origin;
use crate::selection::{Candidate, Selector};
use crate::{Errc, Error, Result, exit, gpus, lock, selection, settings, simulate};

/// For devices and origins.
static NEXT_ID: AtomicU32 = AtomicU32::new(1);

/// One backend.
pub struct Platform {
    pub backend: Arc<dyn hal::Backend>,
    /// Those that the program sees.
    devices: OnceLock<Vec<&'static Device>>,
}

impl Platform {
    pub fn devices(&self) -> &[&'static Device] {
        self.devices.get().map_or(&[], Vec::as_slice)
    }
}

/// One device of a backend.
pub struct Device {
    /// Unique in the process.
    pub id: u32,
    /// Its place among the devices of its backend, whether programs see those or not.
    pub index: u32,
    pub platform: &'static Platform,
    pub hal: Arc<dyn hal::Device>,
    origin: Origin,
    /// Without and with profiling. Backends order by events alone, so that all SYCL queues of a
    /// device share these.
    queues: [OnceLock<Arc<dyn hal::Queue>>; 2],
    /// The device whose backend runs host tasks and the kernels of host mode.
    host: OnceLock<&'static Device>,
    /// The device that programs know it as, where it is that one in a context of the program's own.
    base: Option<&'static Device>,
    /// The device that it is a part of, and how that was partitioned.
    whole: Option<(&'static Device, hal::Partition)>,
}

/// All platforms and devices that the program sees.
#[derive(Clone, Default)]
pub struct Runtime {
    pub platforms: Vec<&'static Platform>,
    pub devices: Vec<&'static Device>,
    /// Why there are not more: drivers that cannot be used, and what the selector leaves out.
    pub problems: Vec<String>,
    /// Runs host tasks.
    host: Option<&'static Device>,
    /// Devices of each kind of backend so far, seen or not.
    counts: [u32; 4],
}

impl Runtime {
    /// What programs see: the built-in CPU, always there, or devices that it simulates, OpenCL's
    /// devices and NVIDIA's GPUs; as far as `ONEAPI_DEVICE_SELECTOR` lets them.
    pub fn get() -> Result<&'static Self> {
        static RUNTIME: OnceLock<Result<Runtime>> = OnceLock::new();
        let runtime = RUNTIME.get_or_init(|| {
            let mut runtime = Self::built_in()?.clone();
            runtime.look_for_drivers(&Selector::from_environment()?)?;
            Ok(runtime)
        });
        runtime.as_ref().map_err(Clone::clone)
    }

    /// The built-in CPU alone, or devices that it simulates: no driver is loaded for it.
    fn built_in() -> Result<&'static Self> {
        static RUNTIME: OnceLock<Result<Runtime>> = OnceLock::new();
        let runtime = RUNTIME.get_or_init(|| {
            settings::check()?;
            exit::arrange();
            Self::without_drivers(&Selector::from_environment()?)
        });
        runtime.as_ref().map_err(Clone::clone)
    }

    /// The device that the default selector takes, or the one that it takes of all CPUs, where that
    /// is certain without loading a driver: `None` where drivers must be asked. The built-in CPU
    /// comes first of all CPUs, so that only a GPU comes before it, and where the system has no
    /// device file of a GPU there is none.
    pub fn quick_default(only_cpus: bool) -> Result<Option<&'static Device>> {
        let told = [selection::VARIABLE, simulate::VARIABLE]
            .iter()
            .any(|name| std::env::var_os(name).is_some());
        if told || (!only_cpus && gpus::may_exist()) {
            return Ok(None);
        }
        Ok(Self::built_in()?.devices.first().copied())
    }

    /// The same whatever `ONEAPI_DEVICE_SELECTOR` says.
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

    /// Why a program sees no device, in one sentence.
    pub fn why_no_device(&self) -> String {
        let selector = match std::env::var_os(selection::VARIABLE) {
            Some(value) => format!("{} is '{}'", selection::VARIABLE, value.to_string_lossy()),
            None => format!("{} is not set", selection::VARIABLE),
        };
        [&[selector], &self.problems[..]].concat().join("; ")
    }

    /// A runtime on these backends. One of them must run host tasks. Platforms and devices are
    /// never freed.
    pub fn new(backends: Vec<Arc<dyn hal::Backend>>) -> Result<Self> {
        Self::with_selector(backends, &Selector::default())
    }

    /// The same with those devices only that the selector lets programs see. Host tasks run
    /// wherever they can.
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
            // The cell is new, so that setting it succeeds.
            let _ = platform.devices.set(members);
        }
        let host = self.host.ok_or_else(|| {
            Error::new(Errc::Platform, "host tasks need the CPU backend, but it is not available")
        })?;
        for device in &self.devices[first..] {
            // Each cell is new, so that setting it succeeds.
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
            host: OnceLock::new(),
            base: None,
            whole: None,
        }
    }

    /// Another device in this one's place, whose commands and this one's do not wait for each
    /// other's events.
    fn beside(&'static self, hal: Arc<dyn hal::Device>) -> Self {
        let origin = Origin(NEXT_ID.fetch_add(1, Ordering::Relaxed));
        Self {
            host: OnceLock::from(self.host()),
            ..Self::new(self.platform, self.index, hal, origin)
        }
    }

    /// Where commands for this device go.
    pub fn target(&self, profiling: bool) -> Result<Target> {
        let cell = &self.queues[usize::from(profiling)];
        let queue = match cell.get() {
            Some(queue) => queue.clone(),
            None => {
                let made = self.hal.create_queue(profiling)?;
                cell.get_or_init(|| made).clone()
            }
        };
        Ok(Target { queue, origin: self.origin })
    }

    /// The device whose backend runs host tasks.
    pub fn host(&'static self) -> &'static Device {
        self.host.get().copied().unwrap_or(self)
    }

    pub fn name(&self) -> &str {
        &self.hal.info().name
    }

    /// The device that programs know it as.
    pub fn known_as(&'static self) -> &'static Device {
        self.base.unwrap_or(self)
    }

    /// This device in a context of the driver's; `None` where the context does not hold it. One is
    /// made for each context, and never freed, as little as the context is.
    ///
    /// # Safety
    /// `native` is a context of the device's driver, alive.
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
        // SAFETY: passed on.
        let hal = match unsafe { self.interop()?.in_native_context(native) }? {
            hal::InContext::Own => return Ok(Some(self)),
            hal::InContext::Absent => return Ok(None),
            hal::InContext::Other(hal) => hal,
        };
        // Drivers do not let commands of one context wait for events of another.
        let device = Device { base: Some(self), whole: self.whole.clone(), ..self.beside(hal) };
        let device: &'static Device = Box::leak(Box::new(device));
        made.push((self.id, native as usize, device));
        Ok(Some(device))
    }

    /// The objects of the device's driver. `BackendMismatch` if its backend has no driver.
    pub fn interop(&self) -> Result<&dyn hal::Interop> {
        self.hal.interop().ok_or_else(|| hal::native::none("device"))
    }

    /// The memory object behind an address of this device, with a count for the caller; `None` if
    /// an address is all there is.
    pub fn memory_to_native(&self, ptr: *mut c_void) -> Result<Option<hal::Native>> {
        self.hal.interop().map_or(Ok(None), |interop| interop.memory_to_native(ptr))
    }

    /// Takes back what [`Device::memory_to_native`] gave.
    pub fn release_native_memory(&self, memory: hal::Native) {
        if let Some(interop) = self.hal.interop() {
            interop.release_native_memory(memory);
        }
    }

    /// The device that this one is a part of, and how that was partitioned.
    pub fn whole(&self) -> Option<&(&'static Device, hal::Partition)> {
        self.whole.as_ref()
    }

    /// Whether this is the device, or it is a part of it, also through others.
    pub fn is_within(&self, device: &Device) -> bool {
        self.id == device.id
            || self.whole.as_ref().is_some_and(|(whole, _)| whole.is_within(device))
    }

    /// The parts of this device. They are never freed, so that who partitions it again in the same
    /// way gets the same ones.
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

/// Drivers that are installed and cannot be loaded, one sentence each. Every driver is loaded for
/// this.
pub fn broken_drivers() -> Vec<String> {
    scythe_backend_opencl::broken_drivers()
}
