//! Lowers device code to SPIR-V.
//!
//! LLVM's SPIR-V back end recognises SPIR-V's functions by their names, including work-item
//! queries, and turns LLVM's intrinsics into OpenCL's instructions. [`lower`] replaces code that
//! the back end does not support, or translates wrongly ([`lowering`]). A symbol that is undefined
//! afterwards is an error with the name of the symbol; the module does not reach a driver. The
//! caller then runs the back end, and [`Lowered::finish`] adds instructions to the result that the
//! back end cannot emit. [`check`] validates the finished module before it is passed to a driver.
//!
//! Guarantees: only kernels are visible in the result; the same input gives the same bytes; the
//! time is linear in the size of the input.

pub mod address_spaces;
pub mod arguments;
pub mod check;
mod error;
pub mod externals;
pub mod lowering;
pub mod printf;
pub mod retarget;

pub use error::SpirvError;

use crate::target::common::{local_variables, private_memory};
use crate::{device_globals, device_has};
use lowering::decorations::{self, Additions};
use lowering::{
    aggregates, assertions, constants, events, integers, intrinsics, labels, layouts,
    pointer_variables, truncations, vectors, wide_division, wide_integers,
};
use scythe_llvm::{Module, PassOptions, TargetMachine, run_passes};

/// The extensions to use if the driver supports them. The back end has instructions or decorations
/// for each of them; other extensions would have no effect.
const EXTENSIONS: [&str; 12] = [
    "SPV_EXT_shader_atomic_float_add",
    "SPV_EXT_shader_atomic_float_min_max",
    "SPV_EXT_shader_atomic_float16_add",
    "SPV_INTEL_global_variable_fpga_decorations",
    "SPV_INTEL_global_variable_host_access",
    "SPV_INTEL_optnone",
    "SPV_INTEL_subgroups",
    "SPV_KHR_bit_instructions",
    "SPV_KHR_expect_assume",
    "SPV_KHR_integer_dot_product",
    "SPV_KHR_no_integer_wrap_decoration",
    "SPV_KHR_uniform_group_instructions",
];

/// The settings of the translation.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The extensions that the driver supports, by SPIR-V's names.
    pub extensions: Vec<String>,
    /// The aspects of the device, for code that queries them.
    pub aspects: Vec<u32>,
}

/// The properties of a module that is ready for the back end.
pub struct Lowered {
    /// The extensions that the back end may use.
    pub extensions: Vec<&'static str>,
    additions: Additions,
    prints: bool,
    has_events: bool,
}

impl Lowered {
    /// Completes the module that the back end emitted for the lowered module.
    pub fn finish(&self, words: &[u8]) -> Result<Vec<u8>, SpirvError> {
        let words = self.additions.apply(labels::renumber(words)?)?;
        let words = if self.has_events { events::repair(&words)? } else { words };
        let words = if self.prints { printf::repair(&words)? } else { words };
        Ok(words)
    }
}

/// The passes for optimised code. The driver optimises as well; it benefits most from known address
/// spaces of pointers.
const SIMPLIFY: &str = "always-inline,inline,globaldce,\
    function(sroa<modify-cfg>,early-cse<memssa>,infer-address-spaces,\
    instcombine<no-verify-fixpoint>,simplifycfg,sroa<modify-cfg>,infer-address-spaces,adce),\
    globaldce";

/// The passes for code that was compiled without optimisation. The code is optimised nevertheless:
/// drivers crash on barriers and local memory in functions that are called.
const OPTIMISE: &str = "default<O2>,function(infer-address-spaces,adce),globaldce";

/// Lowers `module` to a form that the back end accepts. `link` links missing functions from the
/// device library. It is called once, and again if lowering has added calls of the library.
pub fn lower<'ctx, E: From<SpirvError>>(
    module: &Module<'ctx>,
    machine: &TargetMachine,
    options: &Options,
    link: &mut dyn FnMut(&Module<'ctx>) -> Result<(), E>,
) -> Result<Lowered, E> {
    prepare(module, machine, options)?;
    link(module)?;
    simplify(module, machine)?;
    if assertions::report(module) {
        link(module)?;
        assertions::share(module);
    }
    Ok(legalise(module, machine, options)?)
}

/// Performs the steps before the device library is linked.
fn prepare(
    module: &Module<'_>,
    machine: &TargetMachine,
    options: &Options,
) -> Result<(), SpirvError> {
    retarget::run(module, machine);
    device_globals::to_pointers(module)?;
    device_has::fold(module, &options.aspects)?;
    local_variables::declare(module)?;
    private_memory::declare(module)?;
    wide_division::run(module);
    Ok(())
}

/// Simplifies the code, so that it shows the facts that later steps need.
fn simplify(module: &Module<'_>, machine: &TargetMachine) -> Result<(), SpirvError> {
    assertions::mark_for_inlining(module);
    events::to_slots(module)?;
    retarget::internalize(module);
    let pipeline = if retarget::allow_optimisation(module) { OPTIMISE } else { SIMPLIFY };
    address_spaces::inline_users(module);
    run_passes(module, pipeline, Some(machine), PassOptions::default())?;
    address_spaces::answer(module, machine)?;
    arguments::run(module);
    events::finish(module)
}

/// Replaces all code that the back end does not support.
fn legalise(
    module: &Module<'_>,
    machine: &TargetMachine,
    options: &Options,
) -> Result<Lowered, SpirvError> {
    printf::run(module)?;
    intrinsics::run(module, &options.extensions);
    aggregates::run(module);
    pointer_variables::run(module);
    wide_integers::run(module)?;
    vectors::run(module, machine)?;
    integers::run(module);
    layouts::run(module)?;
    constants::run(module)?;
    truncations::run(module);
    let additions = decorations::prepare(module, &options.extensions)?;
    run_passes(module, "globaldce,function(dce)", Some(machine), PassOptions::default())?;
    module.verify()?;
    externals::check(module)?;
    let (prints, has_events) = (printf::is_used(module), events::are_used(module));
    let known = |name: &&str| options.extensions.iter().any(|e| e == name);
    let mut extensions: Vec<&'static str> = EXTENSIONS.into_iter().filter(known).collect();
    extensions.extend(prints.then_some(printf::EXTENSION));
    Ok(Lowered { extensions, additions, prints, has_events })
}
