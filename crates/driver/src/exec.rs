//! Runs a plan: the only place that starts compilation processes.
//!
//! Guarantees: a step runs after those it needs, and not at all when one of them failed; as many
//! steps run at once as the machine has processors. What steps print appears in the plan's order,
//! each step's in one piece. Outputs take their names only when complete; what a failed step left
//! behind is removed.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output, Stdio};
use std::sync::mpsc;

use crate::diagnostics::Merger;
use crate::error::Error;
use crate::members::{Answer, Members};
use crate::plan::{Action, Plan, Step};
use crate::{
    agreement, dependencies, device_code, identity, precompiled, preprocessed, show, signals,
};

/// What the steps share.
pub struct Settings<'a> {
    pub verbose: bool,
    /// `scythe-tools`, for showing steps.
    pub tools: &'a Path,
    /// The folder for temporary files.
    pub temp: &'a Path,
}

/// How a step ended.
struct Ended {
    /// What it printed to standard error.
    text: String,
    /// 0, or the exit status to end with.
    status: i32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Waiting,
    Running,
    Succeeded,
    Failed(i32),
    /// A step that it needs failed.
    Skipped,
}

/// Runs all steps. Returns the exit status: 0, or that of the first step in the plan's order that
/// failed.
pub fn execute(plan: &Plan, settings: &Settings) -> Result<i32, Error> {
    check_folders(plan)?;
    let stdin = spool_stdin(plan, settings)?;
    let tools = settings.tools;
    plan.warnings.iter().for_each(|warning| print(&format!("scythe: warning: {warning}\n")));
    let jobs = std::thread::available_parallelism().map_or(1, |n| n.get());
    let mut states = vec![State::Waiting; plan.steps.len()];
    let mut printer = Printer::new(plan);
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        loop {
            skip_hopeless(plan, &mut states);
            let mut running = states.iter().filter(|s| **s == State::Running).count();
            for i in 0..plan.steps.len() {
                if running == jobs || signals::received().is_some() {
                    break;
                }
                let step = &plan.steps[i];
                if states[i] != State::Waiting
                    || step.after.iter().any(|&d| states[d] != State::Succeeded)
                {
                    continue;
                }
                if settings.verbose {
                    print(&(show::step(step, settings.tools) + "\n"));
                }
                let (sender, stdin) = (sender.clone(), stdin.clone());
                states[i] = State::Running;
                running += 1;
                scope.spawn(move || {
                    // The receiver outlives all senders; a closed channel would mean that nobody
                    // waits for the result.
                    let _ = sender.send((i, perform(step, stdin.as_deref(), tools)));
                });
            }
            if running == 0 {
                break;
            }
            let Ok((i, ended)) = receiver.recv() else { break };
            states[i] =
                if ended.status == 0 { State::Succeeded } else { State::Failed(ended.status) };
            printer.ended(i, in_users_words(plan, settings, ended.text));
            skip_hopeless(plan, &mut states);
            printer.flush(&states);
        }
        printer.flush(&states);
    });
    for (step, state) in plan.steps.iter().zip(&states) {
        if *state != State::Succeeded {
            step.unfinished.iter().for_each(|f| drop(std::fs::remove_file(f)));
        }
    }
    let failed = states.iter().find_map(|s| match s {
        State::Failed(status) => Some(*status),
        _ => None,
    });
    Ok(failed.unwrap_or(0))
}

fn skip_hopeless(plan: &Plan, states: &mut [State]) {
    for (i, step) in plan.steps.iter().enumerate() {
        let hopeless = |d: &usize| matches!(states[*d], State::Failed(_) | State::Skipped);
        if states[i] == State::Waiting && step.after.iter().any(hopeless) {
            states[i] = State::Skipped;
        }
    }
}

/// An output's folder must exist: better said now than by a linker about a temporary name.
fn check_folders(plan: &Plan) -> Result<(), Error> {
    for (_, output) in plan.steps.iter().flat_map(|s| &s.publish) {
        let folder =
            output.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let fail = |source| Error::Write { path: output.clone(), source };
        if !std::fs::metadata(folder).map_err(fail)?.is_dir() {
            return Err(fail(std::io::ErrorKind::NotADirectory.into()));
        }
        if output.is_dir() {
            return Err(fail(std::io::ErrorKind::IsADirectory.into()));
        }
    }
    Ok(())
}

