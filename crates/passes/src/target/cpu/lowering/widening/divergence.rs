//! Which values differ between the work-items of a sub-group, and how.
//!
//! Every value of a function gets a [`Shape`]: the same in all lanes, growing by a constant from
//! lane to lane, or anything. A shape tells of the lanes that run the value's block together;
//! others may hold anything. Every branch is uniform or divergent; what that means for joins, loops
//! and masks is the part of [`super::convergence`].
//!
//! The analysis is optimistic: everything starts uniform, and facts only get worse until nothing
//! changes. What makes a value vary is (a) its operands; (b) for a φ, control: two lanes that
//! parted at a divergent branch may reach the φ's block by different edges; (c) for a value used
//! behind a divergent loop, time: lanes took it from different iterations.
//!
//! Soundness of uniform loads: a non-atomic load from one address by several work-items, none
//! ordered against a store to that address, gives the same value to all, or the program has a data
//! race.

mod extension;

pub use extension::{Among, Wider};

use super::cfg::{Cfg, Dominators, Loops, Shapeless};
use super::convergence::Convergence;
use crate::target::common::queries::{self, Query};
use scythe_llvm::{BasicBlock, Function, Instruction, Module, Opcode, Type, TypeKind, Value};
use std::collections::HashMap;

/// How a value relates between neighbouring lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Uniform,
    /// Lane `i` holds the value of lane 0 plus `i` times this (bytes, for pointers).
    Linear(i64),
    /// Where several rows of work-items lie in the lanes, one after the other: lane `i` of a row
    /// holds the value of the row's first lane plus `i` times `along`; the first lanes differ by
    /// `down` from row to row, where that is known.
    Rows {
        along: i64,
        down: Option<i64>,
    },
    /// As linear, unless a narrow number wrapped round on the way: then anything. Code that profits
    /// compares the first lane with the last.
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

/// What the analysis must be told about calls: the shape of a call's result, given its arguments'
/// shapes.
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
    pub convergence: Convergence,
    /// A work-item number was taken to fit 31 bits.
    pub narrow: std::cell::Cell<bool>,
}

