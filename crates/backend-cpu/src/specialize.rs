//! Values of specialization constants in device code: what the cache has of it, else what the run-time compiler makes of it.

use std::fmt::Write as _;

use scythe_hal::Result;

use crate::cache::{Cache, Recipe};
use crate::jit;

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
    let mut place = None;
    if let Some(cache) = Cache::of_process()? {
        let files = jit::files()?;
        let recipe = Recipe { bitcode, libraries: &[], options: "", opt_level: 0, variant: &variant };
        place = cache.key(&recipe, &files.library, &files.device_lib_dir).map(|key| (cache, key));
    }
    if let Some((cache, key)) = &place
        && let Some(entry) = cache.get(key)
    {
        return Ok(entry.object().to_vec());
    }
    let made = jit::specialize(bitcode, values)?;
    if let Some((cache, key)) = place {
        cache.put(&key, made.llvm, &made.object);
    }
    Ok(made.object)
}
