//! The directives of end-to-end programs. `cargo xtask test e2e` compiles and runs these programs
//! in several ways, so their directives restrict these ways instead of naming commands.
//!
//! The directives are in the comments at the head of a source.

use crate::directive::directives;
use crate::parse::{Defect, Malformed};

const KEYS: [&str; 9] =
    ["MODES", "LEVELS", "FLAGS", "ARGS", "OUTPUT", "VALGRIND", "BACKENDS", "AHEAD", "COMPILER"];
const LEVELS: [&str; 4] = ["O0", "O1", "O2", "O3"];
/// The backends. `opencl-objects` is OpenCL without shared memory, in addition to `opencl`.
const BACKENDS: [&str; 4] = ["cpu", "opencl", "opencl-objects", "cuda"];

/// A way to compile a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// `scythe -fsycl`.
    Device,
    /// g++ alone.
    Host,
    /// `scythe -fsycl` with g++ as host compiler.
    Gxx,
}

/// The directives at the head of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    pub modes: Vec<Mode>,
    /// Optimisation levels of the device mode.
    pub levels: Vec<String>,
    /// Additional compiler options.
    pub flags: Vec<String>,
    pub args: Vec<String>,
    /// Texts that the output must contain.
    pub output: Vec<String>,
    pub backends: Vec<String>,
    /// Whether the program may be compiled ahead of time for GPUs.
    pub ahead: bool,
    /// Whether the program calls the installed compiler when it runs.
    pub compiler: bool,
    /// The arguments under valgrind, or `None` if the program does not run under valgrind.
    pub valgrind_args: Option<Vec<String>>,
}

impl Mode {
    const ALL: [Mode; 3] = [Mode::Device, Mode::Host, Mode::Gxx];

    pub fn name(self) -> &'static str {
        match self {
            Mode::Device => "device",
            Mode::Host => "host",
            Mode::Gxx => "gxx",
        }
    }
}

impl Program {
    pub fn parse(text: &str) -> Result<Program, Malformed> {
        let head = text.lines().take_while(|line| line.starts_with("//")).count();
        let mut program = Program {
            modes: Mode::ALL.to_vec(),
            levels: ["O0", "O2"].map(str::to_owned).to_vec(),
            flags: Vec::new(),
            args: Vec::new(),
            output: Vec::new(),
            backends: ["cpu", "opencl", "cuda"].map(str::to_owned).to_vec(),
            ahead: true,
            compiler: false,
            valgrind_args: None,
        };
        let mut seen: Vec<&str> = Vec::new();
        let mut valgrind = None;
        for directive in directives(text) {
            let (line, key, value) = (directive.line, directive.key, directive.value);
            let wrong = |defect| Malformed { line, defect };
            match KEYS.contains(&key) {
                // Code may contain other words in upper case. The head contains only directives.
                false if line > head => continue,
                false => return Err(wrong(Defect::Unknown(key.into()))),
                true if line > head => return Err(wrong(Defect::Late(key.into()))),
                true if seen.contains(&key) && key != "OUTPUT" => {
                    return Err(wrong(Defect::Twice(key.into())));
                }
                true if value.is_empty() => return Err(wrong(Defect::Empty(key.into()))),
                true => seen.push(key),
            }
            match key {
                "MODES" => {
                    let names = list(line, key, value, &Mode::ALL.map(Mode::name))?;
                    program.modes = Mode::ALL
                        .into_iter()
                        .filter(|m| names.iter().any(|n| n == m.name()))
                        .collect();
                }
                "LEVELS" => program.levels = list(line, key, value, &LEVELS)?,
                "BACKENDS" => program.backends = list(line, key, value, &BACKENDS)?,
                "FLAGS" => program.flags = words(value),
                "ARGS" => program.args = words(value),
                "OUTPUT" => program.output.push(value.into()),
                "AHEAD" => {
                    program.ahead = list(line, key, value, &["no"])?.iter().all(|word| word != "no")
                }
                "COMPILER" => {
                    program.compiler =
                        list(line, key, value, &["yes"])?.iter().any(|word| word == "yes")
                }
                _ => valgrind = Some((line, value)),
            }
        }
        program.valgrind_args = match valgrind {
            None => Some(program.args.clone()),
            Some((_, "no")) => None,
            Some((line, value)) => match value.strip_prefix("args") {
                Some(args) => Some(words(args)),
                None => return Err(unexpected(line, "VALGRIND", value, &["no", "args ..."])),
            },
        };
        reject_misspelt(text, head)?;
        Ok(program)
    }
}

