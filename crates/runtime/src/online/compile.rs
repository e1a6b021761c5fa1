//! Compiles a source text with the installed driver: a device pass and a device link, which write
//! the images to a file in a private folder. Only the exit status of the driver and its messages
//! matter; no file outlives the call.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, Weak};
use std::time::SystemTime;

use scythe_trace::{Category, Span};

use super::cached::{self, Result as Cached};
use super::options::{self, Options};
use super::scratch::Scratch;
use super::source::Source;
use super::tools::{self, Tools};
use crate::{Errc, Error, Result, invalid, lock, settings};

/// The name of the source in messages.
const NAME: &str = "rtc_0.cpp";
/// The environment of the compiler: variables by which it finds programs and its caches. No other
/// variable may change the result.
const VARIABLES: [&str; 7] = [
    "PATH",
    "HOME",
    "TMPDIR",
    "LD_LIBRARY_PATH",
    "XDG_CACHE_HOME",
    "SYCL_CACHE_DIR",
    "SYCL_CACHE_PERSISTENT",
];

/// The result of a compilation.
pub struct Compiled {
    /// The images, one after the other.
    pub images: Vec<u8>,
    /// The messages of the compiler.
    pub log: String,
}

/// Compiles a source. Fails with `errc::build` and the messages of the compiler if the source is
/// wrong, and with `errc::invalid` if an option or a name is wrong.
pub fn compile(source: &Source<'_>) -> Result<Compiled> {
    let tools = tools::find()?;
    let current = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    let options = options::read(&source.options, &current)?;
    check_includes(source)?;
    let mut folders = vec![current];
    folders.extend(options.folders.iter().cloned());
    let entry = cached::Entry::of(tools, source, &options.words, &folders)?;
    // Threads that need the same result wait for the first one.
    let turn = entry.as_ref().map(|entry| turn(entry.name()));
    let _held = turn.as_ref().map(|turn| lock(turn));
    if let Some(found) = entry.as_ref().and_then(|entry| entry.get(&folders)) {
        return Ok(Compiled { images: found.images, log: found.log });
    }
    let start = SystemTime::now();
    let scratch = Scratch::create()?;
    let made = run(tools, source, &options, &folders[0], &scratch)?;
    if let Some(entry) = entry {
        entry.put(&made, &scratch.path().join("files"), scratch.path(), &folders, start);
    }
    Ok(Compiled { images: made.images, log: made.log })
}

/// Returns the lock for the compilation of a source. All others are forgotten.
fn turn(name: String) -> Arc<Mutex<()>> {
    static TURNS: Mutex<BTreeMap<String, Weak<Mutex<()>>>> = Mutex::new(BTreeMap::new());
    let mut turns = lock(&TURNS);
    turns.retain(|_, turn| turn.strong_count() > 0);
    if let Some(turn) = turns.get(&name).and_then(Weak::upgrade) {
        return turn;
    }
    let turn = Arc::<Mutex<()>>::default();
    turns.insert(name, Arc::downgrade(&turn));
    turn
}

/// Runs the driver in the folder `scratch`, for a program whose current folder is `current`.
fn run(
    tools: &Tools,
    source: &Source<'_>,
    options: &Options,
    current: &Path,
    scratch: &Scratch,
) -> Result<Cached> {
    let sources = scratch.sources();
    scratch.write(&sources.join(NAME), &text(source))?;
    let mut overlay = Vec::new();
    for (index, (name, contents)) in source.includes.iter().enumerate() {
        let path = match is_inside(Path::new(name)) {
            true => sources.join(name),
            false => {
                let path = scratch.path().join(format!("include-{index}"));
                overlay.push((sources.join(name), path.clone()));
                path
            }
        };
        scratch.write(&path, contents)?;
    }
    let images = scratch.path().join("images");
    let mut command = Command::new(&tools.driver);
    command.env_clear();
    for name in VARIABLES {
        command.envs(std::env::var_os(name).map(|value| (name, value)));
    }
    // What a killed driver leaves behind is removed with the folder.
    command.env("TMPDIR", scratch.path());
    command.current_dir(&sources).stdin(Stdio::null()).stdout(Stdio::null());
    command.args(["-fsycl", "-fsycl-device-only", "-fsycl-link", "-fsycl-include-folder=."]);
    // Tells the headers that there are no host objects of variables.
    command.arg("-D__SCYTHE_SOURCE_BUNDLE__");
    command.arg(format!("-fsycl-quote-folder={}", current.display()));
    command.arg("-MD").arg("-MF").arg(scratch.path().join("files"));
    if !overlay.is_empty() {
        let file = scratch.path().join("overlay.yaml");
        scratch.write(&file, overlay_text(&overlay).as_bytes())?;
        command.arg("-ivfsoverlay").arg(file);
    }
    command.args(&options.words).arg("-o").arg(&images).arg(NAME);
    if settings::trace().images {
        settings::trace_line("images", &format!("compiling source text: {command:?}"));
    }
    let compile = Span::new(Category::Compile, "source text");
    let done = command.output().map_err(|error| {
        let driver = tools.driver.display();
        Error::new(Errc::Build, format!("cannot run the compiler '{driver}': {error}"))
    })?;
    drop(compile);
    let log = String::from_utf8_lossy(&done.stderr).into_owned();
    let hidden = format!("{}/", sources.display());
    let log = log.replace(&hidden, "").replace("./", "");
    if !done.status.success() {
        return Err(failure(&log, &done.status.to_string()));
    }
    let images = std::fs::read(&images).map_err(|error| {
        Error::new(Errc::Build, format!("the compiler wrote no device images: {error}"))
    })?;
    Ok(Cached { images, log })
}

