//! `device-link`: links all device code of a program into one host object.
//!
//! The steps are link, split, manifest, images and wrap, in one process. The inputs of each target
//! are linked together. Targets with the same inputs share link and split, because the device code
//! of all targets except NVIDIA GPUs is generic. Each part then becomes an image that is built at
//! run time (generic target), or images that are compiled ahead of time (`ahead_of_time`).
//!
//! With `--images`, the output is a file of the images, one container after the other, which the
//! runtime reads when it compiles source text.
//!
//! If the cache has the images of a link with the same inputs and options, the link uses them.

mod ahead_of_time;
mod cache;
mod dump;
pub mod filter;
mod inputs;
mod provided;
mod settings;
mod source_lines;
mod temps;

use crate::command_line::{Arguments, Opt, Syntax};
use crate::device_code::{self, PartFiles};
use crate::errors::CannotWrap;
use crate::files::Outputs;
use crate::warnings::{self, Warnings};
use crate::wrapper::{self, wrap_options};
use crate::{Failure, Status};
use inputs::Group;
use scythe_abi::names::GENERIC_TRIPLE;
use scythe_diag::{Diagnostic, Report};
use scythe_image::{Format, Image, Manifest};
use scythe_llvm::Context;
use scythe_split::errors::UndefinedDeviceSymbol;
use scythe_split::{Granted, Options};
use scythe_wrap::{SourceLines, wrap};
use settings::Settings;

pub use settings::split_options;

pub const SYNTAX: Syntax = Syntax {
    tool: "device-link",
    summary: "Links device code and wraps it into a host object that registers it with the \
        runtime.",
    inputs: "a.bc b.bc …",
    options: &[
        Opt { name: "o", value: Some("FILE"), help: "the host object" },
        Opt {
            name: "target",
            value: Some("LIST"),
            help: "targets of the inputs that follow, by name or bundle id: spir64 (default), \
                built at run time; spir64_x86_64, \
                   for the CPU; intel_gpu_NAME or spir64_gen, for Intel GPUs, by ocloc; \
                   nvptx64-nvidia-cuda or nvidia_gpu_sm_NN, for \
                   NVIDIA GPUs, by ptxas",
        },
        Opt {
            name: "split",
            value: Some("MODE"),
            help: "off, per_source, per_kernel or auto: per_source, at most 32 kernels to an image \
                (default)",
        },
        Opt {
            name: "export",
            value: None,
            help: "let images of other programs and libraries use SYCL_EXTERNAL functions: each is \
                in an image, needed or not",
        },
        Opt {
            name: "provided-by",
            value: Some("LIBRARY"),
            help: "what the images in this file export may stay undefined, and is linked at run \
                time; may be repeated",
        },
        Opt {
            name: "allow-undefined",
            value: None,
            help: "any symbol may stay undefined, and is linked at run time",
        },
        Opt {
            name: "compile-opts",
            value: Some("TEXT"),
            help: "options to build the images with at run time",
        },
        Opt {
            name: "cpu-opts",
            value: Some("TEXT"),
            help: "options for spir64_x86_64: -march=LEVEL[,LEVEL…], -O0 to -O3, -mscalar \
                (default: x86-64, x86-64-v3, x86-64-v4; -O3)",
        },
        Opt {
            name: "cuda-path",
            value: Some("DIR"),
            help: "where CUDA is, for NVIDIA's GPUs (default: the usual places)",
        },
        Opt {
            name: "backend-options",
            value: Some("TARGET:TEXT"),
            help: "options for one target; may be repeated",
        },
        Opt {
            name: "jobs",
            value: Some("N"),
            help: "compile at most so many parts at a time (default: one per processor)",
        },
        Opt {
            name: "cache",
            value: Some("DIR"),
            help: "take images from this folder where the same code was linked with the same \
                options before",
        },
        Opt { name: "compress", value: None, help: "compress the images' code" },
        Opt {
            name: "images",
            value: None,
            help: "write the images, one after the other, instead of a host object",
        },
        Opt {
            name: "dump-device-code",
            value: Some("DIR"),
            help: "also write the code of each image to a file there",
        },
        Opt {
            name: "device-config-file",
            value: Some("FILE"),
            help: "a device configuration over the built-in one, which tells what targets can run; \
                part of the cache's key",
        },
        warnings::OPTION,
        Opt {
            name: "linked",
            value: Some("FILE"),
            help: "also write the names of all kernels, one on each line",
        },
        Opt {
            name: "host",
            value: Some("TRIPLE"),
            help: "the host's triple (default: this machine's)",
        },
        Opt {
            name: "save-temps",
            value: Some("PREFIX"),
            help: "also write each part as PREFIX_N.bc, .prop, .sym, and their table PREFIX.table, \
                and the finished code of each image as PREFIX_N-TARGET.o, .ptx, .cubin or .bin",
        },
        wrapper::REGISTER,
        wrapper::UNREGISTER,
        Opt { name: "verbose", value: None, help: "say on standard error which steps are taken" },
    ],
    notes: "Levels are x86-64 (or sse2), x86-64-v2 (sse4.2), x86-64-v3 (avx2) and x86-64-v4 \
        (avx512). Each becomes an image\n\
            of its own; a program uses the best that its machine supports.\n\
            Inputs without kernels are fine: the object then registers no images. So are empty \
            files, which the driver leaves of\n\
            library members that the program does not use.\n\
            Code that a target cannot run according to the device configuration is not compiled \
            for it ahead of time: an image\n\
            without code then tells programs why.\n\
            The cache is content-addressed: its keys cover inputs, options, and this program with \
            its device library. It may\n\
            be removed at any time, and shared by links that run at the same time.",
};

