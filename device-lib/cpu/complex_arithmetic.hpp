// The multiplication and division functions that clang calls for `_Complex` and `std::complex`,
// such as `__mulsc3`. The results follow annex G of the C standard: an infinite operand gives an
// infinite product, and a division by zero gives an infinite quotient, even if the plain formula
// gives NaN.
#include "device_library.hpp"

namespace scythe_device_library {

// Turns a NaN into a zero of the same sign, so that it does not hide an infinity in the other part.
template <class T> T zero_if_nan(T x) { return __builtin_isnan(x) ? copysign_of(T(0), x) : x; }

// Returns the direction of an infinite number: one for an infinity and zero for other values, with
// the sign of `x`.
template <class T> T direction(T x) { return copysign_of(__builtin_isinf(x) ? T(1) : T(0), x); }

template <class T> parts<T> multiply(T a, T b, T c, T d) {
  T ac = a * c, bd = b * d, ad = a * d, bc = b * c;
  T re = ac - bd, im = ad + bc;
  if (!(__builtin_isnan(re) && __builtin_isnan(im)))
    return {re, im};
  bool recompute = false;
  if (__builtin_isinf(a) || __builtin_isinf(b)) {
    a = direction(a);
    b = direction(b);
    c = zero_if_nan(c);
    d = zero_if_nan(d);
    recompute = true;
  }
  if (__builtin_isinf(c) || __builtin_isinf(d)) {
    c = direction(c);
    d = direction(d);
    a = zero_if_nan(a);
    b = zero_if_nan(b);
    recompute = true;
  }
  // Finite operands whose partial products overflow.
  if (!recompute &&
      (__builtin_isinf(ac) || __builtin_isinf(bd) || __builtin_isinf(ad) || __builtin_isinf(bc))) {
    a = zero_if_nan(a);
    b = zero_if_nan(b);
    c = zero_if_nan(c);
    d = zero_if_nan(d);
    recompute = true;
  }
  if (recompute) {
    const T infinity = static_cast<T>(__builtin_inf());
    re = infinity * (a * c - b * d);
    im = infinity * (a * d + b * c);
  }
  return {re, im};
}

template <class T> parts<T> divide(T a, T b, T c, T d) {
  // Scale the divisor close to one, so that its square neither overflows nor underflows.
  const T exponent = exponent_of(fmax_of(abs_of(c), abs_of(d)));
  int scale = 0;
  if (__builtin_isfinite(exponent)) {
    scale = -static_cast<int>(exponent);
    c = scale_of(c, scale);
    d = scale_of(d, scale);
  }
  const T square = c * c + d * d;
  T re = scale_of((a * c + b * d) / square, scale);
  T im = scale_of((b * c - a * d) / square, scale);
  if (!(__builtin_isnan(re) && __builtin_isnan(im)))
    return {re, im};
  const T infinity = static_cast<T>(__builtin_inf());
  if (square == T(0) && (!__builtin_isnan(a) || !__builtin_isnan(b))) {
    re = copysign_of(infinity, c) * a;
    im = copysign_of(infinity, c) * b;
  } else if ((__builtin_isinf(a) || __builtin_isinf(b)) && __builtin_isfinite(c) &&
             __builtin_isfinite(d)) {
    a = direction(a);
    b = direction(b);
    re = infinity * (a * c + b * d);
    im = infinity * (b * c - a * d);
  } else if (__builtin_isinf(exponent) && exponent > T(0) && __builtin_isfinite(a) &&
             __builtin_isfinite(b)) {
    c = direction(c);
    d = direction(d);
    re = T(0) * (a * c + b * d);
    im = T(0) * (b * c - a * d);
  }
  return {re, im};
}

} // namespace scythe_device_library

extern "C" {
SCYTHE_DEVICE _Complex float __mulsc3(float a, float b, float c, float d) {
  return scythe_device_library::join(scythe_device_library::multiply<float>(a, b, c, d));
}
SCYTHE_DEVICE _Complex double __muldc3(double a, double b, double c, double d) {
  return scythe_device_library::join(scythe_device_library::multiply<double>(a, b, c, d));
}
SCYTHE_DEVICE _Complex float __divsc3(float a, float b, float c, float d) {
  return scythe_device_library::join(scythe_device_library::divide<float>(a, b, c, d));
}
SCYTHE_DEVICE _Complex double __divdc3(double a, double b, double c, double d) {
  return scythe_device_library::join(scythe_device_library::divide<double>(a, b, c, d));
}
}
