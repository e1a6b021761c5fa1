//! Widens integers of widths that SPIR-V does not have.
//!
//! LLVM's optimiser copies structures of three or six bytes as one integer. It also packs the
//! results of a `switch` into one integer with exactly as many bits as they need: 48 for three
//! results of 16. The SPIR-V back end accepts widths of 8, 16, 32 and 64 bits. It fails on most
//! other widths. For the rest, it uses a wider integer, also in memory, and accesses the
//! neighbouring bytes.
//!
//! This pass computes with integers of up to 64 bits in the next supported width, clears the bits
//! above the value if they matter, and accesses memory in parts. It handles vectors of such
//! integers element by element. It does the same with vectors of `i1` that are cast to integers of
//! any width, because SPIR-V's Booleans have no bits.
//!
//! Booleans that are converted as signed numbers become integers first: true is minus one, but the
//! back end would convert it to one. Conversions of floating-point numbers to Booleans also use
//! integers in between.
//!
//! Guarantee: afterwards no instruction that this pass supports has an integer of another width as
//! operand or result. The back end rejects other instructions (calls, volatile accesses) with such
//! integers; the optimiser does not create them.

use scythe_llvm::{Builder, Instruction, IntPredicate, Module, Opcode, Type, TypeKind, Value};

/// Widens integers in all functions.
pub fn run(module: &Module<'_>) {
    extend_converted_booleans(module);
    widen_switches(module);
    for function in module.functions().filter(|f| !f.is_declaration()) {
        let odd: Vec<Instruction<'_>> =
            function.instructions().filter(|i| has_illegal_integer(*i)).collect();
        if odd.is_empty() {
            continue;
        }
        let widening = Widening { builder: module.context().create_builder() };
        odd.into_iter().for_each(|instruction| widening.replace(instruction));
        let bridges: Vec<Instruction<'_>> =
            function.instructions().filter(|i| extends_truncation(*i)).collect();
        bridges.into_iter().for_each(|bridge| widening.join(bridge));
        let unused = |i: &Instruction<'_>| {
            i.opcode() == Opcode::LLVMTrunc && has_illegal_width(i.ty()) && !i.as_value().has_uses()
        };
        function
            .instructions()
            .filter(unused)
            .collect::<Vec<_>>()
            .into_iter()
            .for_each(Instruction::erase);
    }
}

/// Rewrites conversions between floating-point numbers and Booleans, or vectors of Booleans.
fn extend_converted_booleans(module: &Module<'_>) {
    let builder = module.context().create_builder();
    let is_truth = |ty: Type<'_>| ty.scalar().int_width() == Some(1);
    for function in module.functions().filter(|f| !f.is_declaration()) {
        for conversion in function.instructions().collect::<Vec<_>>() {
            let (opcode, ty) = (conversion.opcode(), conversion.ty());
            let Some(value) = conversion.as_value().operand(0) else { continue };
            builder.position_before(conversion);
            let converted = match opcode {
                Opcode::LLVMSIToFP if is_truth(value.ty()) => {
                    builder.si_to_fp(builder.sext(value, with_scalar(value.ty(), 32), ""), ty, "")
                }
                Opcode::LLVMFPToSI | Opcode::LLVMFPToUI if is_truth(ty) => {
                    builder.trunc(builder.cast(opcode, value, with_scalar(ty, 8), ""), ty, "")
                }
                _ => continue,
            };
            conversion.replace_all_uses_with(converted);
            conversion.erase();
        }
    }
}

/// Widens the selectors of switches. SPIR-V switches on integers of its widths, not on Booleans.
fn widen_switches(module: &Module<'_>) {
    let builder = module.context().create_builder();
    for function in module.functions().filter(|f| !f.is_declaration()) {
        for switch in
            function.instructions().filter(|i| i.opcode() == Opcode::LLVMSwitch).collect::<Vec<_>>()
        {
            let Some(selector) = switch.as_value().operand(0) else { continue };
            let wide = if selector.ty().int_width() == Some(1) {
                with_scalar(selector.ty(), 8)
            } else {
                wide(selector.ty())
            };
            if wide != selector.ty() {
                builder.position_before(switch);
                switch.widen_switch(builder.zext(selector, wide, ""));
            }
        }
    }
}

