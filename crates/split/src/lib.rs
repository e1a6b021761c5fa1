//! Linked device module → parts, each with the manifest and symbols of its image.
//!
//! A part holds one group of entry points and all that they reach; what several groups reach is in
//! each of their parts. All entry points of a part demand the same of their device by all that they
//! reach in the linked program ([`demands`]), or were compiled for the same fixed targets. Parts
//! are closed: nothing but their entry points and `device_global` variables is visible outside.
//! Groups come in the order of their first entry point, these in the order of the module: same
//! input, same bytes. The module is walked once; then parts are made one at a time, each in time
//! that depends on itself alone. Memory is bounded by the largest part, and time is linear in what
//! the parts hold together.
//!
//! What keeps unreferenced code (`llvm.used`) keeps it in the parts that hold it anyway: code that
//! no entry point reaches is in no part.
//!
//! [`link`] makes the linked module; this crate reads and writes no files.

#![forbid(unsafe_code)]

mod apart;
mod demands;
mod device_globals;
mod external;
mod group;
mod link;
mod name;
mod provided;
mod requirements;
mod undefined;

pub use apart::keep_apart;
pub use group::{AUTO_MOST, Mode};
pub use link::link;
pub use name::{kernel_name, symbol_name};
pub use provided::is_provided;
pub use undefined::Imports;

use external::{Bundle, Facts};
use group::{EntryKind, EntryPoint};
use scythe_abi::launch::KernelLaunch;
use scythe_abi::names::LAUNCH_METADATA;
use scythe_device_config::Table;
use scythe_diag::{Diagnostic, codes};
use scythe_image::PropertySets;
use scythe_image::manifest::{self, Import, Manifest, SpecializationConstant};
use scythe_llvm::{Extractor, Linkage, Module};
use scythe_passes::aspects::metadata::Kinds;
use scythe_passes::device_globals::DeviceGlobal;
use scythe_passes::{device_has, launch_metadata, specialization};
use std::collections::{HashMap, HashSet};

/// How to split.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub mode: Mode,
    /// `SYCL_EXTERNAL` functions are entry points, too, which images of other programs and
    /// libraries may call.
    pub export: bool,
    pub imports: Imports,
    /// Modules of other compilers are fine: their kernels have no launch rows, so that no program
    /// of Scythe's launches them. In a module without any, whoever builds the parts also knows what
    /// is undefined there, such as OpenCL's functions.
    pub foreign: bool,
    /// Tells which aspects stand for fixed targets.
    pub targets: Table,
}

/// One group's module, and what its image says of it.
pub struct Part<'ctx> {
    pub module: Module<'ctx>,
    pub manifest: Manifest,
    /// The kernels.
    pub symbols: Vec<String>,
    /// What functions of other translation units use, and those that call them do not expect. Parts
    /// that share such a function have the same warning, but for who calls it.
    pub warnings: Vec<Diagnostic>,
}

/// A checked and grouped module, ready to be taken apart.
pub struct Split<'ctx> {
    module: Module<'ctx>,
    extractor: Extractor<'ctx>,
    entries: Vec<EntryPoint<'ctx>>,
    groups: Vec<Vec<usize>>,
    /// What other images have to define, by number in the extractor's graph.
    imports: HashSet<u32>,
    rows: HashMap<String, KernelLaunch>,
    kinds: Kinds,
    facts: Facts,
    targets: Table,
}

