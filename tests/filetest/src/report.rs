//! The command line and the output of a suite. They have the form of Rust's own test harness,
//! because `cargo test` passes the same options to both and `cargo xtask test` counts the results
//! of both.

use crate::suite::Outcome;
use std::time::Instant;

/// The options of the command line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    filters: Vec<String>,
    skipped: Vec<String>,
    exact: bool,
    ignored: bool,
    pub list: bool,
    pub quiet: bool,
    pub threads: usize,
}

impl Options {
    pub(crate) fn parse(args: &[String]) -> Result<Options, String> {
        let threads = std::thread::available_parallelism().map_or(2, |n| n.get());
        let mut options = Options {
            filters: Vec::new(),
            skipped: Vec::new(),
            exact: false,
            ignored: false,
            list: false,
            quiet: false,
            threads,
        };
        let mut rest = args.iter();
        while let Some(arg) = rest.next() {
            let (option, value) =
                arg.split_once('=').map_or((arg.as_str(), None), |(o, v)| (o, Some(v.to_owned())));
            let mut value = || {
                value
                    .clone()
                    .or_else(|| rest.next().cloned())
                    .ok_or_else(|| format!("the option '{arg}' has no value"))
            };
            match option {
                "--list" => options.list = true,
                "--exact" => options.exact = true,
                "--ignored" => options.ignored = true,
                "-q" | "--quiet" => options.quiet = true,
                "--skip" => options.skipped.push(value()?),
                "--test-threads" => {
                    let number = value()?;
                    let right = number.parse().ok().filter(|n| *n > 0);
                    options.threads =
                        right.ok_or_else(|| format!("'{number}' is not a number of threads"))?;
                }
                "--format" | "--color" | "-Z" => drop(value()?),
                "--nocapture" | "--no-capture" | "--include-ignored" | "--show-output" => {}
                _ if arg.starts_with('-') => return Err(format!("unknown option '{arg}'")),
                _ => options.filters.push(arg.clone()),
            }
        }
        Ok(options)
    }

    pub(crate) fn selects(&self, name: &str) -> bool {
        let matches = |filter: &String| {
            if self.exact { name == filter } else { name.contains(filter.as_str()) }
        };
        // File tests are never ignored.
        !self.ignored
            && (self.filters.is_empty() || self.filters.iter().any(matches))
            && !self.skipped.iter().any(matches)
    }
}

/// Counts results and prints them.
pub(crate) struct Report {
    start: Instant,
    quiet: bool,
    passed: usize,
    filtered: usize,
    failures: Vec<String>,
}

impl Report {
    pub(crate) fn new(filtered: usize, quiet: bool) -> Report {
        Report { start: Instant::now(), quiet, passed: 0, filtered, failures: Vec::new() }
    }

    pub(crate) fn add(&mut self, name: &str, result: Outcome) {
        let word = if result.is_ok() { "ok" } else { "FAILED" };
        if !self.quiet || result.is_err() {
            println!("test {name} ... {word}");
        }
        match result {
            Ok(()) => self.passed += 1,
            Err(failure) => self.failures.push(format!("---- {name} ----\n{failure}")),
        }
    }

    /// Prints all failures and the totals. Returns whether all tests passed.
    pub(crate) fn finish(self) -> bool {
        let failed = self.failures.len();
        if failed > 0 {
            println!("\nfailures:\n\n{}", self.failures.join("\n"));
        }
        println!(
            "\ntest result: {}. {} passed; {failed} failed; 0 ignored; 0 measured; {} filtered \
             out; \
             finished in {:.2}s\n",
            if failed == 0 { "ok" } else { "FAILED" },
            self.passed,
            self.filtered,
            self.start.elapsed().as_secs_f64()
        );
        failed == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(args: &[&str]) -> Result<Options, String> {
        Options::parse(&args.iter().map(|&a| a.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn filters_select_by_parts_of_names() {
        let options =
            parse(&["cpu/", "--quiet", "nvptx", "--skip", "maths", "--test-threads=3"]).unwrap();
        assert!(options.selects("cpu/a.ll") && options.selects("nvptx/b.ll"));
        assert!(!options.selects("nvptx/maths.ll") && !options.selects("passes/a.ll"));
        assert_eq!((options.threads, options.quiet, options.list), (3, true, false));
        assert!(!parse(&["a.ll", "--exact"]).unwrap().selects("cpu/a.ll"));
        assert!(parse(&[]).unwrap().selects("anything"));
        assert!(!parse(&["--ignored"]).unwrap().selects("anything"));
    }

    #[test]
    fn unknown_options_are_errors() {
        assert_eq!(parse(&["--bless"]), Err("unknown option '--bless'".into()));
        assert!(parse(&["--test-threads", "0"]).is_err());
        assert!(parse(&["--skip"]).is_err());
    }
}
