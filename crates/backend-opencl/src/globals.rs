//! Finds the addresses of a program's variables with an extension of Intel. OpenCL itself has no
//! function for this.

use std::ffi::{CString, c_char, c_void};

use scythe_hal::{Errc, Error, Result};

use crate::api::Handle;
use crate::platform::Platform;

/// `clGetDeviceGlobalVariablePointerINTEL`.
type GetPointer =
    unsafe extern "C" fn(Handle, Handle, *const c_char, *mut usize, *mut *mut c_void) -> i32;

/// Returns the address of a variable of a program that was built for the device, or `None` if the
/// driver knows no variable of this name.
pub(crate) fn address(
    platform: &Platform,
    device: Handle,
    program: Handle,
    symbol: &str,
) -> Result<Option<*mut c_void>> {
    let name = c"clGetDeviceGlobalVariablePointerINTEL";
    let api = platform.api;
    // SAFETY: the platform is alive, and the name is a C string.
    let found =
        unsafe { (api.get_extension_function_address_for_platform)(platform.id, name.as_ptr()) };
    if found.is_null() {
        let message = format!(
            "device_global '{symbol}' cannot be used: the driver does not support {}",
            name.to_string_lossy()
        );
        return Err(Error::new(Errc::FeatureNotSupported, message));
    }
    // SAFETY: the extension's function of this name has this type.
    let get_pointer = unsafe { std::mem::transmute::<*mut c_void, GetPointer>(found) };
    let Ok(symbol) = CString::new(symbol) else { return Ok(None) };
    let (mut size, mut pointer) = (0, std::ptr::null_mut());
    // SAFETY: the program and the device are alive, the name is a C string, and `size` and
    // `pointer` are writable.
    let code = unsafe { get_pointer(device, program, symbol.as_ptr(), &mut size, &mut pointer) };
    Ok((code == 0 && !pointer.is_null()).then_some(pointer))
}
