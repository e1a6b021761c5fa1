//! Writes the facts of the AST into device IR before any pass runs: attributes and metadata of
//! kernels, functions and variables.

use scythe_abi::condition::Condition;
use scythe_abi::launch::{KernelLaunch, Shape};
use scythe_abi::names;
use scythe_llvm::{Function, Metadata, Module, Place};
use scythe_passes::aspects::metadata::{self, Kinds};
use scythe_passes::properties::{kernels, parameters as parameter_properties};
use scythe_passes::{device_globals, device_has, literals};

use crate::aspects::{self, AspectFacts};
use crate::call_operator::WorkGroups;
use crate::facts::{Attribute, DecoratedType};
use crate::properties::{self, Property};

/// The annotation that replaces `reqd_work_group_size`.
const REQUIRED_SIZE: &str = "sycl::reqd_work_group_size";
/// The annotations that replace `reqd_sub_group_size` and `named_sub_group_size`.
pub const REQUIRED_SUB_GROUP_SIZE: &str = "sycl::reqd_sub_group_size";
pub const NAMED_SUB_GROUP_SIZE: &str = "intel::named_sub_group_size";

/// The facts about a kernel for IR.
#[derive(Clone, Debug)]
pub struct KernelNote {
    pub symbol: String,
    pub launch: KernelLaunch,
    /// Whether the kernel name belongs to this translation unit alone.
    pub internal: bool,
    /// The meaning of work-group sizes for the kernel.
    pub work_groups: WorkGroups,
    /// Annotations of the function that the program wrote.
    pub attributes: Vec<Attribute>,
    /// The properties of each parameter.
    pub param_properties: Vec<Vec<Property>>,
}

/// The facts about a device function for IR.
#[derive(Clone, Debug)]
pub struct FunctionNote {
    pub symbols: Vec<String>,
    pub declared_aspects: Option<Vec<u32>>,
    pub used_aspects: Vec<u32>,
    pub sub_group_size: Option<Attribute>,
    /// Whether the function is `SYCL_EXTERNAL`.
    pub exported: bool,
    /// The condition on devices that call the function. `None` if all devices may call it.
    pub conditional: Option<Condition>,
    /// Whether the pass `literals` may specialise the function for constants of type `double`.
    pub foldable: bool,
    pub properties: Vec<Property>,
}

/// The facts about a variable for IR.
#[derive(Clone, Debug)]
pub struct VariableNote {
    pub symbol: String,
    pub properties: Vec<Property>,
}

/// The facts about a `device_global` for IR.
#[derive(Clone, Debug)]
pub struct DeviceGlobalNote {
    pub symbol: String,
    /// The name of the variable on devices.
    pub id: String,
    pub size: u64,
}

/// The facts about a translation unit that the IR stage needs.
#[derive(Clone, Debug, Default)]
pub struct UnitNotes {
    pub module_id: String,
    pub tu_id: String,
    pub kernels: Vec<KernelNote>,
    pub functions: Vec<FunctionNote>,
    pub variables: Vec<VariableNote>,
    pub device_globals: Vec<DeviceGlobalNote>,
    pub types: Vec<DecoratedType>,
    /// Names and positions for messages.
    pub aspects: AspectFacts,
}

/// Writes all notes into the module. Skips functions that clang did not emit. Kernels and
/// `SYCL_EXTERNAL` functions that specify no sub-group size get the default size.
pub fn run(module: &Module, notes: &UnitNotes, default_size: Option<&Attribute>) {
    // The AST already provided these annotations. Clang's list would keep inlined functions alive.
    if let Some(annotations) = module.global("llvm.global.annotations") {
        annotations.erase();
    }
    let kinds = Kinds::new(module.context());
    for kernel in &notes.kernels {
        if let Some(function) = module.function(&kernel.symbol) {
            annotate_kernel(module, function, kernel, notes, kinds);
            if let Some(declared) = aspects::declared(&kernel.attributes) {
                kinds.set_declared(function, module.context(), &declared);
            }
        }
    }
    for note in &notes.functions {
        for function in note.symbols.iter().filter_map(|symbol| module.function(symbol)) {
            annotate_function(module, function, note, notes, kinds);
            if note.exported && !function.is_declaration() {
                annotate_default_size(module, function, note.sub_group_size.as_ref(), default_size);
            }
        }
    }
    // Properties of a kernel are known when all functions are annotated.
    for kernel in &notes.kernels {
        if let Some(function) = module.function(&kernel.symbol) {
            let own = sub_group_size(&kernel.attributes);
            annotate_default_size(module, function, own, default_size);
        }
    }
    for note in &notes.variables {
        if let Some(variable) = module.global(&note.symbol) {
            note.properties.iter().for_each(|(name, value)| variable.add_attribute(name, value));
        }
    }
    for note in &notes.device_globals {
        if let Some(variable) = module.global(&note.symbol) {
            variable.add_attribute(device_globals::ID_ATTRIBUTE, &note.id);
            variable.add_attribute(device_globals::SIZE_ATTRIBUTE, &note.size.to_string());
        }
    }
    for ty in &notes.types {
        metadata::add_type(module, &ty.name, ty.aspects.iter().map(|&aspect| aspect as u32));
    }
}

