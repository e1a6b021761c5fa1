//! Parses arguments into an [`Invocation`], which keeps options and inputs in the order of the
//! command line.
//!
//! This module does not read the environment. The only file it reads is the device configuration of
//! the user (`-fsycl-device-config-file=`).

use std::collections::VecDeque;
use std::path::Path;

use crate::denormals;
use crate::error::Error;
use crate::flags::{self, Flag, Meaning, Shape, Steps};
use crate::linker_arguments::LinkerArguments;
use crate::own_warnings;
use crate::targets::{Stage, Targets};
use crate::translation;
use scythe_device_config::Table;

/// The kind of output that the invocation produces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A program or library.
    Link,
    /// `-c`.
    Object,
    /// `-S`.
    Assembly,
    /// `-fsyntax-only`.
    Syntax,
    /// `-E`.
    Preprocess,
    /// A precompiled header.
    Precompile,
    /// `-M`, `--analyze`, …: one pass for one side (host or device). clang chooses the output.
    OneSide,
}

/// The folder where `-save-temps` keeps files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SaveTemps {
    CurrentFolder,
    BesideOutput,
}

/// The way in which the driver handles an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// C++, which is compiled for host and device.
    Source,
    /// Another language, which is compiled for the host only.
    HostSource,
    /// A file that goes to the linker. It may contain device code.
    Linkable,
}

/// The SYCL version that `-sycl-std=` selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standard {
    /// SYCL 1.2.1, which is also known by its year, 2017.
    Sycl121,
    Sycl2020,
}

/// The folder where `-fsycl-device-link-cache` keeps results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkCache {
    Default,
    Folder(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    pub path: String,
    pub kind: InputKind,
    /// The language given with `-x`.
    pub language: Option<String>,
}

impl Input {
    /// Returns whether the input is a C++ header by itself, from which clang makes a precompiled
    /// header.
    pub fn is_header(&self) -> bool {
        match self.language.as_deref() {
            Some(language) => language == "c++-header",
            None => matches!(extension(&self.path), Some("h" | "hh" | "hpp" | "hxx" | "H" | "h++")),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    Option { words: Vec<String>, steps: Steps, meaning: Meaning },
    Input(Input),
}

/// An option that is an error with `-fsycl`.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Wrong {
    Refused { option: String, reason: &'static str },
    Unknown { option: String },
}

/// A parsed command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    pub sycl: bool,
    pub targets: Targets,
    pub mode: Mode,
    pub device_only: bool,
    pub host_only: bool,
    pub emit_llvm: bool,
    /// `--precompile`.
    precompile: bool,
    /// `-Xclang -emit-pch`.
    emit_precompiled: bool,
    pub output: Option<String>,
    /// `-MF`.
    pub dependency_output: Option<String>,
    pub host_compiler: Option<String>,
    linker_arguments: LinkerArguments,
    pub host_compiler_options: Vec<String>,
    pub int_header: Option<String>,
    pub code_split: Option<String>,
    pub clang: Option<String>,
    pub dump_after: Option<String>,
    pub dump_dir: Option<String>,
    pub time_passes: bool,
    /// The value of `-ftime-trace`.
    pub time_trace: Option<String>,
    pub save_temps: Option<SaveTemps>,
    pub standard: Standard,
    /// `-fsycl-link`.
    pub device_link_only: bool,
    /// `-fsycl-include-folder=` and `-fsycl-quote-folder=`.
    pub include_folder: Option<String>,
    pub quote_folder: Option<String>,
    /// Whether device code of one source can call device code of other sources.
    pub rdc: bool,
    /// `-fsycl-allow-device-image-dependencies`.
    pub image_dependencies: bool,
    pub dump_device_code: Option<String>,
    pub link_jobs: Option<usize>,
    /// `--cuda-path=`.
    pub cuda_path: Option<String>,
    pub compress: bool,
    pub link_cache: Option<LinkCache>,
    /// Whether passes may read precompiled SYCL headers, and the folder of `-fsycl-header-cache=`.
    pub header_cache: bool,
    pub header_cache_folder: Option<String>,
    pub config_file: Option<String>,
    /// The device configuration: the default configuration, overridden by `config_file`.
    pub devices: Table,
    /// Rendered warnings about `config_file`.
    pub config_warnings: Vec<String>,
    /// `-fsycl-default-sub-group-size=`.
    pub sub_group_size: Option<String>,
    /// Whether the link includes the SYCL runtime.
    pub runtime: bool,
    /// The last `-fsycl-device-obj=` with a form other than LLVM bitcode, as the user wrote it.
    device_form: Option<String>,
    /// `-fsycl-check-accessors`.
    pub check_accessors: bool,
    /// Options without effect, as the user wrote them.
    pub ignored: Vec<String>,
    /// The first option that is an error with `-fsycl`.
    wrong: Option<Wrong>,
    /// `-###`.
    pub show_plan: bool,
    /// `--print-plan`.
    pub print_plan: bool,
    pub verbose: bool,
    pub help: bool,
    /// `-fsycl-help`.
    pub sycl_help: bool,
    pub version: bool,
    pub query: bool,
    pub items: Vec<Item>,
}

impl Invocation {
    fn empty() -> Self {
        Self {
            sycl: false,
            targets: Targets::default(),
            mode: Mode::Link,
            device_only: false,
            host_only: false,
            emit_llvm: false,
            precompile: false,
            emit_precompiled: false,
            output: None,
            dependency_output: None,
            host_compiler: None,
            linker_arguments: LinkerArguments::default(),
            host_compiler_options: Vec::new(),
            int_header: None,
            code_split: None,
            clang: None,
            dump_after: None,
            dump_dir: None,
            time_passes: false,
            time_trace: None,
            save_temps: None,
            standard: Standard::Sycl2020,
            device_link_only: false,
            include_folder: None,
            quote_folder: None,
            rdc: true,
            image_dependencies: false,
            dump_device_code: None,
            link_jobs: None,
            cuda_path: None,
            compress: false,
            link_cache: None,
            header_cache: true,
            header_cache_folder: None,
            config_file: None,
            devices: Table::embedded(),
            config_warnings: Vec::new(),
            sub_group_size: None,
            runtime: true,
            device_form: None,
            check_accessors: false,
            ignored: Vec::new(),
            wrong: None,
            show_plan: false,
            print_plan: false,
            verbose: false,
            help: false,
            sycl_help: false,
            version: false,
            query: false,
            items: Vec::new(),
        }
    }

