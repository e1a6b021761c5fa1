// What the integration header says of kernels. It includes this file and adds specialisations of `kernel_info` and the
// table `unnamed_kernels`.
#ifndef SCYTHE_DETAIL_KERNEL_INFO_HPP
#define SCYTHE_DETAIL_KERNEL_INFO_HPP

#include <stdint.h>

namespace sycl {
namespace detail {

// One parameter of the lowered kernel: `size` bytes at `offset` of the functor. The kinds are numbered as in the image
// format: 0 accessor, 1 plain bytes, 2 sampler, 3 pointer, 4 local accessor.
struct kernel_param {
  uint32_t kind;
  uint64_t size;
  uint64_t offset;
};

// Specialised for each kernel name that can be declared ahead: `name()`, `functor_size()`, `num_params()`, `param(i)`.
template <class Name> struct kernel_info;

// A kernel whose name holds a lambda's type, found by the position of the call that passed the lambda to SYCL.
struct unnamed_kernel {
  const char *file;
  uint32_t line;
  uint32_t column;
  uint64_t functor_size;
  const char *symbol; // null in a row that only keeps the table from being empty
};

} // namespace detail
} // namespace sycl

#endif
