//! Replaces maths intrinsics without an instruction by calls of CUDA's maths library,
//! `__nv_<name>`.
//!
//! If a call allows approximations (`-ffast-math`), a single-precision intrinsic becomes the
//! library's fast function. So does a call of SYCL's function, such as `sycl::sin`; `sycl::sqrt`
//! becomes the instruction that approximates square roots.

use scythe_llvm::{Builder, Instruction, Module, Opcode, Type, TypeKind, Value};

/// The names of intrinsics and the matching functions, which take the same arguments.
const PLAIN: [(&str, &str); 19] = [
    ("acos", "acos"),
    ("asin", "asin"),
    ("atan", "atan"),
    ("atan2", "atan2"),
    ("cos", "cos"),
    ("cosh", "cosh"),
    ("exp", "exp"),
    ("exp10", "exp10"),
    ("exp2", "exp2"),
    ("ldexp", "ldexp"),
    ("log", "log"),
    ("log10", "log10"),
    ("log2", "log2"),
    ("pow", "pow"),
    ("powi", "powi"),
    ("sin", "sin"),
    ("sinh", "sinh"),
    ("tan", "tan"),
    ("tanh", "tanh"),
];

/// The functions that have a fast form.
const FAST: [&str; 9] = ["cos", "exp", "exp10", "log", "log10", "log2", "pow", "sin", "tan"];

/// Replaces the intrinsics in all functions.
pub fn run(module: &Module<'_>) {
    let intrinsics: Vec<_> = module.functions().filter(|f| f.is_intrinsic()).collect();
    for intrinsic in intrinsics {
        let name = intrinsic.name();
        let Some(base) = name.strip_prefix("llvm.").and_then(|rest| rest.split('.').next()) else {
            continue;
        };
        for call in intrinsic.users().into_iter().filter_map(|user| user.as_instruction()) {
            let builder = module.context().create_builder();
            builder.position_before(call);
            let site = Site { module, builder: &builder, call };
            if let Some(value) = site.replacement(base) {
                call.replace_all_uses_with(value);
                call.erase();
            }
        }
    }
    remainders(module);
    approximations(module);
}

/// Replaces calls of SYCL's single-precision functions that allow approximations.
fn approximations(module: &Module<'_>) {
    let fast = FAST.iter().map(|name| (*name, format!("__nv_fast_{name}f")));
    let root = ("sqrt", "llvm.nvvm.sqrt.approx.f".to_owned());
    for (name, symbol) in fast.chain([root]) {
        let numbers = if name == "pow" { "ff" } else { "f" };
        let plain = format!("__spirv_ocl_{name}");
        let Some(function) = module.function(&format!("_Z{}{plain}{numbers}", plain.len())) else {
            continue;
        };
        for call in function.users().into_iter().filter_map(|user| user.as_instruction()) {
            if call.called_function() != Some(function) || !call.allows_approximation() {
                continue;
            }
            let builder = module.context().create_builder();
            builder.position_before(call);
            let site = Site { module, builder: &builder, call };
            call.replace_all_uses_with(site.invoke(&symbol, call.ty(), &call.args()));
            call.erase();
        }
    }
}

/// Replaces the instruction `frem` by a call of `fmod`, which C defines equally. NVPTX's expansion
/// of `frem` loses precision.
fn remainders(module: &Module<'_>) {
    for function in module.functions() {
        let found: Vec<_> =
            function.instructions().filter(|i| i.opcode() == Opcode::LLVMFRem).collect();
        for instruction in found {
            let builder = module.context().create_builder();
            builder.position_before(instruction);
            let site = Site { module, builder: &builder, call: instruction };
            let operands: Vec<_> = instruction.operands().collect();
            if let Some(value) =
                site.by_elements(instruction.ty(), &operands, &|args| site.number("fmod", args))
            {
                instruction.replace_all_uses_with(value);
                instruction.erase();
            }
        }
    }
}

struct Site<'a, 'ctx> {
    module: &'a Module<'ctx>,
    builder: &'a Builder<'ctx>,
    call: Instruction<'ctx>,
}

