//! One device of a platform.

use std::ffi::c_void;
use std::sync::Arc;

use scythe_abi::launch::KernelLaunch;
use scythe_abi::target::Family;
use scythe_hal::{
    BuildRequest, CompileRequest, Compiler, Device, DeviceInfo, Errc, Error, Event, InContext, Kernel, Native,
    NativeKind, NativeQueue, Output, Partition, Partitions, Program, Queue, Result, UsmKind, fit, globals,
};
use scythe_image::Format;

use crate::apart::Apart;
use crate::api::{Handle, bytes, check, word};
use crate::device_info::{self, Dialect};
use crate::event::OclEvent;
use crate::intel::{self, IntelGpu};
use crate::platform::Platform;
use crate::program::{OclKernel, OclProgram};
use crate::queue::OclQueue;

pub(crate) struct OclDevice {
    pub(crate) platform: Arc<Platform>,
    pub(crate) id: Handle,
    info: DeviceInfo,
    dialect: Dialect,
    shares_host_memory: bool,
    intel: Option<IntelGpu>,
    compiler: &'static dyn Compiler,
}

// SAFETY: OpenCL's devices may be used by any thread, and by many at once.
unsafe impl Send for OclDevice {}
// SAFETY: as above.
unsafe impl Sync for OclDevice {}

impl OclDevice {
    pub(crate) fn new(platform: &Arc<Platform>, id: Handle, compiler: &'static dyn Compiler) -> Self {
        let api = platform.api;
        Self {
            platform: platform.clone(),
            id,
            info: device_info::describe(api, id, &platform.sharing),
            dialect: device_info::dialect(api, id),
            shares_host_memory: platform.sharing.shares() && device_info::shares_host_memory(api, id),
            intel: device_info::intel(api, id),
            compiler,
        }
    }

    /// Translates bitcode, with all its kernels or with one, and has the driver build the result.
    pub(crate) fn build_bitcode(&self, request: &BuildRequest<'_>, kernel: Option<&str>) -> Result<OclProgram> {
        let Dialect { extensions, version } = &self.dialect;
        let code = self.compiler.compile_to_vec(&CompileRequest {
            device: &self.info.name,
            bitcode: request.code,
            libraries: request.libraries,
            opt_level: request.options.opt_level,
            aspects: request.aspects,
            output: Output::SpirV { version: *version, extensions, kernel },
        })?;
        OclProgram::build(&self.platform, self.id, &code)
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
            // Linked with other images before it is built, or with values of specialization constants, and for one device
            // nevertheless. Code that is ready comes first.
            Format::LlvmBitcode if Family::of_image_target(target) == Some(Family::Intel) => {
                intel::preference(self.intel, target).map(|fit| fit.min(fit::GENERIC + 2))
            }
            Format::LlvmBitcode if Family::of_image_target(target) == Some(Family::Nvidia) => {
                let message = format!("the code is for {target}, and {} is no such GPU", self.info.name);
                Err(Error::new(Errc::KernelNotSupported, message))
            }
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

    /// Where bitcode cannot be built as a whole, its kernels are built when they are asked for, each for itself: see [`Apart`].
    fn build(&self, request: &BuildRequest<'_>) -> Result<Arc<dyn Program>> {
        let program = match request.format {
            Format::SpirV => OclProgram::build(&self.platform, self.id, request.code)?,
            Format::IntelGpu => OclProgram::from_binary(&self.platform, self.id, request.code)?,
            Format::LlvmBitcode => match self.build_bitcode(request, None) {
                Ok(program) => program,
                Err(whole) if whole.code == Errc::Build => {
                    let device = Self::new(&self.platform, self.id, self.compiler);
                    return Ok(Arc::new(Apart::new(device, request, whole)));
                }
                Err(error) => return Err(error),
            },
            other => {
                let message =
                    format!("OpenCL devices build LLVM bitcode, SPIR-V and Intel's binaries, not {}", other.as_str());
                return Err(Error::new(Errc::Build, message));
            }
        };
        globals::fill_pointers(self, &program, request.globals)?;
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
            Partition::ByCounts(counts) => list.extend(counts.iter().filter(|&&n| n > 0).map(|&n| n as isize)),
            Partition::ByAffinityDomain(domain) => list.push(1 << (domain - 1)),
        }
        // The list of counts has an end of its own, which is 0, too.
        list.extend([0, 0]);
        let create = self.platform.api.create_sub_devices;
        let mut count = 0;
        // SAFETY: the device is alive, the list ends with 0, and there is a place for the number.
        check(unsafe { create(self.id, list.as_ptr(), 0, std::ptr::null_mut(), &mut count) }, "clCreateSubDevices")?;
        let mut parts = vec![std::ptr::null_mut(); count as usize];
        // SAFETY: as above, with room for as many devices as there are.
        let code = unsafe { create(self.id, list.as_ptr(), count, parts.as_mut_ptr(), std::ptr::null_mut()) };
        check(code, "clCreateSubDevices")?;
        let platform = self.platform.with_parts(parts.clone());
        let part = |id: Handle| Arc::new(Self::new(&platform, id, self.compiler)) as Arc<dyn Device>;
        Ok(parts.into_iter().map(part).collect())
    }

