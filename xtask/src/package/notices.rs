//! The licences of the Rust libraries that the programs contain.

use std::collections::BTreeMap;
use std::path::Path;

use crate::process;
use crate::stage;
use crate::workspace::cargo;

/// Libraries for other platforms are no part of the programs.
const PLATFORM: &str = "x86_64-unknown-linux-gnu";

/// Writes the names, versions and licences of all libraries, and each licence's text once.
pub fn write(to: &Path) -> Result<(), String> {
    let words = [
        "tree",
        "--workspace",
        "--exclude",
        "xtask",
        "--exclude",
        "scythe-tests",
        "--exclude",
        "scythe-fuzz",
        "--exclude",
        "scythe-filetest",
        "-e",
        "normal",
        "--prefix",
        "none",
        "-f",
        "{p}|{l}",
        "--locked",
    ];
    let tree = process::output(cargo().args(words))?;
    let metadata = process::output(cargo().args([
        "metadata",
        "--format-version",
        "1",
        "--locked",
        "--filter-platform",
        PLATFORM,
    ]))?;
    let metadata: serde_json::Value =
        serde_json::from_str(&metadata).map_err(|e| format!("cargo metadata is not JSON: {e}"))?;
    let mut out = "Scythe contains these Rust libraries of other authors.\n\n".to_owned();
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let field = |name: &str| package[name].as_str().unwrap_or_default().to_owned();
        let (name, version, manifest) = (field("name"), field("version"), field("manifest_path"));
        let start = format!("{name} v{version}");
        let linked = |l: &str| l.split(['|', ' ']).take(2).collect::<Vec<_>>().join(" ") == start;
        if package["source"].is_null() || !tree.lines().any(linked) {
            continue;
        }
        out += &format!("{name} {version}: {}\n", field("license"));
        let folder = Path::new(&manifest).parent().unwrap_or(Path::new("."));
        for text in licences(folder)? {
            texts.entry(text).or_default().push(format!("{name} {version}"));
        }
    }
    for (text, names) in texts {
        out += &format!("\n{}\n{}\n\n{}\n", "-".repeat(80), names.join(", "), text.trim_end());
    }
    stage::write(to, out.as_bytes())
}

/// Returns the texts of a library's licences, in the order of the files' names.
fn licences(folder: &Path) -> Result<Vec<String>, String> {
    let fail = |e: std::io::Error| format!("cannot read {}: {e}", folder.display());
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        let is_licence = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE"]
            .iter()
            .any(|start| name.starts_with(start));
        if is_licence && path.is_file() {
            found.insert(name, std::fs::read_to_string(&path).map_err(fail)?);
        }
    }
    Ok(found.into_values().collect())
}
