//! The two stages of the plug-in: the first processes the complete AST, the second the module.

use scythe_abi::aspect::Aspect;
use scythe_abi::condition::Condition;
use scythe_abi::launch::KernelLaunch;
use scythe_diag::{Diagnostic, Report};
use scythe_llvm::Module;
use scythe_passes::properties::parameters::NO_ALIAS;

use crate::annotate::{self, DeviceGlobalNote, FunctionNote, KernelNote, UnitNotes, VariableNote};
use crate::aspects::{self, AspectFacts};
use crate::call_operator::{self, CallOperator};
use crate::call_site::{self, CallSite};
use crate::errors::parts::{NamedKernel, Output};
use crate::errors::{KernelNameConflict, Pass};
use crate::facts::{Capture, Closure, Decl, Function, Kernel, Loc, Source};
use crate::functor_layouts::unwritable;
use crate::int_header::{self, Doubt, Header, KernelEntry};
use crate::options::Options;
use crate::reach::{Graph, Node, Root};
use crate::rows::{self, Row};
use crate::unit::{Reporter, Unit};
use crate::warnings::Pragmas;
use crate::{
    attributes, captures, diagnose, free_function, functor, functor_layouts, properties, scratch,
    virtual_tables,
};

/// The first stage: checks device code, writes the integration header, and returns the notes for
/// IR. Returns `None` after errors, because clang then generates no IR.
pub fn unit(unit: &Unit, options: &Options) -> Option<UnitNotes> {
    if unit.errors {
        return None;
    }
    let mut kernels: Vec<Kernel> = unit.kernels.iter().map(|&entry| unit.kernel(entry)).collect();
    let mut sites = call_site::find(unit, &unit.kernels, &unit.instantiations);
    kernels.iter_mut().for_each(free_function::name_parameters);
    for (site, kernel) in sites.iter_mut().zip(&kernels) {
        site.loc = free_function::site(kernel).unwrap_or(site.loc);
    }
    // An invalid part of a functor causes invalid calls in the kernel. These calls are not
    // reported: kernels with an invalid functor are not checked.
    let fit: Vec<bool> = kernels
        .iter()
        .zip(&sites)
        .map(|(kernel, site)| functor::check(unit, kernel, site.loc))
        .collect();
    let named_once = name_conflicts(unit, &kernels, &sites);
    let all_fit = fit.iter().all(|&fits| fits) && named_once;
    retain(&mut kernels, &fit);
    retain(&mut sites, &fit);
    let roots: Vec<Decl> = kernels.iter().map(|kernel| kernel.entry).collect();
    let graph = Graph::explore(unit, &roots, &unit.externals);
    let sound = diagnose::device_globals(unit, &unit.misuses)
        & free_function::check(unit, &unit.faulty_functions)
        & diagnose::device_code(unit, &graph, &kernels, &sites);
    let variables = properties::variables(unit, &graph);
    let operators: Vec<Option<CallOperator<'_>>> =
        kernels.iter().map(|kernel| call_operator::find(&graph, kernel)).collect();
    let well_formed = attributes::check(unit, &graph, &kernels)
        & attributes::reached(unit, &graph, &kernels, &operators)
        & scratch::check(unit, &graph, &kernels, &sites)
        & properties::check(unit, &graph, &kernels, &variables);
    if !(all_fit && sound && well_formed) {
        return None;
    }

    let mut notes = UnitNotes {
        module_id: unit.main_file.clone(),
        tu_id: options.tu_id.clone(),
        types: unit.types.clone(),
        aspects: AspectFacts::new(unit, &graph, &kernels, &operators),
        ..UnitNotes::default()
    };
    for (kernel, operator) in kernels.iter().zip(&operators) {
        notes.kernels.push(kernel_note(unit, &graph, kernel, operator.as_ref()));
    }
    notes.functions = function_notes(unit, &graph, &kernels);
    for variable in variables {
        let properties = properties::of_variable(&variable);
        notes.variables.push(VariableNote { symbol: variable.symbol, properties });
    }
    for variable in &unit.device_globals {
        let (symbol, id, size) =
            (variable.symbol.clone(), variable.id(&options.tu_id), variable.size);
        notes.device_globals.push(DeviceGlobalNote { symbol, id, size });
    }
    if let Some(path) = &options.functors {
        let functors: Result<Vec<_>, _> =
            kernels.iter().map(|kernel| unit.functor(kernel.entry)).collect();
        let written = functors
            .map_err(|error| error.report())
            .and_then(|functors| functor_layouts::write(path, functors));
        if let Err(error) = written {
            unit.report(&error);
        }
    }
    let header = || {
        let entries = header_entries(unit, &graph, &kernels, &sites);
        let macros = unit.aspect_macros();
        int_header::render(&Header {
            tu_id: &options.tu_id,
            macros: &macros,
            kernels: &entries,
            variables: &notes.device_globals,
        })
    };
    if let Some(path) = &options.int_header
        && let Err(error) = int_header::write(path, &header())
    {
        unit.report(&unwritable(Output::IntegrationHeader, path, &error));
    }
    Some(notes)
}

