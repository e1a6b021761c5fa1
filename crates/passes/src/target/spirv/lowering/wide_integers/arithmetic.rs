//! Arithmetic on integers in two words.

use super::super::products::{signed_upper_half, unsigned_upper_half};
use super::{Splitting, Words};
use scythe_llvm::{IntPredicate, Opcode, Value};

impl<'ctx> Splitting<'_, 'ctx> {
    /// Clears the bits of the upper word above `width`.
    pub(super) fn masked(&self, high: Value<'ctx>, width: u32) -> Value<'ctx> {
        if width == 128 {
            high
        } else {
            self.builder.and(high, self.number((1 << (width - 64)) - 1), "")
        }
    }

    /// Fills the bits of the upper word above `width` with copies of the sign.
    pub(super) fn sign_extended(&self, high: Value<'ctx>, width: u32) -> Value<'ctx> {
        if width == 128 {
            return high;
        }
        let (b, distance) = (&self.builder, self.number((128 - width).into()));
        b.ashr(b.shl(high, distance, ""), distance, "")
    }

    pub(super) fn compare(
        &self,
        predicate: IntPredicate,
        x: Words<'ctx>,
        y: Words<'ctx>,
        width: u32,
    ) -> Value<'ctx> {
        use IntPredicate::*;
        let b = &self.builder;
        // If the upper words are equal, the lower words decide, as unsigned numbers.
        let (unsigned, signed) = match predicate {
            LLVMIntEQ | LLVMIntNE => {
                let differences = b.or(b.xor(x.low, y.low, ""), b.xor(x.high, y.high, ""), "");
                return b.icmp(predicate, differences, self.zero(), "");
            }
            LLVMIntSGT => (LLVMIntUGT, true),
            LLVMIntSGE => (LLVMIntUGE, true),
            LLVMIntSLT => (LLVMIntULT, true),
            LLVMIntSLE => (LLVMIntULE, true),
            other => (other, false),
        };
        let lower = b.icmp(unsigned, x.low, y.low, "");
        if x.is_one_word() && y.is_one_word() {
            return lower;
        }
        let high = |x: Words<'ctx>| if signed { self.sign_extended(x.high, width) } else { x.high };
        let upper = b.icmp(predicate, high(x), high(y), "");
        b.select(b.icmp(LLVMIntEQ, x.high, y.high, ""), lower, upper, "")
    }

    pub(super) fn select(
        &self,
        condition: Value<'ctx>,
        x: Words<'ctx>,
        y: Words<'ctx>,
    ) -> Words<'ctx> {
        let b = &self.builder;
        Words::new(b.select(condition, x.low, y.low, ""), b.select(condition, x.high, y.high, ""))
    }

    /// Shifts the concatenation of `x` and `y`. A left shift returns the upper half, a right shift
    /// the lower half. The distance is taken modulo the width.
    pub(super) fn funnel(
        &self,
        left: bool,
        x: Words<'ctx>,
        y: Words<'ctx>,
        distance: Value<'ctx>,
        width: u32,
    ) -> Option<Words<'ctx>> {
        let last = u64::from(width - 1);
        let within = match distance.const_int_value() {
            Some(n) => self.number(n % u64::from(width)),
            None if width == 128 => self.builder.and(distance, self.number(last), ""),
            None => return None,
        };
        let (one, rest) = (self.number(1), self.builder.sub(self.number(last), within, ""));
        // One of the two may be shifted by its full width, which needs two steps.
        let (upper, lower) = if left {
            let shifted = self.shift(Opcode::LLVMLShr, y, one, width);
            (
                self.shift(Opcode::LLVMShl, x, within, width),
                self.shift(Opcode::LLVMLShr, shifted, rest, width),
            )
        } else {
            let shifted = self.shift(Opcode::LLVMShl, x, one, width);
            (
                self.shift(Opcode::LLVMShl, shifted, rest, width),
                self.shift(Opcode::LLVMLShr, y, within, width),
            )
        };
        self.binary(Opcode::LLVMOr, upper, lower, width)
    }

    pub(super) fn binary(
        &self,
        opcode: Opcode,
        x: Words<'ctx>,
        y: Words<'ctx>,
        width: u32,
    ) -> Option<Words<'ctx>> {
        let b = &self.builder;
        let masked = |low, high| Words::new(low, self.masked(high, width));
        let bit = |flag| b.zext(flag, self.word, "");
        Some(match opcode {
            Opcode::LLVMAdd => {
                let low = b.add(x.low, y.low, "");
                let carry = bit(b.icmp(IntPredicate::LLVMIntULT, low, x.low, ""));
                masked(low, b.add(b.add(x.high, y.high, ""), carry, ""))
            }
            Opcode::LLVMSub => {
                let borrow = bit(b.icmp(IntPredicate::LLVMIntULT, x.low, y.low, ""));
                masked(b.sub(x.low, y.low, ""), b.sub(b.sub(x.high, y.high, ""), borrow, ""))
            }
            Opcode::LLVMMul => {
                let low = b.mul(x.low, y.low, "");
                if x.signed && y.signed {
                    return Some(Words::new(low, signed_upper_half(self.module, b, x.low, y.low)));
                }
                let mut high = unsigned_upper_half(self.module, b, x.low, y.low);
                for (x, y) in [(x, y), (y, x)].into_iter().filter(|(x, _)| !x.is_one_word()) {
                    high = b.add(high, b.mul(x.high, y.low, ""), "");
                }
                masked(low, high)
            }
            Opcode::LLVMAnd | Opcode::LLVMOr | Opcode::LLVMXor => {
                Words::new(b.binary(opcode, x.low, y.low, ""), b.binary(opcode, x.high, y.high, ""))
            }
            Opcode::LLVMShl | Opcode::LLVMLShr | Opcode::LLVMAShr => {
                self.shift(opcode, x, y.low, width)
            }
            _ => return None,
        })
    }

    /// Shifts by less than the width. Other distances give poison.
    fn shift(
        &self,
        opcode: Opcode,
        x: Words<'ctx>,
        distance: Value<'ctx>,
        width: u32,
    ) -> Words<'ctx> {
        let b = &self.builder;
        let within = b.and(distance, self.number(63), "");
        // The bits that move from one word to the other are shifted in two steps, since a word
        // cannot be shifted by its full width.
        let rest = b.xor(within, self.number(63), "");
        let one = self.number(1);
        let shifted = |opcode, value| {
            if within == self.zero() { value } else { b.binary(opcode, value, within, "") }
        };
        let (near, far) = match opcode {
            Opcode::LLVMShl => {
                let moved = b.lshr(b.lshr(x.low, one, ""), rest, "");
                let low = shifted(opcode, x.low);
                (
                    Words::new(low, b.or(b.shl(x.high, within, ""), moved, "")),
                    Words::new(self.zero(), low),
                )
            }
            _ => {
                let signed = opcode == Opcode::LLVMAShr;
                let top = if signed { self.sign_extended(x.high, width) } else { x.high };
                let moved = b.shl(b.shl(top, one, ""), rest, "");
                let high = shifted(opcode, top);
                let above = if signed { b.ashr(top, self.number(63), "") } else { self.zero() };
                (
                    Words::new(b.or(b.lshr(x.low, within, ""), moved, ""), high),
                    Words::new(high, above),
                )
            }
        };
        let chosen = match distance.const_int_value() {
            Some(0) => x,
            Some(1..64) => near,
            Some(_) => far,
            None => self.select(
                b.icmp(IntPredicate::LLVMIntULT, distance, self.number(64), ""),
                near,
                far,
            ),
        };
        Words::new(chosen.low, self.masked(chosen.high, width))
    }
}
