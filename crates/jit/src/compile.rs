//! Bitcode → linked device module → CPU module → object.

use crate::link;
use scythe_llvm::{Context, Linkage, Module, OptLevel, TargetMachine, TargetOptions};
use scythe_passes::target::common::async_copies;
use scythe_passes::target::cpu::{self, CpuError, Stage, externals};
use scythe_passes::{device_globals, device_has};
use std::path::{Path, PathBuf};

/// The device library's file in the folder of device libraries.
pub const DEVICE_LIBRARY: &str = "devicelib-cpu.bc";

/// Objects are for Linux, whatever LLVM's build thinks of its host.
const TRIPLE: &str = "x86_64-unknown-linux-gnu";

/// How to compile, and for what.
#[derive(Clone, Debug)]
pub struct Options {
    /// Processor and optimisation level.
    pub target: cpu::Options,
    /// The folder that holds [`DEVICE_LIBRARY`]. It is read when a kernel needs it.
    pub device_lib_dir: Option<PathBuf>,
    /// A folder for each stage's IR.
    pub dump_dir: Option<PathBuf>,
    /// The device's aspects, for code that asks.
    pub aspects: Vec<u32>,
}

impl Options {
    /// For the machine this runs on.
    pub fn host(opt_level: u32) -> Self {
        Self { target: cpu::Options::host(opt_level), device_lib_dir: None, dump_dir: None, aspects: Vec::new() }
    }
}

/// Compiles device bitcode to an object that defines `__scythe_cpu.<kernel>` for each kernel. An error says what was wrong
/// with what.
pub fn compile_to_object(bitcode: &[u8], options: &Options) -> Result<Vec<u8>, String> {
    compile_linked(bitcode, &[], options)
}

/// The same for bitcode that is linked with `libraries` before.
pub fn compile_linked(bitcode: &[u8], libraries: &[&[u8]], options: &Options) -> Result<Vec<u8>, String> {
    let context = Context::new();
    let module = context.parse_bitcode(bitcode, "device image").map_err(|e| e.to_string())?;
    link::run(&context, &module, libraries)?;
    compile_module(&context, module, options)
}

/// The same for a module that has been read.
pub fn compile_module<'ctx>(
    context: &'ctx Context,
    module: Module<'ctx>,
    options: &Options,
) -> Result<Vec<u8>, String> {
    let machine = TargetMachine::new(&TargetOptions {
        triple: TRIPLE.into(),
        cpu: options.target.cpu.clone(),
        features: options.target.features.clone(),
        opt_level: OptLevel::from_number(options.target.opt_level),
    })
    .map_err(|e| e.to_string())?;
    // Bitcode that can be read may still be no valid IR, on which passes would fail in any way.
    module.verify().map_err(|e| e.to_string())?;
    // Nobody can look at debug information of code that is loaded into memory, and it slows every pass.
    module.strip_debug_info();
    dump(options, "cpu-0-input", &module)?;
    device_globals::to_declarations(&module);
    device_has::fold(&module, &options.aspects).map_err(|e| e.to_string())?;
    async_copies::replace(&module).map_err(|e| e.to_string())?;
    link_device_library(context, &module, options)?;
    let mut observe = |stage: Stage, module: &Module<'ctx>| {
        dump(options, stage.name(), module)
            .map_err(|message| CpuError::Llvm(scythe_llvm::Error::Emit { module: module.name(), message }))
    };
    cpu::lower(&module, &machine, &options.target, &mut observe).map_err(|e| e.to_string())?;
    machine.emit_object(module).map_err(|e| e.to_string())
}

/// Links what the module lacks from the device library. Programs that need nothing of it do not even read it.
fn link_device_library<'ctx>(context: &'ctx Context, module: &Module<'ctx>, options: &Options) -> Result<(), String> {
    let missing = externals::missing(module);
    let (Some(first), Some(folder)) = (missing.first(), options.device_lib_dir.as_deref()) else { return Ok(()) };
    let path = folder.join(DEVICE_LIBRARY);
    let bytes = std::fs::read(&path).map_err(|e| {
        format!("cannot read the CPU device library '{}', which '{first}' is looked for in: {e}", path.display())
    })?;
    let library = context.parse_bitcode(&bytes, &path.display().to_string()).map_err(|e| e.to_string())?;
    // LLVM links `linkonce` functions only where they are used, and a program's own definition wins.
    for function in library.functions().filter(|f| !f.is_declaration() && f.is_externally_visible()) {
        function.set_linkage(Linkage::LLVMLinkOnceODRLinkage);
    }
    library.strip_debug_info();
    module.link(library).map_err(|e| e.to_string())
}

fn dump(options: &Options, stage: &str, module: &Module<'_>) -> Result<(), String> {
    let Some(folder) = options.dump_dir.as_deref() else { return Ok(()) };
    let path: &Path = &folder.join(format!("{stage}.ll"));
    std::fs::write(path, module.to_string()).map_err(|e| format!("cannot write '{}': {e}", path.display()))
}
