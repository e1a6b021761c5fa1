//! `offload-bundler`: fat objects from a host object and device code, and back.

use crate::command_line::{Arguments, Opt, Syntax};
use crate::files::{self, Outputs, file_error};
use crate::{Failure, Status};
use scythe_image::archive;
use scythe_image::bundle::{self, Bundle};
use std::borrow::Cow;

pub const SYNTAX: Syntax = Syntax {
    tool: "offload-bundler",
    summary: "Bundles host and device code of one source into one file, and takes them out again.",
    inputs: "",
    options: &[
        Opt { name: "type", value: Some("o|a"), help: "object, or (only to list and to unbundle) archive of objects" },
        Opt {
            name: "targets",
            value: Some("KIND-TRIPLE,…"),
            help: "what each input, or output, is for; 'host-…' for the host",
        },
        Opt { name: "input", value: Some("FILE"), help: "an input; may be repeated" },
        Opt { name: "inputs", value: Some("FILE,…"), help: "inputs" },
        Opt { name: "output", value: Some("FILE"), help: "an output; may be repeated" },
        Opt { name: "outputs", value: Some("FILE,…"), help: "outputs" },
        Opt { name: "unbundle", value: None, help: "take the parts out of the one input" },
        Opt { name: "list", value: None, help: "print the targets in the one input" },
        Opt { name: "allow-missing-bundles", value: None, help: "write an empty file for a target that is not there" },
    ],
    notes: "The host's part of a fat object is the object itself: linkers drop the sections with device code.",
};

/// What the one input of `-list` and `-unbundle` is.
enum Input {
    Object(Vec<u8>),
    Archive(Vec<u8>),
}

pub fn run(args: &Arguments) -> Result<Status, Failure> {
    let inputs = listed(args, "input", "inputs");
    if args.has("list") {
        return list(&one(&inputs, "input")?, args);
    }
    let targets: Vec<&str> = args.all("targets").flat_map(|list| list.split(',')).collect();
    if targets.is_empty() {
        return Err(Failure::new("option '--targets' is missing"));
    }
    let outputs = listed(args, "output", "outputs");
    if args.has("unbundle") {
        return unbundle(&one(&inputs, "input")?, &targets, &outputs, args);
    }
    bundle_files(&targets, &inputs, &one(&outputs, "output")?, args)
}

fn listed(args: &Arguments, single: &str, list: &str) -> Vec<String> {
    let list = args.all(list).flat_map(|names| names.split(','));
    args.all(single).chain(list).map(str::to_owned).collect()
}

fn one(files: &[String], what: &str) -> Result<String, Failure> {
    match files {
        [file] => Ok(file.clone()),
        _ => Err(Failure::new(format!("found {} {what} files, expected one", files.len()))),
    }
}

fn read_input(path: &str, args: &Arguments) -> Result<Input, Failure> {
    let bytes = files::read(path)?;
    match args.required("type")? {
        "o" => Ok(Input::Object(bytes)),
        "a" => Ok(Input::Archive(bytes)),
        other => Err(Failure::new(format!("type '{other}' is not supported: expected 'o' or 'a'"))),
    }
}

/// An object, and its name for error messages.
type NamedObject<'a> = (String, Cow<'a, [u8]>);

fn objects<'a>(path: &str, input: &'a Input) -> Result<Vec<NamedObject<'a>>, Failure> {
    match input {
        Input::Object(bytes) => Ok(vec![(path.to_owned(), bytes.as_slice().into())]),
        Input::Archive(bytes) => {
            let mut objects = Vec::new();
            for member in archive::members(bytes).map_err(|error| file_error(path, error))? {
                let data = match member.data {
                    Some(data) => data.into(),
                    None => {
                        let file = std::path::Path::new(path).with_file_name("").join(member.name);
                        files::read(&file.to_string_lossy())?.into()
                    }
                };
                objects.push((format!("{path}({})", member.name), data));
            }
            // Archives may hold anything; only objects can hold bundles.
            objects.retain(|(_, data): &NamedObject<'_>| bundle::is_object(data));
            Ok(objects)
        }
    }
}

