// Converts ranges and ids to the order of the C interface.
#ifndef SCYTHE_DETAIL_ABI_ORDER_HPP
#define SCYTHE_DETAIL_ABI_ORDER_HPP

#include <cstdint>

namespace sycl::detail {

// The C interface expects the fastest dimension first, 1 in unused sizes and 0 in unused offsets.
template <class C> void to_abi_order(std::uint64_t (&out)[3], const C &c, std::uint64_t unused) {
  constexpr int d = C::dimensions;
  for (int i = 0; i < 3; ++i)
    out[i] = i < d ? c[d - 1 - i] : unused;
}

} // namespace sycl::detail

#endif
