//! The device link: chooses the modules for the images of each target, and builds the command that
//! makes the images.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use scythe_abi::target::Target;

use crate::args::Invocation;
use crate::error::Error;
use crate::facts::Facts;
use crate::flags::Meaning;
use crate::plan::names::Intermediates;
use crate::plan::{Action, Plan, Step};

/// The device code of one translation unit: a module for each of its targets.
pub struct Modules {
    /// The name of the user's file.
    pub from: String,
    pub of_target: BTreeMap<Target, PathBuf>,
    /// Whether the unit is in a static library, so that the program may not link it.
    pub optional: bool,
}

impl Modules {
    /// Returns the module from which to make code for `target`, if there is one. Generic code
    /// serves every target except NVIDIA's. Code for the CPU serves each level of the CPU.
    pub fn for_target(&self, target: Target) -> Option<&PathBuf> {
        let own = self.of_target.get(&target);
        let related = || {
            matches!(target, Target::CpuLevel(_))
                .then(|| self.of_target.get(&Target::Cpu))
                .flatten()
        };
        let generic = || self.of_target.get(&Target::Generic).filter(|_| !target.is_nvptx());
        own.or_else(related).or_else(generic)
    }

    fn lacks(&self, target: Target) -> bool {
        self.for_target(target).is_none()
    }

    /// Returns the warning about a linked unit without code for `target`.
    fn warning(&self, target: Target) -> String {
        let has = names(self.of_target.keys().copied());
        format!(
            "'{}' contains no device code for '{}'; it contains device code for {has}",
            self.from,
            target.name()
        )
    }

    /// Returns the warnings about a linked unit.
    pub fn warnings(&self, selected: &BTreeSet<Target>) -> Vec<String> {
        selected
            .iter()
            .filter(|target| self.lacks(**target))
            .map(|target| self.warning(*target))
            .collect()
    }

    /// Returns the targets whose modules a link for the selected targets needs.
    pub fn needed(&self, selected: &BTreeSet<Target>) -> BTreeSet<Target> {
        if selected.is_empty() {
            return self.of_target.keys().copied().collect();
        }
        let files: BTreeSet<&PathBuf> =
            selected.iter().filter_map(|target| self.for_target(*target)).collect();
        self.of_target
            .iter()
            .filter(|(_, file)| files.contains(file))
            .map(|(target, _)| *target)
            .collect()
    }
}

/// The inputs of a device link besides modules, and the steps that it depends on.
pub struct Link<'a> {
    pub invocation: &'a Invocation,
    pub facts: &'a Facts,
    pub files: &'a Intermediates,
    /// Shared libraries that contain device images.
    pub provided_by: Vec<PathBuf>,
    pub after: Vec<usize>,
    pub group: usize,
    /// The file to write the images to, instead of a host object.
    pub images: Option<PathBuf>,
}

/// Plans the device link of all modules together or, without `-fsycl-rdc`, one device link for each
/// unit. Returns their steps and objects.
pub fn device_links(
    plan: &mut Plan,
    link: &Link,
    all: &[Modules],
) -> Result<Vec<(usize, PathBuf)>, Error> {
    warn_of_missing(plan, link.invocation.targets.selected(), all)?;
    for modules in all {
        plan.names.extend(
            modules
                .of_target
                .values()
                .map(|file| (file.to_string_lossy().into(), modules.from.clone())),
        );
    }
    if link.invocation.rdc || link.images.is_some() {
        return Ok(vec![step(plan, link, &all.iter().collect::<Vec<_>>(), 0, None)]);
    }
    Ok(all
        .iter()
        .enumerate()
        .map(|(unit, modules)| step(plan, link, &[modules], unit, Some(&modules.from)))
        .collect())
}

/// Formats targets in quotes.
fn names(targets: impl Iterator<Item = Target>) -> String {
    let set: BTreeSet<Target> = targets.collect();
    set.into_iter().map(|target| format!("'{}'", target.name())).collect::<Vec<_>>().join(", ")
}

/// Reports an error if no input has code for a selected target. Warns about each unit that lacks
/// code for a selected target.
fn warn_of_missing(
    plan: &mut Plan,
    selected: &BTreeSet<Target>,
    all: &[Modules],
) -> Result<(), Error> {
    for target in selected {
        let lacking: Vec<&Modules> = all.iter().filter(|modules| modules.lacks(*target)).collect();
        if lacking.len() == all.len() {
            let found = names(all.iter().flat_map(|modules| modules.of_target.keys().copied()));
            return Err(Error::NoCodeForTarget { target: target.name(), found });
        }
        // Whether members of static libraries matter is known only later.
        let certain = lacking.into_iter().filter(|modules| !modules.optional);
        plan.warnings.extend(certain.map(|modules| modules.warning(*target)));
    }
    Ok(())
}

