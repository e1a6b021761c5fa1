//! `cargo xtask package --check`: installs the Debian package on a bare Debian 12, which has no
//! Rust, compiles and runs an example there, and removes the package again.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::{self, Scratch, progress};
use crate::workspace::root;

/// The commands in the bare system. Each script must succeed.
const STEPS: [(&str, &str); 6] = [
    ("the system has no Rust", "if command -v rustc || command -v cargo; then exit 1; fi"),
    (
        "the package installs with its dependencies",
        r#"
apt-get update -qq
apt-get install -y -qq --no-install-recommends /tmp/scythe.deb >/tmp/log 2>&1 ||
  { cat /tmp/log; exit 1; }
dpkg -L scythe >/tmp/files
"#,
    ),
    (
        "the driver prints its version and clang's",
        r#"
scythe --version | grep -x 'scythe version .*'
scythe --version | grep 'clang version 22'
"#,
    ),
    (
        "a user compiles and runs the example",
        r#"
useradd -m user
cd /home/user
su user -c 'scythe -fsycl -O2 /tmp/vector_add.cpp -o app && ./app'
readelf -d app | grep -F /usr/lib/scythe/lib
"#,
    ),
    (
        "documents and completions have their places",
        r#"
cd /usr/share
ls man/man1/scythe.1.gz bash-completion/completions/scythe zsh/vendor-completions/_scythe \
  fish/vendor_completions.d/scythe.fish doc/scythe/copyright doc/scythe/changelog.gz
"#,
    ),
    (
        "removal leaves only caches",
        r#"
apt-get purge -y -qq scythe >/tmp/log 2>&1 || { cat /tmp/log; exit 1; }
while read -r file; do
  if [ -h "$file" ] || [ -f "$file" ]; then echo "left: $file"; exit 1; fi
done </tmp/files
left=$(find / -xdev -iname '*scythe*' -not -path '*/.cache/*' -not -path '/tmp/*')
if [ -n "$left" ]; then echo "left: $left"; exit 1; fi
"#,
    ),
];

pub fn run(package: &Path) -> Result<(), String> {
    if !Path::new("/usr/bin/mmdebstrap").exists() {
        return Err("'package --check' needs mmdebstrap: apt-get install mmdebstrap".to_owned());
    }
    if process::output(Command::new("id").arg("-u"))?.trim() != "0" {
        return Err("'package --check' needs root, because it runs chroot".to_owned());
    }
    let scratch = Scratch::new("bookworm")?;
    let system = scratch.path().join("system");
    progress("making a bare Debian 12");
    let mut make = Command::new("mmdebstrap");
    make.args(["--quiet", "--variant=apt", "--mode=root", "bookworm"]).arg(&system);
    process::run(make.args(sources()?))?;
    for (from, to) in [
        (package.to_owned(), "scythe.deb"),
        (root().join("examples/vector_add.cpp"), "vector_add.cpp"),
    ] {
        let to = system.join("tmp").join(to);
        std::fs::copy(&from, &to)
            .map_err(|e| format!("cannot copy {} to {}: {e}", from.display(), to.display()))?;
    }
    let _mounted = Mounted::new(&system)?;
    for (what, script) in STEPS {
        let mut step = Command::new("chroot");
        step.arg(&system).args(["/bin/sh", "-ec", script]);
        step.env_clear()
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
            .env("HOME", "/root")
            .env("DEBIAN_FRONTEND", "noninteractive");
        process::run(&mut step).map_err(|e| format!("{what}: {e}"))?;
        progress(&format!("right: {what}"));
    }
    Ok(())
}

/// Returns the files that list the package sources of this machine, which must be a Debian 12. The
/// bare system uses the same sources.
fn sources() -> Result<Vec<PathBuf>, String> {
    let apt = Path::new("/etc/apt");
    let folder = apt.join("sources.list.d");
    let entries = std::fs::read_dir(&folder)
        .map_err(|e| format!("cannot read {}: {e}", folder.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()));
    let is_list =
        |path: &PathBuf| path.extension().is_some_and(|end| end == "list" || end == "sources");
    let mut files: Vec<PathBuf> = entries.filter(is_list).collect();
    files.sort();
    files.extend(Some(apt.join("sources.list")).filter(|path| path.is_file()));
    if files.is_empty() {
        return Err(format!("found no package sources in {}", apt.display()));
    }
    Ok(files)
}

/// `/proc` in the system, which programs need. Removed on drop, before the system's files.
struct Mounted(PathBuf);

impl Mounted {
    fn new(system: &Path) -> Result<Mounted, String> {
        let proc = system.join("proc");
        process::run(Command::new("mount").args(["-t", "proc", "proc"]).arg(&proc))?;
        Ok(Mounted(proc))
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = process::run(Command::new("umount").arg(&self.0));
    }
}
