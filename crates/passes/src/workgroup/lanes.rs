//! Widens a kernel so that one call of it runs `W` work-items side by side, one per vector lane.
//!
//! # What goes in
//!
//! A kernel body that [`prepare`] has brought into shape: everything that asks for work-item numbers inlined, one return,
//! no switches, loops in simplified and LCSSA form, no vector types. Lanes run along the fastest dimension: in lane `i` the
//! local and global number in that dimension is that of lane 0 plus `i`.
//!
//! # What comes out
//!
//! A function with the same parameters in which the work-item queries that remain mean lane 0. With [`Options::masked`]
//! it starts with a call to `__scythe_active_lanes`, which its caller resolves to the number of lanes that take part.
//!
//! # How
//!
//! [`super::divergence`] tells which values differ between lanes. Uniform values stay scalar. Linear values (lane 0 plus
//! a constant per lane) stay scalar too, with a vector form for whoever needs it. All else becomes a vector. Control flow is
//! partially linearised ([`super::cfg::linearize`]): uniform branches stay branches; the two sides of a divergent branch
//! run one after the other, each under its mask; a divergent loop runs until no lane is left in it.
//!
//! Masks and the φs of blocks whose incoming edges changed live in stack slots while the function is rebuilt; SROA turns them
//! into registers afterwards. The rules, which the test of `linearize` plays through on random graphs:
//!
//! * entering a masked block takes its mask slot and clears it; leaving along an edge adds lanes to the target's slot;
//! * the value of a φ is stored along the edge it comes by, for the lanes that take this edge;
//! * in a masked block, effects are confined to active lanes, and nothing that could trap runs for inactive ones.
//!
//! A block whose mask may be empty still runs; only a loop with a uniform exit is guarded so that it is not entered with an
//! empty mask, since its condition would then mean nothing.

use super::cfg::{Exit, compact_order, linearize};
use super::divergence::{CallShapes, Divergence, Shape, Unsuitable};
use super::queries::{self, Query};
use super::subgroup::{self, Kind, Primitive};
use scythe_llvm::{
    BasicBlock, Builder, ContextRef, Function, Instruction, IntPredicate, Module, Opcode, Place, Type, TypeKind, Value,
    const_vector,
};
use std::collections::HashMap;

/// How to widen.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// A power of two.
    pub lanes: u32,
    /// Some lanes may be switched off from the start.
    pub masked: bool,
}

/// The number of active lanes, for a masked version: resolved by the caller of the widened function.
pub const ACTIVE_LANES: &str = "__scythe_active_lanes";

/// LLVM passes that bring a function into the shape that widening needs.
pub const PREPARE: &str =
    "function(lower-switch,mergereturn,fix-irreducible,scalarizer<load-store>,loop-simplify,lcssa)";

struct Queries;

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
        match call.args().first()?.const_int_value()? {
            0 => Some(Shape::Linear(1)),
            _ => Some(Shape::Uniform),
        }
    }
}

/// A widened kernel.
pub struct Widened<'ctx> {
    pub function: Function<'ctx>,
    /// Right only where work-item numbers fit 31 bits.
    pub narrow: bool,
}

/// Adds the widened form of `function` to the module under `name`.
pub fn widen<'ctx>(
    module: &Module<'ctx>,
    function: Function<'ctx>,
    name: &str,
    options: Options,
) -> Result<Widened<'ctx>, Unsuitable> {
    check(function)?;
    let facts = Divergence::analyse(module, function, &Queries)?;
    let narrow = facts.narrow.get();
    let new = module.add_function(name, function.function_type());
    new.copy_attributes_from(function);
    new.set_linkage(scythe_llvm::Linkage::LLVMInternalLinkage);
    Widener::new(module, function, new, facts, options).run();
    Ok(Widened { function: new, narrow })
}

