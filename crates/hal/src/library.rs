//! The file that this code was loaded from: `libscythe.so`, or an executable that links the
//! runtime.

use std::ffi::{CStr, CString, c_void};

/// The path of the shared object or executable that holds this code.
pub fn own_path() -> Option<CString> {
    let code = own_path as fn() -> Option<CString> as *const c_void;
    // SAFETY: `info` holds plain pointers, which the call fills when it succeeds. The name is then
    // a C string that lives as long as the object, which holds this very code.
    unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        let found = libc::dladdr(code, &mut info) != 0 && !info.dli_fname.is_null();
        found.then(|| CStr::from_ptr(info.dli_fname).to_owned())
    }
}
