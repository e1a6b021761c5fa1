//! A device of a platform.

use std::ffi::c_void;
use std::sync::Arc;

use scythe_abi::image_target::{Code, ImageTarget};
use scythe_hal::by_need::{self, Part};
use scythe_hal::{
    BuildRequest, CompileRequest, Compiler, Device, DeviceInfo, Errc, Error, Interop, Kernel,
    Occupancy, Output, Partition, Partitions, Priority, Program, Queue, Result, UsmKind, globals,
    preference,
};
use scythe_image::Format;

use crate::apart::Apart;
use crate::api::{Handle, check};
use crate::device_info::{self, Dialect};
use crate::intel::{self, IntelGpu};
use crate::platform::Platform;
use crate::program::{OclKernel, OclProgram};
use crate::queue::OclQueue;
use crate::spirv;

pub(crate) struct OclDevice {
    pub(crate) platform: Arc<Platform>,
    pub(crate) id: Handle,
    info: DeviceInfo,
    dialect: Dialect,
    shares_host_memory: bool,
    intel: Option<IntelGpu>,
    pub(crate) compiler: &'static dyn Compiler,
}

// SAFETY: OpenCL's devices may be used by several threads at once.
unsafe impl Send for OclDevice {}
// SAFETY: OpenCL's devices may be used by several threads at once.
unsafe impl Sync for OclDevice {}

impl OclDevice {
    pub(crate) fn new(
        platform: &Arc<Platform>,
        id: Handle,
        compiler: &'static dyn Compiler,
    ) -> Self {
        let api = platform.api;
        Self {
            platform: platform.clone(),
            id,
            info: device_info::describe(api, id, &platform.sharing),
            dialect: device_info::dialect(api, id),
            shares_host_memory: platform.sharing.shares()
                && device_info::shares_host_memory(api, id),
            intel: device_info::intel(api, id),
            compiler,
        }
    }

