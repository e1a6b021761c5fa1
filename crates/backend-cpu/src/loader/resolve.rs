//! Finds the functions that device code may call outside its object: those of the C and maths
//! libraries, libmvec's vector versions, and the compiler's own for what the processor lacks
//! (128-bit division, half precision without F16C).

use std::ffi::{CStr, CString, c_char, c_void};
use std::sync::OnceLock;

use crate::{assertion, barrier};

/// In the order of search. The process's own scope is not among them: a program's `pow` must not
/// become the kernel's, nor the host's version of a device function that another image should
/// define.
const LIBRARIES: [&CStr; 4] = [c"libm.so.6", c"libmvec.so.1", c"libc.so.6", c"libgcc_s.so.1"];

/// The address of a function of the system's libraries.
pub(crate) fn system_symbol(name: &str) -> Option<usize> {
    if name == barrier::SYMBOL {
        return Some(barrier::divergent_barrier as extern "C" fn() as usize);
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
    static HANDLES: OnceLock<Vec<usize>> = OnceLock::new();
    let handles = HANDLES.get_or_init(|| {
        let open = |library: &CStr| {
            // SAFETY: the name is a C string; these libraries' initialisers have no precondition.
            unsafe { libc::dlopen(library.as_ptr(), libc::RTLD_LAZY | libc::RTLD_LOCAL) as usize }
        };
        LIBRARIES.into_iter().map(open).filter(|&handle| handle != 0).collect()
    });
    let name = CString::new(name).ok().filter(|name| !name.is_empty())?;
    let look = |handle: *mut c_void| {
        // SAFETY: the handle is open, and the name is a C string.
        let address = unsafe { libc::dlsym(handle, name.as_ptr()) } as usize;
        (address != 0).then_some(address)
    };
    handles.iter().find_map(|&handle| look(handle as *mut c_void))
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
