//! Calls of the run-time compiler: converts a [`CompileRequest`] to a request of the C interface.

use std::ffi::{CStr, CString, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;

use scythe_abi::environment::{DUMP_JIT, SPIRV_VALIDATOR, Variable};
use scythe_abi::jit::{self, Bytes, Constant, Request, Response};
use scythe_hal::{CompileRequest, Errc, Error, Output, Result};
use scythe_own_files::is_privileged;

use crate::library::Library;
use crate::ptx_version;

/// Returns the folder for the IR of each stage, if the user requests it.
pub(crate) fn dump_folder() -> Option<OsString> {
    setting(&DUMP_JIT, is_privileged())
}

/// Returns the program that checks SPIR-V modules, if the user names one.
pub(crate) fn validator() -> Option<OsString> {
    setting(&SPIRV_VALIDATOR, is_privileged())
}

/// Returns the value of a variable that names a file to write or run. A set-user-ID program ignores
/// such variables, because its caller chooses its environment.
fn setting(variable: &Variable, privileged: bool) -> Option<OsString> {
    std::env::var_os(variable.name).filter(|value| !privileged && !value.is_empty())
}

/// Compiles `request`. A `Build` error describes the problem in the device code.
pub(crate) fn compile(library: &Library, request: &CompileRequest<'_>) -> Result<Vec<u8>> {
    let mut texts = Texts::default();
    let libraries: Vec<Bytes> = request.libraries.iter().map(|code| bytes(code)).collect();
    let (mut extensions, mut constants) = (Vec::new(), Vec::new());
    let mut raw = Request {
        opt_level: request.opt_level,
        bitcode: bytes(request.bitcode),
        libraries: libraries.as_ptr(),
        library_count: libraries.len(),
        device_lib_dir: library.device_lib_dir.as_ptr(),
        dump_dir: texts.optional(dump_folder().as_deref())?,
        aspects: request.aspects.as_ptr(),
        aspect_count: request.aspects.len(),
        ..Request::new(kind(&request.output))
    };
    match request.output {
        Output::CpuObject { scalar, checks, kernel } => {
            raw.scalar = u32::from(scalar);
            raw.checks = checks.0;
            raw.kernel = texts.optional(kernel.map(|part| part.kernel.as_ref()))?;
            raw.local_size = kernel.and_then(|part| part.local_size).unwrap_or_default();
        }
        Output::SpirV { version, extensions: names, kernel } => {
            for name in names {
                extensions.push(texts.add(name.as_ref())?);
            }
            raw.extensions = extensions.as_ptr();
            raw.extension_count = extensions.len();
            raw.spirv_version = version;
            raw.kernel = texts.optional(kernel.map(str::as_ref))?;
            raw.validator = texts.optional(validator().as_deref())?;
        }
        Output::Ptx { sm, driver, kernel } => {
            raw.kernel = texts.optional(kernel.map(str::as_ref))?;
            raw.sm = sm;
            raw.ptx_version = ptx_version::of_driver(driver);
        }
        Output::Bitcode { constants: values } => {
            for (symbol, value) in values {
                constants
                    .push(Constant { symbol: texts.add(symbol.as_ref())?, value: bytes(value) });
            }
            raw.constants = constants.as_ptr();
            raw.constant_count = constants.len();
        }
    }
    let mut response = Response::empty();
    // SAFETY: the request has the layout of the version that it names, and everything that it
    // points to lives until the end of this function.
    let status = unsafe { (library.build)(&raw, &mut response) };
    let result = if status == 0 && response.error.is_null() && !response.object.is_null() {
        // SAFETY: on success the response contains `object_len` bytes until it is freed.
        Ok(unsafe { std::slice::from_raw_parts(response.object, response.object_len) }.to_vec())
    } else if response.error.is_null() {
        Err(build_error(format!(
            "the run-time compiler failed with status {status} and returned no message"
        )))
    } else {
        // SAFETY: the error is a NUL-terminated string until the response is freed.
        let text = unsafe { CStr::from_ptr(response.error) }.to_string_lossy().into_owned();
        let code = if response.unsupported == 0 { Errc::Build } else { Errc::KernelNotSupported };
        Err(Error::new(code, text))
    };
    // SAFETY: the compiler filled the response, and nothing uses it any more.
    unsafe { (library.free)(&mut response) };
    result
}

fn kind(output: &Output<'_>) -> jit::Output {
    match output {
        Output::CpuObject { .. } => jit::Output::CpuObject,
        Output::SpirV { .. } => jit::Output::SpirV,
        Output::Ptx { .. } => jit::Output::Ptx,
        Output::Bitcode { .. } => jit::Output::Bitcode,
    }
}

fn bytes(bytes: &[u8]) -> Bytes {
    Bytes { data: bytes.as_ptr(), len: bytes.len() }
}

/// C strings that live as long as the request that points to them.
#[derive(Default)]
struct Texts(Vec<CString>);

impl Texts {
    fn add(&mut self, text: &std::ffi::OsStr) -> Result<*const std::ffi::c_char> {
        self.0.push(c_string(Path::new(text))?);
        // The bytes of a string do not move when the vector grows.
        Ok(self.0.last().map_or(ptr::null(), |text| text.as_ptr()))
    }

    fn optional(&mut self, text: Option<&std::ffi::OsStr>) -> Result<*const std::ffi::c_char> {
        text.map_or(Ok(ptr::null()), |text| self.add(text))
    }
}

pub(crate) fn build_error(message: String) -> Error {
    Error::new(Errc::Build, message)
}

pub(crate) fn c_string(text: &Path) -> Result<CString> {
    CString::new(text.as_os_str().as_bytes())
        .map_err(|_| build_error(format!("'{}' contains a NUL character", text.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn privileged_programs_ignore_variables_that_name_files() {
        // Every process of the tests has this variable.
        let path = Variable { name: "PATH", values: "folders" };
        assert!(setting(&path, false).is_some());
        assert_eq!(setting(&path, true), None);
        assert!(!is_privileged());
    }
}
