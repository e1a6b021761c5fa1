//! Which sources hold no device code, so that they need no device pass.
//!
//! The proof is textual, and errs on the side of device code. It looks at the source and at every
//! file that one of its `#include`s can mean, whatever conditions surround the directive; standard
//! C++ headers count as free of SYCL. A source is
//!
//! * free of SYCL when none of these files is Scythe's or holds the letters "sycl" in any case;
//! * free of kernels when none of them holds a word by which device code comes to be
//!   (`parallel_for`, `SYCL_EXTERNAL`, …), or from which a macro could make one.
//!
//! An include by macro, a module, or an option that changes how files are found ends the proof:
//! then all passes run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::args::{Invocation, Item};
use crate::flags::Steps;

/// Options whose effect on the search for files, or on what a pass sees, is not followed.
const UNFOLLOWED: [&str; 35] = [
    "-Xclang",
    "-Xpreprocessor",
    "-Wp,",
    "-include-pch",
    "-ivfsoverlay",
    "-isysroot",
    "--sysroot",
    "-nostdinc",
    "-F",
    "-iframework",
    "-B",
    "-target",
    "--target",
    "-stdlib",
    "-fmodule",
    "-fprebuilt-module",
    "-fimplicit-module",
    "--gcc-",
    "-gcc-",
    "-fplugin",
    "-fpass-plugin",
    "-working-directory",
    "-iprefix",
    "-iwithprefix",
    "-cxx-isystem",
    "-c-isystem",
    "-isystem-after",
    "--config",
    "-resource-dir",
    "-specs",
    "-imultilib",
    "-iwithsysroot",
    "--include",
    "--imacros",
    "--define",
];
/// Options that name a folder to search.
const FOLDERS: [&str; 4] = ["-isystem", "-iquote", "-idirafter", "-I"];
/// Options that name a file to read first.
const FILES: [&str; 2] = ["-include", "-imacros"];
/// Environment variables that name folders.
const VARIABLES: [&str; 2] = ["CPATH", "CPLUS_INCLUDE_PATH"];
/// Parts of words, in lower case, without which a user's file makes no device code: every way to
/// launch a kernel has one of them in its name, as have `SYCL_EXTERNAL`, the macros that tell
/// passes apart, and clang's attributes.
const SUSPECT: [&[u8]; 9] = [
    b"task",
    b"parallel",
    b"launch",
    b"kernel",
    b"external",
    b"__sycl",
    b"__scythe",
    b"device_global",
    b"##",
];
/// The same for system headers, which use such words for much else, but never name SYCL's
/// functions.
const SUSPECT_IN_SYSTEM: [&[u8]; 2] = [b"single_task", b"parallel_for"];
/// Where system headers are.
const SYSTEM: &str = "/usr/include";
/// More files than any sensible program has.
const MAX_FILES: usize = 20_000;

/// What is known of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    FreeOfSycl,
    FreeOfKernels,
    /// It may hold device code.
    Unknown,
}

/// Looks into files, each of which is read once.
pub struct Scan {
    folders: Vec<PathBuf>,
    /// Folder of Scythe's own headers.
    sycl: PathBuf,
    /// Files that every source reads first.
    first: Vec<String>,
    /// What is in each file, or `None` where its directives cannot be followed.
    files: BTreeMap<PathBuf, Option<Arc<Contents>>>,
}