fn annotate_kernel(
    module: &Module,
    function: Function,
    kernel: &KernelNote,
    notes: &UnitNotes,
    kinds: Kinds,
) {
    let context = module.context();
    let attribute = |name: &str, value: &str| {
        function.add_attribute(Place::Function, context.string_attribute(name, value));
    };
    attribute(names::SHAPE_ATTRIBUTE, kernel.launch.shape.as_str());
    attribute(names::MODULE_ID_ATTRIBUTE, &notes.module_id);
    if kernel.internal {
        attribute("scythe-internal", &notes.tu_id);
    }
    for (name, value) in properties::of_function(&kernel.attributes) {
        attribute(&name, &value);
    }
    parameter_properties::note(module, function, &kernel.param_properties);
    match kernel.work_groups {
        WorkGroups::Launched => annotate_work_groups(module, function, &kernel.attributes),
        WorkGroups::Logical => {
            let required = kernel.attributes.iter().find(|a| a.name == REQUIRED_SIZE);
            let required =
                required.map(|a| a.values.iter().map(|&size| capped(size)).collect::<Vec<_>>());
            kinds.set_logical_work_group_size(function, context, &required.unwrap_or_default());
        }
        // The headers launch one-dimensional work-groups with the number of work-items that the
        // program requires.
        WorkGroups::Unknown => {
            let product = |a: &Attribute| a.values.iter().copied().fold(1, i64::saturating_mul);
            let required = kernel.attributes.iter().filter(|a| a.name == REQUIRED_SIZE);
            let flat = required.map(|a| Attribute { values: vec![product(a)], ..a.clone() });
            annotate_work_groups(module, function, &flat.collect::<Vec<_>>());
        }
    }
    if let Some(size) = sub_group_size(&kernel.attributes) {
        annotate_sub_group(module, function, size);
    }
}

/// Returns the sizes of the work-groups of a launch.
fn annotate_work_groups(module: &Module, function: Function, attributes: &[Attribute]) {
    let context = module.context();
    for attribute in attributes {
        let kind = match attribute.name.as_str() {
            REQUIRED_SIZE => "reqd_work_group_size",
            "sycl::work_group_size_hint" => "work_group_size_hint",
            _ => continue,
        };
        function.set_metadata(context.metadata_kind(kind), sizes(module, &attribute.values));
        if attribute.name == REQUIRED_SIZE {
            let dims = ints(module, &[attribute.values.len() as i64]);
            function.set_metadata(context.metadata_kind("work_group_num_dim"), dims);
        }
    }
}

/// Returns the attribute that selects a sub-group size, by number or by name.
pub fn sub_group_size(attributes: &[Attribute]) -> Option<&Attribute> {
    attributes
        .iter()
        .find(|a| matches!(a.name.as_str(), REQUIRED_SUB_GROUP_SIZE | NAMED_SUB_GROUP_SIZE))
}

/// Gives a function the default sub-group size, unless it has an attribute or a property for its
/// size.
fn annotate_default_size(
    module: &Module,
    function: Function,
    own: Option<&Attribute>,
    default_size: Option<&Attribute>,
) {
    let property = function.string_attribute(Place::Function, kernels::SUB_GROUP_SIZE);
    if let (Some(size), None, None) = (default_size, own, property) {
        annotate_sub_group(module, function, size);
    }
}

fn annotate_sub_group(module: &Module, function: Function, size: &Attribute) {
    let context = module.context();
    let (kind, node) = match &size.text {
        Some(name) => ("intel_named_sub_group_size", context.md_node(&[context.md_string(name)])),
        None => ("intel_reqd_sub_group_size", ints(module, &size.values)),
    };
    function.set_metadata(context.metadata_kind(kind), node);
}

fn annotate_function(
    module: &Module,
    function: Function,
    note: &FunctionNote,
    notes: &UnitNotes,
    kinds: Kinds,
) {
    let context = module.context();
    if let Some(declared) = &note.declared_aspects {
        kinds.set_declared(function, context, declared);
    }
    if !note.used_aspects.is_empty() {
        kinds.set_used(function, context, &note.used_aspects);
    }
    if let Some(size) = &note.sub_group_size {
        annotate_sub_group(module, function, size);
    }
    for (name, value) in &note.properties {
        function.add_attribute(Place::Function, context.string_attribute(name, value));
    }
    if note.foldable {
        let attribute = context.string_attribute(literals::FOLDABLE_ATTRIBUTE, "");
        function.add_attribute(Place::Function, attribute);
    }
    if let Some(condition) = &note.conditional {
        device_has::keep_apart(module, function, condition);
    }
    if note.exported {
        let attribute = context.string_attribute(names::MODULE_ID_ATTRIBUTE, &notes.module_id);
        function.add_attribute(Place::Function, attribute);
    }
}

fn ints<'ctx>(module: &Module<'ctx>, values: &[i64]) -> Metadata<'ctx> {
    let context = module.context();
    context
        .md_node(&values.iter().map(|&value| context.md_int(32, value as u64)).collect::<Vec<_>>())
}

/// Limits a size to the 32 bits of metadata. No device supports the largest value.
fn capped(size: i64) -> u32 {
    u32::try_from(size).unwrap_or(u32::MAX)
}

/// Returns work-group sizes with the fastest dimension first. Unused dimensions are 1. SYCL lists
/// the fastest dimension last.
fn sizes<'ctx>(module: &Module<'ctx>, values: &[i64]) -> Metadata<'ctx> {
    let mut all: Vec<i64> = values.iter().rev().map(|&size| capped(size).into()).take(3).collect();
    all.resize(3, 1);
    ints(module, &all)
}

/// Returns the shape of a kernel's launch. `functor::check` has verified the name.
pub fn shape(name: &str) -> Shape {
    Shape::from_name(name).unwrap_or(Shape::SingleTask)
}
