//! Finds clang++ and checks that its version fits the plug-in.
//!
//! The plug-in links clang's C++ library, whose interface changes with every minor release. The
//! major and minor versions must therefore match. The executable of a packaged clang contains the
//! name of that library, which can be read without starting a process. For any other clang, the
//! driver runs `clang++ --version`.

use std::path::{Path, PathBuf};
use std::process::Command;

use scythe_own_files::in_path;

use crate::error::Error;

/// The major and minor version of clang that the plug-in is built for.
pub const VERSION: &str = "22.1";
const IN_PATH: &str = "clang++-22";
const BY_DEBIAN: &str = "/usr/lib/llvm-22/bin/clang++";
const LIBRARY: &[u8] = b"libclang-cpp.so.";

/// Returns the clang++ to run: `asked` if given, otherwise `clang++-22` in `PATH`, otherwise
/// Debian's clang++.
pub fn find(asked: Option<&str>) -> Result<PathBuf, Error> {
    if let Some(name) = asked {
        let found = if name.contains('/') { Some(PathBuf::from(name)) } else { in_path(name) };
        return found
            .filter(|p| p.is_file())
            .ok_or_else(|| Error::NoClang { looked: format!("'{name}'") });
    }
    let debian = PathBuf::from(BY_DEBIAN);
    in_path(IN_PATH)
        .or_else(|| debian.is_file().then_some(debian))
        .ok_or_else(|| Error::NoClang { looked: format!("'{IN_PATH}' in PATH and '{BY_DEBIAN}'") })
}

/// Reports an error if the plug-in does not fit this clang.
pub fn check(clang: &Path) -> Result<(), Error> {
    let bytes =
        std::fs::read(clang).map_err(|source| Error::Read { path: clang.to_owned(), source })?;
    if let Some(library) = linked_version(&bytes) {
        if library == VERSION {
            return Ok(());
        }
        return Err(Error::ClangMismatch { path: clang.to_owned(), seen: library });
    }
    let answer = version_text(clang)?;
    let Some(seen) = version_number(&answer) else {
        let first = answer.lines().next().unwrap_or_default();
        return Err(Error::NotClang { path: clang.to_owned(), answer: format!("says '{first}'") });
    };
    let fits =
        seen.strip_prefix(VERSION).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    if fits {
        Ok(())
    } else {
        Err(Error::ClangMismatch { path: clang.to_owned(), seen: seen.to_owned() })
    }
}

/// Returns the version in the name of clang's C++ library, if `bytes` is an ELF file that names it.
fn linked_version(bytes: &[u8]) -> Option<String> {
    if !bytes.starts_with(b"\x7fELF") {
        return None;
    }
    let at = bytes.windows(LIBRARY.len()).position(|w| w == LIBRARY)? + LIBRARY.len();
    let version: Vec<u8> =
        bytes[at..].iter().copied().take_while(|b| b.is_ascii_digit() || *b == b'.').collect();
    String::from_utf8(version).ok().filter(|v| !v.is_empty())
}

/// Returns the output of `clang++ --version`.
pub fn version_text(clang: &Path) -> Result<String, Error> {
    let output = Command::new(clang)
        .arg("--version")
        .output()
        .map_err(|source| Error::Spawn { program: clang.to_owned(), source })?;
    if !output.status.success() {
        return Err(Error::NotClang {
            path: clang.to_owned(),
            answer: format!("failed, {}", output.status),
        });
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Returns the number after `clang version`.
fn version_number(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("clang version ")?;
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    Some(&rest[..end]).filter(|v| !v.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_either_place() {
        assert_eq!(
            version_number("Debian clang version 22.1.8 (1~deb12u1)\nTarget: x"),
            Some("22.1.8")
        );
        assert_eq!(version_number("g++ (Debian) 12.2.0"), None);
        assert_eq!(linked_version(b"\x7fELF..\0libclang-cpp.so.22.1\0x"), Some("22.1".into()));
        assert_eq!(linked_version(b"#!/bin/sh\nlibclang-cpp.so.22.1"), None);
    }

    #[test]
    fn a_missing_clang_says_what_to_install() {
        let error = find(Some("/nowhere/clang++")).unwrap_err().to_string();
        assert!(
            error.contains("/nowhere/clang++") && error.contains("apt-get install clang-22"),
            "{error}"
        );
    }

    #[test]
    fn what_is_not_clang_is_refused() {
        let error = check(Path::new("/bin/sh")).unwrap_err().to_string();
        assert!(error.contains("/bin/sh"), "{error}");
    }
}
