//! Formats steps as command lines, quoted like clang's `-###` so that they can be pasted into a
//! shell.

use std::path::Path;

use crate::plan::{Action, Plan, Step};

/// Formats all commands of a plan, one per line.
pub fn plan(plan: &Plan, tools: &Path) -> String {
    plan.steps.iter().map(|s| step(s, tools) + "\n").collect()
}

/// Formats one command, with a leading blank as clang does. A step that the driver executes itself
/// is shown as the equivalent command of `tools`.
pub fn step(step: &Step, tools: &Path) -> String {
    let tool = |words: Vec<String>| {
        let head = [tools.to_string_lossy().into_owned(), "offload-bundler".to_owned()];
        quoted(head.into_iter().chain(words))
    };
    let text = |path: &Path| path.to_string_lossy().into_owned();
    match &step.action {
        Action::Run { program, args, .. } => {
            quoted([text(program)].into_iter().chain(args.iter().cloned()))
        }
        Action::Bundle { host, device, output, .. } => {
            let ids: String =
                device.iter().map(|(target, _)| format!(",{}", target.bundle_id())).collect();
            let mut words = vec![
                "-type=o".to_owned(),
                format!("-targets=host-{}{ids}", host_triple()),
                format!("-input={}", host.display()),
            ];
            words.extend(device.iter().map(|(_, file)| format!("-input={}", file.display())));
            words.push(format!("-output={}", output.display()));
            tool(words)
        }
        Action::Unbundle { input, pieces } => {
            let ids: Vec<String> = pieces.iter().map(|piece| piece.target.bundle_id()).collect();
            let mut words = vec![
                "-unbundle".to_owned(),
                if input.extension().is_some_and(|e| e == "a") {
                    "-type=a".to_owned()
                } else {
                    "-type=o".to_owned()
                },
                format!("-targets={}", ids.join(",")),
                format!("-input={}", input.display()),
            ];
            words.extend(pieces.iter().map(|piece| format!("-output={}", piece.output.display())));
            tool(words)
        }
        Action::Members(members) => {
            let words = [text(&members.program)].into_iter().chain(members.args.iter().cloned());
            let more = ["-Wl,--trace,--trace".to_owned(), "-o".to_owned(), text(&members.output)];
            quoted(words.chain(more))
        }
        // Steps without an equivalent program are shown as comments.
        Action::Identify { device, .. } => {
            let device: Vec<String> = device.iter().map(|path| text(path)).collect();
            format!(" # identity of {}", device.join(" and "))
        }
        Action::Stamp { object, module } => {
            format!(" # identity of {} for {}", module.display(), object.display())
        }
        Action::Dependencies { host, device, output, .. } => {
            let device: Vec<String> = device.iter().map(|path| text(path)).collect();
            format!(
                " # dependencies: {} and {} as {}",
                host.display(),
                device.join(" and "),
                output.display()
            )
        }
        Action::CompareLayouts { host, device } => {
            let device: Vec<String> = device.iter().map(|path| text(path)).collect();
            format!(" # compare functors: {} with {}", host.display(), device.join(" and "))
        }
        Action::JoinTexts { parts, output, .. } => {
            let parts: Vec<String> = parts.iter().map(|(_, path)| text(path)).collect();
            let output = output.as_ref().map_or("-".to_owned(), |path| text(path));
            format!(" # preprocessed texts: {} as {output}", parts.join(" and "))
        }
        Action::JoinPrecompiled { host, device, output, .. } => {
            let device: Vec<String> = device.iter().map(|(_, path)| text(path)).collect();
            format!(
                " # precompiled headers: {} and {} as {}",
                host.display(),
                device.join(" and "),
                output.display()
            )
        }
        Action::ExtractPrecompiled { input, id, output } => {
            format!(
                " # precompiled header: part {id} of {} as {}",
                input.display(),
                output.display()
            )
        }
        Action::DivideText { input, outputs } => {
            let parts: Vec<String> = outputs.iter().map(|(_, path)| text(path)).collect();
            format!(" # preprocessed texts: {} as {}", input.display(), parts.join(" and "))
        }
        Action::Strip { input, output } => {
            format!(" # {} without device code as {}", input.display(), output.display())
        }
        Action::MarkLinked { object, kernels, output } => {
            let kernels: Vec<String> = kernels.iter().map(|path| text(path)).collect();
            format!(
                " # {} with the list {} as {}",
                object.display(),
                kernels.join(" and "),
                output.display()
            )
        }
        Action::NewKernels { modules, .. } => {
            let commands = modules.iter().map(|(module, _)| {
                quoted(
                    [
                        text(tools),
                        "llvm-no-spir-kernel".to_owned(),
                        "--names".to_owned(),
                        text(module),
                    ]
                    .into_iter(),
                )
            });
            commands.collect::<Vec<_>>().join("\n")
        }
    }
}

/// Formats the steps as a tree. The children of a step are the steps that it depends on. A step
/// that is already in the tree appears again only with its number.
pub fn tree(plan: &Plan) -> String {
    let needed: Vec<usize> =
        plan.steps.iter().flat_map(|step| step.after.iter().copied()).collect();
    let mut shown = vec![false; plan.steps.len()];
    let mut out = String::new();
    for last in (0..plan.steps.len()).filter(|index| !needed.contains(index)) {
        branch(plan, last, ("", "", ""), &mut shown, &mut out);
    }
    out
}

/// Formats a step and its children. The texts are the prefix of the step's line, the fork before
/// the step, and the prefix of its children.
fn branch(
    plan: &Plan,
    index: usize,
    (before, fork, under): (&str, &str, &str),
    shown: &mut [bool],
    out: &mut String,
) {
    let step = &plan.steps[index];
    let made: Vec<String> =
        step.publish.iter().map(|(_, output)| format!(" -> {}", output.display())).collect();
    let again = if shown[index] && !step.after.is_empty() { " (above)" } else { "" };
    *out += &format!("{before}{fork}{}: {}{}{again}\n", index, step.what, made.concat());
    if std::mem::replace(&mut shown[index], true) {
        return;
    }
    let indent = format!("{before}{under}");
    for (place, needed) in step.after.iter().enumerate() {
        let last = place + 1 == step.after.len();
        let lines = if last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        branch(plan, *needed, (&indent, lines.0, lines.1), shown, out);
    }
}

fn host_triple() -> &'static str {
    if cfg!(target_arch = "aarch64") {
        "aarch64-unknown-linux-gnu"
    } else {
        "x86_64-unknown-linux-gnu"
    }
}

fn quoted(words: impl Iterator<Item = String>) -> String {
    words.map(|w| format!(" \"{}\"", escaped(&w))).collect()
}

fn escaped(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    for c in word.chars() {
        if matches!(c, '"' | '\\' | '$' | '`') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_the_shell() {
        let words = ["a b", "$x", "q\"q", "back\\slash"].map(str::to_owned);
        assert_eq!(quoted(words.into_iter()), r#" "a b" "\$x" "q\"q" "back\\slash""#);
    }
}