/// Parameters passed by value that the kernel writes are private to each work-item: they become allocations of its own.
pub fn keep_private<'ctx>(module: &Module<'ctx>, kernel: Function<'ctx>) {
    let context = module.context();
    let Some(first) = kernel.entry_block().and_then(|b| b.first_instruction()) else { return };
    let builder = context.create_builder();
    for (n, param) in kernel.params().into_iter().enumerate() {
        let place = Place::Param(n as u32);
        let Some(ty) = kernel.enum_attribute(place, "byval").and_then(|a| a.type_value()) else { continue };
        let align = kernel.enum_attribute(place, "align").and_then(|a| a.int_value()).unwrap_or(1) as u32;
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

/// Paths that never end well join the return: nothing they would do is defined. Without a return, nothing changes.
fn end_everywhere(function: Function<'_>) {
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

/// Refuses what has no vector form here.
fn check(function: Function<'_>) -> Result<(), Unsuitable> {
    end_everywhere(function);
    for i in function.instructions() {
        let vectors = i.operands().map(|v| v.ty()).chain([i.ty()]).any(|t| t.kind() == TypeKind::LLVMVectorTypeKind);
        if vectors {
            return Err(Unsuitable(format!("a vector type in {:?}", i.opcode())));
        }
        match i.opcode() {
            Opcode::LLVMAlloca if !i.is_static_alloca() => {
                return Err(Unsuitable("an allocation of variable size".into()));
            }
            Opcode::LLVMCall if i.called_function().is_none() || i.is_inline_asm() => {
                return Err(Unsuitable("an indirect call or assembly".into()));
            }
            Opcode::LLVMVAArg | Opcode::LLVMInvoke | Opcode::LLVMLandingPad => {
                return Err(Unsuitable(format!("{:?}", i.opcode())));
            }
            _ => {}
        }
    }
    Ok(())
}

/// The forms of a value in the widened function.
#[derive(Clone, Copy)]
struct Wide<'ctx> {
    /// The value of all lanes (uniform), or of lane 0 (linear).
    scalar: Option<Value<'ctx>>,
    vector: Option<Value<'ctx>>,
}

struct Widener<'a, 'ctx> {
    module: &'a Module<'ctx>,
    context: ContextRef<'ctx>,
    builder: Builder<'ctx>,
    /// Inserts into the new function's first block, where slots live.
    slots: Builder<'ctx>,
    facts: Divergence<'ctx>,
    order: Vec<usize>,
    exits: Vec<Exit>,
    lanes: u32,
    masked_from_start: bool,
    values: HashMap<Value<'ctx>, Wide<'ctx>>,
    starts: Vec<BasicBlock<'ctx>>,
    /// The mask of each block being executed; `None`: all lanes.
    masks: Vec<Option<Value<'ctx>>>,
    mask_slots: HashMap<usize, Instruction<'ctx>>,
    /// φs that are blended along edges, with their slots.
    phi_slots: HashMap<Instruction<'ctx>, Instruction<'ctx>>,
    /// φs kept as φs, whose incoming values are added at the end: (old, scalar, vector).
    direct_phis: Vec<(Instruction<'ctx>, Option<Instruction<'ctx>>, Option<Instruction<'ctx>>)>,
    /// (old source, old target) → the new block from which control enters the target.
    edge_from: HashMap<(usize, usize), BasicBlock<'ctx>>,
    /// A mask that is never empty when the block runs.
    never_empty: Vec<bool>,
    /// Loops entered only when some lane does: header → where to go otherwise.
    guards: HashMap<usize, usize>,
    /// How many lanes take part, in a masked version.
    active: Option<Value<'ctx>>,
    new: Function<'ctx>,
}

impl<'a, 'ctx> Widener<'a, 'ctx> {
    fn new(
        module: &'a Module<'ctx>,
        old: Function<'ctx>,
        new: Function<'ctx>,
        mut facts: Divergence<'ctx>,
        options: Options,
    ) -> Self {
        let context = module.context();
        let n = facts.blocks.len();
        // Relative to the lanes that start, these always have company.
        let mut never_empty: Vec<bool> = facts.masked.iter().map(|m| !m).collect();
        if options.masked {
            facts.masked = vec![true; n];
        }
        // A loop with uniform exits inside a masked region: guard its entry where one block follows it; else run it like a
        // divergent one.
        let mut linear_loops = facts.divergent_loop.clone();
        let mut guarded = Vec::new();
        for (l, lp) in facts.loops.loops.iter().enumerate() {
            if linear_loops[l] || !facts.masked[lp.header] || never_empty[lp.header] {
                continue;
            }
            let mut targets: Vec<usize> = lp.exits.iter().map(|e| e.1).collect();
            targets.dedup();
            let entered_by_one = facts.cfg.preds[lp.header].iter().filter(|&&p| p != lp.latch).count() == 1;
            if targets.len() == 1 && entered_by_one {
                guarded.push((l, targets[0]));
            } else {
                linear_loops[l] = true;
            }
        }
        let order = compact_order(&facts.cfg, &facts.dom, &facts.loops);
        let exits = linearize(&facts.cfg, &facts.loops, &order, &facts.divergent_branch, &linear_loops);
        let mut guards = HashMap::new();
        for (l, target) in guarded {
            let lp = &facts.loops.loops[l];
            // Where the loop's own exit leads after linearisation.
            let after = lp.exits.iter().find_map(|&(from, to)| match &exits[from] {
                Exit::Branch(targets) => facts.cfg.succs[from].iter().position(|&s| s == to).map(|i| targets[i]),
                Exit::Jump(t) => Some(*t),
                Exit::Loop { after, .. } => Some(*after),
                Exit::Return => None,
            });
            guards.insert(lp.header, after.unwrap_or(target));
            // Inside, blocks that no divergent branch of the loop switches off run with the mask the loop was entered with.
            for b in (0..n).filter(|&b| lp.contains[b]) {
                never_empty[b] |= !facts.masked_within(b, l);
            }
        }
        let mut this = Self {
            module,
            context,
            builder: context.create_builder(),
            slots: context.create_builder(),
            lanes: options.lanes,
            masked_from_start: options.masked,
            values: HashMap::new(),
            starts: Vec::new(),
            masks: vec![None; n],
            mask_slots: HashMap::new(),
            phi_slots: HashMap::new(),
            direct_phis: Vec::new(),
            edge_from: HashMap::new(),
            never_empty,
            guards,
            order,
            exits,
            facts,
            active: None,
            new,
        };
        for (a, b) in old.params().into_iter().zip(new.params()) {
            this.values.insert(a, Wide { scalar: Some(b), vector: None });
        }
        this
    }

    fn run(mut self) {
        let entry = self.context.append_block(self.new, "lanes");
        self.starts = vec![entry; self.facts.blocks.len()];
        for b in self.order.clone() {
            self.starts[b] = self.context.append_block(self.new, "");
        }
        self.slots.position_at_end(entry);
        let anchor = self.slots.br(self.starts[0]);
        self.slots.position_before(anchor);
        self.make_slots();
        for b in self.order.clone() {
            self.block(b);
        }
        self.finish_phis();
    }

    // --- Types and constants ---

    fn wide_type(&self, ty: Type<'ctx>) -> Type<'ctx> {
        match ty.kind() {
            TypeKind::LLVMStructTypeKind => {
                let fields: Vec<_> = ty.contained().into_iter().map(|t| self.wide_type(t)).collect();
                self.context.struct_type(&fields, false)
            }
            TypeKind::LLVMArrayTypeKind => self.wide_type(ty.contained()[0]).array(ty.element_count().unwrap_or(0)),
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

    /// `<0, stride, 2·stride, …>` of an integer type.
    fn ramp(&self, ty: Type<'ctx>, stride: i64) -> Value<'ctx> {
        const_vector(&(0..self.lanes as i64).map(|i| ty.const_int((i * stride) as u64)).collect::<Vec<_>>())
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

    /// Has a vector form only.
    fn in_vector(&self, v: Value<'ctx>) -> bool {
        matches!(self.facts.shape(v), Shape::Varying | Shape::Hopefully(_))
    }

    fn set_vector(&mut self, old: Instruction<'ctx>, vector: Value<'ctx>) {
        self.values.insert(old.as_value(), Wide { scalar: None, vector: Some(vector) });
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
        self.values.insert(old.as_value(), Wide { scalar: Some(scalar), vector });
    }

    // --- Masks ---

    fn make_slots(&mut self) {
        let zero = self.mask_type().const_null();
        for b in 0..self.facts.blocks.len() {
            if self.facts.masked[b] {
                let slot = self.slots.alloca(self.mask_type(), "mask");
                self.slots.store(zero, slot.as_value());
                self.mask_slots.insert(b, slot);
            }
            if self.has_direct_phis(b) {
                continue;
            }
            let phis: Vec<_> =
                self.facts.blocks[b].instructions().take_while(|i| i.opcode() == Opcode::LLVMPHI).collect();
            for phi in phis {
                let ty = if self.in_vector(phi.as_value()) { self.wide_type(phi.ty()) } else { phi.ty() };
                let slot = self.slots.alloca(ty, "phi");
                self.phi_slots.insert(phi, slot);
            }
        }
        if self.masked_from_start {
            let ty = self.context.int_type(32);
            let query = self.module.get_or_add_function(ACTIVE_LANES, ty.function(&[], false));
            let count = self.slots.call(query, &[], "").as_value();
            self.active = Some(count);
            // Built by `slots`, as the splat must stand before the entry block.
            let one = self.slots.insert_element(ty.vector(self.lanes).poison(), count, self.int(0), "");
            let zeros = const_vector(&vec![self.int(0); self.lanes as usize]);
            let wide = self.slots.shuffle(one, one, zeros);
            let mask = self.slots.icmp(IntPredicate::LLVMIntULT, self.ramp(ty, 1), wide, "active");
            self.slots.store(mask, self.mask_slots[&0].as_value());
        }
    }

    /// Every edge into the block is as it was, so that its φs may stay φs.
    fn has_direct_phis(&self, b: usize) -> bool {
        if self.guards.contains_key(&b) {
            return self.facts.cfg.preds[b].iter().all(|&p| self.keeps_edge(p, b));
        }
        if self.guards.values().any(|&t| t == b) {
            return false;
        }
        let sources: Vec<usize> = (0..self.exits.len()).filter(|&p| self.goes_to(p, b)).collect();
        sources.len() == self.facts.cfg.preds[b].len() && sources.iter().all(|&p| self.keeps_edge(p, b))
    }

    fn goes_to(&self, p: usize, b: usize) -> bool {
        match &self.exits[p] {
            Exit::Return => false,
            Exit::Jump(t) => *t == b,
            Exit::Branch(ts) => ts.contains(&b),
            Exit::Loop { header, after } => *header == b || *after == b,
        }
    }

    fn keeps_edge(&self, p: usize, b: usize) -> bool {
        match &self.exits[p] {
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
        let direct = self.has_direct_phis(b);
        let instructions: Vec<_> = self.facts.blocks[b].instructions().collect();
        let (phis, rest): (Vec<_>, Vec<_>) = instructions.into_iter().partition(|i| i.opcode() == Opcode::LLVMPHI);
        if direct {
            for &phi in &phis {
                let varying = self.in_vector(phi.as_value());
                let ty = if varying { self.wide_type(phi.ty()) } else { phi.ty() };
                let new = self.builder.phi(ty, "");
                self.direct_phis.push((phi, (!varying).then_some(new), varying.then_some(new)));
            }
            let start = self.direct_phis.len() - phis.len();
            for k in start..self.direct_phis.len() {
                match self.direct_phis[k] {
                    (old, Some(scalar), _) => self.set_scalar(old, scalar.as_value()),
                    (old, None, Some(vector)) => self.set_vector(old, vector.as_value()),
                    _ => {}
                }
            }
        } else {
            for &phi in &phis {
                let slot = self.phi_slots[&phi].as_value();
                if self.in_vector(phi.as_value()) {
                    let v = self.builder.load(self.wide_type(phi.ty()), slot, "");
                    self.set_vector(phi, v.as_value());
                } else {
                    let v = self.builder.load(phi.ty(), slot, "");
                    self.set_scalar(phi, v.as_value());
                }
            }
        }
        self.masks[b] = self.mask_slots.get(&b).map(|slot| {
            let mask = self.builder.load(self.mask_type(), slot.as_value(), "mask").as_value();
            self.builder.store(self.mask_type().const_null(), slot.as_value());
            mask
        });
        for i in rest {
            if i.is_terminator() {
                self.leave(b, i);
            } else {
                self.instruction(b, i);
            }
        }
    }

    /// Masks and φ values along one edge.
    fn pass_edge(&mut self, from: usize, to: usize, mask: Option<Value<'ctx>>) {
        if let Some(slot) = self.mask_slots.get(&to) {
            let old = self.builder.load(self.mask_type(), slot.as_value(), "").as_value();
            let lanes = mask.unwrap_or_else(|| self.all_ones());
            let new = self.builder.or(old, lanes, "");
            self.builder.store(new, slot.as_value());
        }
        let phis: Vec<_> = self.facts.blocks[to].instructions().take_while(|i| i.opcode() == Opcode::LLVMPHI).collect();
        let source = self.facts.blocks[from];
        // All loads of old values before any store: φs of one block change together.
        let mut stores = Vec::new();
        for phi in phis {
            let Some(slot) = self.phi_slots.get(&phi).copied() else { continue };
            let Some((value, _)) = phi.incoming().into_iter().find(|x| x.1 == source) else { continue };
            let varying = self.in_vector(phi.as_value());
            let new = if varying { self.vector(value) } else { self.scalar(value) };
            let new = match mask {
                None => new,
                Some(m) => {
                    let ty = if varying { self.wide_type(phi.ty()) } else { phi.ty() };
                    let old = self.builder.load(ty, slot.as_value(), "").as_value();
                    if varying { self.blend(m, new, old) } else { self.builder.select(self.any(m), new, old, "") }
                }
            };
            stores.push((new, slot));
        }
        for (value, slot) in stores {
            self.builder.store(value, slot.as_value());
        }
    }

    /// `new` in the lanes of the mask, `old` elsewhere; through aggregates.
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
        if let Exit::Branch(targets) = self.exits[b].clone() {
            let condition = self.builder.freeze(self.scalar(end.operand(0).expect("a conditional branch")));
            let edges: Vec<_> = succs.iter().map(|_| self.context.append_block(self.new, "")).collect();
            // LLVM lists a branch's targets as (true, false), and so does the graph.
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
                // A lane that is off must stay off even where its condition is poison.
                Some(mask) => this.builder.select(mask, m, this.mask_type().const_null(), ""),
                None => m,
            };
            let (yes, not) = (both(self, yes), both(self, not));
            self.pass_edge(b, succs[0], Some(yes));
            self.pass_edge(b, succs[1], Some(not));
        } else if let [s] = succs[..] {
            self.pass_edge(b, s, mask);
        }
        match self.exits[b].clone() {
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
                let here = self.builder.block().expect("the builder stands in a block");
                self.edge_from.insert((b, header), here);
                self.builder.cond_br(on, self.starts[header], self.starts[after]);
            }
            Exit::Branch(_) => unreachable!("handled above"),
        }
    }

    /// Ends the current block with a jump to `target`, through the guard of a loop that must not be entered by no lane.
    fn enter(&mut self, from: usize, to: usize, target: usize, mask: Option<Value<'ctx>>) {
        let here = self.builder.block().expect("the builder stands in a block");
        self.edge_from.insert((from, to), here);
        let outside = self.facts.loops.loops.iter().all(|l| !(l.header == target && l.latch == from));
        match (self.guards.get(&target).copied(), mask) {
            (Some(after), Some(_)) if outside && !self.never_empty[from] => {
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
        for (old, scalar, vector) in std::mem::take(&mut self.direct_phis) {
            let to = self.facts.index[&old.block().expect("a φ has a block")];
            for (value, source) in old.incoming() {
                let from = self.facts.index[&source];
                let block = self.edge_from[&(from, to)];
                // The value's vector form may have to be made at the end of that block.
                let end = block.terminator().expect("finished blocks have an end");
                self.builder.position_before(end);
                if let Some(phi) = scalar {
                    phi.add_incoming(self.scalar(value), block);
                }
                if let Some(phi) = vector {
                    phi.add_incoming(self.vector(value), block);
                }
            }
        }
    }

    // --- Instructions ---

    fn instruction(&mut self, b: usize, i: Instruction<'ctx>) {
        let varying = self.in_vector(i.as_value());
        match i.opcode() {
            Opcode::LLVMAlloca => self.alloca(i),
            Opcode::LLVMLoad => self.load(b, i),
            Opcode::LLVMStore => self.store(b, i),
            Opcode::LLVMCall => self.call(b, i),
            Opcode::LLVMFence => {
                self.builder.clone_instruction(i);
            }
            Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => self.replicate(b, i),
            Opcode::LLVMSDiv | Opcode::LLVMUDiv | Opcode::LLVMSRem | Opcode::LLVMURem => self.divide(b, i, varying),
            _ if !varying => {
                let copy = self.clone_scalar(i);
                self.set_scalar(i, copy);
            }
            _ => self.widen_plain(i),
        }
    }

    /// A copy on scalar operands.
    fn clone_scalar(&mut self, i: Instruction<'ctx>) -> Value<'ctx> {
        let copy = self.builder.clone_instruction(i);
        for (n, v) in i.operands().enumerate() {
            if self.values.contains_key(&v) {
                copy.set_operand(n as u32, self.scalar(v));
            }
        }
        copy.set_debug_loc(None);
        copy.as_value()
    }

    fn widen_plain(&mut self, i: Instruction<'ctx>) {
        let op = |this: &Self, n: u32| this.vector(i.operand(n).expect("in range"));
        let new = match i.opcode() {
            Opcode::LLVMFNeg => self.builder.fneg(op(self, 0)),
            Opcode::LLVMFreeze => self.builder.freeze(op(self, 0)),
            Opcode::LLVMICmp => {
                let p = i.int_predicate().expect("a comparison has a predicate");
                self.builder.icmp(p, op(self, 0), op(self, 1), "")
            }
            Opcode::LLVMFCmp => {
                let p = i.real_predicate().expect("a comparison has a predicate");
                self.builder.fcmp(p, op(self, 0), op(self, 1), "")
            }
            Opcode::LLVMSelect => {
                let condition = i.operand(0).expect("in range");
                if self.facts.shape(condition) == Shape::Uniform {
                    self.builder.select(self.scalar(condition), op(self, 1), op(self, 2), "")
                } else {
                    self.blend(op(self, 0), op(self, 1), op(self, 2))
                }
            }
            Opcode::LLVMGetElementPtr => self.widen_gep(i),
            Opcode::LLVMExtractValue => {
                let mut v = op(self, 0);
                for n in i.aggregate_indices() {
                    v = self.builder.extract_value(v, n, "");
                }
                v
            }
            Opcode::LLVMInsertValue => self.insert_value(op(self, 0), op(self, 1), &i.aggregate_indices()),
            opcode if is_cast(opcode) => self.builder.cast(opcode, op(self, 0), self.wide_type(i.ty()), ""),
            opcode => self.builder.binary(opcode, op(self, 0), op(self, 1), ""),
        };
        new.copy_ir_flags(i.as_value());
        self.set_vector(i, new);
    }

    fn insert_value(&self, into: Value<'ctx>, value: Value<'ctx>, path: &[u32]) -> Value<'ctx> {
        match path {
            [] => value,
            [n, rest @ ..] => {
                let part = self.builder.extract_value(into, *n, "");
                let part = self.insert_value(part, value, rest);
                self.builder.insert_value(into, part, *n, "")
            }
        }
    }

    fn widen_gep(&mut self, i: Instruction<'ctx>) -> Value<'ctx> {
        let ty = i.gep_source_type().expect("an address computation has a type");
        let base = i.operand(0).expect("in range");
        // Scalars may stay scalar here: LLVM broadcasts them. One operand at least is a vector.
        let form = |this: &Self, v: Value<'ctx>| {
            if this.facts.shape(v) == Shape::Uniform { this.scalar(v) } else { this.vector(v) }
        };
        let indices: Vec<_> = i.operands().skip(1).map(|v| form(self, v)).collect();
        self.builder.gep(ty, form(self, base), &indices, "")
    }

    /// Inactive lanes divide by one.
    fn divide(&mut self, b: usize, i: Instruction<'ctx>, varying: bool) {
        let (x, y) = (i.operand(0).expect("in range"), i.operand(1).expect("in range"));
        let safe = y.const_int_value().is_some_and(|c| c != 0 && c != u64::MAX);
        let one = y.ty().const_int(1);
        let new = if varying {
            let mut divisor = self.vector(y);
            if let (Some(mask), false) = (self.masks[b], safe) {
                divisor = self.builder.select(mask, divisor, self.splat(one), "");
            }
            self.builder.binary(i.opcode(), self.vector(x), divisor, "")
        } else {
            let mut divisor = self.scalar(y);
            if let (Some(mask), false, false) = (self.masks[b], safe, self.never_empty[b]) {
                divisor = self.builder.select(self.any(mask), divisor, one, "");
            }
            self.builder.binary(i.opcode(), self.scalar(x), divisor, "")
        };
        new.copy_ir_flags(i.as_value());
        if varying { self.set_vector(i, new) } else { self.set_scalar(i, new) }
    }

    fn alloca(&mut self, i: Instruction<'ctx>) {
        let ty = i.allocated_type().expect("an allocation has a type");
        let space = i.ty().address_space().unwrap_or(0);
        debug_assert_eq!(space, 0, "x86 allocates in address space 0");
        let slot = self.slots.alloca(ty.array(self.lanes as u64), "private");
        slot.set_align(i.alignment().max(64));
        self.set_scalar(i, slot.as_value());
    }

    /// Where a scalar access may run for no lane at all, it goes to a slot of its own instead.
    fn safe_pointer(&mut self, b: usize, pointer: Value<'ctx>, ty: Type<'ctx>) -> Value<'ctx> {
        match self.masks[b] {
            Some(mask) if !self.never_empty[b] => {
                let slot = self.slots.alloca(ty, "nobody");
                self.slots.store(ty.const_null(), slot.as_value());
                let space = pointer.ty();
                let nobody = if space == slot.ty() {
                    slot.as_value()
                } else {
                    self.builder.cast(Opcode::LLVMAddrSpaceCast, slot.as_value(), space, "")
                };
                self.builder.select(self.any(mask), pointer, nobody, "")
            }
            _ => pointer,
        }
    }

    /// Bytes from lane to lane for types that are stored without gaps.
    fn packed(&self, ty: Type<'ctx>) -> Option<i64> {
        let size = match ty.kind() {
            TypeKind::LLVMIntegerTypeKind => match ty.int_width()? {
                w @ (8 | 16 | 32 | 64) => w / 8,
                _ => return None,
            },
            TypeKind::LLVMHalfTypeKind | TypeKind::LLVMBFloatTypeKind => 2,
            TypeKind::LLVMFloatTypeKind => 4,
            TypeKind::LLVMDoubleTypeKind | TypeKind::LLVMPointerTypeKind => 8,
            _ => return None,
        };
        Some(i64::from(size))
    }

    fn load(&mut self, b: usize, i: Instruction<'ctx>) {
        let pointer = i.operand(0).expect("a load has an address");
        if self.facts.shape(i.as_value()) == Shape::Uniform {
            let address = self.safe_pointer(b, self.scalar(pointer), i.ty());
            let copy = self.builder.clone_instruction(i);
            copy.set_operand(0, address);
            copy.set_debug_loc(None);
            return self.set_scalar(i, copy.as_value());
        }
        let Some(size) = self.packed(i.ty()).filter(|_| !i.is_atomic() && !i.is_volatile()) else {
            return self.replicate(b, i);
        };
        let wide = self.wide_type(i.ty());
        let new = if self.facts.shape(pointer) == Shape::Linear(size) {
            let address = self.scalar(pointer);
            match self.masks[b] {
                None => {
                    let load = self.builder.load(wide, address, "");
                    load.set_align(i.alignment());
                    load.as_value()
                }
                Some(mask) => {
                    self.masked_memory("llvm.masked.load", &[wide, address.ty()], &[address], i, mask, Some(wide))
                }
            }
        } else {
            let addresses = self.vector(pointer);
            let mask = self.masks[b];
            let hope = self.facts.shape(pointer) == Shape::Hopefully(size);
            self.either(hope.then_some((addresses, size)), &mut |this, first| {
                Some(match (first, mask) {
                    (Some(first), None) => {
                        let load = this.builder.load(wide, first, "");
                        load.set_align(i.alignment());
                        load.as_value()
                    }
                    (Some(first), Some(mask)) => {
                        this.masked_memory("llvm.masked.load", &[wide, first.ty()], &[first], i, mask, Some(wide))
                    }
                    (None, _) => {
                        let mask = mask.unwrap_or_else(|| this.all_ones());
                        let types = [wide, addresses.ty()];
                        this.masked_memory("llvm.masked.gather", &types, &[addresses], i, mask, Some(wide))
                    }
                })
            })
            .expect("a load gives a value")
        };
        self.set_vector(i, new);
    }

    fn store(&mut self, b: usize, i: Instruction<'ctx>) {
        let (value, pointer) = (i.operand(0).expect("in range"), i.operand(1).expect("in range"));
        let (vs, ps) = (self.facts.shape(value), self.facts.shape(pointer));
        let Some(size) = self.packed(value.ty()).filter(|_| !i.is_atomic() && !i.is_volatile()) else {
            if vs == Shape::Uniform && ps == Shape::Uniform && !i.is_atomic() && !i.is_volatile() {
                return self.store_scalar(b, i);
            }
            return self.replicate(b, i);
        };
        match ps {
            Shape::Uniform if vs == Shape::Uniform => self.store_scalar(b, i),
            Shape::Linear(s) if s == size => {
                let (wide, address) = (self.vector(value), self.scalar(pointer));
                match self.masks[b] {
                    None => self.builder.store(wide, address).set_align(i.alignment()),
                    Some(mask) => {
                        let types = [wide.ty(), address.ty()];
                        self.masked_memory("llvm.masked.store", &types, &[wide, address], i, mask, None);
                    }
                }
            }
            _ => {
                let (wide, addresses) = (self.vector(value), self.vector(pointer));
                let mask = self.masks[b];
                let hope = ps == Shape::Hopefully(size);
                self.either(hope.then_some((addresses, size)), &mut |this, first| {
                    match (first, mask) {
                        (Some(first), None) => this.builder.store(wide, first).set_align(i.alignment()),
                        (Some(first), Some(mask)) => {
                            let types = [wide.ty(), first.ty()];
                            this.masked_memory("llvm.masked.store", &types, &[wide, first], i, mask, None);
                        }
                        (None, _) => {
                            let mask = mask.unwrap_or_else(|| this.all_ones());
                            let types = [wide.ty(), addresses.ty()];
                            this.masked_memory("llvm.masked.scatter", &types, &[wide, addresses], i, mask, None);
                        }
                    }
                    None
                });
            }
        }
    }

    /// Runs `access` once with the first lane's address, for addresses that turn out to be `size` bytes apart, and once
    /// without, for those that do not. Without hope, only the latter.
    fn either(
        &mut self,
        hope: Option<(Value<'ctx>, i64)>,
        access: &mut dyn FnMut(&mut Self, Option<Value<'ctx>>) -> Option<Value<'ctx>>,
    ) -> Option<Value<'ctx>> {
        let Some((addresses, size)) = hope else { return access(self, None) };
        let i64 = self.context.int_type(64);
        let first = self.builder.extract_element(addresses, self.int(0), "first");
        let last = self.builder.extract_element(addresses, self.int(u64::from(self.lanes - 1)), "last");
        let number = |v| self.builder.cast(Opcode::LLVMPtrToInt, v, i64, "");
        let span = self.builder.sub(number(last), number(first), "");
        let wanted = i64.const_int((i64::from(self.lanes) - 1).wrapping_mul(size) as u64);
        let even = self.builder.icmp(IntPredicate::LLVMIntEQ, span, wanted, "even");
        let block = |this: &Self| this.context.append_block(this.new, "");
        let (yes, no, after) = (block(self), block(self), block(self));
        self.builder.cond_br(even, yes, no);
        let mut results = Vec::new();
        for (at, address) in [(yes, Some(first)), (no, None)] {
            self.builder.position_at_end(at);
            results.push((access(self, address), self.builder.block().expect("the builder stands in a block")));
            self.builder.br(after);
        }
        self.builder.position_at_end(after);
        let (Some(a), Some(b)) = (results[0].0, results[1].0) else { return None };
        let phi = self.builder.phi(a.ty(), "");
        phi.add_incoming(a, results[0].1);
        phi.add_incoming(b, results[1].1);
        Some(phi.as_value())
    }

    fn store_scalar(&mut self, b: usize, i: Instruction<'ctx>) {
        let (value, pointer) = (i.operand(0).expect("in range"), i.operand(1).expect("in range"));
        let address = self.safe_pointer(b, self.scalar(pointer), value.ty());
        let copy = self.builder.clone_instruction(i);
        copy.set_operand(0, self.scalar(value));
        copy.set_operand(1, address);
        copy.set_debug_loc(None);
    }

    /// A call of one of LLVM's masked memory intrinsics: operands, mask, what inactive lanes get (loads), alignment.
    fn masked_memory(
        &mut self,
        name: &str,
        types: &[Type<'ctx>],
        operands: &[Value<'ctx>],
        i: Instruction<'ctx>,
        mask: Value<'ctx>,
        result: Option<Type<'ctx>>,
    ) -> Value<'ctx> {
        let function = self.module.intrinsic(name, types).expect("LLVM knows its masked memory intrinsics");
        let mut args = operands.to_vec();
        args.push(mask);
        if let Some(ty) = result {
            args.push(ty.poison());
        }
        let call = self.builder.call(function, &args, "");
        let align = self.context.enum_attribute("align", u64::from(i.alignment()));
        if let Some(attribute) = align {
            let at = operands.len() as u32 - 1;
            call.add_call_attribute(Place::Param(at), attribute);
        }
        call.as_value()
    }

    fn call(&mut self, b: usize, i: Instruction<'ctx>) {
        let callee = i.called_function().expect("checked before");
        let name = callee.name();
        if is_hint(&name) {
            return;
        }
        if name.contains(super::group::BARRIER) {
            // All work-items come here together, or none does.
            self.clone_scalar(i);
            return;
        }
        if let Some(primitive) = Primitive::parse(&name) {
            return self.primitive(b, i, primitive);
        }
        let sub_group = match queries::parse(&name) {
            Some(Query::SubgroupLocalInvocationId) => Some(self.int(0)),
            Some(Query::SubgroupMaxSize) => Some(self.int(u64::from(self.lanes))),
            Some(Query::SubgroupSize) => Some(self.active.unwrap_or_else(|| self.int(u64::from(self.lanes)))),
            _ => None,
        };
        if let Some(answer) = sub_group {
            return self.set_scalar(i, answer);
        }
        if !self.in_vector(i.as_value()) && (queries::parse(&name).is_some() || callee.only_computes()) {
            let copy = self.clone_scalar(i);
            return self.set_scalar(i, copy);
        }
        if let Some(kind) = elementwise(&name) {
            let wide = self.wide_type(i.ty());
            let args: Vec<_> = i
                .args()
                .into_iter()
                .enumerate()
                .map(|(n, a)| if kind.stays_scalar(n) { self.scalar(a) } else { self.vector(a) })
                .collect();
            if let Some(function) = self.module.intrinsic(kind.name, &kind.types(wide, &args)) {
                let call = self.builder.call(function, &args, "").as_value();
                call.copy_ir_flags(i.as_value());
                return self.set_vector(i, call);
            }
        }
        self.replicate(b, i)
    }

    /// Lanes talk to each other. Inactive lanes contribute what changes nothing.
    fn primitive(&mut self, b: usize, i: Instruction<'ctx>, primitive: Primitive) {
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
            let combine = |this: &Self, a, b| subgroup::combine(this.module, &this.builder, operation, a, b);
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
            // Lane `l` takes from lane `l - step`, the first ones what changes nothing.
            let shift = |this: &Self, v, step: u64| {
                let order: Vec<u64> = (0..lanes).map(|l| if l >= step { l - step } else { lanes + l }).collect();
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
                let wanted =
                    if primitive.kind == Kind::Any { IntPredicate::LLVMIntNE } else { IntPredicate::LLVMIntEQ };
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
                // The lane is the same everywhere by contract, though not by analysis: the first active lane's word counts.
                let lane = self.first_active(b, self.vector(args[1]));
                let value = self.builder.extract_element(wide, self.builder.and(lane, self.int(lanes - 1), ""), "");
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
                        let order: Vec<u64> = (0..lanes).map(|l| from(l, n) & (lanes - 1)).collect();
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

    /// Each lane takes the element of `wide` that its index names, through memory.
    fn look_up(&mut self, wide: Value<'ctx>, index: Value<'ctx>) -> Value<'ctx> {
        let slot = self.slots.alloca(wide.ty(), "lanes");
        slot.set_align(64);
        self.builder.store(wide, slot.as_value());
        let most = self.splat(index.ty().contained()[0].const_int(u64::from(self.lanes - 1)));
        let index = self.builder.and(index, most, "");
        let addresses = self.builder.gep(wide.ty().contained()[0], slot.as_value(), &[index], "");
        let function = self
            .module
            .intrinsic("llvm.masked.gather", &[wide.ty(), addresses.ty()])
            .expect("LLVM knows its masked memory intrinsics");
        self.builder.call(function, &[addresses, self.all_ones(), wide.ty().poison()], "").as_value()
    }

    /// The value of the first lane that is on.
    fn first_active(&mut self, b: usize, wide: Value<'ctx>) -> Value<'ctx> {
        let Some(mask) = self.masks[b] else { return self.builder.extract_element(wide, self.int(0), "") };
        let bits = self.context.int_type(self.lanes);
        let word = self.builder.cast(Opcode::LLVMBitCast, mask, bits, "");
        let count = self.module.intrinsic("llvm.cttz", &[bits]).expect("LLVM knows cttz");
        let first = self.builder.call(count, &[word, self.context.const_int(1, 0)], "").as_value();
        let last = bits.const_int(u64::from(self.lanes - 1));
        self.builder.extract_element(wide, self.builder.and(first, last, ""), "")
    }

    /// One copy per lane, each only when its lane is active.
    fn replicate(&mut self, b: usize, i: Instruction<'ctx>) {
        let has_result = !i.ty().is_void();
        let wide = self.wide_type(i.ty());
        let mut result = has_result.then(|| wide.poison());
        let operands: Vec<(Value<'ctx>, bool)> =
            i.operands().map(|v| (v, self.facts.shape(v) != Shape::Uniform)).collect();
        let vectors: Vec<Option<Value<'ctx>>> =
            operands.iter().map(|&(v, varies)| varies.then(|| self.vector(v))).collect();
        for lane in 0..self.lanes {
            let at = self.int(u64::from(lane));
            let before = self.builder.block().expect("the builder stands in a block");
            let mut after = None;
            if let Some(mask) = self.masks[b] {
                let on = self.builder.extract_element(mask, at, "");
                let then = self.context.append_block(self.new, "");
                let next = self.context.append_block(self.new, "");
                self.builder.cond_br(on, then, next);
                self.builder.position_at_end(then);
                after = Some((then, next));
            }
            let scalars: Vec<_> = operands
                .iter()
                .zip(&vectors)
                .map(|(&(v, _), wide)| match wide {
                    Some(wide) => self.lane(*wide, lane),
                    None => self.scalar(v),
                })
                .collect();
            let copy = self.builder.clone_instruction(i);
            copy.set_debug_loc(None);
            for (n, (&s, &(v, _))) in scalars.iter().zip(&operands).enumerate() {
                if s != v {
                    copy.set_operand(n as u32, s);
                }
            }
            let changed = result.map(|r| self.put_lane(r, copy.as_value(), lane));
            if let Some((then, next)) = after {
                self.builder.br(next);
                self.builder.position_at_end(next);
                if let (Some(old), Some(new)) = (result, changed) {
                    let phi = self.builder.phi(wide, "");
                    phi.add_incoming(old, before);
                    phi.add_incoming(new, then);
                    result = Some(phi.as_value());
                }
            } else {
                result = changed;
            }
        }
        if let Some(v) = result {
            self.set_vector(i, v);
        }
    }

    /// The value of one lane; through aggregates.
    fn lane(&self, v: Value<'ctx>, lane: u32) -> Value<'ctx> {
        self.per_leaf(v, &mut |this, leaf| this.builder.extract_element(leaf, this.int(u64::from(lane)), ""))
    }

    fn per_leaf(&self, v: Value<'ctx>, f: &mut dyn FnMut(&Self, Value<'ctx>) -> Value<'ctx>) -> Value<'ctx> {
        let ty = v.ty();
        let count = match ty.kind() {
            TypeKind::LLVMStructTypeKind => ty.contained().len() as u32,
            TypeKind::LLVMArrayTypeKind => ty.element_count().unwrap_or(0) as u32,
            _ => return f(self, v),
        };
        let parts: Vec<_> = (0..count).map(|i| self.per_leaf(self.builder.extract_value(v, i, ""), f)).collect();
        let types: Vec<_> = parts.iter().map(|p| p.ty()).collect();
        let out =
            if ty.is_struct() { self.context.struct_type(&types, false) } else { types[0].array(u64::from(count)) };
        parts.into_iter().enumerate().fold(out.poison(), |acc, (i, p)| self.builder.insert_value(acc, p, i as u32, ""))
    }

    fn put_lane(&self, into: Value<'ctx>, value: Value<'ctx>, lane: u32) -> Value<'ctx> {
        let ty = into.ty();
        let count = match ty.kind() {
            TypeKind::LLVMStructTypeKind => ty.contained().len() as u32,
            TypeKind::LLVMArrayTypeKind => ty.element_count().unwrap_or(0) as u32,
            _ => return self.builder.insert_element(into, value, self.int(u64::from(lane)), ""),
        };
        (0..count).fold(into, |acc, i| {
            let part = self.builder.extract_value(acc, i, "");
            let new = self.put_lane(part, self.builder.extract_value(value, i, ""), lane);
            self.builder.insert_value(acc, new, i, "")
        })
    }
}

fn is_cast(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        LLVMTrunc
            | LLVMZExt
            | LLVMSExt
            | LLVMFPToUI
            | LLVMFPToSI
            | LLVMUIToFP
            | LLVMSIToFP
            | LLVMFPTrunc
            | LLVMFPExt
            | LLVMPtrToInt
            | LLVMIntToPtr
            | LLVMBitCast
            | LLVMAddrSpaceCast
    )
}

/// Calls that only inform the optimiser about scalar code.
pub fn is_hint(name: &str) -> bool {
    ["llvm.assume", "llvm.lifetime.", "llvm.dbg.", "llvm.experimental.noalias.scope.decl", "llvm.invariant."]
        .iter()
        .any(|p| name.starts_with(p))
}

/// An LLVM intrinsic that works on vectors as on scalars.
struct Elementwise {
    name: &'static str,
    /// Index of an argument that is scalar in the vector form too.
    scalar_arg: Option<usize>,
    /// The second argument's type overloads too.
    two_types: bool,
}

impl Elementwise {
    fn stays_scalar(&self, n: usize) -> bool {
        self.scalar_arg == Some(n)
    }

    fn types<'ctx>(&self, result: Type<'ctx>, args: &[Value<'ctx>]) -> Vec<Type<'ctx>> {
        if self.two_types { vec![result, args[1].ty()] } else { vec![result] }
    }
}

fn elementwise(name: &str) -> Option<Elementwise> {
    const ONE_TYPE: &[&str] = &[
        "sqrt",
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "atan2",
        "sinh",
        "cosh",
        "tanh",
        "exp",
        "exp2",
        "exp10",
        "log",
        "log2",
        "log10",
        "pow",
        "fabs",
        "floor",
        "ceil",
        "trunc",
        "rint",
        "nearbyint",
        "round",
        "roundeven",
        "fma",
        "fmuladd",
        "minnum",
        "maxnum",
        "minimum",
        "maximum",
        "minimumnum",
        "maximumnum",
        "copysign",
        "canonicalize",
        "ctpop",
        "bswap",
        "bitreverse",
        "smax",
        "smin",
        "umax",
        "umin",
        "sadd.sat",
        "uadd.sat",
        "ssub.sat",
        "usub.sat",
        "fshl",
        "fshr",
    ];
    let rest = name.strip_prefix("llvm.")?;
    let base = rest.rsplit_once('.').map_or(rest, |(base, _)| base);
    if let Some(known) = ONE_TYPE.iter().find(|&&k| k == base) {
        return Some(Elementwise { name: intrinsic_name(known), scalar_arg: None, two_types: false });
    }
    // ctlz, cttz, abs: a constant flag stays scalar.
    for known in ["ctlz", "cttz", "abs"] {
        if base == known {
            return Some(Elementwise { name: intrinsic_name(known), scalar_arg: Some(1), two_types: false });
        }
    }
    // llvm.ldexp.f32.i32: the exponent is a vector too.
    if rest.starts_with("ldexp.") {
        return Some(Elementwise { name: "llvm.ldexp", scalar_arg: None, two_types: true });
    }
    None
}

/// `llvm.` before a name of the table, without allocating at each call.
fn intrinsic_name(base: &str) -> &'static str {
    static NAMES: std::sync::OnceLock<std::sync::Mutex<HashMap<String, &'static str>>> = std::sync::OnceLock::new();
    let names = NAMES.get_or_init(Default::default);
    let mut names = names.lock().unwrap_or_else(|e| e.into_inner());
    names.entry(base.to_owned()).or_insert_with(|| Box::leak(format!("llvm.{base}").into_boxed_str()))
}