    /// Whether the output is a file of device images, for the runtime: `-fsycl-device-only` with
    /// `-fsycl-link`.
    pub fn device_images(&self) -> bool {
        self.device_only && self.device_link_only && self.mode == Mode::Link
    }

    /// Returns the words for the folders that device passes search first.
    pub fn first_folders(&self) -> Vec<String> {
        let quote = self.quote_folder.iter().map(|folder| format!("-iquote{folder}"));
        quote.chain(self.include_folder.iter().map(|folder| format!("-I{folder}"))).collect()
    }

    pub fn inputs(&self) -> impl Iterator<Item = &Input> {
        self.items.iter().filter_map(|i| match i {
            Item::Input(input) => Some(input),
            Item::Option { .. } => None,
        })
    }

    /// Returns the words of all options that reach `step`, in order.
    pub fn options_for(&self, step: Steps) -> Vec<String> {
        self.options_with(step, |_, _, _| None)
    }

    /// Like [`Self::options_for`], but `replace` may return other words for an option. Its
    /// arguments are the index of the option among the items, the words of the option and its
    /// meaning.
    pub fn options_with(
        &self,
        step: Steps,
        replace: impl Fn(usize, &[String], Meaning) -> Option<Vec<String>>,
    ) -> Vec<String> {
        let reach = self.items.iter().enumerate().filter_map(|(at, item)| match item {
            Item::Option { words, steps, meaning } if steps.contains(step) => {
                Some(replace(at, words, *meaning).unwrap_or_else(|| words.clone()))
            }
            _ => None,
        });
        reach.flatten().filter_map(|word| own_warnings::for_step(&word, step)).collect()
    }

    /// Returns whether `-Xclang -emit-pch` was given, which makes a precompiled header from any
    /// source.
    pub fn emits_precompiled(&self) -> bool {
        self.emit_precompiled
    }

    /// Returns the warning options of the device link, in order.
    pub fn device_link_warnings(&self) -> impl Iterator<Item = String> {
        let options = self.items.iter().filter_map(|item| match item {
            Item::Option { words, .. } => Some(&words[0]),
            Item::Input(_) => None,
        });
        options.filter_map(|word| own_warnings::for_device_link(word))
    }

