//! The files of the header cache. Each precompiled header has a folder:
//!
//! - `key` identifies the request. A folder with another key is not used.
//! - `headers.hpp` includes the header. The compiler reads it to make the precompiled header.
//! - `header.pch` is the precompiled header.
//! - `header.types` lists the types in it that units report. Host passes report none.
//! - `dependencies` lists the files that the compiler read. `words` lists the identifiers in
//!   them, and the macros that the compiler defines.
//! - `files` describes what the precompiled header depends on ([`Record`]). It is written last, so
//!   the precompiled header is complete if this file exists. Its time of modification is the time
//!   of the last use.
//! - `lock` is locked by the process that makes the precompiled header. Other processes do not
//!   wait: they compile without one. The names of the files that it makes start with `unfinished`
//!   and contain the number of the process: the compiler of a driver that was killed may still
//!   write its own.

use std::collections::{BTreeSet, HashSet};
use std::fmt;
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use scythe_own_files as own;

use super::{Request, leading};
use crate::error::Error;
use crate::{dependencies, fingerprint};

/// The size that the cache may have, in bytes.
const MAX_BYTES: u64 = 1 << 30;
/// The number of folders that the cache may have. Most are empty: their request came only once.
const MAX_ENTRIES: usize = 4096;
/// The first line of the file `files`.
#[doc(hidden)]
pub const FORMAT: &str = "scythe header cache 3";
/// The name of the file that includes the header.
const INCLUDER: &str = "headers.hpp";
/// The name of the file with the identifiers in the headers.
const WORDS: &str = "words";
/// The contents of `files` if the header cannot be precompiled.
const UNUSABLE: &str = "unusable";

/// Runs a program to its end.
pub type Runner<'a> = &'a dyn Fn(&mut Command, &Path) -> Result<Output, Error>;

/// The time of modification and the size of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    nanoseconds: u128,
    size: u64,
}

impl Stamp {
    /// Returns the stamp of a file, or `None` if there is no such file.
    pub fn of(path: &Path) -> Option<Stamp> {
        let data = fs::metadata(path).ok()?;
        let time = data.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        // The size of a folder says nothing about its contents.
        let size = if data.is_dir() { 0 } else { data.len() };
        Some(Stamp { nanoseconds: time.as_nanos(), size })
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} {}", self.nanoseconds, self.size)
    }
}

/// Reads a record and writes it again. Returns `None` if the text is not a record. Tests give it
/// damaged records.
#[doc(hidden)]
pub fn rewritten(text: &str) -> Option<String> {
    Record::parse(text).map(|record| record.text())
}

/// What a precompiled header depends on.
#[derive(Debug, Default, PartialEq, Eq)]
struct Record {
    /// Files that the compiler read, and folders in which it found them or looked for them.
    stamped: Vec<(Stamp, PathBuf)>,
    /// The names of the files in `#include` directives and in `__has_include`.
    names: BTreeSet<String>,
    /// The identifiers in the files, and the macros that the compiler defines. They are in a
    /// separate file.
    words: BTreeSet<String>,
}

impl Record {
    fn text(&self) -> String {
        let mut text = format!("{FORMAT}\n");
        for (stamp, path) in &self.stamped {
            text += &format!("stamp {stamp} {}\n", path.display());
        }
        self.names.iter().for_each(|name| text += &format!("name {name}\n"));
        text
    }

    fn parse(text: &str) -> Option<Record> {
        // A carriage return at the end of a line belongs to the name.
        let mut lines = text.split_terminator('\n');
        if lines.next() != Some(FORMAT) {
            return None;
        }
        let mut record = Record::default();
        for line in lines {
            if let Some(name) = line.strip_prefix("name ") {
                record.names.insert(name.to_owned());
                continue;
            }
            let mut words = line.strip_prefix("stamp ")?.splitn(3, ' ');
            let nanoseconds = words.next()?.parse().ok()?;
            let size = words.next()?.parse().ok()?;
            record.stamped.push((Stamp { nanoseconds, size }, PathBuf::from(words.next()?)));
        }
        Some(record)
    }

    /// Returns whether all files and folders are unchanged.
    fn is_current(&self) -> bool {
        self.stamped.iter().all(|(stamp, path)| Stamp::of(path) == Some(*stamp))
    }

