//! Estimates whether the widened form of a kernel is faster than its scalar form.
//!
//! Widening divides the number of arithmetic instructions by the number of lanes, but an access to
//! addresses that are far apart still takes one step per lane. Processors differ in the price of a
//! gather or scatter: on some it costs several times as much as the scalar accesses that it
//! replaces. The scalar form also keeps what a work-item does with consecutive elements together,
//! for the caches and for LLVM's vectoriser of the loops inside of the kernel.
//!
//! The unit is a quarter of the time in which a processor starts one vector instruction. All
//! numbers are for one work-item per lane. Code in loops counts more, and even more in the widened
//! form if lanes leave an innermost loop in different iterations. The estimate depends only on
//! the code and on the options, so that a kernel gets the same form at run time and ahead of time.

use super::cfg::Dominators;
use super::divergence::{Divergence, Shape, packed_size};
use crate::target::cpu::Options;
use scythe_llvm::{Instruction, Module, Opcode, Type, Value};

/// The factor by which each loop around an instruction multiplies its cost.
const LOOP: u64 = 8;
/// Loops beyond this depth have no further effect.
const MAX_DEPTH: u32 = 6;
/// All work-items.
const WHOLE: u64 = 1 << 10;
/// The size in bytes of the elements that fill one register if there is one for each lane.
const ELEMENT: u64 = 4;

/// The cost of a vector instruction.
const VECTOR: u64 = 4;
/// The costs of scalar instructions: processors start about four of them in the time of one vector
/// instruction.
const SCALAR: u64 = 1;
const SCALAR_LOAD: u64 = 2;
const SCALAR_STORE: u64 = 4;
/// The cost of a scalar branch in a loop that differs between work-items, and that processors
/// sometimes predict wrongly. Other branches are mostly bounds checks.
const BRANCH: u64 = 4;
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
    let shares = shares(facts);
    for (b, block) in facts.blocks.iter().enumerate() {
        let mut depth = 0;
        let mut weight = WHOLE;
        for l in facts.loops.around(b) {
            if depth < MAX_DEPTH {
                weight *= LOOP;
                depth += 1;
            }
            if facts.convergence.divergent_loop()[l] && depth == 1 {
                weight = weight / 2 * 3;
            }
        }
        let scalar_weight = LOOP.pow(depth) * shares[b];
        for i in block.instructions() {
            let (widened, scalar) = rule.instruction(b, i);
            total.widened = total.widened.saturating_add(weight.saturating_mul(widened));
            total.scalar = total.scalar.saturating_add(scalar_weight.saturating_mul(scalar));
        }
    }
    Costs { widened: total.widened / WHOLE, scalar: total.scalar / WHOLE }
}

/// Returns the share of the work-items of a vector that run each block, where [`WHOLE`] is all of
/// them. Work-items take both sides of a divergent branch equally often, but run what a branch only
/// skips: many branches test whether the work-item has anything to do. In the widened form, all
/// lanes run both sides.
fn shares(facts: &Divergence<'_>) -> Vec<u64> {
    let mut shares = vec![0u64; facts.cfg.len()];
    let order = facts.cfg.reverse_post_order();
    let exit = (0..facts.cfg.len()).find(|&b| facts.cfg.succs[b].is_empty());
    let post = exit.map(|exit| Dominators::post(&facts.cfg, exit));
    for &b in &order {
        let mut share = 0;
        for &p in facts.cfg.preds[b].iter().filter(|&&p| !facts.dom.dominates(b, p)) {
            let skips = post.as_ref().and_then(|post| post.immediate(p));
            let sides = facts.cfg.succs[p].iter().filter(|&&s| Some(s) != skips).count() as u64;
            let splits = facts.convergence.divergent_branch()[p] && Some(b) != skips;
            share += if splits { shares[p] / sides.max(1) } else { shares[p] };
        }
        let most = facts.dom.immediate(b).map_or(WHOLE, |d| shares[d]);
        shares[b] = if facts.cfg.preds[b].is_empty() { WHOLE } else { share.min(most) };
    }
    shares
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
                let in_loop = self.facts.loops.innermost[b].is_some();
                let scalar = if in_loop { BRANCH } else { SCALAR };
                // Masks change in the widened form.
                if diverges { (3 * VECTOR, self.lanes * scalar) } else { alone(SCALAR) }
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
