//! Widens a kernel so that one call of it runs `W` work-items side by side, one per vector lane.
//!
//! # Input
//!
//! A kernel body after the passes of [`PREPARE`]: all code that queries work-item numbers is
//! inlined, and there are one return, no switches, loops in simplified and LCSSA form, and no
//! vector types. Lanes run along the fastest dimension: in lane `i`, the local and the global id in
//! that dimension are those of lane 0 plus `i`. With [`Options::fold`], several short rows lie side
//! by side instead ([`Fold`]).
//!
//! # Output
//!
//! A function with the same parameters, in which the remaining work-item queries refer to lane 0.
//! With [`Options::masked`] it starts with a call to `__scythe_active_lanes`, which the caller of
//! this module replaces by the number of active lanes.
//!
//! # Algorithm
//!
//! [`super::divergence`] determines which values differ between lanes. Uniform values stay scalar.
//! Linear values (lane 0 plus a constant per lane) stay scalar too, with a vector form for users
//! that need it. All other values become vectors. Control flow is partially linearised
//! ([`super::plan`], [`super::cfg::linearize`]): uniform branches stay branches; the two sides of a
//! divergent branch run one after the other, each under its mask; a divergent loop runs until no
//! lane is left in it.
//!
//! Masks, and the φs of blocks whose incoming edges changed, are in stack slots while the function
//! is rebuilt; SROA turns the slots into registers afterwards. The rules, which the test of `plan`
//! checks on random graphs:
//!
//! * on entry, a masked block reads its mask slot and clears it; an edge that leaves a block adds
//!   lanes to the slot of its target;
//! * the value of a φ is stored along the incoming edge, for the lanes that take this edge;
//! * in a masked block, side effects are limited to active lanes, and operations that could trap do
//!   not run for inactive lanes.
//!
//! A block whose mask may be empty still runs ([`super::plan`]).

mod copies;
mod elementwise;
mod exchange;
mod instructions;
mod kept_values;
mod memory;
mod rows;

pub use elementwise::is_hint;
pub use rows::Fold;

use super::cfg::{Cfg, Dominators, Exit, Loops, UnsupportedCfg};
use super::divergence::{CallShapes, Divergence, Shape, WideningError};
use super::plan::Plan;
use super::reference;
use super::subgroup::Primitive;
use crate::target::common::queries::{self, Query};
use kept_values::KeepingLoop;
use scythe_llvm::{
    BasicBlock, Builder, ContextRef, Function, Instruction, IntPredicate, Module, Opcode, Place,
    Type, TypeKind, Value, const_vector,
};
use std::collections::HashMap;

/// The settings of the widening.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The number of lanes; a power of two.
    pub lanes: u32,
    /// Whether some lanes may be inactive from the start.
    pub masked: bool,
    /// The layout of several rows of work-items in the lanes. If `None`, lanes run along one row.
    pub fold: Option<Fold>,
}

/// The function that returns the number of active lanes in a masked version. The caller of the
/// widened function replaces its calls.
pub const ACTIVE_LANES: &str = "__scythe_active_lanes";

/// LLVM passes that convert a function to the form that widening needs.
pub const PREPARE: &str =
    "function(lower-switch,mergereturn,scalarizer<load-store>,loop-simplify,lcssa)";

/// LLVM passes that transform cycles with several entries into cycles with one entry. LLVM's
/// `fix-irreducible` computes wrong values for φs if an entry block keeps edges from other blocks.
/// The pipeline therefore moves all values to memory first, so that there are no φs.
pub const MAKE_REDUCIBLE: &str = "reg2mem,fix-irreducible,mem2reg,loop-simplify,lcssa";

/// Whether the function has a cycle with several entries.
pub fn is_irreducible(function: Function<'_>) -> bool {
    let blocks: Vec<_> = function.blocks().collect();
    let index: HashMap<_, _> = blocks.iter().enumerate().map(|(i, &b)| (b, i)).collect();
    let targets = |b: &BasicBlock<'_>| {
        let mut targets: Vec<usize> = b.successors().iter().map(|s| index[s]).collect();
        targets.dedup();
        targets
    };
    let cfg = Cfg::new(blocks.iter().map(targets).collect());
    matches!(Loops::of(&cfg, &Dominators::of(&cfg)), Err(UnsupportedCfg::Irreducible(_)))
}

