//! Runs a plan. No other module starts compilation processes.
//!
//! Guarantees:
//!
//! - A step runs after the steps that it depends on, and does not run if one of them failed.
//! - As many steps run at once as the machine has processors.
//! - The messages of the steps appear in the plan's order, and the messages of a step are
//!   contiguous.
//! - Outputs take their final names only when they are complete. The unfinished files of a failed
//!   step are removed.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::SystemTime;

use crate::child::finish;
use crate::diagnostics::Merger;
use crate::error::Error;
use crate::header_cache::{Request, store};
use crate::members::{Answer, Members};
use crate::plan::{Action, Plan, Step};
use crate::time_trace::{StepTime, TimeTrace};
use crate::{
    dependencies, device_code, functor_layouts, identity, precompiled, preprocessed, show, signals,
};

/// Settings that all steps share.
pub struct Settings<'a> {
    pub verbose: bool,
    /// The path of `scythe-tools`, for printing steps.
    pub tools: &'a Path,
    /// The folder for temporary files.
    pub temp: &'a Path,
    pub time_trace: Option<&'a TimeTrace>,
}

/// The result of a step.
struct Ended {
    /// The text that the step printed to standard error.
    text: String,
    /// 0, or the exit status for the driver.
    status: i32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Waiting,
    Running,
    Succeeded,
    Failed(i32),
    /// A step that this step depends on failed.
    Skipped,
}

