// Common functions (min, max, clamp, mix, …) and geometric functions, which treat a scalar as a
// vector of one element.
#ifndef SCYTHE_DETAIL_BUILTINS_COMMON_HPP
#define SCYTHE_DETAIL_BUILTINS_COMMON_HPP

#include <sycl/detail/builtins_math.hpp>

namespace sycl {

namespace detail {
// Either all operands are scalars, or none is.
template <class A, class... Rest>
using floats_of_a_kind =
    std::enable_if_t<((has_elements<A> == has_elements<Rest>) && ...), floats<A, Rest...>>;
template <class V> using if_float_elements = std::enable_if_t<has_elements<V>, floats<V>>;
} // namespace detail

namespace detail::element {

template <class T> constexpr T min(T x, T y) { return y < x ? y : x; }
template <class T> constexpr T max(T x, T y) { return x < y ? y : x; }
template <class T> constexpr T clamp(T x, T low, T high) {
  return element::min(element::max(x, low), high);
}
template <class T> constexpr wide<T> degrees(T x) {
  return wide<T>(x) * wide<T>(57.295779513082320876798154814105);
}
template <class T> constexpr wide<T> radians(T x) {
  return wide<T>(x) * wide<T>(0.01745329251994329576923690768489);
}
// These use the specification's formulas in the type of the operands. Half rounds each step.
template <class T> constexpr T mix(T x, T y, T amount) { return x + (y - x) * amount; }
template <class T> constexpr T step(T edge, T x) { return x < edge ? T(0) : T(1); }
template <class T> constexpr T smoothstep(T low, T high, T x) {
  const T t = element::clamp<T>((x - low) / (high - low), T(0), T(1));
  return t * t * (T(3) - T(2) * t);
}
// Zeros keep their sign. The sign of a NaN is 0.
template <class T> constexpr T sign(T x) {
  return x > T(0) ? T(1) : x < T(0) ? T(-1) : x == T(0) ? x : T(0);
}

} // namespace detail::element

#define SCYTHE_OWN(x) static_cast<typename detail::shape<R>::element>(SCYTHE_AT(x))
#define SCYTHE_COMMON_1(name)                                                                      \
  template <class T, class R = detail::floats<T>> SCYTHE_BY_ELEMENT constexpr R name(const T &x) { \
    SCYTHE_EACH(detail::element::name(SCYTHE_AT(x)));                                              \
  }
#define SCYTHE_COMMON_2(name, kind)                                                                \
  template <class A, class B, class R = detail::kind<A, B>>                                        \
  SCYTHE_BY_ELEMENT constexpr R name(const A &x, const B &y) {                                     \
    SCYTHE_EACH(detail::element::name(SCYTHE_AT(x), SCYTHE_AT(y)));                                \
  }
#define SCYTHE_COMMON_3(name, kind)                                                                \
  template <class A, class B, class C, class R = detail::kind<A, B, C>>                            \
  SCYTHE_BY_ELEMENT constexpr R name(const A &x, const B &y, const C &z) {                         \
    SCYTHE_EACH(detail::element::name(SCYTHE_OWN(x), SCYTHE_OWN(y), SCYTHE_OWN(z)));               \
  }
SCYTHE_COMMON_1(degrees)
SCYTHE_COMMON_1(radians)
SCYTHE_COMMON_1(sign)
SCYTHE_COMMON_2(min, numbers)
SCYTHE_COMMON_2(max, numbers)
SCYTHE_COMMON_2(step, floats_of_a_kind)
SCYTHE_COMMON_3(clamp, numbers)
SCYTHE_COMMON_3(mix, floats)
SCYTHE_COMMON_3(smoothstep, floats_of_a_kind)
// One edge for all elements. Programs may name the vector's type.
template <class V>
constexpr detail::if_float_elements<V> step(const typename detail::shape<V>::element &edge,
                                            const V &x) {
  using R = detail::if_float_elements<V>;
  SCYTHE_EACH(detail::element::step(SCYTHE_AT(edge), SCYTHE_AT(x)));
}
template <class V>
constexpr detail::if_float_elements<V> smoothstep(const typename detail::shape<V>::element &low,
                                                  const typename detail::shape<V>::element &high,
                                                  const V &x) {
  using R = detail::if_float_elements<V>;
  SCYTHE_EACH(detail::element::smoothstep(SCYTHE_OWN(low), SCYTHE_OWN(high), SCYTHE_OWN(x)));
}
#undef SCYTHE_COMMON_1
#undef SCYTHE_COMMON_2
#undef SCYTHE_COMMON_3
#undef SCYTHE_OWN

namespace detail {

// Geometric functions take up to four elements.
template <class F, class = void> struct if_direction {};
template <class F>
struct if_direction<F, std::enable_if_t<shape<typename F::type>::count <= 4>> : F {};
template <class... A> using directions = typename if_direction<floats_of<A...>>::type;
template <class V> using element_of = typename shape<V>::element;
template <class V> using wide_of = wide<plain<element_of<V>>>;

template <class V> wide_of<V> root(wide_of<V> x) {
#ifdef SCYTHE_DEVICE_PASS
  return __spirv_ocl_sqrt(x);
#else
  return host_maths::sqrt(x);
#endif
}
template <class V> wide_of<V> product(const V &x, const V &y) {
  wide_of<V> sum = 0;
  for (int i = 0; i < length_of<V>; ++i)
    sum += wide_of<V>(at<element_of<V>>(x, i)) * wide_of<V>(at<element_of<V>>(y, i));
  return sum;
}
// Returns a power of two to scale the elements of `x`, so that their squares neither overflow nor
// underflow. Half needs no scaling, because it computes in float.
template <class V> wide_of<V> scale_for(wide_of<V> sum) {
  using W = wide_of<V>;
  constexpr bool wide_range = sizeof(W) == 8;
  constexpr W large = wide_range ? W(0x1p+1000) : W(0x1p+120f),
              small = wide_range ? W(0x1p-900) : W(0x1p-90f);
  constexpr W down = wide_range ? W(0x1p-600) : W(0x1p-70f),
              up = wide_range ? W(0x1p+600) : W(0x1p+70f);
  return sum > large ? down : sum < small ? up : W(1);
}
template <class V> V scaled(const V &x, wide_of<V> factor) {
  V r{};
  for (int i = 0; i < length_of<V>; ++i)
    put(r, i, wide_of<V>(at<element_of<V>>(x, i)) * factor);
  return r;
}
template <class V> wide_of<V> length_of_vector(const V &x) {
  if constexpr (is_half<element_of<V>>) {
    return root<V>(product(x, x));
  } else {
    const wide_of<V> factor = scale_for<V>(product(x, x));
    const V y = scaled(x, factor);
    return root<V>(product(y, y)) / factor;
  }
}
template <class V> V divided(const V &x, wide_of<V> by) {
  V r{};
  for (int i = 0; i < length_of<V>; ++i)
    put(r, i, wide_of<V>(at<element_of<V>>(x, i)) / by);
  return r;
}
// Returns `x`, which is not the zero vector, in the length 1. `sum` is the sum of its squares.
template <class V> V of_length_one(const V &x, wide_of<V> sum) {
#ifdef SCYTHE_DEVICE_PASS
  // One reciprocal root is faster than a root and a quotient for each element.
  if constexpr (sizeof(wide_of<V>) == 4)
    return scaled(x, __spirv_ocl_rsqrt(sum));
  else
#endif
    return divided<V>(x, root<V>(sum));
}
template <class V> V difference(const V &x, const V &y) {
  V r{};
  for (int i = 0; i < length_of<V>; ++i)
    put(r, i, at<element_of<V>>(x, i) - at<element_of<V>>(y, i));
  return r;
}
// Returns a scalar unchanged.
template <class V, class A> constexpr decltype(auto) operand(const A &a) {
  if constexpr (has_elements<V>)
    return whole<V>(a);
  else
    return static_cast<V>(a);
}

} // namespace detail

template <class A, class B, class V = detail::directions<A, B>>
detail::element_of<V> dot(const A &x, const B &y) {
  return static_cast<detail::element_of<V>>(
      detail::product<V>(detail::operand<V>(x), detail::operand<V>(y)));
}
template <class T, class V = detail::directions<T>> detail::element_of<V> length(const T &x) {
  return static_cast<detail::element_of<V>>(detail::length_of_vector<V>(detail::operand<V>(x)));
}
template <class A, class B, class V = detail::directions<A, B>>
detail::element_of<V> distance(const A &x, const B &y) {
  return sycl::length(detail::difference<V>(detail::operand<V>(x), detail::operand<V>(y)));
}
// The normalised zero vector is the zero vector.
template <class T, class V = detail::directions<T>> V normalize(const T &x) {
  const V &v = detail::operand<V>(x);
  const auto sum = detail::product<V>(v, v);
  if constexpr (detail::is_half<detail::element_of<V>>) {
    return sum == 0 ? v : detail::of_length_one<V>(v, sum);
  } else {
    const V y = detail::scaled<V>(v, detail::scale_for<V>(sum));
    const auto again = detail::product<V>(y, y);
    return again == 0 ? v : detail::of_length_one<V>(y, again);
  }
}
template <class A, class B, class V = detail::directions<A, B>,
          class = std::enable_if_t<(detail::shape<V>::count >= 3)>>
V cross(const A &a, const B &b) {
  const V &x = detail::operand<V>(a), &y = detail::operand<V>(b);
  V r{};
  r[0] = x[1] * y[2] - x[2] * y[1];
  r[1] = x[2] * y[0] - x[0] * y[2];
  r[2] = x[0] * y[1] - x[1] * y[0];
  return r;
}

// The fast functions may overflow where the squares of elements do.
template <class T, class V = detail::directions<T>> detail::element_of<V> fast_length(const T &x) {
  const V &v = detail::operand<V>(x);
  return static_cast<detail::element_of<V>>(detail::root<V>(detail::product<V>(v, v)));
}
template <class A, class B, class V = detail::directions<A, B>>
detail::element_of<V> fast_distance(const A &x, const B &y) {
  return sycl::fast_length(detail::difference<V>(detail::operand<V>(x), detail::operand<V>(y)));
}
template <class T, class V = detail::directions<T>> V fast_normalize(const T &x) {
  const V &v = detail::operand<V>(x);
  const auto sum = detail::product<V>(v, v);
  return sum == 0 ? v : detail::of_length_one<V>(v, sum);
}

} // namespace sycl

#endif
