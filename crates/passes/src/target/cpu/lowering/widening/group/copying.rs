//! Copies the code of a kernel for one item: resolves queries of its position, and recomputes cheap
//! values.

use super::super::lanes::{ACTIVE_LANES, is_hint};
use super::{CrossingValue, GroupBuilder, Position};
use crate::target::common::queries::{self, Query};
use scythe_llvm::{BasicBlock, Instruction, Opcode, Value};
use std::collections::HashMap;

/// The way in which control leaves copied code.
pub(super) enum RegionExit<'ctx> {
    Return,
    To(BasicBlock<'ctx>),
}

impl<'ctx> GroupBuilder<'_, 'ctx> {
    /// Recomputes a cheap value for an item.
    pub(super) fn recompute(
        &self,
        v: Value<'ctx>,
        crossing_values: &[CrossingValue<'ctx>],
        map: &HashMap<Value<'ctx>, Value<'ctx>>,
        position: Position<'ctx>,
    ) -> Value<'ctx> {
        if let Some(&known) = map.get(&v) {
            return known;
        }
        let Some(i) = v.as_instruction() else { return v };
        // A load from the variable of a crossing value stands for the value itself.
        if let Some(c) = crossing_values
            .iter()
            .find(|c| i.opcode() == Opcode::LLVMLoad && i.operand(0) == Some(c.variable.as_value()))
        {
            return match c.seen {
                Some(seen) => self.builder.load(c.value.ty(), seen.as_value(), "").as_value(),
                None => self.recompute(c.value, crossing_values, map, position),
            };
        }
        if let Some(answer) = self.answer(i, position) {
            return answer;
        }
        let again = |o: Value<'ctx>| {
            if o.as_function().is_some() {
                o
            } else {
                self.recompute(o, crossing_values, map, position)
            }
        };
        let operands: Vec<_> = i.operands().map(again).collect();
        let copy = self.builder.clone_instruction(i);
        copy.set_debug_loc(None);
        for (n, o) in operands.into_iter().enumerate() {
            copy.set_operand(n as u32, o);
        }
        copy.as_value()
    }

    /// Returns the replacement of a query about the item's position.
    pub(super) fn answer(
        &self,
        call: Instruction<'ctx>,
        position: Position<'ctx>,
    ) -> Option<Value<'ctx>> {
        if call.opcode() != Opcode::LLVMCall {
            return None;
        }
        let name = call.called_function()?.name();
        if name == ACTIVE_LANES {
            return position.active;
        }
        let query = queries::parse(&name)?;
        match query {
            Query::SubgroupId => {
                return Some(self.builder.trunc(position.item, self.context.int_type(32), ""));
            }
            Query::NumSubgroups => {
                return Some(self.builder.trunc(self.items, self.context.int_type(32), ""));
            }
            _ if !query.is_position() => return None,
            _ => {}
        }
        let dimension = call.args().first()?.const_int_value().unwrap_or(0) as usize;
        let local = *position.local.get(dimension)?;
        match query {
            Query::LocalInvocationId => Some(local),
            _ => Some(self.builder.add(self.first[dimension], local, "global.id")),
        }
    }

    // --- Copying code ---

    /// Copies `blocks`, which are entered at `start`. `leave` returns the target of a return and of
    /// an edge to a block outside of `blocks`.
    pub(super) fn copy_blocks(
        &mut self,
        blocks: &[BasicBlock<'ctx>],
        start: BasicBlock<'ctx>,
        mut map: HashMap<Value<'ctx>, Value<'ctx>>,
        position: Position<'ctx>,
        leave: &mut dyn FnMut(RegionExit<'ctx>) -> BasicBlock<'ctx>,
    ) -> BasicBlock<'ctx> {
        let copies: HashMap<BasicBlock<'ctx>, BasicBlock<'ctx>> =
            blocks.iter().map(|&b| (b, self.block(""))).collect();
        let mut phis = Vec::new();
        let mut made = Vec::new();
        for &b in blocks {
            self.builder.position_at_end(copies[&b]);
            for i in b.instructions() {
                self.builder.set_debug_loc(i.debug_loc_metadata());
                let placed = i.opcode() == Opcode::LLVMAlloca && map.contains_key(&i.as_value());
                if placed || i.called_function().is_some_and(|f| is_hint(&f.name())) {
                    continue;
                }
                if let Some(answer) = self.answer(i, position) {
                    map.insert(i.as_value(), answer);
                    continue;
                }
                match i.opcode() {
                    Opcode::LLVMRet => {
                        self.builder.br(leave(RegionExit::Return));
                    }
                    Opcode::LLVMBr => {
                        let mut to = |t: BasicBlock<'ctx>| {
                            copies.get(&t).copied().unwrap_or_else(|| leave(RegionExit::To(t)))
                        };
                        let targets: Vec<_> = b.successors().into_iter().map(&mut to).collect();
                        match targets[..] {
                            [t] => {
                                self.builder.br(t);
                            }
                            [t, f] => {
                                let condition =
                                    i.operand(0).expect("a conditional branch has a condition");
                                made.push(self.builder.cond_br(condition, t, f));
                            }
                            _ => {}
                        }
                    }
                    Opcode::LLVMPHI => {
                        let copy = self.builder.phi(i.ty(), "");
                        map.insert(i.as_value(), copy.as_value());
                        phis.push((i, copy));
                    }
                    _ => {
                        let copy = self.builder.clone_instruction(i);
                        copy.set_debug_loc(i.debug_loc_metadata());
                        map.insert(i.as_value(), copy.as_value());
                        made.push(copy);
                    }
                }
            }
        }
        self.builder.set_debug_loc(None);
        for copy in made {
            for n in 0..copy.operand_count() {
                if let Some(new) = copy.operand(n).and_then(|o| map.get(&o)) {
                    copy.set_operand(n, *new);
                }
            }
        }
        for (old, copy) in phis {
            for (value, from) in old.incoming() {
                if let Some(&from) = copies.get(&from) {
                    copy.add_incoming(map.get(&value).copied().unwrap_or(value), from);
                }
            }
        }
        copies[&start]
    }
}
