//! The tests of a build folder, from the files that CMake writes for CTest.

use std::path::{Path, PathBuf};

use super::recipe::{Launch, Test};
use crate::install;

/// Returns the tests that `keep` selects by name. Only tests of programs that the build makes are
/// returned, in the order of their names.
pub fn tests(build: &Path, keep: fn(&str) -> bool) -> Result<Vec<Test>, String> {
    let mut tests = Vec::new();
    for file in install::list(build)? {
        if file.file_name().is_some_and(|name| name == "CTestTestfile.cmake") {
            let path: PathBuf = build.join(&file);
            let text = std::fs::read_to_string(&path)
                .map_err(|e| format!("cannot read {}: {e}", path.display()))?;
            tests.extend(text.lines().filter_map(|line| parse(line, build)));
        }
    }
    tests.retain(|test| keep(&test.name));
    tests.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(tests)
}

/// Parses a line `add_test([=[NAME]=] "PROGRAM" ...)`.
fn parse(line: &str, build: &Path) -> Option<Test> {
    let (name, rest) = line.strip_prefix("add_test(")?.split_once(' ')?;
    let name = name.strip_prefix("[=[").and_then(|n| n.strip_suffix("]=]")).unwrap_or(name);
    let program = rest.strip_prefix('"')?.split('"').next()?;
    let target = Path::new(program).strip_prefix(build).ok()?.to_str()?.to_owned();
    Some(Test { name: name.to_owned(), target, launch: Launch::CTest })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_the_build_are_tests() {
        let test = parse("add_test([=[a.pass]=] \"/b/test/a.pass\" \"-x\")", Path::new("/b"));
        let expected = Test {
            name: "a.pass".to_owned(),
            target: "test/a.pass".to_owned(),
            launch: Launch::CTest,
        };
        assert_eq!(test, Some(expected));
        assert_eq!(parse("add_test(a \"/b/a\")", Path::new("/b")).unwrap().name, "a");
        assert_eq!(parse("add_test(a \"/usr/bin/cmake\" \"-E\")", Path::new("/b")), None);
        assert_eq!(parse("subdirs(\"test\")", Path::new("/b")), None);
    }
}