/// Returns the type like `ty`, which may be a vector, whose integers have `width` bits.
fn with_scalar(ty: Type<'_>, width: u32) -> Type<'_> {
    let number = ty.context().int_type(width);
    ty.element_count().map_or(number, |count| number.vector(count as u32))
}

/// Returns the width in which integers of type `ty` are computed, or `None` if it is their own
/// width.
fn wide_width(ty: Type<'_>) -> Option<u32> {
    match ty.int_width()? {
        1 | 8 | 16 | 32 | 64 => None,
        width => [8, 16, 32, 64].into_iter().find(|legal| width < *legal),
    }
}

fn has_illegal_width(ty: Type<'_>) -> bool {
    wide_width(ty).is_some()
}

fn has_illegal_integer(instruction: Instruction<'_>) -> bool {
    let cast = instruction.opcode() == Opcode::LLVMBitCast;
    let concerns = |ty| has_illegal_width(ty) || cast && elements(ty).is_some_and(|e| e.width == 1);
    concerns(instruction.ty()) || instruction.as_value().operands().any(|o| concerns(o.ty()))
}

/// Whether the instruction extends a widened value that was truncated before.
fn extends_truncation(instruction: Instruction<'_>) -> bool {
    instruction.opcode() == Opcode::LLVMZExt
        && instruction.as_value().operand(0).and_then(|o| wide_width(o.ty()))
            == instruction.ty().int_width()
}

struct Widening<'ctx> {
    builder: Builder<'ctx>,
}

impl<'ctx> Widening<'ctx> {
    /// Replaces an instruction by one on wide integers. Its users see a truncation of the wide
    /// result, and it sees its operands extended; `join` then merges each pair of truncation and
    /// extension.
    fn replace(&self, instruction: Instruction<'ctx>) {
        let phi = instruction.opcode() == Opcode::LLVMPHI;
        self.builder.position_before(instruction);
        if instruction.opcode() == Opcode::LLVMStore && !instruction.is_volatile() {
            let _ = self.store(instruction);
            return;
        }
        let Some(mut result) =
            (if phi { self.phi(instruction) } else { self.compute(instruction) })
        else {
            return;
        };
        if has_illegal_width(instruction.ty()) {
            if phi {
                let Some(body) = instruction.block().and_then(|block| block.first_non_phi()) else {
                    return;
                };
                self.builder.position_before(body);
            }
            result = self.builder.trunc(result, instruction.ty(), "");
        }
        instruction.replace_all_uses_with(result);
        instruction.erase();
    }

