//! Which values differ between the work-items of a sub-group, and how.
//!
//! Every value of a function gets a [`Shape`]: the same in all lanes, growing by a constant from lane to lane, or
//! anything. Every branch is uniform or divergent, every loop too: a loop is divergent when some lanes may leave it before
//! others.
//!
//! The analysis is optimistic: everything starts uniform, and facts only get worse until nothing changes. What makes a
//! value vary is (a) its operands; (b) for a φ, control: two lanes that parted at a divergent branch may reach the φ's
//! block by different edges; (c) for a value used behind a divergent loop, time: lanes took it in different iterations.
//!
//! Soundness of uniform loads: a non-atomic load from one address by several work-items, none ordered against a store to
//! that address, gives the same value to all, or the program has a data race.

use super::cfg::{Cfg, Dominators, Loops};
use super::queries::{self, Query};
use scythe_llvm::{BasicBlock, Function, Instruction, Module, Opcode, Type, TypeKind, Value};
use std::collections::{HashMap, HashSet};

/// How a value relates between neighbouring lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Uniform,
    /// Lane `i` holds the value of lane 0 plus `i` times this (bytes, for pointers).
    Linear(i64),
    /// Where several rows of work-items lie in the lanes, one after the other: lane `i` of a row holds the value of the row's first
    /// lane plus `i` times `along`; the first lanes differ by `down` from row to row, where that is known.
    Rows {
        along: i64,
        down: Option<i64>,
    },
    /// As linear, unless a narrow number wrapped round on the way: then anything. Code that profits compares the first lane
    /// with the last.
    Hopefully(i64),
    Varying,
}

impl Shape {
    fn linear(stride: i64) -> Self {
        if stride == 0 { Self::Uniform } else { Self::Linear(stride) }
    }

    fn stride(self) -> Option<i64> {
        match self {
            Self::Uniform => Some(0),
            Self::Linear(s) => Some(s),
            Self::Hopefully(_) | Self::Rows { .. } | Self::Varying => None,
        }
    }

    /// What lanes of one row, and the first lanes of rows, have in common.
    fn rows(self) -> Option<(i64, Option<i64>)> {
        match self {
            Self::Uniform => Some((0, Some(0))),
            Self::Linear(along) => Some((along, None)),
            Self::Rows { along, down } => Some((along, down)),
            Self::Hopefully(_) | Self::Varying => None,
        }
    }

    fn is_rows(self) -> bool {
        matches!(self, Self::Rows { .. })
    }

    /// The same in all lanes of a row.
    fn is_even(self) -> bool {
        matches!(self, Self::Uniform | Self::Rows { along: 0, .. })
    }

    fn join(self, other: Self) -> Self {
        if self == other {
            return self;
        }
        match (self.rows(), other.rows()) {
            (Some((a, x)), Some((b, y))) if a == b && (self.is_rows() || other.is_rows()) => {
                Self::Rows { along: a, down: x.filter(|_| x == y) }
            }
            _ => Self::Varying,
        }
    }
}

/// What the analysis must be told about calls: the shape of a call's result, given its arguments' shapes.
pub trait CallShapes {
    /// `None`: unknown; varying unless the callee only computes from uniform arguments.
    fn shape(&self, call: Instruction<'_>, args: &[Shape]) -> Option<Shape>;

    /// Allocations differ in contents and perhaps in address, without a fixed distance.
    fn separate_allocas(&self) -> bool {
        false
    }
}

/// The analysed function.
pub struct Divergence<'ctx> {
    pub blocks: Vec<BasicBlock<'ctx>>,
    pub index: HashMap<BasicBlock<'ctx>, usize>,
    pub cfg: Cfg,
    pub dom: Dominators,
    pub loops: Loops,
    shapes: HashMap<Value<'ctx>, Shape>,
    pub divergent_branch: Vec<bool>,
    pub divergent_loop: Vec<bool>,
    /// Executed by some lanes only, at times.
    pub masked: Vec<bool>,
    /// A work-item number was taken to fit 31 bits.
    pub narrow: std::cell::Cell<bool>,
    /// Where the lanes that part at a block's end meet again.
    reconverges: Vec<Option<usize>>,
}

/// Why a function is left as it is: said in traces and tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsuitable(pub String);

