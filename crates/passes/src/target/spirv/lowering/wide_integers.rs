//! Computes with integers of 65 to 128 bits in two words of 64.
//!
//! LLVM's optimiser creates such integers: it recognises the steps by which programs (and
//! `sycl::mul_hi`) compute the upper half of a product, computes carries of sums in 65 bits, and
//! replaces loops that sum the numbers below `n`. SPIR-V does not support them in kernels. Vectors
//! of these integers are computed element by element, since devices lack vectors of that size as
//! well.
//!
//! For an integer of fewer than 128 bits, the unused bits of the upper word are zero.
//!
//! Guarantee: afterwards no instruction has such an integer as operand or result. Divisions are
//! already calls ([`super::wide_division`]), and calls are already inlined. An instruction that
//! this pass does not support (conversion from or to floating point, atomic or volatile access) is
//! an error that names the function and the instruction; the module is unusable after the error.

mod arithmetic;

use super::wide_types::{self, in_memory, wide_width};
use crate::target::spirv::SpirvError;
use scythe_llvm::{
    BasicBlock, Builder, Function, Instruction, IntPredicate, Module, Opcode, Type, TypeKind, Value,
};
use std::collections::{HashMap, HashSet};

/// Splits these integers in all functions and variables.
pub fn run(module: &Module<'_>) -> Result<(), SpirvError> {
    wide_types::replace_variables(module)?;
    for function in module.functions().filter(|f| !f.is_declaration()) {
        if function.instructions().any(has_wide_integer) {
            Splitting::new(module).run(function)?;
        }
    }
    Ok(())
}

/// Creates the error for an instruction that this pass does not support.
fn unknown(function: Function<'_>, instruction: Instruction<'_>) -> SpirvError {
    let text = instruction.as_value().to_string();
    SpirvError::WideInteger { function: function.name(), instruction: text.trim().to_owned() }
}

fn has_wide_integer(instruction: Instruction<'_>) -> bool {
    let described = || {
        instruction.gep_source_type().or_else(|| instruction.allocated_type()).and_then(in_memory)
    };
    in_memory(instruction.ty()).is_some()
        || wide_width(instruction.ty()).is_some()
        || instruction.as_value().operands().any(|o| wide_width(o.ty()).is_some())
        || described().is_some()
}

/// Returns the number of elements of a vector, or 1 for other types.
fn count(ty: Type<'_>) -> u32 {
    let vector = ty.kind() == TypeKind::LLVMVectorTypeKind;
    if vector { ty.element_count().and_then(|n| u32::try_from(n).ok()).unwrap_or(1) } else { 1 }
}

/// Returns the blocks in an order in which each block comes after its dominators. The search is not
/// recursive, because functions can be long.
fn in_dominance_order(function: Function<'_>) -> Vec<BasicBlock<'_>> {
    let Some(entry) = function.entry_block() else { return Vec::new() };
    let (mut seen, mut order) = (HashSet::from([entry]), Vec::new());
    let mut open = vec![(entry, entry.successors().into_iter())];
    while let Some((block, successors)) = open.last_mut() {
        match successors.next() {
            Some(next) if seen.insert(next) => open.push((next, next.successors().into_iter())),
            Some(_) => {}
            None => {
                order.push(*block);
                open.pop();
            }
        }
    }
    order.reverse();
    order
}

/// An integer in two words.
#[derive(Clone, Copy)]
struct Words<'ctx> {
    low: Value<'ctx>,
    high: Value<'ctx>,
    /// Whether all bits of the upper word are copies of the lower word's sign.
    signed: bool,
}

impl<'ctx> Words<'ctx> {
    fn new(low: Value<'ctx>, high: Value<'ctx>) -> Self {
        Self { low, high, signed: false }
    }

    fn is_one_word(self) -> bool {
        self.high.const_int_value() == Some(0)
    }
}

