//! One device of a platform.

use std::ffi::c_void;
use std::sync::Arc;

use scythe_abi::intel::Version;
use scythe_hal::{
    Device, DeviceInfo, Errc, Error, Event, Native, NativeKind, Program, Queue, Result, UsmKind, device_has, fit,
};
use scythe_image::Format;

use crate::Translate;
use crate::api::{Handle, check};
use crate::device_info::{self, Dialect};
use crate::event::OclEvent;
use crate::intel::{self, IntelGpu};
use crate::platform::Platform;
use crate::program::OclProgram;
use crate::queue::OclQueue;

pub(crate) struct OclDevice {
    pub(crate) platform: Arc<Platform>,
    pub(crate) id: Handle,
    info: DeviceInfo,
    dialect: Dialect,
    shares_host_memory: bool,
    intel: Option<IntelGpu>,
    translate: Translate,
}

// SAFETY: OpenCL's devices may be used by any thread, and by many at once.
unsafe impl Send for OclDevice {}
// SAFETY: as above.
unsafe impl Sync for OclDevice {}

impl OclDevice {
    pub(crate) fn new(platform: &Arc<Platform>, id: Handle, translate: Translate) -> Self {
        let api = platform.api;
        Self {
            platform: platform.clone(),
            id,
            info: device_info::describe(api, id),
            dialect: device_info::dialect(api, id),
            shares_host_memory: device_info::shares_host_memory(api, id),
            intel: device_info::intel(api, id),
            translate,
        }
    }
}

impl Device for OclDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn alloc(&self, kind: UsmKind, size: usize, align: usize) -> Result<*mut c_void> {
        let (platform, context) = (&self.platform, self.platform.context()?);
        platform.sharing.alloc(platform.api, context, self.id, kind, size, align)
    }

    unsafe fn free(&self, _kind: UsmKind, ptr: *mut c_void) {
        if let Ok(context) = self.platform.context() {
            // SAFETY: the caller's contract.
            unsafe { self.platform.sharing.free(self.platform.api, context, ptr) };
        }
    }

    fn shares_host_memory(&self) -> bool {
        self.shares_host_memory
    }

    fn preference(&self, format: Format, target: &str) -> Result<u32> {
        match format {
            Format::IntelGpu => intel::preference(self.intel, target),
            // Linked with other images before it is built, and for one device nevertheless.
            Format::LlvmBitcode if Version::of_target(target).is_some() => intel::preference(self.intel, target),
            // Made for drivers like this one.
            Format::SpirV => Ok(fit::GENERIC + 1),
            Format::LlvmBitcode => Ok(fit::GENERIC),
            other => {
                let name = &self.info.name;
                let message = format!("an image of {} for {target} cannot run on {name}", other.as_str());
                Err(Error::new(Errc::KernelNotSupported, message))
            }
        }
    }

    fn build(&self, code: &[u8], format: Format, options: &str, libraries: &[&[u8]]) -> Result<Arc<dyn Program>> {
        let made;
        let words = match format {
            Format::SpirV => code,
            Format::IntelGpu => return Ok(Arc::new(OclProgram::from_binary(&self.platform, self.id, code)?)),
            Format::LlvmBitcode => {
                let Dialect { extensions, version } = &self.dialect;
                let options = &device_has::options(options, &self.info.aspects, code, libraries);
                made = (self.translate)(&crate::Translation {
                    bitcode: code,
                    libraries,
                    options,
                    extensions,
                    version: *version,
                })?;
                &made
            }
            other => {
                let message =
                    format!("OpenCL devices build LLVM bitcode, SPIR-V and Intel's binaries, not {}", other.as_str());
                return Err(Error::new(Errc::Build, message));
            }
        };
        Ok(Arc::new(OclProgram::build(&self.platform, self.id, words)?))
    }

    fn create_queue(&self, profiling: bool) -> Result<Arc<dyn Queue>> {
        Ok(Arc::new(OclQueue::new(&self.platform, self.id, profiling)?))
    }

    fn native(&self, kind: NativeKind) -> Result<Native> {
        match kind {
            NativeKind::Platform => Ok(self.platform.id),
            NativeKind::Device => Ok(self.id),
            NativeKind::Context => {
                let context = self.platform.context()?;
                // SAFETY: the context is alive.
                check(unsafe { (self.platform.api.retain_context)(context) }, "clRetainContext").map(|()| context)
            }
        }
    }

    unsafe fn event_from_native(&self, event: Native) -> Result<Arc<dyn Event>> {
        if event.is_null() {
            return Err(Error::new(Errc::Invalid, "an event was to be made of a null cl_event"));
        }
        // SAFETY: the event is alive by the caller's contract.
        check(unsafe { (self.platform.api.retain_event)(event) }, "clRetainEvent")?;
        Ok(Arc::new(OclEvent::new(self.platform.api, event, true)))
    }

    unsafe fn native_memory(&self, ptr: *mut c_void, size: usize) -> Result<Native> {
        const READ_WRITE: u64 = 1;
        const USE_HOST_PTR: u64 = 1 << 3;
        let mut code = 0;
        // SAFETY: the context is alive, and the memory stays so by the caller's contract.
        let memory = unsafe {
            let context = self.platform.context()?;
            (self.platform.api.create_buffer)(context, READ_WRITE | USE_HOST_PTR, size, ptr, &mut code)
        };
        check(code, "clCreateBuffer").map(|()| memory)
    }
}
