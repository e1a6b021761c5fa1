//! The settings of `device-link`, from its options.

use super::cache::Cache;
use super::{ahead_of_time, inputs, provided};
use crate::command_line::Arguments;
use crate::errors::BadValue;
use crate::{Failure, aspect_filter, device_code, files};
use scythe_abi::target::Target;
use scythe_device_config::shell_words;
use scythe_split::{Granted, Imports, Mode, Options};
use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::{Path, PathBuf};

pub struct Settings<'a> {
    pub split: Options,
    /// Options for code that is built at run time.
    pub run_time_options: String,
    /// The number of parts that are compiled at the same time.
    pub jobs: NonZero<usize>,
    pub cache: Option<Cache>,
    /// Options for all CPU targets.
    pub cpu_options: &'a str,
    backend_options: BTreeMap<Target, String>,
    /// The folder for temporary files. It is the folder of the output, so that cleaning up the
    /// output removes them, too.
    pub scratch: PathBuf,
    /// The folder of CUDA, if the user names one.
    pub cuda_path: Option<String>,
    /// The text of the device configuration file.
    configuration: String,
    verbose: bool,
}

impl<'a> Settings<'a> {
    pub fn read(args: &'a Arguments) -> Result<Self, Failure> {
        let split = split_options(args, Mode::default())?;
        let mut backend_options: BTreeMap<Target, String> = BTreeMap::new();
        for value in args.all("backend-options") {
            let (name, options) = value.split_once(':').ok_or_else(|| {
                let (value, expected) = (value.to_owned(), "a target, ':' and options".to_owned());
                Failure::new(&BadValue { option: "backend-options", value, expected })
            })?;
            append(
                backend_options.entry(inputs::target(name, &split.targets)?).or_default(),
                options,
            );
        }
        let mut run_time_options = args.last("compile-opts").unwrap_or_default().to_owned();
        append(
            &mut run_time_options,
            &backend_options.remove(&Target::Generic).unwrap_or_default(),
        );
        let settings = Self {
            split,
            run_time_options,
            jobs: jobs(args)?,
            cache: args.last("cache").map(Cache::open).transpose()?,
            cpu_options: args.last("cpu-opts").unwrap_or_default(),
            backend_options,
            configuration: args
                .last("device-config-file")
                .map_or(Ok(String::new()), files::read_text)?,
            scratch: scratch(args.last("o").unwrap_or_default()),
            cuda_path: args.last("cuda-path").map(str::to_owned),
            verbose: args.has("verbose"),
        };
        // Report errors even if there is nothing to compile. `--cpu-opts` needs no target.
        for &target in [Target::Cpu].iter().chain(settings.backend_options.keys()) {
            if let Some(compiler) = ahead_of_time::compiler(target.family(), &settings) {
                compiler.check(target)?;
            }
        }
        Ok(settings)
    }

    /// Returns the user's options for a target's compiler.
    pub fn option_text(&self, target: Target) -> &str {
        self.backend_options.get(&target).map_or("", String::as_str)
    }

    /// Returns the same options as a list.
    pub fn options_for(&self, target: Target) -> Vec<String> {
        shell_words::split(self.option_text(target))
    }

    /// Returns all settings that images depend on.
    pub fn key_fields(&self) -> Vec<String> {
        let imports = match &self.split.imports {
            Imports::None => "none".to_owned(),
            Imports::Any => "any".to_owned(),
            Imports::Of(symbols) => {
                let mut symbols: Vec<&str> = symbols.iter().map(String::as_str).collect();
                symbols.sort_unstable();
                format!("of {}", symbols.join("\n"))
            }
        };
        vec![
            format!("{:?} {}", self.split.mode, self.split.export),
            imports,
            self.run_time_options.clone(),
            self.cpu_options.to_owned(),
            format!("{:?}", self.backend_options),
            self.configuration.clone(),
        ]
    }

    pub fn is_verbose(&self) -> bool {
        self.verbose
    }

    /// Prints a message with `--verbose`.
    pub fn tell(&self, what: std::fmt::Arguments<'_>) {
        if self.verbose {
            eprintln!("device-link: {what}");
        }
    }
}

/// Reads `--split`, `--export`, `--provided-by` and `--allow-undefined`, for all tools with these
/// options.
pub fn split_options(args: &Arguments, default: Mode) -> Result<Options, Failure> {
    Ok(Options {
        mode: args.last("split").map_or(Ok(default), device_code::mode)?,
        export: args.has("export"),
        imports: imports(args)?,
        foreign: false,
        // The driver has printed the warnings about this file.
        targets: aspect_filter::configuration(args.last("device-config-file"), false)?,
        granted: Granted::default(),
    })
}

/// Returns the folder of an output. For devices and standard output, returns the system's temporary
/// folder.
fn scratch(output: &str) -> PathBuf {
    let plain = Some(output).filter(|output| *output != "-" && !output.starts_with("/dev/"));
    match plain.map(|output| Path::new(output).parent().unwrap_or(Path::new(""))) {
        // Compilers run in other folders, where a relative path would have another meaning.
        Some(folder) => std::path::absolute(folder.join(".")).unwrap_or_else(|_| folder.to_owned()),
        None => std::env::temp_dir(),
    }
}

fn append(options: &mut String, more: &str) {
    if !options.is_empty() && !more.is_empty() {
        options.push(' ');
    }
    options.push_str(more);
}

fn imports(args: &Arguments) -> Result<Imports, Failure> {
    let provided = provided::symbols(args.all("provided-by"))?;
    Ok(match args.has("allow-undefined") {
        true => Imports::Any,
        false if provided.is_empty() => Imports::None,
        false => Imports::Of(provided),
    })
}

fn jobs(args: &Arguments) -> Result<NonZero<usize>, Failure> {
    match args.last("jobs") {
        None => Ok(std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN)),
        Some(text) => text.parse().map_err(|_| {
            let expected = "the number of jobs, which is at least 1".to_owned();
            Failure::new(&BadValue { option: "jobs", value: text.to_owned(), expected })
        }),
    }
}
