//! Compiles the C++ shim against the headers of the LLVM that `llvm-sys` links.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=shim");
    println!("cargo:rerun-if-env-changed=LLVM_SYS_221_PREFIX");
    let include = include_dir();
    let mut build = cc::Build::new();
    build.cpp(true).std("c++17").include(&include).files(["shim/shim.cpp", "shim/lanes.cpp"]);
    // LLVM's headers are not ours to clean.
    build.flag_if_supported("-Wno-unused-parameter").flag_if_supported("-Wno-dangling-reference");
    build.define("__STDC_CONSTANT_MACROS", None).define("__STDC_LIMIT_MACROS", None);
    build.compile("scythe_llvm_shim");
}

/// LLVM's include folder: what `llvm-config` of the prefix says, else of the system.
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
    panic!("no llvm-config of LLVM 22 found; tried {}; set LLVM_SYS_221_PREFIX", candidates.join(", "));
}