    /// Adds `-Wl,A,B` or `-Xlinker A`. A word that matters to the device link becomes a separate
    /// item.
    fn add_linker_arguments(&mut self, words: &[String], value: &str) {
        let list: Vec<&str> =
            if words.len() == 1 { value.split(',').collect() } else { vec![value] };
        let meanings: Vec<Meaning> =
            list.iter().map(|word| self.linker_arguments.meaning(word)).collect();
        if meanings.iter().all(|meaning| *meaning == Meaning::Pass) {
            self.items.push(Item::Option {
                words: words.to_vec(),
                steps: Steps::LINK,
                meaning: Meaning::Pass,
            });
            return;
        }
        for (word, meaning) in list.iter().zip(meanings) {
            let words = match words.len() {
                1 => vec![format!("-Wl,{word}")],
                _ => vec![words[0].clone(), (*word).to_owned()],
            };
            self.items.push(Item::Option { words, steps: Steps::LINK, meaning });
        }
    }

    /// Adds the static libraries that options name to the inputs of a link. Invocations that do not
    /// link ignore these options.
    fn place_libraries(&mut self) {
        let linking = self.mode == Mode::Link && !self.device_only;
        let mut items = Vec::with_capacity(self.items.len());
        for item in std::mem::take(&mut self.items) {
            let Item::Option { words, meaning, .. } = &item else {
                items.push(item);
                continue;
            };
            let whole = *meaning == Meaning::OffloadWholeLibrary;
            if !whole && *meaning != Meaning::OffloadLibrary {
                items.push(item);
            } else if linking {
                let option = |word: &str| Item::Option {
                    words: vec![word.to_owned()],
                    steps: Steps::LINK,
                    meaning: Meaning::Pass,
                };
                let library =
                    Input { path: words.concat(), kind: InputKind::Linkable, language: None };
                items.extend(whole.then(|| option("-Wl,--whole-archive")));
                items.push(Item::Input(library));
                items.extend(whole.then(|| option("-Wl,--no-whole-archive")));
            }
        }
        self.items = items;
    }

    /// `-fsycl-device-obj=`: objects always contain LLVM bitcode, so the form matters only for the
    /// output of `-fsycl-device-only`.
    fn settle_device_form(&mut self) {
        let Some(option) = self.device_form.take() else { return };
        if !self.device_only {
            return self.ignore(&[option]);
        }
        let reason = "'-fsycl-device-only' writes LLVM bitcode. 'scythe-tools spirv-translate' \
                      translates it to SPIR-V";
        self.refuse(&[option], reason);
    }

    fn ignore(&mut self, words: &[String]) {
        let option = words.join(" ");
        if !self.ignored.contains(&option) {
            self.ignored.push(option);
        }
    }

    fn refuse(&mut self, words: &[String], reason: &'static str) {
        self.wrong.get_or_insert(Wrong::Refused { option: words.join(" "), reason });
    }

    /// Returns whether host objects contain code for link-time optimisation.
    pub fn lto(&self) -> bool {
        let kinds = self.items.iter().rev().filter_map(|item| match item {
            Item::Option { meaning, .. } => Some(*meaning),
            Item::Input(_) => None,
        });
        kinds.into_iter().find(|kind| matches!(kind, Meaning::Lto | Meaning::NoLto))
            == Some(Meaning::Lto)
    }

    /// Returns the words that define macros, in order.
    pub fn macros(&self) -> impl Iterator<Item = &str> {
        let options = self.items.iter().filter_map(|item| match item {
            Item::Option { words, .. } => Some(words),
            Item::Input(_) => None,
        });
        let defines =
            |words: &&Vec<String>| words[0].starts_with("-D") || words[0].starts_with("-U");
        options.filter(defines).flatten().map(String::as_str)
    }

    /// Returns the words of each option with the meaning `wanted`.
    pub fn options(&self, wanted: Meaning) -> impl Iterator<Item = &[String]> {
        self.items.iter().filter_map(move |item| match item {
            Item::Option { words, meaning, .. } if *meaning == wanted => Some(words.as_slice()),
            _ => None,
        })
    }