impl<'ctx> Divergence<'ctx> {
    pub fn analyse(
        module: &Module<'ctx>,
        function: Function<'ctx>,
        calls: &dyn CallShapes,
    ) -> Result<Self, Unsuitable> {
        let blocks: Vec<_> = function.blocks().collect();
        let index: HashMap<_, _> = blocks.iter().enumerate().map(|(i, &b)| (b, i)).collect();
        let mut succs = Vec::with_capacity(blocks.len());
        let mut returns = Vec::new();
        for (i, b) in blocks.iter().enumerate() {
            let end = b.terminator().ok_or_else(|| Unsuitable("a block without an end".into()))?;
            match end.opcode() {
                Opcode::LLVMBr => {}
                Opcode::LLVMRet => returns.push(i),
                Opcode::LLVMUnreachable => {}
                other => return Err(Unsuitable(format!("a block ends in {other:?}"))),
            }
            let mut out: Vec<usize> = b.successors().iter().map(|s| index[s]).collect();
            if out.len() == 2 && out[0] == out[1] {
                out.pop();
            }
            succs.push(out);
        }
        let [exit] = returns[..] else {
            return Err(Unsuitable(format!("{} returns where one is needed", returns.len())));
        };
        if let Some(b) = (0..blocks.len()).find(|&b| succs[b].is_empty() && b != exit) {
            return Err(Unsuitable(format!("block {b} ends in unreachable")));
        }
        let cfg = Cfg::new(succs);
        let dom = Dominators::of(&cfg);
        let post = Dominators::post(&cfg, exit);
        let loops = Loops::of(&cfg, &dom).map_err(|e| Unsuitable(format!("{e:?}")))?;
        if let Some(b) = (0..blocks.len()).find(|&b| b != exit && post.immediate(b).is_none()) {
            return Err(Unsuitable(format!("block {b} never reaches the return")));
        }
        let n = blocks.len();
        let divergent_loop = vec![false; loops.loops.len()];
        let mut this = Self {
            blocks,
            index,
            cfg,
            dom,
            loops,
            shapes: HashMap::new(),
            divergent_branch: vec![false; n],
            divergent_loop,
            masked: vec![false; n],
            narrow: std::cell::Cell::new(false),
            reconverges: (0..n).map(|b| post.immediate(b)).collect(),
        };
        this.solve(module, calls, &post);
        this.find_masked(&post);
        Ok(this)
    }

    /// The shape of any operand.
    pub fn shape(&self, value: Value<'ctx>) -> Shape {
        self.shapes.get(&value).copied().unwrap_or(Shape::Uniform)
    }

    fn solve(&mut self, module: &Module<'ctx>, calls: &dyn CallShapes, post: &Dominators) {
        let rpo = self.cfg.reverse_post_order();
        let mut joins: HashSet<usize> = HashSet::new();
        loop {
            let mut changed = false;
            for &b in &rpo {
                let instructions: Vec<_> = self.blocks[b].instructions().collect();
                for i in instructions {
                    let new = self.transfer(module, calls, b, i, &joins);
                    let old = self.shapes.get(&i.as_value()).copied();
                    let new = match old {
                        Some(old) if old != new => {
                            // Facts only get worse: that bounds the iteration.
                            if old == Shape::Uniform { new } else { old.join(new) }
                        }
                        _ => new,
                    };
                    if old != Some(new) {
                        self.shapes.insert(i.as_value(), new);
                        changed = true;
                    }
                }
                if self.cfg.succs[b].len() > 1 && !self.divergent_branch[b] {
                    let end = self.blocks[b].terminator().expect("checked before");
                    let condition = end.operand(0).expect("a conditional branch has a condition");
                    if self.shape(condition) != Shape::Uniform {
                        self.divergent_branch[b] = true;
                        self.part(b, post, &rpo, &mut joins);
                        changed = true;
                    }
                }
            }
            if !changed {
                break;
            }
        }
    }

