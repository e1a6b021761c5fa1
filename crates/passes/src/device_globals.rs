//! `device_global` variables in device code.
//!
//! The front end gives each `device_global` variable the attributes [`ID_ATTRIBUTE`], its name on
//! all devices, and [`SIZE_ATTRIBUTE`], besides the attributes of its properties. In IR it is an
//! ordinary variable with its initial value, as in the source. The pass `linkage` makes it visible
//! to host code and to other images, and prevents optimisations from assuming its value.
//!
//! Code generation for a device then connects the code to the memory that the runtime allocates for
//! the variable (`hal::globals`):
//! * [`to_declarations`] makes the variable an undefined symbol, which the loader of the object
//!   binds;
//! * [`to_pointers`] replaces it by a variable of the same name that holds the address of the
//!   memory and is read once per function. Variables with `device_image_scope` stay as they are,
//!   because the loaded program contains their memory.

use crate::Error;
use scythe_llvm::{Function, GlobalVariable, Linkage, Module, Value};
use std::collections::HashMap;

/// Variable attribute: the variable's name on all devices.
pub const ID_ATTRIBUTE: &str = "sycl-unique-id";
/// Variable attribute: the variable's size in bytes.
pub const SIZE_ATTRIBUTE: &str = "sycl-device-global-size";
/// Variable attribute: each image has its own copy of the variable.
pub const IMAGE_SCOPE_ATTRIBUTE: &str = "sycl-device-image-scope";

/// A `device_global` variable, declared or defined.
#[derive(Clone, Debug)]
pub struct DeviceGlobal<'ctx> {
    pub variable: GlobalVariable<'ctx>,
    pub id: String,
    pub size: u64,
    pub image_scope: bool,
}

impl<'ctx> DeviceGlobal<'ctx> {
    /// Describes `variable`. Returns `None` if it is not a `device_global`.
    pub fn of(variable: GlobalVariable<'ctx>) -> Option<Self> {
        let id = variable.string_attribute(ID_ATTRIBUTE)?;
        let size = variable.string_attribute(SIZE_ATTRIBUTE)?.parse().ok()?;
        // The property `device_image_scope` may be present with the value `false`.
        let scope = variable.string_attribute(IMAGE_SCOPE_ATTRIBUTE);
        let image_scope = scope.is_some_and(|value| value != "false");
        Some(Self { variable, id, size, image_scope })
    }

    /// Returns all `device_global` variables of a module, in the module's order.
    pub fn all(module: &Module<'ctx>) -> Vec<Self> {
        module.globals().filter_map(Self::of).collect()
    }
}

/// The reason why the runtime cannot find a `device_global` variable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GlobalError {
    #[error("cannot rename the variable to '{name}': another symbol has this name")]
    Taken { name: String },
    #[error(
        "the initial value of another variable contains its address, which is unknown until the \
         program runs; store the address in a kernel instead"
    )]
    InInitialValue,
}

/// Makes all `device_global` variables visible to host code and other images. Returns whether the
/// module has any. Part of the pass `linkage`.
pub(crate) fn share(module: &Module<'_>) -> Result<bool, Error> {
    let all = DeviceGlobal::all(module);
    for DeviceGlobal { variable, id, .. } in &all {
        if variable.name() != *id {
            if module.global(id).is_some() || module.function(id).is_some() {
                return Err(error(&variable.name(), GlobalError::Taken { name: id.clone() }));
            }
            variable.set_name(id);
        }
        variable.set_constant_global(false);
        variable.remove_comdat();
        if variable.is_declaration() {
            variable.set_linkage(Linkage::LLVMExternalLinkage);
        } else {
            variable.set_linkage(Linkage::LLVMWeakODRLinkage);
            variable.set_externally_initialized(true);
        }
    }
    Ok(!all.is_empty())
}

fn error(variable: &str, fault: GlobalError) -> Error {
    Error::Variable { pass: "linkage", variable: variable.to_owned(), fault: fault.into() }
}

/// Turns all `device_global` variables into undefined symbols.
pub fn to_declarations(module: &Module<'_>) {
    for DeviceGlobal { variable, id, size, .. } in DeviceGlobal::all(module) {
        // A new variable is needed: the old one may be marked as local to the object.
        let declared = module.add_global("", variable.value_type(), variable.address_space());
        declared.set_align(variable.align());
        declared.add_attribute(ID_ATTRIBUTE, &id);
        declared.add_attribute(SIZE_ATTRIBUTE, &size.to_string());
        variable.as_value().replace_all_uses_with(declared.as_value());
        variable.erase();
        declared.set_name(&id);
    }
}

/// Global lists that keep other globals alive, or describe them for tools that ran earlier.
const BOOKKEEPING: [&str; 3] = ["llvm.used", "llvm.compiler.used", "llvm.global.annotations"];

/// Removes the lists of variables and functions that have no meaning on a device.
pub(crate) fn erase_bookkeeping(module: &Module<'_>) {
    for list in BOOKKEEPING.iter().filter_map(|name| module.global(name)) {
        list.erase();
    }
}

/// Groups the instructions that use a value by function. Each function is listed once.
fn by_function<'ctx>(value: Value<'ctx>) -> Vec<(Function<'ctx>, Vec<Value<'ctx>>)> {
    let mut places = HashMap::new();
    let mut list: Vec<(Function<'ctx>, Vec<Value<'ctx>>)> = Vec::new();
    for user in value.users() {
        let Some(function) = user.as_instruction().and_then(|i| i.function()) else { continue };
        let place = *places.entry(function).or_insert_with(|| {
            list.push((function, Vec::new()));
            list.len() - 1
        });
        list[place].1.push(user);
    }
    list
}

/// Replaces all variables without `device_image_scope` by pointer variables. Fails if the address
/// of a variable is part of the initial value of another variable.
pub fn to_pointers<'ctx>(module: &Module<'ctx>) -> Result<(), Error> {
    let context = module.context();
    let builder = context.create_builder();
    let all = DeviceGlobal::all(module);
    if !all.is_empty() {
        erase_bookkeeping(module);
    }
    for DeviceGlobal { variable, id, image_scope, .. } in all {
        if image_scope {
            variable.set_linkage(Linkage::LLVMExternalLinkage);
            continue;
        }
        let (old, pointer_type) = (variable.as_value(), variable.as_value().ty());
        let pointer = module.add_global("", pointer_type, variable.address_space());
        pointer.set_align(8);
        old.expand_constant_users_everywhere();
        for (function, users) in by_function(old) {
            let Some(entry) = function.entry_block() else { continue };
            builder.position_at_start(entry);
            let address = builder.load(pointer_type, pointer.as_value(), "device_global");
            // The runtime fills the pointer before the first kernel runs.
            address
                .set_metadata(context.metadata_kind("invariant.load"), Some(context.md_node(&[])));
            users.into_iter().for_each(|user| old.replace_uses_in(user, address.as_value()));
        }
        if old.has_uses() {
            return Err(error(&id, GlobalError::InInitialValue));
        }
        variable.erase();
        pointer.set_name(&id);
        pointer.set_initializer(Some(pointer_type.const_null()));
        pointer.set_externally_initialized(true);
        pointer.add_attribute(ID_ATTRIBUTE, &id);
        pointer.set_linkage(Linkage::LLVMExternalLinkage);
    }
    Ok(())
}
