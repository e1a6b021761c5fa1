//! What a plan depends on besides the arguments. Gathered once, so that planning itself is pure.

use std::collections::{BTreeMap, BTreeSet};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use crate::args::{InputKind, Invocation, Item, Mode};
use crate::error::Error;
use crate::flags::Meaning;
use crate::layout::Layout;
use crate::{clang, device_code};

#[derive(Clone, Debug)]
pub struct Facts {
    pub clang: PathBuf,
    pub layout: Layout,
    /// clang can link with lld.
    pub lld: bool,
    /// The folder for temporary files.
    pub temp: PathBuf,
    /// Part of the names of files that wait beside an output to replace it.
    pub unique: String,
    /// Diagnostics go to a terminal.
    pub colour: bool,
    /// For each linkable input that holds device code: how many pieces. Keys are the words of the command line: a path,
    /// or `-lNAME`.
    pub device_code: BTreeMap<String, Holder>,
    /// Outputs that exist and are no ordinary files (`/dev/null`, a pipe): they are written in place.
    pub in_place: BTreeSet<String>,
}

/// A file with device code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    pub path: PathBuf,
    pub pieces: usize,
}

impl Facts {
    /// Looks at what `invocation` names. `temp` need not exist yet.
    pub fn gather(invocation: &Invocation, temp: PathBuf) -> Result<Facts, Error> {
        let driver = std::env::current_exe().map_err(|source| Error::Read { path: "/proc/self/exe".into(), source })?;
        let layout = Layout::of(&driver)?;
        let clang = clang::find(invocation.clang.as_deref())?;
        clang::check(&clang)?;
        for input in invocation.inputs() {
            if input.path != "-" && !Path::new(&input.path).exists() {
                return Err(Error::NoSuchFile { path: input.path.clone() });
            }
        }
        let linking = invocation.mode == Mode::Link && !invocation.device_only;
        let outputs = invocation.output.iter().chain(&invocation.int_header);
        Ok(Facts {
            lld: has_lld(&clang),
            clang,
            layout,
            temp,
            unique: std::process::id().to_string(),
            colour: std::io::stderr().is_terminal(),
            device_code: if linking { holders(invocation)? } else { BTreeMap::new() },
            in_place: outputs.filter(|o| is_special(o)).cloned().collect(),
        })
    }
}

fn has_lld(clang: &Path) -> bool {
    let beside = clang.canonicalize().ok().and_then(|p| p.parent().map(|d| d.join("ld.lld")));
    beside.is_some_and(|p| p.is_file())
        || std::env::var_os("PATH").is_some_and(|p| std::env::split_paths(&p).any(|d| d.join("ld.lld").is_file()))
}

fn is_special(output: &str) -> bool {
    output == "-" || std::fs::metadata(output).is_ok_and(|m| !m.is_file() && !m.is_dir())
}

/// The inputs and libraries that hold device code.
fn holders(invocation: &Invocation) -> Result<BTreeMap<String, Holder>, Error> {
    let mut found = BTreeMap::new();
    let mut add = |key: String, path: PathBuf| -> Result<(), Error> {
        let pieces = device_code::count(&path)?;
        if pieces > 0 {
            found.insert(key, Holder { path, pieces });
        }
        Ok(())
    };
    for item in &invocation.items {
        match item {
            Item::Input(input) if input.kind == InputKind::Linkable => {
                add(input.path.clone(), PathBuf::from(&input.path))?;
            }
            Item::Option { words, meaning: Meaning::Library, .. } => {
                if let Some(path) = static_library(invocation, &value("-l", words)) {
                    add(words.concat(), path)?;
                }
            }
            _ => {}
        }
    }
    Ok(found)
}

/// The value of a joined or separate option.
fn value(spelling: &str, words: &[String]) -> String {
    words.concat().strip_prefix(spelling).unwrap_or_default().to_owned()
}

/// The archive that `-lNAME` means. Only the user's folders can hold SYCL libraries; a shared library found first
/// brings its own registered images.
fn static_library(invocation: &Invocation, name: &str) -> Option<PathBuf> {
    for item in &invocation.items {
        let Item::Option { words, meaning: Meaning::LibraryDir, .. } = item else { continue };
        let dir = PathBuf::from(value("-L", words));
        if let Some(exact) = name.strip_prefix(':') {
            let file = dir.join(exact);
            if file.is_file() {
                return Some(file);
            }
            continue;
        }
        if dir.join(format!("lib{name}.so")).is_file() {
            return None;
        }
        let archive = dir.join(format!("lib{name}.a"));
        if archive.is_file() {
            return Some(archive);
        }
    }
    None
}
