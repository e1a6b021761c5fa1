//! Device code in another form, for backends whose drivers compile that: what the cache has of it, else what the run-time compiler
//! makes of it.

use scythe_hal::Result;

use crate::cache::{Cache, Recipe};
use crate::jit::{self, Compiled};

/// What the cache has by this recipe; else what `make` gives, which the cache keeps.
pub(crate) fn module(recipe: &Recipe<'_>, make: impl FnOnce() -> Result<Compiled>) -> Result<Vec<u8>> {
    let mut place = None;
    if let Some(cache) = Cache::of_process()? {
        let files = jit::files()?;
        place = cache.key(recipe, &files.library, &files.device_lib_dir).map(|key| (cache, key));
    }
    // Who wants to see the stages of translation, or have its result judged, wants the code translated.
    if let Some((cache, key)) = place.as_ref().filter(|_| jit::dump_folder().is_none() && jit::validator().is_none())
        && let Some(entry) = cache.get(key)
    {
        return Ok(entry.object().to_vec());
    }
    let made = make()?;
    if let Some((cache, key)) = place {
        cache.put(&key, made.llvm, &made.object);
    }
    Ok(made.object)
}