    /// Returns a file in one of `folders` that would be found instead of an included file. `more`
    /// are the names of further files that the source includes.
    fn replacement(&self, folders: &[PathBuf], more: &[String]) -> Option<PathBuf> {
        folders.iter().find_map(|folder| {
            let entries = fs::read_dir(folder).ok()?.flatten();
            let entries: BTreeSet<String> =
                entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
            let first = |name: &str| name.split('/').next().unwrap_or_default().to_owned();
            let names = self.names.iter().chain(more);
            let listed = names.filter(|name| entries.contains(&first(name)));
            listed.map(|name| folder.join(name)).find(|file| file.exists())
        })
    }
}

/// Returns the precompiled header for a request, or the reason why there is none.
pub fn obtain(request: &Request, program: &Path, run: Runner) -> Result<PathBuf, String> {
    let key = request.key().ok_or("the compiler cannot be identified")?;
    let name = format!("{:016x}", fingerprint::text(&key));
    let folder = request.cache.join(&name);
    open(&request.cache, &name)
        .map_err(|error| format!("cannot use the folder '{}': {error}", folder.display()))?;
    match fs::read_to_string(folder.join("key")) {
        Ok(known) if known == key => {}
        Ok(_) => return Err("another request has the same hash".to_owned()),
        Err(_) => {
            let text = format!("#include <{}>\n", request.header);
            write(&folder.join(INCLUDER), &text)?;
            write(&folder.join("key"), &key)?;
            return Err("the first compilation with these options".to_owned());
        }
    }
    let header = folder.join("header.pch");
    let files = folder.join("files");
    let record = match fs::read_to_string(&files) {
        Ok(text) if text == UNUSABLE => return Err("the header cannot be precompiled".to_owned()),
        Ok(text) => Record::parse(&text).filter(Record::is_current),
        Err(_) => None,
    };
    let record = match record {
        Some(record) => {
            touch(&files);
            record
        }
        None => {
            let record = make(request, program, &folder, run)?;
            enforce_limits(&request.cache, &folder);
            record
        }
    };
    check_macros(request, &folder)?;
    match record.replacement(&request.folders, &request.before) {
        Some(file) => Err(format!("the program has its own '{}'", file.display())),
        None => Ok(header),
    }
}

/// Checks that only this user can have written a folder of the cache, because the compiler trusts
/// precompiled headers. Creates it, for the user alone.
fn open(cache: &Path, name: &str) -> std::io::Result<()> {
    own::Folder::create(cache)?.folder_or_new(name)?;
    // The compiler gets paths.
    own::Folder::check_parents(cache)
}

/// Checks that the macros which the program defines before the header have no meaning in it.
fn check_macros(request: &Request, folder: &Path) -> Result<(), String> {
    if request.macros.is_empty() {
        return Ok(());
    }
    let file = folder.join(WORDS);
    let words = fs::read_to_string(&file).map_err(|error| in_cache(&file, &error))?;
    let words: HashSet<&str> = words.lines().collect();
    match request.macros.iter().find(|name| words.contains(name.as_str())) {
        Some(name) => Err(format!("the program defines '{name}' before the header")),
        None => Ok(()),
    }
}