    /// Translates bitcode, with all its kernels or with one, and makes the driver build the result.
    pub(crate) fn build_bitcode(
        &self,
        request: &BuildRequest<'_>,
        kernel: Option<&str>,
    ) -> Result<Part<OclProgram>> {
        let Dialect { extensions, version } = &self.dialect;
        let code = self.compiler.compile_to_vec(&CompileRequest {
            device: &self.info.name,
            bitcode: request.code,
            libraries: request.libraries,
            opt_level: request.options.opt_level,
            aspects: request.aspects,
            output: Output::SpirV { version: *version, extensions, kernel },
        })?;
        let program = OclProgram::build(&self.platform, self.id, &code)?;
        globals::fill_pointers(|| self.create_queue(false), &program, request.globals)?;
        Ok(match spirv::has_several_kernels(&code) {
            true => Part::Whole(program),
            false => Part::Kernel(program),
        })
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
            // SAFETY: the caller guarantees that `ptr` came from `alloc` and that no command uses
            // it (contract of `Device::free`). The context is that of `alloc`.
            unsafe { self.platform.sharing.free(self.platform.api, context, ptr) };
        }
    }

    fn shares_host_memory(&self) -> bool {
        self.shares_host_memory
    }

    fn preference(&self, format: Format, target: &ImageTarget) -> Result<u32> {
        match (format, target.code()) {
            (Format::IntelGpu, _) => intel::preference(self.intel, target),
            // Bitcode for one device that is linked with other images or gets values of
            // specialization constants before it is built. Finished code is preferred.
            (Format::LlvmBitcode, Code::Intel) => intel::preference(self.intel, target)
                .map(|value| value.min(preference::GENERIC + 2)),
            (Format::LlvmBitcode, Code::Nvidia(_)) => {
                let message =
                    format!("the image is for {target}, which cannot run on {}", self.info.name);
                Err(Error::new(Errc::KernelNotSupported, message))
            }
            // SPIR-V is intended for drivers like this one.
            (Format::SpirV, _) => Ok(preference::GENERIC + 1),
            (Format::LlvmBitcode, _) => Ok(preference::GENERIC),
            (other, _) => {
                let name = &self.info.name;
                let message =
                    format!("an image of {} for {target} cannot run on {name}", other.as_str());
                Err(Error::new(Errc::KernelNotSupported, message))
            }
        }
    }

    /// If bitcode is large or cannot be built as a whole, each kernel is built on its first use:
    /// see [`Apart`].
    fn build(&self, request: &BuildRequest<'_>) -> Result<Arc<dyn Program>> {
        let program = match request.format {
            Format::SpirV => OclProgram::build(&self.platform, self.id, request.code)?,
            Format::IntelGpu => OclProgram::from_binary(&self.platform, self.id, request.code)?,
            Format::LlvmBitcode => {
                let apart = |error| -> Arc<dyn Program> {
                    let device = Self::new(&self.platform, self.id, self.compiler);
                    Arc::new(Apart::new(device, request, error))
                };
                if by_need::is_large(request) {
                    return Ok(apart(None));
                }
                return match self.build_bitcode(request, None) {
                    Ok(Part::Kernel(program) | Part::Whole(program)) => Ok(Arc::new(program)),
                    Err(whole) if whole.code == Errc::Build => Ok(apart(Some(whole))),
                    Err(error) => Err(error),
                };
            }
            other => {
                let message = format!(
                    "OpenCL devices support LLVM bitcode, SPIR-V and Intel GPU binaries, not {}",
                    other.as_str()
                );
                return Err(Error::new(Errc::Build, message));
            }
        };
        globals::fill_pointers(|| self.create_queue(false), &program, request.globals)?;
        Ok(Arc::new(program))
    }

    fn partitions(&self) -> Partitions {
        device_info::partitions(self.platform.api, self.id)
    }

    fn partition(&self, how: &Partition) -> Result<Vec<Arc<dyn Device>>> {
        let way = (device_info::FIRST_PARTITION + u64::from(how.property()) - 1) as isize;
        let mut list = vec![way];
        match how {
            Partition::Equally(count) => list.push(*count as isize),
            Partition::ByCounts(counts) => {
                list.extend(counts.iter().filter(|&&n| n > 0).map(|&n| n as isize))
            }
            Partition::ByAffinityDomain(domain) => list.push(1 << (domain - 1)),
        }
        // The list of counts has its own terminator, which is also 0.
        list.extend([0, 0]);
        let create = self.platform.api.create_sub_devices;
        let mut count = 0;
        check(
            // SAFETY: the device is alive, the list ends with 0, and `count` is writable.
            unsafe { create(self.id, list.as_ptr(), 0, std::ptr::null_mut(), &mut count) },
            "clCreateSubDevices",
        )?;
        let mut parts = vec![std::ptr::null_mut(); count as usize];
        // SAFETY: the device is alive, the list ends with 0, and `parts` has room for all devices.
        let code = unsafe {
            create(self.id, list.as_ptr(), count, parts.as_mut_ptr(), std::ptr::null_mut())
        };
        check(code, "clCreateSubDevices")?;
        let platform = self.platform.with_parts(parts.clone());
        let part =
            |id: Handle| Arc::new(Self::new(&platform, id, self.compiler)) as Arc<dyn Device>;
        Ok(parts.into_iter().map(part).collect())
    }

    fn occupancy(
        &self,
        kernel: &dyn Kernel,
        local_size: [u64; 3],
        _local_bytes: u64,
    ) -> Result<Occupancy> {
        let kernel = kernel.as_any().downcast_ref::<OclKernel>();
        let sub_groups = kernel.and_then(|kernel| kernel.sub_groups(self.id, local_size));
        Ok(Occupancy { sub_groups, ..Occupancy::ONE })
    }

    fn create_queue(&self, profiling: bool) -> Result<Arc<dyn Queue>> {
        Ok(Arc::new(OclQueue::new(&self.platform, self.id, false, profiling, None)?))
    }

    fn create_in_order_queue(&self, profiling: bool) -> Result<Option<Arc<dyn Queue>>> {
        Ok(Some(Arc::new(OclQueue::new(&self.platform, self.id, true, profiling, None)?)))
    }

    fn create_queue_with_priority(
        &self,
        in_order: bool,
        profiling: bool,
        priority: Priority,
    ) -> Result<Option<Arc<dyn Queue>>> {
        if !device_info::has_extension(self.platform.api, self.id, "cl_khr_priority_hints") {
            return Ok(None);
        }
        let queue = OclQueue::new(&self.platform, self.id, in_order, profiling, Some(priority))?;
        Ok(Some(Arc::new(queue)))
    }

    fn interop(&self) -> Option<&dyn Interop> {
        Some(self)
    }
}
