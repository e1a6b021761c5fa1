//! `-ftime-trace`: one timeline of all steps of an invocation, in the Trace Event Format.
//!
//! The driver measures each step. Each run of clang writes a timeline of its own, which becomes a
//! row below the step. Clang's sums ("Total …") are left out, because they are no times of day.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use scythe_trace::Value;
use scythe_trace::json::{Events, Row, RowName};
use serde_json::Value as Json;

use crate::args::{InputKind, Invocation, Mode};
use crate::error::Error;
use crate::plan::names::stem;
use crate::plan::{Action, Step};

/// The first number of a row for a run of clang: larger than the number of any process.
const RUNS: u64 = 1 << 22;

/// The timeline that an invocation writes.
pub struct TimeTrace {
    file: PathBuf,
    /// The folder for clang's timelines.
    temp: PathBuf,
    clang: PathBuf,
    start: SystemTime,
}

/// The time that a step took.
#[derive(Clone, Copy)]
pub struct StepTime {
    pub step: usize,
    /// The number of the place among the steps that run at the same time.
    pub place: usize,
    pub start: SystemTime,
    pub end: SystemTime,
}

impl TimeTrace {
    /// Returns the timeline that the user asks for.
    pub fn of(invocation: &Invocation, temp: &Path, clang: &Path) -> Option<Self> {
        let value = invocation.time_trace.as_ref()?;
        Some(Self {
            file: file(invocation, value),
            temp: temp.to_owned(),
            clang: clang.to_owned(),
            start: SystemTime::now(),
        })
    }

    /// Returns the arguments that make a step write its own timeline. In device passes, clang's
    /// driver ignores the option, so its front end gets it directly.
    pub fn arguments(&self, index: usize, step: &Step) -> Option<[String; 2]> {
        const COMPILES: [&str; 4] = ["-c", "-S", "-emit-llvm", "-fsyntax-only"];
        let Action::Run { program, args, .. } = &step.action else { return None };
        let compiles = args.iter().any(|arg| COMPILES.contains(&arg.as_str()));
        (*program == self.clang && compiles)
            .then(|| ["-Xclang".into(), format!("-ftime-trace={}", self.part(index).display())])
    }

    fn part(&self, index: usize) -> PathBuf {
        self.temp.join(format!("time-trace-{index}.json"))
    }

    /// Returns the time since the start, in nanoseconds.
    fn since_start(&self, time: SystemTime) -> u64 {
        time.duration_since(self.start).map_or(0, |passed| passed.as_nanos() as u64)
    }

    /// Writes the timeline.
    pub fn write(&self, steps: &[Step], times: &[StepTime]) -> Result<(), Error> {
        let process = u64::from(std::process::id());
        let mut events = Events::begin();
        let row = |thread: usize| Row { process, thread: thread as u64 };
        events.name_row(RowName::Process, row(0), "scythe");
        let places = times.iter().map(|time| time.place + 1).max().unwrap_or(0);
        for place in 0..places {
            events.name_row(RowName::Thread, row(place), "steps");
            events.sort_row(RowName::Thread, row(place), place as u64);
        }
        let mut times = times.to_vec();
        times.sort_by_key(|time| (time.start, time.step));
        for StepTime { step, place, start, end } in times {
            let what = &steps[step].what;
            let span = (self.since_start(start), self.since_start(end));
            let args: &[(&str, Value)] = match &steps[step].action {
                Action::Run { program, .. } => {
                    &[("program", program.to_string_lossy().into_owned().into())]
                }
                _ => &[],
            };
            events.slice(row(place), ("step", what), span, args);
            if self.arguments(step, &steps[step]).is_some() {
                self.add_run(&mut events, step, what);
            }
        }
        events.end();
        put(&self.file, events.take().as_bytes())
            .map_err(|source| Error::Write { path: self.file.clone(), source })
    }

