//! Fills private memory once, before the work-item loops, if every work-item fills it with the same
//! values.
//!
//! A kernel begins by rebuilding its functor on the stack from its parameters. The optimiser
//! usually splits the functor and keeps the parts in registers. It cannot do so if the kernel
//! indexes an array in the functor: the whole functor stays in memory, each work-item copies it
//! again, and the loop over work-items cannot be vectorised.
//!
//! A stack variable qualifies if all writes to it are in the kernel's entry block, write values
//! that do not change between work-items, and come before the first read; and if its address does
//! not escape. The writes then have the same effect in every iteration, and move in front of the
//! loops. The loop only reads the variable, so its accesses to the variable are parallel.

use crate::target::common::pointers::{self, transfer};
use scythe_llvm::{BasicBlock, Function, Instruction, Metadata, Opcode, Value};
use std::collections::HashSet;

/// Hoists the writes to all qualifying stack variables of the work-group function `function`.
/// `body` is the header of the innermost loop, where the kernel's entry block was inlined. `before`
/// is the terminator of the block before the loops. `group` is the access group.
pub fn hoist<'ctx>(
    function: Function<'ctx>,
    body: BasicBlock<'ctx>,
    before: Instruction<'ctx>,
    group: Metadata<'ctx>,
) {
    let Some(entry) = function.entry_block() else { return };
    let outside = [entry, before.block().unwrap_or(entry)];
    let is_outside = |i: &Instruction<'ctx>| i.block().is_some_and(|b| outside.contains(&b));
    let variables = entry.instructions().filter(|i| i.opcode() == Opcode::LLVMAlloca);
    let variables: Vec<_> = variables.filter_map(|v| Some((v.as_value(), Uses::of(v)?))).collect();
    // First collect the variables that are written only ahead of the loops. These are the copies of
    // arguments, from which other variables are filled.
    let (known, candidates): (Vec<_>, Vec<_>) =
        variables.into_iter().partition(|(_, uses)| uses.writes.iter().all(is_outside));
    let mut filled: HashSet<Value<'ctx>> = known.into_iter().map(|(v, _)| v).collect();
    let kind = function.ty().context().metadata_kind("llvm.access.group");
    for (variable, uses) in candidates {
        let Some(moved) = uses.movable(body, &outside, &filled) else { continue };
        uses.lifetimes.iter().for_each(|marker| marker.erase());
        moved.into_iter().for_each(|instruction| instruction.move_before(before));
        filled.insert(variable);
        let stays_private =
            |p: Value<'ctx>| pointers::base(p).is_none_or(|b| is_stack(b) && !filled.contains(&b));
        for read in uses.reads {
            // A transfer that reads the variable may write to memory of one work-item.
            if transfer(read).is_none() || !read.operand(0).is_none_or(stays_private) {
                read.set_metadata(kind, Some(group));
            }
        }
    }
}

fn is_stack(value: Value<'_>) -> bool {
    value.as_instruction().is_some_and(|i| i.opcode() == Opcode::LLVMAlloca)
}

/// All uses of a stack variable.
struct Uses<'ctx> {
    reads: Vec<Instruction<'ctx>>,
    writes: Vec<Instruction<'ctx>>,
    lifetimes: Vec<Instruction<'ctx>>,
}

impl<'ctx> Uses<'ctx> {
    /// Collects the uses, or returns `None` if the address escapes.
    fn of(variable: Instruction<'ctx>) -> Option<Self> {
        let mut uses = Self { reads: Vec::new(), writes: Vec::new(), lifetimes: Vec::new() };
        let mut work = vec![variable.as_value()];
        while let Some(address) = work.pop() {
            for user in address.users() {
                let user = user.as_instruction()?;
                match user.opcode() {
                    Opcode::LLVMGetElementPtr | Opcode::LLVMAddrSpaceCast | Opcode::LLVMBitCast => {
                        work.push(user.as_value());
                    }
                    Opcode::LLVMLoad => uses.reads.push(user),
                    Opcode::LLVMStore if user.operand(0) != Some(address) => uses.writes.push(user),
                    Opcode::LLVMCall if pointers::is_lifetime_marker(user) => {
                        uses.lifetimes.push(user)
                    }
                    Opcode::LLVMCall if transfer(user).is_some() => {
                        // The transfer is visited once for each operand that is this address: a
                        // transfer within the variable is a read and a write.
                        let to = user.operand(0) == Some(address);
                        if to { uses.writes.push(user) } else { uses.reads.push(user) }
                    }
                    _ => return None,
                }
            }
        }
        Some(uses)
    }

    /// Returns the writes in `body`, preceded by the computations of their operands, in order.
    /// Returns `None` if the writes cannot move out of `body`.
    fn movable(
        &self,
        body: BasicBlock<'ctx>,
        outside: &[BasicBlock<'ctx>],
        filled: &HashSet<Value<'ctx>>,
    ) -> Option<Vec<Instruction<'ctx>>> {
        let known = |v: Value<'ctx>, moved: &[Instruction<'ctx>]| match v.as_instruction() {
            Some(i) => moved.contains(&i) || i.block().is_some_and(|b| outside.contains(&b)),
            None => true,
        };
        let writes: Vec<_> = self
            .writes
            .iter()
            .filter(|w| w.block().is_none_or(|b| !outside.contains(&b)))
            .collect();
        let mut moved = Vec::new();
        let (mut placed, mut read) = (0, false);
        for instruction in body.instructions() {
            if is_computation(instruction) {
                // A computation that depends on the work-item stays. A write that needs it then
                // prevents the move.
                if instruction.operands().all(|o| known(o, &moved)) {
                    moved.push(instruction);
                }
            } else if writes.contains(&&instruction) {
                let source =
                    transfer(instruction).filter(|n| *n == 2).and_then(|_| instruction.operand(1));
                let same =
                    source.is_none_or(|s| pointers::base(s).is_some_and(|b| filled.contains(&b)));
                let plain = !self.reads.contains(&instruction) && !instruction.is_volatile();
                if read || !same || !plain || !instruction.operands().all(|o| known(o, &moved)) {
                    return None;
                }
                moved.push(instruction);
                placed += 1;
            } else {
                read |= self.reads.contains(&instruction);
            }
        }
        (placed == writes.len()).then_some(moved)
    }
}

/// Whether the instruction only computes a value from its operands, without side effects for any
/// operands.
fn is_computation(instruction: Instruction<'_>) -> bool {
    use Opcode::*;
    matches!(
        instruction.opcode(),
        LLVMGetElementPtr
            | LLVMAddrSpaceCast
            | LLVMBitCast
            | LLVMPtrToInt
            | LLVMIntToPtr
            | LLVMTrunc
            | LLVMZExt
            | LLVMSExt
            | LLVMFPTrunc
            | LLVMFPExt
            | LLVMAdd
            | LLVMSub
            | LLVMMul
            | LLVMAnd
            | LLVMOr
            | LLVMXor
            | LLVMShl
            | LLVMLShr
            | LLVMAShr
            | LLVMICmp
            | LLVMSelect
            | LLVMInsertValue
            | LLVMExtractValue
            | LLVMInsertElement
            | LLVMExtractElement
    )
}
