//! Narrow integers that are made wider: whether neighbouring lanes keep their distance, and how the
//! wide value is computed.
//!
//! `sext (add nsw a, b)` is `add (sext a), (sext b)` in every lane that uses the sum, since it does
//! not wrap there. If `a` and `b` keep their distances when they are made wider, so does the sum.
//! That tells nothing of other lanes: with `if (l >= g) p[l - g]`, `l - g` wraps in the first
//! lanes. What stands for all lanes, the value of lane 0, must therefore be computed in the wide
//! type from the start; there it is what the distance makes of any lane that uses it.
//! [`Divergence::wider`] tells how, one operation at a time, to the analysis and to the code
//! generator alike.

use super::{Divergence, Shape, is_number, signed_constant};
use scythe_llvm::{Opcode, Value};

/// How a narrow value is computed in a wider type.
#[derive(Clone, Copy, Debug)]
pub enum Wider<'ctx> {
    /// By extending it.
    Extended,
    /// From the value that it was cut from and that it represents in full.
    Cut(Value<'ctx>),
    /// By this operation on its operands, made wider.
    Again(Opcode),
    /// As another value, by another extension.
    Like(Value<'ctx>, Opcode),
}

/// Which lanes a value must be the same in to be extended as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Among {
    /// In all lanes: distances between rows count.
    All,
    /// In the lanes of one row.
    Row,
}

/// How many operations deep distances are followed.
const DEPTH: u32 = 8;

impl<'ctx> Divergence<'ctx> {
    /// How `extension` of `value` is computed such that lanes keep their distance; `None` where
    /// they may not.
    pub fn wider(
        &self,
        value: Value<'ctx>,
        extension: Opcode,
        among: Among,
    ) -> Option<Wider<'ctx>> {
        let same = match among {
            Among::All => self.shape(value) == Shape::Uniform,
            Among::Row => self.shape(value).is_even(),
        };
        let Some(i) = value.as_instruction().filter(|_| !same) else {
            return Some(Wider::Extended);
        };
        let signed = extension == Opcode::LLVMSExt;
        let holds = || if signed { i.nsw() } else { i.nuw() };
        let operand = i.operand(0)?;
        match i.opcode() {
            Opcode::LLVMTrunc if holds() => Some(Wider::Cut(operand)),
            Opcode::LLVMTrunc => self.number(operand).map(Wider::Cut),
            // The distance was found by the factor as a signed number.
            Opcode::LLVMMul => {
                let negative = |v: Value<'ctx>| signed_constant(v).is_some_and(|c| c < 0);
                (holds() && (signed || !i.operands().any(negative)))
                    .then_some(Wider::Again(i.opcode()))
            }
            Opcode::LLVMAdd | Opcode::LLVMSub | Opcode::LLVMShl => {
                holds().then_some(Wider::Again(i.opcode()))
            }
            Opcode::LLVMOr => i.is_disjoint().then_some(Wider::Again(Opcode::LLVMAdd)),
            Opcode::LLVMSExt => signed.then_some(Wider::Like(operand, Opcode::LLVMSExt)),
            Opcode::LLVMZExt => Some(Wider::Like(operand, Opcode::LLVMZExt)),
            // What is frozen must not be poison: all uses of a frozen value see one value.
            Opcode::LLVMFreeze => {
                let cut = operand
                    .as_instruction()
                    .filter(|c| c.opcode() == Opcode::LLVMTrunc && !c.nsw() && !c.nuw());
                cut.and_then(|c| self.number(c.operand(0)?)).map(Wider::Cut)
            }
            _ => None,
        }
    }

    /// `value`, if it is a work-item number, which 32 bits represent in full; that is then relied
    /// on.
    fn number(&self, value: Value<'ctx>) -> Option<Value<'ctx>> {
        is_number(value).then(|| self.rely_on(value))?;
        Some(value)
    }

    /// A linear value, or one in rows, keeps its distances when it is made `bits` wide.
    pub fn keeps_distance(
        &self,
        value: Value<'ctx>,
        extension: Opcode,
        bits: u32,
        among: Among,
    ) -> bool {
        self.keeps(value, extension, bits, among, DEPTH)
    }

    fn keeps(
        &self,
        value: Value<'ctx>,
        extension: Opcode,
        bits: u32,
        among: Among,
        depth: u32,
    ) -> bool {
        let below = |v: Value<'ctx>, by| depth > 0 && self.keeps(v, by, bits, among, depth - 1);
        match self.wider(value, extension, among) {
            None => false,
            Some(Wider::Extended) => true,
            Some(Wider::Cut(whole)) => {
                whole.ty().int_width().is_some_and(|width| width >= bits) || below(whole, extension)
            }
            Some(Wider::Again(_)) => {
                value.as_instruction().is_some_and(|i| i.operands().all(|v| below(v, extension)))
            }
            Some(Wider::Like(other, by)) => below(other, by),
        }
    }

    /// A value in rows of a narrow type, made wider: what is left of its distances.
    pub(super) fn extended(&self, value: Value<'ctx>, extension: Opcode, bits: u32) -> Shape {
        let Shape::Rows { along, down } = self.shape(value) else { return Shape::Varying };
        if self.keeps_distance(value, extension, bits, Among::All) {
            Shape::Rows { along, down }
        } else if self.keeps_distance(value, extension, bits, Among::Row) {
            Shape::Rows { along, down: None }
        } else {
            Shape::Varying
        }
    }
}
