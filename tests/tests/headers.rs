//! Every header for users can be included alone, before anything else.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Headers below `folder`, without those that only others include.
fn headers(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the headers' folder can be read").flatten() {
        let path = entry.path();
        if path.is_dir() && path.file_name().is_some_and(|name| name != "detail") {
            headers(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "hpp") {
            found.push(path);
        }
    }
}

#[test]
fn each_header_stands_alone() {
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../include");
    let mut all = Vec::new();
    headers(&include.join("sycl"), &mut all);
    all.sort();
    assert!(all.len() > 40, "only {} headers were found", all.len());
    // One compiler for many headers starts once; two of them use both processors of a small machine.
    let failures: Vec<String> = std::thread::scope(|scope| {
        let halves: Vec<_> =
            all.chunks(all.len().div_ceil(2)).map(|half| scope.spawn(|| check(&include, half))).collect();
        halves.into_iter().filter_map(|half| half.join().expect("the thread does not panic")).collect()
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// What the compiler complains about, if it does.
fn check(include: &Path, headers: &[PathBuf]) -> Option<String> {
    let mut clang = Command::new("clang++-22");
    clang.args([
        "-std=c++17",
        "-fsyntax-only",
        "-Wall",
        "-Wextra",
        "-Wno-pragma-once-outside-header",
        "-x",
        "c++",
        "-I",
    ]);
    let output = clang.arg(include).args(headers).output().expect("clang++-22 starts");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    (!output.status.success() || !text.is_empty()).then_some(text)
}
