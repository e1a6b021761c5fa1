//! A GPU as a device of the runtime.

use std::any::Any;
use std::ffi::c_void;
use std::sync::Arc;

use scythe_abi::image_target::ImageTarget;
use scythe_hal::by_need::{Part, is_large};
use scythe_hal::{
    BuildRequest, Device, DeviceInfo, Errc, Error, Graph, GraphNode, Interop, Kernel, Occupancy,
    Priority, Program, Queue, Result, UsmKind, VirtualMemory, globals, preference,
};
use scythe_image::Format;

use crate::by_need::{self, ProgramByNeed};
use crate::gpu::Gpu;
use crate::graph::CudaGraph;
use crate::memory::Memory;
use crate::program::{CudaKernel, CudaProgram};
use crate::queue::CudaQueue;
use crate::virtual_memory::CudaVirtualMemory;

/// A bonus for machine code. Machine code for an older architecture of the same major version is
/// better than PTX. Among PTX, later architectures are better.
const MACHINE_CODE: u32 = 0x80;
/// `CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED`.
const NATIVE_ATOMICS: i32 = 3;

pub(crate) struct CudaDevice {
    pub(crate) gpu: Arc<Gpu>,
    info: DeviceInfo,
    memory: Memory,
    virtual_memory: Option<CudaVirtualMemory>,
}

impl CudaDevice {
    pub(crate) fn new(gpu: &Arc<Gpu>, info: DeviceInfo) -> Self {
        let virtual_memory = CudaVirtualMemory::new(gpu);
        Self { gpu: gpu.clone(), info, memory: Memory::new(gpu), virtual_memory }
    }

    fn cannot_run(&self, why: &str) -> Error {
        let sm = self.gpu.limits.sm;
        let message = format!(
            "{why} cannot run on {} (sm_{sm}, {})",
            self.info.name, self.info.driver_version
        );
        Error::new(Errc::KernelNotSupported, message)
    }
}

