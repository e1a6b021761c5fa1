//! The client of the run-time compiler. All backends compile device code through this crate.
//!
//! * [`CLIENT`] is the [`Compiler`] that the runtime passes to backends.
//! * `library` finds `libscythe-jit.so` and loads it for the first build that is not in the cache.
//! * `call` converts a request to the C interface ([`scythe_abi::jit`]), and calls the compiler.
//! * [`Stored`] keeps results of other compilers in the same cache.
//! * [`entries`] reads the cache for tools.
//! * `cache` keeps compiled code for later processes, which then need not load LLVM.
//!
//! Environment: `SCYTHE_DUMP_JIT` names a folder for the IR of each stage of compilation.
//! `SYCL_CACHE_DIR`, `SYCL_CACHE_PERSISTENT`, `SYCL_CACHE_MAX_SIZE` and `SYCL_CACHE_TRACE` control
//! the cache (`docs/environment.md`).

mod cache;
mod call;
pub mod entries;
mod library;
mod ptx_version;
mod stored;
mod timeline;

use scythe_hal::{CompileRequest, Compiler, Error, Output, Result};

use cache::Cache;
pub use stored::Stored;

/// The run-time compiler of this process.
pub static CLIENT: Client = Client(());

/// The type of [`CLIENT`].
pub struct Client(());

impl Compiler for Client {
    fn compile(
        &self,
        request: &CompileRequest<'_>,
        load: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let explain = |error: Error| Error {
            message: format!(
                "cannot build device code for '{}': {}",
                request.device, error.message
            ),
            ..error
        };
        let traced = timeline::Request::begin(request);
        let mut place = None;
        if let Some(cache) = Cache::of_process()? {
            let files = library::files().map_err(explain)?;
            place =
                cache.key(request, &files.library, &files.device_lib_dir).map(|key| (cache, key));
        }
        if let Some((cache, key)) = place.as_ref().filter(|_| !wants_compilation(&request.output))
            && let Some(entry) = cache.get(key)
        {
            match load(entry.object()) {
                Ok(()) => {
                    timeline::Request::hit(traced);
                    return Ok(());
                }
                // For example, the entry is from another machine with the same home folder, whose
                // libraries have more functions.
                Err(error) => cache.discard(key, &error),
            }
        }
        let compiler = library::compiler().map_err(explain)?;
        let code = call::compile(compiler, request)?;
        load(&code)?;
        timeline::Request::compiled(traced);
        if let Some((cache, key)) = place {
            cache.put(&key, compiler.llvm.as_ref(), &code);
        }
        Ok(())
    }
}

/// Returns whether the user requests the stages of compilation or a check of the result. Cached
/// code provides neither.
fn wants_compilation(output: &Output<'_>) -> bool {
    call::dump_folder().is_some()
        || (matches!(output, Output::SpirV { .. }) && call::validator().is_some())
}
