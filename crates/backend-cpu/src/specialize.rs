//! Values of specialization constants in device code: what the cache has of it, else what the run-time compiler makes of it.

use std::fmt::Write as _;

use scythe_hal::Result;

use crate::cache::Recipe;
use crate::{jit, translated};

/// Device bitcode with these values in the place of defaults: pairs of a constant's name and its bytes. A `Build` error says what is
/// wrong with the device code, or which value does not fit.
pub fn module(bitcode: &[u8], values: &[(String, Vec<u8>)]) -> Result<Vec<u8>> {
    let mut variant = String::from("specialized");
    for (symbol, bytes) in values {
        let _ = write!(variant, " {symbol}=");
        bytes.iter().for_each(|byte| {
            let _ = write!(variant, "{byte:02x}");
        });
    }
    let recipe = Recipe { bitcode, libraries: &[], options: "", opt_level: 0, variant: &variant };
    translated::module(&recipe, || jit::specialize(bitcode, values))
}