/// Returns the text to compile: the program's, and the registrations of its names behind it.
fn text(source: &Source<'_>) -> Vec<u8> {
    let mut text = source.text.to_vec();
    if source.names.is_empty() {
        return text;
    }
    let mut more = String::from("\n");
    for (index, name) in source.names.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ =
            write!(more, "# {} \"registered_names\"\n{}\n", index + 1, registration(index, name));
    }
    text.extend(more.into_bytes());
    text
}

/// Returns the declaration that registers a name (`docs/contracts.md`).
fn registration(index: usize, name: &str) -> String {
    let literal =
        name.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\r', "\\r");
    format!(
        "[[clang::annotate(\"scythe::kernel_name\", \"{literal}\")]] \
         static constexpr auto *scythe_kernel_name_{index} = ({name});"
    )
}

/// Checks that the files of a source can be written next to it.
fn check_includes(source: &Source<'_>) -> Result<()> {
    for (index, (name, _)) in source.includes.iter().enumerate() {
        let wrong = |why: &str| Err(invalid(format!("include file '{name}' {why}")));
        if name.is_empty() || name.ends_with('/') || name.contains(['\0', '\n', '"']) {
            return wrong("has a name that no #include can contain");
        }
        if *name == NAME {
            return wrong("has the name of the source itself");
        }
        let clash = |(other, _): &(&str, &[u8])| {
            let (one, other) = (Path::new(name), Path::new(other));
            one == other || one.starts_with(other) || other.starts_with(one)
        };
        if source.includes[..index].iter().any(clash) {
            return wrong("has the name of another include file");
        }
    }
    Ok(())
}

/// Returns whether a path stays in its folder.
fn is_inside(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

/// Returns the file that makes clang see files where they are not.
fn overlay_text(files: &[(PathBuf, PathBuf)]) -> String {
    let quoted = |path: &Path| format!("{:?}", normal(path).to_string_lossy());
    let rows: Vec<String> = files
        .iter()
        .map(|(seen, real)| {
            format!(
                "{{\"name\": {}, \"type\": \"file\", \"use-external-name\": false, \
                 \"external-contents\": {}}}",
                quoted(seen),
                quoted(real)
            )
        })
        .collect();
    format!("{{\"version\": 0, \"case-sensitive\": true, \"roots\": [{}]}}", rows.join(", "))
}

/// Returns an absolute path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(out.pop()),
            Component::CurDir => {}
            part => out.push(part),
        }
    }
    out
}

/// Returns the error for a failed compilation. Messages without a position in a file concern the
/// options, except for those of the device link.
fn failure(log: &str, status: &str) -> Error {
    let first = log.lines().find(|line| line.contains("error: "));
    let of_options = |line: &str| {
        let program = line.split(": ").next().unwrap_or_default();
        program == "scythe" || program.starts_with("clang")
    };
    if let Some(line) = first.filter(|line| of_options(line)) {
        return invalid(format!("Parsing of user arguments failed: {line}"));
    }
    if log.is_empty() {
        return Error::new(Errc::Build, format!("the compiler failed without a message, {status}"));
    }
    Error::new(Errc::Build, log)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source<'a>(includes: Vec<(&'a str, &'a [u8])>) -> Source<'a> {
        let language = super::super::Language::Sycl;
        Source { language, text: b"x", includes, options: Vec::new(), names: vec!["f<int>", "g"] }
    }

    #[test]
    fn names_that_no_file_can_have_are_refused() {
        for name in ["", "a/", "rtc_0.cpp", "a\"b"] {
            assert!(check_includes(&source(vec![(name, b"")])).is_err(), "{name}");
        }
        assert!(check_includes(&source(vec![("a", b""), ("a/b", b"")])).is_err());
        assert!(check_includes(&source(vec![("a/c", b""), ("a/b", b""), ("/x/y", b"")])).is_ok());
    }

    #[test]
    fn registrations_do_not_move_the_text() {
        let text = String::from_utf8(text(&source(Vec::new()))).expect("UTF-8");
        assert!(text.starts_with("x\n# 1 \"registered_names\"\n"), "{text}");
        assert!(text.contains(" = (f<int>);") && text.contains("\n# 2 "), "{text}");
    }

    #[test]
    fn errors_of_options_differ_from_errors_of_the_source() {
        let code = |log| failure(log, "exit status: 1").code;
        assert_eq!(code("scythe: error: the option '-x' is unknown\n"), Errc::Invalid);
        assert_eq!(code("clang++-22: error: unknown argument: '-fx'\n"), Errc::Invalid);
        assert_eq!(code("rtc_0.cpp:3:5: error: expected ';'\n"), Errc::Build);
        assert_eq!(code("device-link: error: undefined\n"), Errc::Build);
        assert_eq!(code(""), Errc::Build);
    }

    #[test]
    fn files_outside_of_the_folder_are_seen_by_an_overlay() {
        assert!(is_inside(Path::new("a/b.h")) && is_inside(Path::new("./b.h")));
        assert!(!is_inside(Path::new("../b.h")) && !is_inside(Path::new("/b.h")));
        let text = overlay_text(&[(PathBuf::from("/a/b/../c.h"), PathBuf::from("/s/0"))]);
        assert!(text.contains("\"name\": \"/a/c.h\"") && text.contains("\"/s/0\""), "{text}");
    }
}
