//! Specialises code for one work-group size: resolves queries to constants, chooses the layout of
//! work-items in lanes, and adds the description of the kernel's form to the object.
//!
//! The size is known for kernels that require one. It is also known when a kernel is compiled again
//! for a size that its general form handles badly ([`Target`]). Sub-groups keep the size that the
//! device reports if the kernel can observe them.

use super::matrices;
use super::widening::subgroup::Primitive;
use crate::target::common::queries::{self, Query};
use crate::target::common::required_sizes;
use crate::target::cpu::Options;
use scythe_abi::cpu::{Form, Layout};
use scythe_abi::launch::Shape;
use scythe_abi::names::CPU_FORM_PREFIX;
use scythe_llvm::{Function, Instruction, Module, Opcode, Place, Value};
use std::mem::offset_of;

/// The maximum number of work-items in a group, larger than any device supports. Smaller numbers
/// fit in an `int`.
const MAX_WORK_ITEMS: u64 = 1 << 24;

/// The only kernel to compile, instead of all kernels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub kernel: String,
    /// The only work-group size, fastest dimension first. `None`: any size.
    pub local_size: Option<[u64; 3]>,
}

/// Returns the work-group size of all launches of a kernel, if known.
pub fn local_size(kernel: Function<'_>, shape: Shape, options: &Options) -> Option<[u64; 3]> {
    let wanted =
        || options.target.as_ref().filter(|t| t.kernel == kernel.name()).and_then(|t| t.local_size);
    let size =
        required_sizes::work_group(kernel).or_else(wanted).filter(|_| shape == Shape::NdRange)?;
    let items = size.iter().try_fold(1u64, |n, &s| n.checked_mul(s))?;
    (1..=MAX_WORK_ITEMS).contains(&items).then_some(size)
}

/// Whether the kernel can observe its sub-groups.
pub fn sees_sub_groups(kernel: Function<'_>) -> bool {
    kernel.instructions().filter_map(|i| i.called_function()).any(|f| {
        let name = f.name();
        let query = queries::parse(&name).is_some_and(|q| !q.takes_dimension());
        query || Primitive::parse(&name).is_some() || matrices::is_operation(&name)
    })
}

/// Returns the layout of work-groups of `size` in `lanes` lanes.
pub fn layout(kernel: Function<'_>, size: [u64; 3], lanes: u32) -> Layout {
    // A kernel that observes its sub-groups observes neighbours by linear id in all launches,
    // including launches that run code for any size; see [`super::linear`].
    let fixed = required_sizes::sub_group(kernel).is_some() || sees_sub_groups(kernel);
    Layout::new(size, lanes, fixed)
}

/// Replaces the queries of the work-group size by constants.
pub fn answer_size(kernel: Function<'_>, size: [u64; 3]) {
    let calls: Vec<_> = kernel.instructions().filter(|i| i.called_function().is_some()).collect();
    for call in calls {
        let name = call.called_function().map(|f| f.name()).unwrap_or_default();
        let dimension = call.args().first().and_then(|d| d.const_int_value());
        if let (Some(Query::WorkgroupSize), Some(&n)) =
            (queries::parse(&name), dimension.and_then(|d| size.get(d as usize)))
        {
            call.replace_all_uses_with(call.ty().const_int(n));
            call.erase();
        }
    }
}

/// Whether the kernel divides by an extent of its work-group. The division takes longer than most
/// of the surrounding code, and almost no time if the extent is a constant.
pub fn divides_by_size(kernel: Function<'_>) -> bool {
    fn is_size(v: Value<'_>) -> bool {
        let Some(i) = v.as_instruction() else { return false };
        match i.opcode() {
            Opcode::LLVMTrunc | Opcode::LLVMZExt | Opcode::LLVMSExt => {
                i.operand(0).is_some_and(is_size)
            }
            // `(int)size`, extended again.
            Opcode::LLVMAnd | Opcode::LLVMShl | Opcode::LLVMAShr => {
                i.operand(0).is_some_and(is_size)
            }
            _ => {
                i.called_function().and_then(|f| queries::parse(&f.name()))
                    == Some(Query::WorkgroupSize)
            }
        }
    }
    use Opcode::{LLVMSDiv, LLVMSRem, LLVMUDiv, LLVMURem};
    let divisor = |i: Instruction<'_>| i.operand(1).is_some_and(is_size);
    kernel
        .instructions()
        .any(|i| matches!(i.opcode(), LLVMSDiv | LLVMSRem | LLVMUDiv | LLVMURem) && divisor(i))
}

/// Renumbers the dimensions in the queries of `kernel` to their positions in `order`.
pub fn reorder<'ctx>(kernel: Function<'ctx>, order: [usize; 3]) {
    let calls: Vec<_> = kernel.instructions().filter(|i| i.called_function().is_some()).collect();
    for call in calls {
        let name = call.called_function().map(|f| f.name()).unwrap_or_default();
        if queries::parse(&name).is_none_or(|q| !q.takes_dimension()) {
            continue;
        }
        let Some(dimension) = call.args().first().copied() else { continue };
        let place =
            dimension.const_int_value().and_then(|old| order.iter().position(|&d| d as u64 == old));
        if let Some(place) = place {
            call.set_operand(0, dimension.ty().const_int(place as u64));
        }
    }
}

/// Adds the function that describes how a kernel was compiled.
pub fn describe<'ctx>(module: &Module<'ctx>, name: &str, form: Form) -> Function<'ctx> {
    let context = module.context();
    let pointer = context.ptr_type(0);
    let ty = context.void_type().function(&[pointer], false);
    let function = module.add_function(&format!("{CPU_FORM_PREFIX}{name}"), ty);
    if let Some(attribute) = context.enum_attribute("nounwind", 0) {
        function.add_attribute(Place::Function, attribute);
    }
    let builder = context.create_builder();
    builder.position_at_end(context.append_block(function, ""));
    let put = |bits: u32, value: u64, offset: usize| {
        let address = builder.byte_offset(context, function.params()[0], offset as u64, "");
        builder.store(context.const_int(bits, value), address);
    };
    put(32, u64::from(form.lanes), offset_of!(Form, lanes));
    put(32, u64::from(form.every_size), offset_of!(Form, every_size));
    put(32, u64::from(form.sub_group), offset_of!(Form, sub_group));
    for (d, extent) in form.required.into_iter().enumerate() {
        put(64, extent, offset_of!(Form, required) + 8 * d);
    }
    builder.ret_void();
    function
}

/// Defines a function without effect whose name says something about the object.
pub fn mark<'ctx>(module: &Module<'ctx>, name: &str) -> Function<'ctx> {
    let context = module.context();
    let function = module.add_function(name, context.void_type().function(&[], false));
    let builder = context.create_builder();
    builder.position_at_end(context.append_block(function, ""));
    builder.ret_void();
    function
}
