//! The error type of the NVPTX target.

use super::check::{Construct, Position};
use super::lowering::matrices::Unavailable;
use crate::target::common::local_variables::SizeNotConstant;
use crate::target::common::shape::ShapeError;

/// The reason why lowering failed, with the kernel or function concerned. Names are symbols of the
/// device module.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NvptxError {
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A function uses a work-item query, and cannot be inlined into a kernel.
    #[error(
        "function '{function}' calls '{query}', but cannot be inlined into a kernel, because it is \
         recursive or called through its address; pass the result of the query as an argument"
    )]
    QueryOutsideKernel { query: String, function: String },
    /// Global variables need constructors, which would have to run before the first kernel.
    #[error(
        "a global variable in device code needs a constructor, which devices do not run; \
         initialise it with a constant expression"
    )]
    Constructors,
    /// A symbol is not defined anywhere. `user` is one of its users.
    #[error(
        "'{user}' uses '{symbol}', which neither the program nor the NVPTX device library defines"
    )]
    Undefined { symbol: String, user: String },
    #[error(transparent)]
    LocalMemory(#[from] SizeNotConstant),
    /// A kernel requires a work-group size that no device supports.
    #[error(
        "kernel '{kernel}' requires work-groups of {} x {} x {} work-items (fastest dimension \
         first); NVIDIA GPUs support at most 1024 in total and at most 64 in the slowest dimension",
        size[0], size[1], size[2]
    )]
    WorkGroup { kernel: String, size: [u64; 3] },
    /// A kernel requires a sub-group size that no device supports.
    #[error(
        "kernel '{kernel}' requires sub-groups of {size} work-items; NVIDIA GPUs support only 32"
    )]
    SubGroup { kernel: String, size: u32 },
    /// LLVM's back end does not support a construct. `place` is its position in the source, if
    /// known.
    #[error(
        "{}function '{function}' {construct}, which NVIDIA GPUs do not support",
        place.as_ref().map_or_else(String::new, |place| format!("{place}: "))
    )]
    Unsupported { construct: Construct, function: String, place: Option<String> },
    /// The device has no instructions for a use of joint matrices.
    #[error(
        "function '{function}' {what}: NVIDIA GPUs of architecture sm_{sm} do not support this use \
         of sycl_ext_oneapi_matrix; info::device::matrix_combinations lists the products that a \
         device has"
    )]
    Matrix { function: String, what: Unavailable, sm: u32 },
    #[error(transparent)]
    Llvm(#[from] scythe_llvm::Error),
}

impl NvptxError {
    /// Adds the position of the first such construct in `positions` to the error.
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
