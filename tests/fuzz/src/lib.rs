//! Random kernels, run by the CPU device in all its ways and by a reference, which must agree bit
//! for bit.
//!
//! Three kinds: kernels with barriers, which host mode runs as well; [`control`], with control flow
//! of all forms; and [`kernels`], with many parts of the language.
//!
//! * [`kernel`]: the parts that all kinds share.
//! * [`generate`]: from a seed to a [`program::Kernel`]; [`expression`] makes its expressions.
//! * [`barriers`]: keeps kernels free of races.
//! * [`render`]: a kernel to C++.
//! * [`batch`]: compiles and runs programs of many kernels, and compares.
//! * [`reduce`]: makes a kernel that fails smaller.
//!
//! Kernels are legal SYCL by construction: a difference is an error of the compiler, the device
//! library or a runtime.

pub mod barriers;
pub mod batch;
pub mod control;
pub mod expression;
pub mod generate;
pub mod kernel;
pub mod kernels;
pub mod program;
pub mod random;
pub mod reduce;
pub mod render;