fn bundles<'a>(name: &str, object: &'a [u8]) -> Result<Vec<Bundle<'a>>, Failure> {
    bundle::list(object).map_err(|error| file_error(name, error))
}

fn list(path: &str, args: &Arguments) -> Result<Status, Failure> {
    let input = read_input(path, args)?;
    let mut targets: Vec<String> = Vec::new();
    for (name, object) in objects(path, &input)? {
        for bundle in bundles(&name, &object)? {
            if !targets.iter().any(|known| known == bundle.target) {
                targets.push(bundle.target.to_owned());
            }
        }
    }
    Ok(Status::print(targets.iter().map(|target| format!("{target}\n")).collect::<String>()))
}

fn bundle_files(targets: &[&str], inputs: &[String], output: &str, args: &Arguments) -> Result<Status, Failure> {
    let kind = args.required("type")?;
    if kind != "o" {
        return Err(Failure::new(format!("type '{kind}' cannot be bundled: expected 'o'")));
    }
    if targets.len() != inputs.len() {
        return Err(Failure::new(format!("found {} inputs, expected {}, one per target", inputs.len(), targets.len())));
    }
    let mut host = None;
    let mut parts = Vec::new();
    for (&target, input) in targets.iter().zip(inputs) {
        let bytes = files::read(input)?;
        if !target.starts_with("host-") {
            parts.push((target.to_owned(), bytes));
        } else if host.replace((input, bytes)).is_some() {
            return Err(Failure::new("more than one host target, expected one"));
        }
    }
    let (path, host) =
        host.ok_or_else(|| Failure::new("no host target, expected one such as 'host-x86_64-unknown-linux-gnu'"))?;
    let parts: Vec<(String, &[u8])> = parts.iter().map(|(target, bytes)| (target.clone(), bytes.as_slice())).collect();
    let fat = bundle::bundle(&host, &parts).map_err(|error| file_error(path, error))?;
    files::write(output, &fat)?;
    Ok(Status::Done)
}

fn unbundle(path: &str, targets: &[&str], outputs: &[String], args: &Arguments) -> Result<Status, Failure> {
    if targets.len() != outputs.len() {
        return Err(Failure::new(format!(
            "found {} outputs, expected {}, one per target",
            outputs.len(),
            targets.len()
        )));
    }
    let input = read_input(path, args)?;
    let objects = objects(path, &input)?;
    let mut written = Outputs::default();
    for (&target, output) in targets.iter().zip(outputs) {
        let part = match &input {
            Input::Object(bytes) | Input::Archive(bytes) if target.starts_with("host-") => Some(bytes.clone()),
            Input::Object(bytes) => {
                bundle::extract(bytes, target).map_err(|error| file_error(path, error))?.map(<[u8]>::to_vec)
            }
            Input::Archive(_) => archive_of_parts(&objects, target)?,
        };
        let part = match part {
            Some(part) => part,
            None if args.has("allow-missing-bundles") => Vec::new(),
            None => return Err(file_error(path, format_args!("no bundle for '{target}'"))),
        };
        written.add(output, &part)?;
    }
    written.commit()?;
    Ok(Status::Done)
}

/// An archive of all members' code for `target`; `None` where no member has any.
fn archive_of_parts(objects: &[NamedObject<'_>], target: &str) -> Result<Option<Vec<u8>>, Failure> {
    let mut parts = Vec::new();
    for (index, (name, object)) in objects.iter().enumerate() {
        for bundle in bundles(name, object)?.into_iter().filter(|bundle| bundle.target == target) {
            parts.push((format!("{index}.bc"), bundle.data));
        }
    }
    Ok((!parts.is_empty()).then(|| archive::write(&parts)))
}
