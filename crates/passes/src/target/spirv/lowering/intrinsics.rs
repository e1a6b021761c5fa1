//! Replaces LLVM intrinsics that the SPIR-V back end does not translate, or crashes on, by OpenCL's
//! extended instructions or plain arithmetic.

use super::products;
use super::truncations::splat;
use scythe_llvm::{
    Builder, CallConv, Function, Instruction, IntPredicate, Module, Opcode, Type, Value,
};

/// The extension with an instruction that reverses the order of bits.
const BIT_INSTRUCTIONS: &str = "SPV_KHR_bit_instructions";

/// Replaces all calls of these intrinsics, for a driver that supports `extensions`.
pub fn run(module: &Module<'_>, extensions: &[String]) {
    let has_bit_instructions = extensions.iter().any(|name| name == BIT_INSTRUCTIONS);
    for intrinsic in module.functions().filter(|f| f.is_intrinsic()).collect::<Vec<_>>() {
        let name = intrinsic.name();
        let mut parts = name.split('.').skip(1);
        let Some(replace) =
            replacement(parts.next().unwrap_or_default(), parts.next().unwrap_or_default())
        else {
            continue;
        };
        if name.starts_with("llvm.bitreverse.") && has_bit_instructions {
            continue;
        }
        for call in intrinsic.users().into_iter().filter_map(|user| user.as_instruction()) {
            let builder = module.context().create_builder();
            builder.position_before(call);
            if let Some(value) = replace(&Site { module, builder: &builder, call }) {
                call.replace_all_uses_with(value);
                call.erase();
            }
        }
    }
}

type Replace = for<'ctx> fn(&Site<'_, 'ctx>) -> Option<Value<'ctx>>;

/// Returns the replacement of an intrinsic by the first words of its name.
fn replacement(first: &str, second: &str) -> Option<Replace> {
    Some(match (first, second) {
        ("canonicalize", _) => |site| site.args().first().copied(),
        ("bitreverse", _) => |site| site.bits_reversed(),
        ("exp10", _) => |site| site.maths("exp10"),
        ("ldexp", _) => |site| site.maths("ldexp"),
        ("minimumnum", _) => |site| site.maths("fmin"),
        ("maximumnum", _) => |site| site.maths("fmax"),
        ("lrint" | "llrint", _) => |site| site.rounded(),
        ("frexp", _) => |site| site.frexp(),
        ("sincos", _) => |site| site.sincos(),
        ("sadd", "with") => |site| site.overflow(true),
        ("ssub", "with") => |site| site.overflow(false),
        ("uadd", "with") => |site| site.carry(true),
        ("usub", "with") => |site| site.carry(false),
        ("umul", "with") => |site| site.product(false),
        ("smul", "with") => |site| site.product(true),
        _ => return None,
    })
}

/// A call to replace.
struct Site<'a, 'ctx> {
    module: &'a Module<'ctx>,
    builder: &'a Builder<'ctx>,
    call: Instruction<'ctx>,
}

