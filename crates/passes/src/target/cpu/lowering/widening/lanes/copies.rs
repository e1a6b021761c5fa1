//! Copies instructions to scalars: the common value of all lanes, the value of lane 0, or the value
//! of the first lane of each row.
//!
//! An instruction can make promises (flags and metadata) beyond the value that it computes: that it
//! does not wrap, or that a pointer is not null. A promise holds in the lanes that run the
//! instruction and use its result. A copy also represents other lanes:
//!
//! * the copy of a *uniform* value may run while the mask of its block is empty;
//! * the copy of a *linear* value is that of lane 0, which may be inactive, or not use the result,
//!   while other lanes do: with `l > g ? l - g : g - l`, each difference wraps in some lanes;
//! * the copies of a value in *rows* are those of the first lane of each row, which have the same
//!   problem.
//!
//! In these cases the promises are dropped. Operations that depend on promises are computed in a
//! way that does not need them: an `or` that is an addition because its operands are disjoint, and
//! integer extensions ([`Wider`]). The result plus the distance of the shape is then correct for
//! every lane in which the promises hold.

use super::super::divergence::{LaneScope, Wider};
use super::{Shape, Widener};
use scythe_llvm::{Instruction, Opcode, Type, Value};

/// Selects one of the scalars that represent a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ScalarOf {
    /// The scalar of all lanes, or of lane 0.
    Item,
    /// The scalar of the first lane of this row.
    Row(u32),
}

impl<'ctx> Widener<'_, 'ctx> {
    /// Whether the promises of an instruction, which hold in each lane that runs it, also hold for
    /// the scalar that represents all lanes.
    fn keeps_promises(&self, b: usize, i: Instruction<'ctx>) -> bool {
        self.facts.shape(i.as_value()) == Shape::Uniform && self.plan.never_empty[b]
    }

    /// Copies an instruction to the builder's position with the operands of the original. The
    /// caller must replace the operands that are not constants.
    pub(super) fn copy(&self, b: usize, i: Instruction<'ctx>) -> Instruction<'ctx> {
        let copy = self.builder.clone_instruction(i);
        copy.set_debug_loc(i.debug_loc_metadata());
        if !self.keeps_promises(b, i) {
            copy.drop_promises();
        }
        copy
    }

    /// Copies an instruction for one active lane.
    pub(super) fn copy_for_lane(&self, i: Instruction<'ctx>) -> Instruction<'ctx> {
        let copy = self.builder.clone_instruction(i);
        copy.set_debug_loc(i.debug_loc_metadata());
        copy
    }

    /// Computes the scalar form of an instruction without side effects from those of its operands.
    pub(super) fn copy_scalar(&self, b: usize, i: Instruction<'ctx>, of: ScalarOf) -> Value<'ctx> {
        let keeps = self.keeps_promises(b, i);
        let differs = self.facts.shape(i.as_value()) != Shape::Uniform;
        let operand = |n: u32| i.operand(n).expect("in range");
        match i.opcode() {
            Opcode::LLVMOr if differs && i.is_disjoint() => {
                return self.builder.add(
                    self.scalar_of(operand(0), of),
                    self.scalar_of(operand(1), of),
                    "",
                );
            }
            Opcode::LLVMSExt | Opcode::LLVMZExt if differs => {
                return self.extend(operand(0), i.opcode(), i.ty(), of);
            }
            _ => {}
        }
        let operands: Vec<_> = i
            .operands()
            .enumerate()
            .map(|(n, v)| {
                let narrow = v.ty().int_width().is_some_and(|w| w < 64);
                let index = i.opcode() == Opcode::LLVMGetElementPtr && n > 0;
                if index && narrow && self.facts.shape(v) != Shape::Uniform {
                    return self.extend(v, Opcode::LLVMSExt, self.context.int_type(64), of);
                }
                let scalar = self.scalar_of(v, of);
                // A callee may require defined arguments.
                let argument = i.opcode() == Opcode::LLVMCall && !keeps && !scalar.is_constant();
                if argument { self.builder.freeze(scalar) } else { scalar }
            })
            .collect();
        let copy = self.copy(b, i);
        for (n, (new, old)) in operands.into_iter().zip(i.operands()).enumerate() {
            if new != old {
                copy.set_operand(n as u32, new);
            }
        }
        copy.as_value()
    }

    fn scalar_of(&self, v: Value<'ctx>, of: ScalarOf) -> Value<'ctx> {
        match of {
            ScalarOf::Item => self.scalar(v),
            ScalarOf::Row(n) => self.head(v, n),
        }
    }

    /// Computes `extension` of a value that keeps its distances in the wide type.
    fn extend(
        &self,
        v: Value<'ctx>,
        extension: Opcode,
        ty: Type<'ctx>,
        of: ScalarOf,
    ) -> Value<'ctx> {
        let bits = ty.int_width().unwrap_or(64);
        let all = self.facts.keeps_distance(v, extension, bits, LaneScope::All);
        self.wider(v, extension, ty, of, if all { LaneScope::All } else { LaneScope::Row })
    }

    fn wider(
        &self,
        v: Value<'ctx>,
        extension: Opcode,
        ty: Type<'ctx>,
        of: ScalarOf,
        among: LaneScope,
    ) -> Value<'ctx> {
        match self.facts.wider(v, extension, among) {
            None | Some(Wider::Extended) => self.resize(self.scalar_of(v, of), extension, ty),
            Some(Wider::Cut(whole)) if whole.ty().int_width() >= ty.int_width() => {
                self.resize(self.scalar_of(whole, of), extension, ty)
            }
            Some(Wider::Cut(whole)) => self.wider(whole, extension, ty, of, among),
            Some(Wider::Again(opcode)) => {
                let operands: Vec<_> =
                    v.operands().map(|o| self.wider(o, extension, ty, of, among)).collect();
                self.builder.binary(opcode, operands[0], operands[1], "")
            }
            Some(Wider::Like(other, by)) => self.wider(other, by, ty, of, among),
        }
    }

    fn resize(&self, v: Value<'ctx>, extension: Opcode, ty: Type<'ctx>) -> Value<'ctx> {
        match v.ty().int_width().cmp(&ty.int_width()) {
            std::cmp::Ordering::Equal => v,
            std::cmp::Ordering::Greater => self.builder.trunc(v, ty, ""),
            std::cmp::Ordering::Less => self.builder.cast(extension, v, ty, ""),
        }
    }
}
