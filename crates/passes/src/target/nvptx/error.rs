//! Why a device module cannot become NVPTX code.

use super::unsupported::{Construct, Position};
use std::fmt;

/// What stands in the way, and in which kernel or function. Names are symbols, as in the device module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NvptxError {
    /// A kernel without a usable [`scythe_abi::names::SHAPE_ATTRIBUTE`]; `found` is its value, where it has one.
    Shape { kernel: String, found: Option<String> },
    /// A work-item query that is not reached by plain calls from a kernel.
    StrayQuery { query: String, function: String },
    /// Code that would have to run before the first kernel.
    Constructors,
    /// A symbol that nobody defines, and one of its users.
    Undefined { symbol: String, user: String },
    /// A request for local memory that is no variable.
    LocalMemory { function: String },
    /// A work-group size that no device has.
    WorkGroup { kernel: String, size: [u64; 3] },
    /// A sub-group size that no device has.
    SubGroup { kernel: String, size: u32 },
    /// What LLVM's back end does not know, and where it is in the source, where that is known.
    Unsupported { construct: Construct, function: String, place: Option<String> },
    /// LLVM's own words.
    Llvm(scythe_llvm::Error),
}

impl fmt::Display for NvptxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shape { kernel, found: Some(found) } => {
                write!(f, "kernel '{kernel}' has the shape '{found}', expected 'single_task', 'range' or 'nd_range'")
            }
            Self::Shape { kernel, found: None } => {
                write!(f, "kernel '{kernel}' lacks the function attribute '{}'", scythe_abi::names::SHAPE_ATTRIBUTE)
            }
            Self::StrayQuery { query, function } => write!(
                f,
                "function '{function}' calls '{query}', and cannot become part of a kernel: it calls itself, or is called by its \
                 address"
            ),
            Self::Constructors => {
                f.write_str("global variables of the device module need code to run before the first kernel")
            }
            Self::Undefined { symbol, user } => {
                write!(f, "'{user}' uses '{symbol}', which neither the program nor the NVPTX device library defines")
            }
            Self::LocalMemory { function } => {
                write!(f, "function '{function}' asks for group-local memory of a size that is not a constant")
            }
            Self::WorkGroup { kernel, size: [x, y, z] } => write!(
                f,
                "kernel '{kernel}' requires work-groups of {x} x {y} x {z} work-items (fastest dimension first), NVIDIA GPUs have at \
                 most 1024 in all, and 64 in the slowest dimension"
            ),
            Self::SubGroup { kernel, size } => {
                write!(f, "kernel '{kernel}' requires sub-groups of {size} work-items, on NVIDIA GPUs they have 32")
            }
            Self::Unsupported { construct, function, place } => {
                place.iter().try_for_each(|place| write!(f, "{place}: "))?;
                write!(f, "'{function}' {construct}, which code for NVIDIA GPUs cannot have")
            }
            Self::Llvm(e) => e.fmt(f),
        }
    }
}

impl NvptxError {
    /// The same with the position of the first such construct among these.
    pub fn at(self, positions: &[Position]) -> Self {
        match self {
            Self::Unsupported { construct, function, place: None } => {
                let known = positions.iter().find(|position| position.construct == construct);
                let (function, place) = match known {
                    Some(known) => (known.function.clone(), Some(known.place.clone())),
                    None => (function, None),
                };
                Self::Unsupported { construct, function, place }
            }
            other => other,
        }
    }
}

impl std::error::Error for NvptxError {}

impl From<scythe_llvm::Error> for NvptxError {
    fn from(e: scythe_llvm::Error) -> Self {
        Self::Llvm(e)
    }
}
