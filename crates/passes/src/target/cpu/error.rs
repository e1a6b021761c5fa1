//! Why a device module cannot become CPU code.

use super::lowering::widening::divergence::Unsuitable;
use crate::target::common::local_variables::SizeNotConstant;
use crate::target::common::shape::ShapeError;

/// Why lowering failed, and for which kernel or function. Names are symbols, as in the device
/// module.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CpuError {
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A function that queries the position of its work-item, and calls itself.
    #[error(
        "function '{function}' queries the position of its work-item and calls itself, so it \
         cannot \
         be inlined into a kernel; remove the recursion, or pass the position as an argument"
    )]
    RecursiveQuery { function: String },
    /// A work-item query that is not reached by plain calls from a kernel.
    #[error(
        "function '{function}' calls '{query}', but no kernel calls the function directly; call it \
         by \
         its name, not through its address"
    )]
    StrayQuery { query: String, function: String },
    /// Code that would have to run before the first kernel.
    #[error(
        "{count} global variables of the device code need a constructor to run before the first \
         kernel; initialise them with constants"
    )]
    Constructors { count: u64 },
    /// A symbol that nobody defines, and one of its users.
    #[error(
        "'{user}' uses '{symbol}', which neither the program nor the CPU device library defines"
    )]
    Undefined { symbol: String, user: String },
    #[error(transparent)]
    LocalMemory(#[from] SizeNotConstant),
    /// A kernel that cannot become the function of a work-group.
    #[error("kernel '{kernel}' cannot run as a work-group: {why}")]
    Unsuitable { kernel: String, why: Unsuitable },
    /// A kernel that requires sub-groups of more than one work-item, sees them, and cannot be
    /// widened.
    #[error(
        "kernel '{kernel}' requires sub-groups of {size} work-items, but cannot be vectorised: \
         {why}"
    )]
    SubGroups { kernel: String, size: u32, why: Unsuitable },
    /// The one kernel that the options ask for.
    #[error("the device code has no kernel '{kernel}'")]
    NoKernel { kernel: String },
    #[error(transparent)]
    Llvm(#[from] scythe_llvm::Error),
}
