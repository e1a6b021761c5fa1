// The check that the index of an accessor is within the accessor's range, for programs that are
// compiled with `-fsycl-check-accessors`. Without the option, nothing here generates code.
//
// In device code, a wrong index is a failed assertion. The compiler passes the position of the
// program's subscript to the device library's function: debug information has it, because all
// functions between them are inlined. Host code throws an exception.
#ifndef SCYTHE_DETAIL_BOUNDS_HPP
#define SCYTHE_DETAIL_BOUNDS_HPP

#include <sycl/detail/abi.h>
#include <sycl/exception.hpp>
#include <sycl/id.hpp>
#include <sycl/range.hpp>

#if defined(__SCYTHE_CHECK_ACCESSORS__) && defined(SCYTHE_HOST_MODE)
#include <cstdio>
#include <cstdlib>
#endif

// Precedes the subscripts of accessors. Files that check indices and files that do not have no
// function in common.
#ifdef __SCYTHE_CHECK_ACCESSORS__
#define SCYTHE_SUBSCRIPT __attribute__((always_inline))
#else
#define SCYTHE_SUBSCRIPT
#endif

#if defined(__SCYTHE_CHECK_ACCESSORS__) && defined(SCYTHE_DEVICE_PASS)
SCYTHE_DEVICE_LIBRARY extern "C" [[noreturn]] void
__scythe_index_failed(const char *file, unsigned line, const char *function, unsigned dimensions,
                      std::size_t index_0, std::size_t index_1, std::size_t index_2,
                      std::size_t range_0, std::size_t range_1, std::size_t range_2) noexcept;
#endif

namespace sycl::detail {

#ifdef __SCYTHE_CHECK_ACCESSORS__
template <int D>
[[noreturn]] SCYTHE_ALWAYS_INLINE void index_failed(const id<D> &index, const range<D> &box) {
#ifdef SCYTHE_DEVICE_PASS
  std::size_t i[3] = {}, r[3] = {};
  for (int d = 0; d < D; ++d)
    i[d] = index[d], r[d] = box[d];
  __scythe_index_failed(nullptr, 0, nullptr, D, i[0], i[1], i[2], r[0], r[1], r[2]);
#else
  constexpr const char *text = D == 1 ? "accessor: index {%zu} is not within range {%zu}"
                               : D == 2
                                   ? "accessor: index {%zu, %zu} is not within range {%zu, %zu}"
                                   : "accessor: index {%zu, %zu, %zu} is not within range "
                                     "{%zu, %zu, %zu}";
  std::size_t n[6] = {};
  for (int d = 0; d < D; ++d)
    n[d] = index[d], n[D + d] = box[d];
#ifdef SCYTHE_HOST_MODE
  // No exception may leave a kernel.
  std::fprintf(stderr, text, n[0], n[1], n[2], n[3], n[4], n[5]);
  std::fputc('\n', stderr);
  std::abort();
#else
  fail(errc::accessor, text, n[0], n[1], n[2], n[3], n[4], n[5]);
#endif
#endif
}
#endif

template <int D>
SCYTHE_ALWAYS_INLINE void check_index([[maybe_unused]] const id<D> &index,
                                      [[maybe_unused]] const range<D> &box) {
#ifdef __SCYTHE_CHECK_ACCESSORS__
  bool inside = true;
  for (int d = 0; d < D; ++d)
    inside = inside && index[d] < box[d];
  if (__builtin_expect(!inside, 0))
    index_failed(index, box);
#endif
}

} // namespace sycl::detail

#endif
