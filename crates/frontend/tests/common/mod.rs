//! Runs the plug-in for tests: stock clang, the device pass and the real headers.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub const TU_ID: &str = "00000000000000ab";

/// Returns the plug-in that cargo built with this test.
pub fn plugin() -> PathBuf {
    let exe = std::env::current_exe().expect("a test knows its path");
    let plugin = exe.parent().expect("a test lies in a folder").join("libscythe_frontend.so");
    assert!(plugin.exists(), "{} is missing: cargo builds it with this test", plugin.display());
    plugin
}

/// Returns the path of a program of LLVM 22.
pub fn llvm_tool(name: &str) -> PathBuf {
    scythe_filetest::programs::llvm(name).unwrap_or_else(|missing| panic!("{missing}"))
}

/// Runs the device pass over a file, in `folder`.
pub fn device_pass(folder: &Path, source: &Path, args: &[&str]) -> Output {
    let plugin = plugin();
    Command::new(llvm_tool("clang++"))
        .current_dir(folder)
        .args([
            "-fsycl",
            "-fsycl-device-only",
            "-fno-color-diagnostics",
            "-fno-caret-diagnostics",
            "-ferror-limit=0",
        ])
        .arg(format!("-fplugin={}", plugin.display()))
        .arg(format!("-fpass-plugin={}", plugin.display()))
        .arg(format!("-fplugin-arg-scythe-tu-id={TU_ID}"))
        .arg("-I")
        .arg(scythe_filetest::repository().join("include"))
        .args(args)
        .arg(source)
        .output()
        .expect("clang++ of LLVM 22 starts")
}
