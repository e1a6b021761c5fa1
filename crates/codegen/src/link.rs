//! Links the device code of other images into that of a kernel's image. Exported functions and
//! variables of libraries become part of the kernel like its own functions.
//!
//! Guarantees: the module keeps its own definitions and kernels, and gets no kernel of a library.
//! If several libraries define the same symbol, the first definition is used. Libraries may refer
//! to each other in cycles. Later stages report symbols that are still undefined, with the name of
//! a user.

use crate::Error;
use scythe_llvm::{Context, Linkage, Module, PassOptions, run_passes};
use scythe_passes::target::nvptx::lowering::denormals;

/// Links `libraries` into `module`, in order.
pub fn run<'ctx>(
    context: &'ctx Context,
    module: &Module<'ctx>,
    libraries: &[&[u8]],
) -> Result<(), Error> {
    for (index, bitcode) in libraries.iter().enumerate() {
        let name = format!("device image {} of {} to link", index + 1, libraries.len());
        let library = context.parse_bitcode(bitcode, &name)?;
        // Bitcode that can be read may still contain invalid IR, for which the behaviour of passes
        // is undefined.
        library.verify()?;
        let (expected, seen) = (module.triple(), library.triple());
        if expected != seen {
            return Err(Error::OtherTarget { name, seen, expected });
        }
        yield_to_others(&library);
        drop_kernels(&library)?;
        denormals::reconcile(module);
        denormals::reconcile(&library);
        module.link(library)?;
    }
    Ok(())
}

/// Makes definitions give way to existing ones. They must not be `linkonce`: a library that is
/// linked later may need a definition that is not used yet.
fn yield_to_others(library: &Module<'_>) {
    for function in library.functions().filter(|f| !f.is_declaration() && f.is_externally_visible())
    {
        function.remove_comdat();
        function.set_linkage(Linkage::LLVMWeakODRLinkage);
    }
    for global in library.globals().filter(|g| !g.is_declaration() && g.is_externally_visible()) {
        // LLVM concatenates lists such as `llvm.compiler.used`.
        if global.linkage() != Linkage::LLVMAppendingLinkage {
            global.remove_comdat();
            global.set_linkage(Linkage::LLVMWeakODRLinkage);
        }
    }
}

/// Removes the kernels of a library, which no build requests, and the functions that only they
/// call.
fn drop_kernels(library: &Module<'_>) -> Result<(), scythe_llvm::Error> {
    for kernel in library.kernels() {
        kernel.set_linkage(Linkage::LLVMInternalLinkage);
    }
    run_passes(library, "globaldce", None, PassOptions::default())
}
