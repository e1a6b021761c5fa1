//! The pass `work-group-static`: moves `work_group_static` variables to local memory.
//!
//! In C++ they are ordinary variables. The front end gives them the attribute [`ATTRIBUTE`], which
//! their class carries as a property. The pass replaces each of them by a variable in address space
//! [`LOCAL`] without an initial value, which is the form of a variable with one instance for each
//! work-group.

use crate::target::common::local_variables::LOCAL;
use crate::{Error, Pass};
use scythe_llvm::Module;

/// Variable attribute: each work-group has its own instance.
pub const ATTRIBUTE: &str = "scythe-work-group-static";

pub struct WorkGroupStatic;

impl Pass for WorkGroupStatic {
    fn name(&self) -> &'static str {
        "work-group-static"
    }

    fn run(&self, module: &Module<'_>) -> Result<bool, Error> {
        let builder = module.context().create_builder();
        let marked: Vec<_> = module
            .globals()
            .filter(|g| g.address_space() != LOCAL && g.string_attribute(ATTRIBUTE).is_some())
            .collect();
        for &variable in &marked {
            let local = module.add_global("", variable.value_type(), LOCAL);
            local.set_align(variable.align());
            local.set_linkage(variable.linkage());
            if !variable.is_declaration() {
                local.set_initializer(Some(variable.value_type().undef()));
            }
            let name = variable.name();
            let old = variable.as_value();
            // A cast of a constant is a constant, so the builder needs no position.
            old.replace_all_uses_with(builder.addr_space_cast(local.as_value(), old.ty(), ""));
            variable.erase();
            local.set_name(&name);
        }
        Ok(!marked.is_empty())
    }
}
