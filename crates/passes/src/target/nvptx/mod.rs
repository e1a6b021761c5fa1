//! Lowers device code to NVPTX in the form that [`scythe_abi::cuda`] describes.
//!
//! The steps, in order. Between the first two, the caller links the libraries:
//!
//! 1. [`prepare`] retargets the module to LLVM's NVPTX target. Before that, code of the generic
//!    target gets the address spaces of NVPTX ([`address_spaces`]). Variables in local memory,
//!    maths intrinsics and `printf` are replaced by features of the target.
//! 2. [`lower`] gives all functions except kernels internal linkage. Functions that query the
//!    launch are inlined into their kernels, and kernels get their parameters ([`arguments`]).
//!    Callers copy objects that functions take by value. Then all code is optimised, and atomic
//!    accesses get their scopes and orders ([`lowering::atomics`]).
//!
//! Code generation then needs only the target machine.

pub mod address_spaces;
pub mod arguments;
pub mod check;
mod error;
pub mod externals;
pub mod lowering;
mod printf;
mod retarget;

pub use error::NvptxError;

use crate::target::common::{local_variables, private_memory, required_sizes, shape};
use lowering::{
    atomics, by_value, copies, extremes, launch, local_arrays, local_memory, loops, matrices,
    names, read_only, short_pointers, single_calls,
};
use scythe_abi::cuda::{MAX_SLOWEST_SIZE, SUB_GROUP_SIZE};
use scythe_llvm::{Function, Module, OptLevel, PassOptions, Place, TargetMachine, run_passes};

/// The named metadata that marks modules of the generic target.
const GENERIC_ORIGIN: &str = "scythe.generic";

/// The settings of the code generation.
#[derive(Clone, Debug)]
pub struct Options {
    /// The optimisation level, 0 to 3.
    pub opt_level: u32,
    /// The number of the architecture: 90 for `sm_90`.
    pub sm: u32,
}

/// The stages. An observer can inspect the module after each stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Prepared,
    Lowered,
    Optimized,
}

impl Stage {
    pub fn name(self) -> &'static str {
        match self {
            Self::Prepared => "nvptx-1-prepared",
            Self::Lowered => "nvptx-2-lowered",
            Self::Optimized => "nvptx-3-optimized",
        }
    }
}

/// Performs the first step. May run again after more code is linked.
pub fn prepare(
    module: &Module<'_>,
    machine: &TargetMachine,
    options: &Options,
) -> Result<(), NvptxError> {
    check::constructors(module)?;
    crate::properties::drop_annotations(module);
    local_variables::declare(module)?;
    private_memory::declare(module)?;
    retarget::run(module, machine, options);
    printf::run(module);
    lowering::maths::run(module);
    Ok(())
}

/// Performs the second step. Calls `observe` with the module after each stage. Returns the machine
/// that the module is compiled for: `machine`, or `short`, which has 32-bit pointers to shared
/// memory, if the optimised code can use it.
pub fn lower<'ctx, 'm>(
    module: &Module<'ctx>,
    machine: &'m TargetMachine,
    short: &'m TargetMachine,
    options: &Options,
    observe: &mut dyn FnMut(Stage, &Module<'ctx>) -> Result<(), NvptxError>,
) -> Result<&'m TargetMachine, NvptxError> {
    retarget::run(module, machine, options);
    retarget::internalize(module);
    observe(Stage::Prepared, module)?;

    let kernels = module.kernels();
    for user in launch::users(module).into_iter().filter(|user| !kernels.contains(user)) {
        ["noinline", "optnone"]
            .iter()
            .for_each(|name| user.remove_enum_attribute(Place::Function, name));
        let attribute = module.context().enum_attribute("alwaysinline", 0);
        attribute.into_iter().for_each(|attribute| user.add_attribute(Place::Function, attribute));
    }
    if options.opt_level > 0 {
        single_calls::run(module);
        local_arrays::align(module);
    }
    let passes = PassOptions {
        loop_unroll: true,
        slp_vectorize: true,
        loop_vectorize: true,
        ..PassOptions::default()
    };
    run_passes(module, "globaldce,always-inline,globaldce", Some(machine), passes)?;
    matrices::run(module, machine, options.sm)?;
    for offset in local_memory::run(module) {
        // The first block is at the start of the launch's memory.
        offset.replace_all_uses_with(offset.ty().const_int(0));
    }
    for kernel in module.kernels() {
        let shape = shape::of(kernel)?;
        sizes(module, kernel)?;
        let kernel = arguments::add_launch(module, kernel, shape);
        launch::answer_queries(module, kernel);
    }
    launch::check_none_left(module)?;
    externals::check(module)?;
    names::run(module);
    by_value::run(module);
    observe(Stage::Lowered, module)?;

    let machine = match options.opt_level {
        0 => machine,
        _ => short_pointers::shorten(module, machine, short)?,
    };
    let whole = OptLevel::from_number(options.opt_level).pipeline();
    let pipeline = match options.opt_level {
        0 => whole.to_owned(),
        // Optimisation and code generation both benefit from known address spaces.
        _ => format!("{whole},function(infer-address-spaces),globaldce"),
    };
    run_passes(module, &pipeline, Some(machine), passes)?;
    if options.opt_level > 0 {
        read_only::run(module);
        loops::unroll(module, machine, passes)?;
        copies::run(module);
        local_arrays::align_accesses(module);
    }
    check::run(module, options.sm)?;
    extremes::run(module);
    atomics::run(module, options.sm);
    observe(Stage::Optimized, module)?;
    Ok(machine)
}

/// Passes the sizes that a kernel requires to code generation, and rejects unsupported sizes.
fn sizes<'ctx>(module: &Module<'ctx>, kernel: Function<'ctx>) -> Result<(), NvptxError> {
    if let Some(size) = required_sizes::sub_group(kernel).filter(|size| *size != SUB_GROUP_SIZE) {
        return Err(NvptxError::SubGroup { kernel: kernel.name(), size });
    }
    let Some(size) = required_sizes::work_group(kernel) else { return Ok(()) };
    let items = size.iter().try_fold(1u64, |items, extent| items.checked_mul(*extent));
    if items.is_none_or(|items| !(1..=1024).contains(&items)) || size[2] > MAX_SLOWEST_SIZE.into() {
        return Err(NvptxError::WorkGroup { kernel: kernel.name(), size });
    }
    let text = size.map(|extent| extent.to_string()).join(",");
    kernel.add_attribute(Place::Function, module.context().string_attribute("nvvm.reqntid", &text));
    Ok(())
}
