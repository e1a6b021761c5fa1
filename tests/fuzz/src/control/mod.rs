//! Random kernels whose control flow is not structured: uniform counters, several exits of loops,
//! `goto` into and out of anything, `switch` with fall-through, early returns, and guarded
//! arithmetic whose guards lanes pass alone.
//!
//! Each work-item computes on its own, so unoptimised host code is the reference. The forms of the
//! CPU device must agree with it bit for bit: widened and scalar, for any work-group size and for
//! one, compiled at run time and ahead of time. A kernel that does not end on the host is skipped.

mod expression;
mod generate;
mod render;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::batch::{Plan, Run, Toolchain};
use crate::kernel::{self, Kind};
use crate::reduce::Nested;

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

impl Nested for Statement {
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
}

/// A kernel with control flow of all forms.
pub type Kernel = kernel::Kernel<Code>;

/// The code of a kernel with control flow of all forms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// An nd_range instead of a range.
    pub nd: bool,
    pub declarations: Vec<String>,
    pub body: Vec<Statement>,
    /// The variables that make up the result.
    pub result: Vec<String>,
}

impl Kind for Code {
    const NAME: &'static str = "control";
    const SILENCE: Duration = Duration::from_secs(30);
    const LEVELS: &'static [&'static str] = &["-O0", "-O1", "-O3"];
    const PRELUDE: &'static str = include_str!("prelude.hpp");
    const MACHINE: &'static str = "machine m(argc > 2 && std::strcmp(argv[2], \"host\") == 0);";

    fn generate(seed: u64) -> Kernel {
        generate::kernel(seed)
    }

    fn render(kernel: &Kernel, text: &mut String) {
        render::kernel(kernel, text);
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
            environment: environment.iter().map(|(k, v)| (*k, (*v).to_owned())).collect(),
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

    type Statement = Statement;

    fn bodies(&self) -> Vec<&Vec<Statement>> {
        vec![&self.body]
    }

    fn bodies_mut(&mut self) -> Vec<&mut Vec<Statement>> {
        vec![&mut self.body]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::{reduce, size};

    fn holds_goto(all: &[Statement]) -> bool {
        all.iter().any(|s| {
            matches!(s, Statement::Jump { jump: Jump::Goto(_), .. })
                || s.bodies().into_iter().any(|b| holds_goto(b))
        })
    }

    #[test]
    fn a_kernel_that_fails_by_a_goto_is_reduced_to_it() {
        let fails = |k: &Kernel| holds_goto(&k.code.body);
        let kernel = (0..).map(Code::generate).find(|k| fails(k) && size(k) > 10).unwrap();
        let reduced = reduce(&kernel, 10_000, &mut { fails });
        let left = &reduced.code.body;
        assert_eq!((size(&reduced), reduced.launches.len()), (1, 1), "{left:?}");
    }
}
