//! Random kernels whose control flow is not structured: uniform counters, several exits of loops,
//! `goto` into and out of anything, `switch` with fall-through, early returns, and guarded
//! arithmetic whose guards lanes pass alone.
//!
//! Each work-item computes on its own, so unoptimised host code is the reference. The forms of the
//! CPU device must agree with it bit for bit: widened and scalar, for any work-group size and for
//! one, compiled at run time and ahead of time. A kernel that does not end on the host is skipped.

mod expression;
mod generate;
mod reduce;
mod render;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::batch::{Case, Plan, Run, Toolchain};

/// Where a jump leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Jump {
    Break,
    Continue,
    Goto(usize),
    /// Ends the work-item with this number in its result.
    Return(u32),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    Simple(String),
    /// The target of `goto`s.
    Label(usize),
    Jump {
        condition: Option<String>,
        jump: Jump,
    },
    If {
        condition: String,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
    },
    /// `open { body } close`
    Loop {
        open: String,
        body: Vec<Statement>,
        close: String,
    },
    /// Arms by value; the last is the default. An arm that does not `break` falls through.
    Switch {
        value: String,
        arms: Vec<Vec<Statement>>,
    },
}

impl Statement {
    /// The bodies inside of this statement.
    fn bodies(&self) -> Vec<&Vec<Statement>> {
        match self {
            Statement::If { then, otherwise, .. } => vec![then, otherwise],
            Statement::Loop { body, .. } => vec![body],
            Statement::Switch { arms, .. } => arms.iter().collect(),
            _ => Vec::new(),
        }
    }

    fn bodies_mut(&mut self) -> Vec<&mut Vec<Statement>> {
        match self {
            Statement::If { then, otherwise, .. } => vec![then, otherwise],
            Statement::Loop { body, .. } => vec![body],
            Statement::Switch { arms, .. } => arms.iter_mut().collect(),
            _ => Vec::new(),
        }
    }

    /// This statement and all below it.
    fn count(&self) -> usize {
        1 + self.bodies().into_iter().map(|b| count(b)).sum::<usize>()
    }
}

/// The number of statements in `all` and below.
fn count(all: &[Statement]) -> usize {
    all.iter().map(Statement::count).sum()
}

/// A kernel and its launches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    pub seed: u64,
    pub dimensions: usize,
    /// An nd_range instead of a range.
    pub nd: bool,
    pub declarations: Vec<String>,
    pub body: Vec<Statement>,
    /// The variables that make up the result.
    pub result: Vec<String>,
    pub arguments: [u32; 4],
    pub sub_group: Option<u32>,
    /// All launches have the local size that the kernel requires.
    pub required: bool,
    /// Local sizes, and numbers of work-groups.
    pub launches: Vec<([usize; 3], usize)>,
}

impl Case for Kernel {
    const NAME: &'static str = "control";
    const SILENCE: Duration = Duration::from_secs(30);

    fn generate(seed: u64) -> Self {
        generate::kernel(seed)
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn program(cases: &[Self]) -> String {
        render::program(cases)
    }

    fn level(seed: u64) -> &'static str {
        match seed % 10 {
            0 => "-O0",
            1 => "-O1",
            2 => "-O3",
            _ => "-O2",
        }
    }

    fn plan(tools: &Toolchain, folder: &Path) -> Plan {
        let object = folder.join("kernels.o");
        let [generic, ahead, scalar] = ["generic", "ahead", "scalar"].map(|name| folder.join(name));
        let scythe = || {
            let mut command = Command::new(tools.prefix.join("bin/scythe"));
            command.arg("-fsycl");
            command
        };
        let mut compile = scythe();
        compile
            .args([
                "-fsycl-targets=spir64,spir64_x86_64",
                &tools.level,
                "-std=c++17",
                "-ffp-contract=off",
                "-w",
                "-c",
            ])
            .arg(folder.join("kernels.cpp"))
            .arg("-o")
            .arg(&object);
        let link = |target: &str, program: &Path| {
            let mut command = scythe();
            // An image for each kernel: one that cannot be built leaves the others alone.
            command
                .args(["-fsycl-device-code-split=per_kernel", &tools.level])
                .arg(format!("-fsycl-targets={target}"));
            command.arg(&object).arg("-o").arg(program);
            command
        };
        let mut one_at_a_time = link("spir64_x86_64", &scalar);
        one_at_a_time.args(["-Xsycl-target-backend=spir64_x86_64", "-mscalar -march=x86-64"]);
        let run = |name,
                   program: &Path,
                   argument: &str,
                   environment: &[(&'static str, &'static str)]| Run {
            name,
            program: program.to_owned(),
            arguments: vec![argument.to_owned()],
            environment: environment.to_vec(),
        };
        Plan {
            chains: vec![vec![
                compile,
                link("spir64", &generic),
                link("spir64_x86_64", &ahead),
                one_at_a_time,
            ]],
            runs: vec![
                run("host", &generic, "host", &[]),
                run("scalar", &generic, "device", &[("SCYTHE_CPU_FORM", "scalar")]),
                run("widened", &generic, "device", &[("SCYTHE_CPU_VARIANTS", "never")]),
                run(
                    "widened for one size",
                    &generic,
                    "device",
                    &[("SCYTHE_CPU_VARIANTS", "always")],
                ),
                run("scalar, ahead of time", &scalar, "device", &[]),
                run("ahead of time", &ahead, "device", &[]),
                run("ahead of time, AVX2", &ahead, "device", &[("SCYTHE_CPU_LEVEL", "avx2")]),
                run("ahead of time, SSE2", &ahead, "device", &[("SCYTHE_CPU_LEVEL", "sse2")]),
            ],
        }
    }

    fn reduce(&self, attempts: usize, fails: &mut dyn FnMut(&Self) -> bool) -> Self {
        reduce::reduce(self, attempts, fails)
    }
}
