//! `llvm-no-spir-kernel`: does a module hold kernels? Drivers ask before they decide that device code was linked already.

use crate::command_line::{Arguments, Syntax};
use crate::{Failure, Status, device_code};
use scythe_llvm::Context;

pub const SYNTAX: Syntax = Syntax {
    tool: "llvm-no-spir-kernel",
    summary: "Tells by its exit code whether a device module holds kernels.",
    inputs: "MODULE.bc",
    options: &[],
    notes: "Exit code: 0 without kernels, 1 with kernels, 1 with a message on errors.",
};

pub fn run(args: &Arguments) -> Result<Status, Failure> {
    let context = Context::new();
    let module = device_code::read(&context, args.only_input()?)?;
    Ok(Status::Exit(u8::from(!module.kernels().is_empty())))
}