/// Several passes read standard input, which can be read once: they get copies.
fn spool_stdin(plan: &Plan, settings: &Settings) -> Result<Option<PathBuf>, Error> {
    if !plan.steps.iter().any(|s| matches!(s.action, Action::Run { stdin: true, .. })) {
        return Ok(None);
    }
    let mut text = Vec::new();
    std::io::stdin()
        .read_to_end(&mut text)
        .map_err(|source| Error::Read { path: "standard input".into(), source })?;
    let path = settings.temp.join("standard-input");
    std::fs::write(&path, text).map_err(|source| Error::Write { path: path.clone(), source })?;
    Ok(Some(path))
}

/// Runs one step to its end and publishes its outputs.
fn perform(step: &Step, stdin: Option<&Path>, tools: &Path) -> Ended {
    let done = match &step.action {
        Action::Run { program, args, stdin: reads } => {
            run(step, program, args, stdin.filter(|_| *reads))
        }
        Action::Agreement { host, device } => agreement::compare(host, device)
            .map(|text| Ended { status: i32::from(!text.is_empty()), text }),
        Action::NewKernels { modules, linked, linked_in } => {
            new_kernels(step, tools, modules, linked, linked_in)
        }
        Action::Identify { provisional, device, words, header } => {
            identity::identify(*provisional, device, words.as_ref(), header.as_deref())
                .map(|()| Ended::success())
        }
        Action::Stamp { object, module } => {
            identity::stamp(object, module).map(|()| Ended::success())
        }
        Action::Bundle { host, device, output, provisional } => {
            device_code::bundle(host, device, output, *provisional).map(|()| Ended::success())
        }
        Action::Members(question) => members(step, question, tools),
        Action::Unbundle { input, pieces } => {
            device_code::unbundle(input, pieces).map(|()| Ended::success())
        }
        Action::JoinTexts { unit, compiler, parts, output, hidden } => {
            preprocessed::join((*unit, *compiler), parts, output.as_deref(), hidden)
                .map(|()| Ended::success())
        }
        Action::JoinPrecompiled { host, device, note, output } => {
            precompiled::join(host, device, note, output).map(|()| Ended::success())
        }
        Action::ExtractPrecompiled { input, id, output } => {
            precompiled::extract(input, id, output).map(|()| Ended::success())
        }
        Action::DivideText { input, outputs } => {
            preprocessed::divide(input, outputs).map(|()| Ended::success())
        }
        Action::Strip { input, output } => {
            device_code::strip(input, output).map(|()| Ended::success())
        }
        Action::MarkLinked { object, kernels, output } => {
            device_code::mark_linked(object, kernels, output).map(|()| Ended::success())
        }
        Action::Dependencies { host, device, output, phony, hidden } => {
            dependencies::merge(host, device, output, *phony, hidden).map(|()| Ended::success())
        }
    };
    let published = done.and_then(|ended| {
        if ended.status == 0 {
            publish(step)?;
        }
        Ok(ended)
    });
    published.unwrap_or_else(|error| Ended { text: crate::render(&error), status: 1 })
}

impl Ended {
    fn success() -> Ended {
        Ended { text: String::new(), status: 0 }
    }
}

fn publish(step: &Step) -> Result<(), Error> {
    for (from, to) in &step.publish {
        std::fs::rename(from, to).map_err(|source| Error::Write { path: to.clone(), source })?;
    }
    Ok(())
}

fn run(step: &Step, program: &Path, args: &[String], stdin: Option<&Path>) -> Result<Ended, Error> {
    let input = match stdin {
        Some(path) => {
            let fail = |source| Error::Read { path: path.to_owned(), source };
            Stdio::from(std::fs::File::open(path).map_err(fail)?)
        }
        None => Stdio::null(),
    };
    let mut command = Command::new(program);
    command.args(args).stdin(input).stderr(Stdio::piped());
    let finished = finish(&mut command, program)?;
    let mut text = String::from_utf8_lossy(&finished.stderr).into_owned();
    text += &killed(step, program, finished.status);
    Ok(Ended { text, status: exit_status(finished.status) })
}

/// Runs a program to its end, in a way that signals reach it.
fn finish(command: &mut Command, program: &Path) -> Result<Output, Error> {
    let fail = |source| Error::Spawn { program: program.to_owned(), source };
    let mut child = command.spawn().map_err(fail)?;
    signals::adopt(child.id());
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let read = child.stderr.take().map_or(Ok(0), |mut pipe| pipe.read_to_end(&mut stderr));
    let read =
        read.and(child.stdout.take().map_or(Ok(0), |mut pipe| pipe.read_to_end(&mut stdout)));
    signals::wait_and_release(child.id());
    let status = child.wait().map_err(fail)?;
    read.map_err(fail)?;
    Ok(Output { status, stdout, stderr })
}

