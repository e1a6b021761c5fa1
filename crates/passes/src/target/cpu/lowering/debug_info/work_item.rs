//! Shows the position of the current work-item to debuggers and to the CPU backend.
//!
//! A kernel keeps the numbers in a variable, which it passes to the backend ([`SYMBOL`]): at its
//! start, and behind each barrier, where other work-items have run. The backend puts the dimensions
//! in SYCL's order. The variables [`NAMES`] show the numbers in the kernel and in all functions
//! that are inlined into it.

use super::super::widening::group;
use crate::target::common::queries::Query;
use scythe_llvm::{DebugBuilder, DebugPosition, DebugScope, Function, Instruction, Module};
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
    let (pointer, number) = (context.ptr_type(0), context.int_type(64));
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

    let query = number.function(&[context.int_type(32)], false);
    let report = context.void_type().function(&[pointer], false);
    let report = module.get_or_add_function(SYMBOL, report);
    let behind: Vec<_> = group::barriers(kernel).filter_map(|barrier| barrier.next()).collect();
    for place in std::iter::once(first).chain(behind) {
        builder.position_before(place);
        builder.set_debug_loc(None);
        for (index, (_, asked)) in NAMES.iter().enumerate() {
            let function = module.get_or_add_function(&asked.symbol(), query);
            for d in 0..DIMENSIONS {
                let value = builder.call(function, &[context.const_int(32, d)], "").as_value();
                let offset = (index as u64 * DIMENSIONS + d) * 8;
                let at = builder.byte_offset(context, numbers.as_value(), offset, "");
                builder.store(value, at);
            }
        }
        builder.call(report, &[numbers.as_value()], "");
    }
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