/// The replacement of an instruction.
enum Outcome<'ctx> {
    /// A wide result. Holds its elements.
    Wide(Vec<Words<'ctx>>),
    Narrow(Value<'ctx>),
    /// No result.
    Done,
}

struct Splitting<'a, 'ctx> {
    module: &'a Module<'ctx>,
    builder: Builder<'ctx>,
    word: Type<'ctx>,
    known: HashMap<Value<'ctx>, Vec<Words<'ctx>>>,
    phis: Vec<Instruction<'ctx>>,
}

impl<'a, 'ctx> Splitting<'a, 'ctx> {
    fn new(module: &'a Module<'ctx>) -> Self {
        let context = module.context();
        let (known, phis) = (HashMap::new(), Vec::new());
        Self { module, builder: context.create_builder(), word: context.int_type(64), known, phis }
    }

    fn run(mut self, function: Function<'ctx>) -> Result<(), SpirvError> {
        function.remove_unreachable_blocks();
        let mut replaced = Vec::new();
        for block in in_dominance_order(function) {
            for instruction in
                block.instructions().filter(|i| has_wide_integer(*i)).collect::<Vec<_>>()
            {
                self.builder.position_before(instruction);
                match self.compute(instruction) {
                    Some(Outcome::Wide(words)) => {
                        self.known.insert(instruction.as_value(), words);
                        replaced.push(instruction);
                    }
                    Some(Outcome::Narrow(value)) => {
                        instruction.replace_all_uses_with(value);
                        instruction.erase();
                    }
                    Some(Outcome::Done) => instruction.erase(),
                    None => return Err(unknown(function, instruction)),
                }
            }
        }
        for phi in std::mem::take(&mut self.phis) {
            self.join(phi).ok_or_else(|| unknown(function, phi))?;
        }
        // The instructions use each other, in cycles if there are loops.
        replaced.iter().for_each(|i| i.replace_all_uses_with(i.ty().poison()));
        replaced.into_iter().for_each(Instruction::erase);
        Ok(())
    }

    fn number(&self, value: u64) -> Value<'ctx> {
        self.word.const_int(value)
    }

    fn zero(&self) -> Value<'ctx> {
        self.number(0)
    }

    /// Returns the elements of a wide operand.
    fn words(&self, value: Value<'ctx>) -> Option<Vec<Words<'ctx>>> {
        if let Some(words) = self.known.get(&value) {
            return Some(words.clone());
        }
        wide_width(value.ty())?;
        if value.is_undef_or_poison() {
            return Some(vec![Words::new(self.zero(), self.zero()); count(value.ty()) as usize]);
        }
        // LLVM folds computations with constants.
        value.is_constant().then(|| {
            let b = &self.builder;
            let element = |v: Value<'ctx>| {
                let upper = b.lshr(v, v.ty().const_int(64), "");
                Words::new(b.trunc(v, self.word, ""), b.trunc(upper, self.word, ""))
            };
            self.elements(value).into_iter().map(element).collect()
        })
    }

    /// Returns the elements of an operand of any type.
    fn elements(&self, value: Value<'ctx>) -> Vec<Value<'ctx>> {
        if value.ty().kind() != TypeKind::LLVMVectorTypeKind {
            return vec![value];
        }
        (0..count(value.ty()))
            .map(|i| self.builder.extract_element(value, self.number(i.into()), ""))
            .collect()
    }

    /// Builds a value from its elements: the inverse of [`Self::elements`].
    fn joined(&self, ty: Type<'ctx>, elements: Vec<Value<'ctx>>) -> Option<Value<'ctx>> {
        if ty.kind() != TypeKind::LLVMVectorTypeKind {
            return elements.first().copied();
        }
        let insert =
            |vector, (i, element)| self.builder.insert_element(vector, element, self.number(i), "");
        Some((0u64..).zip(elements).fold(ty.poison(), insert))
    }

    /// Computes the replacement, or returns `None` if the pass does not support the instruction.
    fn compute(&mut self, instruction: Instruction<'ctx>) -> Option<Outcome<'ctx>> {
        let (value, ty) = (instruction.as_value(), instruction.ty());
        let operand = |index| value.operand(index);
        match instruction.opcode() {
            Opcode::LLVMPHI => Some(Outcome::Wide(self.phi(instruction))),
            Opcode::LLVMZExt | Opcode::LLVMSExt => self.extended(instruction).map(Outcome::Wide),
            Opcode::LLVMTrunc => self.truncated(operand(0)?, ty),
            Opcode::LLVMBitCast => self.bit_cast(operand(0)?, ty),
            Opcode::LLVMICmp => {
                let (x, y) = (self.words(operand(0)?)?, self.words(operand(1)?)?);
                let (predicate, width) =
                    (instruction.int_predicate()?, wide_width(operand(0)?.ty())?);
                let flags = x
                    .into_iter()
                    .zip(y)
                    .map(|(x, y)| self.compare(predicate, x, y, width))
                    .collect();
                self.joined(ty, flags).map(Outcome::Narrow)
            }
            Opcode::LLVMSelect => {
                let (x, y) = (self.words(operand(1)?)?, self.words(operand(2)?)?);
                let conditions = self.elements(operand(0)?);
                let pick = |(i, (x, y))| self.select(conditions[i % conditions.len()], x, y);
                Some(Outcome::Wide(x.into_iter().zip(y).enumerate().map(pick).collect()))
            }
            Opcode::LLVMFreeze => {
                let freeze = |x: Words<'ctx>| {
                    Words::new(self.builder.freeze(x.low), self.builder.freeze(x.high))
                };
                Some(Outcome::Wide(self.words(operand(0)?)?.into_iter().map(freeze).collect()))
            }
            Opcode::LLVMExtractElement => {
                let index = usize::try_from(operand(1)?.const_int_value()?).ok()?;
                Some(Outcome::Wide(vec![*self.words(operand(0)?)?.get(index)?]))
            }
            Opcode::LLVMInsertElement => {
                let index = usize::try_from(operand(2)?.const_int_value()?).ok()?;
                let mut elements = self.words(operand(0)?)?;
                *elements.get_mut(index)? = *self.words(operand(1)?)?.first()?;
                Some(Outcome::Wide(elements))
            }
            Opcode::LLVMLoad if !instruction.is_volatile() && !instruction.is_atomic() => {
                self.load(instruction)
            }
            Opcode::LLVMStore if !instruction.is_volatile() && !instruction.is_atomic() => {
                self.store(instruction)
            }
            Opcode::LLVMCall => self.intrinsic(instruction),
            Opcode::LLVMGetElementPtr => {
                let (ty, pointer) = (in_memory(instruction.gep_source_type()?)?, operand(0)?);
                let indices: Vec<_> = value.operands().skip(1).collect();
                let address = self.builder.gep(ty, pointer, &indices, "");
                address.copy_ir_flags(value);
                Some(Outcome::Narrow(address))
            }
            Opcode::LLVMAlloca if operand(0)?.const_int_value() == Some(1) => {
                let place = self.builder.alloca(in_memory(instruction.allocated_type()?)?, "");
                place.set_align(instruction.alignment());
                Some(Outcome::Narrow(place.as_value()))
            }
            _ => {
                let (width, x, y) =
                    (wide_width(ty)?, self.words(operand(0)?)?, self.words(operand(1)?)?);
                let each = |(x, y)| self.binary(instruction.opcode(), x, y, width);
                x.into_iter().zip(y).map(each).collect::<Option<_>>().map(Outcome::Wide)
            }
        }
    }

    /// Creates two phi nodes for each element, without incoming values: these may come from blocks
    /// that have not been visited yet.
    fn phi(&mut self, phi: Instruction<'ctx>) -> Vec<Words<'ctx>> {
        self.phis.push(phi);
        let part = || self.builder.phi(self.word, "").as_value();
        (0..count(phi.ty())).map(|_| Words::new(part(), part())).collect()
    }

    /// Adds the incoming values to the new phi nodes.
    fn join(&self, phi: Instruction<'ctx>) -> Option<()> {
        let parts = self.known.get(&phi.as_value())?;
        for (value, block) in phi.incoming() {
            for (part, from) in parts.iter().zip(self.words(value)?) {
                part.low.as_instruction()?.add_incoming(from.low, block);
                part.high.as_instruction()?.add_incoming(from.high, block);
            }
        }
        Some(())
    }

    fn extended(&self, extension: Instruction<'ctx>) -> Option<Vec<Words<'ctx>>> {
        let (from, to) = (extension.as_value().operand(0)?, wide_width(extension.ty())?);
        let signed = extension.opcode() == Opcode::LLVMSExt;
        let b = &self.builder;
        if let Some(width) = wide_width(from.ty()) {
            let words = self.words(from)?.into_iter();
            let sign = |x: Words<'ctx>| {
                Words::new(x.low, self.masked(self.sign_extended(x.high, width), to))
            };
            return Some(if signed { words.map(sign).collect() } else { words.collect() });
        }
        let one = |x: Value<'ctx>| {
            let low = match x.ty() == self.word {
                true => x,
                false if signed => b.sext(x, self.word, ""),
                false => b.zext(x, self.word, ""),
            };
            if !signed {
                return Words::new(low, self.zero());
            }
            let high = self.masked(b.ashr(low, self.number(63), ""), to);
            Words { low, high, signed: to == 128 }
        };
        Some(self.elements(from).into_iter().map(one).collect())
    }

    fn truncated(&self, value: Value<'ctx>, ty: Type<'ctx>) -> Option<Outcome<'ctx>> {
        let words = self.words(value)?;
        if let Some(width) = wide_width(ty) {
            let one = |x: Words<'ctx>| Words::new(x.low, self.masked(x.high, width));
            return Some(Outcome::Wide(words.into_iter().map(one).collect()));
        }
        let scalar = ty.scalar();
        let one = |x: Words<'ctx>| {
            if scalar == self.word { x.low } else { self.builder.trunc(x.low, scalar, "") }
        };
        self.joined(ty, words.into_iter().map(one).collect()).map(Outcome::Narrow)
    }

    /// Casts between one integer and a vector of numbers that lie in one word each.
    fn bit_cast(&self, value: Value<'ctx>, ty: Type<'ctx>) -> Option<Outcome<'ctx>> {
        let b = &self.builder;
        let vector = if wide_width(ty).is_some() { value.ty() } else { ty };
        let integer = if wide_width(ty).is_some() { ty } else { value.ty() };
        let (total, element) = (integer.int_width()?, vector.element()?);
        let width = total / count(vector);
        if vector.kind() != TypeKind::LLVMVectorTypeKind
            || total % count(vector) != 0
            || 64 % width != 0
        {
            return None;
        }
        let bits = self.word.context().int_type(width);
        let place =
            |i: u64| (i * u64::from(width) / 64 == 0, self.number(i * u64::from(width) % 64));
        if integer == ty {
            let mut sum = [self.zero(); 2];
            for (i, element) in (0u64..).zip(self.elements(value)) {
                let (lower, distance) = place(i);
                let number =
                    if element.ty() == bits { element } else { b.bit_cast(element, bits, "") };
                let number = if bits == self.word { number } else { b.zext(number, self.word, "") };
                let at = usize::from(!lower);
                sum[at] = b.or(sum[at], b.shl(number, distance, ""), "");
            }
            return Some(Outcome::Wide(vec![Words::new(sum[0], sum[1])]));
        }
        let whole = *self.words(value)?.first()?;
        let one = |i: u64| {
            let (lower, distance) = place(i);
            let number = b.lshr(if lower { whole.low } else { whole.high }, distance, "");
            let number = if bits == self.word { number } else { b.trunc(number, bits, "") };
            if element == bits { number } else { b.bit_cast(number, element, "") }
        };
        self.joined(ty, (0..count(vector).into()).map(one).collect()).map(Outcome::Narrow)
    }

    /// Replaces the intrinsics for minimum, maximum, absolute value and funnel shift.
    fn intrinsic(&self, call: Instruction<'ctx>) -> Option<Outcome<'ctx>> {
        use IntPredicate::*;
        let (name, width) = (call.called_function()?.name(), wide_width(call.ty())?);
        let args = call.args();
        let (x, y) = (self.words(*args.first()?)?, args.get(1).and_then(|&y| self.words(y)));
        let pairs =
            |y: Option<Vec<Words<'ctx>>>| Some(x.iter().copied().zip(y?).collect::<Vec<_>>());
        let chosen = |predicate| {
            let pick = |(x, y)| self.select(self.compare(predicate, x, y, width), x, y);
            Some(Outcome::Wide(pairs(y.clone())?.into_iter().map(pick).collect()))
        };
        match name.strip_prefix("llvm.")?.split_once('.')?.0 {
            "umin" => chosen(LLVMIntULT),
            "umax" => chosen(LLVMIntUGT),
            "smin" => chosen(LLVMIntSLT),
            "smax" => chosen(LLVMIntSGT),
            "abs" => {
                let zero = Words::new(self.zero(), self.zero());
                let one = |&x: &Words<'ctx>| {
                    let negated = self.binary(Opcode::LLVMSub, zero, x, width)?;
                    Some(self.select(self.compare(LLVMIntSLT, x, zero, width), negated, x))
                };
                x.iter().map(one).collect::<Option<_>>().map(Outcome::Wide)
            }
            left @ ("fshl" | "fshr") => {
                let distances = self.words(*args.get(2)?)?;
                let each =
                    |((x, y), n): (_, Words<'ctx>)| self.funnel(left == "fshl", x, y, n.low, width);
                pairs(y)?
                    .into_iter()
                    .zip(distances)
                    .map(each)
                    .collect::<Option<_>>()
                    .map(Outcome::Wide)
            }
            _ => None,
        }
    }

    /// Returns the type of the upper word in memory.
    fn upper_type(&self, ty: Type<'ctx>) -> Option<Type<'ctx>> {
        Some(self.word.context().int_type((ty.int_width()? - 64).next_multiple_of(8)))
    }

    fn load(&self, load: Instruction<'ctx>) -> Option<Outcome<'ctx>> {
        let (b, pointer, upper) =
            (&self.builder, load.as_value().operand(0)?, self.upper_type(load.ty())?);
        let low = b.load(self.word, pointer, "");
        low.set_align(load.alignment());
        let high = b.load(upper, b.byte_offset(self.word.context(), pointer, 8, ""), "");
        high.set_align(load.alignment().min(8));
        let high = if upper == self.word {
            high.as_value()
        } else {
            b.zext(high.as_value(), self.word, "")
        };
        Some(Outcome::Wide(vec![Words::new(low.as_value(), high)]))
    }

    fn store(&self, store: Instruction<'ctx>) -> Option<Outcome<'ctx>> {
        let (value, pointer) = (store.as_value().operand(0)?, store.as_value().operand(1)?);
        let (b, upper, words) =
            (&self.builder, self.upper_type(value.ty())?, *self.words(value)?.first()?);
        b.store(words.low, pointer).set_align(store.alignment());
        let high = if upper == self.word { words.high } else { b.trunc(words.high, upper, "") };
        b.store(high, b.byte_offset(self.word.context(), pointer, 8, ""))
            .set_align(store.alignment().min(8));
        Some(Outcome::Done)
    }
}
