// Declarations for the integration header. It includes this file and adds specialisations of
// `kernel_info` and `functor_info`, the variable template `functor_members`, and the tables
// `unnamed_kernels` and `local_kernels`.
#ifndef SCYTHE_DETAIL_KERNEL_INFO_HPP
#define SCYTHE_DETAIL_KERNEL_INFO_HPP

#include <stdint.h>
#include <type_traits>

// g++ names the capture `x` of a lambda `__x`, and code can use this name.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__EDG__)
#define SCYTHE_CLOSURES_HAVE_NAMES 1
#endif

namespace sycl {
namespace detail {

// One parameter of the lowered kernel: `size` bytes at `offset` of the functor. The kinds have the
// numbers of the image format: 0 accessor, 1 plain bytes, 2 sampler, 3 pointer, 4 local accessor.
struct kernel_param {
  uint32_t kind;
  uint64_t size;
  uint64_t offset;
};

// Specialised for each kernel name that can have a forward declaration: `name()`, `functor_size()`,
// `functor_align()`, `num_params()`, `param(i)`, and `agrees<K>()`, as in `functor_info`, where K
// is the functor's class.
template <class Name> struct kernel_info;

// Specialised for each functor class that can have a forward declaration. `agrees<K>()`, where K is
// that class, only compiles if the host compiler gives it the layout of the device pass.
template <class K> struct functor_info;

template <class T, class U> inline constexpr bool is_member_type = false;
template <class T> inline constexpr bool is_member_type<T, T> = true;
template <class T> inline constexpr bool is_member_type<const T, T> = true;
template <class T> inline constexpr bool is_member_type<volatile T, T> = true;
template <class T> inline constexpr bool is_member_type<const volatile T, T> = true;

// A member of a functor with a `path` such as `a.b`. The path is null if the member does not exist.
// The type is null if it is not compared.
struct functor_member {
  const char *path;
  uint64_t offset;
  uint64_t size;
  const char *type; // address of a `member_type`
};
template <class T> inline constexpr char member_type{};

// A member in the device pass, which is compared with element `index` of `functor_members<K>`.
struct expected_member {
  uint32_t index;
  bool in_closure;
  functor_member member;
};

// A kernel without `kernel_info`. A kernel whose name contains a lambda's type is found by the
// position of the call that passed the lambda to SYCL. Other kernels have no position.
struct listed_kernel {
  const char *file;
  uint32_t line;
  uint32_t column;
  uint64_t functor_size;
  uint64_t functor_align;
  const char *symbol; // null in a row that only keeps the table from being empty
  const expected_member *members;
  uint32_t member_count;
};

} // namespace detail
} // namespace sycl

#endif
