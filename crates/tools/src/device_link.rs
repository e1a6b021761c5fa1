//! `device-link`: all device code of a program → one host object. Link, split, properties, images, wrap, in one process.
//!
//! Device code is generic whatever its targets: it is linked and split once, and every part becomes, for each target, images
//! to build at run time or images compiled ahead of time.

use crate::ahead_of_time;
use crate::command_line::{Argument, Arguments, Opt, Syntax};
use crate::device_code::{self, PartFiles};
use crate::files::Outputs;
use crate::wrapper::wrap_options;
use crate::{Failure, Status};
use scythe_abi::names::GENERIC_TRIPLE;
use scythe_abi::target::Target;
use scythe_image::{Format, Image};
use scythe_llvm::Context;
use scythe_split::{Mode, Options};
use scythe_wrap::wrap;
use std::collections::BTreeSet;

pub const SYNTAX: Syntax = Syntax {
    tool: "device-link",
    summary: "Links device code and wraps it into a host object that registers it with the runtime.",
    inputs: "a.bc b.bc …",
    options: &[
        Opt { name: "o", value: Some("FILE"), help: "the host object" },
        Opt {
            name: "target",
            value: Some("LIST"),
            help: "targets of the inputs that follow: spir64 (default), built at run time; spir64_x86_64, for the CPU",
        },
        Opt {
            name: "split",
            value: Some("MODE"),
            help: "off, per_source, per_kernel or auto, which is per_source (default)",
        },
        Opt { name: "compile-opts", value: Some("TEXT"), help: "options to build the images with at run time" },
        Opt {
            name: "cpu-opts",
            value: Some("TEXT"),
            help: "options for spir64_x86_64: -march=LEVEL[,LEVEL…], -O0 to -O3 (default: x86-64, x86-64-v3, x86-64-v4; -O3)",
        },
        Opt { name: "host", value: Some("TRIPLE"), help: "the host's triple (default: this machine's)" },
        Opt {
            name: "save-temps",
            value: Some("PREFIX"),
            help: "also write each part as PREFIX_N.bc, .prop, .sym, and their table PREFIX.table",
        },
        Opt { name: "reg-func-name", value: Some("NAME"), help: "called at load (default: __tgt_register_lib)" },
        Opt { name: "unreg-func-name", value: Some("NAME"), help: "called at unload (default: __tgt_unregister_lib)" },
    ],
    notes: "Levels are x86-64 (or sse2), x86-64-v2 (sse4.2), x86-64-v3 (avx2) and x86-64-v4 (avx512). Each becomes an image\n\
            of its own; a program uses the best that its machine supports.\n\
            Inputs without kernels are fine: the object then registers no images.",
};

/// Inputs with the same targets, in order.
struct Group<'a> {
    targets: BTreeSet<Target>,
    inputs: Vec<&'a str>,
}

/// What holds for all groups.
struct Settings<'a> {
    split: Options,
    /// For code that is built at run time.
    options: &'a str,
    /// For code that is compiled now.
    cpu: ahead_of_time::Settings,
}

pub fn run(args: &Arguments) -> Result<Status, Failure> {
    let output = args.required("o")?;
    let settings = Settings {
        split: Options { mode: args.last("split").map_or(Ok(Mode::PerSource), device_code::mode)?, ..Options::default() },
        options: args.last("compile-opts").unwrap_or_default(),
        cpu: ahead_of_time::Settings::parse(args.last("cpu-opts").unwrap_or_default())?,
    };
    let options = wrap_options(args)?;
    let groups = groups(args)?;
    let mut outputs = Outputs::default();
    let mut images = Vec::new();
    for (index, group) in groups.iter().enumerate() {
        let temps = args.last("save-temps").map(|prefix| match index {
            0 => prefix.to_owned(),
            _ => format!("{prefix}-{index}"),
        });
        add_images(group, &settings, temps, &mut images, &mut outputs)?;
    }
    let object = wrap(&images, &options).map_err(|error| Failure::new(error.to_string()))?;
    outputs.add(output, &object)?;
    outputs.commit()?;
    Ok(Status::Done)
}

fn groups(args: &Arguments) -> Result<Vec<Group<'_>>, Failure> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut current = BTreeSet::from([Target::Generic]);
    for argument in &args.0 {
        match argument {
            Argument::Option("target", list) => current = targets(list)?,
            Argument::Option(..) => {}
            Argument::Input(input) => match groups.iter_mut().find(|group| group.targets == current) {
                Some(group) => group.inputs.push(input),
                None => groups.push(Group { targets: current.clone(), inputs: vec![input] }),
            },
        }
    }
    Ok(groups)
}

fn targets(list: &str) -> Result<BTreeSet<Target>, Failure> {
    let target = |name: &str| {
        Target::from_name(name)
            .ok_or_else(|| Failure::new(format!("unknown target '{name}': expected {}", Target::NAMES)))
    };
    list.split(',').map(target).collect()
}

fn add_images(
    group: &Group<'_>,
    settings: &Settings<'_>,
    temps: Option<String>,
    images: &mut Vec<Image>,
    outputs: &mut Outputs,
) -> Result<(), Failure> {
    // One context per group: its memory is given back before the next begins.
    let context = Context::new();
    let modules = group.inputs.iter().map(|path| device_code::read(&context, path)).collect::<Result<Vec<_>, _>>()?;
    let Some(split) = device_code::link_and_split(modules, GENERIC_TRIPLE, &settings.split)? else { return Ok(()) };
    let mut files = temps.as_deref().map(PartFiles::new).transpose()?;
    let mut parts = Vec::new();
    for part in split.parts() {
        let code = part.module.to_bitcode();
        if let Some(files) = &mut files {
            files.add(&part, &code, true, outputs)?;
        }
        parts.push(Image {
            target: GENERIC_TRIPLE.to_owned(),
            format: Format::LlvmBitcode,
            options: settings.options.to_owned(),
            properties: part.properties,
            symbols: part.symbols,
            code,
        });
    }
    if let (Some(files), Some(prefix)) = (files, temps) {
        outputs.add(&format!("{prefix}.table"), files.table().to_text().as_bytes())?;
    }
    for target in &group.targets {
        match target {
            Target::Generic => images.extend(parts.iter().cloned()),
            Target::Cpu => images.extend(compile_for_cpu(&parts, &settings.cpu)?),
            Target::CpuLevel(level) => {
                let one = ahead_of_time::Settings { levels: [*level].into(), opt_level: settings.cpu.opt_level };
                images.extend(compile_for_cpu(&parts, &one)?);
            }
            Target::IntelGen | Target::IntelGpu(_) | Target::Ptx | Target::NvidiaGpu(_) => {
                let name = target.name();
                let message = format!("device code for '{name}' cannot be linked: 'spir64' and the CPU's targets can");
                return Err(Failure::new(message));
            }
        }
    }
    Ok(())
}

/// One image for each part and instruction-set level.
fn compile_for_cpu(parts: &[Image], settings: &ahead_of_time::Settings) -> Result<Vec<Image>, Failure> {
    let code: Vec<&[u8]> = parts.iter().map(|part| part.code.as_slice()).collect();
    let objects = ahead_of_time::compile(&code, settings)?;
    let images = parts.iter().zip(objects).flat_map(|(part, objects)| {
        objects.into_iter().map(|object| Image {
            target: object.level.image_target(),
            format: Format::CpuObject,
            options: String::new(),
            properties: part.properties.clone(),
            symbols: part.symbols.clone(),
            code: object.code,
        })
    });
    Ok(images.collect())
}
