//! Arguments → [`Invocation`]: what was asked for, with options and inputs in the order they were
//! given.
//!
//! Nothing here looks at the environment, nor at files but the one that says which targets there
//! are (`-fsycl-device-config-file=`).

use std::path::Path;

use crate::error::Error;
use crate::flags::{self, Meaning, Shape, Steps};
use crate::linker_words::LinkerWords;
use crate::own_warnings;
use crate::targets::{Stage, Targets};
use scythe_device_config::Table;

/// What the invocation makes.
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
    /// `-M`, `--analyze`, …: one pass of one side, for which clang knows the output.
    OneSide,
}

/// Where `-save-temps` keeps files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SaveTemps {
    CurrentFolder,
    BesideOutput,
}

/// What the driver does with an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// C++: compiled for host and device.
    Source,
    /// Another language: compiled for the host.
    HostSource,
    /// Handed to the linker; may hold device code.
    Linkable,
}

/// What `-sycl-std=` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standard {
    /// SYCL 1.2.1, which is also called by its year, 2017.
    Sycl121,
    Sycl2020,
}

/// Where `-fsycl-device-link-cache` keeps results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkCache {
    Default,
    Folder(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    pub path: String,
    pub kind: InputKind,
    /// From `-x`.
    pub language: Option<String>,
}

impl Input {
    /// A C++ header by itself, of which clang makes a precompiled header.
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
    linker_words: LinkerWords,
    pub host_compiler_options: Vec<String>,
    pub int_header: Option<String>,
    pub code_split: Option<String>,
    pub clang: Option<String>,
    pub dump_after: Option<String>,
    pub dump_dir: Option<String>,
    pub time_passes: bool,
    pub save_temps: Option<SaveTemps>,
    pub standard: Standard,
    /// `-fsycl-link`.
    pub device_link_only: bool,
    /// Device code of one source can call that of others.
    pub rdc: bool,
    /// `-fsycl-allow-device-image-dependencies`.
    pub image_dependencies: bool,
    pub dump_device_code: Option<String>,
    pub link_jobs: Option<usize>,
    /// `--cuda-path=`.
    pub cuda_path: Option<String>,
    pub compress: bool,
    pub link_cache: Option<LinkCache>,
    pub config_file: Option<String>,
    /// The device configuration: the default one, and that file over it.
    pub devices: Table,
    /// What is odd about that file, as it is shown.
    pub config_warnings: Vec<String>,
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
            linker_words: LinkerWords::default(),
            host_compiler_options: Vec::new(),
            int_header: None,
            code_split: None,
            clang: None,
            dump_after: None,
            dump_dir: None,
            time_passes: false,
            save_temps: None,
            standard: Standard::Sycl2020,
            device_link_only: false,
            rdc: true,
            image_dependencies: false,
            dump_device_code: None,
            link_jobs: None,
            cuda_path: None,
            compress: false,
            link_cache: None,
            config_file: None,
            devices: Table::embedded(),
            config_warnings: Vec::new(),
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

    pub fn inputs(&self) -> impl Iterator<Item = &Input> {
        self.items.iter().filter_map(|i| match i {
            Item::Input(input) => Some(input),
            Item::Option { .. } => None,
        })
    }

    /// The words of all options that reach `steps`, in order.
    pub fn options_for(&self, step: Steps) -> Vec<String> {
        self.options_with(step, |_, _, _| None)
    }

    /// The same, where `replace` may give other words for an option. It sees the option's place
    /// among the items, its words and its meaning.
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

    /// `-Xclang -emit-pch`, which makes a precompiled header of any source.
    pub fn emits_precompiled(&self) -> bool {
        self.emit_precompiled
    }

    /// What the device link is told about its warnings, in order.
    pub fn device_link_warnings(&self) -> impl Iterator<Item = String> {
        let options = self.items.iter().filter_map(|item| match item {
            Item::Option { words, .. } => Some(&words[0]),
            Item::Input(_) => None,
        });
        options.filter_map(|word| own_warnings::for_device_link(word))
    }