    /// Adds the timeline of a run of clang. A run that failed may have written none.
    fn add_run(&self, events: &mut Events, index: usize, what: &str) {
        let Ok(text) = std::fs::read(self.part(index)) else { return };
        let Ok(Json::Object(mut run)) = serde_json::from_slice(&text) else { return };
        let start = self.start.duration_since(UNIX_EPOCH).map_or(0.0, |t| t.as_secs_f64() * 1e6);
        let offset = run.get("beginningOfTime").and_then(Json::as_f64).map_or(0.0, |t| t - start);
        let row = Row { process: RUNS + index as u64, thread: 0 };
        events.name_row(RowName::Process, row, &format!("clang: {what}"));
        events.sort_row(RowName::Process, row, row.process);
        let Some(Json::Array(all)) = run.get_mut("traceEvents").map(Json::take) else { return };
        for mut event in all {
            let is_sum = event["name"].as_str().is_some_and(|name| name.starts_with("Total "));
            let Some(time) = event["ts"].as_f64().filter(|_| event["ph"] != "M" && !is_sum) else {
                continue;
            };
            event["ts"] = ((time + offset).max(0.0)).into();
            event["pid"] = row.process.into();
            events.raw(&event.to_string());
        }
    }
}

/// Writes a whole file or nothing. Devices and pipes keep their place in the file system.
fn put(file: &Path, bytes: &[u8]) -> io::Result<()> {
    if fs::metadata(file).is_ok_and(|data| !data.is_file()) {
        return fs::File::options().write(true).open(file)?.write_all(bytes);
    }
    let waiting = file.with_extension(format!("json.{}.tmp", std::process::id()));
    fs::write(&waiting, bytes).and_then(|()| fs::rename(&waiting, file)).inspect_err(|_| {
        let _ = fs::remove_file(&waiting);
    })
}

/// Returns the file of the timeline. `value` is a file or a folder; if it is empty, the file is
/// beside the output.
fn file(invocation: &Invocation, value: &str) -> PathBuf {
    let first = invocation.inputs().find(|input| input.kind != InputKind::Linkable);
    let beside = match (&invocation.output, first) {
        (Some(output), _) => PathBuf::from(output),
        (None, Some(source)) if invocation.mode != Mode::Link => stem(&source.path).into(),
        _ => "a".into(),
    };
    let beside = beside.with_extension("json");
    match value {
        "" => beside,
        folder if Path::new(folder).is_dir() => {
            Path::new(folder).join(beside.file_name().unwrap_or_default())
        }
        file => file.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(words: &[&str]) -> String {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let invocation = crate::args::parse(&words).expect("valid");
        let value = invocation.time_trace.clone().expect("a timeline");
        file(&invocation, &value).to_string_lossy().into_owned()
    }

    #[test]
    fn the_timeline_is_beside_the_output() {
        assert_eq!(named(&["-fsycl", "-ftime-trace", "a.cpp", "-o", "out/app"]), "out/app.json");
        assert_eq!(named(&["-fsycl", "-ftime-trace", "a.cpp"]), "a.json");
        assert_eq!(named(&["-fsycl", "-ftime-trace", "-c", "x/b.cpp"]), "b.json");
        assert_eq!(named(&["-fsycl", "-ftime-trace=t.json", "a.cpp", "-o", "app"]), "t.json");
        assert_eq!(named(&["-fsycl", "-ftime-trace=/tmp", "a.cpp", "-o", "app"]), "/tmp/app.json");
    }

    #[test]
    fn devices_and_pipes_are_written_in_place() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("t.json");
        put(&file, b"old").expect("written");
        put(&file, b"[]").expect("written");
        assert_eq!(fs::read(&file).expect("read"), b"[]");
        assert_eq!(fs::read_dir(folder.path()).expect("read").count(), 1);
        // A link stands for the device, so a failure of the test does no harm.
        let device = folder.path().join("null");
        std::os::unix::fs::symlink("/dev/null", &device).expect("linked");
        put(&device, b"[]").expect("written");
        assert!(device.is_symlink());
        let full = folder.path().join("full");
        std::os::unix::fs::symlink("/dev/full", &full).expect("linked");
        assert!(put(&full, b"[]").is_err() && full.is_symlink());
        assert!(put(&folder.path().join("missing/t.json"), b"[]").is_err());
    }
}
