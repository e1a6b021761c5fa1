//! Has a program judge a SPIR-V module, as `spirv-val` does: for tests, and for whoever looks for a fault.
//!
//! The program gets `--target-env spv1.N -` and the module as its input. A module that it refuses is an error with its words.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

pub fn run(program: &Path, minor: u32, words: &[u8]) -> Result<(), String> {
    let name = program.display();
    let failed = |e: std::io::Error| format!("cannot run '{name}' to look at the SPIR-V module: {e}");
    let mut child = Command::new(program)
        .args(["--target-env", &format!("spv1.{minor}"), "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    // One that has seen enough need not read on; what it says then counts. What it says is short.
    let input = child.stdin.take().map(|mut input| input.write_all(words));
    drop(input);
    let output = child.wait_with_output().map_err(failed)?;
    match output.status.success() {
        true => Ok(()),
        false => {
            let text = [output.stdout, output.stderr].concat();
            let text = String::from_utf8_lossy(&text).trim().to_owned();
            Err(format!("'{name}' refuses the SPIR-V module ({}): {text}", output.status))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused_is_told_in_the_programs_words() {
        assert_eq!(run(Path::new("/bin/true"), 4, b"words"), Ok(()));
        let why = run(Path::new("spirv-val"), 4, b"words").expect_err("it is no module");
        assert!(why.contains("'spirv-val' refuses the SPIR-V module") && why.contains("error: "), "{why}");
        let why = run(Path::new("/nowhere/spirv-val"), 4, b"words").expect_err("there is no such program");
        assert!(why.contains("cannot run '/nowhere/spirv-val'"), "{why}");
    }
}
