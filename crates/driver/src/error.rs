//! The errors of the driver: of the command line, of files, and between the steps.
//!
//! Each message says what failed, why, and what to do. `docs/diagnostics.md` has a paragraph for
//! each code.

use scythe_diag::warning::Group;
use scythe_diag::{Code, Diagnostic};
use scythe_image::ElfError;
use scythe_image::archive::ArchiveError;
use scythe_image::bundle::BundleError;

use scythe_image::precompiled::PrecompiledError;
use scythe_image::text_bundle::TextBundleError;
use scythe_image::unit::UnitError;
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
    /// A target that the device configuration does not know, or has no compiler for. The source
    /// has the code.
    #[error("in '{option}': {}", source.message)]
    Target { option: String, source: scythe_device_config::Error },
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
    /// An error with a location in the device configuration. It has its own code.
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
    #[error("preprocessed file '{}': {source}", path.display())]
    Preprocessed { path: PathBuf, source: TextBundleError },
    #[error(
        "preprocessed file '{}': the file changed during the compilation and has no text for \
         '{missing}'; compile it again",
        path.display()
    )]
    PreprocessedChanged { path: PathBuf, missing: String },
    #[error(
        "the preprocessed file '{path}' has no text for '{missing}'; it has text for {found}. \
         Preprocess the source again with the same '-fsycl-targets='"
    )]
    NoText { path: String, missing: String, found: String },
    #[error("precompiled header '{}': {source}", path.display())]
    Precompiled { path: PathBuf, source: PrecompiledError },
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
    /// `printed` is the text that the tool printed, each line in clang's format.
    #[error(
        "cannot determine which library members the device code needs: 'scythe-tools \
         device-symbols' failed"
    )]
    DeviceSymbols { printed: String },
    #[error("device code of '{}': {source}", path.display())]
    DeviceCode { path: PathBuf, source: DeviceCodeError },
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
    /// Host pass and device pass disagree about a kernel. The diagnostic gets the location of the
    /// launch.
    #[error("kernel '{kernel}': {difference}")]
    LayoutMismatch { kernel: String, difference: String },
    #[error("{step} failed: '{}' was terminated by {signal}", program.display())]
    Terminated { step: String, program: PathBuf, signal: String },
    #[error("option '{option}' cannot be used: {reason}")]
    RefusedOption { option: String, reason: &'static str },
    #[error(
        "unknown option '{option}'{}",
        nearest.map_or_else(
            || ": '--help' lists the options".to_owned(),
            |known| format!("; did you mean '{known}'?")
        )
    )]
    UnknownOption { option: String, nearest: Option<&'static str> },
    #[error(
        "'{input}' {what}, but the command does not contain '-fsycl'. Add '-fsycl' to the command \
         that links"
    )]
    LinkWithoutSycl { input: String, what: &'static str },
    /// A warning of one of the driver's groups that `-Werror=` makes an error.
    #[error("{message}")]
    OwnWarning { group: Group, message: String },
}

/// The reason why the device code of an object or archive cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum DeviceCodeError {
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    #[error(transparent)]
    Bundle(#[from] BundleError),
    #[error(transparent)]
    Elf(#[from] ElfError),
    #[error(transparent)]
    Unit(#[from] UnitError),
    #[error("the bundle for '{target}' is damaged: {source}")]
    DamagedBundle { target: String, source: UnitError },
    #[error("the file changed during the link; link again")]
    Changed,
    #[error("the device module has no translation-unit identity; compile the source again")]
    NoIdentity,
}

/// Gives each error its code. A new variant without a row does not compile.
macro_rules! codes {
    ($($code:literal $variant:ident,)*) => {
        /// The codes of the driver, in the order of the table.
        pub const CODES: &[Code] = &[$(Code::Error($code)),*];

        impl Error {
            /// Returns the diagnostic that the driver prints.
            pub fn diagnostic(&self) -> Diagnostic {
                let number = match self {
                    Self::DeviceConfig(diagnostic) => return diagnostic.clone(),
                    Self::OwnWarning { group, message } => {
                        return Diagnostic::error(Code::Warning(*group), message.clone());
                    }
                    Self::Target { source, .. } => {
                        return Diagnostic { message: self.to_string(), ..source.clone() };
                    }
                    $(Self::$variant { .. } => $code,)*
                };
                let diagnostic = Diagnostic::error(Code::Error(number), self.to_string());
                match self {
                    Self::DeviceSymbols { printed } if !printed.is_empty() => {
                        diagnostic.note(format!("the tool printed:\n{printed}"))
                    }
                    _ => diagnostic,
                }
            }
        }
    };
}

codes! {
    401 NoInput,
    402 NotUtf8,
    403 MissingValue,
    404 BadValue,
    405 NoArchitecture,
    406 PointersDiffer,
    407 MixedIntel,
    408 DeviceGiven,
    410 AmbiguousOptions,
    411 OneOutput,
    412 OneHeader,
    413 BothSidesExcluded,
    414 Static,
    415 EmitLlvm,
    416 DeviceLinkMode,
    417 LinkKinds,
    418 NothingToLink,
    419 UnknownBundle,
    420 NoCodeForTarget,
    421 NewKernels,
    422 NoCacheFolder,
    423 ResponseDepth,
    424 NoSuchFile,
    425 Read,
    426 Write,
    427 TempFolder,
    428 Spawn,
    429 Preprocessed,
    430 PreprocessedChanged,
    431 NoText,
    432 Precompiled,
    433 NoDevicePart,
    434 PrecompiledTarget,
    435 PrecompiledAspects,
    436 PrecompiledForeign,
    437 PrecompiledFolder,
    438 HeaderAmongSources,
    439 DeviceSymbols,
    440 DeviceCode,
    441 Incomplete,
    442 NoClang,
    443 ClangMismatch,
    444 NotClang,
    445 LayoutMismatch,
    446 Terminated,
    447 RefusedOption,
    448 UnknownOption,
    449 LinkWithoutSycl,
}

#[cfg(test)]
mod tests {
    use super::*;
    use scythe_diag::documentation::differences;

    #[test]
    fn each_error_has_a_paragraph() {
        let document = include_str!("../../../docs/diagnostics.md");
        assert_eq!(differences(document, CODES, 400..=499), [""; 0]);
    }

    #[test]
    fn errors_of_targets_keep_the_code_of_the_device_configuration() {
        let source = scythe_device_config::Table::embedded().unknown("nowhere");
        let code = source.code;
        let diagnostic =
            Error::Target { option: "-fsycl-targets=nowhere".into(), source }.diagnostic();
        assert_eq!(diagnostic.code, code);
        assert!(diagnostic.message.starts_with("in '-fsycl-targets=nowhere': unknown device"));
    }
}
