//! Gives a kernel other parameters, and keeps all else of it.

use scythe_llvm::{Function, Module, Place, Type, Value};

/// Replaces `kernel` by one with parameters of these types. The first ones take over the attributes of the old parameters where their
/// types are the same. `adapt` gives what the body gets in an old parameter's place, with a builder at the start of the body.
pub fn replace<'ctx>(
    module: &Module<'ctx>,
    kernel: Function<'ctx>,
    types: &[Type<'ctx>],
    mut adapt: impl FnMut(&scythe_llvm::Builder<'ctx>, usize, Value<'ctx>) -> Value<'ctx>,
) -> Function<'ctx> {
    let new = module.add_function("", module.context().void_type().function(types, false));
    new.copy_attributes_from(kernel);
    new.set_linkage(kernel.linkage());
    new.copy_comdat_from(kernel);
    let old: Vec<Value<'ctx>> = kernel.params();
    for (index, param) in old.iter().enumerate().filter(|(index, param)| param.ty() == types[*index]) {
        let place = Place::Param(index as u32);
        kernel.attributes(place).into_iter().for_each(|attribute| new.add_attribute(place, attribute));
        new.params()[index].set_name(&param.name());
    }
    new.take_body(kernel);
    if let Some(entry) = new.entry_block() {
        let builder = module.context().create_builder();
        builder.position_at_start(entry);
        for (index, (param, value)) in old.iter().zip(new.params()).enumerate() {
            let value = if param.ty() == value.ty() { value } else { adapt(&builder, index, value) };
            param.replace_all_uses_with(value);
        }
    }
    let name = kernel.name();
    kernel.as_value().replace_all_uses_with(new.as_value());
    kernel.erase();
    new.set_name(&name);
    new
}