/// What a file holds.
#[derive(Debug, PartialEq, Eq)]
struct Contents {
    includes: Vec<Include>,
    sycl: bool,
    /// It may launch kernels or define device functions.
    suspect: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Include {
    name: String,
    quoted: bool,
}

impl Scan {
    /// `None` where the options allow no proof. `sycl` is the folder of Scythe's headers.
    pub fn new(invocation: &Invocation, sycl: &Path) -> Option<Scan> {
        let mut scan = Scan {
            folders: Vec::new(),
            sycl: sycl.to_owned(),
            first: Vec::new(),
            files: BTreeMap::new(),
        };
        for item in &invocation.items {
            let Item::Option { words, steps, .. } = item else { continue };
            scan.follow(words, *steps)?;
        }
        let foreign = &invocation.host_compiler_options;
        if foreign.iter().any(|word| word.starts_with("-I") || word.starts_with("-i")) {
            return None;
        }
        if invocation.targets.passes().iter().any(|pass| pass.args.iter().any(|arg| !is_plain(arg)))
        {
            return None;
        }
        for variable in VARIABLES {
            let value = std::env::var_os(variable).unwrap_or_default();
            scan.folders.extend(
                std::env::split_paths(&value).filter(|folder| !folder.as_os_str().is_empty()),
            );
        }
        let multiarch = format!("/usr/include/{}-linux-gnu", std::env::consts::ARCH);
        scan.folders.extend(["/usr/local/include", &multiarch, "/usr/include"].map(PathBuf::from));
        Some(scan)
    }

    fn follow(&mut self, words: &[String], steps: Steps) -> Option<()> {
        let word = words.first()?;
        let value = |option: &str| {
            let joined = word.strip_prefix(option).filter(|rest| !rest.is_empty());
            joined
                .map(str::to_owned)
                .or_else(|| (word == option).then(|| words.get(1).cloned()).flatten())
        };
        // What only device passes see is a sign of device code.
        if steps == Steps::DEVICE || UNFOLLOWED.iter().any(|option| word.starts_with(option)) {
            return None;
        }
        if let Some(folder) = FOLDERS.iter().find_map(|option| value(option)) {
            self.folders.push(PathBuf::from(folder));
            return Some(());
        }
        if FILES.contains(&word.as_str()) {
            self.first.push(words.get(1)?.clone());
        }
        if let Some(definition) = value("-D") {
            let text = definition.split_once('=').map_or("", |(_, text)| text);
            return (!mentions_sycl(text.as_bytes())).then_some(());
        }
        Some(())
    }

    /// What the source, with all it can include, holds.
    pub fn look(&mut self, source: &Path) -> Finding {
        self.follow_all(source).unwrap_or(Finding::Unknown)
    }

    fn follow_all(&mut self, source: &Path) -> Option<Finding> {
        let here = Path::new("");
        let (mut sycl, mut suspect) = (false, false);
        let mut pending = vec![source.to_owned()];
        for name in self.first.clone() {
            let include = Include { name, quoted: true };
            sycl |= self.is_own(&include);
            pending.extend(self.candidates(here, &include));
        }
        let mut seen: BTreeSet<PathBuf> = pending.iter().cloned().collect();
        while let Some(file) = pending.pop() {
            let contents = self.contents(&file)?;
            sycl |= contents.sycl;
            suspect |= contents.suspect;
            if (sycl && suspect) || seen.len() > MAX_FILES {
                return None;
            }
            let folder = file.parent().unwrap_or(here).to_owned();
            for include in &contents.includes {
                sycl |= self.is_own(include);
                pending.extend(
                    self.candidates(&folder, include)
                        .into_iter()
                        .filter(|file| seen.insert(file.clone())),
                );
            }
        }
        match (sycl, suspect) {
            (false, _) => Some(Finding::FreeOfSycl),
            (true, false) => Some(Finding::FreeOfKernels),
            (true, true) => None,
        }
    }

    /// The directive names a header of Scythe, which by itself makes no device code.
    fn is_own(&self, include: &Include) -> bool {
        self.sycl.join(&include.name).exists()
    }

    /// All files that a directive can mean, but for Scythe's.
    fn candidates(&self, folder: &Path, include: &Include) -> Vec<PathBuf> {
        let own = include.quoted.then(|| folder.to_owned());
        let folders = own.iter().chain(&self.folders);
        folders.map(|folder| folder.join(&include.name)).filter(|file| file.is_file()).collect()
    }

