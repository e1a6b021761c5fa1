//! Bitcode → linked device module → SPIR-V module, in memory.
//!
//! The back end knows SPIR-V's functions by their names, work-item queries among them, and turns LLVM's own intrinsics into
//! OpenCL's instructions. What it does not know is replaced before: [`address_spaces`], [`intrinsics`], [`aggregates`],
//! [`wide_division`], [`wide_integers`], [`vectors`], [`integers`], [`truncations`], [`layouts`], [`constants`],
//! [`pointer_variables`], variables in local memory that are asked for by a call, the C library's functions (from the device library). What is undefined then is an error that
//! names the symbol; no driver is asked. What properties say is written by the back end where it can, else by [`decorations`].
//!
//! [`check`] looks at the result before a driver does.
//!
//! Guarantees: only kernels are visible in the result; the same input gives the same bytes; time is linear in the input.

mod address_spaces;
mod aggregates;
mod arguments;
mod assertions;
mod attempts;
pub mod binary;
mod check;
mod constants;
mod decorations;
mod events;
mod externals;
mod integers;
mod intrinsics;
mod labels;
mod layouts;
mod pointer_variables;
mod printf;
mod products;
mod truncations;
mod validator;
mod vectors;
mod wide_division;
mod wide_integers;
mod wide_types;

use crate::link;
use attempts::Trouble;
use decorations::Additions;
use scythe_llvm::{
    Context, Linkage, Module, OptLevel, PassOptions, Place, TargetMachine, TargetOptions, run_passes,
    translate_to_spirv,
};
use scythe_passes::target::common::local_variables;
use scythe_passes::{device_globals, device_has};
use std::path::PathBuf;

/// The device library's file in the folder of device libraries.
pub const DEVICE_LIBRARY: &str = "devicelib-spirv.bc";

/// What is worth using where the driver has it. Each is one that the back end has instructions or decorations of; others would
/// change nothing.
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

/// What the spec's programs are translated to where the driver takes it; later versions bring kernels nothing.
const HIGHEST_MINOR: u32 = 4;

/// How much the back end optimises: nothing, whatever the program asks for. Its passes on IR, loop strength reduction first of
/// all, make integers of widths that SPIR-V does not have, after [`integers`] has removed them, and sums with carries, which
/// not all of Intel's compilers for GPUs know. And they replace indices by pointers that are counted up, which drivers then
/// know less about.
const LEVEL: OptLevel = OptLevel::None;

/// How to translate, and for what.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The folder that holds [`DEVICE_LIBRARY`]. It is read when a kernel needs it.
    pub device_lib_dir: Option<PathBuf>,
    /// A folder for each stage.
    pub dump_dir: Option<PathBuf>,
    /// Those that the driver knows, by SPIR-V's names.
    pub extensions: Vec<String>,
    /// The highest version that the driver takes, such as 0x0001_0400.
    pub version: u32,
    /// The device's aspects, for code that asks.
    pub aspects: Vec<u32>,
    /// The one kernel that is wanted, else all.
    pub kernel: Option<String>,
    /// A program that is to judge the result, such as `spirv-val`.
    pub validator: Option<PathBuf>,
}

/// Translates device bitcode, linked with `libraries`, to a SPIR-V module with the same kernels. An error says what was wrong
/// with what.
pub fn translate(bitcode: &[u8], libraries: &[&[u8]], options: &Options) -> Result<Vec<u8>, String> {
    attempts::run(&|| translate_once(bitcode, libraries, options))
}

fn translate_once(bitcode: &[u8], libraries: &[&[u8]], options: &Options) -> Result<Vec<u8>, Trouble> {
    let minor = ((options.version >> 8) & 0xff).min(HIGHEST_MINOR);
    if options.version >> 16 != 1 {
        return Err(format!(
            "the driver takes SPIR-V version {:#010x}, expected version 1 of some kind",
            options.version
        )
        .into());
    }
    let triple = format!("spirv64v1.{minor}-unknown-unknown");
    let context = Context::new();
    let module = context.parse_bitcode(bitcode, "device image").map_err(|e| e.to_string())?;
    link::run(&context, &module, libraries)?;
    // Bitcode that can be read may still be no valid IR, on which passes would fail in any way.
    module.verify().map_err(|e| e.to_string())?;
    if let Some(kernel) = &options.kernel {
        keep_only(&module, kernel)?;
    }
    // Drivers of CPUs and GPUs alike have no use for it.
    module.strip_debug_info();
    dump(options, "spirv-0-input.ll", module.to_string().as_bytes())?;
    let additions = prepare(&context, &module, &triple, options)?;
    dump(options, "spirv-1-prepared.ll", module.to_string().as_bytes())?;

    let known = |name: &&str| options.extensions.iter().any(|e| e == name);
    let mut extensions: Vec<&str> = EXTENSIONS.into_iter().filter(known).collect();
    let prints = printf::is_used(&module);
    extensions.extend(prints.then_some(printf::EXTENSION));
    let has_events = events::are_used(&module);
    match translate_to_spirv(module, &triple, &extensions, LEVEL) {
        Ok(words) => {
            let words = additions.apply(labels::renumber(&words)?)?;
            let words = if has_events { events::repair(&words)? } else { words };
            let words = if prints { printf::repair(&words)? } else { words };
            dump(options, "spirv-2-module.spv", &words)?;
            check::run(&binary::Module::read(&words)?)?;
            if let Some(program) = &options.validator {
                validator::run(program, minor, &words)?;
            }
            Ok(words)
        }
        Err(error) => {
            // The module was left in the middle of its translation, and the context holds it.
            std::mem::forget(context);
            Err(format!("the SPIR-V back end cannot translate the device code: {error}").into())
        }
    }
}

