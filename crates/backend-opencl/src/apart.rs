//! Kernels of an image that cannot be built as a whole. Each kernel becomes a separate program on
//! its first use.
//!
//! Guarantees: a kernel that can be built runs, even if other kernels of its image cannot be built.
//! A kernel that cannot be built fails with its own error. Variables that belong to the whole image
//! are not available, because each kernel would have its own copy.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, PoisonError};

use scythe_abi::launch::KernelLaunch;
use scythe_hal::globals::{self, Global};
use scythe_hal::{BuildOptions, BuildRequest, Error, Kernel, Native, Program, Result};
use scythe_image::Format;

use crate::device::OclDevice;
use crate::program::OclProgram;

pub(crate) struct Apart {
    device: OclDevice,
    source: Source,
    globals: Vec<OwnGlobal>,
    /// The reason why the whole image was not built.
    whole: Error,
    programs: Mutex<HashMap<String, Result<Arc<OclProgram>>>>,
}

/// A [`BuildRequest`] that owns its parts.
struct Source {
    code: Vec<u8>,
    libraries: Vec<Vec<u8>>,
    options: BuildOptions,
    aspects: Vec<u32>,
}

struct OwnGlobal {
    symbol: String,
    size: usize,
    address: *mut c_void,
}

// SAFETY: the address is in the device's memory. Only commands access it.
unsafe impl Send for OwnGlobal {}
// SAFETY: the address is in the device's memory. Only commands access it.
unsafe impl Sync for OwnGlobal {}

impl Apart {
    pub(crate) fn new(device: OclDevice, request: &BuildRequest<'_>, whole: Error) -> Self {
        let own = |global: &Global<'_>| OwnGlobal {
            symbol: global.symbol.to_owned(),
            size: global.size,
            address: global.address,
        };
        let source = Source {
            code: request.code.to_vec(),
            libraries: request.libraries.iter().map(|library| library.to_vec()).collect(),
            options: request.options,
            aspects: request.aspects.to_vec(),
        };
        let globals = request.globals.iter().map(own).collect();
        Self { device, source, globals, whole, programs: Mutex::default() }
    }

    /// Builds the program of a kernel, at most once for each kernel. A failure is also remembered.
    fn program(&self, kernel: &str) -> Result<Arc<OclProgram>> {
        let mut programs = self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(program) = programs.get(kernel) {
            return program.clone();
        }
        let program = self.build(kernel);
        programs.insert(kernel.to_owned(), program.clone());
        program
    }

    fn build(&self, kernel: &str) -> Result<Arc<OclProgram>> {
        let Source { code, libraries, options, aspects } = &self.source;
        let libraries: Vec<&[u8]> = libraries.iter().map(Vec::as_slice).collect();
        let request = BuildRequest {
            libraries: &libraries,
            options: *options,
            aspects,
            ..BuildRequest::new(code, Format::LlvmBitcode)
        };
        let program = Arc::new(self.device.build_bitcode(&request, Some(kernel))?);
        let globals: Vec<Global<'_>> = self
            .globals
            .iter()
            .map(|own| Global { symbol: &own.symbol, size: own.size, address: own.address })
            .collect();
        globals::fill_pointers(&self.device, &*program, &globals)?;
        Ok(program)
    }
}

impl Program for Apart {
    fn kernel(&self, symbol: &str, launch: &KernelLaunch) -> Result<Arc<dyn Kernel>> {
        self.program(symbol)?.kernel(symbol, launch)
    }

    fn native(&self) -> Result<Native> {
        Err(self.whole.clone())
    }

    fn global(&self, _symbol: &str) -> Result<Option<*mut c_void>> {
        Err(self.whole.clone())
    }
}
