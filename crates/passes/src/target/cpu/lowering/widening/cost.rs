//! Estimates whether the widened form of a kernel is faster than its scalar form.
//!
//! Widening divides the number of arithmetic instructions by the number of lanes, but an access to
//! addresses that are far apart still takes one step per lane. Processors differ in the price of a
//! gather or scatter: on some it costs several times as much as the scalar accesses that it
//! replaces. The scalar form also keeps what a work-item does with consecutive elements together,
//! for the caches and for LLVM's vectoriser of the loops inside of the kernel.
//!
//! The unit is a quarter of the time in which a processor starts one vector instruction. All
//! numbers are for one work-item per lane. Code in loops counts more. The estimate depends only on
//! the code and on the options, so that a kernel gets the same form at run time and ahead of time.

use super::divergence::{Divergence, Shape, packed_size};
use crate::target::cpu::Options;
use scythe_llvm::{Instruction, Module, Opcode, Type, Value};

/// The factor by which each loop around an instruction multiplies its cost.
const LOOP: u64 = 8;
/// Loops beyond this depth have no further effect.
const MAX_DEPTH: usize = 6;
/// The size in bytes of the elements that fill one register if there is one for each lane.
const ELEMENT: u64 = 4;

/// The cost of a vector instruction.
const VECTOR: u64 = 4;
/// The costs of scalar instructions: processors start about four of them in the time of one vector
/// instruction.
const SCALAR: u64 = 1;
const SCALAR_LOAD: u64 = 2;
const SCALAR_STORE: u64 = 4;
/// The cost of each lane of an operation that has no vector form: extraction, operation, insertion.
const LANE: u64 = 6;

/// The costs of the two forms, for the work-items of one vector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Costs {
    pub widened: u64,
    pub scalar: u64,
}

impl Costs {
    pub fn pays(self) -> bool {
        self.widened <= self.scalar
    }

    fn add(&mut self, weight: u64, (widened, scalar): (u64, u64)) {
        self.widened = self.widened.saturating_add(weight.saturating_mul(widened));
        self.scalar = self.scalar.saturating_add(weight.saturating_mul(scalar));
    }
}

/// The costs of accesses to scattered addresses, for each lane.
#[derive(Clone, Copy, Debug)]
struct Scattered {
    gather: u64,
    scatter: u64,
}

impl Scattered {
    fn of(options: &Options) -> Self {
        // AMD's processors split gathers and scatters into several micro-operations per lane.
        if options.cpu.starts_with("znver") {
            return Self { gather: 8, scatter: 12 };
        }
        match options.lanes {
            16.. => Self { gather: 4, scatter: 6 },
            // There are no scatters.
            8.. => Self { gather: 5, scatter: LANE + SCALAR_STORE },
            _ => Self { gather: LANE + SCALAR_LOAD, scatter: LANE + SCALAR_STORE },
        }
    }
}

/// Returns the costs of a kernel.
pub fn costs<'ctx>(module: &Module<'ctx>, facts: &Divergence<'ctx>, options: &Options) -> Costs {
    let rule = Rule { module, facts, lanes: u64::from(options.lanes), far: Scattered::of(options) };
    let mut total = Costs::default();
    for (b, block) in facts.blocks.iter().enumerate() {
        let depth = facts.loops.around(b).count().min(MAX_DEPTH);
        let weight = LOOP.pow(depth as u32);
        for i in block.instructions() {
            total.add(weight, rule.instruction(b, i));
        }
    }
    total
}

struct Rule<'a, 'ctx> {
    module: &'a Module<'ctx>,
    facts: &'a Divergence<'ctx>,
    lanes: u64,
    far: Scattered,
}

