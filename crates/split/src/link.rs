//! Links device modules into one, after checks that are possible only before the link merges
//! definitions.
//!
//! Guarantees: a symbol identifies one kernel. No two inputs define the same symbol. The link never
//! drops kernels and `SYCL_EXTERNAL` functions because they are unused. Errors name the input that
//! does not fit.

use crate::errors::{
    DamagedLaunchRows, DuplicateDefinition, IncompatibleModules, IndirectFunction, InvalidModule,
    KernelNameConflict, OtherTarget,
};
use crate::name::{kernel_name, symbol_name};
use scythe_abi::launch::KernelLaunch;
use scythe_diag::{Diagnostic, Location, Report};
use scythe_llvm::{ContextRef, Function, Linkage, Module};
use scythe_passes::aspects::metadata::Kinds;
use scythe_passes::aspects::requirements::Requirements;
use scythe_passes::launch_metadata;
use scythe_passes::target::nvptx::lowering::denormals;
use std::collections::HashMap;

/// Links `modules`, which all belong to one context. Their names occur in messages. The result has
/// the name `name` and the triple `target`. Returns all errors, not only the first.
pub fn link<'ctx>(
    modules: Vec<Module<'ctx>>,
    name: &str,
    target: &str,
) -> Result<Option<Module<'ctx>>, Vec<Diagnostic>> {
    let mut faults = Vec::new();
    for module in &modules {
        check_target(module, target, &mut faults);
        if module.has_indirect_functions() {
            faults.push(in_module(module, &IndirectFunction));
        }
        if let Err(error) = module.verify() {
            faults.push(in_module(module, &InvalidModule { reason: error.to_string() }));
        }
    }
    check_kernel_names(&modules, &mut faults);
    check_definitions(&modules, &mut faults);
    if !faults.is_empty() {
        return Err(faults);
    }
    let mut modules = modules.into_iter();
    let Some(linked) = modules.next() else { return Ok(None) };
    keep_unused(&linked);
    denormals::reconcile(&linked);
    for module in modules {
        keep_unused(&module);
        denormals::reconcile(&module);
        linked
            .link(module)
            .map_err(|error| vec![IncompatibleModules { reason: error.to_string() }.report()])?;
    }
    linked.set_name(name);
    Ok(Some(linked))
}

/// Reports an error at the file of a module.
fn in_module(module: &Module<'_>, error: &impl Report) -> Diagnostic {
    error.report().at(Location::file(module.name()))
}

fn check_target(module: &Module<'_>, target: &str, faults: &mut Vec<Diagnostic>) {
    let triple = module.triple();
    let arch = |triple: &str| triple.split('-').next().unwrap_or_default().to_owned();
    if arch(&triple) != arch(target) {
        let error = OtherTarget { seen: triple, expected: target.to_owned() };
        faults.push(in_module(module, &error));
    }
}

/// Keeps unused `linkonce` definitions, which the linker would drop. Only the host uses a kernel,
/// and a later module may use an inline `SYCL_EXTERNAL` function.
fn keep_unused(module: &Module<'_>) {
    let kept = |linkage| match linkage {
        Linkage::LLVMLinkOnceAnyLinkage => Some(Linkage::LLVMWeakAnyLinkage),
        Linkage::LLVMLinkOnceODRLinkage => Some(Linkage::LLVMWeakODRLinkage),
        _ => None,
    };
    for function in module.functions().filter(|function| !function.is_declaration()) {
        if let Some(linkage) = kept(function.linkage()) {
            function.set_linkage(linkage);
        }
    }
    for global in module.globals().filter(|global| !global.is_declaration()) {
        if let Some(linkage) = kept(global.linkage()) {
            global.set_linkage(linkage);
        }
    }
}

/// Whether two kernels come from one definition, such as one header that two units include: their
/// locations and their identities are equal.
pub(crate) fn is_same_kernel(a: &KernelLaunch, b: &KernelLaunch) -> bool {
    let place = |launch: &KernelLaunch| {
        let file = launch.file.rsplit('/').next().unwrap_or_default().to_owned();
        // Columns change if a compiler gets preprocessed text, as in distributed builds.
        (file, launch.line, launch.identity)
    };
    place(a) == place(b)
}

