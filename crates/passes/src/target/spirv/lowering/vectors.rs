//! Takes vectors apart that SPIR-V does not have: those of pointers, and those of other than 2, 3, 4, 8 or 16 elements.
//!
//! Programs have none of pointers, but the optimiser makes them of pointers that are copied together. The SPIR-V back end
//! translates some uses of such vectors, to what drivers refuse, and fails on others.
//!
//! Guarantee: where a module has no such vector, nothing changes.

use scythe_llvm::{Error, Module, PassOptions, TargetMachine, Type, TypeKind, run_passes};

/// LLVM's pass for this takes all vectors apart. Such modules are rare.
pub fn run(module: &Module<'_>, machine: &TargetMachine) -> Result<(), Error> {
    let functions = module.functions().filter(|f| !f.is_declaration());
    let mut instructions = functions.flat_map(|f| f.instructions().collect::<Vec<_>>());
    let concerned = |i: &scythe_llvm::Instruction<'_>| is_unknown(i.ty()) || i.operands().any(|o| is_unknown(o.ty()));
    match instructions.any(|i| concerned(&i)) {
        true => run_passes(module, "function(scalarizer<load-store>,dce)", Some(machine), PassOptions::default()),
        false => Ok(()),
    }
}

fn is_unknown(ty: Type<'_>) -> bool {
    ty.kind() == TypeKind::LLVMVectorTypeKind
        && (ty.scalar().is_pointer() || !matches!(ty.element_count(), Some(2 | 3 | 4 | 8 | 16)))
}
