//! Translates IR for tests and checks the result with SPIR-V's own tools, from the package
//! `spirv-tools`.
#![allow(dead_code, reason = "each test uses its part")]

use scythe_codegen::spirv::{Options, translate};
use scythe_llvm::Context;
use std::io::Write;
use std::process::{Command, Stdio};

const EXTENSIONS: [&str; 2] =
    ["SPV_KHR_uniform_group_instructions", "SPV_EXT_shader_atomic_float_add"];

pub fn options() -> Options {
    let extensions = EXTENSIONS.iter().map(|&name| name.to_owned()).collect();
    Options { extensions, version: 0x0001_0400, ..Options::default() }
}

pub fn bitcode(body: &str) -> Vec<u8> {
    let text = format!("target triple = \"spirv64-unknown-unknown\"\n{body}");
    Context::new().parse_ir(text.as_bytes(), "test").expect("valid IR").to_bitcode()
}

/// Returns the translation as text, after `spirv-val` has accepted it.
pub fn translated(body: &str) -> String {
    let words = translate(&bitcode(body), &[], &options()).expect("the code can be translated");
    validate(&words).unwrap_or_else(|why| panic!("{why}"));
    run("spirv-dis", &["-"], &words).unwrap_or_else(|why| panic!("{why}"))
}

pub fn error(body: &str) -> String {
    translate(&bitcode(body), &[], &options())
        .expect_err("the code cannot be translated")
        .to_string()
}

/// Returns an error if `spirv-val` rejects the module.
pub fn validate(words: &[u8]) -> Result<(), String> {
    run("spirv-val", &["--target-env", "spv1.4", "-"], words).map(drop)
}

/// Returns the tool's output, or its error message.
fn run(name: &str, args: &[&str], input: &[u8]) -> Result<String, String> {
    let mut child = Command::new(name)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|e| panic!("cannot run {name} of the package spirv-tools: {e}"));
    // A tool that rejects its input early may not read all of it.
    let _ = child.stdin.take().expect("a pipe").write_all(input);
    let output = child.wait_with_output().expect("the tool ends");
    match output.status.success() {
        true => Ok(String::from_utf8(output.stdout).expect("UTF-8")),
        false => Err(format!("{name}: {}", String::from_utf8_lossy(&output.stderr))),
    }
}
