//! `scythe_jit_specialize`: device bitcode with the values of specialization constants, as [`scythe_abi::specialize`] describes it.
//!
//! The defaults stay where no value is given. A panic does not cross the edge, and a response is filled in every case.

use crate::edge::answer;
use scythe_abi::jit::Response;
use scythe_abi::specialize::{Request, VERSION, Value};
use scythe_llvm::Context;
use scythe_passes::specialization;
use std::ffi::CStr;

/// Bitcode with `values`, pairs of a constant's name and its bytes.
pub fn specialize(bitcode: &[u8], values: &[(String, Vec<u8>)]) -> Result<Vec<u8>, String> {
    let context = Context::new();
    let module = context.parse_bitcode(bitcode, "device code").map_err(|e| e.to_string())?;
    // Bitcode that can be read may still be no valid IR.
    module.verify().map_err(|e| e.to_string())?;
    specialization::set_values(&module, values)?;
    Ok(module.to_bitcode())
}

/// Specializes `request`; 0 on success.
///
/// # Safety
/// `request` is null or points to a request whose pointers are null or valid: `bitcode` for `bitcode_len` bytes, `values` for
/// `value_count` entries, each with a C string and bytes of its length. `response` is null or valid for writing; it is then
/// freed with `scythe_jit_free`, once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_jit_specialize(request: *const Request, response: *mut Response) -> i32 {
    // SAFETY: passed on.
    unsafe { answer(response, || run(request)) }
}

/// # Safety
/// As for [`scythe_jit_specialize`].
unsafe fn run(request: *const Request) -> Result<Vec<u8>, String> {
    // SAFETY: null or valid by this function's contract.
    let Some(request) = (unsafe { request.as_ref() }) else {
        return Err("the request to the run-time compiler is null".into());
    };
    if request.version != VERSION {
        let seen = request.version;
        return Err(format!(
            "the run-time compiler speaks version {VERSION} of such requests, its caller version {seen}"
        ));
    }
    if request.bitcode.is_null() || (request.values.is_null() && request.value_count != 0) {
        return Err("the request to the run-time compiler lacks its bitcode or its values".into());
    }
    // SAFETY: not null, so valid for its length by this function's contract.
    let bitcode = unsafe { std::slice::from_raw_parts(request.bitcode, request.bitcode_len) };
    let values: &[Value] = match request.value_count {
        0 => &[],
        // SAFETY: as above.
        count => unsafe { std::slice::from_raw_parts(request.values, count) },
    };
    let values = values.iter().map(|value| {
        if value.symbol.is_null() || value.bytes.is_null() {
            return Err("a specialization constant in the request lacks its name or its value".to_owned());
        }
        // SAFETY: not null, so a C string, and bytes of that length, by this function's contract.
        unsafe {
            let symbol = CStr::from_ptr(value.symbol).to_string_lossy().into_owned();
            Ok((symbol, std::slice::from_raw_parts(value.bytes, value.len).to_vec()))
        }
    });
    specialize(bitcode, &values.collect::<Result<Vec<_>, _>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SYMBOL: &str = "_ZN4sycl6detail23specialization_constantIL_Z1nEE5valueE";

    fn bitcode(context: &Context) -> Vec<u8> {
        let text = format!(
            "target datalayout = \"e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1\"\n\
             target triple = \"spirv64-unknown-unknown\"\n\
             @{SYMBOL} = linkonce_odr addrspace(1) constant i32 42, align 4\n\
             define i32 @get() {{\n  %v = load i32, ptr addrspace(1) @{SYMBOL}, align 4\n  ret i32 %v\n}}\n"
        );
        context.parse_ir(text.as_bytes(), "test").unwrap().to_bitcode()
    }

    fn specialized(values: &[(String, Vec<u8>)]) -> Result<String, String> {
        let context = Context::new();
        let made = specialize(&bitcode(&context), values)?;
        Ok(context.parse_bitcode(&made, "made").unwrap().to_string())
    }

    #[test]
    fn a_value_takes_the_place_of_the_default() {
        let text = specialized(&[(SYMBOL.into(), vec![7, 0, 0, 0])]).unwrap();
        assert!(text.contains("constant [4 x i8] c\"\\07\\00\\00\\00\", align 4"), "{text}");
        assert!(!text.contains("42"), "{text}");
    }

    #[test]
    fn other_constants_keep_their_defaults() {
        let text = specialized(&[("another".into(), vec![1])]).unwrap();
        assert!(text.contains("constant i32 42"), "{text}");
    }

    #[test]
    fn a_value_of_another_size_is_refused() {
        let error = specialized(&[(SYMBOL.into(), vec![1, 2])]).unwrap_err();
        assert_eq!(
            error,
            format!("specialization constant '{SYMBOL}' has 4 bytes in device code, and its value has 2")
        );
    }

    #[test]
    fn requests_without_content_are_refused() {
        let mut response = Response { object: std::ptr::null_mut(), object_len: 0, error: std::ptr::null_mut() };
        // SAFETY: null is allowed, and the response is valid.
        let status = unsafe { scythe_jit_specialize(std::ptr::null(), &mut response) };
        assert_eq!(status, 1);
        // SAFETY: filled by the call above.
        unsafe { crate::edge::scythe_jit_free(&mut response) };
    }
}
