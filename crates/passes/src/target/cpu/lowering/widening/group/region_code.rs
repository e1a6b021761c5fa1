//! Emits the code of one region: a nest of loops over the items that restores live values, runs the
//! region, saves live values, and records the barrier that it reached.

use super::copying::RegionExit;
use super::{Chunks, Crossing, CrossingValue, DIVERGENT_BARRIER, GroupBuilder, Kept};
use scythe_llvm::{BasicBlock, Instruction, IntPredicate, Value};
use std::collections::HashMap;

/// The inputs from which a region is built.
pub(super) struct Region<'a, 'ctx> {
    pub blocks: &'a [BasicBlock<'ctx>],
    pub start: BasicBlock<'ctx>,
    pub head: BasicBlock<'ctx>,
    pub heads: &'a [BasicBlock<'ctx>],
    pub done: BasicBlock<'ctx>,
    pub barrier_of: &'a HashMap<BasicBlock<'ctx>, usize>,
    pub crossing_values: &'a [CrossingValue<'ctx>],
    pub kept: &'a [Kept<'ctx>],
    pub next: Instruction<'ctx>,
    pub chunks: Chunks,
    /// The barrier behind which the region starts, or `None` for the start of the kernel.
    pub came_from: Option<usize>,
    /// Whether items may reach different barriers.
    pub check: bool,
    pub map: &'a HashMap<Value<'ctx>, Value<'ctx>>,
}

impl<'ctx> GroupBuilder<'_, 'ctx> {
    pub(super) fn region(&mut self, r: Region<'_, 'ctx>) {
        self.builder.position_at_end(r.head);
        let items = self.open_items(r.chunks);
        let position = items.position;
        let item = position.item;
        let bytes = self.builder.mul(item, self.stride, "context.offset");
        let base = self.builder.gep(self.context.int_type(8), self.memory, &[bytes], "context");
        let mut map = r.map.clone();
        for kept in r.kept {
            let address = self.builder.byte_offset(self.context, base, kept.offset, "kept");
            map.insert(kept.alloca.as_value(), address);
            if let Some(place) = kept.place {
                self.builder.store(address, place.as_value());
            }
        }
        // Restore the live values.
        for c in r.crossing_values {
            let live = r.came_from.is_some_and(|k| c.live_at.contains(&k));
            if !live {
                continue;
            }
            let value = match &c.how {
                Crossing::Recomputed => self.recompute(c.value, r.crossing_values, &map, position),
                Crossing::Saved(offset) => {
                    let address = self.builder.byte_offset(self.context, base, *offset, "");
                    self.builder.load(c.value.ty(), address, "restored").as_value()
                }
                Crossing::Shared => {
                    let seen = c.seen.expect("a shared value has a slot").as_value();
                    self.builder.load(c.value.ty(), seen, "").as_value()
                }
            };
            self.builder.store(value, c.slot.as_value());
        }
        let body = self.builder.block().expect("the builder has an insertion block");
        let latch = self.block("item.next");

        // Create the exits: one block for each barrier reached, and one for the end.
        let end = r.heads.len() - 1;
        let mut exits: HashMap<usize, BasicBlock<'ctx>> = HashMap::new();
        let mut reached = Vec::new();
        let function = self.function;
        let context = self.context;
        let code = self.copy_blocks(r.blocks, r.start, map, position, &mut |exit| {
            let k = match exit {
                RegionExit::Return => end,
                RegionExit::To(block) => r.barrier_of[&block],
            };
            *exits.entry(k).or_insert_with(|| {
                reached.push(k);
                context.append_block(function, &format!("reached.{k}"))
            })
        });
        self.builder.position_at_end(body);
        self.builder.br(code);
        let made_here = |v: Value<'ctx>| {
            v.as_instruction().and_then(|i| i.block()).is_none_or(|b| r.blocks.contains(&b))
        };
        for &k in &reached {
            self.builder.position_at_end(exits[&k]);
            for c in r.crossing_values.iter().filter(|c| k != end && c.live_at.contains(&k)) {
                match &c.how {
                    Crossing::Recomputed => {}
                    // An earlier region saved the value.
                    Crossing::Saved(_) if !made_here(c.value) => {}
                    Crossing::Saved(offset) => {
                        let v = self.builder.load(c.value.ty(), c.slot.as_value(), "").as_value();
                        let address = self.builder.byte_offset(self.context, base, *offset, "");
                        self.builder.store(v, address);
                    }
                    Crossing::Shared => {
                        let v = self.builder.load(c.value.ty(), c.slot.as_value(), "").as_value();
                        self.builder
                            .store(v, c.left.expect("a shared value has a slot").as_value());
                    }
                }
            }
            let mark = self.context.const_int(32, k as u64);
            if r.check && reached.len() > 1 {
                self.compare(item, r.next, mark, latch);
            } else {
                self.builder.store(mark, r.next.as_value());
                self.builder.br(latch);
            }
        }
        // End the loops.
        self.builder.position_at_end(latch);
        let all_done = self.block("region.done");
        self.close_items(items, all_done);

        self.builder.position_at_end(all_done);
        for c in r.crossing_values.iter().filter(|c| matches!(c.how, Crossing::Shared)) {
            let relevant = reached.iter().any(|k| *k != end && c.live_at.contains(k));
            if let (true, Some(seen), Some(left)) = (relevant, c.seen, c.left) {
                let v = self.builder.load(c.value.ty(), left.as_value(), "").as_value();
                self.builder.store(v, seen.as_value());
            }
        }
        let target = |k: usize| if k == end { r.done } else { r.heads[k + 1] };
        reached.sort_unstable();
        for (n, &k) in reached.iter().enumerate() {
            if n + 1 == reached.len() {
                self.builder.br(target(k));
            } else {
                let now =
                    self.builder.load(self.context.int_type(32), r.next.as_value(), "").as_value();
                let mark = self.context.const_int(32, k as u64);
                let this = self.builder.icmp(IntPredicate::LLVMIntEQ, now, mark, "");
                let other = self.block("dispatch");
                self.builder.cond_br(this, target(k), other);
                self.builder.position_at_end(other);
            }
        }
        if reached.is_empty() {
            // The region never ends, so no code follows it.
            self.builder.br(r.done);
        }
    }

    /// Records the barrier that the first item reached, and reports a difference for every other
    /// item.
    pub(super) fn compare(
        &self,
        item: Value<'ctx>,
        next: Instruction<'ctx>,
        mark: Value<'ctx>,
        latch: BasicBlock<'ctx>,
    ) {
        let (first, other, differ) =
            (self.block("first"), self.block("other"), self.block("differ"));
        let is_first = self.builder.icmp(IntPredicate::LLVMIntEQ, item, self.int(0), "");
        self.builder.cond_br(is_first, first, other);
        self.builder.position_at_end(first);
        self.builder.store(mark, next.as_value());
        self.builder.br(latch);
        self.builder.position_at_end(other);
        let now = self.builder.load(self.context.int_type(32), next.as_value(), "").as_value();
        let same = self.builder.icmp(IntPredicate::LLVMIntEQ, now, mark, "");
        self.builder.cond_br(same, latch, differ);
        self.builder.position_at_end(differ);
        let report = self
            .module
            .get_or_add_function(DIVERGENT_BARRIER, self.context.void_type().function(&[], false));
        self.builder.call(report, &[], "");
        self.builder.br(latch);
    }
}
