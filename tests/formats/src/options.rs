//! The command line.

use std::path::PathBuf;
use std::time::Duration;

pub const HELP: &str = "\
usage: scythe-fuzz-formats [--target NAME] [--seconds N] [--executions N] [--seed S]
                           [--failures DIR] [--tools FILE] [--input FILE] [--list]

Feeds mutated inputs to every reader of untrusted bytes, or to the one of '--target'. '--list' names
the readers.

Each input starts as one that Scythe's own writers made, and is then changed: bits, bytes, numbers,
lengths, lines, parts of other inputs, and words of the format. Checksums are mostly made valid
again, so that the code behind them runs. An input that reaches new code, or that the reader answers
with a new kind of error, becomes a base for further inputs. 'cargo xtask fuzz formats' therefore
compiles all readers with '-C instrument-coverage', and the process reads its own counters after
each input. A build without this option knows the kinds of errors only.

A finding is a panic, a signal, more than 2 seconds, or more memory than 64 MiB and 64 times the
input. Its input is stored in DIR/NAME, and '--target NAME --input FILE' repeats it.
";

#[derive(Clone, Debug)]
pub struct Options {
    /// The reader, or all readers.
    pub target: Option<String>,
    /// The limits for each reader.
    pub time: Option<Duration>,
    pub executions: Option<u64>,
    pub seed: u64,
    /// The folder of findings.
    pub failures: PathBuf,
    /// The program `scythe-tools`, which some readers are part of.
    pub tools: Option<PathBuf>,
    /// The input to repeat.
    pub input: Option<PathBuf>,
    pub list: bool,
    /// Whether this process is started by another one, to run inputs.
    pub is_worker: bool,
}

impl Options {
    pub fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            target: None,
            time: None,
            executions: None,
            seed: 1,
            failures: std::env::temp_dir().join("scythe-fuzz-formats"),
            tools: None,
            input: None,
            list: false,
            is_worker: false,
        };
        while let Some(name) = words.next() {
            match name.as_str() {
                "--list" => options.list = true,
                "--worker" => options.is_worker = true,
                _ => {
                    let value = words
                        .next()
                        .ok_or_else(|| format!("option '{name}' requires a value\n{HELP}"))?;
                    options.set(&name, value)?;
                }
            }
        }
        if options.time.is_none() && options.executions.is_none() {
            options.time = Some(Duration::from_secs(10));
        }
        Ok(options)
    }

    fn set(&mut self, name: &str, value: String) -> Result<(), String> {
        let number = || {
            value
                .parse::<u64>()
                .map_err(|error| format!("invalid value '{value}' of option '{name}': {error}"))
        };
        match name {
            "--target" => self.target = Some(value),
            "--seconds" => self.time = Some(Duration::from_secs(number()?)),
            "--executions" => self.executions = Some(number()?),
            "--seed" => self.seed = number()?,
            "--failures" => self.failures = value.into(),
            "--tools" => self.tools = Some(value.into()),
            "--input" => self.input = Some(value.into()),
            _ => return Err(format!("unknown option '{name}'\n{HELP}")),
        }
        Ok(())
    }
}
