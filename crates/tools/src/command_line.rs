//! The command lines of all tools. Options are rows of data, which the parser and `--help` use.
//!
//! An option has one or two dashes. Its value follows after `=` or as the next argument. The parser
//! keeps the order of options and inputs, because some options apply to the inputs after them.
//! `@FILE` stands for the arguments in `FILE`, one per line.

use crate::Failure;
use crate::errors::{
    MissingOption, MissingValue, NoInput, SeveralInputs, UnexpectedValue, UnknownOption,
};
use std::fmt::Write;

/// An option.
pub struct Opt {
    pub name: &'static str,
    /// The name of the value in the help text, or `None` for a switch.
    pub value: Option<&'static str>,
    pub help: &'static str,
}

/// The command line of a tool.
pub struct Syntax {
    pub tool: &'static str,
    pub summary: &'static str,
    /// The inputs in the usage line.
    pub inputs: &'static str,
    pub options: &'static [Opt],
    /// Text at the end of the help text.
    pub notes: &'static str,
}

/// An argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// An option and its value. The value of a switch is empty.
    Option(&'static str, String),
    Input(String),
}

/// The arguments of a command line that fits its [`Syntax`], in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arguments(pub Vec<Argument>);

/// The request of a command line.
#[derive(Debug)]
pub enum Request {
    Run(Arguments),
    Help(String),
}

impl Syntax {
    pub fn help(&self) -> String {
        let mut text = format!(
            "{}\n\nusage: {} [options] {}\n\noptions:\n",
            self.summary, self.tool, self.inputs
        );
        let spelled = |option: &Opt| match option.value {
            Some(_) if option.name == "o" => "-o FILE".to_owned(),
            Some(value) => format!("--{}={value}", option.name),
            None => format!("--{}", option.name),
        };
        let width = self
            .options
            .iter()
            .map(|option| spelled(option).len())
            .max()
            .unwrap_or(0)
            .max("--help".len());
        for option in self.options {
            writeln!(text, "  {:width$}  {}", spelled(option), option.help)
                .expect("a string takes all that is written");
        }
        writeln!(text, "  {:width$}  print this text", "--help")
            .expect("a string takes all that is written");
        if !self.notes.is_empty() {
            write!(text, "\n{}\n", self.notes).expect("a string takes all that is written");
        }
        text
    }

    pub fn parse(&self, args: &[String]) -> Result<Request, Failure> {
        let mut parsed = Arguments::default();
        let mut args = expand(args)?.into_iter();
        let mut only_inputs = false;
        while let Some(arg) = args.next() {
            if only_inputs || arg == "-" || !arg.starts_with('-') {
                parsed.0.push(Argument::Input(arg));
                continue;
            }
            let text = arg.trim_start_matches('-');
            if text.is_empty() {
                only_inputs = true;
                continue;
            }
            let (name, value) = match text.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (text, None),
            };
            if matches!(name, "help" | "h") && value.is_none() {
                return Ok(Request::Help(self.help()));
            }
            let Some(option) = self.options.iter().find(|option| option.name == name) else {
                return Err(Failure::new(&UnknownOption { option: arg, tool: self.tool }));
            };
            let value = match (option.value, value) {
                (None, None) => String::new(),
                (None, Some(value)) => {
                    return Err(Failure::new(&UnexpectedValue { option: name.to_owned(), value }));
                }
                (Some(_), Some(value)) => value,
                (Some(expected), None) => args
                    .next()
                    .ok_or_else(|| Failure::new(&MissingValue { option: arg.clone(), expected }))?,
            };
            parsed.0.push(Argument::Option(option.name, value));
        }
        Ok(Request::Run(parsed))
    }
}

fn expand(args: &[String]) -> Result<Vec<String>, Failure> {
    let mut out = Vec::new();
    for arg in args {
        match arg.strip_prefix('@') {
            Some(file) => out.extend(crate::files::read_text(file)?.lines().map(str::to_owned)),
            None => out.push(arg.clone()),
        }
    }
    Ok(out)
}

