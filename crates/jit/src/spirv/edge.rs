//! The C edge: `scythe_jit_translate`, as [`scythe_abi::spirv`] describes it.
//!
//! A panic does not cross it, and a response is filled in every case.

use super::{Options, translate};
use crate::edge::{answer, bitcode_list, path};
use scythe_abi::jit::Response;
use scythe_abi::spirv::{Request, VERSION};
use std::ffi::CStr;

/// Translates `request`; 0 on success.
///
/// # Safety
/// `request` is null or points to a request whose pointers are null or valid: `bitcode` for `bitcode_len` bytes, paths, extensions
/// and `kernel` as C strings, `libraries` for `library_count` entries, each valid for its length, `aspects` for `aspect_count`
/// numbers. `response` is null or valid for writing; it is then freed with `scythe_jit_free`, once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_jit_translate(request: *const Request, response: *mut Response) -> i32 {
    // SAFETY: passed on.
    unsafe { answer(response, || run(request)) }
}

/// # Safety
/// As for [`scythe_jit_translate`].
unsafe fn run(request: *const Request) -> Result<Vec<u8>, String> {
    // SAFETY: null or valid by this function's contract.
    let Some(request) = (unsafe { request.as_ref() }) else {
        return Err("the request to the run-time compiler is null".into());
    };
    if request.version != VERSION {
        let (seen, own) = (request.version, VERSION);
        return Err(format!(
            "the run-time compiler speaks version {own} of SPIR-V requests, its caller version {seen}"
        ));
    }
    if request.bitcode.is_null() {
        return Err("the request to the run-time compiler has no bitcode".into());
    }
    // SAFETY: not null, so valid for its length by this function's contract.
    let bitcode = unsafe { std::slice::from_raw_parts(request.bitcode, request.bitcode_len) };
    // SAFETY: passed on.
    let libraries = unsafe { bitcode_list(request.libraries, request.library_count) }?;
    let extensions = match request.extensions.is_null() {
        true => String::new(),
        // SAFETY: not null, so a C string by this function's contract.
        false => unsafe { CStr::from_ptr(request.extensions) }.to_string_lossy().into_owned(),
    };
    let kernel = match request.kernel.is_null() {
        true => None,
        // SAFETY: not null, so a C string by this function's contract.
        false => Some(unsafe { CStr::from_ptr(request.kernel) }.to_string_lossy().into_owned()),
    };
    let aspects = match request.aspects.is_null() {
        true => Vec::new(),
        // SAFETY: not null, so valid for its number by this function's contract.
        false => unsafe { std::slice::from_raw_parts(request.aspects, request.aspect_count) }.to_vec(),
    };
    let options = Options {
        // SAFETY: null or C strings by this function's contract.
        device_lib_dir: unsafe { path(request.device_lib_dir) },
        // SAFETY: as above.
        dump_dir: unsafe { path(request.dump_dir) },
        extensions: extensions.split_whitespace().map(str::to_owned).collect(),
        version: request.spirv_version,
        aspects,
        kernel,
        // SAFETY: as above.
        validator: unsafe { path(request.validator) },
    };
    translate(bitcode, &libraries, &options)
}
