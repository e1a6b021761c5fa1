// What the integration header says of kernels. It includes this file and adds specialisations of
// `kernel_info` and `functor_info`, and the table `unnamed_kernels`.
#ifndef SCYTHE_DETAIL_KERNEL_INFO_HPP
#define SCYTHE_DETAIL_KERNEL_INFO_HPP

#include <stdint.h>

namespace sycl {
namespace detail {

// One parameter of the lowered kernel: `size` bytes at `offset` of the functor. The kinds are
// numbered as in the image format: 0 accessor, 1 plain bytes, 2 sampler, 3 pointer, 4 local
// accessor.
struct kernel_param {
  uint32_t kind;
  uint64_t size;
  uint64_t offset;
};

// Specialised for each kernel name that can be declared ahead: `name()`, `functor_size()`,
// `functor_align()`, `num_params()`, `param(i)`.
template <class Name> struct kernel_info;

// Specialised for each functor's class that can be declared ahead: `agrees<K>()`, with K that
// class, does not compile unless the host compiler lays it out as the device pass does.
template <class K> struct functor_info;

template <class T, class U> inline constexpr bool is_member_type = false;
template <class T> inline constexpr bool is_member_type<T, T> = true;
template <class T> inline constexpr bool is_member_type<const T, T> = true;
template <class T> inline constexpr bool is_member_type<volatile T, T> = true;
template <class T> inline constexpr bool is_member_type<const volatile T, T> = true;

// A kernel whose name holds a lambda's type, found by the position of the call that passed the
// lambda to SYCL.
struct unnamed_kernel {
  const char *file;
  uint32_t line;
  uint32_t column;
  uint64_t functor_size;
  uint64_t functor_align;
  const char *symbol; // null in a row that only keeps the table from being empty
};

} // namespace detail
} // namespace sycl

#endif
