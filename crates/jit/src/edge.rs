//! The C edge: `scythe_jit_compile` and `scythe_jit_free`, as [`scythe_abi::jit`] describes them.
//!
//! A panic does not cross it, and a response is filled in every case.

use crate::{Options, compile_linked};
use scythe_abi::jit::{Bitcode, Request, Response, VERSION};
use scythe_passes::target::cpu::specialise::Target;
use std::ffi::{CStr, CString, OsStr, c_char};
use std::os::unix::ffi::OsStrExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::ptr::{null_mut, slice_from_raw_parts_mut};

/// Compiles `request`; 0 on success.
///
/// # Safety
/// `request` is null or points to a request whose pointers are null or valid: `bitcode` for `bitcode_len` bytes, paths and `kernel`
/// as C strings, `libraries` for `library_count` entries, each valid for its length, `aspects` for `aspect_count` numbers. `response` is null or valid for writing; it is then freed with [`scythe_jit_free`], once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_jit_compile(request: *const Request, response: *mut Response) -> i32 {
    // SAFETY: passed on.
    unsafe { answer(response, || compile(request)) }
}

/// Fills `response` with what `work` gives, also when it panics; 0 on success.
///
/// # Safety
/// `response` is null or valid for writing. `work` may be called.
pub(crate) unsafe fn answer(response: *mut Response, work: impl FnOnce() -> Result<Vec<u8>, String>) -> i32 {
    if response.is_null() {
        return 1;
    }
    let result = catch_unwind(AssertUnwindSafe(work));
    let result = result.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
        Err(format!("internal error in the run-time compiler: {text}"))
    });
    let (filled, status) = match result {
        Ok(object) => {
            let object = Box::leak(object.into_boxed_slice());
            (Response { object: object.as_mut_ptr(), object_len: object.len(), error: null_mut() }, 0)
        }
        Err(message) => (Response { object: null_mut(), object_len: 0, error: c_text(message) }, 1),
    };
    // SAFETY: not null, so valid for writing by this function's contract.
    unsafe { response.write(filled) };
    status
}

/// Frees what [`scythe_jit_compile`] put into `response`, and empties it.
///
/// # Safety
/// `response` is null, or was filled by [`scythe_jit_compile`] and not changed since.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_jit_free(response: *mut Response) {
    if response.is_null() {
        return;
    }
    // SAFETY: valid by this function's contract.
    let response = unsafe { &mut *response };
    if !response.object.is_null() {
        // SAFETY: a boxed slice of this length, leaked by `scythe_jit_compile`.
        drop(unsafe { Box::from_raw(slice_from_raw_parts_mut(response.object, response.object_len)) });
    }
    if !response.error.is_null() {
        // SAFETY: made by `CString::into_raw`.
        drop(unsafe { CString::from_raw(response.error) });
    }
    *response = Response { object: null_mut(), object_len: 0, error: null_mut() };
}

/// # Safety
/// As for [`scythe_jit_compile`].
unsafe fn compile(request: *const Request) -> Result<Vec<u8>, String> {
    // SAFETY: null or valid by this function's contract.
    let Some(request) = (unsafe { request.as_ref() }) else {
        return Err("the request to the run-time compiler is null".into());
    };
    if request.version != VERSION {
        return Err(format!("the run-time compiler speaks version {VERSION}, its caller version {}", request.version));
    }
    if request.opt_level > 3 {
        return Err(format!("optimisation level {} is not one of 0 to 3", request.opt_level));
    }
    if request.bitcode.is_null() {
        return Err("the request to the run-time compiler has no bitcode".into());
    }
    // SAFETY: not null, so valid for its length by this function's contract.
    let bitcode = unsafe { std::slice::from_raw_parts(request.bitcode, request.bitcode_len) };
    let mut options = Options::host(request.opt_level);
    options.target.scalar = request.scalar != 0;
    // SAFETY: null or C strings by this function's contract.
    unsafe {
        options.device_lib_dir = path(request.device_lib_dir);
        options.dump_dir = path(request.dump_dir);
        if !request.kernel.is_null() {
            let kernel = CStr::from_ptr(request.kernel).to_string_lossy().into_owned();
            options.target.target = Some(Target { kernel, local_size: request.local_size });
        }
    }
    if !request.aspects.is_null() {
        // SAFETY: not null, so valid for its number by this function's contract.
        options.aspects = unsafe { std::slice::from_raw_parts(request.aspects, request.aspect_count) }.to_vec();
    }
    // SAFETY: passed on.
    let libraries = unsafe { bitcode_list(request.libraries, request.library_count) }?;
    compile_linked(bitcode, &libraries, &options)
}

/// # Safety
/// `list` is null or valid for `count` entries, and each entry's data null or valid for its length.
pub(crate) unsafe fn bitcode_list<'a>(list: *const Bitcode, count: usize) -> Result<Vec<&'a [u8]>, String> {
    if count == 0 {
        return Ok(Vec::new());
    }
    if list.is_null() {
        return Err(format!("the request to the run-time compiler names {count} libraries and no list"));
    }
    // SAFETY: not null, so valid for its number by this function's contract.
    let list: &[Bitcode] = unsafe { std::slice::from_raw_parts(list, count) };
    let bytes = |(index, library): (usize, &Bitcode)| {
        if library.data.is_null() {
            return Err(format!("library {index} of the request to the run-time compiler has no bitcode"));
        }
        // SAFETY: not null, so valid for its length by this function's contract.
        Ok(unsafe { std::slice::from_raw_parts(library.data, library.len) })
    };
    list.iter().enumerate().map(bytes).collect()
}

/// # Safety
/// `text` is null or a C string.
pub(crate) unsafe fn path(text: *const c_char) -> Option<PathBuf> {
    // SAFETY: a C string by this function's contract.
    (!text.is_null()).then(|| PathBuf::from(OsStr::from_bytes(unsafe { CStr::from_ptr(text) }.to_bytes())))
}

/// A C string of the message; NULs within it, of which there should be none, are left out.
fn c_text(message: String) -> *mut c_char {
    let bytes: Vec<u8> = message.into_bytes().into_iter().filter(|&b| b != 0).collect();
    CString::new(bytes).unwrap_or_default().into_raw()
}
