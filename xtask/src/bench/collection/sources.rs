//! The files that a program of the suite needs: its folder, and the files of other folders that its
//! Makefile, its sources and its arguments name.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// Larger files are left out. A program that needs one is not in the list.
const MAX_SIZE: u64 = 4 << 20;
/// The extensions of files that name other files.
const TEXTS: [&str; 12] =
    ["c", "cc", "cpp", "cxx", "cu", "cuh", "h", "hpp", "hh", "inc", "inl", "mk"];

/// Returns the files, relative to `source`, that a program in the folder `name` needs.
pub fn closure(source: &Path, name: &str, commands: &str) -> Result<BTreeSet<PathBuf>, String> {
    let own = PathBuf::from(name);
    let mut found = BTreeSet::new();
    let mut due = vec![own.clone()];
    due.extend(references(commands).iter().filter_map(|path| normal(&own.join(path))));
    while let Some(path) = due.pop() {
        let full = source.join(&path);
        let fail = |e: std::io::Error| format!("cannot read {}: {e}", full.display());
        // Files that the suite keeps in another storage are missing.
        let Ok(data) = full.metadata() else { continue };
        if data.is_dir() {
            for entry in std::fs::read_dir(&full).map_err(fail)? {
                let file = path.join(entry.map_err(fail)?.file_name());
                // Other folders are on the path for headers.
                let needed =
                    path.starts_with(&own) || is_text(&file) && !source.join(&file).is_dir();
                if needed && !found.contains(&file) {
                    due.push(file);
                }
            }
        } else if data.len() <= MAX_SIZE && found.insert(path.clone()) && is_text(&path) {
            let text = std::fs::read(&full).map_err(fail)?;
            let here = path.parent().unwrap_or(Path::new(""));
            for reference in references(&String::from_utf8_lossy(&text)) {
                let bases = [own.as_path(), here];
                let paths = bases.into_iter().filter_map(|base| normal(&base.join(&reference)));
                due.extend(paths.filter(|path| *path != own && !is_shared(path)));
            }
        }
    }
    Ok(found)
}

/// Returns whether a path is the folder with the data of all programs, which no program needs as a
/// whole.
fn is_shared(path: &Path) -> bool {
    path == Path::new("data")
}

fn is_text(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("Makefile")
        || path.extension().is_some_and(|kind| TEXTS.iter().any(|known| kind == *known))
}

/// Returns the paths in a text that lead to another folder.
fn references(text: &str) -> BTreeSet<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "._+-/".contains(c);
    text.match_indices("../")
        .map(|(at, _)| {
            let rest = &text[at..];
            rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())].to_owned()
        })
        .collect()
}

/// Resolves `..` in a relative path. Returns `None` if the path leaves the folder of all programs.
fn normal(path: &Path) -> Option<PathBuf> {
    let mut parts = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if !parts.pop() {
                    return None;
                }
            }
            Component::Normal(name) => parts.push(name),
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    (!parts.as_os_str().is_empty()).then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::Scratch;

    #[test]
    fn files_of_other_folders_are_found() {
        let scratch = Scratch::new("sources").unwrap();
        let file = |name: &str, text: &str| {
            let path = scratch.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        file("a-cuda/Makefile", "CFLAGS = -I../include\nrun:\n\t./main ../data/a/x.txt");
        file("a-cuda/main.cu", "#include \"../a-omp/reference.h\"\n");
        file("a-cuda/data/y.bin", "y");
        file("a-omp/reference.h", "#include \"other.h\"\n#include \"../c-cuda/deep.h\"\n");
        file("a-omp/main.cpp", "");
        file("c-cuda/deep.h", "");
        file("include/common.h", "");
        file("include/table.bin", "");
        file("data/a/x.txt", "x");
        file("data/a/z.txt", "z");
        let found = closure(scratch.path(), "a-cuda", "./main ../data/a/x.txt").unwrap();
        let names: Vec<_> = found.iter().map(|path| path.to_str().unwrap()).collect();
        let expected = [
            "a-cuda/Makefile",
            "a-cuda/data/y.bin",
            "a-cuda/main.cu",
            "a-omp/reference.h",
            "c-cuda/deep.h",
            "data/a/x.txt",
            "include/common.h",
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn paths_stay_in_the_suite() {
        assert_eq!(normal(Path::new("a/../b/./c")), Some(PathBuf::from("b/c")));
        assert_eq!(normal(Path::new("a/../../b")), None);
        assert_eq!(normal(Path::new("a/..")), None);
    }
}
