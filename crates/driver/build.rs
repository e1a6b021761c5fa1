//! Tells the driver the commit that it is built from, for `--version`. The commit is the variable
//! `SCYTHE_COMMIT` if it is set, otherwise the checked-out commit. A source tree without either has
//! no commit.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=SCYTHE_COMMIT");
    let commit = std::env::var("SCYTHE_COMMIT").ok().filter(|c| !c.is_empty()).or_else(checked_out);
    let version = std::env::var("CARGO_PKG_VERSION").expect("cargo sets the version");
    let commit = commit.map_or(String::new(), |commit| format!(" (commit {commit})"));
    println!("cargo:rustc-env=SCYTHE_VERSION={version}{commit}");
}

/// Returns the commit of the checkout that contains this crate.
fn checked_out() -> Option<String> {
    // Another repository around an unpacked source tree does not count.
    if !std::path::Path::new("../../.git").exists() {
        return None;
    }
    // Every commit and checkout writes to this file.
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo:rerun-if-changed={log}");
    }
    git(&["rev-parse", "--short=12", "HEAD"])
}

fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok().filter(|o| o.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