    fn contents(&mut self, file: &Path) -> Option<Arc<Contents>> {
        if let Some(known) = self.files.get(file) {
            return known.clone();
        }
        let suspects: &[&[u8]] =
            if file.starts_with(SYSTEM) { &SUSPECT_IN_SYSTEM } else { &SUSPECT };
        // A file that cannot be read is the compiler's to complain about, in every pass.
        let contents =
            std::fs::read(file).ok().and_then(|text| contents(&text, suspects)).map(Arc::new);
        self.files.insert(file.to_owned(), contents.clone());
        contents
    }
}

/// What the driver itself adds for targets: neither folders nor files.
fn is_plain(arg: &str) -> bool {
    let driver = [
        "-D__SYCL_",
        "--offload-arch=",
        "-nocuda",
        "-Xclang",
        "-target-feature",
        "+ptx",
        "-ffp-contract=",
    ];
    driver.iter().any(|prefix| arg.starts_with(prefix))
}

fn mentions_sycl(text: &[u8]) -> bool {
    text.windows(4).any(|window| window.eq_ignore_ascii_case(b"sycl"))
}

/// What the file holds; `None` where its directives are more than can be followed.
fn contents(text: &[u8], suspects: &[&[u8]]) -> Option<Contents> {
    let text = without_splices(text);
    let includes = directives(&text)?;
    let lower = text.to_ascii_lowercase();
    let holds = |word: &[u8]| lower.windows(word.len()).any(|window| window == word);
    Some(Contents {
        includes,
        sycl: holds(b"sycl"),
        suspect: suspects.iter().any(|word| holds(word)),
    })
}

/// What the file's `#include`s name; `None` where they cannot be followed.
fn directives(text: &[u8]) -> Option<Vec<Include>> {
    let mut includes = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].iter().position(|byte| matches!(byte, b'i' | b'm')) {
        let start = at + found;
        at = start + 1;
        let Some(word) = ["include_next", "include", "import", "module"]
            .into_iter()
            .find(|word| text[start..].starts_with(word.as_bytes()))
        else {
            continue;
        };
        let rest = &text[start + word.len()..];
        if rest.first().is_some_and(|byte| is_word(*byte)) {
            continue;
        }
        at = start + word.len();
        match before(&text[..start]) {
            Some(b'#' | b':' | b'=') if word != "module" => includes.push(target(rest)?),
            // A comment, and perhaps a directive before it.
            _ if text[..start].trim_ascii_end().ends_with(b"*/") => return None,
            // A module's declaration, or an import.
            None | Some(b'\n' | b';') if matches!(word, "import" | "module") => return None,
            _ if text[..start].trim_ascii_end().ends_with(b"export") => return None,
            _ => {}
        }
    }
    Some(includes)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The last byte that is no blank.
fn before(text: &[u8]) -> Option<u8> {
    text.iter().rev().copied().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r'))
}

/// The file that a directive names, unless a macro does.
fn target(rest: &[u8]) -> Option<Include> {
    let rest = rest.trim_ascii_start();
    let (end, quoted) = match rest.first()? {
        b'"' => (b'"', true),
        b'<' => (b'>', false),
        _ => return None,
    };
    let length = rest[1..].iter().position(|byte| *byte == end || *byte == b'\n')?;
    let name = std::str::from_utf8(&rest[1..1 + length]).ok()?.to_owned();
    (rest[1 + length] == end).then_some(Include { name, quoted })
}

/// Lines that a backslash continues, as one.
fn without_splices(text: &[u8]) -> std::borrow::Cow<'_, [u8]> {
    if !text.windows(2).any(|pair| pair == b"\\\n" || pair == b"\\\r") {
        return text.into();
    }
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((byte, tail)) = rest.split_first() {
        rest = match tail {
            [b'\n', tail @ ..] | [b'\r', b'\n', tail @ ..] if *byte == b'\\' => tail,
            _ => {
                out.push(*byte);
                tail
            }
        };
    }
    out.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Option<Vec<String>> {
        directives(&without_splices(text.as_bytes()))
            .map(|list| list.into_iter().map(|include| include.name).collect())
    }

