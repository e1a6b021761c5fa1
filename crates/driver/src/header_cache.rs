//! The header cache: precompiled forms of `<sycl/sycl.hpp>` that passes read instead of the text.
//!
//! A pass uses a precompiled header only if the result is the same to the last byte:
//!
//! - The source begins with the SYCL header, or with standard headers and then the SYCL header,
//!   directly or through headers of the program ([`leading`]). Nothing precedes it that could
//!   change the meaning of the header.
//! - The options, the environment, the compiler and the search folders are those with which the
//!   precompiled header was made ([`Request`]), and no option observes how headers are read
//!   ([`is_suitable`]).
//! - No file that the header includes has changed, and no file has appeared that the header would
//!   include instead ([`store`]).
//!
//! If a pass fails or mentions a file of the cache, it runs again without the precompiled header,
//! so that the user sees the same messages as without the cache.
//!
//! A precompiled header takes longer to make than to do without. The driver makes one when it
//! sees the same request for the second time.

pub mod leading;
pub mod store;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use leading::Leading;
use scythe_abi::environment;

use crate::args::{InputKind, Invocation, Item, Mode};
use crate::flags::Meaning;
use crate::layout::Layout;

/// Options with which no precompiled header is used. Some read other files first or change how
/// files are found. Others observe the headers: debug information and reports list what the pass
/// has read.
const UNSUITABLE: [&str; 37] = [
    "-include",
    "-imacros",
    "--include",
    "--imacros",
    "-Xclang",
    "-Xpreprocessor",
    "-Wp,",
    "-ivfsoverlay",
    "-fmodule",
    "-fprebuilt-module",
    "-fimplicit-module",
    "-fplugin",
    "-fpass-plugin",
    "-fpch",
    "-working-directory",
    "--config",
    "-specs",
    "-g",
    "-fprofile",
    "-fcoverage",
    "-fcs-profile",
    "-fsanitize",
    "-fxray",
    "-fdepfile",
    "-ftime-report",
    "-fproc-stat-report",
    "-fstack-usage",
    "-Weverything",
    "-Wsystem-headers",
    "-MJ",
    "-H",
    "-d",
    "-P",
    "-C",
    "-traditional",
    "-finput-charset",
    "-B",
];
/// Options that name a folder to search.
const FOLDERS: [&str; 6] =
    ["-isystem-after", "-cxx-isystem", "-isystem", "-iquote", "-idirafter", "-I"];
/// Environment variables that change how clang finds headers or what they contain.
const VARIABLES: [&str; 8] = [
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "COMPILER_PATH",
    "GCC_EXEC_PREFIX",
    "CCC_OVERRIDE_OPTIONS",
    "SOURCE_DATE_EPOCH",
    "CLANG_NO_DEFAULT_CONFIG",
];

/// The leading SYCL header of each source that has one, and the folder of the cache.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeaderCache {
    pub folder: Option<PathBuf>,
    /// The leading SYCL header by the path of the source.
    pub headers: BTreeMap<String, Leading>,
    /// The folders that the user's options name.
    pub folders: Vec<PathBuf>,
}

/// A precompiled header for one pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The folder of the cache.
    pub cache: PathBuf,
    /// The name of the header in an `#include` directive.
    pub header: String,
    /// The standard headers that the source includes before it.
    pub before: Vec<String>,
    /// The macros that may be defined before it.
    pub macros: Vec<String>,
    /// The compiler's arguments, without input and output.
    pub args: Vec<String>,
    /// Folders in which a file with the name of an included file would take its place.
    pub folders: Vec<PathBuf>,
    /// Programs and libraries on which the precompiled header depends.
    pub programs: Vec<PathBuf>,
}

