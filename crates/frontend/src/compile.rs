//! The plug-in's two stages, in order: what happens when the AST is complete, and what happens to
//! the module.

use scythe_abi::aspect::Aspect;
use scythe_abi::condition::Condition;
use scythe_abi::launch::KernelLaunch;
use scythe_llvm::Module;

use crate::annotate::{self, DeviceGlobalNote, FunctionNote, KernelNote, UnitNotes, VariableNote};
use crate::aspects::{self, AspectFacts};
use crate::body::{self, Body};
use crate::call_site::{self, CallSite};
use crate::facts::{Capture, Closure, Decl, Function, Kernel, Level, Loc, Source};
use crate::int_header::{self, Doubt, Header, KernelEntry};
use crate::options::Options;
use crate::reach::{Graph, Root};
use crate::rows::{self, Row};
use crate::unit::{Speaker, Unit};
use crate::warnings::Pragmas;
use crate::{agreement, attributes, captures, diagnose, functor, properties};

/// First stage: checks device code, writes the integration header, and returns what IR must say.
/// `None` after errors: there will be no IR.
pub fn unit(unit: &Unit, options: &Options) -> Option<UnitNotes> {
    if unit.errors {
        return None;
    }
    let mut kernels: Vec<Kernel> = unit.kernels.iter().map(|&entry| unit.kernel(entry)).collect();
    let mut sites = call_site::find(unit, &unit.kernels, &unit.instantiations);
    // What a functor must not hold brings calls with it that are only consequences: such kernels
    // are not looked at.
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
        & diagnose::device_code(unit, &graph, &kernels, &sites);
    let variables = properties::variables(unit, &graph);
    let bodies: Vec<Option<Body<'_>>> =
        kernels.iter().map(|kernel| body::find(&graph, kernel)).collect();
    let well_formed = attributes::check(unit, &graph)
        & attributes::reached(unit, &graph, &kernels, &bodies)
        & properties::check(unit, &graph, &kernels, &variables);
    if !(all_fit && sound && well_formed) {
        return None;
    }

    let mut notes = UnitNotes {
        module_id: unit.main_file.clone(),
        tu_id: options.tu_id.clone(),
        types: unit.types.clone(),
        aspects: AspectFacts::new(unit, &graph, &kernels, &bodies),
        ..UnitNotes::default()
    };
    for (kernel, body) in kernels.iter().zip(&bodies) {
        notes.kernels.push(kernel_note(unit, kernel, body.as_ref()));
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
        let functors = kernels.iter().map(|kernel| unit.functor(kernel.entry)).collect();
        if let Err(message) = agreement::write(path, functors) {
            unit.report(Level::Error, Loc(0), &message);
        }
    }
    let header = || {
        let entries = header_entries(unit, &kernels, &sites);
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
        unit.report(
            Level::Error,
            Loc(0),
            &format!("cannot write integration header '{}': {error}", path.display()),
        );
    }
    Some(notes)
}

/// Reports kernels that share another kernel's name; true when there are none. Clang noticed them,
/// but could only point into the headers.
fn name_conflicts(unit: &Unit, kernels: &[Kernel], sites: &[CallSite]) -> bool {
    let rejected_sites = call_site::find(unit, &unit.rejected, &unit.instantiations);
    for (&entry, site) in unit.rejected.iter().zip(&rejected_sites) {
        let second = unit.kernel(entry);
        // The headers' class for a name that is no class.
        let plain = |name: &str| {
            Some(name.strip_prefix("sycl::detail::named_by<")?.strip_suffix('>')?.to_owned())
        };
        let name = plain(&second.name).unwrap_or(second.name);
        let message = format!("kernel name '{name}' is used for two different kernels");
        unit.report(Level::Error, site.loc, &message);
        if let Some(first) = kernels.iter().position(|kernel| kernel.symbol == second.symbol) {
            unit.report(Level::Note, sites[first].loc, "the other kernel is here");
        }
    }
    // An entry point that cannot be found again must not make the compilation fail without a word.
    if unit.rejected.is_empty() && unit.name_conflicts > 0 {
        unit.report(Level::Error, Loc(0), "a kernel name is used for two different kernels");
    }
    unit.rejected.is_empty() && unit.name_conflicts == 0
}

/// Keeps the items whose flag is set.
fn retain<T>(items: &mut Vec<T>, flags: &[bool]) {
    let mut flags = flags.iter();
    items.retain(|_| flags.next().is_none_or(|&flag| flag));
}

/// What the integration header says of the kernels.
fn header_entries(unit: &Unit, kernels: &[Kernel], sites: &[CallSite]) -> Vec<KernelEntry> {
    let calls = call_site::all_calls(unit, sites, &unit.callers);
    let entry = |(kernel, calls): (&Kernel, Vec<Loc>)| KernelEntry {
        name: kernel.name.clone(),
        functor: unit.functor_type(kernel.entry),
        doubts: doubts(unit, kernel),
        symbol: kernel.symbol.clone(),
        spelling: kernel.spelling.clone(),
        parts: kernel.parts.clone(),
        functor_size: kernel.functor_size,
        params: kernel_rows(kernel).iter().map(|row| row.param).collect(),
        calls: calls.into_iter().map(|loc| unit.locate_call(loc)).collect(),
    };
    kernels.iter().zip(calls).map(entry).collect()
}

/// The lambdas of a kernel that compilers other than clang may lay out in another way.
fn doubts(unit: &Unit, kernel: &Kernel) -> Vec<Doubt> {
    let doubt = |closure: Closure| {
        let why = captures::doubt(&closure)?;
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

fn kernel_rows(kernel: &Kernel) -> Vec<Row> {
    kernel.fields.as_ref().map(rows::flatten).unwrap_or_default()
}

fn kernel_note(unit: &Unit, kernel: &Kernel, body: Option<&Body<'_>>) -> KernelNote {
    let rows = kernel_rows(kernel);
    let operator = body.map(|body| body.node);
    let position = unit.locate(kernel.functor_loc);
    let odr_hash = operator.map_or(0, |node| node.function.odr_hash);
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
        },
        internal: !kernel.external,
        work_groups: body.map(|body| body.work_groups).unwrap_or_default(),
        attributes: operator.map(|node| node.function.attributes.clone()).unwrap_or_default(),
        param_properties: rows
            .iter()
            .map(|row| properties::of_parameter(&row.properties))
            .collect(),
    }
}

/// Aspects of every device function that has some, under its symbols.
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

/// The devices that call a function; `None` where all may. Numbers that make no condition count as
/// one that all devices meet, so that nothing is overlooked.
fn condition(function: &Function) -> Option<Condition> {
    let attribute = function.attribute("scythe::conditional")?;
    Some(Condition::from_numbers(&attribute.values).unwrap_or_default())
}

/// Second stage: annotates the module and runs the passes that every device module needs.
pub fn module(
    module: &Module,
    notes: &UnitNotes,
    options: &Options,
    pragmas: &Pragmas,
    speaker: &Speaker,
) -> Result<(), String> {
    annotate::run(module, notes);
    crate::lower::run(module, notes, options, pragmas, speaker)
}
