//! `clang-offload-wrapper`: writes device images to a host object that registers them.

use crate::command_line::{Argument, Arguments, Opt, Syntax};
use crate::errors::{
    CannotWrap, NoImageTarget, UnknownFormat, UnknownValue, UnsupportedMachine, UnsupportedValue,
};
use crate::files::{self, damaged, file_error};
use crate::{Failure, Status, device_code};
use scythe_image::{FileTable, Format, Image, Manifest, PropertySets, container, file_table};
use scythe_wrap::{Machine, Options, wrap};

pub const SYNTAX: Syntax = Syntax {
    tool: "clang-offload-wrapper",
    summary: "Wraps device images into a host object that registers them with the runtime when it \
        is loaded.",
    inputs: "IMAGE…",
    options: &[
        Opt { name: "o", value: Some("FILE"), help: "the object" },
        Opt {
            name: "host",
            value: Some("TRIPLE"),
            help: "the host's triple (default: this machine's)",
        },
        Opt {
            name: "kind",
            value: Some("sycl"),
            help: "offload kind of the images that follow; only sycl",
        },
        Opt { name: "target", value: Some("TRIPLE"), help: "target of the images that follow" },
        Opt {
            name: "format",
            value: Some("FORMAT"),
            help: "of the images that follow: llvmbc, spirv, cpu-object, ptx, fatbin, empty \
                (default: by content)",
        },
        Opt {
            name: "compile-opts",
            value: Some("TEXT"),
            help: "options to build the images that follow with",
        },
        Opt { name: "properties", value: Some("FILE"), help: "property sets of the next image" },
        Opt {
            name: "symbols",
            value: Some("FILE"),
            help: "symbols of the next image, one on each line",
        },
        Opt {
            name: "batch",
            value: None,
            help: "inputs that follow are file tables with a column Code, and perhaps Properties \
                and Symbols",
        },
        REGISTER,
        UNREGISTER,
    ],
    notes: "An input that is an image container already is wrapped as it is.",
};

/// The function that the object calls at load.
pub const REGISTER: Opt = Opt {
    name: "reg-func-name",
    value: Some("NAME"),
    help: "called at load (default: __tgt_register_lib)",
};

/// The function that the object calls at unload.
pub const UNREGISTER: Opt = Opt {
    name: "unreg-func-name",
    value: Some("NAME"),
    help: "called at unload (default: __tgt_unregister_lib)",
};

/// The options that apply to the next input.
#[derive(Default)]
struct Setting {
    target: String,
    format: Option<Format>,
    options: String,
    properties: Option<String>,
    symbols: Option<String>,
    batch: bool,
}

pub fn run(args: &Arguments) -> Result<Status, Failure> {
    let output = args.required("o")?;
    let options = wrap_options(args)?;
    let images = images(args)?;
    let object = wrap(&images, &options)
        .map_err(|error| Failure::new(&CannotWrap { reason: error.to_string() }))?;
    files::write(output, &object)?;
    Ok(Status::Done)
}

/// Returns the options for the object: its machine, and the functions that it calls.
pub fn wrap_options(args: &Arguments) -> Result<Options, Failure> {
    let machine = match args.last("host") {
        Some(triple) => Machine::from_triple(triple).ok_or_else(|| {
            let (value, expected) = (triple.to_owned(), "x86_64-… or aarch64-…".to_owned());
            Failure::new(&UnsupportedValue { what: "host", value, expected })
        })?,
        None => Machine::host().ok_or_else(|| Failure::new(&UnsupportedMachine))?,
    };
    let mut options = Options::new(machine);
    if let Some(name) = args.last("reg-func-name") {
        options.register = name.to_owned();
    }
    if let Some(name) = args.last("unreg-func-name") {
        options.unregister = name.to_owned();
    }
    Ok(options)
}