pub fn run(args: &Arguments) -> Result<Status, Failure> {
    let output = args.required("o")?;
    let settings = Settings::read(args)?;
    let mut options = wrap_options(args)?;
    options.compress = args.has("compress");
    let groups = inputs::groups(args, &settings.split.targets)?;

    let mut outputs = Outputs::default();
    let mut warnings = Warnings::read(args)?;
    let mut lines = SourceLines::default();
    let temps = args.last("save-temps");
    let images = images(&groups, &settings, temps, &mut outputs, &mut warnings, &mut lines)?;
    options.source_lines = lines;
    warnings.add(filter::remarks(&images, &settings)?);
    warnings.finish(SYNTAX.tool)?;
    if let Some(prefix) = args.last("save-temps") {
        temps::stage(prefix, &images, &mut outputs)?;
    }
    if let Some(folder) = args.last("dump-device-code") {
        dump::stage(folder, &images, &mut outputs)?;
    }
    if let Some(file) = args.last("linked") {
        outputs.add(file, kernels(&images).as_bytes())?;
    }
    let contents = match args.has("images") {
        true => images.iter().flat_map(Image::to_bytes).collect(),
        false => wrap(&images, &options)
            .map_err(|error| Failure::new(&CannotWrap { reason: error.to_string() }))?,
    };
    outputs.add(output, &contents)?;
    outputs.commit()?;
    Ok(Status::Done)
}

