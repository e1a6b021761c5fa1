//! The cost of a graph of 100 small kernels against their submission one by one.
//!
//! On the CPU device the processor time counts. On a machine with an NVIDIA GPU and `nvcc`, the
//! same graph in CUDA is measured in the same run.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::{Limit, Report, numbers, value};
use crate::process::{self, Scratch, progress};
use crate::workspace::root;

const LIMIT: Duration = Duration::from_secs(120);
/// The limit for the CPU device.
const OF_SUBMISSION: f64 = 0.3;
/// The limit for NVIDIA GPUs.
const OF_CUDA: f64 = 1.1;

pub fn measure(prefix: &Path) -> Result<Report, String> {
    let mut report = Report::default();
    let scratch = Scratch::new("bench")?;
    progress("measuring graphs on the CPU device");
    let program = scratch.path().join("launches");
    compile(prefix, &[], &program)?;
    let mut command = Command::new(&program);
    let told = numbers(command.env("ONEAPI_DEVICE_SELECTOR", "native_cpu:*"), LIMIT)?;
    let (submitted, graph) =
        (value(&told, "submitted-processor")?, value(&told, "graph-processor")?);
    report.add("100 kernels, submitted", submitted, " µs", Limit::None);
    report.add("100 kernels, as a graph", graph, " µs", Limit::None);
    report.add("graph against submission", graph / submitted, "x", Limit::AtMost(OF_SUBMISSION));
    if let Some(nvcc) = nvcc() {
        progress("measuring graphs on the NVIDIA GPU");
        compile(prefix, &["-fsycl-targets=nvptx64-nvidia-cuda"], &program)?;
        let native = scratch.path().join("launches-cuda");
        let mut build = Command::new(nvcc);
        build.args(["-O3", "-arch=native"]).arg(source("launches.cu")).arg("-o").arg(&native);
        process::output(&mut build)?;
        let cuda = numbers(&mut Command::new(&native), LIMIT)?;
        let mut command = Command::new(&program);
        let ours = numbers(command.env("ONEAPI_DEVICE_SELECTOR", "cuda:gpu"), LIMIT)?;
        for name in ["graph", "back-to-back"] {
            let ratio = value(&ours, name)? / value(&cuda, name)?;
            report.add(format!("{name} against CUDA"), ratio, "x", Limit::AtMost(OF_CUDA));
        }
    }
    Ok(report)
}

fn source(name: &str) -> PathBuf {
    root().join("benches/graphs").join(name)
}

fn compile(prefix: &Path, options: &[&str], program: &Path) -> Result<(), String> {
    let mut command = Command::new(prefix.join("bin/scythe"));
    command.args(["-fsycl", "-std=c++17", "-O3"]).args(options);
    command.arg(source("launches.cpp")).arg("-o").arg(program);
    process::output(&mut command).map(drop)
}

/// Returns CUDA's compiler, if the machine has it and a GPU.
fn nvcc() -> Option<PathBuf> {
    if !Path::new("/dev/nvidiactl").exists() {
        return None;
    }
    let path = std::env::var_os("PATH")?;
    let on_path = std::env::split_paths(&path).map(|folder| folder.join("nvcc"));
    on_path.chain([PathBuf::from("/usr/local/cuda/bin/nvcc")]).find(|file| file.is_file())
}
