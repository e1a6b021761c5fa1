//! Invariants of ARCHITECTURE.md that a machine can check.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::process::{self, Scratch, capture};
use crate::stage::{self, Profile};
use crate::workspace::{cargo, root};

/// Crates that must not depend on LLVM. The driver is one of them because its start would pay for it.
const WITHOUT_LLVM: [&str; 10] = [
    "scythe-abi",
    "scythe-device-config",
    "scythe-image",
    "scythe-hal",
    "scythe-wrap",
    "scythe-backend-cpu",
    "scythe-backend-opencl",
    "scythe-backend-cuda",
    "scythe-runtime",
    "scythe-driver",
];

/// Checks dependencies and libraries of the tree under `prefix`.
pub fn check(prefix: &Path) -> Result<usize, String> {
    for name in WITHOUT_LLVM {
        let tree = process::output(cargo().args(["tree", "--prefix", "none", "-e", "normal,build", "-p", name]))?;
        if let Some(line) = tree.lines().find(|l| l.starts_with("llvm-sys") || l.starts_with("scythe-llvm")) {
            return Err(format!("{name} depends on '{line}', but must not depend on LLVM"));
        }
    }
    let library = prefix.join("lib/libscythe.so");
    let needed = process::output(Command::new("ldd").arg(&library))?;
    if let Some(line) =
        needed.lines().find(|l| ["libLLVM", "libclang", "libOpenCL"].iter().any(|name| l.contains(name)))
    {
        return Err(format!("{} needs '{}'", library.display(), line.trim()));
    }
    Ok(WITHOUT_LLVM.len() + 1)
}

/// The installed tree works after it was moved, from any folder, with an empty environment, and says the same thing
/// twice: two compilations give the same bytes.
pub fn relocation(profile: Profile) -> Result<usize, String> {
    let scratch = Scratch::new("relocation")?;
    let (before, after) = (scratch.path().join("before"), scratch.path().join("moved here"));
    stage::install(profile, &before)?;
    std::fs::rename(&before, &after).map_err(|e| format!("cannot move {}: {e}", before.display()))?;
    let work = scratch.path().join("work");
    std::fs::create_dir(&work).map_err(|e| format!("cannot make {}: {e}", work.display()))?;
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
        made.push(std::fs::read(work.join("app")).map_err(|e| format!("cannot read the program: {e}"))?);
    }
    if made[0] != made[1] {
        return Err("two compilations of the same source differ".to_owned());
    }
    let outcome = capture(&mut bare(&work.join("app")), limit)?;
    if !outcome.success() {
        return Err(format!("the program of the moved tree fails: {}", outcome.describe()));
    }
    let left = std::fs::read_dir(&work).map_err(|e| format!("cannot read {}: {e}", work.display()))?.count();
    if left == 1 { Ok(3) } else { Err(format!("{left} files in the working folder, expected the program alone")) }
}