    /// Adds `-Wl,A,B` or `-Xlinker A`. Words that the device link has to know stand apart.
    fn add_linker_words(&mut self, words: &[String], value: &str) {
        let list: Vec<&str> =
            if words.len() == 1 { value.split(',').collect() } else { vec![value] };
        let meanings: Vec<Meaning> =
            list.iter().map(|word| self.linker_words.meaning(word)).collect();
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

    /// Puts static libraries that options name among the inputs of a link. What does not link does
    /// without.
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

    /// The words that define macros, in order.
    pub fn macros(&self) -> impl Iterator<Item = &str> {
        let options = self.items.iter().filter_map(|item| match item {
            Item::Option { words, .. } => Some(words),
            Item::Input(_) => None,
        });
        let defines =
            |words: &&Vec<String>| words[0].starts_with("-D") || words[0].starts_with("-U");
        options.filter(defines).flatten().map(String::as_str)
    }

    /// The last option of this meaning.
    pub fn has(&self, wanted: Meaning) -> Option<&[String]> {
        self.items.iter().rev().find_map(|i| match i {
            Item::Option { words, meaning, .. } if *meaning == wanted => Some(words.as_slice()),
            _ => None,
        })
    }
}

/// Parses arguments, without the program's name and with response files expanded.
pub fn parse(args: &[String]) -> Result<Invocation, Error> {
    let mut inv = Invocation::empty();
    let mut language: Option<String> = None;
    let mut only_inputs = false;
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        if only_inputs || !arg.starts_with('-') || arg == "-" {
            inv.items.push(Item::Input(input(arg, language.as_deref())));
            continue;
        }
        if arg == "--" {
            only_inputs = true;
            continue;
        }
        let (flag, joined) = flags::lookup(arg).unwrap_or((&flags::UNKNOWN, None));
        let mut words = vec![arg.clone()];
        let follows = match flag.shape {
            Shape::Separate | Shape::JoinedAndSeparate => true,
            Shape::JoinedOrSeparate => joined.is_none(),
            Shape::Alone | Shape::Joined => false,
        };
        let value = if follows {
            let next = args.next().ok_or_else(|| Error::MissingValue { spelling: arg.clone() })?;
            words.push(next.clone());
            next.clone()
        } else {
            joined.unwrap_or_default().to_owned()
        };
        if flag.meaning == Meaning::Language {
            language = (value != "none").then_some(value);
            continue;
        }
        apply(&mut inv, flag, value, words)?;
    }
    settle_precompilation(&mut inv);
    if inv.device_only && inv.host_only {
        return Err(Error::BothSidesExcluded);
    }
    inv.devices = device_table(inv.config_file.as_deref(), &mut inv.config_warnings)?;
    inv.targets.finish(&inv.devices)?;
    inv.place_libraries();
    Ok(inv)
}

/// As with clang, headers are precompiled, unless less than code is asked for. Of anything else,
/// `--precompile` makes a module, which is clang's own business.
fn settle_precompilation(inv: &mut Invocation) {
    let headers = inv.inputs().any(Input::is_header);
    if inv.emit_precompiled || headers && matches!(inv.mode, Mode::Link | Mode::Object) {
        inv.mode = stronger(inv.mode, Mode::Precompile);
        inv.items.retain(|item| !matches!(item, Item::Option { meaning: Meaning::Precompile, .. }));
    } else if inv.precompile {
        inv.mode = stronger(inv.mode, Mode::OneSide);
    }
}

/// The default device configuration and a user's file over it.
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

/// Notes what an option asks of the driver, and keeps the words that travel on.
fn apply(
    inv: &mut Invocation,
    flag: &flags::Flag,
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
        // '-Xsfoo' is an old spelling of '-Xs -foo'.
        Meaning::AllBackendOptions if words.len() == 1 => {
            inv.targets.add_options_for_all(format!("-{value}"))
        }
        Meaning::AllBackendOptions => inv.targets.add_options_for_all(value),
        Meaning::Standard => inv.standard = standard(value)?,
        Meaning::DeviceLinkOnly => inv.device_link_only = true,
        Meaning::Rdc => inv.rdc = true,
        Meaning::NoRdc => inv.rdc = false,
        Meaning::ImageDependencies => inv.image_dependencies = true,
        Meaning::DumpDeviceCode => inv.dump_device_code = Some(value),
        Meaning::LinkJobs => inv.link_jobs = Some(link_jobs(value)?),
        Meaning::CudaPath => inv.cuda_path = Some(value),
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
        Meaning::Output => inv.output = Some(value),
        Meaning::DependencyOutput => inv.dependency_output = Some(value),
        Meaning::Preprocessor => {
            // '-Wp,-MD,FILE' names the file that every pass would write.
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
            // The file's name follows in a word of its own.
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
        Meaning::LinkerWords => {
            inv.add_linker_words(&words, &value);
            return Ok(());
        }
        Meaning::OffloadLibrary | Meaning::OffloadWholeLibrary => {
            inv.items.push(Item::Option { words: vec![value], steps: Steps::NONE, meaning });
        }
        Meaning::Language
        | Meaning::Pass
        | Meaning::IncludePrecompiled
        | Meaning::IncludeFirst
        | Meaning::DependencyFile
        | Meaning::DependencyName
        | Meaning::PhonyTargets
        | Meaning::SideOutput
        | Meaning::Lto
        | Meaning::FuseLd
        | Meaning::Static
        | Meaning::Shared
        | Meaning::Relocatable
        | Meaning::LibraryDir
        | Meaning::Library
        | Meaning::LinkerInput
        | Meaning::Colour => {}
    }
    if steps != Steps::NONE {
        inv.items.push(Item::Option { words, steps, meaning });
    }
    Ok(())
}

/// As with clang, the earliest phase asked for wins, in whatever order the options stand.
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

/// The target in `-Xsycl-target-backend=TARGET`.
fn after_equals(word: &str) -> Option<&str> {
    word.split_once('=').map(|(_, name)| name)
}

fn standard(value: String) -> Result<Standard, Error> {
    match value.as_str() {
        "1.2.1" | "121" | "2017" => Ok(Standard::Sycl121),
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

/// What clang++ makes of a file's name; it takes `.c` for C++.
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
    fn after_two_dashes_all_is_input() {
        assert_eq!(paths(&parsed("-fsycl -- -odd.cpp")), [("-odd.cpp", InputKind::Source)]);
    }
}
