//! Compiles the C++ shim against the headers of the LLVM that `llvm-sys` links.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=shim");
    println!("cargo:rerun-if-env-changed=LLVM_SYS_221_PREFIX");
    if only_checks() {
        return;
    }
    let include = include_dir();
    let mut build = cc::Build::new();
    build.cpp(true).std("c++17").include(&include).files(shim_files());
    // Warnings in LLVM's headers are not defects of the shim.
    build.flag_if_supported("-Wno-unused-parameter").flag_if_supported("-Wno-dangling-reference");
    build.define("__STDC_CONSTANT_MACROS", None).define("__STDC_LIMIT_MACROS", None);
    build.compile("scythe_llvm_shim");
}

/// Returns whether clippy runs the build. Clippy checks Rust code and links nothing.
fn only_checks() -> bool {
    let wrapper = std::env::var_os("RUSTC_WORKSPACE_WRAPPER").unwrap_or_default();
    Path::new(&wrapper).file_stem().is_some_and(|name| name == "clippy-driver")
}

/// Returns every C++ file of the shim, in an order that does not depend on the file system.
fn shim_files() -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir("shim").expect("the crate has a folder 'shim'");
    let mut files: Vec<_> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "cpp"));
    files.sort();
    files
}

/// Returns LLVM's include folder from `llvm-config` of the prefix, or else from that of the system.
fn include_dir() -> String {
    let mut candidates = Vec::new();
    if let Ok(prefix) = std::env::var("LLVM_SYS_221_PREFIX") {
        candidates.push(Path::new(&prefix).join("bin/llvm-config").display().to_string());
    }
    candidates.push("llvm-config-22".into());
    for tool in &candidates {
        if let Ok(out) = Command::new(tool).arg("--includedir").output()
            && out.status.success()
        {
            return String::from_utf8_lossy(&out.stdout).trim().to_owned();
        }
    }
    panic!(
        "no llvm-config of LLVM 22 found; tried {}; set LLVM_SYS_221_PREFIX",
        candidates.join(", ")
    );
}
