//! The options of a build. All options of the driver that affect device code are allowed. Options
//! that choose inputs, outputs, targets or steps make no sense here and are refused.

use std::path::{Path, PathBuf};

use crate::{Error, Result, invalid};

/// The options for the driver.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Options {
    pub words: Vec<String>,
    /// The folders that the options add to the search for included files.
    pub folders: Vec<PathBuf>,
}

/// Options with a folder for included files, which may also be the next word.
const FOLDERS: [&str; 5] = ["--include-directory", "-isystem", "-iquote", "-idirafter", "-I"];
/// Options with a file that is included first, which may also be the next word.
const FILES: [&str; 4] = ["-include", "--include", "-imacros", "--imacros"];
/// Other options whose value may be the next word.
const WITH_VALUE: [&str; 10] = [
    "-Xsycl-target-backend",
    "-Xsycl-target-frontend",
    "-Xclang",
    "-Xpreprocessor",
    "-isysroot",
    "--sysroot",
    "-mllvm",
    "-Xs",
    "-D",
    "-U",
];

/// Options that are refused, with the reasons. The longest spelling that fits decides, and an empty
/// reason allows the option.
const REFUSED: [(&str, &str); 53] = [
    ("-fsycl-targets", TARGETS),
    ("--offload-arch", TARGETS),
    ("-fsycl-add-targets", TARGETS),
    ("-fsycl-fixed-targets", TARGETS),
    ("-fsycl-host-compiler", HOST),
    ("-fsycl-host-only", HOST),
    ("-fsycl-int-header", HOST),
    ("-fsycl-int-footer", HOST),
    ("-fno-sycl", STEPS),
    ("-fno-sycl-", ""),
    ("-fsycl-link", STEPS),
    ("-fsycl-device-only", STEPS),
    ("-fsycl-help", STEPS),
    ("-fsycl-include-folder", FILES_OF_BUNDLE),
    ("-fsycl-quote-folder", FILES_OF_BUNDLE),
    ("-fsycl-dump-device-code", OUTPUTS),
    ("-fsyntax-only", STEPS),
    ("-c", STEPS),
    ("-cl-", ""),
    ("-S", STEPS),
    ("-E", STEPS),
    ("-###", STEPS),
    ("-emit-", STEPS),
    ("--precompile", STEPS),
    ("--print-", STEPS),
    ("-print-", STEPS),
    ("--help", STEPS),
    ("--version", STEPS),
    ("-v", STEPS),
    ("-o", OUTPUTS),
    ("-M", OUTPUTS),
    ("-save-temps", OUTPUTS),
    ("--save-temps", OUTPUTS),
    ("-ftime-trace", OUTPUTS),
    ("-serialize-diagnostics", OUTPUTS),
    ("--serialize-diagnostics", OUTPUTS),
    ("-fprofile-", OUTPUTS),
    ("-fcoverage-", OUTPUTS),
    ("--coverage", OUTPUTS),
    ("-dump", OUTPUTS),
    ("-l", LINK),
    ("-L", LINK),
    ("-Wl,", LINK),
    ("-Xlinker", LINK),
    ("-shared", LINK),
    ("-static", LINK),
    ("-r", LINK),
    ("-x", INPUTS),
    ("-include-pch", INPUTS),
    ("-working-directory", INPUTS),
    ("-fplugin", TOOLS),
    ("-fpass-plugin", TOOLS),
    ("--config", TOOLS),
];
/// Options for precompiled headers, which Scythe always uses where they do not change the result.
const AUTOMATIC: [&str; 2] = ["--auto-pch", "--persistent-auto-pch"];
const TARGETS: &str = "a kernel bundle is built for the devices of its context";
const HOST: &str = "a kernel bundle has no host code";
const STEPS: &str = "a kernel bundle is always compiled and linked";
const OUTPUTS: &str = "a kernel bundle writes no files";
const LINK: &str = "a kernel bundle is not linked with host code";
const INPUTS: &str = "the source text is the only input";
const TOOLS: &str = "the compiler is the installed one";
const FILES_OF_BUNDLE: &str = "the property include_files adds files";

