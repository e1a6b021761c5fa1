//! `offload-bundler`: joins host and device code of one source into one file, and splits such
//! files. Objects become fat objects, which linkers accept. Text and other files become bundles in
//! the formats of clang's bundler.

use crate::command_line::{Arguments, Opt, Syntax};
use crate::errors::{
    BundledArchive, FileCount, HostTargets, MissingBundle, MissingOption, RepeatedTarget,
    UnsupportedValue,
};
use crate::files::{self, Outputs, damaged, file_error};
use crate::{Failure, Status};
use scythe_image::bundle::{self, Bundle, is_same_target};
use scythe_image::{archive, binary_bundle, text_bundle};
use std::borrow::Cow;

pub const SYNTAX: Syntax = Syntax {
    tool: "offload-bundler",
    summary: "Bundles host and device code of one source into one file, and takes them out again.",
    inputs: "",
    options: &[
        Opt {
            name: "type",
            value: Some("TYPE"),
            help: "o: object; a: archive of objects (only to list and to unbundle); i, ii, cui, \
                hipi, ll, s, d: text; bc, gch, \
                   ast: any other file",
        },
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
        Opt {
            name: "allow-missing-bundles",
            value: None,
            help: "write an empty file for a target that is not there",
        },
        Opt {
            name: "target-list",
            value: Some("FILE"),
            help: "when unbundling, also write a line 'target, file' for each output; without \
                --targets, take out all device \
                   code, into files named by the one --output and the targets",
        },
    ],
    notes: "The host's part of a fat object is the object itself: linkers drop the sections with \
        device code.",
};

/// The kind of file that `--type` selects.
#[derive(Clone, Copy)]
enum Kind {
    Object,
    Archive,
    /// Text, with the characters that start a comment.
    Text(&'static str),
    Binary,
}

const KINDS: [(&str, Kind); 12] = [
    ("o", Kind::Object),
    ("a", Kind::Archive),
    ("i", Kind::Text("//")),
    ("ii", Kind::Text("//")),
    ("cui", Kind::Text("//")),
    ("hipi", Kind::Text("//")),
    ("ll", Kind::Text(";")),
    ("s", Kind::Text("#")),
    ("d", Kind::Text("#")),
    ("bc", Kind::Binary),
    ("gch", Kind::Binary),
    ("ast", Kind::Binary),
];

fn kind(args: &Arguments) -> Result<Kind, Failure> {
    let name = args.required("type")?;
    let found = KINDS.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind);
    found.ok_or_else(|| {
        let known: Vec<String> = KINDS.iter().map(|(known, _)| format!("'{known}'")).collect();
        let (value, expected) = (name.to_owned(), known.join(", "));
        Failure::new(&UnsupportedValue { what: "type", value, expected })
    })
}

pub fn run(args: &Arguments) -> Result<Status, Failure> {
    let inputs = listed(args, "input", "inputs");
    let kind = kind(args)?;
    if args.has("list") {
        return list(&one(&inputs, "input files")?, kind);
    }
    let targets: Vec<String> =
        args.all("targets").flat_map(|list| list.split(',')).map(str::to_owned).collect();
    let outputs = listed(args, "output", "outputs");
    if args.has("unbundle") {
        return unbundle(&one(&inputs, "input files")?, kind, targets, outputs, args);
    }
    if targets.is_empty() {
        return Err(Failure::new(&MissingOption { option: "'--targets'".to_owned() }));
    }
    bundle_files(&targets, &inputs, &one(&outputs, "output files")?, kind)
}

fn listed(args: &Arguments, single: &str, list: &str) -> Vec<String> {
    let list = args.all(list).flat_map(|names| names.split(','));
    args.all(single).chain(list).map(str::to_owned).collect()
}

fn one(files: &[String], what: &'static str) -> Result<String, Failure> {
    match files {
        [file] => Ok(file.clone()),
        _ => {
            let (found, expected) = (files.len(), "one".to_owned());
            Err(Failure::new(&FileCount { found, what, expected }))
        }
    }
}

/// Checks that there are as many files as targets.
fn one_per_target(targets: &[String], files: &[String], what: &'static str) -> Result<(), Failure> {
    if targets.len() == files.len() {
        return Ok(());
    }
    let expected = format!("{}, one per target", targets.len());
    Err(Failure::new(&FileCount { found: files.len(), what, expected }))
}

fn is_host(target: &str) -> bool {
    target.starts_with("host-")
}

/// An object with its name for error messages.
type NamedObject<'a> = (String, Cow<'a, [u8]>);

/// The name and the contents of a file in an archive.
type Member<'a> = (String, &'a [u8]);

/// Returns the objects in an archive.
fn objects<'a>(path: &str, bytes: &'a [u8]) -> Result<Vec<NamedObject<'a>>, Failure> {
    let mut objects = Vec::new();
    for member in archive::members(bytes).map_err(|error| damaged(path, error))? {
        let data = match member.data {
            Some(data) => data.into(),
            None => {
                let file = std::path::Path::new(path).with_file_name("").join(member.name);
                files::read(&file.to_string_lossy())?.into()
            }
        };
        objects.push((format!("{path}({})", member.name), data));
    }
    // Archives may contain any files, but only objects can contain bundles.
    objects.retain(|(_, data): &NamedObject<'_>| bundle::is_object(data));
    Ok(objects)
}

fn bundles<'a>(name: &str, object: &'a [u8]) -> Result<Vec<Bundle<'a>>, Failure> {
    bundle::list(object).map_err(|error| damaged(name, error))
}

