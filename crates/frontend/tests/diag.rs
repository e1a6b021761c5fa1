//! Wrong programs of `tests/diag` get the messages that their comments announce; `tests/diag/README.md` tells how.

mod common;

use std::path::Path;

/// A diagnostic, expected or seen.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Diagnostic {
    line: u32,
    kind: &'static str,
    message: String,
}

#[test]
fn wrong_programs_get_their_messages() {
    let files = common::sources(&common::root().join("tests/diag"));
    common::for_each(&files, |file| {
        let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
        let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
        let out = scratch.path().join("out.bc");
        let out_text = out.display().to_string();
        let mut args = vec!["-O1", "-c", "-emit-llvm", "-o", &out_text];
        if !text.contains("// WARNING: ") && !text.contains("-Wsycl-") {
            args.push("-w");
        }
        args.extend(text.lines().filter_map(|line| line.strip_prefix("// ARGS: ")).flat_map(str::split_whitespace));
        let output = common::device_pass(scratch.path(), file, &args);
        let seen = String::from_utf8_lossy(&output.stderr);
        compare(file, &text, &seen).map_err(|complaint| format!("{complaint}\nclang said:\n{seen}"))?;
        let expected_failure = text.contains("// ERROR: ");
        if output.status.success() == expected_failure {
            return Err(format!("exit status is {:?}\n{seen}", output.status.code()));
        }
        if out.exists() == expected_failure {
            return Err(format!("an output is {}there", if expected_failure { "" } else { "not " }));
        }
        Ok(())
    });
}

fn compare(file: &Path, text: &str, output: &str) -> Result<(), String> {
    let (expected, chains) = expectations(text);
    let seen = diagnostics(file, output);
    let matches = |want: &Diagnostic, have: &Diagnostic| {
        want.kind == have.kind && want.line == have.line && have.message.contains(&want.message)
    };
    let mut unmatched: Vec<&Diagnostic> = seen.iter().collect();
    for want in &expected {
        match unmatched.iter().position(|have| matches(want, have)) {
            Some(found) => drop(unmatched.remove(found)),
            None => return Err(format!("line {}: expected {}: {}", want.line, want.kind, want.message)),
        }
    }
    if let Some(extra) = unmatched.iter().find(|have| have.kind != "note") {
        return Err(format!("line {}: unexpected {}: {}", extra.line, extra.kind, extra.message));
    }
    for block in text_blocks(file, text) {
        if !output.lines().collect::<Vec<_>>().windows(block.len()).any(|lines| lines == block) {
            return Err(format!("no such text:\n{}", block.join("\n")));
        }
    }
    for chain in chains {
        let found = seen.windows(chain.len()).any(|window| {
            window[0].kind == "error" && window.iter().zip(&chain).all(|(have, want)| have.message.contains(want))
        });
        if !found {
            return Err(format!("no such chain: {}", chain.join(" => ")));
        }
    }
    Ok(())
}

/// What the comments of a file announce: diagnostics, and chains of messages.
fn expectations(text: &str) -> (Vec<Diagnostic>, Vec<Vec<String>>) {
    let mut expected = Vec::new();
    let mut chains = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for (mark, kind) in [("// ERROR: ", "error"), ("// WARNING: ", "warning"), ("// NOTE: ", "note")] {
            let Some((_, messages)) = line.split_once(mark) else { continue };
            for message in messages.split(" ## ") {
                // Text after ` ## ` that no error can be is a note of the same line.
                let kind = if kind == "error" && is_note(message) { "note" } else { kind };
                expected.push(Diagnostic { line: index as u32 + 1, kind, message: message.trim().into() });
            }
        }
        if let Some((_, chain)) = line.split_once("// CHAIN: ") {
            chains.push(chain.split(" => ").map(|message| message.trim().to_owned()).collect());
        }
    }
    (expected, chains)
}

/// Whole lines that must follow each other: `TEXT` comments, a new block wherever a place begins.
fn text_blocks(file: &Path, text: &str) -> Vec<Vec<String>> {
    let mut blocks: Vec<Vec<String>> = Vec::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("// TEXT: ")) {
        if line.starts_with("{file}") {
            blocks.push(Vec::new());
        }
        if let Some(block) = blocks.last_mut() {
            block.push(line.replace("{file}", &file.display().to_string()));
        }
    }
    blocks
}

fn is_note(message: &str) -> bool {
    message.starts_with("in kernel") || message.starts_with("called by") || message.trim().ends_with("is here")
}

/// The diagnostics of `file` in clang's output, and errors anywhere else, with line 0.
fn diagnostics(file: &Path, output: &str) -> Vec<Diagnostic> {
    let prefix = format!("{}:", file.display());
    let mut out = Vec::new();
    for line in output.lines() {
        for kind in ["error", "warning", "note"] {
            let Some((place, message)) = line.split_once(&format!(" {kind}: ")) else { continue };
            let number = place.strip_prefix(&prefix).and_then(|rest| rest.split(':').next()?.parse().ok());
            out.push(Diagnostic { line: number.unwrap_or(0), kind, message: message.to_owned() });
            break;
        }
    }
    out
}
