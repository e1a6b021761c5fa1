//! Compiles the C++ shim with clang's headers, and links the plug-in to the libraries of clang.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=shim");
    println!("cargo:rerun-if-env-changed=LLVM_SYS_221_PREFIX");
    if only_checks() {
        return;
    }
    let llvm = Llvm::find();
    let mut build = cc::Build::new();
    build.cpp(true).std("c++17").include(&llvm.include).opt_level(1).debug(false);
    for file in [
        "plugin",
        "walk",
        "describe",
        "layout",
        "functor",
        "captures",
        "name",
        "device_global",
        "tokens",
        "attribute",
        "free_function",
    ] {
        build.file(format!("shim/{file}.cpp"));
    }
    // The options with which clang is built. Warnings are off because the headers of clang and LLVM
    // cause many.
    build.flag("-fno-rtti").flag("-fno-exceptions").warnings(false);
    build.define("__STDC_CONSTANT_MACROS", None).define("__STDC_LIMIT_MACROS", None);
    build.compile("scythe_frontend_shim");
    // Debian installs no development link for this library, so the option names the file.
    println!("cargo:rustc-link-search=native={}", llvm.lib);
    println!("cargo:rustc-link-arg=-l:libclang-cpp.so.22.1");
    println!("cargo:rustc-link-arg=-Wl,-z,defs");
}

/// Returns whether clippy runs the build. Clippy checks Rust code and links nothing.
fn only_checks() -> bool {
    let wrapper = std::env::var_os("RUSTC_WORKSPACE_WRAPPER").unwrap_or_default();
    Path::new(&wrapper).file_stem().is_some_and(|name| name == "clippy-driver")
}

struct Llvm {
    include: String,
    lib: String,
}

impl Llvm {
    /// Asks `llvm-config` of the prefix, or of the system if there is no prefix.
    fn find() -> Self {
        let mut candidates = Vec::new();
        if let Ok(prefix) = std::env::var("LLVM_SYS_221_PREFIX") {
            candidates.push(Path::new(&prefix).join("bin/llvm-config").display().to_string());
        }
        candidates.push("llvm-config-22".into());
        for tool in &candidates {
            if let (Some(include), Some(lib)) = (ask(tool, "--includedir"), ask(tool, "--libdir")) {
                return Self { include, lib };
            }
        }
        panic!(
            "no llvm-config of LLVM 22 found; tried {}; set LLVM_SYS_221_PREFIX",
            candidates.join(", ")
        );
    }
}

fn ask(tool: &str, question: &str) -> Option<String> {
    let out = Command::new(tool).arg(question).output().ok()?;
    out.status.success().then(|| String::from_utf8_lossy(&out.stdout).trim().to_owned())
}
