//! Applies compile-time properties in IR. Each property that affects compilation is handled here.
//!
//! Properties arrive as string attributes of kernels, parameters and variables, and as
//! `llvm.ptr.annotation` of members. Properties without an entry in a table of this module stay as
//! they are, so that later consumers can read them.
//!
//! | property | on | effect |
//! |---|---|---|
//! | `sycl-sub-group-size` | kernels | `!intel_reqd_sub_group_size` |
//! | `sycl-work-group-size` | kernels | `!reqd_work_group_size`, `!work_group_num_dim` |
//! | `sycl-work-group-size-hint` | kernels | `!work_group_size_hint` |
//! | `sycl-device-has` | kernels | `!intel_declared_aspects` |
//! | `sycl-no-alias` | pointer parameters | `noalias` |
//! | `sycl-alignment` | pointer parameters | `align` |
//!
//! * [`kernels`] runs before the aspects analysis, [`parameters`] after kernels have flat
//!   parameters, and [`members`] before any optimisation.
//! * [`spirv`] is part of post-link. It translates properties to SPIR-V by the table in
//!   [`spirv_table`].
//! * [`drop_annotations`] is for targets that do not use annotations of members.

mod error;
pub mod kernels;
pub mod members;
pub mod parameters;
pub mod spirv;
pub mod spirv_table;

pub use error::PropertyError;
pub use kernels::KernelProperties;
pub use members::MemberProperties;
pub use parameters::ParameterProperties;
pub use spirv::SpirvProperties;

use scythe_llvm::Module;

/// Removes the annotations of members that carry properties, and the metadata that only SPIR-V
/// uses. The annotations would prevent memory from being promoted to registers.
pub fn drop_annotations(module: &Module<'_>) {
    module.erase_named_metadata(spirv::EXECUTION_MODES);
    let annotations: Vec<_> =
        module.functions().filter(|f| f.name().starts_with("llvm.ptr.annotation.")).collect();
    for annotation in annotations {
        for call in annotation.users().into_iter().filter_map(|user| user.as_instruction()) {
            if let (Some(address), true) =
                (call.args().first(), call.called_function() == Some(annotation))
            {
                call.as_value().replace_all_uses_with(*address);
                call.erase();
            }
        }
    }
}
