//! Why the compiler failed.

use scythe_passes::target::common::async_copies::CopyError;
use scythe_passes::target::cpu::CpuError;
use scythe_passes::target::nvptx::NvptxError;
use scythe_passes::target::spirv::SpirvError;
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

/// Why device code could not be compiled or translated.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Cpu(#[from] CpuError),
    #[error(transparent)]
    Nvptx(#[from] NvptxError),
    #[error(transparent)]
    Spirv(#[from] SpirvError),
    #[error(transparent)]
    Copy(#[from] CopyError),
    #[error(transparent)]
    Pass(#[from] scythe_passes::Error),
    #[error(transparent)]
    Llvm(#[from] scythe_llvm::Error),
    /// A value of a specialization constant that does not fit.
    #[error("{0}")]
    Constant(String),
    /// A library whose target is not that of the kernel's image.
    #[error("{name} is for target '{seen}', the kernel's image for '{expected}'")]
    OtherTarget { name: String, seen: String, expected: String },
    /// `symbol` is the first symbol that the device code lacks.
    #[error("cannot read the {library} '{}', which '{symbol}' is looked for in: {source}", path.display())]
    DeviceLibrary { library: &'static str, path: PathBuf, symbol: String, source: io::Error },
    #[error("cannot write '{}': {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("'{name}' is no architecture of NVIDIA GPUs: expected sm_NN")]
    Architecture { name: String },
    #[error("the driver takes SPIR-V version {version:#010x}, expected version 1 of some kind")]
    SpirvVersion { version: u32 },
    #[error("the SPIR-V back end cannot translate the device code: {0}")]
    SpirvBackEnd(scythe_llvm::Error),
    #[error("cannot run '{}' to look at the SPIR-V module: {source}", program.display())]
    RunValidator { program: PathBuf, source: io::Error },
    #[error("'{}' refuses the SPIR-V module ({status}): {text}", program.display())]
    InvalidSpirv { program: PathBuf, status: ExitStatus, text: String },
}
