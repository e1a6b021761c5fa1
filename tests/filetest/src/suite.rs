//! A suite: folders of file tests and the tools that their commands use.
//!
//! A tool is a program or a function. A function also runs in a separate process: the suite links
//! the test executable under the tool's name, and [`Suite::main`] checks the name by which it was
//! started.

use crate::report::{Options, Report};
use crate::run::{Environment, Failure};
use crate::{diagnostics, not, parse, programs};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A tool. Returns its output or its error.
type Function = fn(&[String]) -> Result<String, String>;
type Prepare = fn(&Path) -> Result<Prepared, String>;

/// Folders of file tests and their tools.
pub struct Suite {
    folders: Vec<(String, PathBuf)>,
    programs: Vec<(&'static str, PathBuf)>,
    functions: Vec<(&'static str, Function)>,
    prepare: Option<Prepare>,
}

/// The environment that all tests of a suite share.
#[derive(Default)]
pub struct Prepared {
    /// Additional folders of programs.
    pub path: Vec<PathBuf>,
    /// Additional variables.
    pub variables: Vec<(String, String)>,
}

/// Returns the root folder of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .expect("the repository exists")
}

impl Default for Suite {
    fn default() -> Self {
        Suite::new()
    }
}

impl Suite {
    pub fn new() -> Suite {
        let functions: Vec<(_, Function)> =
            vec![("not", not::run), (parse::CHECK_DIAGNOSTICS, diagnostics::run)];
        Suite { folders: Vec::new(), programs: Vec::new(), functions, prepare: None }
    }

    /// Adds every file in a folder, which is relative to the repository's root. Its subfolders
    /// contain inputs.
    pub fn folder(mut self, folder: &str) -> Suite {
        let name = folder.strip_prefix("tests/filetests/").unwrap_or(folder);
        self.folders.push((name.into(), repository().join(folder)));
        self
    }

    /// Adds a program, by the name that commands use.
    pub fn program(mut self, name: &'static str, path: impl Into<PathBuf>) -> Suite {
        self.programs.push((name, path.into()));
        self
    }

    /// Adds a function of the test, by the name that commands use. A panic ends the tool with a
    /// signal, which `not` does not accept.
    pub fn function(mut self, name: &'static str, function: Function) -> Suite {
        self.functions.push((name, function));
        self
    }

    /// Sets a function that prepares the shared environment, in a folder that is removed at the
    /// end.
    pub fn prepare(mut self, prepare: Prepare) -> Suite {
        self.prepare = Some(prepare);
        self
    }

    /// Runs the tests that the command line selects, or the tool whose name the process has.
    pub fn main(self) -> ExitCode {
        let args: Vec<String> =
            std::env::args_os().map(|a| a.to_string_lossy().into_owned()).collect();
        let name = args
            .first()
            .map(|a| Path::new(a).file_name().unwrap_or_default().to_string_lossy().into_owned());
        let tool = self.functions.iter().find(|(tool, _)| name.as_deref() == Some(tool));
        if let Some((_, function)) = tool {
            return run_tool(*function, &args[1..]);
        }
        let result = Options::parse(args.get(1..).unwrap_or_default())
            .and_then(|options| self.run(&options));
        match result {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::from(101),
            Err(message) => {
                eprintln!("error: {message}");
                ExitCode::from(101)
            }
        }
    }

    /// Runs the selected tests. Returns whether all passed.
    fn run(&self, options: &Options) -> Result<bool, String> {
        let cases = self.cases()?;
        let selected: Vec<_> = cases.iter().filter(|(name, _)| options.selects(name)).collect();
        if options.list {
            selected.iter().for_each(|(name, _)| println!("{name}: test"));
            return Ok(true);
        }
        let mut report = Report::new(cases.len() - selected.len(), options.quiet);
        if selected.is_empty() {
            return Ok(report.finish());
        }
        let shared = tempfile::tempdir().map_err(|e| format!("no temporary folder: {e}"))?;
        let environment = self.environment(shared.path())?;
        let run = |(name, file): &&(String, PathBuf)| (name.clone(), environment.run(file));
        parallel(&selected, options.threads, run, |(name, result)| report.add(&name, result));
        Ok(report.finish())
    }

