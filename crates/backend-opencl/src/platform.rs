//! Platforms. Each platform is a backend, with a context that all of its devices share.

use std::ptr::{null, null_mut};
use std::sync::{Arc, OnceLock};

use scythe_hal::{Backend, BackendKind, Compiler, Device, PlatformInfo, Result};
use scythe_own_files::is_privileged;

use crate::api::{Api, Handle, bytes, check, failure, text};
use crate::device::OclDevice;
use crate::memory::{Choice, Sharing, UNIFIED};
use crate::{Discovery, device_info};

const DEVICE_TYPE_ALL: u64 = 0xffff_ffff;
const CONTEXT_PLATFORM: isize = 0x1084;
const PLATFORM_PROFILE: u32 = 0x0900;
const PLATFORM_VERSION: u32 = 0x0901;
const PLATFORM_NAME: u32 = 0x0902;
const PLATFORM_VENDOR: u32 = 0x0903;

/// The state that all devices of a platform share.
pub(crate) struct Platform {
    pub(crate) api: &'static Api,
    pub(crate) id: Handle,
    devices: Vec<Handle>,
    context: OnceLock<Result<Context>>,
    pub(crate) sharing: Sharing,
}

// SAFETY: OpenCL's platforms and contexts may be used by several threads at once.
unsafe impl Send for Platform {}
// SAFETY: OpenCL's platforms and contexts may be used by several threads at once.
unsafe impl Sync for Platform {}

struct Context(Handle);

// SAFETY: OpenCL's contexts may be used by several threads at once.
unsafe impl Send for Context {}
// SAFETY: OpenCL's contexts may be used by several threads at once.
unsafe impl Sync for Context {}

impl Platform {
    /// Returns the same devices in a context of the program. Retains the context.
    ///
    /// # Safety
    /// `context` is alive and belongs to this platform.
    pub(crate) unsafe fn with_context(&self, context: Handle) -> Result<Arc<Self>> {
        // SAFETY: the caller guarantees that the context is alive.
        check(unsafe { (self.api.retain_context)(context) }, "clRetainContext")?;
        Ok(Arc::new(Self {
            api: self.api,
            id: self.id,
            devices: self.devices.clone(),
            context: OnceLock::from(Ok(Context(context))),
            sharing: sharing(self.api, self.id, &self.devices, Choice::from_environment()),
        }))
    }

    /// Returns parts of a device, with a separate context, because OpenCL requires one for them.
    /// They are never released.
    pub(crate) fn with_parts(&self, parts: Vec<Handle>) -> Arc<Self> {
        let sharing = sharing(self.api, self.id, &parts, Choice::from_environment());
        Arc::new(Self {
            api: self.api,
            id: self.id,
            devices: parts,
            context: OnceLock::new(),
            sharing,
        })
    }

    /// Returns the context of all devices. It is created on first use and never released.
    pub(crate) fn context(&self) -> Result<Handle> {
        let made = self.context.get_or_init(|| {
            let properties = [CONTEXT_PLATFORM, self.id as isize, 0];
            let mut code = 0;
            // SAFETY: the list of properties ends with 0, and the devices belong to this platform.
            // The call gets their number.
            let context = unsafe {
                let (count, list) = (self.devices.len() as u32, self.devices.as_ptr());
                (self.api.create_context)(
                    properties.as_ptr(),
                    count,
                    list,
                    null(),
                    null_mut(),
                    &mut code,
                )
            };
            check(code, "clCreateContext").map(|()| Context(context))
        });
        made.as_ref().map(|context| context.0).map_err(Clone::clone)
    }
}

struct OclBackend {
    info: PlatformInfo,
    devices: Vec<Arc<dyn Device>>,
}

impl Backend for OclBackend {
    fn kind(&self) -> BackendKind {
        BackendKind::OpenCl
    }

    fn platform(&self) -> &PlatformInfo {
        &self.info
    }

    fn devices(&self) -> &[Arc<dyn Device>] {
        &self.devices
    }
}

/// The variables by which OpenCL's loaders find drivers, not all of which ignore them in
/// set-user-ID programs.
const NAMES_OF_DRIVERS: [&str; 5] = [
    "OCL_ICD_VENDORS",
    "OCL_ICD_FILENAMES",
    "OPENCL_VENDOR_PATH",
    "OPENCL_LAYERS",
    "OPENCL_LAYER_PATH",
];

