//! Answers questions about the memory that a pointer points to, with SPIR-V's
//! `OpGenericCastToPtrExplicit`. The instruction returns null for memory of another kind.
//!
//! Drivers for CPUs return the pointer for every kind, because they know only its address. The
//! instruction is therefore the last resort. Functions that ask become part of their kernels first
//! ([`inline_users`]), where the code often shows the answer ([`answer`]).

use crate::target::common::address_spaces::{self, Space};
use scythe_llvm::{
    CallConv, Error, IntPredicate, Module, PassOptions, Place, TargetMachine, run_passes,
};

/// Brings what was kept for the questions' sake into registers.
const TIDY: &str = "function(instcombine<no-verify-fixpoint>,simplifycfg,sroa<modify-cfg>,\
    infer-address-spaces,adce)";

/// Marks all functions that ask, to be inlined. None is to be left without optimisation: LLVM does
/// not take both.
pub fn inline_users(module: &Module<'_>) {
    for function in
        address_spaces::users(module).into_iter().filter(|function| !function.is_kernel())
    {
        function.remove_enum_attribute(Place::Function, "noinline");
        if let Some(attribute) = module.context().enum_attribute("alwaysinline", 0) {
            function.add_attribute(Place::Function, attribute);
        }
    }
}

/// Replaces all questions, by instructions where nothing else tells.
pub fn answer(module: &Module<'_>, machine: &TargetMachine) -> Result<(), Error> {
    let mut any = false;
    for function in module.functions().filter(|f| !f.is_declaration()).collect::<Vec<_>>() {
        any |= address_spaces::resolve(module, function, &mut |builder, space, pointer| {
            let context = module.context();
            // The function's name, the address space of its result, and SPIR-V's number of the
            // storage class.
            let (name, result, storage_class) = match space {
                Space::Global => ("_Z41__spirv_GenericCastToPtrExplicit_ToGlobalPvi", 1, 5),
                Space::Local => ("_Z40__spirv_GenericCastToPtrExplicit_ToLocalPvi", 3, 4),
                Space::Private => ("_Z42__spirv_GenericCastToPtrExplicit_ToPrivatePvi", 0, 7),
            };
            let result = context.ptr_type(result);
            let cast = module.get_or_add_function(
                name,
                result.function(&[pointer.ty(), context.int_type(32)], false),
            );
            cast.set_call_conv(CallConv::SPIR_FUNC);
            let there =
                builder.call(cast, &[pointer, context.const_int(32, storage_class)], "").as_value();
            builder.icmp(IntPredicate::LLVMIntNE, there, result.const_null(), "")
        });
    }
    if any { run_passes(module, TIDY, Some(machine), PassOptions::default()) } else { Ok(()) }
}
