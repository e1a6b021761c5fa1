//! One GPU as the runtime sees it.

use std::ffi::c_void;
use std::sync::Arc;

use scythe_abi::image_target::ImageTarget;
use scythe_hal::{
    BuildRequest, CompileRequest, Device, DeviceInfo, Errc, Error, Interop, Output, Program, Queue,
    Result, UsmKind, fit, globals,
};
use scythe_image::Format;

use crate::gpu::Gpu;
use crate::memory::Memory;
use crate::program::CudaProgram;
use crate::queue::CudaQueue;

/// Machine code for an older architecture of the same major number comes before PTX, whose later
/// architectures come first.
const MACHINE_CODE: u32 = 0x80;

pub(crate) struct CudaDevice {
    pub(crate) gpu: Arc<Gpu>,
    info: DeviceInfo,
    memory: Memory,
}

impl CudaDevice {
    pub(crate) fn new(gpu: &Arc<Gpu>, info: DeviceInfo) -> Self {
        Self { gpu: gpu.clone(), info, memory: Memory::new(gpu) }
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

    fn alloc(&self, kind: UsmKind, size: usize, align: usize) -> Result<*mut c_void> {
        self.memory.alloc(kind, size, align)
    }

    unsafe fn free(&self, kind: UsmKind, ptr: *mut c_void) {
        // SAFETY: the caller's contract.
        unsafe { self.memory.free(kind, ptr) };
    }

    fn shares_host_memory(&self) -> bool {
        false
    }

    fn preference(&self, format: Format, target: &ImageTarget) -> Result<u32> {
        let sm = self.gpu.limits.sm;
        match format {
            Format::LlvmBitcode => match target.nvidia() {
                None => Ok(fit::GENERIC),
                // Of a device pass for NVIDIA's GPUs.
                Some(image) if image.ptx_runs_on(sm) => Ok(fit::GENERIC + 1),
                Some(_) => Err(self.cannot_run(&format!("code for {target}"))),
            },
            Format::Fatbin | Format::Ptx => {
                let unknown =
                    || self.cannot_run(&format!("an image of {} for '{target}'", format.as_str()));
                let image = target.nvidia().ok_or_else(unknown)?;
                match format {
                    Format::Fatbin if image.sm == sm => Ok(fit::EXACT + u32::from(image.specific)),
                    Format::Fatbin if image.cubin_runs_on(sm) => {
                        Ok(fit::COMPATIBLE + MACHINE_CODE + image.sm.min(0x7f))
                    }
                    _ if image.ptx_runs_on(sm) => Ok(fit::COMPATIBLE + image.sm.min(0x7f)),
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
            Format::LlvmBitcode => {
                let ptx = self.gpu.services.compiler.compile_to_vec(&CompileRequest {
                    device: &self.info.name,
                    bitcode: request.code,
                    libraries: request.libraries,
                    opt_level: request.options.opt_level,
                    aspects: request.aspects,
                    output: Output::Ptx { sm: self.gpu.limits.sm, driver: self.gpu.limits.driver },
                })?;
                CudaProgram::build(&self.gpu, &ptx, Format::Ptx, &[])?
            }
            other => {
                let message = format!(
                    "NVIDIA GPUs support fat binaries, PTX and LLVM bitcode, not {}",
                    other.as_str()
                );
                return Err(Error::new(Errc::Build, message));
            }
        };
        globals::fill_pointers(self, &program, request.globals)?;
        Ok(Arc::new(program))
    }

    fn create_queue(&self, profiling: bool) -> Result<Arc<dyn Queue>> {
        Ok(Arc::new(CudaQueue::new(&self.gpu, false, profiling)?))
    }

    fn create_in_order_queue(&self, profiling: bool) -> Result<Option<Arc<dyn Queue>>> {
        Ok(Some(Arc::new(CudaQueue::new(&self.gpu, true, profiling)?)))
    }

    fn interop(&self) -> Option<&dyn Interop> {
        Some(self)
    }
}
