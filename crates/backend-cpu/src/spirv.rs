//! SPIR-V of device code, for backends whose drivers compile that: what the cache has of it, else what the run-time compiler makes
//! of it.

use scythe_hal::Result;

use crate::cache::Recipe;
use crate::{jit, translated};

/// Device bitcode and what its SPIR-V may be made of.
pub struct Source<'a> {
    pub bitcode: &'a [u8],
    /// Bitcode of other images that it is linked with.
    pub libraries: &'a [&'a [u8]],
    /// The compiler's, of which `-O0` to `-O3` count.
    pub options: &'a str,
    /// SPIR-V extensions that the driver knows, separated by blanks.
    pub extensions: &'a str,
    /// The highest version that the driver takes, such as 0x0001_0400.
    pub version: u32,
    /// The one kernel that is wanted, else all.
    pub kernel: Option<&'a str>,
}

/// The SPIR-V module. A `Build` error says what is wrong with the device code.
pub fn module(source: &Source<'_>) -> Result<Vec<u8>> {
    let Source { bitcode, libraries, options, extensions, version, kernel } = *source;
    let variant = format!("spirv {version:#x} {extensions} {}", kernel.unwrap_or_default());
    let recipe = Recipe { bitcode, libraries, options, opt_level: jit::opt_level(options), variant: &variant };
    translated::module(&recipe, || jit::translate(bitcode, options, libraries, extensions, version, kernel))
}