    /// Lanes part at the end of `branch`: finds where they may meet again by different edges, and which loops they leave
    /// at different times. Each successor's label spreads forward until the branch's post-dominator; a block that two labels
    /// reach is a join and spreads its own.
    fn part(&mut self, branch: usize, post: &Dominators, rpo: &[usize], joins: &mut HashSet<usize>) {
        let stop = post.immediate(branch);
        let mut position = vec![0; self.cfg.len()];
        for (i, &b) in rpo.iter().enumerate() {
            position[b] = i;
        }
        let mut label: HashMap<usize, usize> = HashMap::new();
        let mut left: HashSet<usize> = HashSet::new();
        let note =
            |label: &mut HashMap<usize, usize>, joins: &mut HashSet<usize>, to: usize, l: usize| match label.get(&to) {
                Some(&old) if old != l => {
                    label.insert(to, to);
                    joins.insert(to);
                }
                Some(_) => {}
                None => {
                    label.insert(to, l);
                }
            };
        for &s in &self.cfg.succs[branch] {
            if position[s] > position[branch] {
                note(&mut label, joins, s, s);
            }
            self.leaves(branch, s, &mut left);
        }
        for &b in rpo.iter().filter(|&&b| position[b] > position[branch]) {
            let Some(&l) = label.get(&b) else { continue };
            if Some(b) == stop {
                continue;
            }
            for &s in &self.cfg.succs[b] {
                if position[s] > position[b] {
                    note(&mut label, joins, s, l);
                }
                // Only loops that hold the branch are left at different times because of it.
                for lp in self.loops.around(branch) {
                    let lp_ref = &self.loops.loops[lp];
                    if lp_ref.contains[b] && !lp_ref.contains[s] {
                        left.insert(lp);
                    }
                }
            }
        }
        // A loop is divergent when the branch lets one side leave it while the other stays: when the branch's own
        // post-dominator lies outside it.
        for lp in self.loops.around(branch).collect::<Vec<_>>() {
            let outside = stop.is_none_or(|s| !self.loops.loops[lp].contains[s] || s == self.loops.loops[lp].header);
            if left.contains(&lp) && outside {
                self.divergent_loop[lp] = true;
                for &(_, to) in &self.loops.loops[lp].exits {
                    joins.insert(to);
                }
            }
        }
    }

    fn leaves(&self, from: usize, to: usize, left: &mut HashSet<usize>) {
        for lp in self.loops.around(from) {
            if !self.loops.loops[lp].contains[to] {
                left.insert(lp);
            }
        }
    }

    /// A block runs under a mask when it lies between a divergent branch and where the lanes meet again, or in a divergent
    /// loop.
    fn find_masked(&mut self, post: &Dominators) {
        for b in 0..self.cfg.len() {
            if !self.divergent_branch[b] {
                continue;
            }
            let stop = post.immediate(b);
            let mut work: Vec<usize> = self.cfg.succs[b].clone();
            let mut seen = HashSet::new();
            while let Some(x) = work.pop() {
                if Some(x) != stop && seen.insert(x) {
                    self.masked[x] = true;
                    work.extend(&self.cfg.succs[x]);
                }
            }
        }
        for (l, lp) in self.loops.loops.iter().enumerate() {
            if self.divergent_loop[l] {
                for b in (0..self.cfg.len()).filter(|&b| lp.contains[b]) {
                    self.masked[b] = true;
                }
            }
        }
    }

    /// Some divergent branch inside loop `l` switches lanes off in `block`.
    pub fn masked_within(&self, block: usize, l: usize) -> bool {
        let lp = &self.loops.loops[l];
        let inner = self.loops.around(block).take_while(|&x| x != l).any(|x| self.divergent_loop[x]);
        inner
            || (0..self.cfg.len()).filter(|&b| lp.contains[b] && self.divergent_branch[b]).any(|b| {
                let stop = self.reconverges[b];
                let mut work: Vec<usize> = self.cfg.succs[b].clone();
                let mut seen = HashSet::new();
                while let Some(x) = work.pop() {
                    if Some(x) != stop && x != lp.header && lp.contains[x] && seen.insert(x) {
                        if x == block {
                            return true;
                        }
                        work.extend(&self.cfg.succs[x]);
                    }
                }
                false
            })
    }

