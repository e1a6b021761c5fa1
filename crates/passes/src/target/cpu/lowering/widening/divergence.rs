//! Computes which values differ between the work-items of a sub-group, and how.
//!
//! Every value of a function gets a [`Shape`]: the same in all lanes, increasing by a constant from
//! lane to lane, or arbitrary. A shape describes only the lanes that run the value's block
//! together; other lanes may hold any value. Every branch is uniform or divergent;
//! [`super::convergence`] derives the consequences for joins, loops and masks.
//!
//! The analysis is optimistic: all values start as uniform, and facts only get weaker until a
//! fixpoint is reached. A value varies because of (a) its operands; (b) for a φ, control flow: two
//! lanes that separated at a divergent branch may reach the φ's block through different edges; (c)
//! for a value used behind a divergent loop, time: lanes took the value from different iterations.
//!
//! Soundness of uniform loads: if several work-items load non-atomically from one address, and no
//! store to that address is ordered between the loads, all of them get the same value, or the
//! program has a data race.

mod extension;

pub use extension::{LaneScope, Wider};

use super::super::matrices;
use super::cfg::{Cfg, Dominators, Loops, UnsupportedCfg};
use super::convergence::Convergence;
use crate::target::common::queries::{self, Query};
use scythe_llvm::{BasicBlock, Function, Instruction, Module, Opcode, Type, TypeKind, Value};
use std::collections::HashMap;

