//! The C edge refuses what it cannot use, in words, and frees what it gave.

use scythe_abi::jit::{Request, Response, VERSION};
use scythe_jit::edge::{scythe_jit_compile, scythe_jit_free};
use scythe_llvm::Context;
use std::ffi::CStr;
use std::ptr::{null, null_mut};

/// The object's size, or the error.
fn ask(version: u32, opt_level: u32, bitcode: Option<&[u8]>) -> Result<usize, String> {
    let request = Request {
        aspects: null(),
        aspect_count: 0,
        scalar: 0,
        version,
        opt_level,
        bitcode: bitcode.map_or(null(), |b| b.as_ptr()),
        bitcode_len: bitcode.map_or(0, |b| b.len()),
        device_lib_dir: null(),
        dump_dir: null(),
        libraries: null(),
        library_count: 0,
        kernel: null(),
        local_size: [0; 3],
    };
    let mut response = Response { object: null_mut(), object_len: 0, error: null_mut() };
    // SAFETY: a request and a response that live for the call, with valid or null pointers.
    let status = unsafe { scythe_jit_compile(&request, &mut response) };
    let result = if status == 0 {
        assert!(!response.object.is_null() && response.error.is_null());
        Ok(response.object_len)
    } else {
        assert!(response.object.is_null() && !response.error.is_null());
        // SAFETY: a C string until it is freed.
        Err(unsafe { CStr::from_ptr(response.error) }.to_string_lossy().into_owned())
    };
    // SAFETY: filled above; freeing empties it, so that a second time does nothing.
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
    let options = scythe_jit::Options::host(3);
    let compile = || scythe_jit::compile_to_object(&bitcode(), &options).expect("it compiles");
    let first = compile();
    assert_eq!(&first[..4], b"\x7fELF");
    assert_eq!(first, compile());
}

#[test]
fn damaged_bitcode_is_an_error() {
    let good = bitcode();
    assert!(ask(VERSION, 3, Some(b"not bitcode")).is_err_and(|e| e.contains("cannot read bitcode 'device image'")));
    assert!(ask(VERSION, 3, Some(b"")).is_err());
    for keep in (0..good.len()).step_by(97) {
        assert!(ask(VERSION, 3, Some(&good[..keep])).is_err(), "the first {keep} bytes alone are no module");
    }
}

#[test]
fn requests_that_make_no_sense_are_errors() {
    assert!(ask(VERSION + 1, 3, Some(&bitcode())).is_err_and(|e| e.contains("version")));
    assert!(ask(VERSION, 4, Some(&bitcode())).is_err_and(|e| e.contains("level 4")));
    assert!(ask(VERSION, 3, None).is_err_and(|e| e.contains("no bitcode")));
    let mut response = Response { object: null_mut(), object_len: 0, error: null_mut() };
    // SAFETY: null pointers are allowed; the response lives for the calls.
    unsafe {
        assert_ne!(scythe_jit_compile(null(), &mut response), 0);
        scythe_jit_free(&mut response);
        assert_ne!(scythe_jit_compile(null(), null_mut()), 0);
        scythe_jit_free(null_mut());
    }
}
