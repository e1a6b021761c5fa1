//! `device-symbols`: lists the symbols that device modules define, and those that they need from
//! others.

use crate::command_line::{Arguments, Syntax};
use crate::{Failure, Status, device_code};
use scythe_llvm::{Context, Linkage};
use std::fmt::Write as _;

pub const SYNTAX: Syntax = Syntax {
    tool: "device-symbols",
    summary: "Lists the symbols that device modules define for others, and those that they need of \
        others.",
    inputs: "MODULE.bc...",
    options: &[],
    notes: "One line for each symbol: the number of the file, counted from 0, the letter D \
        (defined) or U (undefined), and the\n\
            symbol. Kernels are not listed: no device code calls them. An empty file holds no \
            module.",
};

pub fn run(args: &Arguments) -> Result<Status, Failure> {
    let mut text = String::new();
    for (number, file) in args.inputs().enumerate() {
        let context = Context::new();
        let Some(module) = device_code::read_unless_empty(&context, file)? else { continue };
        let mut line = |defined: bool, name: String| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{number} {} {name}", if defined { 'D' } else { 'U' });
        };
        let local =
            |linkage| matches!(linkage, Linkage::LLVMInternalLinkage | Linkage::LLVMPrivateLinkage);
        for function in module.functions().filter(|f| !f.is_kernel() && !local(f.linkage())) {
            line(!function.is_declaration(), function.name());
        }
        for variable in module.globals().filter(|variable| !local(variable.linkage())) {
            line(!variable.is_declaration(), variable.name());
        }
    }
    Ok(Status::print(text))
}
