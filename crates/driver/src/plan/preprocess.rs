//! Preprocessed text: making it with `-E`, and compiling it again.
//!
//! `-E` prints what every pass over a source sees. With one pass that is plain text, with several a
//! bundle of one text per pass. So whoever takes the text for the source is right: compiler caches,
//! which hash it, and `distcc`, which ships it. Compiling a bundle begins with a step that divides
//! it; each pass then reads its own part. The bundle also carries the identifier of the translation
//! unit, since neither the source's name nor its macros are known any more.

use std::path::{Path, PathBuf};

use crate::args::{InputKind, Invocation};
use crate::error::Error;
use crate::facts::Facts;
use crate::flags::Steps;
use crate::plan::compile::{compiled_inputs, offer, one_side_of};
use crate::plan::names;
use crate::plan::unit::{Unit, plain_host, words};
use crate::plan::{Action, Plan, Step};
use crate::preprocessed::host_part;
use crate::targets::Pass;

/// The language of preprocessed text.
pub const LANGUAGE: &str = "c++-cpp-output";
/// Makes a device pass print what it sees, with SYCL's attributes in the form that clang reads.
const DEVICE_TEXT: [&str; 5] = ["-Xclang", "-plugin", "-Xclang", "scythe-preprocess", "-E"];
/// Asks for less than a bundle must hold: a kernel's identity includes its place in the source, and
/// whoever compiles a bundle has neither files nor macros.
const UNHEEDED: [&str; 4] =
    ["-P", "-fminimize-whitespace", "-frewrite-includes", "-fdirectives-only"];

/// `-E`.
pub fn texts(plan: &mut Plan, invocation: &Invocation, facts: &Facts) {
    for (group, input) in compiled_inputs(invocation) {
        let output = invocation.output.as_deref();
        if input.kind != InputKind::Source {
            plain_host(plan, invocation, facts, (group, input), &["-E"], output.map(Path::new));
            continue;
        }
        let unit = Unit::new(invocation, facts, input, group);
        let passes = invocation.targets.passes();
        // A list of macros is no text to compile.
        let listing = invocation.options_for(Steps::HOST).iter().any(|word| word == "-dM");
        let one_side =
            invocation.host_only || unit.is_host_only() || listing && !invocation.device_only;
        if one_side || invocation.device_only && passes.len() == 1 {
            let action: &[&str] = if invocation.device_only { &DEVICE_TEXT } else { &["-E"] };
            one_side_of(plan, invocation, &unit, action);
            continue;
        }
        bundle(plan, invocation, facts, &unit);
    }
}

/// A text of each pass, and the bundle of all.
fn bundle(plan: &mut Plan, invocation: &Invocation, facts: &Facts, unit: &Unit) {
    let first = plan.steps.len();
    let (mut parts, mut device) = (Vec::new(), Vec::new());
    let passes = invocation.targets.passes();
    // A foreign host compiler sees the integration header, which a pass of its own makes.
    let header = unit.by_foreign_compiler() && !invocation.device_only;
    if header {
        device.push(unit.device_pass(plan, 0, &passes[0], &["-fsyntax-only"], None));
    }
    for (number, pass) in passes.iter().enumerate() {
        let text = unit.files.text(&pass.target().bundle_id());
        device.push(unit.device_pass(
            plan,
            number + usize::from(header),
            pass,
            &DEVICE_TEXT,
            Some(&text),
        ));
        parts.push((pass.target().bundle_id(), text));
    }
    let mut after = device.clone();
    if !invocation.device_only {
        let text = unit.files.text(&host_part());
        let host = unit.host_pass(plan, &["-E"], Some(&text), &device);
        parts.push((host_part(), text));
        unit.dependencies(plan, &device, host);
        after.push(host);
    }
    for step in &mut plan.steps[first..] {
        if let Action::Run { args, .. } = &mut step.action {
            args.retain(|word| !UNHEEDED.contains(&word.as_str()));
        }
    }
    let (mut publish, mut unfinished) = (Vec::new(), Vec::new());
    let output = invocation.output.as_ref().filter(|output| *output != "-").map(|output| {
        let waiting = names::waiting(output, facts);
        offer(&mut publish, &mut unfinished, waiting.clone(), output, facts);
        waiting
    });
    plan.push(Step {
        what: format!("bundle of the preprocessed '{}'", unit.input.path),
        action: Action::JoinTexts {
            unit: unit.id,
            compiler: facts.compiler,
            parts,
            output,
            hidden: facts.temp.clone(),
        },
        after,
        group: unit.group,
        publish,
        unfinished,
    });
}

/// The step that divides the bundle which a unit is compiled from, where it is one.
pub fn division(plan: &mut Plan, unit: &Unit) -> Option<usize> {
    let bundle = unit.facts.texts.get(&unit.input.path)?;
    let what = format!("division of '{}'", unit.input.path);
    let known = plan.steps.iter().position(|step| step.group == unit.group && step.what == what);
    Some(known.unwrap_or_else(|| {
        let outputs = bundle.parts.iter().map(|id| (id.clone(), unit.files.text(id))).collect();
        plan.push(Step {
            what,
            action: Action::DivideText { input: PathBuf::from(&unit.input.path), outputs },
            after: Vec::new(),
            group: unit.group,
            publish: Vec::new(),
            unfinished: Vec::new(),
        })
    }))
}

/// What a device pass over preprocessed text begins with. For such text, clang's own
/// `-fsycl-device-only` would be a host pass; these are the words that it stands for else.
pub fn device_words(pass: &Pass) -> Vec<String> {
    let host = format!("{}-pc-linux-gnu", std::env::consts::ARCH);
    let target = pass.target();
    let mut args = vec![format!("--target={}", target.device_triple())];
    args.extend(pass.cuda_arch.iter().map(|arch| format!("-march={arch}")));
    for word in ["-fsycl-is-device", "-sycl-std=2020", "-aux-triple", &host] {
        args.extend(words(&["-Xclang", word]));
    }
    if target.is_nvptx() {
        args.extend(words(&["-Xclang", "-fcuda-is-device", "-fno-threadsafe-statics"]));
        args.extend(words(&["-mllvm", "-enable-memcpyopt-without-libcalls"]));
    }
    args.extend(words(&["-O2", "-fmath-errno"]));
    args
}

/// A bundle must hold a text for every pass.
pub fn check(invocation: &Invocation, facts: &Facts) -> Result<(), Error> {
    for input in invocation.inputs() {
        let Some(bundle) = facts.texts.get(&input.path) else { continue };
        let passes = invocation.targets.passes();
        let device =
            passes.iter().filter(|_| !invocation.host_only).map(|pass| pass.target().bundle_id());
        let host = (!invocation.device_only).then(host_part);
        if let Some(missing) = device.chain(host).find(|id| !bundle.parts.contains(id)) {
            let found = match bundle.parts.as_slice() {
                [] => "no pass".to_owned(),
                parts => format!("'{}'", parts.join("', '")),
            };
            return Err(Error::NoText { path: input.path.clone(), missing, found });
        }
    }
    Ok(())
}