impl HeaderCache {
    /// Finds the sources whose passes can use precompiled headers.
    pub fn gather(invocation: &Invocation, layout: &Layout) -> HeaderCache {
        if !is_suitable(invocation) {
            return HeaderCache::default();
        }
        let Some(folder) = folder(invocation) else { return HeaderCache::default() };
        let mut folders = folders(invocation);
        folders.extend(
            [&invocation.quote_folder, &invocation.include_folder]
                .into_iter()
                .flatten()
                .filter_map(|folder| std::path::absolute(folder).ok()),
        );
        let own = layout.include.canonicalize().ok();
        folders.retain(|folder| folder.canonicalize().ok() != own);
        let sources = invocation.inputs().filter(|input| {
            input.kind == InputKind::Source
                && input.path != "-"
                && input.language.as_deref().is_none_or(|language| language == "c++")
                && !input.is_header()
        });
        let headers = sources
            .filter_map(|input| {
                let text = std::fs::read(&input.path).ok()?;
                let found = leading::sycl_header(Path::new(&input.path), &text, &folders)?;
                Some((input.path.clone(), found))
            })
            .filter(|(_, found)| layout.include.join(&found.name).is_file())
            .collect();
        HeaderCache { folder: Some(folder), headers, folders }
    }
}

/// Returns whether the passes of an invocation read headers only to compile them.
fn is_suitable(invocation: &Invocation) -> bool {
    let compiles = matches!(invocation.mode, Mode::Object | Mode::Link | Mode::Syntax);
    let reports = invocation.save_temps.is_some()
        || invocation.dump_after.is_some()
        || invocation.time_passes
        || invocation.int_header.is_some();
    let options = invocation.items.iter().filter_map(|item| match item {
        Item::Option { words, meaning, .. } => Some((words, *meaning)),
        Item::Input(_) => None,
    });
    let suits = |(words, meaning): (&Vec<String>, Meaning)| {
        meaning != Meaning::SideOutput
            && !UNSUITABLE.iter().any(|option| words[0].starts_with(option))
    };
    let passes = invocation.targets.passes();
    compiles
        && !invocation.emit_llvm
        && !reports
        && invocation.header_cache
        && options.into_iter().all(suits)
        && passes.iter().flat_map(|pass| &pass.args).all(|arg| crate::include_scan::is_plain(arg))
}

/// Returns the folder of the cache, or `None` if there is none.
fn folder(invocation: &Invocation) -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    if let Some(folder) = &invocation.header_cache_folder {
        return std::path::absolute(folder).ok();
    }
    if variable(environment::CACHE_PERSISTENT.name).is_some_and(|value| value == "0") {
        return None;
    }
    let absolute = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let root = variable(environment::CACHE_DIR.name)
        .and_then(|folder| std::path::absolute(folder).ok())
        .or_else(|| absolute("XDG_CACHE_HOME").map(|caches| caches.join("scythe")))
        .or_else(|| absolute("HOME").map(|home| home.join(".cache/scythe")))?;
    Some(root.join("headers"))
}

/// Returns the folders that options and environment variables name.
fn folders(invocation: &Invocation) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for item in &invocation.items {
        let Item::Option { words, .. } = item else { continue };
        let Some(option) = FOLDERS.iter().find(|option| words[0].starts_with(**option)) else {
            continue;
        };
        let joined = &words[0][option.len()..];
        let folder =
            if joined.is_empty() { words.get(1).map(String::as_str) } else { Some(joined) };
        folders.extend(folder.map(PathBuf::from));
    }
    for name in ["CPATH", "CPLUS_INCLUDE_PATH"] {
        let value = std::env::var_os(name).unwrap_or_default();
        folders.extend(
            std::env::split_paths(&value)
                .map(|folder| {
                    // An empty entry is the current folder.
                    if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder }
                })
                .filter(|_| !value.is_empty()),
        );
    }
    folders
}