/// Returns the target and the contents of each part of a bundle. For an archive, the contents of a
/// part are an archive of the parts of its members.
fn parts(path: &str, bytes: &[u8], kind: Kind) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let owned = |parts: Vec<(String, &[u8])>| {
        parts.into_iter().map(|(target, data)| (target, data.to_vec())).collect()
    };
    match kind {
        Kind::Text(comment) => {
            let text =
                text_bundle::divide_as(comment, bytes).map_err(|error| damaged(path, error))?;
            if text.parts.is_empty() {
                return Err(damaged(path, "not a bundle: it has no part"));
            }
            Ok(owned(text.parts))
        }
        Kind::Binary => {
            Ok(owned(binary_bundle::divide(bytes).map_err(|error| damaged(path, error))?))
        }
        Kind::Object => {
            let found = bundles(path, bytes)?.into_iter();
            // The host's part is the whole object.
            let data =
                |bundle: &Bundle<'_>| if bundle.is_host() { bytes } else { bundle.data }.to_vec();
            Ok(found.map(|bundle| (bundle.target.to_owned(), data(&bundle))).collect())
        }
        Kind::Archive => {
            let objects = objects(path, bytes)?;
            let mut members: Vec<(String, Vec<Member<'_>>)> = Vec::new();
            for (index, (name, object)) in objects.iter().enumerate() {
                for bundle in bundles(name, object)? {
                    let member = (format!("{index}.bc"), bundle.data);
                    match members
                        .iter_mut()
                        .find(|(target, _)| is_same_target(target, bundle.target))
                    {
                        Some((_, list)) => list.push(member),
                        None => members.push((bundle.target.to_owned(), vec![member])),
                    }
                }
            }
            let data = |target: &str, list: &[_]| {
                if is_host(target) { bytes.to_vec() } else { archive::write(list) }
            };
            Ok(members
                .into_iter()
                .map(|(target, list)| (target.clone(), data(&target, &list)))
                .collect())
        }
    }
}

fn list(path: &str, kind: Kind) -> Result<Status, Failure> {
    let bytes = files::read(path)?;
    let targets = parts(path, &bytes, kind)?.into_iter().map(|(target, _)| format!("{target}\n"));
    Ok(Status::print(targets.collect::<String>()))
}

fn bundle_files(
    targets: &[String],
    inputs: &[String],
    output: &str,
    kind: Kind,
) -> Result<Status, Failure> {
    one_per_target(targets, inputs, "inputs")?;
    if let Some(twice) = targets.iter().enumerate().find_map(|(index, target)| {
        targets[..index].iter().any(|known| is_same_target(known, target)).then_some(target)
    }) {
        return Err(Failure::new(&RepeatedTarget { target: twice.clone() }));
    }
    if targets.iter().filter(|target| is_host(target)).count() > 1 {
        return Err(Failure::new(&HostTargets { found: "more than one" }));
    }
    let contents = inputs.iter().map(|input| files::read(input)).collect::<Result<Vec<_>, _>>()?;
    let parts = || targets.iter().cloned().zip(contents.iter().map(Vec::as_slice));
    let bytes = match kind {
        Kind::Archive => {
            return Err(Failure::new(&BundledArchive));
        }
        Kind::Text(comment) => text_bundle::join_as(comment, &parts().collect::<Vec<_>>()),
        Kind::Binary => binary_bundle::join(&parts().collect::<Vec<_>>()),
        Kind::Object => {
            let host = targets.iter().position(|target| is_host(target));
            let host = host.ok_or_else(|| Failure::new(&HostTargets { found: "no" }))?;
            let devices: Vec<_> = parts().filter(|(target, _)| !is_host(target)).collect();
            bundle::bundle(&contents[host], &devices)
                .map_err(|error| damaged(&inputs[host], error))?
        }
    };
    files::write(output, &bytes)?;
    Ok(Status::Done)
}

fn unbundle(
    path: &str,
    kind: Kind,
    mut targets: Vec<String>,
    mut outputs: Vec<String>,
    args: &Arguments,
) -> Result<Status, Failure> {
    let bytes = files::read(path)?;
    let parts = parts(path, &bytes, kind)?;
    if targets.is_empty() {
        if !args.has("target-list") {
            let option = "'--targets' or '--target-list'".to_owned();
            return Err(Failure::new(&MissingOption { option }));
        }
        let prefix = one(&outputs, "output files")?;
        targets = parts
            .iter()
            .map(|(target, _)| target.clone())
            .filter(|target| !is_host(target))
            .collect();
        outputs = targets
            .iter()
            .map(|target| format!("{prefix}-{}", target.replace(['/', ':'], "_")))
            .collect();
    }
    one_per_target(&targets, &outputs, "outputs")?;
    let mut written = Outputs::default();
    for (target, output) in targets.iter().zip(&outputs) {
        let found = parts
            .iter()
            .find(|(known, _)| is_same_target(known, target) || is_host(known) && is_host(target));
        let part = match found {
            Some((_, part)) => part.as_slice(),
            // Any object or archive is code for the host.
            None if is_host(target) && matches!(kind, Kind::Object | Kind::Archive) => {
                bytes.as_slice()
            }
            None if args.has("allow-missing-bundles") => &[],
            None => {
                let known: Vec<String> =
                    parts.iter().map(|(target, _)| format!("'{target}'")).collect();
                let found = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                let missing = MissingBundle { target: target.clone(), found };
                return Err(file_error(path, &missing));
            }
        };
        written.add(output, part)?;
    }
    if let Some(list) = args.last("target-list") {
        let lines = targets.iter().zip(&outputs);
        written.add(
            list,
            lines
                .map(|(target, file)| format!("{target}, {file}\n"))
                .collect::<String>()
                .as_bytes(),
        )?;
    }
    written.commit()?;
    Ok(Status::Done)
}
