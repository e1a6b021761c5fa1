//! Variables of device code that keep their values between launches.
//!
//! Such a variable must exist once on a device. Code that is compiled separately has its own copy,
//! so kernels that use the variable must be compiled together.

use crate::device_globals::DeviceGlobal;
use crate::target::common::local_variables::LOCAL;
use scythe_llvm::Module;

/// The `device_global` variables whose memory the runtime owns. Separately compiled code shares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundGlobals {
    /// All of them: the loader of the code binds symbols.
    All,
    /// Those without `device_image_scope`. The program contains the memory of the others.
    WithoutImageScope,
}

/// Returns whether the module defines variables that keep values between launches.
pub fn any(module: &Module<'_>, bound: BoundGlobals) -> bool {
    module.globals().any(|variable| {
        let is_bound = || {
            DeviceGlobal::of(variable)
                .is_some_and(|global| bound == BoundGlobals::All || !global.image_scope)
        };
        // The contents of local memory end with the work-group.
        !variable.is_declaration()
            && !variable.is_constant_global()
            && variable.as_value().ty().address_space() != Some(LOCAL)
            && !variable.name().starts_with("llvm.")
            && !is_bound()
    })
}
