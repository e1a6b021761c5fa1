//! Copies of instructions on scalars: the one value of all lanes, that of lane 0, or that of each
//! row's first lane.
//!
//! An instruction promises things beyond what it computes: that it does not wrap, that a pointer is
//! not null. A promise holds in the lanes that run the instruction and use its result. A copy
//! stands for other lanes, too:
//!
//! * the copy of a *uniform* value may run where its block's mask is empty;
//! * the copy of a *linear* value is that of lane 0, which may be off, or not use the result, while
//!   others do: with `l > g ? l - g : g - l`, each difference wraps in some lanes;
//! * so is that of a value in *rows*, for the first lane of each row.
//!
//! There the promises are dropped, and what computes with them is computed without: an `or` that is
//! an addition because of its disjoint operands, and numbers that are made wider ([`Wider`]). What
//! comes out is then what the shape's distances make of any lane in which the promises hold.

use super::super::divergence::{Among, Wider};
use super::{Shape, Widener};
use scythe_llvm::{Instruction, Opcode, Type, Value};

/// Which of the scalars that stand for a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    /// That of all lanes, or of lane 0.
    Item,
    /// That of the first lane of this row.
    Row(u32),
}

impl<'ctx> Widener<'_, 'ctx> {
    /// What an instruction promises of a lane that runs it, it promises of the scalar that stands
    /// for all.
    fn keeps_promises(&self, b: usize, i: Instruction<'ctx>) -> bool {
        self.facts.shape(i.as_value()) == Shape::Uniform && self.plan.never_empty[b]
    }

    /// A copy at the builder's place, with the operands of the original: those that are not
    /// constant are to be set.
    pub(super) fn copy(&self, b: usize, i: Instruction<'ctx>) -> Instruction<'ctx> {
        let copy = self.builder.clone_instruction(i);
        copy.set_debug_loc(None);
        if !self.keeps_promises(b, i) {
            copy.drop_promises();
        }
        copy
    }

    /// A copy for one lane that is on.
    pub(super) fn copy_for_lane(&self, i: Instruction<'ctx>) -> Instruction<'ctx> {
        let copy = self.builder.clone_instruction(i);
        copy.set_debug_loc(None);
        copy
    }

    /// The scalar form of an instruction without effects, computed from those of its operands.
    pub(super) fn copy_scalar(&self, b: usize, i: Instruction<'ctx>, of: Of) -> Value<'ctx> {
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
                // A callee may demand defined arguments.
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

    fn scalar_of(&self, v: Value<'ctx>, of: Of) -> Value<'ctx> {
        match of {
            Of::Item => self.scalar(v),
            Of::Row(n) => self.head(v, n),
        }
    }

    /// `extension` of a value that keeps its distances then.
    fn extend(&self, v: Value<'ctx>, extension: Opcode, ty: Type<'ctx>, of: Of) -> Value<'ctx> {
        let bits = ty.int_width().unwrap_or(64);
        let all = self.facts.keeps_distance(v, extension, bits, Among::All);
        self.wider(v, extension, ty, of, if all { Among::All } else { Among::Row })
    }

    fn wider(
        &self,
        v: Value<'ctx>,
        extension: Opcode,
        ty: Type<'ctx>,
        of: Of,
        among: Among,
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
