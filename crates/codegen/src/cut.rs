//! Reads a device image: all of it, or one kernel and what it reaches.
//!
//! Guarantees: a kernel that is read alone shares no variable that keeps its value between launches
//! with other kernels. If it would, the whole image is read, so that there is one copy of the
//! variable. Without libraries, the time to read a kernel does not depend on the size of the bodies
//! of other kernels.

use crate::{Error, link};
use scythe_llvm::{Context, Module, PassOptions, run_passes};
use scythe_passes::kept_variables::{self, BoundGlobals};

/// An image, linked with its libraries and verified.
pub struct Cut<'ctx> {
    pub module: Module<'ctx>,
    /// Whether the module has all kernels of the image although one was requested.
    pub is_whole: bool,
}

/// Lists that keep functions and variables, for tools that ran earlier. They would also keep those
/// of other kernels.
const LISTS: [&str; 3] = ["llvm.used", "llvm.compiler.used", "llvm.global.annotations"];

/// Reads `bitcode`, links it with `libraries`, and keeps `kernel` if there is one. `bound` tells
/// which `device_global` variables the runtime owns.
pub fn read<'ctx>(
    context: &'ctx Context,
    bitcode: &[u8],
    libraries: &[&[u8]],
    kernel: Option<&str>,
    bound: BoundGlobals,
) -> Result<Cut<'ctx>, Error> {
    const NAME: &str = "device image";
    if let Some(kernel) = kernel {
        let lazy = match libraries {
            [] => context.parse_bitcode_lazily(bitcode, NAME)?,
            _ => {
                let module = context.parse_bitcode(bitcode, NAME)?;
                link::run(context, &module, libraries)?;
                module.into()
            }
        };
        let is_kernel = lazy.has_kernel(kernel);
        let missing = || Error::NoKernel { kernel: kernel.to_owned() };
        let module = is_kernel.then(|| lazy.reached_from(kernel)).transpose()?.flatten();
        let module = module.ok_or_else(missing)?;
        LISTS.iter().filter_map(|list| module.global(list)).for_each(|list| list.erase());
        // Bitcode that can be read may still contain invalid IR, for which the behaviour of passes
        // is undefined.
        module.verify()?;
        run_passes(&module, "globaldce", None, PassOptions::default())?;
        if !kept_variables::any(&module, bound) {
            return Ok(Cut { module, is_whole: false });
        }
    }
    let module = context.parse_bitcode(bitcode, NAME)?;
    link::run(context, &module, libraries)?;
    module.verify()?;
    Ok(Cut { module, is_whole: kernel.is_some() })
}
