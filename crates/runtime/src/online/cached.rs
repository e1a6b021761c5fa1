//! The results of compilations on disk, in the cache of the run-time compiler.
//!
//! The key of an entry covers the source with its files, options and names, the compiler, and the
//! folders in which files are searched. The entry lists the files that the compiler read, and the
//! files in those folders that have names of these files. It is used only if no file has changed,
//! and if no file has appeared that would be included instead.
//!
//! ```text
//! u32 number of files, and per file: u32 length of the path, path, u64 size, u64 nanoseconds
//! u32 number of other files, and per file: u32 length of the path, path
//! u32 length of the log, log, then the images
//! ```

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use scythe_jit_client::Stored;

use super::source::Source;
use super::tools::Tools;

/// The most names of folders by which an `#include` names a file.
const MOST_FOLDERS: usize = 4;
/// File systems record times only this precisely.
const PRECISION: Duration = Duration::from_millis(20);

/// A successful compilation.
pub struct Result {
    pub images: Vec<u8>,
    pub log: String,
}

/// The place of a result in the cache.
pub struct Entry(Stored);

impl Entry {
    /// Returns the entry of a compilation, or `None` if there is no cache.
    pub fn of(
        tools: &Tools,
        source: &Source<'_>,
        options: &[String],
        folders: &[PathBuf],
    ) -> crate::Result<Option<Self>> {
        let mut fields: Vec<Vec<u8>> = vec![
            env!("CARGO_PKG_VERSION").into(),
            (source.language as u32).to_le_bytes().into(),
            source.text.into(),
        ];
        for part in [&tools.driver, &tools.clang].into_iter().chain(&tools.parts) {
            let Some((size, time)) = stamp(part) else { return Ok(None) };
            fields.push(part.as_os_str().as_bytes().into());
            fields.push([size.to_le_bytes(), time.to_le_bytes()].concat());
        }
        // The number before each list keeps different lists apart.
        let mut list = |texts: Vec<&[u8]>| {
            fields.push((texts.len() as u64).to_le_bytes().into());
            fields.extend(texts.into_iter().map(<[u8]>::to_vec));
        };
        list(source.includes.iter().flat_map(|(name, text)| [name.as_bytes(), text]).collect());
        list(source.names.iter().map(|name| name.as_bytes()).collect());
        list(options.iter().map(|option| option.as_bytes()).collect());
        list(folders.iter().map(|folder| folder.as_os_str().as_bytes()).collect());
        let fields: Vec<&[u8]> = fields.iter().map(Vec::as_slice).collect();
        Ok(Stored::find("scythe source text", &fields)?.map(Self))
    }

    /// Returns a text that identifies the entry.
    pub fn name(&self) -> String {
        self.0.name()
    }

    /// Returns the result, if it is still that of a new compilation.
    pub fn get(&self, folders: &[PathBuf]) -> Option<Result> {
        let bytes = self.0.get()?;
        let Some((files, others, result)) = decode(&bytes) else {
            self.0.discard(&"it is damaged");
            return None;
        };
        if let Some((path, ..)) =
            files.iter().find(|(path, size, time)| stamp(path) != Some((*size, *time)))
        {
            self.0.discard(&format_args!("'{}' has changed", path.display()));
            return None;
        }
        let paths: BTreeSet<&Path> = files.iter().map(|(path, ..)| path.as_path()).collect();
        if same_names(folders, &paths) != others {
            self.0.discard(&"other files would be included");
            return None;
        }
        Some(result)
    }

    /// Stores a result. The compiler listed the files that it read in `list`; those in the folder
    /// `hidden` are part of the key. Results of files that changed after `start` are not stored.
    pub fn put(
        &self,
        result: &Result,
        list: &Path,
        hidden: &Path,
        folders: &[PathBuf],
        start: SystemTime,
    ) {
        let Ok(text) = fs::read_to_string(list) else { return };
        let limit =
            start.checked_sub(PRECISION).and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let limit = limit.map_or(0, |time| time.as_nanos() as u64);
        let mut files = Vec::new();
        for path in prerequisites(&text) {
            if path.is_relative() || path.starts_with(hidden) {
                continue;
            }
            match stamp(&path) {
                Some((size, time)) if time < limit => files.push((path, size, time)),
                _ => return,
            }
        }
        let paths: BTreeSet<&Path> = files.iter().map(|(path, ..)| path.as_path()).collect();
        let others = same_names(folders, &paths);
        self.0.put(&encode(&files, &others, result));
    }
}

/// Returns the size of a file and its time of modification in nanoseconds.
fn stamp(path: &Path) -> Option<(u64, u64)> {
    let data = fs::metadata(path).ok()?;
    let time = data.mtime().checked_mul(1_000_000_000)?.checked_add(data.mtime_nsec())?;
    Some((data.len(), u64::try_from(time).ok()?))
}

