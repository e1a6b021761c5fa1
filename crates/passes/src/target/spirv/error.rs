//! The error type of the SPIR-V target.

use super::check::Mismatch;
use super::lowering::binary::BinaryError;
use crate::properties::PropertyError;
use crate::properties::spirv::{EXECUTION_MODES, PARAMETER_DECORATIONS};
use crate::target::common::async_copies::CopyError;
use crate::target::common::local_variables::SizeNotConstant;

/// The reason why lowering failed, with the kernel, function or variable concerned. Names are
/// symbols of the device module.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpirvError {
    /// A symbol is not defined anywhere. `user` is one of its users.
    #[error(
        "{user} calls '{symbol}', which neither the program nor the SPIR-V device library defines"
    )]
    Undefined { symbol: String, user: String },
    #[error(transparent)]
    LocalMemory(#[from] SizeNotConstant),
    #[error(transparent)]
    Copy(#[from] CopyError),
    /// Code waits for an event, and does not show the copy that the event belongs to.
    #[error(
        "device code waits for an event, but the compiler cannot find the copy that signals it; \
         wait for the event in the function that starts the copy"
    )]
    UnknownEvent,
    #[error(
        "device code waits for a list of events; the number of events must be a constant of at \
         most {most}"
    )]
    EventCount { most: u64 },
    #[error(
        "{function} calls 'printf' with a format that is not a string literal; OpenCL devices \
         require a string literal"
    )]
    PrintfFormat { function: String },
    #[error(
        "function '{function}' has an operation on integers of more than 64 bits that the SPIR-V \
         target does not support: '{instruction}'"
    )]
    WideInteger { function: String, instruction: String },
    #[error(
        "the initial value of variable '{variable}' has an integer of more than 64 bits that is \
         not a number: '{value}'"
    )]
    WideInitial { variable: String, value: String },
    #[error(
        "an initial value contains the address '{value}', expected the address of a variable plus \
         a constant offset"
    )]
    InitialAddress { value: String },
    #[error(
        "variable '{variable}' must be an array of bytes in SPIR-V, but its initial value contains \
         addresses, which the compiler does not know: '{value}'"
    )]
    InitialBytes { variable: String, value: String },
    #[error(
        "function '{function}' has an address computation that the compiler cannot translate to \
         SPIR-V: '{instruction}'"
    )]
    Address { function: String, instruction: String },
    #[error(
        "the second operand of metadata !{EXECUTION_MODES} of kernel '{kernel}' is not the number \
         of an execution mode"
    )]
    ExecutionMode { kernel: String },
    #[error(
        "metadata !{PARAMETER_DECORATIONS} of function '{function}' describes {have} parameters, \
         but the function has {want}"
    )]
    DecorationCount { function: String, have: usize, want: usize },
    #[error(
        "a decoration of {of} is malformed, expected its number, and integers or strings as \
         operands"
    )]
    Decoration { of: String },
    #[error(
        "cannot decorate parameter {index} of function '{function}': the SPIR-V module does not \
         contain it"
    )]
    NoParameter { function: String, index: usize },
    /// The value of a property does not have the form that SPIR-V needs.
    #[error(transparent)]
    Property(#[from] PropertyError),
    /// LLVM's back end gave two blocks the same id by coincidence. Another translation may succeed.
    #[error("LLVM's SPIR-V back end gave two basic blocks of a function the same id %{id}")]
    SameBlock { id: u32 },
    /// LLVM's back end emitted a module that no driver accepts.
    #[error("LLVM's SPIR-V back end generated invalid SPIR-V for {function}: {mismatch}")]
    Invalid { function: String, mismatch: Mismatch },
    #[error(transparent)]
    Binary(#[from] BinaryError),
    #[error(transparent)]
    Pass(#[from] crate::Error),
    #[error(transparent)]
    Llvm(#[from] scythe_llvm::Error),
}