/// Runs all steps. Returns the exit status: 0, or the status of the first failed step in the plan's
/// order.
pub fn execute(plan: &Plan, settings: &Settings) -> Result<i32, Error> {
    check_folders(plan)?;
    let stdin = spool_stdin(plan, settings)?;
    plan.warnings.iter().for_each(|warning| print(&crate::render_warning(warning)));
    let jobs = std::thread::available_parallelism().map_or(1, |n| n.get());
    let mut states = vec![State::Waiting; plan.steps.len()];
    let mut printer = Printer::new(plan);
    let mut times = Vec::new();
    let mut places = vec![None; jobs];
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
                let free = places.iter_mut().find(|place| place.is_none());
                free.into_iter().for_each(|place| *place = Some(i));
                scope.spawn(move || {
                    let start = SystemTime::now();
                    let ended = perform(step, i, stdin.as_deref(), settings);
                    // The receiver outlives all senders. If the channel were closed, nothing would
                    // wait for the result.
                    let _ = sender.send((i, ended, (start, SystemTime::now())));
                });
            }
            if running == 0 {
                break;
            }
            let Ok((i, ended, (start, end))) = receiver.recv() else { break };
            let place = places.iter().position(|place| *place == Some(i)).unwrap_or(0);
            places[place] = None;
            times.push(StepTime { step: i, place, start, end });
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
    if let Some(time_trace) = settings.time_trace.filter(|_| signals::received().is_none()) {
        time_trace.write(&plan.steps, &times)?;
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

/// Checks that the folder of each output exists. Otherwise a linker would report an error about a
/// temporary name.
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

/// Copies standard input to a file if steps read it. Several passes may read standard input, which
/// can be read only once.
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
fn perform(step: &Step, index: usize, stdin: Option<&Path>, settings: &Settings) -> Ended {
    let tools = settings.tools;
    let timed = settings.time_trace.and_then(|trace| trace.arguments(index, step));
    let timed = |args: &[String]| [args, timed.as_ref().map_or(&[], |words| &words[..])].concat();
    let done = match &step.action {
        Action::Run { program, args, stdin: reads, header: None } => {
            run(step, program, &timed(args), stdin.filter(|_| *reads))
        }
        Action::Run { program, args, header: Some(header), .. } => {
            run_with_header(step, program, &timed(args), header, settings.verbose)
        }
        Action::CompareLayouts { host, device } => functor_layouts::compare(host, device)
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
        Action::Dependencies { host, device, output, phony, hidden, source } => {
            dependencies::merge(host, device, output, *phony, (hidden, source))
                .map(|()| Ended::success())
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
        // Devices and pipes keep their place in the file system.
        let published = match std::fs::metadata(to).is_ok_and(|data| !data.is_file()) {
            true => copy_into(from, to),
            false => std::fs::rename(from, to),
        };
        published.map_err(|source| Error::Write { path: to.clone(), source })?;
    }
    Ok(())
}

/// Writes the contents of a file into a device or a pipe.
fn copy_into(from: &Path, to: &Path) -> std::io::Result<()> {
    let bytes = std::fs::read(from)?;
    std::fs::File::options().write(true).open(to)?.write_all(&bytes)?;
    std::fs::remove_file(from)
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

/// Runs a pass with a precompiled header if there is one. If the pass fails, or if its messages
/// name a file of the cache, the pass runs again without the precompiled header.
fn run_with_header(
    step: &Step,
    program: &Path,
    args: &[String],
    header: &Request,
    verbose: bool,
) -> Result<Ended, Error> {
    let found = store::obtain(header, program, &finish);
    if verbose {
        let what = match &found {
            Ok(path) => path.display().to_string(),
            Err(reason) => format!("none ({reason})"),
        };
        print(&format!(" # {}: precompiled SYCL header: {what}\n", step.what));
    }
    if let Ok(path) = &found {
        let words = [
            "-include-pch".to_owned(),
            path.to_string_lossy().into_owned(),
            format!("-fplugin-arg-scythe-use-header={}", store::types_file(path).display()),
        ];
        let ended = run(step, program, &[args, &words].concat(), None)?;
        let cache = header.cache.to_string_lossy();
        // With `-v`, clang prints a command line, which begins with a blank. A damaged file is an
        // error that clang does not always report in its exit status.
        let mentions =
            ended.text.lines().any(|line| line.contains(&*cache) && !line.starts_with(' '));
        if ended.status == 0 && !mentions || signals::received().is_some() {
            // Clang does not list files of the precompiled header that were only looked for.
            let list = args.iter().position(|arg| arg == "-MF").and_then(|at| args.get(at + 1));
            if let Some(list) = list.filter(|_| args.iter().any(|arg| arg == "-MD")) {
                dependencies::extend(Path::new(list), &store::dependency_list(path))?;
            }
            return Ok(ended);
        }
    }
    run(step, program, args, None)
}

pub(crate) fn exit_status(status: ExitStatus) -> i32 {
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}

/// Finds the members of static libraries that the program links. A host link that fails here would
/// also fail later.
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

/// Lists the kernels of each module, and reports an error for each kernel that is not linked yet.
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
        // Status 1 means that there are kernels; status 1 with a message means an error.
        if !output.status.success()
            && (output.status.code() != Some(1) || !output.stderr.is_empty())
        {
            let mut text = String::from_utf8_lossy(&output.stderr).into_owned();
            text += &killed(step, tools, output.status);
            return Ok(Ended { text, status: exit_status(output.status) });
        }
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            // A line is a symbol, a tab and the kernel's name in the source.
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

/// Returns the message for a step that a signal ended. The message is empty if the driver received
/// the signal too.
fn killed(step: &Step, program: &Path, status: ExitStatus) -> String {
    match status.signal() {
        Some(signal) if signals::received().is_none() => {
            let (step, program) = (step.what.clone(), program.to_owned());
            let signal = signals::name(signal);
            crate::render(&Error::Terminated { step, program, signal })
        }
        _ => String::new(),
    }
}

/// Prints the messages of the steps in the plan's order, without duplicate diagnostics for a
/// source.
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

    /// Prints all messages that no unfinished step precedes in the plan.
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

/// Replaces the names of temporary files in a message by the names of the user's files. Kept files
/// keep their names.
fn in_users_words(plan: &Plan, settings: &Settings, text: String) -> String {
    let temporary = |name: &str| Path::new(name).starts_with(settings.temp);
    let names = plan.names.iter().filter(|(file, _)| temporary(file));
    names.fold(text, |text, (file, name)| text.replace(file, name))
}

/// Prints to standard error. Ignores errors, because a closed standard error must not stop a
/// compilation.
fn print(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}