/// Returns all images, from the cache if it has them. Adds the lines of code with debug information
/// to `lines`.
fn images(
    groups: &[Group<'_>],
    settings: &Settings<'_>,
    temps: Option<&str>,
    outputs: &mut Outputs,
    warnings: &mut Warnings,
    lines: &mut SourceLines,
) -> Result<Vec<Image>, Failure> {
    let mut compilers = ahead_of_time::find(groups, settings)?;
    // The cache does not contain the parts that `--save-temps` writes.
    let cache = settings.cache.as_ref().filter(|_| temps.is_none());
    let identity: Vec<String> = compilers.values().map(|compiler| compiler.identity()).collect();
    let key = cache.map(|_| inputs::key(groups, settings, &identity.join("\n"))).transpose()?;
    let entry = settings.cache.as_ref().zip(key.as_ref());
    if let Some(images) = entry.and_then(|(cache, key)| cache.images(key)) {
        settings.tell(format_args!("{} images from the cache", images.len()));
        return Ok(images);
    }
    let mut images = Vec::new();
    for (index, group) in groups.iter().enumerate() {
        let temps = temps.map(|prefix| match index {
            0 => prefix.to_owned(),
            _ => format!("{prefix}-{index}"),
        });
        let parts = parts(group, settings, temps, outputs, warnings, lines)?;
        let (mut all_generic, mut some_generic) = (false, false);
        for &target in &group.targets {
            match compilers.get_mut(&target.family()) {
                Some(compiler) => {
                    compiler.add(target, &parts)?;
                    some_generic |= compiler.builds_generic_images();
                }
                None => all_generic = true,
            }
        }
        let wanted = |part: &Image| all_generic || some_generic && is_finished_at_run_time(part);
        let options = &settings.run_time_options;
        images.extend(
            parts.into_iter().filter(wanted).map(|part| Image { options: options.clone(), ..part }),
        );
    }
    for compiler in compilers.into_values() {
        images.extend(compiler.finish()?);
    }
    // A link from the cache could not repeat the warnings or the lines.
    if let Some((cache, key)) = entry.filter(|_| !warnings.any() && lines.is_empty()) {
        cache.keep_images(key, &images);
    }
    Ok(images)
}

/// Returns the parts of one group as images with bitcode: generic code, or code of a device pass
/// for NVIDIA GPUs.
fn parts(
    group: &Group<'_>,
    settings: &Settings<'_>,
    temps: Option<String>,
    outputs: &mut Outputs,
    warnings: &mut Warnings,
    lines: &mut SourceLines,
) -> Result<Vec<Image>, Failure> {
    settings.tell(format_args!(
        "linking {} modules for {}",
        group.inputs.len(),
        group.target_names()
    ));
    let context = Context::new();
    let modules = device_code::read_units(&context, &group.inputs)?;
    let triple = group.targets.first().map_or(GENERIC_TRIPLE, |target| target.device_triple());
    let faults = |Failure(faults)| {
        Failure(faults.into_iter().map(|fault| name_targets(fault, group)).collect())
    };
    let options = Options { granted: granted(group, settings), ..settings.split.clone() };
    let Some(split) = device_code::link_and_split(modules, triple, &options).map_err(faults)?
    else {
        return Ok(Vec::new());
    };
    settings.tell(format_args!("splitting the code into {} parts", split.len()));
    let mut files = temps.as_deref().map(|prefix| PartFiles::new(prefix, "bc")).transpose()?;
    let mut images = Vec::with_capacity(split.len());
    for part in split.parts() {
        device_code::write_properties(&part)?;
        source_lines::add(&part.module, lines);
        let code = part.module.to_bitcode();
        if let Some(files) = &mut files {
            files.add(&part, &code, true, outputs)?;
        }
        warnings.add(part.warnings);
        images.push(Image {
            target: triple.into(),
            format: Format::LlvmBitcode,
            options: String::new(),
            manifest: part.manifest,
            symbols: part.symbols,
            code,
        });
    }
    if let (Some(files), Some(prefix)) = (files, temps) {
        outputs.add(&format!("{prefix}.table"), files.table().to_text().as_bytes())?;
    }
    Ok(images)
}

/// Returns what all devices of a group have. Generic code is for devices that are not known yet.
fn granted(group: &Group<'_>, settings: &Settings<'_>) -> Granted {
    let target = match group.targets[..] {
        [target] if target.device_triple() != GENERIC_TRIPLE => target,
        _ => return Granted::default(),
    };
    let known = settings.split.targets.lookup(&target.name());
    known.map_or_else(Granted::default, |known| Granted {
        aspects: known.aspects.iter().map(|&aspect| aspect as u32).collect(),
        sub_group_sizes: known.sub_group_sizes.iter().copied().collect(),
    })
}

/// Adds the targets to an error about an undefined symbol, because the code of other targets may
/// define it.
fn name_targets(fault: Diagnostic, group: &Group<'_>) -> Diagnostic {
    match fault.code {
        Some(UndefinedDeviceSymbol::CODE) => {
            fault.note(format!("in device code for {}", group.target_names()))
        }
        _ => fault,
    }
}

/// Whether the run-time compiler may also have to finish a part that is compiled ahead of time.
///
/// Functions that use their work-item or synchronize become part of their kernels, so finished
/// images cannot be linked with each other. Finished code has the default values of specialization
/// constants, but a program may set other values.
fn is_finished_at_run_time(part: &Image) -> bool {
    let Manifest { imports, exports, constants, .. } = &part.manifest;
    !(imports.is_empty() && exports.is_empty() && constants.is_empty())
}

/// Returns the names of the kernels in all images, each once, in order, one per line.
fn kernels(images: &[Image]) -> String {
    let mut met = std::collections::HashSet::new();
    let symbols =
        images.iter().flat_map(|image| &image.symbols).filter(|symbol| met.insert(symbol.as_str()));
    symbols.map(|symbol| format!("{symbol}\n")).collect()
}
