//! What the AST told, written into device IR before any pass runs: attributes and metadata of
//! kernels and functions.

use scythe_abi::condition::Condition;
use scythe_abi::launch::{KernelLaunch, Shape};
use scythe_abi::names;
use scythe_llvm::{Function, Metadata, Module, Place};
use scythe_passes::aspects::metadata::{self, Kinds};
use scythe_passes::properties::parameters as parameter_properties;
use scythe_passes::{device_globals, device_has, literals};

use crate::aspects::{self, AspectFacts};
use crate::body::WorkGroups;
use crate::facts::{Attribute, DecoratedType};
use crate::properties::{self, Property};

/// The annotation that `reqd_work_group_size` becomes.
const REQUIRED_SIZE: &str = "sycl::reqd_work_group_size";

/// What IR must say of one kernel.
#[derive(Clone, Debug)]
pub struct KernelNote {
    pub symbol: String,
    pub launch: KernelLaunch,
    /// The name is not the same entity in every translation unit.
    pub internal: bool,
    /// What sizes of work-groups mean to it.
    pub work_groups: WorkGroups,
    /// Annotations of the function that the program wrote.
    pub attributes: Vec<Attribute>,
    /// One entry per parameter.
    pub param_properties: Vec<Vec<Property>>,
}

/// What IR must say of one device function.
#[derive(Clone, Debug)]
pub struct FunctionNote {
    pub symbols: Vec<String>,
    pub declared_aspects: Option<Vec<u32>>,
    pub used_aspects: Vec<u32>,
    pub sub_group_size: Option<Attribute>,
    /// `SYCL_EXTERNAL`.
    pub exported: bool,
    /// It is called only on devices that meet this.
    pub conditional: Option<Condition>,
    /// It may be compiled for constants of type `double` that it is called with.
    pub foldable: bool,
    pub properties: Vec<Property>,
}

/// What IR must say of one variable.
#[derive(Clone, Debug)]
pub struct VariableNote {
    pub symbol: String,
    pub properties: Vec<Property>,
}

/// What IR must say of one `device_global`.
#[derive(Clone, Debug)]
pub struct DeviceGlobalNote {
    pub symbol: String,
    /// Its name on devices.
    pub id: String,
    pub size: u64,
}

/// What the passes after the AST need.
#[derive(Clone, Debug, Default)]
pub struct UnitNotes {
    pub module_id: String,
    pub tu_id: String,
    pub kernels: Vec<KernelNote>,
    pub functions: Vec<FunctionNote>,
    pub variables: Vec<VariableNote>,
    pub device_globals: Vec<DeviceGlobalNote>,
    pub types: Vec<DecoratedType>,
    /// Names and places, for messages.
    pub aspects: AspectFacts,
}

/// Writes all notes into the module. A function that was not emitted is passed over.
pub fn run(module: &Module, notes: &UnitNotes) {
    // clang's list of annotations said what the AST has told already, and keeps functions alive
    // that are inlined.
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
        // The headers launch groups of one dimension with as many work-items as the program
        // requires.
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

/// The sizes of the work-groups that the kernel is launched with.
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

/// The attribute that chooses a sub-group size, by number or by name.
pub fn sub_group_size(attributes: &[Attribute]) -> Option<&Attribute> {
    attributes.iter().find(|a| {
        matches!(a.name.as_str(), "sycl::reqd_sub_group_size" | "intel::named_sub_group_size")
    })
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

/// Metadata has 32 bits for each size; what is larger becomes the largest, which no device has
/// either.
fn capped(size: i64) -> u32 {
    u32::try_from(size).unwrap_or(u32::MAX)
}

/// Work-group sizes, fastest dimension first, unused ones 1. SYCL lists the fastest dimension last.
fn sizes<'ctx>(module: &Module<'ctx>, values: &[i64]) -> Metadata<'ctx> {
    let mut all: Vec<i64> = values.iter().rev().map(|&size| capped(size).into()).take(3).collect();
    all.resize(3, 1);
    ints(module, &all)
}

/// The launch row of a kernel whose shape is known to be right.
pub fn shape(name: &str) -> Shape {
    Shape::from_name(name).unwrap_or(Shape::SingleTask)
}
