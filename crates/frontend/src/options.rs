//! The plug-in's arguments: `-fplugin-arg-scythe-KEY=VALUE`.

use std::path::PathBuf;

use scythe_device_config::Table;
use scythe_passes::fixed_targets::FixedTarget;

use crate::warnings::Warnings;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Identifies the translation unit: 16 hexadecimal digits.
    pub tu_id: String,
    /// Where the layouts of functors go.
    pub functors: Option<PathBuf>,
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
        let (mut targets, mut configuration) = (None, None);
        for arg in args {
            let (key, value) = arg.split_once('=').ok_or_else(|| {
                format!("scythe plug-in: argument '{arg}' has no value; expected KEY=VALUE")
            })?;
            match key {
                "tu-id" => options.tu_id = tu_id(value)?,
                "functors" => options.functors = Some(value.into()),
                "int-header" => options.int_header = Some(value.into()),
                "dump-after" => options.dump_after = Some(value.into()),
                "dump-dir" => options.dump_dir = Some(value.into()),
                "time-passes" => options.time_passes = value == "1",
                "warning" => options.warnings.add(value)?,
                "fixed-targets" => targets = Some(value),
                "device-config-file" => configuration = Some(value),
                "mode" if matches!(value, "device" | "host") => {}
                "mode" => {
                    return Err(format!(
                        "scythe plug-in: mode is '{value}'; expected 'device' or 'host'"
                    ));
                }
                _ => {
                    return Err(format!(
                        "scythe plug-in: unknown argument '{key}'; expected tu-id, int-header, \
                         functors, dump-after, \
                         dump-dir, time-passes, warning, fixed-targets, device-config-file or mode"
                    ));
                }
            }
        }
        if let Some(list) = targets {
            options.fixed_targets = fixed_targets(list, configuration)?;
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

/// The targets of a list, each once, with what the device configuration knows of them. What a
/// user's file says besides errors is for the driver to tell.
fn fixed_targets(list: &str, configuration: Option<&str>) -> Result<Vec<FixedTarget>, String> {
    let mut table = Table::embedded();
    if let Some(file) = configuration {
        table.extend_with_yaml(file).map_err(|error| error.to_string())?;
    }
    let mut targets: Vec<FixedTarget> = Vec::new();
    for name in list.split(',').filter(|name| !name.is_empty()) {
        let target = table.lookup(name).ok_or_else(|| {
            format!("'-fsycl-fixed-targets={list}': no target is called '{name}'")
        })?;
        if targets.iter().all(|known| known.name != target.name) {
            targets.push(FixedTarget {
                name: target.name.to_string(),
                aspects: target.aspects.iter().map(|&aspect| aspect as u32).collect(),
                may_support_other_aspects: target.may_support_other_aspects,
                sub_group_sizes: target.sub_group_sizes.iter().copied().collect(),
                max_work_group_size: target.max_work_group_size,
            });
        }
    }
    Ok(targets)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(args: &[&str]) -> Result<Options, String> {
        Options::parse(&args.iter().map(|&arg| arg.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn arguments_are_read() {
        let options =
            parse(&["tu-id=00000000000000AB", "int-header=/x/a=b.h", "mode=device"]).unwrap();
        assert_eq!(options.tu_id, "00000000000000ab");
        assert_eq!(options.int_header.unwrap(), PathBuf::from("/x/a=b.h"));
    }

    #[test]
    fn fixed_targets_are_looked_up_in_the_configuration() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mine.yaml");
        std::fs::write(&file, "mine:\n  aspects: [gpu, fp16]\n  sub-group-sizes: [8]\n").unwrap();
        let configuration = format!("device-config-file={}", file.display());
        let options = parse(&["fixed-targets=mine,intel_gpu_skl,mine", &configuration]).unwrap();
        let names: Vec<&str> =
            options.fixed_targets.iter().map(|target| target.name.as_str()).collect();
        assert_eq!(names, ["mine", "intel_gpu_skl"]);
        assert_eq!(Vec::from_iter(options.fixed_targets[0].aspects.clone()), [2, 5]);
        let message = parse(&["fixed-targets=mine"]).unwrap_err();
        assert_eq!(message, "'-fsycl-fixed-targets=mine': no target is called 'mine'");
        assert!(
            parse(&["fixed-targets=mine", "device-config-file=missing.yaml"])
                .unwrap_err()
                .contains("missing.yaml")
        );
    }

    #[test]
    fn wrong_arguments_are_named() {
        for (arg, word) in
            [("tu-id=12", "16"), ("colour=red", "colour"), ("mode=x", "'x'"), ("plain", "plain")]
        {
            assert!(parse(&[arg]).unwrap_err().contains(word), "{arg}");
        }
    }
}
