//! Work-groups in host mode, whose work-items wait for each other.

use std::ffi::c_void;

use scythe_abi::capi::{HostItems, Status};

use super::edge;
use crate::{coroutine, invalid};

/// Runs the work-items of one work-group.
///
/// # Safety
/// See [`super`]. `items` must satisfy the contract in the header and must not unwind.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_host_group_run(
    items: Option<HostItems>,
    ctx: *mut c_void,
    count: u64,
) -> Status {
    edge(|| {
        let items = items.ok_or_else(|| invalid("scythe_host_group_run: `items` is null"))?;
        // SAFETY: the caller guarantees that `items` satisfies the contract in the header and does
        // not unwind.
        unsafe { coroutine::run(items, ctx, count) }
    })
}

/// Waits for other work-items of the group.
#[unsafe(no_mangle)]
pub extern "C" fn scythe_host_group_wait(first: u64, count: u64) {
    coroutine::wait(first, count);
}

/// Waits for other work-items of the group, and returns the addresses that they passed.
#[unsafe(no_mangle)]
pub extern "C" fn scythe_host_group_exchange(
    item: u64,
    value: *mut c_void,
    first: u64,
    count: u64,
) -> *mut *mut c_void {
    coroutine::exchange(item, value, first, count)
}

/// Returns memory that the work-items of the group share.
#[unsafe(no_mangle)]
pub extern "C" fn scythe_host_group_memory(item: u64, bytes: u64, align: u64) -> *mut c_void {
    coroutine::memory(item, bytes, align)
}
