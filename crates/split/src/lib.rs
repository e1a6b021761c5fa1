//! Splits a linked device module into parts, each with the manifest and the symbols of its image.
//!
//! A part contains one group of entry points and all code that they reach. Code that several groups
//! reach is in each of their parts. All entry points of a part have the same device requirements in
//! the linked program ([`demands`]), apart from features that the target always has, or were
//! compiled for the same fixed targets. Only the entry points and the `device_global` variables of
//! a part are visible outside of it.
//!
//! Groups are in the order of their first entry point, and entry points are in the order of the
//! module, so the same input gives the same bytes. The module is walked once. Then parts are made
//! one at a time, and the time for a part depends only on the part. The largest part bounds the
//! memory, and the time is linear in the total size of the parts.
//!
//! `llvm.used` keeps unreferenced code only in the parts that contain the code anyway: code that no
//! entry point reaches is in no part.
//!
//! [`link`] makes the linked module. This crate reads and writes no files.

#![forbid(unsafe_code)]

mod apart;
mod checks;
mod demands;
mod device_globals;
pub mod errors;
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

use errors::{DamagedLaunchRows, LaunchRowMismatch, NoLaunchRow};
use external::{Bundle, Facts};
use group::{EntryKind, EntryPoint};
use scythe_abi::launch::KernelLaunch;
use scythe_abi::names::LAUNCH_METADATA;
use scythe_device_config::Table;
use scythe_diag::{Diagnostic, Report};
use scythe_image::manifest::{self, Import, Manifest, SpecializationConstant};
use scythe_llvm::{Extractor, Linkage, Module};
use scythe_passes::aspects::metadata::Kinds;
use scythe_passes::device_globals::DeviceGlobal;
use scythe_passes::{device_has, launch_metadata, specialization};
use std::collections::{BTreeSet, HashMap, HashSet};

/// The options of a split.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub mode: Mode,
    /// Whether `SYCL_EXTERNAL` functions are entry points, too, which images of other programs and
    /// libraries may call.
    pub export: bool,
    pub imports: Imports,
    /// Whether modules of other compilers are accepted. Their kernels have no launch rows, so
    /// programs of Scythe cannot launch them. In a module without launch rows, undefined symbols
    /// such as OpenCL's functions are left to the program that builds the parts.
    pub foreign: bool,
    /// The device configuration, which gives the aspects of fixed targets.
    pub targets: Table,
    /// What every device that gets the parts supports.
    pub granted: Granted,
}

/// The features of all devices of a target. They are no reason to split its code: kernels that
/// share an image are loaded together.
#[derive(Clone, Debug, Default)]
pub struct Granted {
    pub aspects: BTreeSet<u32>,
    pub sub_group_sizes: BTreeSet<u32>,
}

/// The module of one group, with the manifest and symbols of its image.
pub struct Part<'ctx> {
    pub module: Module<'ctx>,
    pub manifest: Manifest,
    /// The symbols of the kernels.
    pub symbols: Vec<String>,
    /// Warnings about functions of other translation units that require more than their callers
    /// declare. Parts that share a function have the same warning, except for the callers.
    pub warnings: Vec<Diagnostic>,
}

/// A checked module whose entry points are grouped.
pub struct Split<'ctx> {
    module: Module<'ctx>,
    extractor: Extractor<'ctx>,
    entries: Vec<EntryPoint<'ctx>>,
    groups: Vec<Vec<usize>>,
    /// The symbols that other images must define, by number in the extractor's graph.
    imports: HashSet<u32>,
    rows: HashMap<String, KernelLaunch>,
    kinds: Kinds,
    facts: Facts,
    targets: Table,
}

impl<'ctx> Split<'ctx> {
    /// Checks `module` and groups its entry points. Returns all errors, not only the first.
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
        let groups = group::group(&entries, options.mode, &options.granted, &together);
        let faults = device_globals::check(&shared, &groups, &entries, &rows, options);
        if !faults.is_empty() {
            return Err(faults);
        }
        let targets = options.targets.clone();
        Ok(Self { module, extractor, entries, groups, imports, rows, kinds, facts, targets })
    }

    /// Returns the number of parts. It is 0 if there are no entry points.
    pub fn len(&self) -> usize {
        self.groups.len()
    }

    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Returns the parts. Each part is made when the iterator reaches it. A part shares metadata
    /// with the whole module, so it must be written and not changed.
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
        // An image with fixed targets has no other requirements.
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
            other: checks::properties(&entries),
        };
        Part { module, manifest, symbols, warnings }
    }

    /// Returns the description of an entry point in the manifest, or `None` if it would be empty.
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

/// Returns the launch row of each kernel.
fn launch_rows(module: &Module<'_>) -> Result<HashMap<String, KernelLaunch>, Vec<Diagnostic>> {
    let mut rows = HashMap::new();
    let damaged = |error: scythe_passes::Error| {
        vec![DamagedLaunchRows { reason: error.to_string() }.report()]
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
        let kernel = kernel_name(symbol);
        let parameters = function.param_count();
        match rows.get(symbol).map(|launch| launch.params.len()) {
            None if foreign => {}
            None => faults.push(NoLaunchRow { kernel }.report()),
            Some(described) if described != parameters => {
                faults.push(LaunchRowMismatch { kernel, parameters, described }.report());
            }
            Some(_) => {}
        }
    }
    faults
}

/// Makes all functions and variables of a part internal, except for the entry points and
/// `device_global` variables. Compilers may then change all internal code.
fn close(part: &Module<'_>, entries: &[&EntryPoint<'_>]) {
    let visible: HashMap<&str, Linkage> =
        entries.iter().map(|entry| (entry.symbol.as_str(), entry_linkage(entry))).collect();
    for function in part.functions().filter(|function| !function.is_declaration()) {
        let linkage = visible.get(function.name().as_str()).copied();
        function.set_linkage(linkage.unwrap_or(Linkage::LLVMInternalLinkage));
    }
    for variable in part.globals().filter(|variable| !variable.is_declaration()) {
        // Lists such as `llvm.used` are not variables of the program. The runtime must find the
        // variables that it provides memory for.
        if variable.linkage() != Linkage::LLVMAppendingLinkage
            && DeviceGlobal::of(variable).is_none()
        {
            variable.set_linkage(Linkage::LLVMInternalLinkage);
        }
    }
}

/// Returns the linkage of an entry point in its part. Images of two libraries may both export the
/// same inline function, so weak exported functions stay weak.
fn entry_linkage(entry: &EntryPoint<'_>) -> Linkage {
    match (entry.kind, entry.function.linkage()) {
        (
            EntryKind::Exported,
            weak @ (Linkage::LLVMWeakAnyLinkage | Linkage::LLVMWeakODRLinkage),
        ) => weak,
        _ => Linkage::LLVMExternalLinkage,
    }
}
