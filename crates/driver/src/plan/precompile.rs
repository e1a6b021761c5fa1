//! Precompiled headers: each pass makes its own precompiled header, and a last step joins them in
//! one file.

use std::path::PathBuf;

use crate::args::{InputKind, Invocation};
use crate::facts::Facts;
use crate::plan::compile::{compiled_inputs, offer};
use crate::plan::names;
use crate::plan::unit::{Unit, plain_host};
use crate::plan::{Action, Plan, Step};
use crate::precompiled;
use crate::targets::Pass;

/// Makes a pass write a precompiled header instead of code.
const ACTION: [&str; 3] = ["-c", "-Xclang", "-emit-pch"];

/// Plans a precompiled header for each input.
pub fn headers(plan: &mut Plan, invocation: &Invocation, facts: &Facts) {
    for (group, input) in compiled_inputs(invocation) {
        let output = names::precompiled(invocation, input);
        let waiting = names::waiting(&output, facts);
        let unit = Unit::new(invocation, facts, input, group);
        let passes = invocation.targets.passes();
        let step = if input.kind != InputKind::Source {
            plain_host(plan, invocation, facts, (group, input), &ACTION, Some(&waiting))
        } else if invocation.host_only {
            unit.host_side(plan, &ACTION, &waiting)
        } else if invocation.device_only {
            // There is only one pass here: '-o' cannot name several files.
            let steps = passes.iter().enumerate();
            steps
                .map(|(number, pass)| unit.device_pass(plan, number, pass, &ACTION, Some(&waiting)))
                .last()
                .unwrap_or(0)
        } else {
            all_sides(plan, &unit, &passes, waiting.clone())
        };
        let step = &mut plan.steps[step];
        offer(&mut step.publish, &mut step.unfinished, waiting, &output, facts);
    }
}

fn all_sides(plan: &mut Plan, unit: &Unit, passes: &[Pass], output: PathBuf) -> usize {
    let (mut device, mut steps) = (Vec::new(), Vec::new());
    for (number, pass) in passes.iter().enumerate() {
        let id = pass.target().bundle_id();
        let part = unit.files.precompiled(&id);
        steps.push(unit.device_pass(plan, number, pass, &ACTION, Some(&part)));
        device.push((id, part));
    }
    let host = unit.files.precompiled("host");
    let host_step = unit.host_pass(plan, &ACTION, Some(&host), &steps);
    unit.dependencies(plan, &steps, host_step);
    plan.push(Step {
        what: format!("precompiled header of '{}'", unit.input.path),
        action: Action::JoinPrecompiled {
            host,
            device,
            note: precompiled::note(unit.facts),
            output,
        },
        after: steps.into_iter().chain([host_step]).collect(),
        group: unit.group,
        publish: Vec::new(),
        unfinished: Vec::new(),
    })
}

/// Returns the file with the part of the unit's precompiled header for a device pass, and the step
/// that makes this file.
pub fn part(plan: &mut Plan, unit: &Unit, pass: &Pass) -> Option<(PathBuf, usize)> {
    let used = unit.facts.precompiled.as_ref()?;
    used.made_for.as_ref()?;
    let id = pass.target().bundle_id();
    let output = unit.facts.temp.join(format!("{id}.pch"));
    let what = format!("part of '{}' for {id}", used.path);
    let known = plan.steps.iter().position(|step| step.what == what);
    let step = known.unwrap_or_else(|| {
        plan.names.push((output.to_string_lossy().into_owned(), used.path.clone()));
        plan.push(Step {
            what,
            action: Action::ExtractPrecompiled {
                input: PathBuf::from(&used.path),
                id,
                output: output.clone(),
            },
            after: Vec::new(),
            group: unit.group,
            publish: Vec::new(),
            unfinished: Vec::new(),
        })
    });
    Some((output, step))
}
