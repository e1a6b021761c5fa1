//! Images whose kernels become programs one by one, when they are first used: large images, and
//! images that cannot be built as a whole.
//!
//! Guarantees: a kernel that can be built runs, even if other kernels of its image cannot be built.
//! A kernel that cannot be built fails with its own error. Kernels that share variables are in one
//! program. The program of all kernels is built when the user asks for it.

use std::ffi::c_void;
use std::sync::Arc;

use scythe_abi::launch::KernelLaunch;
use scythe_hal::by_need::{ByNeed, Part, Source};
use scythe_hal::{BuildRequest, Error, Kernel, Native, Program, Result};

use crate::device::OclDevice;
use crate::program::OclProgram;

pub(crate) struct Apart {
    device: OclDevice,
    source: Source,
    /// The reason why the whole image cannot be built, if that was tried.
    error: Option<Error>,
    programs: ByNeed<OclProgram>,
}

impl Apart {
    pub(crate) fn new(device: OclDevice, request: &BuildRequest<'_>, error: Option<Error>) -> Self {
        let programs = match error {
            None => ByNeed::of(request.kernel_count),
            Some(_) => ByNeed::default(),
        };
        Self { device, source: Source::new(request), error, programs }
    }

    /// Returns the program of all kernels.
    fn whole(&self) -> Result<Arc<OclProgram>> {
        match &self.error {
            Some(error) => Err(error.clone()),
            None => self.programs.whole(|| {
                self.source.with(|request| self.device.build_bitcode(request, None)).map(into_inner)
            }),
        }
    }
}

/// Returns the program, whether or not it is that of one kernel.
fn into_inner(part: Part<OclProgram>) -> OclProgram {
    match part {
        Part::Kernel(program) | Part::Whole(program) => program,
    }
}

impl Program for Apart {
    fn kernel(&self, symbol: &str, launch: &KernelLaunch) -> Result<Arc<dyn Kernel>> {
        let build =
            |kernel: Option<&str>| self.source.with(|r| self.device.build_bitcode(r, kernel));
        self.programs.get(symbol, build)?.kernel(symbol, launch)
    }

    fn native(&self) -> Result<Native> {
        self.whole()?.native()
    }

    fn global(&self, symbol: &str) -> Result<Option<*mut c_void>> {
        self.whole()?.global(symbol)
    }
}
