//! `spirv-translate`: translates device code to SPIR-V, as the run-time compiler does for drivers.

use crate::command_line::{Arguments, Opt, Syntax};
use crate::errors::{BadValue, CannotTranslate, UnknownValue};
use crate::files::{Outputs, file_error};
use crate::{Failure, Status, device_code, device_library};
use scythe_abi::aspect::Aspect;
use scythe_codegen::spirv::{Options, translate};
use scythe_llvm::Context;

pub const SYNTAX: Syntax = Syntax {
    tool: "spirv-translate",
    summary: "Translates a part of device code to SPIR-V.",
    inputs: "PART.bc",
    options: &[
        Opt { name: "o", value: Some("FILE"), help: "the SPIR-V module" },
        Opt {
            name: "spirv-version",
            value: Some("1.N"),
            help: "the version that the driver takes (default: 1.4)",
        },
        Opt {
            name: "spirv-ext",
            value: Some("NAME"),
            help: "an extension of SPIR-V that the driver knows; may be repeated",
        },
        Opt {
            name: "aspects",
            value: Some("LIST"),
            help: "aspects that the device has, for code that asks (default: none)",
        },
        Opt {
            name: "dump-dir",
            value: Some("DIR"),
            help: "also write the code of each step there",
        },
    ],
    notes: "The input is what sycl-post-link writes. Optional features that nothing above names \
        are not used.",
};

pub fn run(args: &Arguments) -> Result<Status, Failure> {
    let (output, input) = (args.required("o")?, args.only_input()?);
    let version = args.last("spirv-version").unwrap_or("1.4");
    let minor = version.strip_prefix("1.").and_then(|minor| minor.parse::<u8>().ok());
    let minor = minor.ok_or_else(|| {
        let (value, expected) = (version.to_owned(), "one such as 1.4".to_owned());
        Failure::new(&BadValue { option: "spirv-version", value, expected })
    })?;
    let mut aspects = Vec::new();
    for name in args.all("aspects").flat_map(|list| list.split(',')).filter(|name| !name.is_empty())
    {
        let aspect = Aspect::from_name(name).ok_or_else(|| {
            let expected = "the name of an aspect in 'enum class aspect'".to_owned();
            Failure::new(&UnknownValue { what: "aspect", value: name.to_owned(), expected })
        })?;
        aspects.push(aspect as u32);
    }
    let context = Context::new();
    let code = device_code::read(&context, input)?.to_bitcode();
    let options = Options {
        device_lib_dir: Some(device_library::folder()?),
        dump_dir: args.last("dump-dir").map(Into::into),
        extensions: args.all("spirv-ext").map(str::to_owned).collect(),
        version: 0x0001_0000 | u32::from(minor) << 8,
        aspects,
        ..Options::default()
    };
    let words = translate(&code, &[], &options)
        .map_err(|error| file_error(input, &CannotTranslate { reason: error.to_string() }))?;
    let mut outputs = Outputs::default();
    outputs.add(output, &words)?;
    outputs.commit()?;
    Ok(Status::Done)
}
