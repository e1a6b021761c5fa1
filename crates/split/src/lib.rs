//! Linked device module → parts, each with the property sets and symbols of its image.
//!
//! A part holds one group of kernels and all that they reach; what several groups reach is in each of their parts. Parts
//! are closed: nothing but their kernels is visible outside. Groups come in the order of their first kernel, kernels in
//! the order of the module: same input, same bytes. Parts are made one at a time, so that memory is bounded by the
//! largest one.
//!
//! [`link`] makes the linked module; this crate reads and writes no files.

#![forbid(unsafe_code)]

mod link;
mod name;
mod provided;

pub use link::link;
pub use name::kernel_name;
pub use provided::is_provided;

use scythe_abi::launch::KernelLaunch;
use scythe_abi::names::{LAUNCH_METADATA, LAUNCH_PROPERTY_SET, MODULE_ID_ATTRIBUTE};
use scythe_diag::{Diagnostic, Location, codes};
use scythe_image::PropertySets;
use scythe_llvm::{CallGraph, Function, Linkage, Metadata, Module, Place};
use scythe_passes::launch_metadata;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

/// Which kernels share an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// All.
    Off,
    /// Those of one translation unit.
    PerSource,
    /// None.
    PerKernel,
}

impl Mode {
    pub const NAMES: &str = "off, per_source, per_kernel or auto";

    /// The mode of this name: those of `-fsycl-device-code-split=`, where `auto` is per source, or the shorter `source`
    /// and `kernel` of post-link tools.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "off" | "none" => Some(Self::Off),
            "per_source" | "source" | "auto" => Some(Self::PerSource),
            "per_kernel" | "kernel" => Some(Self::PerKernel),
            _ => None,
        }
    }
}

/// One group's module, and what its image says of it.
pub struct Part<'ctx> {
    pub module: Module<'ctx>,
    pub properties: PropertySets,
    /// The kernels.
    pub symbols: Vec<String>,
}

/// A checked and grouped module, ready to be taken apart.
pub struct Split<'ctx> {
    module: Module<'ctx>,
    groups: Vec<Vec<Function<'ctx>>>,
    rows: HashMap<String, KernelLaunch>,
}

impl<'ctx> Split<'ctx> {
    /// Checks `module` and groups its kernels. All faults found are given, not only the first.
    pub fn new(module: Module<'ctx>, mode: Mode) -> Result<Self, Vec<Diagnostic>> {
        let damaged = |message: String| Diagnostic::error(message).code(codes::LAUNCH_ROWS);
        let mut rows = HashMap::new();
        for (symbol, launch) in launch_metadata::read(&module).map_err(|error| vec![damaged(error.to_string())])? {
            // The linker kept the first definition.
            rows.entry(symbol).or_insert(launch);
        }
        let kernels = module.kernels();
        let mut faults = Vec::new();
        for kernel in &kernels {
            let symbol = kernel.name();
            match rows.get(&symbol) {
                None => faults.push(damaged(format!("kernel '{}' has no launch rows", kernel_name(&symbol)))),
                Some(launch) if launch.params.len() != kernel.param_count() => faults.push(damaged(format!(
                    "kernel '{}' has {} parameters, expected {} as in its launch rows",
                    kernel_name(&symbol),
                    kernel.param_count(),
                    launch.params.len()
                ))),
                Some(_) => {}
            }
        }
        check_undefined(&module, &kernels, &rows, &mut faults);
        if !faults.is_empty() {
            return Err(faults);
        }
        let groups = group(kernels, mode);
        Ok(Self { module, groups, rows })
    }