impl<'ctx> Rule<'_, 'ctx> {
    /// Returns the costs of an instruction in the widened and in the scalar form.
    fn instruction(&self, b: usize, i: Instruction<'ctx>) -> (u64, u64) {
        let lanes = self.lanes;
        let shape = self.facts.shape(i.as_value());
        let differs = |v: Value<'ctx>| self.facts.shape(v) != Shape::Uniform;
        let alone = |cost: u64| (cost, lanes * cost);
        match i.opcode() {
            Opcode::LLVMLoad => {
                let pointer = i.operand(0);
                let scalar = lanes * SCALAR_LOAD;
                match pointer {
                    Some(p) if shape != Shape::Uniform => {
                        (self.access(p, i.ty(), i.is_atomic(), self.far.gather), scalar)
                    }
                    _ => (SCALAR_LOAD, scalar),
                }
            }
            Opcode::LLVMStore => {
                let scalar = lanes * SCALAR_STORE;
                match (i.operand(0), i.operand(1)) {
                    (Some(value), Some(p)) if differs(value) || differs(p) => {
                        (self.access(p, value.ty(), i.is_atomic(), self.far.scatter), scalar)
                    }
                    _ => (SCALAR_STORE, scalar),
                }
            }
            Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => {
                (lanes * (LANE + SCALAR_STORE), lanes * SCALAR_STORE)
            }
            Opcode::LLVMBr => {
                let diverges = self.facts.convergence.divergent_branch()[b];
                // Both sides of the branch run, and masks change.
                if diverges { (3 * VECTOR, lanes * SCALAR) } else { alone(SCALAR) }
            }
            // Addresses are part of accesses, and casts of pointers are no instructions.
            Opcode::LLVMGetElementPtr | Opcode::LLVMAddrSpaceCast | Opcode::LLVMAlloca => (0, 0),
            Opcode::LLVMPHI if shape == Shape::Uniform => (0, 0),
            Opcode::LLVMPHI => {
                let blended = self.facts.convergence.is_join(b);
                (if blended { self.vector(i.ty()) } else { 0 }, 0)
            }
            Opcode::LLVMCall => self.call(i),
            _ => {
                let scalar = scalar_cost(i);
                match shape {
                    // The vector form of a linear value is only computed if something uses it.
                    Shape::Uniform | Shape::Linear(_) => alone(scalar),
                    _ => (self.vector(self.widest(i)) * scalar, lanes * scalar),
                }
            }
        }
    }

    fn call(&self, i: Instruction<'ctx>) -> (u64, u64) {
        let Some(callee) = i.called_function() else { return (0, 0) };
        if i.ty().is_void() {
            return (0, 0);
        }
        if self.facts.shape(i.as_value()) == Shape::Uniform {
            return (SCALAR, self.lanes * SCALAR);
        }
        if callee.is_intrinsic() {
            let cost = if callee.name().starts_with("llvm.sqrt") { LONG } else { 1 };
            return (self.vector(i.ty()) * cost, self.lanes * cost);
        }
        let cost = if crate::target::common::queries::parse(&callee.name()).is_some() {
            0
        } else {
            LANE * LONG
        };
        (self.lanes * cost, self.lanes * cost)
    }

    /// Returns the widened cost of a load or store of `ty`.
    fn access(&self, pointer: Value<'ctx>, ty: Type<'ctx>, atomic: bool, far: u64) -> u64 {
        let one_by_one = self.lanes * (LANE + SCALAR_LOAD);
        let Some(size) = packed_size(ty).filter(|_| !atomic) else { return one_by_one };
        match self.facts.shape(pointer) {
            Shape::Uniform => SCALAR_STORE,
            Shape::Linear(step) | Shape::LinearUnlessWrapped(step) if step == size => {
                2 * self.vector(ty)
            }
            Shape::Rows { along, .. } if along == size || along == 0 => 4 * self.vector(ty),
            // Elements without a gather instruction are fetched one by one.
            _ if size < 4 => one_by_one,
            _ => self.lanes * far,
        }
    }

    /// Returns the cost of a vector instruction with elements of type `ty`.
    fn vector(&self, ty: Type<'ctx>) -> u64 {
        VECTOR * ty.alloc_size(self.module).unwrap_or(8).div_ceil(ELEMENT).max(1)
    }

    /// Returns the wider one of the types of the result and the first operand.
    fn widest(&self, i: Instruction<'ctx>) -> Type<'ctx> {
        let size = |ty: Type<'ctx>| ty.alloc_size(self.module).unwrap_or(0);
        match i.operand(0).map(|v| v.ty()) {
            Some(operand) if size(operand) > size(i.ty()) => operand,
            _ => i.ty(),
        }
    }
}

/// The relative cost of divisions and roots.
const LONG: u64 = 8;

fn scalar_cost(i: Instruction<'_>) -> u64 {
    use Opcode::*;
    match i.opcode() {
        LLVMFDiv | LLVMFRem | LLVMSDiv | LLVMUDiv | LLVMSRem | LLVMURem => LONG,
        _ => SCALAR,
    }
}
