//! Finds sources that contain no device code, so that they need no device pass.
//!
//! The proof is textual and conservative. It looks at the source and at every file that one of its
//! `#include` directives can refer to, whatever conditions surround the directive. Standard C++
//! headers count as free of SYCL. A source is
//!
//! * free of SYCL if none of these files belongs to Scythe or contains the letters "sycl" in any
//!   case;
//! * free of kernels if none of them contains a word that can introduce device code
//!   (`parallel_for`, `SYCL_EXTERNAL`, …), or from which a macro could form such a word.
//!
//! An include by macro, a module, or an option that changes how files are found makes the proof
//! fail. In that case all passes run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::args::{Invocation, Item};
use crate::flags::Steps;

/// Options that make the proof fail: the scan does not model their effect on the search for files
/// or on the text that a pass sees.
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
/// Parts of words, in lower case, of which every user's file with device code contains at least
/// one. The name of every way to launch a kernel contains one of them, as do `SYCL_EXTERNAL`, the
/// macros that tell passes apart, and clang's attributes.
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
/// The same for system headers. They use the words of [`SUSPECT`] for other purposes, but never
/// name SYCL's functions.
const SUSPECT_IN_SYSTEM: [&[u8]; 2] = [b"single_task", b"parallel_for"];
/// The folder of system headers.
const SYSTEM: &str = "/usr/include";
/// The folders of TBB, which the parallel algorithms of the C++ library include if it is installed.
/// It has a `parallel_for` of its own and never includes a SYCL header, so it is not scanned.
const TBB: [&str; 2] = ["/usr/include/tbb", "/usr/include/oneapi/tbb"];
/// A limit on the number of files, above the size of any sensible program.
const MAX_FILES: usize = 20_000;

/// The result of the scan of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    FreeOfSycl,
    FreeOfKernels,
    /// The source may contain device code.
    Unknown,
}

/// Scans files. Each file is read once.
pub struct Scan {
    folders: Vec<PathBuf>,
    /// The folder of Scythe's headers.
    sycl: PathBuf,
    /// Files that every source includes first.
    first: Vec<String>,
    /// The contents of each file, or `None` if its directives cannot be followed.
    files: BTreeMap<PathBuf, Option<Arc<Contents>>>,
}

/// The contents of a file.
#[derive(Debug, Default, PartialEq, Eq)]
struct Contents {
    includes: Vec<Include>,
    sycl: bool,
    /// Whether the file may launch kernels or define device functions.
    suspect: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Include {
    name: String,
    quoted: bool,
}

impl Scan {
    /// Creates a scan. Returns `None` if the options make a proof impossible. `sycl` is the folder
    /// of Scythe's headers.
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
        // An option that only device passes see indicates device code.
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

    /// Scans the source and all files that it can include.
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

    /// Returns whether the directive names a header of Scythe. These headers alone define no device
    /// code.
    fn is_own(&self, include: &Include) -> bool {
        self.sycl.join(&include.name).exists()
    }

    /// Returns all files that a directive can refer to, except Scythe's headers.
    fn candidates(&self, folder: &Path, include: &Include) -> Vec<PathBuf> {
        let own = include.quoted.then(|| folder.to_owned());
        let folders = own.iter().chain(&self.folders);
        folders.map(|folder| folder.join(&include.name)).filter(|file| file.is_file()).collect()
    }

    fn contents(&mut self, file: &Path) -> Option<Arc<Contents>> {
        if let Some(known) = self.files.get(file) {
            return known.clone();
        }
        if TBB.iter().any(|folder| file.starts_with(folder)) {
            return Some(Arc::default());
        }
        let suspects: &[&[u8]] =
            if file.starts_with(SYSTEM) { &SUSPECT_IN_SYSTEM } else { &SUSPECT };
        // If a file cannot be read, the compiler reports that in every pass.
        let contents =
            std::fs::read(file).ok().and_then(|text| contents(&text, suspects)).map(Arc::new);
        self.files.insert(file.to_owned(), contents.clone());
        contents
    }
}

/// Returns whether the driver itself adds `arg` for targets. Such arguments name neither folders
/// nor files.
pub(crate) fn is_plain(arg: &str) -> bool {
    let driver = [
        "-D__SYCL_",
        "--offload-arch=",
        "-nocuda",
        "-Xclang",
        "-target-feature",
        "+ptx",
        "-ffp-contract=",
        "-fno-vectorize",
        "-mllvm",
        "-preserve-alignment-",
        "-sink-common-insts=",
        "-fdenormal-fp-math-f32=",
    ];
    driver.iter().any(|prefix| arg.starts_with(prefix))
}

fn mentions_sycl(text: &[u8]) -> bool {
    text.windows(4).any(|window| window.eq_ignore_ascii_case(b"sycl"))
}

/// Scans the text of a file. Returns `None` if its directives cannot be followed.
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

/// Returns the files that the `#include` directives name, or `None` if a directive cannot be
/// followed.
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
            // A comment ends here, and a directive may precede it.
            _ if text[..start].trim_ascii_end().ends_with(b"*/") => return None,
            // A module declaration or an import.
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

/// Returns the last byte that is not a blank.
fn before(text: &[u8]) -> Option<u8> {
    text.iter().rev().copied().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r'))
}

/// Returns the file that a directive names, or `None` if a macro names it.
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

/// Joins lines that end with a backslash with the next line.
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
    fn headers_of_tbb_are_not_scanned() {
        let mut scan = Scan {
            folders: Vec::new(),
            sycl: PathBuf::new(),
            first: Vec::new(),
            files: BTreeMap::new(),
        };
        let found = scan.contents(Path::new("/usr/include/tbb/parallel_for.h")).unwrap();
        assert_eq!(*found, Contents::default());
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
