//! Which entry points share a part.
//!
//! Scopes come first: a mode puts entry points that a program builds together into one group. Then
//! these are split further until all in a group may share an image, because devices that can run
//! one of them can run all. Groups are in the order of their first members, members in the
//! module's.

use crate::demands::Demands;
use scythe_abi::names::MODULE_ID_ATTRIBUTE;
use scythe_llvm::{Function, Linkage, Module, Place};
use scythe_passes::aspects::metadata::Kinds;
use scythe_passes::aspects::requirements::Requirements;
use std::collections::{HashMap, HashSet};
use std::hash::Hash;

/// Which entry points share an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// All.
    Off,
    /// Those of one translation unit, [`AUTO_MOST`] at a time, and of others that use the same
    /// `device_global` with `device_image_scope`.
    #[default]
    Auto,
    /// Those of one translation unit.
    PerSource,
    /// None.
    PerKernel,
}

/// Entry points that share an image of mode [`Mode::Auto`], where nothing keeps more of them
/// together. Images are compiled as a whole, for the first kernel that is launched, and anew for
/// each set of values of specialization constants: a program should not wait for hundreds of
/// kernels then. Each image costs a little itself, so there should not be one for each kernel.
pub const AUTO_MOST: usize = 32;

impl Mode {
    pub const NAMES: &str = "off, per_source, per_kernel or auto";

    /// The modes that a program can be linked with instead of another.
    pub const ALL: [(&str, Self); 4] = [
        ("auto", Self::Auto),
        ("per_source", Self::PerSource),
        ("per_kernel", Self::PerKernel),
        ("off", Self::Off),
    ];

    /// The mode of this name: those of `-fsycl-device-code-split=`, or the shorter `source` and
    /// `kernel` of post-link tools.
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

/// A function that others may ask an image for.
#[derive(Clone, Debug)]
pub struct EntryPoint<'ctx> {
    pub function: Function<'ctx>,
    pub symbol: String,
    pub kind: EntryKind,
    /// What it says itself that a device must have: what is known in its translation unit.
    pub requirements: Requirements,
    /// The sub-group size that it requires itself.
    pub sub_group_size: Option<u32>,
    /// What it demands in the linked program; nothing until all of it is known.
    pub demands: Demands,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// Launched by the host.
    Kernel,
    /// A `SYCL_EXTERNAL` function, called by the code of other images.
    Exported,
}

/// The kernels and, with `export`, the `SYCL_EXTERNAL` functions that are defined in `module`, in
/// its order.
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

/// Groups of entry points, by their places in the list: those of the mode, split by what their
/// devices must have. Each list of `together` are entry points that one image should hold.
pub fn group(entries: &[EntryPoint<'_>], mode: Mode, together: &[&[usize]]) -> Vec<Vec<usize>> {
    let unit = |entry: &EntryPoint<'_>| {
        entry.function.string_attribute(Place::Function, MODULE_ID_ATTRIBUTE).unwrap_or_default()
    };
    match mode {
        Mode::Off => group_by(entries, |_, entry| entry.demands.share_key()),
        Mode::PerKernel => (0..entries.len()).map(|entry| vec![entry]).collect(),
        Mode::PerSource => group_by(entries, |_, entry| (unit(entry), entry.demands.share_key())),
        Mode::Auto => {
            let units = joined(entries.iter().map(unit).collect(), together);
            let groups = group_by(entries, |index, entry| {
                (units[index].as_str(), entry.demands.share_key())
            });
            let bound = together
                .iter()
                .filter(|list| list.len() > 1)
                .flat_map(|list| list.iter().copied())
                .collect();
            groups.into_iter().flat_map(|group| portions(group, &bound)).collect()
        }
    }
}

/// The translation units, where those that must stay together count as the first of them.
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

/// A group in portions of [`AUTO_MOST`]; one of whose members some are bound to others stays whole.
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
