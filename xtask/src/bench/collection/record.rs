//! The outputs of all runs, in a text file that `run.sh` and the comparison on the CPU write.
//!
//! A line `== run NAME VERSION ROUND STATUS ELAPSED PROCESSOR` opens a run, and the lines of its
//! output follow, each after `| `. VERSION is `other` or `sycl`, and the times are seconds; `-`
//! stands for an unknown time. `== build NAME STATUS` reports how the other version was built.
//! `== machine` opens lines that describe the machine.

use std::collections::BTreeMap;
use std::path::Path;

/// The exit status of `timeout` for a program that ran longer than its limit.
pub const TIMED_OUT: i32 = 124;

/// A version of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// In OpenMP or CUDA.
    Other,
    Sycl,
}

impl Version {
    pub const ALL: [Version; 2] = [Version::Other, Version::Sycl];

    pub fn name(self) -> &'static str {
        match self {
            Version::Other => "other",
            Version::Sycl => "sycl",
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    pub status: i32,
    pub elapsed: f64,
    /// The processor time, if it is known.
    pub processor: Option<f64>,
    pub output: String,
}

/// All runs of one program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// The exit status of the build of the other version, and the end of its output.
    pub build: Option<(i32, String)>,
    pub runs: BTreeMap<Version, Vec<Run>>,
}

impl Record {
    pub fn of(&self, version: Version) -> &[Run] {
        self.runs.get(&version).map_or(&[], Vec::as_slice)
    }
}

/// The contents of record files.
#[derive(Debug, Default, PartialEq)]
pub struct Records {
    pub machine: Vec<String>,
    pub programs: BTreeMap<String, Record>,
}

/// Returns the text of one run.
pub fn text(name: &str, version: Version, round: usize, run: &Run) -> String {
    let processor = run.processor.map_or("-".to_owned(), |seconds| format!("{seconds:.3}"));
    let (version, status, elapsed) = (version.name(), run.status, run.elapsed);
    let head = format!("== run {name} {version} {round} {status} {elapsed:.3} {processor}\n");
    run.output.lines().fold(head, |text, line| text + "| " + line + "\n")
}

/// The part of a record that the next lines of output belong to.
enum Place {
    Nowhere,
    Machine,
    Build(String),
    Run(String, Version),
}

/// Adds the records in a text. An interrupted last run is left out only if its head is incomplete.
pub fn parse(text: &str, records: &mut Records) -> Result<(), String> {
    let mut place = Place::Nowhere;
    for (line, number) in text.lines().zip(1..) {
        if let Some(output) = line.strip_prefix('|') {
            let output = output.strip_prefix(' ').unwrap_or(output);
            match &place {
                Place::Nowhere => {}
                Place::Machine => {
                    if !records.machine.iter().any(|known| known == output) {
                        records.machine.push(output.to_owned());
                    }
                }
                Place::Build(name) => {
                    let record = records.programs.entry(name.clone()).or_default();
                    if let Some((_, log)) = &mut record.build {
                        *log += output;
                        log.push('\n');
                    }
                }
                Place::Run(name, version) => {
                    let record = records.programs.entry(name.clone()).or_default();
                    if let Some(run) = record.runs.entry(*version).or_default().last_mut() {
                        run.output += output;
                        run.output.push('\n');
                    }
                }
            }
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        place = match words.as_slice() {
            ["==", "machine"] => Place::Machine,
            ["==", "build", name, status] => {
                let status = status.parse().map_err(|_| wrong(number, line))?;
                let record = records.programs.entry((*name).to_owned()).or_default();
                record.build = Some((status, String::new()));
                Place::Build((*name).to_owned())
            }
            ["==", "run", name, version, _, status, elapsed, processor] => {
                let version = Version::ALL.into_iter().find(|known| known.name() == *version);
                let version = version.ok_or_else(|| wrong(number, line))?;
                let run = Run {
                    status: status.parse().map_err(|_| wrong(number, line))?,
                    elapsed: elapsed.parse().map_err(|_| wrong(number, line))?,
                    processor: processor.parse().ok(),
                    output: String::new(),
                };
                let record = records.programs.entry((*name).to_owned()).or_default();
                record.runs.entry(version).or_default().push(run);
                Place::Run((*name).to_owned(), version)
            }
            ["==", "end", ..] | [] => Place::Nowhere,
            _ if text.lines().count() == number && !text.ends_with('\n') => Place::Nowhere,
            _ => return Err(wrong(number, line)),
        };
    }
    Ok(())
}

fn wrong(number: usize, line: &str) -> String {
    format!("line {number} is '{line}', expected '| …', '== run …', '== build …' or '== machine'")
}

/// Reads one file of records, or all `*.txt` files of a folder in the order of their names.
pub fn read(path: &Path) -> Result<Records, String> {
    let mut records = Records::default();
    let files = match path.is_dir() {
        true => crate::workspace::files(path, &["txt"])?,
        false => vec![path.to_owned()],
    };
    if files.is_empty() {
        return Err(format!("{} contains no file with results", path.display()));
    }
    for file in files {
        let bytes =
            std::fs::read(&file).map_err(|e| format!("cannot read {}: {e}", file.display()))?;
        parse(&String::from_utf8_lossy(&bytes), &mut records)
            .map_err(|why| format!("{}: {why}", file.display()))?;
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_survive_the_disk() {
        let run = || Run {
            status: 0,
            elapsed: 1.25,
            processor: Some(0.5),
            output: "a\n== run x\n\n| b\n".to_owned(),
        };
        let mut records = Records::default();
        let file = text("a", Version::Other, 1, &run()) + &text("a", Version::Sycl, 1, &run());
        parse(&file, &mut records).unwrap();
        assert_eq!(records.programs["a"].of(Version::Other), [run()]);
        parse(&text("a", Version::Sycl, 2, &run()), &mut records).unwrap();
        assert_eq!(records.programs["a"].of(Version::Sycl), [run(), run()]);
    }

    #[test]
    fn files_of_the_script_are_read() {
        let file = "== machine\n| a GPU\n== build x 2\n| x.cu:1: error\n== build y 0\n\
                    == run y other 1 124 9.000 -\n== run y oth";
        let mut records = Records::default();
        parse(file, &mut records).unwrap();
        assert_eq!(records.machine, ["a GPU"]);
        assert_eq!(records.programs["x"].build, Some((2, "x.cu:1: error\n".to_owned())));
        assert_eq!(records.programs["y"].of(Version::Other)[0].status, TIMED_OUT);
        assert_eq!(records.programs["y"].of(Version::Other)[0].processor, None);
    }

    #[test]
    fn other_lines_are_refused() {
        let mut records = Records::default();
        for line in ["x\n", "== run a b 1 0 1 1\n", "== run a sycl 1 x 1 1\n", "== build a\n"] {
            let error = parse(line, &mut records).unwrap_err();
            assert!(error.contains("line 1"), "{error}");
        }
    }
}
