//! The rows of the option [`table`]: an option's spelling, the form of its value, the steps that
//! the option reaches, its meaning, and its help text.
//!
//! Options without a row go to clang unchanged, in every step. An option has a row if it is
//! specific to Scythe or to another SYCL compiler, if its value is the next argument (so that the
//! driver does not take the value for an input file), or if some step must not get it. `--help`
//! lists the rows that have a help text, and `docs/options.md` lists all rows for options that
//! clang does not have.

#[cfg(test)]
mod documentation;
mod table;

pub use table::FLAGS;

use scythe_device_config::Table;

/// The form of an option's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// No value.
    Alone,
    /// The value follows in the same argument: `-O2`, `-std=c++17`. It may be empty.
    Joined,
    /// The value is the next argument: `-include FILE`.
    Separate,
    /// `Joined` or `Separate`: `-Idir`, `-I dir`.
    JoinedOrSeparate,
    /// One value in the same argument, another in the next: `-Xsycl-target-backend=TARGET OPTIONS`.
    JoinedAndSeparate,
    /// The value follows in the same argument and is a number, or a list of numbers: `-wd10441`.
    Number,
    /// The value follows in the same argument and begins with a capital letter: `-xCORE-AVX2`.
    Capital,
    /// No value, or one of these words in the next argument: `-debug`, `-debug full`.
    Word(&'static [&'static str]),
}

/// The steps that an option reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps(u8);

impl Steps {
    pub const NONE: Steps = Steps(0);
    /// The device pass.
    pub const DEVICE: Steps = Steps(1);
    /// The host pass by clang.
    pub const HOST: Steps = Steps(2);
    /// The host pass by another compiler.
    pub const FOREIGN: Steps = Steps(4);
    /// The host link.
    pub const LINK: Steps = Steps(8);
    pub const ALL: Steps = Steps(15);

    pub const fn and(self, other: Steps) -> Steps {
        Steps(self.0 | other.0)
    }

    pub fn contains(self, other: Steps) -> bool {
        self.0 & other.0 == other.0
    }
}

