//! The functions that checked kernels call (`scythe_abi::checks`).
//!
//! | module | finds |
//! |---|---|
//! | [`address`] | accesses outside of allocations, accessors and variables |
//! | [`races`] | accesses of work-items that no barrier separates |
//! | [`meetings`] | barriers that not all work-items of a group reach |
//! | [`undefined`] | nothing: it adds the work-item to the reports of clang's checks |
//!
//! A thread that runs work-groups of a checked kernel has a [`Run`]. Checked kernels run one
//! work-item at a time: all work-items of a group up to their next barrier, then all of them
//! further. So the order of the calls tells which accesses a barrier separates.

mod address;
mod meetings;
mod races;
mod report;
mod run;
mod undefined;

pub(crate) use address::LocalMemory;
pub(crate) use report::take_failure;
pub(crate) use run::{enter, is_alone};

use std::ffi::{c_char, c_void};
use std::sync::OnceLock;

use scythe_abi::checks::{Checks, functions};
use scythe_abi::environment::CHECK;
use scythe_hal::{Errc, Error, Result};

use run::with_run;

/// Returns the checks that the environment requests. Reports an error if the setting is invalid.
pub(crate) fn of_process() -> Result<Checks> {
    static CHECKS: OnceLock<Result<Checks>> = OnceLock::new();
    let read = || {
        let text = std::env::var_os(CHECK.name).map(|text| text.to_string_lossy().into_owned());
        Checks::of_setting(text.as_deref()).map_err(|message| Error::new(Errc::Invalid, message))
    };
    CHECKS.get_or_init(read).clone()
}

/// Returns the address of a function that checked kernels call.
pub(crate) fn symbol(name: &str) -> Option<usize> {
    type Id = unsafe extern "C" fn(u64, u64, u64);
    type Access = unsafe extern "C" fn(usize, u64, u32, *const c_char, u64, u64, u64);
    type AccessInCall = unsafe extern "C" fn(usize, u64, u32, *const c_char);
    type Barrier = unsafe extern "C" fn(u32, *const c_char, u64, u64, u64);
    type Variable = unsafe extern "C" fn(usize, u64, u64, u64);
    type Undefined = unsafe extern "C" fn(*const c_void, u64, u64, u64);
    Some(match name {
        functions::ITEM => at_item as Id as usize,
        functions::ACCESS => at_access as Access as usize,
        functions::ACCESS_IN_CALL => at_access_in_call as AccessInCall as usize,
        functions::BARRIER => at_barrier as Barrier as usize,
        functions::END => at_end as Id as usize,
        functions::PRIVATE => at_private as Variable as usize,
        functions::PRIVATE_END => at_private_end as Variable as usize,
        functions::LOCAL => at_local as Variable as usize,
        functions::UNDEFINED => at_undefined as Undefined as usize,
        _ if name.starts_with(functions::UNDEFINED_HANDLER) => return address::of_process(name),
        _ => return None,
    })
}

unsafe extern "C" fn at_item(g0: u64, g1: u64, g2: u64) {
    with_run(|run| run.turn_to([g0, g1, g2]));
}

/// # Safety
/// `position` is a C string that lives as long as the kernel's code.
unsafe extern "C" fn at_access(
    address: usize,
    bytes: u64,
    kind: u32,
    position: *const c_char,
    g0: u64,
    g1: u64,
    g2: u64,
) {
    with_run(|run| {
        run.turn_to([g0, g1, g2]);
        // SAFETY: the position lives as long as the kernel's code (this function's contract).
        run.access(address, bytes, kind, unsafe { report::Position::new(position) });
    });
}

/// # Safety
/// `position` is a C string that lives as long as the kernel's code.
unsafe extern "C" fn at_access_in_call(
    address: usize,
    bytes: u64,
    kind: u32,
    position: *const c_char,
) {
    // SAFETY: the position lives as long as the kernel's code (this function's contract).
    with_run(|run| run.access(address, bytes, kind, unsafe { report::Position::new(position) }));
}

/// # Safety
/// `position` is a C string that lives as long as the kernel's code.
unsafe extern "C" fn at_barrier(scope: u32, position: *const c_char, g0: u64, g1: u64, g2: u64) {
    with_run(|run| {
        run.turn_to([g0, g1, g2]);
        // SAFETY: the position lives as long as the kernel's code (this function's contract).
        run.barrier(scope, unsafe { report::Position::new(position) });
    });
}

unsafe extern "C" fn at_end(g0: u64, g1: u64, g2: u64) {
    with_run(|run| {
        run.turn_to([g0, g1, g2]);
        run.end();
    });
}

unsafe extern "C" fn at_private(first: usize, before: u64, bytes: u64, after: u64) {
    address::forbid_zones(first, before, bytes, after);
}

unsafe extern "C" fn at_private_end(first: usize, before: u64, bytes: u64, after: u64) {
    address::allow(first, before + bytes + after);
}

unsafe extern "C" fn at_local(first: usize, before: u64, bytes: u64, after: u64) {
    with_run(|run| run.local_variable(first, before, bytes, after));
}

/// # Safety
/// `data` is what clang passes to the function that reports the failed check.
unsafe extern "C" fn at_undefined(data: *const c_void, g0: u64, g1: u64, g2: u64) {
    with_run(|run| {
        run.turn_to([g0, g1, g2]);
        // SAFETY: the data are those of clang's check (this function's contract).
        unsafe { undefined::announce(run, data) }
    });
}
