//! Builds a category: compiles each source separately, within limits, then links each program from
//! its objects.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::commands::Unit;
use super::limits::Limits;
use super::outcome::Outcome;
use super::suite::Suite;
use crate::process;

/// The result of building a category.
#[derive(Debug, Default)]
pub struct Built {
    /// The names of the programs in the build folder's `bin`.
    pub programs: Vec<String>,
    /// The sources that are in no program, with the reasons.
    pub not_built: Vec<(String, String)>,
    pub seconds: f64,
}

/// Compiles and links a category. Removes the category's objects at the end, because those of all
/// categories would fill a disk.
pub fn build(suite: &Suite, category: &str, limits: Limits, jobs: usize) -> Result<Built, String> {
    let start = Instant::now();
    let units: Vec<&Unit> = suite.units_of(category).collect();
    let mut built = Built::default();
    if let Err(why) = generate(suite, &units) {
        built.not_built = units.iter().map(|u| (name(&u.source), why.clone())).collect();
        return Ok(built);
    }
    let results = compile_all(suite, &units, Deadline { start, limits }, jobs);
    let mut objects: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (unit, result) in units.iter().zip(results) {
        let list = objects.entry(&unit.program).or_default();
        match result {
            Ok(()) => list.push(&unit.object),
            Err(why) => built.not_built.push((name(&unit.source), why)),
        }
    }
    for (program, objects) in objects {
        if objects.is_empty() {
            continue;
        }
        match link(suite, program, &objects, &units, Deadline { start, limits }) {
            Ok(()) => built.programs.push(program.to_owned()),
            Err(why) => {
                let lost = units
                    .iter()
                    .filter(|u| u.program == program && objects.contains(&u.object.as_str()));
                built.not_built.extend(lost.map(|u| (name(&u.source), format!("link: {why}"))));
            }
        }
    }
    for unit in &units {
        let _ = std::fs::remove_file(suite.build.join(&unit.object));
    }
    built.seconds = start.elapsed().as_secs_f64();
    Ok(built)
}

/// Returns the results of an earlier build. `before` has the sources that could not be built.
pub fn built_before(suite: &Suite, category: &str, before: &Outcome) -> Result<Built, String> {
    let programs: BTreeSet<&str> = suite.units_of(category).map(|u| u.program.as_str()).collect();
    let is_there = |program: &&str| suite.build.join("bin").join(program).exists();
    let there: Vec<String> = programs.into_iter().filter(is_there).map(str::to_owned).collect();
    if there.is_empty() {
        return Err(format!(
            "{} has no programs of category {category}; run without --rerun first",
            suite.build.display()
        ));
    }
    Ok(Built {
        programs: there,
        not_built: before.not_built.clone(),
        seconds: before.build_seconds,
    })
}

/// The end of the category's time.
#[derive(Clone, Copy)]
struct Deadline {
    start: Instant,
    limits: Limits,
}

impl Deadline {
    fn left(self) -> Option<Limits> {
        let time =
            self.limits.time.checked_sub(self.start.elapsed()).filter(|t| *t > Duration::ZERO)?;
        Some(Limits { time, ..self.limits })
    }
}

/// Generates the sources that the suite's scripts make.
fn generate(suite: &Suite, units: &[&Unit]) -> Result<(), String> {
    let missing: Vec<&str> =
        units.iter().map(|u| u.source.as_str()).filter(|s| !Path::new(s).exists()).collect();
    // Ninja identifies files by their paths relative to the build folder.
    let relative: Vec<&str> = missing
        .iter()
        .map(|s| s.strip_prefix(&format!("{}/", suite.build.display())).unwrap_or(s))
        .collect();
    if relative.is_empty() { Ok(()) } else { suite.ninja(&relative) }
}

fn compile_all(
    suite: &Suite,
    units: &[&Unit],
    deadline: Deadline,
    jobs: usize,
) -> Vec<Result<(), String>> {
    let next = AtomicUsize::new(0);
    let mut results: Vec<(usize, Result<(), String>)> = std::thread::scope(|scope| {
        let worker = || {
            let mut mine = Vec::new();
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                let Some(unit) = units.get(i) else { return mine };
                let result = compile(suite, unit, deadline);
                let mark = if result.is_ok() { "built " } else { "FAILED" };
                eprintln!("    {mark} {} ({} of {})", name(&unit.source), i + 1, units.len());
                mine.push((i, result));
            }
        };
        let threads: Vec<_> =
            (0..jobs.min(units.len()).max(1)).map(|_| scope.spawn(worker)).collect();
        threads.into_iter().flat_map(|t| t.join().expect("a worker does not panic")).collect()
    });
    results.sort_by_key(|(i, _)| *i);
    results.into_iter().map(|(_, r)| r).collect()
}

fn compile(suite: &Suite, unit: &Unit, deadline: Deadline) -> Result<(), String> {
    let folder = suite.build.join(&unit.object);
    let folder = folder.parent().unwrap_or(&suite.build);
    std::fs::create_dir_all(folder)
        .map_err(|e| format!("cannot create {}: {e}", folder.display()))?;
    shell(suite, &unit.command, deadline)
}

/// Links a program from `objects` only. CMake's command names the objects of all units.
fn link(
    suite: &Suite,
    program: &str,
    objects: &[&str],
    units: &[&Unit],
    deadline: Deadline,
) -> Result<(), String> {
    let command = suite.link_command(program)?;
    let all: Vec<&str> =
        units.iter().filter(|u| u.program == program).map(|u| u.object.as_str()).collect();
    let kept = |word: &&str| !all.contains(word) || objects.contains(word);
    shell(suite, &command.split(' ').filter(kept).collect::<Vec<_>>().join(" "), deadline)
}

fn shell(suite: &Suite, command: &str, deadline: Deadline) -> Result<(), String> {
    let limits = deadline.left().ok_or("the category's time was over")?;
    let mut sh = Command::new("sh");
    let outcome =
        process::watched(sh.args(["-c", command]).current_dir(&suite.build), limits.watch(None))?;
    if outcome.success() { Ok(()) } else { Err(first_error(&outcome)) }
}

/// Returns the first error of a compiler or linker, with the file's name but not its folder.
fn first_error(outcome: &process::Outcome) -> String {
    if let Some(why) = &outcome.stopped {
        return format!("the compiler {why}");
    }
    let lines = outcome.stderr.lines().chain(outcome.stdout.lines());
    let error = lines
        .clone()
        .find(|l| l.contains("error: "))
        .or_else(|| lines.clone().find(|l| l.contains("undefined")));
    let line = error
        .or_else(|| lines.rev().find(|l| !l.trim().is_empty()))
        .unwrap_or("it failed without an error message");
    match line.split_once(": ") {
        Some((place, message)) if place.contains('/') => format!("{}: {message}", name(place)),
        _ => line.trim().to_owned(),
    }
}

/// Returns the last component of a path.
fn name(path: &str) -> String {
    path.rsplit('/').next().unwrap_or(path).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(stderr: &str) -> process::Outcome {
        process::Outcome {
            status: Some(1),
            stdout: String::new(),
            stderr: stderr.to_owned(),
            timed_out: false,
            stopped: None,
            elapsed: Duration::ZERO,
        }
    }

    #[test]
    fn the_first_error_is_named_by_its_file() {
        let text = "In file included from a.cpp:\n/s/b/c.h:7:3: warning: w\n/s/b/c.h:8:3: error: \
            no member 'x'\n1 error\n";
        assert_eq!(first_error(&failed(text)), "c.h:8:3: error: no member 'x'");
        assert_eq!(first_error(&failed("Killed\n")), "Killed");
    }
}