pub(crate) fn discover(compiler: &'static dyn Compiler) -> Discovery {
    static API: OnceLock<std::result::Result<Api, String>> = OnceLock::new();
    let mut found = Discovery::default();
    let variable = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if let Some(name) = NAMES_OF_DRIVERS.iter().find(|name| is_privileged() && variable(name)) {
        found.problems.push(format!(
            "OpenCL drivers are not loaded, because {name} is set and the program has more rights \
             than its caller"
        ));
        return found;
    }
    let api: &'static Api = match API.get_or_init(Api::load) {
        Ok(api) => api,
        Err(why) => {
            found.problems.push(why.clone());
            return found;
        }
    };
    match platforms(api) {
        Ok(list) => {
            list.into_iter().for_each(|platform| look_at(api, platform, compiler, &mut found))
        }
        Err(why) => found.problems.push(why),
    }
    found
}

fn platforms(api: &Api) -> std::result::Result<Vec<Handle>, String> {
    const NONE: i32 = -1001;
    let mut count = 0;
    // SAFETY: `count` is writable.
    let code = unsafe { (api.get_platform_ids)(0, null_mut(), &mut count) };
    if code == NONE || (code == 0 && count == 0) {
        return Err("the OpenCL loader found no driver: /etc/OpenCL/vendors, OCL_ICD_VENDORS and \
                    OCL_ICD_FILENAMES name no driver that can be loaded"
            .to_owned());
    }
    let mut list = vec![null_mut(); count as usize];
    check(code, "clGetPlatformIDs").map_err(|error| error.message)?;
    // SAFETY: `list` has room for all platforms.
    let code = unsafe { (api.get_platform_ids)(count, list.as_mut_ptr(), null_mut()) };
    check(code, "clGetPlatformIDs").map_err(|error| error.message)?;
    Ok(list)
}

/// Adds a platform with its usable devices.
fn look_at(api: &'static Api, id: Handle, compiler: &'static dyn Compiler, found: &mut Discovery) {
    let word = |name: u32| {
        // SAFETY: the platform belongs to the loader, and the call gets the size of the memory.
        text(&bytes(|size, place, full| unsafe {
            (api.get_platform_info)(id, name, size, place, full)
        }))
    };
    let info = PlatformInfo {
        name: word(PLATFORM_NAME),
        vendor: word(PLATFORM_VENDOR),
        version: word(PLATFORM_VERSION),
        profile: word(PLATFORM_PROFILE),
    };
    let mut count = 0;
    // SAFETY: `count` is writable.
    let code = unsafe { (api.get_device_ids)(id, DEVICE_TYPE_ALL, 0, null_mut(), &mut count) };
    let mut list = vec![null_mut(); count as usize];
    if code == 0 {
        // SAFETY: `list` has room for all devices.
        let code = unsafe {
            (api.get_device_ids)(id, DEVICE_TYPE_ALL, count, list.as_mut_ptr(), null_mut())
        };
        if code != 0 {
            list.clear();
        }
    }
    if code != 0 || list.is_empty() {
        let why = if code == 0 {
            "its list of devices is empty".to_owned()
        } else {
            failure(code, "clGetDeviceIDs").message
        };
        found.problems.push(format!("platform {} has no device: {why}", info.name));
        return;
    }
    let mut usable = Vec::new();
    for device in list {
        match device_info::unusable(api, device) {
            None => usable.push(device),
            Some(why) => {
                let name = device_info::name(api, device);
                found
                    .problems
                    .push(format!("device {name} of platform {} cannot be used: {why}", info.name));
            }
        }
    }
    if usable.is_empty() {
        return;
    }
    let sharing = sharing(api, id, &usable, Choice::from_environment());
    let platform =
        Arc::new(Platform { api, id, devices: usable.clone(), context: OnceLock::new(), sharing });
    let devices = usable
        .into_iter()
        .map(|device| Arc::new(OclDevice::new(&platform, device, compiler)) as Arc<dyn Device>);
    found.backends.push(Arc::new(OclBackend { info, devices: devices.collect() }));
}

/// Returns the best way to share memory that all devices support and that `choice` allows.
fn sharing(api: &Api, platform: Handle, devices: &[Handle], choice: Choice) -> Sharing {
    let all = |has: &dyn Fn(Handle) -> bool| devices.iter().all(|&device| has(device));
    let unified =
        choice == Choice::Best && all(&|device| device_info::has_extension(api, device, UNIFIED));
    let virtual_memory = |device| device_info::virtual_memory(api, device);
    let sharing = match unified.then(|| Sharing::unified(api, platform)).flatten() {
        Some(sharing) => sharing,
        None if choice != Choice::Objects && all(&|device| virtual_memory(device).0) => {
            Sharing::shared_virtual(api, all(&|device| virtual_memory(device).1))
        }
        None => return Sharing::by_objects(api),
    };
    match all(&|device| device_info::shares_host_memory(api, device)) {
        true => sharing.with_any_address(api),
        false => sharing,
    }
}