    fn create_queue(&self, profiling: bool) -> Result<Arc<dyn Queue>> {
        Ok(Arc::new(OclQueue::new(&self.platform, self.id, false, profiling)?))
    }

    fn create_in_order_queue(&self, profiling: bool) -> Result<Option<Arc<dyn Queue>>> {
        Ok(Some(Arc::new(OclQueue::new(&self.platform, self.id, true, profiling)?)))
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

    unsafe fn in_native_context(&self, context: Native) -> Result<InContext> {
        const CONTEXT_DEVICES: u32 = 0x1081;
        let api = self.platform.api;
        if context.is_null() {
            return Err(Error::new(Errc::Invalid, "a context was to be made of a null cl_context"));
        }
        if self.platform.context().is_ok_and(|own| std::ptr::eq(own, context)) {
            return Ok(InContext::Own);
        }
        // SAFETY: the context is alive by the caller's contract, and the size that of the memory.
        let devices =
            bytes(|size, place, full| unsafe { (api.get_context_info)(context, CONTEXT_DEVICES, size, place, full) });
        let mut members = devices.chunks_exact(size_of::<Handle>()).filter_map(|word| word.try_into().ok());
        if !members.any(|word| usize::from_ne_bytes(word) == self.id as usize) {
            return Ok(InContext::Absent);
        }
        // SAFETY: the caller's contract; the device is the platform's, and so is the context.
        let platform = unsafe { self.platform.with_context(context) }?;
        Ok(InContext::Other(Arc::new(Self::new(&platform, self.id, self.compiler))))
    }

    unsafe fn queue_from_native(&self, queue: Native) -> Result<Option<NativeQueue>> {
        if queue.is_null() {
            return Err(Error::new(Errc::Invalid, "a queue was to be made of a null cl_command_queue"));
        }
        // SAFETY: passed on.
        unsafe { OclQueue::adopt(&self.platform, self.id, queue) }
    }

    unsafe fn memory_from_native(&self, memory: Native) -> Result<(*mut c_void, usize)> {
        const MEM_SIZE: u32 = 0x1102;
        let api = self.platform.api;
        // SAFETY: the object is alive by the caller's contract, and the size that of the memory.
        let size = word(|size, place, full| unsafe { (api.get_mem_object_info)(memory, MEM_SIZE, size, place, full) });
        let size = size.filter(|&size| size > 0 && !memory.is_null()).ok_or_else(|| {
            Error::new(Errc::Invalid, format!("{memory:p} is no memory object: it does not tell its size"))
        })?;
        // SAFETY: the object is alive.
        check(unsafe { (api.retain_mem_object)(memory) }, "clRetainMemObject")?;
        Ok((self.platform.sharing.objects.adopt(api, memory, size, 1)?, size))
    }

    fn memory_is_native(&self) -> bool {
        !self.platform.sharing.shares()
    }

    fn memory_to_native(&self, ptr: *mut c_void) -> Result<Option<Native>> {
        let Some(spot) = self.platform.sharing.objects.find(ptr) else { return Ok(None) };
        // SAFETY: the object is the table's, and alive.
        check(unsafe { (self.platform.api.retain_mem_object)(spot.raw) }, "clRetainMemObject")?;
        Ok(Some(spot.raw))
    }

    fn release_native_memory(&self, memory: Native) {
        // SAFETY: an object that `memory_to_native` retained.
        let _ = unsafe { (self.platform.api.release_mem_object)(memory) };
    }

    unsafe fn program_from_native(&self, program: Native) -> Result<Arc<dyn Program>> {
        if program.is_null() {
            return Err(Error::new(Errc::Invalid, "a kernel bundle was to be made of a null cl_program"));
        }
        // SAFETY: the program is alive by the caller's contract.
        check(unsafe { (self.platform.api.retain_program)(program) }, "clRetainProgram")?;
        Ok(Arc::new(OclProgram::adopt(&self.platform, program)))
    }

    unsafe fn kernel_from_native(&self, kernel: Native, launch: &KernelLaunch) -> Result<Arc<dyn Kernel>> {
        if kernel.is_null() {
            return Err(Error::new(Errc::Invalid, "a kernel was to be made of a null cl_kernel"));
        }
        // SAFETY: the kernel is alive by the caller's contract.
        check(unsafe { (self.platform.api.retain_kernel)(kernel) }, "clRetainKernel")?;
        Ok(Arc::new(OclKernel::new(&self.platform, kernel, "of the program's own", launch, true)))
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
