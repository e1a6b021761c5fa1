//! Checks that the C interface rejects invalid requests with a message, and frees its results.

use scythe_abi::jit::{Bytes, Output, Request, Response, VERSION};
use scythe_codegen::edge::{scythe_jit_build, scythe_jit_free};
use scythe_llvm::Context;
use std::ffi::CStr;
use std::ptr::{null, null_mut};

/// Returns the object's size, or the error.
fn ask(version: u32, opt_level: u32, bitcode: Option<&[u8]>) -> Result<usize, String> {
    let mut request = Request { version, opt_level, ..Request::new(Output::CpuObject) };
    if let Some(code) = bitcode {
        request.bitcode = Bytes { data: code.as_ptr(), len: code.len() };
    }
    answer(&request)
}

/// Returns the size of the result, or the error.
fn answer(request: &Request) -> Result<usize, String> {
    let mut response = Response::empty();
    // SAFETY: the request and the response live for the call, and their pointers are valid or null.
    let status = unsafe { scythe_jit_build(request, &mut response) };
    let result = if status == 0 {
        assert!(!response.object.is_null() && response.error.is_null());
        Ok(response.object_len)
    } else {
        assert!(response.object.is_null() && !response.error.is_null());
        // SAFETY: `scythe_jit_build` failed, so the error is a C string until it is freed.
        Err(unsafe { CStr::from_ptr(response.error) }.to_string_lossy().into_owned())
    };
    // SAFETY: the call above filled the response. The first free empties it, so the second one does
    // nothing.
    unsafe {
        scythe_jit_free(&mut response);
        scythe_jit_free(&mut response);
    }
    result
}

fn bitcode() -> Vec<u8> {
    let context = Context::new();
    let text = "target triple = \"spirv64-unknown-unknown\"\n\
        define spir_kernel void @k(ptr addrspace(1) %p) \"scythe-shape\"=\"range\" {\n\
        store i32 1, ptr addrspace(1) %p\nret void\n}\n";
    context.parse_ir(text.as_bytes(), "test").expect("the text is IR").to_bitcode()
}

#[test]
fn good_bitcode_gives_an_object() {
    assert!(ask(VERSION, 3, Some(&bitcode())).is_ok_and(|len| len > 64));
}

#[test]
fn the_same_bitcode_gives_the_same_bytes() {
    let options = scythe_codegen::Options::host(3);
    let compile = || scythe_codegen::compile_to_object(&bitcode(), &options).expect("it compiles");
    let first = compile();
    assert_eq!(&first[..4], b"\x7fELF");
    assert_eq!(first, compile());
}

#[test]
fn damaged_bitcode_is_an_error() {
    let good = bitcode();
    assert!(
        ask(VERSION, 3, Some(b"not bitcode"))
            .is_err_and(|e| e.contains("cannot read bitcode 'device image'"))
    );
    assert!(ask(VERSION, 3, Some(b"")).is_err());
    for keep in (0..good.len()).step_by(97) {
        assert!(
            ask(VERSION, 3, Some(&good[..keep])).is_err(),
            "the first {keep} bytes alone are no module"
        );
    }
}

#[test]
fn requests_that_make_no_sense_are_errors() {
    assert!(ask(VERSION + 1, 3, Some(&bitcode())).is_err_and(|e| e.contains("version")));
    assert!(ask(VERSION, 4, Some(&bitcode())).is_err_and(|e| e.contains("level 4")));
    assert!(ask(VERSION, 3, None).is_err_and(|e| e.contains("no bitcode")));
    let code = bitcode();
    let bitcode = Bytes { data: code.as_ptr(), len: code.len() };
    let unknown = Request { output: 4, bitcode, ..Request::new(Output::CpuObject) };
    assert!(answer(&unknown).is_err_and(|e| e.contains("unknown output kind 4")));
    let no_list = Request { library_count: 2, bitcode, ..Request::new(Output::SpirV) };
    assert!(answer(&no_list).is_err_and(|e| e.contains("declares 2 libraries, but")));
    let no_values = Request { constant_count: 1, bitcode, ..Request::new(Output::Bitcode) };
    assert!(answer(&no_values).is_err_and(|e| e.contains("declares 1 specialization constants")));
    let mut response = Response::empty();
    // SAFETY: the functions accept null pointers, and the response lives for the calls.
    unsafe {
        assert_ne!(scythe_jit_build(null(), &mut response), 0);
        scythe_jit_free(&mut response);
        assert_ne!(scythe_jit_build(null(), null_mut()), 0);
        scythe_jit_free(null_mut());
    }
}
