//! What a pass says of the functors of kernels. Every pass over a source writes such a file where
//! the driver asks for it, and the driver compares them: a functor is copied byte by byte from code
//! that one pass compiled to code of another.

use std::path::Path;

use scythe_abi::functor::{self, Functor};

/// Writes the functors of one pass, ordered by their kernels' symbols. A name that several launches
/// share is written once.
pub fn write(path: &Path, mut functors: Vec<Functor>) -> Result<(), String> {
    functors.sort_by(|a, b| a.symbol.cmp(&b.symbol));
    functors.dedup();
    crate::int_header::write(path, &functor::to_text(&functors)).map_err(|error| {
        format!("cannot write the layouts of functors to '{}': {error}", path.display())
    })
}