    #[test]
    fn directives_are_found_in_any_dress() {
        assert_eq!(
            names("#include <a>\n  #  include \"b.h\"\n%:include <c>\n#inc\\\nlude <d>").unwrap(),
            ["a", "b.h", "c", "d"]
        );
        assert_eq!(
            names("#if __has_include(<x>)\n// we include y\nint included;\n#include_next <z>")
                .unwrap(),
            ["z"]
        );
        assert_eq!(
            names("int important; // import what you like\nint module_x;").unwrap(),
            Vec::<String>::new()
        );
    }

    #[test]
    fn what_cannot_be_followed_ends_the_proof() {
        for text in [
            "#include HEADER\n",
            "import std;\n",
            "export import x;\n",
            "export module x;\n",
            "module;\n",
            "/* */ #/**/include <a>\n",
            "#include <open\n",
        ] {
            assert_eq!(names(text), None, "{text}");
        }
    }

    #[test]
    fn files_are_followed_through_all_folders() {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, text).unwrap();
            path
        };
        file("sycl/sycl/sycl.hpp", "");
        file("inc/plain.h", "#include <cstdio>\n#include \"deep/end.h\"\n#include <missing.h>");
        file("inc/deep/end.h", "#include \"../plain.h\"\n");
        file("inc/hidden.h", "#if 0\n#include <deep/kernels.h>\n#endif");
        file("inc/deep/kernels.h", "using namespace sycl; // single_task");
        let inc = format!("-I{}", dir.path().join("inc").display());
        let found = |options: &[&str], text: &str| {
            let source = file("a.cpp", text);
            let mut args = vec!["-fsycl".to_owned(), inc.clone()];
            args.extend(options.iter().map(|option| (*option).to_owned()));
            let invocation = crate::args::parse(&args).unwrap();
            let scan = Scan::new(&invocation, &dir.path().join("sycl"));
            scan.map_or(Finding::Unknown, |mut scan| scan.look(&source))
        };
        let plain = "#include <vector>\n#include <plain.h>\nint main() {}\n";
        assert_eq!(found(&[], plain), Finding::FreeOfSycl);
        let options = ["-O2", "-DUSE_SYCL=1", "-fsycl-targets=spir64,nvidia_gpu_sm_90"];
        assert_eq!(found(&options, &format!("{plain}// not a kernel here\n")), Finding::FreeOfSycl);
        let queue = "#include <sycl/sycl.hpp>\n#include \"plain.h\"\n#include <stdio.h>\nint \
            main() { sycl::queue{}; }\n";
        assert_eq!(found(&[], queue), Finding::FreeOfKernels);
        for word in [
            "q.parallel_for(r, f);",
            "SYCL_EXTERNAL int f();",
            "#ifdef __SYCL_DEVICE_ONLY__",
            "x##y",
            "single_ta\\\nsk",
        ] {
            assert_eq!(found(&[], &format!("{queue}{word}\n")), Finding::Unknown, "{word}");
        }
        assert_eq!(found(&[], "#include \"hidden.h\"\n"), Finding::Unknown);
        assert_eq!(found(&["-include", "hidden.h"], plain), Finding::Unknown);
        for option in [
            "-DX=[[clang::sycl_external]]",
            "-nostdinc++",
            "-fmodules",
            "--sysroot=/",
            "-isystem-afterx",
            "--include=x",
        ] {
            assert_eq!(found(&[option], plain), Finding::Unknown, "{option}");
        }
        for options in
            [["-Xclang", "-x"], ["-Xarch_device", "-DX"], ["-Xsycl-target-frontend", "-include x"]]
        {
            assert_eq!(found(&options, plain), Finding::Unknown, "{options:?}");
        }
    }
}
