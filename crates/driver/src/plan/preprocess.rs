//! Preprocessed text: makes it with `-E`, and compiles it.
//!
//! `-E` prints the text that every pass over a source sees. With one pass the output is plain text;
//! with several passes it is a bundle with one text per pass. Programs that take the text in place
//! of the source therefore work correctly: compiler caches, which hash it, and `distcc`, which
//! sends it to other machines. The first step of the compilation of a bundle divides it; each pass
//! then reads its own part. The bundle also contains the identifier of the translation unit,
//! because the source's name and its macros are no longer known.

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
/// Makes a device pass print its preprocessed text, with SYCL's attributes in the form that clang
/// reads.
const DEVICE_TEXT: [&str; 5] = ["-Xclang", "-plugin", "-Xclang", "scythe-preprocess", "-E"];
/// Options that would remove text that a bundle must contain, and that are therefore ignored. A
/// kernel's identity includes its position in the source, and the machine that compiles a bundle
/// has neither the files nor the macros.
const UNHEEDED: [&str; 4] =
    ["-P", "-fminimize-whitespace", "-frewrite-includes", "-fdirectives-only"];

/// `-E`: plans the preprocessed text of each input.
pub fn texts(plan: &mut Plan, invocation: &Invocation, facts: &Facts) {
    for (group, input) in compiled_inputs(invocation) {
        let output = invocation.output.as_deref();
        if input.kind != InputKind::Source {
            plain_host(plan, invocation, facts, (group, input), &["-E"], output.map(Path::new));
            continue;
        }
        let unit = Unit::new(invocation, facts, input, group);
        let passes = invocation.targets.passes();
        // A list of macros is not a text to compile.
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

/// Plans a text for each pass, and the bundle of all texts.
fn bundle(plan: &mut Plan, invocation: &Invocation, facts: &Facts, unit: &Unit) {
    let first = plan.steps.len();
    let (mut parts, mut device) = (Vec::new(), Vec::new());
    let passes = invocation.targets.passes();
    // A foreign host compiler reads the integration header, which a separate pass makes.
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

/// Returns the step that divides the bundle from which a unit is compiled, or `None` if the input
/// is not a bundle.
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

/// Returns the first words of a device pass over preprocessed text. For such text, clang's own
/// `-fsycl-device-only` would run a host pass; these are the words that it otherwise stands for.
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

/// Checks that each bundle contains a text for every pass.
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
