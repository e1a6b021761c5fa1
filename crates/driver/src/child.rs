//! Runs one program to its end.
//!
//! Guarantees:
//!
//! - Signals to the driver are forwarded to the program while it runs.
//! - Both streams of the program are read at the same time, so a full pipe never blocks it.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Output};

use crate::error::Error;
use crate::signals;

/// Runs a program to its end. Streams that `command` does not pipe are empty in the result.
pub fn finish(command: &mut Command, program: &Path) -> Result<Output, Error> {
    let fail = |source| Error::Spawn { program: program.to_owned(), source };
    let mut child = command.spawn().map_err(fail)?;
    signals::adopt(child.id());
    let (output, errors) = (child.stdout.take(), child.stderr.take());
    let (stdout, stderr) = std::thread::scope(|scope| {
        // Most programs have no pipe for their output, so they need no thread.
        let output = output.map(|pipe| scope.spawn(move || read(pipe)));
        let stderr = errors.map_or(Ok(Vec::new()), read);
        let stdout = output.map_or(Ok(Vec::new()), |thread| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        (stdout, stderr)
    });
    signals::wait_and_release(child.id());
    let status = child.wait().map_err(fail)?;
    Ok(Output { status, stdout: stdout.map_err(fail)?, stderr: stderr.map_err(fail)? })
}

fn read(mut pipe: impl Read) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    pipe.read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::process::Stdio;

    use super::*;

    #[test]
    fn streams_may_be_longer_than_a_pipe() {
        for script in [
            "head -c 300000 /dev/zero; head -c 200000 /dev/zero >&2; exit 3",
            "head -c 200000 /dev/zero >&2; head -c 300000 /dev/zero; exit 3",
        ] {
            let mut command = Command::new("sh");
            command.args(["-c", script]).stdout(Stdio::piped()).stderr(Stdio::piped());
            let output = finish(&mut command, Path::new("sh")).unwrap();
            assert_eq!((output.stdout.len(), output.stderr.len()), (300_000, 200_000));
            assert_eq!(output.status.code(), Some(3));
        }
    }
}
