//! Symbols as the programmer wrote them, for messages.

use std::ffi::{CStr, CString, c_char, c_int};

use scythe_abi::names::TU_SEPARATOR;

type Demangle =
    unsafe extern "C" fn(*const c_char, *mut c_char, *mut usize, *mut c_int) -> *mut c_char;

/// A kernel's name, `K` for `_ZTS1K`, or a function, `f(int)` for `_Z1fi`. What is no mangled name
/// stays as it is, and so does everything where the program has no C++ library.
pub fn symbol_name(symbol: &str) -> String {
    // What follows marks the translation unit, which the C++ library knows nothing of.
    let mangled = symbol.split(TU_SEPARATOR).next().unwrap_or(symbol);
    if !mangled.starts_with("_Z") {
        return symbol.to_owned();
    }
    let name = CString::new(mangled).ok().and_then(|mangled| demangle(&mangled));
    match name.as_deref().map(|name| name.strip_prefix("typeinfo name for ").unwrap_or(name)) {
        Some(name) => name.to_owned(),
        None => symbol.to_owned(),
    }
}

fn demangle(mangled: &CStr) -> Option<String> {
    // SAFETY: the name is a C string.
    let function = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"__cxa_demangle".as_ptr()) };
    if function.is_null() {
        return None;
    }
    // SAFETY: the C++ ABI gives the symbol this type.
    let function = unsafe { std::mem::transmute::<*mut libc::c_void, Demangle>(function) };
    let mut status = 0;
    // SAFETY: a C string, no buffer of ours, and a place for the status.
    let text = unsafe {
        function(mangled.as_ptr(), std::ptr::null_mut(), std::ptr::null_mut(), &mut status)
    };
    if text.is_null() {
        return None;
    }
    // SAFETY: not null, so a C string that the C library allocated for us.
    let name = unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
    // SAFETY: as above; it is not used any more.
    unsafe { libc::free(text.cast()) };
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_not_mangled_stay() {
        assert_eq!(symbol_name("plain"), "plain");
        assert_eq!(symbol_name("_ZTS"), "_ZTS");
        // Test programs may or may not have a C++ library.
        assert!(
            ["K", "_ZTS1K.tu.00000000000000ab"]
                .contains(&symbol_name("_ZTS1K.tu.00000000000000ab").as_str())
        );
    }
}
