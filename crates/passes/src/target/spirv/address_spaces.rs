//! Resolves address space queries with SPIR-V's `OpGenericCastToPtrExplicit`. The instruction
//! returns null for memory of another kind.
//!
//! Drivers for CPUs return the pointer for every kind, because they know only its address. The
//! instruction is therefore the last resort. Functions with queries are inlined into their kernels
//! first ([`inline_users`]), where the code often shows the result ([`answer`]).

use crate::target::common::address_spaces::{self, Space};
use scythe_llvm::{
    CallConv, Error, IntPredicate, Module, PassOptions, Place, TargetMachine, run_passes,
};

/// Passes that move variables to registers that only the queries kept in memory.
const CLEANUP_PIPELINE: &str = "function(instcombine<no-verify-fixpoint>,simplifycfg,\
    sroa<modify-cfg>,infer-address-spaces,adce)";

/// Marks all functions with queries to be inlined. None of them may have `optnone`: LLVM does not
/// accept both attributes.
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

/// Replaces all queries. Uses instructions if the code does not show the result.
pub fn answer(module: &Module<'_>, machine: &TargetMachine) -> Result<(), Error> {
    let mut any = false;
    for function in module.functions().filter(|f| !f.is_declaration()).collect::<Vec<_>>() {
        any |= address_spaces::resolve(module, function, &mut |builder, space, pointer| {
            let context = module.context();
            // The name of the function, the address space of its result, and SPIR-V's number of the
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
    if any {
        run_passes(module, CLEANUP_PIPELINE, Some(machine), PassOptions::default())
    } else {
        Ok(())
    }
}
