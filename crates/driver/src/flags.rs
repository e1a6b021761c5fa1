//! The option table: one row per option that the driver must know, with the shape of its value, the
//! steps it reaches, and its help text.
//!
//! Options without a row go to clang untouched, in every step. A row exists for an option that is
//! Scythe's own, that takes its value from the next argument (so that the value is not taken for an
//! input file), or that must not reach some step. `--help` is made from the rows that have a help
//! text.

use scythe_device_config::Table;

/// How an option carries its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// The spelling alone.
    Alone,
    /// The value follows in the same argument: `-O2`, `-std=c++17`. It may be empty.
    Joined,
    /// The value is the next argument: `-include FILE`.
    Separate,
    /// Either: `-Idir`, `-I dir`.
    JoinedOrSeparate,
    /// One value in the same argument, another in the next: `-Xsycl-target-backend=TARGET OPTIONS`.
    JoinedAndSeparate,
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

/// Both kinds of host pass.
const HOSTS: Steps = Steps::HOST.and(Steps::FOREIGN);
/// Every pass over a source file.
const PASSES: Steps = Steps::DEVICE.and(HOSTS);
/// The passes that are clang.
const CLANGS: Steps = Steps::DEVICE.and(Steps::HOST);
/// Host code generation, which the linker must repeat with `-flto`.
const HOST_CODE: Steps = HOSTS.and(Steps::LINK);
const CLANG_HOST_CODE: Steps = Steps::HOST.and(Steps::LINK);

/// What the driver itself does with an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Nothing: the option only travels to its steps.
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
    Rdc,
    NoRdc,
    ImageDependencies,
    DumpDeviceCode,
    LinkJobs,
    CudaPath,
    Compress,
    NoCompress,
    LinkCache,
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
    Output,
    Language,
    CompileOnly,
    Assembly,
    /// `-E`.
    Preprocess,
    /// Dependency lists, analysis: one pass of one side.
    OneSide,
    /// `--precompile`: a precompiled header, or clang's own action for a module.
    Precompile,
    /// `-include-pch`.
    IncludePrecompiled,
    /// `-include`.
    IncludeFirst,
    /// `-Xclang`: a word for clang's front end.
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
    /// The output of `-MD` is named after the program's output.
    DependencyFile,
    /// `-MF`.
    DependencyOutput,
    /// `-MT`, `-MQ`: what the driver would otherwise derive.
    DependencyName,
    /// `-Wp,`: words for the preprocessor.
    Preprocessor,
    /// `-MP`: a rule for each file in a dependency file.
    PhonyTargets,
    /// Files beside the object are named after it.
    SideOutput,
    Lto,
    FuseLd,
    Static,
    Shared,
    /// `-Wl,` and `-Xlinker`: words for the linker, each of which then has a meaning of its own.
    LinkerWords,
    /// A word for the linker that names a file to link.
    LinkerInput,
    /// A static library to link, alone or with all of its members.
    OffloadLibrary,
    OffloadWholeLibrary,
    /// `-r`: the linker makes an object.
    Relocatable,
    LibraryDir,
    Library,
    /// `-Xarch_host VALUE`, `-Xarch_device VALUE`: the value is the option.
    Unwrap,
    Colour,
    /// A question that clang answers without compiling.
    Query,
}

/// One row.
#[derive(Debug)]
pub struct Flag {
    pub spelling: &'static str,
    pub shape: Shape,
    pub steps: Steps,
    pub meaning: Meaning,
    /// How the value is called in the help, and what the option does. Empty: not listed.
    pub help: (&'static str, &'static str),
}

const fn row(spelling: &'static str, shape: Shape, steps: Steps, meaning: Meaning) -> Flag {
    Flag { spelling, shape, steps, meaning, help: ("", "") }
}

const fn own(
    spelling: &'static str,
    shape: Shape,
    meaning: Meaning,
    value: &'static str,
    text: &'static str,
) -> Flag {
    Flag { spelling, shape, steps: Steps::NONE, meaning, help: (value, text) }
}

use Meaning as M;
use Shape::{Alone, Joined, JoinedAndSeparate, JoinedOrSeparate, Separate};

