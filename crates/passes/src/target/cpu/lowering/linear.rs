//! Lets sub-groups consist of neighbours by linear id.
//!
//! Widened code takes the lanes of an item from one row of the group. In rows that are no multiple
//! of the vector, the last sub-group of each row would be partial, and a group with rows of one
//! work-item would have no larger sub-groups. SYCL permits that, but programs expect that all
//! sub-groups but the last are full, as on other devices: they find the value of sub-group `n` at
//! index `n * get_max_local_range()`.
//!
//! [`renumber`] rewrites a kernel such that dimension 0 counts through all work-items of the group,
//! and computes the ids of the three dimensions from that number. The rewritten kernel runs groups
//! of one row.

use super::queries;
use super::specialise;
use crate::target::common::queries::{Query, parse};
use scythe_abi::cpu::{Layout, MAX_WORK_GROUP_SIZE};
use scythe_abi::launch::Shape;
use scythe_llvm::{Builder, Function, Instruction, Module, Value};

/// Whether groups of some size need the rewritten kernel. `layout` is the layout of the only size,
/// if it is known.
pub fn is_needed(kernel: Function<'_>, shape: Shape, lanes: u32, layout: Option<Layout>) -> bool {
    let fits = |layout: Layout| {
        let [x, y, z] = layout.size;
        layout.row.is_some() || x.is_multiple_of(u64::from(lanes)) || y * z <= 1
    };
    lanes > 1
        && shape == Shape::NdRange
        && !layout.is_some_and(fits)
        && specialise::sees_sub_groups(kernel)
        && (layout.is_some() || has_dimensions(kernel))
}

/// Whether the kernel asks about a dimension other than the fastest.
fn has_dimensions(kernel: Function<'_>) -> bool {
    kernel.instructions().any(|i| {
        let query = i.called_function().and_then(|f| parse(&f.name()));
        query.is_some_and(|q| q.takes_dimension())
            && i.args().first().and_then(|d| d.const_int_value()) != Some(0)
    })
}

/// Returns the layout of groups with this layout after [`renumber`].
pub fn layout(rows: Layout) -> Layout {
    let items = rows.size.iter().product();
    Layout { order: [0, 1, 2], size: [items, 1, 1], lanes: rows.lanes, row: None }
}

/// Rewrites the kernel such that dimension 0 of its local id counts through all work-items.
pub fn renumber<'ctx>(module: &Module<'ctx>, kernel: Function<'ctx>) {
    let positions: Vec<(Instruction<'ctx>, Query)> = kernel
        .instructions()
        .filter_map(|i| Some((i, parse(&i.called_function()?.name())?)))
        .filter(|(_, query)| query.is_position())
        .collect();
    let Some(entry) = kernel.entry_block().filter(|_| !positions.is_empty()) else { return };
    let context = module.context();
    let builder = context.create_builder();
    builder.position_at_start(entry);
    let i64 = context.int_type(64);
    let ty = i64.function(&[context.int_type(32)], false);
    let ask = |query: Query, d: usize| {
        let function = module.get_or_add_function(&query.symbol(), ty);
        builder.call(function, &[context.const_int(32, d as u64)], "").as_value()
    };
    let number = ask(Query::LocalInvocationId, 0);
    let size: [Value<'ctx>; 3] = std::array::from_fn(|d| ask(Query::WorkgroupSize, d));
    let (row, x) = divide(&builder, number, size[0]);
    let (z, y) = divide(&builder, row, size[1]);
    let local = [x, y, z];
    let global: [Value<'ctx>; 3] = std::array::from_fn(|d| {
        let first = builder.mul(ask(Query::WorkgroupId, d), size[d], "");
        let first = builder.add(first, ask(Query::GlobalOffset, d), "");
        builder.add(first, local[d], "")
    });
    for (call, query) in positions {
        let dimension = call.args().first().and_then(|d| d.const_int_value()).unwrap_or(0) as usize;
        let all = if query == Query::LocalInvocationId { local } else { global };
        if let Some(&new) = all.get(dimension) {
            call.replace_all_uses_with(new);
            call.erase();
        }
    }
    queries::declare_pure(module);
}

// `divide` is exact because the quotient of an odd half is at least `0.5 / size` away from the next
// integer, and the rounding errors of two operations are smaller.
const _: () = assert!(MAX_WORK_GROUP_SIZE <= 1 << 20);

/// Returns quotient and remainder of a number of a work-item and an extent of its group. There are
/// no vector instructions for the division of integers.
fn divide<'ctx>(
    builder: &Builder<'ctx>,
    number: Value<'ctx>,
    size: Value<'ctx>,
) -> (Value<'ctx>, Value<'ctx>) {
    let context = number.ty().context();
    let (i32, float) = (context.int_type(32), context.float_type());
    let narrow = builder.trunc(number, i32, "");
    let extent = builder.trunc(size, i32, "");
    let divisor = builder.si_to_fp(extent, float, "");
    let reciprocal = builder.fdiv(float.const_real(1.0), divisor, "");
    let middle = builder.fadd(builder.si_to_fp(narrow, float, ""), float.const_real(0.5), "");
    let quotient = builder.fp_to_si(builder.fmul(middle, reciprocal, ""), i32, "");
    let rest = builder.sub(narrow, builder.mul(quotient, extent, ""), "");
    let wide = |value| builder.zext(value, context.int_type(64), "");
    (wide(quotient), wide(rest))
}
