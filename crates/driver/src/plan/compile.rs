//! Plans compilations that end before a link: fat objects, assembly, device code, syntax checks,
//! preprocessed text.

use std::path::{Path, PathBuf};

use crate::args::{Input, InputKind, Invocation, Mode};
use crate::facts::Facts;
use crate::flags::Meaning;
use crate::plan::names;
use crate::plan::unit::{Compiled, Next, Unit, plain_host};
use crate::plan::{Action, Plan, Step};

/// `-c`: one fat object per source.
pub fn objects(plan: &mut Plan, invocation: &Invocation, facts: &Facts) {
    for (group, input) in compiled_inputs(invocation) {
        let extension = if invocation.emit_llvm { "bc" } else { "o" };
        let output = output_name(invocation, input, extension);
        let unit = Unit::new(invocation, facts, input, group);
        let kind = input.kind == InputKind::HostSource;
        if kind || invocation.host_only || invocation.emit_llvm || unit.is_host_only() {
            host_output(plan, invocation, facts, (group, input), &["-c"], &output);
            continue;
        }
        // Files that the compiler names after the object must be named after the final object. In
        // that case the host pass writes the final object directly.
        let beside = invocation.has(Meaning::SideOutput).is_some();
        let host = if beside { PathBuf::from(&output) } else { unit.files.host(true) };
        let mut action = vec!["-c"];
        if invocation.lto() {
            // Device code needs an ELF object as its container. Plain LTO output is not an ELF
            // object.
            action.push("-ffat-lto-objects");
        }
        let compiled = unit.compile(plan, &action, host.clone(), Next::Bundle);
        let waiting = names::waiting(&output, facts);
        let (mut publish, mut unfinished) = (Vec::new(), Vec::new());
        offer(&mut publish, &mut unfinished, waiting.clone(), &output, facts);
        if beside {
            unfinished.push(host.clone());
        }
        let step = bundle(plan, compiled, waiting, group);
        let step = &mut plan.steps[step];
        (step.what, step.publish, step.unfinished) =
            (format!("bundle '{output}'"), publish, unfinished);
    }
}

/// Adds the device code of a unit to its object.
pub fn bundle(plan: &mut Plan, compiled: Compiled, output: PathBuf, group: usize) -> usize {
    let Compiled { host, device, provisional, .. } = compiled;
    plan.push(Step {
        what: format!("bundle '{}'", output.display()),
        action: Action::Bundle { host, device, output, provisional },
        after: compiled.device_steps.iter().copied().chain([compiled.host_step]).collect(),
        group,
        publish: Vec::new(),
        unfinished: Vec::new(),
    })
}

/// `-S`: plans the assembly of the host side.
pub fn assembly(plan: &mut Plan, invocation: &Invocation, facts: &Facts) {
    for (group, input) in compiled_inputs(invocation) {
        let output = output_name(invocation, input, if invocation.emit_llvm { "ll" } else { "s" });
        host_output(plan, invocation, facts, (group, input), &["-S"], &output);
    }
}

/// `-fsyntax-only`: plans checks for all sides.
pub fn syntax(plan: &mut Plan, invocation: &Invocation, facts: &Facts) {
    for (group, input) in compiled_inputs(invocation) {
        match input.kind {
            InputKind::HostSource => {
                plain_host(plan, invocation, facts, (group, input), &["-fsyntax-only"], None);
            }
            _ => Unit::new(invocation, facts, input, group).check(plan),
        }
    }
}

/// `-fsycl-device-only`: plans bitcode, LLVM assembly, or only a check, for each target.
pub fn device_only(plan: &mut Plan, invocation: &Invocation, facts: &Facts) {
    let (action, extension): (&[&str], _) = match invocation.mode {
        Mode::Syntax => (&["-fsyntax-only"], ""),
        Mode::Assembly => (&["-S", "-emit-llvm"], "ll"),
        _ => (&["-c", "-emit-llvm"], "bc"),
    };
    let passes = invocation.targets.passes();
    for (group, input) in compiled_inputs(invocation).filter(|(_, i)| i.kind == InputKind::Source) {
        let unit = Unit::new(invocation, facts, input, group);
        for (number, pass) in passes.iter().enumerate() {
            if invocation.mode == Mode::Syntax {
                unit.device_pass(plan, number, pass, action, None);
                continue;
            }
            let output = match passes.len() {
                1 => output_name(invocation, input, extension),
                _ => format!(
                    "{}-{}.{extension}",
                    names::stem(&input.path),
                    pass.target().bundle_id()
                ),
            };
            let waiting = names::waiting(&output, facts);
            let step = unit.device_pass(plan, number, pass, action, Some(&waiting));
            let step = &mut plan.steps[step];
            offer(&mut step.publish, &mut step.unfinished, waiting, &output, facts);
        }
    }
}

/// `-M` and similar options: plans clang's own action, with one side's view of the program.
pub fn one_side(plan: &mut Plan, invocation: &Invocation, facts: &Facts) {
    for (group, input) in compiled_inputs(invocation) {
        if input.kind == InputKind::Source {
            one_side_of(plan, invocation, &Unit::new(invocation, facts, input, group), &[]);
        } else {
            let output = invocation.output.as_deref().map(Path::new);
            plain_host(plan, invocation, facts, (group, input), &[], output);
        }
    }
}

/// Plans the device side of one unit if only that side is requested, otherwise the host side.
pub fn one_side_of(plan: &mut Plan, invocation: &Invocation, unit: &Unit, action: &[&str]) {
    let output = invocation.output.as_deref().map(Path::new);
    if !invocation.device_only {
        unit.host_pass(plan, action, output, &[]);
        return;
    }
    for (number, pass) in invocation.targets.passes().iter().enumerate() {
        unit.device_pass(plan, number, pass, action, output);
    }
}

/// Plans a host pass that writes a final output.
fn host_output(
    plan: &mut Plan,
    invocation: &Invocation,
    facts: &Facts,
    (group, input): (usize, &Input),
    action: &[&str],
    output: &str,
) {
    let mut action = action.to_vec();
    if invocation.emit_llvm {
        action.push("-emit-llvm");
    }
    let beside = invocation.has(Meaning::SideOutput).is_some() || invocation.save_temps.is_some();
    let target = if beside { PathBuf::from(output) } else { names::waiting(output, facts) };
    let step = if input.kind == InputKind::HostSource {
        plain_host(plan, invocation, facts, (group, input), &action, Some(&target))
    } else {
        Unit::new(invocation, facts, input, group).host_side(plan, &action, &target)
    };
    let step = &mut plan.steps[step];
    if !beside {
        offer(&mut step.publish, &mut step.unfinished, target, output, facts);
    }
}

/// Returns all inputs except linkable ones, each with its index among all inputs.
pub fn compiled_inputs(invocation: &Invocation) -> impl Iterator<Item = (usize, &Input)> {
    invocation.inputs().enumerate().filter(|(_, i)| i.kind != InputKind::Linkable)
}

fn output_name(invocation: &Invocation, input: &Input, extension: &str) -> String {
    invocation.output.clone().unwrap_or_else(|| format!("{}.{extension}", names::stem(&input.path)))
}

/// Makes a step rename an unfinished file to its final name on success, and remove it on failure.
pub fn offer(
    publish: &mut Vec<(PathBuf, PathBuf)>,
    unfinished: &mut Vec<PathBuf>,
    waiting: PathBuf,
    output: &str,
    facts: &Facts,
) {
    if !facts.in_place.contains(output) {
        publish.push((waiting.clone(), PathBuf::from(output)));
        unfinished.push(waiting);
    }
}
