//! What can go wrong before or between the steps. Each message says what was seen and what was
//! expected.

use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("no input files")]
    NoInput,
    #[error("argument {position} is not UTF-8: '{lossy}'")]
    NotUtf8 { position: usize, lossy: String },
    #[error("option '{spelling}' needs a value, but it is the last argument")]
    MissingValue { spelling: String },
    #[error("invalid value '{value}' of option '{option}': expected {expected}")]
    BadValue { option: &'static str, value: String, expected: &'static str },
    #[error("in '{option}': {message}")]
    UnknownTarget { option: String, message: String },
    #[error(
        "the device configuration gives no architecture for the target '{target}': add \
         '-arch=sm_NN' to its 'aot-toolchain-options'"
    )]
    NoArchitecture { target: String },
    #[error(
        "the device target '{name}' in '{option}' has 32-bit pointers, but the host has 64-bit \
         pointers; use 'spir64'"
    )]
    PointersDiffer { option: String, name: String },
    #[error(
        "'-fsycl-targets=' cannot name both '{device}' and 'spir64_gen': '{device}' selects the \
         GPU by its name, 'spir64_gen' by '-device'. Use one of the two forms"
    )]
    MixedIntel { device: String },
    #[error(
        "'{option}' cannot be used with the target '{target}': the target already selects the GPU. \
         Remove the option, or use the target 'spir64_gen'"
    )]
    DeviceGiven { option: String, target: String },
    #[error(
        "'{option}' gives options for the target '{target}', but '-fsycl-targets=' does not name \
         that target"
    )]
    UnusedOptions { option: String, target: String },
    #[error(
        "'{option} {options}' is ambiguous because there are {count} targets; write \
         '{option}=TARGET {options}'"
    )]
    AmbiguousOptions { option: &'static str, options: String, count: usize },
    #[error(
        "option '-o' names one file, '{output}', but the command writes {count} outputs; compile \
         each source with its own command"
    )]
    OneOutput { output: String, count: usize },
    #[error(
        "option '-fsycl-int-header=' names one file, but there are {count} sources; compile each \
         source with its own command"
    )]
    OneHeader { count: usize },
    #[error("'-fsycl-device-only' and '-fsycl-host-only' cannot be used together")]
    BothSidesExcluded,
    #[error(
        "'{option}' cannot be used with '-fsycl': the SYCL runtime is a shared library. Use \
         '-static-libstdc++' or '-static-libgcc' instead"
    )]
    Static { option: String },
    #[error("'-emit-llvm' cannot be used when linking; add '-c' or '-S'")]
    EmitLlvm,
    #[error(
        "'-fsycl-link' cannot be used with an option that stops the compiler before the link, such \
         as '-c'"
    )]
    DeviceLinkMode,
    #[error(
        "'-fsycl-link' cannot be used with '{option}': '-fsycl-link' writes an object file. Use \
         '{option}' at the final link"
    )]
    LinkKinds { option: String },
    #[error("'-fsycl-link' needs device code, but no input contains device code: {inputs}")]
    NothingToLink { inputs: String },
    #[error("'{}' contains device code for '{id}', which this version of Scythe does not \
        support", path.display())]
    UnknownBundle { path: PathBuf, id: String },
    #[error("no input contains device code for '{target}'; found device code for: {found}")]
    NoCodeForTarget { target: String, found: String },
    #[error(
        "{list}; '{linked_in}' contains the result of '-fsycl-link', so this link cannot add \
         kernels. Pass that input to the '-fsycl-link' command"
    )]
    NewKernels { list: String, linked_in: String },
    #[error(
        "'-fsycl-device-link-cache' has no folder: neither XDG_CACHE_HOME nor HOME is set. Name \
         one with '-fsycl-device-link-cache=FOLDER'"
    )]
    NoCacheFolder,
    #[error("the response file '{file}' is nested too deeply: check whether it includes itself")]
    ResponseDepth { file: String },
    /// Rendered by itself: it names a place in the file.
    #[error(transparent)]
    DeviceConfig(#[from] scythe_device_config::Error),
    #[error("no such file: '{path}'")]
    NoSuchFile { path: String },
    #[error("cannot read '{}': {source}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("cannot write '{}': {source}", path.display())]
    Write { path: PathBuf, source: std::io::Error },
    #[error("cannot create a temporary folder in '{}': {source}", path.display())]
    TempFolder { path: PathBuf, source: std::io::Error },
    #[error("cannot run '{}': {source}", program.display())]
    Spawn { program: PathBuf, source: std::io::Error },
    #[error("preprocessed file '{}': {message}", path.display())]
    Preprocessed { path: PathBuf, message: String },
    #[error(
        "the preprocessed file '{path}' has no text for '{missing}'; it has text for {found}. \
         Preprocess the source again with the same '-fsycl-targets='"
    )]
    NoText { path: String, missing: String, found: String },
    #[error("precompiled header '{}': {message}", path.display())]
    Precompiled { path: PathBuf, message: String },
    #[error(
        "the precompiled header '{path}' has no part for device code: it is damaged, or it was \
         built without '-fsycl', or with '-fsycl-host-only' or '-fsycl-device-only'. Build it \
         again with 'scythe -fsycl'"
    )]
    NoDevicePart { path: String },
    #[error(
        "the precompiled header '{path}' has no part for '{missing}'; it was built for '{found}'. \
         Build it again with the same '-fsycl-targets='"
    )]
    PrecompiledTarget { path: String, missing: String, found: String },
    #[error(
        "the precompiled header '{path}' was built for targets with other aspects ('{found}'). \
         Build it again with the same '-fsycl-targets='"
    )]
    PrecompiledAspects { path: String, found: String },
    #[error(
        "precompiled headers cannot be used with '-fsycl-host-compiler={compiler}': the separate \
         host compiler cannot read them. Remove one of the two"
    )]
    PrecompiledForeign { compiler: String },
    #[error(
        "'{path}' is a folder of precompiled headers; '-fsycl' needs a single file. Name it with \
         '-include-pch FILE'"
    )]
    PrecompiledFolder { path: String },
    #[error(
        "cannot compile '{path}' and precompile a header in one command; use a separate command \
         for the header"
    )]
    HeaderAmongSources { path: String },
    #[error("cannot determine which library members the device code needs: {message}")]
    DeviceSymbols { message: String },
    #[error("device code of '{}': {message}", path.display())]
    DeviceCode { path: PathBuf, message: String },
    #[error(
        "this installation of Scythe is incomplete: '{}' is missing. Install it again with 'cargo \
         xtask install --prefix DIR'",
        missing.display()
    )]
    Incomplete { missing: PathBuf },
    #[error(
        "clang++ {} was not found: looked for {looked}. Install it (on Debian: apt-get install \
         clang-22), or name it with '--scythe-clang=PATH'",
        crate::clang::VERSION
    )]
    NoClang { looked: String },
    #[error(
        "'{}' is clang {seen}, but Scythe's plug-in was built for clang {}. Install that version \
         (on Debian: apt-get install clang-22), or name it with '--scythe-clang=PATH'",
        path.display(), crate::clang::VERSION
    )]
    ClangMismatch { path: PathBuf, seen: String },
    #[error("'{}' is not clang: '--version' {answer}. Name clang++ with \
        '--scythe-clang=PATH'", path.display())]
    NotClang { path: PathBuf, answer: String },
}
