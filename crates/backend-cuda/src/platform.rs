//! The platform, with all GPUs of the driver.

use std::path::Path;
use std::sync::{Arc, Mutex};

use scythe_hal::{Backend, BackendKind, Device, PlatformInfo};

use crate::api::Api;
use crate::device::CudaDevice;
use crate::error::{SUCCESS, describe};
use crate::gpu::Gpu;
use crate::limits::{Ask, driver_name};
use crate::{Discovery, Services};

/// The result code if the driver finds no device.
const NO_DEVICE: i32 = 100;

struct CudaBackend {
    info: PlatformInfo,
    devices: Vec<Arc<dyn Device>>,
}

impl Backend for CudaBackend {
    fn kind(&self) -> BackendKind {
        BackendKind::Cuda
    }

    fn platform(&self) -> &PlatformInfo {
        &self.info
    }

    fn devices(&self) -> &[Arc<dyn Device>] {
        &self.devices
    }
}

pub(crate) fn discover(driver: &Path, services: Services) -> Discovery {
    let mut found = Discovery::default();
    match look(driver, services, &mut found.problems) {
        Ok(backend) if backend.devices.is_empty() => {}
        Ok(backend) => found.backends.push(Arc::new(backend)),
        Err(problem) => found.problems.push(problem),
    }
    found
}

fn look(
    driver: &Path,
    services: Services,
    problems: &mut Vec<String>,
) -> Result<CudaBackend, String> {
    let api: &'static Api = Box::leak(Box::new(Api::load(driver)?));
    let check = |code: i32, what: &str| match code {
        SUCCESS => Ok(()),
        NO_DEVICE => Err("the CUDA driver found no device".to_owned()),
        code => Err(format!(
            "the CUDA driver cannot be used: {what} failed with {}",
            describe(api, code)
        )),
    };
    let (mut version, mut count) = (0, 0);
    // SAFETY: `version` and `count` are writable.
    unsafe {
        check((api.init)(0), "cuInit")?;
        check((api.driver_get_version)(&mut version), "cuDriverGetVersion")?;
        check((api.device_get_count)(&mut count), "cuDeviceGetCount")?;
    }
    let version = version.max(0) as u32;
    let peers = Arc::new(Mutex::default());
    let mut devices: Vec<Arc<dyn Device>> = Vec::new();
    for index in 0..count {
        let mut ordinal = 0;
        // SAFETY: `ordinal` is writable.
        if let Err(problem) = check(unsafe { (api.device_get)(&mut ordinal, index) }, "cuDeviceGet")
        {
            problems.push(format!("CUDA device {index}: {problem}"));
            continue;
        }
        let ask = Ask(api, ordinal);
        let limits = ask.limits(version);
        if limits.sm == 0 || limits.max_threads == 0 || limits.memory == 0 {
            problems.push(format!(
                "cannot query the properties of CUDA device {index}, {}",
                ask.name()
            ));
            continue;
        }
        let info = ask.info(&limits);
        let gpu = Gpu::new(api, ordinal, info.name.clone(), limits, services, &peers);
        devices.push(Arc::new(CudaDevice::new(&gpu, info)));
    }
    if devices.is_empty() && problems.is_empty() {
        problems.push("the CUDA driver found no device".to_owned());
    }
    let info = PlatformInfo {
        name: "NVIDIA CUDA BACKEND".into(),
        vendor: "NVIDIA Corporation".into(),
        version: driver_name(version),
        profile: "FULL_PROFILE".into(),
    };
    Ok(CudaBackend { info, devices })
}
