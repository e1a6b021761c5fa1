//! Finds the part of a row of work-items in which the comparisons of a kernel with its index have a
//! known result.
//!
//! Kernels test their index: `if (i < n)`, `if (x == 0 || x + 1 >= width)`. In a vectorised loop
//! each of these tests needs masks, and masked stores are slow. But along a row each test changes
//! its result in only one place. The row is therefore split into three parts. In the *interior*
//! every test has the result that most work-items have; the interior runs a copy of the kernel in
//! which the tests are constants. The parts before and after the interior run the original kernel.
//!
//! A test qualifies if it compares `g + c` with `u`: `g` is the global id in dimension 0 (or its
//! low 32 bits), `c` is a constant, and `u` is the same for the whole row. The bounds are
//! conservative: an interior that is too small only costs time, and every comparison inside the
//! interior has the assumed result.

use super::queries::Position;
use crate::target::common::pointers;
use crate::target::common::queries::{self, Query};
use crate::target::cpu::arguments::Passing;
use scythe_llvm::{Builder, Function, Instruction, IntPredicate, Module, Opcode, Type, Value};
use std::collections::HashSet;

/// The largest offset from the index. Larger offsets do not address neighbours. Within this limit,
/// sums of 31-bit numbers stay below 2^32.
const MAX_OFFSET: i64 = 1 << 20;
/// The limit for global ids whose low 32 bits, with any offset added, equal the number itself.
const NARROW_LIMIT: u64 = (1 << 31) - (1 << 20);
/// Larger limits are clamped to this value, so that no sum overflows.
const WIDE_LIMIT: u64 = 1 << 62;
/// A constant up to this value is treated as the width of an edge, a larger constant as the size of
/// the whole range.
const EDGE: u64 = 64;
/// The number of work-items in a vector of the narrowest relevant type; a power of two.
const VECTOR: u64 = 16;
/// The minimum length of an interior. A shorter interior does not make up for the additional jumps.
const MIN_INTERIOR: u64 = 2 * VECTOR;
/// Kernels with more tests or more instructions are not split: the split duplicates their code and
/// gains little.
const MAX_GUARDS: usize = 8;
const MAX_INSTRUCTIONS: usize = 400;

/// A comparison, and its result in the interior.
pub struct Guard<'ctx> {
    pub compare: Instruction<'ctx>,
    pub answer: bool,
    bound: Bound<'ctx>,
    /// The constant that is added to the global id.
    offset: i64,
    /// Whether the comparison uses only the low 32 bits.
    narrow: bool,
}

/// The extent of the interior, in terms of `g + offset`.
enum Bound<'ctx> {
    /// Below `limit`, or up to and including `limit`.
    Below { limit: Value<'ctx>, inclusive: bool, signed: bool },
    /// At or above a constant.
    From(u64),
    /// Everywhere except at this value.
    Except(Value<'ctx>),
}

/// Returns the comparisons of `kernel` that determine an interior, or none if splitting is not
/// worthwhile.
pub fn guards<'ctx>(
    module: &Module<'ctx>,
    kernel: Function<'ctx>,
    passing: &[Passing<'ctx>],
) -> Vec<Guard<'ctx>> {
    if has_loop(kernel)
        || kernel.instructions().take(MAX_INSTRUCTIONS + 1).count() > MAX_INSTRUCTIONS
    {
        return Vec::new();
    }
    let row = Row { module, kernel, passing };
    let compares = kernel.instructions().filter(|i| i.opcode() == Opcode::LLVMICmp);
    let found: Vec<_> = compares.filter_map(|c| row.guard(c)).collect();
    if found.len() > MAX_GUARDS { Vec::new() } else { found }
}

/// Whether the control flow graph has a cycle.
fn has_loop(kernel: Function<'_>) -> bool {
    let Some(entry) = kernel.entry_block() else { return false };
    let (mut done, mut on_path) = (HashSet::new(), HashSet::from([entry]));
    let mut path = vec![(entry, entry.successors())];
    while let Some((block, rest)) = path.last_mut() {
        match rest.pop() {
            Some(next) if on_path.contains(&next) => return true,
            Some(next) if !done.contains(&next) => {
                on_path.insert(next);
                path.push((next, next.successors()));
            }
            Some(_) => {}
            None => {
                done.insert(*block);
                on_path.remove(block);
                path.pop();
            }
        }
    }
    false
}

/// Analyses values along a row.
struct Row<'a, 'ctx> {
    module: &'a Module<'ctx>,
    kernel: Function<'ctx>,
    passing: &'a [Passing<'ctx>],
}

