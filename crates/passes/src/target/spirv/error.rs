//! Why a device module cannot become SPIR-V.

use super::check::Mismatch;
use super::lowering::binary::BinaryError;
use crate::properties::PropertyError;
use crate::properties::spirv::{EXECUTION_MODES, PARAMETER_DECORATIONS};
use crate::target::common::async_copies::CopyError;
use crate::target::common::local_variables::SizeNotConstant;

/// Why lowering failed, and for which kernel, function or variable. Names are symbols, as in the
/// device module.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpirvError {
    /// The one kernel that the options ask for.
    #[error("the device code has no kernel '{kernel}'")]
    NoKernel { kernel: String },
    /// A symbol that nobody defines, and one of its users.
    #[error(
        "{user} calls '{symbol}', which neither the program nor the SPIR-V device library defines"
    )]
    Undefined { symbol: String, user: String },
    #[error(transparent)]
    LocalMemory(#[from] SizeNotConstant),
    #[error(transparent)]
    Copy(#[from] CopyError),
    /// A wait for an event whose copy the code does not show.
    #[error(
        "device code waits for an event, and the compiler cannot find the copy that it belongs to; \
         wait in the function that starts the copy"
    )]
    UnknownEvent,
    #[error(
        "device code waits for several events at once; their number must be a constant of at most \
         {most}"
    )]
    EventCount { most: u64 },
    #[error(
        "{function} calls 'printf' with a format that is not a string literal, which OpenCL \
         devices \
         require"
    )]
    PrintfFormat { function: String },
    #[error(
        "'{function}' computes with integers of more than 64 bits in a way that SPIR-V devices do \
         not support: '{instruction}'"
    )]
    WideInteger { function: String, instruction: String },
    #[error(
        "variable '{variable}' has an initial value with integers of more than 64 bits that are \
         not \
         numbers: '{value}'"
    )]
    WideInitial { variable: String, value: String },
    #[error(
        "an initial value holds the address '{value}', expected the address of a variable plus a \
         number of bytes"
    )]
    InitialAddress { value: String },
    #[error(
        "variable '{variable}' must be an array of bytes in SPIR-V, but its initial value holds \
         addresses, which are unknown before the program runs: '{value}'"
    )]
    InitialBytes { variable: String, value: String },
    #[error(
        "function '{function}' computes an address that cannot be translated to SPIR-V: \
         '{instruction}'"
    )]
    Address { function: String, instruction: String },
    #[error(
        "!{EXECUTION_MODES} of kernel '{kernel}' has no number of a mode as its second operand"
    )]
    ExecutionMode { kernel: String },
    #[error("!{PARAMETER_DECORATIONS} of '{function}' is for {have} parameters, expected {want}")]
    DecorationCount { function: String, have: usize, want: usize },
    #[error("a decoration of {of} is not a number with operands that are numbers or texts")]
    Decoration { of: String },
    #[error("the SPIR-V module has no parameter {index} of '{function}' to decorate")]
    NoParameter { function: String, index: usize },
    /// A property whose value has another form than SPIR-V needs.
    #[error(transparent)]
    Property(#[from] PropertyError),
    /// LLVM's back end gave two blocks the same id, by chance: another translation can succeed.
    #[error("the SPIR-V back end gave two blocks of a function the id {id}")]
    SameBlock { id: u32 },
    /// LLVM's back end wrote a module that no driver accepts.
    #[error("LLVM's SPIR-V back end made an invalid module of {function}: {mismatch}")]
    Invalid { function: String, mismatch: Mismatch },
    #[error(transparent)]
    Binary(#[from] BinaryError),
    #[error(transparent)]
    Pass(#[from] crate::Error),
    #[error(transparent)]
    Llvm(#[from] scythe_llvm::Error),
}
