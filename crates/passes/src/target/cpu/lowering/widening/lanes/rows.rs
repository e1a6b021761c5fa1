//! Lays out several short rows of work-items side by side in the lanes, if the rows of a work-group
//! are shorter than a vector.
//!
//! A value of [`Shape::Rows`] stays scalar, once for each row: its *heads* are the values of the
//! first lanes of the rows. The other lanes are computed from the heads. Therefore addresses stay
//! scalar, the neighbours in a row are one access, and values that a row shares are loaded once.

use super::super::divergence::{Shape, packed_size};
use super::super::subgroup::permute;
use super::copies::ScalarOf;
use super::{Wide, Widener};
use crate::target::common::queries::Query;
use scythe_llvm::{Instruction, Opcode, Value, const_vector};

/// The layout of the rows of a work-group of known size in the lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fold {
    /// The number of lanes of a row: a power of two, at least 2, and less than the number of all
    /// lanes.
    pub row: u32,
    /// The number of work-items in a row. The lanes behind them are inactive.
    pub used: u32,
    /// The numbers of rows in the other dimensions.
    pub rows: [u32; 2],
}

impl Fold {
    /// Returns the number of rows in one item of `lanes` lanes.
    pub fn heads(self, lanes: u32) -> u32 {
        lanes / self.row
    }

    /// Returns the number of rows in the work-group.
    pub fn all_rows(self) -> u32 {
        self.rows[0] * self.rows[1]
    }

    /// Whether some lanes of an item are always inactive.
    pub fn is_padded(self) -> bool {
        self.used != self.row
    }

    /// Whether an item contains rows of different planes.
    pub fn crosses_planes(self, lanes: u32) -> bool {
        self.rows[1] > 1 && !self.rows[0].is_multiple_of(self.heads(lanes))
    }

    /// Returns the shape of a work-item's number in a dimension.
    pub fn position(self, dimension: u64, lanes: u32) -> Shape {
        match dimension {
            0 => Shape::Rows { along: 1, down: Some(0) },
            1 => Shape::Rows { along: 0, down: (!self.crosses_planes(lanes)).then_some(1) },
            2 if self.crosses_planes(lanes) => Shape::Rows { along: 0, down: None },
            _ => Shape::Uniform,
        }
    }
}