/// Why a kernel cannot be widened, or cut at its barriers.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Unsuitable {
    #[error("it has no body")]
    NoBody,
    #[error("it has neither a full nor a masked form")]
    NoForm,
    #[error("a block has no end")]
    NoEnd,
    #[error("a block ends in {0:?}")]
    End(Opcode),
    #[error("{0} returns where one is needed")]
    Returns(usize),
    #[error("block {0} ends in unreachable")]
    Unreachable(usize),
    #[error("block {0} never reaches the return")]
    NeverReturns(usize),
    #[error("{0:?}")]
    Graph(Shapeless),
    #[error("a vector type in {0:?}")]
    Vector(Opcode),
    #[error("an allocation of variable size")]
    VariableAllocation,
    #[error("an indirect call or assembly")]
    IndirectCall,
    #[error("{0:?}")]
    Instruction(Opcode),
    #[error("a value leaves its loop other than through a φ")]
    LeavesLoop,
}

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
            let end = b.terminator().ok_or(Unsuitable::NoEnd)?;
            match end.opcode() {
                Opcode::LLVMBr => {}
                Opcode::LLVMRet => returns.push(i),
                Opcode::LLVMUnreachable => {}
                other => return Err(Unsuitable::End(other)),
            }
            let mut out: Vec<usize> = b.successors().iter().map(|s| index[s]).collect();
            if out.len() == 2 && out[0] == out[1] {
                out.pop();
            }
            succs.push(out);
        }
        let [exit] = returns[..] else {
            return Err(Unsuitable::Returns(returns.len()));
        };
        if let Some(b) = (0..blocks.len()).find(|&b| succs[b].is_empty() && b != exit) {
            return Err(Unsuitable::Unreachable(b));
        }
        let cfg = Cfg::new(succs);
        let dom = Dominators::of(&cfg);
        let post = Dominators::post(&cfg, exit);
        let loops = Loops::of(&cfg, &dom).map_err(Unsuitable::Graph)?;
        if let Some(b) = (0..blocks.len()).find(|&b| b != exit && post.immediate(b).is_none()) {
            return Err(Unsuitable::NeverReturns(b));
        }
        let convergence = Convergence::new(&cfg, &loops);
        let mut this = Self {
            blocks,
            index,
            cfg,
            dom,
            loops,
            shapes: HashMap::new(),
            convergence,
            narrow: std::cell::Cell::new(false),
        };
        this.solve(module, calls);
        Ok(this)
    }

    /// The shape of any operand.
    pub fn shape(&self, value: Value<'ctx>) -> Shape {
        self.shapes.get(&value).copied().unwrap_or(Shape::Uniform)
    }

    /// The shape of an operand as the lanes of `block` see it: those that left a loop in different
    /// iterations took different values.
    pub fn shape_in(&self, value: Value<'ctx>, block: usize) -> Shape {
        let made = value.as_instruction().and_then(|i| i.block()).map(|b| self.index[&b]);
        match made {
            Some(made) if self.convergence.differs_in_time(&self.loops, made, block) => {
                Shape::Varying
            }
            _ => self.shape(value),
        }
    }

    /// The value is the same for all lanes that made it, wherever it is used.
    pub fn is_uniform_for_all(&self, value: Value<'ctx>) -> bool {
        let uniform = |b: BasicBlock<'ctx>| self.shape_in(value, self.index[&b]) == Shape::Uniform;
        let users = || value.users().into_iter().filter_map(|u| u.as_instruction());
        self.shape(value) == Shape::Uniform
            && users().all(|u| match u.opcode() {
                Opcode::LLVMPHI => {
                    u.incoming().into_iter().filter(|x| x.0 == value).all(|x| uniform(x.1))
                }
                _ => u.block().is_none_or(uniform),
            })
    }

    fn solve(&mut self, module: &Module<'ctx>, calls: &dyn CallShapes) {
        let rpo = self.cfg.reverse_post_order();
        loop {
            let mut changed = false;
            for &b in &rpo {
                let instructions: Vec<_> = self.blocks[b].instructions().collect();
                for i in instructions {
                    let new = self.transfer(module, calls, b, i);
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
                if self.cfg.succs[b].len() > 1 && !self.convergence.divergent_branch()[b] {
                    let end = self.blocks[b].terminator().expect("checked before");
                    let condition = end.operand(0).expect("a conditional branch has a condition");
                    if self.shape_in(condition, b) != Shape::Uniform {
                        self.convergence.part(&self.cfg, &self.loops, b);
                        changed = true;
                    }
                }
            }
            if !changed {
                break;
            }
        }
    }

    fn transfer(
        &self,
        module: &Module<'ctx>,
        calls: &dyn CallShapes,
        block: usize,
        i: Instruction<'ctx>,
    ) -> Shape {
        let shape = |v: Value<'ctx>| self.shape_in(v, block);
        let operand = |n: u32| i.operand(n).map_or(Shape::Uniform, shape);
        let constant = |n: u32| i.operand(n).and_then(signed_constant);
        let all_uniform = || i.operands().all(|v| shape(v) == Shape::Uniform);
        let plain = || {
            if all_uniform() {
                Shape::Uniform
            } else if i.operands().all(|v| shape(v).is_even()) {
                Shape::Rows { along: 0, down: None }
            } else {
                Shape::Varying
            }
        };
        match i.opcode() {
            Opcode::LLVMPHI => self.phi(block, i),
            Opcode::LLVMAdd => add(operand(0), operand(1), 1),
            Opcode::LLVMOr if i.is_disjoint() => add(operand(0), operand(1), 1),
            Opcode::LLVMSub => add(operand(0), operand(1), -1),
            Opcode::LLVMMul => scale(operand(0), constant(1))
                .or_else(|| scale(operand(1), constant(0)))
                .unwrap_or_else(plain),
            Opcode::LLVMShl => match constant(1) {
                Some(c) if (0..63).contains(&c) => {
                    scale(operand(0), Some(1 << c)).unwrap_or_else(plain)
                }
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
            Opcode::LLVMAnd
                if constant(1) == Some(0xffff_ffff) && i.operand(0).is_some_and(is_number) =>
            {
                i.operands().take(1).for_each(|number| self.rely_on(number));
                operand(0)
            }
            // Lanes that take no part divide by one: that would make rows uneven.
            Opcode::LLVMSDiv | Opcode::LLVMUDiv | Opcode::LLVMSRem | Opcode::LLVMURem
                if !all_uniform() && !i.operand(1).is_some_and(is_safe_divisor) =>
            {
                Shape::Varying
            }
            Opcode::LLVMSExt | Opcode::LLVMZExt => {
                let (narrow, bits) = (
                    i.operand(0).expect("a cast has an operand"),
                    i.ty().int_width().unwrap_or(64),
                );
                self.widened(narrow, operand(0), i.opcode(), bits)
            }
            Opcode::LLVMTrunc => match operand(0) {
                kept @ (Shape::Linear(_) | Shape::Rows { .. })
                    if i.ty().int_width().is_some_and(|w| w >= 32) =>
                {
                    kept
                }
                _ => plain(),
            },
            Opcode::LLVMFreeze | Opcode::LLVMAddrSpaceCast => operand(0),
            // Other widths are extended, too.
            Opcode::LLVMPtrToInt if i.ty().int_width().is_some_and(|w| w <= 64) => operand(0),
            Opcode::LLVMIntToPtr
                if i.operand(0).is_some_and(|v| v.ty().int_width() == Some(64)) =>
            {
                operand(0)
            }
            Opcode::LLVMBitCast if i.ty().is_pointer() => operand(0),
            Opcode::LLVMGetElementPtr => self.gep(module, block, i),
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
                Shape::Rows { along: 0, .. } if packed_size(i.ty()).is_some() => {
                    Shape::Rows { along: 0, down: None }
                }
                _ => Shape::Varying,
            },
            Opcode::LLVMAlloca if calls.separate_allocas() => Shape::Varying,
            // Each lane has its own copy, one after the other.
            Opcode::LLVMAlloca => {
                let size = i.allocated_type().and_then(|t| t.alloc_size(module)).unwrap_or(0);
                Shape::linear(size as i64)
            }
            Opcode::LLVMCall => {
                let args: Vec<Shape> = i.args().iter().map(|&a| shape(a)).collect();
                calls.shape(i, &args).unwrap_or_else(|| {
                    let pure_call = i.called_function().is_some_and(|f| f.only_computes());
                    if pure_call && args.iter().all(|&a| a == Shape::Uniform) {
                        Shape::Uniform
                    } else {
                        Shape::Varying
                    }
                })
            }
            Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg | Opcode::LLVMVAArg => Shape::Varying,
            _ => plain(),
        }
    }

    fn phi(&self, block: usize, phi: Instruction<'ctx>) -> Shape {
        let incoming = phi.incoming();
        let first = incoming.first().map(|x| x.0);
        // One value by all edges stays what it is.
        if self.convergence.is_join(block) && !incoming.iter().all(|x| Some(x.0) == first) {
            return Shape::Varying;
        }
        let known: Vec<Shape> = incoming
            .iter()
            .filter(|(v, _)| !v.is_undef_or_poison())
            .filter(|(v, _)| v.as_instruction().is_none() || self.shapes.contains_key(v))
            .map(|&(v, _)| self.shape_in(v, block))
            .collect();
        known.iter().copied().reduce(Shape::join).unwrap_or(Shape::Uniform)
    }

    fn gep(&self, module: &Module<'ctx>, block: usize, gep: Instruction<'ctx>) -> Shape {
        let Some(mut total) = gep.operand(0).map(|v| self.shape_in(v, block)) else {
            return Shape::Varying;
        };
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
            let mut shape = self.shape_in(index, block);
            if shape == Shape::Uniform {
                continue;
            }
            // An index narrower than a pointer is sign-extended, a wider one cut.
            if index.ty().int_width().is_some_and(|w| w < 64) {
                shape = self.widened(index, shape, Opcode::LLVMSExt, 64);
            }
            let size = ty.alloc_size(module).map(|n| n as i64);
            total = match scale(shape, size) {
                Some(bytes) => add(total, bytes, 1),
                None => return Shape::Varying,
            };
        }
        total
    }

    /// The shape of a narrow value, made wider. A narrow number that does not wrap stays linear.
    /// Work-item numbers fit 31 bits wherever the vectorised code is used (its caller checks), so
    /// their truncation does not wrap.
    fn widened(&self, narrow: Value<'ctx>, shape: Shape, extension: Opcode, bits: u32) -> Shape {
        match shape {
            Shape::Linear(s) if self.keeps_distance(narrow, extension, bits, Among::All) => {
                Shape::Linear(s)
            }
            Shape::Linear(s) => hopefully(s),
            Shape::Rows { .. } => self.extended(narrow, extension, bits),
            Shape::Uniform => Shape::Uniform,
            Shape::Hopefully(_) | Shape::Varying => Shape::Varying,
        }
    }

    /// Notes that a work-item number was taken to fit 31 bits. Those within a work-group always do.
    fn rely_on(&self, number: Value<'ctx>) {
        if !is_local_number(number) {
            self.narrow.set(true);
        }
    }
}