/// Returns the files in `folders` that an `#include` of one of `files` could mean.
fn same_names(folders: &[PathBuf], files: &BTreeSet<&Path>) -> BTreeSet<PathBuf> {
    let mut names: BTreeSet<PathBuf> = BTreeSet::new();
    for file in files {
        let parts: Vec<_> = file.components().collect();
        let most = parts.len().saturating_sub(1).min(1 + MOST_FOLDERS);
        names.extend((1..=most).map(|count| parts[parts.len() - count..].iter().collect()));
    }
    let mut found = BTreeSet::new();
    for folder in folders {
        let mut first: Option<(PathBuf, bool)> = None;
        for name in &names {
            let Some(part) = name.components().next() else { continue };
            let part = folder.join(part);
            // The names are sorted, so those with the same first part follow each other.
            if first.as_ref().is_none_or(|(known, _)| *known != part) {
                first = Some((part.clone(), part.exists()));
            }
            let path = folder.join(name);
            if first.as_ref().is_some_and(|(_, exists)| *exists) && path.is_file() {
                found.insert(path);
            }
        }
    }
    found
}

/// Returns the files behind the colon of a rule for `make`.
fn prerequisites(rule: &str) -> Vec<PathBuf> {
    let (mut words, mut word) = (Vec::new(), String::new());
    let mut characters = rule.chars().peekable();
    while let Some(character) = characters.next() {
        match (character, characters.peek()) {
            ('\\', Some('\n')) => drop(characters.next()),
            ('\\', Some(' ' | '#')) | ('$', Some('$')) => word.extend(characters.next()),
            (' ' | '\n', _) => words.push(std::mem::take(&mut word)),
            _ => word.push(character),
        }
    }
    words.push(word);
    let after = words.iter().position(|word| word.ends_with(':')).map_or(0, |at| at + 1);
    words[after..].iter().filter(|word| !word.is_empty()).map(PathBuf::from).collect()
}

type Files = Vec<(PathBuf, u64, u64)>;

fn encode(files: &Files, others: &BTreeSet<PathBuf>, result: &Result) -> Vec<u8> {
    let mut out = Vec::new();
    let text = |out: &mut Vec<u8>, bytes: &[u8]| {
        out.extend((bytes.len() as u32).to_le_bytes());
        out.extend(bytes);
    };
    out.extend((files.len() as u32).to_le_bytes());
    for (path, size, time) in files {
        text(&mut out, path.as_os_str().as_bytes());
        out.extend(size.to_le_bytes());
        out.extend(time.to_le_bytes());
    }
    out.extend((others.len() as u32).to_le_bytes());
    others.iter().for_each(|path| text(&mut out, path.as_os_str().as_bytes()));
    text(&mut out, result.log.as_bytes());
    out.extend(&result.images);
    out
}

fn decode(mut bytes: &[u8]) -> Option<(Files, BTreeSet<PathBuf>, Result)> {
    fn number<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
        let (number, rest) = bytes.split_first_chunk::<N>()?;
        *bytes = rest;
        Some(*number)
    }
    fn text<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
        let length = u32::from_le_bytes(number(bytes)?) as usize;
        let (text, rest) = bytes.split_at_checked(length)?;
        *bytes = rest;
        Some(text)
    }
    let path = |text: &[u8]| PathBuf::from(std::ffi::OsStr::from_bytes(text));
    let mut files = Vec::new();
    for _ in 0..u32::from_le_bytes(number(&mut bytes)?) {
        let file = path(text(&mut bytes)?);
        let size = u64::from_le_bytes(number(&mut bytes)?);
        files.push((file, size, u64::from_le_bytes(number(&mut bytes)?)));
    }
    let mut others = BTreeSet::new();
    for _ in 0..u32::from_le_bytes(number(&mut bytes)?) {
        others.insert(path(text(&mut bytes)?));
    }
    let log = String::from_utf8(text(&mut bytes)?.to_vec()).ok()?;
    Some((files, others, Result { images: bytes.to_vec(), log }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read_as_they_were_written() {
        let files = vec![(PathBuf::from("/a b"), 3, 4)];
        let others = BTreeSet::from([PathBuf::from("/c")]);
        let bytes = encode(&files, &others, &Result { images: vec![1, 2], log: "w".into() });
        let (read, names, result) = decode(&bytes).expect("an entry");
        assert_eq!((read, names), (files, others));
        assert_eq!((result.images, result.log.as_str()), (vec![1, 2], "w"));
        for length in 0..bytes.len() - 2 {
            assert!(decode(&bytes[..length]).is_none(), "{length}");
        }
    }

    #[test]
    fn rules_of_make_are_read() {
        let files = prerequisites("out: a.cpp \\\n  /b\\ c.h /d$$e.h\n");
        assert_eq!(files, ["a.cpp", "/b c.h", "/d$e.h"].map(PathBuf::from));
    }

    #[test]
    fn files_that_would_be_included_instead_are_found() {
        let base = std::env::temp_dir().join(format!("scythe-names-{}", std::process::id()));
        let folder = base.join("folder");
        fs::create_dir_all(folder.join("sub")).expect("a folder");
        let used = PathBuf::from("/other/place/sub/x.h");
        let files = BTreeSet::from([used.as_path()]);
        let find = || same_names(std::slice::from_ref(&folder), &files);
        assert!(find().is_empty());
        fs::write(folder.join("sub/x.h"), "").expect("a file");
        assert_eq!(find(), BTreeSet::from([folder.join("sub/x.h")]));
        fs::write(folder.join("x.h"), "").expect("a file");
        assert_eq!(find().len(), 2);
        fs::remove_dir_all(&base).expect("the folder");
    }
}