impl<'ctx> Widener<'_, 'ctx> {
    pub(super) fn heads_count(&self) -> u32 {
        self.fold.map_or(0, |f| f.heads(self.lanes))
    }

    fn row_lanes(&self) -> u32 {
        self.fold.map_or(self.lanes, |f| f.row)
    }

    /// Returns the value of the first lane of row `n`.
    pub(super) fn head(&self, v: Value<'ctx>, n: u32) -> Value<'ctx> {
        match self.values.get(&v) {
            None => v,
            Some(Wide { heads: Some(heads), .. }) => heads[n as usize],
            Some(wide) => {
                let scalar = wide.scalar.expect("uniform and linear values have a scalar form");
                let Shape::Linear(stride) = self.facts.shape(v) else { return scalar };
                let distance = i64::from(n * self.row_lanes()).wrapping_mul(stride) as u64;
                if scalar.ty().is_pointer() {
                    self.builder.byte_offset(self.context, scalar, distance, "")
                } else {
                    self.builder.add(scalar, scalar.ty().const_int(distance), "")
                }
            }
        }
    }

    /// Records the heads of a value, and computes its vector form.
    pub(super) fn set_heads(&mut self, old: Instruction<'ctx>, heads: Vec<Value<'ctx>>) {
        let Shape::Rows { along, .. } = self.facts.shape(old.as_value()) else {
            unreachable!("only rows have heads")
        };
        let wide = self.spread(&heads);
        let offsets = |ty: scythe_llvm::Type<'ctx>| {
            let row = i64::from(self.row_lanes());
            let lane = |l: i64| ty.const_int((l % row).wrapping_mul(along) as u64);
            const_vector(&(0..i64::from(self.lanes)).map(lane).collect::<Vec<_>>())
        };
        let vector = match along {
            0 => wide,
            _ if old.ty().is_pointer() => self.builder.gep(
                self.context.int_type(8),
                wide,
                &[offsets(self.context.int_type(64))],
                "",
            ),
            _ => self.builder.add(wide, offsets(old.ty()), ""),
        };
        self.values.insert(
            old.as_value(),
            Wide { scalar: None, vector: Some(vector), heads: Some(heads) },
        );
    }

    /// Broadcasts one value per row to all lanes of the row, also for aggregates.
    fn spread(&self, heads: &[Value<'ctx>]) -> Value<'ctx> {
        let ty = heads[0].ty();
        if ty.is_struct() || ty.kind() == scythe_llvm::TypeKind::LLVMArrayTypeKind {
            let count = if ty.is_struct() {
                ty.contained().len() as u64
            } else {
                ty.element_count().unwrap_or(0)
            };
            return (0..count as u32).fold(self.wide_type(ty).poison(), |all, n| {
                let parts: Vec<_> =
                    heads.iter().map(|&h| self.builder.extract_value(h, n, "")).collect();
                self.builder.insert_value(all, self.spread(&parts), n, "")
            });
        }
        let short = ty.vector(heads.len() as u32).poison();
        let all = heads.iter().enumerate().fold(short, |all, (n, &h)| {
            self.builder.insert_element(all, h, self.int(n as u64), "")
        });
        self.repeat_each(all)
    }

    /// Broadcasts element `n` to all lanes of row `n`.
    fn repeat_each(&self, short: Value<'ctx>) -> Value<'ctx> {
        let row = u64::from(self.row_lanes());
        permute(
            &self.builder,
            short,
            short,
            &(0..u64::from(self.lanes)).map(|l| l / row).collect::<Vec<_>>(),
        )
    }

    /// Copies an instruction once for each row, with the heads as operands.
    pub(super) fn clone_heads(&mut self, b: usize, i: Instruction<'ctx>) {
        let heads =
            (0..self.heads_count()).map(|n| self.copy_scalar(b, i, ScalarOf::Row(n))).collect();
        self.set_heads(i, heads);
    }

    /// Computes the positions of the work-items of an item from the position of its first
    /// work-item.
    pub(super) fn position_heads(
        &mut self,
        b: usize,
        i: Instruction<'ctx>,
        query: Query,
        fold: Fold,
    ) {
        let dimension = i.args().first().and_then(|d| d.const_int_value()).unwrap_or(0);
        let first = self.copy(b, i).as_value();
        let (i32, i64) = (self.context.int_type(32), self.context.int_type(64));
        let heads = if dimension == 0 {
            vec![first; self.heads_count() as usize]
        } else if !fold.crosses_planes(self.lanes) {
            (0..self.heads_count())
                .map(|n| self.builder.add(first, i64.const_int(u64::from(n)), ""))
                .collect()
        } else {
            let ask = |d: u64| {
                let ty = i64.function(&[i32], false);
                let function =
                    self.module.get_or_add_function(&Query::LocalInvocationId.symbol(), ty);
                self.builder.call(function, &[i32.const_int(d)], "").as_value()
            };
            let (y, z) = (ask(1), ask(2));
            let height = i32.const_int(u64::from(fold.rows[0]));
            let [y, z] = [y, z].map(|v| self.builder.trunc(v, i32, ""));
            let row = self.builder.add(self.builder.mul(z, height, ""), y, "");
            // The offset of the group, which is added to the local number.
            let origin = (query == Query::GlobalInvocationId)
                .then(|| self.builder.sub(first, ask(dimension), ""));
            let division = if dimension == 1 { Opcode::LLVMURem } else { Opcode::LLVMUDiv };
            (0..self.heads_count())
                .map(|n| {
                    let this = self.builder.add(row, i32.const_int(u64::from(n)), "");
                    let local = self.builder.binary(division, this, height, "");
                    let local = self.builder.cast(Opcode::LLVMZExt, local, i64, "");
                    origin.map_or(local, |origin| self.builder.add(origin, local, ""))
                })
                .collect()
        };
        self.set_heads(i, heads);
    }

    /// Returns the lanes of row `n` of a vector of all lanes.
    fn row_of(&self, wide: Value<'ctx>, n: u32) -> Value<'ctx> {
        let row = u64::from(self.row_lanes());
        permute(
            &self.builder,
            wide,
            wide,
            &(0..row).map(|l| u64::from(n) * row + l).collect::<Vec<_>>(),
        )
    }

    /// Concatenates rows.
    fn join_rows(&self, mut rows: Vec<Value<'ctx>>) -> Value<'ctx> {
        while rows.len() > 1 {
            let each = rows[0].ty().element_count().unwrap_or(1);
            let order: Vec<u64> = (0..2 * each).collect();
            rows = rows
                .chunks(2)
                .map(|pair| permute(&self.builder, pair[0], pair[1], &order))
                .collect();
        }
        rows[0]
    }

    /// Whether a lane of row `n` is active.
    fn any_of_row(&self, mask: Value<'ctx>, n: u32) -> Value<'ctx> {
        let bits = self.context.int_type(self.row_lanes());
        let word = self.builder.cast(Opcode::LLVMBitCast, self.row_of(mask, n), bits, "");
        self.builder.icmp(scythe_llvm::IntPredicate::LLVMIntNE, word, bits.const_int(0), "")
    }

    /// Loads one value for each row.
    pub(super) fn load_heads(&mut self, b: usize, i: Instruction<'ctx>) {
        let pointer = i.operand(0).expect("a load has an address");
        let (count, mask) = (self.heads_count(), self.masks[b]);
        let Shape::Rows { down, .. } = self.facts.shape(pointer) else {
            unreachable!("the address is in rows")
        };
        let load = |this: &Self, address| {
            let copy = this.copy(b, i);
            copy.set_operand(0, address);
            copy.as_value()
        };
        let heads = if down == Some(0) {
            let address = self.safe_pointer(b, self.head(pointer, 0), i.ty(), i.alignment());
            vec![load(self, address); count as usize]
        } else if down == packed_size(i.ty()) && mask.is_none() {
            let all = self.builder.load(i.ty().vector(count), self.head(pointer, 0), "");
            all.set_align(i.alignment());
            let element =
                |n| self.builder.extract_element(all.as_value(), self.int(u64::from(n)), "");
            (0..count).map(element).collect()
        } else {
            let inactive_slot =
                mask.map(|_| self.inactive_slot(i.ty(), pointer.ty(), i.alignment()));
            (0..count)
                .map(|n| {
                    let address = match (mask, inactive_slot) {
                        (Some(mask), Some(inactive_slot)) => self.builder.select(
                            self.any_of_row(mask, n),
                            self.head(pointer, n),
                            inactive_slot,
                            "",
                        ),
                        _ => self.head(pointer, n),
                    };
                    load(self, address)
                })
                .collect()
        };
        self.set_heads(i, heads);
    }

    /// Loads neighbouring elements in each row. The rows are `down` bytes apart.
    pub(super) fn load_rows(
        &mut self,
        b: usize,
        i: Instruction<'ctx>,
        size: i64,
        down: Option<i64>,
    ) {
        let pointer = i.operand(0).expect("a load has an address");
        let row = self.row_lanes();
        let load =
            |this: &mut Self, lanes: u32, address: Value<'ctx>, mask: Option<Value<'ctx>>| {
                let ty = i.ty().vector(lanes);
                match mask {
                    None => {
                        let load = this.builder.load(ty, address, "");
                        load.set_align(i.alignment());
                        load.as_value()
                    }
                    Some(mask) => this.masked_memory(
                        "llvm.masked.load",
                        &[ty, address.ty()],
                        &[address],
                        i.alignment(),
                        mask,
                        Some(ty),
                    ),
                }
            };
        let mask = self.masks[b];
        let new = if down == Some(size * i64::from(row)) {
            let first = self.head(pointer, 0);
            load(self, self.lanes, first, mask)
        } else if down == Some(0) {
            let rows = mask
                .map(|m| (0..self.heads_count()).map(|n| self.row_of(m, n)).collect::<Vec<_>>());
            let any =
                rows.and_then(|rows| rows.into_iter().reduce(|a, b| self.builder.or(a, b, "")));
            let first = self.head(pointer, 0);
            let one = load(self, row, first, any);
            let order: Vec<u64> = (0..u64::from(self.lanes)).map(|l| l % u64::from(row)).collect();
            permute(&self.builder, one, one, &order)
        } else {
            let rows = (0..self.heads_count())
                .map(|n| {
                    let (address, mask) = (self.head(pointer, n), mask.map(|m| self.row_of(m, n)));
                    load(self, row, address, mask)
                })
                .collect();
            self.join_rows(rows)
        };
        self.set_vector(i, new);
    }

    /// Stores neighbouring elements in each row.
    pub(super) fn store_rows(
        &mut self,
        b: usize,
        i: Instruction<'ctx>,
        size: i64,
        down: Option<i64>,
    ) {
        let (value, pointer) = (i.operand(0).expect("in range"), i.operand(1).expect("in range"));
        let (wide, mask) = (self.vector(value), self.masks[b]);
        let store = |this: &mut Self,
                     value: Value<'ctx>,
                     address: Value<'ctx>,
                     mask: Option<Value<'ctx>>| match mask {
            None => this.builder.store(value, address).set_align(i.alignment()),
            Some(mask) => {
                let types = [value.ty(), address.ty()];
                this.masked_memory(
                    "llvm.masked.store",
                    &types,
                    &[value, address],
                    i.alignment(),
                    mask,
                    None,
                );
            }
        };
        if down == Some(size * i64::from(self.row_lanes())) {
            let first = self.head(pointer, 0);
            return store(self, wide, first, mask);
        }
        for n in 0..self.heads_count() {
            let (part, address) = (self.row_of(wide, n), self.head(pointer, n));
            let mask = mask.map(|m| self.row_of(m, n));
            store(self, part, address, mask);
        }
    }
}
