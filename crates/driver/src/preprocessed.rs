//! Files of preprocessed text: tells bundles from plain text, and joins and divides bundles.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use scythe_image::text_bundle::{self, TextBundle};

use crate::args::{Input, InputKind, Invocation, Item};
use crate::error::Error;

/// A bundle to compile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    pub unit: Option<u64>,
    /// The bundle identifiers of the passes whose texts the bundle contains.
    pub parts: Vec<String>,
}

/// Returns the identifier of the host's part.
pub fn host_part() -> String {
    format!("host-{}-unknown-linux-gnu", std::env::consts::ARCH)
}

/// Returns whether the input is preprocessed C++, according to its language or its name.
pub fn is_preprocessed(input: &Input) -> bool {
    let by_name = || {
        Path::new(&input.path)
            .extension()
            .is_some_and(|extension| extension == "ii" || extension == "i")
    };
    let language = input.language.as_deref();
    input.kind == InputKind::Source
        && language.map_or_else(by_name, |language| language == "c++-cpp-output")
}

/// Reads a bundle. Returns `None` for plain text.
pub fn read(path: &Path) -> Result<Option<Bundle>, Error> {
    let bytes = bytes(path)?;
    if !text_bundle::is_bundle(&bytes) {
        return Ok(None);
    }
    let TextBundle { unit, parts } = divided(path, &bytes)?;
    Ok(Some(Bundle { unit, parts: parts.into_iter().map(|(id, _)| id).collect() }))
}

/// Returns the inputs that are bundles. Other preprocessed text is the text of one pass: the host
/// pass, unless the device side is requested. Such inputs are added to `host_only`.
pub fn bundles(
    invocation: &Invocation,
    host_only: &mut BTreeSet<String>,
) -> Result<BTreeMap<String, Bundle>, Error> {
    let mut found = BTreeMap::new();
    for input in invocation.inputs().filter(|input| is_preprocessed(input)) {
        // Standard input is kept in a file, except if nothing is executed.
        let bundle = if input.path == "-" { None } else { read(Path::new(&input.path))? };
        match bundle {
            Some(bundle) => drop(found.insert(input.path.clone(), bundle)),
            None if invocation.device_only => {}
            None => drop(host_only.insert(input.path.clone())),
        }
    }
    Ok(found)
}

/// Copies preprocessed text on standard input to a file in `folder`, because the driver must know
/// whether it is a bundle before any step runs. Returns an invocation that names that file, or
/// `None` if there is no such text.
pub fn keep_stdin(invocation: &Invocation, folder: &Path) -> Result<Option<Invocation>, Error> {
    let is_text = |input: &Input| input.path == "-" && is_preprocessed(input);
    if !invocation.inputs().any(is_text) {
        return Ok(None);
    }
    let mut text = Vec::new();
    std::io::stdin()
        .read_to_end(&mut text)
        .map_err(|source| Error::Read { path: "standard input".into(), source })?;
    // Outputs are named after the input, whose name is "-".
    let file = folder.join("-.ii");
    std::fs::write(&file, text).map_err(|source| Error::Write { path: file.clone(), source })?;
    let mut named = invocation.clone();
    for item in &mut named.items {
        if let Item::Input(input) = item
            && is_text(input)
        {
            input.path = file.to_string_lossy().into_owned();
        }
    }
    Ok(Some(named))
}

/// Writes each part of the bundle `input` to its file.
pub fn divide(input: &Path, outputs: &[(String, PathBuf)]) -> Result<(), Error> {
    let bytes = bytes(input)?;
    let bundle = divided(input, &bytes)?;
    for (id, output) in outputs {
        let Some((_, text)) = bundle.parts.iter().find(|(part, _)| part == id) else {
            let (path, missing) = (input.to_owned(), id.clone());
            return Err(Error::PreprocessedChanged { path, missing });
        };
        std::fs::write(output, text)
            .map_err(|source| Error::Write { path: output.clone(), source })?;
    }
    Ok(())
}

