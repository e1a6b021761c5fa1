//! Answers what device code asks of its device: `bool __scythe_device_has(uint32_t aspect)`.
//!
//! Code for the generic target keeps all branches of `if_device_has`, each a call of a function
//! with the attribute [`CONDITIONAL_ATTRIBUTE`], whose value tells which devices take the branch
//! ([`condition`]): what the function uses counts for its callers on those devices alone. Such
//! functions are not inlined before the device is known ([`keep_apart`]), so that whoever looks at
//! linked code can still tell what only some devices run.
//!
//! Whoever compiles for a device calls [`fold`] first: questions become constants, and branches
//! that are not taken are gone from the module, together with all that only they used, at every
//! optimisation level.

use scythe_abi::condition::Condition;
use scythe_llvm::{Error, Function, Module, PassOptions, Place, run_function_passes, run_passes};

/// The function that device code asks.
pub const QUERY: &str = "__scythe_device_has";

/// Function attribute: the function is called only on devices that meet the [`Condition`] which is
/// its value.
pub const CONDITIONAL_ATTRIBUTE: &str = "scythe-conditional";

/// Follows the answers through the variables that hold which branch was taken, and removes what
/// cannot be reached.
const SIMPLIFY: &str =
    "sroa<modify-cfg>,early-cse,sccp,simplifycfg,instcombine<no-verify-fixpoint>,simplifycfg";

/// Which devices call the function; `None` where all may. A value that is no condition counts as
/// one that all devices meet, so that nothing is overlooked.
pub fn condition(function: Function<'_>) -> Option<Condition> {
    let text = function.string_attribute(Place::Function, CONDITIONAL_ATTRIBUTE)?;
    text.parse().ok().filter(|condition: &Condition| !condition.is_always())
}

/// Marks a function as one that only devices which meet `condition` call, and keeps it a function
/// until [`fold`].
pub fn keep_apart<'ctx>(module: &Module<'ctx>, function: Function<'ctx>, condition: &Condition) {
    let context = module.context();
    function.add_attribute(
        Place::Function,
        context.string_attribute(CONDITIONAL_ATTRIBUTE, &condition.to_string()),
    );
    // LLVM's verifier does not take both.
    function.remove_enum_attribute(Place::Function, "alwaysinline");
    if let Some(apart) = context.enum_attribute("noinline", 0) {
        function.add_attribute(Place::Function, apart);
    }
}

/// Replaces all questions by the answers for a device with these aspects, and removes the branches
/// that it does not take. An aspect that is not a constant counts as none.
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
        // Code without optimisation forbids it, and would keep all branches.
        if function.enum_attribute(Place::Function, "optnone").is_some() {
            ["optnone", "noinline"]
                .iter()
                .for_each(|name| function.remove_enum_attribute(Place::Function, name));
        }
        run_function_passes(function, SIMPLIFY, None, PassOptions::default())?;
    }
    // What is left of the branches is like any other function.
    for function in module.functions() {
        if function.string_attribute(Place::Function, CONDITIONAL_ATTRIBUTE).is_none() {
            continue;
        }
        function.remove_string_attribute(Place::Function, CONDITIONAL_ATTRIBUTE);
        if function.enum_attribute(Place::Function, "optnone").is_none() {
            function.remove_enum_attribute(Place::Function, "noinline");
        }
    }
    // In images nothing but entry points is visible, so that all that only the removed branches
    // used goes.
    run_passes(module, "globaldce", None, PassOptions::default())
}

/// Takes out the body of a function that is never called, whatever is known of its callers.
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
