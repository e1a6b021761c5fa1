//! Classifies instructions and LLVM intrinsics by name: intrinsics that work on vectors as on
//! scalars, and intrinsics that have no effect on a vector.

use scythe_llvm::{Opcode, Type, Value};
use std::collections::HashMap;

pub(super) fn is_cast(opcode: Opcode) -> bool {
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

/// Whether the intrinsic only informs the optimiser about scalar code.
pub fn is_hint(name: &str) -> bool {
    [
        "llvm.assume",
        "llvm.lifetime.",
        "llvm.dbg.",
        "llvm.experimental.noalias.scope.decl",
        "llvm.invariant.",
    ]
    .iter()
    .any(|p| name.starts_with(p))
}

/// An LLVM intrinsic that works on vectors as on scalars.
pub(super) struct Elementwise {
    pub name: &'static str,
    /// The index of an argument that is scalar in the vector form too.
    scalar_arg: Option<usize>,
    /// Whether the intrinsic is also overloaded on the type of its second argument.
    two_types: bool,
}

impl Elementwise {
    pub fn stays_scalar(&self, n: usize) -> bool {
        self.scalar_arg == Some(n)
    }

    pub fn types<'ctx>(&self, result: Type<'ctx>, args: &[Value<'ctx>]) -> Vec<Type<'ctx>> {
        if self.two_types { vec![result, args[1].ty()] } else { vec![result] }
    }
}

pub(super) fn elementwise(name: &str) -> Option<Elementwise> {
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
        return Some(Elementwise {
            name: intrinsic_name(known),
            scalar_arg: None,
            two_types: false,
        });
    }
    // `ctlz`, `cttz`, `abs`: the constant flag stays scalar.
    for known in ["ctlz", "cttz", "abs"] {
        if base == known {
            return Some(Elementwise {
                name: intrinsic_name(known),
                scalar_arg: Some(1),
                two_types: false,
            });
        }
    }
    // `llvm.ldexp.f32.i32`: the exponent is a vector too.
    if rest.starts_with("ldexp.") {
        return Some(Elementwise { name: "llvm.ldexp", scalar_arg: None, two_types: true });
    }
    None
}

/// Returns a name of the table with the prefix `llvm.`, without an allocation at each call.
fn intrinsic_name(base: &str) -> &'static str {
    static NAMES: std::sync::OnceLock<std::sync::Mutex<HashMap<String, &'static str>>> =
        std::sync::OnceLock::new();
    let names = NAMES.get_or_init(Default::default);
    let mut names = names.lock().unwrap_or_else(|e| e.into_inner());
    names
        .entry(base.to_owned())
        .or_insert_with(|| Box::leak(format!("llvm.{base}").into_boxed_str()))
}
