//! Loads the arguments of a kernel from the addresses in [`scythe_abi::cpu::Launch::args`].
//!
//! All arguments are read once, before the work-item loops: scalars and pointers into values,
//! by-value bytes into a copy on the stack. The copy has a known size, and no other code writes it.
//! The optimiser can therefore split it, keep its parts in registers, and read it ahead of a
//! branch. None of that is possible with the caller's memory.

use crate::target::common::pointers::only_read;
use scythe_llvm::{Builder, Function, Module, Place, Type, Value};

/// Removes `byval` from the parameters that the kernel only reads, and marks them as read-only:
/// they need no copy for each work-item. Parameters that the kernel writes keep `byval`, and the
/// inliner copies them in each iteration.
pub fn share_read_only<'ctx>(module: &Module<'ctx>, kernel: Function<'ctx>) {
    for (i, param) in kernel.params().into_iter().enumerate() {
        let place = Place::Param(i as u32);
        let Some(ty) = by_value(kernel, i).filter(|_| only_read(param)) else { continue };
        let align = kernel.enum_attribute(place, "align");
        kernel.clear_param_attributes(i as u32);
        let size = ty.alloc_size(module).unwrap_or(0);
        for (name, value) in
            [("noalias", 0), ("readonly", 0), ("noundef", 0), ("dereferenceable", size)]
        {
            // LLVM does not accept `dereferenceable(0)`, which an empty struct would need.
            let attribute = module
                .context()
                .enum_attribute(name, value)
                .filter(|_| name != "dereferenceable" || size > 0);
            attribute.into_iter().chain(align).for_each(|a| kernel.add_attribute(place, a));
        }
    }
}

/// Returns the type that parameter `index` passes by value, if it does.
fn by_value<'ctx>(kernel: Function<'ctx>, index: usize) -> Option<Type<'ctx>> {
    kernel.enum_attribute(Place::Param(index as u32), "byval")?.type_value()
}

/// How a parameter is passed. Must be read before [`share_read_only`] changes the parameter.
#[derive(Clone, Copy, Debug)]
pub struct Passing<'ctx> {
    /// The type behind a `byval` pointer, and its alignment.
    by_value: Option<(Type<'ctx>, u32)>,
    /// The alignment that the parameter's attribute states.
    align: Option<u64>,
    ty: Type<'ctx>,
}

impl<'ctx> Passing<'ctx> {
    /// Returns the type that is passed by value, if any.
    pub fn by_value_type(&self) -> Option<Type<'ctx>> {
        self.by_value.map(|(ty, _)| ty)
    }
}

/// Returns how each parameter is passed.
pub fn passing<'ctx>(kernel: Function<'ctx>) -> Vec<Passing<'ctx>> {
    let one = |(i, param): (usize, Value<'ctx>)| {
        let align =
            kernel.enum_attribute(Place::Param(i as u32), "align").and_then(|a| a.int_value());
        let by_value = by_value(kernel, i).map(|ty| (ty, align.unwrap_or(1) as u32));
        Passing { by_value, align, ty: param.ty() }
    };
    kernel.params().into_iter().enumerate().map(one).collect()
}

/// Loads all arguments at the builder's position in the function's entry block. The value of a
/// local accessor is the address of its memory, so that it is passed like any pointer.
pub fn load<'ctx>(
    module: &Module<'ctx>,
    builder: &Builder<'ctx>,
    passing: &[Passing<'ctx>],
    args: Value<'ctx>,
) -> Vec<Value<'ctx>> {
    let context = module.context();
    let (pointer, i64) = (context.ptr_type(0), context.int_type(64));
    let one = |(i, how): (usize, &Passing<'ctx>)| {
        let slot = builder.byte_offset(context, args, 8 * i as u64, "");
        let address = builder.load(pointer, slot, "arg.address").as_value();
        if let Some((ty, align)) = how.by_value {
            let copy = builder.alloca(ty, "arg");
            let align = align.max(ty.abi_align(module).unwrap_or(1));
            copy.set_align(align);
            let size = i64.const_int(ty.alloc_size(module).unwrap_or(0));
            // The caller's memory has the alignment of the functor's field, which may be lower than
            // that of the parameter.
            builder.memcpy(copy.as_value(), align, address, 1, size);
            copy.as_value()
        } else {
            let value = builder.load(how.ty, address, "arg");
            value.set_align(1);
            // Inlining drops the attributes of the parameter.
            if let Some(align) = how.align.filter(|&align| align > 1 && how.ty.is_pointer()) {
                let node = context.md_node(&[context.md_int(64, align)]);
                value.set_metadata(context.metadata_kind("align"), Some(node));
            }
            value.as_value()
        }
    };
    passing.iter().enumerate().map(one).collect()
}