    fn transfer(
        &self,
        module: &Module<'ctx>,
        calls: &dyn CallShapes,
        block: usize,
        i: Instruction<'ctx>,
        joins: &HashSet<usize>,
    ) -> Shape {
        let operand = |n: u32| i.operand(n).map_or(Shape::Uniform, |v| self.shape(v));
        let constant = |n: u32| i.operand(n).and_then(signed_constant);
        let all_uniform = || i.operands().all(|v| self.shape(v) == Shape::Uniform);
        let plain = || {
            if all_uniform() {
                Shape::Uniform
            } else if i.operands().all(|v| self.shape(v).is_even()) {
                Shape::Rows { along: 0, down: None }
            } else {
                Shape::Varying
            }
        };
        match i.opcode() {
            Opcode::LLVMPHI => self.phi(block, i, joins),
            Opcode::LLVMAdd => add(operand(0), operand(1), 1),
            Opcode::LLVMOr if i.is_disjoint() => add(operand(0), operand(1), 1),
            Opcode::LLVMSub => add(operand(0), operand(1), -1),
            Opcode::LLVMMul => {
                scale(operand(0), constant(1)).or_else(|| scale(operand(1), constant(0))).unwrap_or_else(plain)
            }
            Opcode::LLVMShl => match constant(1) {
                Some(c) if (0..63).contains(&c) => scale(operand(0), Some(1 << c)).unwrap_or_else(plain),
                _ => plain(),
            },
            // `(long)(int)i` in the form LLVM prefers, where `i` is a work-item number and so fits.
            Opcode::LLVMAShr => match (shifted_number(i), constant(1)) {
                (Some((number, a)), Some(b)) if a >= b => {
                    self.rely_on(number);
                    scale(self.shape(number), Some(1 << (a - b))).unwrap_or_else(plain)
                }
                _ => plain(),
            },
            Opcode::LLVMAnd if constant(1) == Some(0xffff_ffff) && i.operand(0).is_some_and(is_number) => {
                i.operands().take(1).for_each(|number| self.rely_on(number));
                operand(0)
            }
            // Lanes that take no part divide by one: that would make rows uneven.
            Opcode::LLVMSDiv | Opcode::LLVMUDiv | Opcode::LLVMSRem | Opcode::LLVMURem
                if !all_uniform() && !i.operand(1).is_some_and(is_safe_divisor) =>
            {
                Shape::Varying
            }
            // A narrow index that does not wrap stays linear when widened. Work-item numbers fit 31 bits wherever the
            // vectorised code is used (its caller checks), so their truncation does not wrap.
            Opcode::LLVMSExt | Opcode::LLVMZExt => match operand(0) {
                Shape::Linear(s) if self.no_wrap(i.operand(0).expect("a cast has an operand"), i.opcode(), 8) => {
                    Shape::Linear(s)
                }
                Shape::Linear(s) => hopefully(s),
                Shape::Rows { .. } => self.extended(i.operand(0).expect("a cast has an operand"), i.opcode()),
                Shape::Uniform => Shape::Uniform,
                _ => Shape::Varying,
            },
            Opcode::LLVMTrunc => match operand(0) {
                kept @ (Shape::Linear(_) | Shape::Rows { .. }) if i.ty().int_width().is_some_and(|w| w >= 32) => kept,
                _ => plain(),
            },
            Opcode::LLVMFreeze | Opcode::LLVMAddrSpaceCast | Opcode::LLVMPtrToInt | Opcode::LLVMIntToPtr => operand(0),
            Opcode::LLVMBitCast if i.ty().is_pointer() => operand(0),
            Opcode::LLVMGetElementPtr => self.gep(module, i),
            Opcode::LLVMSelect => {
                if operand(0) != Shape::Uniform {
                    plain()
                } else {
                    operand(1).join(operand(2))
                }
            }
            Opcode::LLVMLoad => match operand(0) {
                _ if i.is_atomic() || i.is_volatile() => Shape::Varying,
                Shape::Uniform => Shape::Uniform,
                Shape::Rows { along: 0, .. } if packed_size(i.ty()).is_some() => Shape::Rows { along: 0, down: None },
                _ => Shape::Varying,
            },
            Opcode::LLVMAlloca if calls.separate_allocas() => Shape::Varying,
            // Each lane has its own copy, one after the other.
            Opcode::LLVMAlloca => {
                let size = i.allocated_type().and_then(|t| t.alloc_size(module)).unwrap_or(0);
                Shape::linear(size as i64)
            }
            Opcode::LLVMCall => {
                let args: Vec<Shape> = i.args().iter().map(|&a| self.shape(a)).collect();
                calls.shape(i, &args).unwrap_or_else(|| {
                    let pure_call = i.called_function().is_some_and(|f| f.only_computes());
                    if pure_call && args.iter().all(|&a| a == Shape::Uniform) { Shape::Uniform } else { Shape::Varying }
                })
            }
            Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg | Opcode::LLVMVAArg => Shape::Varying,
            _ => plain(),
        }
    }

