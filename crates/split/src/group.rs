//! Groups the entry points that share a part.
//!
//! First, the mode groups entry points that a program builds together. Then these groups are split
//! until all entry points of a group can share an image: a device that can run one of them can run
//! all. Groups are in the order of their first members, and members are in the order of the module.

use crate::Granted;
use crate::demands::Demands;
use scythe_abi::names::MODULE_ID_ATTRIBUTE;
use scythe_llvm::{Function, Linkage, Module, Place};
use scythe_passes::aspects::metadata::Kinds;
use scythe_passes::aspects::requirements::Requirements;
use std::collections::{HashMap, HashSet};
use std::hash::Hash;

/// The rule by which entry points share an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// All entry points share one image.
    Off,
    /// The entry points of one translation unit share an image, at most [`AUTO_MOST`] at a time.
    /// Entry points of other units that use the same `device_global` with `device_image_scope` join
    /// them.
    #[default]
    Auto,
    /// The entry points of one translation unit share an image.
    PerSource,
    /// Each entry point has its own image.
    PerKernel,
}

/// The largest number of entry points in an image of mode [`Mode::Auto`], unless variables with
/// image scope keep more of them together. The first launch of a kernel compiles its whole image,
/// and each new set of values of specialization constants compiles it again. A program should not
/// wait for hundreds of kernels. Each image has a small cost, so one image per kernel would be too
/// many.
pub const AUTO_MOST: usize = 32;

impl Mode {
    pub const NAMES: &str = "off, per_source, per_kernel or auto";

    /// The modes with their names in `-fsycl-device-code-split=`.
    pub const ALL: [(&str, Self); 4] = [
        ("auto", Self::Auto),
        ("per_source", Self::PerSource),
        ("per_kernel", Self::PerKernel),
        ("off", Self::Off),
    ];

    /// Returns the mode with this name: a value of `-fsycl-device-code-split=`, or the shorter
    /// `source` and `kernel` of post-link tools.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "off" | "none" => Some(Self::Off),
            "auto" => Some(Self::Auto),
            "per_source" | "source" => Some(Self::PerSource),
            "per_kernel" | "kernel" => Some(Self::PerKernel),
            _ => None,
        }
    }
}

/// A function that an image provides to programs or to other images.
#[derive(Clone, Debug)]
pub struct EntryPoint<'ctx> {
    pub function: Function<'ctx>,
    pub symbol: String,
    pub kind: EntryKind,
    /// The requirements that are known in the translation unit of the entry point.
    pub requirements: Requirements,
    /// The sub-group size that the entry point itself requires.
    pub sub_group_size: Option<u32>,
    /// The requirements in the linked program. Empty until `demands` has computed them.
    pub demands: Demands,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A kernel, which the host launches.
    Kernel,
    /// A `SYCL_EXTERNAL` function, which the code of other images calls.
    Exported,
}

/// Returns the kernels of `module` and, with `export`, its `SYCL_EXTERNAL` functions, in the order
/// of the module.
pub fn entry_points<'ctx>(
    module: &Module<'ctx>,
    kinds: Kinds,
    export: bool,
) -> Vec<EntryPoint<'ctx>> {
    let kind = |function: Function<'ctx>| {
        if function.is_kernel() {
            Some(EntryKind::Kernel)
        } else {
            (export && is_exported(function)).then_some(EntryKind::Exported)
        }
    };
    let entry = |function: Function<'ctx>| {
        let kind = kind(function)?;
        let (requirements, demands) = (Requirements::of(function, kinds), Demands::default());
        let sub_group_size = kinds.sub_group_size(function);
        Some(EntryPoint {
            function,
            symbol: function.name(),
            kind,
            requirements,
            sub_group_size,
            demands,
        })
    };
    module.functions().filter_map(entry).collect()
}

fn is_exported(function: Function<'_>) -> bool {
    let local =
        matches!(function.linkage(), Linkage::LLVMInternalLinkage | Linkage::LLVMPrivateLinkage);
    !function.is_declaration()
        && !local
        && function.string_attribute(Place::Function, MODULE_ID_ATTRIBUTE).is_some()
}

/// Returns groups of entry points, by their indices in the list: the groups of the mode, split by
/// device requirements except those that are `granted`. Each list of `together` has the entry
/// points that should be in one image.
pub fn group(
    entries: &[EntryPoint<'_>],
    mode: Mode,
    granted: &Granted,
    together: &[&[usize]],
) -> Vec<Vec<usize>> {
    let key = |entry: &EntryPoint<'_>| entry.demands.share_key(granted);
    let unit = |entry: &EntryPoint<'_>| {
        entry.function.string_attribute(Place::Function, MODULE_ID_ATTRIBUTE).unwrap_or_default()
    };
    match mode {
        Mode::Off => group_by(entries, |_, entry| key(entry)),
        Mode::PerKernel => (0..entries.len()).map(|entry| vec![entry]).collect(),
        Mode::PerSource => group_by(entries, |_, entry| (unit(entry), key(entry))),
        Mode::Auto => {
            let units = joined(entries.iter().map(unit).collect(), together);
            let groups = group_by(entries, |index, entry| (units[index].as_str(), key(entry)));
            let bound = together
                .iter()
                .filter(|list| list.len() > 1)
                .flat_map(|list| list.iter().copied())
                .collect();
            groups.into_iter().flat_map(|group| portions(group, &bound)).collect()
        }
    }
}

/// Returns the translation unit of each entry point. Units that must stay together count as the
/// first of them.
fn joined(mut units: Vec<String>, together: &[&[usize]]) -> Vec<String> {
    for list in together {
        let Some(first) = list.first().map(|&index| units[index].clone()) else { continue };
        let others: Vec<String> = list.iter().map(|&index| units[index].clone()).collect();
        units
            .iter_mut()
            .filter(|unit| others.contains(unit))
            .for_each(|unit| unit.clone_from(&first));
    }
    units
}

/// Splits a group into portions of [`AUTO_MOST`]. A group stays whole if variables with image scope
/// bind some of its members to others.
fn portions(group: Vec<usize>, bound: &HashSet<usize>) -> Vec<Vec<usize>> {
    if group.len() <= AUTO_MOST || group.iter().any(|entry| bound.contains(entry)) {
        return vec![group];
    }
    group.chunks(AUTO_MOST).map(<[usize]>::to_vec).collect()
}

fn group_by<'ctx, K: Hash + Eq>(
    entries: &[EntryPoint<'ctx>],
    key: impl Fn(usize, &EntryPoint<'ctx>) -> K,
) -> Vec<Vec<usize>> {
    let mut places = HashMap::new();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let place = *places.entry(key(index, entry)).or_insert(groups.len());
        if place == groups.len() {
            groups.push(Vec::new());
        }
        groups[place].push(index);
    }
    groups
}
