//! Reports work-items of one work-group that reach different barriers, which is undefined behaviour
//! in SYCL. Compiled kernels compare the barriers of their work-items wherever the compiler could
//! not prove that all work-items take the same path, and call [`divergent_barrier`] if they differ.
//! The work-group then continues as if all work-items had reached the barrier of the first one, and
//! the command fails.

use std::cell::Cell;

/// The symbol by which compiled kernels call [`divergent_barrier`].
pub(crate) const SYMBOL: &str = "__scythe_divergent_barrier";

thread_local! {
    static SEEN: Cell<bool> = const { Cell::new(false) };
}

/// Records a divergent barrier. Compiled kernels call this function on the thread that runs them.
pub(crate) extern "C" fn divergent_barrier() {
    let _ = SEEN.try_with(|seen| seen.set(true));
}

/// Returns whether a kernel on this thread has reported a divergent barrier since the last call.
pub(crate) fn take_report() -> bool {
    SEEN.try_with(Cell::take).unwrap_or(false)
}
