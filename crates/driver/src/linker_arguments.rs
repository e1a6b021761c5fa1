//! Interprets arguments for the linker, `-Wl,A,B` and `-Xlinker A`, that matter to the device link:
//! libraries, folders of libraries, and objects.

use std::path::Path;

use crate::flags::Meaning;

/// Linker options whose value, the next word, may be the name of an object or library that is not
/// an input.
const WITH_FILE: [&str; 18] = [
    "-o",
    "-R",
    "-I",
    "-f",
    "-F",
    "-h",
    "-plugin",
    "-soname",
    "-dynamic-linker",
    "-rpath",
    "-rpath-link",
    "-Map",
    "-just-symbols",
    "-output",
    "-auxiliary",
    "-filter",
    "-exclude-libs",
    "-out-implib",
];

/// Finds the meaning of words, in the order of the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkerArguments {
    previous: String,
}

impl LinkerArguments {
    /// Returns the meaning of the next word. The value of `-l` or `-L` gets the option's meaning;
    /// the option alone gets none.
    pub fn meaning(&mut self, word: &str) -> Meaning {
        let previous = std::mem::replace(&mut self.previous, word.to_owned());
        // Long options start with one or two dashes.
        let long =
            |text: &str, option: &str| text.strip_prefix('-').is_some_and(|text| text == option);
        if previous == "-l" || long(&previous, "-library") {
            return Meaning::Library;
        }
        if previous == "-L" || long(&previous, "-library-path") {
            return Meaning::LibraryDir;
        }
        match word {
            "-l" | "-L" | "--library" | "--library-path" => Meaning::Pass,
            "-r" | "-i" | "--relocatable" => Meaning::Relocatable,
            "--version" | "-version" | "--help" | "-help" => Meaning::LinkerQuery,
            _ if word.starts_with("-l") || word.starts_with("--library=") => Meaning::Library,
            _ if word.starts_with("-L") || word.starts_with("--library-path=") => {
                Meaning::LibraryDir
            }
            _ if word.starts_with('-') => Meaning::Pass,
            _ if WITH_FILE.iter().any(|option| previous == *option || long(&previous, option)) => {
                Meaning::Pass
            }
            _ if is_linkable(word) => Meaning::LinkerInput,
            _ => Meaning::Pass,
        }
    }
}

/// Returns whether the word looks like the name of an object or a library.
fn is_linkable(word: &str) -> bool {
    let name = Path::new(word).file_name().unwrap_or_default().to_string_lossy();
    [".o", ".a", ".so", ".lo"].iter().any(|end| name.ends_with(end)) || name.contains(".so.")
}

/// Returns the name or file in words of [`Meaning::Library`], [`Meaning::LibraryDir`] and
/// [`Meaning::LinkerInput`], in the form for the compiler or for the linker.
pub fn value(words: &[String]) -> String {
    let word = match words {
        [option, value] if option == "-Xlinker" => value,
        [option, value] if option == "-l" || option == "-L" => return value.clone(),
        _ => {
            words.first().map(|word| word.strip_prefix("-Wl,").unwrap_or(word)).unwrap_or_default()
        }
    };
    let prefixes = ["--library-path=", "--library=", "-l", "-L"];
    prefixes.iter().find_map(|prefix| word.strip_prefix(prefix)).unwrap_or(word).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_and_folders_are_found_among_other_words() {
        let mut words = LinkerArguments::default();
        let list = [
            "-z",
            "now",
            "-lx",
            "-l",
            "y",
            "--library=z",
            "-L",
            "dir",
            "-Ldir",
            "--library-path=d",
            "-r",
            "--version",
        ];
        let expected = {
            use Meaning::{Library, LibraryDir, LinkerQuery, Pass, Relocatable};
            [
                Pass,
                Pass,
                Library,
                Pass,
                Library,
                Library,
                Pass,
                LibraryDir,
                LibraryDir,
                LibraryDir,
                Relocatable,
                LinkerQuery,
            ]
        };
        assert_eq!(list.map(|word| words.meaning(word)), expected);
    }

    #[test]
    fn files_are_inputs_unless_an_option_takes_them() {
        let file = "dir/x.a";
        let mut words = LinkerArguments::default();
        assert_eq!(words.meaning(file), Meaning::LinkerInput);
        assert_eq!(
            ["-rpath", file, "--dynamic-linker", file].map(|word| words.meaning(word)),
            [Meaning::Pass; 4]
        );
        assert_eq!(words.meaning("libx.so.1"), Meaning::LinkerInput);
        assert_eq!(words.meaning("main"), Meaning::Pass);
    }

    #[test]
    fn values_are_what_follows_the_option() {
        let of = |words: &[&str]| {
            value(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(of(&["-lx"]), "x");
        assert_eq!(of(&["-l", "-lx"]), "-lx");
        assert_eq!(of(&["-Wl,-lx"]), "x");
        assert_eq!(of(&["-Wl,--library-path=a b"]), "a b");
        assert_eq!(of(&["-Xlinker", "-l:libx.a"]), ":libx.a");
        assert_eq!(of(&["-Xlinker", "dir/x.a"]), "dir/x.a");
        assert_eq!(of(&["-Wl,x"]), "x");
    }
}