/// Joins texts into one bundle, in a file or on standard output. Files in the folder `hidden` are
/// not the user's: line markers name them like built-in files.
pub fn join(
    (unit, compiler): (u64, u64),
    parts: &[(String, PathBuf)],
    output: Option<&Path>,
    hidden: &Path,
) -> Result<(), Error> {
    let mut texts = Vec::new();
    for (id, path) in parts {
        texts.push((id.clone(), without_hidden(bytes(path)?, hidden)));
    }
    let bundle = text_bundle::join(unit, compiler, &texts);
    match output {
        Some(path) => std::fs::write(path, bundle)
            .map_err(|source| Error::Write { path: path.to_owned(), source }),
        None => {
            let mut stdout = std::io::stdout().lock();
            let written = stdout.write_all(&bundle).and_then(|()| stdout.flush());
            written.map_err(|source| Error::Write { path: "standard output".into(), source })
        }
    }
}

fn bytes(path: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(|source| Error::Read { path: path.to_owned(), source })
}

fn divided<'a>(path: &Path, bytes: &'a [u8]) -> Result<TextBundle<'a>, Error> {
    text_bundle::divide(bytes)
        .map_err(|source| Error::Preprocessed { path: path.to_owned(), source })
}

/// Replaces `"hidden/name"` by `"<name>"` in the line markers of a text.
fn without_hidden(text: Vec<u8>, hidden: &Path) -> Vec<u8> {
    let folder = format!("\"{}/", hidden.display());
    let mut out = Vec::with_capacity(text.len());
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let marker = line.starts_with(b"# ");
        let at = marker
            .then(|| line.windows(folder.len()).position(|w| w == folder.as_bytes()))
            .flatten();
        let name = at.map(|at| at + folder.len());
        match name.and_then(|name| {
            Some((name, line[name..].iter().position(|byte| *byte == b'"')? + name))
        }) {
            Some((name, end)) => {
                out.extend_from_slice(&line[..name - folder.len()]);
                out.extend_from_slice(b"\"<");
                out.extend_from_slice(&line[name..end]);
                out.push(b'>');
                out.extend_from_slice(&line[end..]);
            }
            None => out.extend_from_slice(line),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(path: &str, language: Option<&str>) -> Input {
        Input {
            path: path.to_owned(),
            kind: InputKind::Source,
            language: language.map(str::to_owned),
        }
    }

    #[test]
    fn language_goes_before_name() {
        assert!(is_preprocessed(&input("a.ii", None)));
        assert!(is_preprocessed(&input("a.txt", Some("c++-cpp-output"))));
        assert!(!is_preprocessed(&input("a.ii", Some("c++"))));
        assert!(!is_preprocessed(&input("a.cpp", None)));
    }

    #[test]
    fn temporary_files_leave_no_trace_in_line_markers() {
        let text =
            b"# 1 \"/tmp/x/a-int.h\" 1\nconst char *s = \"/tmp/x/a\";\n# 2 \"/tmp/xy/b.h\"\n"
                .to_vec();
        let seen = String::from_utf8(without_hidden(text, Path::new("/tmp/x"))).unwrap();
        assert_eq!(
            seen,
            "# 1 \"<a-int.h>\" 1\nconst char *s = \"/tmp/x/a\";\n# 2 \"/tmp/xy/b.h\"\n"
        );
    }

    #[test]
    fn bundles_are_told_from_plain_text_and_divided() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::write(at("device"), "int d;\n").unwrap();
        std::fs::write(at("host"), "int h;\n").unwrap();
        let parts = [("sycl-x".to_owned(), at("device")), (host_part(), at("host"))];
        join((7, 8), &parts, Some(&at("a.ii")), dir.path()).unwrap();
        let bundle = read(&at("a.ii")).unwrap().unwrap();
        assert_eq!(bundle, Bundle { unit: Some(7), parts: vec!["sycl-x".to_owned(), host_part()] });
        assert_eq!(read(&at("host")).unwrap(), None);
        divide(&at("a.ii"), &[("sycl-x".to_owned(), at("out"))]).unwrap();
        assert_eq!(std::fs::read(at("out")).unwrap(), b"int d;\n");
        let lacking =
            divide(&at("a.ii"), &[("sycl-y".to_owned(), at("out"))]).unwrap_err().to_string();
        assert!(lacking.contains("no text for 'sycl-y'"), "{lacking}");
    }
}