/// The relation of a value's lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Uniform,
    /// Lane `i` holds the value of lane 0 plus `i` times this number (bytes, for pointers).
    Linear(i64),
    /// Several rows of work-items lie in the lanes, one after the other. Lane `i` of a row holds
    /// the value of the row's first lane plus `i` times `along`. The values of the first lanes
    /// increase by `down` from row to row, if known.
    Rows {
        along: i64,
        down: Option<i64>,
    },
    /// Like `Linear`, unless a narrow number wraps around in between: then the lanes are arbitrary.
    /// Code that uses this shape compares the first lane with the last at run time.
    LinearUnlessWrapped(i64),
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
            Self::LinearUnlessWrapped(_) | Self::Rows { .. } | Self::Varying => None,
        }
    }

    /// Returns the stride along a row, and the stride between the first lanes of rows, if known.
    fn rows(self) -> Option<(i64, Option<i64>)> {
        match self {
            Self::Uniform => Some((0, Some(0))),
            Self::Linear(along) => Some((along, None)),
            Self::Rows { along, down } => Some((along, down)),
            Self::LinearUnlessWrapped(_) | Self::Varying => None,
        }
    }

    fn is_rows(self) -> bool {
        matches!(self, Self::Rows { .. })
    }

    /// Whether the value is the same in all lanes of a row.
    fn is_uniform_in_row(self) -> bool {
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

/// Provides the shape of a call's result, given the shapes of its arguments.
pub trait CallShapes {
    /// Returns the shape, or `None` if it is unknown. An unknown result is varying unless the
    /// callee only computes from uniform arguments.
    fn shape(&self, call: Instruction<'_>, args: &[Shape]) -> Option<Shape>;

    /// Whether the allocations of lanes differ in content and perhaps in address, without a fixed
    /// distance.
    fn separate_allocas(&self) -> bool {
        false
    }
}

/// The analysed function and its shapes.
pub struct Divergence<'ctx> {
    pub blocks: Vec<BasicBlock<'ctx>>,
    pub index: HashMap<BasicBlock<'ctx>, usize>,
    pub cfg: Cfg,
    pub dom: Dominators,
    pub loops: Loops,
    shapes: HashMap<Value<'ctx>, Shape>,
    pub convergence: Convergence,
    /// Whether the analysis assumed that a work-item number fits in 31 bits.
    pub narrow: std::cell::Cell<bool>,
}

/// The reason why a kernel cannot be widened, or split at its barriers.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WideningError {
    #[error("the function has no body")]
    NoBody,
    #[error("the kernel has neither a full nor a masked form")]
    NoVersion,
    #[error("a basic block has no terminator")]
    NoTerminator,
    #[error("a basic block has the unsupported terminator {0:?}")]
    Terminator(Opcode),
    #[error("the function has {0} return instructions, expected 1")]
    Returns(usize),
    #[error("basic block {0} ends in 'unreachable'")]
    Unreachable(usize),
    #[error("no path leads from basic block {0} to the return")]
    NeverReturns(usize),
    #[error(transparent)]
    Cfg(#[from] UnsupportedCfg),
    #[error("{0:?} has an operand or result of a vector type")]
    VectorType(Opcode),
    #[error("an allocation has a variable size")]
    VariableAllocation,
    #[error("the code has an indirect call or inline assembly")]
    IndirectCall,
    #[error("the compiler cannot vectorise the instruction {0:?}")]
    Instruction(Opcode),
    #[error("a value defined in a loop is used after the loop without a phi node")]
    LeavesLoop,
}

impl<'ctx> Divergence<'ctx> {
    pub fn analyse(
        module: &Module<'ctx>,
        function: Function<'ctx>,
        calls: &dyn CallShapes,
    ) -> Result<Self, WideningError> {
        let blocks: Vec<_> = function.blocks().collect();
        let index: HashMap<_, _> = blocks.iter().enumerate().map(|(i, &b)| (b, i)).collect();
        let mut succs = Vec::with_capacity(blocks.len());
        let mut returns = Vec::new();
        for (i, b) in blocks.iter().enumerate() {
            let end = b.terminator().ok_or(WideningError::NoTerminator)?;
            match end.opcode() {
                Opcode::LLVMBr => {}
                Opcode::LLVMRet => returns.push(i),
                Opcode::LLVMUnreachable => {}
                other => return Err(WideningError::Terminator(other)),
            }
            let mut out: Vec<usize> = b.successors().iter().map(|s| index[s]).collect();
            if out.len() == 2 && out[0] == out[1] {
                out.pop();
            }
            succs.push(out);
        }
        let [exit] = returns[..] else {
            return Err(WideningError::Returns(returns.len()));
        };
        if let Some(b) = (0..blocks.len()).find(|&b| succs[b].is_empty() && b != exit) {
            return Err(WideningError::Unreachable(b));
        }
        let cfg = Cfg::new(succs);
        let dom = Dominators::of(&cfg);
        let post = Dominators::post(&cfg, exit);
        let loops = Loops::of(&cfg, &dom).map_err(WideningError::Cfg)?;
        if let Some(b) = (0..blocks.len()).find(|&b| b != exit && post.immediate(b).is_none()) {
            return Err(WideningError::NeverReturns(b));
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

    /// Returns the shape of an operand.
    pub fn shape(&self, value: Value<'ctx>) -> Shape {
        self.shapes.get(&value).copied().unwrap_or(Shape::Uniform)
    }

    /// Returns the shape of an operand as the lanes of `block` observe it: lanes that left a loop
    /// in different iterations took different values.
    pub fn shape_in(&self, value: Value<'ctx>, block: usize) -> Shape {
        let made = value.as_instruction().and_then(|i| i.block()).map(|b| self.index[&b]);
        match made {
            Some(made) if self.convergence.is_temporally_divergent(&self.loops, made, block) => {
                Shape::Varying
            }
            _ => self.shape(value),
        }
    }

    /// Whether the value is the same for all lanes that computed it, at each of its uses.
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
                            // Facts only get weaker, so the iteration terminates.
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
                        self.convergence.mark_divergent_branch(&self.cfg, &self.loops, b);
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
            } else if i.operands().all(|v| shape(v).is_uniform_in_row()) {
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
            // `(long)((int)i + c)` in LLVM's canonical form, if `i` is a work-item number and
            // therefore fits.
            Opcode::LLVMAShr => match (shifted_number(i), constant(1)) {
                (Some((number, a, c)), Some(b)) if a >= b => {
                    self.assume_narrow(number);
                    let shape = self.shape_of_sum(number, c, NEAR_ZERO);
                    scale(shape, Some(1 << (a - b))).unwrap_or_else(plain)
                }
                _ => plain(),
            },
            Opcode::LLVMAnd if constant(1) == Some(0xffff_ffff) => {
                match i.operand(0).map(plus_constant) {
                    Some((number, c)) if is_number(number) => {
                        self.assume_narrow(number);
                        self.shape_of_sum(number, c, 0)
                    }
                    _ => plain(),
                }
            }
            // Inactive lanes divide by one, so the lanes of a row would differ.
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
            // Narrower results are extended as well.
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
            // All lanes have the same copy.
            Opcode::LLVMAlloca if matrices::is_shared(i) => Shape::Uniform,
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
        // If the value is the same on all edges, its shape does not change.
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
            // An index narrower than a pointer is sign-extended, a wider index is truncated.
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

    /// Returns the shape of a narrow value after extension. A linear narrow number that does not
    /// wrap stays linear. Work-item numbers fit in 31 bits whenever the vectorised code is used
    /// (its caller checks), so their truncation does not wrap.
    fn widened(&self, narrow: Value<'ctx>, shape: Shape, extension: Opcode, bits: u32) -> Shape {
        match shape {
            Shape::Linear(s) if self.keeps_distance(narrow, extension, bits, LaneScope::All) => {
                Shape::Linear(s)
            }
            Shape::Linear(s) => linear_unless_wrapped(s),
            Shape::Rows { .. } => self.extended(narrow, extension, bits),
            Shape::Uniform => Shape::Uniform,
            Shape::LinearUnlessWrapped(_) | Shape::Varying => Shape::Varying,
        }
    }

    /// Returns the shape of the low 32 bits of a work-item number plus `c`. Sums of numbers within
    /// a work-group do not wrap if `c` is between `-least` and [`NEAR_ZERO`].
    fn shape_of_sum(&self, number: Value<'ctx>, c: i64, least: i64) -> Shape {
        let fits = c == 0 || (is_local_number(number) && (-least..=NEAR_ZERO).contains(&c));
        match self.shape(number) {
            shape if fits => shape,
            Shape::Linear(s) => linear_unless_wrapped(s),
            Shape::Uniform => Shape::Uniform,
            _ => Shape::Varying,
        }
    }

    /// Records the assumption that a work-item number fits in 31 bits. Numbers within a work-group
    /// always do.
    fn assume_narrow(&self, number: Value<'ctx>) {
        if !is_local_number(number) {
            self.narrow.set(true);
        }
    }
}

/// Whether the value is a work-item number that fits in 31 bits: a number within a work-group in
/// any dimension, or a global number in the fastest dimension, which callers check.
fn is_number(v: Value<'_>) -> bool {
    position(v)
        .is_some_and(|(query, dimension)| query == Query::LocalInvocationId || dimension == 0)
}

fn is_local_number(v: Value<'_>) -> bool {
    position(v).is_some_and(|(query, _)| query == Query::LocalInvocationId)
}

/// Matches a query of a work-item's position, and returns it with its dimension.
fn position(v: Value<'_>) -> Option<(Query, u64)> {
    let call = v.as_instruction().filter(|i| i.opcode() == Opcode::LLVMCall)?;
    let query = call
        .called_function()
        .and_then(|f| queries::parse(&f.name()))
        .filter(|q| q.is_position())?;
    Some((query, call.args().first()?.const_int_value()?))
}

/// A bound of constants for which sums with numbers within a work-group fit in 31 bits.
const NEAR_ZERO: i64 = 1 << 30;

/// Matches `ashr ((shl number, a) + (c << a)), b` with `a` up to 32. Returns the work-item number,
/// `a` and `c`.
fn shifted_number<'ctx>(i: Instruction<'ctx>) -> Option<(Value<'ctx>, i64, i64)> {
    let (shifted, added) = plus_constant(i.operand(0)?);
    let shl = shifted.as_instruction().filter(|i| i.opcode() == Opcode::LLVMShl)?;
    let number = shl.operand(0).filter(|v| is_number(*v))?;
    let a = signed_constant(shl.operand(1)?).filter(|a| (0..=32).contains(a))?;
    (added & ((1 << a) - 1) == 0).then_some((number, a, added >> a))
}

/// Matches `v + c` with a constant, which is 0 if there is no addition.
fn plus_constant(v: Value<'_>) -> (Value<'_>, i64) {
    let sum = v.as_instruction().filter(|i| {
        i.opcode() == Opcode::LLVMAdd || (i.opcode() == Opcode::LLVMOr && i.is_disjoint())
    });
    sum.and_then(|i| Some((i.operand(0)?, signed_constant(i.operand(1)?)?))).unwrap_or((v, 0))
}

/// Whether a division by the value never traps.
pub(super) fn is_safe_divisor(v: Value<'_>) -> bool {
    signed_constant(v).is_some_and(|c| c != 0 && c != -1)
}

/// Returns the size in bytes of types that are stored without padding.
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

/// Returns `LinearUnlessWrapped` if the stride is small enough. Comparing the first lane with the
/// last detects a wrap only if all lanes together span less than the range of the narrow type.
fn linear_unless_wrapped(stride: i64) -> Shape {
    if stride.unsigned_abs() < 1 << 16 {
        Shape::LinearUnlessWrapped(stride)
    } else {
        Shape::Varying
    }
}

fn add(a: Shape, b: Shape, sign: i64) -> Shape {
    if a.is_rows() || b.is_rows() {
        let (Some((a, x)), Some((b, y))) = (a.rows(), b.rows()) else { return Shape::Varying };
        let down = x.zip(y).and_then(|(x, y)| x.checked_add(y.checked_mul(sign)?));
        let along = b.checked_mul(sign).and_then(|b| a.checked_add(b));
        return along.map_or(Shape::Varying, |along| Shape::Rows { along, down });
    }
    // A stride that does not fit in 64 bits is unknown.
    let sum = |a: i64, b: i64| b.checked_mul(sign).and_then(|b| a.checked_add(b));
    let linear_unless_wrapped =
        |stride: Option<i64>| stride.map_or(Shape::Varying, Shape::LinearUnlessWrapped);
    match (a, b) {
        (Shape::LinearUnlessWrapped(a), _) => {
            linear_unless_wrapped(b.stride().and_then(|b| sum(a, b)))
        }
        (_, Shape::LinearUnlessWrapped(b)) => {
            linear_unless_wrapped(a.stride().and_then(|a| sum(a, b)))
        }
        _ => match (a.stride(), b.stride()) {
            (Some(a), Some(b)) => sum(a, b).map_or(Shape::Varying, Shape::linear),
            _ => Shape::Varying,
        },
    }
}

fn scale(shape: Shape, factor: Option<i64>) -> Option<Shape> {
    if let Shape::LinearUnlessWrapped(s) = shape {
        return Some(Shape::LinearUnlessWrapped(s.checked_mul(factor?)?));
    }
    if let Shape::Rows { along, down } = shape {
        let down = down.and_then(|d| d.checked_mul(factor?));
        return Some(Shape::Rows { along: along.checked_mul(factor?)?, down });
    }
    let stride = shape.stride()?;
    Some(Shape::linear(stride.checked_mul(factor?)?))
}
