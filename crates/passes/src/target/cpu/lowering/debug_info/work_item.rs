//! Shows the position of the current work-item to debuggers and to the CPU backend.
//!
//! A kernel keeps the numbers in a variable, which it passes to the backend ([`SYMBOL`]): at its
//! start, and wherever other work-items have run, such as behind each barrier. The backend puts the
//! dimensions in SYCL's order. The variables [`NAMES`] show the numbers in the kernel and in all
//! functions that are inlined into it.

use super::super::widening::group;
use crate::target::common::queries::Query;
use scythe_llvm::{
    BasicBlock, Builder, DebugBuilder, DebugPosition, DebugScope, Function, Instruction, Module,
    Value,
};
use std::collections::HashSet;

/// The backend's function that gets the address of the numbers.
pub const SYMBOL: &str = "__scythe_work_item";

/// The variables and the queries that they show.
const NAMES: [(&str, Query); 3] = [
    ("sycl_global_id", Query::GlobalInvocationId),
    ("sycl_local_id", Query::LocalInvocationId),
    ("sycl_group_id", Query::WorkgroupId),
];

const DIMENSIONS: u64 = 3;

/// Adds the variables to a kernel.
pub fn show<'ctx>(module: &Module<'ctx>, kernel: Function<'ctx>) {
    let (context, Some(entry)) = (module.context(), kernel.entry_block()) else { return };
    let number = context.int_type(64);
    let Some(first) = first_behind_allocas(kernel) else { return };
    let builder = context.create_builder();
    builder.position_at_start(entry);
    let numbers = builder.alloca(number.array(NAMES.len() as u64 * DIMENSIONS), "work_item");
    numbers.set_align(8);

    let declare = DebugBuilder::new(module);
    for position in scopes(kernel) {
        for (index, (name, _)) in NAMES.iter().enumerate() {
            let offset = index as u64 * DIMENSIONS * 8;
            let place = (numbers.as_value(), offset);
            declare.declare_numbers(name, DIMENSIONS as i64, position, place, first);
        }
    }

    let behind = group::barriers(kernel).filter_map(|barrier| barrier.next());
    for place in std::iter::once(first).chain(behind.collect::<Vec<_>>()) {
        builder.position_before(place);
        report(module, &builder, numbers.as_value());
    }
}

/// Adds the numbers again at the start of blocks of a kernel, if it has the variables: other
/// work-items have run before them, as behind a barrier.
pub fn show_again<'ctx>(
    module: &Module<'ctx>,
    kernel: Function<'ctx>,
    blocks: impl Iterator<Item = BasicBlock<'ctx>>,
) {
    let is_report = |i: &Instruction<'_>| i.called_function().is_some_and(|f| f.name() == SYMBOL);
    let Some(known) = kernel.instructions().find(is_report) else { return };
    let Some(&numbers) = known.args().first() else { return };
    let builder = module.context().create_builder();
    for block in blocks {
        let Some(first) = block.first_non_phi() else { continue };
        builder.position_before(first);
        report(module, &builder, numbers);
    }
}

/// Stores the numbers of the work-item and passes their address to the backend.
fn report<'ctx>(module: &Module<'ctx>, builder: &Builder<'ctx>, numbers: Value<'ctx>) {
    let context = module.context();
    let number = context.int_type(64);
    let query = number.function(&[context.int_type(32)], false);
    let report = context.void_type().function(&[context.ptr_type(0)], false);
    let report = module.get_or_add_function(SYMBOL, report);
    builder.set_debug_loc(None);
    for (index, (_, asked)) in NAMES.iter().enumerate() {
        let function = module.get_or_add_function(&asked.symbol(), query);
        for d in 0..DIMENSIONS {
            let value = builder.call(function, &[context.const_int(32, d)], "").as_value();
            let offset = (index as u64 * DIMENSIONS + d) * 8;
            let at = builder.byte_offset(context, numbers, offset, "");
            builder.store(value, at);
        }
    }
    builder.call(report, &[numbers], "");
}

/// Returns the first instruction of the kernel that is not the allocation of a variable.
fn first_behind_allocas(kernel: Function<'_>) -> Option<Instruction<'_>> {
    let is_alloca = |i: &Instruction<'_>| i.opcode() == scythe_llvm::Opcode::LLVMAlloca;
    kernel.entry_block()?.instructions().find(|i| !is_alloca(i))
}

/// Returns one position in each function that is part of the kernel: the kernel itself, and each
/// inlined call.
fn scopes(kernel: Function<'_>) -> Vec<scythe_llvm::Metadata<'_>> {
    let context = kernel.ty().context();
    let mut seen: HashSet<(DebugScope<'_>, Option<DebugPosition<'_>>)> = HashSet::new();
    let mut found = Vec::new();
    for instruction in kernel.instructions() {
        let mut next = instruction.debug_position();
        while let Some(position) = next {
            next = position.inlined_at();
            let Some(function) = position.scope().function() else { continue };
            if seen.insert((function, next)) {
                let call = next.map(DebugPosition::metadata);
                found.push(function.position(context, 0, 0, call));
            }
        }
    }
    found
}
