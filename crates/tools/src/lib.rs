//! `scythe-tools`: the stages between device compilation and host link, each as a command of its
//! own.
//!
//! One binary holds them all. Which one runs is told by the name it was started by (a link named
//! like the tool), or by its first argument. Every tool writes all of its outputs or none, prints
//! errors in clang's format, and exits with 1 on errors, unless its help says otherwise.

#![forbid(unsafe_code)]

mod aspect_filter;
mod bundler;
mod command_line;
mod device_code;
mod device_library;
mod device_link;
mod device_symbols;
mod dump;
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
use scythe_diag::Diagnostic;
use std::fmt;
use std::io::Write;
use std::path::Path;

/// How a tool ended that did its work.
#[derive(Debug, PartialEq, Eq)]
enum Status {
    Done,
    /// The text goes to standard output.
    Print(String),
    /// The exit code is the answer.
    Exit(u8),
}

impl Status {
    fn print(text: impl Into<String>) -> Self {
        Self::Print(text.into())
    }
}

/// Why a tool did not do its work.
#[derive(Debug)]
struct Failure(Vec<Diagnostic>);

impl Failure {
    fn new(message: impl Into<String>) -> Self {
        Diagnostic::error(message).into()
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
    /// Other names it may be started by.
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

/// Runs the tool that the arguments ask for and returns the exit code.
pub fn main(args: Vec<String>) -> u8 {
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
                    return finish(
                        "scythe-tools",
                        Err(Failure::new(format!("unknown tool '{name}' (see --help)"))),
                    );
                }
            },
            None => return finish("scythe-tools", Err(Failure::new("no tool named (see --help)"))),
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
        Ok(Status::Print(text)) => {
            let mut stdout = std::io::stdout();
            // A reader that closed the pipe early, such as `head`, has seen all it wanted.
            let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
            u8::from(written.is_err_and(|error| error.kind() != std::io::ErrorKind::BrokenPipe))
        }
        Err(Failure(diagnostics)) => {
            let text: String =
                diagnostics.iter().map(|diagnostic| diagnostic.render_as(tool)).collect();
            // Without standard error there is nobody to tell.
            let _ = std::io::stderr().write_all(text.as_bytes());
            1
        }
    }
}