impl<'ctx> Split<'ctx> {
    /// Checks `module` and groups its entry points. All faults found are given, not only the first.
    pub fn new(module: Module<'ctx>, options: &Options) -> Result<Self, Vec<Diagnostic>> {
        let rows = launch_rows(&module)?;
        let kinds = Kinds::new(module.context());
        let mut entries = group::entry_points(&module, kinds, options.export);
        let mut faults = check_rows(&entries, &rows, options.foreign);
        let extractor = Extractor::new(&module, |name| name != LAUNCH_METADATA);
        let graph = &extractor.graph;
        let numbers: Vec<u32> =
            entries.iter().filter_map(|entry| graph.number(entry.function.as_value())).collect();
        let imports =
            match options.foreign && rows.is_empty() && matches!(options.imports, Imports::None) {
                true => HashSet::new(),
                false => undefined::missing(graph, &numbers),
            };
        faults.extend(undefined::check(graph, &imports, &entries, &rows, &options.imports));
        if !faults.is_empty() {
            return Err(faults);
        }
        let facts = Facts::new(&module, graph, kinds);
        let demands = demands::of(graph, &facts, &imports, &entries);
        entries.iter_mut().zip(demands).for_each(|(entry, demands)| entry.demands = demands);
        let shared = device_globals::in_one_image(graph, &numbers);
        let together: Vec<&[usize]> = shared.iter().map(|global| &global.entries[..]).collect();
        let groups = group::group(&entries, options.mode, &together);
        let faults = device_globals::check(&shared, &groups, &entries, &rows, options.mode);
        if !faults.is_empty() {
            return Err(faults);
        }
        let targets = options.targets.clone();
        Ok(Self { module, extractor, entries, groups, imports, rows, kinds, facts, targets })
    }

    /// The number of parts; none where there are no entry points.
    pub fn len(&self) -> usize {
        self.groups.len()
    }

    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// The parts, each made when it is asked for. A part shares metadata with the whole: it is to
    /// be written, not changed.
    pub fn parts(&self) -> impl Iterator<Item = Part<'ctx>> {
        self.groups.iter().enumerate().map(|(index, group)| self.part(index, group))
    }

    fn part(&self, index: usize, group: &[usize]) -> Part<'ctx> {
        let graph = &self.extractor.graph;
        let entries: Vec<&EntryPoint<'ctx>> =
            group.iter().map(|&entry| &self.entries[entry]).collect();
        let roots: Vec<u32> =
            entries.iter().filter_map(|entry| graph.number(entry.function.as_value())).collect();
        let members = graph.reachable(&roots);
        let module =
            self.extractor.part(&self.module, &members, &format!("{}_{index}", self.module.name()));
        close(&module, &entries);

        let of_kind = |kind| {
            entries.iter().filter(move |entry| entry.kind == kind).map(|entry| entry.symbol.clone())
        };
        let symbols: Vec<String> = of_kind(EntryKind::Kernel).collect();
        for symbol in &symbols {
            if let Some(launch) = self.rows.get(symbol) {
                launch_metadata::add(&module, symbol, launch);
            }
        }
        let bundle = Bundle {
            graph,
            facts: &self.facts,
            entries: &entries,
            members: &members,
            rows: &self.rows,
        };
        let (demands, warnings) = bundle.requirements();
        let constants = specialization::constants(&module).map(|constant| {
            let size = constant.value_type().alloc_size(&module).unwrap_or(0);
            SpecializationConstant {
                symbol: constant.name(),
                size: u32::try_from(size).unwrap_or(u32::MAX),
            }
        });
        let required = requirements::required(&demands.always, &self.targets);
        // An image that is bound to fixed targets demands nothing else.
        let bound = required.fixed_targets.is_some();
        let import = |&import: &u32| Import {
            symbol: graph.global(import).name(),
            conditions: if bound { Vec::new() } else { requirements::conditions(&demands, import) },
        };
        let manifest = Manifest {
            entry_points: entries.iter().filter_map(|entry| self.describe(entry)).collect(),
            conditional: if bound { Vec::new() } else { requirements::conditional(&demands) },
            requirements: required,
            exports: of_kind(EntryKind::Exported).collect(),
            imports: members
                .iter()
                .filter(|member| self.imports.contains(member))
                .map(import)
                .collect(),
            constants: constants.collect(),
            globals: device_globals::describe(graph, &members),
            asks_for_aspects: module.function(device_has::QUERY).is_some(),
            other: PropertySets::default(),
        };
        Part { module, manifest, symbols, warnings }
    }

    /// What the image says of an entry point; `None` if that is nothing.
    fn describe(&self, entry: &EntryPoint<'ctx>) -> Option<manifest::EntryPoint> {
        let is_kernel = entry.kind == EntryKind::Kernel;
        let described = manifest::EntryPoint {
            symbol: entry.symbol.clone(),
            launch: self.rows.get(&entry.symbol).filter(|_| is_kernel).cloned(),
            work_group_size: self.kinds.work_group_size(entry.function).filter(|_| is_kernel),
            attributes: if is_kernel {
                requirements::attributes(entry.function, self.kinds)
            } else {
                String::new()
            },
            aspect_origins: self.kinds.origins(entry.function),
        };
        let empty = manifest::EntryPoint {
            symbol: entry.symbol.clone(),
            ..manifest::EntryPoint::default()
        };
        (described != empty).then_some(described)
    }
}

