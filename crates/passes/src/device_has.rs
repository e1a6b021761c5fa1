//! Resolves device code's queries about its device: `bool __scythe_device_has(uint32_t aspect)`.
//!
//! Code for the generic target keeps all branches of `if_device_has`. Each branch is a call of a
//! function with the attribute [`CONDITIONAL_ATTRIBUTE`], whose value tells which devices take the
//! branch ([`condition`]). The aspects that the function uses count for its callers only on those
//! devices. Such functions are not inlined before the device is known ([`keep_apart`]), so that
//! tools which read linked code can still tell which parts only some devices run.
//!
//! Code generation for a device calls [`fold`] first. It replaces the queries by constants and
//! removes the branches that are not taken, together with everything that only they use, at every
//! optimisation level.

use scythe_abi::condition::Condition;
use scythe_llvm::{Error, Function, Module, PassOptions, Place, run_function_passes, run_passes};

/// The function that device code calls to query an aspect.
pub const QUERY: &str = "__scythe_device_has";

/// Function attribute: only devices that meet the [`Condition`] in its value call the function.
pub const CONDITIONAL_ATTRIBUTE: &str = "scythe-conditional";

/// Passes that propagate the answers through the variables that record the branch taken, and remove
/// unreachable code.
const SIMPLIFY: &str =
    "sroa<modify-cfg>,early-cse,sccp,simplifycfg,instcombine<no-verify-fixpoint>,simplifycfg";

/// Returns the condition that a device must meet to call the function, or `None` if all devices may
/// call it. A malformed value counts as a condition that all devices meet, so that no use is
/// overlooked.
pub fn condition(function: Function<'_>) -> Option<Condition> {
    let text = function.string_attribute(Place::Function, CONDITIONAL_ATTRIBUTE)?;
    text.parse().ok().filter(|condition: &Condition| !condition.is_always())
}

/// Marks a function that only devices which meet `condition` call, and prevents inlining until
/// [`fold`].
pub fn keep_apart<'ctx>(module: &Module<'ctx>, function: Function<'ctx>, condition: &Condition) {
    let context = module.context();
    function.add_attribute(
        Place::Function,
        context.string_attribute(CONDITIONAL_ATTRIBUTE, &condition.to_string()),
    );
    // LLVM's verifier rejects `alwaysinline` together with `noinline`.
    function.remove_enum_attribute(Place::Function, "alwaysinline");
    if let Some(apart) = context.enum_attribute("noinline", 0) {
        function.add_attribute(Place::Function, apart);
    }
}

/// Replaces all queries by the answers for a device with these aspects, and removes the branches
/// that the device does not take. The answer for an aspect that is not a constant is false.
pub fn fold(module: &Module<'_>, aspects: &[u32]) -> Result<(), Error> {
    let Some(query) = module.function(QUERY) else { return Ok(()) };
    let mut asking: Vec<Function<'_>> = Vec::new();
    for call in query.users().into_iter().filter_map(|user| user.as_instruction()) {
        if call.called_function() != Some(query) {
            continue;
        }
        let asked = call.args().first().and_then(|aspect| aspect.const_int_value());
        let has =
            asked.is_some_and(|asked| aspects.iter().any(|&aspect| u64::from(aspect) == asked));
        let Some(bits) = call.as_value().ty().int_width() else { continue };
        asking.extend(call.function().filter(|function| !asking.contains(function)));
        call.as_value().replace_all_uses_with(module.context().const_int(bits, has.into()));
        call.erase();
    }
    let has = |aspect: u32| aspects.contains(&aspect);
    for function in
        module.functions().filter(|&function| condition(function).is_some_and(|c| !c.holds(has)))
    {
        empty(module, function);
    }
    for &function in &asking {
        // Unoptimised code has `optnone`, which would prevent the passes from removing branches.
        if function.enum_attribute(Place::Function, "optnone").is_some() {
            ["optnone", "noinline"]
                .iter()
                .for_each(|name| function.remove_enum_attribute(Place::Function, name));
        }
        run_function_passes(function, SIMPLIFY, None, PassOptions::default())?;
    }
    // The remaining branches become ordinary functions.
    for function in module.functions() {
        if function.string_attribute(Place::Function, CONDITIONAL_ATTRIBUTE).is_none() {
            continue;
        }
        function.remove_string_attribute(Place::Function, CONDITIONAL_ATTRIBUTE);
        if function.enum_attribute(Place::Function, "optnone").is_none() {
            function.remove_enum_attribute(Place::Function, "noinline");
        }
    }
    // In images only entry points are visible, so this removes everything that only the removed
    // branches used.
    run_passes(module, "globaldce", None, PassOptions::default())
}

/// Replaces the body of a function that is never called by `unreachable`. Its callers may stay.
fn empty<'ctx>(module: &Module<'ctx>, function: Function<'ctx>) {
    if function.is_declaration() {
        return;
    }
    let linkage = function.linkage();
    function.delete_body();
    let builder = module.context().create_builder();
    builder.position_at_end(module.context().append_block(function, "never"));
    builder.unreachable();
    function.set_linkage(linkage);
}
