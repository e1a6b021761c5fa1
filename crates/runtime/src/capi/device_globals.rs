//! Variables of device code: registration by programs, and their addresses for copies.

use std::ffi::c_void;

use scythe_abi::capi::{DeviceGlobal, QueueHandle, QueueT, Status};

use super::handles::{check_out, get, put, slice, text};
use super::{edge, edge_or};
use crate::device_global::{self, Part};
use crate::{Result, invalid};

/// # Safety
/// See [`super`]. The objects in the table must stay readable until
/// [`scythe_device_globals_unregister`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_device_globals_register(table: *const DeviceGlobal, count: u64) {
    edge_or((), || {
        // SAFETY: the caller guarantees that `table` is null or holds `count` rows with valid
        // names.
        for (host, name, size) in unsafe { rows(table, count) }? {
            device_global::register(host, name, size);
        }
        Ok(())
    });
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_device_globals_unregister(table: *const DeviceGlobal, count: u64) {
    edge_or((), || {
        // SAFETY: the caller guarantees that `table` is null or holds `count` rows with valid
        // names.
        for (host, name, _) in unsafe { rows(table, count) }? {
            device_global::unregister(host, name);
        }
        Ok(())
    });
}

/// Returns the rows of a table as host address, name and size.
///
/// # Safety
/// `table` must be null or hold `count` rows, whose names are null or C strings.
unsafe fn rows<'a>(
    table: *const DeviceGlobal,
    count: u64,
) -> Result<Vec<(*const c_void, &'a str, u64)>> {
    // SAFETY: the caller guarantees that `table` is null or valid for reads of `count` values.
    let rows = unsafe { slice(table, count, "device globals") }?;
    // SAFETY: the caller guarantees that each name is null or a C string.
    rows.iter()
        .map(|row| Ok((row.host, unsafe { text(row.name, "name of a device global") }?, row.size)))
        .collect()
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_device_global_place(
    queue: QueueHandle,
    host: *const c_void,
    size: u64,
    image_scope: u32,
    offset: u64,
    bytes: u64,
    out: *mut *mut c_void,
) -> Status {
    edge(|| {
        check_out(out, "out")?;
        // SAFETY: the caller guarantees that `queue` is null or a live handle.
        let queue = unsafe { get::<QueueT>(queue) }?;
        if queue.is_recording() {
            return Err(invalid(
                "a copy of a device_global variable cannot be a command of a graph",
            ));
        }
        let part = Part { host, size, image_scope: image_scope != 0, offset, bytes };
        let place = device_global::place(queue, &part)?;
        // SAFETY: the caller guarantees that `out` is null or valid for a write.
        unsafe { put(out, "out", place) }
    })
}
