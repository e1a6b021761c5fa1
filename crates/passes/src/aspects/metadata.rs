//! The metadata of optional kernel features. Only this module knows the names and forms of this
//! metadata.
//!
//! | on functions | holds |
//! |---|---|
//! | `!intel_used_aspects` | numbers of the aspects that the function and its direct and indirect callees use |
//! | `!intel_declared_aspects` | numbers of the aspects that the function's `device_has` lists |
//! | `!intel_fixed_targets` | strings: the targets of `-fsycl-fixed-targets=` |
//! | `!intel_reqd_sub_group_size` | one number |
//! | `!scythe_called_sub_group_sizes` | pairs: a sub-group size that a direct or indirect callee requires, and the symbol of that callee |
//! | `!reqd_work_group_size`, `!work_group_num_dim` | three numbers, fastest dimension first, and the number of dimensions in the source |
//! | `!scythe_logical_work_group_size` | on a kernel that runs its work-groups as loops in groups of another size: the size that the program requires, in the attribute's order, or nothing |
//! | `!intel_named_sub_group_size` | `automatic` or `primary` |
//! | `!scythe_aspect_origins` | strings: see [`super::chain`] |
//!
//! The named metadata `!intel_types_that_use_aspects` lists types by their name in IR, each with
//! numbers of aspects.
//!
//! Later compilers write `sycl_` instead of `intel_`, and pairs of a name and a number instead of
//! numbers. This module reads both forms and writes the forms above.

use scythe_abi::aspect_origin::AspectOrigin;
use scythe_llvm::{ContextRef, Function, Metadata, MetadataKind, Module};
use std::collections::{BTreeMap, BTreeSet, HashMap};

pub const TYPES: &str = "intel_types_that_use_aspects";
const LATER_TYPES: &str = "sycl_types_that_use_aspects";

/// The kinds of metadata on functions, which are looked up once per module.
#[derive(Clone, Copy)]
pub struct Kinds {
    used: [MetadataKind; 2],
    declared: [MetadataKind; 2],
    fixed_targets: [MetadataKind; 2],
    sub_group: MetadataKind,
    called_sub_groups: MetadataKind,
    named_sub_group: MetadataKind,
    work_group: MetadataKind,
    work_group_dims: MetadataKind,
    logical_work_group: MetadataKind,
    origins: MetadataKind,
    hint: MetadataKind,
}

impl Kinds {
    pub fn new(context: ContextRef<'_>) -> Self {
        let both = |name: &str| {
            [
                context.metadata_kind(&format!("intel_{name}")),
                context.metadata_kind(&format!("sycl_{name}")),
            ]
        };
        // LLVM prints metadata in the order in which the kinds were registered. This order is that
        // of the specification's examples.
        Self {
            declared: both("declared_aspects"),
            used: both("used_aspects"),
            fixed_targets: both("fixed_targets"),
            sub_group: context.metadata_kind("intel_reqd_sub_group_size"),
            called_sub_groups: context.metadata_kind("scythe_called_sub_group_sizes"),
            named_sub_group: context.metadata_kind("intel_named_sub_group_size"),
            work_group: context.metadata_kind("reqd_work_group_size"),
            work_group_dims: context.metadata_kind("work_group_num_dim"),
            logical_work_group: context.metadata_kind("scythe_logical_work_group_size"),
            origins: context.metadata_kind("scythe_aspect_origins"),
            hint: context.metadata_kind("work_group_size_hint"),
        }
    }

    /// Returns the aspects that a function uses. The set is empty if the function has no metadata.
    pub fn used(self, function: Function<'_>) -> BTreeSet<u32> {
        either(function, self.used).map(aspects).unwrap_or_default()
    }

    /// Returns the aspects that the function's `device_has` lists, or `None` if it has no
    /// `device_has`.
    pub fn declared(self, function: Function<'_>) -> Option<BTreeSet<u32>> {
        either(function, self.declared).map(aspects)
    }

    /// Returns the targets of `-fsycl-fixed-targets=`, or `None` for functions that no front end
    /// has marked.
    pub fn fixed_targets(self, function: Function<'_>) -> Option<BTreeSet<String>> {
        let node = either(function, self.fixed_targets)?;
        Some(node.operands().into_iter().flatten().filter_map(Metadata::string).collect())
    }

    /// Returns the required sub-group size if it is a number.
    pub fn sub_group_size(self, function: Function<'_>) -> Option<u32> {
        function.metadata(self.sub_group)?.operand(0)?.int()?.try_into().ok()
    }

    /// Returns the numeric required sub-group sizes of a function and of its direct and indirect
    /// callees, each with the symbol of a function that requires it. The sizes stay if calls are
    /// inlined.
    pub fn sub_group_sizes(self, function: Function<'_>) -> BTreeMap<u32, String> {
        let called =
            function.metadata(self.called_sub_groups).map(Metadata::operands).unwrap_or_default();
        let pair = |pair: &[Option<Metadata<'_>>]| {
            Some((pair[0]?.int()?.try_into().ok()?, pair[1]?.string()?))
        };
        let mut sizes: BTreeMap<u32, String> = called.chunks_exact(2).filter_map(pair).collect();
        sizes.extend(self.sub_group_size(function).map(|own| (own, function.name())));
        sizes
    }

    pub fn set_called_sub_group_sizes(
        self,
        function: Function<'_>,
        context: ContextRef<'_>,
        sizes: &[(u32, String)],
    ) {
        let pair = |(size, symbol): &(u32, String)| {
            [context.md_int(32, u64::from(*size)), context.md_string(symbol)]
        };
        let operands: Vec<_> = sizes.iter().flat_map(pair).collect();
        function.set_metadata(self.called_sub_groups, context.md_node(&operands));
    }

