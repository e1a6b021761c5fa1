// `sycl::bit_cast`: reinterprets the bytes of an object as another type.
#ifndef SCYTHE_BIT_CAST_HPP
#define SCYTHE_BIT_CAST_HPP

#include <sycl/detail/config.hpp>

#include <type_traits>

namespace sycl {

template <class To, class From,
          class = std::enable_if_t<sizeof(To) == sizeof(From) && __is_trivially_copyable(To) &&
                                   __is_trivially_copyable(From)>>
constexpr To bit_cast(const From &from) noexcept {
  return __builtin_bit_cast(To, from);
}

} // namespace sycl

#endif
