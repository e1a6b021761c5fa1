//! The arguments of the plug-in: `-fplugin-arg-scythe-KEY=VALUE`.

use std::path::PathBuf;

use scythe_abi::checks::Checks;
use scythe_device_config::Table;
use scythe_diag::{Diagnostic, Location, Report};
use scythe_passes::fixed_targets::FixedTarget;

use crate::annotate::{NAMED_SUB_GROUP_SIZE, REQUIRED_SUB_GROUP_SIZE};
use crate::errors::parts::PluginArgument;
use crate::errors::{FixedTarget as UnknownTarget, Plugin};
use crate::facts::{Attribute, Loc};
use crate::warnings::Warnings;

/// The keys of the arguments.
pub const KEYS: [&str; 14] = [
    "tu-id",
    "int-header",
    "functors",
    "dump-after",
    "dump-dir",
    "time-passes",
    "warning",
    "fixed-targets",
    "device-config-file",
    "default-sub-group-size",
    "checks",
    "mode",
    "make-header",
    "use-header",
];

/// The part of a pass in the driver's header cache.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum HeaderCache {
    /// The pass has no part in it. It may read a precompiled header of the user.
    #[default]
    None,
    /// The pass makes a precompiled header and writes the types with aspects to this file. The
    /// header must define nothing else that units report.
    Make(PathBuf),
    /// The pass reads a precompiled header and this file. It need not visit the declarations of the
    /// header.
    Use(PathBuf),
}

/// Makes the error of a wrong argument.
pub fn wrong(argument: PluginArgument) -> Diagnostic<Loc> {
    Plugin { argument }.report()
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The identifier of the translation unit: 16 hexadecimal digits.
    pub tu_id: String,
    /// The file for the layouts of functors.
    pub functors: Option<PathBuf>,
    /// The file for the integration header.
    pub int_header: Option<PathBuf>,
    /// The pass after which the IR is written to `dump_dir`, or `all`.
    pub dump_after: Option<String>,
    pub dump_dir: Option<PathBuf>,
    pub time_passes: bool,
    /// The targets of `-fsycl-fixed-targets=`.
    pub fixed_targets: Vec<FixedTarget>,
    /// The attribute of functions that specify no sub-group size.
    pub sub_group_size: Option<Attribute>,
    /// The checks that the compiler for the CPU adds to kernels.
    pub checks: Checks,
    /// The `-W` options of Scythe's groups.
    pub warnings: Warnings,
    pub header_cache: HeaderCache,
}

impl Options {
    /// Reads `KEY=VALUE` arguments. The error names the wrong argument.
    pub fn parse(args: &[String]) -> Result<Self, Diagnostic<Loc>> {
        let mut options = Self { tu_id: "0".repeat(16), ..Self::default() };
        let (mut targets, mut configuration) = (None, None);
        for arg in args {
            let (key, value) =
                arg.split_once('=').ok_or_else(|| wrong(PluginArgument::NoValue(arg.clone())))?;
            match key {
                "tu-id" => options.tu_id = tu_id(value)?,
                "functors" => options.functors = Some(value.into()),
                "int-header" => options.int_header = Some(value.into()),
                "dump-after" => options.dump_after = Some(value.into()),
                "dump-dir" => options.dump_dir = Some(value.into()),
                "time-passes" => options.time_passes = value == "1",
                "warning" => options.warnings.add(value)?,
                "default-sub-group-size" => options.sub_group_size = sub_group_size(value)?,
                "checks" => options.checks = Checks::from_names(value),
                "fixed-targets" => targets = Some(value),
                "device-config-file" => configuration = Some(value),
                "make-header" => options.header_cache = HeaderCache::Make(value.into()),
                "use-header" => options.header_cache = HeaderCache::Use(value.into()),
                "mode" if matches!(value, "device" | "host") => {}
                "mode" => return Err(wrong(PluginArgument::Mode(value.to_owned()))),
                _ => return Err(wrong(PluginArgument::UnknownKey(key.to_owned()))),
            }
        }
        if let Some(list) = targets {
            options.fixed_targets = fixed_targets(list, configuration)?;
        }
        Ok(options)
    }
}

