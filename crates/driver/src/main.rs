//! The `scythe` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    scythe_driver::main(std::env::args_os().skip(1).collect())
}
