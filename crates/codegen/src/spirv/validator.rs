//! Runs a validator such as `spirv-val` on a SPIR-V module, for tests and debugging.
//!
//! The program gets the arguments `--target-env spv1.N -` and the module as its input. If it
//! rejects the module, its output is part of the error.

use crate::Error;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

pub fn run(program: &Path, minor: u32, words: &[u8]) -> Result<(), Error> {
    let failed =
        |source: std::io::Error| Error::RunValidator { program: program.to_owned(), source };
    let file = scythe_own_files::program(program).map_err(failed)?;
    let mut child = Command::new(file)
        .args(["--target-env", &format!("spv1.{minor}"), "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    // A validator may stop reading early, so a failed write is ignored and the exit status decides.
    // Its output is short enough for the pipes.
    let input = child.stdin.take().map(|mut input| input.write_all(words));
    drop(input);
    let output = child.wait_with_output().map_err(failed)?;
    match output.status.success() {
        true => Ok(()),
        false => {
            let text = [output.stdout, output.stderr].concat();
            let text = String::from_utf8_lossy(&text).trim().to_owned();
            Err(Error::InvalidSpirv { program: program.to_owned(), status: output.status, text })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused_is_told_in_the_programs_words() {
        assert!(run(Path::new("/bin/true"), 4, b"words").is_ok());
        let why = run(Path::new("spirv-val"), 4, b"words")
            .expect_err("the input is not a module")
            .to_string();
        assert!(
            why.contains("'spirv-val' rejects the SPIR-V module") && why.contains("error: "),
            "{why}"
        );
        let why = run(Path::new("/nowhere/spirv-val"), 4, b"words")
            .expect_err("the program does not exist")
            .to_string();
        assert!(why.contains("cannot run '/nowhere/spirv-val'"), "{why}");
    }
}