impl Arguments {
    /// Returns all values of an option, in order.
    pub fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(move |argument| match argument {
            Argument::Option(option, value) if *option == name => Some(value.as_str()),
            _ => None,
        })
    }

    /// Returns the last value of an option.
    pub fn last(&self, name: &str) -> Option<&str> {
        self.all(name).last()
    }

    pub fn has(&self, name: &str) -> bool {
        self.last(name).is_some()
    }

    /// Returns the value of a required option.
    pub fn required(&self, name: &str) -> Result<&str, Failure> {
        let dashes = if name.len() == 1 { "-" } else { "--" };
        let missing = || MissingOption { option: format!("'{dashes}{name}'") };
        self.last(name).ok_or_else(|| Failure::new(&missing()))
    }

    pub fn inputs(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|argument| match argument {
            Argument::Input(input) => Some(input.as_str()),
            Argument::Option(..) => None,
        })
    }

    /// Returns the only input.
    pub fn only_input(&self) -> Result<&str, Failure> {
        let mut inputs = self.inputs();
        match (inputs.next(), inputs.next()) {
            (Some(input), None) => Ok(input),
            (None, _) => Err(Failure::new(&NoInput { expected: "one" })),
            (Some(first), Some(second)) => Err(Failure::new(&SeveralInputs {
                first: first.to_owned(),
                second: second.to_owned(),
            })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SYNTAX: Syntax = Syntax {
        tool: "tool",
        summary: "Does things.",
        inputs: "FILE…",
        options: &[
            Opt { name: "o", value: Some("FILE"), help: "the output" },
            Opt { name: "target", value: Some("TRIPLE"), help: "for the inputs that follow" },
            Opt { name: "list", value: None, help: "list" },
        ],
        notes: "",
    };

    fn parse(args: &[&str]) -> Result<Arguments, String> {
        let args: Vec<String> = args.iter().map(|&arg| arg.to_owned()).collect();
        match SYNTAX.parse(&args) {
            Ok(Request::Run(arguments)) => Ok(arguments),
            Ok(Request::Help(text)) => Err(text),
            Err(failure) => Err(failure.to_string()),
        }
    }

    #[test]
    fn every_way_to_write_an_option_means_the_same() {
        let expected = parse(&["-o", "out", "--list"]).unwrap();
        for args in [&["-o=out", "-list"][..], &["--o", "out", "-list"], &["--o=out", "--list"]] {
            assert_eq!(parse(args).unwrap(), expected);
        }
    }

    #[test]
    fn order_is_kept() {
        let args = parse(&["-target=a", "1", "-target=b", "2", "--", "-list"]).unwrap();
        use Argument::{Input, Option};
        let input = |text: &str| Input(text.into());
        let option = |value: &str| Option("target", value.into());
        assert_eq!(args.0, [option("a"), input("1"), option("b"), input("2"), input("-list")]);
    }

    #[test]
    fn mistakes_are_named() {
        assert_eq!(
            parse(&["-x"]).unwrap_err(),
            "error: unknown option '-x' (see tool --help) [scythe-E0303]"
        );
        assert_eq!(
            parse(&["-list=1"]).unwrap_err(),
            "error: option '--list' takes no value, found '1' [scythe-E0304]"
        );
        assert_eq!(
            parse(&["-o"]).unwrap_err(),
            "error: option '-o' needs a value: FILE [scythe-E0305]"
        );
        assert_eq!(
            parse(&["@/nowhere"]).unwrap_err(),
            "/nowhere: error: cannot read: No such file or directory [scythe-E0331]"
        );
    }

    #[test]
    fn help_lists_the_options() {
        let text = parse(&["--help"]).unwrap_err();
        assert!(text.starts_with("Does things.\n\nusage: tool [options] FILE…\n"), "{text}");
        assert!(text.contains("  -o FILE          the output\n"), "{text}");
    }
}