impl HeaderCache {
    /// Returns the request of a pass over `source`, with the arguments `args` before the input.
    pub fn request(
        &self,
        source: &str,
        args: &[String],
        clang: &Path,
        layout: &Layout,
    ) -> Option<Request> {
        let found = self.headers.get(source)?;
        Some(Request {
            cache: self.folder.clone()?,
            header: found.name.clone(),
            before: found.before.clone(),
            macros: found.macros.clone(),
            args: common_args(args),
            folders: self.folders.clone(),
            programs: vec![clang.to_owned(), layout.plugin.clone()],
        })
    }
}

impl Request {
    /// Returns the text that identifies the precompiled header.
    fn key(&self) -> Option<String> {
        let mut key = format!("scythe {}\n{}\n", crate::VERSION, self.header);
        for program in &self.programs {
            let stamp = store::Stamp::of(program)?;
            key += &format!("{} {stamp}\n", program.display());
        }
        for name in VARIABLES {
            if let Some(value) = std::env::var_os(name) {
                key += &format!("{name}={}\n", value.to_string_lossy());
            }
        }
        if self.folders.iter().any(|folder| folder.is_relative()) {
            key += &format!("in {}\n", std::env::current_dir().ok()?.display());
        }
        self.args.iter().for_each(|arg| key += &format!("{arg}\n"));
        Some(key)
    }
}

/// Returns the arguments of a pass that also matter for a precompiled header. `args` are all
/// arguments before the input; those for the identity and the outputs of a unit are left out.
fn common_args(args: &[String]) -> Vec<String> {
    let own = ["tu-id", "functors", "int-header"].map(|key| format!("-fplugin-arg-scythe-{key}="));
    let mut kept = Vec::with_capacity(args.len());
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        if arg == "-v" || own.iter().any(|prefix| arg.starts_with(prefix)) {
            continue;
        }
        if arg.starts_with("-M") {
            if ["-MF", "-MT", "-MQ"].contains(&arg.as_str()) {
                args.next();
            }
            continue;
        }
        kept.push(arg.clone());
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gather(options: &[&str], text: &str) -> BTreeMap<String, Leading> {
        let dir = tempfile::tempdir().unwrap();
        let include = dir.path().join("include");
        std::fs::create_dir_all(include.join("sycl")).unwrap();
        std::fs::write(include.join("sycl/sycl.hpp"), "").unwrap();
        let source = dir.path().join("a.cpp");
        std::fs::write(&source, text).unwrap();
        let mut args = vec!["-fsycl".to_owned(), "-c".to_owned()];
        args.push(format!("-fsycl-header-cache={}", dir.path().display()));
        args.extend(options.iter().map(|option| (*option).to_owned()));
        args.push(source.to_string_lossy().into_owned());
        let none = PathBuf::new;
        let layout =
            Layout { include, plugin: none(), tools: none(), lib: none(), header_library: true };
        HeaderCache::gather(&crate::args::parse(&args).unwrap(), &layout).headers
    }

    #[test]
    fn options_that_observe_headers_are_unsuitable() {
        let text = "#include <sycl/sycl.hpp>\nint x;";
        for options in [&[][..], &["-O3", "-Ifolder", "-DX=1", "-Wall", "-ffast-math", "-MD"]] {
            assert_eq!(gather(options, text).len(), 1, "{options:?}");
        }
        for options in [
            &["-g"][..],
            &["-include", "x.h"],
            &["-Xclang", "-x"],
            &["-fno-sycl-header-cache"],
            &["--coverage"],
            &["-save-temps"],
            &["-Xsycl-target-frontend", "-DX"],
        ] {
            assert!(gather(options, text).is_empty(), "{options:?}");
        }
    }

    #[test]
    fn the_arguments_of_a_unit_are_left_out() {
        let args = [
            "-O2",
            "-fplugin-arg-scythe-tu-id=1",
            "-fplugin-arg-scythe-mode=device",
            "-v",
            "-MD",
            "-MF",
            "x.d",
            "-MTx",
            "-fplugin-arg-scythe-functors=f",
            "-DX",
        ];
        let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        assert_eq!(common_args(&args), ["-O2", "-fplugin-arg-scythe-mode=device", "-DX"]);
    }
}
