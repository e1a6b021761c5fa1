//! Native objects of the OpenCL driver, for programs that use OpenCL in addition to SYCL.

use std::ffi::c_void;
use std::sync::Arc;

use scythe_abi::launch::KernelLaunch;
use scythe_hal::{
    DriverProgram, DriverSource, Errc, Error, Event, InContext, Interop, Kernel, Native,
    NativeKind, NativeQueue, OpenClC, Program, Result,
};

use crate::api::{Handle, bytes, check, word};
use crate::device::OclDevice;
use crate::event::OclEvent;
use crate::program::{OclKernel, OclProgram};
use crate::queue::OclQueue;
use crate::source;

impl Interop for OclDevice {
    fn native(&self, kind: NativeKind) -> Result<Native> {
        match kind {
            NativeKind::Platform => Ok(self.platform.id),
            NativeKind::Device => Ok(self.id),
            NativeKind::Context => {
                let context = self.platform.context()?;
                // SAFETY: the context is alive, because it is never released.
                check(unsafe { (self.platform.api.retain_context)(context) }, "clRetainContext")
                    .map(|()| context)
            }
        }
    }

    unsafe fn event_from_native(&self, event: Native) -> Result<Arc<dyn Event>> {
        if event.is_null() {
            return Err(Error::new(Errc::Invalid, "cannot create an event from a null cl_event"));
        }
        // SAFETY: the caller guarantees that the event is alive.
        check(unsafe { (self.platform.api.retain_event)(event) }, "clRetainEvent")?;
        Ok(Arc::new(OclEvent::new(self.platform.api, event, true)))
    }

    unsafe fn in_native_context(&self, context: Native) -> Result<InContext> {
        const CONTEXT_DEVICES: u32 = 0x1081;
        let api = self.platform.api;
        if context.is_null() {
            return Err(Error::new(
                Errc::Invalid,
                "cannot create a context from a null cl_context",
            ));
        }
        if self.platform.context().is_ok_and(|own| std::ptr::eq(own, context)) {
            return Ok(InContext::Own);
        }
        // SAFETY: the caller guarantees that the context is alive, and the call gets the size of
        // the memory.
        let devices = bytes(|size, place, full| unsafe {
            (api.get_context_info)(context, CONTEXT_DEVICES, size, place, full)
        });
        let mut members =
            devices.chunks_exact(size_of::<Handle>()).filter_map(|word| word.try_into().ok());
        if !members.any(|word| usize::from_ne_bytes(word) == self.id as usize) {
            return Ok(InContext::Absent);
        }
        // SAFETY: the caller guarantees that the context is alive. It contains this device, so it
        // belongs to the platform.
        let platform = unsafe { self.platform.with_context(context) }?;
        Ok(InContext::Other(Arc::new(Self::new(&platform, self.id, self.compiler))))
    }

    unsafe fn queue_from_native(&self, queue: Native) -> Result<Option<NativeQueue>> {
        if queue.is_null() {
            return Err(Error::new(
                Errc::Invalid,
                "cannot create a queue from a null cl_command_queue",
            ));
        }
        // SAFETY: the caller guarantees that the queue is alive and belongs to the platform's
        // context (contract of `queue_from_native`).
        unsafe { OclQueue::adopt(&self.platform, self.id, queue) }
    }

    unsafe fn memory_from_native(&self, memory: Native) -> Result<(*mut c_void, usize)> {
        const MEM_SIZE: u32 = 0x1102;
        let api = self.platform.api;
        // SAFETY: the caller guarantees that the object is alive, and the call gets the size of the
        // memory.
        let size = word(|size, place, full| unsafe {
            (api.get_mem_object_info)(memory, MEM_SIZE, size, place, full)
        });
        let size = size.filter(|&size| size > 0 && !memory.is_null()).ok_or_else(|| {
            Error::new(
                Errc::Invalid,
                format!("{memory:p} is not a cl_mem object: cannot query its size"),
            )
        })?;
        // SAFETY: the caller guarantees that the object is alive.
        check(unsafe { (api.retain_mem_object)(memory) }, "clRetainMemObject")?;
        Ok((self.platform.sharing.objects.adopt(api, memory, size, 1)?, size))
    }

    fn memory_is_native(&self) -> bool {
        !self.platform.sharing.shares()
    }

    fn memory_to_native(&self, ptr: *mut c_void) -> Result<Option<Native>> {
        let Some(spot) = self.platform.sharing.objects.find(ptr) else { return Ok(None) };
        // SAFETY: the table owns a count of the object, so it is alive.
        check(unsafe { (self.platform.api.retain_mem_object)(spot.raw) }, "clRetainMemObject")?;
        Ok(Some(spot.raw))
    }

    fn release_native_memory(&self, memory: Native) {
        // SAFETY: `memory_to_native` retained the object.
        let _ = unsafe { (self.platform.api.release_mem_object)(memory) };
    }

    fn opencl_c(&self) -> Option<OpenClC> {
        source::opencl_c(self)
    }

    fn takes_spirv(&self) -> bool {
        source::takes_spirv(self)
    }

    fn build_source(&self, from: DriverSource<'_>, options: &str) -> Result<DriverProgram> {
        source::build(self, from, options)
    }

    unsafe fn program_from_native(&self, program: Native) -> Result<Arc<dyn Program>> {
        if program.is_null() {
            return Err(Error::new(
                Errc::Invalid,
                "cannot create a kernel bundle from a null cl_program",
            ));
        }
        // SAFETY: the caller guarantees that the program is alive.
        check(unsafe { (self.platform.api.retain_program)(program) }, "clRetainProgram")?;
        Ok(Arc::new(OclProgram::adopt(&self.platform, program)))
    }

    unsafe fn kernel_from_native(
        &self,
        kernel: Native,
        launch: &KernelLaunch,
    ) -> Result<Arc<dyn Kernel>> {
        if kernel.is_null() {
            return Err(Error::new(Errc::Invalid, "cannot create a kernel from a null cl_kernel"));
        }
        // SAFETY: the caller guarantees that the kernel is alive.
        check(unsafe { (self.platform.api.retain_kernel)(kernel) }, "clRetainKernel")?;
        Ok(Arc::new(OclKernel::new(&self.platform, kernel, "native kernel", launch, true)))
    }

    unsafe fn native_memory(&self, ptr: *mut c_void, size: usize) -> Result<Native> {
        const READ_WRITE: u64 = 1;
        const USE_HOST_PTR: u64 = 1 << 3;
        let mut code = 0;
        // SAFETY: the context is alive, and the caller guarantees that the memory outlives the
        // buffer.
        let memory = unsafe {
            let context = self.platform.context()?;
            (self.platform.api.create_buffer)(
                context,
                READ_WRITE | USE_HOST_PTR,
                size,
                ptr,
                &mut code,
            )
        };
        check(code, "clCreateBuffer").map(|()| memory)
    }
}