    fn compute(&self, instruction: Instruction<'ctx>) -> Option<Value<'ctx>> {
        let b = &self.builder;
        let value = instruction.as_value();
        let (ty, first) = (instruction.ty(), value.operand(0)?);
        let second = || value.operand(1).map(|v| self.unsigned(v));
        Some(match instruction.opcode() {
            Opcode::LLVMZExt | Opcode::LLVMTrunc => {
                self.resized(self.unsigned(first), wide(ty), false)
            }
            Opcode::LLVMSExt => self.resized(self.signed(first), wide(ty), true),
            Opcode::LLVMAdd
            | Opcode::LLVMSub
            | Opcode::LLVMMul
            | Opcode::LLVMUDiv
            | Opcode::LLVMURem
            | Opcode::LLVMAnd
            | Opcode::LLVMOr
            | Opcode::LLVMXor
            | Opcode::LLVMShl
            | Opcode::LLVMLShr => {
                b.binary(instruction.opcode(), self.unsigned(first), second()?, "")
            }
            Opcode::LLVMAShr => b.ashr(self.signed(first), second()?, ""),
            Opcode::LLVMSDiv => b.sdiv(self.signed(first), self.signed(value.operand(1)?), ""),
            Opcode::LLVMSRem => b.srem(self.signed(first), self.signed(value.operand(1)?), ""),
            Opcode::LLVMFPToUI | Opcode::LLVMFPToSI => {
                b.cast(instruction.opcode(), first, wide(ty), "")
            }
            Opcode::LLVMUIToFP => b.cast(Opcode::LLVMUIToFP, self.unsigned(first), ty, ""),
            Opcode::LLVMSIToFP => b.cast(Opcode::LLVMSIToFP, self.signed(first), ty, ""),
            Opcode::LLVMFreeze => b.freeze(self.unsigned(first)),
            Opcode::LLVMSelect => b.select(first, second()?, self.unsigned(value.operand(2)?), ""),
            Opcode::LLVMICmp => {
                let predicate = instruction.int_predicate()?;
                let extended =
                    |v| if is_signed(predicate) { self.signed(v) } else { self.unsigned(v) };
                b.icmp(predicate, extended(first), extended(value.operand(1)?), "")
            }
            Opcode::LLVMBitCast => return self.bit_cast(first, ty),
            Opcode::LLVMLoad if !instruction.is_volatile() => self.load(instruction, first),
            _ => return None,
        })
    }

    /// Casts between an integer and a vector, element by element.
    fn bit_cast(&self, value: Value<'ctx>, ty: Type<'ctx>) -> Option<Value<'ctx>> {
        let b = &self.builder;
        let index = |i: u32| ty.context().int_type(32).const_int(i.into());
        match (elements(value.ty()), elements(ty)) {
            (Some(from), None) if ty.int_width().is_some() => {
                let whole = wide(ty);
                Some((0..from.count).fold(whole.const_null(), |sum, i| {
                    let bits = b.bit_cast(b.extract_element(value, index(i), ""), from.bits(), "");
                    let distance = whole.const_int(u64::from(i * from.width));
                    b.or(sum, b.shl(self.resized(bits, whole, false), distance, ""), "")
                }))
            }
            (None, Some(to)) if value.ty().int_width().is_some() => {
                let whole = self.unsigned(value);
                Some((0..to.count).fold(ty.poison(), |vector, i| {
                    let shifted = b.lshr(whole, whole.ty().const_int(u64::from(i * to.width)), "");
                    let element = b.bit_cast(self.resized(shifted, to.bits(), false), to.ty, "");
                    b.insert_element(vector, element, index(i), "")
                }))
            }
            _ => None,
        }
    }

    fn load(&self, load: Instruction<'ctx>, pointer: Value<'ctx>) -> Value<'ctx> {
        let (b, ty) = (&self.builder, wide(load.ty()));
        parts(load.ty()).into_iter().fold(ty.const_null(), |sum, part| {
            let narrow =
                b.load(ty.context().int_type(part.bytes * 8), part.address(b, pointer), "");
            narrow.set_align(part.align(load.alignment()));
            let widened = self.resized(narrow.as_value(), ty, false);
            b.or(sum, b.shl(widened, ty.const_int(u64::from(part.offset) * 8), ""), "")
        })
    }

    fn store(&self, store: Instruction<'ctx>) -> Option<()> {
        let (value, pointer) = (store.as_value().operand(0)?, store.as_value().operand(1)?);
        let (b, whole) = (&self.builder, self.unsigned(value));
        for part in parts(value.ty()) {
            let shifted = b.lshr(whole, whole.ty().const_int(u64::from(part.offset) * 8), "");
            let narrow =
                self.resized(shifted, whole.ty().context().int_type(part.bytes * 8), false);
            b.store(narrow, part.address(b, pointer)).set_align(part.align(store.alignment()));
        }
        store.erase();
        Some(())
    }

    fn phi(&self, phi: Instruction<'ctx>) -> Option<Value<'ctx>> {
        let result = self.builder.phi(wide(phi.ty()), "");
        let mut seen = Vec::new();
        for (value, block) in phi.incoming() {
            // A predecessor that occurs twice must have the same value both times.
            let known = seen.iter().find(|(from, _)| *from == block).map(|(_, extended)| *extended);
            self.builder.position_before(block.terminator()?);
            let extended = known.unwrap_or_else(|| self.unsigned(value));
            result.add_incoming(extended, block);
            seen.push((block, extended));
        }
        Some(result.as_value())
    }

    /// Zero-extends an operand to a width that SPIR-V supports.
    fn unsigned(&self, value: Value<'ctx>) -> Value<'ctx> {
        let ty = wide(value.ty());
        match value.const_int_value() {
            _ if ty == value.ty() => value,
            Some(number) => ty.const_int(number),
            None if value.is_undef_or_poison() => ty.const_null(),
            None => self.builder.zext(value, ty, ""),
        }
    }

    /// Sign-extends an operand to a width that SPIR-V supports.
    fn signed(&self, value: Value<'ctx>) -> Value<'ctx> {
        let extended = self.unsigned(value);
        let (Some(narrow), Some(width)) = (value.ty().int_width(), wide_width(value.ty())) else {
            return extended;
        };
        let distance = extended.ty().const_int((width - narrow).into());
        self.builder.ashr(self.builder.shl(extended, distance, ""), distance, "")
    }

    fn resized(&self, value: Value<'ctx>, ty: Type<'ctx>, signed: bool) -> Value<'ctx> {
        match value.ty().int_width().cmp(&ty.int_width()) {
            std::cmp::Ordering::Equal => value,
            std::cmp::Ordering::Greater => self.builder.trunc(value, ty, ""),
            std::cmp::Ordering::Less if signed => self.builder.sext(value, ty, ""),
            std::cmp::Ordering::Less => self.builder.zext(value, ty, ""),
        }
    }

    /// Merges the extension of a truncation into a mask of the lower bits.
    fn join(&self, extension: Instruction<'ctx>) {
        let Some(narrow) = extension.as_value().operand(0) else { return };
        let truncation = narrow.as_instruction().filter(|i| i.opcode() == Opcode::LLVMTrunc);
        let Some(whole) = truncation.and_then(|t| t.as_value().operand(0)) else { return };
        let Some(width) = narrow.ty().int_width().filter(|_| whole.ty() == extension.ty()) else {
            return;
        };
        self.builder.position_before(extension);
        let mask = whole.ty().const_int((1 << width) - 1);
        extension.replace_all_uses_with(self.builder.and(whole, mask, ""));
        extension.erase();
    }
}

/// The elements of a vector type.
struct Elements<'ctx> {
    ty: Type<'ctx>,
    count: u32,
    width: u32,
}