impl<'ctx> Site<'_, 'ctx> {
    fn replacement(&self, base: &str) -> Option<Value<'ctx>> {
        let args = self.call.args();
        match base {
            "lrint" | "llrint" => self.by_elements(self.call.ty(), &args, &|args| {
                self.whole(self.call.ty(), "llrint", args)
            }),
            "lround" | "llround" => self.by_elements(self.call.ty(), &args, &|args| {
                self.whole(self.call.ty(), "llround", args)
            }),
            "frexp" => self.with_pointer("frexp"),
            "modf" => self.with_pointer("modf"),
            "sincos" => self.sincos(),
            _ => {
                let (_, name) = PLAIN.iter().find(|(intrinsic, _)| *intrinsic == base)?;
                self.by_elements(self.call.ty(), &args, &|args| self.number(name, args))
            }
        }
    }

    /// Applies `function` to each element if `ty` is a vector.
    fn by_elements(
        &self,
        ty: Type<'ctx>,
        args: &[Value<'ctx>],
        function: &dyn Fn(&[Value<'ctx>]) -> Option<Value<'ctx>>,
    ) -> Option<Value<'ctx>> {
        if ty.kind() != TypeKind::LLVMVectorTypeKind {
            return function(args);
        }
        let i32 = self.module.context().int_type(32);
        let mut all = ty.poison();
        for index in 0..ty.element_count()? {
            let at = i32.const_int(index);
            let element = |value: &Value<'ctx>| match value.ty().kind() {
                TypeKind::LLVMVectorTypeKind => self.builder.extract_element(*value, at, ""),
                _ => *value,
            };
            let args: Vec<Value<'ctx>> = args.iter().map(element).collect();
            all = self.builder.insert_element(all, function(&args)?, at, "");
        }
        Some(all)
    }

    /// Calls `name` with floating-point arguments, which integers may follow. `half` values are
    /// computed in `float`.
    fn number(&self, name: &str, args: &[Value<'ctx>]) -> Option<Value<'ctx>> {
        let first = *args.first()?;
        let ty = first.ty();
        match ty.kind() {
            TypeKind::LLVMFloatTypeKind => {
                let fast = FAST.contains(&name) && self.call.allows_approximation();
                let symbol =
                    if fast { format!("__nv_fast_{name}f") } else { format!("__nv_{name}f") };
                Some(self.invoke(&symbol, ty, args))
            }
            TypeKind::LLVMDoubleTypeKind => Some(self.invoke(&format!("__nv_{name}"), ty, args)),
            TypeKind::LLVMHalfTypeKind | TypeKind::LLVMBFloatTypeKind => {
                let float = self.module.context().float_type();
                let wide = |value: &Value<'ctx>| match value.ty() == ty {
                    true => self.builder.fp_ext(*value, float, ""),
                    false => *value,
                };
                let args: Vec<Value<'ctx>> = args.iter().map(wide).collect();
                Some(self.builder.fp_trunc(self.number(name, &args)?, ty, ""))
            }
            _ => None,
        }
    }

    /// Calls `name`, whose result is an integer of 32 or 64 bits.
    fn whole(&self, ty: Type<'ctx>, name: &str, args: &[Value<'ctx>]) -> Option<Value<'ctx>> {
        let context = self.module.context();
        let i64 = context.int_type(64);
        let (symbol, arg) = match args.first()?.ty().kind() {
            TypeKind::LLVMDoubleTypeKind => (format!("__nv_{name}"), args[0]),
            TypeKind::LLVMFloatTypeKind => (format!("__nv_{name}f"), args[0]),
            TypeKind::LLVMHalfTypeKind => {
                (format!("__nv_{name}f"), self.builder.fp_ext(args[0], context.float_type(), ""))
            }
            _ => return None,
        };
        let wide = self.invoke(&symbol, i64, &[arg]);
        let narrow = ty.element().unwrap_or(ty);
        Some(if narrow.int_width() == Some(64) {
            wide
        } else {
            self.builder.trunc(wide, narrow, "")
        })
    }

    /// Calls a function with two results, the second of which it writes to memory.
    fn with_pointer(&self, name: &str) -> Option<Value<'ctx>> {
        let args = self.call.args();
        let number = args.first()?.ty();
        let second = *self.call.ty().contained().get(1)?;
        let place = self.allocate(second)?;
        let symbol = match number.kind() {
            TypeKind::LLVMDoubleTypeKind => format!("__nv_{name}"),
            TypeKind::LLVMFloatTypeKind => format!("__nv_{name}f"),
            _ => return None,
        };
        let first = self.invoke(&symbol, number, &[args[0], place]);
        Some(self.pair(first, self.builder.load(second, place, "").as_value()))
    }

    fn sincos(&self) -> Option<Value<'ctx>> {
        let args = self.call.args();
        let number = args.first()?.ty();
        let symbol = match number.kind() {
            TypeKind::LLVMDoubleTypeKind => "__nv_sincos",
            TypeKind::LLVMFloatTypeKind => "__nv_sincosf",
            _ => return None,
        };
        let places = [self.allocate(number)?, self.allocate(number)?];
        self.invoke(symbol, self.module.context().void_type(), &[args[0], places[0], places[1]]);
        let [sine, cosine] = places.map(|place| self.builder.load(number, place, "").as_value());
        Some(self.pair(sine, cosine))
    }

    fn allocate(&self, ty: Type<'ctx>) -> Option<Value<'ctx>> {
        let start = self.module.context().create_builder();
        start.position_at_start(self.call.function()?.entry_block()?);
        Some(start.alloca(ty, "").as_value())
    }

    fn pair(&self, first: Value<'ctx>, second: Value<'ctx>) -> Value<'ctx> {
        let half = self.builder.insert_value(self.call.ty().poison(), first, 0, "");
        self.builder.insert_value(half, second, 1, "")
    }

    fn invoke(&self, symbol: &str, result: Type<'ctx>, args: &[Value<'ctx>]) -> Value<'ctx> {
        let types: Vec<Type<'ctx>> = args.iter().map(|arg| arg.ty()).collect();
        let function = self.module.get_or_add_function(symbol, result.function(&types, false));
        self.builder.call(function, args, "").as_value()
    }
}
