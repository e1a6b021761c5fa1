//! `scythe`: takes the command line of `clang++` and, with `-fsycl`, compiles SYCL programs.
//!
//! Arguments become an [`args::Invocation`] by the rows of [`flags`]; with the [`facts::Facts`]
//! about the machine it becomes a [`plan::Plan`], which `-###` prints ([`show`]) and [`exec`] runs.
//! The driver loads no LLVM.

pub mod agreement;
pub mod args;
pub mod clang;
pub mod dependencies;
pub mod device_code;
pub mod diagnostics;
pub mod error;
pub mod exec;
pub mod facts;
pub mod fingerprint;
pub mod flags;
pub mod identity;
pub mod include_scan;
pub mod layout;
pub mod linker_words;
pub mod members;
mod own_warnings;
pub mod plan;
pub mod precompiled;
pub mod preprocessed;
pub mod response;
pub mod show;
pub mod signals;
pub mod targets;
pub mod temp;

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use args::Invocation;
use error::Error;
use facts::Facts;

/// Runs the driver with the arguments after the program's name. Does not return where clang++ takes
/// its place.
pub fn main(args: Vec<OsString>) -> ExitCode {
    match run(&args) {
        Ok(status) => ExitCode::from(u8::try_from(status).unwrap_or(1)),
        Err(error) => {
            eprint!("{}", render(&error));
            ExitCode::FAILURE
        }
    }
}

/// An error as the driver prints it.
pub fn render(error: &Error) -> String {
    match error {
        Error::DeviceConfig(diagnostic) => diagnostic.render(),
        _ => format!("scythe: error: {error}\n"),
    }
}

fn run(raw: &[OsString]) -> Result<i32, Error> {
    let words = match utf8(raw) {
        Ok(words) => words,
        // clang takes any bytes, and without -fsycl they are its own business.
        Err(error) if raw.iter().any(|a| a == "-fsycl") => return Err(error),
        Err(_) => return Err(become_clang(&args::parse(&[])?, raw)),
    };
    if words.first().is_some_and(|word| word == "inspect") {
        return Err(become_tool(raw));
    }
    let args = response::expand(words)?;
    let invocation = args::parse(&args)?;
    if invocation.help {
        print!("{}", flags::help());
        return Ok(0);
    }
    if invocation.sycl_help {
        print!("{}\n{}", flags::help(), flags::target_list(&invocation.devices));
        return Ok(0);
    }
    if invocation.version {
        let clang = clang::find(invocation.clang.as_deref())?;
        print!("scythe version {}\n{}", env!("CARGO_PKG_VERSION"), clang::version_text(&clang)?);
        return Ok(0);
    }
    if !invocation.sycl || invocation.query {
        return Err(become_clang(&invocation, raw));
    }
    compile(&invocation)
}

fn utf8(raw: &[OsString]) -> Result<Vec<String>, Error> {
    let word = |(i, a): (usize, &OsString)| {
        let fail = |a: OsString| Error::NotUtf8 {
            position: i + 1,
            lossy: a.to_string_lossy().into_owned(),
        };
        a.clone().into_string().map_err(fail)
    };
    raw.iter().enumerate().map(word).collect()
}

/// `scythe inspect FILE`: the tool of that name takes over. Returns only on failure.
fn become_tool(raw: &[OsString]) -> Error {
    let driver = std::env::current_exe()
        .map_err(|source| Error::Read { path: "/proc/self/exe".into(), source });
    let program = match driver.and_then(|driver| layout::Layout::of(&driver)) {
        Ok(layout) => layout.tools,
        Err(error) => return error,
    };
    let source = Command::new(&program).args(raw).exec();
    Error::Spawn { program, source }
}

/// Without `-fsycl`, scythe is clang++: the same arguments, the same exit status. Returns only on
/// failure.
fn become_clang(invocation: &Invocation, raw: &[OsString]) -> Error {
    let clang = match clang::find(invocation.clang.as_deref()) {
        Ok(clang) => clang,
        Err(error) => return error,
    };
    let ours = |a: &&OsString| {
        a.to_str().is_some_and(|a| {
            a.starts_with("--scythe-clang=")
                || (invocation.query && a.starts_with("-fsycl"))
                || a == "-fno-sycl"
        })
    };
    let args: Vec<&OsString> = raw.iter().filter(|a| !ours(a)).collect();
    let source = Command::new(&clang).args(args).exec();
    Error::Spawn { program: clang, source }
}

fn compile(invocation: &Invocation) -> Result<i32, Error> {
    if invocation.show_plan || invocation.print_plan {
        let facts = Facts::gather(invocation, temp::name(0))?;
        let plan = plan::plan(invocation, &facts)?;
        if invocation.print_plan {
            print!("{}", show::tree(&plan));
            return Ok(0);
        }
        eprint!(
            "scythe version {}\n{}",
            env!("CARGO_PKG_VERSION"),
            show::plan(&plan, &facts.layout.tools)
        );
        return Ok(0);
    }
    signals::listen().map_err(|source| Error::Read { path: "signals".into(), source })?;
    let status = {
        let folder = temp::TempFolder::create()?;
        let kept = preprocessed::keep_stdin(invocation, folder.path())?;
        let invocation = kept.as_ref().unwrap_or(invocation);
        let facts = Facts::gather(invocation, folder.path().to_owned())?;
        let plan = plan::plan(invocation, &facts)?;
        let tools = facts.layout.tools.as_path();
        exec::execute(
            &plan,
            &exec::Settings { verbose: invocation.verbose, tools, temp: folder.path() },
        )
    };
    if let Some(signal) = signals::received() {
        signals::die_of(signal);
    }
    status
}
