//! `scythe`: accepts the command line of `clang++` and, with `-fsycl`, compiles SYCL programs.
//!
//! The driver parses the arguments into an [`args::Invocation`] with the table in [`flags`]. From
//! the invocation and the [`facts::Facts`] about the machine it makes a [`plan::Plan`], which
//! [`exec`] runs and `-###` prints ([`show`]). The driver does not load LLVM.

pub mod args;
mod child;
pub mod clang;
mod denormals;
pub mod dependencies;
pub mod device_code;
pub mod diagnostics;
pub mod error;
pub mod exec;
pub mod facts;
pub mod fingerprint;
pub mod flags;
mod forgotten;
pub mod functor_layouts;
pub mod header_cache;
pub mod identity;
pub mod include_scan;
pub mod layout;
pub mod linker_arguments;
pub mod members;
mod own_warnings;
pub mod plain;
pub mod plan;
pub mod precompiled;
pub mod preprocessed;
mod queries;
pub mod response;
pub mod show;
pub mod signals;
pub mod targets;
pub mod temp;
pub mod time_trace;
mod translation;

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use scythe_diag::warning::Group;
use scythe_diag::{Code, Diagnostic};

use args::Invocation;
use error::Error;
use facts::Facts;
use own_warnings::Fate;
use time_trace::TimeTrace;

/// The version of Scythe, with its commit if the build script knows it.
pub(crate) const VERSION: &str = env!("SCYTHE_VERSION");

/// Runs the driver with the arguments after the program's name. Does not return if clang++ replaces
/// the process.
pub fn main(args: Vec<OsString>) -> ExitCode {
    match run(&args) {
        Ok(status) => ExitCode::from(u8::try_from(status).unwrap_or(1)),
        Err(error) => {
            eprint!("{}", render(&error));
            ExitCode::FAILURE
        }
    }
}

/// Formats an error as the driver prints it.
pub fn render(error: &Error) -> String {
    error.diagnostic().render_as("scythe")
}

/// Returns the text of a warning, as the driver prints it.
pub(crate) fn render_warning(message: &str) -> String {
    Diagnostic::warning(message).render_as("scythe")
}

fn run(raw: &[OsString]) -> Result<i32, Error> {
    let words = match utf8(raw) {
        Ok(words) => words,
        // clang accepts any bytes. Without `-fsycl`, the driver forwards them unchanged.
        Err(error) if raw.iter().any(|a| a == "-fsycl") => return Err(error),
        Err(_) => {
            let args = raw.iter().map(OsString::as_os_str);
            return Err(become_clang(&args::parse(&[])?, args));
        }
    };
    if words.first().is_some_and(|word| word == "inspect") {
        return Err(become_tool(raw));
    }
    let args = response::expand(words.clone())?;
    let mut invocation = args::parse(&args)?;
    // Without inputs, these options ask for the versions of clang and of the linker.
    if invocation.inputs().next().is_none()
        && args.iter().any(|word| ["-v", "-Wl,-v", "-Wl,--version"].contains(&word.as_str()))
    {
        invocation.query = true;
    }
    if invocation.help {
        return print(&flags::help());
    }
    if invocation.sycl_help {
        let list = flags::target_list(&invocation.devices);
        return print(&format!("{}\n{list}", flags::help()));
    }
    if invocation.version {
        let clang = clang::find(invocation.clang.as_deref())?;
        // clang's version comes first: build systems read the first number as the version of clang.
        let text = clang::version_text(&clang)?;
        return print(&format!("{text}scythe version {VERSION}\n"));
    }
    if !invocation.sycl || invocation.query {
        let plain = plain::command(&words, invocation.mode == args::Mode::Link)?;
        if !invocation.query && !args.iter().any(|word| word == "-fno-sycl") {
            report_ignored(&args, &plain.ignored, " without '-fsycl'")?;
        }
        if invocation.query
            && let Some(status) = queries::answer(&invocation, &args, &plain.words)?
        {
            return Ok(status);
        }
        if forgotten::is_possible(&invocation) {
            return forgotten::link(&invocation, &plain.words);
        }
        return Err(become_clang(&invocation, plain.words.iter().map(OsStr::new)));
    }
    report_ignored(&args, &invocation.ignored, "")?;
    for message in plan::unchecked(&invocation) {
        report(&args, Group::Sanitize, message)?;
    }
    report_unused_inputs(&args, &invocation);
    compile(&args, &invocation)
}

