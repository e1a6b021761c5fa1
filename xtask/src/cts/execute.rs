//! Runs the programs of a category and counts their tests. A test that ends the program or exceeds
//! the program's time has failed; the tests after it run in another process.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use super::build::Built;
use super::limits::Limits;
use super::outcome::Outcome;
use super::suite::Suite;
use crate::backend::Backend;
use crate::process::{self, CACHE, Scratch};

/// Runs all programs of a category on a backend.
pub fn run(
    suite: &Suite,
    category: &str,
    built: &Built,
    backend: Backend,
    limits: Limits,
) -> Result<Outcome, String> {
    let start = Instant::now();
    let mut outcome = Outcome {
        not_built: built.not_built.clone(),
        build_seconds: built.seconds,
        ..Outcome::default()
    };
    let scratch = Scratch::new(&format!("cts-{category}"))?;
    let variables = variables(backend, scratch.path())?;
    for program in &built.programs {
        let program =
            Program { suite, name: program, variables: &variables, folder: scratch.path() };
        program.run(limits, start, &mut outcome)?;
    }
    outcome.run_seconds = start.elapsed().as_secs_f64();
    Ok(outcome)
}

/// Returns the variables for `env`. They leave only one device for the suite to choose.
fn variables(backend: Backend, folder: &Path) -> Result<Vec<String>, String> {
    let mut list = vec![format!("{CACHE}={}", folder.join("cache").display())];
    list.push(format!("ONEAPI_DEVICE_SELECTOR={}:*", backend.in_selector()));
    list.extend(backend.driver()?);
    Ok(list)
}

struct Program<'a> {
    suite: &'a Suite,
    name: &'a str,
    variables: &'a [String],
    folder: &'a Path,
}

impl Program<'_> {
    fn run(&self, limits: Limits, start: Instant, outcome: &mut Outcome) -> Result<(), String> {
        let xml = self.folder.join("report.xml");
        let list = self.folder.join("tests");
        let mut left: Option<Vec<String>> = None;
        loop {
            let Some(time) =
                limits.time.checked_sub(start.elapsed()).filter(|t| *t > Duration::ZERO)
            else {
                let rest = left.unwrap_or_else(|| vec![format!("{}: all tests", self.name)]);
                outcome.failed.extend(
                    rest.into_iter().map(|test| (test, "the category's time was over".to_owned())),
                );
                return Ok(());
            };
            let mut command = self.command();
            command.args(["--reporter", "xml", "--out"]).arg(&xml);
            if let Some(tests) = &left {
                write(&list, &tests.iter().map(|t| quoted(t)).collect::<Vec<_>>().join("\n"))?;
                command.arg("--input-file").arg(&list);
            }
            write(&xml, "")?;
            let ended =
                process::watched(&mut command, Limits { time, ..limits }.watch(Some(&xml)))?;
            let text =
                std::fs::read(&xml).map_err(|e| format!("cannot read {}: {e}", xml.display()))?;
            let report = Report::parse(&String::from_utf8_lossy(&text));
            let mut done: Vec<String> = Vec::new();
            for (test, result) in report.tests {
                match result {
                    Verdict::Passed => outcome.passed += 1,
                    Verdict::Skipped => outcome.skipped += 1,
                    Verdict::Failed(why) => outcome.failed.push((test.clone(), why)),
                }
                done.push(test);
            }
            if report.complete {
                return Ok(());
            }
            let why = ended.stopped.clone().unwrap_or_else(|| last_line(&ended));
            let all = match left.take() {
                Some(tests) => tests,
                None => self.tests()?,
            };
            match report.unfinished {
                Some(test) => {
                    outcome.failed.push((test.clone(), format!("ended the program: {why}")));
                    done.push(test);
                }
                None if done.is_empty() => {
                    // The program ended before the first test, and would do so again.
                    let rest = all
                        .into_iter()
                        .map(|test| (test, format!("the program did not start: {why}")));
                    outcome.failed.extend(rest);
                    return Ok(());
                }
                None => {}
            }
            let rest: Vec<String> = all.into_iter().filter(|t| !done.contains(t)).collect();
            if rest.is_empty() {
                return Ok(());
            }
            left = Some(rest);
        }
    }

    fn command(&self) -> Command {
        let mut command = Command::new("env");
        command
            .args(self.variables)
            .arg(self.suite.build.join("bin").join(self.name))
            .current_dir(self.folder);
        command
    }

    /// Returns the names of all tests of the program.
    fn tests(&self) -> Result<Vec<String>, String> {
        let mut command = self.command();
        let text = process::output(command.args(["--list-tests", "--verbosity", "quiet"]))?;
        Ok(text.lines().map(str::trim).filter(|l| !l.is_empty()).map(str::to_owned).collect())
    }
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|e| format!("cannot write {}: {e}", path.display()))
}

/// Quotes a name for Catch2, which reads it from a file.
fn quoted(test: &str) -> String {
    format!("\"{}\"", test.replace('\\', "\\\\").replace('"', "\\\""))
}

fn last_line(ended: &process::Outcome) -> String {
    let lines = ended.stderr.lines().chain(ended.stdout.lines());
    let said = lines
        .rev()
        .find(|l| !l.trim().is_empty())
        .map(|l| l.trim().chars().take(200).collect::<String>());
    said.unwrap_or_else(|| format!("exit status {:?}", ended.status))
}

/// Returns the beginning and the end of a text. Kernel names, which are long, often precede the
/// message.
fn shortened(text: &str) -> String {
    const BEGINNING: usize = 120;
    const END: usize = 300;
    let characters: Vec<char> = text.chars().collect();
    if characters.len() <= BEGINNING + END {
        return text.to_owned();
    }
    let part = |range: &[char]| range.iter().collect::<String>();
    format!("{} … {}", part(&characters[..BEGINNING]), part(&characters[characters.len() - END..]))
}

