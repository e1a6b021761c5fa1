//! `sycl-post-link`: linked device code → file table of parts. The middle of `device-link`, as a command of its own.

use crate::command_line::{Arguments, Opt, Syntax};
use crate::device_code::{self, PartFiles};
use crate::files::Outputs;
use crate::{Failure, Status};
use scythe_image::file_table;
use scythe_llvm::Context;
use scythe_split::{Mode, Options};

pub const SYNTAX: Syntax = Syntax {
    tool: "sycl-post-link",
    summary: "Splits linked device code and writes a file table with one row per part.",
    inputs: "LINKED.bc",
    options: &[
        Opt { name: "o", value: Some("FILE"), help: "the file table; parts are named like it" },
        Opt { name: "split", value: Some("MODE"), help: "auto, source or kernel (default: do not split)" },
        Opt { name: "symbols", value: None, help: "write a column Symbols with the names of each part's kernels" },
    ],
    notes: "",
};

pub fn run(args: &Arguments) -> Result<Status, Failure> {
    let (output, input) = (args.required("o")?, args.only_input()?);
    let mode = args.last("split").map_or(Ok(Mode::Off), device_code::mode)?;
    let options = Options { mode, ..Options::default() };
    let context = Context::new();
    let module = device_code::read(&context, input)?;
    let target = module.triple();
    let mut outputs = Outputs::default();
    // The table's extension, where the name has one, is not part of the parts' names.
    let prefix = std::path::Path::new(output).with_extension("");
    let mut files = PartFiles::new(&prefix.to_string_lossy())?;
    if let Some(split) = device_code::link_and_split(vec![module], &target, &options)? {
        for part in split.parts() {
            files.add(&part, &part.module.to_bitcode(), args.has("symbols"), &mut outputs)?;
        }
    }
    let mut table = files.table();
    if !args.has("symbols") {
        table = table
            .extract(&[file_table::CODE, file_table::PROPERTIES])
            .map_err(|error| Failure::new(error.to_string()))?;
    }
    outputs.add(output, table.to_text().as_bytes())?;
    outputs.commit()?;
    Ok(Status::Done)
}
