//! Emits loops over the items of a work-group, and the whole function if it has no barriers.

use super::super::divergence::WideningError;
use super::{Chunks, GroupBuilder, Position, Tail};
use scythe_llvm::{BasicBlock, Function, Instruction, IntPredicate, Opcode, Value};
use std::collections::HashMap;

/// Open loops over the rows of a group.
pub(super) struct Rows<'ctx> {
    pub z_head: BasicBlock<'ctx>,
    pub y_head: BasicBlock<'ctx>,
    pub z: Value<'ctx>,
    pub y: Value<'ctx>,
    z_phi: Instruction<'ctx>,
    y_phi: Instruction<'ctx>,
}

/// Open loops over the items of a group.
pub(super) struct Items<'ctx> {
    /// The loops over rows, unless several rows lie in the lanes of one item.
    rows: Option<Rows<'ctx>>,
    head: BasicBlock<'ctx>,
    counter: Instruction<'ctx>,
    pub position: Position<'ctx>,
}

impl<'ctx> GroupBuilder<'_, 'ctx> {
    // --- Without barriers ---

    /// Emits loops over rows of full items, each followed by at most one masked item. Returns the
    /// first block.
    pub(super) fn plain(
        &mut self,
        full: Function<'ctx>,
        masked: Function<'ctx>,
        lanes: u64,
        done: BasicBlock<'ctx>,
    ) -> Result<BasicBlock<'ctx>, WideningError> {
        let start = self.block("items");
        self.builder.position_at_end(start);
        let rows = self.open_rows();
        let chunks =
            self.builder.lshr(self.size[0], self.int(u64::from(lanes.trailing_zeros())), "chunks");
        let any_full = self.builder.icmp(IntPredicate::LLVMIntNE, chunks, self.int(0), "");
        let (head, rest) = (self.block("full"), self.block("rest"));
        let before = self.builder.block().expect("the builder has an insertion block");
        self.builder.cond_br(any_full, head, rest);

        self.builder.position_at_end(head);
        let chunk = self.builder.phi(self.context.int_type(64), "chunk");
        chunk.add_incoming(self.int(0), before);
        let x = self.builder.mul(chunk.as_value(), self.int(lanes), "x");
        let body = self.builder.block().expect("the builder has an insertion block");
        let next = self.block("full.next");
        let item = self.item_number(&rows, chunk.as_value());
        let position = Position { local: [x, rows.y, rows.z], active: None, item };
        let code = self.copy_all(full, position, next)?;
        self.builder.position_at_end(body);
        self.builder.br(code);
        self.builder.position_at_end(next);
        let more = self.builder.add(chunk.as_value(), self.int(1), "");
        chunk.add_incoming(more, next);
        let on = self.builder.icmp(IntPredicate::LLVMIntULT, more, chunks, "");
        self.builder.cond_br(on, head, rest);

        self.builder.position_at_end(rest);
        let x = self.builder.mul(chunks, self.int(lanes), "x");
        let left = self.builder.sub(self.size[0], x, "left");
        let any = self.builder.icmp(IntPredicate::LLVMIntNE, left, self.int(0), "");
        let (tail, row_done) = (self.block("tail"), self.block("row.done"));
        self.builder.cond_br(any, tail, row_done);
        self.builder.position_at_end(tail);
        let active = self.builder.trunc(left, self.context.int_type(32), "active");
        let item = self.item_number(&rows, chunks);
        let position = Position { local: [x, rows.y, rows.z], active: Some(active), item };
        let code = self.copy_all(masked, position, row_done)?;
        self.builder.position_at_end(tail);
        self.builder.br(code);

        self.builder.position_at_end(row_done);
        self.close_rows(rows, done);
        Ok(start)
    }

    /// Copies a whole version, which continues at `after`.
    pub(super) fn copy_all(
        &mut self,
        version: Function<'ctx>,
        position: Position<'ctx>,
        after: BasicBlock<'ctx>,
    ) -> Result<BasicBlock<'ctx>, WideningError> {
        let blocks: Vec<_> = version.blocks().collect();
        let mut map = self.parameters(version);
        for i in version.instructions().filter(|i| i.opcode() == Opcode::LLVMAlloca) {
            map.insert(i.as_value(), self.local_alloca(i));
        }
        let start = blocks.first().copied().ok_or(WideningError::NoBody)?;
        Ok(self.copy_blocks(&blocks, start, map, position, &mut |_| after))
    }

    pub(super) fn parameters(&self, version: Function<'ctx>) -> HashMap<Value<'ctx>, Value<'ctx>> {
        version.params().into_iter().zip(self.function.params()).collect()
    }

    pub(super) fn local_alloca(&self, old: Instruction<'ctx>) -> Value<'ctx> {
        let new =
            self.slots.alloca(old.allocated_type().expect("an allocation has a type"), "private");
        new.set_align(old.alignment());
        new.as_value()
    }

    // --- Loops over rows and items ---

    pub(super) fn open_rows(&self) -> Rows<'ctx> {
        let i64 = self.context.int_type(64);
        let open = |name: &str| {
            let from = self.builder.block().expect("the builder has an insertion block");
            let head = self.block(name);
            self.builder.br(head);
            self.builder.position_at_end(head);
            let counter = self.builder.phi(i64, name);
            counter.add_incoming(self.int(0), from);
            (head, counter)
        };
        let (z_head, z) = open("z");
        let (y_head, y) = open("y");
        Rows { z_head, y_head, z: z.as_value(), y: y.as_value(), z_phi: z, y_phi: y }
    }

    /// Opens the loops over all items of the group.
    pub(super) fn open_items(&self, chunks: Chunks) -> Items<'ctx> {
        let rows = self.fold.is_none().then(|| self.open_rows());
        let from = self.builder.block().expect("the builder has an insertion block");
        let head = self.block("item");
        self.builder.br(head);
        self.builder.position_at_end(head);
        let counter = self.builder.phi(self.context.int_type(64), "chunk");
        counter.add_incoming(self.int(0), from);
        let chunk = counter.as_value();
        let lanes = self.int(chunks.lanes);
        let (local, item, left) = match (&rows, self.fold) {
            (Some(rows), _) => {
                let x = self.builder.mul(chunk, lanes, "x");
                // The item's number, which selects its context. It counts through all rows.
                let item = self.item_number(rows, chunk);
                ([x, rows.y, rows.z], item, self.builder.sub(self.size[0], x, ""))
            }
            (None, fold) => {
                let fold = fold.expect("a vector holds whole rows if there is no loop over rows");
                let height = self.int(u64::from(fold.rows[0]));
                let each = self.int(chunks.lanes / u64::from(fold.row));
                let row = self.builder.mul(chunk, each, "row");
                let (y, z) = if fold.rows[1] == 1 {
                    (row, self.int(0))
                } else {
                    let binary = |opcode, name| self.builder.binary(opcode, row, height, name);
                    (binary(Opcode::LLVMURem, "y"), binary(Opcode::LLVMUDiv, "z"))
                };
                let rest = self.builder.sub(self.int(u64::from(fold.all_rows())), row, "");
                let left = self.builder.mul(rest, self.int(u64::from(fold.row)), "");
                ([self.int(0), y, z], chunk, left)
            }
        };
        let active = (chunks.tail == Tail::Masked).then(|| {
            let fewer = self.builder.icmp(IntPredicate::LLVMIntULT, left, lanes, "");
            let count = self.builder.select(fewer, left, lanes, "");
            self.builder.trunc(count, self.context.int_type(32), "active")
        });
        Items { rows, head, counter, position: Position { local, active, item } }
    }

    /// Ends the loops over the items at the builder's position, and continues at `after`.
    pub(super) fn close_items(&self, items: Items<'ctx>, after: BasicBlock<'ctx>) {
        let Some(rows) = items.rows else {
            return self.step(items.counter, items.head, self.items, after);
        };
        let row_done = self.block("row.done");
        self.step(items.counter, items.head, self.per_row, row_done);
        self.builder.position_at_end(row_done);
        self.close_rows(rows, after);
    }

    pub(super) fn item_number(&self, rows: &Rows<'ctx>, chunk: Value<'ctx>) -> Value<'ctx> {
        let row = self.builder.add(self.builder.mul(rows.z, self.size[1], ""), rows.y, "row");
        self.builder.add(self.builder.mul(row, self.per_row, ""), chunk, "item")
    }

    /// Ends the loops over rows at the builder's position, and continues at `after`.
    pub(super) fn close_rows(&self, rows: Rows<'ctx>, after: BasicBlock<'ctx>) {
        let y_done = self.block("y.done");
        self.step(rows.y_phi, rows.y_head, self.size[1], y_done);
        self.builder.position_at_end(y_done);
        self.step(rows.z_phi, rows.z_head, self.size[2], after);
    }

    pub(super) fn step(
        &self,
        phi: Instruction<'ctx>,
        head: BasicBlock<'ctx>,
        end: Value<'ctx>,
        after: BasicBlock<'ctx>,
    ) {
        let next = self.builder.add(phi.as_value(), self.int(1), "");
        let on = self.builder.icmp(IntPredicate::LLVMIntULT, next, end, "");
        phi.add_incoming(next, self.builder.block().expect("the builder has an insertion block"));
        self.builder.cond_br(on, head, after);
    }
}
