//! File tests: input files that contain their commands and expectations in comments.
//!
//! `docs/file-tests.md` describes the language. Only this crate reads it. Guarantees:
//!
//! * A file is parsed once, into a [`FileTest`]. An unknown or misspelt directive is an error, and
//!   so is a check that no command reads, or a file without a check.
//! * `FileCheck` is found in one way ([`programs::llvm`]).
//! * A failure names the file, the line of the command, its exit status and its output.
//!
//! A crate runs its file tests in a test target with `harness = false`, whose `main` builds a
//! [`Suite`].

pub mod diagnostics;
pub mod directive;
mod not;
mod parse;
pub mod program;
pub mod programs;
mod report;
mod run;
mod suite;

pub use parse::{Check, Defect, ExpectedDiagnostic, FileTest, Malformed, NewFile, Run};
pub use run::{Environment, Failure};
pub use suite::{Prepared, Suite, repository};