/// Takes out all kernels but the one that is wanted, and what only they need.
fn keep_only(module: &Module<'_>, wanted: &str) -> Result<(), String> {
    let kernels = module.kernels();
    if !kernels.iter().any(|kernel| kernel.name() == wanted) {
        return Err(format!("the device code has no kernel '{wanted}'"));
    }
    for other in kernels.into_iter().filter(|kernel| kernel.name() != wanted) {
        other.remove_comdat();
        other.set_linkage(Linkage::LLVMInternalLinkage);
    }
    run_passes(module, "globaldce", None, PassOptions::default()).map_err(|e| e.to_string())
}

/// Makes the module one that the back end takes. What it cannot take is to be added to its result.
fn prepare<'ctx>(
    context: &'ctx Context,
    module: &Module<'ctx>,
    triple: &str,
    options: &Options,
) -> Result<Additions, String> {
    let machine = TargetMachine::new(&TargetOptions { triple: triple.to_owned(), ..TargetOptions::default() });
    let machine = machine.map_err(|e| e.to_string())?;
    machine.apply_to(module);
    device_globals::to_pointers(module).map_err(|e| e.to_string())?;
    device_has::fold(module, &options.aspects).map_err(|e| e.to_string())?;
    local_variables::declare(module).map_err(|e| e.to_string())?;
    wide_division::run(module);
    externals::link_device_library(context, module, options)?;
    assertions::bring_to_kernels(module);
    events::to_slots(module)?;
    for function in module.functions().filter(|f| !f.is_declaration() && !f.is_kernel()) {
        function.remove_comdat();
        function.set_linkage(Linkage::LLVMInternalLinkage);
    }
    for kernel in module.kernels() {
        kernel.remove_comdat();
        kernel.set_linkage(Linkage::LLVMExternalLinkage);
    }
    // The driver optimises; what helps it most is to know which memory a pointer points to. Code that was compiled without
    // optimisation is optimised here nevertheless: drivers crash on barriers and local memory in functions that are called.
    let mut simplify = "always-inline,inline,globaldce,function(sroa<modify-cfg>,early-cse<memssa>,infer-address-spaces,\
                        instcombine<no-verify-fixpoint>,simplifycfg,sroa<modify-cfg>,infer-address-spaces,adce),globaldce";
    for function in module.functions().filter(|f| f.enum_attribute(Place::Function, "optnone").is_some()) {
        ["optnone", "noinline"].iter().for_each(|name| function.remove_enum_attribute(Place::Function, name));
        simplify = "default<O2>,function(infer-address-spaces,adce),globaldce";
    }
    address_spaces::inline_users(module);
    run_passes(module, simplify, Some(&machine), PassOptions::default()).map_err(|e| e.to_string())?;
    address_spaces::answer(module, &machine).map_err(|e| e.to_string())?;
    arguments::run(module);
    events::finish(module)?;
    if assertions::report(module) {
        externals::link_device_library(context, module, options)?;
        assertions::share(module);
    }
    printf::run(module)?;
    intrinsics::run(module, &options.extensions);
    aggregates::run(module);
    pointer_variables::run(module);
    wide_integers::run(module)?;
    vectors::run(module, &machine).map_err(|e| e.to_string())?;
    integers::run(module);
    layouts::run(module)?;
    constants::run(module)?;
    truncations::run(module);
    let additions = decorations::prepare(module, &options.extensions)?;
    run_passes(module, "globaldce,function(dce)", Some(&machine), PassOptions::default()).map_err(|e| e.to_string())?;
    module.verify().map_err(|e| e.to_string())?;
    externals::check(module)?;
    Ok(additions)
}

fn dump(options: &Options, name: &str, bytes: &[u8]) -> Result<(), String> {
    let Some(folder) = options.dump_dir.as_deref() else { return Ok(()) };
    let path = folder.join(name);
    std::fs::write(&path, bytes).map_err(|e| format!("cannot write '{}': {e}", path.display()))
}
