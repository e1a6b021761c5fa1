//! Device code → NVPTX, as [`scythe_abi::cuda`] has it.
//!
//! The steps, in order; between the first two, whoever has files links the libraries:
//!
//! 1. [`prepare`]: the module is one for LLVM's NVPTX target. Code of the generic target gets other address spaces before
//!    ([`generic`]); variables in local memory, maths intrinsics and `printf` become what the target has.
//! 2. [`lower`]: only kernels are visible. What asks for the launch becomes part of its kernel, kernels get their parameters
//!    ([`local_memory`], [`launch`]), objects that functions get by value are copied by their callers, and all is optimised. Atomic
//!    accesses get their scopes and orders ([`atomics`]).
//!
//! Code generation then needs no more than the target machine.

mod atomics;
mod by_value;
mod copies;
pub mod denormals;
mod error;
pub mod generic;
pub mod launch;
pub mod local_memory;
mod maths;
mod names;
mod printf;
mod retarget;
mod short_pointers;
mod signature;
pub mod unsupported;

pub use error::NvptxError;

use crate::target::cpu::local_variables;
use scythe_abi::cuda::{MAX_SLOWEST_SIZE, SUB_GROUP_SIZE};
use scythe_abi::launch::Shape;
use scythe_abi::names::SHAPE_ATTRIBUTE;
use scythe_llvm::{Function, Module, OptLevel, PassOptions, Place, TargetMachine, run_passes};

/// Named metadata of modules that come from the generic target.
const GENERIC_ORIGIN: &str = "scythe.generic";

/// What the driver has functions for.
const PROVIDED: [&str; 5] = ["vprintf", "__assertfail", "malloc", "free", "__nvvm_reflect"];

/// How to compile.
#[derive(Clone, Debug)]
pub struct Options {
    /// 0 to 3.
    pub opt_level: u32,
    /// The architecture's number: 90 for `sm_90`.
    pub sm: u32,
}

/// The stages, for those who want to look at the module after each.
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

/// The first step. May run again when more code was linked.
pub fn prepare(module: &Module<'_>, machine: &TargetMachine, options: &Options) -> Result<(), NvptxError> {
    if module.global("llvm.global_ctors").is_some_and(|list| list.value_type().element_count() != Some(0)) {
        return Err(NvptxError::Constructors);
    }
    crate::properties::drop_annotations(module);
    local_variables::declare(module).map_err(|_| {
        let asked = module.function("__scythe_group_local_memory");
        let user = asked.and_then(|f| f.users().into_iter().find_map(|user| user.as_instruction()?.function()));
        NvptxError::LocalMemory { function: user.map_or_else(String::new, |f| f.name()) }
    })?;
    retarget::run(module, machine, options);
    printf::run(module);
    maths::run(module);
    Ok(())
}

/// The second step. `observe` sees the module after each stage. Gives the machine that the module is for: `machine`, or `short`, which has
/// pointers of 32 bits to shared memory, where optimised code can use it.
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
        ["noinline", "optnone"].iter().for_each(|name| user.remove_enum_attribute(Place::Function, name));
        let attribute = module.context().enum_attribute("alwaysinline", 0);
        attribute.into_iter().for_each(|attribute| user.add_attribute(Place::Function, attribute));
    }
    let passes = PassOptions { loop_unroll: true, slp_vectorize: true, loop_vectorize: true, ..PassOptions::default() };
    run_passes(module, "globaldce,always-inline,globaldce", Some(machine), passes)?;
    for offset in local_memory::run(module) {
        // The first block is at the start of the launch's memory.
        offset.replace_all_uses_with(offset.ty().const_int(0));
    }
    for kernel in module.kernels() {
        let shape = shape(kernel)?;
        sizes(module, kernel)?;
        let kernel = launch::add_parameter(module, kernel, shape);
        launch::answer_queries(module, kernel);
    }
    launch::check_none_left(module)?;
    check_externals(module)?;
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
        // Optimisation and code generation both gain from knowing which memory is meant.
        _ => format!("{whole},function(infer-address-spaces),globaldce"),
    };
    run_passes(module, &pipeline, Some(machine), passes)?;
    if options.opt_level > 0 {
        copies::run(module);
    }
    unsupported::check(module, options.sm)?;
    atomics::run(module, options.sm);
    observe(Stage::Optimized, module)?;
    Ok(machine)
}

fn shape(kernel: Function<'_>) -> Result<Shape, NvptxError> {
    let found = kernel.string_attribute(Place::Function, SHAPE_ATTRIBUTE);
    let shape = found.as_deref().and_then(Shape::from_name);
    shape.ok_or_else(|| NvptxError::Shape { kernel: kernel.name(), found })
}

/// Tells code generation of the sizes that a kernel requires.
fn sizes<'ctx>(module: &Module<'ctx>, kernel: Function<'ctx>) -> Result<(), NvptxError> {
    use crate::target::cpu::specialise;
    if let Some(size) = specialise::required_sub_group(kernel).filter(|size| *size != SUB_GROUP_SIZE) {
        return Err(NvptxError::SubGroup { kernel: kernel.name(), size });
    }
    let Some(size) = specialise::required(kernel) else { return Ok(()) };
    let items = size.iter().try_fold(1u64, |items, extent| items.checked_mul(*extent));
    if items.is_none_or(|items| !(1..=1024).contains(&items)) || size[2] > MAX_SLOWEST_SIZE.into() {
        return Err(NvptxError::WorkGroup { kernel: kernel.name(), size });
    }
    let text = size.map(|extent| extent.to_string()).join(",");
    kernel.add_attribute(Place::Function, module.context().string_attribute("nvvm.reqntid", &text));
    Ok(())
}

/// The symbols that the module uses, does not define, and nobody else provides.
pub fn missing(module: &Module<'_>) -> Vec<String> {
    let undefined = module.functions().filter(|f| f.is_declaration() && !f.is_intrinsic() && f.has_uses());
    let names = undefined.map(|f| f.name());
    let is_query = |name: &str| crate::workgroup::queries::parse(name).is_some_and(|q| q.takes_dimension());
    names.filter(|name| !PROVIDED.contains(&name.as_str()) && !is_query(name)).collect()
}

fn check_externals(module: &Module<'_>) -> Result<(), NvptxError> {
    let Some(symbol) = missing(module).into_iter().next() else { return Ok(()) };
    let users = module.function(&symbol).map(|f| f.users()).unwrap_or_default();
    let user = users.into_iter().find_map(|user| user.as_instruction()?.function());
    Err(NvptxError::Undefined { symbol, user: user.map_or_else(|| "a constant".to_owned(), |f| f.name()) })
}
