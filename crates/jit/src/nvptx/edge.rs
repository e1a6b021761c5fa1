//! The C edge: `scythe_jit_translate_ptx`, as [`scythe_abi::ptx`] describes it.
//!
//! A panic does not cross it, and a response is filled in every case.

use super::toolkit::Toolkit;
use super::{FIRST_PTX, Options, architecture, translate};
use crate::edge::{answer, bitcode_list, path};
use scythe_abi::jit::Response;
use scythe_abi::ptx::{Request, VERSION};

/// Translates `request`; 0 on success.
///
/// # Safety
/// `request` is null or points to a request whose pointers are null or valid: `bitcode` for `bitcode_len` bytes, paths as C strings,
/// `libraries` for `library_count` entries, each valid for its length, `aspects` for `aspect_count` numbers. `response` is null or
/// valid for writing; it is then freed with `scythe_jit_free`, once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_jit_translate_ptx(request: *const Request, response: *mut Response) -> i32 {
    // SAFETY: passed on.
    unsafe { answer(response, || run(request)) }
}

/// # Safety
/// As for [`scythe_jit_translate_ptx`].
unsafe fn run(request: *const Request) -> Result<Vec<u8>, String> {
    // SAFETY: null or valid by this function's contract.
    let Some(request) = (unsafe { request.as_ref() }) else {
        return Err("the request to the run-time compiler is null".into());
    };
    if request.version != VERSION {
        let (seen, own) = (request.version, VERSION);
        return Err(format!("the run-time compiler speaks version {own} of PTX requests, its caller version {seen}"));
    }
    if request.opt_level > 3 {
        return Err(format!("optimisation level {} is not one of 0 to 3", request.opt_level));
    }
    if request.bitcode.is_null() {
        return Err("the request to the run-time compiler has no bitcode".into());
    }
    let (sm, ptx) = (request.sm, request.ptx_version);
    let (arch, ptx_version) = architecture(sm, ptx).ok_or_else(|| {
        format!(
            "no PTX can be made for a device of compute capability {}.{} whose driver knows PTX {}.{}: expected 5.0 and PTX {}.{} or \
             later",
            sm / 10,
            sm % 10,
            ptx / 10,
            ptx % 10,
            FIRST_PTX / 10,
            FIRST_PTX % 10
        )
    })?;
    // SAFETY: not null, so valid for its length by this function's contract.
    let bitcode = unsafe { std::slice::from_raw_parts(request.bitcode, request.bitcode_len) };
    // SAFETY: passed on.
    let libraries = unsafe { bitcode_list(request.libraries, request.library_count) }?;
    let aspects = match request.aspects.is_null() {
        true => Vec::new(),
        // SAFETY: not null, so valid for its number by this function's contract.
        false => unsafe { std::slice::from_raw_parts(request.aspects, request.aspect_count) }.to_vec(),
    };
    // SAFETY: null or a C string by this function's contract.
    let toolkit = match unsafe { path(request.cuda_path) } {
        Some(path) => Toolkit::at(&path)
            .ok_or_else(|| format!("'{}' holds no CUDA: expected nvvm/libdevice or bin/ptxas in it", path.display()))?,
        None => Toolkit::find(),
    };
    let options = Options {
        opt_level: request.opt_level,
        arch: arch.to_owned(),
        ptx_version,
        // SAFETY: null or C strings by this function's contract.
        device_lib_dir: unsafe { path(request.device_lib_dir) },
        libdevice: toolkit.libdevice,
        // SAFETY: as above.
        dump_dir: unsafe { path(request.dump_dir) },
        aspects,
    };
    let mut ptx = translate(bitcode, &libraries, &options)?;
    // The driver wants a C string.
    ptx.push(0);
    Ok(ptx)
}
