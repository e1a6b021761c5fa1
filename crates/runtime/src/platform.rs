//! Platforms and devices: a backend's, with what the runtime adds.
//!
//! They live until the process ends; handles are plain addresses.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use scythe_hal::{self as hal, BackendKind};

use crate::dispatch::Target;
use crate::event::Origin;
use crate::{Errc, Error, Result, exit, settings, simulate};

/// One backend.
pub struct Platform {
    pub backend: Arc<dyn hal::Backend>,
    /// Positions in [`Runtime::devices`].
    pub devices: std::ops::Range<usize>,
}

/// One device of a backend.
pub struct Device {
    /// Unique in the process.
    pub id: u32,
    pub platform: &'static Platform,
    pub hal: Arc<dyn hal::Device>,
    origin: Origin,
    /// Without and with profiling. Backends order by events alone, so that all SYCL queues of a device share these.
    queues: [OnceLock<Arc<dyn hal::Queue>>; 2],
    /// The device whose backend runs host tasks and the kernels of host mode.
    host: OnceLock<&'static Device>,
}

/// All platforms and devices.
pub struct Runtime {
    pub platforms: Vec<&'static Platform>,
    pub devices: Vec<&'static Device>,
}

impl Runtime {
    /// What programs see: the built-in CPU, always there, or devices that it simulates.
    pub fn get() -> Result<&'static Self> {
        static RUNTIME: OnceLock<Result<Runtime>> = OnceLock::new();
        let runtime = RUNTIME.get_or_init(|| {
            settings::check()?;
            exit::arrange();
            Self::new(vec![simulate::as_environment_says(scythe_backend_cpu::backend())?])
        });
        runtime.as_ref().map_err(Clone::clone)
    }

    /// A runtime on these backends. One of them must run host tasks. Platforms and devices are never freed.
    pub fn new(backends: Vec<Arc<dyn hal::Backend>>) -> Result<Self> {
        static NEXT_ID: AtomicU32 = AtomicU32::new(1);
        let mut runtime = Self { platforms: Vec::new(), devices: Vec::new() };
        for backend in backends {
            let origin = Origin(NEXT_ID.fetch_add(1, Ordering::Relaxed));
            let first = runtime.devices.len();
            let devices = backend.devices().to_vec();
            let platform: &'static Platform =
                Box::leak(Box::new(Platform { backend, devices: first..first + devices.len() }));
            runtime.platforms.push(platform);
            for hal in devices {
                let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
                let queues = [OnceLock::new(), OnceLock::new()];
                let device = Device { id, platform, hal, origin, queues, host: OnceLock::new() };
                runtime.devices.push(Box::leak(Box::new(device)));
            }
        }
        let host = runtime
            .devices
            .iter()
            .find(|device| matches!(device.platform.backend.kind(), BackendKind::Cpu | BackendKind::Host))
            .copied()
            .ok_or_else(|| Error::new(Errc::Platform, "no backend can run host tasks: expected the CPU backend"))?;
        for device in &runtime.devices {
            // Each cell is new, so that setting it succeeds.
            let _ = device.host.set(host);
        }
        Ok(runtime)
    }
}

impl Device {
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
}