/// Returns the attribute for a number or a name. `automatic` leaves the choice to the device, as no
/// attribute does.
fn sub_group_size(value: &str) -> Result<Option<Attribute>, Diagnostic<Loc>> {
    let attribute = |name: &str| Attribute { name: name.to_owned(), ..Attribute::default() };
    match (value, value.parse::<u32>()) {
        ("primary" | "automatic", _) => {
            Ok(Some(Attribute { text: Some(value.to_owned()), ..attribute(NAMED_SUB_GROUP_SIZE) }))
        }
        (_, Ok(size)) if size > 0 => {
            let values = vec![size.into()];
            Ok(Some(Attribute { values, ..attribute(REQUIRED_SUB_GROUP_SIZE) }))
        }
        _ => Err(wrong(PluginArgument::SubGroupSize(value.to_owned()))),
    }
}

fn tu_id(value: &str) -> Result<String, Diagnostic<Loc>> {
    if value.len() == 16 && value.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Ok(value.to_ascii_lowercase());
    }
    Err(wrong(PluginArgument::UnitId(value.to_owned())))
}

/// Returns the targets of a list, each once, with the facts of the device configuration. Warnings
/// about a user's file are ignored: the driver reports them.
fn fixed_targets(
    list: &str,
    configuration: Option<&str>,
) -> Result<Vec<FixedTarget>, Diagnostic<Loc>> {
    let mut table = Table::embedded();
    if let Some(file) = configuration {
        table.extend_with_yaml(file).map_err(without_location)?;
    }
    let mut targets: Vec<FixedTarget> = Vec::new();
    for name in list.split(',').filter(|name| !name.is_empty()) {
        let target = table.lookup(name).ok_or_else(|| {
            UnknownTarget { list: list.to_owned(), target: name.to_owned() }.report()
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

/// Moves the location of an error, which is not in the source, into its message. The error keeps
/// its code.
fn without_location(error: Diagnostic) -> Diagnostic<Loc> {
    let Diagnostic { severity, code, location, message, notes } = error;
    let shown = |location: Option<Location>, message: String| match location {
        Some(location) => format!("{location}: {message}"),
        None => message,
    };
    let message = shown(location, message);
    let error = Diagnostic { severity, code, location: None, message, notes: Vec::new() };
    notes.into_iter().fold(error, |error, note| error.note(shown(note.location, note.message)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(args: &[&str]) -> Result<Options, String> {
        let args: Vec<String> = args.iter().map(|&arg| arg.to_owned()).collect();
        Options::parse(&args).map_err(|error| error.message_with_code())
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
        assert_eq!(
            message,
            "'-fsycl-fixed-targets=mine': unknown target 'mine': '-fsycl-help' lists the targets \
             [scythe-E0161]"
        );
        let missing = parse(&["fixed-targets=mine", "device-config-file=missing.yaml"]);
        assert!(missing.unwrap_err().contains("missing.yaml"));
    }

    #[test]
    fn wrong_arguments_are_named() {
        for (arg, word) in [
            ("tu-id=12", "16"),
            ("colour=red", "colour"),
            ("mode=x", "'x'"),
            ("plain", "plain"),
            ("default-sub-group-size=0", "'0'"),
        ] {
            let message = parse(&[arg]).unwrap_err();
            assert!(message.contains(word) && message.ends_with("[scythe-E0160]"), "{message}");
        }
    }

    #[test]
    fn every_key_is_known() {
        for key in KEYS {
            let message = parse(&[&format!("{key}=?")]).err().unwrap_or_default();
            assert!(!message.contains("unknown argument"), "{message}");
        }
    }
}
