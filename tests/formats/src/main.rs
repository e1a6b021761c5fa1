//! Mutated bytes for every reader of files, texts and variables that Scythe did not write itself.
//!
//! A reader must answer every input with a value or an error: no panic, no abort, at most two
//! seconds, and memory in proportion to the input.
//!
//! * [`targets`]: the readers, each with valid inputs from Scythe's own writers.
//! * [`mutate`]: changes inputs.
//! * [`coverage`]: tells whether an input reached new code.
//! * [`limits`]: stops a reader that takes too much memory or time.
//! * [`worker`]: the loop, in a process of its own.
//! * [`supervisor`]: starts workers, and keeps the inputs that end them.

mod coverage;
mod limits;
mod mutate;
mod options;
mod random;
mod supervisor;
mod targets;
mod worker;

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: limits::Counting = limits::Counting;

fn main() -> ExitCode {
    if std::env::args().any(|word| word == "--help") {
        print!("{}", options::HELP);
        return ExitCode::SUCCESS;
    }
    let result = options::Options::parse(std::env::args().skip(1)).and_then(|options| {
        match (&options.input, options.is_worker) {
            (Some(_), false) => supervisor::repeat(&options),
            (_, true) => worker::run(&options),
            (None, false) => supervisor::run(&options),
        }
    });
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("scythe-fuzz-formats: {message}");
            ExitCode::FAILURE
        }
    }
}
