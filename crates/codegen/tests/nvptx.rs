//! Checks the C interface for NVIDIA GPUs: it translates bitcode to PTX for a device, or rejects
//! the request.

use scythe_abi::jit::{Bytes, Output, Request, Response, VERSION};
use scythe_codegen::edge::{scythe_jit_build, scythe_jit_free};
use scythe_llvm::Context;
use std::ffi::CStr;
use std::ptr::null;

/// Returns the object from the C interface, or the error.
fn translate(bitcode: &[u8], change: impl Fn(&mut Request)) -> Result<Vec<u8>, String> {
    build(bitcode, change).map_err(|(error, _)| error)
}

/// Returns the object from the C interface, or the error and whether the device lacks a feature.
fn build(bitcode: &[u8], change: impl Fn(&mut Request)) -> Result<Vec<u8>, (String, bool)> {
    let bitcode = Bytes { data: bitcode.as_ptr(), len: bitcode.len() };
    let mut request =
        Request { opt_level: 2, bitcode, sm: 90, ptx_version: 88, ..Request::new(Output::Ptx) };
    change(&mut request);
    let mut response = Response::empty();
    // SAFETY: all pointers are null or valid for the call.
    let status = unsafe { scythe_jit_build(&request, &mut response) };
    let result = if status == 0 {
        // SAFETY: the call succeeded, so it filled the object.
        Ok(unsafe { std::slice::from_raw_parts(response.object, response.object_len) }.to_vec())
    } else {
        // SAFETY: the call failed, so the error is a C string.
        let error = unsafe { CStr::from_ptr(response.error) }.to_string_lossy().into_owned();
        Err((error, response.unsupported == 1))
    };
    // SAFETY: the call above filled the response, and it is freed once.
    unsafe { scythe_jit_free(&mut response) };
    result
}

#[test]
fn generic_code_becomes_ptx_for_the_device_and_its_driver() {
    let context = Context::new();
    let text = r#"target triple = "spirv64-unknown-unknown"
        define spir_kernel void @_ZTS1K(ptr addrspace(1) %p) #0 {
          %any = addrspacecast ptr addrspace(1) %p to ptr addrspace(4)
          store i32 7, ptr addrspace(4) %any
          ret void
        }
        attributes #0 = { "scythe-shape"="single_task" }"#;
    let bitcode = context.parse_ir(text.as_bytes(), "generic").expect("it is IR").to_bitcode();
    let ptx = translate(&bitcode, |_| {}).expect("it is compiled");
    assert_eq!(ptx.last(), Some(&0), "the driver wants a C string");
    let ptx = String::from_utf8_lossy(&ptx).into_owned();
    assert!(
        ptx.contains(".target sm_90")
            && ptx.contains(".entry _ZTS1K(")
            && ptx.contains("st.global"),
        "{ptx}"
    );
    let older = translate(&bitcode, |request| (request.sm, request.ptx_version) = (75, 78))
        .expect("it is compiled");
    let older = String::from_utf8_lossy(&older).into_owned();
    assert!(older.contains(".version 7.8") && older.contains(".target sm_75"), "{older}");
}

#[test]
fn requests_that_make_no_sense_are_refused() {
    let refused = |change: &dyn Fn(&mut Request)| translate(b"BC", change).unwrap_err();
    assert!(
        refused(&|r| r.version = 8)
            .contains(&format!("expects a request of version {VERSION}, found version 8"))
    );
    assert!(refused(&|r| r.opt_level = 4).contains("optimisation level 4"));
    assert!(refused(&|r| r.bitcode.data = null()).contains("no bitcode"));
    assert!(
        refused(&|r| r.ptx_version = 63)
            .contains("whose driver supports PTX 6.3: compute capability 5.0 and PTX 7.7")
    );
    assert!(
        refused(&|r| r.cuda_path = c"/nowhere".as_ptr())
            .contains("'/nowhere' does not contain a CUDA toolkit")
    );
    assert!(refused(&|_| {}).contains("device image"));
}

#[test]
fn matrices_that_the_device_lacks_are_a_missing_feature() {
    let context = Context::new();
    let text = |rows: u32| {
        format!(
            r#"target triple = "spirv64-unknown-unknown"
            %"struct.sycl::detail::matrix_storage" = type {{ [256 x float] }}
            declare spir_func void @__scythe_matrix_fill_f32(ptr addrspace(4), float, i32, i32, i32)
            define spir_kernel void @_ZTS1K() #0 {{
              %m = alloca %"struct.sycl::detail::matrix_storage", align 64
              %p = addrspacecast ptr %m to ptr addrspace(4)
              call spir_func void @__scythe_matrix_fill_f32(ptr addrspace(4) %p, float 1.0,
                i32 197123, i32 {rows}, i32 16)
              ret void
            }}
            attributes #0 = {{ "scythe-shape"="nd_range" }}"#
        )
    };
    let bitcode =
        |rows| context.parse_ir(text(rows).as_bytes(), "matrix").expect("it is IR").to_bitcode();
    build(&bitcode(16), |_| {}).expect("all of these GPUs have this size");
    let (error, unsupported) = build(&bitcode(7), |_| {}).unwrap_err();
    assert!(unsupported && error.contains("fp32 7 x 16, use::accumulator"), "{error}");
    let (error, unsupported) = build(&bitcode(16), |request| request.sm = 61).unwrap_err();
    assert!(unsupported && error.contains("sm_61"), "{error}");
    let (_, unsupported) = build(b"BC", |_| {}).unwrap_err();
    assert!(!unsupported);
}
