//! Lets loop counters that a program advances in 32 bits count in 64 bits, as addresses need them.
//!
//! ```text
//! p = phi i32 [start], [next]             wide = phi i64 [sext start], [wide.next]
//! a[sext p]; a[sext (add nsw p, n)]   →   a[wide]; a[add nsw wide, sext n]
//! next = add nsw p, n                     wide.next = add nsw wide, sext n
//! ```
//!
//! If `start` increases by one from lane to lane, so does `wide`, which makes the access
//! contiguous. The extension of `p` would need a test at run time: `p` could wrap in some lanes.
//! LLVM's `indvars` does the same, but drops the promises of the computations of `start`; then
//! `start` itself would need the test. The start, `p` and the sums are poison if they wrap. Then so
//! are their extensions, and any number may replace poison.

use super::cfg::{Cfg, Dominators, Loops};
use scythe_llvm::{BasicBlock, Builder, Function, Instruction, Opcode, Value};
use std::collections::HashMap;

/// Widens the counters of loops in simplified form whose values are extended.
pub fn widen(kernel: Function<'_>) {
    let blocks: Vec<_> = kernel.blocks().collect();
    let index: HashMap<_, _> = blocks.iter().enumerate().map(|(i, &b)| (b, i)).collect();
    let targets = |b: &BasicBlock<'_>| {
        let mut targets: Vec<usize> = b.successors().iter().map(|s| index[s]).collect();
        targets.dedup();
        targets
    };
    let cfg = Cfg::new(blocks.iter().map(targets).collect());
    let dom = Dominators::of(&cfg);
    let Ok(loops) = Loops::of(&cfg, &dom) else { return };
    for l in &loops.loops {
        let [from, latch] = [false, true].map(|inside| {
            let mut preds = cfg.preds[l.header].iter().filter(|&&p| l.contains[p] == inside);
            preds.next().copied().filter(|_| preds.next().is_none())
        });
        let (Some(from), Some(latch)) = (from, latch) else { continue };
        let phis: Vec<_> = blocks[l.header]
            .instructions()
            .take_while(|i| i.opcode() == Opcode::LLVMPHI && i.incoming().len() == 2)
            .collect();
        for phi in phis {
            let is_fixed = |v: Value<'_>| {
                let made = v.as_instruction().and_then(|i| i.block()).map(|b| index[&b]);
                made.is_none_or(|made| {
                    !l.contains[made]
                        && dom.dominates(made, from)
                        && loops.around(made).all(|o| loops.loops[o].contains[l.header])
                })
            };
            widen_counter(phi, blocks[from], blocks[latch], &is_fixed);
        }
    }
}

/// Widens one counter of the loop that control enters from `from` and repeats from `latch`.
/// `is_fixed` tells whether a value is computed before the loop.
fn widen_counter<'ctx>(
    phi: Instruction<'ctx>,
    from: BasicBlock<'ctx>,
    latch: BasicBlock<'ctx>,
    is_fixed: &dyn Fn(Value<'ctx>) -> bool,
) {
    let narrow = phi.as_value();
    if narrow.ty().int_width() != Some(32) {
        return;
    }
    let along = |b: BasicBlock<'ctx>| phi.incoming().into_iter().find(|x| x.1 == b).map(|x| x.0);
    let (Some(start), Some(next)) = (along(from), along(latch)) else { return };
    // Returns the summand of a sum of the counter and a value from before the loop.
    let summand = |v: Value<'ctx>| {
        let i = v.as_instruction().filter(|i| i.opcode() == Opcode::LLVMAdd && i.nsw())?;
        let (a, b) = (i.operand(0)?, i.operand(1)?);
        let other = match (a == narrow, b == narrow) {
            (true, false) => b,
            (false, true) => a,
            _ => return None,
        };
        is_fixed(other).then_some(other)
    };
    let Some(step) = summand(next) else { return };
    let extensions = |v: Value<'ctx>| {
        let users = v.users().into_iter().filter_map(|u| u.as_instruction());
        users
            .filter(|u| u.opcode() == Opcode::LLVMSExt && u.ty().int_width() == Some(64))
            .collect::<Vec<_>>()
    };
    let mut sums: Vec<_> = narrow.users().into_iter().filter(|&u| summand(u).is_some()).collect();
    sums.dedup();
    let direct = extensions(narrow);
    if direct.is_empty() && sums.iter().all(|&s| extensions(s).is_empty()) {
        return;
    }
    let (Some(before), Some(update)) = (from.terminator(), next.as_instruction()) else { return };
    let context = narrow.ty().context();
    let wide_type = context.int_type(64);
    let builder = context.create_builder();
    builder.position_before(before);
    let mut extended: HashMap<Value<'ctx>, Value<'ctx>> = HashMap::new();
    let mut extend = |v: Value<'ctx>, builder: &Builder<'ctx>| {
        *extended.entry(v).or_insert_with(|| builder.sext(v, wide_type, ""))
    };
    let first = extend(start, &builder);
    let wide_step = extend(step, &builder);
    let summands: Vec<_> = sums
        .into_iter()
        .filter_map(|s| summand(s).map(|other| (s, extend(other, &builder))))
        .collect();
    builder.position_before(phi);
    let wide = builder.phi(wide_type, "counter");
    builder.position_before(update);
    let wide_next = builder.add(wide.as_value(), wide_step, "");
    wide_next.promise_no_signed_wrap();
    wide.add_incoming(first, from);
    wide.add_incoming(wide_next, latch);
    let replace = |i: Instruction<'ctx>, by: Value<'ctx>| {
        i.as_value().replace_all_uses_with(by);
        i.erase();
    };
    direct.into_iter().for_each(|i| replace(i, wide.as_value()));
    for (sum, other) in summands {
        for i in extensions(sum) {
            builder.position_before(i);
            let wide_sum = builder.add(wide.as_value(), other, "");
            wide_sum.promise_no_signed_wrap();
            replace(i, wide_sum);
        }
        // Only the counter itself still needs the sum that advances it.
        let sum = sum.as_instruction().filter(|&i| i != update && !i.has_uses());
        sum.into_iter().for_each(Instruction::erase);
    }
    if narrow.users() == [next] && next.users() == [narrow] {
        phi.erase();
        update.erase();
    }
}