impl<'ctx> Site<'_, 'ctx> {
    fn args(&self) -> Vec<Value<'ctx>> {
        self.call.args()
    }

    /// Calls OpenCL's function `name`, with C++ mangling. Returns `None` for types that the
    /// function does not support.
    fn ocl(&self, name: &str, result: Type<'ctx>, args: &[Value<'ctx>]) -> Option<Value<'ctx>> {
        let mut mangled = format!("_Z{}__spirv_ocl_{name}", "__spirv_ocl_".len() + name.len());
        for arg in args {
            mangled += code(arg.ty())?;
        }
        let types: Vec<Type<'ctx>> = args.iter().map(|arg| arg.ty()).collect();
        let function: Function<'ctx> =
            self.module.get_or_add_function(&mangled, result.function(&types, false));
        function.set_call_conv(CallConv::SPIR_FUNC);
        let call = self.builder.call(function, args, "");
        call.set_call_conv(CallConv::SPIR_FUNC);
        Some(call.as_value())
    }

    fn maths(&self, name: &str) -> Option<Value<'ctx>> {
        self.ocl(name, self.call.ty(), &self.args())
    }

    /// Reverses bits: swaps the halves, then the halves of these, down to single bits.
    fn bits_reversed(&self) -> Option<Value<'ctx>> {
        let (args, b) = (self.args(), self.builder);
        let (mut value, ty) = (*args.first()?, self.call.ty());
        let width = ty.scalar().int_width().filter(|width| [8, 16, 32, 64].contains(width))?;
        let number = |number: u64| splat(b, ty.scalar().const_int(number), ty);
        let mut distance = width / 2;
        while distance > 0 {
            // The mask of the lower part of each pair.
            let mask = number((u64::MAX >> (64 - width)) / ((1 << distance) + 1));
            let upper = b.and(b.lshr(value, number(distance.into()), ""), mask, "");
            value = b.or(upper, b.shl(b.and(value, mask, ""), number(distance.into()), ""), "");
            distance /= 2;
        }
        Some(value)
    }

    fn rounded(&self) -> Option<Value<'ctx>> {
        let args = self.args();
        let whole = self.ocl("rint", args.first()?.ty(), &args)?;
        Some(self.builder.fp_to_si(whole, self.call.ty(), ""))
    }

    /// Calls a function with two results. OpenCL returns the second result through private memory.
    fn second_through_memory(&self, name: &str) -> Option<(Value<'ctx>, Value<'ctx>)> {
        let args = self.args();
        let second = *self.call.ty().contained().get(1)?;
        let entry = self.call.function()?.entry_block()?;
        let start = self.module.context().create_builder();
        start.position_at_start(entry);
        let place = start.alloca(second, "");
        let mut mangled = format!("_Z{}__spirv_ocl_{name}", "__spirv_ocl_".len() + name.len());
        mangled += &format!("{}P{}", code(args.first()?.ty())?, code(second)?);
        let types = [args[0].ty(), place.ty()];
        let function =
            self.module.get_or_add_function(&mangled, args[0].ty().function(&types, false));
        function.set_call_conv(CallConv::SPIR_FUNC);
        let first = self.builder.call(function, &[args[0], place.as_value()], "");
        first.set_call_conv(CallConv::SPIR_FUNC);
        let loaded = self.builder.load(second, place.as_value(), "");
        Some((first.as_value(), loaded.as_value()))
    }

    fn frexp(&self) -> Option<Value<'ctx>> {
        let (fraction, exponent) = self.second_through_memory("frexp")?;
        Some(self.pair(fraction, exponent))
    }

    fn sincos(&self) -> Option<Value<'ctx>> {
        let (sine, cosine) = self.second_through_memory("sincos")?;
        Some(self.pair(sine, cosine))
    }

    /// Computes the sum or difference, and whether it overflowed: its sign contradicts the signs of
    /// the operands.
    fn overflow(&self, add: bool) -> Option<Value<'ctx>> {
        let (args, b) = (self.args(), self.builder);
        let [x, y] = args[..] else { return None };
        let result = if add { b.add(x, y, "") } else { b.sub(x, y, "") };
        let other = b.xor(x, if add { result } else { y }, "");
        let both = if add {
            b.and(other, b.xor(y, result, ""), "")
        } else {
            b.and(other, b.xor(x, result, ""), "")
        };
        let overflowed = b.icmp(IntPredicate::LLVMIntSLT, both, x.ty().const_null(), "");
        Some(self.pair(result, overflowed))
    }

    /// Computes the sum or difference, and whether it left the range of unsigned numbers. SPIR-V
    /// has instructions with both results, but not all drivers support them.
    fn carry(&self, add: bool) -> Option<Value<'ctx>> {
        let (args, b) = (self.args(), self.builder);
        let [x, y] = args[..] else { return None };
        let result = if add { b.add(x, y, "") } else { b.sub(x, y, "") };
        let (less, than) = if add { (result, x) } else { (x, y) };
        Some(self.pair(result, b.icmp(IntPredicate::LLVMIntULT, less, than, "")))
    }

    /// Computes the product, and whether it has more bits than the factors. Returns `None` for
    /// widths that OpenCL has no instruction for.
    fn product(&self, signed: bool) -> Option<Value<'ctx>> {
        let (args, b) = (self.args(), self.builder);
        let [x, y] = args[..] else { return None };
        let width = x.ty().int_width()?;
        if width == 128 {
            return Some(self.wide_product(x, y, signed));
        }
        if ![8, 16, 32, 64].contains(&width) {
            return None;
        }
        let result = b.mul(x, y, "");
        let (upper, expected) = if signed {
            let sign = b.ashr(result, x.ty().const_int((width - 1).into()), "");
            (products::signed_upper_half(self.module, b, x, y), sign)
        } else {
            (products::unsigned_upper_half(self.module, b, x, y), x.ty().const_null())
        };
        Some(self.pair(result, b.icmp(IntPredicate::LLVMIntNE, upper, expected, "")))
    }

    /// Does the same for 128 bits, with products of words, which `wide_integers` supports.
    fn wide_product(&self, x: Value<'ctx>, y: Value<'ctx>, signed: bool) -> Value<'ctx> {
        use IntPredicate::*;
        let (b, ty, word) = (self.builder, x.ty(), self.module.context().int_type(64));
        let (zero, distance) = (ty.const_null(), ty.const_int(64));
        let magnitude = |v: Value<'ctx>| match signed {
            true => b.select(b.icmp(LLVMIntSLT, v, zero, ""), b.sub(zero, v, ""), v, ""),
            false => v,
        };
        let upper = |v: Value<'ctx>| b.lshr(v, distance, "");
        let lower = |v: Value<'ctx>| b.zext(b.trunc(v, word, ""), ty, "");
        let is_set = |v: Value<'ctx>| b.icmp(LLVMIntNE, v, zero, "");
        let (m, n) = (magnitude(x), magnitude(y));
        // If one factor is a single word, one of the two mixed products is zero, and the sum below
        // does not overflow.
        let mixed = [b.mul(upper(m), lower(n), ""), b.mul(upper(n), lower(m), "")];
        let middle = b.add(
            b.or(lower(mixed[0]), lower(mixed[1]), ""),
            upper(b.mul(lower(m), lower(n), "")),
            "",
        );
        let too_large = [
            b.and(is_set(upper(m)), is_set(upper(n)), ""),
            is_set(upper(mixed[0])),
            is_set(upper(mixed[1])),
        ];
        let mut over =
            too_large.into_iter().fold(is_set(upper(middle)), |any, one| b.or(any, one, ""));
        if signed {
            // There is one more negative number than positive numbers.
            let negative = b.zext(b.icmp(LLVMIntSLT, b.xor(x, y, ""), zero, ""), ty, "");
            let largest = b.lshr(b.sub(zero, ty.const_int(1), ""), ty.const_int(1), "");
            over = b.or(
                over,
                b.icmp(LLVMIntUGT, b.mul(m, n, ""), b.add(largest, negative, ""), ""),
                "",
            );
        }
        self.pair(b.mul(x, y, ""), over)
    }

    /// Returns both results as one value. Replaces extractions of the parts directly, and builds
    /// the structure only if other uses remain.
    fn pair(&self, first: Value<'ctx>, second: Value<'ctx>) -> Value<'ctx> {
        for part in
            self.call.as_value().users().into_iter().filter_map(|user| user.as_instruction())
        {
            let element = match part.aggregate_indices()[..] {
                [0] if part.opcode() == Opcode::LLVMExtractValue => first,
                [1] if part.opcode() == Opcode::LLVMExtractValue => second,
                _ => continue,
            };
            part.replace_all_uses_with(element);
            part.erase();
        }
        if !self.call.as_value().has_uses() {
            return self.call.ty().poison();
        }
        let half = self.builder.insert_value(self.call.ty().poison(), first, 0, "");
        self.builder.insert_value(half, second, 1, "")
    }
}

/// Returns the letters of a type in a mangled name.
fn code(ty: Type<'_>) -> Option<&'static str> {
    use scythe_llvm::TypeKind;
    match (ty.kind(), ty.int_width()) {
        (TypeKind::LLVMFloatTypeKind, _) => Some("f"),
        (TypeKind::LLVMDoubleTypeKind, _) => Some("d"),
        (TypeKind::LLVMHalfTypeKind, _) => Some("Dh"),
        (_, Some(32)) => Some("i"),
        _ => None,
    }
}
