//! The errors of the code generator.

use crate::nvptx::FIRST_PTX;
use scythe_abi::jit::VERSION;
use scythe_passes::specialization::ValueSize;
use scythe_passes::target::common::async_copies::CopyError;
use scythe_passes::target::cpu::CpuError;
use scythe_passes::target::nvptx::NvptxError;
use scythe_passes::target::spirv::SpirvError;
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

/// The reason why device code could not be compiled or translated.
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
    #[error(transparent)]
    Constant(#[from] ValueSize),
    /// The target of a library differs from that of the kernel's image.
    #[error(
        "{name} is for target '{seen}', expected '{expected}', the target of the kernel's image"
    )]
    OtherTarget { name: String, seen: String, expected: String },
    #[error("the device code has no kernel '{kernel}'")]
    NoKernel { kernel: String },
    /// The device library cannot be read. `symbol` is the first undefined symbol of the device
    /// code.
    #[error(
        "cannot read the {library} '{}', which may define '{symbol}': {source}",
        path.display()
    )]
    DeviceLibrary { library: &'static str, path: PathBuf, symbol: String, source: io::Error },
    #[error("the object of the code generator is not valid: {0}")]
    Object(#[from] scythe_image::ElfError),
    #[error("cannot write '{}': {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("'{name}' is not an architecture of NVIDIA GPUs, expected a name such as 'sm_90'")]
    Architecture { name: String },
    #[error(
        "the driver accepts SPIR-V version {version:#010x}, but the compiler generates only \
         versions 1.x"
    )]
    SpirvVersion { version: u32 },
    #[error("LLVM's SPIR-V back end cannot translate the device code: {0}")]
    SpirvBackEnd(scythe_llvm::Error),
    #[error("cannot run '{}' to validate the SPIR-V module: {source}", program.display())]
    RunValidator { program: PathBuf, source: io::Error },
    #[error("'{}' rejects the SPIR-V module ({status}): {text}", program.display())]
    InvalidSpirv { program: PathBuf, status: ExitStatus, text: String },
    #[error(transparent)]
    Request(#[from] RequestError),
    /// A panic, which is a defect of the compiler.
    #[error("internal error in the run-time compiler: {text}")]
    Panic { text: String },
}

impl Error {
    /// Whether the device lacks a feature that the code uses.
    pub fn is_unsupported(&self) -> bool {
        matches!(
            self,
            Self::Nvptx(NvptxError::Matrix { .. }) | Self::Cpu(CpuError::HiddenMatrix { .. })
        )
    }
}

/// A request to the run-time compiler that violates the contract of [`scythe_abi::jit`].
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    #[error("the request to the run-time compiler is null")]
    Null,
    #[error(
        "the run-time compiler expects a request of version {VERSION}, found version {seen}; \
         install 'libscythe.so' and 'libscythe-jit.so' of the same release"
    )]
    Version { seen: u32 },
    #[error("the request to the run-time compiler has unknown output kind {seen}")]
    Output { seen: u32 },
    #[error("the request to the run-time compiler has optimisation level {seen}, expected 0 to 3")]
    OptLevel { seen: u32 },
    #[error("the request to the run-time compiler has no bitcode")]
    NoBitcode,
    #[error("library {index} of the request to the run-time compiler has no bitcode")]
    EmptyLibrary { index: usize },
    #[error(
        "a specialization constant in the request to the run-time compiler lacks its name or value"
    )]
    Constant,
    #[error(
        "the request to the run-time compiler declares {count} {what}, but its list of {what} is \
         null"
    )]
    NoList { count: usize, what: &'static str },
    /// `sm` is the compute capability and `ptx` the PTX version of the driver, both multiplied by
    /// ten.
    #[error(
        "cannot generate PTX for a device of compute capability {}.{} whose driver supports PTX \
         {}.{}: compute capability 5.0 and PTX {}.{} are required",
        sm / 10, sm % 10, ptx / 10, ptx % 10, FIRST_PTX / 10, FIRST_PTX % 10
    )]
    Device { sm: u32, ptx: u32 },
    #[error(
        "'{}' does not contain a CUDA toolkit: expected 'nvvm/libdevice' or 'bin/ptxas' in it",
        path.display()
    )]
    NoCuda { path: PathBuf },
}
