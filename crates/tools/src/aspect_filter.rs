//! `sycl-aspect-filter`: removes device modules that a target cannot run, before its ahead-of-time
//! compiler gets them.
//!
//! The removed rows can be written to another table. Images without code are made from that table,
//! so that a program that launches such a kernel can report the missing feature.

use crate::command_line::{Arguments, Opt, Syntax};
use crate::files::{self, Outputs, damaged};
use crate::{Failure, Status};
use scythe_abi::requirements::Requirements;
use scythe_device_config::{Lack, Table, Target};
use scythe_image::{FileTable, Manifest, PropertySets, file_table};
use std::io::Write;

pub const SYNTAX: Syntax = Syntax {
    tool: "sycl-aspect-filter",
    summary: "Removes from a file table the rows whose device code the target does not support.",
    inputs: "TABLE",
    options: &[
        Opt {
            name: "o",
            value: Some("FILE"),
            help: "the rows that stay (default: standard output)",
        },
        Opt {
            name: "target",
            value: Some("TARGET"),
            help: "the target, as -fsycl-targets= names it",
        },
        Opt {
            name: "device-config-file",
            value: Some("FILE.yaml"),
            help: "adds to and updates the known targets",
        },
        Opt {
            name: "filtered",
            value: Some("FILE"),
            help: "a table of the rows that were removed",
        },
        Opt { name: "remarks", value: None, help: "say of each removed row what the target lacks" },
    ],
    notes: "A table without a column 'Properties' is copied.",
};

pub fn run(args: &Arguments) -> Result<Status, Failure> {
    let input = args.only_input()?;
    let name = args.required("target")?;
    let text = files::read_text(input)?;
    let table = FileTable::from_text(&text).map_err(|error| damaged(input, error))?;
    let mut outputs = Outputs::default();
    let output = args.last("o").unwrap_or("-");
    if !table.columns().iter().any(|column| column == file_table::PROPERTIES) {
        outputs.add(output, text.as_bytes())?;
        if let Some(path) = args.last("filtered") {
            outputs.add(path, without_rows(input, &table)?.to_text().as_bytes())?;
        }
        outputs.commit()?;
        return Ok(Status::Done);
    }
    let targets = configuration(args.last("device-config-file"), true)?;
    let target = target(&targets, name)?;
    let (mut kept, mut removed) = (without_rows(input, &table)?, without_rows(input, &table)?);
    let properties = table.column(file_table::PROPERTIES).map_err(|error| damaged(input, error))?;
    let mut remarks = String::new();
    for (row, path) in table.rows().iter().zip(properties) {
        let sets = PropertySets::from_text(&files::read_text(path)?)
            .map_err(|error| damaged(path, error))?;
        let manifest = Manifest::from_properties(&sets).map_err(|error| damaged(path, error))?;
        let lack = lacks(&manifest, target);
        if let Some(lack) = &lack {
            remarks += &format!("{path}: remark: not for target '{name}': {lack}\n");
        }
        let table = if lack.is_none() { &mut kept } else { &mut removed };
        table.push(row).map_err(|error| damaged(input, error))?;
    }
    outputs.add(output, kept.to_text().as_bytes())?;
    if let Some(path) = args.last("filtered") {
        outputs.add(path, removed.to_text().as_bytes())?;
    }
    outputs.commit()?;
    if args.has("remarks") {
        // Nothing can be reported if standard error is closed.
        let _ = std::io::stderr().write_all(remarks.as_bytes());
    }
    Ok(Status::Done)
}

/// Returns the default configuration, extended by the user's file. Prints warnings if `warn` is
/// set. The driver prints them before it starts other tools.
pub fn configuration(path: Option<&str>, warn: bool) -> Result<Table, Failure> {
    let mut table = Table::embedded();
    if let Some(path) = path {
        let warnings = table.extend_with_yaml(path)?;
        let warnings = if warn { &warnings[..] } else { &[] };
        let text: String = warnings.iter().map(|warning| warning.render()).collect();
        // Without standard error there is nobody to tell.
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
    Ok(table)
}

/// Returns the target with this name.
pub fn target<'a>(targets: &'a Table, name: &str) -> Result<&'a Target, Failure> {
    targets.lookup(name).ok_or_else(|| targets.unknown(name).into())
}

/// Returns the first feature that the target lacks for a module with this manifest, or `None` if it
/// lacks none.
pub fn lacks(manifest: &Manifest, target: &Target) -> Option<Lack> {
    target.check(&requirements_on(manifest, target)).err()
}

/// Returns the requirements of a module that is compiled for the target, with the branches of
/// `if_device_has` that the target takes.
pub fn requirements_on(manifest: &Manifest, target: &Target) -> Requirements {
    let has = |number: u32| target.aspects.iter().any(|&aspect| aspect as u32 == number);
    manifest.requirements.on(&manifest.conditional, has)
}

/// Returns a table with the columns of the table in the file `path`, and without rows.
fn without_rows(path: &str, table: &FileTable) -> Result<FileTable, Failure> {
    FileTable::new(table.columns().iter().cloned()).map_err(|error| damaged(path, error))
}