impl<'ctx> Elements<'ctx> {
    /// Returns the integer type with the width of an element.
    fn bits(&self) -> Type<'ctx> {
        self.ty.context().int_type(self.width)
    }
}

/// Returns the elements of a vector type, or `None` if `ty` is not a vector of numbers.
fn elements(ty: Type<'_>) -> Option<Elements<'_>> {
    let element = (ty.kind() == TypeKind::LLVMVectorTypeKind).then(|| ty.element())??;
    let width = match element.kind() {
        TypeKind::LLVMHalfTypeKind => 16,
        TypeKind::LLVMFloatTypeKind => 32,
        TypeKind::LLVMDoubleTypeKind => 64,
        _ => element.int_width().filter(|_| !has_illegal_width(element))?,
    };
    Some(Elements { ty: element, count: u32::try_from(ty.element_count()?).ok()?, width })
}

/// A part of an integer in memory that one access reads or writes.
struct Part {
    offset: u32,
    bytes: u32,
}

impl Part {
    fn address<'ctx>(&self, builder: &Builder<'ctx>, pointer: Value<'ctx>) -> Value<'ctx> {
        builder.byte_offset(pointer.ty().context(), pointer, self.offset.into(), "")
    }

    /// Returns the alignment of the part in an integer with the alignment `whole`.
    fn align(&self, whole: u32) -> u32 {
        if self.offset == 0 { whole } else { whole.min(1 << self.offset.trailing_zeros()) }
    }
}

/// Splits the bytes of an integer of an unsupported width into parts of supported widths, lowest
/// first.
fn parts(ty: Type<'_>) -> Vec<Part> {
    let size = ty.int_width().unwrap_or(0).div_ceil(8);
    let mut offset = 0;
    let step = |bytes: u32| {
        (size & bytes != 0).then(|| {
            let part = Part { offset, bytes };
            offset += bytes;
            part
        })
    };
    [8, 4, 2, 1].into_iter().filter_map(step).collect()
}

/// Returns the type in which an integer is computed.
fn wide(ty: Type<'_>) -> Type<'_> {
    wide_width(ty).map_or(ty, |width| ty.context().int_type(width))
}

fn is_signed(predicate: IntPredicate) -> bool {
    use IntPredicate::{LLVMIntSGE, LLVMIntSGT, LLVMIntSLE, LLVMIntSLT};
    matches!(predicate, LLVMIntSGE | LLVMIntSGT | LLVMIntSLE | LLVMIntSLT)
}
