//! Precompiled headers: finds the precompiled header that an invocation uses, and handles the file
//! that contains a header for every pass.
//!
//! `scythe -fsycl x.hpp` writes one file with the header as the host pass and each device pass see
//! it (`scythe_image::precompiled`). Build systems and compiler caches, which know only one output,
//! keep it as a whole. The host pass reads that file; a device pass reads a copy of its own part. A
//! file that lacks a part is an error, so that it never happens that one pass sees a header and
//! another pass does not.

use std::path::{Path, PathBuf};

use scythe_image::precompiled;

use crate::args::{Input, InputKind, Invocation, Item, Mode};
use crate::error::Error;
use crate::facts::Facts;
use crate::flags::{Meaning, Steps};

/// The precompiled header that an invocation uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Precompiled {
    pub path: String,
    /// The parts for device passes. `None` if clang alone made the file.
    pub made_for: Option<MadeFor>,
    /// The header of `-include`, if clang finds the file by itself beside that header.
    beside: Option<String>,
}

/// The device passes for which a precompiled header has a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeFor {
    /// The bundle ids of the parts.
    pub parts: Vec<String>,
    /// The macros for the aspects of the targets. They must be the same: clang accepts additional
    /// macros, but headers have already made choices based on these macros.
    aspect_macros: String,
}

impl Precompiled {
    /// Returns the words that replace an option in a device pass, so that the pass reads `part`.
    fn replace(&self, words: &[String], meaning: Meaning, part: &Path) -> Option<Vec<String>> {
        let named = meaning == Meaning::IncludePrecompiled;
        let found = meaning == Meaning::IncludeFirst && self.beside.as_ref() == words.last();
        (named || found)
            .then(|| vec!["-include-pch".to_owned(), part.to_string_lossy().into_owned()])
    }

    /// Returns the options of a device pass that reads `part`.
    pub fn device_options(&self, invocation: &Invocation, part: &Path) -> Vec<String> {
        // Only the first header can be precompiled.
        let first = invocation
            .items
            .iter()
            .position(|item| matches!(item, Item::Option { meaning: Meaning::IncludeFirst, .. }));
        invocation.options_with(Steps::DEVICE, |at, words, meaning| {
            let first = meaning != Meaning::IncludeFirst || Some(at) == first;
            self.replace(words, meaning, part).filter(|_| first)
        })
    }
}

/// Finds the precompiled header as clang does: by `-include-pch FILE`, or as `FILE.pch` or
/// `FILE.gch` beside the FILE of the first `-include`.
pub fn used(invocation: &Invocation) -> Result<Option<Precompiled>, Error> {
    if let Some(words) = invocation.has(Meaning::IncludePrecompiled) {
        let path = words.last().filter(|path| *path != "-include-pch").cloned();
        let path = path.ok_or_else(|| Error::MissingValue { spelling: words.join(" ") })?;
        return Ok(Some(Precompiled { made_for: made_for(&path)?, path, beside: None }));
    }
    let first = invocation.items.iter().find_map(|item| match item {
        Item::Option { words, meaning: Meaning::IncludeFirst, .. } => words.last().cloned(),
        _ => None,
    });
    let Some(header) = first else { return Ok(None) };
    let (clangs, gccs) = (format!("{header}.pch"), format!("{header}.gch"));
    let path = match Path::new(&gccs) {
        _ if Path::new(&clangs).exists() => clangs,
        folder if folder.is_dir() => {
            return if holds_clangs(folder) {
                Err(Error::PrecompiledFolder { path: gccs })
            } else {
                Ok(None)
            };
        }
        // Files of other compilers are left to clang, which warns that it ignores them.
        file if is_clangs(file) => gccs,
        _ => return Ok(None),
    };
    Ok(Some(Precompiled { made_for: made_for(&path)?, path, beside: Some(header) }))
}

fn holds_clangs(folder: &Path) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.into_iter().any(|entry| is_clangs(&entry.path()))
}

fn is_clangs(file: &Path) -> bool {
    use std::io::Read;
    let mut start = [0; precompiled::CLANG_MAGIC.len()];
    let read = std::fs::File::open(file).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && precompiled::is_clang(&start)
}

