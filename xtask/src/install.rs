//! `install`, `uninstall`: a tree for users. Programs and libraries are stripped, their debug
//! information is kept apart, and a list of the files allows to remove the tree again.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::process::{self, progress};
use crate::setup::{self, Purpose};
use crate::stage::{self, PARTS, Profile};
use crate::workspace::target;

/// The list of the installed files, relative to the prefix.
pub const LIST: &str = "share/scythe/installed-files";

/// The largest size of a tree without debug information.
pub const LIMIT: u64 = 20_000_000;

/// The options `--NAME DIR` and `--NAME=DIR` of a command.
pub fn folders<'a>(
    command: &str,
    names: &[&'a str],
    args: &[String],
) -> Result<Vec<(&'a str, PathBuf)>, String> {
    let mut found = Vec::new();
    let mut words = args.iter();
    while let Some(word) = words.next() {
        let (option, value) = match word.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => (word.as_str(), words.next().map(String::as_str)),
        };
        let name = names.iter().find(|name| option.strip_prefix("--") == Some(name));
        match (name, value) {
            (Some(name), Some(value)) if !value.is_empty() => {
                found.push((*name, PathBuf::from(value)));
            }
            _ => {
                let expected: Vec<String> = names.iter().map(|n| format!("--{n} DIR")).collect();
                return Err(format!(
                    "unknown argument '{word}' of '{command}'; expected {}",
                    expected.join(", ")
                ));
            }
        }
    }
    Ok(found)
}

fn folder(found: &[(&str, PathBuf)], name: &str) -> Option<PathBuf> {
    found.iter().rev().find(|(n, _)| *n == name).map(|(_, dir)| dir.clone())
}

pub fn install_command(args: &[String]) -> Result<ExitCode, String> {
    let found = folders("install", &["prefix", "debug-info"], args)?;
    let prefix = folder(&found, "prefix").ok_or("'install' needs --prefix DIR")?;
    setup::ensure(Purpose::Build)?;
    let tree = target().join("install");
    let debug = target().join("install-debug");
    make_tree(&tree, &debug)?;
    replace(&tree, &prefix)?;
    if let Some(to) = folder(&found, "debug-info") {
        let files = list(&debug)?;
        files.iter().try_for_each(|file| place(&debug, &to, file))?;
        progress(&format!(
            "debug information: gdb -iex 'set debug-file-directory {}'",
            to.display()
        ));
    }
    progress(&format!("installed: {}/bin/scythe -fsycl app.cpp -o app", prefix.display()));
    Ok(ExitCode::SUCCESS)
}

pub fn uninstall_command(args: &[String]) -> Result<ExitCode, String> {
    let found = folders("uninstall", &["prefix"], args)?;
    let prefix = folder(&found, "prefix").ok_or("'uninstall' needs --prefix DIR")?;
    let files = listed(&prefix).ok_or_else(|| {
        format!("{} does not exist: nothing to remove", prefix.join(LIST).display())
    })?;
    remove(&prefix, files.iter())?;
    progress(&format!("removed {} files from {}", files.len(), prefix.display()));
    Ok(ExitCode::SUCCESS)
}

/// Builds Scythe and makes a new tree for users in `tree`, with debug information in `debug`.
pub fn make_tree(tree: &Path, debug: &Path) -> Result<(), String> {
    for folder in [tree, debug] {
        if folder.exists() {
            std::fs::remove_dir_all(folder)
                .map_err(|e| format!("cannot empty {}: {e}", folder.display()))?;
        }
    }
    stage::build(Profile::Dist)?;
    stage::install(Profile::Dist, tree)?;
    for (_, part) in PARTS {
        strip(&tree.join(part), debug)?;
    }
    write_list(tree)?;
    let size = size(tree)?;
    progress(&format!("the tree has {:.1} MB without debug information", size as f64 / 1e6));
    if size > LIMIT {
        return Err(format!("the tree has {size} bytes, more than the limit of {LIMIT}"));
    }
    Ok(())
}

/// Writes the list of a tree's files into the tree.
pub fn write_list(tree: &Path) -> Result<(), String> {
    let mut files = list(tree)?;
    files.insert(PathBuf::from(LIST));
    let text: String = files.iter().map(|f| format!("{}\n", f.display())).collect();
    stage::write(&tree.join(LIST), text.as_bytes())
}

/// Moves the debug information of a program or library to `debug/.build-id`, where debuggers look
/// for it by the build identifier of the file.
fn strip(file: &Path, debug: &Path) -> Result<(), String> {
    let notes = process::output(Command::new("readelf").arg("-n").arg(file))?;
    let id = notes.lines().find_map(|l| l.trim().strip_prefix("Build ID: "));
    let (first, rest) = id
        .and_then(|id| id.split_at_checked(2))
        .ok_or_else(|| format!("{} has no build identifier", file.display()))?;
    let apart = debug.join(".build-id").join(first).join(format!("{rest}.debug"));
    stage::parent(&apart)?;
    process::run(
        Command::new("objcopy")
            .args(["--only-keep-debug", "--compress-debug-sections"])
            .arg(file)
            .arg(&apart),
    )?;
    process::run(Command::new("strip").args(["--strip-unneeded", "-R", ".comment"]).arg(file))
}

