//! Emits the exchange of values between the lanes of a sub-group: reductions, scans, shuffles and
//! votes.

use super::super::subgroup::{self, Kind, Primitive};
use super::{Shape, Widener};
use scythe_llvm::{Instruction, IntPredicate, Opcode, Value};

impl<'ctx> Widener<'_, 'ctx> {
    /// Emits a primitive. Inactive lanes contribute the identity element.
    pub(super) fn primitive(&mut self, b: usize, i: Instruction<'ctx>, primitive: Primitive) {
        let args = i.args();
        let lanes = u64::from(self.lanes);
        let wide = self.vector(args[0]);
        if let Some(operation) = primitive.operation {
            let neutral = subgroup::identity(operation, i.ty());
            let neutrals = self.splat(neutral);
            let mut v = match self.masks[b] {
                Some(mask) => self.builder.select(mask, wide, neutrals, ""),
                None => wide,
            };
            let combine =
                |this: &Self, a, b| subgroup::combine(this.module, &this.builder, operation, a, b);
            if primitive.kind == Kind::Reduce {
                let mut step = lanes / 2;
                while step > 0 {
                    let order: Vec<u64> = (0..lanes).map(|l| (l + step) % lanes).collect();
                    v = combine(self, v, subgroup::permute(&self.builder, v, v, &order));
                    step /= 2;
                }
                let scalar = self.builder.extract_element(v, self.int(0), "");
                return self.set_scalar(i, scalar);
            }
            // Lane `l` takes the value of lane `l - step`, the first lanes take the identity
            // element.
            let shift = |this: &Self, v, step: u64| {
                let order: Vec<u64> =
                    (0..lanes).map(|l| if l >= step { l - step } else { lanes + l }).collect();
                subgroup::permute(&this.builder, v, neutrals, &order)
            };
            let mut step = 1;
            while step < lanes {
                v = combine(self, shift(self, v, step), v);
                step *= 2;
            }
            if primitive.kind == Kind::ExclusiveScan {
                v = shift(self, v, 1);
            }
            return self.set_vector(i, v);
        }
        match primitive.kind {
            Kind::Any | Kind::All => {
                let zero = self.splat(args[0].ty().const_int(0));
                let wanted = if primitive.kind == Kind::Any {
                    IntPredicate::LLVMIntNE
                } else {
                    IntPredicate::LLVMIntEQ
                };
                let mut hit = self.builder.icmp(wanted, wide, zero, "");
                if let Some(mask) = self.masks[b] {
                    hit = self.builder.select(mask, hit, self.mask_type().const_null(), "");
                }
                let mut answer = self.any(hit);
                if primitive.kind == Kind::All {
                    answer = self.builder.xor(answer, self.context.const_int(1, 1), "");
                }
                let answer = self.builder.cast(Opcode::LLVMZExt, answer, i.ty(), "");
                self.set_scalar(i, answer);
            }
            Kind::Broadcast if self.facts.shape(args[1]) == Shape::Uniform => {
                let lane = self.builder.and(self.scalar(args[1]), self.int(lanes - 1), "");
                let value = self.builder.extract_element(wide, lane, "");
                self.set_scalar(i, value);
            }
            Kind::Broadcast => {
                // The lane is uniform by contract, although the analysis cannot prove it: use the
                // value of the first active lane.
                let lane = self.first_active(b, self.vector(args[1]));
                let value = self.builder.extract_element(
                    wide,
                    self.builder.and(lane, self.int(lanes - 1), ""),
                    "",
                );
                self.set_scalar(i, value);
            }
            kind => {
                let from = |l: u64, n: u64| match kind {
                    Kind::Shuffle => n,
                    Kind::ShuffleXor => l ^ n,
                    Kind::ShuffleUp => l.wrapping_sub(n),
                    _ => l.wrapping_add(n),
                };
                let v = match args[1].const_int_value() {
                    Some(n) => {
                        let order: Vec<u64> =
                            (0..lanes).map(|l| from(l, n) & (lanes - 1)).collect();
                        subgroup::permute(&self.builder, wide, wide, &order)
                    }
                    None => {
                        let here = self.ramp(args[1].ty(), 1);
                        let n = self.vector(args[1]);
                        let index = match kind {
                            Kind::Shuffle => n,
                            Kind::ShuffleXor => self.builder.xor(here, n, ""),
                            Kind::ShuffleUp => self.builder.sub(here, n, ""),
                            _ => self.builder.add(here, n, ""),
                        };
                        self.look_up(wide, index)
                    }
                };
                self.set_vector(i, v);
            }
        }
    }

    /// Selects for each lane the element of `wide` at its index, through memory.
    pub(super) fn look_up(&mut self, wide: Value<'ctx>, index: Value<'ctx>) -> Value<'ctx> {
        let slot = self.slots.alloca(wide.ty(), "lanes");
        slot.set_align(64);
        self.builder.store(wide, slot.as_value());
        let most = self.splat(index.ty().contained()[0].const_int(u64::from(self.lanes - 1)));
        // The index of inactive lanes must also stay in bounds.
        let index = self.builder.and(self.builder.freeze(index), most, "");
        let addresses = self.builder.gep(wide.ty().contained()[0], slot.as_value(), &[index], "");
        let element = wide.ty().contained()[0];
        self.gather(element, addresses, None, 1)
    }

    /// Returns the value of the first active lane.
    pub(super) fn first_active(&mut self, b: usize, wide: Value<'ctx>) -> Value<'ctx> {
        let lane = self.masks[b].map_or_else(|| self.int(0), |mask| self.first_lane(mask));
        self.builder.extract_element(wide, lane, "")
    }

    /// Returns the number of the first lane in a mask, or any lane if the mask is empty.
    pub(super) fn first_lane(&self, mask: Value<'ctx>) -> Value<'ctx> {
        let bits = self.context.int_type(self.lanes);
        let word = self.builder.cast(Opcode::LLVMBitCast, mask, bits, "");
        let count = self.module.intrinsic("llvm.cttz", &[bits]).expect("LLVM knows cttz");
        let first = self.builder.call(count, &[word, self.context.const_int(1, 0)], "").as_value();
        self.builder.and(first, bits.const_int(u64::from(self.lanes - 1)), "")
    }
}
