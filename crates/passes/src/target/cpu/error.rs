//! The error type of the CPU target.

use super::lowering::widening::divergence::WideningError;
use crate::target::common::local_variables::SizeNotConstant;
use crate::target::common::shape::ShapeError;

/// The reason why lowering failed, with the kernel or function concerned. Names are symbols of the
/// device module.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CpuError {
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A function queries the position of its work-item, and calls itself.
    #[error(
        "function '{function}' is recursive and queries the position of the work-item, so it \
         cannot be inlined into a kernel; remove the recursion, or pass the position as an \
         argument"
    )]
    RecursiveQuery { function: String },
    /// A function uses a work-item query, and no kernel reaches it by direct calls.
    #[error(
        "function '{function}' calls '{query}', but no kernel calls the function directly; call it \
         by name instead of through its address"
    )]
    QueryOutsideKernel { query: String, function: String },
    /// Global variables need constructors, which would have to run before the first kernel.
    #[error(
        "{count} global variables in device code need constructors, which devices do not run; \
         initialise the variables with constant expressions"
    )]
    Constructors { count: u64 },
    /// A symbol is not defined anywhere. `user` is one of its users.
    #[error(
        "'{user}' uses '{symbol}', which neither the program nor the CPU device library defines"
    )]
    Undefined { symbol: String, user: String },
    #[error(transparent)]
    LocalMemory(#[from] SizeNotConstant),
    /// A kernel cannot become a work-group function.
    #[error("the compiler cannot generate a work-group function for kernel '{kernel}': {why}")]
    WorkGroup { kernel: String, why: WideningError },
    /// A kernel requires sub-groups of more than one work-item, observes them, and cannot be
    /// widened.
    #[error(
        "kernel '{kernel}' requires sub-groups of {size} work-items, but cannot be vectorised: \
         {why}"
    )]
    SubGroups { kernel: String, size: u32, why: WideningError },
    /// The compiler cannot find the variable of a joint matrix, or it holds other data as well.
    #[error(
        "kernel '{kernel}' uses a joint matrix (sycl_ext_oneapi_matrix) through an address that \
         the compiler cannot follow, or as a member next to other data; the CPU device needs \
         matrices that are local variables or arrays of them"
    )]
    HiddenMatrix { kernel: String },
    /// The kernel that the options select does not exist.
    #[error("the device code has no kernel '{kernel}'")]
    NoKernel { kernel: String },
    #[error(transparent)]
    Llvm(#[from] scythe_llvm::Error),
}