#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Passed,
    Skipped,
    Failed(String),
}

/// The contents of a file of Catch2's XML reporter, which may be truncated.
#[derive(Debug, Default, PartialEq, Eq)]
struct Report {
    tests: Vec<(String, Verdict)>,
    /// The test that was running at the end of the file.
    unfinished: Option<String>,
    /// Whether the file is complete.
    complete: bool,
}

impl Report {
    fn parse(xml: &str) -> Report {
        let mut report = Report::default();
        let mut lines = xml.lines().map(str::trim);
        let mut why = None;
        while let Some(line) = lines.next() {
            if line.starts_with("<TestCase ") {
                report.unfinished = attribute(line, "name");
                why = None;
            } else if line.starts_with("<OverallResult ") {
                let Some(test) = report.unfinished.take() else { continue };
                let verdict = if attribute(line, "success").as_deref() != Some("true") {
                    Verdict::Failed(
                        why.take().unwrap_or_else(|| "failed without an error message".to_owned()),
                    )
                } else if attribute(line, "skips").is_some_and(|n| n != "0") {
                    Verdict::Skipped
                } else {
                    Verdict::Passed
                };
                report.tests.push((test, verdict));
            } else if line.starts_with("</Catch2TestRun>") {
                report.complete = true;
            } else if ["<Expression ", "<Failure ", "<Exception ", "<FatalErrorCondition "]
                .iter()
                .any(|e| line.starts_with(e))
                && attribute(line, "success").as_deref() != Some("true")
                && (why.is_none() || line.starts_with("<Exception "))
            {
                let place = place(line);
                let first =
                    lines.find(|l| !l.starts_with('<') || l.starts_with("</")).unwrap_or_default();
                let more = lines.clone().take_while(|l| !l.starts_with('<'));
                let text = std::iter::once(first).chain(more).collect::<Vec<_>>().join(" ");
                why = Some(format!("{place}: {}", shortened(&unescaped(&text))));
            }
        }
        report
    }
}

/// Returns `file:line` of an element.
fn place(line: &str) -> String {
    let file = attribute(line, "filename").unwrap_or_default();
    format!(
        "{}:{}",
        file.rsplit('/').next().unwrap_or(&file),
        attribute(line, "line").unwrap_or_default()
    )
}

fn attribute(line: &str, name: &str) -> Option<String> {
    let from = line.find(&format!(" {name}=\""))? + name.len() + 3;
    let to = from + line[from..].find('"')?;
    Some(unescaped(&line[from..to]))
}

fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&apos;", "'")
        .replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    const XML: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<Catch2TestRun name="x" rng-seed="1">
  <TestCase name="one &lt;int>" tags="[a]" filename="/s/a.cpp" line="1">
    <OverallResult success="true" skips="0"/>
  </TestCase>
  <TestCase name="two" filename="/s/a.cpp" line="9">
    <Section name="s" filename="/s/a.cpp" line="10">
      <Expression success="false" type="CHECK" filename="/s/a.cpp" line="12">
        <Original>
          a &lt; b
        </Original>
        <Expanded>
          2 &lt; 1
        </Expanded>
      </Expression>
      <OverallResults successes="0" failures="1" expectedFailures="0" skipped="false"/>
    </Section>
    <OverallResult success="false" skips="0"/>
  </TestCase>
  <TestCase name="three" filename="/s/a.cpp" line="20">
    <Skip filename="/s/a.cpp" line="21">
      no fp64
    </Skip>
    <OverallResult success="true" skips="1"/>
  </TestCase>
  <TestCase name="four" filename="/s/a.cpp" line="30">
"#;

    #[test]
    fn tests_are_counted_up_to_where_the_program_died() {
        let report = Report::parse(XML);
        let expected = [
            ("one <int>".to_owned(), Verdict::Passed),
            ("two".to_owned(), Verdict::Failed("a.cpp:12: a < b".to_owned())),
            ("three".to_owned(), Verdict::Skipped),
        ];
        assert_eq!(report.tests, expected);
        assert_eq!(report.unfinished.as_deref(), Some("four"));
        assert!(!report.complete);
    }

    #[test]
    fn a_whole_report_is_complete() {
        let xml = format!(
            "{XML}    <OverallResult success=\"true\" skips=\"0\"/>\n  \
             </TestCase>\n</Catch2TestRun>\n"
        );
        let report = Report::parse(&xml);
        assert_eq!((report.tests.len(), report.unfinished, report.complete), (4, None, true));
    }

    #[test]
    fn long_messages_keep_both_ends() {
        let xml = format!(
            "<TestCase name=\"long\">\n<Exception filename=\"/s/a.cpp\" line=\"3\">\nkernel '{}' \
             on a\ndevice: build failed\n\
             </Exception>\n<OverallResult success=\"false\" skips=\"0\"/>\n",
            "x".repeat(1000)
        );
        let Report { tests, .. } = Report::parse(&xml);
        let Verdict::Failed(why) = &tests[0].1 else { panic!("{tests:?}") };
        assert!(
            why.starts_with("a.cpp:3: kernel 'xxx")
                && why.ends_with("xxx' on a device: build failed"),
            "{why}"
        );
        assert!(why.chars().count() < 450, "{why}");
    }

    #[test]
    fn names_survive_the_file_of_names() {
        assert_eq!(quoted(r#"a "b" \c"#), r#""a \"b\" \\c""#);
    }
}
