// Division and remainder of 128-bit integers, under the names of the compiler's runtime library.
// The run-time compiler calls these functions where device code divides such integers. It inlines
// them, because SPIR-V has no 128-bit integers to pass.
#ifndef SCYTHE_DEVICE_LIBRARY_WIDE_DIVISION_HPP
#define SCYTHE_DEVICE_LIBRARY_WIDE_DIVISION_HPP

#include "../cpu/device_library.hpp"

#define SCYTHE_WIDE_DIVISION inline __attribute__((always_inline))

namespace scythe_wide {

using word = unsigned long long;
using wide = unsigned __int128;
using swide = __int128;

struct division {
  wide quotient, rest;
};

// Divides `top` followed by 32 more bits by `d`. The highest bit of `d` must be set, and `d` must
// be greater than `top`. The quotient has 32 bits. The estimate from the upper half of `d` is at
// most two too large.
SCYTHE_WIDE_DIVISION word digit(word top, word next, word d, word &rest) noexcept {
  const word upper = d >> 32, lower = d & 0xffffffffu;
  word guess = top / upper, left = top % upper;
  while (guess >> 32 || guess * lower > (left << 32 | next)) {
    --guess;
    left += upper;
    if (left >> 32)
      break;
  }
  rest = (top << 32 | next) - guess * d;
  return guess;
}

// Divides two words by one word, digit by digit. The divisor must be greater than the upper word.
SCYTHE_WIDE_DIVISION word by_word(word high, word low, word d, word &rest) noexcept {
  const int shift = __builtin_clzll(d);
  d <<= shift;
  high = high << shift | low >> 1 >> (63 - shift);
  low <<= shift;
  const word first = digit(high, low >> 32, d, rest);
  const word second = digit(rest, low & 0xffffffffu, d, rest);
  rest >>= shift;
  return first << 32 | second;
}

// A division by zero is undefined, but must terminate.
SCYTHE_WIDE_DIVISION division divide(wide n, wide d) noexcept {
  const word d_high = static_cast<word>(d >> 64), d_low = static_cast<word>(d);
  const word n_high = static_cast<word>(n >> 64), n_low = static_cast<word>(n);
  if (d_high == 0) {
    if (d_low == 0)
      return {0, 0};
    word rest = 0;
    const word low = by_word(n_high % d_low, n_low, d_low, rest);
    return {static_cast<wide>(n_high / d_low) << 64 | low, rest};
  }
  if (n < d)
    return {0, n};
  // The quotient fits in one word. Compute it bit by bit from its highest possible bit.
  int shift = __builtin_clzll(d_high) - __builtin_clzll(n_high);
  wide part = d << shift;
  word quotient = 0;
  for (; shift >= 0; --shift) {
    quotient <<= 1;
    if (n >= part) {
      n -= part;
      quotient |= 1;
    }
    part >>= 1;
  }
  return {quotient, n};
}

SCYTHE_WIDE_DIVISION wide magnitude(swide x) noexcept {
  return x < 0 ? -static_cast<wide>(x) : static_cast<wide>(x);
}

} // namespace scythe_wide

extern "C" {

SCYTHE_DEVICE __attribute__((always_inline)) unsigned __int128
__udivti3(unsigned __int128 n, unsigned __int128 d) noexcept {
  return scythe_wide::divide(n, d).quotient;
}
SCYTHE_DEVICE __attribute__((always_inline)) unsigned __int128
__umodti3(unsigned __int128 n, unsigned __int128 d) noexcept {
  return scythe_wide::divide(n, d).rest;
}
SCYTHE_DEVICE __attribute__((always_inline)) __int128 __divti3(__int128 n, __int128 d) noexcept {
  const auto quotient =
      scythe_wide::divide(scythe_wide::magnitude(n), scythe_wide::magnitude(d)).quotient;
  return static_cast<__int128>((n < 0) != (d < 0) ? -quotient : quotient);
}
SCYTHE_DEVICE __attribute__((always_inline)) __int128 __modti3(__int128 n, __int128 d) noexcept {
  const auto rest = scythe_wide::divide(scythe_wide::magnitude(n), scythe_wide::magnitude(d)).rest;
  return static_cast<__int128>(n < 0 ? -rest : rest);
}

} // extern "C"

#undef SCYTHE_WIDE_DIVISION

#endif
