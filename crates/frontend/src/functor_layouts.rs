//! Writes the layouts of kernel functors to a file. Each pass over a source writes this file if the
//! driver requests it. The driver compares the files, because code of one pass copies a functor
//! byte by byte to code of another pass.

use std::io;
use std::path::Path;

use scythe_abi::functor::{self, Functor};
use scythe_diag::{Diagnostic, Report};

use crate::errors::Unwritable;
use crate::errors::parts::Output;
use crate::facts::Loc;

/// Writes the functors of one pass, ordered by their kernels' symbols. A name that several launches
/// share is written once.
pub fn write(path: &Path, mut functors: Vec<Functor>) -> Result<(), Diagnostic<Loc>> {
    functors.sort_by(|a, b| a.symbol.cmp(&b.symbol));
    functors.dedup();
    crate::int_header::write(path, &functor::to_text(&functors))
        .map_err(|error| unwritable(Output::FunctorLayouts, path, &error))
}

/// Makes the error of a file that cannot be written.
pub fn unwritable(output: Output, path: &Path, error: &io::Error) -> Diagnostic<Loc> {
    Unwritable { output, path: path.display().to_string(), reason: error.to_string() }.report()
}