/// Reports the options without effect, in one warning. `when` limits the statement.
fn report_ignored(words: &[String], ignored: &[String], when: &str) -> Result<(), Error> {
    if ignored.is_empty() {
        return Ok(());
    }
    let list = ignored.iter().map(|option| format!("'{option}'")).collect::<Vec<_>>().join(", ");
    let message = match ignored.len() {
        1 => format!("the option {list} has no effect{when}"),
        _ => format!("these options have no effect{when}: {list}"),
    };
    report(words, Group::IgnoredOption, message)
}

/// Reports the options for targets for which the command neither compiles nor links.
fn report_unused_options(
    words: &[String],
    invocation: &Invocation,
    facts: &Facts,
) -> Result<(), Error> {
    let unused = invocation.targets.unused_options(&facts.found_targets());
    report_ignored(words, &unused, " because '-fsycl-targets=' does not name the target")
}

/// Reports a warning of one of the driver's groups, unless the command line disables it.
fn report(words: &[String], group: Group, message: String) -> Result<(), Error> {
    match own_warnings::fate(group, words.iter().map(String::as_str)) {
        Fate::Ignored => Ok(()),
        Fate::Warning => {
            let code = Code::Warning(group);
            eprint!("{}", Diagnostic::warning(message).code(code).render_as("scythe"));
            Ok(())
        }
        Fate::Error => Err(Error::OwnWarning { group, message }),
    }
}

/// Warns about inputs for the linker if the command does not link, as clang does.
fn report_unused_inputs(words: &[String], invocation: &Invocation) {
    const SILENT: [&str; 3] = ["-w", "-Qunused-arguments", "-Wno-unused-command-line-argument"];
    let links = invocation.mode == args::Mode::Link && !invocation.device_only;
    if links || words.iter().any(|word| SILENT.contains(&word.as_str())) {
        return;
    }
    for input in invocation.inputs().filter(|input| input.kind == args::InputKind::Linkable) {
        eprint!("{}", render_warning(&format!("{}: 'linker' input unused", input.path)));
    }
}

/// Prints a text to standard output, and returns the exit status 0. A reader such as `head` may
/// close the pipe early, which is not an error.
fn print(text: &str) -> Result<i32, Error> {
    let mut stdout = std::io::stdout();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(source) if source.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Error::Write { path: "standard output".into(), source })
        }
        _ => Ok(0),
    }
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

/// `scythe inspect FILE`: replaces the process by `scythe-tools`. Returns only on failure.
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

/// Replaces the process by clang++, for invocations without `-fsycl`. Returns only on failure.
fn become_clang<'a>(invocation: &Invocation, args: impl Iterator<Item = &'a OsStr>) -> Error {
    let clang = match clang::find(invocation.clang.as_deref()) {
        Ok(clang) => clang,
        Err(error) => return error,
    };
    let source = Command::new(&clang).args(args).exec();
    Error::Spawn { program: clang, source }
}

fn compile(words: &[String], invocation: &Invocation) -> Result<i32, Error> {
    if invocation.show_plan || invocation.print_plan {
        let facts = Facts::gather(invocation, temp::name(0))?;
        report_unused_options(words, invocation, &facts)?;
        let plan = plan::plan(invocation, &facts)?;
        if invocation.print_plan {
            return print(&show::tree(&plan));
        }
        eprint!("scythe version {VERSION}\n{}", show::plan(&plan, &facts.layout.tools));
        return Ok(0);
    }
    signals::listen().map_err(|source| Error::Read { path: "signals".into(), source })?;
    let status = {
        let folder = temp::TempFolder::create()?;
        let kept = preprocessed::keep_stdin(invocation, folder.path())?;
        let invocation = kept.as_ref().unwrap_or(invocation);
        let facts = Facts::gather(invocation, folder.path().to_owned())?;
        report_unused_options(words, invocation, &facts)?;
        let plan = plan::plan(invocation, &facts)?;
        let tools = facts.layout.tools.as_path();
        let time_trace = TimeTrace::of(invocation, folder.path(), &facts.clang);
        exec::execute(
            &plan,
            &exec::Settings {
                verbose: invocation.verbose,
                tools,
                temp: folder.path(),
                time_trace: time_trace.as_ref(),
            },
        )
    };
    if let Some(signal) = signals::received() {
        signals::die_of(signal);
    }
    status
}
