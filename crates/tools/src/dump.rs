//! `image-dump`: describes the device images in a file.

use crate::command_line::{Arguments, Opt, Syntax};
use crate::errors::NoDeviceCode;
use crate::files::{self, Outputs, damaged, file_error};
use crate::{Failure, Status};
use scythe_abi::launch::{KernelLaunch, ParamKind};
use scythe_abi::names::LAUNCH_PROPERTY_SET;
use scythe_image::{Format, ImageError, ImageView, PropertyValue, bundle, container};
use std::fmt::{self, Write};

pub const SYNTAX: Syntax = Syntax {
    tool: "image-dump",
    summary: "Prints the device images in an image container, object, library or program.",
    inputs: "FILE",
    options: &[Opt {
        name: "extract",
        value: Some("PREFIX"),
        help: "write the code of image N to PREFIX_N and an extension",
    }],
    notes: "A fat object, as written by the driver with -c, holds bundles and no images yet: those \
        are listed instead.",
};

pub fn run(args: &Arguments) -> Result<Status, Failure> {
    let path = args.only_input()?;
    let bytes = files::read(path)?;
    let images = container::find_all(&bytes).map_err(|error| damaged(path, error))?;
    if images.is_empty() {
        let bundles = bundle::list(&bytes).unwrap_or_default();
        if bundles.is_empty() {
            return Err(file_error(path, &NoDeviceCode));
        }
        let lines = bundles
            .iter()
            .map(|bundle| format!("bundle {}: {} bytes\n", bundle.target, bundle.data.len()));
        return Ok(Status::print(lines.collect::<String>()));
    }
    let mut outputs = Outputs::default();
    let mut text = String::new();
    for (index, image) in images.iter().enumerate() {
        describe(&mut text, index, image).map_err(|error| damaged(path, error))?;
        if let Some(prefix) = args.last("extract") {
            let code = image.code().map_err(|error| damaged(path, error))?;
            outputs.add(&format!("{prefix}_{index}.{}", extension(image.format)), &code)?;
        }
    }
    outputs.commit()?;
    Ok(Status::print(text))
}

fn describe(out: &mut String, index: usize, image: &ImageView<'_>) -> Result<(), ImageError> {
    let mut print = |line: fmt::Arguments<'_>| {
        writeln!(out, "{line}").expect("a string takes all that is written")
    };
    print(format_args!("image {index}"));
    print(format_args!("  target: {}", image.target));
    print(format_args!("  format: {}", image.format));
    if !image.options.is_empty() {
        print(format_args!("  options: {}", image.options));
    }
    let stored =
        image.compressed_size().map(|size| format!(", compressed to {size}")).unwrap_or_default();
    print(format_args!("  code: {} bytes{stored}", image.code_size()));
    print(format_args!("  symbols: {}", image.symbols().len()));
    for symbol in image.symbols() {
        print(format_args!("    {symbol}"));
    }
    for (name, set) in image.manifest()?.to_properties().iter() {
        print(format_args!("  [{name}]"));
        for (property, value) in set.iter() {
            match value {
                PropertyValue::U32(number) => print(format_args!("    {property} = {number}")),
                PropertyValue::Bytes(bytes) => match KernelLaunch::from_bytes(bytes) {
                    Some(launch) if name == LAUNCH_PROPERTY_SET => {
                        print(format_args!("    {property}: {}", Launch(&launch)))
                    }
                    _ => print(format_args!("    {property} = {} bytes", bytes.len())),
                },
            }
        }
    }
    Ok(())
}

/// Formats a launch row on one line.
struct Launch<'a>(&'a KernelLaunch);

impl fmt::Display for Launch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let launch = self.0;
        write!(
            f,
            "{} at {}:{}:{}",
            launch.shape.as_str(),
            launch.file,
            launch.line,
            launch.column
        )?;
        write!(f, ", functor of {} bytes", launch.functor_size)?;
        for param in &launch.params {
            let kind = match param.kind {
                ParamKind::Accessor => "accessor",
                ParamKind::StdLayout => "plain",
                ParamKind::Sampler => "sampler",
                ParamKind::Pointer => "pointer",
                ParamKind::Local => "local",
            };
            write!(f, ", {kind} {}@{}", param.size, param.offset)?;
        }
        Ok(())
    }
}

/// Returns the extension of files with code of this format.
pub fn extension(format: Format) -> &'static str {
    match format {
        Format::LlvmBitcode => "bc",
        Format::SpirV => "spv",
        Format::CpuObject => "o",
        Format::Ptx => "ptx",
        Format::Fatbin => "fatbin",
        Format::Empty => "empty",
        Format::IntelGpu => "bin",
    }
}
