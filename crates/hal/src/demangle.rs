//! Demangles symbols for messages.

use std::borrow::Cow;
use std::ffi::{CStr, CString, c_char, c_int};

use scythe_abi::names::TU_SEPARATOR;

type Demangle =
    unsafe extern "C" fn(*const c_char, *mut c_char, *mut usize, *mut c_int) -> *mut c_char;

/// Demangles a kernel's name, `_ZTS1K` to `K`, or a function, `_Z1fi` to `f(int)`. Returns the
/// symbol unchanged if it is not a mangled name or if the program does not use a C++ library.
pub fn symbol_name(symbol: &str) -> String {
    // The suffix identifies the translation unit; the C++ library cannot demangle it.
    let mangled = symbol.split(TU_SEPARATOR).next().unwrap_or(symbol);
    if !mangled.starts_with("_Z") {
        return symbol.to_owned();
    }
    let name = CString::new(mangled).ok().and_then(|mangled| demangle(&mangled));
    match name.as_deref().map(|name| name.strip_prefix("typeinfo name for ").unwrap_or(name)) {
        Some(name) => free_function(name).unwrap_or(name).to_owned(),
        None => symbol.to_owned(),
    }
}

/// Returns a message in which names in C++ replace the mangled names in quotes, as backends write
/// them.
pub fn readable(message: &str) -> Cow<'_, str> {
    const START: &str = "'_Z";
    if !message.contains(START) {
        return Cow::Borrowed(message);
    }
    let (mut out, mut rest) = (String::with_capacity(message.len()), message);
    while let Some(start) = rest.find(START) {
        let (before, symbol) = rest.split_at(start + 1);
        let is_part = |c: char| c.is_ascii_alphanumeric() || "_.$@".contains(c);
        let end = symbol.find(|c| !is_part(c)).unwrap_or(symbol.len());
        out += before;
        out += &symbol_name(&symbol[..end]);
        rest = &symbol[end..];
    }
    Cow::Owned(out + rest)
}

/// Returns the function of a free function kernel, whose name is a class with that argument.
fn free_function(name: &str) -> Option<&str> {
    let function = name.strip_prefix("sycl::detail::free_function<&")?.strip_suffix('>')?;
    Some(function.strip_prefix('(').and_then(|name| name.strip_suffix(')')).unwrap_or(function))
}

fn demangle(mangled: &CStr) -> Option<String> {
    // SAFETY: the name is a C string.
    let function = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"__cxa_demangle".as_ptr()) };
    if function.is_null() {
        return None;
    }
    // SAFETY: the C++ ABI defines this type of the symbol.
    let function = unsafe { std::mem::transmute::<*mut libc::c_void, Demangle>(function) };
    let mut status = 0;
    // SAFETY: the name is a C string, the buffer is null, and `status` is valid for writes.
    let text = unsafe {
        function(mangled.as_ptr(), std::ptr::null_mut(), std::ptr::null_mut(), &mut status)
    };
    if text.is_null() {
        return None;
    }
    // SAFETY: `text` is not null, so it is a C string that the function allocated with `malloc`.
    let name = unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
    // SAFETY: the function allocated `text` with `malloc`, and it is not used any more.
    unsafe { libc::free(text.cast()) };
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_function_kernels_are_shown_as_functions() {
        assert_eq!(free_function("sycl::detail::free_function<&(ns::f(int))>"), Some("ns::f(int)"));
        assert_eq!(free_function("sycl::detail::free_function<&f>"), Some("f"));
        assert_eq!(free_function("K"), None);
    }

    #[test]
    fn only_the_mangled_names_of_a_message_change() {
        assert_eq!(readable("kernel 'K': 'a' _Z1f '_"), "kernel 'K': 'a' _Z1f '_");
        let message = readable("'_ZTS1K' and '_ZTS2Of.tu.00' or '_Z");
        // Test programs may or may not have a C++ library.
        let raw = "'_ZTS1K' and '_ZTS2Of.tu.00' or '_Z";
        assert!(["'K' and 'Of' or '_Z", raw].contains(&&*message), "{message}");
    }

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
