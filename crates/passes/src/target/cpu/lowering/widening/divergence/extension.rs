//! Extension of narrow integers: determines whether lanes keep their distances, and how to compute
//! the wide value.
//!
//! `sext (add nsw a, b)` equals `add (sext a), (sext b)` in every lane that uses the sum, since the
//! sum does not wrap there. If `a` and `b` keep their distances when they are extended, so does the
//! sum. That does not hold in other lanes: with `if (l >= g) p[l - g]`, `l - g` wraps in the first
//! lanes. The scalar that represents all lanes, the value of lane 0, must therefore be computed in
//! the wide type from the start. In that type, the value of lane 0 plus the distance is correct for
//! every lane that uses it. [`Divergence::wider`] describes the computation, one operation at a
//! time. Both the analysis and the code generator use it.

use super::{Divergence, Shape, is_number, signed_constant};
use scythe_llvm::{Opcode, Value};

/// The way in which a narrow value is computed in a wider type.
#[derive(Clone, Copy, Debug)]
pub enum Wider<'ctx> {
    /// Extend the value.
    Extended,
    /// Use the value that was truncated. The narrow value represents it in full.
    Cut(Value<'ctx>),
    /// Apply this operation to the extended operands.
    Again(Opcode),
    /// Extend another value, with another extension.
    Like(Value<'ctx>, Opcode),
}

/// The lanes in which a value must be the same so that it can be extended directly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneScope {
    /// All lanes: distances between rows are relevant.
    All,
    /// The lanes of one row.
    Row,
}

/// The maximum depth of operations through which distances are followed.
const DEPTH: u32 = 8;

impl<'ctx> Divergence<'ctx> {
    /// Returns how to compute `extension` of `value` so that lanes keep their distances, or `None`
    /// if they may not.
    pub fn wider(
        &self,
        value: Value<'ctx>,
        extension: Opcode,
        scope: LaneScope,
    ) -> Option<Wider<'ctx>> {
        let same = match scope {
            LaneScope::All => self.shape(value) == Shape::Uniform,
            LaneScope::Row => self.shape(value).is_uniform_in_row(),
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
            // The distance was computed from the factor as a signed number.
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
            // The operand of a `freeze` must not be poison: all uses of a frozen value see the same
            // value.
            Opcode::LLVMFreeze => {
                let cut = operand
                    .as_instruction()
                    .filter(|c| c.opcode() == Opcode::LLVMTrunc && !c.nsw() && !c.nuw());
                cut.and_then(|c| self.number(c.operand(0)?)).map(Wider::Cut)
            }
            _ => None,
        }
    }

    /// Returns `value` if it is a work-item number, which 32 bits represent in full. Records this
    /// assumption.
    fn number(&self, value: Value<'ctx>) -> Option<Value<'ctx>> {
        is_number(value).then(|| self.assume_narrow(value))?;
        Some(value)
    }

    /// Whether a linear value, or a value in rows, keeps its distances when it is extended to
    /// `bits` bits.
    pub fn keeps_distance(
        &self,
        value: Value<'ctx>,
        extension: Opcode,
        bits: u32,
        scope: LaneScope,
    ) -> bool {
        self.keeps(value, extension, bits, scope, DEPTH)
    }

    fn keeps(
        &self,
        value: Value<'ctx>,
        extension: Opcode,
        bits: u32,
        scope: LaneScope,
        depth: u32,
    ) -> bool {
        let below = |v: Value<'ctx>, by| depth > 0 && self.keeps(v, by, bits, scope, depth - 1);
        match self.wider(value, extension, scope) {
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

    /// Returns the shape of a narrow value in rows after extension, with the distances that remain
    /// known.
    pub(super) fn extended(&self, value: Value<'ctx>, extension: Opcode, bits: u32) -> Shape {
        let Shape::Rows { along, down } = self.shape(value) else { return Shape::Varying };
        if self.keeps_distance(value, extension, bits, LaneScope::All) {
            Shape::Rows { along, down }
        } else if self.keeps_distance(value, extension, bits, LaneScope::Row) {
            Shape::Rows { along, down: None }
        } else {
            Shape::Varying
        }
    }
}
