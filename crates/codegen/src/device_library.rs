//! Links the device library's bitcode into device code that calls it.

use crate::Error;
use scythe_llvm::{Context, Linkage, Module};
use std::path::Path;

/// Links the library in the file at `path`, of which only functions that the module needs are read.
/// `what` is its name in messages, and `symbol` is the
/// first undefined symbol of the module. `adapt` adapts the library to the module's target.
pub fn link<'ctx>(
    context: &'ctx Context,
    module: &Module<'ctx>,
    (what, path): (&'static str, &Path),
    symbol: &str,
    adapt: impl FnOnce(&Module<'ctx>),
) -> Result<(), Error> {
    let bytes = std::fs::read(path).map_err(|source| Error::DeviceLibrary {
        library: what,
        path: path.to_owned(),
        symbol: symbol.to_owned(),
        source,
    })?;
    let library = context.parse_bitcode_lazily(&bytes, &path.display().to_string())?.into_source();
    adapt(&library);
    // LLVM links `linkonce` functions only if they are used, and prefers the program's own
    // definitions.
    for function in library.functions().filter(|f| !f.is_declaration() && f.is_externally_visible())
    {
        function.set_linkage(Linkage::LLVMLinkOnceODRLinkage);
    }
    library.strip_debug_info();
    Ok(module.link(library)?)
}