    /// The number of parts; none where there are no kernels.
    pub fn len(&self) -> usize {
        self.groups.len()
    }

    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// The parts, each made when it is asked for.
    pub fn parts(&self) -> impl Iterator<Item = Part<'ctx>> {
        self.groups.iter().enumerate().map(|(index, group)| self.part(index, group))
    }

    fn part(&self, index: usize, kernels: &[Function<'ctx>]) -> Part<'ctx> {
        let symbols: Vec<String> = kernels.iter().map(|kernel| kernel.name()).collect();
        let mine: HashSet<&str> = symbols.iter().map(String::as_str).collect();
        // Each input brought its own copy of nodes such as the compiler's version.
        let met = RefCell::new(HashSet::new());
        let keep = |name: &str, node: Metadata<'ctx>| {
            name != LAUNCH_METADATA && met.borrow_mut().insert((name.to_owned(), node))
        };
        let module = self.module.extract(kernels, &format!("{}_{index}", self.module.name()), keep);
        self.close(&module, &mine);
        let mut properties = PropertySets::default();
        let set = properties.set(LAUNCH_PROPERTY_SET);
        for symbol in &symbols {
            if let Some(launch) = self.rows.get(symbol) {
                set.insert(symbol, launch.to_bytes());
                launch_metadata::add(&module, symbol, launch);
            }
        }
        Part { module, properties, symbols }
    }

    /// Nothing but the kernels is visible outside of a part, so that whoever builds it may change all the rest.
    fn close(&self, part: &Module<'ctx>, kernels: &HashSet<&str>) {
        for function in part.functions().filter(|function| !function.is_declaration()) {
            let linkage = if kernels.contains(function.name().as_str()) {
                Linkage::LLVMExternalLinkage
            } else {
                Linkage::LLVMInternalLinkage
            };
            function.remove_comdat();
            function.set_linkage(linkage);
        }
        for global in part.globals().filter(|global| !global.is_declaration()) {
            // LLVM does not count constness among a variable's attributes, which are all that copying keeps.
            let original = self.module.global(&global.name());
            global.set_constant_global(original.is_some_and(|original| original.is_constant_global()));
            global.remove_comdat();
            global.set_linkage(Linkage::LLVMInternalLinkage);
        }
    }
}

/// Groups of kernels, in the order of their first kernel.
fn group<'ctx>(kernels: Vec<Function<'ctx>>, mode: Mode) -> Vec<Vec<Function<'ctx>>> {
    let key = |kernel: Function<'ctx>| match mode {
        Mode::Off => String::new(),
        Mode::PerSource => kernel.string_attribute(Place::Function, MODULE_ID_ATTRIBUTE).unwrap_or_default(),
        Mode::PerKernel => kernel.name(),
    };
    let mut places = HashMap::new();
    let mut groups: Vec<Vec<Function<'ctx>>> = Vec::new();
    for kernel in kernels {
        let place = *places.entry(key(kernel)).or_insert(groups.len());
        if place == groups.len() {
            groups.push(Vec::new());
        }
        groups[place].push(kernel);
    }
    groups
}

/// Symbols that a kernel reaches, and nobody defines or provides: one error per symbol, with the first kernel that needs
/// it and the calls that lead there.
fn check_undefined<'ctx>(
    module: &Module<'ctx>,
    kernels: &[Function<'ctx>],
    rows: &HashMap<String, KernelLaunch>,
    faults: &mut Vec<Diagnostic>,
) {
    let missing = |name: &str| !is_provided(name);
    let functions = module.functions().filter(|f| f.is_declaration() && missing(&f.name()));
    let globals = module.globals().filter(|g| g.is_declaration() && missing(&g.name()));
    let suspects: Vec<_> = functions.map(|f| f.as_value()).chain(globals.map(|g| g.as_value())).collect();
    let needed = module.dependencies(kernels);
    let suspects: Vec<_> = suspects.into_iter().filter(|suspect| needed.contains(suspect)).collect();
    if suspects.is_empty() {
        return;
    }
    let graph = CallGraph::new(module);
    let mut reported = HashSet::new();
    for &kernel in kernels {
        let needed = module.dependencies(&[kernel]);
        for &suspect in suspects.iter().filter(|suspect| needed.contains(suspect)) {
            if !reported.insert(suspect) {
                continue;
            }
            let kernel_symbol = kernel.name();
            let name = kernel_name(&kernel_symbol);
            let text = format!("undefined device symbol '{}', needed by kernel '{name}'", suspect.name());
            let mut fault = Diagnostic::error(text).code(codes::UNDEFINED_DEVICE_SYMBOL);
            if let Some(launch) = rows.get(&kernel_symbol) {
                fault = fault.at(Location::new(&launch.file, launch.line, launch.column));
            }
            let chain =
                suspect.as_function().and_then(|function| graph.call_chain(kernel, function)).unwrap_or_default();
            for call in chain.windows(2).skip(1) {
                fault = fault.note(format!("'{}' is called by '{}'", call[1].name(), call[0].name()));
            }
            faults.push(fault);
        }
        if reported.len() == suspects.len() {
            return;
        }
    }
}
