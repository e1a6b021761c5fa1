//! Plans links: the device code of all inputs is linked into one object, which is an input of the
//! host link.
//!
//! The members of static libraries that the host link loads are linked for devices too
//! (`members.rs`). With `-r`, nothing is linked for devices: the output contains the device code of
//! all its inputs, for a later link.
//!
//! With `-fsycl-link`, the output is an object with the host code, joined but not linked, and the
//! device images. A later link of that object does no device work, and rejects kernels that the
//! object does not contain. With `-fsycl-device-only` as well, the output is a file with the device
//! images of the sources alone.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::args::{InputKind, Invocation, Item};
use crate::error::Error;
use crate::facts::{Facts, Holder};
use crate::flags::{Meaning, Steps};
use crate::members::{Archive, Member, Members};
use crate::plan::compile::{self, offer};
use crate::plan::device_link::{self, Link, Modules};
use crate::plan::names::{self, Intermediates};
use crate::plan::unit::{self, Next, Unit};
use crate::plan::{Action, Plan, Step, UnbundledPiece};

/// The contributions of the inputs to the link.
#[derive(Default)]
struct Parts {
    /// The words of the host link, in the order of the command line.
    words: Vec<String>,
    /// Device code, in the same order.
    device: Vec<Modules>,
    host_steps: Vec<usize>,
    device_steps: Vec<usize>,
    /// Shared libraries that contain device images.
    provided_by: Vec<PathBuf>,
    /// Inputs whose device link is final, with their kernels.
    linked: Vec<(String, Vec<String>)>,
    /// Static libraries with device code.
    archives: Vec<Archive>,
}

/// Plans all steps from sources and objects to a program or library.
pub fn program(plan: &mut Plan, invocation: &Invocation, facts: &Facts) -> Result<(), Error> {
    let output = invocation.output.clone().unwrap_or_else(|| "a.out".to_owned());
    if invocation.has(Meaning::Relocatable).is_some() && !invocation.device_link_only {
        let (words, after) = fat_inputs(plan, invocation, facts);
        host_link(plan, invocation, facts, words, after, &output);
        return Ok(());
    }
    let mut parts = inputs(plan, invocation, facts);
    let files = Intermediates::new(invocation, facts, &file_name(&output), 0);
    let group = invocation.inputs().count();
    if invocation.device_link_only && parts.device.is_empty() {
        let names: Vec<_> = invocation.inputs().map(|input| format!("'{}'", input.path)).collect();
        return Err(Error::NothingToLink { inputs: names.join(", ") });
    }
    let mut after = parts.host_steps.clone();
    if let Some(step) = members(plan, invocation, facts, &parts, &files) {
        after.push(step);
        parts.device_steps.push(step);
        parts.words.insert(0, format!("@{}", files.members().1.display()));
    }
    let mut kernels = Vec::new();
    if !parts.linked.is_empty() {
        after.extend(no_new_kernels(plan, &parts, group));
    } else if !parts.device.is_empty() {
        let (provided_by, device_steps) = (parts.provided_by.clone(), parts.device_steps.clone());
        let link = Link {
            invocation,
            facts,
            files: &files,
            provided_by,
            after: device_steps,
            group,
            images: None,
        };
        for (unit, (step, object)) in
            device_link::device_links(plan, &link, &parts.device)?.into_iter().enumerate()
        {
            after.push(step);
            parts.words.push(object.to_string_lossy().into_owned());
            kernels.push(files.linked_kernels(unit));
        }
    }
    if invocation.device_link_only {
        linked_object(plan, invocation, facts, (&files, kernels), parts.words, after);
    } else {
        host_link(plan, invocation, facts, parts.words, after, &output);
    }
    Ok(())
}

/// Plans the device passes of all sources and one device link, which writes the images.
pub fn device_images(plan: &mut Plan, invocation: &Invocation, facts: &Facts) -> Result<(), Error> {
    let output = invocation.output.clone().unwrap_or_else(|| "a.out".to_owned());
    let files = Intermediates::new(invocation, facts, &file_name(&output), 0);
    let (mut modules, mut after) = (Vec::new(), Vec::new());
    let sources = compile::compiled_inputs(invocation);
    for (group, input) in sources.filter(|(_, input)| input.kind == InputKind::Source) {
        let unit = Unit::new(invocation, facts, input, group);
        let (device, steps) = unit.device_side(plan);
        modules.push(Modules {
            from: input.path.clone(),
            of_target: device.into_iter().collect(),
            optional: false,
        });
        after.extend(steps);
    }
    if modules.is_empty() {
        let names: Vec<_> = invocation.inputs().map(|input| format!("'{}'", input.path)).collect();
        return Err(Error::NothingToLink { inputs: names.join(", ") });
    }
    let waiting = names::waiting(&output, facts);
    let group = invocation.inputs().count();
    let link = Link {
        invocation,
        facts,
        files: &files,
        provided_by: Vec::new(),
        after,
        group,
        images: Some(waiting.clone()),
    };
    for (step, _) in device_link::device_links(plan, &link, &modules)? {
        let step = &mut plan.steps[step];
        offer(&mut step.publish, &mut step.unfinished, waiting.clone(), &output, facts);
    }
    Ok(())
}

