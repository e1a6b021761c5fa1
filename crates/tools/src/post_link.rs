//! `sycl-post-link`: splits linked device code and writes a file table of its parts, as
//! `device-link` does internally.

use crate::command_line::{Arguments, Opt, Syntax};
use crate::device_code::{self, PartFiles};
use crate::device_link::split_options;
use crate::files::{Outputs, damaged};
use crate::warnings::{self, Warnings};
use crate::{Failure, Status, aspect_filter};
use scythe_image::file_table;
use scythe_llvm::Context;
use scythe_split::{Mode, Options};

pub const SYNTAX: Syntax = Syntax {
    tool: "sycl-post-link",
    summary: "Splits linked device code and writes a file table with one row per part.",
    inputs: "LINKED.bc",
    options: &[
        Opt { name: "o", value: Some("FILE"), help: "the file table; parts are named like it" },
        Opt {
            name: "split",
            value: Some("MODE"),
            help: "auto, source or kernel (default: do not split)",
        },
        Opt {
            name: "properties",
            value: None,
            help: "write a column Properties with the property sets of each part; it is written in \
                any case",
        },
        Opt {
            name: "symbols",
            value: None,
            help: "write a column Symbols with the names of each part's kernels",
        },
        Opt { name: "S", value: None, help: "write parts as text" },
        Opt {
            name: "export",
            value: None,
            help: "SYCL_EXTERNAL functions are entry points, too, and listed as exported by their \
                parts",
        },
        Opt {
            name: "provided-by",
            value: Some("LIBRARY"),
            help: "what the images in this file export may stay undefined, and is listed as \
                imported; may be repeated",
        },
        Opt {
            name: "allow-undefined",
            value: None,
            help: "any symbol may stay undefined, and is listed as imported",
        },
        Opt {
            name: "device-config-file",
            value: Some("FILE"),
            help: "a device configuration over the built-in one, which tells which aspects stand \
                for fixed targets",
        },
        Opt {
            name: "target",
            value: Some("TARGET"),
            help: "leave out parts that this target of the device configuration cannot run",
        },
        warnings::OPTION,
    ],
    notes: "LINKED.bc is any module with SPIR kernels, by Scythe or by another compiler. What \
        stays undefined in a module without\n\
            launch rows of Scythe's is left to whoever builds the parts.\n\
            Parts are split further until all of one part needs the same of its device; its \
            properties tell what.\n\
            In code for SPIR-V, compile-time properties become metadata that SPIR-V's instructions \
            are made of.",
};

pub fn run(args: &Arguments) -> Result<Status, Failure> {
    let (output, input) = (args.required("o")?, args.only_input()?);
    let options = Options { foreign: true, ..split_options(args, Mode::Off)? };
    let device = args
        .last("target")
        .map(|name| aspect_filter::target(&options.targets, name))
        .transpose()?;
    let context = Context::new();
    let module = device_code::read(&context, input)?;
    let triple = module.triple();
    let mut outputs = Outputs::default();
    // The names of the parts do not contain the extension of the table.
    let prefix = std::path::Path::new(output).with_extension("");
    let mut files =
        PartFiles::new(&prefix.to_string_lossy(), if args.has("S") { "ll" } else { "bc" })?;
    let mut warnings = Warnings::read(args)?;
    if let Some(split) = device_code::link_and_split(vec![module], &triple, &options)? {
        for part in split.parts() {
            warnings.add(part.warnings.clone());
            if device.is_some_and(|device| aspect_filter::lacks(&part.manifest, device).is_some()) {
                continue;
            }
            device_code::write_properties(&part)?;
            let code = if args.has("S") {
                part.module.to_string().into_bytes()
            } else {
                part.module.to_bitcode()
            };
            files.add(&part, &code, args.has("symbols"), &mut outputs)?;
        }
    }
    warnings.finish(SYNTAX.tool)?;
    let mut table = files.table();
    if !args.has("symbols") {
        table = table
            .extract(&[file_table::CODE, file_table::PROPERTIES])
            .map_err(|error| damaged(output, error))?;
    }
    outputs.add(output, table.to_text().as_bytes())?;
    outputs.commit()?;
    Ok(Status::Done)
}
