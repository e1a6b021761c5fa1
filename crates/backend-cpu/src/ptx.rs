//! PTX of device code, for the CUDA backend, whose driver compiles that: what the cache has of it, else what the run-time compiler
//! makes of it.

use scythe_cuda_toolkit::{Toolkit, libraries_identity};
use scythe_hal::Result;

use crate::cache::Recipe;
use crate::{jit, translated};

/// Device bitcode and what its PTX is for.
pub struct Source<'a> {
    pub bitcode: &'a [u8],
    /// Bitcode of other images that it is linked with.
    pub libraries: &'a [&'a [u8]],
    /// The compiler's, of which `-O0` to `-O3` count, and the device's aspects.
    pub options: &'a str,
    /// 90 for compute capability 9.0.
    pub sm: u32,
    /// The driver's CUDA version: 13000 for 13.0.
    pub driver: u32,
}

/// The PTX, with a NUL at the end. A `Build` error says what is wrong with the device code.
pub fn module(source: &Source<'_>) -> Result<Vec<u8>> {
    let Source { bitcode, libraries, options, sm, driver } = *source;
    // The libraries are the machine's, and may change between two runs.
    let variant = format!("ptx sm_{sm} {driver} {}", libraries_identity(&Toolkit::find()));
    let recipe = Recipe { bitcode, libraries, options, opt_level: jit::opt_level(options), variant: &variant };
    translated::module(&recipe, || jit::translate_ptx(bitcode, options, libraries, sm, driver))
}