impl<'ctx> Row<'_, 'ctx> {
    fn guard(&self, compare: Instruction<'ctx>) -> Option<Guard<'ctx>> {
        use IntPredicate::*;
        let (left, right) = (compare.operand(0)?, compare.operand(1)?);
        let predicate = compare.int_predicate()?;
        let ((offset, narrow), other, predicate) = match linear(left) {
            Some(item) => (item, right, predicate),
            None => (linear(right)?, left, swapped(predicate)),
        };
        if !self.is_uniform(other, 8) || offset.abs() > MAX_OFFSET {
            return None;
        }
        let (below, inclusive, signed) = match predicate {
            LLVMIntEQ | LLVMIntNE => {
                let answer = predicate == LLVMIntNE;
                return Some(Guard {
                    compare,
                    answer,
                    bound: Bound::Except(other),
                    offset,
                    narrow,
                });
            }
            LLVMIntULT => (true, false, false),
            LLVMIntULE => (true, true, false),
            LLVMIntSLT => (true, false, true),
            LLVMIntSLE => (true, true, true),
            // `a >= b` is `not (a < b)`.
            LLVMIntUGE => (false, false, false),
            LLVMIntUGT => (false, true, false),
            LLVMIntSGE => (false, false, true),
            LLVMIntSGT => (false, true, true),
        };
        if let Some(edge) = other.const_int_value().filter(|&n| n <= EDGE) {
            return Some(Guard {
                compare,
                answer: !below,
                bound: Bound::From(edge + inclusive as u64),
                offset,
                narrow,
            });
        }
        let bound = Bound::Below { limit: other, inclusive, signed };
        Some(Guard { compare, answer: below, bound, offset, narrow })
    }

    /// Whether the value is the same for all work-items of a row and can safely be computed before
    /// the loop.
    fn is_uniform(&self, value: Value<'ctx>, depth: u32) -> bool {
        if value.ty().int_width().is_none_or(|w| w > 64) || depth == 0 {
            return false;
        }
        if value.const_int_value().is_some() || value.is_argument() {
            return true;
        }
        let Some(instruction) = value.as_instruction() else { return false };
        match instruction.opcode() {
            Opcode::LLVMAdd
            | Opcode::LLVMSub
            | Opcode::LLVMMul
            | Opcode::LLVMZExt
            | Opcode::LLVMSExt
            | Opcode::LLVMTrunc => instruction.operands().all(|o| self.is_uniform(o, depth - 1)),
            Opcode::LLVMCall => uniform_query(instruction).is_some(),
            Opcode::LLVMLoad => {
                !instruction.is_volatile() && self.argument_bytes(instruction).is_some()
            }
            _ => false,
        }
    }

    /// For a load from a by-value argument that all work-items share, returns the parameter index
    /// and the offset in the argument.
    fn argument_bytes(&self, load: Instruction<'ctx>) -> Option<(usize, u64)> {
        let mut pointer = load.operand(0)?;
        let mut offset = 0u64;
        while let Some(step) = pointer.as_instruction() {
            match step.opcode() {
                Opcode::LLVMAddrSpaceCast => {}
                Opcode::LLVMGetElementPtr if step.operand_count() == 2 => {
                    step.gep_source_type().filter(|t| t.int_width() == Some(8))?;
                    offset = offset.checked_add(step.operand(1)?.const_int_value()?)?;
                }
                _ => return None,
            }
            pointer = step.operand(0)?;
        }
        let index = self.kernel.params().into_iter().position(|p| p == pointer)?;
        let size = self.passing.get(index)?.by_value_type()?.alloc_size(self.module)?;
        let end = offset.checked_add(load.ty().alloc_size(self.module)?)?;
        // If the parameter still has `byval`, each work-item writes its own copy.
        (end <= size && !pointers::is_byval(self.kernel, pointer)).then_some((index, offset))
    }
}

/// Matches `value` as the global id in dimension 0 plus a constant. Returns the constant, and
/// whether the sum has 32 bits.
fn linear(value: Value<'_>) -> Option<(i64, bool)> {
    let instruction = value.as_instruction()?;
    match instruction.opcode() {
        Opcode::LLVMCall => {
            let query = queries::parse(&instruction.called_function()?.name())?;
            let dimension = instruction.args().first()?.const_int_value()?;
            (query == Query::GlobalInvocationId && dimension == 0).then_some((0, false))
        }
        Opcode::LLVMAdd => {
            let (offset, narrow) = linear(instruction.operand(0)?)?;
            let constant = instruction.operand(1)?.const_int_value()?;
            let constant = if value.ty().int_width() == Some(32) {
                constant as i32 as i64
            } else {
                constant as i64
            };
            Some((offset.checked_add(constant)?, narrow))
        }
        Opcode::LLVMTrunc if value.ty().int_width() == Some(32) => {
            Some((linear(instruction.operand(0)?)?.0, true))
        }
        Opcode::LLVMZExt | Opcode::LLVMSExt if value.ty().int_width() == Some(64) => {
            linear(instruction.operand(0)?).filter(|(_, narrow)| *narrow)
        }
        _ => None,
    }
}

