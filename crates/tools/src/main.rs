//! See the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    // A name that is not UTF-8 is named in the error when it cannot be found.
    ExitCode::from(scythe_tools::main(
        std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect(),
    ))
}
