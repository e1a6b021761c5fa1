//! A source text, and everything that determines what it is compiled to.

use crate::{Result, invalid};

/// The language of a source. The numbers are those of `scythe_source_language`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Language {
    OpenCl = 0,
    SpirV = 1,
    Sycl = 2,
}

impl Language {
    /// Returns the language with this number.
    pub fn from_u32(number: u32) -> Result<Self> {
        [Self::OpenCl, Self::SpirV, Self::Sycl]
            .into_iter()
            .find(|&language| language as u32 == number)
            .ok_or_else(|| invalid(format!("source language {number} is unknown, expected 0 to 2")))
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::OpenCl => "OpenCL C",
            Self::SpirV => "SPIR-V",
            Self::Sycl => "SYCL",
        }
    }

    /// Returns the extension of SYCL that adds the language.
    pub fn extension(self) -> &'static str {
        match self {
            Self::OpenCl => "sycl_ext_oneapi_kernel_compiler_opencl",
            Self::SpirV => "sycl_ext_oneapi_kernel_compiler_spirv",
            Self::Sycl => "sycl_ext_oneapi_kernel_compiler",
        }
    }
}

pub struct Source<'a> {
    pub language: Language,
    pub text: &'a [u8],
    /// The names and contents of files that the text may include.
    pub includes: Vec<(&'a str, &'a [u8])>,
    pub options: Vec<&'a str>,
    /// Expressions for kernels and variables, by which the program finds them.
    pub names: Vec<&'a str>,
}
