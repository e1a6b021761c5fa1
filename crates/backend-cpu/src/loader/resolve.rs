//! Finds the functions outside of its object that device code may call: functions of the C and
//! maths libraries, libmvec's vector functions, and compiler support functions for operations that
//! the processor lacks (128-bit division, half precision without F16C).

use std::ffi::c_char;
use std::sync::OnceLock;

use scythe_hal::library::Library;

use crate::debugger::work_item::{self, WorkItem};
use crate::node::now;
use crate::{assertion, barrier, gang, sanitize};

/// In the order of search. The process's own scope is not among them: a program's `pow` must not
/// become the kernel's, nor the host's version of a device function that another image should
/// define.
const LIBRARIES: [&str; 4] = ["libm.so.6", "libmvec.so.1", "libc.so.6", "libgcc_s.so.1"];

/// Reads the clock of kernels: nanoseconds for every scope, because all threads share the clock.
extern "C" fn clock(_scope: u32) -> u64 {
    now()
}

/// Returns the address of a function in the system's libraries.
pub(crate) fn system_symbol(name: &str) -> Option<usize> {
    if name == barrier::SYMBOL {
        return Some(barrier::divergent_barrier as extern "C" fn() as usize);
    }
    if name == "__scythe_clock" {
        return Some(clock as extern "C" fn(u32) -> u64 as usize);
    }
    if name == gang::SYMBOL {
        return Some(gang::root_group_wait as extern "C" fn() as usize);
    }
    if name == work_item::SYMBOL {
        return Some(work_item::enter as unsafe extern "C" fn(*mut WorkItem) as usize);
    }
    if let Some(address) = sanitize::symbol(name) {
        return Some(address);
    }
    if name == assertion::SYMBOL {
        type Failed = unsafe extern "C" fn(
            *const c_char,
            *const c_char,
            u32,
            *const c_char,
            u64,
            u64,
            u64,
            u64,
            u64,
            u64,
        ) -> !;
        return Some(assertion::assertion_failed as Failed as usize);
    }
    static LOADED: OnceLock<Vec<Library>> = OnceLock::new();
    let libraries = LOADED.get_or_init(|| {
        // SAFETY: these libraries' initialisers have no precondition.
        LIBRARIES
            .into_iter()
            .filter_map(|name| unsafe { Library::load_lazily(name) }.ok())
            .collect()
    });
    if name.is_empty() {
        return None;
    }
    libraries.iter().find_map(|library| library.address(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_the_system_are_found() {
        for name in ["sinf", "pow", "memcpy", "memset", "_ZGVbN4v_sinf", "__udivti3"] {
            assert!(system_symbol(name).is_some(), "{name}");
        }
        for name in ["", "no_such_function", "nul\0inside"] {
            assert_eq!(system_symbol(name), None, "{name}");
        }
    }
}