/// Returns the requirements and the code of a kernel, as text without debug information. Returns
/// `None` if the kernel uses a symbol that is local to its module. Programs may define a kernel
/// with one name in several places; most of these kernels are empty.
fn code(module: &Module<'_>, symbol: &str) -> Option<(Demands, Vec<String>)> {
    let is_local =
        |linkage| matches!(linkage, Linkage::LLVMInternalLinkage | Linkage::LLVMPrivateLinkage);
    let is_known_outside = |name: &str| match (module.function(name), module.global(name)) {
        (Some(function), _) => !is_local(function.linkage()),
        (None, Some(global)) => !is_local(global.linkage()),
        (None, None) => false,
    };
    let kernel = module.function(symbol)?;
    let text = kernel.as_value().to_string();
    let mut words = Vec::new();
    for word in text.lines().filter(|line| !line.starts_with(';')).flat_map(str::split_whitespace) {
        // The numbers of metadata and attributes differ between modules.
        if word.starts_with(['!', '#']) {
            continue;
        }
        for after in word.split('@').skip(1) {
            let name =
                after.split(|c: char| !(c.is_ascii_alphanumeric() || "._$-".contains(c))).next()?;
            if !is_known_outside(name) {
                return None;
            }
        }
        words.push(word.trim_end_matches(',').to_owned());
    }
    Some((Demands::of(kernel, module.context()), words))
}

/// The attributes of a kernel that devices and the runtime use.
#[derive(PartialEq)]
struct Demands {
    requirements: Requirements,
    /// The operands of other metadata, as text because some are names and others are numbers.
    others: Vec<Option<String>>,
}

impl Demands {
    fn of(kernel: Function<'_>, context: ContextRef<'_>) -> Self {
        const OTHERS: [&str; 3] =
            ["work_group_size_hint", "intel_reqd_sub_group_size", "scythe_logical_work_group_size"];
        let printed = |kind: &str| {
            let node = kernel.metadata(context.metadata_kind(kind))?;
            let operands = node.operands().into_iter().flatten();
            Some(
                operands
                    .map(|operand| operand.as_value(context).to_string())
                    .collect::<Vec<_>>()
                    .join(", "),
            )
        };
        let requirements = Requirements::of(kernel, Kinds::new(context));
        Self { requirements, others: OTHERS.map(printed).to_vec() }
    }
}

fn check_kernel_names(modules: &[Module<'_>], faults: &mut Vec<Diagnostic>) {
    let mut first: HashMap<String, (KernelLaunch, &Module<'_>)> = HashMap::new();
    for module in modules {
        let rows = match launch_metadata::read(module) {
            Ok(rows) => rows,
            Err(error) => {
                faults.push(in_module(module, &DamagedLaunchRows { reason: error.to_string() }));
                continue;
            }
        };
        for (symbol, launch) in rows {
            let Some((known, other)) = first.get(&symbol) else {
                first.insert(symbol, (launch, module));
                continue;
            };
            let does_the_same = || {
                let (own, others) = (code(module, &symbol), code(other, &symbol));
                known.identity == launch.identity && own.is_some() && own == others
            };
            if !is_same_kernel(known, &launch) && !does_the_same() {
                let at =
                    |launch: &KernelLaunch| Location::new(&launch.file, launch.line, launch.column);
                faults.push(
                    KernelNameConflict { kernel: kernel_name(&symbol) }
                        .report()
                        .at(at(&launch))
                        .note_at(at(known), "the other kernel is here"),
                );
            }
        }
    }
}

/// Reports symbols that two modules define. LLVM reports only the first, without its files.
fn check_definitions(modules: &[Module<'_>], faults: &mut Vec<Diagnostic>) {
    let mut first: HashMap<String, String> = HashMap::new();
    for module in modules {
        let strong = |linkage| linkage == Linkage::LLVMExternalLinkage;
        let functions = module
            .functions()
            .filter(|f| !f.is_declaration() && strong(f.linkage()))
            .map(|f| f.name());
        let globals = module
            .globals()
            .filter(|g| !g.is_declaration() && strong(g.linkage()))
            .map(|g| g.name());
        for symbol in functions.chain(globals) {
            match first.get(&symbol) {
                Some(other) => {
                    let (symbol, other) = (symbol_name(&symbol), other.clone());
                    faults.push(in_module(module, &DuplicateDefinition { symbol, other }));
                }
                None => {
                    first.insert(symbol, module.name());
                }
            }
        }
    }
}
