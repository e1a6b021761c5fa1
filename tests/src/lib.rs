//! Scenarios: several files, several commands, and what must come of them. Each runs the staged
//! `scythe` as a user would.
//!
//! `cargo xtask test` stages the tree and names it in `SCYTHE_PREFIX`; by hand, stage it first with
//! `cargo xtask stage`.

pub mod captures;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The staged tree: `$SCYTHE_PREFIX`, or `target/scythe`.
pub fn prefix() -> PathBuf {
    let path = match std::env::var_os("SCYTHE_PREFIX") {
        Some(p) => PathBuf::from(p),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/scythe"),
    };
    assert!(
        path.join("bin/scythe").exists(),
        "no Scythe at {}: run `cargo xtask stage` first",
        path.display()
    );
    path.canonicalize().expect("the staged tree has a path")
}

/// A folder with sources, in which commands run. Removed at the end.
pub struct Project {
    dir: tempfile::TempDir,
    tmp: PathBuf,
}

/// What a command left behind.
pub struct Outcome {
    pub command: String,
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Default for Project {
    fn default() -> Self {
        Self::new()
    }
}

impl Project {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder can be made");
        let tmp = dir.path().join("tmp");
        std::fs::create_dir(&tmp).expect("a sub-folder can be made");
        Self { dir, tmp }
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Adds a file. Returns the project, so that calls chain.
    pub fn file(self, name: &str, text: &str) -> Self {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().expect("the name has a parent"))
            .expect("folders can be made");
        std::fs::write(path, text).expect("files can be written");
        self
    }

    /// Runs any program here, with a temporary folder of its own.
    pub fn run(&self, program: impl AsRef<Path>, args: &[&str]) -> Outcome {
        self.run_with(program, args, &[])
    }

    pub fn run_with(
        &self,
        program: impl AsRef<Path>,
        args: &[&str],
        env: &[(&str, &str)],
    ) -> Outcome {
        let program = program.as_ref();
        // A name with a slash is meant relative to the project's folder.
        let program =
            if program.starts_with(".") { self.path().join(program) } else { program.to_owned() };
        let out = Command::new("timeout")
            .arg("120")
            .arg(&program)
            .args(args)
            // Every SPIR-V module that anything makes of device code is judged.
            .env("SCYTHE_SPIRV_VALIDATOR", "spirv-val")
            .envs(env.iter().copied())
            .env("TMPDIR", &self.tmp)
            // Cargo points it at its own folders, where another build of the runtime may lie.
            .env_remove("LD_LIBRARY_PATH")
            .current_dir(self.path())
            .stdin(Stdio::null())
            .output()
            .expect("timeout(1) starts");
        Outcome {
            command: format!("{} {}", program.display(), args.join(" ")),
            status: out.status.code(),
            stdout: String::from_utf8_lossy(&out.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&out.stderr).into_owned(),
        }
    }

    /// Runs the staged `scythe` and checks that it leaves no temporary file.
    pub fn scythe(&self, args: &[&str]) -> Outcome {
        let out = self.run(prefix().join("bin/scythe"), args);
        let left: Vec<_> = std::fs::read_dir(&self.tmp).expect("the folder is there").collect();
        assert!(left.is_empty(), "temporary files remain after {}: {left:?}", out.command);
        out
    }

    /// Compiles `args` with `-fsycl -O1`, and runs the result.
    pub fn compile_and_run(&self, args: &[&str]) -> Outcome {
        let mut all = vec!["-fsycl", "-O1", "-o", "app"];
        all.extend(args);
        self.scythe(&all).ok();
        self.run("./app", &[])
    }

    pub fn exists(&self, name: &str) -> bool {
        self.path().join(name).exists()
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }
}

impl Outcome {
    fn describe(&self) -> String {
        let mut s = String::new();
        let _ = writeln!(s, "$ {}\nstatus {:?}", self.command, self.status);
        let _ = write!(s, "--- stdout\n{}--- stderr\n{}", self.stdout, self.stderr);
        s
    }

    /// The command succeeded.
    #[track_caller]
    pub fn ok(self) -> Self {
        assert_eq!(self.status, Some(0), "expected success:\n{}", self.describe());
        self
    }

    /// The command failed by itself: not by a signal, a time-out or a panic.
    #[track_caller]
    pub fn fails(self) -> Self {
        assert!(
            matches!(self.status, Some(n) if n != 0 && n < 124 && n != 101),
            "expected an orderly failure:\n{}",
            self.describe()
        );
        self
    }

    #[track_caller]
    pub fn stderr_has(self, text: &str) -> Self {
        assert!(self.stderr.contains(text), "no {text:?} in stderr:\n{}", self.describe());
        self
    }

    #[track_caller]
    pub fn stdout_has(self, text: &str) -> Self {
        assert!(self.stdout.contains(text), "no {text:?} in stdout:\n{}", self.describe());
        self
    }

    /// Exactly `n` lines of stderr hold `error:`.
    #[track_caller]
    pub fn errors(self, n: usize) -> Self {
        let seen = self.stderr.lines().filter(|l| l.contains("error:")).count();
        assert_eq!(seen, n, "expected {n} errors:\n{}", self.describe());
        self
    }
}