/// Compiles sources and extracts device code from the other inputs, in the order of the command
/// line.
fn inputs(plan: &mut Plan, invocation: &Invocation, facts: &Facts) -> Parts {
    let mut parts = Parts::default();
    let mut group = 0;
    for item in &invocation.items {
        match item {
            Item::Option { words, steps, meaning } => {
                let named = matches!(meaning, Meaning::Library | Meaning::LinkerInput);
                let word = named.then(|| linkable(plan, &mut parts, invocation, facts, words));
                match word.flatten() {
                    Some(stripped) => parts.words.push(stripped),
                    None if steps.contains(Steps::LINK) => {
                        parts.words.extend(words.iter().cloned())
                    }
                    None => {}
                }
            }
            Item::Input(input) => {
                match input.kind {
                    InputKind::Source if !invocation.host_only => {
                        let unit = Unit::new(invocation, facts, input, group);
                        let compiled =
                            unit.compile(plan, &["-c"], unit.files.host(false), Next::Link);
                        parts.words.push(compiled.host.to_string_lossy().into_owned());
                        parts.host_steps.push(compiled.host_step);
                        parts.device_steps.extend(compiled.device_steps);
                        if !compiled.device.is_empty() {
                            let of_target = compiled.device.into_iter().collect();
                            parts.device.push(Modules {
                                from: input.path.clone(),
                                of_target,
                                optional: false,
                            });
                        }
                    }
                    InputKind::Source | InputKind::HostSource => {
                        let (object, step) =
                            unit::host_object(plan, invocation, facts, group, input);
                        parts.words.push(object.to_string_lossy().into_owned());
                        parts.host_steps.push(step);
                    }
                    InputKind::Linkable => {
                        let words = std::slice::from_ref(&input.path);
                        let word = linkable(plan, &mut parts, invocation, facts, words);
                        parts.words.push(word.unwrap_or_else(|| input.path.clone()));
                    }
                }
                group += 1;
            }
        }
    }
    parts
}

/// `-r`: compiles sources to objects with device code. All other inputs stay unchanged.
fn fat_inputs(
    plan: &mut Plan,
    invocation: &Invocation,
    facts: &Facts,
) -> (Vec<String>, Vec<usize>) {
    let (mut words, mut steps) = (Vec::new(), Vec::new());
    let mut group = 0;
    for item in &invocation.items {
        let input = match item {
            Item::Option { words: option, steps, .. } => {
                words.extend(option.iter().filter(|_| steps.contains(Steps::LINK)).cloned());
                continue;
            }
            Item::Input(input) => input,
        };
        let object = match input.kind {
            InputKind::Linkable => PathBuf::from(&input.path),
            InputKind::Source if !invocation.host_only => {
                let unit = Unit::new(invocation, facts, input, group);
                let compiled = unit.compile(plan, &["-c"], unit.files.host(true), Next::Bundle);
                let fat = if compiled.device.is_empty() {
                    compiled.host.clone()
                } else {
                    unit.files.fat()
                };
                steps.push(match compiled.device.is_empty() {
                    true => compiled.host_step,
                    false => compile::bundle(plan, compiled, fat.clone(), group),
                });
                fat
            }
            InputKind::Source | InputKind::HostSource => {
                let (object, step) = unit::host_object(plan, invocation, facts, group, input);
                steps.push(step);
                object
            }
        };
        words.push(object.to_string_lossy().into_owned());
        group += 1;
    }
    (words, steps)
}

