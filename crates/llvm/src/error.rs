//! The errors of LLVM, each with LLVM's message.

/// An error of LLVM.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("cannot read {what} '{name}': {message}")]
    Parse { what: &'static str, name: String, message: String },
    #[error("invalid IR in module '{module}': {message}")]
    Verify { module: String, message: String },
    #[error("cannot link '{source_module}' into '{destination}': {message}")]
    Link { destination: String, source_module: String, message: String },
    #[error("pass pipeline '{pipeline}' failed: {message}")]
    Passes { pipeline: String, message: String },
    #[error("LLVM has no code generator for target '{triple}': {message}")]
    Target { triple: String, message: String },
    #[error("cannot generate code for module '{module}': {message}")]
    Emit { module: String, message: String },
    #[error("LLVM cannot generate code for module '{module}': {message}")]
    Fatal { module: String, message: String },
    #[error("cannot inline the call of '{callee}' in '{caller}': {message}")]
    Inline { caller: String, callee: String, message: String },
    #[error("module '{module}' has no function '{function}'")]
    NoFunction { module: String, function: String },
}
