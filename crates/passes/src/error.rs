//! The errors of passes.

use crate::device_globals::GlobalError;
use crate::launch_metadata::RowError;
use crate::linkage::LinkageError;
use crate::lower_kernel_args::ArgumentError;
use crate::properties::PropertyError;

/// The reason why a pass, or the pipeline around it, failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A kernel that breaks a rule of the pass.
    #[error("{pass}: kernel '{kernel}': {fault}")]
    Kernel { pass: &'static str, kernel: String, fault: Fault },
    /// A function that breaks a rule of the pass.
    #[error("{pass}: function '{function}': {fault}")]
    Function { pass: &'static str, function: String, fault: Fault },
    /// A variable that breaks a rule of the pass.
    #[error("{pass}: variable '{variable}': {fault}")]
    Variable { pass: &'static str, variable: String, fault: Fault },
    /// A node of the launch metadata is malformed.
    #[error("launch metadata, node {node}: {fault}")]
    LaunchMetadata { node: usize, fault: RowError },
    /// The module was invalid after a pass, which is a defect of the pass.
    #[error("after pass '{pass}': {source}")]
    Verify { pass: &'static str, source: scythe_llvm::Error },
    #[error(transparent)]
    Llvm(#[from] scythe_llvm::Error),
}

/// The rule that a kernel, function or variable breaks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error(transparent)]
    Property(#[from] PropertyError),
    #[error(transparent)]
    Argument(#[from] ArgumentError),
    #[error(transparent)]
    Linkage(#[from] LinkageError),
    #[error(transparent)]
    Global(#[from] GlobalError),
}
