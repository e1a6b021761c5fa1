// erf and erfc.
//
// Near zero, erf is x times a polynomial in x². Elsewhere, erfc is exp(-x²) times a function that
// is smooth in (x - 3.75) / (x + 3.75). The square is kept in two parts, because exp multiplies its
// error by its size.
#ifndef SCYTHE_MATHS_ERF_HPP
#define SCYTHE_MATHS_ERF_HPP

#include "maths_exp.hpp"

namespace scythe_device_library {

// Returns erfc(a) for a from 0.4. Beyond 28, erfc is zero in double.
template <class T> SCYTHE_INLINE T erfc_far(T size) {
  const T a = size > T(28) ? T(28) : size;
  const pair<T> square = exact_product(a, a);
  const exp_parts<T> e = split_exp(confined(-square.high, exp_range<T>::exp_low * T(1.25), T(0)));
  const T u = (a - T(3.75)) / (a + T(3.75));
  const T smooth = erfc_scaled(u) / (T(1) + T(2) * a);
  return scaled((T(1) + e.rest) * (smooth - smooth * square.low), e.n);
}

template <class T> SCYTHE_INLINE T erf_near(T x) { return x + x * erf_tail(x * x); }

template <class T> SCYTHE_INLINE T erf_of_any(T x) {
  const T size = size_of(x);
  return size < T(1) ? erf_near(x) : with_sign(T(1) - erfc_far(size), x);
}

template <class T> SCYTHE_INLINE T erfc_of_any(T x) {
  const T far = erfc_far(size_of(x));
  const T right = x < T(0.4) ? T(1) - erf_near(x) : far;
  return x < T(-1) ? T(2) - far : right;
}

} // namespace scythe_device_library

#endif