impl Device for CudaDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn free_memory(&self) -> Result<u64> {
        self.gpu.enter()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: a context is current, and both addresses are writable.
        let code = unsafe { (self.gpu.api.mem_get_info)(&mut free, &mut total) };
        self.gpu.check(code, "cuMemGetInfo")?;
        Ok(free as u64)
    }

    fn alloc(&self, kind: UsmKind, size: usize, align: usize) -> Result<*mut c_void> {
        self.memory.alloc(kind, size, align)
    }

    unsafe fn free(&self, kind: UsmKind, ptr: *mut c_void) {
        // SAFETY: the caller guarantees that `ptr` came from `alloc` with this kind and that no
        // command uses it (contract of `Device::free`).
        unsafe { self.memory.free(kind, ptr) };
    }

    fn shares_host_memory(&self) -> bool {
        false
    }

    fn loads_early(&self) -> bool {
        true
    }

    fn preference(&self, format: Format, target: &ImageTarget) -> Result<u32> {
        let sm = self.gpu.limits.sm;
        match format {
            Format::LlvmBitcode => match target.nvidia() {
                None => Ok(preference::GENERIC),
                // Bitcode of a device pass for NVIDIA GPUs.
                Some(image) if image.ptx_runs_on(sm) => Ok(preference::GENERIC + 1),
                Some(_) => Err(self.cannot_run(&format!("code for {target}"))),
            },
            Format::Fatbin | Format::Ptx => {
                let unknown =
                    || self.cannot_run(&format!("an image of {} for '{target}'", format.as_str()));
                let image = target.nvidia().ok_or_else(unknown)?;
                match format {
                    Format::Fatbin if image.sm == sm => {
                        Ok(preference::EXACT + u32::from(image.specific))
                    }
                    Format::Fatbin if image.cubin_runs_on(sm) => {
                        Ok(preference::COMPATIBLE + MACHINE_CODE + image.sm.min(0x7f))
                    }
                    _ if image.ptx_runs_on(sm) => Ok(preference::COMPATIBLE + image.sm.min(0x7f)),
                    _ => Err(self.cannot_run(&format!("code for {target}"))),
                }
            }
            other => Err(self.cannot_run(&format!("an image of {} for {target}", other.as_str()))),
        }
    }

    fn build(&self, request: &BuildRequest<'_>) -> Result<Arc<dyn Program>> {
        let program = match request.format {
            Format::Fatbin | Format::Ptx => {
                CudaProgram::build(&self.gpu, request.code, request.format, request.libraries)?
            }
            Format::LlvmBitcode if is_large(request) => {
                return Ok(Arc::new(ProgramByNeed::new(&self.gpu, &self.info.name, request)));
            }
            Format::LlvmBitcode => {
                return match by_need::compile(&self.gpu, &self.info.name, request, None) {
                    Ok(Part::Kernel(program) | Part::Whole(program)) => Ok(Arc::new(program)),
                    // One kernel that the GPU does not support must not affect the others.
                    Err(_) if request.kernel_count > 1 => {
                        Ok(Arc::new(ProgramByNeed::new(&self.gpu, &self.info.name, request)))
                    }
                    Err(error) => Err(error),
                };
            }
            other => {
                let message = format!(
                    "NVIDIA GPUs support fat binaries, PTX and LLVM bitcode, not {}",
                    other.as_str()
                );
                return Err(Error::new(Errc::Build, message));
            }
        };
        globals::fill_pointers(|| self.create_queue(false), &program, request.globals)?;
        Ok(Arc::new(program))
    }

    unsafe fn create_graph(&self, nodes: &[GraphNode]) -> Result<Option<Arc<dyn Graph>>> {
        // SAFETY: the caller satisfies the contract of `Device::create_graph`.
        let graph = unsafe { CudaGraph::new(&self.gpu, nodes) }?;
        Ok(graph.map(|graph| Arc::new(graph) as _))
    }

    fn create_queue(&self, profiling: bool) -> Result<Arc<dyn Queue>> {
        Ok(Arc::new(CudaQueue::new(&self.gpu, false, profiling, None)?))
    }

    fn create_in_order_queue(&self, profiling: bool) -> Result<Option<Arc<dyn Queue>>> {
        Ok(Some(Arc::new(CudaQueue::new(&self.gpu, true, profiling, None)?)))
    }

    fn create_queue_with_priority(
        &self,
        in_order: bool,
        profiling: bool,
        priority: Priority,
    ) -> Result<Option<Arc<dyn Queue>>> {
        Ok(Some(Arc::new(CudaQueue::new(&self.gpu, in_order, profiling, Some(priority))?)))
    }

    fn occupancy(
        &self,
        kernel: &dyn Kernel,
        local_size: [u64; 3],
        local_bytes: u64,
    ) -> Result<Occupancy> {
        let Some(kernel) = kernel.as_any().downcast_ref::<CudaKernel>() else {
            return Ok(Occupancy::ONE);
        };
        self.gpu.enter()?;
        kernel.occupancy(local_size, local_bytes)
    }

    /// [`Gpu`] enables the access when it creates a context.
    fn can_access_peer(&self, peer: &dyn Device, atomics: bool) -> bool {
        let Some(peer) = (peer as &dyn Any).downcast_ref::<Self>() else { return false };
        let (api, own, other) = (self.gpu.api, self.gpu.ordinal, peer.gpu.ordinal);
        let mut can = 0;
        // SAFETY: both ordinals are devices of the driver, and `can` is writable.
        let code = unsafe { (api.device_can_access_peer)(&mut can, own, other) };
        if code != 0 || can == 0 || !atomics {
            return code == 0 && can != 0;
        }
        let Some(attribute) = api.hints.peer_attribute else { return false };
        let mut native = 0;
        // SAFETY: both ordinals are devices of the driver, and `native` is writable.
        let code = unsafe { attribute(&mut native, NATIVE_ATOMICS, own, other) };
        code == 0 && native != 0
    }

    unsafe fn register_host(&self, start: usize, size: usize, read_only: bool) -> Result<()> {
        // SAFETY: the memory stays valid (contract of `Device::register_host`).
        unsafe { self.memory.register_host(start, size, read_only) }
    }

    unsafe fn unregister_host(&self, start: usize) -> Result<()> {
        // SAFETY: the memory was registered, and no command uses it (contract of
        // `Device::unregister_host`).
        unsafe { self.memory.unregister_host(start) }
    }

    fn virtual_memory(&self) -> Option<&dyn VirtualMemory> {
        self.virtual_memory.as_ref().map(|memory| memory as _)
    }

    fn interop(&self) -> Option<&dyn Interop> {
        Some(self)
    }
}