/// Reports kernels with the name of another kernel. Returns true if there are none. Clang finds
/// these kernels, but its error is inside the headers.
fn name_conflicts(unit: &Unit, kernels: &[Kernel], sites: &[CallSite]) -> bool {
    let rejected_sites = call_site::find(unit, &unit.rejected, &unit.instantiations);
    for (&entry, site) in unit.rejected.iter().zip(&rejected_sites) {
        let second = unit.kernel(entry);
        // The headers use this class for a name that is not a class.
        let plain = |name: &str| {
            Some(name.strip_prefix("sycl::detail::named_by<")?.strip_suffix('>')?.to_owned())
        };
        let name = plain(&second.name).unwrap_or(second.name);
        let mut error = KernelNameConflict { kernel: NamedKernel::Known(name) }.report();
        if let Some(first) = kernels.iter().position(|kernel| kernel.symbol == second.symbol) {
            error = error.note_at(sites[first].loc, "the other kernel is here");
        }
        unit.report(&error.at(site.loc));
    }
    // If the entry point is not found, the compilation must not fail without an error.
    if unit.rejected.is_empty() && unit.name_conflicts > 0 {
        unit.report(&KernelNameConflict { kernel: NamedKernel::Unknown }.report());
    }
    unit.rejected.is_empty() && unit.name_conflicts == 0
}

/// Keeps the items whose flag is set.
fn retain<T>(items: &mut Vec<T>, flags: &[bool]) {
    let mut flags = flags.iter();
    items.retain(|_| flags.next().is_none_or(|&flag| flag));
}

/// Returns the kernels of the integration header.
fn header_entries(
    unit: &Unit,
    graph: &Graph,
    kernels: &[Kernel],
    sites: &[CallSite],
) -> Vec<KernelEntry> {
    let calls = call_site::all_calls(unit, sites, &unit.callers);
    let entry = |(kernel, calls): (&Kernel, Vec<Loc>)| KernelEntry {
        name: kernel.name.clone(),
        functor: unit.functor_type(kernel.entry),
        doubts: doubts(unit, kernel),
        symbol: kernel.symbol.clone(),
        spelling: kernel.spelling.clone(),
        parts: kernel.parts.clone(),
        functor_size: kernel.functor_size,
        params: kernel_rows(graph, kernel).iter().map(|row| row.param).collect(),
        calls: calls.into_iter().map(|loc| unit.locate_call(loc)).collect(),
    };
    kernels.iter().zip(calls).map(entry).collect()
}

/// Returns the lambdas of a kernel whose layout may differ in compilers other than clang.
fn doubts(unit: &Unit, kernel: &Kernel) -> Vec<Doubt> {
    let doubt = |closure: Closure| {
        let why = captures::difference(&closure)?;
        let implicit = closure.captures.iter().filter(|capture| !capture.explicit);
        let pack = |capture: &Capture| {
            closure
                .mentions
                .iter()
                .flatten()
                .any(|mention| mention.pack && mention.declared == capture.declared)
        };
        let mut names: Vec<String> = implicit
            .map(|capture| capture.name.clone() + if pack(capture) { "..." } else { "" })
            .collect();
        names.dedup();
        Some(Doubt { at: unit.locate(closure.loc), why, names })
    };
    unit.closures(kernel.entry).into_iter().filter_map(doubt).collect()
}

