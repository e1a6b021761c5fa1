//! `device_global` variables in device code.
//!
//! The front end gives each such variable the attributes [`ID_ATTRIBUTE`], its name on all devices,
//! and [`SIZE_ATTRIBUTE`], beside those of its properties. From then on it is what it was in the
//! source: a variable with its initial value. The pass `linkage` makes it one that host code and
//! other images can name, and whose value nobody may assume to know.
//!
//! Who compiles a module for a device then lets code find the memory that the runtime has for the
//! variable (`hal::globals`):
//! * [`to_declarations`]: the variable is an undefined symbol, which the loader of the object
//!   binds;
//! * [`to_pointers`]: a variable of the same name holds the address of the memory, and is read once
//!   per function. Variables with `device_image_scope` stay as they are: the program that is loaded
//!   has them.

use crate::Error;
use scythe_llvm::{Function, GlobalVariable, Linkage, Module, Value};
use std::collections::HashMap;

/// The variable's name on all devices.
pub const ID_ATTRIBUTE: &str = "sycl-unique-id";
/// Its size in bytes.
pub const SIZE_ATTRIBUTE: &str = "sycl-device-global-size";
/// It lives in one image.
pub const IMAGE_SCOPE_ATTRIBUTE: &str = "sycl-device-image-scope";

/// A `device_global`, declared or defined.
#[derive(Clone, Debug)]
pub struct DeviceGlobal<'ctx> {
    pub variable: GlobalVariable<'ctx>,
    pub id: String,
    pub size: u64,
    pub image_scope: bool,
}

impl<'ctx> DeviceGlobal<'ctx> {
    /// What `variable` is, where it is one.
    pub fn of(variable: GlobalVariable<'ctx>) -> Option<Self> {
        let id = variable.string_attribute(ID_ATTRIBUTE)?;
        let size = variable.string_attribute(SIZE_ATTRIBUTE)?.parse().ok()?;
        // `device_image_scope` may be there with a value that says it does not hold.
        let scope = variable.string_attribute(IMAGE_SCOPE_ATTRIBUTE);
        let image_scope = scope.is_some_and(|value| value != "false");
        Some(Self { variable, id, size, image_scope })
    }

    /// All of a module, in its order.
    pub fn all(module: &Module<'ctx>) -> Vec<Self> {
        module.globals().filter_map(Self::of).collect()
    }
}

/// A `device_global` variable that cannot be found at run time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GlobalError {
    #[error("its name in this translation unit, '{name}', is taken")]
    Taken { name: String },
    #[error("its address is part of the initial value of a variable, before the device tells it")]
    InInitialValue,
}

/// Makes all variables ones that host code and other images can name; true where there is one. Part
/// of the pass `linkage`.
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

/// Makes all variables undefined symbols.
pub fn to_declarations(module: &Module<'_>) {
    for DeviceGlobal { variable, id, size, .. } in DeviceGlobal::all(module) {
        // A new one: the old may be said to lie in the same object.
        let declared = module.add_global("", variable.value_type(), variable.address_space());
        declared.set_align(variable.align());
        declared.add_attribute(ID_ATTRIBUTE, &id);
        declared.add_attribute(SIZE_ATTRIBUTE, &size.to_string());
        variable.as_value().replace_all_uses_with(declared.as_value());
        variable.erase();
        declared.set_name(&id);
    }
}

/// Globals that keep others alive, or describe them for tools that have run before.
const BOOKKEEPING: [&str; 3] = ["llvm.used", "llvm.compiler.used", "llvm.global.annotations"];

/// Removes the lists of variables and functions that mean nothing to a device.
pub(crate) fn erase_bookkeeping(module: &Module<'_>) {
    for list in BOOKKEEPING.iter().filter_map(|name| module.global(name)) {
        list.erase();
    }
}

/// The instructions that use a value, by the functions they are in, each of which is listed once.
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

/// Lets pointer variables stand for all variables without `device_image_scope`. An error names a
/// variable whose address is part of another's initial value.
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
            // It is filled before the first kernel runs.
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
