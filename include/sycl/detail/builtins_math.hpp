// The maths functions, and their `native` and `half_precision` forms.
//
// They are templates over the type of the number. If a program also sees the C library's function
// of the same name, a call with exact types selects that function.
#ifndef SCYTHE_DETAIL_BUILTINS_MATH_HPP
#define SCYTHE_DETAIL_BUILTINS_MATH_HPP

#include <sycl/detail/builtins_types.hpp>
#ifdef SCYTHE_DEVICE_PASS
#include <sycl/detail/builtins_device.hpp>
#define SCYTHE_MATHS(name) __spirv_ocl_##name
#define SCYTHE_RELAXED(kind, name) __spirv_ocl_##kind##_##name
#else
#include <sycl/detail/builtins_host.hpp>
#define SCYTHE_MATHS(name) detail::host_maths::name
#define SCYTHE_RELAXED(kind, name) detail::host_maths::name
#endif
#include <sycl/detail/builtins_names.hpp>

namespace sycl {

#define SCYTHE_PUBLIC_1(name)                                                                      \
  template <class T, class R = detail::floats<T>> SCYTHE_BY_ELEMENT R name(const T &x) {           \
    SCYTHE_EACH(SCYTHE_MATHS(name)(SCYTHE_AT(x)));                                                 \
  }
#define SCYTHE_PUBLIC_2(name)                                                                      \
  template <class A, class B, class R = detail::floats<A, B>>                                      \
  SCYTHE_BY_ELEMENT R name(const A &x, const B &y) {                                               \
    SCYTHE_EACH(SCYTHE_MATHS(name)(SCYTHE_AT(x), SCYTHE_AT(y)));                                   \
  }
#define SCYTHE_PUBLIC_3(name)                                                                      \
  template <class A, class B, class C, class R = detail::floats<A, B, C>>                          \
  SCYTHE_BY_ELEMENT R name(const A &x, const B &y, const C &z) {                                   \
    SCYTHE_EACH(SCYTHE_MATHS(name)(SCYTHE_AT(x), SCYTHE_AT(y), SCYTHE_AT(z)));                     \
  }
#define SCYTHE_PUBLIC_INT(name)                                                                    \
  template <class T, class N, class R = detail::floats<T>, class = detail::if_counts<R, N>>        \
  SCYTHE_BY_ELEMENT R name(const T &x, const N &n) {                                               \
    SCYTHE_EACH(SCYTHE_MATHS(name)(SCYTHE_AT(x), detail::at<int>(n, i)));                          \
  }
// The second result is passed through a variable, so that any kind of pointer works. `S` is its
// type.
#define SCYTHE_SECOND_RESULT(...)                                                                  \
  R r{};                                                                                           \
  S other{};                                                                                       \
  for (int i = 0; i < detail::length_of<R>; ++i) {                                                 \
    detail::plain<typename detail::shape<S>::element> second;                                      \
    detail::put(r, i, __VA_ARGS__);                                                                \
    detail::put(other, i, second);                                                                 \
  }                                                                                                \
  *p = other;                                                                                      \
  return r
// Programs may name the template arguments: only the pointer's type for scalars, otherwise the
// vector's type first.
#define SCYTHE_WITH_POINTER(name, SecondOf, ...)                                                   \
  template <class Pointer, class T, class R = detail::if_scalar<detail::floats<T>>,                \
            class S = detail::SecondOf<R>, class = detail::if_points_to<Pointer, S>>               \
  SCYTHE_BY_ELEMENT R name(const T &x, Pointer p) {                                                \
    SCYTHE_SECOND_RESULT(__VA_ARGS__(SCYTHE_AT(x), &second));                                      \
  }                                                                                                \
  template <class V, class Pointer, class R = detail::if_elements<detail::floats<V>>,              \
            class S = detail::SecondOf<R>, class = detail::if_points_to<Pointer, S>, class = void> \
  SCYTHE_BY_ELEMENT R name(const V &x, Pointer p) {                                                \
    SCYTHE_SECOND_RESULT(__VA_ARGS__(SCYTHE_AT(x), &second));                                      \
  }
#define SCYTHE_PUBLIC_POINTER(name) SCYTHE_WITH_POINTER(name, same, SCYTHE_MATHS(name))
#define SCYTHE_PUBLIC_INT_POINTER(name) SCYTHE_WITH_POINTER(name, count_each, SCYTHE_MATHS(name))
SCYTHE_FOR_EACH_MATHS_1(SCYTHE_PUBLIC_1)
SCYTHE_FOR_EACH_MATHS_2(SCYTHE_PUBLIC_2)
SCYTHE_FOR_EACH_MATHS_INT(SCYTHE_PUBLIC_INT)
SCYTHE_FOR_EACH_MATHS_POINTER(SCYTHE_PUBLIC_POINTER)
SCYTHE_FOR_EACH_MATHS_INT_POINTER(SCYTHE_PUBLIC_INT_POINTER)
SCYTHE_PUBLIC_3(fma)
SCYTHE_PUBLIC_3(mad)

template <class Pointer, class A, class B, class R = detail::if_scalar<detail::floats<A, B>>,
          class S = int, class = detail::if_points_to<Pointer, S>>
R remquo(const A &x, const B &y, Pointer p) {
  SCYTHE_SECOND_RESULT(SCYTHE_MATHS(remquo)(SCYTHE_AT(x), SCYTHE_AT(y), &second));
}
template <class A, class B, class Pointer, class R = detail::if_elements<detail::floats<A, B>>,
          class S = detail::count_each<R>, class = detail::if_points_to<Pointer, S>, class = void>
R remquo(const A &x, const B &y, Pointer p) {
  SCYTHE_SECOND_RESULT(SCYTHE_MATHS(remquo)(SCYTHE_AT(x), SCYTHE_AT(y), &second));
}
template <class T, class V = detail::floats<T>,
          class R = typename detail::shape<V>::template rebind<int>>
SCYTHE_BY_ELEMENT R ilogb(const T &x) {
  SCYTHE_EACH(SCYTHE_MATHS(ilogb)(detail::at<typename detail::shape<V>::element>(x, i)));
}

// Functions whose result depends on the type `E` of the element. On the host, `T` is float for
// half.
namespace detail {

#ifdef SCYTHE_DEVICE_PASS
template <class E, class T> T next_after(T x, T y) { return __spirv_ocl_nextafter(x, y); }
template <class E, class T> T fraction(T x, T *whole) { return __spirv_ocl_fract(x, whole); }
#else
template <class E, class T> T next_after(T x, T y) {
  if constexpr (!is_half<E>)
    return host_maths::nextafter(x, y);
  if (x != x || y != y)
    return x + y;
  if (x == y)
    return y;
  if (x == T(0))
    return host_maths::copysign(T(0x1p-24), y);
  const unsigned short bits = bit_cast<unsigned short>(half(x));
  return static_cast<float>(
      half(float16_of(static_cast<unsigned short>((x < y) == (x > T(0)) ? bits + 1 : bits - 1))));
}
template <class E, class T> T fraction(T x, T *whole) {
  constexpr T below_one = is_half<E> ? T(0x1.ffcp-1) : T(1);
  const T rest = host_maths::fract(x, whole);
  return rest > below_one ? below_one : rest;
}
#endif

// Returns a quiet NaN that carries a code. The code's type is the unsigned integer of the same
// size.
template <class Code>
using float_of_size = std::conditional_t<sizeof(Code) == 2, half,
                                         std::conditional_t<sizeof(Code) == 4, float, double>>;
template <class Code> constexpr float_of_size<Code> coded_nan(Code code) {
  constexpr Code quiet = sizeof(Code) == 2   ? Code(0x7e00u)
                         : sizeof(Code) == 4 ? Code(0x7fc00000u)
                                             : Code(0x7ff8000000000000u);
  constexpr Code payload = static_cast<Code>(static_cast<Code>(~quiet) & (largest<Code>() >> 1));
  return bit_cast<float_of_size<Code>>(static_cast<Code>(quiet | (code & payload)));
}

} // namespace detail

template <class A, class B, class R = detail::floats<A, B>>
SCYTHE_BY_ELEMENT R nextafter(const A &x, const B &y) {
  SCYTHE_EACH(detail::next_after<typename detail::shape<R>::element>(SCYTHE_AT(x), SCYTHE_AT(y)));
}
SCYTHE_WITH_POINTER(fract, same, detail::fraction<typename detail::shape<R>::element>)
template <class T, class V = detail::integers<T>, class Code = typename detail::shape<V>::element,
          class = std::enable_if_t<std::is_unsigned_v<Code> && (sizeof(Code) > 1)>,
          class R = typename detail::shape<V>::template rebind<detail::float_of_size<Code>>>
R nan(const T &code) {
  SCYTHE_EACH(detail::coded_nan(detail::at<Code>(code, i)));
}

// The back end chooses precision and domain, about 18 bits on the CPU.
namespace native {
#define SCYTHE_RELAXED_1(name)                                                                     \
  template <class T, class R = detail::singles<T>> SCYTHE_BY_ELEMENT R name(const T &x) {          \
    SCYTHE_EACH(SCYTHE_RELAXED(native, name)(SCYTHE_AT(x)));                                       \
  }
#define SCYTHE_RELAXED_2(name)                                                                     \
  template <class A, class B, class R = detail::singles<A, B>>                                     \
  SCYTHE_BY_ELEMENT R name(const A &x, const B &y) {                                               \
    SCYTHE_EACH(SCYTHE_RELAXED(native, name)(SCYTHE_AT(x), SCYTHE_AT(y)));                         \
  }
SCYTHE_FOR_EACH_RELAXED_1(SCYTHE_RELAXED_1)
SCYTHE_FOR_EACH_RELAXED_2(SCYTHE_RELAXED_2)
#undef SCYTHE_RELAXED_1
#undef SCYTHE_RELAXED_2
} // namespace native

// At least 11 bits for angles up to 2^16. On the host, both forms call the C library.
#ifdef SCYTHE_DEVICE_PASS
namespace half_precision {
#define SCYTHE_RELAXED_1(name)                                                                     \
  template <class T, class R = detail::singles<T>> SCYTHE_BY_ELEMENT R name(const T &x) {          \
    SCYTHE_EACH(SCYTHE_RELAXED(half, name)(SCYTHE_AT(x)));                                         \
  }
#define SCYTHE_RELAXED_2(name)                                                                     \
  template <class A, class B, class R = detail::singles<A, B>>                                     \
  SCYTHE_BY_ELEMENT R name(const A &x, const B &y) {                                               \
    SCYTHE_EACH(SCYTHE_RELAXED(half, name)(SCYTHE_AT(x), SCYTHE_AT(y)));                           \
  }
SCYTHE_FOR_EACH_RELAXED_1(SCYTHE_RELAXED_1)
SCYTHE_FOR_EACH_RELAXED_2(SCYTHE_RELAXED_2)
#undef SCYTHE_RELAXED_1
#undef SCYTHE_RELAXED_2
} // namespace half_precision
#else
namespace half_precision = native;
#endif

#undef SCYTHE_PUBLIC_1
#undef SCYTHE_PUBLIC_2
#undef SCYTHE_PUBLIC_3
#undef SCYTHE_PUBLIC_INT
#undef SCYTHE_PUBLIC_POINTER
#undef SCYTHE_PUBLIC_INT_POINTER
#undef SCYTHE_SECOND_RESULT
#undef SCYTHE_WITH_POINTER
#undef SCYTHE_RELAXED

} // namespace sycl

#include <sycl/detail/builtins_names_end.hpp>

#endif