/// Where two rows fit an argument, the longer spelling wins.
pub const FLAGS: &[Flag] = &[
    // Scythe's own.
    own(
        "-fsycl",
        Alone,
        M::Sycl,
        "",
        "Compile the host code and the kernels of a SYCL 2020 program",
    ),
    own("-fno-sycl", Alone, M::NoSycl, "", "Undo -fsycl"),
    own(
        "-fsycl-targets=",
        Joined,
        M::Targets,
        "LIST",
        "Comma-separated device targets (see -fsycl-help). Default: spir64; at a link, all targets \
         in the objects",
    ),
    own(
        "-Xsycl-target-frontend",
        Separate,
        M::FrontendOptions,
        "OPTIONS",
        "Pass OPTIONS to the device pass, if there is one target",
    ),
    own(
        "-Xsycl-target-frontend=",
        JoinedAndSeparate,
        M::FrontendOptions,
        "TARGET OPTIONS",
        "The same for one of several targets",
    ),
    own(
        "-Xsycl-target-backend",
        Separate,
        M::BackendOptions,
        "OPTIONS",
        "Pass OPTIONS to the back end, if there is one target; spir64_x86_64 has \
         -march=LEVEL[,LEVEL...], -O0 to -O3, -mscalar",
    ),
    own(
        "-Xsycl-target-backend=",
        JoinedAndSeparate,
        M::BackendOptions,
        "TARGET OPTIONS",
        "The same for one of several targets",
    ),
    own(
        "-Xs",
        JoinedOrSeparate,
        M::AllBackendOptions,
        "OPTIONS",
        "Pass OPTIONS to the back end of every target",
    ),
    own(
        "-Xsycl-target-linker",
        Separate,
        M::LinkerOptions,
        "OPTIONS",
        "Pass OPTIONS to the device link (the options of 'scythe-tools device-link')",
    ),
    own(
        "-Xsycl-target-linker=",
        JoinedAndSeparate,
        M::LinkerOptions,
        "TARGET OPTIONS",
        "The same, if TARGET is among the targets; one device link serves all targets",
    ),
    own(
        "-sycl-std=",
        Joined,
        M::Standard,
        "VERSION",
        "SYCL version: 1.2.1, 2017 or 2020 (the default)",
    ),
    own(
        "-fsycl-link",
        Alone,
        M::DeviceLinkOnly,
        "",
        "Link the device code now and write an object file; later links of that object only link \
         host code",
    ),
    own(
        "-fsycl-rdc",
        Alone,
        M::Rdc,
        "",
        "Let device code call functions of other sources (the default)",
    ),
    own("-fno-sycl-rdc", Alone, M::NoRdc, "", "Link the device code of each source separately"),
    own(
        "-fsycl-allow-device-image-dependencies",
        Alone,
        M::ImageDependencies,
        "",
        "Import undefined device functions from shared libraries at run time, and export \
         SYCL_EXTERNAL functions",
    ),
    own(
        "-fsycl-dump-device-code=",
        Joined,
        M::DumpDeviceCode,
        "FOLDER",
        "Write a copy of each device image to FOLDER",
    ),
    own(
        "-fsycl-max-parallel-link-jobs=",
        Joined,
        M::LinkJobs,
        "N",
        "Compile at most N device images in parallel. Default: the number of processors",
    ),
    own(
        "--cuda-path=",
        Joined,
        M::CudaPath,
        "FOLDER",
        "Folder of the CUDA toolkit, which provides ptxas for NVIDIA GPUs",
    ),
    own(
        "-foffload-static-lib=",
        Joined,
        M::OffloadLibrary,
        "FILE",
        "Link a static library with device code",
    ),
    own(
        "-foffload-whole-static-lib=",
        Joined,
        M::OffloadWholeLibrary,
        "FILE",
        "Link all members of a static library with device code",
    ),
    own("--offload-compress", Alone, M::Compress, "", "Compress device images"),
    own("--no-offload-compress", Alone, M::NoCompress, "", "Undo --offload-compress"),
    own(
        "-fsycl-device-link-cache",
        Alone,
        M::LinkCache,
        "",
        "Cache results of device links in $XDG_CACHE_HOME/scythe/device-link (or ~/.cache/...)",
    ),
    own(
        "-fsycl-device-link-cache=",
        Joined,
        M::LinkCache,
        "FOLDER",
        "Cache results of device links in FOLDER",
    ),
    own(
        "-fsycl-device-config-file=",
        Joined,
        M::ConfigFile,
        "FILE",
        "Read additional targets and their aspects from a YAML file",
    ),
    own(
        "-fsycl-fixed-targets=",
        Joined,
        M::FixedTargets,
        "LIST",
        "Promise that kernels run only on these targets; warn if one cannot run the code",
    ),
    own(
        "-fsycl-device-only",
        Alone,
        M::DeviceOnly,
        "",
        "Compile device code only, to LLVM bitcode (with -S: LLVM assembly)",
    ),
    own(
        "-fsycl-host-only",
        Alone,
        M::HostOnly,
        "",
        "Compile host code only, to an object without device code",
    ),
    own(
        "-fsycl-host-compiler=",
        Joined,
        M::HostCompiler,
        "PROGRAM",
        "Compile host code with a separate host compiler",
    ),
    own(
        "-fsycl-host-compiler-options=",
        Joined,
        M::HostCompilerOptions,
        "OPTIONS",
        "Pass OPTIONS, separated by blanks, to the separate host compiler",
    ),
    own("-fsycl-int-header=", Joined, M::IntHeader, "FILE", "Write the integration header to FILE"),
    own(
        "-fsycl-device-code-split=",
        Joined,
        M::CodeSplit,
        "MODE",
        "How to split kernels into device images: off, per_source, per_kernel or auto (the \
         default)",
    ),
    own(
        "-fsycl-device-code-split",
        Alone,
        M::CodeSplit,
        "",
        "The same as -fsycl-device-code-split=auto",
    ),
    own(
        "--scythe-clang=",
        Joined,
        M::Clang,
        "PATH",
        "The clang++ to run, instead of clang++-22 in PATH",
    ),
    own("--dump-after=", Joined, M::DumpAfter, "PASS", "Dump device IR after PASS, or after 'all'"),
    own(
        "--dump-dir=",
        Joined,
        M::DumpDir,
        "FOLDER",
        "Folder for --dump-after. Default: the current folder",
    ),
    own("--time-passes", Alone, M::TimePasses, "", "Report the time of each device pass"),
    own("-o", JoinedOrSeparate, M::Output, "FILE", "Write the output to FILE"),
    own("-x", JoinedOrSeparate, M::Language, "LANGUAGE", "Treat the following inputs as LANGUAGE"),
    own(
        "-c",
        Alone,
        M::CompileOnly,
        "",
        "Compile to object files, which contain the device code in a section",
    ),
    own(
        "-S",
        Alone,
        M::Assembly,
        "",
        "Compile host code to assembly (with -fsycl-device-only: device code)",
    ),
    own(
        "-E",
        Alone,
        M::Preprocess,
        "",
        "Preprocess for the host and device passes into one file, which can be compiled as .ii",
    ),
    own(
        "-fsyntax-only",
        Alone,
        M::SyntaxOnly,
        "",
        "Check host and device code, but write no output",
    ),
    own("-save-temps", Alone, M::SaveTemps, "", "Keep intermediate files in the current folder"),
    own(
        "-save-temps=",
        Joined,
        M::SaveTemps,
        "cwd|obj",
        "Keep intermediate files in the current folder (cwd) or next to the output (obj)",
    ),
    own("--save-temps", Alone, M::SaveTemps, "", ""),
    own("--save-temps=", Joined, M::SaveTemps, "", ""),
    own("-###", Alone, M::ShowPlan, "", "Print the commands, but do not run them"),
    own("--print-plan", Alone, M::PrintPlan, "", "Print the steps as a tree, but do not run them"),
    own("-v", Alone, M::Verbose, "", "Print the commands and run them"),
    own("--verbose", Alone, M::Verbose, "", ""),
    own("--help", Alone, M::Help, "", "Print this list"),
    own("-help", Alone, M::Help, "", ""),
    own(
        "-fsycl-help",
        Alone,
        M::SyclHelp,
        "",
        "Print this list and the names of all device targets",
    ),
    own("--version", Alone, M::Version, "", "Print the versions of Scythe and clang"),
    own("-print-", Joined, M::Query, "", ""),
    own("--print-", Joined, M::Query, "", ""),
    own("-dumpmachine", Alone, M::Query, "", ""),
    own("-dumpversion", Alone, M::Query, "", ""),
    // Actions of one side.
    own("-M", Alone, M::OneSide, "", ""),
    own("-MM", Alone, M::OneSide, "", ""),
    own("--preprocess", Alone, M::Preprocess, "", ""),
    own("--precompile", Alone, M::Precompile, "", ""),
    own("--analyze", Alone, M::OneSide, "", ""),
    own("-emit-ast", Alone, M::OneSide, "", ""),
    own("-emit-llvm", Alone, M::EmitLlvm, "", ""),
    // Preprocessor.
    row("-D", JoinedOrSeparate, PASSES, M::Pass),
    row("-U", JoinedOrSeparate, PASSES, M::Pass),
    row("-I", JoinedOrSeparate, PASSES, M::Pass),
    row("-F", JoinedOrSeparate, PASSES, M::Pass),
    row("-include", Separate, PASSES, M::IncludeFirst),
    row("-include-pch", Separate, CLANGS, M::IncludePrecompiled),
    // Clang 22 cannot read the entry point of a kernel from a precompiled header: device passes
    // instantiate it later.
    row("-fpch-instantiate-templates", Alone, Steps::HOST, M::Pass),
    row("-imacros", Separate, PASSES, M::Pass),
    row("-isystem", JoinedOrSeparate, PASSES, M::Pass),
    row("-isystem-after", JoinedOrSeparate, CLANGS, M::Pass),
    row("-iquote", JoinedOrSeparate, PASSES, M::Pass),
    row("-idirafter", JoinedOrSeparate, PASSES, M::Pass),
    row("-iprefix", JoinedOrSeparate, PASSES, M::Pass),
    row("-iwithprefix", JoinedOrSeparate, PASSES, M::Pass),
    row("-iwithprefixbefore", JoinedOrSeparate, PASSES, M::Pass),
    row("-isysroot", JoinedOrSeparate, Steps::ALL, M::Pass),
    row("--sysroot", Separate, Steps::ALL, M::Pass),
    row("-cxx-isystem", JoinedOrSeparate, CLANGS, M::Pass),
    row("-ivfsoverlay", JoinedOrSeparate, CLANGS, M::Pass),
    row("-nostdinc", Alone, PASSES, M::Pass),
    row("-nostdinc++", Alone, PASSES, M::Pass),
    row("-std=", Joined, PASSES, M::Pass),
    row("-stdlib=", Joined, CLANGS.and(Steps::LINK), M::Pass),
    row("-Wp,", Joined, PASSES, M::Preprocessor),
    row("-Xpreprocessor", Separate, PASSES, M::Pass),
    row("-C", Alone, PASSES, M::Pass),
    row("-CC", Alone, PASSES, M::Pass),
    row("-P", Alone, PASSES, M::Pass),
    row("-dM", Alone, PASSES, M::Pass),
    row("-dD", Alone, PASSES, M::Pass),
    row("-H", Alone, HOSTS, M::Pass),
    // Every pass tells what it read; the host pass's file is the user's, and gets what the others
    // read besides.
    row("-MD", Alone, PASSES, M::DependencyFile),
    row("-MMD", Alone, PASSES, M::DependencyFile),
    row("-MF", JoinedOrSeparate, Steps::NONE, M::DependencyOutput),
    row("-MT", JoinedOrSeparate, HOSTS, M::DependencyName),
    row("-MQ", JoinedOrSeparate, HOSTS, M::DependencyName),
    row("-MJ", JoinedOrSeparate, Steps::HOST, M::Pass),
    row("-MP", Alone, HOSTS, M::PhonyTargets),
    row("-MG", Alone, HOSTS, M::Pass),
    row("-MV", Alone, Steps::HOST, M::Pass),
    // Both sides' front end.
    row("-O", Joined, HOST_CODE.and(Steps::DEVICE), M::Pass),
    row("-g", Joined, HOST_CODE.and(Steps::DEVICE), M::Pass),
    row("-W", Joined, PASSES, M::Pass),
    row("-w", Alone, PASSES, M::Pass),
    row("-Weverything", Alone, CLANGS, M::Pass),
    row("-ferror-limit=", Joined, CLANGS, M::Pass),
    row("-Xclang", Separate, CLANGS, M::FrontendWord),
    row("-mllvm", Separate, CLANGS.and(Steps::LINK), M::Pass),
    row("-mllvm=", Joined, CLANGS.and(Steps::LINK), M::Pass),
    row("--param", Separate, PASSES, M::Pass),
    row("-working-directory", Separate, CLANGS.and(Steps::LINK), M::Pass),
    row("-fcolor-diagnostics", Alone, CLANGS, M::Colour),
    row("-fno-color-diagnostics", Alone, CLANGS, M::Colour),
    row("-fdiagnostics-color", Alone, PASSES, M::Colour),
    row("-fdiagnostics-color=", Joined, PASSES, M::Colour),
    row("-fno-diagnostics-color", Alone, PASSES, M::Colour),
    row("-fplugin=", Joined, CLANGS, M::Pass),
    row("-fpass-plugin=", Joined, CLANGS, M::Pass),
    row("-fplugin-arg-", Joined, CLANGS, M::Pass),
    row("-Xarch_host", Separate, Steps::HOST.and(Steps::LINK), M::Unwrap),
    row("-Xarch_device", Separate, Steps::DEVICE, M::Unwrap),
    // Host code generation: the generic device target knows none of these, or would be wrong to
    // heed them.
    row("-m", Joined, HOST_CODE, M::Pass),
    row("-arch", Separate, CLANG_HOST_CODE, M::Pass),
    row("-target", Separate, CLANG_HOST_CODE, M::Pass),
    row("--target", Separate, CLANG_HOST_CODE, M::Pass),
    row("--target=", Joined, CLANG_HOST_CODE, M::Pass),
    row("-flto", Alone, HOST_CODE, M::Lto),
    row("-flto=", Joined, HOST_CODE, M::Lto),
    row("-flto-", Joined, CLANG_HOST_CODE, M::Pass),
    row("-fwhole-program-vtables", Alone, CLANG_HOST_CODE, M::Pass),
    row("-fvirtual-function-elimination", Alone, CLANG_HOST_CODE, M::Pass),
    row("-fsplit-lto-unit", Alone, CLANG_HOST_CODE, M::Pass),
    row("-fopenmp", Joined, HOST_CODE, M::Pass),
    row("-fiopenmp", Alone, HOST_CODE, M::Pass),
    row("-fsanitize", Joined, HOST_CODE, M::Pass),
    row("-fno-sanitize", Joined, HOST_CODE, M::Pass),
    row("-fprofile", Joined, HOST_CODE, M::Pass),
    row("-fprofile-arcs", Alone, HOST_CODE, M::SideOutput),
    row("-fcs-profile", Joined, CLANG_HOST_CODE, M::Pass),
    row("-fcoverage", Joined, CLANG_HOST_CODE, M::Pass),
    row("-ftest-coverage", Alone, HOST_CODE, M::SideOutput),
    row("-coverage", Alone, HOST_CODE, M::SideOutput),
    row("--coverage", Alone, HOST_CODE, M::SideOutput),
    row("-gsplit-dwarf", Joined, HOST_CODE, M::SideOutput),
    row("-ftime-trace", Joined, CLANG_HOST_CODE, M::SideOutput),
    row("-fsave-optimization-record", Joined, CLANG_HOST_CODE, M::SideOutput),
    row("-fstack-usage", Alone, HOSTS, M::SideOutput),
    row("-fstack-protector", Joined, HOST_CODE, M::Pass),
    row("-fstack-clash-protection", Alone, HOST_CODE, M::Pass),
    row("-fsplit-stack", Alone, HOST_CODE, M::Pass),
    row("-fcf-protection", Joined, HOST_CODE, M::Pass),
    row("-fxray", Joined, CLANG_HOST_CODE, M::Pass),
    row("-fveclib=", Joined, CLANG_HOST_CODE, M::Pass),
    row("-fbasic-block", Joined, CLANG_HOST_CODE, M::Pass),
    row("-fzero-call-used-regs=", Joined, HOST_CODE, M::Pass),
    row("-fpatchable-function-entry=", Joined, HOST_CODE, M::Pass),
    row("-fdebug-types-section", Alone, HOST_CODE, M::Pass),
    row("-finstrument-functions", Joined, HOST_CODE, M::Pass),
    row("-ftls-model=", Joined, HOST_CODE, M::Pass),
    row("-femulated-tls", Alone, HOST_CODE, M::Pass),
    row("-fPIC", Alone, HOST_CODE, M::Pass),
    row("-fpic", Alone, HOST_CODE, M::Pass),
    row("-fPIE", Alone, HOST_CODE, M::Pass),
    row("-fpie", Alone, HOST_CODE, M::Pass),
    row("-fno-plt", Alone, HOST_CODE, M::Pass),
    row("-pg", Alone, HOST_CODE, M::Pass),
    row("-p", Alone, HOST_CODE, M::Pass),
    row("-pthread", Alone, HOST_CODE.and(Steps::DEVICE), M::Pass),
    row("-Wa,", Joined, HOSTS, M::Pass),
    row("-Xassembler", Separate, HOSTS, M::Pass),
    row("-Xopenmp-target", Separate, CLANG_HOST_CODE, M::Pass),
    row("-dumpdir", Separate, HOST_CODE, M::Pass),
    // The linker's.
    row("-L", JoinedOrSeparate, Steps::LINK, M::LibraryDir),
    row("-l", JoinedOrSeparate, Steps::LINK, M::Library),
    row("-Wl,", Joined, Steps::LINK, M::LinkerWords),
    row("-Xlinker", Separate, Steps::LINK, M::LinkerWords),
    row("-Xoffload-linker", Separate, Steps::LINK, M::Pass),
    row("-T", JoinedOrSeparate, Steps::LINK, M::Pass),
    row("-u", Separate, Steps::LINK, M::Pass),
    row("-z", Separate, Steps::LINK, M::Pass),
    row("-e", Separate, Steps::LINK, M::Pass),
    row("-framework", Separate, Steps::LINK, M::Pass),
    row("-rpath", Separate, Steps::LINK, M::Pass),
    row("-fuse-ld=", Joined, Steps::LINK, M::FuseLd),
    row("--ld-path=", Joined, Steps::LINK, M::FuseLd),
    row("-B", JoinedOrSeparate, Steps::ALL, M::Pass),
    row("-shared", Alone, Steps::LINK, M::Shared),
    row("-static", Alone, Steps::LINK, M::Static),
    row("-static-pie", Alone, Steps::LINK, M::Static),
    row("-static-libgcc", Alone, Steps::LINK, M::Pass),
    row("-static-libstdc++", Alone, Steps::LINK, M::Pass),
    row("-r", Alone, Steps::LINK, M::Relocatable),
    row("-rdynamic", Alone, Steps::LINK, M::Pass),
    row("-pie", Alone, Steps::LINK, M::Pass),
    row("-no-pie", Alone, Steps::LINK, M::Pass),
    row("-nopie", Alone, Steps::LINK, M::Pass),
    row("-s", Alone, Steps::LINK, M::Pass),
    row("-nostdlib", Alone, Steps::LINK, M::Pass),
    row("-nostdlib++", Alone, Steps::LINK, M::Pass),
    row("-nodefaultlibs", Alone, Steps::LINK, M::Pass),
    row("-nostartfiles", Alone, Steps::LINK, M::Pass),
    row("-rtlib=", Joined, Steps::LINK, M::Pass),
    row("--rtlib=", Joined, Steps::LINK, M::Pass),
    row("-unwindlib=", Joined, Steps::LINK, M::Pass),
    row("--unwindlib=", Joined, Steps::LINK, M::Pass),
];