    /// Returns `automatic` or `primary`.
    pub fn named_sub_group_size(self, function: Function<'_>) -> Option<String> {
        function.metadata(self.named_sub_group)?.operand(0)?.string()
    }

    /// Returns the work-group size that the program requires, in the attribute's order: the fastest
    /// dimension last.
    pub fn work_group_size(self, function: Function<'_>) -> Option<Vec<u32>> {
        if let Some(sizes) = self.logical_work_group_size(function) {
            return Some(sizes).filter(|sizes| !sizes.is_empty());
        }
        let mut sizes = sizes_of(function.metadata(self.work_group)?)?;
        let written =
            function.metadata(self.work_group_dims).and_then(|node| node.operand(0)?.int());
        sizes.truncate(written.map_or(3, |dims| dims.clamp(1, 3) as usize));
        sizes.reverse();
        (!sizes.is_empty()).then_some(sizes)
    }

    /// Returns the work-group size that the program recommends, in the attribute's order. Slower
    /// dimensions of size 1 are left out, because the metadata does not record whether the source
    /// has them.
    pub fn work_group_size_hint(self, function: Function<'_>) -> Option<Vec<u32>> {
        let mut sizes = sizes_of(function.metadata(self.hint)?)?;
        while sizes.len() > 1 && sizes.last() == Some(&1) {
            sizes.pop();
        }
        sizes.reverse();
        Some(sizes)
    }

    /// Returns the size that [`Kinds::set_logical_work_group_size`] set.
    pub fn logical_work_group_size(self, function: Function<'_>) -> Option<Vec<u32>> {
        sizes_of(function.metadata(self.logical_work_group)?)
    }

    /// Sets the size that [`Kinds::work_group_size`] returns. An empty list means that no size is
    /// required.
    pub fn set_logical_work_group_size(
        self,
        function: Function<'_>,
        context: ContextRef<'_>,
        sizes: &[u32],
    ) {
        function.set_metadata(self.logical_work_group, numbers(context, sizes));
    }

    /// Returns the call chain to the source of each aspect. Strings of another form are ignored.
    pub fn origins(self, function: Function<'_>) -> Vec<AspectOrigin> {
        let operands =
            function.metadata(self.origins).map(|node| node.operands()).unwrap_or_default();
        let lines = operands.into_iter().flatten().filter_map(Metadata::string);
        lines.filter_map(|line| AspectOrigin::parse(&line)).collect()
    }

    pub fn set_origins(self, function: Function<'_>, context: ContextRef<'_>, lines: &[String]) {
        let lines: Vec<_> = lines.iter().map(|line| context.md_string(line)).collect();
        function.set_metadata(self.origins, context.md_node(&lines));
    }

    pub fn set_declared(self, function: Function<'_>, context: ContextRef<'_>, aspects: &[u32]) {
        function.set_metadata(self.declared[0], numbers(context, aspects));
    }

    pub fn set_used(self, function: Function<'_>, context: ContextRef<'_>, aspects: &[u32]) {
        function.set_metadata(self.used[0], numbers(context, aspects));
    }

    /// Like [`Kinds::set_used`], with a node from [`numbers`].
    pub fn set_used_node<'ctx>(self, function: Function<'ctx>, aspects: Metadata<'ctx>) {
        function.set_metadata(self.used[0], aspects);
    }

    pub fn set_fixed_targets(
        self,
        function: Function<'_>,
        context: ContextRef<'_>,
        targets: &[String],
    ) {
        let names: Vec<_> = targets.iter().map(|name| context.md_string(name)).collect();
        function.set_metadata(self.fixed_targets[0], context.md_node(&names));
    }
}

/// Returns the types that use aspects, by their name in IR.
pub fn types(module: &Module<'_>) -> HashMap<String, BTreeSet<u32>> {
    let mut types: HashMap<String, BTreeSet<u32>> = HashMap::new();
    for node in [TYPES, LATER_TYPES].into_iter().flat_map(|name| module.named_metadata(name)) {
        let Some(name) = node.operand(0).and_then(Metadata::string) else { continue };
        types
            .entry(name)
            .or_default()
            .extend(node.operands().into_iter().skip(1).flatten().filter_map(aspect));
    }
    types
}

/// Adds a type to the list of types that use aspects.
pub fn add_type(module: &Module<'_>, name: &str, aspects: impl IntoIterator<Item = u32>) {
    let context = module.context();
    let mut operands = vec![context.md_string(name)];
    operands.extend(aspects.into_iter().map(|aspect| context.md_int(32, aspect.into())));
    module.add_named_metadata(TYPES, context.md_node(&operands));
}

fn sizes_of(node: Metadata<'_>) -> Option<Vec<u32>> {
    node.operands().into_iter().map(|size| size?.int()?.try_into().ok()).collect()
}

fn either<'ctx>(function: Function<'ctx>, kinds: [MetadataKind; 2]) -> Option<Metadata<'ctx>> {
    kinds.into_iter().find_map(|kind| function.metadata(kind))
}

fn aspects(node: Metadata<'_>) -> BTreeSet<u32> {
    node.operands().into_iter().flatten().filter_map(aspect).collect()
}

/// Reads an aspect: a number, or a pair of a name and a number.
fn aspect(operand: Metadata<'_>) -> Option<u32> {
    let number = operand.int().or_else(|| operand.operand(1)?.int())?;
    number.try_into().ok()
}

/// Creates the node for a list of aspects.
pub fn numbers<'ctx>(context: ContextRef<'ctx>, aspects: &[u32]) -> Metadata<'ctx> {
    let operands: Vec<_> =
        aspects.iter().map(|&aspect| context.md_int(32, aspect.into())).collect();
    context.md_node(&operands)
}