/// A work-item number that fits 31 bits: within a work-group in any dimension, else in the fastest,
/// where callers check it.
fn is_number(v: Value<'_>) -> bool {
    position(v)
        .is_some_and(|(query, dimension)| query == Query::LocalInvocationId || dimension == 0)
}

fn is_local_number(v: Value<'_>) -> bool {
    position(v).is_some_and(|(query, _)| query == Query::LocalInvocationId)
}

/// The query about a work-item's position that `v` is, and its dimension.
fn position(v: Value<'_>) -> Option<(Query, u64)> {
    let call = v.as_instruction().filter(|i| i.opcode() == Opcode::LLVMCall)?;
    let query = call
        .called_function()
        .and_then(|f| queries::parse(&f.name()))
        .filter(|q| q.is_position())?;
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

/// Comparing the first lane with the last finds a wrap only while all lanes together span less than
/// the narrow type.
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
    // A stride that 64 bits do not hold is none.
    let sum = |a: i64, b: i64| b.checked_mul(sign).and_then(|b| a.checked_add(b));
    let hopefully = |stride: Option<i64>| stride.map_or(Shape::Varying, Shape::Hopefully);
    match (a, b) {
        (Shape::Hopefully(a), _) => hopefully(b.stride().and_then(|b| sum(a, b))),
        (_, Shape::Hopefully(b)) => hopefully(a.stride().and_then(|a| sum(a, b))),
        _ => match (a.stride(), b.stride()) {
            (Some(a), Some(b)) => sum(a, b).map_or(Shape::Varying, Shape::linear),
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
