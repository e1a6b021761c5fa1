//! Code generation: one folder per target that device code is lowered to, and [`common`].

pub mod common;
pub mod cpu;
pub mod nvptx;
pub mod spirv;
