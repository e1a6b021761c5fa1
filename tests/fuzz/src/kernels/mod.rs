//! Random kernels that use many parts of the language: integers of all widths, `float` and
//! `double`, vectors with swizzles, `marray`, structures by value, arrays, templates, `switch`,
//! loops with two entries, local memory, group algorithms, sub-groups, atomics, reductions and
//! specialization constants.
//!
//! Host mode, unoptimised, is the reference. The CPU device must agree with it bit for bit:
//! compiled at run time and ahead of time, for several levels of the instruction set. So must
//! Intel's OpenCL runtime and the machine's NVIDIA GPU, if the command line names them.

mod expression;
mod generate;
mod render;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::batch::{Devices, Plan, Run, Toolchain};
use crate::kernel::{self, Kind};
use crate::reduce::Nested;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    Simple(String),
    /// `head { arms } foot`, where the text of an arm opens and closes it.
    Compound {
        head: String,
        arms: Vec<Arm>,
        foot: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arm {
    pub open: String,
    pub body: Vec<Statement>,
    pub close: String,
}

impl Nested for Statement {
    fn bodies(&self) -> Vec<&Vec<Statement>> {
        match self {
            Statement::Compound { arms, .. } => arms.iter().map(|arm| &arm.body).collect(),
            Statement::Simple(_) => Vec::new(),
        }
    }

    fn bodies_mut(&mut self) -> Vec<&mut Vec<Statement>> {
        match self {
            Statement::Compound { arms, .. } => arms.iter_mut().map(|arm| &mut arm.body).collect(),
            Statement::Simple(_) => Vec::new(),
        }
    }
}

/// A kernel that uses many parts of the language.
pub type Kernel = kernel::Kernel<Code>;

/// The code of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// An nd_range instead of a range.
    pub nd: bool,
    /// The kernel reads specialization constants.
    pub specialized: bool,
    /// The kernel has two reductions.
    pub reduces: bool,
    pub declarations: Vec<String>,
    /// In control flow that all work-items of a group agree on.
    pub body: Vec<Statement>,
    /// After the last group function, where work-items may return on their own.
    pub tail: Vec<Statement>,
    /// The variables that make up the result.
    pub result: Vec<String>,
}

impl Kind for Code {
    const NAME: &'static str = "kernels";
    const SILENCE: Duration = Duration::from_secs(120);
    const LEVELS: &'static [&'static str] = &["-O0", "-O1", "-O3"];
    const PRELUDE: &'static str = include_str!("prelude.hpp");
    const MACHINE: &'static str = "machine m;";

    fn generate(seed: u64) -> Kernel {
        generate::kernel(seed)
    }

    fn render(kernel: &Kernel, text: &mut String) {
        render::kernel(kernel, text);
    }

    fn plan(tools: &Toolchain, folder: &Path) -> Plan {
        let object = folder.join("kernels.o");
        let [host, generic, ahead, gpu] =
            ["host", "generic", "ahead", "gpu"].map(|name| folder.join(name));
        let lib = tools.prefix.join("lib");
        const COMMON: [&str; 3] = ["-std=c++17", "-ffp-contract=off", "-w"];
        let mut on_host = Command::new("clang++-22");
        on_host.args(COMMON).args(["-O0", "-I"]).arg(tools.prefix.join("include"));
        on_host.arg(folder.join("kernels.cpp")).arg("-o").arg(&host);
        on_host.arg("-L").arg(&lib).arg("-lscythe").arg(format!("-Wl,-rpath,{}", lib.display()));
        let scythe = || {
            let mut command = Command::new(tools.prefix.join("bin/scythe"));
            command.arg("-fsycl");
            command
        };
        let Devices { cpu, opencl, cuda } = &tools.devices;
        let gpu_target = cuda.as_ref().map(|architecture| format!("nvidia_gpu_{architecture}"));
        let mut targets = Vec::new();
        targets.extend((*cpu || opencl.is_some()).then_some("spir64"));
        targets.extend(cpu.then_some("spir64_x86_64"));
        targets.extend(gpu_target.as_deref());
        let mut compile = scythe();
        compile.arg(format!("-fsycl-targets={}", targets.join(",")));
        compile.args(COMMON).args([&tools.level, "-c"]);
        compile.arg(folder.join("kernels.cpp")).arg("-o").arg(&object);
        let link = |target: &str, program: &Path| {
            let mut command = scythe();
            // An image for each kernel: one that cannot be built leaves the others alone.
            command.args(["-fsycl-device-code-split=per_kernel", &tools.level]);
            command.arg(format!("-fsycl-targets={target}"));
            command.arg(&object).arg("-o").arg(program);
            command
        };
        let run = |name, program: &Path, environment: &[(&'static str, &str)]| Run {
            name,
            program: program.to_owned(),
            arguments: Vec::new(),
            environment: environment.iter().map(|(key, value)| (*key, value.to_string())).collect(),
        };
        let mut runs = vec![run("host", &host, &[])];
        let on_cpu = [
            run("widened", &generic, &[("SCYTHE_CPU_VARIANTS", "never")]),
            run("widened for one size", &generic, &[("SCYTHE_CPU_VARIANTS", "always")]),
            run("scalar", &generic, &[("SCYTHE_CPU_FORM", "scalar")]),
            run("ahead of time", &ahead, &[]),
            run("ahead of time, AVX2", &ahead, &[("SCYTHE_CPU_LEVEL", "avx2")]),
            run("ahead of time, SSE2", &ahead, &[("SCYTHE_CPU_LEVEL", "sse2")]),
        ];
        runs.extend(on_cpu.into_iter().filter(|_| *cpu));
        if let Some(folder) = opencl {
            let library = folder.join("libintelocl.so").display().to_string();
            let folder = folder.display().to_string();
            runs.push(run(
                "OpenCL",
                &generic,
                &[
                    ("OCL_ICD_FILENAMES", &library),
                    ("LD_LIBRARY_PATH", &folder),
                    ("ONEAPI_DEVICE_SELECTOR", "opencl:cpu"),
                ],
            ));
        }
        if gpu_target.is_some() {
            runs.push(run("CUDA", &gpu, &[("ONEAPI_DEVICE_SELECTOR", "cuda:gpu")]));
        }
        let program = |target| match target {
            "spir64" => &generic,
            "spir64_x86_64" => &ahead,
            _ => &gpu,
        };
        let links = targets.iter().map(|target| link(target, program(target)));
        let chain = std::iter::once(compile).chain(links).collect();
        Plan { chains: vec![vec![on_host], chain], runs }
    }

    type Statement = Statement;

    fn bodies(&self) -> Vec<&Vec<Statement>> {
        vec![&self.body, &self.tail]
    }

    fn bodies_mut(&mut self) -> Vec<&mut Vec<Statement>> {
        vec![&mut self.body, &mut self.tail]
    }
}