/// Matches a query that has the same result along a row: any size, or a position in dimension 1 or
/// 2.
fn uniform_query(call: Instruction<'_>) -> Option<(Query, usize)> {
    let query = queries::parse(&call.called_function()?.name())?;
    let dimension = call.args().first()?.const_int_value()? as usize;
    let size = matches!(
        query,
        Query::GlobalSize | Query::GlobalOffset | Query::WorkgroupSize | Query::NumWorkgroups
    );
    (dimension < 3 && (size || dimension > 0)).then_some((query, dimension))
}

fn swapped(predicate: IntPredicate) -> IntPredicate {
    use IntPredicate::*;
    match predicate {
        LLVMIntUGT => LLVMIntULT,
        LLVMIntUGE => LLVMIntULE,
        LLVMIntULT => LLVMIntUGT,
        LLVMIntULE => LLVMIntUGE,
        LLVMIntSGT => LLVMIntSLT,
        LLVMIntSGE => LLVMIntSLE,
        LLVMIntSLT => LLVMIntSGT,
        LLVMIntSLE => LLVMIntSGE,
        same => same,
    }
}

/// Emits the code that computes the bounds. Holds the position of that code and the kernel's values
/// there.
pub struct RowCode<'a, 'ctx> {
    pub module: &'a Module<'ctx>,
    pub builder: &'a Builder<'ctx>,
    pub kernel: Function<'ctx>,
    pub passing: &'a [Passing<'ctx>],
    pub arguments: &'a [Value<'ctx>],
    /// The results of queries. Those of dimension 0 are not used.
    pub position: &'a Position<'ctx>,
}