fn images(args: &Arguments) -> Result<Vec<Image>, Failure> {
    let mut images = Vec::new();
    let mut setting = Setting::default();
    for argument in &args.0 {
        match argument {
            Argument::Option("kind", kind) if kind != "sycl" => {
                let (value, expected) = (kind.clone(), "'sycl'".to_owned());
                let unsupported = UnsupportedValue { what: "offload kind", value, expected };
                return Err(Failure::new(&unsupported));
            }
            Argument::Option("target", target) => setting.target = target.clone(),
            Argument::Option("format", name) => {
                let format = Format::from_name(name).ok_or_else(|| {
                    let known: Vec<_> = Format::ALL.iter().map(|format| format.as_str()).collect();
                    let expected = format!("one of {}", known.join(", "));
                    Failure::new(&UnknownValue { what: "format", value: name.clone(), expected })
                })?;
                setting.format = Some(format);
            }
            Argument::Option("compile-opts", text) => setting.options = text.clone(),
            Argument::Option("properties", file) => setting.properties = Some(file.clone()),
            Argument::Option("symbols", file) => setting.symbols = Some(file.clone()),
            Argument::Option("batch", _) => setting.batch = true,
            Argument::Option(..) => {}
            Argument::Input(input) if setting.batch => add_table(input, &setting, &mut images)?,
            Argument::Input(input) => {
                let (properties, symbols) = (setting.properties.take(), setting.symbols.take());
                images.push(image(input, &setting, properties.as_deref(), symbols.as_deref())?);
            }
        }
    }
    Ok(images)
}

fn add_table(path: &str, setting: &Setting, images: &mut Vec<Image>) -> Result<(), Failure> {
    let fail = |error| damaged(path, error);
    let table = FileTable::from_text(&files::read_text(path)?).map_err(fail)?;
    let column = |name: &str| -> Result<Vec<Option<&str>>, Failure> {
        if table.columns().iter().any(|column| column == name) {
            Ok(table.column(name).map_err(fail)?.map(Some).collect())
        } else {
            Ok(vec![None; table.rows().len()])
        }
    };
    let (properties, symbols) = (column(file_table::PROPERTIES)?, column(file_table::SYMBOLS)?);
    for ((code, properties), symbols) in
        table.column(file_table::CODE).map_err(fail)?.zip(properties).zip(symbols)
    {
        images.push(image(code, setting, properties, symbols)?);
    }
    Ok(())
}

fn image(
    path: &str,
    setting: &Setting,
    properties: Option<&str>,
    symbols: Option<&str>,
) -> Result<Image, Failure> {
    let code = files::read(path)?;
    if code.starts_with(&container::MAGIC) {
        return Image::parse(&code).map_err(|error| damaged(path, error));
    }
    let format = setting
        .format
        .or_else(|| format_by_content(&code))
        .ok_or_else(|| file_error(path, &UnknownFormat))?;
    if setting.target.is_empty() {
        return Err(file_error(path, &NoImageTarget));
    }
    let manifest = match properties {
        Some(file) => {
            let sets = PropertySets::from_text(&files::read_text(file)?)
                .map_err(|error| damaged(file, error))?;
            Manifest::from_properties(&sets).map_err(|error| damaged(file, error))?
        }
        None => Manifest::default(),
    };
    let symbols = match symbols {
        Some(file) => files::read_text(file)?
            .lines()
            .filter(|line| !line.is_empty())
            .map(str::to_owned)
            .collect(),
        None => Vec::new(),
    };
    Ok(Image {
        target: setting.target.as_str().into(),
        format,
        options: setting.options.clone(),
        manifest,
        symbols,
        code,
    })
}

/// Whether code is an ELF file of ocloc, whose type is in the range for processors. Objects for the
/// CPU have common types.
fn is_intel_binary(code: &[u8]) -> bool {
    const FIRST_OF_PROCESSOR: u16 = 0xff00;
    let kind = code.get(16..18).map(|bytes| u16::from_le_bytes([bytes[0], bytes[1]]));
    code.starts_with(b"\x7fELF") && kind.is_some_and(|kind| kind >= FIRST_OF_PROCESSOR)
}

/// Returns the format that the first bytes identify.
fn format_by_content(code: &[u8]) -> Option<Format> {
    const MAGICS: [(&[u8], Format); 4] = [
        (b"\x03\x02\x23\x07", Format::SpirV),
        (b"\x7fELF", Format::CpuObject),
        (b"\x50\xed\x55\xba", Format::Fatbin),
        (b".version", Format::Ptx),
    ];
    if code.is_empty() {
        return Some(Format::Empty);
    }
    if device_code::is_bitcode(code) {
        return Some(Format::LlvmBitcode);
    }
    // PTX is text and may start with comments and blank lines.
    let mut text = code;
    while let Some((line, rest)) =
        text.iter().position(|&byte| byte == b'\n').map(|end| text.split_at(end + 1))
    {
        if !line.trim_ascii().is_empty() && !line.starts_with(b"//") {
            break;
        }
        text = rest;
    }
    if is_intel_binary(code) {
        return Some(Format::IntelGpu);
    }
    MAGICS
        .iter()
        .find(|(magic, _)| code.starts_with(magic) || text.starts_with(magic))
        .map(|&(_, format)| format)
}
