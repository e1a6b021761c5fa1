//! What the compiler, the SYCL headers and the runtime must agree on, and nothing else: plain data,
//! no behaviour.
//!
//! * [`aspect`]: the numbers and names of `sycl::aspect`.
//! * [`aspect_origin`]: the calls by which an entry point comes to need an aspect.
//! * [`capi`]: the types of `include/sycl/detail/abi.h`, field by field.
//! * [`environment`]: the environment variables.
//! * [`functor`]: how a pass lays out functors; written by the front end in each pass, compared by
//!   the driver.
//! * [`launch`]: what is known of a kernel's parameters; written by the front end, read by the
//!   runtime.
//! * [`condition`]: which devices take a branch of `if_device_has`.
//! * [`requirements`]: the features that a device image needs of its device.
//! * [`cpu`]: the calling convention of kernels compiled for the CPU backend.
//! * [`cuda`]: how kernels for NVIDIA GPUs are called, and where their images run.
//! * [`intel`]: versions of Intel GPUs, and which devices run whose code.
//! * [`jit`]: the C interface of the run-time compiler, a shared object that the runtime loads when
//!   it first builds.
//! * [`spirv`]: how SPIR-V modules report assertions that fail.
//! * [`image_target`]: the target of a device image.
//! * [`target`]: what device code can be compiled for, and the levels of the CPU's instruction set.
//! * [`tgt`]: the descriptor that the wrapper emits and `__tgt_register_lib` receives.
//! * [`warning`]: the groups of warnings that Scythe adds to clang's.
//! * [`names`]: names that appear in IR, images and objects, each written down once.

pub mod aspect;
pub mod aspect_origin;
pub mod capi;
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
pub mod warning;
