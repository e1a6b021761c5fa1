//! What passes complain about.

/// Why a pass, or the pipeline round it, failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A kernel that is not what the pass was promised.
    #[error("{pass}: kernel '{kernel}': {message}")]
    Kernel { pass: &'static str, kernel: String, message: String },
    /// A function that is not what the pass was promised.
    #[error("{pass}: function '{function}': {message}")]
    Function { pass: &'static str, function: String, message: String },
    /// A variable that is not what the pass was promised.
    #[error("{pass}: variable '{variable}': {message}")]
    Variable { pass: &'static str, variable: String, message: String },
    /// A node of the launch metadata that cannot be read.
    #[error("launch metadata, node {node}: {message}")]
    LaunchMetadata { node: usize, message: String },
    /// The module was invalid after a pass: a defect of the pass.
    #[error("after pass '{pass}': {source}")]
    Verify { pass: &'static str, source: scythe_llvm::Error },
    #[error(transparent)]
    Llvm(#[from] scythe_llvm::Error),
}
