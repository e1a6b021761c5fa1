//! `device-link`: all device code of a program → one host object. Link, split, properties, images, wrap, in one process.

use crate::command_line::{Argument, Arguments, Opt, Syntax};
use crate::device_code::{self, PartFiles};
use crate::files::Outputs;
use crate::wrapper::wrap_options;
use crate::{Failure, Status};
use scythe_abi::names::GENERIC_TRIPLE;
use scythe_image::{Format, Image};
use scythe_llvm::Context;
use scythe_split::Mode;
use scythe_wrap::wrap;

pub const SYNTAX: Syntax = Syntax {
    tool: "device-link",
    summary: "Links device code and wraps it into a host object that registers it with the runtime.",
    inputs: "a.bc b.bc …",
    options: &[
        Opt { name: "o", value: Some("FILE"), help: "the host object" },
        Opt {
            name: "target",
            value: Some("TRIPLE"),
            help: "target of the inputs that follow (default: spirv64-unknown-unknown)",
        },
        Opt {
            name: "split",
            value: Some("MODE"),
            help: "off, per_source, per_kernel or auto, which is per_source (default)",
        },
        Opt { name: "compile-opts", value: Some("TEXT"), help: "options to build the images with at run time" },
        Opt { name: "host", value: Some("TRIPLE"), help: "the host's triple (default: this machine's)" },
        Opt {
            name: "save-temps",
            value: Some("PREFIX"),
            help: "also write each part as PREFIX_N.bc, .prop, .sym, and their table PREFIX.table",
        },
        Opt { name: "reg-func-name", value: Some("NAME"), help: "called at load (default: __tgt_register_lib)" },
        Opt { name: "unreg-func-name", value: Some("NAME"), help: "called at unload (default: __tgt_unregister_lib)" },
    ],
    notes: "With several targets, the temporary files' names have the target after the prefix.\n\
            Inputs without kernels are fine: the object then registers no images.",
};

/// Inputs of one target, in order.
struct Group<'a> {
    target: &'a str,
    inputs: Vec<&'a str>,
}

pub fn run(args: &Arguments) -> Result<Status, Failure> {
    let output = args.required("o")?;
    let mode = args.last("split").map_or(Ok(Mode::PerSource), device_code::mode)?;
    let options = wrap_options(args)?;
    let groups = groups(args);
    let mut outputs = Outputs::default();
    let mut images = Vec::new();
    for group in &groups {
        let temps = args.last("save-temps").map(|prefix| match groups.len() {
            0 | 1 => prefix.to_owned(),
            _ => format!("{prefix}-{}", group.target),
        });
        add_images(group, mode, args.last("compile-opts").unwrap_or_default(), temps, &mut images, &mut outputs)?;
    }
    let object = wrap(&images, &options).map_err(|error| Failure::new(error.to_string()))?;
    outputs.add(output, &object)?;
    outputs.commit()?;
    Ok(Status::Done)
}

fn groups(args: &Arguments) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut target = GENERIC_TRIPLE;
    for argument in &args.0 {
        match argument {
            Argument::Option("target", triple) => target = triple,
            Argument::Option(..) => {}
            Argument::Input(input) => match groups.iter_mut().find(|group| group.target == target) {
                Some(group) => group.inputs.push(input),
                None => groups.push(Group { target, inputs: vec![input] }),
            },
        }
    }
    groups
}

fn add_images(
    group: &Group<'_>,
    mode: Mode,
    options: &str,
    temps: Option<String>,
    images: &mut Vec<Image>,
    outputs: &mut Outputs,
) -> Result<(), Failure> {
    // One context per target: its memory is given back before the next begins.
    let context = Context::new();
    let modules = group.inputs.iter().map(|path| device_code::read(&context, path)).collect::<Result<Vec<_>, _>>()?;
    let Some(split) = device_code::link_and_split(modules, group.target, mode)? else { return Ok(()) };
    let mut files = temps.as_deref().map(PartFiles::new).transpose()?;
    for part in split.parts() {
        let code = part.module.to_bitcode();
        if let Some(files) = &mut files {
            files.add(&part, &code, true, outputs)?;
        }
        images.push(Image {
            target: group.target.to_owned(),
            format: Format::LlvmBitcode,
            options: options.to_owned(),
            properties: part.properties,
            symbols: part.symbols,
            code,
        });
    }
    if let (Some(files), Some(prefix)) = (files, temps) {
        outputs.add(&format!("{prefix}.table"), files.table().to_text().as_bytes())?;
    }
    Ok(())
}