struct Queries(Options);

impl CallShapes for Queries {
    fn shape(&self, call: Instruction<'_>, _args: &[Shape]) -> Option<Shape> {
        let name = call.called_function()?.name();
        if let Some(primitive) = Primitive::parse(&name) {
            return Some(if primitive.is_uniform() { Shape::Uniform } else { Shape::Varying });
        }
        let query = queries::parse(&name)?;
        if query == Query::SubgroupLocalInvocationId {
            return Some(Shape::Linear(1));
        }
        if !query.is_position() {
            return Some(Shape::Uniform);
        }
        let dimension = call.args().first()?.const_int_value()?;
        Some(match self.0.fold {
            Some(fold) => fold.position(dimension, self.0.lanes),
            None if dimension == 0 => Shape::Linear(1),
            None => Shape::Uniform,
        })
    }
}

/// Returns the facts about which values of `function` differ between work-items in lanes along one
/// row.
pub fn analyse<'ctx>(
    module: &Module<'ctx>,
    function: Function<'ctx>,
    lanes: u32,
) -> Result<Divergence<'ctx>, WideningError> {
    check(function)?;
    Divergence::analyse(module, function, &Queries(Options { lanes, masked: false, fold: None }))
}

/// A widened kernel.
pub struct Widened<'ctx> {
    pub function: Function<'ctx>,
    /// Whether the code is correct only if work-item numbers fit in 31 bits.
    pub narrow: bool,
}

/// Adds the widened form of `function` to the module under `name`.
pub fn widen<'ctx>(
    module: &Module<'ctx>,
    function: Function<'ctx>,
    name: &str,
    options: Options,
) -> Result<Widened<'ctx>, WideningError> {
    check(function)?;
    let facts = Divergence::analyse(module, function, &Queries(options))?;
    check_loops(&facts)?;
    if cfg!(debug_assertions) {
        let claims = reference::disagreements(&facts, function);
        assert!(claims.is_empty(), "kernel '{}': {}", function.name(), claims.join("; "));
    }
    let narrow = facts.narrow.get();
    let new = module.add_function(name, function.function_type());
    new.copy_attributes_from(function);
    new.set_linkage(scythe_llvm::Linkage::LLVMInternalLinkage);
    if let Some(subprogram) = function.subprogram() {
        new.set_subprogram(subprogram);
    }
    Widener::new(module, function, new, facts, options).run();
    Ok(Widened { function: new, narrow })
}

/// Replaces `byval` parameters that the kernel writes by allocations: they are private to each
/// work-item.
pub fn copy_written_byval_parameters<'ctx>(module: &Module<'ctx>, kernel: Function<'ctx>) {
    let context = module.context();
    let Some(first) = kernel.entry_block().and_then(|b| b.first_instruction()) else { return };
    let builder = context.create_builder();
    for (n, param) in kernel.params().into_iter().enumerate() {
        let place = Place::Param(n as u32);
        let Some(ty) = kernel.enum_attribute(place, "byval").and_then(|a| a.type_value()) else {
            continue;
        };
        let align =
            kernel.enum_attribute(place, "align").and_then(|a| a.int_value()).unwrap_or(1) as u32;
        kernel.clear_param_attributes(n as u32);
        let users = param.users();
        builder.position_before(first);
        let copy = builder.alloca(ty, "private");
        copy.set_align(align.max(ty.abi_align(module).unwrap_or(1)));
        let size = context.const_int(64, ty.alloc_size(module).unwrap_or(0));
        builder.memcpy(copy.as_value(), 1, param, 1, size);
        for user in users {
            param.replace_uses_in(user, copy.as_value());
        }
    }
}

