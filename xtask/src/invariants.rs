//! Checks the invariants of ARCHITECTURE.md that can be checked automatically.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::process::{self, Scratch, capture};
use crate::stage::{self, Profile};
use crate::workspace::{cargo, files, root};

/// Crates that must not depend on LLVM. The driver is one of them because loading LLVM would slow
/// its start.
const WITHOUT_LLVM: [&str; 13] = [
    "scythe-abi",
    "scythe-device-config",
    "scythe-image",
    "scythe-hal",
    "scythe-wrap",
    "scythe-backend-cpu",
    "scythe-backend-opencl",
    "scythe-backend-cuda",
    "scythe-jit-client",
    "scythe-own-files",
    "scythe-trace",
    "scythe-runtime",
    "scythe-driver",
];

/// Checks the dependencies, and the libraries of the tree under `prefix`.
pub fn check(prefix: &Path) -> Result<usize, String> {
    for name in WITHOUT_LLVM {
        let tree = process::output(cargo().args([
            "tree",
            "--prefix",
            "none",
            "-e",
            "normal,build",
            "-p",
            name,
        ]))?;
        if let Some(line) =
            tree.lines().find(|l| l.starts_with("llvm-sys") || l.starts_with("scythe-llvm"))
        {
            return Err(format!("{name} depends on '{line}', but must not depend on LLVM"));
        }
    }
    let backends = check_backends(&dependencies()?)?;
    let library = prefix.join("lib/libscythe.so.0");
    let needed = process::output(Command::new("ldd").arg(&library))?;
    if let Some(line) = needed
        .lines()
        .find(|l| ["libLLVM", "libclang", "libOpenCL"].iter().any(|name| l.contains(name)))
    {
        return Err(format!("{} needs '{}'", library.display(), line.trim()));
    }
    let typed = check_error_types()?;
    Ok(WITHOUT_LLVM.len() + backends + typed + 1)
}

/// The dependencies of each crate of the workspace, without those that only tests need.
type Dependencies = BTreeMap<String, BTreeSet<String>>;

fn dependencies() -> Result<Dependencies, String> {
    let text = process::output(cargo().args([
        "metadata",
        "--format-version",
        "1",
        "--no-deps",
        "--offline",
    ]))?;
    let metadata: serde_json::Value =
        serde_json::from_str(&text).map_err(|e| format!("cargo metadata is not JSON: {e}"))?;
    let list = |value: &serde_json::Value| value.as_array().cloned().unwrap_or_default();
    let name = |value: &serde_json::Value| value["name"].as_str().unwrap_or_default().to_owned();
    let packages = list(&metadata["packages"]).into_iter().map(|package| {
        let all = list(&package["dependencies"]);
        (name(&package), all.iter().filter(|one| one["kind"] != "dev").map(name).collect())
    });
    Ok(packages.collect())
}

/// Checks that no backend depends, directly or through other crates, on another backend, on the
/// client of the run-time compiler, or on a crate for a toolkit. Returns the number of backends.
fn check_backends(dependencies: &Dependencies) -> Result<usize, String> {
    const BACKEND: &str = "scythe-backend-";
    let forbidden = |name: &str| {
        name.starts_with(BACKEND) || name.ends_with("-toolkit") || name == "scythe-jit-client"
    };
    let backends: Vec<&String> =
        dependencies.keys().filter(|name| name.starts_with(BACKEND)).collect();
    for backend in &backends {
        let (mut reached, mut open) = (BTreeSet::new(), vec![*backend]);
        while let Some(name) = open.pop() {
            for next in dependencies.get(name).into_iter().flatten() {
                if forbidden(next) {
                    return Err(format!(
                        "{backend} depends on {next} (through {name}); a backend must not depend \
                         on another backend, on the client of the run-time compiler or on a toolkit"
                    ));
                }
                if reached.insert(next) {
                    open.push(next);
                }
            }
        }
    }
    match backends.len() {
        0 => Err(format!("the workspace has no crate whose name starts with {BACKEND}")),
        count => Ok(count),
    }
}

/// Crates whose functions return typed errors, never text.
const WITH_ERROR_TYPES: [&str; 3] = ["passes", "codegen", "jit-client"];

/// Checks that no source file of [`WITH_ERROR_TYPES`] has a `Result<_, String>`. Returns the number
/// of crates.
fn check_error_types() -> Result<usize, String> {
    for name in WITH_ERROR_TYPES {
        for path in files(&root().join("crates").join(name).join("src"), &["rs"])? {
            let text = std::fs::read_to_string(&path)
                .map_err(|e| format!("cannot read {}: {e}", path.display()))?;
            if let Some(line) = text_as_error(&text) {
                return Err(format!(
                    "{}:{line}: an error is a 'String', expected an error type with named variants",
                    path.display()
                ));
            }
        }
    }
    Ok(WITH_ERROR_TYPES.len())
}

