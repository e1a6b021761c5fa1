//! `llvm-no-spir-kernel`: tests whether a module contains kernels. Drivers use it to decide whether
//! device code is already linked.

use crate::command_line::{Arguments, Opt, Syntax};
use crate::{Failure, Status, device_code, files};
use scythe_llvm::{Context, demangle};

pub const SYNTAX: Syntax = Syntax {
    tool: "llvm-no-spir-kernel",
    summary: "Tells by its exit code whether a device module holds kernels.",
    inputs: "MODULE.bc",
    options: &[Opt {
        name: "names",
        value: None,
        help: "print each kernel: symbol, tab, name in the source",
    }],
    notes: "Exit code: 0 without kernels, 1 with kernels, 1 with a message on errors.",
};

pub fn run(args: &Arguments) -> Result<Status, Failure> {
    let context = Context::new();
    let module = device_code::read(&context, args.only_input()?)?;
    let kernels = module.kernels();
    if args.has("names") {
        let list: String = kernels
            .iter()
            .map(|kernel| format!("{0}\t{1}\n", kernel.name(), source_name(&kernel.name())))
            .collect();
        files::print(&list)?;
    }
    Ok(Status::Exit(u8::from(!kernels.is_empty())))
}

/// Returns the name of a kernel in the source. The symbol of a kernel is the symbol of the string
/// that names its type, so the demangled symbol has a prefix.
fn source_name(symbol: &str) -> String {
    let name = demangle(symbol);
    name.strip_prefix("typeinfo name for ").unwrap_or(&name).to_owned()
}