fn words(value: &str) -> Vec<String> {
    value.split_whitespace().map(str::to_owned).collect()
}

/// Parses a list of words separated by commas, each of which must be in `known`.
fn list(line: usize, key: &str, value: &str, known: &[&str]) -> Result<Vec<String>, Malformed> {
    let all: Vec<&str> = value.split(',').map(str::trim).collect();
    match all.iter().find(|word| !known.contains(word)) {
        Some(word) => Err(unexpected(line, key, word, known)),
        None => Ok(all.into_iter().map(str::to_owned).collect()),
    }
}

fn unexpected(line: usize, key: &str, value: &str, known: &[&str]) -> Malformed {
    let (key, value) = (key.to_owned(), value.to_owned());
    Malformed { line, defect: Defect::Value { key, value, expected: known.join(", ") } }
}

/// Rejects keys in lower case in the head.
fn reject_misspelt(text: &str, head: usize) -> Result<(), Malformed> {
    for (index, line) in text.lines().take(head).enumerate() {
        let Some((word, _)) = line.trim_start_matches('/').split_once(':') else { continue };
        let word = word.trim();
        if let Some(key) = KEYS.iter().find(|key| key.eq_ignore_ascii_case(word) && **key != word) {
            let defect = Defect::Misspelt(format!("{word}:"), (*key).into());
            return Err(Malformed { line: index + 1, defect });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_stand_at_the_head() {
        let text = "// A program: small.\n// MODES: device, host\n// LEVELS: O1\n// ARGS: 1 2\n\
                    // OUTPUT: all good\n// OUTPUT: more\n// VALGRIND: args 3\n// AHEAD: no\n\
                    int main() {}\n// LATER: is prose\n";
        let program = Program::parse(text).unwrap();
        assert_eq!(program.modes, [Mode::Device, Mode::Host]);
        assert_eq!(
            (program.levels, program.args),
            (vec!["O1".to_owned()], vec!["1".to_owned(), "2".to_owned()])
        );
        assert_eq!(program.output, ["all good", "more"]);
        assert_eq!(program.valgrind_args, Some(vec!["3".to_owned()]));
        assert!(!program.ahead);
    }

    #[test]
    fn a_source_without_directives_runs_in_all_modes() {
        let program = Program::parse("int main() {}\n").unwrap();
        assert_eq!((program.modes.len(), program.ahead), (3, true));
        assert_eq!(program.backends, ["cpu", "opencl", "cuda"]);
        assert_eq!(program.valgrind_args, Some(Vec::new()));
        assert_eq!(Program::parse("// VALGRIND: no\n").unwrap().valgrind_args, None);
        assert_eq!(
            Program::parse("// ARGS: 7\n").unwrap().valgrind_args,
            Some(vec!["7".to_owned()])
        );
    }

    #[test]
    fn wrong_directives_are_errors() {
        let message = |text: &str| Program::parse(text).unwrap_err().to_string();
        for (text, expected) in [
            (
                "// MODES: gpu\n",
                "line 1: 'MODES:' has the value 'gpu'; expected one of: device, host, gxx",
            ),
            ("//\n// LEVELS: O9\n", "line 2: 'LEVELS:' has the value 'O9'"),
            (
                "// BACKENDS: cpu,opencl,cude\n",
                "'cude'; expected one of: cpu, opencl, opencl-objects, cuda",
            ),
            ("// VALGRIND: maybe\n", "'maybe'"),
            ("// AHEAD: yes\n", "'yes'"),
            ("// MODE: host\n", "unknown directive 'MODE:'"),
            ("// modes: host\n", "'modes:' is not a directive; write 'MODES:'"),
            ("// ARGS:\n", "'ARGS:' has no value"),
            ("// ARGS: 1\n// ARGS: 2\n", "line 2: 'ARGS:' stands twice"),
            (
                "int main() {}\n// MODES: host\n",
                "line 2: 'MODES:' must stand in the comments at the head",
            ),
        ] {
            let seen = message(text);
            assert!(seen.contains(expected), "{text}: {seen}");
        }
    }
}
