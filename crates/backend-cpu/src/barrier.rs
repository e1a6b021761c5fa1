//! What happens when work-items of one work-group reach different barriers, which SYCL leaves
//! undefined: compiled kernels compare notes where the compiler could not see that all go the same
//! way, and call [`divergent_barrier`]. The work-group goes on as if all had reached the first
//! work-item's barrier, and the command fails.

use std::cell::Cell;

/// The name by which compiled kernels call [`divergent_barrier`].
pub(crate) const SYMBOL: &str = "__scythe_divergent_barrier";

thread_local! {
    static SEEN: Cell<bool> = const { Cell::new(false) };
}

/// Called by a compiled kernel, on the thread that runs it.
pub(crate) extern "C" fn divergent_barrier() {
    let _ = SEEN.try_with(|seen| seen.set(true));
}

/// Whether a kernel that this thread has run since the last call reported a divergent barrier.
pub(crate) fn take_report() -> bool {
    SEEN.try_with(Cell::take).unwrap_or(false)
}
