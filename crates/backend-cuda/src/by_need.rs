//! Large images of bitcode, whose kernels become modules one by one, when they are first used.
//!
//! Guarantees: a launch compiles its kernel and what it reaches, until a program has used many
//! kernels of the image. Kernels that share variables are in one module.

use std::ffi::c_void;
use std::sync::Arc;

use scythe_abi::launch::KernelLaunch;
use scythe_hal::by_need::{ByNeed, Part, Source};
use scythe_hal::{BuildRequest, CompileRequest, Kernel, Output, Program, Result, globals};
use scythe_image::Format;

use crate::gpu::Gpu;
use crate::program::CudaProgram;
use crate::queue::CudaQueue;

pub(crate) struct ProgramByNeed {
    gpu: Arc<Gpu>,
    device: String,
    source: Source,
    modules: ByNeed<CudaProgram>,
}

impl ProgramByNeed {
    pub(crate) fn new(gpu: &Arc<Gpu>, device: &str, request: &BuildRequest<'_>) -> Self {
        Self {
            gpu: gpu.clone(),
            device: device.to_owned(),
            source: Source::new(request),
            modules: ByNeed::of(request.kernel_count),
        }
    }

    fn compile(&self, kernel: Option<&str>) -> Result<Part<CudaProgram>> {
        self.source.with(|request| compile(&self.gpu, &self.device, request, kernel))
    }
}

/// Compiles the bitcode of an image for `device`, with all its kernels or with one, and loads the
/// module.
pub(crate) fn compile(
    gpu: &Arc<Gpu>,
    device: &str,
    request: &BuildRequest<'_>,
    kernel: Option<&str>,
) -> Result<Part<CudaProgram>> {
    let ptx = gpu.services.compiler.compile_to_vec(&CompileRequest {
        device,
        bitcode: request.code,
        libraries: request.libraries,
        opt_level: request.options.opt_level,
        aspects: request.aspects,
        output: Output::Ptx { sm: gpu.limits.sm, driver: gpu.limits.driver, kernel },
    })?;
    let program = CudaProgram::build(gpu, &ptx, Format::Ptx, &[])?;
    let create_queue = || -> Result<Arc<dyn scythe_hal::Queue>> {
        Ok(Arc::new(CudaQueue::new(gpu, false, false, None)?))
    };
    globals::fill_pointers(create_queue, &program, request.globals)?;
    Ok(match has_several_kernels(&ptx) {
        true => Part::Whole(program),
        false => Part::Kernel(program),
    })
}

/// Returns whether PTX has several kernels. The compiler starts each of them with a line of this
/// form.
fn has_several_kernels(ptx: &[u8]) -> bool {
    const ENTRY: &[u8] = b".visible .entry ";
    ptx.split(|&byte| byte == b'\n').filter(|line| line.starts_with(ENTRY)).nth(1).is_some()
}

impl Program for ProgramByNeed {
    fn kernel(&self, symbol: &str, launch: &KernelLaunch) -> Result<Arc<dyn Kernel>> {
        self.modules.get(symbol, |kernel| self.compile(kernel))?.kernel(symbol, launch)
    }

    fn global(&self, symbol: &str) -> Result<Option<*mut c_void>> {
        let whole = || {
            self.compile(None).map(|part| match part {
                Part::Kernel(program) | Part::Whole(program) => program,
            })
        };
        self.modules.whole(whole)?.global(symbol)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_counted() {
        let one = ".version 8.3\n.visible .entry a(\n)\n{\n\tret;\n}\n";
        assert!(!has_several_kernels(b""));
        assert!(!has_several_kernels(one.as_bytes()));
        assert!(has_several_kernels(format!("{one}.visible .entry b(\n").as_bytes()));
        assert!(!has_several_kernels(format!("{one}.visible .func b(\n").as_bytes()));
    }
}
