//! The types of `include/sycl/detail/abi.h`.