    /// Returns the words of the last option with the meaning `wanted`.
    pub fn has(&self, wanted: Meaning) -> Option<&[String]> {
        self.items.iter().rev().find_map(|i| match i {
            Item::Option { words, meaning, .. } if *meaning == wanted => Some(words.as_slice()),
            _ => None,
        })
    }
}

/// An option with its value.
pub struct Taken {
    pub flag: &'static Flag,
    /// The words as the user wrote them.
    pub words: Vec<String>,
    pub value: String,
}

impl Taken {
    /// Returns the words that stand for this option, if it is another spelling for them.
    pub fn stands_for(&self) -> Option<Vec<String>> {
        let Meaning::Becomes(words) = self.flag.meaning else { return None };
        let mut words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        if let Some(last) = words.last_mut().filter(|last| last.ends_with('=')) {
            last.push_str(&self.value);
        }
        Some(words)
    }
}

/// Takes the option that begins with `arg`, and its value, from the remaining words.
pub fn take(arg: String, rest: &mut VecDeque<String>) -> Result<Taken, Error> {
    let (flag, joined) = flags::lookup(&arg).unwrap_or((&flags::UNKNOWN, None));
    let follows = match flag.shape {
        Shape::Separate | Shape::JoinedAndSeparate => true,
        Shape::JoinedOrSeparate => joined.is_none(),
        Shape::Word(known) => rest.front().is_some_and(|next| known.contains(&next.as_str())),
        Shape::Alone | Shape::Joined | Shape::Number | Shape::Capital => false,
    };
    let joined = joined.unwrap_or_default().to_owned();
    if !follows {
        return Ok(Taken { flag, words: vec![arg], value: joined });
    }
    let Some(next) = rest.pop_front() else {
        return Err(Error::MissingValue { spelling: arg });
    };
    Ok(Taken { flag, words: vec![arg, next.clone()], value: next })
}

/// Parses arguments, which exclude the program's name and have their response files expanded.
pub fn parse(args: &[String]) -> Result<Invocation, Error> {
    let mut inv = Invocation::empty();
    let mut language: Option<String> = None;
    let mut only_inputs = false;
    let mut args: VecDeque<String> = args.iter().cloned().collect();
    while let Some(arg) = args.pop_front() {
        if only_inputs || !arg.starts_with('-') || arg == "-" {
            inv.items.push(Item::Input(input(&arg, language.as_deref())));
            continue;
        }
        if arg == "--" {
            only_inputs = true;
            continue;
        }
        let taken = take(arg, &mut args)?;
        if let Some(words) = taken.stands_for() {
            words.into_iter().rev().for_each(|word| args.push_front(word));
            continue;
        }
        if taken.flag.meaning == Meaning::Language {
            language = (taken.value != "none").then_some(taken.value);
            continue;
        }
        apply(&mut inv, taken.flag, taken.value, taken.words)?;
    }
    settle_precompilation(&mut inv);
    inv.settle_device_form();
    if let Some(wrong) = inv.wrong.take().filter(|_| inv.sycl) {
        return Err(match wrong {
            Wrong::Refused { option, reason } => Error::RefusedOption { option, reason },
            Wrong::Unknown { option } => {
                let nearest = flags::nearest(&option);
                Error::UnknownOption { option, nearest }
            }
        });
    }
    if inv.device_only && inv.host_only {
        return Err(Error::BothSidesExcluded);
    }
    inv.devices = device_table(inv.config_file.as_deref(), &mut inv.config_warnings)?;
    if !inv.sycl {
        // clang has the option for other languages.
        inv.targets.forget_architectures();
    }
    if denormals::flushed(&inv.options_for(Steps::DEVICE)) {
        inv.targets.flush_denormals();
    }
    inv.targets.finish(&inv.devices)?;
    inv.place_libraries();
    Ok(inv)
}

/// Chooses [`Mode::Precompile`] for headers, as clang does, unless an option stops before code
/// generation. For any other input, `--precompile` makes a module, which clang handles alone.
fn settle_precompilation(inv: &mut Invocation) {
    let headers = inv.inputs().any(Input::is_header);
    if inv.emit_precompiled || headers && matches!(inv.mode, Mode::Link | Mode::Object) {
        inv.mode = stronger(inv.mode, Mode::Precompile);
        inv.items.retain(|item| !matches!(item, Item::Option { meaning: Meaning::Precompile, .. }));
    } else if inv.precompile {
        inv.mode = stronger(inv.mode, Mode::OneSide);
    }
}

/// Returns the default device configuration, overridden by the user's file.
fn device_table(file: Option<&str>, warnings: &mut Vec<String>) -> Result<Table, Error> {
    let mut table = Table::embedded();
    if let Some(path) = file {
        if !Path::new(path).exists() {
            return Err(Error::NoSuchFile { path: path.to_owned() });
        }
        warnings.extend(table.extend_with_yaml(path)?.iter().map(|warning| warning.render()));
    }
    Ok(table)
}

/// Records the effect of an option on the driver, and keeps the words that later steps need.
fn apply(
    inv: &mut Invocation,
    flag: &Flag,
    value: String,
    mut words: Vec<String>,
) -> Result<(), Error> {
    let (mut steps, mut meaning) = (flag.steps, flag.meaning);
    match flag.meaning {
        Meaning::Sycl => inv.sycl = true,
        Meaning::NoSycl => inv.sycl = false,
        Meaning::Targets => inv.targets.select(&value),
        Meaning::FixedTargets => inv.targets.fix(&value),
        Meaning::FrontendOptions => {
            inv.targets.add_options(Stage::Frontend, after_equals(&words[0]), value)
        }
        Meaning::BackendOptions => {
            inv.targets.add_options(Stage::Backend, after_equals(&words[0]), value)
        }
        Meaning::LinkerOptions => {
            inv.targets.add_options(Stage::Linker, after_equals(&words[0]), value)
        }
        // `-Xsfoo` is an old spelling of `-Xs -foo`.
        Meaning::AllBackendOptions if words.len() == 1 => {
            inv.targets.add_options_for_all(format!("-{value}"))
        }
        Meaning::AllBackendOptions => inv.targets.add_options_for_all(value),
        Meaning::Standard => inv.standard = standard(value)?,
        Meaning::DeviceLinkOnly => inv.device_link_only = true,
        Meaning::IncludeFolder => inv.include_folder = Some(value),
        Meaning::QuoteFolder => inv.quote_folder = Some(value),
        Meaning::Rdc => inv.rdc = true,
        Meaning::NoRdc => inv.rdc = false,
        Meaning::ImageDependencies => inv.image_dependencies = true,
        Meaning::NoImageDependencies => inv.image_dependencies = false,
        Meaning::SubGroupSize => inv.sub_group_size = Some(sub_group_size(value)?),
        Meaning::NoRuntime => inv.runtime = false,
        Meaning::CheckAccessors => inv.check_accessors = true,
        Meaning::NoCheckAccessors => inv.check_accessors = false,
        Meaning::DeviceForm => inv.device_form = device_form(&words, value)?,
        Meaning::OffloadArch => inv.targets.add_architectures(&value),
        Meaning::Ptxas => inv.targets.add_options_for_nvidia(value),
        Meaning::Accepted(_) => inv.ignore(&words),
        Meaning::Refused(reason) => inv.refuse(&words, reason),
        // Without a row, an option for SYCL is unknown to clang, too.
        Meaning::Pass if flag.spelling.is_empty() && flags::is_sycl_option(&words[0]) => {
            inv.wrong.get_or_insert(Wrong::Unknown { option: words[0].clone() });
        }
        Meaning::FpModel => {
            for (words, steps) in translation::fp_model(flag.spelling, value)? {
                inv.items.push(Item::Option { words, steps, meaning });
            }
        }
        Meaning::Processor => {
            let steps = Steps::HOST.and(Steps::FOREIGN).and(Steps::LINK);
            let words = translation::processor(&value);
            inv.items.push(Item::Option { words, steps, meaning });
        }
        Meaning::DumpDeviceCode => inv.dump_device_code = Some(value),
        Meaning::LinkJobs => inv.link_jobs = Some(link_jobs(value)?),
        Meaning::CudaPath => inv.cuda_path = Some(value),
        Meaning::HeaderCache => {
            inv.header_cache = true;
            inv.header_cache_folder = Some(value).filter(|folder| !folder.is_empty());
        }
        Meaning::NoHeaderCache => inv.header_cache = false,
        Meaning::Compress => inv.compress = true,
        Meaning::NoCompress => inv.compress = false,
        Meaning::LinkCache => {
            inv.link_cache =
                Some(if value.is_empty() { LinkCache::Default } else { LinkCache::Folder(value) });
        }
        Meaning::ConfigFile => inv.config_file = Some(value),
        Meaning::DeviceOnly => inv.device_only = true,
        Meaning::HostOnly => inv.host_only = true,
        Meaning::HostCompiler => inv.host_compiler = (!value.is_empty()).then_some(value),
        Meaning::HostCompilerOptions => {
            inv.host_compiler_options.extend(crate::response::split(&value))
        }
        Meaning::IntHeader => inv.int_header = Some(value),
        Meaning::CodeSplit => inv.code_split = Some(code_split(value)?),
        Meaning::Clang => inv.clang = Some(value),
        Meaning::DumpAfter => inv.dump_after = Some(value),
        Meaning::DumpDir => inv.dump_dir = Some(value),
        Meaning::TimePasses => inv.time_passes = true,
        Meaning::TimeTrace => inv.time_trace = Some(value),
        Meaning::Output => inv.output = Some(value),
        Meaning::DependencyOutput => inv.dependency_output = Some(value),
        Meaning::Preprocessor => {
            // `-Wp,-MD,FILE` names a file that every pass would otherwise write.
            if let Some((option @ ("-MD" | "-MMD"), file)) = value.split_once(',') {
                inv.dependency_output = Some(file.to_owned());
                words = vec![option.to_owned()];
                meaning = Meaning::DependencyFile;
            }
        }
        Meaning::CompileOnly => inv.mode = stronger(inv.mode, Mode::Object),
        Meaning::Assembly => inv.mode = stronger(inv.mode, Mode::Assembly),
        Meaning::SyntaxOnly => inv.mode = stronger(inv.mode, Mode::Syntax),
        Meaning::Preprocess => inv.mode = stronger(inv.mode, Mode::Preprocess),
        Meaning::OneSide => {
            inv.mode = Mode::OneSide;
            steps = Steps::DEVICE.and(Steps::HOST).and(Steps::FOREIGN);
        }
        Meaning::Precompile => {
            inv.precompile = true;
            steps = Steps::DEVICE.and(Steps::HOST);
        }
        Meaning::FrontendWord if value == "-emit-pch" => {
            inv.emit_precompiled = true;
            steps = Steps::NONE;
        }
        Meaning::FrontendWord if value == "-include-pch" => meaning = Meaning::IncludePrecompiled,
        Meaning::FrontendWord => {
            // The file's name follows in a separate word.
            if let Some(Item::Option { words: last, meaning: Meaning::IncludePrecompiled, .. }) =
                inv.items.last_mut()
                && last.ends_with(&["-include-pch".to_owned()])
            {
                last.extend(words);
                return Ok(());
            }
        }
        Meaning::EmitLlvm => inv.emit_llvm = true,
        Meaning::SaveTemps => {
            inv.save_temps = Some(match value.as_str() {
                "" | "cwd" => SaveTemps::CurrentFolder,
                "obj" => SaveTemps::BesideOutput,
                _ => {
                    return Err(Error::BadValue {
                        option: "-save-temps=",
                        value,
                        expected: "'cwd' or 'obj'",
                    });
                }
            });
        }
        Meaning::ShowPlan => inv.show_plan = true,
        Meaning::PrintPlan => inv.print_plan = true,
        Meaning::Verbose => {
            inv.verbose = true;
            steps = Steps::ALL;
        }
        Meaning::Help => inv.help = true,
        Meaning::SyclHelp => inv.sycl_help = true,
        Meaning::Version => inv.version = true,
        Meaning::Query => inv.query = true,
        Meaning::Unwrap => words = vec![value],
        Meaning::LinkerArguments => {
            inv.add_linker_arguments(&words, &value);
            return Ok(());
        }
        Meaning::OffloadLibrary | Meaning::OffloadWholeLibrary => {
            inv.items.push(Item::Option { words: vec![value], steps: Steps::NONE, meaning });
        }
        Meaning::Language
        | Meaning::Becomes(_)
        | Meaning::Always(_)
        | Meaning::Pass
        | Meaning::IncludePrecompiled
        | Meaning::IncludeFirst
        | Meaning::DependencyFile
        | Meaning::DependencyName
        | Meaning::PhonyTargets
        | Meaning::SideOutput
        | Meaning::Lto
        | Meaning::NoLto
        | Meaning::FuseLd
        | Meaning::Static
        | Meaning::Shared
        | Meaning::Relocatable
        | Meaning::LibraryDir
        | Meaning::Library
        | Meaning::LinkerInput
        | Meaning::LinkerQuery
        | Meaning::Colour => {}
    }
    if steps != Steps::NONE {
        inv.items.push(Item::Option { words, steps, meaning });
    }
    Ok(())
}

/// Returns the earlier of two phases. As in clang, the earliest requested phase wins, whatever the
/// order of the options.
fn stronger(old: Mode, new: Mode) -> Mode {
    let rank = |m| match m {
        Mode::Link => 0,
        Mode::Object => 1,
        Mode::Assembly => 2,
        Mode::Syntax => 3,
        Mode::Preprocess => 4,
        Mode::Precompile => 5,
        Mode::OneSide => 6,
    };
    if rank(new) > rank(old) { new } else { old }
}

/// Returns the target in `-Xsycl-target-backend=TARGET`.
fn after_equals(word: &str) -> Option<&str> {
    word.split_once('=').map(|(_, name)| name)
}

fn sub_group_size(value: String) -> Result<String, Error> {
    let is_size = |text: &str| text.parse::<u32>().is_ok_and(|size| size > 0);
    if is_size(&value) || matches!(value.as_str(), "primary" | "automatic") {
        return Ok(value);
    }
    Err(Error::BadValue {
        option: "-fsycl-default-sub-group-size=",
        value,
        expected: "a positive number, 'primary' or 'automatic'",
    })
}

/// Returns the option, unless the form is LLVM bitcode.
fn device_form(words: &[String], value: String) -> Result<Option<String>, Error> {
    match value.as_str() {
        "llvmir" => Ok(None),
        "spirv" | "asm" => Ok(Some(words.join(" "))),
        _ => Err(Error::BadValue {
            option: "-fsycl-device-obj=",
            value,
            expected: "'llvmir', 'spirv' or 'asm'",
        }),
    }
}

fn standard(value: String) -> Result<Standard, Error> {
    match value.as_str() {
        "1.2.1" | "121" | "2017" | "sycl-1.2.1" => Ok(Standard::Sycl121),
        "2020" => Ok(Standard::Sycl2020),
        _ => Err(Error::BadValue {
            option: "-sycl-std=",
            value,
            expected: "'1.2.1', '2017' or '2020'",
        }),
    }
}

fn link_jobs(value: String) -> Result<usize, Error> {
    match value.parse() {
        Ok(jobs) if jobs > 0 => Ok(jobs),
        _ => Err(Error::BadValue {
            option: "-fsycl-max-parallel-link-jobs=",
            value,
            expected: "a positive number",
        }),
    }
}

fn code_split(value: String) -> Result<String, Error> {
    match value.as_str() {
        "" => Ok("auto".to_owned()),
        "off" | "auto" | "per_source" | "per_kernel" => Ok(value),
        _ => Err(Error::BadValue {
            option: "-fsycl-device-code-split=",
            value,
            expected: "'off', 'auto', 'per_source' or 'per_kernel'",
        }),
    }
}

fn input(path: &str, language: Option<&str>) -> Input {
    let kind = match language {
        Some("c++" | "c++-cpp-output" | "c++-header" | "sycl" | "c++-module") => InputKind::Source,
        Some(_) => InputKind::HostSource,
        None => kind_of_name(path),
    };
    Input { path: path.to_owned(), kind, language: language.map(str::to_owned) }
}

/// Returns the kind of input that clang++ infers from a file's name. clang++ treats `.c` as C++.
fn kind_of_name(path: &str) -> InputKind {
    match extension(path) {
        Some(
            "cc" | "cp" | "cxx" | "cpp" | "CPP" | "c++" | "C" | "CC" | "CXX" | "c" | "ii" | "i"
            | "sycl",
        ) => InputKind::Source,
        Some("h" | "hh" | "hpp" | "hxx" | "H" | "h++") => InputKind::Source,
        Some("s" | "S" | "sx" | "asm" | "ll" | "bc" | "m" | "mm" | "cppm" | "f") => {
            InputKind::HostSource
        }
        _ => InputKind::Linkable,
    }
}

fn extension(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map(|(_, extension)| extension)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Invocation {
        parse(&crate::response::split(line)).expect("the line is valid")
    }

    fn paths(inv: &Invocation) -> Vec<(&str, InputKind)> {
        inv.inputs().map(|i| (i.path.as_str(), i.kind)).collect()
    }

    #[test]
    fn values_are_not_taken_for_inputs() {
        let inv = parsed(
            "-fsycl -include x.h -MF a.d -Xclang -foo -isystem inc -o app -z now --param p=1 a.cpp",
        );
        assert_eq!(paths(&inv), [("a.cpp", InputKind::Source)]);
        assert_eq!(inv.output.as_deref(), Some("app"));
    }

    #[test]
    fn unknown_options_reach_every_step() {
        let inv = parsed("-fsycl -ffast-math a.cpp");
        for step in [Steps::DEVICE, Steps::HOST, Steps::FOREIGN, Steps::LINK] {
            assert_eq!(inv.options_for(step), ["-ffast-math"]);
        }
    }

    #[test]
    fn host_code_generation_stays_off_the_device() {
        let inv =
            parsed("-fsycl -march=native -fopenmp -fsanitize=address -flto -O3 -DX=1 -Wl,-s a.cpp");
        assert_eq!(inv.options_for(Steps::DEVICE), ["-O3", "-DX=1"]);
        let host = inv.options_for(Steps::HOST);
        assert_eq!(
            host,
            ["-march=native", "-fopenmp", "-fsanitize=address", "-flto", "-O3", "-DX=1"]
        );
        let link = inv.options_for(Steps::LINK);
        assert_eq!(
            link,
            ["-march=native", "-fopenmp", "-fsanitize=address", "-flto", "-O3", "-Wl,-s"]
        );
    }

    #[test]
    fn one_side_can_be_addressed() {
        let inv = parsed("-fsycl -Xarch_device -DD -Xarch_host -DH a.cpp");
        assert_eq!(inv.options_for(Steps::DEVICE), ["-DD"]);
        assert_eq!(inv.options_for(Steps::HOST), ["-DH"]);
    }

    #[test]
    fn the_language_holds_until_none() {
        let inv = parsed("-x c++ a b.o -x none c.o d.cpp -xc e.c");
        let kinds = [
            InputKind::Source,
            InputKind::Source,
            InputKind::Linkable,
            InputKind::Source,
            InputKind::HostSource,
        ];
        assert_eq!(paths(&inv).into_iter().map(|p| p.1).collect::<Vec<_>>(), kinds);
    }

    #[test]
    fn the_last_of_sycl_and_no_sycl_wins() {
        assert!(!parsed("-fsycl -fno-sycl a.cpp").sycl);
        assert!(parsed("-fno-sycl -fsycl a.cpp").sycl);
    }

    #[test]
    fn the_earliest_phase_wins() {
        assert_eq!(parsed("-S -c a.cpp").mode, Mode::Assembly);
        assert_eq!(parsed("-E -c a.cpp").mode, Mode::Preprocess);
    }

    #[test]
    fn bad_values_are_named() {
        let bad = |line: &str| parse(&crate::response::split(line)).unwrap_err().to_string();
        assert!(bad("-fsycl -o").contains("'-o' needs a value"));
        assert!(bad("-fsycl-targets=nvptx32-nvidia-cuda").contains("nvptx32-nvidia-cuda"));
        assert!(bad("-fsycl-device-code-split=some").contains("per_kernel"));
        assert!(bad("-sycl-std=2021").contains("'1.2.1', '2017' or '2020'"));
        assert!(bad("-fsycl-max-parallel-link-jobs=0").contains("a positive number"));
        assert!(bad("-save-temps=x").contains("'cwd' or 'obj'"));
        assert!(bad("-fsycl-device-only -fsycl-host-only").contains("cannot be used together"));
    }

    #[test]
    fn values_of_other_compilers_options_are_not_taken_for_inputs() {
        let inv = parsed(
            "-fsycl -fp-model precise -diag-disable 10441 -debug full -debug a.cpp \
             -Xspirv-translator=spir64 -spirv-ext=+all -fsycl-default-sub-group-size 8",
        );
        assert_eq!(paths(&inv), [("a.cpp", InputKind::Source)]);
        assert_eq!(
            inv.ignored,
            ["-diag-disable 10441", "-Xspirv-translator=spir64 -spirv-ext=+all"]
        );
        assert_eq!(inv.sub_group_size.as_deref(), Some("8"));
        assert_eq!(inv.options_for(Steps::HOST), ["-ffp-model=precise", "-g", "-g"]);
    }

    #[test]
    fn refused_and_unknown_options_are_errors_only_with_sycl() {
        let error = |line: &str| parse(&crate::response::split(line)).unwrap_err().to_string();
        assert!(error("-qmkl a.cpp -fsycl").starts_with("option '-qmkl' cannot be used: "));
        assert!(error("-fsycl -fsycl-lnk a.cpp").contains("did you mean '-fsycl-link'?"));
        for line in ["-qmkl a.cpp", "-fsycl -fno-sycl -fsycl-lnk a.cpp"] {
            assert!(!parsed(line).sycl);
        }
    }

    #[test]
    fn the_last_of_two_options_for_link_time_optimisation_counts() {
        assert!(parsed("-fsycl -ipo a.cpp").lto());
        assert!(!parsed("-fsycl -flto -no-ipo a.cpp").lto());
        assert!(!parsed("-fsycl a.cpp").lto());
    }

    #[test]
    fn after_two_dashes_all_is_input() {
        assert_eq!(paths(&parsed("-fsycl -- -odd.cpp")), [("-odd.cpp", InputKind::Source)]);
    }
}