    fn phi(&self, block: usize, phi: Instruction<'ctx>, joins: &HashSet<usize>) -> Shape {
        let incoming = phi.incoming();
        let first = incoming.first().map(|x| x.0);
        let same = incoming.iter().all(|x| Some(x.0) == first);
        if joins.contains(&block) {
            // One value by all edges stays what it is, unless lanes took it in different rounds of a loop.
            let timely = incoming.iter().all(|&(v, _)| {
                let defined = v.as_instruction().and_then(|d| d.block()).map(|d| self.index[&d]);
                defined.is_none_or(|d| {
                    !self.loops.around(d).any(|l| self.divergent_loop[l] && !self.loops.loops[l].contains[block])
                })
            });
            if !(same && timely) {
                return Shape::Varying;
            }
        }
        let known: Vec<Shape> = incoming
            .iter()
            .filter(|(v, _)| !v.is_undef_or_poison())
            .filter_map(
                |&(v, _)| if v.as_instruction().is_some() { self.shapes.get(&v).copied() } else { Some(self.shape(v)) },
            )
            .collect();
        known.iter().copied().reduce(Shape::join).unwrap_or(Shape::Uniform)
    }

    fn gep(&self, module: &Module<'ctx>, gep: Instruction<'ctx>) -> Shape {
        let Some(mut total) = gep.operand(0).map(|v| self.shape(v)) else { return Shape::Varying };
        let Some(mut ty) = gep.gep_source_type() else { return Shape::Varying };
        for n in 1..gep.operand_count() {
            let index = gep.operand(n).expect("in range");
            if n > 1 {
                if ty.kind() == TypeKind::LLVMStructTypeKind {
                    let field = index.const_int_value().unwrap_or(0) as usize;
                    match ty.contained().get(field) {
                        Some(&t) => ty = t,
                        None => return Shape::Varying,
                    }
                    continue;
                }
                match ty.element() {
                    Some(t) => ty = t,
                    None => return Shape::Varying,
                }
            }
            let mut shape = self.shape(index);
            if shape == Shape::Uniform {
                continue;
            }
            // An index narrower than a pointer is sign-extended: it must not wrap.
            if index.ty().int_width() != Some(64) {
                shape = match shape {
                    Shape::Linear(s) if !self.no_wrap(index, Opcode::LLVMSExt, 8) => hopefully(s),
                    Shape::Rows { .. } => self.extended(index, Opcode::LLVMSExt),
                    other => other,
                };
            }
            let size = ty.alloc_size(module).map(|n| n as i64);
            total = match scale(shape, size) {
                Some(bytes) => add(total, bytes, 1),
                None => return Shape::Varying,
            };
        }
        total
    }

    /// A value in rows of a narrow type, made wider: what is left of its distances.
    fn extended(&self, value: Value<'ctx>, extension: Opcode) -> Shape {
        let Shape::Rows { along, down } = self.shape(value) else { return Shape::Varying };
        if self.no_wrap(value, extension, 8) {
            Shape::Rows { along, down }
        } else if along == 0 || self.no_wrap_along(value, extension, 8) {
            Shape::Rows { along, down: None }
        } else {
            Shape::Varying
        }
    }

    /// Notes that a work-item number was taken to fit 31 bits. Those within a work-group always do.
    fn rely_on(&self, number: Value<'ctx>) {
        if !is_local_number(number) {
            self.narrow.set(true);
        }
    }

    /// A linear value of a narrow type that does not wrap from lane to lane.
    fn no_wrap(&self, value: Value<'ctx>, extension: Opcode, depth: u32) -> bool {
        self.shape(value) == Shape::Uniform || self.no_wrap_by(value, extension, depth, &Self::no_wrap)
    }

    /// The same within each row.
    fn no_wrap_along(&self, value: Value<'ctx>, extension: Opcode, depth: u32) -> bool {
        self.shape(value).is_even() || self.no_wrap_by(value, extension, depth, &Self::no_wrap_along)
    }