fn exit_status(status: ExitStatus) -> i32 {
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}

/// Finds out which members of libraries are linked. A host link that fails here would fail later.
fn members(step: &Step, question: &Members, tools: &Path) -> Result<Ended, Error> {
    match crate::members::choose(question, tools, &finish)? {
        Answer::Chosen(text) => Ok(Ended { text, status: 0 }),
        Answer::Failed(output) => {
            let mut text = String::from_utf8_lossy(&output.stderr).into_owned();
            text += &killed(step, &question.program, output.status);
            Ok(Ended { text, status: exit_status(output.status) })
        }
    }
}

/// Asks for the kernels of each module; those that are not linked yet are errors.
fn new_kernels(
    step: &Step,
    tools: &Path,
    modules: &[(PathBuf, String)],
    linked: &[String],
    linked_in: &str,
) -> Result<Ended, Error> {
    let mut new = Vec::new();
    let used = |module: &&(PathBuf, String)| {
        std::fs::metadata(&module.0).map_or(true, |data| data.len() > 0)
    };
    for (module, from) in modules.iter().filter(used) {
        let mut command = Command::new(tools);
        command.args(["llvm-no-spir-kernel", "--names"]).arg(module);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let output = finish(&mut command, tools)?;
        // Status 1 means kernels, and with a message an error.
        if !output.status.success()
            && (output.status.code() != Some(1) || !output.stderr.is_empty())
        {
            let mut text = String::from_utf8_lossy(&output.stderr).into_owned();
            text += &killed(step, tools, output.status);
            return Ok(Ended { text, status: exit_status(output.status) });
        }
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            // A symbol, a tab, and the name in the source.
            let (symbol, name) = line.split_once('\t').unwrap_or((line, line));
            if !linked.iter().any(|known| known == symbol) {
                new.push(format!("'{from}' adds the kernel '{name}'"));
            }
        }
    }
    if new.is_empty() {
        return Ok(Ended::success());
    }
    Err(Error::NewKernels { list: new.join(", "), linked_in: linked_in.to_owned() })
}

/// The message for a step that a signal ended, unless that signal was meant for the driver.
fn killed(step: &Step, program: &Path, status: ExitStatus) -> String {
    match status.signal() {
        Some(signal) if signals::received().is_none() => {
            format!(
                "scythe: error: {} failed: '{}' was terminated by {}\n",
                step.what,
                program.display(),
                signals::name(signal)
            )
        }
        _ => String::new(),
    }
}

/// Prints what steps have said, in the plan's order, each source's diagnostics once.
struct Printer<'a> {
    plan: &'a Plan,
    texts: BTreeMap<usize, String>,
    mergers: BTreeMap<usize, Merger>,
    next: usize,
}

impl<'a> Printer<'a> {
    fn new(plan: &'a Plan) -> Self {
        Self { plan, texts: BTreeMap::new(), mergers: BTreeMap::new(), next: 0 }
    }

    fn ended(&mut self, step: usize, text: String) {
        self.texts.insert(step, text);
    }

    /// Prints all that no step still to come can stand before.
    fn flush(&mut self, states: &[State]) {
        while self.next < self.plan.steps.len() {
            if matches!(states[self.next], State::Waiting | State::Running)
                && signals::received().is_none()
            {
                return;
            }
            let group = self.plan.steps[self.next].group;
            let merger = self.mergers.entry(group).or_default();
            let mut text = merger.add(&self.texts.remove(&self.next).unwrap_or_default());
            self.next += 1;
            if self.plan.steps[self.next..].iter().all(|s| s.group != group) {
                text += &merger.summary();
            }
            print(&text);
        }
    }
}

/// A message with the names of the user's files in place of those of temporary ones. Kept files go
/// by their own names.
fn in_users_words(plan: &Plan, settings: &Settings, text: String) -> String {
    let temporary = |name: &str| Path::new(name).starts_with(settings.temp);
    let names = plan.names.iter().filter(|(file, _)| temporary(file));
    names.fold(text, |text, (file, name)| text.replace(file, name))
}

/// A closed standard error must not stop a compilation.
fn print(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}
