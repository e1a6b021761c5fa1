//! `inspect`: lists the device code in a file or in a cache, what the code of each kernel is like,
//! the requirements of each kernel with their reasons, and the devices that meet them.
//!
//! With `--timeline`, it shows the timeline of a run or of a compilation instead ([`timeline`]).
//!
//! [`report`] collects the facts, with those about machine code from [`code`]. [`text`], [`json`]
//! and [`html`] format the same report.

mod cache;
mod code;
mod devices;
mod html;
mod input;
mod json;
mod report;
mod text;
mod timeline;

use crate::aspect_filter;
use crate::command_line::{Arguments, Opt, Syntax};
use crate::errors::ConflictingOptions;
use crate::files;
use crate::{Failure, Status};
use input::Input;
use report::Report;

pub const SYNTAX: Syntax = Syntax {
    tool: "inspect",
    summary: "Tells which kernels a file or a cache holds, what their code is like, what they need \
        and why, and which known devices can run them.",
    inputs: "FILE|FOLDER",
    options: &[
        Opt { name: "json", value: None, help: "as JSON, for other programs" },
        Opt { name: "html", value: None, help: "as a web page that needs no other files" },
        Opt {
            name: "timeline",
            value: None,
            help: "FILE is a timeline of SCYTHE_TRACE or -ftime-trace; show it as a web page",
        },
        Opt { name: "o", value: Some("FILE"), help: "write there (default: standard output)" },
        Opt {
            name: "device-config-file",
            value: Some("FILE.yaml"),
            help: "adds to and updates the known devices",
        },
        Opt {
            name: "no-compile",
            value: None,
            help: "do not compile code that is not for one processor to see its form on this CPU",
        },
    ],
    notes: "FILE is an object, a static or shared library, a program or a device image. Device \
        code of objects and static\n\
            libraries is not linked yet: what other objects will add to it is not known. FOLDER \
            is the cache of compiled\n\
            code, such as ~/.cache/scythe, which programs may use meanwhile.",
};

pub fn run(args: &Arguments) -> Result<Status, Failure> {
    let path = args.only_input()?;
    if args.has("json") && args.has("html") {
        let conflict = ConflictingOptions { first: "--json", second: "--html" };
        return Err(Failure::new(&conflict));
    }
    if args.has("timeline") {
        if args.has("json") {
            let conflict = ConflictingOptions { first: "--timeline", second: "--json" };
            return Err(Failure::new(&conflict));
        }
        return write(args, timeline::render(path, &input::read_file(path)?)?);
    }
    let table = aspect_filter::configuration(args.last("device-config-file"), true)?;
    let settings = report::Settings { table, compile: !args.has("no-compile") };
    let report = match input::read(path)? {
        Input::File(bytes) => Report::of_file(path, &bytes, &settings)?,
        Input::Folder => Report::of_cache(path)?,
    };
    let shown = match () {
        () if args.has("json") => json::render(&report),
        () if args.has("html") => html::render(&report),
        () => text::render(&report),
    };
    write(args, shown)
}

fn write(args: &Arguments, shown: String) -> Result<Status, Failure> {
    match args.last("o") {
        Some(output) => files::write(output, shown.as_bytes()).map(|()| Status::Done),
        None => Ok(Status::print(shown)),
    }
}
