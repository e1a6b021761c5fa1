//! The work-item that a thread runs, for kernels that were compiled for debuggers.
//!
//! Such a kernel passes the address of its numbers at the start of each work-item and behind each
//! barrier: the global id, the local id and the group, each in three dimensions.

use std::sync::atomic::Ordering;

use crate::fault::running::Running;

/// The symbol by which compiled kernels call [`enter`].
pub(crate) const SYMBOL: &str = "__scythe_work_item";

const DIMENSIONS: usize = 3;

/// The numbers of a work-item, in the order of the dimensions of SYCL. Those of dimensions that the
/// launch does not have are 0.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WorkItem {
    pub global_id: [u64; DIMENSIONS],
    pub local_id: [u64; DIMENSIONS],
    pub group_id: [u64; DIMENSIONS],
}

impl WorkItem {
    /// Changes between the order of SYCL and that of compiled code, whose fastest dimension is
    /// first.
    fn reverse(&mut self, dimensions: usize) {
        for ids in [&mut self.global_id, &mut self.local_id, &mut self.group_id] {
            ids[..dimensions.clamp(1, DIMENSIONS)].reverse();
        }
    }
}

/// Records the work-item that this thread runs, and puts its numbers in the order of SYCL.
///
/// # Safety
/// `item` is valid until the thread calls this function again or its part of the launch ends. The
/// fastest dimension is first.
pub(crate) unsafe extern "C" fn enter(item: *mut WorkItem) {
    let Some(running) = Running::of_thread() else { return };
    // SAFETY: the caller guarantees that the item is valid (this function's contract).
    unsafe { &mut *item }.reverse(running.dimensions.load(Ordering::Relaxed));
    running.item.store(item, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_get_the_order_of_sycl() {
        let mut item = WorkItem { global_id: [1, 2, 0], local_id: [3, 4, 0], group_id: [5, 6, 0] };
        item.reverse(2);
        let turned = WorkItem { global_id: [2, 1, 0], local_id: [4, 3, 0], group_id: [6, 5, 0] };
        assert_eq!(item, turned);
        item.reverse(1);
        assert_eq!(item, turned);
    }
}
