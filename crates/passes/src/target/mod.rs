//! One folder per machine that device code is lowered to.

pub mod cpu;
pub mod nvptx;
