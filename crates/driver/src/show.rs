//! How a step looks as a command line, quoted like clang's `-###` so that it can be pasted into a shell.

use std::path::Path;

use scythe_abi::names::GENERIC_TRIPLE;

use crate::plan::{Action, Plan, Step};

/// All commands of a plan, one per line.
pub fn plan(plan: &Plan, tools: &Path) -> String {
    plan.steps.iter().map(|s| step(s, tools) + "\n").collect()
}

/// One command, with a leading blank as clang has it. What the driver does itself is shown as the tool that does the
/// same; `tools` is that tool.
pub fn step(step: &Step, tools: &Path) -> String {
    let tool = |words: Vec<String>| {
        let head = [tools.to_string_lossy().into_owned(), "offload-bundler".to_owned()];
        quoted(head.into_iter().chain(words))
    };
    match &step.action {
        Action::Run { program, args, .. } => {
            quoted([program.to_string_lossy().into_owned()].into_iter().chain(args.iter().cloned()))
        }
        Action::Bundle { host, device, output } => tool(vec![
            "-type=o".to_owned(),
            format!("-targets=host-{},sycl-{GENERIC_TRIPLE}", host_triple()),
            format!("-input={}", host.display()),
            format!("-input={}", device.display()),
            format!("-output={}", output.display()),
        ]),
        Action::Unbundle { input, outputs } => {
            let mut words = vec![
                "-unbundle".to_owned(),
                if input.extension().is_some_and(|e| e == "a") { "-type=a".to_owned() } else { "-type=o".to_owned() },
                format!("-targets=sycl-{GENERIC_TRIPLE}"),
                format!("-input={}", input.display()),
            ];
            words.extend(outputs.iter().map(|o| format!("-output={}", o.display())));
            tool(words)
        }
    }
}

fn host_triple() -> &'static str {
    if cfg!(target_arch = "aarch64") { "aarch64-unknown-linux-gnu" } else { "x86_64-unknown-linux-gnu" }
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
