//! Why a device module cannot become CPU code.

use std::fmt;

/// What stands in the way, and in which kernel or function. Names are symbols, as in the device module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CpuError {
    /// A kernel without a usable [`scythe_abi::names::SHAPE_ATTRIBUTE`]; `found` is its value, where it has one.
    Shape { kernel: String, found: Option<String> },
    /// A function that asks where its work-item stands, and calls itself.
    RecursiveQuery { function: String },
    /// A work-item query that is not reached by plain calls from a kernel.
    StrayQuery { query: String, function: String },
    /// Code that would have to run before the first kernel.
    Constructors { count: u64 },
    /// A symbol that nobody defines, and one of its users.
    Undefined { symbol: String, user: String },
    /// A kernel that cannot become the function of a work-group.
    Unsuitable { kernel: String, why: String },
    /// The one kernel that was asked for.
    NoKernel { kernel: String },
    /// LLVM's own words.
    Llvm(scythe_llvm::Error),
}

impl fmt::Display for CpuError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shape { kernel, found: Some(found) } => {
                write!(f, "kernel '{kernel}' has the shape '{found}', expected 'single_task', 'range' or 'nd_range'")
            }
            Self::Shape { kernel, found: None } => {
                write!(f, "kernel '{kernel}' lacks the function attribute '{}'", scythe_abi::names::SHAPE_ATTRIBUTE)
            }
            Self::RecursiveQuery { function } => {
                write!(
                    f,
                    "function '{function}' asks for a work-item's position and calls itself: it cannot become part of its kernel"
                )
            }
            Self::StrayQuery { query, function } => {
                write!(f, "function '{function}' calls '{query}', but no kernel reaches it by direct calls")
            }
            Self::Constructors { count } => {
                write!(f, "{count} global variables of the device module need code to run before the first kernel")
            }
            Self::Undefined { symbol, user } => {
                write!(f, "'{user}' uses '{symbol}', which neither the program nor the CPU device library defines")
            }
            Self::Unsuitable { kernel, why } => {
                write!(f, "kernel '{kernel}' cannot run as a work-group: {why}")
            }
            Self::NoKernel { kernel } => write!(f, "the device code has no kernel '{kernel}', which was asked for"),
            Self::Llvm(e) => e.fmt(f),
        }
    }
}

impl std::error::Error for CpuError {}

impl From<scythe_llvm::Error> for CpuError {
    fn from(e: scythe_llvm::Error) -> Self {
        Self::Llvm(e)
    }
}
