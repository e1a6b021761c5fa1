//! Lowers a device module to an x86-64 module: kernels become functions that run boxes of
//! work-items.
//!
//! The input is a linked device module for the generic target. Kernels have flat parameters and the
//! attribute [`scythe_abi::names::SHAPE_ATTRIBUTE`]. The output is an optimised module for the
//! machine. It defines `__scythe_cpu.<kernel>` for each kernel and `__scythe_cpu_form.<kernel>` for
//! each nd_range kernel; no other symbol is visible. It refers only to symbols that [`externals`]
//! allows.
//!
//! The steps of [`lower`] in order, with the reasons:
//!
//! 1. Check for code that the device cannot run, while the module still resembles the user's
//!    source.
//! 2. Retarget: triple, data layout, calling conventions, attributes.
//! 3. Simplify. Code that queries the position of its work-item is inlined into its kernel, so that
//!    the result can be a loop counter. Private variables move to registers, so that it is known of
//!    the remaining memory whether it is shared.
//! 4. Wrap: add argument loads and work-item loops around each kernel, with separate code for the
//!    parts of a row that need no bounds checks.
//! 5. Optimise with the machine's cost model. Loads of arguments leave the loops, and the innermost
//!    loop is vectorised.

pub mod address_spaces;
pub mod arguments;
pub mod check;
mod error;
pub mod externals;
pub mod lowering;
mod printf;
pub mod retarget;

pub use error::CpuError;

use crate::kept_variables::{self, BoundGlobals};
use crate::target::common::retarget::allow_optimisation;
use crate::target::common::{local_variables, private_memory, required_sizes, shape};
use arguments::Passing;
use lowering::report::{self, KernelReport, Scalar};
use lowering::widening::subgroup;
use lowering::{
    checks, debug_info, items, local_atomics, local_memory, matrices, queries, specialise,
    work_group,
};
use scythe_abi::checks::Checks;
use scythe_abi::cpu::Form;
use scythe_abi::launch::Shape;
use scythe_abi::names::{CPU_STEPPING, CPU_WHOLE};
use scythe_llvm::{
    Function, Module, OptLevel, PassOptions, Place, TargetMachine, run_function_passes, run_passes,
};
use std::collections::HashMap;

/// The processor to generate code for, and the settings of the code generation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The optimisation level, 0 to 3. At 0, only the passes that correctness needs run.
    pub opt_level: u32,
    /// LLVM's name of the processor; empty for the baseline processor.
    pub cpu: String,
    /// LLVM's feature list; empty for the default features of the processor.
    pub features: String,
    /// The preferred vector width in bits; `0` for LLVM's default.
    pub vector_width: u32,
    /// The number of lanes of widened kernels; a power of two.
    pub lanes: u32,
    /// Whether to run one work-item at a time, without vectors. This is the reference for tests of
    /// widened code. Kernels that observe their sub-groups are still widened, since their
    /// sub-groups would change otherwise.
    pub scalar: bool,
    /// Whether to compile for debuggers ([`debug_info::is_for_stepping`]): variables stay in
    /// memory, and one work-item runs after the other. Needs the optimisation level 0 and `scalar`.
    pub for_stepping: bool,
    /// The checks to add to kernels, besides those that they request
    /// ([`scythe_abi::names::CHECKS_ATTRIBUTE`]). Kernels with checks run one work-item at a time,
    /// as with `scalar`.
    pub checks: Checks,
    /// The only kernel to compile, and its work-group size. If `None`, all kernels are compiled,
    /// for any size.
    pub target: Option<specialise::Target>,
    /// Whether to mark the object as one that contains all kernels
    /// ([`scythe_abi::names::CPU_WHOLE`]).
    pub mark_whole: bool,
    /// Whether the object will be linked with others. If true, visible functions of the module stay
    /// visible, unless they are only meaningful as part of a kernel, and functions of other objects
    /// may be called.
    pub linkable: bool,
}

impl Options {
    /// Returns the options for the host processor with all of its features.
    pub fn host(opt_level: u32) -> Self {
        let (cpu, features) = (scythe_llvm::host_cpu(), scythe_llvm::host_features());
        // LLVM prefers 256 bits even if the processor has 512, to avoid lower clock rates. Kernels
        // that stream through memory and do arithmetic on wide data benefit from the full width.
        let vector_width = if features.split(',').any(|f| f == "+avx512vl") { 512 } else { 0 };
        let has = |feature: &str| features.split(',').any(|f| f == feature);
        let lanes = if has("+avx512vl") {
            16
        } else if has("+avx2") {
            8
        } else {
            4
        };
        Self {
            opt_level,
            cpu,
            features,
            vector_width,
            lanes,
            scalar: false,
            for_stepping: false,
            checks: Checks::NONE,
            target: None,
            mark_whole: false,
            linkable: false,
        }
    }
}