/// Checks the options of a program, whose current folder is `current`.
pub fn read(given: &[&str], current: &Path) -> Result<Options> {
    let mut options = Options::default();
    let mut words = given.iter().copied();
    while let Some(word) = words.next() {
        if !word.starts_with('-') || word == "-" {
            return Err(refuse(word, INPUTS));
        }
        if word.contains('\0') {
            return Err(refuse(&word.replace('\0', "\\0"), "it contains a NUL character"));
        }
        let fits = REFUSED.iter().filter(|(option, _)| is(option, word));
        let reason = fits.max_by_key(|(option, _)| option.len()).map_or("", |(_, reason)| reason);
        if !reason.is_empty() {
            return Err(refuse(word, reason));
        }
        if AUTOMATIC.contains(&word.split('=').next().unwrap_or_default()) {
            continue;
        }
        let mut value = || words.next().ok_or_else(|| refuse(word, "its value is missing"));
        if let Some((option, joined)) = with_path(&FOLDERS, word) {
            let folder = if joined.is_empty() { value()? } else { joined };
            let folder = current.join(folder);
            options.words.extend([short(option), folder.to_string_lossy().into_owned()]);
            options.folders.push(folder);
        } else if let Some((option, joined)) = with_path(&FILES, word) {
            let file = if joined.is_empty() { value()? } else { joined };
            let here = current.join(file);
            let file = if here.is_file() { here } else { PathBuf::from(file) };
            options.words.extend([short(option), file.to_string_lossy().into_owned()]);
        } else {
            options.words.push(word.to_owned());
            if WITH_VALUE.contains(&word) {
                options.words.push(value()?.to_owned());
            }
        }
    }
    Ok(options)
}

/// Returns whether a word is this option. Options of one letter and those with a dash, comma or
/// equals sign at their end may have a joined value.
fn is(option: &str, word: &str) -> bool {
    let Some(rest) = word.strip_prefix(option) else { return false };
    let joined = ["-o", "-M", "-l", "-L", "-x"].contains(&option) || option.ends_with(['-', ',']);
    rest.is_empty() || joined || rest.starts_with('=') || option.starts_with("-fplugin")
}

/// Returns the option and its joined value.
fn with_path<'a>(list: &[&'a str], word: &'a str) -> Option<(&'a str, &'a str)> {
    list.iter().find_map(|option| {
        let joined = word.strip_prefix(option)?;
        match joined.strip_prefix('=') {
            Some(value) => Some((*option, value)),
            // `-include-pch` is another option.
            None if option.starts_with("--") || FILES.contains(option) => {
                joined.is_empty().then_some((*option, ""))
            }
            None => Some((*option, joined)),
        }
    })
}

/// Returns the spelling that the driver knows with a separate value.
fn short(option: &str) -> String {
    match option {
        "--include-directory" => "-I".to_owned(),
        "--include" | "--imacros" => option[1..].to_owned(),
        _ => option.to_owned(),
    }
}

/// Returns the error for an option that the compiler or this module refuses.
pub fn refuse(option: &str, reason: &str) -> Error {
    invalid(format!("Parsing of user arguments failed: the option '{option}': {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(given: &[&str]) -> Vec<String> {
        read(given, Path::new("/here")).expect("good options").words
    }

    #[test]
    fn options_for_device_code_are_kept() {
        let kept = ["-O2", "-DX=1", "-U", "Y", "-ffast-math", "-fno-sycl-id-queries-fit-in-int"];
        assert_eq!(words(&kept), kept);
        assert_eq!(words(&["-fsycl-device-code-split=off", "-Wall", "-std=c++20"]).len(), 3);
        assert_eq!(words(&["--auto-pch", "--persistent-auto-pch=/x"]).len(), 0);
        assert_eq!(words(&["-Xclang", "-o", "-mllvm", "x", "-march=native"]).len(), 5);
    }

    #[test]
    fn folders_are_those_of_the_program() {
        let options = read(
            &[
                "-Ia",
                "-I",
                "/b",
                "--include-directory=c",
                "--include-directory",
                "d",
                "-isystem",
                "e",
            ],
            Path::new("/here"),
        );
        let options = options.expect("good options");
        let folders: Vec<_> =
            options.folders.iter().map(|folder| folder.to_str().unwrap()).collect();
        assert_eq!(folders, ["/here/a", "/b", "/here/c", "/here/d", "/here/e"]);
        assert_eq!(options.words[4..6], ["-I", "/here/c"]);
        assert_eq!(words(&["-include", "x.hpp"]), ["-include", "x.hpp"]);
    }

    #[test]
    fn options_without_sense_are_refused() {
        for option in [
            "-fsycl-targets=spir64",
            "-o",
            "-oout",
            "-c",
            "-shared",
            "-lm",
            "-Wl,-x",
            "-MD",
            "a.cpp",
            "@file",
            "-x",
            "-fsycl-link",
            "-fplugin=x.so",
            "-fplugin-arg-a-b",
            "-include-pch",
            "-v",
            "--offload-arch=sm_90",
            "-I",
            "-D",
            "-emit-llvm",
            "-save-temps=obj",
            "-",
        ] {
            let error = read(&[option], Path::new("/here")).expect_err(option);
            assert_eq!(error.code, crate::Errc::Invalid);
            assert!(error.message.contains(&format!("the option '{option}': ")), "{error}");
        }
    }
}
