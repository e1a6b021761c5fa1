//! From objects to a program: device code of all inputs is linked into one object, which the host link takes along.

use std::path::PathBuf;

use crate::args::{InputKind, Invocation, Item};
use crate::facts::Facts;
use crate::flags::{Meaning, Steps};
use crate::plan::compile::{self, Unit, offer};
use crate::plan::names::{self, Intermediates};
use crate::plan::{Action, Plan, Step};

/// What the inputs contribute to the link.
#[derive(Default)]
struct Parts {
    /// The host link's words, in the order of the command line.
    words: Vec<String>,
    /// Device bitcode, in the same order.
    device: Vec<PathBuf>,
    host_steps: Vec<usize>,
    device_steps: Vec<usize>,
}

/// The whole way from sources and objects to a program or library.
pub fn program(plan: &mut Plan, invocation: &Invocation, facts: &Facts) {
    let parts = inputs(plan, invocation, facts);
    let output = invocation.output.clone().unwrap_or_else(|| "a.out".to_owned());
    let group = invocation.inputs().count();
    let files = Intermediates::new(invocation, facts, &file_name(&output), 0);
    let mut after = parts.host_steps.clone();
    let mut words = parts.words.clone();
    if !parts.device.is_empty() {
        let wrapper = files.wrapper();
        after.push(device_link(plan, invocation, facts, &parts, &files, group));
        words.push(wrapper.to_string_lossy().into_owned());
    }
    host_link(plan, invocation, facts, words, after, &output);
}

/// Compiles sources, takes device code out of the rest, and keeps the order.
fn inputs(plan: &mut Plan, invocation: &Invocation, facts: &Facts) -> Parts {
    let mut parts = Parts::default();
    let mut group = 0;
    for item in &invocation.items {
        match item {
            Item::Option { words, steps, meaning } => {
                if steps.contains(Steps::LINK) {
                    parts.words.extend(words.iter().cloned());
                }
                if *meaning == Meaning::Library {
                    unbundle(plan, &mut parts, invocation, facts, &words.concat());
                }
            }
            Item::Input(input) => {
                match input.kind {
                    InputKind::Source if invocation.host_only => {
                        let unit = Unit::new(invocation, facts, input, group);
                        let object = unit.host_object();
                        parts.host_steps.push(unit.host_pass(plan, &["-c"], Some(&object), None));
                        parts.words.push(object.to_string_lossy().into_owned());
                    }
                    InputKind::Source => {
                        let compiled = Unit::new(invocation, facts, input, group).compile(plan);
                        parts.words.push(compiled.host.to_string_lossy().into_owned());
                        parts.device.push(compiled.device);
                        parts.host_steps.push(compiled.host_step);
                        parts.device_steps.push(compiled.device_step);
                    }
                    InputKind::HostSource => {
                        let (object, step) = compile::plain_object(plan, invocation, facts, group, input);
                        parts.words.push(object.to_string_lossy().into_owned());
                        parts.host_steps.push(step);
                    }
                    InputKind::Linkable => {
                        parts.words.push(input.path.clone());
                        unbundle(plan, &mut parts, invocation, facts, &input.path);
                    }
                }
                group += 1;
            }
        }
    }
    parts
}

/// Takes device code out of an object or library that has any. A library named twice contributes once.
fn unbundle(plan: &mut Plan, parts: &mut Parts, invocation: &Invocation, facts: &Facts, key: &str) {
    let Some(holder) = facts.device_code.get(key) else { return };
    let taken = |s: &Step| matches!(&s.action, Action::Unbundle { input, .. } if *input == holder.path);
    if plan.steps.iter().any(taken) {
        return;
    }
    let number = plan.steps.iter().filter(|s| matches!(s.action, Action::Unbundle { .. })).count();
    let files = Intermediates::new(invocation, facts, &names::stem(&holder.path.to_string_lossy()), number);
    let outputs: Vec<PathBuf> = (0..holder.pieces).map(|n| files.unbundled(n)).collect();
    parts.device.extend(outputs.iter().cloned());
    parts.device_steps.push(plan.push(Step {
        what: format!("unbundle '{}'", holder.path.display()),
        action: Action::Unbundle { input: holder.path.clone(), outputs },
        after: Vec::new(),
        group: invocation.inputs().count(),
        publish: Vec::new(),
        unfinished: Vec::new(),
    }));
}

fn device_link(
    plan: &mut Plan,
    invocation: &Invocation,
    facts: &Facts,
    parts: &Parts,
    files: &Intermediates,
    group: usize,
) -> usize {
    let mut args = vec!["device-link".to_owned(), "-o".to_owned(), files.wrapper().to_string_lossy().into_owned()];
    args.extend(invocation.code_split.iter().map(|mode| format!("--split={mode}")));
    args.extend(invocation.targets.device_link_args());
    args.extend(files.device_link_prefix().map(|p| format!("--save-temps={}", p.display())));
    args.extend(parts.device.iter().map(|p| p.to_string_lossy().into_owned()));
    plan.push(Step {
        what: "device link".to_owned(),
        action: Action::Run { program: facts.layout.tools.clone(), args, stdin: false },
        after: parts.device_steps.clone(),
        group,
        publish: Vec::new(),
        unfinished: Vec::new(),
    })
}

fn host_link(plan: &mut Plan, inv: &Invocation, facts: &Facts, words: Vec<String>, after: Vec<usize>, output: &str) {
    let waiting = names::waiting(output, facts);
    let lib = facts.layout.lib.to_string_lossy();
    let mut args = vec!["-Qunused-arguments".to_owned()];
    if facts.lld && inv.has(Meaning::FuseLd).is_none() {
        args.push("-fuse-ld=lld".to_owned());
    }
    args.extend(words);
    if inv.has(Meaning::Relocatable).is_none() {
        args.extend([format!("-L{lib}"), "-lscythe".to_owned(), format!("-Wl,-rpath,{lib}")]);
    }
    args.extend(["-o".to_owned(), waiting.to_string_lossy().into_owned()]);
    let (mut publish, mut unfinished) = (Vec::new(), Vec::new());
    offer(&mut publish, &mut unfinished, waiting, output, facts);
    plan.push(Step {
        what: format!("link of '{output}'"),
        action: Action::Run { program: facts.clang.clone(), args, stdin: false },
        after,
        group: inv.inputs().count(),
        publish,
        unfinished,
    });
}

fn file_name(output: &str) -> String {
    let name = std::path::Path::new(output).file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}
