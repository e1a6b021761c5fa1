// The size of a range of elements in bytes, which may exceed the address space.
#ifndef SCYTHE_DETAIL_RANGE_BYTES_HPP
#define SCYTHE_DETAIL_RANGE_BYTES_HPP

#include <sycl/exception.hpp>
#include <sycl/range.hpp>

namespace sycl::detail {

// `what` names the object in the exception.
template <class T, int D> std::size_t range_bytes(const char *what, const range<D> &r) {
  std::size_t bytes = sizeof(T);
  for (int i = 0; i < D; ++i)
    if (__builtin_mul_overflow(bytes, r[i], &bytes))
      fail(errc::invalid, "%s: the size of the range in bytes exceeds the address space", what);
  return bytes;
}

} // namespace sycl::detail

#endif