/// The effect of an option on the driver itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// None: the driver only forwards the option to its steps.
    Pass,
    Sycl,
    NoSycl,
    Targets,
    FixedTargets,
    FrontendOptions,
    BackendOptions,
    AllBackendOptions,
    LinkerOptions,
    Standard,
    /// `-fsycl-link`.
    DeviceLinkOnly,
    IncludeFolder,
    QuoteFolder,
    Rdc,
    NoRdc,
    ImageDependencies,
    DumpDeviceCode,
    LinkJobs,
    CudaPath,
    Compress,
    NoCompress,
    LinkCache,
    HeaderCache,
    NoHeaderCache,
    ConfigFile,
    DeviceOnly,
    HostOnly,
    HostCompiler,
    HostCompilerOptions,
    IntHeader,
    CodeSplit,
    Clang,
    DumpAfter,
    DumpDir,
    TimePasses,
    /// `-ftime-trace`: a timeline of all steps.
    TimeTrace,
    Output,
    Language,
    CompileOnly,
    Assembly,
    /// `-E`.
    Preprocess,
    /// Dependency lists or analysis: one pass for one side.
    OneSide,
    /// `--precompile`: makes a precompiled header, or a module, which clang handles alone.
    Precompile,
    /// `-include-pch`.
    IncludePrecompiled,
    /// `-include`.
    IncludeFirst,
    /// `-Xclang`: an argument for clang's front end.
    FrontendWord,
    SyntaxOnly,
    EmitLlvm,
    SaveTemps,
    /// `-###`.
    ShowPlan,
    PrintPlan,
    Verbose,
    Help,
    SyclHelp,
    Version,
    /// `-MD`, `-MMD`: writes a dependency file, which is named after the program's output.
    DependencyFile,
    /// `-MF`.
    DependencyOutput,
    /// `-MT`, `-MQ`: the target of the dependency rule, which the driver would otherwise derive.
    DependencyName,
    /// `-Wp,`: arguments for the preprocessor.
    Preprocessor,
    /// `-MP`: adds a rule for each file in a dependency file.
    PhonyTargets,
    /// Writes files beside the object that are named after it.
    SideOutput,
    Lto,
    /// `-fno-lto`.
    NoLto,
    FuseLd,
    Static,
    Shared,
    /// `-Wl,` and `-Xlinker`: arguments for the linker. [`crate::linker_arguments`] gives each
    /// argument its own meaning.
    LinkerArguments,
    /// An argument for the linker that names a file to link.
    LinkerInput,
    /// An argument that makes the linker print something in place of linking.
    LinkerQuery,
    /// A static library to link, either as needed or with all of its members.
    OffloadLibrary,
    OffloadWholeLibrary,
    /// `-r`: the linker writes an object.
    Relocatable,
    LibraryDir,
    Library,
    /// `-Xarch_host VALUE`, `-Xarch_device VALUE`: the value is the option.
    Unwrap,
    Colour,
    /// A query that clang answers without compiling.
    Query,
    /// The option has the effect of these words. If the last word ends with `=`, the option's value
    /// follows it.
    Becomes(&'static [&'static str]),
    /// The option asks for something that Scythe always does. The text says what.
    Always(&'static str),
    /// The option has no effect. One warning names all such options. The text gives the reason.
    Accepted(&'static str),
    /// The option is an error. The text gives the reason and an alternative.
    Refused(&'static str),
    /// `-fp-model=`, `-ffp-model=`.
    FpModel,
    /// `-xCODE`: a processor or an instruction set.
    Processor,
    /// `-fsycl-default-sub-group-size=`.
    SubGroupSize,
    /// `-nolibsycl`.
    NoRuntime,
    /// `-fsycl-device-obj=`: the form of device code in the output.
    DeviceForm,
    /// `--offload-arch=`: a target by its architecture.
    OffloadArch,
    /// `-Xcuda-ptxas`.
    Ptxas,
    NoImageDependencies,
    /// `-fsycl-check-accessors`.
    CheckAccessors,
    NoCheckAccessors,
}

/// One row of the table.
#[derive(Debug)]
pub struct Flag {
    pub spelling: &'static str,
    pub shape: Shape,
    pub steps: Steps,
    pub meaning: Meaning,
    /// The name of the value in the help, and the description of the option. An option with an
    /// empty description is not listed.
    pub help: (&'static str, &'static str),
    /// Whether clang has an option with this spelling. Without `-fsycl`, such an option goes to
    /// clang unchanged.
    pub in_clang: bool,
}

const fn row(spelling: &'static str, shape: Shape, steps: Steps, meaning: Meaning) -> Flag {
    Flag { spelling, shape, steps, meaning, help: ("", ""), in_clang: true }
}

/// The row for an argument that begins with `-` and has no row.
pub const UNKNOWN: Flag = row("", Shape::Alone, Steps::ALL, Meaning::Pass);

/// Finds the row of an argument. Also returns the value, if it is in the same argument.
pub fn lookup(arg: &str) -> Option<(&'static Flag, Option<&str>)> {
    let mut best: Option<(&'static Flag, Option<&str>)> = None;
    for flag in FLAGS {
        let Some(rest) = arg.strip_prefix(flag.spelling) else { continue };
        let value = match flag.shape {
            Shape::Alone | Shape::Separate if rest.is_empty() => None,
            Shape::Joined | Shape::JoinedAndSeparate => Some(rest),
            Shape::JoinedOrSeparate => (!rest.is_empty()).then_some(rest),
            Shape::Word(_) if rest.is_empty() => None,
            Shape::Number if is_number_list(rest) => Some(rest),
            Shape::Capital if rest.starts_with(|first: char| first.is_ascii_uppercase()) => {
                Some(rest)
            }
            _ => continue,
        };
        // Of two rows with the same spelling, the later one has a narrower shape.
        if best.is_none_or(|(b, _)| flag.spelling.len() >= b.spelling.len()) {
            best = Some((flag, value));
        }
    }
    best
}

fn is_number_list(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b',')
}

/// Returns whether an argument looks like an option for SYCL. Such an option is an error if it has
/// no row, because clang has few of them.
pub fn is_sycl_option(arg: &str) -> bool {
    ["-fsycl", "-fno-sycl", "-Xsycl"].iter().any(|prefix| arg.starts_with(prefix))
}

/// Returns the option that a misspelt option for SYCL stands for.
pub fn nearest(arg: &str) -> Option<&'static str> {
    // The values are not compared.
    let seen = arg.split_inclusive('=').next().unwrap_or(arg);
    let known = FLAGS.iter().map(|flag| flag.spelling).filter(|word| is_sycl_option(word));
    scythe_diag::spelling::nearest(seen, known)
}

/// Returns the text of `--help`.
pub fn help() -> String {
    let mut out = String::from(
        "Usage: scythe [options] files...\n       \
         scythe inspect [--json | --html | --timeline] file\n\n\
         Compiles SYCL 2020 programs. 'scythe inspect' lists the kernels in a file.\n\
         Accepts the options of clang++ and, with -fsycl, these:\n\n",
    );
    for flag in FLAGS.iter().filter(|f| !f.help.1.is_empty()) {
        let (value, text) = flag.help;
        let blank =
            if matches!(flag.shape, Shape::JoinedOrSeparate | Shape::Separate) { " " } else { "" };
        let left = format!("{}{blank}{value}", flag.spelling);
        if left.len() > 30 {
            out += &format!("  {left}\n  {:30} {text}\n", "");
        } else {
            out += &format!("  {left:30} {text}\n");
        }
    }
    out += "\nscythe passes all other options to clang: see 'clang++-22 --help'.\n\
            It also accepts the options of DPC++ and icpx: see docs/options.md.\n\
            Without -fsycl, scythe behaves as clang++.\n";
    out
}

/// Lists every device target with its aliases, for `-fsycl-help`.
pub fn target_list(table: &Table) -> String {
    let mut out = String::from(
        "Device targets, for -fsycl-targets= (each also with '-unknown-unknown' or \
         '-sycldevice'):\n\n",
    );
    // Leave out targets for which no code can be generated.
    for target in table.targets().filter(|target| target.id().is_ok()) {
        let aliases: Vec<&str> = Table::aliases(&target.name).collect();
        let others =
            if aliases.is_empty() { String::new() } else { format!(" {}", aliases.join(", ")) };
        out += format!("  {:22}{others}", target.name).trim_end();
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelling(arg: &str) -> (&'static str, Option<&str>) {
        let (flag, value) = lookup(arg).expect("the option has a row");
        (flag.spelling, value)
    }

    #[test]
    fn the_longest_spelling_wins() {
        assert_eq!(spelling("-MF"), ("-MF", None));
        assert_eq!(spelling("-Wl,-z,now"), ("-Wl,", Some("-z,now")));
        assert_eq!(spelling("-Wall"), ("-W", Some("all")));
        assert_eq!(spelling("-fsycl"), ("-fsycl", None));
        assert_eq!(spelling("-fsycl-host-compiler=g++"), ("-fsycl-host-compiler=", Some("g++")));
        assert_eq!(spelling("-gsplit-dwarf"), ("-gsplit-dwarf", Some("")));
        assert_eq!(spelling("-g"), ("-g", Some("")));
        assert_eq!(spelling("-mavx2"), ("-m", Some("avx2")));
        assert_eq!(spelling("-mllvm"), ("-mllvm", None));
    }

    #[test]
    fn values_join_or_follow() {
        assert_eq!(spelling("-I"), ("-I", None));
        assert_eq!(spelling("-Idir"), ("-I", Some("dir")));
        assert_eq!(spelling("-o"), ("-o", None));
        assert_eq!(spelling("-oapp"), ("-o", Some("app")));
    }

    #[test]
    fn spellings_that_clang_would_divide_stay_whole() {
        let row = |arg: &str| {
            let (flag, value) = lookup(arg).expect("the option has a row");
            (flag.spelling, flag.meaning, value.map(str::to_owned))
        };
        assert_eq!(row("-openmp").1, Meaning::Becomes(&["-fopenmp"]));
        assert_eq!(row("-open").1, Meaning::Output);
        assert_eq!(row("-xHost").1, Meaning::Becomes(&["-march=native"]));
        assert_eq!(row("-xCORE-AVX2"), ("-x", Meaning::Processor, Some("CORE-AVX2".to_owned())));
        assert_eq!(row("-xc++"), ("-x", Meaning::Language, Some("c++".to_owned())));
        assert_eq!(row("-x").1, Meaning::Language);
        assert_eq!(row("-w"), ("-w", Meaning::Pass, None));
        for arg in ["-w3", "-wd10441,161", "-unroll4", "-unroll=4", "-device-math-lib=fp32"] {
            assert!(matches!(row(arg).1, Meaning::Accepted(_)), "{arg}");
        }
        assert!(matches!(row("-mkl").1, Meaning::Refused(_)));
        assert_eq!(row("-mklx").0, "-m");
        assert_eq!(row("-ipo4").1, Meaning::Becomes(&["-flto"]));
        assert!(lookup("-ipox").is_none());
    }

    #[test]
    fn other_options_have_no_row() {
        assert!(lookup("-ffast-math").is_none());
        assert!(lookup("-fno-such-option").is_none());
        assert!(lookup("--includex").is_none());
    }

    #[test]
    fn no_spelling_stands_twice() {
        for (i, a) in FLAGS.iter().enumerate() {
            assert!(
                FLAGS[..i].iter().all(|b| (a.spelling, a.shape) != (b.spelling, b.shape)),
                "{} has two rows",
                a.spelling
            );
        }
    }

    #[test]
    fn the_help_lists_every_documented_option() {
        let text = help();
        for flag in FLAGS.iter().filter(|f| !f.help.1.is_empty()) {
            assert!(text.contains(flag.help.1), "{} is missing", flag.spelling);
        }
    }
}
