//! `scythe-tools`: the stages between device compilation and host link, each as a command.
//!
//! One binary contains all tools. The name of the link that starts it, or its first argument,
//! selects the tool. Every tool writes all of its outputs or none, prints errors in clang's format,
//! and exits with 1 on errors, unless its help says otherwise.

#![forbid(unsafe_code)]

mod aspect_filter;
mod bundler;
mod command_line;
mod device_code;
mod device_library;
mod device_link;
mod device_symbols;
mod dump;
mod errors;
mod files;
mod inspect;
mod no_kernel;
mod parallel;
mod post_link;
mod spirv_translate;
mod sycl_ls;
mod table;
mod tablegen;
mod unit;
mod warnings;
mod wrapper;

use command_line::{Arguments, Request, Syntax};
use errors::{NoTool, NotUtf8, UnknownTool};
use scythe_diag::{Diagnostic, Report};
use std::ffi::OsString;
use std::fmt;
use std::io::Write;
use std::path::Path;

/// The result of a tool that succeeded.
#[derive(Debug, PartialEq, Eq)]
enum Status {
    Done,
    /// The tool prints this text to standard output.
    Print(String),
    /// The tool ends with this exit code.
    Exit(u8),
}

impl Status {
    fn print(text: impl Into<String>) -> Self {
        Self::Print(text.into())
    }
}

/// The errors of a tool that failed.
#[derive(Debug)]
struct Failure(Vec<Diagnostic>);

impl Failure {
    fn new(error: &impl Report) -> Self {
        error.report().into()
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Self(vec![diagnostic])
    }
}

impl From<Vec<Diagnostic>> for Failure {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        Self(diagnostics)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text: String = self.0.iter().map(Diagnostic::render).collect();
        f.write_str(text.trim_end_matches('\n'))
    }
}

struct Tool {
    syntax: &'static Syntax,
    /// Other names of the tool.
    aliases: &'static [&'static str],
    run: fn(&Arguments) -> Result<Status, Failure>,
}

const TOOLS: &[Tool] = &[
    Tool { syntax: &device_link::SYNTAX, aliases: &[], run: device_link::run },
    Tool { syntax: &post_link::SYNTAX, aliases: &[], run: post_link::run },
    Tool { syntax: &spirv_translate::SYNTAX, aliases: &[], run: spirv_translate::run },
    Tool { syntax: &wrapper::SYNTAX, aliases: &["offload-wrapper"], run: wrapper::run },
    Tool { syntax: &bundler::SYNTAX, aliases: &["clang-offload-bundler"], run: bundler::run },
    Tool { syntax: &device_symbols::SYNTAX, aliases: &[], run: device_symbols::run },
    Tool { syntax: &no_kernel::SYNTAX, aliases: &[], run: no_kernel::run },
    Tool { syntax: &table::SYNTAX, aliases: &[], run: table::run },
    Tool { syntax: &aspect_filter::SYNTAX, aliases: &[], run: aspect_filter::run },
    Tool { syntax: &tablegen::SYNTAX, aliases: &["llvm-tblgen"], run: tablegen::run },
    Tool { syntax: &inspect::SYNTAX, aliases: &[], run: inspect::run },
    Tool { syntax: &dump::SYNTAX, aliases: &[], run: dump::run },
    Tool { syntax: &sycl_ls::SYNTAX, aliases: &[], run: sycl_ls::run },
];

fn find(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.syntax.tool == name || tool.aliases.contains(&name))
}

fn usage() -> String {
    let width = TOOLS.iter().map(|tool| tool.syntax.tool.len()).max().unwrap_or(0);
    let mut text = String::from("usage: scythe-tools TOOL [options] …\n\ntools:\n");
    for tool in TOOLS {
        text.push_str(&format!("  {:width$}  {}\n", tool.syntax.tool, tool.syntax.summary));
    }
    text + "\nEach tool prints its options with --help.\n"
}

/// Runs the tool that the arguments select, and returns the exit code.
pub fn main(args: Vec<OsString>) -> u8 {
    let mut words = Vec::with_capacity(args.len());
    for (position, arg) in args.into_iter().enumerate() {
        match arg.into_string() {
            Ok(word) => words.push(word),
            Err(arg) => {
                let lossy = arg.to_string_lossy().into_owned();
                return finish("scythe-tools", Err(Failure::new(&NotUtf8 { position, lossy })));
            }
        }
    }
    run(&words)
}

/// Runs the tool that the arguments name.
fn run(args: &[String]) -> u8 {
    let started_as =
        args.first().map(Path::new).and_then(Path::file_name).and_then(|name| name.to_str());
    let (tool, rest) = match started_as.and_then(find) {
        Some(tool) => (tool, &args[1..]),
        None => match args.get(1).map(String::as_str) {
            Some("--help" | "-h" | "help") => {
                return finish("scythe-tools", Ok(Status::print(usage())));
            }
            Some("--version") => {
                return finish(
                    "scythe-tools",
                    Ok(Status::print(format!("scythe-tools {}\n", env!("CARGO_PKG_VERSION")))),
                );
            }
            Some(name) => match find(name) {
                Some(tool) => (tool, &args[2..]),
                None => {
                    let unknown = UnknownTool { name: name.to_owned() };
                    return finish("scythe-tools", Err(Failure::new(&unknown)));
                }
            },
            None => return finish("scythe-tools", Err(Failure::new(&NoTool))),
        },
    };
    let outcome = tool.syntax.parse(rest).and_then(|request| match request {
        Request::Run(arguments) => (tool.run)(&arguments),
        Request::Help(text) => Ok(Status::print(text)),
    });
    finish(tool.syntax.tool, outcome)
}

fn finish(tool: &str, outcome: Result<Status, Failure>) -> u8 {
    match outcome {
        Ok(Status::Done) => 0,
        Ok(Status::Exit(code)) => code,
        Ok(Status::Print(text)) => match files::print(&text) {
            Ok(()) => 0,
            Err(failure) => finish(tool, Err(failure)),
        },
        Err(Failure(diagnostics)) => {
            let text: String =
                diagnostics.iter().map(|diagnostic| diagnostic.render_as(tool)).collect();
            // Nothing can be reported if standard error is closed.
            let _ = std::io::stderr().write_all(text.as_bytes());
            1
        }
    }
}
