//! Sets the parameters of kernels to the form that [`scythe_abi::cuda`] describes.
//!
//! Guarantee: after [`add_launch`] the kernel's last parameter is the launch block
//! ([`scythe_abi::cuda::Launch`]), by value.

use super::lowering::launch;
use crate::target::common::pointers::only_read;
use scythe_abi::launch::Shape;
use scythe_llvm::{Builder, Function, Module, Place, Type, Value};

/// Adds the launch block to the parameters of `kernel`. In range kernels, also adds the check that
/// excludes surplus work-items. Returns the new kernel.
pub fn add_launch<'ctx>(
    module: &Module<'ctx>,
    kernel: Function<'ctx>,
    shape: Shape,
) -> Function<'ctx> {
    let context = module.context();
    let block = block_type(module);
    let mut types: Vec<Type<'ctx>> = kernel.params().iter().map(|param| param.ty()).collect();
    types.push(context.ptr_type(0));
    let kernel = replace(module, kernel, &types, |_, _, value| value);
    let place = Place::Param(types.len() as u32 - 1);
    let enums = [("align", 8), ("noalias", 0), ("noundef", 0), ("readonly", 0)];
    let attributes = enums.iter().map(|(name, value)| context.enum_attribute(name, *value));
    let attributes = attributes.chain([context.type_attribute("byval", block)]).flatten();
    attributes.for_each(|attribute| kernel.add_attribute(place, attribute));
    if let Some(launch) = kernel.params().last() {
        launch.set_name("launch");
    }
    keep_parameters(module, kernel);
    if shape == Shape::Range {
        launch::return_outside_range(module, kernel);
    }
    kernel
}

/// Marks by-value blocks that the kernel never writes, so that it reads them in place. Without the
/// mark, optimisation keeps copies that the kernel made of them, and code generation makes a copy
/// if their address escapes. No other code writes these blocks either.
fn keep_parameters<'ctx>(module: &Module<'ctx>, kernel: Function<'ctx>) {
    let context = module.context();
    for (index, param) in kernel.params().into_iter().enumerate() {
        let place = Place::Param(index as u32);
        let has = |name| kernel.enum_attribute(place, name).is_some();
        if has("byval") && (has("readonly") || has("readnone") || only_read(param)) {
            let attributes = ["noalias", "readonly"].map(|name| context.enum_attribute(name, 0));
            attributes
                .into_iter()
                .flatten()
                .filter(|_| !has("readnone"))
                .for_each(|a| kernel.add_attribute(place, a));
            kernel.add_attribute(place, context.string_attribute("nvvm.grid_constant", ""));
        }
    }
}

/// The type of [`scythe_abi::cuda::Launch`].
fn block_type<'ctx>(module: &Module<'ctx>) -> Type<'ctx> {
    let context = module.context();
    let (words, halves) = (context.int_type(64).array(3), context.int_type(32).array(3));
    let word = context.int_type(64);
    context.struct_type(&[words, words, words, words, halves, halves, word], false)
}

/// Replaces `kernel` by a kernel with parameters of these types. A new parameter takes over the
/// attributes of the old parameter at its index if the types are the same. `adapt` returns the
/// value that replaces an old parameter of another type; its builder is at the start of the body.
pub fn replace<'ctx>(
    module: &Module<'ctx>,
    kernel: Function<'ctx>,
    types: &[Type<'ctx>],
    mut adapt: impl FnMut(&Builder<'ctx>, usize, Value<'ctx>) -> Value<'ctx>,
) -> Function<'ctx> {
    let new = module.add_function("", module.context().void_type().function(types, false));
    new.copy_attributes_from(kernel);
    new.set_linkage(kernel.linkage());
    new.copy_comdat_from(kernel);
    let old: Vec<Value<'ctx>> = kernel.params();
    for (index, param) in
        old.iter().enumerate().filter(|(index, param)| param.ty() == types[*index])
    {
        let place = Place::Param(index as u32);
        kernel
            .attributes(place)
            .into_iter()
            .for_each(|attribute| new.add_attribute(place, attribute));
        new.params()[index].set_name(&param.name());
    }
    new.take_body(kernel);
    if let Some(entry) = new.entry_block() {
        let builder = module.context().create_builder();
        builder.position_at_start(entry);
        for (index, (param, value)) in old.iter().zip(new.params()).enumerate() {
            let value =
                if param.ty() == value.ty() { value } else { adapt(&builder, index, value) };
            param.replace_all_uses_with(value);
        }
    }
    let name = kernel.name();
    kernel.as_value().replace_all_uses_with(new.as_value());
    kernel.erase();
    new.set_name(&name);
    new
}
