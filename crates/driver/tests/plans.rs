//! Tests the driver's plans, as `-###` prints them, and the errors of its command line.
//!
//! `docs/file-tests.md` describes the test language. `[[PREFIX]]` is the installed tree.

#[path = "driver/prefix.rs"]
mod prefix;

use scythe_filetest::{Prepared, Suite};
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    Suite::new().folder("tests/filetests/driver").prepare(tree).main()
}

fn tree(shared: &Path) -> Result<Prepared, String> {
    let root = shared.canonicalize().map_err(|e| format!("{}: {e}", shared.display()))?;
    let prefix = root.join("prefix");
    prefix::install(&prefix).map_err(|e| format!("{}: {e}", prefix.display()))?;
    let variables = vec![("PREFIX".to_owned(), prefix.display().to_string())];
    Ok(Prepared { path: vec![prefix.join("bin")], variables })
}
