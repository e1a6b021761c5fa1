//! The interface of the run-time compiler for backends.
//!
//! The runtime passes a [`Compiler`] to every backend. Backends do not know which library compiles,
//! where its cache is, or which other backends use it.

use scythe_abi::checks::Checks;

use crate::{Errc, Error, Result};

/// Compiles device code for the device of a backend.
pub trait Compiler: Send + Sync {
    /// Compiles `request`, or finds the result of an earlier process in the cache, and passes the
    /// code to `load`. If `load` rejects code from the cache, this function compiles the code and
    /// calls `load` a second time. It returns the error of the last call of `load`. A `Build` error
    /// describes a problem in the device code.
    fn compile(
        &self,
        request: &CompileRequest<'_>,
        load: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()>;
}

impl dyn Compiler {
    /// Compiles `request` and returns the code.
    pub fn compile_to_vec(&self, request: &CompileRequest<'_>) -> Result<Vec<u8>> {
        let mut code = Vec::new();
        self.compile(request, &mut |compiled| {
            code = compiled.to_vec();
            Ok(())
        })?;
        Ok(code)
    }
}

/// A compile request: device bitcode and how to compile it.
#[derive(Clone, Copy, Debug)]
pub struct CompileRequest<'a> {
    /// The name of the target device, for error messages.
    pub device: &'a str,
    pub bitcode: &'a [u8],
    /// Bitcode of other images that `bitcode` is linked with, in this order.
    pub libraries: &'a [&'a [u8]],
    /// The optimisation level, 0 to 3.
    pub opt_level: u32,
    /// The aspects that answer the aspect queries of the code.
    pub aspects: &'a [u32],
    pub output: Output<'a>,
}

/// The output format of the run-time compiler.
#[derive(Clone, Copy, Debug)]
pub enum Output<'a> {
    /// An x86-64 object for this machine.
    CpuObject {
        /// Whether to compile for one work-item at a time instead of for vector lanes.
        scalar: bool,
        /// The checks to add to kernels, besides those that the bitcode requests.
        checks: Checks,
        /// The only kernel to compile. `None`: all kernels, for any work-group size. If the kernel
        /// shares variables with others, the object contains all kernels and the function
        /// [`scythe_abi::names::CPU_WHOLE`].
        kernel: Option<&'a Part>,
    },
    /// A SPIR-V module.
    SpirV {
        /// The highest version that the driver accepts, for example 0x0001_0400.
        version: u32,
        /// Names of the SPIR-V extensions that the driver supports.
        extensions: &'a [String],
        /// The only kernel to translate. `None`: all kernels. If the kernel shares variables with
        /// others, the module contains all kernels.
        kernel: Option<&'a str>,
    },
    /// PTX text that ends with a NUL byte.
    Ptx {
        /// The compute capability: 90 for 9.0.
        sm: u32,
        /// The CUDA version of the driver: 13000 for 13.0.
        driver: u32,
        /// The only kernel to compile, as for SPIR-V.
        kernel: Option<&'a str>,
    },
    /// The same bitcode with new values of specialization constants: pairs of a symbol and the
    /// bytes of its value.
    Bitcode { constants: &'a [(String, Vec<u8>)] },
}

/// A part of an image that is compiled by itself: one kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub kernel: String,
    /// The only work-group size, the fastest dimension first. `None`: any size.
    pub local_size: Option<[u64; 3]>,
}

/// A compiler that rejects every request, for tests and programs that build no device code.
pub struct NoCompiler;

impl Compiler for NoCompiler {
    fn compile(
        &self,
        request: &CompileRequest<'_>,
        _load: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let message = format!(
            "cannot build device code for '{}': no run-time compiler is available",
            request.device
        );
        Err(Error::new(Errc::Build, message))
    }
}
