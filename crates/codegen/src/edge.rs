//! The C interface: `scythe_jit_build` and `scythe_jit_free`, as described in [`scythe_abi::jit`].
//!
//! [`Job::read`] validates a request once and converts it to typed values. No panic crosses the
//! interface, and every call fills the response.

use crate::error::RequestError;
use crate::nvptx::{self, toolkit::Toolkit};
use crate::specialize::specialize;
use crate::{Error, Options, compile_linked, spirv};
use scythe_abi::checks::Checks;
use scythe_abi::jit::{Bytes, Constant, Output, Request, Response, VERSION};
use scythe_passes::target::cpu::lowering::specialise::Target;
use std::ffi::{CStr, CString, OsStr, c_char};
use std::os::unix::ffi::OsStrExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::ptr::slice_from_raw_parts_mut;

/// Compiles `request`. Returns 0 on success.
///
/// # Safety
/// `request` must be null or point to a request. Each of its pointers must be null or valid: data
/// for its length, lists for their number of entries, and texts as C strings. `response` must be
/// null or valid for writes. The caller must free it once with [`scythe_jit_free`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_jit_build(request: *const Request, response: *mut Response) -> i32 {
    if response.is_null() {
        return 1;
    }
    let result = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: the caller guarantees that `request` is null or valid, and does not change it
        // during the call (this function's contract).
        unsafe { Job::read(request) }?.run()
    }));
    let result = result.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
        Err(Error::Panic { text: text.to_owned() })
    });
    let (filled, status) = match result {
        Ok(object) => {
            let object = Box::leak(object.into_boxed_slice());
            (
                Response {
                    object: object.as_mut_ptr(),
                    object_len: object.len(),
                    ..Response::empty()
                },
                0,
            )
        }
        Err(error) => (
            Response {
                error: c_text(error.to_string()),
                unsupported: error.is_unsupported().into(),
                ..Response::empty()
            },
            1,
        ),
    };
    // SAFETY: `response` is not null, so the caller guarantees that it is valid for writes (this
    // function's contract).
    unsafe { response.write(filled) };
    status
}

/// Frees the contents of `response` that [`scythe_jit_build`] allocated, and empties it.
///
/// # Safety
/// `response` must be null, or filled by [`scythe_jit_build`] and not changed since.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_jit_free(response: *mut Response) {
    if response.is_null() {
        return;
    }
    // SAFETY: `response` is not null, so the caller guarantees that it is valid (this function's
    // contract).
    let response = unsafe { &mut *response };
    if !response.object.is_null() {
        // SAFETY: `scythe_jit_build` leaked a boxed slice of this length.
        drop(unsafe {
            Box::from_raw(slice_from_raw_parts_mut(response.object, response.object_len))
        });
    }
    if !response.error.is_null() {
        // SAFETY: the pointer comes from `CString::into_raw` in `c_text`.
        drop(unsafe { CString::from_raw(response.error) });
    }
    *response = Response::empty();
}

/// A validated request.
struct Job<'a> {
    bitcode: &'a [u8],
    libraries: Vec<&'a [u8]>,
    work: Work,
}

/// The output to produce from the bitcode.
enum Work {
    CpuObject(Options),
    SpirV(spirv::Options),
    Ptx(nvptx::Options),
    Bitcode { constants: Vec<(String, Vec<u8>)> },
}

impl<'a> Job<'a> {
    /// # Safety
    /// `request` must be null or point to a request that does not change during `'a`, and whose
    /// pointers meet the contract of [`scythe_jit_build`].
    unsafe fn read(request: *const Request) -> Result<Self, RequestError> {
        // SAFETY: the caller guarantees that `request` is null or valid (this function's contract).
        let Some(request): Option<&'a Request> = (unsafe { request.as_ref() }) else {
            return Err(RequestError::Null);
        };
        if request.version != VERSION {
            return Err(RequestError::Version { seen: request.version });
        }
        let output = Output::from_u32(request.output)
            .ok_or(RequestError::Output { seen: request.output })?;
        if request.opt_level > 3 {
            return Err(RequestError::OptLevel { seen: request.opt_level });
        }
        // SAFETY: the caller guarantees that each pointer in the request is null or valid (this
        // function's contract).
        unsafe {
            let bitcode = bytes(&request.bitcode, RequestError::NoBitcode)?;
            let libraries =
                list(request.libraries, request.library_count, "libraries")?.iter().enumerate();
            let libraries = libraries
                .map(|(index, library)| bytes(library, RequestError::EmptyLibrary { index }));
            let libraries = libraries.collect::<Result<_, _>>()?;
            let work = match output {
                Output::CpuObject => Work::CpuObject(cpu_options(request)?),
                Output::SpirV => Work::SpirV(spirv_options(request)?),
                Output::Ptx => Work::Ptx(ptx_options(request)?),
                Output::Bitcode => Work::Bitcode { constants: constants(request)? },
            };
            Ok(Self { bitcode, libraries, work })
        }
    }

    fn run(&self) -> Result<Vec<u8>, Error> {
        match &self.work {
            Work::CpuObject(options) => compile_linked(self.bitcode, &self.libraries, options),
            Work::SpirV(options) => spirv::translate(self.bitcode, &self.libraries, options),
            Work::Ptx(options) => {
                let mut ptx = nvptx::translate(self.bitcode, &self.libraries, options)?;
                // The driver expects a C string.
                ptx.push(0);
                Ok(ptx)
            }
            Work::Bitcode { constants } => specialize(self.bitcode, constants),
        }
    }
}

