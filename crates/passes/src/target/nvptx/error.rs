//! Why a device module cannot become NVPTX code.

use super::check::{Construct, Position};
use crate::target::common::local_variables::SizeNotConstant;
use crate::target::common::shape::ShapeError;

/// Why lowering failed, and for which kernel or function. Names are symbols, as in the device
/// module.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NvptxError {
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A work-item query that is not reached by plain calls from a kernel.
    #[error(
        "function '{function}' calls '{query}' and cannot be inlined into a kernel, because it \
         calls \
         itself or is called through its address"
    )]
    StrayQuery { query: String, function: String },
    /// Code that would have to run before the first kernel.
    #[error(
        "global variables of the device code need a constructor to run before the first kernel; \
         initialise them with constants"
    )]
    Constructors,
    /// A symbol that nobody defines, and one of its users.
    #[error(
        "'{user}' uses '{symbol}', which neither the program nor the NVPTX device library defines"
    )]
    Undefined { symbol: String, user: String },
    #[error(transparent)]
    LocalMemory(#[from] SizeNotConstant),
    /// A work-group size that no device has.
    #[error(
        "kernel '{kernel}' requires work-groups of {} x {} x {} work-items (fastest dimension \
         first); NVIDIA GPUs support at most 1024 in all, and 64 in the slowest dimension",
        size[0], size[1], size[2]
    )]
    WorkGroup { kernel: String, size: [u64; 3] },
    /// A sub-group size that no device has.
    #[error(
        "kernel '{kernel}' requires sub-groups of {size} work-items; NVIDIA GPUs support only 32"
    )]
    SubGroup { kernel: String, size: u32 },
    /// A construct that LLVM's back end does not support, and its position in the source, where
    /// that is known.
    #[error(
        "{}'{function}' {construct}, which NVIDIA GPUs do not support",
        place.as_ref().map_or_else(String::new, |place| format!("{place}: "))
    )]
    Unsupported { construct: Construct, function: String, place: Option<String> },
    #[error(transparent)]
    Llvm(#[from] scythe_llvm::Error),
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