/// An argument that begins with `-` and has no row.
pub const UNKNOWN: Flag = row("", Alone, Steps::ALL, Meaning::Pass);

/// The row of an argument, with the value that is in the same argument, if any.
pub fn lookup(arg: &str) -> Option<(&'static Flag, Option<&str>)> {
    let mut best: Option<(&'static Flag, Option<&str>)> = None;
    for flag in FLAGS {
        let Some(rest) = arg.strip_prefix(flag.spelling) else { continue };
        let value = match flag.shape {
            Shape::Alone | Shape::Separate if rest.is_empty() => None,
            Shape::Joined | Shape::JoinedAndSeparate => Some(rest),
            Shape::JoinedOrSeparate => (!rest.is_empty()).then_some(rest),
            _ => continue,
        };
        if best.is_none_or(|(b, _)| flag.spelling.len() > b.spelling.len()) {
            best = Some((flag, value));
        }
    }
    best
}

/// The text of `--help`.
pub fn help() -> String {
    let mut out = String::from(
        "Usage: scythe [options] files...\n       scythe inspect [--json | --html] file\n\n\
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
            Without -fsycl, scythe behaves as clang++.\n";
    out
}

/// Every device target with its other names, as `-fsycl-help` lists them.
pub fn target_list(table: &Table) -> String {
    let mut out = String::from(
        "Device targets, for -fsycl-targets= (each also with '-unknown-unknown' or \
         '-sycldevice'):\n\n",
    );
    // A target that no code can be made for is of no use there.
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
    fn other_options_have_no_row() {
        assert!(lookup("-ffast-math").is_none());
        assert!(lookup("-fno-such-option").is_none());
        assert!(lookup("--includex").is_none());
    }

    #[test]
    fn no_spelling_stands_twice() {
        for (i, a) in FLAGS.iter().enumerate() {
            assert!(
                FLAGS[..i].iter().all(|b| a.spelling != b.spelling),
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