/// Plans the step that finds the linked members of static libraries, if there are static libraries
/// with device code.
fn members(
    plan: &mut Plan,
    inv: &Invocation,
    facts: &Facts,
    parts: &Parts,
    files: &Intermediates,
) -> Option<usize> {
    if parts.archives.is_empty() {
        return None;
    }
    let (output, words) = files.members();
    let args = match inv.device_link_only {
        true => joining_args(inv, facts, &parts.words),
        false => link_args(inv, facts, &parts.words),
    };
    let module = |modules: &Modules| {
        let target = modules.needed(inv.targets.selected()).into_iter().next();
        target.and_then(|target| modules.of_target.get(&target).cloned())
    };
    let objects =
        parts.device.iter().filter(|modules| !modules.optional).filter_map(module).collect();
    let (program, archives) = (facts.clang.clone(), parts.archives.clone());
    Some(plan.push(Step {
        what: "choice of library members".to_owned(),
        action: Action::Members(Members { program, args, output, archives, objects, words }),
        after: parts.host_steps.iter().chain(&parts.device_steps).copied().collect(),
        group: inv.inputs().count(),
        publish: Vec::new(),
        unfinished: Vec::new(),
    }))
}

/// Extracts device code from an object or library that contains any. Returns the word that replaces
/// the user's word in the host link, if it differs.
fn linkable(
    plan: &mut Plan,
    parts: &mut Parts,
    inv: &Invocation,
    facts: &Facts,
    words: &[String],
) -> Option<String> {
    let key = &words.concat();
    if let Some(library) = facts.image_libraries.get(key)
        && !parts.provided_by.contains(library)
    {
        parts.provided_by.push(library.clone());
    }
    let holder = facts.device_code.get(key)?;
    let name = holder.path.to_string_lossy().into_owned();
    if let Some(kernels) = &holder.linked
        && parts.linked.iter().all(|(known, _)| *known != name)
    {
        parts.linked.push((name.clone(), kernels.clone()));
    }
    let number = plan.steps.iter().filter(|s| matches!(s.action, Action::Unbundle { .. })).count();
    let files = Intermediates::new(inv, facts, &names::stem(&name), number);
    let chosen = unbundle(plan, parts, inv, holder, &files);
    let mut archive = (!chosen.is_empty()).then(|| Archive {
        words: words.to_vec(),
        path: holder.path.clone(),
        copy: files.copy(),
        members: chosen,
    });
    // Members of a thin archive are separate files. They are stripped when the output object is
    // marked.
    if !inv.device_link_only || holder.units.is_empty() || holder.thin {
        parts.archives.extend(archive);
        return None;
    }
    // The output object must not contain device code that is already linked.
    let output = files.stripped(holder.path.extension().and_then(|e| e.to_str()).unwrap_or("o"));
    parts.host_steps.push(plan.push(Step {
        what: format!("host code of '{name}'"),
        action: Action::Strip { input: holder.path.clone(), output: output.clone() },
        after: Vec::new(),
        group: inv.inputs().count(),
        publish: Vec::new(),
        unfinished: Vec::new(),
    }));
    let word = output.to_string_lossy().into_owned();
    if let Some(archive) = &mut archive {
        (archive.words, archive.path) = (vec![word.clone()], output);
    }
    parts.archives.extend(archive);
    Some(word)
}

/// Extracts device modules. A library that is named twice contributes once. Returns its members
/// with device code, from which the linker chooses.
fn unbundle(
    plan: &mut Plan,
    parts: &mut Parts,
    inv: &Invocation,
    holder: &Holder,
    files: &Intermediates,
) -> Vec<Member> {
    let taken =
        |s: &Step| matches!(&s.action, Action::Unbundle { input, .. } if *input == holder.path);
    if holder.units.is_empty() || plan.steps.iter().any(taken) {
        return Vec::new();
    }
    let selected = inv.targets.selected();
    let mut members: Vec<Member> = Vec::new();
    let mut pieces = Vec::new();
    let mut index = 0;
    for unit in &holder.units {
        let optional = unit.member.is_some();
        let mut modules = Modules { from: unit.name.clone(), of_target: BTreeMap::new(), optional };
        let mut of_unit = Vec::new();
        for target in &unit.targets {
            let output = files.unbundled(index);
            modules.of_target.insert(*target, output.clone());
            of_unit.push(UnbundledPiece { index, target: *target, output });
            index += 1;
        }
        let needed = modules.needed(selected);
        of_unit.retain(|piece| needed.contains(&piece.target));
        if let Some(index) = unit.member {
            let files = of_unit.iter().map(|piece| piece.output.clone()).collect();
            members.push(Member { index, modules: files, warnings: modules.warnings(selected) });
        }
        pieces.extend(of_unit);
        parts.device.push(modules);
    }
    parts.device_steps.push(plan.push(Step {
        what: format!("unbundle '{}'", holder.path.display()),
        action: Action::Unbundle { input: holder.path.clone(), pieces },
        after: Vec::new(),
        group: inv.inputs().count(),
        publish: Vec::new(),
        unfinished: Vec::new(),
    }));
    members
}