/// Makes `prefix` hold the files of `tree`, without the files of an older installation.
fn replace(tree: &Path, prefix: &Path) -> Result<(), String> {
    let new = list(tree)?;
    if let Some(old) = listed(prefix) {
        remove(prefix, old.difference(&new))?;
    }
    new.iter().try_for_each(|file| place(tree, prefix, file))
}

/// Copies a file or a link of one tree to the other.
fn place(from: &Path, to: &Path, file: &Path) -> Result<(), String> {
    let (source, target) = (from.join(file), to.join(file));
    match std::fs::read_link(&source) {
        Ok(name) => {
            stage::parent(&target)?;
            stage::link(&name.to_string_lossy(), &target)
        }
        Err(_) => stage::copy(&source, &target).map(drop),
    }
}

/// Returns the list that an installation left in `prefix`.
fn listed(prefix: &Path) -> Option<BTreeSet<PathBuf>> {
    let text = std::fs::read_to_string(prefix.join(LIST)).ok()?;
    // A list cannot name files outside of the prefix.
    let inside = |path: &PathBuf| {
        path.components().all(|part| matches!(part, std::path::Component::Normal(_)))
    };
    Some(text.lines().map(PathBuf::from).filter(inside).collect())
}

/// Removes files and the folders that become empty.
fn remove<'a>(prefix: &Path, files: impl Iterator<Item = &'a PathBuf>) -> Result<(), String> {
    for file in files {
        let path = prefix.join(file);
        match std::fs::remove_file(&path) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                return Err(format!("cannot remove {}: {e}", path.display()));
            }
            _ => {}
        }
        for folder in path.ancestors().skip(1).take_while(|f| f.starts_with(prefix)) {
            // The call fails for a folder that is not empty.
            if std::fs::remove_dir(folder).is_err() {
                break;
            }
        }
    }
    Ok(())
}

/// Returns all files and links below a folder, relative to it.
pub fn list(folder: &Path) -> Result<BTreeSet<PathBuf>, String> {
    let (mut found, mut open) = (BTreeSet::new(), vec![folder.to_owned()]);
    while let Some(next) = open.pop() {
        let fail = |e: std::io::Error| format!("cannot read {}: {e}", next.display());
        for entry in std::fs::read_dir(&next).map_err(fail)? {
            let entry = entry.map_err(fail)?;
            if entry.file_type().map_err(fail)?.is_dir() {
                open.push(entry.path());
            } else if let Ok(relative) = entry.path().strip_prefix(folder) {
                found.insert(relative.to_owned());
            }
        }
    }
    Ok(found)
}

/// Returns the size of all files below a folder, in bytes.
fn size(folder: &Path) -> Result<u64, String> {
    list(folder)?.iter().try_fold(0, |sum, file| {
        let path = folder.join(file);
        let found = std::fs::symlink_metadata(&path)
            .map_err(|e| format!("cannot read {}: {e}", path.display()))?;
        Ok(sum + found.len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::Scratch;

    #[test]
    fn options_have_both_forms() {
        let words = ["--prefix", "/a", "--debug-info=/b"].map(str::to_owned);
        let found = folders("install", &["prefix", "debug-info"], &words).expect("both are known");
        assert_eq!(folder(&found, "prefix"), Some("/a".into()));
        assert_eq!(folder(&found, "debug-info"), Some("/b".into()));
        for wrong in [&["--prefix"][..], &["--other", "x"], &["/a"], &["--prefix="]] {
            let words: Vec<String> = wrong.iter().map(|&w| w.to_owned()).collect();
            let error = folders("install", &["prefix"], &words).unwrap_err();
            assert!(error.contains("expected --prefix DIR"), "{error}");
        }
    }

    #[test]
    fn removal_leaves_only_the_files_of_others() {
        let scratch = Scratch::new("install").expect("a folder");
        let (tree, prefix) = (scratch.path().join("tree"), scratch.path().join("a/prefix"));
        let texts = |files: &[&str]| {
            let _ = std::fs::remove_dir_all(&tree);
            let lines: String = files.iter().map(|f| format!("{f}\n")).collect();
            for file in files {
                stage::write(&tree.join(file), file.as_bytes()).expect("a file");
            }
            stage::write(&tree.join(LIST), format!("{lines}{LIST}\n../../kept\n").as_bytes())
                .expect("a list");
        };
        stage::write(&scratch.path().join("a/kept"), b"").expect("a file");
        texts(&["bin/old", "bin/scythe"]);
        std::os::unix::fs::symlink("scythe", tree.join("bin/link")).expect("a link");
        replace(&tree, &prefix).expect("the first version");
        assert_eq!(
            std::fs::read_link(prefix.join("bin/link")).expect("a link"),
            Path::new("scythe")
        );
        texts(&["bin/scythe", "lib/x"]);
        replace(&tree, &prefix).expect("the second version");
        assert!(!prefix.join("bin/old").exists() && prefix.join("lib/x").exists());
        stage::write(&prefix.join("lib/mine"), b"").expect("a file of the user");
        let words = [format!("--prefix={}", prefix.display())];
        uninstall_command(&words).expect("a list");
        let left = list(&prefix).expect("a folder");
        assert!(left.contains(Path::new("lib/mine")) && !prefix.join("share").exists(), "{left:?}");
        assert!(scratch.path().join("a/kept").exists());
        assert!(uninstall_command(&words).unwrap_err().contains("nothing to remove"));
    }
}