impl<'ctx> RowCode<'_, 'ctx> {
    /// Returns the interior of the global ids `begin..end` as a pair with `begin <= first <= last
    /// <= end`.
    pub fn interior(
        &self,
        guards: &[Guard<'ctx>],
        begin: Value<'ctx>,
        end: Value<'ctx>,
    ) -> (Value<'ctx>, Value<'ctx>) {
        let (mut first, mut last) = (begin, end);
        for guard in guards {
            let (back, forth) = (guard.offset.min(0).unsigned_abs(), guard.offset.max(0) as u64);
            // With a negative offset, the sum wraps around below this index.
            first = self.max(first, self.constant(back));
            if guard.narrow {
                last = self.min(last, self.constant(NARROW_LIMIT));
            }
            match guard.bound {
                Bound::Below { limit, inclusive, signed } => {
                    let limit = self.limit(limit, inclusive, signed);
                    let shifted = self.builder.add(limit, self.constant(back), "");
                    let forth = self.constant(forth);
                    let shifted = self.builder.sub(self.max(shifted, forth), forth, "");
                    last = self.min(last, shifted);
                }
                Bound::From(edge) => {
                    first = self.max(first, self.constant((edge + back).saturating_sub(forth)))
                }
                Bound::Except(value) => {
                    let value = self.value(value);
                    let mask =
                        if value.ty().int_width() == Some(32) { u32::MAX as u64 } else { u64::MAX };
                    let offset = value.ty().const_int(guard.offset as u64 & mask);
                    let value = self.wide(self.builder.sub(value, offset, ""), false);
                    (first, last) = self.without(first, last, value);
                }
            }
        }
        self.whole_vectors(begin, first, self.min(last, end), end)
    }

    /// Rounds an interior inwards to whole vectors, counted from `begin`. Then the interior, and
    /// usually the edges too, leave no remainder of work-items that run one by one. If the interior
    /// is too short to be worthwhile, the result is empty and lies at `end`.
    fn whole_vectors(
        &self,
        begin: Value<'ctx>,
        first: Value<'ctx>,
        last: Value<'ctx>,
        end: Value<'ctx>,
    ) -> (Value<'ctx>, Value<'ctx>) {
        let b = self.builder;
        let whole = self.constant(!(VECTOR - 1));
        let lead = b.add(b.sub(first, begin, ""), self.constant(VECTOR - 1), "");
        let first = b.add(begin, b.and(lead, whole, ""), "");
        let least = b.add(first, self.constant(MIN_INTERIOR), "");
        let pays = b.icmp(IntPredicate::LLVMIntULE, least, last, "");
        let length = b.and(b.sub(last, first, ""), whole, "");
        (b.select(pays, first, end, ""), b.select(pays, b.add(first, length, ""), end, ""))
    }

    /// Returns the larger part of `first..last` that does not contain `value`.
    fn without(
        &self,
        first: Value<'ctx>,
        last: Value<'ctx>,
        value: Value<'ctx>,
    ) -> (Value<'ctx>, Value<'ctx>) {
        let b = self.builder;
        let low = b.icmp(IntPredicate::LLVMIntUGE, value, first, "");
        let high = b.icmp(IntPredicate::LLVMIntULT, value, last, "");
        let inside = b.and(low, high, "");
        let before = b.sub(value, first, "");
        let behind = b.sub(last, value, "");
        let near = b.icmp(IntPredicate::LLVMIntULT, before, behind, "");
        let after = b.add(value, self.constant(1), "");
        let new_first = b.select(b.and(inside, near, ""), after, first, "");
        let far = b.and(inside, b.xor(near, near.ty().const_int(1), ""), "");
        (new_first, b.select(far, value, last, ""))
    }

    /// Returns the first number that a comparison with `limit` excludes, clamped so that it is not
    /// negative and sums do not overflow.
    fn limit(&self, limit: Value<'ctx>, inclusive: bool, signed: bool) -> Value<'ctx> {
        let limit = self.wide(self.value(limit), signed);
        let top = self.constant(WIDE_LIMIT);
        let limit = if signed {
            let lowest = self.i64().const_int(if inclusive { u64::MAX } else { 0 });
            let raised = self.pick(IntPredicate::LLVMIntSGT, limit, lowest);
            self.pick(IntPredicate::LLVMIntSLT, raised, top)
        } else {
            self.min(limit, top)
        };
        if inclusive { self.builder.add(limit, self.constant(1), "") } else { limit }
    }

    /// Recomputes a uniform value of the kernel at the builder's position.
    fn value(&self, value: Value<'ctx>) -> Value<'ctx> {
        let b = self.builder;
        if let Some(index) = self.kernel.params().into_iter().position(|p| p == value) {
            return self.arguments[index];
        }
        let Some(instruction) = value.as_instruction() else { return value };
        let operand = |i: u32| instruction.operand(i).map_or(value, |o| self.value(o));
        // The new instructions have no flags such as `nsw`: the original may be behind a branch
        // that makes its flags valid.
        match instruction.opcode() {
            Opcode::LLVMAdd => b.add(operand(0), operand(1), ""),
            Opcode::LLVMSub => b.sub(operand(0), operand(1), ""),
            Opcode::LLVMMul => b.mul(operand(0), operand(1), ""),
            Opcode::LLVMZExt => b.zext(operand(0), value.ty(), ""),
            Opcode::LLVMSExt => b.sext(operand(0), value.ty(), ""),
            Opcode::LLVMTrunc => b.trunc(operand(0), value.ty(), ""),
            Opcode::LLVMLoad => {
                let row = Row { module: self.module, kernel: self.kernel, passing: self.passing };
                let Some((index, offset)) = row.argument_bytes(instruction) else {
                    return value.ty().const_null();
                };
                let address =
                    b.byte_offset(self.module.context(), self.arguments[index], offset, "");
                let load = b.load(value.ty(), address, "");
                load.set_align(1);
                load.as_value()
            }
            Opcode::LLVMCall => uniform_query(instruction)
                .and_then(|(query, dimension)| Some(self.position.answer(query)?[dimension]))
                .unwrap_or_else(|| value.ty().const_null()),
            _ => value.ty().const_null(),
        }
    }

    fn i64(&self) -> Type<'ctx> {
        self.module.context().int_type(64)
    }

    fn constant(&self, value: u64) -> Value<'ctx> {
        self.i64().const_int(value)
    }

    fn wide(&self, value: Value<'ctx>, signed: bool) -> Value<'ctx> {
        match value.ty().int_width() {
            Some(64) => value,
            _ if signed => self.builder.sext(value, self.i64(), ""),
            _ => self.builder.zext(value, self.i64(), ""),
        }
    }

    fn pick(&self, predicate: IntPredicate, a: Value<'ctx>, b: Value<'ctx>) -> Value<'ctx> {
        let first = self.builder.icmp(predicate, a, b, "");
        self.builder.select(first, a, b, "")
    }

    fn min(&self, a: Value<'ctx>, b: Value<'ctx>) -> Value<'ctx> {
        self.pick(IntPredicate::LLVMIntULT, a, b)
    }

    fn max(&self, a: Value<'ctx>, b: Value<'ctx>) -> Value<'ctx> {
        self.pick(IntPredicate::LLVMIntUGT, a, b)
    }
}
