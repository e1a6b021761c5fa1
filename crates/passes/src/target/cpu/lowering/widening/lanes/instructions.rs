//! Widens one instruction at a time: to a scalar instruction if all lanes agree, to a vector
//! instruction if there is one, else to a copy per lane.

use super::super::super::matrices;
use super::super::divergence::is_safe_divisor;
use super::super::group::BARRIER;
use super::super::subgroup::Primitive;
use super::copies::ScalarOf;
use super::elementwise::{elementwise, is_cast, is_hint};
use super::{Form, Shape, Widener};
use crate::target::common::queries::{self, Query};
use scythe_llvm::{Instruction, Opcode, TypeKind, Value};

impl<'ctx> Widener<'_, 'ctx> {
    pub(super) fn instruction(&mut self, b: usize, i: Instruction<'ctx>) {
        let form = self.form(i.as_value());
        match i.opcode() {
            Opcode::LLVMAlloca => self.alloca(i),
            Opcode::LLVMLoad => self.load(b, i),
            Opcode::LLVMStore => self.store(b, i),
            Opcode::LLVMCall => self.call(b, i),
            Opcode::LLVMFence => {
                self.copy(b, i);
            }
            Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => self.replicate(b, i),
            _ if form == Form::Heads => self.clone_heads(b, i),
            Opcode::LLVMSDiv | Opcode::LLVMUDiv | Opcode::LLVMSRem | Opcode::LLVMURem => {
                self.divide(b, i, form == Form::Vector);
            }
            _ if form == Form::Scalar => {
                let copy = self.copy_scalar(b, i, ScalarOf::Item);
                self.set_scalar(i, copy);
            }
            _ => self.widen_plain(i),
        }
    }

    pub(super) fn widen_plain(&mut self, i: Instruction<'ctx>) {
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
            Opcode::LLVMInsertValue => {
                self.insert_value(op(self, 0), op(self, 1), &i.aggregate_indices())
            }
            opcode if is_cast(opcode) => {
                self.builder.cast(opcode, op(self, 0), self.wide_type(i.ty()), "")
            }
            opcode => self.builder.binary(opcode, op(self, 0), op(self, 1), ""),
        };
        // The flags of an instruction hold for each active lane. Inactive lanes may become poison,
        // and their values are never used.
        new.copy_ir_flags(i.as_value());
        self.set_vector(i, new);
    }

    pub(super) fn insert_value(
        &self,
        into: Value<'ctx>,
        value: Value<'ctx>,
        path: &[u32],
    ) -> Value<'ctx> {
        match path {
            [] => value,
            [n, rest @ ..] => {
                let part = self.builder.extract_value(into, *n, "");
                let part = self.insert_value(part, value, rest);
                self.builder.insert_value(into, part, *n, "")
            }
        }
    }

    pub(super) fn widen_gep(&mut self, i: Instruction<'ctx>) -> Value<'ctx> {
        let ty = i.gep_source_type().expect("an address computation has a type");
        let base = i.operand(0).expect("in range");
        // Uniform operands may stay scalar here: LLVM broadcasts them. At least one operand is a
        // vector.
        let form = |this: &Self, v: Value<'ctx>| {
            if this.facts.shape(v) == Shape::Uniform { this.scalar(v) } else { this.vector(v) }
        };
        let indices: Vec<_> = i.operands().skip(1).map(|v| form(self, v)).collect();
        self.builder.gep(ty, form(self, base), &indices, "")
    }

    /// Emits a division. Inactive lanes divide by one.
    pub(super) fn divide(&mut self, b: usize, i: Instruction<'ctx>, varying: bool) {
        let (x, y) = (i.operand(0).expect("in range"), i.operand(1).expect("in range"));
        let safe = is_safe_divisor(y);
        let one = y.ty().const_int(1);
        let new = if varying {
            let mut divisor = self.vector(y);
            if let (Some(mask), false) = (self.masks[b], safe) {
                divisor = self.builder.select(mask, divisor, self.splat(one), "");
            }
            self.builder.binary(i.opcode(), self.vector(x), divisor, "")
        } else {
            let mut divisor = self.scalar(y);
            if let (Some(mask), false, false) = (self.masks[b], safe, self.plan.never_empty[b]) {
                divisor = self.builder.select(self.any(mask), divisor, one, "");
            }
            self.builder.binary(i.opcode(), self.scalar(x), divisor, "")
        };
        // The division by one in inactive lanes is exact.
        new.copy_ir_flags(i.as_value());
        if varying { self.set_vector(i, new) } else { self.set_scalar(i, new) }
    }

    /// Copies a barrier: either all work-items reach it together, or none does. Its operands are
    /// constants, which unoptimised code computes by calls. Only the scope matters to work-items
    /// that run on one thread, and the headers always pass it directly.
    fn barrier(&mut self, b: usize, i: Instruction<'ctx>) {
        let copy = self.copy(b, i);
        for (n, operand) in i.args().into_iter().enumerate() {
            let new = match self.facts.shape(operand) {
                Shape::Uniform => self.scalar(operand),
                _ => operand.ty().const_int(0),
            };
            copy.set_operand(n as u32, new);
        }
    }

    pub(super) fn call(&mut self, b: usize, i: Instruction<'ctx>) {
        let callee = i.called_function().expect("checked before");
        let name = callee.name();
        if is_hint(&name) {
            return;
        }
        if name.contains(BARRIER) {
            return self.barrier(b, i);
        }
        if let Some(primitive) = Primitive::parse(&name) {
            return self.primitive(b, i, primitive);
        }
        if matrices::is_operation(&name) {
            return self.once(b, i);
        }
        let sub_group = match queries::parse(&name) {
            Some(Query::SubgroupLocalInvocationId) => Some(self.int(0)),
            Some(Query::SubgroupMaxSize) => Some(self.int(u64::from(self.lanes))),
            Some(Query::SubgroupSize) => {
                Some(self.active.unwrap_or_else(|| self.int(u64::from(self.lanes))))
            }
            _ => None,
        };
        if let Some(answer) = sub_group {
            return self.set_scalar(i, answer);
        }
        if let (Some(fold), Some(query), Form::Heads) =
            (self.fold, queries::parse(&name), self.form(i.as_value()))
        {
            return self.position_heads(b, i, query, fold);
        }
        if self.form(i.as_value()) == Form::Scalar
            && (queries::parse(&name).is_some() || callee.only_computes())
        {
            let harmless = queries::parse(&name).is_some() || name.starts_with("llvm.");
            let copy = match self.masks[b] {
                Some(mask) if !harmless && !self.plan.never_empty[b] => {
                    self.call_if_any_active(i, mask)
                }
                _ => self.copy_scalar(b, i, ScalarOf::Item),
            };
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

    /// Emits an operation that the sub-group performs once. Its arguments are uniform by contract,
    /// although the analysis may not prove it: the call gets those of the first active lane.
    fn once(&mut self, b: usize, i: Instruction<'ctx>) {
        let args: Vec<_> = i
            .args()
            .into_iter()
            .map(|v| match self.facts.shape(v) {
                Shape::Uniform => self.scalar(v),
                _ => {
                    let wide = self.vector(v);
                    self.first_active(b, wide)
                }
            })
            .collect();
        let skipped = self.masks[b].filter(|_| !self.plan.never_empty[b]).map(|mask| {
            let block = || self.context.append_block(self.new, "");
            let (then, next) = (block(), block());
            self.builder.cond_br(self.any(mask), then, next);
            self.builder.position_at_end(then);
            next
        });
        let callee = i.called_function().expect("checked before");
        self.builder.call(callee, &args, "");
        if let Some(next) = skipped {
            self.builder.br(next);
            self.builder.position_at_end(next);
        }
    }

    /// Emits a call with the same arguments in all lanes, which runs only if a lane is active: with
    /// the arguments of inactive lanes, the callee might divide by zero.
    fn call_if_any_active(&mut self, i: Instruction<'ctx>, mask: Value<'ctx>) -> Value<'ctx> {
        let before = self.builder.block().expect("the builder has an insertion block");
        let (then, next) =
            (self.context.append_block(self.new, ""), self.context.append_block(self.new, ""));
        self.builder.cond_br(self.any(mask), then, next);
        self.builder.position_at_end(then);
        let copy = self.copy_for_lane(i);
        for (n, v) in i.operands().enumerate().filter(|(_, v)| self.values.contains_key(v)) {
            copy.set_operand(n as u32, self.scalar(v));
        }
        self.builder.br(next);
        self.builder.position_at_end(next);
        if i.ty().is_void() {
            return copy.as_value();
        }
        let phi = self.builder.phi(i.ty(), "");
        phi.add_incoming(i.ty().poison(), before);
        phi.add_incoming(copy.as_value(), then);
        phi.as_value()
    }

    /// Emits one copy per lane. Each copy runs only if its lane is active.
    pub(super) fn replicate(&mut self, b: usize, i: Instruction<'ctx>) {
        let has_result = !i.ty().is_void();
        let wide = self.wide_type(i.ty());
        let mut result = has_result.then(|| wide.poison());
        let operands: Vec<(Value<'ctx>, bool)> =
            i.operands().map(|v| (v, self.facts.shape(v) != Shape::Uniform)).collect();
        let vectors: Vec<Option<Value<'ctx>>> =
            operands.iter().map(|&(v, varies)| varies.then(|| self.vector(v))).collect();
        for lane in 0..self.lanes {
            let at = self.int(u64::from(lane));
            let before = self.builder.block().expect("the builder has an insertion block");
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
            let copy = self.copy_for_lane(i);
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

    /// Returns the value of one lane, also of aggregates.
    pub(super) fn lane(&self, v: Value<'ctx>, lane: u32) -> Value<'ctx> {
        self.per_leaf(v, &mut |this, leaf| {
            this.builder.extract_element(leaf, this.int(u64::from(lane)), "")
        })
    }

    pub(super) fn per_leaf(
        &self,
        v: Value<'ctx>,
        f: &mut dyn FnMut(&Self, Value<'ctx>) -> Value<'ctx>,
    ) -> Value<'ctx> {
        let ty = v.ty();
        let count = match ty.kind() {
            TypeKind::LLVMStructTypeKind => ty.contained().len() as u32,
            TypeKind::LLVMArrayTypeKind => ty.element_count().unwrap_or(0) as u32,
            _ => return f(self, v),
        };
        let parts: Vec<_> =
            (0..count).map(|i| self.per_leaf(self.builder.extract_value(v, i, ""), f)).collect();
        let types: Vec<_> = parts.iter().map(|p| p.ty()).collect();
        let out = if ty.is_struct() {
            self.context.struct_type(&types, false)
        } else {
            types[0].array(u64::from(count))
        };
        parts
            .into_iter()
            .enumerate()
            .fold(out.poison(), |acc, (i, p)| self.builder.insert_value(acc, p, i as u32, ""))
    }

    pub(super) fn put_lane(&self, into: Value<'ctx>, value: Value<'ctx>, lane: u32) -> Value<'ctx> {
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