/// Plans the check that kernels in other inputs are among those already linked. Returns `None` if
/// no other input has device code.
fn no_new_kernels(plan: &mut Plan, parts: &Parts, group: usize) -> Option<usize> {
    let modules: Vec<(PathBuf, String)> = parts
        .device
        .iter()
        .flat_map(|modules| {
            modules.of_target.values().next().map(|file| (file.clone(), modules.from.clone()))
        })
        .collect();
    if modules.is_empty() {
        return None;
    }
    let linked = parts.linked.iter().flat_map(|(_, kernels)| kernels.iter().cloned()).collect();
    let linked_in =
        parts.linked.iter().map(|(file, _)| file.as_str()).collect::<Vec<_>>().join("' and '");
    Some(plan.push(Step {
        what: "search for new kernels".to_owned(),
        action: Action::NewKernels { modules, linked, linked_in },
        after: parts.device_steps.clone(),
        group,
        publish: Vec::new(),
        unfinished: Vec::new(),
    }))
}

/// `-fsycl-link`: joins host objects and images into one object that lists its kernels.
fn linked_object(
    plan: &mut Plan,
    inv: &Invocation,
    facts: &Facts,
    (files, kernels): (&Intermediates, Vec<PathBuf>),
    words: Vec<String>,
    after: Vec<usize>,
) {
    let output = inv.output.clone().unwrap_or_else(|| "a.o".to_owned());
    let object = files.relocatable();
    let mut args = joining_args(inv, facts, &words);
    args.extend(["-o".to_owned(), object.to_string_lossy().into_owned()]);
    let group = inv.inputs().count();
    let joined = plan.push(Step {
        what: format!("host code and images of '{output}'"),
        action: Action::Run { program: facts.clang.clone(), args, stdin: false, header: None },
        after,
        group,
        publish: Vec::new(),
        unfinished: Vec::new(),
    });
    let waiting = names::waiting(&output, facts);
    let (mut publish, mut unfinished) = (Vec::new(), Vec::new());
    offer(&mut publish, &mut unfinished, waiting.clone(), &output, facts);
    plan.push(Step {
        what: format!("list of kernels in '{output}'"),
        action: Action::MarkLinked { object, kernels, output: waiting },
        after: vec![joined],
        group,
        publish,
        unfinished,
    });
}

fn host_link(
    plan: &mut Plan,
    inv: &Invocation,
    facts: &Facts,
    words: Vec<String>,
    after: Vec<usize>,
    output: &str,
) {
    let waiting = names::waiting(output, facts);
    let mut args = link_args(inv, facts, &words);
    args.extend(["-o".to_owned(), waiting.to_string_lossy().into_owned()]);
    let (mut publish, mut unfinished) = (Vec::new(), Vec::new());
    if inv.has(Meaning::LinkerQuery).is_none() {
        offer(&mut publish, &mut unfinished, waiting, output, facts);
    }
    plan.push(Step {
        what: format!("link of '{output}'"),
        action: Action::Run { program: facts.clang.clone(), args, stdin: false, header: None },
        after,
        group: inv.inputs().count(),
        publish,
        unfinished,
    });
}

/// Returns the arguments of the host link, without its output.
fn link_args(inv: &Invocation, facts: &Facts, words: &[String]) -> Vec<String> {
    let lib = facts.layout.lib.to_string_lossy();
    let mut args = linker(inv, facts);
    args.extend(words.iter().cloned());
    if inv.runtime && inv.has(Meaning::Relocatable).is_none() {
        args.extend([format!("-L{lib}"), "-lscythe".to_owned(), format!("-Wl,-rpath,{lib}")]);
    }
    args
}

/// Returns the arguments that join host objects without linking them, without the output.
fn joining_args(inv: &Invocation, facts: &Facts, words: &[String]) -> Vec<String> {
    let mut args = linker(inv, facts);
    args.extend(["-r".to_owned(), "-nostdlib".to_owned()]);
    // Libraries belong to the later link. With '-r', linkers accept only archives.
    args.extend(words.iter().filter(|word| !word.starts_with("-l")).cloned());
    args
}

fn linker(inv: &Invocation, facts: &Facts) -> Vec<String> {
    let mut args = vec!["-Qunused-arguments".to_owned()];
    if facts.lld && inv.has(Meaning::FuseLd).is_none() {
        args.push("-fuse-ld=lld".to_owned());
    }
    args
}

fn file_name(output: &str) -> String {
    let name = Path::new(output).file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}