    /// Returns all tests by name, in order.
    fn cases(&self) -> Result<Vec<(String, PathBuf)>, String> {
        let mut cases = Vec::new();
        for (name, folder) in &self.folders {
            let problem =
                |e| format!("the folder {} of file tests cannot be read: {e}", folder.display());
            let entries = std::fs::read_dir(folder).map_err(problem)?;
            let mut files: Vec<PathBuf> = entries
                .map(|entry| entry.map(|e| e.path()))
                .collect::<Result<_, _>>()
                .map_err(problem)?;
            files.retain(|file| file.is_file());
            files.sort();
            if files.is_empty() {
                return Err(format!("the folder {} holds no file test", folder.display()));
            }
            let label = |f: PathBuf| {
                (format!("{name}/{}", f.file_name().unwrap_or_default().to_string_lossy()), f)
            };
            cases.extend(files.into_iter().map(label));
        }
        Ok(cases)
    }

    /// Links all tools into one folder.
    fn environment(&self, shared: &Path) -> Result<Environment, String> {
        let bin = shared.join("bin");
        std::fs::create_dir(&bin).map_err(|e| format!("{}: {e}", bin.display()))?;
        let check = programs::llvm("FileCheck").map_err(|e| e.to_string())?;
        let own =
            std::env::current_exe().map_err(|e| format!("the test executable has no path: {e}"))?;
        let functions = self.functions.iter().map(|(name, _)| (*name, own.clone()));
        for (name, path) in
            self.programs.iter().cloned().chain(functions).chain([("FileCheck", check)])
        {
            symlink(&path, bin.join(name))
                .map_err(|e| format!("no link to {}: {e}", path.display()))?;
        }
        let prepared =
            self.prepare.map_or_else(|| Ok(Prepared::default()), |prepare| prepare(shared))?;
        Ok(Environment { path: [vec![bin], prepared.path].concat(), variables: prepared.variables })
    }
}

/// Runs a tool and prints its output.
fn run_tool(function: Function, args: &[String]) -> ExitCode {
    let previous = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        previous(panic);
        std::process::abort();
    }));
    match function(args) {
        Ok(text) => {
            use std::io::Write;
            // A reader that needs no more output closes the pipe.
            let _ = std::io::stdout().write_all(text.as_bytes());
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// Calls `work` for all items on several threads, and `done` with the results in the items' order.
fn parallel<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    work: impl Fn(&T) -> R + Sync,
    mut done: impl FnMut(R),
) {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..threads.min(items.len()) {
            let (sender, next, work) = (sender.clone(), &next, &work);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index) else { break };
                    if sender.send((index, work(item))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting: Vec<Option<R>> = items.iter().map(|_| None).collect();
        let mut shown = 0;
        for (index, result) in receiver {
            waiting[index] = Some(result);
            while let Some(result) = waiting.get_mut(shown).and_then(Option::take) {
                done(result);
                shown += 1;
            }
        }
    });
}

/// The result of one test.
pub(crate) type Outcome = Result<(), Failure>;

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns all files below a folder.
    fn files(folder: &Path) -> Vec<PathBuf> {
        let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
    }

    #[test]
    fn every_folder_of_file_tests_has_a_suite() {
        let root = repository();
        let mut sources = String::new();
        for member in std::fs::read_dir(root.join("crates")).unwrap() {
            let tests = member.unwrap().path().join("tests");
            let rust = if tests.is_dir() { files(&tests) } else { Vec::new() };
            for file in rust.iter().filter(|file| file.extension().is_some_and(|e| e == "rs")) {
                sources += &std::fs::read_to_string(file).unwrap();
            }
        }
        let tests = files(&root.join("tests/filetests"));
        assert!(tests.len() > 100, "only {} file tests", tests.len());
        for file in &tests {
            let folder = file.parent().unwrap().strip_prefix(&root).unwrap().display().to_string();
            assert!(
                sources.contains(&format!(".folder(\"{folder}\")")),
                "no suite runs {}",
                file.display()
            );
        }
    }

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<u64> = (0..40).collect();
        let mut seen = Vec::new();
        let slow_first = |n: &u64| {
            std::thread::sleep(std::time::Duration::from_micros(400 - n * 10));
            n * 2
        };
        parallel(&items, 7, slow_first, |n| seen.push(n));
        assert_eq!(seen, items.iter().map(|n| n * 2).collect::<Vec<_>>());
    }

    #[test]
    fn an_empty_or_missing_folder_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let suite = |path: PathBuf| {
            let mut suite = Suite::new();
            suite.folders.push(("none".into(), path));
            suite.cases().unwrap_err()
        };
        assert!(suite(folder.path().into()).contains("holds no file test"));
        assert!(suite(folder.path().join("missing")).contains("cannot be read"));
    }
}
