//! The kernel and the source position of a submitted command, as error messages name them.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::ffi::CStr;
use std::sync::Mutex;

use scythe_abi::capi;
use scythe_hal::Place;

use crate::demangle::symbol_name;
use crate::{Error, lock};

/// Returns a position that outlives the program's text.
///
/// # Safety
/// The file of `place` must be null or a C string.
pub unsafe fn place(place: &capi::Place) -> Option<Place> {
    if place.file.is_null() {
        return None;
    }
    // SAFETY: the file is not null, so the caller guarantees that it is a C string.
    let file = unsafe { CStr::from_ptr(place.file) };
    Some(Place { file: kept(file), line: place.line })
}

/// Returns a copy of a file's name that is never freed. There is one copy of each name.
fn kept(file: &CStr) -> &'static str {
    thread_local! {
        /// Consecutive commands often come from one file.
        static LAST: Cell<&'static str> = const { Cell::new("") };
    }
    static FILES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let last = LAST.try_with(Cell::get).unwrap_or_default();
    if last.as_bytes() == file.to_bytes() {
        return last;
    }
    let name = file.to_string_lossy();
    let mut files = lock(&FILES);
    let found = match files.get(&*name) {
        Some(found) => found,
        None => {
            let made: &'static str = Box::leak(name.into_owned().into_boxed_str());
            files.insert(made);
            made
        }
    };
    // If the thread-local storage is gone, the thread is ending.
    let _ = LAST.try_with(|last| last.set(found));
    found
}

/// Adds the kernel and the position of a submission to the message of its failure.
///
/// # Safety
/// The texts of the command must be null or C strings.
pub unsafe fn explain(error: Error, command: &capi::Command) -> Error {
    // SAFETY: the caller guarantees that the file is null or a C string.
    let place = unsafe { place(&command.place) };
    let name = match command.kind {
        // SAFETY: `kind` determines that the union holds a kernel.
        capi::command_kind::KERNEL => unsafe { command.u.kernel.name },
        _ => std::ptr::null(),
    };
    if name.is_null() {
        return error.of_command(None, place);
    }
    // SAFETY: the name is not null, so the caller guarantees that it is a C string.
    let symbol = unsafe { CStr::from_ptr(name) }.to_string_lossy();
    of_kernel(error, &symbol, place)
}

/// Adds a kernel and the position of its submission to the message of its failure.
pub fn of_kernel(error: Error, symbol: &str, place: Option<Place>) -> Error {
    // Backends write the symbol, the runtime writes the name.
    let named = error.message.contains(symbol);
    error.of_command(Some(&*symbol_name(symbol)).filter(|_| !named), place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CString;

    #[test]
    fn the_name_of_a_file_is_kept_once() {
        let at = |name: &CStr| capi::Place { file: name.as_ptr(), line: 3, reserved: 0 };
        let copies = ["a b.cpp", "other.cpp", "a b.cpp"]
            .map(|name| CString::new(name).expect("the name has no NUL"));
        // SAFETY: the names are C strings.
        let [first, _, again] = copies.each_ref().map(|name| unsafe { place(&at(name)) });
        let (first, again) = (first.expect("it is known"), again.expect("it is known"));
        assert_eq!(first.to_string(), "a b.cpp:3");
        assert_eq!(first.file.as_ptr(), again.file.as_ptr());
        // SAFETY: the file is null.
        assert_eq!(unsafe { place(&capi::Place::UNKNOWN) }, None);
    }
}
