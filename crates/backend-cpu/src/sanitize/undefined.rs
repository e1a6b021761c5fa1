//! Adds the kernel and the work-item to the reports of `-fsanitize=undefined`, whose functions
//! print the position and the operation.

use std::ffi::{c_char, c_void};
use std::io::Write;

use super::run::Run;

/// The beginning of the data of every check: the position in the source.
#[repr(C)]
struct Source {
    file: *const c_char,
    line: u32,
    column: u32,
}

/// The column of a position that was reported before, so that the function prints nothing.
const REPORTED: u32 = u32::MAX;

/// Prints a line about the current work-item, which the report follows.
///
/// # Safety
/// `data` is what clang passes to the function that reports the failed check.
pub(super) unsafe fn announce(run: &Run, data: *const c_void) {
    // SAFETY: the data begin with the position (this function's contract). Another thread may
    // change the column, so the read is volatile.
    let column = unsafe { (&raw const (*data.cast::<Source>()).column).read_volatile() };
    if column != REPORTED {
        let text = format!(
            "kernel '{}': undefined operation by the work-item with {}:\n",
            run.kernel,
            run.describe_item()
        );
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
}
