//! Renumbers the address spaces of generic device code for NVPTX.
//!
//! | memory | generic code | NVPTX |
//! |---|---|---|
//! | private, functions | 0 | 0, which is all memory |
//! | global | 1 | 1 |
//! | constant | 2 | 1 |
//! | local | 3 | 3 |
//! | any | 4 | 0 |
//!
//! The address space of a pointer is part of its type, and types cannot be changed in place. The
//! pass therefore writes the module as text and parses it again with the new numbers; LLVM then
//! renames the intrinsics for their new types. Casts between spaces that get the same number are
//! replaced by marker calls before, which are removed afterwards.
//!
//! Functions of generic code return some objects, such as complex numbers, through memory of the
//! caller. NVPTX functions return them directly. Functions of the library get a wrapper with the
//! signature that the caller expects.

use super::GENERIC_ORIGIN;
use scythe_llvm::{
    Attribute, Context, Error, Function, Linkage, Module, Opcode, Place, TargetMachine, Type,
};

/// The generic address space in generic code.
const ANY: u32 = 4;
/// The prefix of the functions that mark casts.
const MARK: &str = "__scythe_same_space_";

/// Returns the module for the machine, with the address spaces of NVPTX.
pub fn run<'ctx>(
    context: &'ctx Context,
    module: Module<'ctx>,
    machine: &TargetMachine,
) -> Result<Module<'ctx>, Error> {
    mark_casts(&module);
    machine.apply_to(&module);
    let text = renumbered(&module.to_string());
    let name = module.name();
    drop(module);
    let module = context.parse_ir(text.as_bytes(), &name)?;
    for function in module.functions().filter(|f| f.name().starts_with(MARK)).collect::<Vec<_>>() {
        for call in function.users().into_iter().filter_map(|user| user.as_instruction()) {
            if let Some(value) = call.args().first() {
                call.replace_all_uses_with(*value);
                call.erase();
            }
        }
        function.erase();
    }
    let undefined =
        module.functions().filter(|f| f.is_declaration() && !f.is_intrinsic() && f.has_uses());
    for function in undefined.collect::<Vec<_>>() {
        let result = sret_attribute(function);
        if let Some(result) = result.and_then(|sret| sret.type_value()) {
            return_through_memory(&module, function, result);
        }
    }
    let origin = context.handle();
    module.add_named_metadata(GENERIC_ORIGIN, origin.md_node(&[]));
    Ok(module)
}

/// Marks casts that would otherwise become casts from a type to itself, such as those between
/// private and generic memory.
fn mark_casts(module: &Module<'_>) {
    let context = module.context();
    // The address of a function, or null, may be cast in a constant.
    let in_constants =
        |f: &Function<'_>| f.users().iter().any(|user| user.as_instruction().is_none());
    let callees: Vec<_> = module.functions().filter(in_constants).collect();
    for function in module.functions().filter(|f| !f.is_declaration()) {
        callees.iter().for_each(|callee| callee.as_value().expand_constant_users(function));
        let casts: Vec<_> =
            function.instructions().filter(|i| i.opcode() == Opcode::LLVMAddrSpaceCast).collect();
        for cast in casts {
            let Some(value) = cast.operand(0) else { continue };
            let (from, to) = (value.ty(), cast.ty());
            let (Some(from_space), Some(to_space)) = (from.address_space(), to.address_space())
            else {
                continue;
            };
            if ![(0, ANY), (ANY, 0), (1, 2), (2, 1)].contains(&(from_space, to_space)) {
                continue;
            }
            let marker = module.get_or_add_function(
                &format!("{MARK}{from_space}_{to_space}"),
                to.function(&[from], false),
            );
            let builder = context.create_builder();
            builder.position_before(cast);
            let call = builder.call(marker, &[value], "");
            cast.replace_all_uses_with(call.as_value());
            cast.erase();
        }
    }
}

/// Returns the `sret` attribute of a function that returns its result through memory. For functions
/// that clang calls implicitly, such as `__divdc3`, the calls have the attribute, not the
/// declaration.
fn sret_attribute<'ctx>(function: Function<'ctx>) -> Option<Attribute<'ctx>> {
    let calls = || function.users().into_iter().filter_map(|user| user.as_instruction());
    let of_calls = || {
        let mut calls = calls().filter(|call| call.called_function() == Some(function));
        calls.find_map(|call| call.call_enum_attribute(Place::Param(0), "sret"))
    };
    function.enum_attribute(Place::Param(0), "sret").or_else(of_calls)
}

/// Makes `function`, which returns its result through its first parameter, a wrapper of a function
/// with its name that returns the result directly.
fn return_through_memory<'ctx>(
    module: &Module<'ctx>,
    function: Function<'ctx>,
    result: Type<'ctx>,
) {
    let context = module.context();
    let name = function.name();
    function.set_name(&format!("{name}.through_memory"));
    let params = function.params();
    let types: Vec<Type<'ctx>> = params[1..].iter().map(|param| param.ty()).collect();
    let returning = module.add_function(&name, result.function(&types, false));
    let builder = context.create_builder();
    builder.position_at_end(context.append_block(function, ""));
    let call = builder.call(returning, &params[1..], "");
    for index in 0..types.len() as u32 {
        for attribute in function.attributes(Place::Param(index + 1)) {
            returning.add_attribute(Place::Param(index), attribute);
            call.add_call_attribute(Place::Param(index), attribute);
        }
    }
    builder.store(call.as_value(), params[0]).set_align(1);
    builder.ret_void();
    function.set_linkage(Linkage::LLVMInternalLinkage);
}

/// Returns the text with the new address spaces. Quoted text does not change.
fn renumbered(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (index, part) in text.split('"').enumerate() {
        if index > 0 {
            out.push('"');
        }
        // LLVM writes a quote inside quotes as `\22`, so quoted and unquoted parts alternate.
        match index % 2 {
            0 => out.push_str(
                &part.replace(" addrspace(4)", "").replace("addrspace(2)", "addrspace(1)"),
            ),
            _ => out.push_str(part),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_types_are_renumbered() {
        let text = "@s = addrspace(2) constant [3 x i8] c\" addrspace(4)\", \
            section \"addrspace(2)\"\nptr addrspace(4) %p";
        let expected = "@s = addrspace(1) constant [3 x i8] c\" addrspace(4)\", \
            section \"addrspace(2)\"\nptr %p";
        assert_eq!(renumbered(text), expected);
    }
}