/// Returns the parts of a file for device passes.
fn made_for(path: &str) -> Result<Option<MadeFor>, Error> {
    if !Path::new(path).exists() {
        return Err(Error::NoSuchFile { path: path.to_owned() });
    }
    let bytes = read(Path::new(path))?;
    let found =
        precompiled::device_parts(&bytes).map_err(|error| damaged(Path::new(path), error))?;
    Ok(found.map(|found| MadeFor {
        parts: found.parts.into_iter().map(|(id, _)| id).collect(),
        aspect_macros: found.note,
    }))
}

/// Reports an error for requests about precompiled headers that no plan can satisfy.
pub fn check(invocation: &Invocation, facts: &Facts) -> Result<(), Error> {
    let foreign = invocation
        .host_compiler
        .as_ref()
        .filter(|_| !invocation.device_only && invocation.mode != Mode::OneSide);
    if invocation.mode == Mode::Precompile {
        let source = |input: &&Input| input.kind != InputKind::Linkable && !input.is_header();
        if !invocation.emits_precompiled()
            && let Some(other) = invocation.inputs().find(source)
        {
            return Err(Error::HeaderAmongSources { path: other.path.clone() });
        }
        if let Some(compiler) = foreign {
            return Err(Error::PrecompiledForeign { compiler: compiler.clone() });
        }
    }
    let Some(used) = &facts.precompiled else { return Ok(()) };
    if let Some(compiler) = foreign.filter(|_| used.beside.is_none()) {
        return Err(Error::PrecompiledForeign { compiler: compiler.clone() });
    }
    let host_side = invocation.host_only
        || invocation.emit_llvm
        || matches!(invocation.mode, Mode::Assembly | Mode::OneSide);
    let mut sources = invocation.inputs().filter(|input| input.kind == InputKind::Source);
    if !invocation.device_only
        && (host_side || sources.all(|input| facts.host_only.contains(&input.path)))
    {
        return Ok(());
    }
    let path = used.path.clone();
    let Some(made_for) = &used.made_for else {
        // Clang itself checks whether the header of a single side fits.
        return if invocation.device_only { Ok(()) } else { Err(Error::NoDevicePart { path }) };
    };
    let ids = invocation
        .targets
        .passes()
        .iter()
        .map(|pass| pass.target().bundle_id())
        .collect::<Vec<_>>();
    let found = made_for.parts.join("', '");
    if let Some(missing) = ids.into_iter().find(|id| !made_for.parts.contains(id)) {
        return Err(Error::PrecompiledTarget { path, missing, found });
    }
    match made_for.aspect_macros == note(facts) {
        true => Ok(()),
        false => Err(Error::PrecompiledAspects { path, found }),
    }
}

/// Returns the text that is stored in a precompiled header.
pub fn note(facts: &Facts) -> String {
    facts.aspect_macros.join("\n")
}

/// Joins the precompiled headers of all passes into one file.
pub fn join(
    host: &Path,
    device: &[(String, PathBuf)],
    note: &str,
    output: &Path,
) -> Result<(), Error> {
    let bytes = device
        .iter()
        .map(|(id, file)| Ok((id.clone(), read(file)?)))
        .collect::<Result<Vec<_>, Error>>()?;
    let parts: Vec<(String, &[u8])> =
        bytes.iter().map(|(id, bytes)| (id.clone(), bytes.as_slice())).collect();
    let joined =
        precompiled::join(&read(host)?, &parts, note).map_err(|error| damaged(output, error))?;
    write(output, &joined)
}

/// Copies the part of one device pass.
pub fn extract(input: &Path, id: &str, output: &Path) -> Result<(), Error> {
    let bytes = read(input)?;
    let found = precompiled::device_parts(&bytes).map_err(|error| damaged(input, error))?;
    let part = found.and_then(|found| found.parts.into_iter().find(|(part, _)| part == id));
    let (_, part) =
        part.ok_or_else(|| Error::NoDevicePart { path: input.to_string_lossy().into_owned() })?;
    write(output, part)
}

fn damaged(path: &Path, source: precompiled::PrecompiledError) -> Error {
    Error::Precompiled { path: path.to_owned(), source }
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(|source| Error::Read { path: path.to_owned(), source })
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    std::fs::write(path, bytes).map_err(|source| Error::Write { path: path.to_owned(), source })
}