/// # Safety
/// The contract is that of [`Job::read`].
unsafe fn cpu_options(request: &Request) -> Result<Options, RequestError> {
    let mut options = Options::host(request.opt_level);
    options.target.scalar = request.scalar != 0;
    options.target.checks = Checks(request.checks);
    // SAFETY: the caller guarantees that each pointer in the request is null or valid (this
    // function's contract).
    unsafe {
        options.device_lib_dir = path(request.device_lib_dir);
        options.dump_dir = path(request.dump_dir);
        options.aspects = list(request.aspects, request.aspect_count, "aspects")?.to_vec();
        options.target.target =
            text(request.kernel).map(|kernel| Target { kernel, local_size: size(request) });
    }
    Ok(options)
}

/// Returns the work-group size to compile for, or `None` for any size.
fn size(request: &Request) -> Option<[u64; 3]> {
    Some(request.local_size).filter(|size| *size != [0; 3])
}

/// # Safety
/// The contract is that of [`Job::read`].
unsafe fn spirv_options(request: &Request) -> Result<spirv::Options, RequestError> {
    // SAFETY: the caller guarantees that each pointer in the request is null or valid (this
    // function's contract).
    unsafe {
        let extensions = list(request.extensions, request.extension_count, "SPIR-V extensions")?;
        Ok(spirv::Options {
            device_lib_dir: path(request.device_lib_dir),
            dump_dir: path(request.dump_dir),
            extensions: extensions.iter().filter_map(|&name| text(name)).collect(),
            version: request.spirv_version,
            aspects: list(request.aspects, request.aspect_count, "aspects")?.to_vec(),
            kernel: text(request.kernel),
            validator: path(request.validator),
        })
    }
}

/// # Safety
/// The contract is that of [`Job::read`].
unsafe fn ptx_options(request: &Request) -> Result<nvptx::Options, RequestError> {
    let (sm, ptx) = (request.sm, request.ptx_version);
    let (arch, ptx_version) =
        nvptx::architecture(sm, ptx).ok_or(RequestError::Device { sm, ptx })?;
    // SAFETY: the caller guarantees that each pointer in the request is null or valid (this
    // function's contract).
    unsafe {
        let toolkit = match path(request.cuda_path) {
            Some(path) => Toolkit::at(&path).ok_or(RequestError::NoCuda { path })?,
            None => Toolkit::find(),
        };
        Ok(nvptx::Options {
            opt_level: request.opt_level,
            arch,
            ptx_version,
            device_lib_dir: path(request.device_lib_dir),
            libdevice: toolkit.libdevice,
            dump_dir: path(request.dump_dir),
            aspects: list(request.aspects, request.aspect_count, "aspects")?.to_vec(),
            kernel: text(request.kernel),
        })
    }
}

/// # Safety
/// The contract is that of [`Job::read`].
unsafe fn constants(request: &Request) -> Result<Vec<(String, Vec<u8>)>, RequestError> {
    let read = |constant: &Constant| {
        // SAFETY: the caller guarantees that the pointers of each constant are null or valid (this
        // function's contract).
        let (symbol, value) =
            unsafe { (text(constant.symbol), bytes(&constant.value, RequestError::Constant)?) };
        Ok((symbol.ok_or(RequestError::Constant)?, value.to_vec()))
    };
    // SAFETY: the caller guarantees that the list is null or valid for its number of entries (this
    // function's contract).
    unsafe { list(request.constants, request.constant_count, "specialization constants") }?
        .iter()
        .map(read)
        .collect()
}

/// # Safety
/// The data must be null or valid for its length during `'a`.
unsafe fn bytes<'a>(bytes: &Bytes, missing: RequestError) -> Result<&'a [u8], RequestError> {
    if bytes.data.is_null() {
        return Err(missing);
    }
    // SAFETY: the data is not null, so the caller guarantees that it is valid for its length (this
    // function's contract).
    Ok(unsafe { std::slice::from_raw_parts(bytes.data, bytes.len) })
}

/// # Safety
/// `entries` must be null or valid for `count` entries during `'a`.
unsafe fn list<'a, T>(
    entries: *const T,
    count: usize,
    what: &'static str,
) -> Result<&'a [T], RequestError> {
    match (count, entries.is_null()) {
        (0, _) => Ok(&[]),
        (_, true) => Err(RequestError::NoList { count, what }),
        // SAFETY: `entries` is not null, so the caller guarantees that it is valid for `count`
        // entries (this function's contract).
        (_, false) => Ok(unsafe { std::slice::from_raw_parts(entries, count) }),
    }
}

/// # Safety
/// `text` must be null or a C string.
unsafe fn text(text: *const c_char) -> Option<String> {
    // SAFETY: `text` is not null, so the caller guarantees a C string (this function's contract).
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}

/// # Safety
/// `text` must be null or a C string.
unsafe fn path(text: *const c_char) -> Option<PathBuf> {
    // SAFETY: `text` is not null, so the caller guarantees a C string (this function's contract).
    (!text.is_null())
        .then(|| PathBuf::from(OsStr::from_bytes(unsafe { CStr::from_ptr(text) }.to_bytes())))
}

/// Converts the message to a C string. Drops NULs within it, although there should be none.
fn c_text(message: String) -> *mut c_char {
    let bytes: Vec<u8> = message.into_bytes().into_iter().filter(|&b| b != 0).collect();
    CString::new(bytes).unwrap_or_default().into_raw()
}
