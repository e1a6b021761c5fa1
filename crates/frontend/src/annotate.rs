//! What the AST told, written into device IR before any pass runs: attributes and metadata of kernels and functions.

use std::collections::BTreeSet;

use scythe_abi::aspect::Aspect;
use scythe_abi::launch::{KernelLaunch, Shape};
use scythe_abi::names;
use scythe_llvm::{Function, Metadata, Module, Place};

use crate::facts::{Action, Attribute, DecoratedType};
use crate::reach::Node;

/// What IR must say of one kernel.
#[derive(Clone, Debug)]
pub struct KernelNote {
    pub symbol: String,
    pub launch: KernelLaunch,
    /// One entry per parameter: see `lower_kernel_args`.
    pub param_types: Vec<String>,
    /// The name is not the same entity in every translation unit.
    pub internal: bool,
    /// Annotations of the functor's call operator.
    pub attributes: Vec<Attribute>,
}

/// What IR must say of one device function.
#[derive(Clone, Debug)]
pub struct FunctionNote {
    pub symbols: Vec<String>,
    pub declared_aspects: Option<Vec<u32>>,
    pub used_aspects: Vec<u32>,
    /// A kernel or `SYCL_EXTERNAL`.
    pub exported: bool,
}

/// What the passes after the AST need.
#[derive(Clone, Debug, Default)]
pub struct UnitNotes {
    pub module_id: String,
    pub tu_id: String,
    pub kernels: Vec<KernelNote>,
    pub functions: Vec<FunctionNote>,
    pub types: Vec<DecoratedType>,
}

/// The aspects that a function uses by itself: its `uses_aspects`, and the types in it.
pub fn used_aspects(node: &Node) -> Vec<u32> {
    let mut aspects = BTreeSet::new();
    for event in &node.events {
        match &event.action {
            Action::Double => drop(aspects.insert(Aspect::Fp64 as u32)),
            Action::Half => drop(aspects.insert(Aspect::Fp16 as u32)),
            Action::Decorated(values) => aspects.extend(values.iter().map(|&value| value as u32)),
            _ => {}
        }
    }
    for attribute in node.function.attributes.iter().filter(|a| a.name == "sycl_detail::uses_aspects") {
        aspects.extend(attribute.values.iter().map(|&value| value as u32));
    }
    aspects.into_iter().collect()
}

/// The aspects of `device_has`, where a function has it.
pub fn declared_aspects(attributes: &[Attribute]) -> Option<Vec<u32>> {
    let mut declared = attributes.iter().filter(|a| a.name == "sycl::device_has").peekable();
    declared.peek()?;
    let aspects: BTreeSet<u32> = declared.flat_map(|a| a.values.iter().map(|&value| value as u32)).collect();
    Some(aspects.into_iter().collect())
}

/// Writes all notes into the module. A function that was not emitted is passed over.
pub fn run(module: &Module, notes: &UnitNotes) {
    // clang's list of annotations said what the AST has told already, and keeps functions alive that are inlined.
    if let Some(annotations) = module.global("llvm.global.annotations") {
        annotations.erase();
    }
    for kernel in &notes.kernels {
        if let Some(function) = module.function(&kernel.symbol) {
            annotate_kernel(module, function, kernel, notes);
        }
    }
    for note in &notes.functions {
        for function in note.symbols.iter().filter_map(|symbol| module.function(symbol)) {
            annotate_function(module, function, note, notes);
        }
    }
    for ty in &notes.types {
        let context = module.context();
        let mut operands = vec![context.md_string(&ty.name)];
        operands.extend(ty.aspects.iter().map(|&aspect| context.md_int(32, aspect as u64)));
        module.add_named_metadata("intel_types_that_use_aspects", context.md_node(&operands));
    }
}

fn annotate_kernel(module: &Module, function: Function, kernel: &KernelNote, notes: &UnitNotes) {
    let context = module.context();
    let attribute = |name: &str, value: &str| {
        function.add_attribute(Place::Function, context.string_attribute(name, value));
    };
    attribute(names::SHAPE_ATTRIBUTE, kernel.launch.shape.as_str());
    attribute(names::MODULE_ID_ATTRIBUTE, &notes.module_id);
    attribute("scythe-param-types", &kernel.param_types.join(","));
    if kernel.internal {
        attribute("scythe-internal", &notes.tu_id);
    }
    for attribute in &kernel.attributes {
        let node = match attribute.name.as_str() {
            "sycl::reqd_work_group_size" => ("reqd_work_group_size", sizes(module, &attribute.values)),
            "sycl::work_group_size_hint" => ("work_group_size_hint", sizes(module, &attribute.values)),
            "sycl::reqd_sub_group_size" => ("intel_reqd_sub_group_size", ints(module, &attribute.values)),
            _ => continue,
        };
        if attribute.values.is_empty() {
            continue;
        }
        function.set_metadata(context.metadata_kind(node.0), node.1);
        if node.0 == "reqd_work_group_size" {
            let dims = ints(module, &[attribute.values.len() as i64]);
            function.set_metadata(context.metadata_kind("work_group_num_dim"), dims);
        }
    }
}

fn annotate_function(module: &Module, function: Function, note: &FunctionNote, notes: &UnitNotes) {
    let context = module.context();
    let list = |aspects: &[u32]| {
        context.md_node(&aspects.iter().map(|&a| context.md_int(32, u64::from(a))).collect::<Vec<_>>())
    };
    if let Some(declared) = &note.declared_aspects {
        function.set_metadata(context.metadata_kind("intel_declared_aspects"), list(declared));
    }
    if !note.used_aspects.is_empty() {
        function.set_metadata(context.metadata_kind("intel_used_aspects"), list(&note.used_aspects));
    }
    if note.exported {
        let attribute = context.string_attribute(names::MODULE_ID_ATTRIBUTE, &notes.module_id);
        function.add_attribute(Place::Function, attribute);
    }
}

fn ints<'ctx>(module: &Module<'ctx>, values: &[i64]) -> Metadata<'ctx> {
    let context = module.context();
    context.md_node(&values.iter().map(|&value| context.md_int(32, value as u64)).collect::<Vec<_>>())
}

/// Work-group sizes, fastest dimension first, unused ones 1. SYCL lists the fastest dimension last.
fn sizes<'ctx>(module: &Module<'ctx>, values: &[i64]) -> Metadata<'ctx> {
    let mut all: Vec<i64> = values.iter().rev().copied().take(3).collect();
    all.resize(3, 1);
    ints(module, &all)
}

/// The launch row of a kernel whose shape is known to be right.
pub fn shape(name: &str) -> Shape {
    Shape::from_name(name).unwrap_or(Shape::SingleTask)
}
