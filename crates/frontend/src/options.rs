//! The plug-in's arguments: `-fplugin-arg-scythe-KEY=VALUE`.

use std::path::PathBuf;

use scythe_passes::fixed_targets::FixedTarget;

use crate::warnings::Warnings;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Identifies the translation unit: 16 hexadecimal digits.
    pub tu_id: String,
    /// Where the integration header goes.
    pub int_header: Option<PathBuf>,
    /// The pass after which IR is written to `dump_dir`, or `all`.
    pub dump_after: Option<String>,
    pub dump_dir: Option<PathBuf>,
    pub time_passes: bool,
    /// `-fsycl-fixed-targets=`.
    pub fixed_targets: Vec<FixedTarget>,
    /// `-W` options of our own groups.
    pub warnings: Warnings,
}

impl Options {
    /// Reads `KEY=VALUE` arguments; the message names the argument that is wrong.
    pub fn parse(args: &[String]) -> Result<Self, String> {
        let mut options = Self { tu_id: "0".repeat(16), ..Self::default() };
        for arg in args {
            let (key, value) = arg
                .split_once('=')
                .ok_or_else(|| format!("scythe plug-in: argument '{arg}' has no value; expected KEY=VALUE"))?;
            match key {
                "tu-id" => options.tu_id = tu_id(value)?,
                "int-header" => options.int_header = Some(value.into()),
                "dump-after" => options.dump_after = Some(value.into()),
                "dump-dir" => options.dump_dir = Some(value.into()),
                "time-passes" => options.time_passes = value == "1",
                "warning" => options.warnings.add(value)?,
                "mode" if matches!(value, "device" | "host") => {}
                "mode" => return Err(format!("scythe plug-in: mode is '{value}'; expected 'device' or 'host'")),
                _ => {
                    return Err(format!(
                        "scythe plug-in: unknown argument '{key}'; expected tu-id, int-header, dump-after, dump-dir, \
                         time-passes or mode"
                    ));
                }
            }
        }
        Ok(options)
    }
}

fn tu_id(value: &str) -> Result<String, String> {
    if value.len() == 16 && value.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Ok(value.to_ascii_lowercase());
    }
    Err(format!("scythe plug-in: tu-id is '{value}'; expected 16 hexadecimal digits"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(args: &[&str]) -> Result<Options, String> {
        Options::parse(&args.iter().map(|&arg| arg.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn arguments_are_read() {
        let options = parse(&["tu-id=00000000000000AB", "int-header=/x/a=b.h", "mode=device"]).unwrap();
        assert_eq!(options.tu_id, "00000000000000ab");
        assert_eq!(options.int_header.unwrap(), PathBuf::from("/x/a=b.h"));
    }

    #[test]
    fn wrong_arguments_are_named() {
        for (arg, word) in [("tu-id=12", "16"), ("colour=red", "colour"), ("mode=x", "'x'"), ("plain", "plain")] {
            assert!(parse(&[arg]).unwrap_err().contains(word), "{arg}");
        }
    }
}