/// The stages of [`lower`]. An observer can inspect the module after each stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Retargeted,
    Simplified,
    Wrapped,
    Optimized,
}

impl Stage {
    pub fn name(self) -> &'static str {
        match self {
            Self::Retargeted => "cpu-1-retargeted",
            Self::Simplified => "cpu-2-simplified",
            Self::Wrapped => "cpu-3-work-groups",
            Self::Optimized => "cpu-4-optimized",
        }
    }
}

/// A kernel while [`lower`] processes it.
struct Kernel<'ctx> {
    function: Function<'ctx>,
    shape: Shape,
    /// The work-group size of all launches, if known. Set by [`Lowering::simplify`].
    local_size: Option<[u64; 3]>,
    /// How each parameter is passed. Set by [`Lowering::simplify`].
    passing: Vec<Passing<'ctx>>,
    /// Whether the kernel becomes vector code of [`items`] instead of loops of [`work_group`]. Set
    /// before the work-group function is created.
    by_items: bool,
    /// The reason why the kernel runs one work-item at a time although it could be widened.
    scalar: Option<Scalar>,
}

/// The function that runs work-groups of a kernel.
struct Entry<'ctx> {
    function: Function<'ctx>,
    /// See [`Kernel::by_items`].
    by_items: bool,
    /// Of other entries, the lanes are known after the optimisation.
    report: KernelReport,
}

/// The module being lowered, with the machine and the options.
struct Lowering<'a, 'ctx> {
    module: &'a Module<'ctx>,
    machine: &'a TargetMachine,
    options: &'a Options,
    passes: PassOptions,
}

/// Lowers `module` for `machine`. Calls `observe` with the module after each stage. Returns a
/// report about each kernel.
pub fn lower<'ctx>(
    module: &Module<'ctx>,
    machine: &TargetMachine,
    options: &Options,
    observe: &mut dyn FnMut(Stage, &Module<'ctx>) -> Result<(), CpuError>,
) -> Result<Vec<KernelReport>, CpuError> {
    let checked = checks::requested(module, options);
    let mut scalar = options.clone();
    scalar.scalar |= !checked.is_empty();
    let options = &scalar;
    let passes = PassOptions {
        loop_vectorize: !options.scalar,
        slp_vectorize: !options.scalar,
        loop_unroll: true,
        loop_interleave: true,
        ..PassOptions::default()
    };
    let lowering = Lowering { module, machine, options, passes };
    let mut kernels = lowering.kernels()?;
    let exports = lowering.retarget(&kernels)?;
    observe(Stage::Retargeted, module)?;
    lowering.simplify(&mut kernels)?;
    let functions: Vec<_> = kernels.iter().map(|kernel| kernel.function).collect();
    let descriptions = checks::add(module, &functions, checked);
    observe(Stage::Simplified, module)?;
    let mut entries = lowering.wrap(&mut kernels, &[exports, descriptions].concat())?;
    observe(Stage::Wrapped, module)?;
    lowering.optimize(&mut entries)?;
    queries::check_none_left(module)?;
    externals::check(module, options.linkable)?;
    observe(Stage::Optimized, module)?;
    Ok(entries.into_iter().map(|entry| entry.report).collect())
}

