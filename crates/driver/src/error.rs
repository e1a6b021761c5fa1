//! What can go wrong before or between the steps. Each message says what was seen and what was expected.

use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("no input files")]
    NoInput,
    #[error("argument {position} is not UTF-8: '{lossy}'")]
    NotUtf8 { position: usize, lossy: String },
    #[error("option '{spelling}' needs a value, and is the last argument")]
    MissingValue { spelling: String },
    #[error("option '{option}' has the value '{value}'; expected {expected}")]
    BadValue { option: &'static str, value: String, expected: &'static str },
    #[error("in '{option}': {message}")]
    UnknownTarget { option: String, message: String },
    #[error(
        "the device configuration names no architecture for the target '{target}': expected '-arch=sm_NN' in its \
         'aot-toolchain-options'"
    )]
    NoArchitecture { target: String },
    #[error(
        "the device target '{name}' in '{option}' has pointers of 32 bits, and cannot share data with a host of 64; 'spir64' can"
    )]
    PointersDiffer { option: String, name: String },
    #[error(
        "'{device}' and 'spir64_gen' cannot be mixed in '-fsycl-targets=': each decides by itself for which GPU ocloc compiles"
    )]
    MixedIntel { device: String },
    #[error(
        "'{option}' cannot be used with the target '{target}': the driver passes it to ocloc itself, for that target"
    )]
    DeviceGiven { option: String, target: String },
    #[error("'{option}' is for the target '{target}', which '-fsycl-targets=' does not name")]
    UnusedOptions { option: String, target: String },
    #[error("'{option} {options}' can mean any of {count} targets; '{option}=TARGET {options}' names one")]
    AmbiguousOptions { option: &'static str, options: String, count: usize },
    #[error("option '-o' names one file, '{output}', but there are {count} outputs")]
    OneOutput { output: String, count: usize },
    #[error("option '-fsycl-int-header=' names one file, but there are {count} sources")]
    OneHeader { count: usize },
    #[error("'-fsycl-device-only' and '-fsycl-host-only' exclude each other")]
    BothSidesExcluded,
    #[error(
        "'{option}' cannot be used with '-fsycl': the SYCL runtime is a shared library. \
         '-static-libstdc++' and '-static-libgcc' can"
    )]
    Static { option: String },
    #[error("'-emit-llvm' cannot be used when linking; add '-c' or '-S'")]
    EmitLlvm,
    #[error(
        "'-fsycl-link' makes an object from linked device code; it cannot be used with options that stop before the link"
    )]
    DeviceLinkMode,
    #[error("'-fsycl-link' makes an object, and '{option}' something else")]
    LinkKinds { option: String },
    #[error("'-fsycl-link' needs device code, but none of the inputs holds any: {inputs}")]
    NothingToLink { inputs: String },
    #[error("'{}' holds device code for '{id}', which is no target that this Scythe knows", path.display())]
    UnknownBundle { path: PathBuf, id: String },
    #[error("no input holds device code for '{target}'; found: {found}")]
    NoCodeForTarget { target: String, found: String },
    #[error(
        "{list}; '{linked_in}' holds device code that is linked for good ('-fsycl-link'), so that none can be added"
    )]
    NewKernels { list: String, linked_in: String },
    #[error("'-fsycl-device-link-cache' finds no folder: neither XDG_CACHE_HOME nor HOME is set. '=FOLDER' names one")]
    NoCacheFolder,
    #[error("the response file '{file}' is nested too deeply: it probably names itself")]
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
    #[error("cannot make a temporary folder in '{}': {source}", path.display())]
    TempFolder { path: PathBuf, source: std::io::Error },
    #[error("cannot run '{}': {source}", program.display())]
    Spawn { program: PathBuf, source: std::io::Error },
    #[error("preprocessed text '{}': {message}", path.display())]
    Preprocessed { path: PathBuf, message: String },
    #[error("the preprocessed text '{path}' holds nothing for '{missing}'; it was made for {found}")]
    NoText { path: String, missing: String, found: String },
    #[error("precompiled header '{}': {message}", path.display())]
    Precompiled { path: PathBuf, message: String },
    #[error(
        "the precompiled header '{path}' has no part for device code: it is damaged, or was made without '-fsycl', or with \
         '-fsycl-host-only' or '-fsycl-device-only'. Make it anew with 'scythe -fsycl'"
    )]
    NoDevicePart { path: String },
    #[error(
        "the precompiled header '{path}' has no part for '{missing}'; it was made for '{found}'. Make it anew with the same \
         '-fsycl-targets='"
    )]
    PrecompiledTarget { path: String, missing: String, found: String },
    #[error(
        "the precompiled header '{path}' was made for targets with other aspects ('{found}'). Make it anew with the same \
         '-fsycl-targets='"
    )]
    PrecompiledAspects { path: String, found: String },
    #[error(
        "precompiled headers cannot be used with '-fsycl-host-compiler={compiler}': that compiler does not read them. \
         Leave out one of the two"
    )]
    PrecompiledForeign { compiler: String },
    #[error(
        "'{path}' is a folder of precompiled headers, from which '-fsycl' cannot choose; name one with '-include-pch FILE'"
    )]
    PrecompiledFolder { path: String },
    #[error("'{path}' is no header, but another input is, and headers are precompiled by commands of their own")]
    HeaderAmongSources { path: String },
    #[error("cannot tell which members of libraries device code needs: {message}")]
    DeviceSymbols { message: String },
    #[error("device code of '{}': {message}", path.display())]
    DeviceCode { path: PathBuf, message: String },
    #[error(
        "this Scythe is incomplete: '{}' is missing. 'cargo xtask install --prefix DIR' makes a complete tree",
        missing.display()
    )]
    Incomplete { missing: PathBuf },
    #[error(
        "clang++ {} was not found: looked for {looked}. On Debian: apt-get install clang-22. \
         Another place can be named with '--scythe-clang=PATH'",
        crate::clang::VERSION
    )]
    NoClang { looked: String },
    #[error(
        "'{}' is clang {seen}, but Scythe's plug-in was built for clang {}. \
         On Debian: apt-get install clang-22, or name the right one with '--scythe-clang=PATH'",
        path.display(), crate::clang::VERSION
    )]
    ClangMismatch { path: PathBuf, seen: String },
    #[error("'{}' does not look like clang: '--version' {answer}", path.display())]
    NotClang { path: PathBuf, answer: String },
}
