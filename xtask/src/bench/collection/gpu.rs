//! `bench collection --package DIR`: bundles the SYCL versions, compiled ahead of time for a GPU,
//! and the sources of the CUDA versions.
//!
//! `DIR/run.sh` compiles the CUDA versions and runs both versions of each program in turn, with the
//! arguments of the CUDA version's Makefile and in its folder.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::sources::closure;
use super::suite::{self, Pair};
use crate::compat::build::Tree;
use crate::cuda::{self, Bundle};
use crate::process::{self, progress};

/// Fills a bundle with the pairs that have been built. Returns the number of pairs, and the reasons
/// for those that are left out.
pub fn fill(
    suite: &Path,
    prefix: &Path,
    tree: &Tree,
    pairs: &[Pair],
    folder: &Path,
) -> Result<(usize, Vec<String>), String> {
    let bundle = Bundle::without_compiler(prefix, folder)?;
    let (source, sources) = (suite.join("src"), folder.join("src"));
    if sources.exists() {
        std::fs::remove_dir_all(&sources)
            .map_err(|e| format!("cannot empty {}: {e}", sources.display()))?;
    }
    progress(&format!("packaging {} programs", pairs.len()));
    let (mut names, mut left_out) = (Vec::new(), Vec::new());
    let mut files = BTreeSet::new();
    for pair in pairs {
        match add(&source, tree, pair, &bundle, folder) {
            Ok(needed) => {
                files.extend(needed);
                names.push(pair.name.clone());
            }
            Err(why) => left_out.push(format!("{}: {why}", pair.name)),
        }
    }
    copy_all(&source, &files, &sources)?;
    bundle.write("list", &(names.join("\n") + "\n"), false)?;
    let version = process::output(Command::new(prefix.join("bin/scythe")).arg("--version"))?;
    let version = version.lines().next().unwrap_or_default().to_owned();
    bundle.write("version", &(version + "\n"), false)?;
    bundle.write("run.sh", include_str!("run.sh"), true)?;
    Ok((names.len(), left_out))
}

/// Adds the binary and the commands of a pair. Returns the files that the CUDA version needs.
fn add(
    source: &Path,
    tree: &Tree,
    pair: &Pair,
    bundle: &Bundle,
    folder: &Path,
) -> Result<BTreeSet<PathBuf>, String> {
    let name = &pair.name;
    let ours = suite::commands(&mut tree.make(name, None), pair)?;
    let program = tree.folder(name).join(&ours.program);
    if !program.is_file() {
        return Err("its SYCL version is not built".to_owned());
    }
    let other = format!("{name}-cuda");
    let variables = [format!("ARCH={}", cuda::ARCHITECTURE)];
    let variables: Vec<&str> = variables.iter().map(String::as_str).collect();
    let commands = suite::commands(&mut suite::make(&source.join(&other), &variables), pair)?;
    let text = commands.lines.join("\n") + "\n";
    let files = closure(source, &other, &text)?;
    cuda::strip(&program, &folder.join("bin").join(name))?;
    bundle.write(&format!("cases/{name}"), &text, false)?;
    bundle.write(&format!("cases/{name}.program"), &(commands.program + "\n"), false)?;
    Ok(files)
}

fn copy_all(source: &Path, files: &BTreeSet<PathBuf>, to: &Path) -> Result<(), String> {
    for file in files {
        let target = to.join(file);
        let parent = target.parent().unwrap_or(to);
        std::fs::create_dir_all(parent)
            .map_err(|e| format!("cannot create {}: {e}", parent.display()))?;
        cuda::copy(&source.join(file), &target)?;
    }
    Ok(())
}
