//! Restores the promises of index arithmetic that local numbers keep: that 32-bit sums and products
//! of them do not wrap.
//!
//! A program writes `tile[34 * y + x + 1]` with `int` numbers, whose arithmetic never wraps. LLVM
//! drops that promise when it reorders sums. Without it, widened code cannot know that neighbouring
//! work-items access neighbouring elements. A number within a work-group is less than
//! [`MAX_WORK_GROUP_SIZE`], so the promise often follows from the ranges of the operands.

use super::super::queries;
use crate::target::common::queries::{self as common, Query};
use scythe_abi::cpu::MAX_WORK_GROUP_SIZE;
use scythe_llvm::{Function, Instruction, Opcode, Value};
use std::collections::HashMap;

/// Inclusive bounds of a value as a signed number. A value with a range is never poison.
type Range = (i64, i64);

/// Marks the arithmetic of an nd_range kernel that cannot wrap. `size` is the work-group size of
/// all launches, if known.
pub fn promise(kernel: Function<'_>, size: Option<[u64; 3]>) {
    let mut ranges = Ranges { size, known: HashMap::new() };
    for i in kernel.instructions() {
        let Some((low, _)) = ranges.of(i.as_value()) else { continue };
        let natural = |v| ranges.known.get(&v).copied().flatten().is_some_and(|r: Range| r.0 >= 0);
        if low >= 0 && i.operands().all(|v| signed(v).is_some_and(|c| c >= 0) || natural(v)) {
            i.promise_no_wrap();
        } else {
            i.promise_no_signed_wrap();
        }
    }
}

struct Ranges<'ctx> {
    size: Option<[u64; 3]>,
    /// The ranges of the instructions. Those that are being computed have none, so that cycles
    /// end.
    known: HashMap<Value<'ctx>, Option<Range>>,
}

impl<'ctx> Ranges<'ctx> {
    fn of(&mut self, v: Value<'ctx>) -> Option<Range> {
        if let Some(constant) = signed(v) {
            return Some((constant, constant));
        }
        let i = v.as_instruction()?;
        let width = i.ty().int_width().filter(|w| (2..=64).contains(w))?;
        if let Some(&known) = self.known.get(&v) {
            return known;
        }
        self.known.insert(v, None);
        let range = self.compute(i).filter(|&(low, high)| fits(low, width) && fits(high, width));
        self.known.insert(v, range);
        range
    }

    fn compute(&mut self, i: Instruction<'ctx>) -> Option<Range> {
        use Opcode::*;
        if i.opcode() == LLVMCall {
            return self.number(i);
        }
        if !matches!(
            i.opcode(),
            LLVMTrunc
                | LLVMSExt
                | LLVMZExt
                | LLVMFreeze
                | LLVMAdd
                | LLVMOr
                | LLVMSub
                | LLVMMul
                | LLVMShl
                | LLVMSDiv
                | LLVMUDiv
                | LLVMSRem
                | LLVMURem
        ) {
            return None;
        }
        let a = self.of(i.operand(0)?)?;
        let same = |a: i64, b: i64| Some((a, b));
        if i.operand_count() == 1 {
            return (i.opcode() != LLVMZExt || a.0 >= 0).then_some(a);
        }
        let b = self.of(i.operand(1)?)?;
        match i.opcode() {
            LLVMAdd => same(a.0.checked_add(b.0)?, a.1.checked_add(b.1)?),
            LLVMOr if i.is_disjoint() => same(a.0.checked_add(b.0)?, a.1.checked_add(b.1)?),
            LLVMSub => same(a.0.checked_sub(b.1)?, a.1.checked_sub(b.0)?),
            LLVMMul => {
                let corners = [
                    a.0.checked_mul(b.0)?,
                    a.0.checked_mul(b.1)?,
                    a.1.checked_mul(b.0)?,
                    a.1.checked_mul(b.1)?,
                ];
                same(*corners.iter().min()?, *corners.iter().max()?)
            }
            LLVMShl if b.0 == b.1 && (0..31).contains(&b.0) => {
                same(a.0.checked_mul(1 << b.0)?, a.1.checked_mul(1 << b.0)?)
            }
            LLVMSDiv if b.0 == b.1 && b.0 > 0 => same(a.0 / b.0, a.1 / b.0),
            LLVMUDiv if b.0 == b.1 && b.0 > 0 && a.0 >= 0 => same(a.0 / b.0, a.1 / b.0),
            LLVMSRem | LLVMURem if b.0 == b.1 && b.0 > 0 && a.0 >= 0 => same(0, a.1.min(b.0 - 1)),
            LLVMSRem if b.0 == b.1 && b.0 > 0 => same(1 - b.0, b.0 - 1),
            _ => None,
        }
    }

    /// Returns the range of a query's result.
    fn number(&self, call: Instruction<'ctx>) -> Option<Range> {
        let name = call.called_function()?.name();
        if !queries::belongs_to_kernel(&name) {
            return None;
        }
        let dimension = call.args().first()?.const_int_value()? as usize;
        let extent = match self.size {
            Some(size) => *size.get(dimension)?,
            None => MAX_WORK_GROUP_SIZE,
        };
        let extent = i64::try_from(extent).ok()?;
        match common::parse(&name)? {
            Query::LocalInvocationId => Some((0, extent - 1)),
            Query::WorkgroupSize => Some((1, extent)),
            _ => None,
        }
    }
}

fn fits(n: i64, width: u32) -> bool {
    let unused = 64 - width;
    (n << unused) >> unused == n
}

/// Returns the value of an integer constant as a signed number.
fn signed(v: Value<'_>) -> Option<i64> {
    let width = v.ty().int_width().filter(|w| (1..=64).contains(w))?;
    let unused = 64 - width;
    v.const_int_value().map(|raw| ((raw << unused) as i64) >> unused)
}
