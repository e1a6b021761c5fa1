//! Bitcode → linked device module → CPU module → object.

mod libraries;
mod stack;

pub use libraries::DEVICE_LIBRARY;

use crate::cut;
use crate::{Error, dump};
use scythe_image::cpu_report::{self, CpuKernel, Report};
use scythe_llvm::{Context, Module, OptLevel, TargetMachine, TargetOptions};
use scythe_passes::kept_variables::BoundGlobals;
use scythe_passes::target::common::async_copies;
use scythe_passes::target::cpu::lowering::checks;
use scythe_passes::target::cpu::lowering::debug_info::is_for_stepping;
use scythe_passes::target::cpu::lowering::report::KernelReport;
use scythe_passes::target::cpu::{self, Stage};
use scythe_passes::{device_globals, device_has, source_positions};
use std::path::PathBuf;

/// Objects are for Linux, independent of the default triple of LLVM's build.
const TRIPLE: &str = "x86_64-unknown-linux-gnu";

/// The options and the target of a compilation.
#[derive(Clone, Debug)]
pub struct Options {
    /// The processor and the optimisation level.
    pub target: cpu::Options,
    /// The folder that contains [`DEVICE_LIBRARY`]. It is read only if a kernel needs it.
    pub device_lib_dir: Option<PathBuf>,
    /// A folder for the IR of each stage.
    pub dump_dir: Option<PathBuf>,
    /// The device's aspects, for code that queries them.
    pub aspects: Vec<u32>,
}

impl Options {
    /// Returns options for the machine that runs this process.
    pub fn host(opt_level: u32) -> Self {
        Self {
            target: cpu::Options::host(opt_level),
            device_lib_dir: None,
            dump_dir: None,
            aspects: Vec::new(),
        }
    }
}

/// Compiles device bitcode to an object that defines `__scythe_cpu.<kernel>` for each kernel, or
/// for the kernel that the options select. An error names the invalid part and the reason.
pub fn compile_to_object(bitcode: &[u8], options: &Options) -> Result<Vec<u8>, Error> {
    compile_linked(bitcode, &[], options)
}

/// Does the same after linking the bitcode with `libraries`.
pub fn compile_linked(
    bitcode: &[u8],
    libraries: &[&[u8]],
    options: &Options,
) -> Result<Vec<u8>, Error> {
    let context = Context::new();
    let kernel = options.target.target.as_ref().map(|target| target.kernel.as_str());
    let cut = cut::read(&context, bitcode, libraries, kernel, BoundGlobals::All)?;
    if !cut.is_whole {
        return compile_verified(&context, cut.module, options);
    }
    // The kernel shares variables with others, so all kernels must be in one object.
    let target = cpu::Options { target: None, mark_whole: true, ..options.target.clone() };
    compile_verified(&context, cut.module, &Options { target, ..options.clone() })
}

/// Does the same for a parsed module.
pub fn compile_module<'ctx>(
    context: &'ctx Context,
    module: Module<'ctx>,
    options: &Options,
) -> Result<Vec<u8>, Error> {
    // Bitcode that can be read may still contain invalid IR, for which the behaviour of passes is
    // undefined.
    module.verify()?;
    compile_verified(context, module, options)
}

fn compile_verified<'ctx>(
    context: &'ctx Context,
    module: Module<'ctx>,
    options: &Options,
) -> Result<Vec<u8>, Error> {
    // Debuggers need code whose steps are those of the source.
    if !is_for_stepping(&module, options.target.target.as_ref()) {
        let machine = prepare(context, &module, options)?;
        return finish(module, &machine, options);
    }
    let target =
        cpu::Options { opt_level: 0, scalar: true, for_stepping: true, ..options.target.clone() };
    let options = Options { target, ..options.clone() };
    let machine = prepare(context, &module, &options)?;
    finish(module, &machine, &options)
}

/// Links the device library.
fn prepare<'ctx>(
    context: &'ctx Context,
    module: &Module<'ctx>,
    options: &Options,
) -> Result<TargetMachine, Error> {
    let machine = TargetMachine::new(&TargetOptions {
        triple: TRIPLE.into(),
        cpu: options.target.cpu.clone(),
        features: options.target.features.clone(),
        opt_level: OptLevel::from_number(options.target.opt_level),
    })?;
    source_positions::fill(module);
    // Checks of kernels report the positions in debug information.
    let is_checked = !checks::requested(module, &options.target).is_empty();
    if !is_checked && !module.has_debug_info() {
        // What is left only names functions.
        module.strip_debug_info();
    }
    dump::module(options.dump_dir.as_deref(), "cpu-0-input", module)?;
    device_globals::to_declarations(module);
    device_has::fold(module, &options.aspects)?;
    async_copies::replace(module)?;
    if is_checked {
        let own = checks::defined(module);
        libraries::link(context, module, options)?;
        checks::trust_library(module, &own);
    } else {
        libraries::link(context, module, options)?;
    }
    Ok(machine)
}

/// Returns what the object tells about a kernel.
fn told(report: KernelReport) -> CpuKernel {
    CpuKernel {
        symbol: report.kernel,
        lanes: report.lanes,
        local_bytes: report.local_bytes,
        remark: report.scalar.map(|reason| reason.to_string()).unwrap_or_default(),
    }
}

/// Lowers a prepared module and writes its object, which tells how its kernels were compiled.
fn finish(
    module: Module<'_>,
    machine: &TargetMachine,
    options: &Options,
) -> Result<Vec<u8>, Error> {
    let folder = options.dump_dir.as_deref();
    let mut observe =
        |stage: Stage, module: &Module<'_>| Ok(dump::stage(folder, stage.name(), module)?);
    let reports = cpu::lower(&module, machine, &options.target, &mut observe)?;
    let kernels: Vec<CpuKernel> = reports.into_iter().map(told).collect();
    let calls = stack::Calls::of(&module);
    let (object, frames) = machine.emit_object_with_frames(module)?;
    Ok(cpu_report::add(&object, &Report { kernels, stacks: calls.stacks(&frames) })?)
}