    fn no_wrap_by(
        &self,
        value: Value<'ctx>,
        extension: Opcode,
        depth: u32,
        below: &dyn Fn(&Self, Value<'ctx>, Opcode, u32) -> bool,
    ) -> bool {
        let Some(i) = value.as_instruction() else { return true };
        if depth == 0 {
            return false;
        }
        let signed = extension == Opcode::LLVMSExt;
        let mut operands = i.operands();
        match i.opcode() {
            Opcode::LLVMTrunc => i.operand(0).is_some_and(|v| is_number(v) || (if signed { i.nsw() } else { i.nuw() })),
            Opcode::LLVMAdd | Opcode::LLVMSub | Opcode::LLVMMul | Opcode::LLVMShl => {
                (if signed { i.nsw() } else { i.nuw() }) && operands.all(|v| below(self, v, extension, depth - 1))
            }
            Opcode::LLVMOr if i.is_disjoint() => operands.all(|v| below(self, v, extension, depth - 1)),
            Opcode::LLVMSExt | Opcode::LLVMZExt | Opcode::LLVMFreeze => {
                operands.all(|v| below(self, v, extension, depth - 1))
            }
            _ => false,
        }
    }
}

/// A work-item number that fits 31 bits: within a work-group in any dimension, else in the fastest, where callers check it.
fn is_number(v: Value<'_>) -> bool {
    position(v).is_some_and(|(query, dimension)| query == Query::LocalInvocationId || dimension == 0)
}

fn is_local_number(v: Value<'_>) -> bool {
    position(v).is_some_and(|(query, _)| query == Query::LocalInvocationId)
}

/// The query about a work-item's position that `v` is, and its dimension.
fn position(v: Value<'_>) -> Option<(Query, u64)> {
    let call = v.as_instruction().filter(|i| i.opcode() == Opcode::LLVMCall)?;
    let query = call.called_function().and_then(|f| queries::parse(&f.name())).filter(|q| q.is_position())?;
    Some((query, call.args().first()?.const_int_value()?))
}

/// For `ashr (shl number, a), b` with `a` up to 32: the work-item number, and `a`.
fn shifted_number<'ctx>(i: Instruction<'ctx>) -> Option<(Value<'ctx>, i64)> {
    let shl = i.operand(0)?.as_instruction()?;
    let number = shl.operand(0)?;
    if shl.opcode() != Opcode::LLVMShl || !is_number(number) {
        return None;
    }
    signed_constant(shl.operand(1)?).filter(|a| (0..=32).contains(a)).map(|a| (number, a))
}

/// Dividing by it never traps.
pub(super) fn is_safe_divisor(v: Value<'_>) -> bool {
    signed_constant(v).is_some_and(|c| c != 0 && c != -1)
}

/// Bytes of types that are stored without gaps.
pub(super) fn packed_size(ty: Type<'_>) -> Option<i64> {
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

fn signed_constant(v: Value<'_>) -> Option<i64> {
    let width = v.ty().int_width()?;
    let raw = v.const_int_value()?;
    if width == 0 || width > 64 {
        return None;
    }
    let shift = 64 - width;
    Some(((raw << shift) as i64) >> shift)
}

/// Comparing the first lane with the last finds a wrap only while all lanes together span less than the narrow type.
fn hopefully(stride: i64) -> Shape {
    if stride.unsigned_abs() < 1 << 16 { Shape::Hopefully(stride) } else { Shape::Varying }
}

fn add(a: Shape, b: Shape, sign: i64) -> Shape {
    if a.is_rows() || b.is_rows() {
        let (Some((a, x)), Some((b, y))) = (a.rows(), b.rows()) else { return Shape::Varying };
        let down = x.zip(y).and_then(|(x, y)| x.checked_add(y.checked_mul(sign)?));
        let along = b.checked_mul(sign).and_then(|b| a.checked_add(b));
        return along.map_or(Shape::Varying, |along| Shape::Rows { along, down });
    }
    match (a, b) {
        (Shape::Hopefully(a), _) => b.stride().map_or(Shape::Varying, |b| Shape::Hopefully(a + sign * b)),
        (_, Shape::Hopefully(b)) => a.stride().map_or(Shape::Varying, |a| Shape::Hopefully(a + sign * b)),
        _ => match (a.stride(), b.stride()) {
            (Some(a), Some(b)) => Shape::linear(a + sign * b),
            _ => Shape::Varying,
        },
    }
}

fn scale(shape: Shape, factor: Option<i64>) -> Option<Shape> {
    if let Shape::Hopefully(s) = shape {
        return Some(Shape::Hopefully(s.checked_mul(factor?)?));
    }
    if let Shape::Rows { along, down } = shape {
        let down = down.and_then(|d| d.checked_mul(factor?));
        return Some(Shape::Rows { along: along.checked_mul(factor?)?, down });
    }
    let stride = shape.stride()?;
    Some(Shape::linear(stride.checked_mul(factor?)?))
}