/// Redirects blocks that end in `unreachable` to the return: their behaviour is undefined anyway.
/// Does nothing if the function has no return.
fn redirect_unreachable_blocks(function: Function<'_>) {
    let blocks: Vec<_> = function.blocks().collect();
    let is = |b: &BasicBlock<'_>, opcode| b.terminator().is_some_and(|t| t.opcode() == opcode);
    let Some(&exit) = blocks.iter().find(|b| is(b, Opcode::LLVMRet)) else { return };
    let builder = function.ty().context().create_builder();
    for b in blocks.iter().filter(|b| is(b, Opcode::LLVMUnreachable)) {
        for phi in exit.instructions().take_while(|i| i.opcode() == Opcode::LLVMPHI) {
            phi.add_incoming(phi.ty().poison(), *b);
        }
        if let Some(end) = b.terminator() {
            builder.position_before(end);
            builder.br(exit);
            end.erase();
        }
    }
}

/// Rejects instructions that have no vector form.
fn check(function: Function<'_>) -> Result<(), WideningError> {
    redirect_unreachable_blocks(function);
    for i in function.instructions() {
        let vectors = i
            .operands()
            .map(|v| v.ty())
            .chain([i.ty()])
            .any(|t| t.kind() == TypeKind::LLVMVectorTypeKind);
        if vectors {
            return Err(WideningError::VectorType(i.opcode()));
        }
        match i.opcode() {
            Opcode::LLVMAlloca if !i.is_static_alloca() => {
                return Err(WideningError::VariableAllocation);
            }
            Opcode::LLVMCall if i.called_function().is_none() || i.is_inline_asm() => {
                return Err(WideningError::IndirectCall);
            }
            Opcode::LLVMVAArg | Opcode::LLVMInvoke | Opcode::LLVMLandingPad => {
                return Err(WideningError::Instruction(i.opcode()));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Rejects values that leave a loop other than through a φ behind it: lanes that leave the loop in
/// different iterations take their values along the exit edges.
fn check_loops(facts: &Divergence<'_>) -> Result<(), WideningError> {
    let stays = |made: usize, seen: usize| {
        facts.loops.around(made).all(|l| facts.loops.loops[l].contains[seen])
    };
    for (made, block) in facts.blocks.iter().enumerate() {
        if facts.loops.innermost[made].is_none() {
            continue;
        }
        for value in block.instructions().map(|i| i.as_value()) {
            for user in value.users().into_iter().filter_map(|u| u.as_instruction()) {
                let inside = if user.opcode() == Opcode::LLVMPHI {
                    user.incoming()
                        .iter()
                        .filter(|x| x.0 == value)
                        .all(|x| stays(made, facts.index[&x.1]))
                } else {
                    user.block().is_some_and(|b| stays(made, facts.index[&b]))
                };
                if !inside {
                    return Err(WideningError::LeavesLoop);
                }
            }
        }
    }
    Ok(())
}

/// The forms of a value in the widened function.
#[derive(Clone)]
struct Wide<'ctx> {
    /// The value of all lanes (uniform), or of lane 0 (linear).
    scalar: Option<Value<'ctx>>,
    vector: Option<Value<'ctx>>,
    /// The values of the first lanes of the rows.
    heads: Option<Vec<Value<'ctx>>>,
}

/// The representation of a value in the widened function.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Scalar,
    Vector,
    Heads,
}

struct Widener<'a, 'ctx> {
    module: &'a Module<'ctx>,
    context: ContextRef<'ctx>,
    builder: Builder<'ctx>,
    /// The builder that inserts slots into the first block of the new function.
    slots: Builder<'ctx>,
    facts: Divergence<'ctx>,
    plan: Plan,
    lanes: u32,
    masked_from_start: bool,
    fold: Option<Fold>,
    values: HashMap<Value<'ctx>, Wide<'ctx>>,
    starts: Vec<BasicBlock<'ctx>>,
    /// The mask of each block during its execution; `None` if all lanes are active.
    masks: Vec<Option<Value<'ctx>>>,
    mask_slots: HashMap<usize, Instruction<'ctx>>,
    /// The φs that are blended along edges, with a slot for each part of their form.
    phi_slots: HashMap<Instruction<'ctx>, Vec<Instruction<'ctx>>>,
    /// The φs that stay φs, with one φ for each part of their form. Their incoming values are added
    /// at the end.
    direct_phis: Vec<(Instruction<'ctx>, Vec<Instruction<'ctx>>)>,
    /// Maps (old source, old target) to the new block from which control enters the target.
    edge_from: HashMap<(usize, usize), BasicBlock<'ctx>>,
    /// The loops whose lanes keep their last values, by their latches.
    keeping: HashMap<usize, KeepingLoop>,
    /// For a φ of such a loop's header, the value of its next iteration.
    kept: HashMap<Instruction<'ctx>, Value<'ctx>>,
    /// The number of active lanes, in a masked version.
    active: Option<Value<'ctx>>,
    new: Function<'ctx>,
}

impl<'a, 'ctx> Widener<'a, 'ctx> {
    fn new(
        module: &'a Module<'ctx>,
        old: Function<'ctx>,
        new: Function<'ctx>,
        facts: Divergence<'ctx>,
        options: Options,
    ) -> Self {
        let context = module.context();
        let n = facts.blocks.len();
        let plan = Plan::new(&facts.cfg, &facts.loops, &facts.convergence, options.masked);
        let keeping = kept_values::loops(&facts, &plan);
        let mut this = Self {
            module,
            context,
            builder: context.create_builder(),
            slots: context.create_builder(),
            lanes: options.lanes,
            masked_from_start: options.masked,
            fold: options.fold,
            values: HashMap::new(),
            starts: Vec::new(),
            masks: vec![None; n],
            mask_slots: HashMap::new(),
            phi_slots: HashMap::new(),
            direct_phis: Vec::new(),
            edge_from: HashMap::new(),
            keeping,
            kept: HashMap::new(),
            plan,
            facts,
            active: None,
            new,
        };
        for (a, b) in old.params().into_iter().zip(new.params()) {
            this.values.insert(a, Wide { scalar: Some(b), vector: None, heads: None });
        }
        this
    }

    fn run(mut self) {
        let entry = self.context.append_block(self.new, "lanes");
        self.starts = vec![entry; self.facts.blocks.len()];
        for b in self.plan.order.clone() {
            self.starts[b] = self.context.append_block(self.new, "");
        }
        self.slots.position_at_end(entry);
        let anchor = self.slots.br(self.starts[0]);
        self.slots.position_before(anchor);
        self.make_slots();
        for b in self.plan.order.clone() {
            self.block(b);
        }
        self.finish_phis();
    }

    // --- Types and constants ---

    fn wide_type(&self, ty: Type<'ctx>) -> Type<'ctx> {
        match ty.kind() {
            TypeKind::LLVMStructTypeKind => {
                let fields: Vec<_> =
                    ty.contained().into_iter().map(|t| self.wide_type(t)).collect();
                self.context.struct_type(&fields, false)
            }
            TypeKind::LLVMArrayTypeKind => {
                self.wide_type(ty.contained()[0]).array(ty.element_count().unwrap_or(0))
            }
            TypeKind::LLVMVoidTypeKind => ty,
            _ => ty.vector(self.lanes),
        }
    }

    fn mask_type(&self) -> Type<'ctx> {
        self.context.int_type(1).vector(self.lanes)
    }

    fn all_ones(&self) -> Value<'ctx> {
        const_vector(&vec![self.context.const_int(1, 1); self.lanes as usize])
    }

    fn int(&self, value: u64) -> Value<'ctx> {
        self.context.const_int(32, value)
    }

    fn splat(&self, v: Value<'ctx>) -> Value<'ctx> {
        match v.ty().kind() {
            TypeKind::LLVMStructTypeKind | TypeKind::LLVMArrayTypeKind => {
                let wide = self.wide_type(v.ty());
                let count = if v.ty().is_struct() {
                    v.ty().contained().len() as u64
                } else {
                    v.ty().element_count().unwrap_or(0)
                };
                let mut out = wide.poison();
                for i in 0..count as u32 {
                    let part = self.splat(self.builder.extract_value(v, i, ""));
                    out = self.builder.insert_value(out, part, i, "");
                }
                out
            }
            _ if v.is_undef_or_poison() => self.wide_type(v.ty()).poison(),
            _ if v.is_constant() => const_vector(&vec![v; self.lanes as usize]),
            _ => {
                let ty = v.ty().vector(self.lanes);
                let one = self.builder.insert_element(ty.poison(), v, self.int(0), "");
                let zeros = const_vector(&vec![self.int(0); self.lanes as usize]);
                self.builder.shuffle(one, ty.poison(), zeros)
            }
        }
    }

    /// Returns `<0, stride, 2·stride, …>` of an integer type, with wrapping arithmetic.
    fn ramp(&self, ty: Type<'ctx>, stride: i64) -> Value<'ctx> {
        let lane = |i: i64| ty.const_int(i.wrapping_mul(stride) as u64);
        const_vector(&(0..self.lanes as i64).map(lane).collect::<Vec<_>>())
    }

    // --- Values ---

    fn scalar(&self, v: Value<'ctx>) -> Value<'ctx> {
        match self.values.get(&v) {
            Some(w) => w.scalar.expect("uniform and linear values have a scalar form"),
            None => v,
        }
    }

    fn vector(&self, v: Value<'ctx>) -> Value<'ctx> {
        match self.values.get(&v) {
            Some(Wide { vector: Some(x), .. }) => *x,
            Some(Wide { scalar: Some(x), .. }) => self.splat(*x),
            Some(_) => unreachable!("every value has a form"),
            None => self.splat(v),
        }
    }

    fn form(&self, v: Value<'ctx>) -> Form {
        match self.facts.shape(v) {
            Shape::Uniform | Shape::Linear(_) => Form::Scalar,
            Shape::Rows { .. } => Form::Heads,
            Shape::Varying | Shape::LinearUnlessWrapped(_) => Form::Vector,
        }
    }

    /// Returns the number of values that a form consists of, and their type.
    fn parts_of(&self, form: Form, ty: Type<'ctx>) -> (u32, Type<'ctx>) {
        match form {
            Form::Scalar => (1, ty),
            Form::Vector => (1, self.wide_type(ty)),
            Form::Heads => (self.heads_count(), ty),
        }
    }

    /// Returns part `n` of a value in this form.
    fn part(&self, v: Value<'ctx>, form: Form, n: u32) -> Value<'ctx> {
        match form {
            Form::Scalar => self.scalar(v),
            Form::Vector => self.vector(v),
            Form::Heads => self.head(v, n),
        }
    }

    fn set_parts(&mut self, old: Instruction<'ctx>, parts: Vec<Value<'ctx>>) {
        match self.form(old.as_value()) {
            Form::Scalar => self.set_scalar(old, parts[0]),
            Form::Vector => self.set_vector(old, parts[0]),
            Form::Heads => self.set_heads(old, parts),
        }
    }

    fn set_vector(&mut self, old: Instruction<'ctx>, vector: Value<'ctx>) {
        self.values
            .insert(old.as_value(), Wide { scalar: None, vector: Some(vector), heads: None });
    }

    /// Records the scalar form, and the vector form of linear values.
    fn set_scalar(&mut self, old: Instruction<'ctx>, scalar: Value<'ctx>) {
        let vector = match self.facts.shape(old.as_value()) {
            Shape::Linear(stride) => {
                let wide = self.splat(scalar);
                Some(if scalar.ty().is_pointer() {
                    let bytes = self.ramp(self.context.int_type(64), stride);
                    self.builder.gep(self.context.int_type(8), wide, &[bytes], "")
                } else {
                    self.builder.add(wide, self.ramp(scalar.ty(), stride), "")
                })
            }
            _ => None,
        };
        self.values.insert(old.as_value(), Wide { scalar: Some(scalar), vector, heads: None });
    }

    // --- Masks ---

    fn make_slots(&mut self) {
        let zero = self.mask_type().const_null();
        for b in 0..self.facts.blocks.len() {
            if self.plan.masked[b] {
                let slot = self.slots.alloca(self.mask_type(), "mask");
                self.slots.store(zero, slot.as_value());
                self.mask_slots.insert(b, slot);
            }
            if self.has_direct_phis(b) {
                continue;
            }
            let phis: Vec<_> = self.facts.blocks[b]
                .instructions()
                .take_while(|i| i.opcode() == Opcode::LLVMPHI)
                .collect();
            for phi in phis {
                let (count, ty) = self.parts_of(self.form(phi.as_value()), phi.ty());
                let slots = (0..count).map(|_| self.slots.alloca(ty, "phi")).collect();
                self.phi_slots.insert(phi, slots);
            }
        }
        if self.masked_from_start {
            let ty = self.context.int_type(32);
            let query = self.module.get_or_add_function(ACTIVE_LANES, ty.function(&[], false));
            let count = self.slots.call(query, &[], "").as_value();
            self.active = Some(count);
            // Built by `slots`, because the splat must come before the entry block.
            let one =
                self.slots.insert_element(ty.vector(self.lanes).poison(), count, self.int(0), "");
            let zeros = const_vector(&vec![self.int(0); self.lanes as usize]);
            let wide = self.slots.shuffle(one, one, zeros);
            let mut mask =
                self.slots.icmp(IntPredicate::LLVMIntULT, self.ramp(ty, 1), wide, "active");
            if let Some(fold) = self.fold.filter(|f| f.is_padded()) {
                let i1 = self.context.int_type(1);
                let on = |lane: u32| i1.const_int(u64::from(lane % fold.row < fold.used));
                let used = const_vector(&(0..self.lanes).map(on).collect::<Vec<_>>());
                mask = self.slots.and(mask, used, "used");
            }
            self.slots.store(mask, self.mask_slots[&0].as_value());
        }
    }

    /// Whether all edges into the block are unchanged, so that its φs can stay φs.
    fn has_direct_phis(&self, b: usize) -> bool {
        if self.plan.guards.contains_key(&b) {
            return self.facts.cfg.preds[b].iter().all(|&p| self.keeps_edge(p, b));
        }
        if self.plan.guards.values().any(|&t| t == b) {
            return false;
        }
        let sources: Vec<usize> =
            (0..self.plan.exits.len()).filter(|&p| self.branches_to(p, b)).collect();
        sources.len() == self.facts.cfg.preds[b].len()
            && sources.iter().all(|&p| self.keeps_edge(p, b))
    }

    fn branches_to(&self, p: usize, b: usize) -> bool {
        match &self.plan.exits[p] {
            Exit::Return => false,
            Exit::Jump(t) => *t == b,
            Exit::Branch(ts) => ts.contains(&b),
            Exit::Loop { header, after } => *header == b || *after == b,
        }
    }

    fn keeps_edge(&self, p: usize, b: usize) -> bool {
        match &self.plan.exits[p] {
            Exit::Return => false,
            Exit::Jump(t) => *t == b && self.facts.cfg.succs[p] == [b],
            Exit::Branch(ts) => {
                let old = &self.facts.cfg.succs[p];
                ts.iter().zip(old).all(|(t, s)| (*t == b) == (*s == b)) && old.contains(&b)
            }
            Exit::Loop { header, after } => *header == b && *after != b,
        }
    }

    fn any(&self, mask: Value<'ctx>) -> Value<'ctx> {
        let bits = self.context.int_type(self.lanes);
        let word = self.builder.cast(Opcode::LLVMBitCast, mask, bits, "");
        self.builder.icmp(IntPredicate::LLVMIntNE, word, bits.const_int(0), "any")
    }

    // --- Blocks ---

    fn block(&mut self, b: usize) {
        self.builder.position_at_end(self.starts[b]);
        self.builder.set_debug_loc(None);
        let direct = self.has_direct_phis(b);
        let instructions: Vec<_> = self.facts.blocks[b].instructions().collect();
        let (phis, rest): (Vec<_>, Vec<_>) =
            instructions.into_iter().partition(|i| i.opcode() == Opcode::LLVMPHI);
        if direct {
            for &phi in &phis {
                let (count, ty) = self.parts_of(self.form(phi.as_value()), phi.ty());
                let new = (0..count).map(|_| self.builder.phi(ty, "")).collect();
                self.direct_phis.push((phi, new));
            }
            let start = self.direct_phis.len() - phis.len();
            for k in start..self.direct_phis.len() {
                let (old, parts) = &self.direct_phis[k];
                let (old, parts) = (*old, parts.iter().map(|p| p.as_value()).collect());
                self.set_parts(old, parts);
            }
        } else {
            for &phi in &phis {
                let (_, ty) = self.parts_of(self.form(phi.as_value()), phi.ty());
                let slots = &self.phi_slots[&phi];
                let parts = slots
                    .iter()
                    .map(|s| self.builder.load(ty, s.as_value(), "").as_value())
                    .collect();
                self.set_parts(phi, parts);
            }
        }
        self.masks[b] = self.mask_slots.get(&b).map(|slot| {
            let mask = self.builder.load(self.mask_type(), slot.as_value(), "mask").as_value();
            self.builder.store(self.mask_type().const_null(), slot.as_value());
            mask
        });
        for i in rest {
            self.builder.set_debug_loc(i.debug_loc_metadata());
            if i.is_terminator() {
                self.leave(b, i);
            } else {
                self.instruction(b, i);
            }
        }
    }

    /// Updates masks and φ values along one edge.
    fn pass_edge(&mut self, from: usize, to: usize, mask: Option<Value<'ctx>>) {
        let exit_of = self.keeping.get(&from).filter(|l| l.exit == to).copied();
        if exit_of.is_none() {
            self.add_lanes(to, mask);
        }
        if let Some(entered) = self.keeping.values().find(|l| l.header == to).copied()
            && entered.latch != from
        {
            self.add_lanes(entered.exit, mask);
        }
        let phis: Vec<_> = self.facts.blocks[to]
            .instructions()
            .take_while(|i| i.opcode() == Opcode::LLVMPHI)
            .collect();
        let source = self.facts.blocks[from];
        // Load all old values before any store: the φs of one block change at the same time.
        let mut stores = Vec::new();
        for phi in phis {
            let Some(slots) = self.phi_slots.get(&phi) else { continue };
            let Some((value, _)) = phi.incoming().into_iter().find(|x| x.1 == source) else {
                continue;
            };
            let form = self.form(phi.as_value());
            let (_, ty) = self.parts_of(form, phi.ty());
            if let Some(kept) = exit_of.and_then(|l| self.kept_value(l, value)) {
                stores.push((kept, slots[0]));
                continue;
            }
            for (n, &slot) in slots.iter().enumerate() {
                let new = self.part(value, form, n as u32);
                let new = match mask {
                    None => new,
                    Some(m) => {
                        let old = self.builder.load(ty, slot.as_value(), "").as_value();
                        let whole = form != Form::Vector;
                        if whole {
                            self.builder.select(self.any(m), new, old, "")
                        } else {
                            self.blend(m, new, old)
                        }
                    }
                };
                stores.push((new, slot));
            }
        }
        for (value, slot) in stores {
            self.builder.store(value, slot.as_value());
        }
    }

    /// Adds lanes to those that will run a block.
    fn add_lanes(&self, to: usize, mask: Option<Value<'ctx>>) {
        let Some(slot) = self.mask_slots.get(&to) else { return };
        let old = self.builder.load(self.mask_type(), slot.as_value(), "").as_value();
        let lanes = mask.unwrap_or_else(|| self.all_ones());
        let new = self.builder.or(old, lanes, "");
        self.builder.store(new, slot.as_value());
    }

    /// Selects `new` in the lanes of the mask and `old` elsewhere, also in aggregates.
    fn blend(&self, mask: Value<'ctx>, new: Value<'ctx>, old: Value<'ctx>) -> Value<'ctx> {
        let ty = new.ty();
        let count = match ty.kind() {
            TypeKind::LLVMStructTypeKind => ty.contained().len() as u32,
            TypeKind::LLVMArrayTypeKind => ty.element_count().unwrap_or(0) as u32,
            _ => return self.builder.select(mask, new, old, ""),
        };
        let mut out = ty.poison();
        for i in 0..count {
            let a = self.builder.extract_value(new, i, "");
            let b = self.builder.extract_value(old, i, "");
            out = self.builder.insert_value(out, self.blend(mask, a, b), i, "");
        }
        out
    }

    fn leave(&mut self, b: usize, end: Instruction<'ctx>) {
        let succs = self.facts.cfg.succs[b].clone();
        let mask = self.masks[b];
        if let Exit::Branch(targets) = self.plan.exits[b].clone() {
            let condition =
                self.builder.freeze(self.scalar(end.operand(0).expect("a conditional branch")));
            let edges: Vec<_> =
                succs.iter().map(|_| self.context.append_block(self.new, "")).collect();
            // LLVM lists the targets of a branch as (true, false), and so does the graph.
            self.builder.cond_br(condition, edges[0], edges[1]);
            for ((&s, &target), &edge) in succs.iter().zip(&targets).zip(&edges) {
                self.builder.position_at_end(edge);
                self.pass_edge(b, s, mask);
                self.enter(b, s, target, mask);
            }
            return;
        }
        if succs.len() == 2 {
            let condition = end.operand(0).expect("a conditional branch");
            let yes = self.vector(condition);
            let not = self.builder.xor(yes, self.all_ones(), "");
            let both = |this: &Self, m: Value<'ctx>| match mask {
                // An inactive lane must stay inactive even if its condition is poison.
                Some(mask) => this.builder.select(mask, m, this.mask_type().const_null(), ""),
                None => m,
            };
            let (yes, not) = (both(self, yes), both(self, not));
            self.keep_values(b, mask);
            self.pass_edge(b, succs[0], Some(yes));
            self.pass_edge(b, succs[1], Some(not));
        } else if let [s] = succs[..] {
            self.pass_edge(b, s, mask);
        }
        match self.plan.exits[b].clone() {
            Exit::Return => {
                self.builder.ret_void();
            }
            Exit::Jump(target) => {
                let to = succs.first().copied().filter(|_| succs.len() == 1).unwrap_or(target);
                self.enter(b, to, target, mask);
            }
            Exit::Loop { header, after } => {
                let slot = self.mask_slots[&header].as_value();
                let lanes = self.builder.load(self.mask_type(), slot, "").as_value();
                let on = self.any(lanes);
                let here = self.builder.block().expect("the builder has an insertion block");
                self.edge_from.insert((b, header), here);
                self.builder.cond_br(on, self.starts[header], self.starts[after]);
            }
            Exit::Branch(_) => unreachable!("handled above"),
        }
    }

    /// Ends the current block with a jump to `target`. If the target is the header of a guarded
    /// loop, enters the loop only if some lane does.
    fn enter(&mut self, from: usize, to: usize, target: usize, mask: Option<Value<'ctx>>) {
        let here = self.builder.block().expect("the builder has an insertion block");
        self.edge_from.insert((from, to), here);
        let outside =
            self.facts.loops.loops.iter().all(|l| !(l.header == target && l.latch == from));
        match (self.plan.guards.get(&target).copied(), mask) {
            (Some(after), Some(_)) if outside && !self.plan.never_empty[from] => {
                let slot = self.mask_slots[&target].as_value();
                let lanes = self.builder.load(self.mask_type(), slot, "").as_value();
                self.builder.cond_br(self.any(lanes), self.starts[target], self.starts[after]);
            }
            _ => {
                self.builder.br(self.starts[target]);
            }
        }
    }

    fn finish_phis(&mut self) {
        for (old, parts) in std::mem::take(&mut self.direct_phis) {
            let form = self.form(old.as_value());
            let to = self.facts.index[&old.block().expect("a phi node has a block")];
            for (value, source) in old.incoming() {
                let from = self.facts.index[&source];
                let block = self.edge_from[&(from, to)];
                // The value may have to be converted to the form of the φ at the end of that block.
                let end = block.terminator().expect("a finished block has a terminator");
                self.builder.position_before(end);
                let kept = self.kept.get(&old).copied();
                if let Some(kept) = kept.filter(|_| self.keeping.contains_key(&from)) {
                    parts[0].add_incoming(kept, block);
                    continue;
                }
                for (n, phi) in parts.iter().enumerate() {
                    phi.add_incoming(self.part(value, form, n as u32), block);
                }
            }
        }
    }
}
