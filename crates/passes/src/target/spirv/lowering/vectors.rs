//! Splits vectors that SPIR-V lacks: vectors of pointers, and vectors with other than 2, 3, 4, 8 or
//! 16 elements.
//!
//! Programs have no vectors of pointers, but the optimiser creates them for pointers that are
//! copied together. The SPIR-V back end fails on some uses of these vectors, and translates others
//! to code that drivers reject.
//!
//! Guarantee: a module without these vectors does not change.

use scythe_llvm::{Error, Module, PassOptions, TargetMachine, Type, TypeKind, run_passes};

/// Splits the vectors. LLVM's pass for this purpose splits all vectors of the module. Modules that
/// need it are rare.
pub fn run(module: &Module<'_>, machine: &TargetMachine) -> Result<(), Error> {
    let functions = module.functions().filter(|f| !f.is_declaration());
    let mut instructions = functions.flat_map(|f| f.instructions().collect::<Vec<_>>());
    let concerned = |i: &scythe_llvm::Instruction<'_>| {
        is_unknown(i.ty()) || i.operands().any(|o| is_unknown(o.ty()))
    };
    match instructions.any(|i| concerned(&i)) {
        true => run_passes(
            module,
            "function(scalarizer<load-store>,dce)",
            Some(machine),
            PassOptions::default(),
        ),
        false => Ok(()),
    }
}

fn is_unknown(ty: Type<'_>) -> bool {
    ty.kind() == TypeKind::LLVMVectorTypeKind
        && (ty.scalar().is_pointer() || !matches!(ty.element_count(), Some(2 | 3 | 4 | 8 | 16)))
}