/// Returns the line of the first `Result<_, String>`.
fn text_as_error(text: &str) -> Option<usize> {
    const START: &str = "Result<";
    text.match_indices(START).find_map(|(at, _)| {
        let arguments = &text[at + START.len()..];
        let (mut depth, mut comma) = (0, None);
        for (place, c) in arguments.char_indices() {
            // The arrow of a function type closes no bracket.
            let is_arrow = c == '>' && arguments[..place].ends_with('-');
            match c {
                '<' | '(' | '[' => depth += 1,
                '>' if depth == 0 && !is_arrow => {
                    let error =
                        arguments[comma? + 1..place].trim().trim_end_matches(',').trim_end();
                    return (error == "String").then(|| text[..at].matches('\n').count() + 1);
                }
                '>' if !is_arrow => depth -= 1,
                ')' | ']' => depth -= 1,
                ',' if depth == 0 && comma.is_none() => comma = Some(place),
                _ => {}
            }
        }
        None
    })
}

/// Checks that the installed tree works after it was moved, from any folder and with an empty
/// environment, and that its output is reproducible: two compilations give the same bytes.
pub fn relocation(profile: Profile) -> Result<usize, String> {
    let scratch = Scratch::new("relocation")?;
    let (before, after) = (scratch.path().join("before"), scratch.path().join("moved here"));
    stage::install(profile, &before)?;
    std::fs::rename(&before, &after)
        .map_err(|e| format!("cannot move {}: {e}", before.display()))?;
    let work = scratch.path().join("work");
    std::fs::create_dir(&work).map_err(|e| format!("cannot create {}: {e}", work.display()))?;
    let source = root().join("examples/vector_add.cpp");
    let limit = Duration::from_secs(120);
    let bare = |program: &Path| {
        let mut command = Command::new(program);
        command.env_clear().env("PATH", "/usr/bin:/bin").current_dir(&work);
        command
    };
    let mut made = Vec::new();
    for _ in 0..2 {
        let mut compile = bare(&after.join("bin/scythe"));
        compile.args(["-fsycl", "-O2"]).arg(&source).args(["-o", "app"]);
        let outcome = capture(&mut compile, limit)?;
        if !outcome.success() {
            return Err(format!("the moved tree does not compile: {}", outcome.describe()));
        }
        made.push(
            std::fs::read(work.join("app")).map_err(|e| format!("cannot read the program: {e}"))?,
        );
    }
    if made[0] != made[1] {
        return Err("two compilations of the same source differ".to_owned());
    }
    let outcome = capture(&mut bare(&work.join("app")), limit)?;
    if !outcome.success() {
        return Err(format!("the program of the moved tree fails: {}", outcome.describe()));
    }
    let left = std::fs::read_dir(&work)
        .map_err(|e| format!("cannot read {}: {e}", work.display()))?
        .count();
    if left == 1 {
        Ok(3)
    } else {
        Err(format!("{left} files in the working folder, expected the program alone"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crates(list: &[(&str, &[&str])]) -> Dependencies {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        list.iter().map(|(name, needs)| ((*name).to_owned(), owned(needs))).collect()
    }

    #[test]
    fn code_generation_has_no_text_as_an_error() {
        assert_eq!(check_error_types(), Ok(WITH_ERROR_TYPES.len()));
    }

    #[test]
    fn text_as_an_error_is_found() {
        assert_eq!(text_as_error("fn f() -> Result<Vec<(u8, String)>, String> {"), Some(1));
        assert_eq!(
            text_as_error("fn f(\n) -> Result<\n    fn() -> u8,\n    String,\n> {"),
            Some(2)
        );
        let fine = "Result<(u8, String), Error> Result<String, Fault> Result<String> HashMap<u8, \
            String> Result<";
        assert_eq!(text_as_error(fine), None);
        assert_eq!(text_as_error("Result<BTreeMap<u8, String>, Vec<String>>"), None);
    }

    #[test]
    fn backends_that_need_each_other_or_a_toolkit_are_found() {
        let fine = [
            ("scythe-backend-a", &["scythe-hal"][..]),
            ("scythe-backend-b", &["libc"]),
            ("scythe-hal", &[]),
        ];
        assert_eq!(check_backends(&crates(&fine)), Ok(2));
        for wrong in ["scythe-backend-b", "scythe-cuda-toolkit", "scythe-jit-client"] {
            let direct = crates(&[("scythe-backend-a", &[wrong])]);
            assert!(check_backends(&direct).unwrap_err().contains(wrong));
            let through =
                crates(&[("scythe-backend-a", &["scythe-hal"]), ("scythe-hal", &[wrong])]);
            assert!(check_backends(&through).unwrap_err().contains("through scythe-hal"));
        }
        assert!(check_backends(&crates(&[])).is_err());
    }
}
