// Conversion of a number to another type with a given rounding mode, for `vec::convert`.
#ifndef SCYTHE_DETAIL_VEC_CONVERT_HPP
#define SCYTHE_DETAIL_VEC_CONVERT_HPP

#include <sycl/detail/swizzle.hpp>

namespace sycl::detail {

// The number of significant bits of a floating-point type.
template <class T> inline constexpr int significant_bits = std::is_same_v<T, double> ? 53 : 24;

// Rounds a floating-point number to an integral value, as a floating-point number. The automatic
// mode rounds to nearest.
template <rounding_mode Mode> float to_whole(float x) {
  return Mode == rounding_mode::rtz   ? x
         : Mode == rounding_mode::rtp ? __builtin_ceilf(x)
         : Mode == rounding_mode::rtn ? __builtin_floorf(x)
                                      : __builtin_rintf(x);
}
template <rounding_mode Mode> double to_whole(double x) {
  return Mode == rounding_mode::rtz   ? x
         : Mode == rounding_mode::rtp ? __builtin_ceil(x)
         : Mode == rounding_mode::rtn ? __builtin_floor(x)
                                      : __builtin_rint(x);
}

// Converts a floating-point number to a smaller type: rounds to nearest, then steps back if the
// result is on the wrong side.
template <class To, rounding_mode Mode, class From> To to_smaller(From x) {
  const To near = static_cast<To>(x);
  const From back = static_cast<From>(near);
  constexpr bool up = Mode == rounding_mode::rtp, down = Mode == rounding_mode::rtn,
                 zero = Mode == rounding_mode::rtz;
  const bool too_low = (up || (zero && x < From(0))) && back < x;
  const bool too_high = (down || (zero && x > From(0))) && back > x;
  if (!too_low && !too_high)
    return near;
  // The bits of neighbouring numbers differ by one. The neighbour of zero is the smallest number
  // with the right sign.
  using bits = std::make_unsigned_t<signed_of_size<sizeof(To)>>;
  constexpr bits sign = static_cast<bits>(bits(1) << (sizeof(To) * 8 - 1));
  const bits old = bit_cast<bits>(near);
  if ((old & static_cast<bits>(~sign)) == 0)
    return bit_cast<To>(static_cast<bits>(too_low ? 1 : sign | 1));
  const bool negative = (old & sign) != 0;
  return bit_cast<To>(static_cast<bits>(negative == too_low ? old - 1 : old + 1));
}

// Converts an integer with more bits than the floating-point type: the lowest bits are cut off or
// round up.
template <class To, rounding_mode Mode, class From> To to_floating(From x) {
  using size_type = unsigned long long;
  const bool negative = x < From(0);
  const size_type size =
      negative ? size_type(0) - static_cast<size_type>(x) : static_cast<size_type>(x);
  const int width = size == 0 ? 0 : 64 - __builtin_clzll(size);
  const int below = width > significant_bits<To> ? width - significant_bits<To> : 0;
  const size_type last = size_type(1) << below, rest = size & (last - 1);
  const bool away =
      rest != 0 &&
      (Mode == rounding_mode::rtp ? !negative : Mode == rounding_mode::rtn && negative);
  // Both numbers are exact. So is their sum, which is at most the next power of two.
  const To result = static_cast<To>(size - rest) + (away ? static_cast<To>(last) : To(0));
  return negative ? static_cast<To>(-result) : result;
}

template <class To, rounding_mode Mode, class From> To converted(From x) {
  constexpr bool directed = Mode != rounding_mode::automatic && Mode != rounding_mode::rte;
  if constexpr (std::is_same_v<From, std::byte>)
    return converted<To, Mode>(static_cast<unsigned char>(x));
  else if constexpr (std::is_same_v<To, std::byte>)
    return static_cast<std::byte>(converted<unsigned char, Mode>(x));
  else if constexpr (std::is_same_v<To, bool>)
    return x != From(0);
  else if constexpr (is_half<From> && !is_float<To>)
    return converted<To, Mode>(static_cast<float>(x));
  else if constexpr (is_float<From> && is_integer<To>)
    return static_cast<To>(to_whole<Mode>(x));
  else if constexpr (is_float<From> && sizeof(To) < sizeof(From) && directed)
    return to_smaller<To, Mode>(x);
  else if constexpr (is_integer<From> && is_half<To> && sizeof(From) > 1 && directed)
    return to_smaller<To, Mode>(converted<float, Mode>(x));
  else if constexpr (is_integer<From> && is_float<To> && sizeof(From) * 8 > significant_bits<To> &&
                     directed)
    return to_floating<To, Mode>(x);
  else
    return static_cast<To>(x);
}

} // namespace sycl::detail

#endif
