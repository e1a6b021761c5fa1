//! Gives by-value parameters of kernels a structure type.
//!
//! Device code passes them as arrays of bytes. Drivers support only structures as by-value
//! parameters, and lay out the arguments of a kernel by their types. The element type of the
//! structure determines the alignment of the bytes.

use scythe_llvm::{Function, Module, Place, Type};

/// Replaces the types of all by-value parameters of kernels.
pub fn run(module: &Module<'_>) {
    for kernel in module.kernels() {
        for index in 0..kernel.param_count() as u32 {
            replace(module, kernel, Place::Param(index));
        }
    }
}

fn replace<'ctx>(module: &Module<'ctx>, kernel: Function<'ctx>, place: Place) {
    let bytes = kernel.enum_attribute(place, "byval").and_then(|attribute| attribute.type_value());
    let Some(size) = bytes.filter(|ty| !ty.is_struct()).and_then(|ty| ty.alloc_size(module)) else {
        return;
    };
    let align = kernel
        .enum_attribute(place, "align")
        .and_then(|attribute| attribute.int_value())
        .unwrap_or(1);
    let context = module.context();
    let structure = match size.is_multiple_of(align) {
        true => context.struct_type(&[unit(module, align).array(size / align)], false),
        false => context.struct_type(&[context.int_type(8).array(size)], true),
    };
    if let Some(by_value) = context.type_attribute("byval", structure) {
        kernel.remove_enum_attribute(place, "byval");
        kernel.add_attribute(place, by_value);
    }
}

/// Returns a type of this size and alignment, which is a power of two.
fn unit<'ctx>(module: &Module<'ctx>, align: u64) -> Type<'ctx> {
    let context = module.context();
    match align {
        0 | 1 => context.int_type(8),
        2 => context.int_type(16),
        4 => context.int_type(32),
        8 => context.int_type(64),
        more => context.int_type(64).vector((more.min(128) / 8) as u32),
    }
}