impl<'ctx> Lowering<'_, 'ctx> {
    /// Returns the kernels to lower: all kernels, or the kernel that the options select.
    fn kernels(&self) -> Result<Vec<Kernel<'ctx>>, CpuError> {
        let mut functions = self.module.kernels();
        if let Some(target) = &self.options.target {
            functions.retain(|k| k.name() == target.kernel);
            if functions.is_empty() {
                return Err(CpuError::NoKernel { kernel: target.kernel.clone() });
            }
        }
        let kernel = |function: Function<'ctx>| {
            let shape = shape::of(function)?;
            Ok(Kernel {
                function,
                shape,
                local_size: None,
                passing: Vec::new(),
                by_items: false,
                scalar: None,
            })
        };
        functions.into_iter().map(kernel).collect()
    }

    /// Checks the module and retargets it to the machine. Returns the functions that other objects
    /// may call.
    fn retarget(&self, kernels: &[Kernel<'ctx>]) -> Result<Vec<Function<'ctx>>, CpuError> {
        let Self { module, options, .. } = *self;
        check::globals(module)?;
        crate::properties::drop_annotations(module);
        local_variables::declare(module)?;
        private_memory::declare(module)?;
        retarget::run(module, self.machine, options);
        printf::run(module);
        let functions: Vec<_> = kernels.iter().map(|k| k.function).collect();
        let query_users = queries::users(module);
        let exports: Vec<_> = module
            .functions()
            .filter(|f| options.linkable && !f.is_declaration() && f.is_externally_visible())
            .filter(|f| !functions.contains(f) && !query_users.contains(f))
            .collect();
        retarget::internalize(module, &[&functions[..], &exports].concat());
        queries::declare_pure(module);
        inline_query_users(&functions, &query_users)?;
        if options.opt_level > 0 {
            inline_moderate(module, &functions);
        }
        Ok(exports)
    }

    /// Inlines and simplifies the code, and collects the facts about each kernel that later stages
    /// need.
    fn simplify(&self, kernels: &mut [Kernel<'ctx>]) -> Result<(), CpuError> {
        let Self { module, machine, options, passes } = *self;
        // The variables of matrices are found in optimised code.
        let plain = options.opt_level == 0 && !matrices::any(module);
        let simplify = if plain { INLINE } else { SIMPLIFY };
        run_passes(module, simplify, Some(machine), passes)?;
        // Work-items run side by side only in optimised code.
        let is_wide = |k: &Kernel<'_>| items::is_side_by_side(k.function, k.shape, options);
        let wide: Vec<bool> = kernels.iter().map(is_wide).collect();
        for (kernel, _) in kernels.iter().zip(&wide).filter(|(_, wide)| **wide) {
            allow_optimisation(kernel.function);
            run_function_passes(kernel.function, TIDY, Some(machine), passes)?;
        }
        for kernel in kernels.iter_mut() {
            address_spaces::resolve_queries(module, kernel.function);
            kernel.local_size = specialise::local_size(kernel.function, kernel.shape, options);
            if let Some(size) = kernel.local_size {
                specialise::answer_size(kernel.function, size);
            }
            kernel.passing = arguments::passing(kernel.function);
            arguments::share_read_only(module, kernel.function);
        }
        let shapes = kernels.iter().zip(wide);
        let shapes = shapes.map(|(k, wide)| (k.function, k.shape != Shape::SingleTask && !wide));
        debug_info::prepare(module, shapes, options.for_stepping);
        if options.opt_level > 0 {
            run_passes(module, FORWARD, Some(machine), passes)?;
        }
        Ok(())
    }

    /// Creates the work-group functions. Afterwards only these functions, their descriptions and
    /// `exports` are visible.
    fn wrap(
        &self,
        kernels: &mut [Kernel<'ctx>],
        exports: &[Function<'ctx>],
    ) -> Result<Vec<Entry<'ctx>>, CpuError> {
        let Self { module, machine, options, passes } = *self;
        for kernel in kernels.iter_mut() {
            matrices::share(kernel.function)?;
            local_atomics::mark(kernel.function);
            kernel.by_items =
                items::is_compiled(kernel.function, kernel.shape, kernel.local_size, options);
        }
        let mut by_items = kernels.iter().filter(|kernel| kernel.by_items).peekable();
        if by_items.peek().is_some() {
            // The passes give the code the form that its splitting at barriers and its widening
            // need. They skip functions with the attribute.
            by_items.for_each(|k| k.function.remove_enum_attribute(Place::Function, "optnone"));
            run_passes(module, items::PREPARE, Some(machine), passes)?;
        }
        for kernel in kernels.iter_mut().filter(|kernel| kernel.by_items) {
            let (function, size) = (kernel.function, kernel.local_size);
            items::prepare(module, machine, function, kernel.shape, size, options)?;
            kernel.scalar = items::loses(module, function, options);
            kernel.by_items = kernel.scalar.is_none();
        }
        let has_state = kept_variables::any(module, BoundGlobals::All);
        let mut entries = Vec::with_capacity(kernels.len());
        let mut visible = Vec::new();
        for kernel in kernels.iter() {
            let (entry, form) = self.make_entry(kernel, has_state)?;
            if kernel.shape == Shape::NdRange {
                visible.push(specialise::describe(module, &kernel.function.name(), form));
            }
            entries.push(entry);
        }
        local_atomics::expand(module);
        kernels.iter().for_each(|kernel| kernel.function.clear_subprogram());
        entries.iter().for_each(|entry| debug_info::complete(entry.function));
        visible.extend(entries.iter().map(|entry| entry.function));
        visible.extend(exports);
        visible.extend(options.mark_whole.then(|| specialise::mark(module, CPU_WHOLE)));
        visible.extend(options.for_stepping.then(|| specialise::mark(module, CPU_STEPPING)));
        retarget::internalize(module, &visible);
        Ok(entries)
    }

    /// Creates the work-group function of a kernel, and returns it with its form. `has_state` says
    /// whether the module has variables that keep values between launches.
    fn make_entry(
        &self,
        kernel: &Kernel<'ctx>,
        has_state: bool,
    ) -> Result<(Entry<'ctx>, Form), CpuError> {
        let Self { module, machine, options, .. } = *self;
        let Kernel { function, shape, local_size, ref passing, by_items, ref scalar } = *kernel;
        let general = shape == Shape::NdRange
            && local_size.is_none()
            && options.opt_level > 0
            && !has_state
            && !options.scalar;
        let hidden =
            required_sizes::sub_group(function).is_none() && !specialise::sees_sub_groups(function);
        let divides = general && hidden && specialise::divides_by_size(function);
        let one_form = general && by_items && items::has_many_barriers(function);
        let mut lanes = if general && (hidden || one_form) { options.lanes } else { 0 };
        let mut sub_group = 1;
        let mut scalar = scalar.clone();
        if scalar.is_some() && !divides {
            lanes = 0;
        }
        let (name, local_bytes) = (function.name(), local_memory::size(module, function));
        let made = if by_items {
            let made = items::make(module, machine, function, passing, shape, local_size, options)?;
            lanes = if made.lanes > 1 || divides { lanes } else { 0 };
            sub_group = made.lanes;
            scalar = made.scalar;
            made.function
        } else {
            // A single task is a sub-group with one work-item, for functions of the device library
            // that query it.
            subgroup::make_single(module, function);
            matrices::lower(module, function, options)?;
            work_group::make(module, function, passing, shape, local_size, options)?
        };
        let required = local_size.unwrap_or_default();
        let form = Form { lanes, every_size: u32::from(divides || one_form), required, sub_group };
        if shape == Shape::SingleTask {
            scalar = Some(Scalar::SingleTask);
        } else if options.scalar {
            scalar = scalar.or(Some(Scalar::Requested)).filter(|_| sub_group == 1);
        } else if options.opt_level == 0 {
            scalar = scalar.or(Some(Scalar::NotOptimised)).filter(|_| sub_group == 1);
        }
        let report = KernelReport { kernel: name, lanes: sub_group, scalar, local_bytes };
        Ok((Entry { function: made, by_items, report }, form))
    }

    /// Optimises each entry according to its form. LLVM's full pipeline vectorises work-item loops.
    /// Code that is already vectorised would only grow in that pipeline, so it gets a shorter one.
    fn optimize(&self, entries: &mut [Entry<'ctx>]) -> Result<(), CpuError> {
        let Self { module, machine, options, passes } = *self;
        let whole = OptLevel::from_number(options.opt_level).pipeline();
        let lean = if options.opt_level == 0 { whole } else { VECTORISED_PIPELINE };
        // The default pipelines vectorise work-item loops even with the vectorisers switched off.
        let whole = if options.scalar { lean } else { whole };
        let context = module.context();
        for (pipeline, by_items) in [(lean, true), (whole, false)] {
            if !entries.iter().any(|entry| entry.by_items == by_items) {
                continue;
            }
            // Passes skip functions with these attributes.
            let others = || {
                entries
                    .iter()
                    .filter(|entry| entry.by_items != by_items)
                    .map(|entry| entry.function)
            };
            for name in ["optnone", "noinline"] {
                if let Some(attribute) = context.enum_attribute(name, 0) {
                    others().for_each(|e| e.add_attribute(Place::Function, attribute));
                }
            }
            let (done, remarks) = scythe_llvm::with_remarks(context, report::PASS, || {
                run_passes(module, &format!("globaldce,{pipeline}"), Some(machine), passes)
            });
            done?;
            for name in ["optnone", "noinline"] {
                others().for_each(|e| e.remove_enum_attribute(Place::Function, name));
            }
            for entry in entries.iter_mut().filter(|entry| entry.by_items == by_items) {
                report::complete(&mut entry.report, module, entry.function, &remarks);
            }
        }
        if entries.is_empty() {
            // The module has only functions for other objects, or none.
            run_passes(module, &format!("globaldce,{whole}"), Some(machine), passes)?;
        }
        Ok(())
    }
}

/// The passes for code that is already vectorised: registers, common subexpressions, loop
/// invariants. If a barrier leads to only one region, jump threading jumps there directly, which
/// leaves a third less code to compile in kernels with many regions.
const VECTORISED_PIPELINE: &str = "function(sroa<modify-cfg>,early-cse<memssa>,simplifycfg,\
    jump-threading,instcombine<no-verify-fixpoint>,loop-mssa(loop-rotate,licm),\
    loop(indvars,loop-deletion,loop-unroll-full),sroa,early-cse<memssa>,\
    instcombine<no-verify-fixpoint>,gvn,loop-mssa(licm),instcombine<no-verify-fixpoint>,\
    simplifycfg<switch-to-lookup>,adce),globaldce";

/// The maximum number of instructions of an inlined function, including everything inlined into it.
/// A function that is not inlined is called for each work-item in turn, which is worth this code
/// size to avoid.
const INLINE_LIMIT: usize = 4000;

/// Marks functions that are to be inlined into their callers.
fn inline_moderate<'ctx>(module: &Module<'ctx>, kernels: &[Function<'ctx>]) {
    /// Returns the number of instructions of a function including everything that is inlined into
    /// it. The result exceeds any limit if the function calls itself.
    fn size<'ctx>(function: Function<'ctx>, known: &mut HashMap<Function<'ctx>, usize>) -> usize {
        if let Some(&n) = known.get(&function) {
            return n;
        }
        known.insert(function, usize::MAX);
        let mut total = 0usize;
        for i in function.instructions() {
            let callee = i.called_function().filter(|f| !f.is_declaration());
            let brought = callee.map_or(0, |f| size(f, known));
            total = total.saturating_add(1).saturating_add(
                if brought <= INLINE_LIMIT || brought == usize::MAX { brought } else { 0 },
            );
        }
        known.insert(function, total);
        total
    }
    let mut known = HashMap::new();
    let functions: Vec<_> =
        module.functions().filter(|f| !f.is_declaration() && !kernels.contains(f)).collect();
    for function in functions {
        let fixed = function.enum_attribute(Place::Function, "noinline").is_some();
        let attribute = function.ty().context().enum_attribute("alwaysinline", 0);
        if let Some(attribute) =
            attribute.filter(|_| !fixed && size(function, &mut known) <= INLINE_LIMIT)
        {
            function.add_attribute(Place::Function, attribute);
        }
    }
}

/// The passes that correctness needs: they inline queries into their kernel.
const INLINE: &str = "globaldce,always-inline";

/// Passes that inline functions and move private variables from memory to registers.
const SIMPLIFY: &str = "globaldce,always-inline,\
    cgscc(inline,function(sroa<modify-cfg>,early-cse<memssa>,simplifycfg,\
    instcombine<no-verify-fixpoint>)),globaldce";

/// The passes over functions in [`SIMPLIFY`].
const TIDY: &str = "sroa<modify-cfg>,early-cse<memssa>,simplifycfg,\
    instcombine<no-verify-fixpoint>";

/// Passes that replace reads of argument copies that are never written by reads of the original
/// memory.
const FORWARD: &str =
    "function(instcombine<no-verify-fixpoint>,sroa<modify-cfg>,early-cse<memssa>)";

/// Ensures that all `users` of queries are inlined into the kernels.
fn inline_query_users<'ctx>(
    kernels: &[Function<'ctx>],
    users: &[Function<'ctx>],
) -> Result<(), CpuError> {
    check::recursion(users)?;
    for user in users.iter().filter(|u| !kernels.contains(u)) {
        for name in ["noinline", "optnone"] {
            user.remove_enum_attribute(Place::Function, name);
        }
        if let Some(attribute) = user.ty().context().enum_attribute("alwaysinline", 0) {
            user.add_attribute(Place::Function, attribute);
        }
    }
    Ok(())
}