fn kernel_rows(graph: &Graph, kernel: &Kernel) -> Vec<Row> {
    let mut rows = kernel.fields.as_ref().map(rows::flatten).unwrap_or_default();
    free_function::drop_unused_scratch(graph, kernel, &mut rows);
    rows
}

fn kernel_note(
    unit: &Unit,
    graph: &Graph,
    kernel: &Kernel,
    found: Option<&CallOperator<'_>>,
) -> KernelNote {
    let rows = kernel_rows(graph, kernel);
    let operator = found.map(|found| found.node);
    let position = unit.locate(kernel.functor_loc);
    let odr_hash = match &kernel.function {
        Some(function) => function.odr_hash,
        None => operator.map_or(0, |node| node.function.odr_hash),
    };
    let function = kernel.function.as_ref();
    KernelNote {
        symbol: kernel.symbol.clone(),
        launch: KernelLaunch {
            shape: annotate::shape(&kernel.shape),
            functor_size: kernel.functor_size,
            file: position.file,
            line: position.line,
            column: position.column,
            identity: rows::identity(odr_hash, kernel.functor_size, &rows),
            params: rows.iter().map(|row| row.param).collect(),
            function: function.map(|f| free_function::describe(f, kernel.fields.as_ref())),
        },
        internal: !kernel.external,
        work_groups: found.map(|found| found.work_groups).unwrap_or_default(),
        attributes: operator.map(|node| node.function.attributes.clone()).unwrap_or_default(),
        param_properties: rows
            .iter()
            .map(|row| {
                let mut list = properties::of_parameter(&row.properties);
                if restricts(operator) && row.param.kind.address_space() == Some(1) {
                    list.retain(|(name, _)| name != NO_ALIAS);
                    list.push((NO_ALIAS.to_owned(), String::new()));
                }
                list
            })
            .collect(),
    }
}

/// Returns whether the attribute of the kernel says that no two of its pointers refer to the same
/// memory.
fn restricts(operator: Option<&Node>) -> bool {
    operator.is_some_and(|node| {
        node.function.attributes.iter().any(|a| a.name == attributes::ARGUMENTS_RESTRICT)
    })
}

/// Returns the facts of each device function that IR needs, under the symbols of the function.
fn function_notes(unit: &Unit, graph: &Graph, kernels: &[Kernel]) -> Vec<FunctionNote> {
    let mut out = Vec::new();
    for node in &graph.nodes {
        let declared = aspects::declared(&node.function.attributes);
        let used: Vec<u32> = aspects::used(node).into_iter().map(|(aspect, _)| aspect).collect();
        let sub_group_size = annotate::sub_group_size(&node.function.attributes).cloned();
        let external = node.root == Some(Root::External);
        let properties = properties::of_function(&node.function.attributes);
        let conditional = condition(&node.function);
        let plain = declared.is_none()
            && used.is_empty()
            && sub_group_size.is_none()
            && properties.is_empty();
        if plain && !external && conditional.is_none() {
            continue;
        }
        let symbols = match node.root {
            Some(Root::Kernel(index)) => vec![kernels[index].symbol.clone()],
            _ => unit.symbols(node.decl),
        };
        let in_headers = node.function.in_sycl || node.function.is_constexpr;
        let foldable = in_headers && node.root.is_none() && used.contains(&(Aspect::Fp64 as u32));
        out.push(FunctionNote {
            symbols,
            foldable,
            declared_aspects: declared,
            used_aspects: used,
            sub_group_size,
            exported: external,
            conditional,
            properties,
        });
    }
    out
}

/// Returns the condition on devices that call a function. `None` if all devices may call it.
/// Invalid numbers count as a condition that all devices meet, so that no requirement is missed.
fn condition(function: &Function) -> Option<Condition> {
    let attribute = function.attribute("scythe::conditional")?;
    Some(Condition::from_numbers(&attribute.values).unwrap_or_default())
}

/// The second stage: annotates the module and runs the passes that every device module needs.
pub fn module(
    module: &Module,
    notes: &UnitNotes,
    options: &Options,
    pragmas: &Pragmas,
    reporter: &Reporter,
) -> Result<(), Diagnostic<Loc>> {
    annotate::run(module, notes, options.sub_group_size.as_ref());
    virtual_tables::remove(module, notes).map_err(|error| Pass { error: error.into() }.report())?;
    crate::lower::run(module, notes, options, pragmas, reporter)
}
