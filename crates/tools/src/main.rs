//! The program `scythe-tools`. See the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(scythe_tools::main(std::env::args_os().collect()))
}
