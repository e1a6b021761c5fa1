//! Compile-time properties in IR, case by case: those that mean something to the compiler take
//! effect here.
//!
//! Properties come as string attributes of kernels, parameters and variables, and as
//! `llvm.ptr.annotation` of members. Those that no table here knows stay as they are, for whoever
//! knows them later.
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
//! * [`kernels`] runs before aspects are found, [`parameters`] after kernels have flat parameters,
//!   [`members`] before anything is optimised.
//! * [`spirv`] is post-link's: what SPIR-V hears of properties, by the table in [`spirv_table`].
//! * [`drop_annotations`] is for targets that make nothing of annotated members.

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

/// Removes the annotations of members that carry properties, which keep memory from becoming
/// values, and what only SPIR-V makes something of.
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