/// Returns the macros that the compiler defines with the options of a request.
fn predefined(request: &Request, program: &Path, run: Runner) -> Result<Vec<String>, String> {
    let mut command = Command::new(program);
    command.args(&request.args).args(["-E", "-dM", "-x", "c++", "/dev/null"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let output = run(&mut command, program).map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err("the macros of the compiler are unknown".to_owned());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let names = text.lines().filter_map(|line| line.strip_prefix("#define "));
    Ok(names.filter_map(|rest| rest.split([' ', '(']).next().map(str::to_owned)).collect())
}

/// Returns the list of the files that a precompiled header contains, in the form of a rule.
pub fn dependency_list(header: &Path) -> PathBuf {
    header.with_file_name("dependencies")
}

/// Returns the file with the types that units with a precompiled header report.
pub fn types_file(header: &Path) -> PathBuf {
    header.with_extension("types")
}

/// Makes a precompiled header in `folder`.
fn make(request: &Request, program: &Path, folder: &Path, run: Runner) -> Result<Record, String> {
    let lock = File::create(folder.join("lock")).map_err(|error| in_cache(folder, &error))?;
    if lock.try_lock().is_err() {
        return Err("another process makes the precompiled header".to_owned());
    }
    let start = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_nanos();
    remove_unfinished(folder);
    let header = folder.join(format!("unfinished-{}.pch", std::process::id()));
    let list = dependency_list(&header);
    let mut command = Command::new(program);
    command.args(&request.args).args(["-c", "-Xclang", "-emit-pch", "-v"]);
    // Otherwise every pass that uses the header would instantiate the templates that the header
    // itself uses, which takes longer than reading the header. The end of a translation unit is
    // only one of several valid points of instantiation.
    command.args(["-Xclang", "-fpch-instantiate-templates", "-x", "c++"]);
    let types = types_file(&header);
    command.arg(format!("-fplugin-arg-scythe-make-header={}", types.display()));
    command.arg(folder.join(INCLUDER)).arg("-o").arg(&header);
    command.args(["-MD", "-MT", "header", "-MF"]).arg(&list);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let output = run(&mut command, program).map_err(|error| error.to_string())?;
    if !output.status.success() {
        remove_unfinished(folder);
        if output.status.code().is_some() {
            write(&folder.join("files"), UNUSABLE)?;
        }
        return Err("the header cannot be precompiled".to_owned());
    }
    let list = fs::read_to_string(&list).map_err(|error| in_cache(folder, &error))?;
    let roots = search_folders(&String::from_utf8_lossy(&output.stderr));
    let mut record = record(&dependencies::files(&list), &roots, &request.folders)
        .ok_or("a header was changed during the compilation")?;
    if record.stamped.iter().any(|(stamp, _)| stamp.nanoseconds >= start) {
        let _ = fs::remove_file(&header);
        return Err("a header has just been changed".to_owned());
    }
    let finished = folder.join("header.pch");
    fs::rename(&header, &finished).map_err(|error| in_cache(folder, &error))?;
    // A damaged precompiled header is made again.
    let stamp = Stamp::of(&finished).ok_or("another process removed the precompiled header")?;
    record.stamped.push((stamp, finished));
    if types.exists() {
        let finished = types_file(&folder.join("header.pch"));
        fs::rename(&types, &finished).map_err(|error| in_cache(&finished, &error))?;
        let stamp = Stamp::of(&finished).ok_or("another process removed the list of types")?;
        record.stamped.push((stamp, finished));
    }
    record.words.extend(predefined(request, program, run)?);
    let words = folder.join(WORDS);
    write(&words, &record.words.iter().map(|word| format!("{word}\n")).collect::<String>())?;
    let stamp = Stamp::of(&words).ok_or("another process removed the list of words")?;
    record.stamped.push((stamp, words));
    write(&folder.join("files"), &record.text())?;
    Ok(record)
}

/// Describes the files that the compiler read. `roots` are the folders that it searches, of which
/// the user named `own`.
fn record(files: &[PathBuf], roots: &[String], own: &[PathBuf]) -> Option<Record> {
    let mut record = Record::default();
    // A new file may appear in any of these folders. The user's folders change too often to be
    // compared; `Record::replacement` looks for names there.
    let mut folders: BTreeSet<PathBuf> = roots
        .iter()
        .map(PathBuf::from)
        .filter(|root| !own.contains(root) && root.is_dir())
        .collect();
    for file in files.iter().filter(|file| !file.ends_with(INCLUDER)) {
        record.stamped.push((Stamp::of(file)?, file.clone()));
        let shown = file.to_string_lossy();
        let inside = roots.iter().filter_map(|root| shown.strip_prefix(&format!("{root}/")));
        if let Some(name) = inside.min_by_key(|name| name.len()) {
            record.names.insert(name.to_owned());
            if let Some(parent) = file.parent().filter(|_| !own.iter().any(|f| file.starts_with(f)))
            {
                folders.insert(parent.to_owned());
            }
        }
        let text = fs::read(file).ok()?;
        record.names.extend(queried(&text));
        record.words.extend(leading::identifiers(&text).map(str::to_owned));
    }
    for folder in folders {
        record.stamped.push((Stamp::of(&folder)?, folder));
    }
    Some(record)
}

/// Returns the folders that the compiler searches, from the output of `-v`.
fn search_folders(text: &str) -> Vec<String> {
    let lines = text.lines().skip_while(|line| !line.starts_with("#include \"...\""));
    let list = lines.take_while(|line| *line != "End of search list.");
    list.filter_map(|line| line.strip_prefix(' ')).map(|line| line.trim().to_owned()).collect()
}

/// Returns the names in the `__has_include` expressions of a header.
fn queried(text: &[u8]) -> Vec<String> {
    const WORD: &[u8] = b"__has_include";
    let mut names = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.windows(WORD.len()).position(|window| window == WORD) {
        rest = &rest[at + WORD.len()..];
        let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let start = line.iter().position(|byte| matches!(byte, b'<' | b'"'));
        let Some(name) = start.map(|start| &line[start + 1..]) else { continue };
        let Some(end) = name.iter().position(|byte| matches!(byte, b'>' | b'"')) else { continue };
        names.push(String::from_utf8_lossy(&name[..end]).into_owned());
    }
    names
}

/// Removes the least recently used folders until the cache has a permitted size. `new` is kept.
fn enforce_limits(cache: &Path, new: &Path) {
    let Ok(entries) = fs::read_dir(cache) else { return };
    let mut entries: Vec<(SystemTime, u64, PathBuf)> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|folder| folder != new)
        .map(|folder| {
            let data = |name: &str| fs::metadata(folder.join(name)).ok();
            let size = size_of(&folder);
            let used = data("files").or_else(|| data("key")).and_then(|data| data.modified().ok());
            (used.unwrap_or(UNIX_EPOCH), size, folder)
        })
        .collect();
    entries.sort();
    let mut count = entries.len();
    let mut bytes = size_of(new);
    bytes += entries.iter().map(|(_, size, _)| size).sum::<u64>();
    for (_, size, folder) in entries {
        if bytes <= MAX_BYTES && count <= MAX_ENTRIES {
            break;
        }
        // Another process may use the folder. It then compiles without a precompiled header.
        let _ = fs::remove_dir_all(&folder);
        (bytes, count) = (bytes - size, count - 1);
    }
}

/// Returns the size of the files in a folder, with those that a killed process left.
fn size_of(folder: &Path) -> u64 {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter_map(|file| file.metadata().ok()).map(|data| data.size()).sum()
}

/// Writes a file under its final name at once.
fn write(path: &Path, text: &str) -> Result<(), String> {
    let unfinished = path.with_extension(format!("{}.unfinished", std::process::id()));
    fs::write(&unfinished, text).and_then(|()| fs::rename(&unfinished, path)).map_err(|error| {
        let _ = fs::remove_file(&unfinished);
        in_cache(path, &error)
    })
}

/// Removes the files of a compilation that failed, for example on a full disk, or was killed. The
/// compiler may leave its own temporary file.
fn remove_unfinished(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with("unfinished") || name.ends_with(".unfinished") {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Records the use of a precompiled header. A cache that cannot be written can still be read.
fn touch(path: &Path) {
    if let Ok(file) = File::options().append(true).open(path) {
        let _ = file.set_modified(SystemTime::now());
    }
}

fn in_cache(path: &Path, error: &std::io::Error) -> String {
    format!("cannot write '{}': {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_survive_the_disk() {
        let mut record = Record::default();
        let stamp = Stamp { nanoseconds: 12, size: 3 };
        record.stamped.push((stamp, PathBuf::from("/a folder/b.h")));
        record.stamped.push((stamp, PathBuf::from("/a folder\r")));
        record.names.extend(["sys/types.h", "old\r"].map(str::to_owned));
        assert_eq!(Record::parse(&record.text()), Some(record));
        for text in ["", "other", "scythe header cache 3\nx", "scythe header cache 3\nstamp 1"] {
            assert_eq!(Record::parse(text), None, "{text}");
        }
    }

    #[test]
    fn files_in_the_users_folders_take_precedence() {
        let dir = tempfile::tempdir().unwrap();
        let folders = [dir.path().join("missing"), dir.path().to_owned()];
        fs::create_dir(dir.path().join("debug")).unwrap();
        let mut record = Record::default();
        record.names.extend(["vector", "debug/debug.h"].map(str::to_owned));
        assert_eq!(record.replacement(&folders, &[]), None);
        let file = dir.path().join("debug/debug.h");
        fs::write(&file, "").unwrap();
        assert_eq!(record.replacement(&folders, &[]), Some(file.clone()));
        fs::remove_file(file).unwrap();
        fs::write(dir.path().join("getopt.h"), "").unwrap();
        assert_eq!(record.replacement(&folders, &[]), None);
        let found = record.replacement(&folders, &["getopt.h".to_owned()]);
        assert_eq!(found, Some(dir.path().join("getopt.h")));
    }

    #[test]
    fn search_folders_are_read_from_the_compiler() {
        let text = "clang\n#include \"...\" search starts here:\n /q\n#include <...> search starts \
                    here:\n /a b\n /c\nEnd of search list.\n /d\n";
        assert_eq!(search_folders(text), ["/q", "/a b", "/c"]);
    }

    #[test]
    fn queries_for_headers_are_found() {
        let text = b"#if __has_include(<tbb/tbb.h>)\n#if __has_include (\"x.h\") \n__has_include(";
        assert_eq!(queried(text), ["tbb/tbb.h", "x.h"]);
    }
}
