//! The run-time compiler: device bitcode in, x86-64 object out, or SPIR-V or PTX for devices whose drivers compile that.
//!
//! As `libscythe-jit.so`, the runtime loads it for the first build that the cache does not answer ([`edge`]). As a
//! Rust library, it serves ahead-of-time compilation ([`compile_to_object`]). It is the only part of a running
//! program that brings LLVM with it.

mod cpu;
mod device_library;
mod dump;
pub mod edge;
mod error;
mod link;
pub mod nvptx;
mod specialize;
pub mod spirv;

pub use cpu::{DEVICE_LIBRARY, Options, compile_linked, compile_module, compile_to_object};
pub use error::Error;
