//! A kernel as a tree of statements. Expressions are C++ text: the reducer drops statements, never
//! parts of them.
//!
//! *Uniform* is what all work-items of a work-group agree on: values, and by them control flow.
//! Barriers and group algorithms stand in uniform control flow only.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::batch::{Plan, Run, Toolchain};
use crate::kernel::{self, Kind};
use crate::reduce::Nested;
use crate::{barriers, generate, render};

/// Which memories a statement uses in a way that other work-items can see; one bit for each memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Touch {
    /// Reads slots of other work-items.
    pub reads: u8,
    /// Writes its own slot, or adds atomically to any.
    pub writes: u8,
}

impl Touch {
    pub fn with(self, other: Touch) -> Touch {
        Touch { reads: self.reads | other.reads, writes: self.writes | other.writes }
    }

    /// Whether a barrier must stand between accesses `self` and accesses `later`.
    pub fn races_with(self, later: Touch) -> bool {
        self.reads & later.writes != 0 || self.writes & later.reads != 0
    }
}

/// Where a jump leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jump {
    Break,
    Continue,
    Return,
}

/// What a compound statement does with its arms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One of the arms runs, or none.
    Branch,
    /// The only arm runs any number of times; at least once when `once`.
    Loop { once: bool },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// No barrier inside, no control flow.
    Simple { text: String, touch: Touch },
    /// A barrier, by one of its names.
    Barrier(String),
    /// A call that writes memory `memory`, waits, reads it, and waits again.
    Exchange { text: String, memory: u8 },
    /// `if (condition) jump;`
    Jump { text: String, jump: Jump },
    /// `head { arms } foot`, where the text of an arm opens and closes it.
    Compound { head: String, arms: Vec<Arm>, foot: String, shape: Shape, uniform: bool },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arm {
    pub open: String,
    pub body: Vec<Statement>,
    pub close: String,
}

/// A kernel with barriers.
pub type Kernel = kernel::Kernel<Code>;

/// The code of a kernel with barriers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// Declarations that the statements rely on.
    pub head: Vec<String>,
    /// In uniform control flow.
    pub body: Vec<Statement>,
    /// After the last barrier, where work-items may return on their own.
    pub tail: Vec<Statement>,
    /// The result of a work-item.
    pub result: String,
}

impl Statement {
    /// All that a statement inside of divergent control flow touches, in any order.
    pub fn touch(&self) -> Touch {
        match self {
            Statement::Simple { touch, .. } => *touch,
            Statement::Exchange { memory, .. } => Touch { reads: 1 << memory, writes: 1 << memory },
            Statement::Barrier(_) | Statement::Jump { .. } => Touch::default(),
            Statement::Compound { arms, .. } => arms
                .iter()
                .flat_map(|a| &a.body)
                .fold(Touch::default(), |all, s| all.with(s.touch())),
        }
    }
}

impl Nested for Statement {
    fn bodies(&self) -> Vec<&Vec<Statement>> {
        match self {
            Statement::Compound { arms, .. } => arms.iter().map(|a| &a.body).collect(),
            _ => Vec::new(),
        }
    }

    fn bodies_mut(&mut self) -> Vec<&mut Vec<Statement>> {
        match self {
            Statement::Compound { arms, .. } => arms.iter_mut().map(|a| &mut a.body).collect(),
            _ => Vec::new(),
        }
    }
}

impl Kind for Code {
    const NAME: &'static str = "barriers";
    const SILENCE: Duration = Duration::from_secs(120);
    const LEVELS: &'static [&'static str] = &["-O0"];
    const PRELUDE: &'static str = include_str!("prelude.hpp");
    const MACHINE: &'static str = "machine m;";

    fn generate(seed: u64) -> Kernel {
        generate::kernel(seed)
    }

    fn render(kernel: &Kernel, text: &mut String) {
        render::kernel(kernel, text);
    }

    fn plan(tools: &Toolchain, folder: &Path) -> Plan {
        let (device, host) = (folder.join("device"), folder.join("host"));
        let lib = tools.prefix.join("lib");
        let mut on_device = Command::new(tools.prefix.join("bin/scythe"));
        // An image for each kernel: one that cannot be built does not take others with it, and the
        // first prints early.
        on_device.args(["-fsycl", &tools.level, "-fsycl-device-code-split=per_kernel"]);
        let mut on_host = Command::new("clang++-22");
        // Unoptimised: compiled in a third of the time, and the plainest reference.
        on_host.args(["-O0", "-I"]).arg(tools.prefix.join("include"));
        on_host.arg("-L").arg(&lib).arg("-lscythe").arg(format!("-Wl,-rpath,{}", lib.display()));
        for (command, program) in [(&mut on_device, &device), (&mut on_host, &host)] {
            command.args(["-std=c++17", "-ffp-contract=off", "-w"]).arg(folder.join("kernels.cpp"));
            command.arg("-o").arg(program);
        }
        let run =
            |name, program| Run { name, program, arguments: Vec::new(), environment: Vec::new() };
        Plan {
            chains: vec![vec![on_device], vec![on_host]],
            runs: vec![run("host", host), run("device", device)],
        }
    }

    type Statement = Statement;

    fn bodies(&self) -> Vec<&Vec<Statement>> {
        vec![&self.body, &self.tail]
    }

    fn bodies_mut(&mut self) -> Vec<&mut Vec<Statement>> {
        vec![&mut self.body, &mut self.tail]
    }

    /// Adds the barriers that a change made necessary.
    fn repair(&mut self) {
        barriers::complete(&mut self.body);
    }
}
