//! `inspect`: lists the device code in a file, the requirements of each kernel with their reasons,
//! and the devices that meet them.
//!
//! [`report`] collects the facts. [`text`], [`json`] and [`html`] format the same report.

mod devices;
mod html;
mod json;
mod report;
mod text;

use crate::aspect_filter;
use crate::command_line::{Arguments, Opt, Syntax};
use crate::errors::ConflictingOptions;
use crate::files;
use crate::{Failure, Status};

pub const SYNTAX: Syntax = Syntax {
    tool: "inspect",
    summary: "Tells which kernels a file holds, what they need and why, and which known devices \
        can run them.",
    inputs: "FILE",
    options: &[
        Opt { name: "json", value: None, help: "as JSON, for other programs" },
        Opt { name: "html", value: None, help: "as a web page that needs no other files" },
        Opt { name: "o", value: Some("FILE"), help: "write there (default: standard output)" },
        Opt {
            name: "device-config-file",
            value: Some("FILE.yaml"),
            help: "adds to and updates the known devices",
        },
    ],
    notes: "FILE is an object, a static or shared library, a program or a device image. Device \
        code of objects and static\n\
            libraries is not linked yet: what other objects will add to it is not known.",
};

pub fn run(args: &Arguments) -> Result<Status, Failure> {
    let path = args.only_input()?;
    if args.has("json") && args.has("html") {
        let conflict = ConflictingOptions { first: "--json", second: "--html" };
        return Err(Failure::new(&conflict));
    }
    let table = aspect_filter::configuration(args.last("device-config-file"), true)?;
    let report = report::Report::of_file(path, &files::read(path)?, &table)?;
    let shown = match () {
        () if args.has("json") => json::render(&report),
        () if args.has("html") => html::render(&report),
        () => text::render(&report),
    };
    match args.last("o") {
        Some(output) => files::write(output, shown.as_bytes()).map(|()| Status::Done),
        None => Ok(Status::print(shown)),
    }
}