/// The launch rows by kernel.
fn launch_rows(module: &Module<'_>) -> Result<HashMap<String, KernelLaunch>, Vec<Diagnostic>> {
    let mut rows = HashMap::new();
    let damaged = |error: scythe_passes::Error| {
        vec![Diagnostic::error(error.to_string()).code(codes::LAUNCH_ROWS)]
    };
    for (symbol, launch) in launch_metadata::read(module).map_err(damaged)? {
        // The linker kept the first definition.
        rows.entry(symbol).or_insert(launch);
    }
    Ok(rows)
}

fn check_rows(
    entries: &[EntryPoint<'_>],
    rows: &HashMap<String, KernelLaunch>,
    foreign: bool,
) -> Vec<Diagnostic> {
    let mut faults = Vec::new();
    for EntryPoint { function, symbol, .. } in
        entries.iter().filter(|entry| entry.kind == EntryKind::Kernel)
    {
        let name = kernel_name(symbol);
        let message = match rows.get(symbol) {
            None if foreign => continue,
            None => format!("kernel '{name}' has no launch rows"),
            Some(launch) if launch.params.len() != function.param_count() => format!(
                "kernel '{name}' has {} parameters, but its launch rows describe {}",
                function.param_count(),
                launch.params.len()
            ),
            Some(_) => continue,
        };
        faults.push(Diagnostic::error(message).code(codes::LAUNCH_ROWS));
    }
    faults
}

/// Nothing but the entry points and `device_global` variables is visible outside of a part, so that
/// whoever builds it may change all the rest.
fn close(part: &Module<'_>, entries: &[&EntryPoint<'_>]) {
    let visible: HashMap<&str, Linkage> =
        entries.iter().map(|entry| (entry.symbol.as_str(), entry_linkage(entry))).collect();
    for function in part.functions().filter(|function| !function.is_declaration()) {
        let linkage = visible.get(function.name().as_str()).copied();
        function.set_linkage(linkage.unwrap_or(Linkage::LLVMInternalLinkage));
    }
    for variable in part.globals().filter(|variable| !variable.is_declaration()) {
        // Lists such as `llvm.used` are no variables of the program, and the runtime must find what
        // it has memory for.
        if variable.linkage() != Linkage::LLVMAppendingLinkage
            && DeviceGlobal::of(variable).is_none()
        {
            variable.set_linkage(Linkage::LLVMInternalLinkage);
        }
    }
}

/// Images of two libraries may both export an inline function.
fn entry_linkage(entry: &EntryPoint<'_>) -> Linkage {
    match (entry.kind, entry.function.linkage()) {
        (
            EntryKind::Exported,
            weak @ (Linkage::LLVMWeakAnyLinkage | Linkage::LLVMWeakODRLinkage),
        ) => weak,
        _ => Linkage::LLVMExternalLinkage,
    }
}
