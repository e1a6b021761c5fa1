//! An installed tree with the real driver, in which the programs that it starts are shell scripts
//! of the test.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Returns a lock that serialises writing programs and starting processes. A process that is
/// started while another thread writes a program inherits the open file until it executes its own
/// program. During that time, the written program cannot be run.
fn one_at_a_time() -> MutexGuard<'static, ()> {
    static LOCK: Mutex<()> = Mutex::new(());
    LOCK.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a process.
pub fn start(command: &mut Command) -> Child {
    let _alone = one_at_a_time();
    command.spawn().expect("the program can be run")
}

/// A source that needs all passes.
pub const SYCL: &str = "#include <sycl/sycl.hpp>\n// It launches kernels.\n";

pub struct Tree {
    dir: tempfile::TempDir,
}

/// The exit status and the output of a command.
pub struct Outcome {
    pub status: Option<i32>,
    pub text: String,
}

impl Tree {
    pub fn new() -> Tree {
        let dir = tempfile::tempdir().expect("a temporary folder can be made");
        let tree = Tree { dir };
        for name in ["tmp", "cwd"] {
            std::fs::create_dir_all(tree.dir.path().join(name)).expect("folders can be made");
        }
        let _alone = one_at_a_time();
        crate::prefix::install(&tree.dir.path().join("prefix")).expect("the tree can be made");
        tree
    }

    pub fn prefix(&self) -> PathBuf {
        self.dir.path().canonicalize().expect("the folder exists").join("prefix")
    }

    pub fn tmp(&self) -> PathBuf {
        self.dir.path().canonicalize().expect("the folder exists").join("tmp")
    }

    /// The folder in which commands run.
    pub fn cwd(&self) -> PathBuf {
        self.dir.path().join("cwd")
    }

    /// Writes a file. A relative name that does not begin with `prefix/` is relative to
    /// [`Tree::cwd`].
    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let base =
            if name.starts_with("prefix/") { self.dir.path().to_owned() } else { self.cwd() };
        let path = base.join(name);
        std::fs::create_dir_all(path.parent().expect("the path has a parent"))
            .expect("folders can be made");
        std::fs::write(&path, text).expect("files can be written");
        path
    }

    /// Writes an executable shell script.
    pub fn script(&self, name: &str, body: &str) -> PathBuf {
        let _alone = one_at_a_time();
        let path = self.write(name, &format!("#!/bin/bash\n{body}\n"));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755))
            .expect("permissions can be set");
        path
    }

    /// Returns a command that runs the driver.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(self.prefix().join("bin/scythe"));
        command.args(args).current_dir(self.cwd()).env("TMPDIR", self.tmp());
        command
    }

    pub fn scythe(&self, args: &[&str]) -> Outcome {
        let mut command = self.command(args);
        let child =
            start(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()));
        let output = child.wait_with_output().expect("the driver's output can be read");
        let text = [output.stdout, output.stderr].concat();
        Outcome { status: output.status.code(), text: String::from_utf8_lossy(&text).into_owned() }
    }

    /// Returns the names in a folder, sorted.
    pub fn names(&self, folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).expect("the folder can be read");
        let mut names: Vec<String> = entries
            .map(|e| e.expect("entries can be read").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }
}