fn step(
    plan: &mut Plan,
    link: &Link,
    modules: &[&Modules],
    unit: usize,
    alone: Option<&str>,
) -> (usize, PathBuf) {
    let object = link.images.clone().unwrap_or_else(|| link.files.wrapper(unit));
    let mut args =
        vec!["device-link".to_owned(), "-o".to_owned(), object.to_string_lossy().into_owned()];
    args.extend(options(link, unit));
    for (targets, files) in groups(link.invocation.targets.selected(), modules) {
        let ids: Vec<String> = targets.iter().map(|target| target.full_triple()).collect();
        args.push(format!("--target={}", ids.join(",")));
        args.extend(files.iter().map(|file| file.to_string_lossy().into_owned()));
    }
    let what =
        alone.map_or_else(|| "device link".to_owned(), |from| format!("device link of '{from}'"));
    let step = plan.push(Step {
        what,
        action: Action::Run {
            program: link.facts.layout.tools.clone(),
            args,
            stdin: false,
            header: None,
        },
        after: link.after.clone(),
        group: link.group,
        publish: Vec::new(),
        unfinished: Vec::new(),
    });
    (step, object)
}

/// Returns the modules of each target, in order. Targets with the same modules are in one group.
fn groups(selected: &BTreeSet<Target>, modules: &[&Modules]) -> Vec<(Vec<Target>, Vec<PathBuf>)> {
    let found = || modules.iter().flat_map(|modules| modules.of_target.keys().copied()).collect();
    let targets: BTreeSet<Target> = if selected.is_empty() { found() } else { selected.clone() };
    let mut groups: Vec<(Vec<Target>, Vec<PathBuf>)> = Vec::new();
    for target in targets {
        let of = |modules: &&Modules| {
            if selected.is_empty() {
                modules.of_target.get(&target).cloned()
            } else {
                modules.for_target(target).cloned()
            }
        };
        let files: Vec<PathBuf> = modules.iter().filter_map(of).collect();
        if files.is_empty() {
            continue;
        }
        match groups.iter_mut().find(|group| group.1 == files) {
            Some(group) => group.0.push(target),
            None => groups.push((vec![target], files)),
        }
    }
    groups
}

fn options(link: &Link, unit: usize) -> Vec<String> {
    let inv = link.invocation;
    let mut args = Vec::new();
    args.extend(inv.code_split.iter().map(|mode| format!("--split={mode}")));
    let mut meant = link.facts.found_targets();
    meant.extend(inv.targets.effective());
    for target in meant {
        let options = inv.targets.backend_options(target);
        if !options.is_empty() {
            args.push(format!("--backend-options={}:{options}", target.full_triple()));
        }
    }
    args.extend(
        link.provided_by.iter().map(|library| format!("--provided-by={}", library.display())),
    );
    if inv.image_dependencies {
        args.push("--allow-undefined".to_owned());
    }
    if inv.image_dependencies || inv.has(Meaning::Shared).is_some() {
        args.push("--export".to_owned());
    }
    args.extend(inv.cuda_path.iter().map(|folder| format!("--cuda-path={folder}")));
    args.extend(inv.link_jobs.map(|jobs| format!("--jobs={jobs}")));
    args.extend(link.facts.link_cache.iter().map(|folder| format!("--cache={}", folder.display())));
    if inv.compress {
        args.push("--compress".to_owned());
    }
    args.extend(inv.dump_device_code.iter().map(|folder| format!("--dump-device-code={folder}")));
    args.extend(inv.config_file.iter().map(|file| format!("--device-config-file={file}")));
    args.extend(inv.device_link_warnings());
    if link.images.is_some() {
        args.push("--images".to_owned());
    } else if inv.device_link_only {
        args.push(format!("--linked={}", link.files.linked_kernels(unit).display()));
    }
    args.extend(link.files.device_link_prefix().map(|prefix| match unit {
        0 => format!("--save-temps={}", prefix.display()),
        _ => format!("--save-temps={}-unit{unit}", prefix.display()),
    }));
    if inv.verbose {
        args.push("--verbose".to_owned());
    }
    args.extend(inv.targets.linker_arguments());
    args
}
