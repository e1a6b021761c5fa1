//! Device modules → one module, with the checks that only make sense before linking merges
//! definitions.
//!
//! Guarantees: one symbol means one kernel; no two inputs define one symbol; kernels and
//! `SYCL_EXTERNAL` functions are never dropped for want of a use; inputs that do not fit are named.

use crate::name::{kernel_name, symbol_name};
use scythe_abi::launch::KernelLaunch;
use scythe_diag::{Diagnostic, Location, codes};
use scythe_llvm::{ContextRef, Function, Linkage, Module};
use scythe_passes::aspects::metadata::Kinds;
use scythe_passes::aspects::requirements::Requirements;
use scythe_passes::launch_metadata;
use scythe_passes::target::nvptx::lowering::denormals;
use std::collections::HashMap;

/// Links `modules`, which all belong to one context; their names stand in messages. The result is
/// called `name` and has the triple `target`. All faults found are given, not only the first.
pub fn link<'ctx>(
    modules: Vec<Module<'ctx>>,
    name: &str,
    target: &str,
) -> Result<Option<Module<'ctx>>, Vec<Diagnostic>> {
    let mut faults = Vec::new();
    for module in &modules {
        check_target(module, target, &mut faults);
        if module.has_indirect_functions() {
            faults.push(broken(
                module,
                "device code cannot contain indirect functions (ifunc)".to_owned(),
            ));
        }
        if let Err(error) = module.verify() {
            faults.push(broken(module, error.to_string()));
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
            .map_err(|error| vec![Diagnostic::error(error.to_string()).code(codes::DEVICE_LINK)])?;
    }
    linked.set_name(name);
    Ok(Some(linked))
}

fn broken(module: &Module<'_>, message: String) -> Diagnostic {
    Diagnostic::error(message).code(codes::DEVICE_LINK).at(Location::file(module.name()))
}

fn check_target(module: &Module<'_>, target: &str, faults: &mut Vec<Diagnostic>) {
    let triple = module.triple();
    let arch = |triple: &str| triple.split('-').next().unwrap_or_default().to_owned();
    if arch(&triple) != arch(target) {
        faults.push(broken(
            module,
            format!("the device code is for '{triple}', expected '{target}'"),
        ));
    }
}

/// The linker drops `linkonce` definitions that nothing uses yet; a kernel is used by the host
/// alone, and an inline `SYCL_EXTERNAL` function perhaps by a module that comes later.
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

/// A kernel that comes from one header included twice stands at one place, and its definition has
/// one identity.
pub(crate) fn is_same_kernel(a: &KernelLaunch, b: &KernelLaunch) -> bool {
    let place = |launch: &KernelLaunch| {
        let file = launch.file.rsplit('/').next().unwrap_or_default().to_owned();
        // Columns change when a compiler is given preprocessed text, as distributed builds do.
        (file, launch.line, launch.identity)
    };
    place(a) == place(b)
}

/// What a kernel demands of devices and what it does, as text without debug information, where
/// nothing of it is known in its module alone: programs may write one kernel of one name in several
/// places, empty ones for the most part.
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
        // Numbers of metadata and of attributes are the module's.
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

/// What devices, and the runtime, make of a kernel's attributes.
#[derive(PartialEq)]
struct Demands {
    requirements: Requirements,
    /// Printed, since some are names and others numbers.
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
                faults.push(broken(module, error.to_string()).code(codes::LAUNCH_ROWS));
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
                    Diagnostic::error(format!(
                        "kernel name '{}' is used by two different kernels",
                        kernel_name(&symbol)
                    ))
                    .code(codes::KERNEL_NAME_CONFLICT)
                    .at(at(&launch))
                    .note_at(at(known), "the other kernel is here"),
                );
            }
        }
    }
}

/// LLVM would say the same of the first such symbol, but not who defines it.
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
                Some(other) => faults.push(broken(
                    module,
                    format!(
                        "device symbol '{}' is defined twice: the other definition is in '{other}'",
                        symbol_name(&symbol)
                    ),
                )),
                None => {
                    first.insert(symbol, module.name());
                }
            }
        }
    }
}
