//! Describes the `device_global` variables of images, and finds the kernels that must share an
//! image because of them.
//!
//! All entry points that use a variable with `device_image_scope` must be in one image. The mode
//! `auto` keeps them together. It is an error if another mode, or different device requirements,
//! separate them.

use crate::Options;
use crate::errors::ImageScope;
use crate::group::{self, EntryKind, EntryPoint, Mode};
use crate::name::{kernel_name, symbol_name};
use crate::undefined;
use scythe_abi::launch::KernelLaunch;
use scythe_abi::names::TU_SEPARATOR;
use scythe_diag::{Diagnostic, Location, Report};
use scythe_image::manifest;
use scythe_llvm::GlobalGraph;
use scythe_passes::device_globals::DeviceGlobal;
use std::collections::{HashMap, HashSet};

/// A variable with `device_image_scope` and the entry points that use it, by their indices in the
/// list.
pub struct InOneImage {
    id: String,
    pub entries: Vec<usize>,
}

/// Returns the variables with `device_image_scope` of a module whose entry points have these
/// numbers in its graph.
pub fn in_one_image(graph: &GlobalGraph<'_>, entries: &[u32]) -> Vec<InOneImage> {
    let all = (0..graph.len() as u32).filter_map(|number| {
        let global = DeviceGlobal::of(graph.global(number).as_global_variable()?)?;
        global.image_scope.then_some((number, global.id))
    });
    let all: Vec<_> = all.collect();
    if all.is_empty() {
        return Vec::new();
    }
    let needed_by = undefined::users(graph);
    let users = |(variable, id)| {
        let mut reaching = HashSet::from([variable]);
        let mut work = vec![variable];
        while let Some(number) = work.pop() {
            work.extend(needed_by[number as usize].iter().filter(|&&user| reaching.insert(user)));
        }
        let entries =
            (0..entries.len()).filter(|&entry| reaching.contains(&entries[entry])).collect();
        InOneImage { id, entries }
    };
    all.into_iter().map(users).collect()
}

/// Reports each variable whose entry points are not all in one of `groups`.
pub fn check(
    variables: &[InOneImage],
    groups: &[Vec<usize>],
    entries: &[EntryPoint<'_>],
    rows: &HashMap<String, KernelLaunch>,
    options: &Options,
) -> Vec<Diagnostic> {
    let torn = |variable: &&InOneImage| !is_in_one(variable, groups);
    variables
        .iter()
        .filter(torn)
        .map(|variable| describe_fault(variable, groups, entries, rows, options))
        .collect()
}

fn is_in_one(variable: &InOneImage, groups: &[Vec<usize>]) -> bool {
    groups.iter().filter(|group| variable.entries.iter().any(|entry| group.contains(entry))).count()
        <= 1
}

fn describe_fault(
    variable: &InOneImage,
    groups: &[Vec<usize>],
    entries: &[EntryPoint<'_>],
    rows: &HashMap<String, KernelLaunch>,
    options: &Options,
) -> Diagnostic {
    let called = |entry: &EntryPoint<'_>| match entry.kind {
        EntryKind::Kernel => format!("kernel '{}'", kernel_name(&entry.symbol)),
        EntryKind::Exported => format!("exported function '{}'", symbol_name(&entry.symbol)),
    };
    let place = |entry: &EntryPoint<'_>| {
        rows.get(&entry.symbol)
            .map(|launch| Location::new(&launch.file, launch.line, launch.column))
    };
    // The first entry point in each image that uses the variable.
    let firsts: Vec<&EntryPoint<'_>> = groups
        .iter()
        .filter_map(|group| {
            group
                .iter()
                .find(|entry| variable.entries.contains(entry))
                .map(|&entry| &entries[entry])
        })
        .collect();
    let works: Vec<String> = Mode::ALL
        .iter()
        .filter(|(_, other)| *other != options.mode)
        .filter(|(_, other)| {
            is_in_one(
                variable,
                &group::group(entries, *other, &options.granted, &[&variable.entries]),
            )
        })
        .map(|(name, _)| format!("'-fsycl-device-code-split={name}'"))
        .collect();
    let advice = match works.is_empty() {
        true => {
            "these kernels need different device features, so no split mode puts them into one \
            image"
                .to_owned()
        }
        false => format!("link with {}", works.join(" or ")),
    };
    let name = variable.id.split(TU_SEPARATOR).next().unwrap_or_default();
    let error = ImageScope { variable: symbol_name(name), images: firsts.len(), advice };
    let mut fault: Diagnostic = error.report();
    for (index, entry) in firsts.iter().enumerate() {
        let note = format!("{} uses it in image {}", called(entry), index + 1);
        fault = match place(entry) {
            Some(at) => fault.note_at(at, note),
            None => fault.note(note),
        };
    }
    fault
}

/// Returns the descriptions of the variables that an image with these members uses.
pub fn describe(graph: &GlobalGraph<'_>, members: &[u32]) -> Vec<manifest::DeviceGlobal> {
    let variables = members.iter().filter_map(|&member| graph.global(member).as_global_variable());
    let mut met = HashSet::new();
    let mut list = Vec::new();
    for DeviceGlobal { id, size, image_scope, .. } in variables.filter_map(DeviceGlobal::of) {
        if met.insert(id.clone()) {
            list.push(manifest::DeviceGlobal { symbol: id, size, image_scope });
        }
    }
    list
}
