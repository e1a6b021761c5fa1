//! The interfaces that the compiler, the SYCL headers and the runtime share. This crate holds plain
//! data, and pure functions on it whose results two sides of an interface must agree on. It has no
//! state and does no I/O.
//!
//! * [`aspect`]: the numbers and names of `sycl::aspect`.
//! * [`aspect_origin`]: the call chains that make an entry point require an aspect.
//! * [`capi`]: the types of `include/sycl/detail/abi.h`, field by field.
//! * [`environment`]: the environment variables.
//! * [`functor`]: the functor layouts of a compiler pass. The front end writes them in each pass,
//!   and the driver compares them.
//! * [`launch`]: the description of a kernel's parameters. The front end writes it, and the runtime
//!   reads it.
//! * [`checks`]: the checks of kernels on the CPU, and the functions that checked kernels call.
//! * [`condition`]: the devices that take a branch of `if_device_has`.
//! * [`requirements`]: the device features that a device image requires.
//! * [`cpu`]: the calling convention of kernels compiled for the CPU backend.
//! * [`cuda`]: the calling convention of kernels for NVIDIA GPUs, and the devices that can run
//!   their images.
//! * [`intel`]: versions of Intel GPUs, and the compatibility of code between them.
//! * [`jit`]: the C interface of the run-time compiler, a shared object that the runtime loads for
//!   its first build.
//! * [`spirv`]: how SPIR-V modules report failed assertions.
//! * [`image_target`]: the target of a device image.
//! * [`target`]: the targets of device code, and the levels of the CPU's instruction set.
//! * [`tgt`]: the descriptor that the wrapper emits and `__tgt_register_lib` receives.
//! * [`warning`]: the warning groups that Scythe adds to those of clang.
//! * [`names`]: names that appear in IR, images and objects.

pub mod aspect;
pub mod aspect_origin;
pub mod capi;
pub mod checks;
pub mod condition;
pub mod cpu;
pub mod cuda;
pub mod environment;
pub mod functor;
pub mod image_target;
pub mod intel;
pub mod jit;
pub mod launch;
pub mod names;
pub mod requirements;
pub mod spirv;
pub mod target;
pub mod tgt;
